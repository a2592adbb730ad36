//! Reading a file piece by piece.

use std::collections::HashSet;

use crate::error::Result;

use super::super::plain::{pixels, short};
use super::super::xml::{Elements, Node};
use super::super::{Between, Cause, Classes, Id, Labels, Notes, Picture, ReadOptions, checked_name, codes};
use super::shape::Shapes;
use super::track::Tracks;

/// Reads a file however its bytes arrive.
///
/// ```
/// use forebay_annotations::{ReadOptions, cvat};
/// let text = b"<annotations><image id='0' name='a.jpg' width='9' height='9'>\
///     <box label='car' xtl='1' ytl='2' xbr='3' ybr='4'/></image></annotations>";
/// let mut names = Vec::new();
/// let mut reader = cvat::Reader::new(&ReadOptions::default());
/// for piece in text.chunks(7) {
///     let mut sink = |picture: forebay_annotations::Picture| {
///         names.push(picture.name);
///         Ok(())
///     };
///     reader.feed(piece, &mut sink).unwrap();
/// }
/// let (classes, _) = reader.finish(&mut |_| Ok(())).unwrap();
/// assert_eq!((names, classes.name(0)), (vec!["a.jpg".to_owned()], Some("car")));
/// ```
#[derive(Debug)]
pub struct Reader {
    elements: Elements,
    rooted: bool,
    names: HashSet<String>,
    shapes: Shapes,
    tracks: Tracks,
    options: ReadOptions,
    classes: Classes,
    /// The file says which classes there are.
    declared: bool,
    notes: Notes,
}

impl Reader {
    /// A reader at the beginning of a file.
    pub fn new(options: &ReadOptions) -> Reader {
        Reader {
            elements: Elements::new(2, &options.limits),
            rooted: false,
            names: HashSet::new(),
            shapes: Shapes::new(&options.limits),
            tracks: Tracks::default(),
            options: options.clone(),
            classes: Classes::default(),
            declared: false,
            notes: Notes::default(),
        }
    }

    /// Takes more bytes, and hands over the pictures that are whole.
    pub fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Picture) -> Result<()>) -> Result<()> {
        self.elements.feed(bytes);
        self.take(sink)
    }

    /// Ends the file: hands over the rest of the pictures, which for a video are all.
    pub fn finish(mut self, sink: &mut dyn FnMut(Picture) -> Result<()>) -> Result<(Classes, Notes)> {
        self.elements.finish();
        self.take(sink)?;
        if self.names.is_empty() && self.options.between != Between::Listed {
            self.tracks.add_empty(&self.options)?;
        }
        self.tracks.pictures(sink)?;
        Ok((self.classes, self.notes))
    }

    fn take(&mut self, sink: &mut dyn FnMut(Picture) -> Result<()>) -> Result<()> {
        loop {
            let node = self.elements.next();
            // What is wrong first is said, however many bytes come at a time.
            self.check_root()?;
            let Some(node) = node? else { return Ok(()) };
            match node.name.as_str() {
                "meta" => self.meta(&node)?,
                "image" => sink(self.image(&node)?)?,
                "track" => {
                    let class = class(&node, &mut self.classes, self.declared, &mut self.notes)?;
                    self.tracks.add(&node, class, &mut self.shapes, &self.options, &mut self.notes)?;
                }
                _ => {}
            }
        }
    }

    fn check_root(&mut self) -> Result<()> {
        let Some((name, spot)) = self.elements.root().filter(|_| !self.rooted) else { return Ok(()) };
        if name != "annotations" {
            let message = format!("the document is <{}>, and <annotations> was expected", short(name));
            return Err(spot.fault(&codes::FORMAT, message));
        }
        self.rooted = true;
        Ok(())
    }

    /// What stands before the pictures; it is called after the project, the task or the job that was exported.
    fn meta(&mut self, meta: &Node) -> Result<()> {
        for level in &meta.children {
            for label in level.child("labels").iter().flat_map(|labels| labels.children_named("label")) {
                match label.text_of("name") {
                    // Parts of a skeleton are labels of their own, and name what they are part of.
                    Some(name) if !name.is_empty() && label.child("parent").is_none() => {
                        self.declared = true;
                        self.classes.found(name);
                    }
                    Some(name) if !name.is_empty() => {}
                    _ => return Err(label.spot.fault(&codes::CLASS, "a label has no name")),
                }
            }
            self.tracks.meta(level);
        }
        self.tracks.meta(meta);
        Ok(())
    }

    fn image(&mut self, image: &Node) -> Result<Picture> {
        let spot = &image.spot;
        let name = image.attribute("name").ok_or_else(|| spot.fault(&codes::NAME, "an image has no name"))?;
        checked_name(name).map_err(|e| e.line(spot.line, spot.character))?;
        if !self.names.insert(name.to_owned()) {
            return Err(spot.fault(&codes::REPEATED, format!("the image {:?} is there twice", short(name))));
        }
        let mut picture = Picture::named(name);
        picture.line = Some(spot.line);
        for (key, side) in [("width", &mut picture.width), ("height", &mut picture.height)] {
            if let Some(text) = image.attribute(key) {
                let wrong = || spot.fault(&codes::NUMBER, format!("{key} is {:?}, and no size", short(text)));
                *side = Some(pixels(text).ok_or_else(wrong)?);
            }
        }
        picture.id = image.attribute("id").map(|id| id.parse().map_or_else(|_| Id::Text(id.into()), Id::Number));
        let size = picture.size();
        for node in &image.children {
            let read = self.shapes.read(node, size, &mut self.notes)?;
            let Some(mut annotation) = read else { continue };
            annotation.class = Some(class(node, &mut self.classes, self.declared, &mut self.notes)?);
            picture.annotations.push(annotation);
        }
        Ok(picture)
    }
}

/// The class of a shape or a track.
fn class(node: &Node, classes: &mut Classes, declared: bool, notes: &mut Notes) -> Result<u32> {
    let missing = || node.spot.fault(&codes::CLASS, format!("<{}> has no label", short(&node.name)));
    let name = node.attribute("label").filter(|name| !name.trim().is_empty()).ok_or_else(missing)?;
    match classes.find(name).or_else(|| classes.find(name.trim())) {
        Some(class) => Ok(class),
        None => {
            if declared {
                notes.add(Cause::UndeclaredClass);
            }
            Ok(classes.found(name.trim()))
        }
    }
}

/// A number of an element's attribute, which must be there.
/// Reads a file that is there as a whole.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut reader = Reader::new(options);
    let mut sink = |picture| {
        labels.pictures.push(picture);
        Ok(())
    };
    // In pieces, so that the text is not there a second time.
    for piece in bytes.chunks(1 << 20) {
        reader.feed(piece, &mut sink)?;
    }
    let (classes, notes) = reader.finish(&mut sink)?;
    labels.classes = classes;
    labels.notes = notes;
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::super::super::{Rect, Shape, Source};
    use super::*;

    const HEAD: &str = "<annotations><version>1.1</version>\n<meta><job><labels><label><name>car</name></label><label>\
        <name>eye</name><parent>car</parent></label></labels></job></meta>\n<image id='3' name='a.jpg' width='320' height='240'>\n";

    fn read_all(shapes: &str) -> Result<Labels> {
        let text = format!("{HEAD}{shapes}</image></annotations>");
        let whole = read(text.as_bytes(), &ReadOptions::default());
        // Cut anywhere, it is the same.
        let mut reader = Reader::new(&ReadOptions::default());
        let mut pictures = Vec::new();
        let mut fed = Ok(());
        for piece in text.as_bytes().chunks(13) {
            let mut sink = |picture| {
                pictures.push(picture);
                Ok(())
            };
            fed = fed.and_then(|()| reader.feed(piece, &mut sink));
        }
        match (&whole, fed) {
            (Ok(whole), Ok(())) => {
                reader.finish(&mut |_| Ok(())).unwrap();
                assert_eq!(whole.pictures, pictures);
            }
            (Err(whole), Err(e)) => assert_eq!(whole.to_string(), e.to_string()),
            (whole, fed) => assert!(whole.is_err() && fed.is_ok(), "{whole:?} {fed:?}"),
        }
        whole
    }

    #[test]
    fn what_is_wrong_first_is_said_however_many_bytes_come_at_a_time() {
        let text = b"<annotation><meta></annotation>";
        for step in [1, 5, text.len()] {
            let mut reader = Reader::new(&ReadOptions::default());
            let mut sink = |_| Ok(());
            let fed = text.chunks(step).try_for_each(|piece| reader.feed(piece, &mut sink));
            let e = fed.and_then(|()| reader.finish(&mut sink).map(drop)).unwrap_err();
            assert_eq!(e.code().id(), "label.format", "{step}: {e}");
        }
    }

    #[test]
    fn shapes_of_every_kind_are_read() {
        let labels = read_all(
            "<box label='car' xtl='10' ytl='20' xbr='60.5' ybr='180' rotation='360' occluded='1' source='manual'>\
            <attribute name='truncated'>true</attribute><attribute name='color'>red</attribute></box>\
            <box label='car' xtl='100' ytl='120' xbr='200' ybr='160' rotation='90.00'/>\
            <polygon label='car' points='1,2;3,4.5;0,9'/><points label='car' points='5,6;7,8'/>\
            <mask label='car' rle='1, 2, 1' left='4' top='5' width='2' height='2'/>\
            <ellipse label='car' cx='1' cy='1' rx='1' ry='1'/><tag label='car'/>",
        )
        .unwrap();
        let found = &labels.pictures[0].annotations;
        assert_eq!((found.len(), labels.notes.of(Cause::SkippedShapes)), (5, 2));
        assert_eq!((labels.pictures[0].id.clone(), labels.classes.len()), (Some(Id::Number(3)), 1));
        assert_eq!((found[0].rect, found[0].source), (Rect::new(10.0, 20.0, 60.5, 180.0), Some(Source::Human)));
        assert!(found[0].is_box() && found[0].flags.occluded && found[0].flags.truncated);
        assert_eq!(found[0].attributes, [("color".to_owned(), "red".to_owned())]);
        assert_eq!(found[1].rect, Rect::new(130.0, 90.0, 170.0, 190.0));
        assert_eq!(found[2].rect, Rect::new(0.0, 2.0, 3.0, 9.0));
        assert_eq!((found[3].keypoints.len(), found[3].rect), (2, Rect::new(5.0, 6.0, 7.0, 8.0)));
        let Shape::Mask(mask) = &found[4].shape else { panic!() };
        // Rows of "0 1" and "1 0": the pixels (5, 5) and (4, 6).
        assert_eq!((mask.area(), mask.bounds()), (2, Some(Rect::new(4.0, 5.0, 6.0, 7.0))));
        assert_eq!(mask.counts(), [4 * 240 + 6, 1, 238, 1, 315 * 240 - 6]);
    }

    #[test]
    fn faults_have_a_line() {
        for (shapes, place) in [
            ("<box label='car' xtl='1' ytl='2' ybr='4'/>", "line 4, character 1: <box> has no xbr"),
            ("<box label='car' xtl='1,5' ytl='2' xbr='3' ybr='4'/>", "line 4, character 1: xtl of <box> is \"1,5\""),
            ("<box xtl='1' ytl='2' xbr='3' ybr='4'/>", "line 4, character 1: <box> has no label"),
            ("<box label='car' xtl='9' ytl='2' xbr='3' ybr='4'/>", "line 4, character 1: a box goes from 9, 2"),
            ("<box label='car' xtl='1' ytl='2' xbr='3' ybr='4' rotation='90deg'/>", "line 4, character 1: rotation"),
            ("<polygon label='car' points='1,2;3'/>", "line 4, character 1: points of <polygon>"),
            ("</image>\n<image name='a.jpg'>", "line 5, character 1: the image \"a.jpg\" is there twice"),
            ("</image>\n<image name='../a.jpg'>", "line 5, character 1: the image's name"),
            ("</image>\n<image>", "line 5, character 1: an image has no name"),
            ("</image>\n<image name='b' width='x'>", "line 5, character 1: width is \"x\""),
            ("</image>\n", "line 5, character 1: </image> is where </annotations>"),
        ] {
            let found = read_all(shapes).unwrap_err().to_string();
            assert!(found.starts_with(place), "{shapes}: {found}");
        }
        assert_eq!(read(b"<annotation/>", &ReadOptions::default()).unwrap_err().code().id(), "label.format");
        assert_eq!(
            read(b"<annotation><a/></annotation>", &ReadOptions::default()).unwrap_err().code().id(),
            "label.format"
        );
        let labels = read_all("<box label='bus' xtl='1' ytl='2' xbr='3' ybr='4'/>").unwrap();
        assert_eq!((labels.classes.name(1), labels.notes.of(Cause::UndeclaredClass)), (Some("bus"), 1));
        assert!(read(b"<annotations/>", &ReadOptions::default()).unwrap().pictures.is_empty());
    }
}
