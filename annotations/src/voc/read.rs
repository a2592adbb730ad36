//! Reading one file.

use crate::error::Result;

use super::super::plain::{number, pixels};
use super::super::xml::{self, Node};
use super::super::{Annotation, Cause, Classes, Notes, Picture, ReadOptions, Rect, codes};
use super::fields::{class, named, said, wrong_number};

/// Reads the labels of one picture. A class that is not in `classes` yet is added.
///
/// The picture is called what the file says, which may be nothing; [`picture_name`](super::picture_name) knows better.
///
/// ```
/// use forebay_annotations::{Classes, Notes, ReadOptions, Rect, voc};
/// let text = b"<annotation><filename>a.jpg</filename><object><name> car </name><bndbox><xmin>1</xmin><ymin>1</ymin>\
///     <xmax>1</xmax><ymax>1</ymax></bndbox></object></annotation>";
/// let mut options = ReadOptions::default();
/// options.voc_base = Some(1);
/// let picture = voc::read(text, &mut Classes::default(), &mut Notes::default(), &options).unwrap();
/// assert_eq!(picture.annotations[0].rect, Rect::new(0.0, 0.0, 1.0, 1.0));
/// ```
pub fn read(bytes: &[u8], classes: &mut Classes, notes: &mut Notes, options: &ReadOptions) -> Result<Picture> {
    let root = xml::document(bytes, "annotation", &options.limits)?;
    if super::labelme::is_one(&root) {
        return super::labelme::read(&root, classes, notes);
    }
    let mut picture = named(&root)?;
    if let Some(size) = root.child("size") {
        let side = |name: &str| match size.child(name) {
            None => Ok(None),
            Some(node) => pixels(&node.text).map(Some).ok_or_else(|| wrong_number(node)),
        };
        (picture.width, picture.height) = (side("width")?, side("height")?);
    }
    for object in root.children_named("object") {
        let annotation = annotation(object, classes, notes, options)?;
        picture.annotations.push(annotation);
    }
    Ok(picture)
}

fn annotation(object: &Node, classes: &mut Classes, notes: &mut Notes, options: &ReadOptions) -> Result<Annotation> {
    let class = class(object, classes)?;
    let mut boxes = object.children_named("bndbox");
    let rect = match (boxes.next(), boxes.next()) {
        (Some(node), None) => rect(node, notes, options)?,
        (Some(_), Some(second)) => return Err(second.spot.fault(&codes::REPEATED, "an object has two boxes")),
        (None, _) => {
            return Err(match object.child("robndbox") {
                Some(node) => node.spot.fault(&codes::UNSUPPORTED, "turned boxes (robndbox) are not read"),
                None => object.spot.fault(&codes::VALUE, "an object has no box (bndbox)"),
            });
        }
    };
    let mut annotation = Annotation::boxed(rect, Some(class));
    let mut flag = |name: &str| match object.text_of(name).map(said) {
        None => false,
        Some(Some(yes)) => yes,
        Some(None) => {
            notes.add(Cause::OddValue);
            false
        }
    };
    annotation.flags.difficult = flag("difficult");
    annotation.flags.truncated = flag("truncated");
    annotation.flags.occluded = flag("occluded");
    if let Some(pose) = object.text_of("pose").filter(|pose| !matches!(*pose, "" | "Unspecified")) {
        annotation.attributes.push(("pose".to_owned(), pose.to_owned()));
    }
    Ok(annotation)
}

fn rect(node: &Node, notes: &mut Notes, options: &ReadOptions) -> Result<Rect> {
    let base = match options.voc_base {
        Some(base @ 0..=1) => f64::from(base),
        Some(other) => {
            let message = format!("the first pixel has the number 0 or 1, and not {other}");
            return Err(crate::Error::new(&crate::error::codes::ARGUMENT, message));
        }
        None => {
            let message = "Pascal VOC's first pixel has the number 1, most tools write 0, and no file says which";
            return Err(node.spot.fault(&codes::AMBIGUOUS, message).with_options(&["voc_base"]));
        }
    };
    let place = node.children.first().unwrap_or(node);
    let side = |name: &str| match node.child(name) {
        Some(side) => number(&side.text).ok_or_else(|| wrong_number(side)),
        None => Err(place.spot.fault(&codes::VALUE, format!("a box has no {name}"))),
    };
    let (xmin, ymin, xmax, ymax) = (side("xmin")?, side("ymin")?, side("xmax")?, side("ymax")?);
    if base == 1.0 && (xmin == 0.0 || ymin == 0.0) && notes.of(Cause::CountsFromZero) == 0 {
        notes.say("a box begins at 0, and pixels were said to count from 1: they may count from 0");
    }
    if base == 1.0 && (xmin == 0.0 || ymin == 0.0) {
        notes.add(Cause::CountsFromZero);
    }
    let rect = Rect::new(xmin - base, ymin - base, xmax, ymax);
    if rect.width() < 0.0 || rect.height() < 0.0 {
        return Err(place.spot.fault(&codes::RECT, format!("a box goes from {xmin}, {ymin} back to {xmax}, {ymax}")));
    }
    Ok(rect)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "<annotation>\n<filename>a.jpg</filename>\n<size><width>320</width><height>0</height></size>\n<object>\
        <part><name>head</name><bndbox><xmin>2</xmin></bndbox></part><name> car\n</name><difficult>1</difficult>\
        <truncated></truncated><pose>Left</pose>\n<bndbox><xmin>11</xmin><ymin>21.5</ymin><xmax> 60 </xmax>\
        <ymax>1.8e2</ymax></bndbox><polygon/></object></annotation>";

    fn read_from(base: Option<u8>, text: &str) -> Result<(Picture, Notes)> {
        let options = ReadOptions { voc_base: base, ..ReadOptions::default() };
        let mut notes = Notes::default();
        read(text.as_bytes(), &mut Classes::default(), &mut notes, &options).map(|picture| (picture, notes))
    }

    #[test]
    fn the_base_moves_two_edges() {
        let (picture, _) = read_from(Some(1), GOOD).unwrap();
        let found = &picture.annotations[0];
        assert_eq!((picture.name.as_str(), picture.size()), ("a.jpg", None));
        assert_eq!((picture.width, found.rect), (Some(320), Rect::new(10.0, 20.5, 60.0, 180.0)));
        assert!(found.flags.difficult && !found.flags.truncated);
        assert_eq!(found.attributes, [("pose".to_owned(), "Left".to_owned())]);
        let (picture, _) = read_from(Some(0), GOOD).unwrap();
        assert_eq!(picture.annotations[0].rect, Rect::new(11.0, 21.5, 60.0, 180.0));
        let e = read_from(None, GOOD).unwrap_err();
        assert_eq!((e.code().id(), e.options()), ("label.ambiguous", ["voc_base"].as_slice()));
        assert!(read_from(None, "<annotation/>").unwrap().0.annotations.is_empty());
        let (_, notes) = read_from(Some(1), &GOOD.replace("<xmin>11", "<xmin>0")).unwrap();
        assert_eq!((notes.of(Cause::CountsFromZero), notes.texts().len()), (1, 1));
        assert_eq!(read_from(Some(2), GOOD).unwrap_err().code().id(), "usage.argument");
    }

    #[test]
    fn faults_have_a_line() {
        for (old, new, place) in [
            ("<name> car\n</name>", "<name> </name>", "line 4, character 1: an object has no name"),
            ("<xmin>11</xmin>", "", "line 6, character 9: a box has no xmin"),
            ("<xmin>11</xmin>", "<xmin/>", "line 6, character 9: xmin is \"\""),
            ("<xmin>11", "<xmin>left", "line 6, character 9: xmin is \"left\""),
            ("<xmin>11", "<xmin>nan", "line 6, character 9: xmin is \"nan\""),
            ("<xmin>11", "<xmin>70", "line 6, character 9: a box goes from 70"),
            ("a.jpg", "../a.jpg", "line 2, character 1: the image's name"),
            ("<width>320", "<width>-1", "line 3, character 7: width is \"-1\""),
            ("<polygon/>", "<bndbox/>", "line 6, character "),
            ("bndbox", "robndbox", "line 6, character 1: turned boxes"),
        ] {
            let text = GOOD.replace(old, new);
            let found = read_from(Some(1), &text).unwrap_err().to_string();
            assert!(found.starts_with(place), "{new}: {found}");
        }
        assert_eq!(read_from(Some(1), "<annotations/>").unwrap_err().code().id(), "label.format");
        let (_, notes) = read_from(Some(1), &GOOD.replace("<truncated>", "<truncated>Unspecified")).unwrap();
        assert_eq!(notes.of(Cause::OddValue), 1);
    }
}
