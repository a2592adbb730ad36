//! A frame on its way into a warehouse: where its picture is, and what is marked in it.

use std::{ops::Range, path::PathBuf, time::SystemTime};

use forebay::{
    Error, Result,
    warehouse::{Cause, Digest},
    words::Word as _,
};
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::input::{Input, codes::CHANGED, display, io_error};

/// A box as a label gives it: in pixels of the picture, in shares of it, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GivenBox {
    pub pixels: Option<[f64; 4]>,
    pub shares: Option<[f64; 4]>,
    /// An index into the classes of the warehouse.
    pub class: Option<u32>,
}

/// A file as it was when it was looked at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stamp {
    pub path: PathBuf,
    pub size: u64,
    modified: Option<SystemTime>,
    /// Of a file elsewhere: its name, state and length. Reading it pins that state.
    elsewhere: Option<String>,
}

impl Stamp {
    pub fn of(path: PathBuf, found: &std::fs::Metadata) -> Stamp {
        Stamp { path, size: found.len(), modified: found.modified().ok(), elsewhere: None }
    }

    /// Of a file elsewhere, which is open.
    pub fn elsewhere(path: PathBuf, input: &Input) -> Stamp {
        let state = input.identity().unwrap_or_else(|| display(&path));
        Stamp { path, size: input.len(), modified: None, elsewhere: Some(state) }
    }

    /// Refuses a file that is another than it was.
    pub fn unchanged(&self) -> Result<()> {
        if self.elsewhere.is_some() {
            return Ok(());
        }
        let name = || display(&self.path);
        let found = std::fs::metadata(&self.path).map_err(|e| io_error(&name(), "look at the source", e))?;
        match Stamp::of(self.path.clone(), &found) == *self {
            true => Ok(()),
            false => Err(changed().file(name())),
        }
    }

    /// What tells it from another, as text.
    fn text(&self) -> String {
        if let Some(state) = &self.elsewhere {
            return state.clone();
        }
        let since = self.modified.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
        format!("{} {} {}", display(&self.path), self.size, since.as_nanos())
    }
}

pub(super) fn changed() -> Error {
    Error::new(&CHANGED, "the source was changed while the warehouse was being built; build it again")
}

/// Where a picture is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Place {
    /// A file of its own.
    File(Stamp),
    /// A sample of one of the datasets.
    Sample { dataset: usize, number: u64 },
}

/// A frame that may be stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub place: Place,
    /// The picture's name, relative to its source.
    pub source: String,
    /// The run, by its number.
    pub run: usize,
    pub frame_id: Option<u64>,
    pub boxes: Vec<GivenBox>,
}

impl Frame {
    /// All that is known of it beside its picture, for digests.
    pub fn text(&self) -> String {
        let boxes: Vec<_> = self.boxes.iter().map(|b| json!([b.pixels, b.shares, b.class])).collect();
        json!([self.source, self.run, self.frame_id, boxes]).to_string()
    }
}

/// A frame that is not stored, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RefusedFrame"))]
#[non_exhaustive]
pub struct Refused {
    /// Why, in a word.
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub cause: Cause,
    /// The file that is to blame, as a label or a source names it.
    pub file: String,
    /// Why, in a sentence.
    pub reason: String,
    /// The run, by its number.
    #[serde(skip)]
    pub(super) run: usize,
}

fn as_word<S: Serializer>(cause: &Cause, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(cause.word())
}

impl Refused {
    pub(crate) fn new(cause: Cause, file: String, reason: String, run: usize) -> Refused {
        Refused { cause, file, reason, run }
    }
}

/// What one of the sources gave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// Its frames among those of the survey.
    pub frames: Range<usize>,
    /// Its number among the datasets; none where it is runs.
    pub dataset: Option<usize>,
}

/// What was found in the sources.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The sources as they were given.
    pub root: String,
    /// The folders of the runs.
    pub runs: Vec<String>,
    pub datasets: Vec<crate::Dataset>,
    pub frames: Vec<Frame>,
    pub refused: Vec<Refused>,
    /// The sources, one by one.
    pub parts: Vec<Part>,
    /// The files of labels and of datasets.
    pub stamps: Vec<Stamp>,
    pub classes: Vec<String>,
    pub notes: Vec<String>,
}

impl Survey {
    /// Refuses where a source is not as it was.
    pub fn unchanged(&self) -> Result<()> {
        self.stamps.iter().try_for_each(Stamp::unchanged)?;
        self.frames.iter().try_for_each(|frame| match &frame.place {
            Place::File(stamp) => stamp.unchanged(),
            Place::Sample { .. } => Ok(()),
        })
    }

    /// A digest of the sources as they look without their pictures being read: what a build that goes on where another
    /// ended must have in common with it.
    pub fn plan(&self, settings: &str) -> String {
        let mut digest = Digest::default();
        let mut line = |text: &str| {
            digest.add(text.as_bytes());
            digest.add(b"\n");
        };
        line(settings);
        self.stamps.iter().for_each(|stamp| line(&stamp.text()));
        for frame in &self.frames {
            line(&frame.text());
            if let Place::File(stamp) = &frame.place {
                line(&stamp.text());
            }
        }
        digest.finish()
    }

    /// A digest of what the warehouse is made of: labels, and pictures by their own digests, in the order of the frames.
    pub fn content<'a>(&self, pictures: impl Iterator<Item = &'a str>) -> String {
        let mut digest = Digest::default();
        let mut line = |text: &str| {
            digest.add(text.as_bytes());
            digest.add(b"\n");
        };
        line(&json!([self.runs, self.classes]).to_string());
        for refused in &self.refused {
            line(&json!([refused.run, refused.file, refused.reason]).to_string());
        }
        for (frame, picture) in self.frames.iter().zip(pictures) {
            line(&frame.text());
            line(picture);
        }
        digest.finish()
    }
}
