//! What the modules share that know labels: how they are read, and what was found and lost.

use forebay::{
    Limits, Result,
    annotations::{Cause, Losses, Notes, Project, ReadOptions},
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::words::{chosen, unknown};

/// What label files, or the metadata of samples, mean. Where they do not say it, the error names the option.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelMeaning"))]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HowRead {
    /// Pascal VOC: whether the first pixel is 0 or 1.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [0, 1])))]
    voc_base: Option<u8>,
    /// YOLO: what lines of more than five columns are.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::words::any::<forebay::annotations::Task>"))]
    task: Option<String>,
    /// YOLO: lines of six columns are boxes with a score.
    scores: bool,
    /// CVAT: what becomes of frames between the key frames of a track. Default: `interpolate`.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::words::any::<forebay::annotations::Between>"))]
    between: Option<String>,
    /// Which of several annotations of one image counts.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::words::any::<forebay::annotations::Pick>"))]
    pick: Option<String>,
    /// In which raster boxes of images are to be that EXIF turns.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::words::any::<forebay::annotations::Exif>"))]
    exif: Option<String>,
    /// Names of images: whole, or only their last part. Default: `whole`.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::words::any::<forebay::annotations::Names>"))]
    names: Option<String>,
    /// The classes, for formats that number them and do not name them.
    classes: Option<Vec<String>>,
    /// Label Studio: which key of a task names the image.
    image_key: Option<String>,
    /// Which field has boxes, and what four numbers of it mean: `json.boxes:xywh`.
    boxes: Option<String>,
    /// A project, as the package has it.
    #[cfg_attr(feature = "schema", schemars(skip))]
    project: Option<Value>,
}

pub(crate) fn word<T: Word>(what: &str, word: Option<&String>) -> Result<Option<T>> {
    word.map(|word| T::from_word(word).ok_or_else(|| unknown(what, word))).transpose()
}

impl HowRead {
    pub(crate) fn project(&self, limits: &Limits) -> Result<Option<Project>> {
        let read = |project: &Value| Project::read(project.to_string().as_bytes(), limits);
        self.project.as_ref().map(read).transpose()
    }

    pub(crate) fn core(&self, limits: Limits) -> Result<ReadOptions> {
        let mut options = ReadOptions::default();
        options.limits = limits;
        options.voc_base = self.voc_base;
        options.task = word("task", self.task.as_ref())?;
        options.scores = self.scores;
        options.between = chosen("choice for frames between", self.between.as_deref(), options.between)?;
        options.pick = word("choice of annotations", self.pick.as_ref())?;
        options.exif = word("choice for EXIF", self.exif.as_ref())?;
        options.names = chosen("choice of names", self.names.as_deref(), options.names)?;
        options.classes.clone_from(&self.classes);
        options.image_key.clone_from(&self.image_key);
        options.boxes = self.boxes.as_deref().map(str::parse).transpose()?;
        Ok(options)
    }
}

/// Something that was found or lost, and how often.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelCount"))]
pub(crate) struct Counted {
    /// Its name, as reports say it.
    cause: &'static str,
    /// What it is, in words.
    meaning: &'static str,
    /// How often.
    count: u64,
}

/// What was found while reading that is not a fault.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelNotes"))]
pub(crate) struct Found<'a> {
    /// Counted by cause.
    counts: Vec<Counted>,
    /// Said in words; the first few.
    texts: &'a [String],
    /// How many more there are.
    more: u64,
}

fn count<C: Word>((cause, count): (C, u64)) -> Counted {
    Counted { cause: cause.word(), meaning: cause.meaning(), count }
}

/// What was found.
pub(super) fn notes(notes: &Notes) -> Found<'_> {
    Found { counts: notes.iter().map(count::<Cause>).collect(), texts: notes.texts(), more: notes.more() }
}

/// What was lost.
pub(super) fn losses(losses: &Losses) -> Vec<Counted> {
    losses.iter().map(count).collect()
}
