//! CreateML: one JSON array for all pictures; a box by its center and size, in pixels. It says no sizes of pictures.

use crate::Result;

use super::{
    Annotation, Classes, Flags, Labels, Loss, Losses, Picture, ReadOptions, Rect, Shape, codes,
    json::{Got, Lines, Node, Stop, document, number, string, within},
    merge::Pictures,
    script::{self, Out, only_names, told},
};

/// Reads a file.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut pictures = Pictures::default();
    let mut lines = Lines::new(text);
    document(text, &options.limits, |node| {
        for (i, entry) in node.array()?.iter().enumerate() {
            let picture = picture(entry, &mut labels.classes, options);
            let added = pictures.read(picture, (entry.at, &mut lines), options.pick, &mut labels.notes);
            within(added, format_args!("[{i}]"))?;
        }
        Ok(())
    })?;
    labels.pictures = pictures.list();
    labels.count();
    Ok(labels)
}

fn picture(entry: &Node<'_>, classes: &mut Classes, options: &ReadOptions) -> Got<Picture> {
    let object = entry.object()?;
    let key = if object.get("image")?.is_some() { "image" } else { "imagefilename" };
    let name = object.need(entry.at, key, |node| node.name(options.names))?;
    let mut picture = Picture::named(name);
    let key = if object.get("annotation")?.is_some() { "annotation" } else { "annotations" };
    picture.annotations = object.need(entry.at, key, |node| {
        let boxes = node.array()?.iter().enumerate();
        boxes.map(|(i, one)| within(annotation(one, classes), format_args!("[{i}]"))).collect()
    })?;
    Ok(picture)
}

fn annotation(node: &Node<'_>, classes: &mut Classes) -> Got<Annotation> {
    let object = node.object()?;
    let label = object.need(node.at, "label", |node| Ok(node.text()?.to_owned()))?;
    let rect = object.need(node.at, "coordinates", |node| {
        let object = node.object()?;
        let mut values = [0.0; 4];
        for (value, key) in values.iter_mut().zip(["x", "y", "width", "height"]) {
            *value = object.need(node.at, key, |node| match node.number()? {
                value if value < 0.0 && key.len() > 1 => {
                    Err(Stop::wrong(node.at, &codes::RECT, "the size of a box is negative"))
                }
                value => Ok(value),
            })?;
        }
        Ok(Rect::centered(values[0], values[1], values[2], values[3]))
    })?;
    Ok(Annotation::boxed(rect, Some(classes.found(&label))))
}

/// Writes labels as one file, piece by piece.
pub fn write(labels: &Labels, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Losses> {
    script::file(Script::default(), labels, put)
}

/// An entry a picture.
#[derive(Debug, Default)]
pub(super) struct Script {
    written: usize,
}

impl script::Script for Script {
    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()> {
        *out.losses = only_names(labels);
        out.text.push('[');
        Ok(())
    }

    fn picture(&mut self, labels: &Labels, i: usize, _: u32, out: &mut Out<'_>) -> Result<()> {
        let picture = &labels.pictures[i];
        if picture.unlabelled && picture.annotations.is_empty() {
            out.losses.add(Loss::Unlabelled);
            return Ok(());
        }
        out.text.push_str(if self.written > 0 { ",\n{\"image\":" } else { "\n{\"image\":" });
        self.written += 1;
        string(out.text, &picture.name);
        out.text.push_str(",\"annotations\":[");
        let mut boxes = 0;
        for annotation in script::present(picture, out.losses) {
            let Some(name) = annotation.class.and_then(|class| labels.classes.name(class)) else {
                out.losses.add(Loss::NoClass);
                continue;
            };
            boxed_only(annotation, out.losses);
            if annotation.shape == Shape::Points {
                continue;
            }
            out.text.push_str(if boxes > 0 { ",{\"label\":" } else { "{\"label\":" });
            boxes += 1;
            string(out.text, name);
            let ([x, y], r) = (annotation.rect.center(), annotation.rect);
            let keys = [",\"coordinates\":{\"x\":", ",\"y\":", ",\"width\":", ",\"height\":"];
            for (key, value) in keys.into_iter().zip([x, y, r.width().max(0.0), r.height().max(0.0)]) {
                out.text.push_str(key);
                number(out.text, value);
            }
            out.text.push_str("}}");
        }
        out.text.push_str("]}");
        Ok(())
    }

    fn end(&mut self, _: &Labels, _: u32, out: &mut Out<'_>) -> Result<()> {
        out.text.push_str("\n]\n");
        Ok(())
    }
}

/// Counts what a plain box with a class cannot say of an annotation.
pub(super) fn boxed_only(annotation: &Annotation, losses: &mut Losses) {
    match annotation.shape {
        Shape::Box => {}
        Shape::Rotated { .. } => losses.add(Loss::Rotation),
        Shape::Polygon(_) => losses.add(Loss::Outline),
        Shape::Mask(_) => losses.add(Loss::Mask),
        Shape::Points => losses.add(Loss::Points),
    }
    told(annotation, Flags::default(), |_, _| false, losses);
}
