//! LabelMe's old files: outlines and boxes as lists of points.

use crate::error::Result;

use super::super::plain::{number, pixels};
use super::super::xml::Node;
use super::super::{Annotation, Cause, Classes, Notes, Picture, Rect, codes};
use super::fields::{class, named, said, wrong_number};

/// Whether a document is LabelMe's: only that says its size so, or marks objects by points alone.
pub(super) fn is_one(root: &Node) -> bool {
    let points = |object: &Node| object.child("polygon").is_some_and(|node| node.child("pt").is_some());
    root.child("imagesize").is_some()
        || root.children_named("object").any(|object| points(object) && object.child("bndbox").is_none())
}

pub(super) fn read(root: &Node, classes: &mut Classes, notes: &mut Notes) -> Result<Picture> {
    let mut picture = named(root)?;
    if let Some(size) = root.child("imagesize") {
        let side = |name: &str| match size.child(name) {
            None => Ok(None),
            Some(node) => pixels(&node.text).map(Some).ok_or_else(|| wrong_number(node)),
        };
        (picture.width, picture.height) = (side("ncols")?, side("nrows")?);
    }
    for object in root.children_named("object") {
        if object.text_of("deleted").and_then(said) == Some(true) {
            notes.add(Cause::Deleted);
            continue;
        }
        let Some(polygon) = object.child("polygon") else {
            // Masks are pictures of their own.
            notes.add(Cause::SkippedShapes);
            continue;
        };
        let class = class(object, classes)?;
        let mut points = Vec::new();
        for point in polygon.children_named("pt") {
            let side = |name: &str| match point.child(name) {
                Some(node) => number(&node.text).ok_or_else(|| wrong_number(node)),
                None => Err(point.spot.fault(&codes::VALUE, format!("a point has no {name}"))),
            };
            points.push([side("x")?, side("y")?]);
        }
        let Some(rect) = Rect::around(points.iter().copied()) else {
            return Err(polygon.spot.fault(&codes::VALUE, "an outline has no point"));
        };
        let mut annotation = match object.text_of("type") {
            Some("bounding_box") => Annotation::boxed(rect, Some(class)),
            _ => Annotation::polygon(vec![points], Some(class)).unwrap_or_default(),
        };
        annotation.flags.occluded = object.text_of("occluded").and_then(said) == Some(true);
        if let Some(text) = object.text_of("attributes").filter(|text| !text.is_empty()) {
            annotation.attributes.push(("attributes".to_owned(), text.to_owned()));
        }
        picture.annotations.push(annotation);
    }
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::super::super::{ReadOptions, Shape};
    use super::*;

    #[test]
    fn points_are_an_outline_or_a_box() {
        let points = "<pt><x>1</x><y>2.5</y></pt><pt><x>9</x><y>2</y></pt><pt><x>4</x><y>8</y></pt>";
        let text = format!(
            "<annotation><filename>a.jpg</filename><imagesize><nrows>20</nrows><ncols>30</ncols></imagesize>\
            <object><name>a</name><occluded>yes</occluded><polygon>{points}</polygon></object>\
            <object><name>b</name><type>bounding_box</type><polygon>{points}</polygon></object>\
            <object><name>c</name><deleted>1</deleted><polygon>{points}</polygon></object>\
            <object><name>d</name><segm><mask>x.png</mask></segm></object></annotation>"
        );
        let mut notes = Notes::default();
        let mut classes = Classes::default();
        let picture = super::super::read(text.as_bytes(), &mut classes, &mut notes, &ReadOptions::default()).unwrap();
        assert_eq!((picture.size(), picture.annotations.len(), classes.len()), (Some((30, 20)), 2, 2));
        assert_eq!(picture.annotations[0].rect, Rect::new(1.0, 2.0, 9.0, 8.0));
        assert!(matches!(picture.annotations[0].shape, Shape::Polygon(_)) && picture.annotations[1].is_box());
        assert!(picture.annotations[0].flags.occluded);
        assert_eq!((notes.of(Cause::Deleted), notes.of(Cause::SkippedShapes)), (1, 1));
        let text = text.replace("<y>8</y>", "<y>8,5</y>");
        assert!(super::super::read(text.as_bytes(), &mut classes, &mut notes, &ReadOptions::default()).is_err());
    }
}
