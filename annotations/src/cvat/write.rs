//! Writing a file for images.

use std::collections::BTreeSet;

use crate::error::Result;
use crate::limits::Limits;

use super::super::holes::Painter;
use super::super::script::{Out, class_details_of_xml, file, picture_ids};
use super::super::xml::{Writer, is_held};
use super::super::{Annotation, Labels, Loss, Losses, Picture, Rect, Shape, Source, script as shared};
use super::mask::{self, Account};

/// Writes labels, piece by piece. What the format cannot say is counted.
///
/// ```
/// use forebay_annotations::{Annotation, Labels, Picture, ReadOptions, Rect, cvat};
/// let mut labels = Labels::default();
/// let class = labels.classes.found("car");
/// let mut picture = Picture::named("a.jpg");
/// picture.annotations = vec![Annotation::rotated(Rect::new(1.0, 2.0, 9.5, 4.0), 30.0, Some(class))];
/// labels.pictures = vec![picture];
/// let mut text = Vec::new();
/// let mut put = |bytes: &[u8]| {
///     text.extend_from_slice(bytes);
///     Ok(())
/// };
/// cvat::write(&labels, &mut put).unwrap();
/// assert_eq!(cvat::read(&text, &ReadOptions::default()).unwrap().pictures[0].annotations, labels.pictures[0].annotations);
/// ```
pub fn write(labels: &Labels, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Losses> {
    file(Script::default(), labels, put)
}

/// What tools want to know first, then an element a picture.
#[derive(Debug)]
pub(crate) struct Script {
    writer: Writer,
    /// The numbers of the pictures.
    ids: Vec<i64>,
    account: Account,
    painter: Painter,
}

impl Default for Script {
    fn default() -> Script {
        Script {
            writer: Writer::new(),
            ids: Vec::new(),
            account: Account::new(&Limits::default()),
            painter: Painter::default(),
        }
    }
}

impl super::super::script::Script for Script {
    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()> {
        *out.losses = class_details_of_xml(labels);
        self.ids = picture_ids(labels, 0, out.losses);
        self.writer.open("annotations", &[]);
        self.writer.text("version", "1.1");
        meta(&mut self.writer, labels);
        Ok(())
    }

    fn picture(&mut self, labels: &Labels, i: usize, _: u32, out: &mut Out<'_>) -> Result<()> {
        let picture = &labels.pictures[i];
        if picture.unlabelled {
            out.losses.add(Loss::Unlabelled);
            return Ok(());
        }
        let id = self.ids.get(i).copied().unwrap_or_default();
        image(&mut self.writer, labels, (id, picture), (&mut self.account, &mut self.painter), out.losses);
        out.text.push_str(&self.writer.take());
        Ok(())
    }

    fn end(&mut self, _: &Labels, _: u32, out: &mut Out<'_>) -> Result<()> {
        self.writer.close();
        out.text.push_str(&self.writer.take());
        Ok(())
    }
}

/// What tools that import the file want to know first: the labels, with the attributes that they may have.
fn meta(out: &mut Writer, labels: &Labels) {
    let mut names: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); labels.classes.len()];
    for annotation in labels.pictures.iter().flat_map(|picture| &picture.annotations) {
        let Some(names) = annotation.class.and_then(|class| names.get_mut(class as usize)) else { continue };
        names.extend(attributes(annotation).map(|(name, _)| name));
    }
    out.open("meta", &[]);
    out.open("task", &[]);
    out.text("size", &labels.pictures.len().to_string());
    out.text("mode", "annotation");
    out.open("labels", &[]);
    for (class, names) in labels.classes.iter().zip(names) {
        out.open("label", &[]);
        out.text("name", &class.name);
        out.open("attributes", &[]);
        for name in names {
            out.open("attribute", &[]);
            out.text("name", name);
            out.text("mutable", "False");
            out.text("input_type", "text");
            out.text("default_value", "");
            out.text("values", "");
            out.close();
        }
        out.close();
        out.close();
    }
    out.close();
    out.close();
    out.close();
}

fn image(
    out: &mut Writer,
    labels: &Labels,
    (number, picture): (i64, &Picture),
    (account, painter): (&mut Account, &mut Painter),
    losses: &mut Losses,
) {
    let number = number.to_string();
    let sides = picture.size().map(|(width, height)| (width.to_string(), height.to_string()));
    let mut attributes = vec![("id", number.as_str()), ("name", picture.name.as_str())];
    if let Some((width, height)) = &sides {
        attributes.extend([("width", width.as_str()), ("height", height)]);
    }
    losses.add_many(Loss::Name, u64::from(!is_held(&picture.name)));
    out.open("image", &attributes);
    for annotation in &picture.annotations {
        match annotation.class.and_then(|class| labels.classes.name(class)) {
            Some(name) => {
                let painted = painted(annotation, picture, painter, losses);
                shape(out, painted.as_ref().unwrap_or(annotation), name, account, losses);
            }
            None => losses.add(Loss::NoClass),
        }
    }
    out.close();
}

/// An outline of several parts as a mask: each part would become an object, and a hole too.
fn painted(one: &Annotation, picture: &Picture, painter: &mut Painter, losses: &mut Losses) -> Option<Annotation> {
    let Shape::Polygon(parts) = &one.shape else { return None };
    let mask = (parts.len() > 1).then(|| painter.mask(parts, picture.size()))??;
    losses.add(Loss::Painted);
    Some(Annotation { shape: Shape::Mask(Box::new(mask)), ..one.clone() })
}

fn shape(out: &mut Writer, annotation: &Annotation, label: &str, account: &mut Account, losses: &mut Losses) {
    let points = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let texts: Vec<String> = points.map(|[x, y]| format!("{x},{y}")).collect();
        vec![("points", texts.join(";"))]
    };
    let corners = |rect: Rect| {
        [("xtl", rect.x0), ("ytl", rect.y0), ("xbr", rect.x1), ("ybr", rect.y1)]
            .map(|(key, v)| (key, v.to_string()))
            .to_vec()
    };
    let (name, place) = match &annotation.shape {
        Shape::Rotated { unturned, degrees } => {
            let mut place = corners(*unturned);
            place.push(("rotation", degrees.to_string()));
            ("box", place)
        }
        Shape::Polygon(parts) if parts.len() == 1 => match shared::outlines(annotation, losses)[..] {
            [part] => ("polygon", points(&mut part.iter().copied())),
            _ => ("box", corners(annotation.rect)),
        },
        Shape::Points => ("points", points(&mut annotation.keypoints.iter().map(|point| [point.x, point.y]))),
        Shape::Mask(mask) => match mask::to_rows(mask, account) {
            Some((runs, [left, top, width, height])) => {
                let around = [left, top, width, height].map(f64::from);
                shared::boxed_by(Rect::sized(around[0], around[1], around[2], around[3]), annotation, losses);
                let mut place = vec![("rle", runs)];
                place.extend(
                    [("left", left), ("top", top), ("width", width), ("height", height)]
                        .map(|(key, n)| (key, n.to_string())),
                );
                ("mask", place)
            }
            None => {
                losses.add(Loss::Mask);
                ("box", corners(annotation.rect))
            }
        },
        // Of a picture whose size is not known nothing can be painted.
        Shape::Polygon(_) => {
            losses.add(Loss::Outline);
            ("box", corners(annotation.rect))
        }
        Shape::Box => ("box", corners(annotation.rect)),
    };
    let flags = annotation.flags;
    let mut all: Vec<(&str, &str)> = vec![("label", label)];
    match annotation.source {
        Some(Source::Human) => all.push(("source", "manual")),
        Some(Source::Model) => all.push(("source", "auto")),
        _ => {}
    }
    all.push(("occluded", if flags.occluded { "1" } else { "0" }));
    if flags.outside {
        all.push(("outside", "1"));
    }
    all.extend(place.iter().map(|(key, text)| (*key, text.as_str())));
    for key in OWN {
        all.extend(
            annotation.attributes.iter().filter(|(name, _)| name == key).take(1).map(|(_, text)| (*key, text.as_str())),
        );
    }
    if attributes(annotation).next().is_none() {
        out.empty(name, &all);
    } else {
        out.open(name, &all);
        for (name, text) in attributes(annotation) {
            out.text_with("attribute", &[("name", name)], text);
        }
        out.close();
    }
    details(annotation, losses);
}

/// What the reader keeps as attributes, and the format has a place of its own for.
const OWN: &[&str] = &["group_id", "z_order"];

/// What stands in elements of its own: everything else that is said of an annotation.
fn attributes(annotation: &Annotation) -> impl Iterator<Item = (&str, &str)> {
    let flags = annotation.flags;
    let own = [("truncated", flags.truncated), ("difficult", flags.difficult), ("is_crowd", flags.crowd)];
    let own = own.into_iter().filter(|(_, yes)| *yes).map(|(name, _)| (name, "true"));
    let others = annotation.attributes.iter().filter(|(name, _)| !OWN.contains(&name.as_str()));
    own.chain(others.map(|(name, text)| (name.as_str(), text.as_str())))
}

fn details(annotation: &Annotation, losses: &mut Losses) {
    let hidden = annotation.keypoints.iter().any(|point| point.visibility != 2);
    let beside = annotation.shape != Shape::Points && !annotation.keypoints.is_empty();
    for (lost, loss) in [
        (hidden || beside, Loss::Keypoints),
        (annotation.score.is_some(), Loss::Score),
        (annotation.track.is_some(), Loss::Track),
        (annotation.source == Some(Source::Simulator), Loss::Source),
    ] {
        if lost {
            losses.add(loss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Keypoint, ReadOptions, Rle};
    use super::super::read;
    use super::*;

    fn written(labels: &Labels) -> (Vec<u8>, Losses) {
        let mut out = Vec::new();
        let losses = write(labels, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        (out, losses.unwrap())
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("a & \"b\"\n汽车"));
        let mut boxed = Annotation::boxed(Rect::new(-3.5, 0.1, 1e-7, 90.0), class);
        boxed.flags.truncated = true;
        boxed.flags.crowd = true;
        boxed.flags.occluded = true;
        boxed.source = Some(Source::Human);
        boxed.attributes = vec![("color".to_owned(), "<red>".to_owned()), ("z_order".to_owned(), "4".to_owned())];
        let mask = Rle::new(40, 30, vec![95, 3, 27, 3, 1072]).unwrap();
        let rect = mask.bounds().unwrap();
        let points = vec![Keypoint { x: 1.0, y: 2.0, visibility: 2 }, Keypoint { x: 3.0, y: 4.0, visibility: 2 }];
        let annotations = vec![
            boxed,
            Annotation::rotated(Rect::new(1.0, 2.0, 30.0, 4.0), 359.3, class),
            Annotation::polygon(vec![vec![[1.5, 2.0], [7.0, 8.0], [3.0, 9.25]]], class).unwrap(),
            Annotation { shape: Shape::Mask(Box::new(mask)), ..Annotation::boxed(rect, class) },
            Annotation {
                shape: Shape::Points,
                keypoints: points,
                ..Annotation::boxed(Rect::new(1.0, 2.0, 3.0, 4.0), class)
            },
        ];
        let picture = Picture { width: Some(40), height: Some(30), annotations, ..Picture::named("sub/a'&.jpg") };
        labels.pictures = vec![picture, Picture { width: Some(1), height: Some(1), ..Picture::named("empty.jpg") }];
        let (text, losses) = written(&labels);
        assert!(losses.is_empty(), "{losses:?}");
        let back = read(&text, &ReadOptions::default()).unwrap();
        assert_eq!(back.classes, labels.classes);
        assert_eq!(back.pictures.len(), 2);
        assert_eq!(back.pictures[0].annotations, labels.pictures[0].annotations);
        assert_eq!((back.pictures[0].name.as_str(), back.pictures[1].size()), ("sub/a'&.jpg", Some((1, 1))));
    }

    #[test]
    fn what_cannot_be_said_is_counted() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("a"));
        let rect = Rect::new(0.0, 0.0, 4.0, 4.0);
        let mut scored = Annotation::boxed(rect, class);
        scored.score = Some(0.5);
        scored.keypoints = vec![Keypoint::default()];
        let triangle = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]];
        let parts = Annotation::polygon(vec![triangle.clone(), triangle], class).unwrap();
        let picture =
            Picture { annotations: vec![scored, parts, Annotation::boxed(rect, None)], ..Picture::named("a.jpg") };
        labels.pictures = vec![picture];
        let (text, losses) = written(&labels);
        for loss in [Loss::Score, Loss::Keypoints, Loss::Outline, Loss::NoClass] {
            assert_eq!(losses.of(loss), 1, "{loss:?}");
        }
        assert_eq!(read(&text, &ReadOptions::default()).unwrap().annotations(), 2);
    }
}
