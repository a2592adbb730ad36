//! Reading a file or a folder of labels.

use forebay::{
    Error, Limits, Result, Step, Stepper,
    annotations::{Format, Matcher, Project, Set, SetReader, detect},
    error::codes,
    words::Word,
};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::{model, set::LabelSet};
use crate::{
    fail::{Outcome, text, thrown},
    labeling::{HowRead, word},
    limits::GivenLimits,
    ranges::pairs,
};

/// What the package says of how labels are read.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    format: Option<String>,
    #[serde(flatten)]
    how: HowRead,
    /// A file that was named by itself, whatever it is called.
    alone: bool,
    /// Only what there is to count.
    counts: bool,
}

/// Reads labels: `step` and `push` until `step` returns nothing, then `finish` or `stats`. All files are one, one behind the
/// other: those of the labels, then those of the pictures.
#[wasm_bindgen]
#[derive(Debug)]
pub struct LabelReader {
    work: SetReader,
    found: Option<Set>,
    project: Option<Project>,
}

#[wasm_bindgen]
impl LabelReader {
    /// For files of these names and lengths, and those of the pictures' folder where there is one; `options` is JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(
        names: Vec<String>,
        lens: Vec<f64>,
        pictures: Option<Vec<String>>,
        picture_lens: Vec<f64>,
        options: &str,
        limits: &GivenLimits,
    ) -> Outcome<LabelReader> {
        let begin = || {
            let said: Options =
                serde_json::from_str(options).map_err(|e| model::wrong(format!("the options do not read: {e}")))?;
            let core = said.how.core(limits.into())?;
            let project = said.how.project(&core.limits)?;
            if said.counts && project.is_some() {
                return Err(model::wrong(
                    "a project numbers the classes, and nothing is counted by their numbers".to_owned(),
                ));
            }
            let format = word::<Format>("format of labels", said.format.as_ref())?;
            let mut files = names.into_iter().zip(lens.into_iter().map(|len| len as u64));
            let mut work = match (said.alone, files.len()) {
                (true, 1) => files
                    .next()
                    .map_or_else(|| SetReader::file("", 0, &core), |(name, len)| SetReader::file(name, len, &core)),
                _ => SetReader::folder(files, &core),
            };
            work = work.with_format(format);
            if let Some(pictures) = pictures {
                work = work.with_pictures(pictures.into_iter().zip(picture_lens.into_iter().map(|len| len as u64)));
            }
            if said.counts {
                work = work.only_counts();
            }
            Ok(LabelReader { work, found: None, project })
        };
        begin().map_err(thrown)
    }

    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(set) => {
                self.found = Some(set);
                None
            }
        })
    }

    /// Bytes of the files from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// Pictures found so far, in a file that comes in pieces.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.work.found() as f64
    }

    /// What was read.
    pub fn finish(&mut self) -> Outcome<LabelSet> {
        let read = self.take().and_then(|mut set| {
            self.project.as_ref().map_or(Ok(()), |project| set.labels.follow(project))?;
            Ok(LabelSet::new(set.labels, Some(set.format)))
        });
        read.map_err(thrown)
    }

    /// What there is to count, as JSON.
    pub fn stats(&mut self) -> Outcome<String> {
        let set = self.take().map_err(thrown)?;
        Ok(text(&model::stats(set.format, &set.stats.unwrap_or_default())))
    }
}

impl LabelReader {
    fn take(&mut self) -> Result<Set> {
        self.found.take().ok_or_else(|| Error::new(&codes::MISSING_BYTES, "the labels were not read to their end"))
    }
}

/// The image of labels that each sample is, by their names: its number, or -1. What could mean several is refused.
#[wasm_bindgen(js_name = matchLabels)]
pub fn match_labels(samples: Vec<String>, images: Vec<String>) -> Outcome<Vec<i32>> {
    let images = Matcher::of(images.iter().map(String::as_str));
    let one = |name: &String| Ok(images.take(name, name)?.map_or(-1, |k| k as i32));
    samples.iter().map(one).collect::<Result<_>>().map_err(thrown)
}

/// A project, or the classes of a COCO file, a `data.yaml` or a list of names, as the JSON of a project.
#[wasm_bindgen(js_name = readProject)]
pub fn read_project(bytes: &[u8]) -> Outcome<String> {
    Project::read(bytes, &Limits::default()).map(|project| project.to_json().to_string()).map_err(thrown)
}

/// The format of labels that a file of this name has, by its first bytes; nothing if it holds none.
#[wasm_bindgen(js_name = detectLabels)]
pub fn detect_labels(name: &str, head: &[u8]) -> Option<String> {
    detect(name, head).map(|format| format.word().to_owned())
}
