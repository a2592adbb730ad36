//! The VGG Image Annotator: one JSON object for all pictures, with or without its project around it. It says no sizes of
//! pictures, and a region's class is one of its attributes.

use crate::Result;

use super::{
    Annotation, Cause, Labels, Loss, Losses, Picture, ReadOptions, Rect, Shape, codes,
    createml::boxed_only,
    json::{Got, Lines, Node, Object, Stop, Value, document, number, string, within},
    merge::Pictures,
    script::{self, Out, only_names},
};

/// Attributes that name the class, where a region has several; the first that it has counts.
const CLASS_KEYS: &[&str] = &["label", "class", "name", "category", "label_id", "type"];

/// Reads a file.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut pictures = Pictures::default();
    let mut lines = Lines::new(text);
    document(text, &options.limits, |node| {
        let outer = node.object()?;
        let entries = match outer.get("_via_img_metadata")? {
            Some(inner) => within(inner.object(), "_via_img_metadata")?,
            None => outer,
        };
        for (key, entry) in entries.0.iter().filter(|(key, _)| !key.starts_with("_via_")) {
            let picture = picture(entry, &mut labels, options);
            let added = pictures.read(picture, (entry.at, &mut lines), options.pick, &mut labels.notes);
            within(added, format_args!("[{key:?}]"))?;
        }
        Ok(())
    })?;
    labels.pictures = pictures.list();
    labels.count();
    Ok(labels)
}

fn picture(entry: &Node<'_>, labels: &mut Labels, options: &ReadOptions) -> Got<Picture> {
    let object = entry.object()?;
    let name = object.need(entry.at, "filename", |node| node.name(options.names))?;
    let mut picture = Picture::named(name);
    picture.annotations = object.need(entry.at, "regions", |node| {
        // The second version has a list, the first an object whose keys count.
        let regions: Vec<&Node<'_>> = match &node.value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(Object(fields)) => fields.iter().map(|(_, node)| node).collect(),
            _ => return Err(node.wrong("an array belongs here")),
        };
        let read =
            regions.iter().enumerate().map(|(i, region)| within(annotation(region, labels), format_args!("[{i}]")));
        Ok(read.collect::<Got<Vec<_>>>()?.into_iter().flatten().collect())
    })?;
    Ok(picture)
}

fn annotation(region: &Node<'_>, labels: &mut Labels) -> Got<Option<Annotation>> {
    let object = region.object()?;
    let found = object.need(region.at, "shape_attributes", |node| {
        let shape = node.object()?;
        let kind = shape.need(node.at, "name", |node| Ok(node.text()?.to_owned()))?;
        let numbers = |key: &str| {
            shape.need(node.at, key, |node| node.array()?.iter().map(Node::number).collect::<Got<Vec<f64>>>())
        };
        let size = |node: &Node<'_>| match node.number()? {
            value if value < 0.0 => Err(Stop::wrong(node.at, &codes::RECT, "the size of a box is negative")),
            value => Ok(value),
        };
        match kind.as_str() {
            "rect" => {
                let (x, y) = (shape.need(node.at, "x", Node::number)?, shape.need(node.at, "y", Node::number)?);
                let (width, height) = (shape.need(node.at, "width", size)?, shape.need(node.at, "height", size)?);
                Ok(Some(Annotation::boxed(Rect::sized(x, y, width, height), None)))
            }
            "polygon" => {
                let (xs, ys) = (numbers("all_points_x")?, numbers("all_points_y")?);
                if xs.len() != ys.len() {
                    return Err(Stop::wrong(node.at, &codes::RECT, "an outline has more of x than of y, or fewer"));
                }
                Ok(Annotation::polygon(vec![xs.into_iter().zip(ys).map(|(x, y)| [x, y]).collect()], None))
            }
            _ => Ok(None),
        }
    })?;
    let Some(mut found) = found else {
        labels.notes.add(Cause::SkippedShapes);
        return Ok(None);
    };
    let Some(attributes) = object.get("region_attributes")? else { return Ok(Some(found)) };
    let texts = within(attributes.object(), "region_attributes")?.0.iter();
    let mut texts: Vec<(String, String)> = texts
        .filter_map(|(key, node)| Some((key.to_string(), node.plain().filter(|text| !text.is_empty())?)))
        .collect();
    let known = CLASS_KEYS.iter().find_map(|key| texts.iter().position(|(name, _)| name == key));
    let at = known.or_else(|| (texts.len() == 1).then_some(0));
    if let Some(at) = at {
        found.class = Some(labels.classes.found(&texts.remove(at).1));
    }
    found.attributes = texts;
    Ok(Some(found))
}

/// Writes labels as one file, piece by piece; a class is the attribute `label`.
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
        out.text.push('{');
        Ok(())
    }

    fn picture(&mut self, labels: &Labels, i: usize, _: u32, out: &mut Out<'_>) -> Result<()> {
        let picture = &labels.pictures[i];
        if picture.unlabelled && picture.annotations.is_empty() {
            out.losses.add(Loss::Unlabelled);
            return Ok(());
        }
        out.text.push_str(if self.written > 0 { ",\n" } else { "\n" });
        self.written += 1;
        // The annotator's own key: the name and the bytes of the file, which are not known.
        string(out.text, &format!("{}-1", picture.name));
        out.text.push_str(":{\"filename\":");
        string(out.text, &picture.name);
        out.text.push_str(",\"size\":-1,\"regions\":[");
        let mut regions = 0;
        for annotation in script::present(picture, out.losses) {
            region(out.text, annotation, labels, &mut regions, out.losses);
        }
        out.text.push_str("],\"file_attributes\":{}}");
        Ok(())
    }

    fn end(&mut self, _: &Labels, _: u32, out: &mut Out<'_>) -> Result<()> {
        out.text.push_str("\n}\n");
        Ok(())
    }
}

fn region(out: &mut String, annotation: &Annotation, labels: &Labels, n: &mut usize, losses: &mut Losses) {
    let bare = Annotation { attributes: Vec::new(), ..annotation.clone() };
    match &annotation.shape {
        Shape::Polygon(_) => boxed_only(&Annotation { shape: Shape::Box, ..bare }, losses),
        _ => boxed_only(&bare, losses),
    }
    let (r, parts) = (annotation.rect, script::outlines(annotation, losses));
    let mut shape = |text: &dyn Fn(&mut String)| {
        out.push_str(if *n > 0 { ",{\"shape_attributes\":{" } else { "{\"shape_attributes\":{" });
        *n += 1;
        text(out);
        out.push_str("},\"region_attributes\":{");
        let class = annotation.class.and_then(|class| labels.classes.name(class)).map(|name| ("label", name));
        let others = annotation.attributes.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        for (i, (key, value)) in class.into_iter().chain(others).enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            string(out, key);
            out.push(':');
            string(out, value);
        }
        out.push_str("}}");
    };
    match &annotation.shape {
        Shape::Points => {}
        Shape::Polygon(_) if !parts.is_empty() => {
            if parts.len() > 1 {
                losses.add(Loss::Parts);
            }
            for part in parts {
                shape(&|out: &mut String| {
                    out.push_str("\"name\":\"polygon\"");
                    for (axis, key) in [",\"all_points_x\":[", ",\"all_points_y\":["].into_iter().enumerate() {
                        out.push_str(key);
                        for (i, point) in part.iter().enumerate() {
                            out.push_str(if i > 0 { "," } else { "" });
                            number(out, point[axis]);
                        }
                        out.push(']');
                    }
                });
            }
        }
        _ => shape(&|out| {
            out.push_str("\"name\":\"rect\"");
            let keys = [",\"x\":", ",\"y\":", ",\"width\":", ",\"height\":"];
            for (key, value) in keys.into_iter().zip([r.x0, r.y0, r.width().max(0.0), r.height().max(0.0)]) {
                out.push_str(key);
                number(out, value);
            }
        }),
    }
}
