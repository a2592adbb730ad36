//! `forebay labels check` and `stats`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use forebay::{
    Result,
    annotations::{Format, LabelStats, Notes},
    words::Word,
};
use forebay_native::input::display;
use serde::Serialize;

use super::{
    super::{effect::Given, several::each},
    ReadArgs,
};
use crate::{exit::Outcome, human, output::Output};

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Label files or folders of label files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    /// Label files or folders of label files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

pub(super) fn check(args: &CheckArgs, given: &Given, out: &Output) -> Result<Outcome> {
    let open = args.read.open(given)?;
    each(&args.files, out, |path, _| {
        let (format, stats) = open.stats(path)?;
        if out.json() {
            out.value(&Counted { sound: Some(true), ..counted(path, format, &stats) });
        } else {
            let (pictures, annotations) = (human::count(stats.pictures), human::count(stats.annotations));
            let shown = display(path);
            out.line(format!("{shown}: sound: {}, {pictures} images, {annotations} annotations", format.word()));
            print_notes(&stats.notes, out, |text| out.line(text));
        }
        Ok(Outcome::Fine)
    })
}

pub(super) fn stats(args: &StatsArgs, given: &Given, out: &Output) -> Result<Outcome> {
    let open = args.read.open(given)?;
    each(&args.files, out, |path, several| {
        let (format, stats) = open.stats(path)?;
        if out.json() {
            out.value(&counted(path, format, &stats));
            return Ok(Outcome::Fine);
        }
        if several {
            out.line(format!("{}:", display(path)));
        }
        print(format, &stats, out);
        Ok(Outcome::Fine)
    })
}

/// Counts of labels.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelStats"))]
pub(in crate::command) struct Counted<'a> {
    /// The file or folder.
    file: String,
    /// Its format.
    format: &'static str,
    /// Images.
    pictures: u64,
    /// Those of them without an annotation.
    without_annotations: u64,
    /// Annotations.
    annotations: u64,
    /// The most in one image.
    most_in_one: u64,
    /// Annotations by their size.
    areas: Areas,
    /// Classes, and how many annotations each has.
    classes: Vec<Class<'a>>,
    /// Remarks of reading, by cause.
    notes: BTreeMap<&'static str, u64>,
    /// Of a check, always true: what is wrong with labels is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    sound: Option<bool>,
}

/// Annotations by their size.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelAreas"))]
struct Areas {
    /// Up to 32 x 32 pixels.
    small: u64,
    /// Up to 96 x 96 pixels.
    medium: u64,
    /// Larger.
    large: u64,
}

/// A class of labels.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelClassCount"))]
struct Class<'a> {
    /// Its name.
    name: &'a str,
    /// How many annotations it has.
    annotations: u64,
}

fn counted<'a>(path: &Path, format: Format, stats: &'a LabelStats) -> Counted<'a> {
    let [small, medium, large] = stats.areas;
    Counted {
        file: display(path),
        format: format.word(),
        pictures: stats.pictures,
        without_annotations: stats.empty,
        annotations: stats.annotations,
        most_in_one: stats.most,
        areas: Areas { small, medium, large },
        classes: stats.classes.iter().map(|(name, n)| Class { name, annotations: *n }).collect(),
        notes: notes(&stats.notes),
        sound: None,
    }
}

/// Counts by cause, for programs.
pub(super) fn notes(notes: &Notes) -> BTreeMap<&'static str, u64> {
    notes.iter().map(|(cause, n)| (cause.word(), n)).collect()
}

/// Counts by cause, for people.
pub(super) fn print_notes(notes: &Notes, out: &Output, line: impl Fn(String)) {
    for (cause, n) in notes.iter() {
        line(format!("  {:>12}  {}", human::count(n), cause.meaning()));
    }
    notes.texts().iter().for_each(|text| out.note(format!("note: {text}")));
}

fn print(format: Format, stats: &LabelStats, out: &Output) {
    out.line(format!("format       {}", format.word()));
    out.line(format!("images       {}", human::count(stats.pictures)));
    if stats.empty > 0 {
        out.line(format!("  without annotations {}", human::count(stats.empty)));
    }
    out.line(format!("annotations  {}, at most {} in one image", human::count(stats.annotations), stats.most));
    let [small, medium, large] = stats.areas.map(human::count);
    out.line(format!("areas        {small} up to 32 x 32 pixels, {medium} up to 96 x 96, {large} larger"));
    out.line(format!("classes      {}", stats.classes.len()));
    for (name, count) in &stats.classes {
        out.line(format!("  {:>12}  {name}", human::count(*count)));
    }
    if stats.notes.iter().next().is_some() {
        out.line("found");
        print_notes(&stats.notes, out, |text| out.line(text));
    }
}
