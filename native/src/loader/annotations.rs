//! Boxes for samples that are decoded: of label files, of a recorder's runs, or of the samples' own metadata.
//!
//! What a frame is, which boxes it has and which are refused is found out by the code that builds warehouses, so that a
//! loader and a warehouse of the same sources have the same frames.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use forebay::{
    Error, Result,
    annotations::{BoxField, Exif, Format, ReadOptions},
    codec::checksum::fnv1a,
    warehouse::Cause,
};

use serde::Deserialize;

use super::{OnBroken, codes};
use crate::{
    Dataset, OpenOptions,
    input::display,
    warehouse::{self, GivenBox, Place, Refused, Settings, Survey, survey_with},
};

/// Where boxes come from.
///
/// A path alone, such as `"instances.json"`, is [`Annotations::file`] of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Annotations {
    path: Option<PathBuf>,
    #[serde(skip)]
    format: Option<Format>,
    #[serde(skip)]
    options: ReadOptions,
}

impl Annotations {
    /// A label file, or a folder of them, in any format that [`labels`](crate::labels) reads. Pictures find theirs by
    /// name.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Annotations { path: Some(path.into()), ..Annotations::default() }
    }
    /// The samples' own annotations: labels of a recorder's runs, boxes in the metadata of a TBL, those of a warehouse.
    pub fn own() -> Self {
        Annotations::default()
    }
    /// The format of the label file, which is found out otherwise.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }
    /// Decides what the label file leaves open. Its `exif` and `limits` are those of the loader.
    #[must_use]
    pub fn options(mut self, options: ReadOptions) -> Self {
        self.options = options;
        self
    }

    /// The same with what a document says apart.
    pub(super) fn read_as(mut self, format: Option<Format>, boxes: Option<BoxField>) -> Self {
        (self.format, self.options.boxes) = (format.or(self.format), boxes.or(self.options.boxes));
        self
    }

    /// The label file, unless boxes are with the samples.
    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

impl From<&str> for Annotations {
    fn from(path: &str) -> Self {
        Annotations::file(path)
    }
}

impl From<PathBuf> for Annotations {
    fn from(path: PathBuf) -> Self {
        Annotations::file(path)
    }
}

/// The frames of every source.
#[derive(Debug, Default)]
pub(super) struct Annotated {
    sources: Vec<Vec<Frame>>,
    pub(super) classes: Vec<String>,
    runs: Vec<String>,
    pub(super) refused: Vec<Refused>,
    pub(super) notes: Vec<String>,
}

/// A sample with its boxes.
#[derive(Debug)]
pub(super) struct Frame {
    /// Its number in its dataset.
    pub(super) sample: u64,
    /// Its frame, as its labels count.
    pub(super) id: u64,
    run: usize,
    pub(super) boxes: Box<[GivenBox]>,
}

impl Annotated {
    /// Looks at all sources. What is refused for its labels is not a frame: unless such may be left out, that is an error.
    pub(super) fn open(
        paths: &[PathBuf],
        annotations: &Annotations,
        (open, orient, is_said): (&OpenOptions, bool, bool),
        (workers, on_broken): (usize, OnBroken),
    ) -> Result<(Annotated, Vec<Dataset>)> {
        let mut settings = Settings::default();
        settings.labels.clone_from(&annotations.path);
        settings.label_format = annotations.format;
        settings.label_options = annotations.options.clone();
        settings.limits = open.limits.clone();
        settings.exif = if orient { Exif::Apply } else { Exif::Ignore };
        // Boxes of pictures that are turned without a word are refused as a build refuses them.
        settings.label_options.exif = is_said.then_some(settings.exif);
        settings.workers = Some(workers);
        let survey = survey_with(paths, &settings, open)?;
        let mut annotated = Annotated::default();
        let mut datasets = Vec::new();
        let Survey { frames, mut refused, parts, datasets: opened, classes, runs, notes, .. } = survey;
        let (mut frames, mut opened) = (frames.into_iter(), opened.into_iter());
        for (path, part) in paths.iter().zip(parts) {
            let dataset = match part.dataset.and_then(|_| opened.next()) {
                Some(dataset) => dataset,
                // The pictures of runs, which their labels name.
                None => Dataset::open_with(path, open)?,
            };
            let numbers = Numbers::of(&dataset)?;
            let mut kept = Vec::with_capacity(part.frames.len());
            for frame in frames.by_ref().take(part.frames.len()) {
                match numbers.find(&frame) {
                    Some(sample) => kept.push(Frame {
                        sample,
                        id: frame.frame_id.unwrap_or(sample),
                        run: frame.run,
                        boxes: frame.boxes.into(),
                    }),
                    None => refused.push(Refused::new(
                        Cause::PictureUnsupported,
                        frame.source,
                        "its name is not that of an image, or it is hidden".into(),
                        frame.run,
                    )),
                }
            }
            annotated.sources.push(kept);
            datasets.push(dataset);
        }
        (annotated.classes, annotated.runs, annotated.notes, annotated.refused) = (classes, runs, notes, refused);
        annotated.judge(paths, on_broken)?;
        Ok((annotated, datasets))
    }

    /// Frames without usable labels are broken samples that are known beforehand.
    fn judge(&mut self, paths: &[PathBuf], on_broken: OnBroken) -> Result<()> {
        let Some(first) = self.refused.first() else { return Ok(()) };
        let said = format!("{} frames cannot be used; the first: {}: {}", self.refused.len(), first.file, first.reason);
        if on_broken == OnBroken::Raise {
            let message = format!("{said}; on_broken as skip or replace trains without them");
            let file = paths.first().map(|path| display(path)).unwrap_or_default();
            return Err(Error::new(&codes::ANNOTATION, message).file(file));
        }
        self.notes.push(said);
        Ok(())
    }

    /// The frames of a source.
    pub(super) fn frames(&self, source: usize) -> &[Frame] {
        self.sources.get(source).map(Vec::as_slice).unwrap_or_default()
    }
    /// A frame by its number in its source.
    pub(super) fn frame(&self, source: usize, number: u64) -> Option<&Frame> {
        self.frames(source).get(usize::try_from(number).ok()?)
    }
    /// The run of a frame.
    pub(super) fn run(&self, frame: &Frame) -> &str {
        self.runs.get(frame.run).map(String::as_str).unwrap_or_default()
    }
    /// What tells the frames of a source from others: which samples they are.
    pub(super) fn identity(&self, source: usize) -> String {
        let numbers = self.frames(source).iter().flat_map(|frame| frame.sample.to_le_bytes());
        format!("frames {:016x}", fnv1a(numbers))
    }
}

/// The samples of a dataset by the names that frames have.
struct Numbers(HashMap<String, u64>);

impl Numbers {
    fn of(dataset: &Dataset) -> Result<Numbers> {
        let Some(folder) = dataset.folder() else { return Ok(Numbers(HashMap::new())) };
        let name = |i| folder.sample_name(i).map(|name| (name.to_owned(), i));
        Ok(Numbers((0..folder.len()).filter_map(name).collect()))
    }

    fn find(&self, frame: &warehouse::Frame) -> Option<u64> {
        match &frame.place {
            Place::Sample { number, .. } => Some(*number),
            Place::File(_) => self.0.get(&frame.source.replace('\\', "/")).copied(),
        }
    }
}
