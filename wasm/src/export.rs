//! The labels of samples written as a file of labels, or several: samples in by range, bytes out. Nothing else crosses.

use std::sync::Arc;

use forebay::{
    Error, Result, Turn,
    annotations::{
        Format, Labels, Project,
        write::{Steps, Writer, writer},
    },
    error::codes::{ARGUMENT, MISSING_BYTES},
    samples::{Labeled, Opened, Overlay},
    tar,
    words::Word,
};
use js_sys::{Array, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    labeling::{Counted, Found, HowRead, losses, notes},
    ranges::pairs,
    room::Room,
    words::unknown,
};

/// Bytes that are handed over at once, about.
const PIECE: usize = 1 << 20;

/// How labels are exported.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    to: String,
    /// Several files go out one by one, and not as an archive.
    folder: bool,
    #[serde(flatten)]
    how: HowRead,
}

/// Which samples of a file there are.
pub(crate) enum Which {
    Chosen(Option<Vec<u32>>),
    /// Those of a file of that length over which changes lie.
    Over(Arc<dyn Overlay>, u64),
}

/// Writes labels: `step`, and after every step `take`, or `takeFiles` where there are several.
#[wasm_bindgen]
#[derive(Debug)]
pub struct LabelExporter {
    /// Until all samples were looked at.
    gather: Option<Labeled>,
    project: Option<Project>,
    labels: Labels,
    work: Steps,
    /// Several files are one archive.
    archive: bool,
    ended: bool,
    out: Vec<u8>,
    files: Vec<(String, Vec<u8>)>,
    at: u64,
    bytes: u64,
    /// Files, pictures and annotations.
    counts: [u64; 3],
    /// Pictures that nobody has labeled.
    unlabelled: u64,
    total: u64,
    room: Room,
}

impl LabelExporter {
    pub(crate) fn new(opened: &Arc<Opened>, options: &str, which: Which) -> Result<LabelExporter> {
        let wrong = |e| Error::new(&ARGUMENT, format!("how labels are exported: {e}"));
        let options: Options = serde_json::from_str(options).map_err(wrong)?;
        let format = Format::from_word(&options.to).ok_or_else(|| unknown("format of labels", &options.to))?;
        let several = matches!(writer(format)?, Writer::Files(_));
        let how = options.how.core(opened.limits.clone())?;
        let gather = match which {
            Which::Chosen(chosen) => Labeled::new(opened.clone(), how, chosen)?,
            Which::Over(over, file_len) => Labeled::over(opened.clone(), how, file_len, over),
        };
        Ok(LabelExporter {
            total: gather.total(),
            gather: Some(gather),
            project: options.how.project(&opened.limits)?,
            labels: Labels::default(),
            work: Steps::new(format)?,
            archive: several && !options.folder,
            ended: false,
            out: Vec::new(),
            files: Vec::new(),
            at: 0,
            bytes: 0,
            counts: [0; 3],
            unlabelled: 0,
            room: Room::default(),
        })
    }

    fn turn(&mut self) -> Result<Option<Vec<f64>>> {
        self.room.make();
        if let Some(gather) = &mut self.gather {
            match gather.step()? {
                Turn::Need(ranges) => return Ok(pairs(ranges)),
                Turn::Item(()) => return Ok(Some(Vec::new())),
                Turn::Done => {}
            }
            if let Some(gather) = self.gather.take() {
                self.labels = gather.finish()?;
                self.project.as_ref().map_or(Ok(()), |project| self.labels.follow(project))?;
            }
            let pictures = &self.labels.pictures;
            self.counts = [0, pictures.len() as u64, self.labels.annotations() as u64];
            self.unlabelled = pictures.iter().filter(|one| one.unlabelled && one.annotations.is_empty()).count() as u64;
        }
        let mut made = 0;
        while !self.ended && made < PIECE {
            let (archive, out, files, counts) = (self.archive, &mut self.out, &mut self.files, &mut self.counts);
            self.ended = !self.work.step(&self.labels, &mut |name, bytes| {
                made += bytes.len();
                match (name, archive) {
                    ("", _) => {
                        counts[0] = 1;
                        out.extend_from_slice(bytes);
                    }
                    (_, true) => {
                        counts[0] = 1;
                        out.extend(tar::header_for(name, bytes.len() as u64)?);
                        out.extend_from_slice(bytes);
                        out.resize(out.len() + tar::padding(bytes.len() as u64), 0);
                    }
                    (_, false) => {
                        counts[0] += 1;
                        files.push((name.to_owned(), bytes.to_vec()));
                    }
                }
                Ok(())
            })?;
        }
        if !self.ended {
            return Ok(Some(Vec::new()));
        }
        if std::mem::take(&mut self.archive) {
            self.counts[0] = 1;
            self.out.extend_from_slice(&tar::END);
        }
        // Only what was found is asked for now.
        self.labels.pictures = Vec::new();
        Ok(None)
    }
}

#[wasm_bindgen]
impl LabelExporter {
    /// The ranges that are needed, perhaps none where there is something to take; nothing when all is written.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        self.turn().map_err(thrown)
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        if let Some(gather) = &mut self.gather {
            gather.push(start as u64, bytes.into());
        }
    }

    /// Samples looked at so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.gather.as_ref().map_or(self.total, Labeled::done) as f64
    }

    /// Samples in all.
    #[wasm_bindgen(getter)]
    pub fn total(&self) -> f64 {
        self.total as f64
    }

    /// Where the bytes go that were taken last.
    #[wasm_bindgen(getter)]
    pub fn at(&self) -> f64 {
        self.at as f64
    }

    /// Bytes to write now; nothing if there are none. They follow each other.
    pub fn take(&mut self) -> Option<Uint8Array> {
        if self.out.is_empty() {
            return None;
        }
        let bytes = Uint8Array::from(self.out.as_slice());
        self.at = self.bytes;
        self.bytes += self.out.len() as u64;
        self.out.clear();
        Some(bytes)
    }

    /// Files to write now: the name of each, and then its bytes.
    #[wasm_bindgen(js_name = takeFiles)]
    pub fn take_files(&mut self) -> Array {
        let all = Array::new();
        for (name, bytes) in self.files.drain(..) {
            self.bytes += bytes.len() as u64;
            all.push(&name.into());
            all.push(&Uint8Array::from(bytes.as_slice()));
        }
        all
    }

    /// Nothing is left to do to the output.
    pub fn patches(&self) -> Array {
        Array::new()
    }

    /// What was done, as JSON.
    pub fn finish(&self) -> Outcome<String> {
        if !self.ended {
            return Err(thrown(Error::new(&MISSING_BYTES, "the labels were not written to their end")));
        }
        let [files, pictures, annotations] = self.counts;
        Ok(text(&Exported {
            files,
            bytes: self.bytes,
            pictures,
            annotations,
            unlabelled: self.unlabelled,
            losses: losses(self.work.losses()),
            notes: notes(&self.labels.notes),
        }))
    }
}

/// The result of exporting labels.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExportedLabels"))]
pub(crate) struct Exported<'a> {
    /// How many files were written.
    files: u64,
    /// How many bytes.
    bytes: u64,
    /// How many images were looked at.
    pictures: u64,
    /// How many annotations they have.
    annotations: u64,
    /// Images of which nothing says what is in them, or that nothing is.
    unlabelled: u64,
    /// What the format cannot express, counted by cause.
    losses: Vec<Counted>,
    /// What was found on the way.
    notes: Found<'a>,
}
