//! LabelMe: a JSON file a picture, with shapes whose points are in pixels.
//!
//! Rectangles, turned rectangles (`rotation`) and polygons are read; circles, lines, points and masks are counted.

use crate::Result;

use super::{
    Annotation, Cause, Classes, Flags, Labels, Loss, Losses, Names, Notes, Picture, ReadOptions, Rect, Shape,
    checked_name, codes,
    json::{Got, Node, Stop, document, number, string, within},
    script::{self, Out, label_names, only_names, told},
};

/// What shapes that belong together have in common: a number.
const GROUP: &str = "group_id";

/// Reads the file of one picture. Classes are numbered as they are met, behind those that were met in other files.
pub fn read(text: &[u8], classes: &mut Classes, notes: &mut Notes, options: &ReadOptions) -> Result<Picture> {
    read_in("", text, classes, notes, options)
}

/// The same of a file in this folder of its set: pictures may lie in another one of the set.
fn read_in(
    folder: &str,
    text: &[u8],
    classes: &mut Classes,
    notes: &mut Notes,
    options: &ReadOptions,
) -> Result<Picture> {
    document(text, &options.limits, |node| {
        let object = node.object()?;
        let name = object.need(node.at, "imagePath", |node| match resolved(folder, node.text()?) {
            Some(name) if options.names == Names::Whole => Ok(name),
            _ => node.name(options.names),
        })?;
        let mut picture = Picture::named(name);
        picture.width = object.take("imageWidth", Node::pixels)?.flatten();
        picture.height = object.take("imageHeight", Node::pixels)?.flatten();
        picture.annotations = object.need(node.at, "shapes", |node| {
            let shapes = node.array()?.iter().enumerate();
            let read = shapes.map(|(i, shape)| within(annotation(shape, classes, notes), format_args!("[{i}]")));
            Ok(read.collect::<Got<Vec<_>>>()?.into_iter().flatten().collect())
        })?;
        Ok(picture)
    })
}

/// Reads files of one picture each, given with the names that errors are to say.
pub fn read_all<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>, options: &ReadOptions) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut pictures = super::merge::Pictures::default();
    for (name, text) in files {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let picture =
            read_in(folder, text, &mut labels.classes, &mut labels.notes, options).map_err(|e| e.file(name))?;
        pictures.add(picture, options.pick, &mut labels.notes).map_err(|e| e.file(name))?;
    }
    labels.pictures = pictures.list();
    labels.count();
    Ok(labels)
}

/// The name in the set of a picture that lies outside of its label's folder; `None` of any other, and of what leaves the set.
fn resolved(folder: &str, name: &str) -> Option<String> {
    let name = name.replace('\\', "/");
    let mut folders: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let mut rest = name.strip_prefix("../")?;
    folders.pop()?;
    while let Some(more) = rest.strip_prefix("../") {
        folders.pop()?;
        rest = more;
    }
    folders.push(rest);
    let name = folders.join("/");
    checked_name(&name).is_ok().then_some(name)
}

fn annotation(shape: &Node<'_>, classes: &mut Classes, notes: &mut Notes) -> Got<Option<Annotation>> {
    let object = shape.object()?;
    let kind = object.take("shape_type", |node| Ok(node.text()?.to_owned()))?;
    let kind = kind.as_deref().unwrap_or("polygon");
    if !matches!(kind, "rectangle" | "rotation" | "polygon") {
        notes.add(Cause::SkippedShapes);
        return Ok(None);
    }
    let label = object.need(shape.at, "label", |node| Ok(node.text()?.to_owned()))?;
    let points = object.need(shape.at, "points", |node| points(node))?;
    let class = Some(classes.found(&label));
    let few = || Stop::wrong(shape.at, &codes::RECT, "a shape has too few points").inside("points");
    let mut found = match (kind, &points[..]) {
        ("rectangle", [a, b]) => Annotation::boxed(Rect::around([*a, *b]).unwrap_or_default(), class),
        ("rotation", [a, b, c, d]) => match Rect::from_corners([*a, *b, *c, *d]) {
            Some((unturned, degrees)) => Annotation::rotated(unturned, degrees, class),
            None => Annotation::polygon(vec![points], class).ok_or_else(few)?,
        },
        ("polygon", [_, _, _, ..]) => Annotation::polygon(vec![points], class).ok_or_else(few)?,
        _ => return Err(few()),
    };
    if let Some(group) = object.get(GROUP)?.and_then(Node::plain) {
        found.attributes.push((GROUP.into(), group));
    }
    found.flags.difficult = object.get("difficult")?.is_some_and(Node::flag);
    Ok(Some(found))
}

/// Points, each of two numbers.
fn points(node: &Node<'_>) -> Got<Vec<[f64; 2]>> {
    let points = node.array()?.iter().enumerate().map(|(i, point)| {
        let read = || match point.array()? {
            [x, y] => Ok([x.number()?, y.number()?]),
            _ => Err(point.wrong("two numbers, x and y, belong here")),
        };
        within(read(), format_args!("[{i}]"))
    });
    points.collect()
}

/// The file of one picture, whose base name is that of the picture; `None` for a picture that nobody has labeled.
pub fn write(picture: &Picture, classes: &Classes, losses: &mut Losses) -> Option<String> {
    if picture.unlabelled && picture.annotations.is_empty() {
        losses.add(Loss::Unlabelled);
        return None;
    }
    let mut out = String::from("{\"version\":\"5.5.0\",\"flags\":{},\"shapes\":[");
    let mut n = 0;
    for annotation in script::present(picture, losses) {
        if matches!(annotation.shape, Shape::Mask(_)) {
            losses.add(Loss::Mask);
        }
        let is_group = |key: &str, value: &str| {
            key == GROUP && value.parse::<i64>().is_ok_and(|number| number.to_string() == value)
        };
        told(annotation, Flags { difficult: true, ..Flags::default() }, is_group, losses);
        let group = annotation.attributes.iter().find(|(key, value)| is_group(key, value));
        let group = group.map_or("null", |(_, number)| number.as_str());
        let Some(name) = annotation.class.and_then(|class| classes.name(class)) else {
            losses.add(Loss::NoClass);
            continue;
        };
        let mut shape = |kind: &str, points: &[[f64; 2]]| {
            out.push_str(if n > 0 { ",\n {\"label\":" } else { "\n {\"label\":" });
            n += 1;
            string(&mut out, name);
            out.push_str(",\"points\":[");
            for (i, [x, y]) in points.iter().enumerate() {
                out.push_str(if i > 0 { ",[" } else { "[" });
                number(&mut out, *x);
                out.push(',');
                number(&mut out, *y);
                out.push(']');
            }
            let difficult = annotation.flags.difficult;
            out.push_str(&format!(
                "],\"group_id\":{group},\"difficult\":{difficult},\"shape_type\":\"{kind}\",\"flags\":{{}}}}"
            ));
        };
        let r = annotation.rect;
        match &annotation.shape {
            Shape::Points => losses.add(Loss::Points),
            Shape::Box | Shape::Mask(_) => shape("rectangle", &[[r.x0, r.y0], [r.x1, r.y1]]),
            Shape::Rotated { unturned, degrees } => shape("rotation", &unturned.corners(*degrees)),
            Shape::Polygon(_) => {
                let parts = script::outlines(annotation, losses);
                if parts.len() > 1 {
                    losses.add(Loss::Parts);
                }
                if parts.is_empty() {
                    shape("rectangle", &[[r.x0, r.y0], [r.x1, r.y1]]);
                }
                parts.iter().for_each(|part| shape("polygon", part));
            }
        }
    }
    out.push_str("\n],\"imagePath\":");
    string(&mut out, &picture.name);
    let size = |side: Option<u32>| side.map_or("null".to_owned(), |n| n.to_string());
    let (width, height) = (size(picture.width), size(picture.height));
    out.push_str(&format!(",\"imageData\":null,\"imageHeight\":{height},\"imageWidth\":{width}}}\n"));
    Some(out)
}

/// A file a picture.
#[derive(Debug, Default)]
pub(super) struct Script {
    names: Vec<String>,
}

impl script::Script for Script {
    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()> {
        *out.losses = only_names(labels);
        self.names = label_names(labels, "json");
        Ok(())
    }

    fn picture(&mut self, labels: &Labels, i: usize, _: u32, out: &mut Out<'_>) -> Result<()> {
        match write(&labels.pictures[i], &labels.classes, out.losses) {
            Some(text) => out.file(&self.names[i], text.as_bytes()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_stays_a_group() {
        let text = br#"{"imagePath": "a.jpg", "shapes": [
            {"label": "x", "group_id": 7, "shape_type": "rectangle", "points": [[1, 2], [3, 4]]}]}"#;
        let (mut classes, mut losses) = (Classes::default(), Losses::default());
        let options = ReadOptions::default();
        let picture = read(text, &mut classes, &mut Notes::default(), &options).unwrap();
        let written = write(&picture, &classes, &mut losses).unwrap();
        assert!(losses.is_empty(), "{losses:?}");
        let back = read(written.as_bytes(), &mut classes, &mut Notes::default(), &options).unwrap();
        assert_eq!(back.annotations, picture.annotations);
    }
}
