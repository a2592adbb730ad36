//! Annotations and classes from the fields of metadata.

use serde_json::{Map, Value};

use super::CONVENTION;
use crate::{
    Annotation, Class, Classes, Flags, Id, Keypoint, Picture, Rect, Rle, Shape, Source, codes,
    error::{Code, Error, Result},
};

/// A value in its place.
#[derive(Clone)]
pub(super) struct At<'a> {
    pub(super) value: &'a Value,
    pub(super) path: String,
}

/// Reads the annotations in a sample's metadata; `None` if there are none. The image has no name yet.
/// Classes that were not known are added.
///
/// # Errors
///
/// `label.format` for annotations whose convention is not told, `label.unsupported` for one that is not known, and the
/// codes of label files for what breaks it.
pub fn read(metadata: &Value, classes: &mut Classes) -> Result<Option<Picture>> {
    let own = At { value: metadata, path: String::new() };
    // In the file beside the picture, or in the record itself.
    let places = [own.field("json"), Some(own)];
    let found = places.into_iter().flatten().find(|place| place.field("annotations").is_some());
    let Some((place, list)) = found.and_then(|place| Some((place.clone(), place.field("annotations")?))) else {
        return Ok(None);
    };
    match place.field("annotations_format") {
        Some(word) if word.value == CONVENTION => {}
        Some(word) => {
            let message = format!("annotations of the convention {} are not read", word.value);
            return Err(word.fault(&codes::UNSUPPORTED, message));
        }
        None => {
            let message = "annotations_format does not say by which convention these annotations are written";
            return Err(list.fault(&codes::FORMAT, message));
        }
    }
    let mut picture = Picture::default();
    if let Some(size) = place.field("annotations_size") {
        let sides = size.items()?.iter().map(At::size).collect::<Result<Vec<u32>>>()?;
        (picture.width, picture.height) = match sides[..] {
            [width, height] if width > 0 && height > 0 => (Some(width), Some(height)),
            _ => return Err(size.fault(&codes::VALUE, "a size is a width and a height, from 1 on")),
        };
    }
    picture.id = place.field("image_id").map(|id| id.id()).transpose()?;
    picture.annotations = list.items()?.iter().map(|one| annotation(one, classes)).collect::<Result<_>>()?;
    Ok(Some(picture))
}

/// The classes that a dataset's document lists.
pub fn read_classes(document: &Map<String, Value>) -> Result<Classes> {
    let mut classes = Classes::default();
    let list = |key: &str| document.get(key).map(|value| At { value, path: key.to_owned() });
    if let Some(details) = list("categories") {
        for one in details.items()? {
            let name = one.need("name")?;
            let class = Class {
                name: name.text()?.to_owned(),
                id: one.field("id").map(|id| id.id()).transpose()?,
                group: one.field("supercategory").map(|group| group.text().map(str::to_owned)).transpose()?,
                keypoints: one.list("keypoints", |one| Ok(one.text()?.to_owned()))?,
                skeleton: one.list("skeleton", |line| {
                    let ends = line.items()?.iter().map(At::size).collect::<Result<Vec<u32>>>()?;
                    let wrong = |_| line.fault(&codes::VALUE, "a line of a skeleton joins two key points");
                    ends.try_into().map_err(wrong)
                })?,
            };
            classes.add(class).map_err(|_| name.fault(&codes::REPEATED, "two classes have this name"))?;
        }
    } else if let Some(names) = list("classes") {
        for name in names.items()? {
            let class = Class::named(name.text()?);
            classes.add(class).map_err(|_| name.fault(&codes::REPEATED, "two classes have this name"))?;
        }
    }
    Ok(classes)
}

fn annotation(one: &At<'_>, classes: &mut Classes) -> Result<Annotation> {
    if !one.value.is_object() {
        return Err(one.fault(&codes::VALUE, "an annotation is an object"));
    }
    let class = match one.field("class") {
        None => None,
        Some(class) => match class.value {
            Value::String(name) if !name.trim().is_empty() => Some(classes.found(name)),
            _ => return Err(class.fault(&codes::CLASS, "a class is a name")),
        },
    };
    let corner = |key: &str| one.need(key)?.number();
    let rect = Rect::new(corner("xmin")?, corner("ymin")?, corner("xmax")?, corner("ymax")?);
    if rect.x0 > rect.x1 || rect.y0 > rect.y1 {
        return Err(one.fault(&codes::RECT, "the corners of a box are swapped"));
    }
    let flag = |key: &str| one.field(key).map_or(Ok(false), |at| at.boolean());
    let flags = Flags {
        crowd: flag("crowd")?,
        difficult: flag("difficult")?,
        truncated: flag("truncated")?,
        occluded: flag("occluded")?,
        outside: flag("outside")?,
    };
    let source = match one.field("source") {
        None => None,
        Some(source) => match source.text()? {
            "human" => Some(Source::Human),
            "model" => Some(Source::Model),
            "simulator" => Some(Source::Simulator),
            _ => return Err(source.fault(&codes::VALUE, "a source is human, model or simulator")),
        },
    };
    let track = one.field("track").map(|track| match track.value.as_i64() {
        Some(n) => Ok(n),
        None => Err(track.fault(&codes::NUMBER, "a track is a whole number")),
    });
    Ok(Annotation {
        shape: shape(one)?,
        rect,
        class,
        score: one.field("score").map(|score| score.number()).transpose()?,
        source,
        flags,
        keypoints: keypoints(one)?,
        attributes: attributes(one)?,
        id: one.field("id").map(|id| id.id()).transpose()?,
        track: track.transpose()?,
        own: Default::default(),
    })
}

fn shape(one: &At<'_>) -> Result<Shape> {
    if let Some(shape) = one.field("shape") {
        return match shape.text()? {
            "points" => Ok(Shape::Points),
            _ => Err(shape.fault(&codes::VALUE, "a shape that is named is points")),
        };
    }
    if let Some(degrees) = one.field("rotation") {
        let unturned = one.need("unturned")?;
        let [x0, y0, x1, y1] = unturned.numbers()?[..] else {
            return Err(unturned.fault(&codes::RECT, "a box has four numbers: x0, y0, x1, y1"));
        };
        return Ok(Shape::Rotated { unturned: Rect::new(x0, y0, x1, y1), degrees: degrees.number()? });
    }
    let Some(segmentation) = one.field("segmentation") else { return Ok(Shape::Box) };
    if segmentation.value.is_object() { mask(&segmentation) } else { outlines(&segmentation) }
}

/// Outlines as lists of x and y.
pub(super) fn outlines(segmentation: &At<'_>) -> Result<Shape> {
    let part = |part: &At<'_>| {
        let values = part.numbers()?;
        if values.is_empty() || values.len() % 2 != 0 {
            return Err(part.fault(&codes::VALUE, "an outline is pairs of x and y"));
        }
        Ok(values.chunks_exact(2).map(|p| [p[0], p[1]]).collect())
    };
    Ok(Shape::Polygon(segmentation.items()?.iter().map(part).collect::<Result<_>>()?))
}

/// A mask as its size and its runs.
pub(super) fn mask(segmentation: &At<'_>) -> Result<Shape> {
    let size = segmentation.need("size")?;
    let [height, width] = size.items()?.iter().map(At::size).collect::<Result<Vec<u32>>>()?[..] else {
        return Err(size.fault(&codes::VALUE, "the size of a mask is a height and a width"));
    };
    let counts = segmentation.need("counts")?;
    let mask = match counts.value {
        Value::String(text) => Rle::from_text(width, height, text),
        _ => Rle::new(width, height, counts.items()?.iter().map(At::size).collect::<Result<_>>()?),
    };
    Ok(Shape::Mask(Box::new(mask.map_err(|e| counts.fault(&codes::VALUE, e.message()))?)))
}

fn keypoints(one: &At<'_>) -> Result<Vec<Keypoint>> {
    let Some(points) = one.field("keypoints") else { return Ok(Vec::new()) };
    let values = points.numbers()?;
    if values.len() % 3 != 0 {
        return Err(points.fault(&codes::VALUE, "a key point is x, y and whether it is seen"));
    }
    Ok(values.chunks_exact(3).map(|p| Keypoint { x: p[0], y: p[1], visibility: p[2] as u8 }).collect())
}

fn attributes(one: &At<'_>) -> Result<Vec<(String, String)>> {
    let Some(said) = one.field("attributes") else { return Ok(Vec::new()) };
    let Value::Object(pairs) = said.value else {
        return Err(said.fault(&codes::VALUE, "attributes are an object of texts"));
    };
    let text = |(key, value): (&String, &Value)| match value {
        Value::String(text) => (key.clone(), text.clone()),
        other => (key.clone(), other.to_string()),
    };
    Ok(pairs.iter().map(text).collect())
}

impl<'a> At<'a> {
    pub(super) fn field(&self, key: &str) -> Option<At<'a>> {
        let value = self.value.get(key)?;
        let dot = if self.path.is_empty() { "" } else { "." };
        Some(At { value, path: format!("{}{dot}{key}", self.path) })
    }

    pub(super) fn need(&self, key: &str) -> Result<At<'a>> {
        self.field(key).ok_or_else(|| {
            let path = format!("{}.{key}", self.path);
            Error::new(&codes::VALUE, format!("{key:?} is missing")).path(path)
        })
    }

    pub(super) fn items(&self) -> Result<Vec<At<'a>>> {
        let Value::Array(list) = self.value else { return Err(self.fault(&codes::VALUE, "a list belongs here")) };
        let at = |(i, value)| At { value, path: format!("{}[{i}]", self.path) };
        Ok(list.iter().enumerate().map(at).collect())
    }

    /// A list that may be left out.
    fn list<T>(&self, key: &str, read: impl Fn(&At<'a>) -> Result<T>) -> Result<Vec<T>> {
        self.field(key).map_or(Ok(Vec::new()), |list| list.items()?.iter().map(read).collect())
    }

    fn numbers(&self) -> Result<Vec<f64>> {
        self.items()?.iter().map(At::number).collect()
    }

    pub(super) fn number(&self) -> Result<f64> {
        let finite = self.value.as_f64().filter(|value| value.is_finite());
        finite.ok_or_else(|| self.fault(&codes::NUMBER, "a number belongs here"))
    }

    /// A whole number of pixels, or of anything else that is counted.
    fn size(&self) -> Result<u32> {
        let whole = self.value.as_u64().and_then(|n| u32::try_from(n).ok());
        whole.ok_or_else(|| self.fault(&codes::NUMBER, "a whole number from 0 on belongs here"))
    }

    fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.fault(&codes::VALUE, "a text belongs here"))
    }

    fn boolean(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.fault(&codes::VALUE, "true or false belongs here"))
    }

    fn id(&self) -> Result<Id> {
        match self.value {
            Value::String(text) => Ok(Id::Text(text.as_str().into())),
            other => other
                .as_i64()
                .map(Id::Number)
                .ok_or_else(|| self.fault(&codes::NUMBER, "an id is a whole number of 64 bits, or a text")),
        }
    }

    pub(super) fn fault(&self, code: &'static Code, message: impl Into<String>) -> Error {
        Error::new(code, message).path(self.path.clone())
    }
}
