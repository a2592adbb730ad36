//! `forebay labels check` and `stats`.

use std::path::{Path, PathBuf};

use forebay::{
    Result,
    annotations::{Format, LabelStats, Notes},
    words::Word,
};
use forebay_native::input::display;
use serde_json::{Map, Value, json};

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
            let mut value = value(path, format, &stats);
            value["sound"] = true.into();
            out.value(&value);
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
            out.value(&value(path, format, &stats));
            return Ok(Outcome::Fine);
        }
        if several {
            out.line(format!("{}:", display(path)));
        }
        print(format, &stats, out);
        Ok(Outcome::Fine)
    })
}

fn value(path: &Path, format: Format, stats: &LabelStats) -> Value {
    let classes: Vec<Value> =
        stats.classes.iter().map(|(name, count)| json!({ "name": name, "annotations": count })).collect();
    let [small, medium, large] = stats.areas;
    json!({
        "file": display(path),
        "format": format.word(),
        "pictures": stats.pictures,
        "without_annotations": stats.empty,
        "annotations": stats.annotations,
        "most_in_one": stats.most,
        "areas": { "small": small, "medium": medium, "large": large },
        "classes": classes,
        "notes": notes(&stats.notes),
    })
}

/// Counts by cause, for programs.
pub(super) fn notes(notes: &Notes) -> Value {
    let counts: Map<String, Value> = notes.iter().map(|(cause, n)| (cause.word().to_owned(), n.into())).collect();
    counts.into()
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
