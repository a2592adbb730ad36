//! Boxes, outlines, masks and points, of an image or of a frame of a track.

use crate::error::Result;
use crate::limits::Limits;

use super::super::plain::{number, short};
use super::super::xml::Node;
use super::super::{Annotation, Cause, Flags, Keypoint, Notes, Rect, Shape, Source, codes};
use super::mask::{self, Account};

/// Reads shapes, and keeps account of what their masks cost.
#[derive(Debug)]
pub(super) struct Shapes {
    account: Account,
}

impl Shapes {
    pub(super) fn new(limits: &Limits) -> Shapes {
        Shapes { account: Account::new(limits) }
    }

    /// A shape without its class; `None` where it is of a kind that is not read, which is counted.
    pub(super) fn read(
        &mut self,
        node: &Node,
        size: Option<(u32, u32)>,
        notes: &mut Notes,
    ) -> Result<Option<Annotation>> {
        let mut annotation = match node.name.as_str() {
            "box" => boxed(node)?,
            "polygon" => {
                let points = points(node)?;
                Annotation::polygon(vec![points], None).unwrap_or_default()
            }
            "points" => {
                let points = points(node)?;
                let rect = Rect::around(points.iter().copied()).unwrap_or_default();
                let keypoints = points.iter().map(|[x, y]| Keypoint { x: *x, y: *y, visibility: 2 }).collect();
                Annotation { shape: Shape::Points, keypoints, ..Annotation::boxed(rect, None) }
            }
            "mask" => self.mask(node, size, notes)?,
            _ => {
                notes.add(Cause::SkippedShapes);
                return Ok(None);
            }
        };
        details(node, &mut annotation);
        Ok(Some(annotation))
    }

    fn mask(&mut self, node: &Node, size: Option<(u32, u32)>, notes: &mut Notes) -> Result<Annotation> {
        let side = |key: &str| -> Result<u32> {
            whole(node, key)?
                .try_into()
                .map_err(|_| node.spot.fault(&codes::NUMBER, format!("{key} of <mask> is not a pixel")))
        };
        let (left, top, width, height) = (side("left")?, side("top")?, side("width")?, side("height")?);
        let end = |from: u32, length: u32| f64::from(from) + f64::from(length);
        let rect = Rect::new(left.into(), top.into(), end(left, width), end(top, height));
        let mut annotation = Annotation::boxed(rect, None);
        let missing = || node.spot.fault(&codes::VALUE, "<mask> has no rle");
        let runs = node.attribute("rle").ok_or_else(missing)?;
        self.account.give(runs.len());
        let made = size
            .filter(|_| self.account.take(u64::from(width) * u64::from(height)))
            .and_then(|size| mask::from_rows(runs, [left, top, width, height], size));
        match made {
            Some(mask) => {
                // Some tools write masks of the whole picture.
                annotation.rect = mask.bounds().unwrap_or(rect);
                annotation.shape = Shape::Mask(Box::new(mask));
            }
            None => notes.add(Cause::BadMask),
        }
        Ok(annotation)
    }
}

fn boxed(node: &Node) -> Result<Annotation> {
    let rect = Rect::new(value(node, "xtl")?, value(node, "ytl")?, value(node, "xbr")?, value(node, "ybr")?);
    if rect.width() < 0.0 || rect.height() < 0.0 {
        let message = format!("a box goes from {}, {} back to {}, {}", rect.x0, rect.y0, rect.x1, rect.y1);
        return Err(node.spot.fault(&codes::RECT, message));
    }
    let degrees = if node.attribute("rotation").is_some() { value(node, "rotation")? } else { 0.0 };
    let annotation = Annotation::rotated(rect, degrees, None);
    if !annotation.rect.is_finite() {
        return Err(node.spot.fault(&codes::NUMBER, "a turned box has corners that are not numbers"));
    }
    Ok(annotation)
}

fn points(node: &Node) -> Result<Vec<[f64; 2]>> {
    let wrong = || {
        let message = format!("points of <{}> are not a list of x,y;x,y", short(&node.name));
        node.spot.fault(&codes::NUMBER, message)
    };
    let text = node.attribute("points").filter(|text| !text.trim().is_empty()).ok_or_else(wrong)?;
    let point = |text: &str| {
        let (x, y) = text.split_once(',')?;
        Some([number(x)?, number(y)?])
    };
    text.split(';').map(|text| point(text).ok_or_else(wrong)).collect()
}

/// What is said of a shape besides where it is.
fn details(node: &Node, annotation: &mut Annotation) {
    let is = |key: &str| node.attribute(key) == Some("1");
    let mut flags = Flags { occluded: is("occluded"), outside: is("outside"), ..Flags::default() };
    for child in node.children_named("attribute") {
        let Some(name) = child.attribute("name") else { continue };
        let yes = match child.text.as_str() {
            "true" | "True" | "1" => Some(true),
            "false" | "False" | "0" => Some(false),
            _ => None,
        };
        match (name, yes) {
            ("truncated", Some(yes)) => flags.truncated = yes,
            ("difficult", Some(yes)) => flags.difficult = yes,
            ("is_crowd" | "iscrowd", Some(yes)) => flags.crowd = yes,
            _ => annotation.attributes.push((name.to_owned(), child.text.clone())),
        }
    }
    for key in ["group_id", "z_order"] {
        if let Some(text) = node.attribute(key).filter(|text| !matches!(*text, "" | "0")) {
            annotation.attributes.push((key.to_owned(), text.to_owned()));
        }
    }
    annotation.source = match node.attribute("source") {
        Some("manual") => Some(Source::Human),
        Some("auto") => Some(Source::Model),
        _ => None,
    };
    annotation.flags = flags;
}

/// A whole number of an element's attribute, which must be there.
pub(super) fn whole(node: &Node, key: &str) -> Result<i64> {
    let value = value(node, key)?;
    if value.fract() != 0.0 || value.abs() > 1e15 {
        let message = format!("{key} of <{}> is {value}, and no whole number", short(&node.name));
        return Err(node.spot.fault(&codes::NUMBER, message));
    }
    Ok(value as i64)
}

pub(super) fn value(node: &Node, key: &str) -> Result<f64> {
    let shown = short(&node.name);
    let text = node.attribute(key).ok_or_else(|| node.spot.fault(&codes::VALUE, format!("<{shown}> has no {key}")))?;
    number(text).ok_or_else(|| {
        let message = format!("{key} of <{shown}> is {:?}, and no number", short(text));
        node.spot.fault(&codes::NUMBER, message)
    })
}

/// The whole number of an attribute, if it is there.
pub(super) fn whole_or(node: &Node, key: &str, other: i64) -> Result<i64> {
    if node.attribute(key).is_some() { whole(node, key) } else { Ok(other) }
}
