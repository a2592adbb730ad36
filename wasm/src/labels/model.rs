//! Pictures, annotations and classes as JSON: the fields of the package's types, in their words. What is not there is left
//! out.

use forebay::{
    Error, Result,
    annotations::{
        Annotation, Class, Flags, Format, Id, Keypoint, LabelStats, Picture, Rect, Rle, Shape, Source, checked_name,
    },
    error::codes::ARGUMENT,
    words::Word,
};
use serde::{Deserialize, Serialize};

use crate::labeling::{Found, notes};

/// Integers up to this are exact as JavaScript's numbers; larger ones are objects that hold their digits.
const EXACT: u64 = 1 << 53;

/// A number or a text.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum IdField {
    Number(i64),
    Digits { int: String },
    Text(String),
}

impl From<&Id> for IdField {
    fn from(id: &Id) -> Self {
        match id {
            Id::Number(n) if n.unsigned_abs() <= EXACT => IdField::Number(*n),
            Id::Number(n) => IdField::Digits { int: n.to_string() },
            Id::Text(text) => IdField::Text(text.to_string()),
        }
    }
}

impl IdField {
    fn number(self) -> Result<Option<i64>> {
        match self.id()? {
            Id::Number(n) => Ok(Some(n)),
            Id::Text(_) => Ok(None),
        }
    }

    pub(super) fn id(self) -> Result<Id> {
        Ok(match self {
            IdField::Number(n) => Id::Number(n),
            IdField::Text(text) => Id::Text(text.into()),
            IdField::Digits { int } => Id::Number(int.parse().map_err(|_| wrong(format!("{int} is too large an id")))?),
        })
    }
}

/// What the caller got wrong.
pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::new(&ARGUMENT, message)
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ClassField {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<IdField>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keypoints: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skeleton: Vec<[u32; 2]>,
}

impl From<&Class> for ClassField {
    fn from(class: &Class) -> Self {
        ClassField {
            name: class.name.clone(),
            id: class.id.as_ref().map(Into::into),
            group: class.group.clone(),
            keypoints: class.keypoints.clone(),
            skeleton: class.skeleton.clone(),
        }
    }
}

impl ClassField {
    pub(super) fn class(self) -> Result<Class> {
        let mut class = Class::named(self.name);
        class.id = self.id.map(IdField::id).transpose()?;
        (class.group, class.keypoints, class.skeleton) = (self.group, self.keypoints, self.skeleton);
        Ok(class)
    }
}

#[derive(Deserialize, Serialize)]
struct PointField {
    x: f64,
    y: f64,
    visibility: u8,
}

#[derive(Deserialize, Serialize)]
struct MaskField {
    width: u32,
    height: u32,
    counts: Vec<u32>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AnnotationField {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<String>,
    #[serde(rename = "box")]
    corners: [f64; 4],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unturned: Option<[f64; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    degrees: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outlines: Option<Vec<Vec<[f64; 2]>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mask: Option<MaskField>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keypoints: Vec<PointField>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    crowd: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    difficult: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    truncated: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    occluded: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    outside: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<IdField>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    track: Option<IdField>,
}

fn is_false(yes: &bool) -> bool {
    !yes
}

const fn corners(rect: &Rect) -> [f64; 4] {
    [rect.x0, rect.y0, rect.x1, rect.y1]
}

const fn rect([x0, y0, x1, y1]: [f64; 4]) -> Rect {
    Rect::new(x0, y0, x1, y1)
}

const SOURCES: [(Source, &str); 3] =
    [(Source::Human, "human"), (Source::Model, "model"), (Source::Simulator, "simulator")];

impl From<&Annotation> for AnnotationField {
    fn from(it: &Annotation) -> Self {
        let point = |p: &Keypoint| PointField { x: p.x, y: p.y, visibility: p.visibility };
        let source = it.source.and_then(|source| SOURCES.iter().find(|(one, _)| *one == source));
        let mut field = AnnotationField {
            corners: corners(&it.rect),
            class: it.class,
            keypoints: it.keypoints.iter().map(point).collect(),
            score: it.score,
            source: source.map(|(_, word)| (*word).to_owned()),
            crowd: it.flags.crowd,
            difficult: it.flags.difficult,
            truncated: it.flags.truncated,
            occluded: it.flags.occluded,
            outside: it.flags.outside,
            attributes: it.attributes.clone(),
            id: it.id.as_ref().map(Into::into),
            track: it.track.map(|n| IdField::from(&Id::Number(n))),
            ..AnnotationField::default()
        };
        let shape = match &it.shape {
            Shape::Rotated { unturned, degrees } => {
                (field.unturned, field.degrees) = (Some(corners(unturned)), Some(*degrees));
                "rotated"
            }
            Shape::Polygon(parts) => {
                field.outlines = Some(parts.clone());
                "polygon"
            }
            Shape::Mask(mask) => {
                let (width, height) = (mask.width(), mask.height());
                field.mask = Some(MaskField { width, height, counts: mask.counts().to_vec() });
                "mask"
            }
            Shape::Points => "points",
            _ => "box",
        };
        field.shape = Some(shape.to_owned());
        field
    }
}

impl AnnotationField {
    fn annotation(self, classes: u32) -> Result<Annotation> {
        let mut it = Annotation::boxed(rect(self.corners), self.class);
        if let Some(class) = self.class.filter(|class| *class >= classes) {
            return Err(wrong(format!("there are {classes} classes, so none has the number {class}")));
        }
        let needs = |what: &str| wrong(format!("an annotation of this shape needs {what}"));
        it.shape = match self.shape.as_deref().unwrap_or("box") {
            "box" => Shape::Box,
            "points" => Shape::Points,
            "rotated" => Shape::Rotated {
                unturned: rect(self.unturned.ok_or_else(|| needs("unturned"))?),
                degrees: self.degrees.ok_or_else(|| needs("degrees"))?,
            },
            "polygon" => Shape::Polygon(self.outlines.ok_or_else(|| needs("outlines"))?),
            "mask" => {
                let mask = self.mask.ok_or_else(|| needs("a mask"))?;
                Shape::Mask(Box::new(Rle::new(mask.width, mask.height, mask.counts)?))
            }
            other => return Err(wrong(format!("there is no shape {other:?}"))),
        };
        let point = |p: PointField| {
            let mut point = Keypoint::default();
            (point.x, point.y, point.visibility) = (p.x, p.y, p.visibility);
            point
        };
        it.keypoints = self.keypoints.into_iter().map(point).collect();
        it.score = self.score;
        it.source = match self.source {
            None => None,
            Some(word) => match SOURCES.iter().find(|(_, one)| *one == word) {
                Some((source, _)) => Some(*source),
                None => return Err(wrong(format!("there is no source {word:?}"))),
            },
        };
        let mut flags = Flags::default();
        (flags.crowd, flags.difficult, flags.truncated) = (self.crowd, self.difficult, self.truncated);
        (flags.occluded, flags.outside) = (self.occluded, self.outside);
        it.flags = flags;
        it.attributes = self.attributes;
        it.id = self.id.map(IdField::id).transpose()?;
        it.track = self.track.map(IdField::number).transpose()?.flatten();
        Ok(it)
    }
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PictureField {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<IdField>,
    annotations: Vec<AnnotationField>,
    #[serde(default, skip_serializing_if = "is_false")]
    unlabelled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

impl From<&Picture> for PictureField {
    fn from(it: &Picture) -> Self {
        PictureField {
            name: it.name.clone(),
            width: it.width,
            height: it.height,
            id: it.id.as_ref().map(Into::into),
            annotations: it.annotations.iter().map(Into::into).collect(),
            unlabelled: it.unlabelled,
            line: it.line,
        }
    }
}

impl PictureField {
    /// The picture, whose name must stay in its folder, and whose classes there must be.
    pub(super) fn picture(self, classes: u32) -> Result<Picture> {
        checked_name(&self.name)?;
        let mut it = Picture::named(self.name);
        (it.width, it.height, it.unlabelled, it.line) = (self.width, self.height, self.unlabelled, self.line);
        it.id = self.id.map(IdField::id).transpose()?;
        it.annotations = self.annotations.into_iter().map(|one| one.annotation(classes)).collect::<Result<_>>()?;
        Ok(it)
    }
}

/// What there is to count in labels.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelStats"))]
pub(crate) struct Counts<'a> {
    /// The format that they had.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::words::any::<Format>"))]
    format: &'static str,
    /// Images.
    pictures: u64,
    /// Those without an annotation.
    empty: u64,
    /// Annotations.
    annotations: u64,
    /// The most in one image.
    most: u64,
    /// Classes, and how many annotations each has.
    classes: Vec<ClassCount<'a>>,
    /// Annotations up to 32 pixels squared, up to 96 pixels squared, and larger.
    areas: [u64; 3],
    /// What was found on the way.
    notes: Found<'a>,
}

/// A class of labels, and how many annotations it has.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelClassCount"))]
struct ClassCount<'a> {
    /// The class.
    name: &'a str,
    /// How many annotations it has.
    annotations: u64,
}

pub(super) fn stats(format: Format, it: &LabelStats) -> Counts<'_> {
    Counts {
        format: format.word(),
        pictures: it.pictures,
        empty: it.empty,
        annotations: it.annotations,
        most: it.most,
        classes: it.classes.iter().map(|(name, n)| ClassCount { name, annotations: *n }).collect(),
        areas: it.areas,
        notes: notes(&it.notes),
    }
}
