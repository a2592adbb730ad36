//! Labels as JavaScript has them.

use std::collections::HashSet;

use forebay::{
    Error, Limits, Result,
    annotations::{
        Classes, Format, Labels, Picture, Project, ReadOptions, codes, record,
        write::{Writer, writer},
    },
    tar,
    words::Word,
};
use js_sys::Uint8Array;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::model::{ClassField, PictureField, wrong};
use crate::{
    fail::{Outcome, text, thrown},
    labeling::{losses as losses_of, notes},
    words::unknown,
};

/// Bytes of a file that are handed over at once.
const PIECE: usize = 1 << 20;

/// Labels: those that were read, or that are gathered to be written.
#[wasm_bindgen]
#[derive(Debug)]
pub struct LabelSet {
    labels: Labels,
    format: Option<Format>,
    /// Of pictures that were added.
    names: HashSet<String>,
}

impl LabelSet {
    pub(super) fn new(labels: Labels, format: Option<Format>) -> Self {
        LabelSet { labels, format, names: HashSet::new() }
    }

    fn add_class(&mut self, field: ClassField) -> Result<()> {
        let class = field.class()?;
        let name = class.name.clone();
        let twice = |_| Error::new(&codes::REPEATED, format!("two classes have the name {name:?}"));
        self.labels.classes.add(class).map(drop).map_err(twice)
    }

    fn add_picture(&mut self, picture: Picture) -> Result<()> {
        if !self.names.insert(picture.name.clone()) {
            let message = format!("two images have the name {:?}", picture.name);
            return Err(Error::new(&codes::REPEATED, message));
        }
        self.labels.pictures.push(picture);
        Ok(())
    }

    /// Writes the labels; `put` gets a name, empty for the only file, and some bytes.
    fn written(&self, format: &str, archive: bool, put: &js_sys::Function) -> Result<Value> {
        let format = Format::from_word(format).ok_or_else(|| unknown("format of labels", format))?;
        let hand = |name: &str, bytes: &[u8]| {
            let called = put.call2(&JsValue::NULL, &name.into(), &Uint8Array::from(bytes));
            called.map(drop).map_err(|_| wrong("the output could not be handed over"))
        };
        let losses = match writer(format)? {
            Writer::File(write) => {
                let mut piece = Vec::new();
                let losses = write(&self.labels, &mut |bytes| {
                    piece.extend_from_slice(bytes);
                    if piece.len() >= PIECE {
                        hand("", &piece)?;
                        piece.clear();
                    }
                    Ok(())
                })?;
                hand("", &piece)?;
                losses
            }
            Writer::Files(write) if archive => {
                let losses = write(&self.labels, &mut |name, bytes| {
                    let mut file = tar::header_for(name, bytes.len() as u64)?;
                    file.extend_from_slice(bytes);
                    file.resize(file.len() + tar::padding(bytes.len() as u64), 0);
                    hand("", &file)
                })?;
                hand("", &tar::END)?;
                losses
            }
            Writer::Files(write) => write(&self.labels, &mut |name, bytes| hand(name, bytes))?,
            _ => return Err(Error::new(&codes::UNSUPPORTED, "labels are not written in this format")),
        };
        Ok(json!(losses_of(&losses)))
    }
}

#[wasm_bindgen]
impl LabelSet {
    /// Labels without pictures, with these classes, as JSON.
    #[wasm_bindgen(js_name = ofClasses)]
    pub fn of_classes(classes: &str) -> Outcome<LabelSet> {
        let begin = || {
            let classes: Vec<ClassField> =
                serde_json::from_str(classes).map_err(|e| wrong(format!("the classes do not read: {e}")))?;
            let mut set = LabelSet::new(Labels::default(), None);
            classes.into_iter().try_for_each(|class| set.add_class(class))?;
            Ok(set)
        };
        begin().map_err(thrown)
    }

    /// The same with the classes that the document of a dataset tells, as JSON.
    #[wasm_bindgen(js_name = ofDocument)]
    pub fn of_document(document: &str) -> Outcome<LabelSet> {
        let begin = || {
            let document: Value = serde_json::from_str(document).unwrap_or_default();
            let mut labels = Labels::default();
            if let Some(document) = document.as_object() {
                labels.classes = record::read_classes(document)?;
            }
            Ok(LabelSet::new(labels, None))
        };
        begin().map_err(thrown)
    }

    /// How many pictures there are.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> f64 {
        self.labels.pictures.len() as f64
    }

    /// Format, classes and what was found, as JSON.
    pub fn about(&self) -> String {
        let classes: Vec<ClassField> = self.labels.classes.iter().map(Into::into).collect();
        let format = self.format.map(Word::word);
        text(&json!({ "format": format, "classes": classes, "notes": notes(&self.labels.notes) }))
    }

    /// Some of the pictures, as JSON: those from `start` on that together have about that many annotations.
    pub fn pictures(&self, start: f64, annotations: f64) -> String {
        let all = self.labels.pictures.get(start as usize..).unwrap_or_default();
        let mut left = annotations;
        let some = all.iter().take_while(|picture| {
            let more = left > 0.0;
            left -= 1.0 + picture.annotations.len() as f64;
            more
        });
        text(&some.map(Into::into).collect::<Vec<PictureField>>())
    }

    /// Adds pictures, as JSON.
    pub fn add(&mut self, pictures: &str) -> Outcome<()> {
        let mut add = || {
            let pictures: Vec<Value> =
                serde_json::from_str(pictures).map_err(|e| wrong(format!("the images do not read: {e}")))?;
            let classes = u32::try_from(self.labels.classes.len()).unwrap_or(u32::MAX);
            for value in pictures {
                let number = self.labels.pictures.len();
                let named = |e: Error| e.path(format!("pictures[{number}]"));
                let field: std::result::Result<PictureField, _> = serde_json::from_value(value);
                let field = field.map_err(|e| named(wrong(format!("the image does not read: {e}"))))?;
                field.picture(classes).and_then(|picture| self.add_picture(picture)).map_err(named)?;
            }
            Ok(())
        };
        add().map_err(thrown)
    }

    /// Adds the picture of a sample, by its metadata as JSON, its name and its size, which is 0 where it is not known.
    /// `boxes` says what boxes of other programs mean; without it only what follows the convention is read. False where the
    /// metadata says nothing of what is in it; then the picture is one that nobody has looked at.
    #[wasm_bindgen(js_name = addRecord)]
    pub fn add_record(
        &mut self,
        record: &str,
        name: String,
        width: u32,
        height: u32,
        boxes: Option<String>,
    ) -> Outcome<bool> {
        let add = || {
            let record: Value =
                serde_json::from_str(record).map_err(|e| wrong(format!("the metadata does not read: {e}")))?;
            let found = match boxes {
                None => record::read(&record, &mut self.labels.classes)?,
                Some(boxes) => foreign(&record, &boxes, (width, height), &mut self.labels.classes)?,
            };
            let told = found.is_some();
            let mut picture = found.unwrap_or_else(|| {
                let mut picture = Picture::default();
                picture.unlabelled = true;
                picture
            });
            picture.name = name;
            if picture.size().is_none() && width > 0 && height > 0 {
                (picture.width, picture.height) = (Some(width), Some(height));
            }
            self.add_picture(picture)?;
            Ok(told)
        };
        add().map_err(thrown)
    }

    /// Gives the classes the numbers of a project, which is JSON.
    pub fn follow(&mut self, project: &str) -> Outcome<()> {
        let project = Project::read(project.as_bytes(), &Limits::default());
        project.and_then(|project| self.labels.follow(&project)).map_err(thrown)
    }

    /// Writes the labels: `put` is called with the name of a file, which is empty where there is one, and bytes that follow
    /// those before. Of a format with several files an archive is one. What the format could not say, as JSON.
    pub fn write(&self, format: &str, archive: bool, put: &js_sys::Function) -> Outcome<String> {
        self.written(format, archive, put).map(|losses| losses.to_string()).map_err(thrown)
    }
}

/// What a record says by boxes that mean this.
fn foreign(record: &Value, boxes: &str, size: (u32, u32), classes: &mut Classes) -> Result<Option<Picture>> {
    let mut options = ReadOptions::default();
    options.boxes = Some(boxes.parse()?);
    let Some(found) = record::find(record, Some(size), &options, classes)? else { return Ok(None) };
    found.faults.into_iter().next().map_or(Ok(Some(found.picture)), Err)
}
