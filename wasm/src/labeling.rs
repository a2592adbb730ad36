//! What the modules share that know labels: how they are read, and what was found and lost.

use forebay::{
    Limits, Result,
    annotations::{Cause, Losses, Notes, Project, ReadOptions},
    words::Word,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::words::{chosen, unknown};

/// What the package says of what label files, or records, mean.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HowRead {
    voc_base: Option<u8>,
    task: Option<String>,
    scores: bool,
    between: Option<String>,
    pick: Option<String>,
    exif: Option<String>,
    names: Option<String>,
    classes: Option<Vec<String>>,
    image_key: Option<String>,
    boxes: Option<String>,
    /// A project, as the package has it.
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
    /// Its name, as in `forebay labels check --json`.
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
