//! What the modules share that know labels: how they are read, and what was found and lost.

use forebay::{
    Limits, Result,
    annotations::{Cause, Losses, Notes, Project, ReadOptions},
    words::Word,
};
use serde::Deserialize;
use serde_json::{Value, json};

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

fn count<C: Word>((cause, n): (C, u64)) -> Value {
    json!({ "cause": cause.word(), "meaning": cause.meaning(), "count": n })
}

/// What was found, as JSON.
pub(super) fn notes(notes: &Notes) -> Value {
    let counts: Vec<Value> = notes.iter().map(count::<Cause>).collect();
    json!({ "counts": counts, "texts": notes.texts(), "more": notes.more() })
}

/// What was lost, as JSON.
pub(super) fn losses(losses: &Losses) -> Value {
    losses.iter().map(count).collect()
}
