//! Elements that VOC and LabelMe share.

use crate::error::Result;

use super::super::plain::short;
use super::super::xml::Node;
use super::super::{Classes, Picture, checked_name, codes};

/// A picture by what the file calls it.
pub(super) fn named(root: &Node) -> Result<Picture> {
    let Some(node) = root.child("filename").filter(|node| !node.text.is_empty()) else {
        return Ok(Picture::default());
    };
    checked_name(&node.text).map_err(|e| e.line(node.spot.line, node.spot.character))?;
    let mut picture = Picture::named(node.text.clone());
    picture.line = Some(node.spot.line);
    Ok(picture)
}

/// The class of an object.
pub(super) fn class(object: &Node, classes: &mut Classes) -> Result<u32> {
    match object.text_of("name") {
        Some(name) if !name.is_empty() => Ok(classes.found(name)),
        _ => Err(object.spot.fault(&codes::CLASS, "an object has no name")),
    }
}

/// Yes, no, or neither.
pub(super) fn said(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" => Some(true),
        "" | "0" | "false" | "no" => Some(false),
        _ => None,
    }
}

pub(super) fn wrong_number(node: &Node) -> crate::Error {
    node.spot.fault(&codes::NUMBER, format!("{} is {:?}, and no number", short(&node.name), short(&node.text)))
}
