//! `forebay edits`: journals of edits, looked at and merged.

use std::path::PathBuf;

use forebay::{
    Limits, Result,
    edits::{Conflict, Edited, Identity, Side},
};
use forebay_native::{
    edits::{ApplyOptions, check_blobs, merge, plan, read},
    input::{PIPE, display},
};
use serde::Serialize;

use super::several::each;
use crate::{exit::Outcome, human, output::Output};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Verify journals and summarize their changes.
    Check(CheckArgs),
    /// Print every change on a line, with undone ones marked.
    Show(ShowArgs),
    /// Merge two journals of one dataset; refuses conflicts by default.
    Merge(MergeArgs),
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Journals to verify.
    #[arg(required = true, value_name = "JOURNAL")]
    journals: Vec<PathBuf>,
    /// Dataset that the journals must belong to.
    #[arg(long, value_name = "DATASET")]
    of: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Journal to print.
    journal: PathBuf,
}

#[derive(Debug, clap::Args)]
struct MergeArgs {
    /// First journal.
    first: PathBuf,
    /// Second journal.
    second: PathBuf,
    /// Output journal.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Resolve conflicts with the first journal.
    #[arg(long, conflicts_with = "theirs")]
    ours: bool,
    /// Resolve conflicts with the second journal.
    #[arg(long)]
    theirs: bool,
    /// Overwrite an existing output.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
}

impl Args {
    /// Whether something is left half done where it is ended in the middle.
    pub(super) fn has_work(&self) -> bool {
        matches!(self.what, What::Merge(_))
    }
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    match &args.what {
        What::Check(args) => check(args, out),
        What::Show(args) => show(args, out),
        What::Merge(args) => merged(args, out),
    }
}

/// A journal that was checked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CheckEdits"))]
pub(super) struct Checked<'a> {
    /// The journal's name.
    journal: String,
    /// Always true: what is wrong with a journal is an error.
    sound: bool,
    /// The dataset that it changes.
    of: &'a Identity,
    /// Changes in it.
    lines: usize,
    /// Those of them that are not undone.
    standing: usize,
    /// Samples with other metadata.
    changed: u64,
    /// Samples that are left out.
    removed: u64,
    /// New samples.
    added: u64,
    /// Samples of the dataset with all changes.
    samples: u64,
    /// Only metadata changes, so that a TBL can be changed in place.
    in_place: bool,
    /// Bytes of a last line that was cut off, and does not count.
    torn_bytes: u64,
}

/// Two journals that became one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MergeEdits"))]
pub(super) struct Merged {
    /// The new journal.
    output: String,
    /// Changes in it.
    changes: usize,
    /// What both changed differently, of which one side was chosen.
    conflicts: Vec<Conflict>,
}

fn check(args: &CheckArgs, out: &Output) -> Result<Outcome> {
    each(&args.journals, out, |path, _| {
        if let Some(dataset) = &args.of {
            plan(dataset, path, false, &ApplyOptions::default())?;
        }
        let edited = Edited::new(read(path, &Limits::host())?);
        if args.of.is_none() {
            check_blobs(path, edited.journal())?;
        }
        let journal = edited.journal();
        let (changed, removed, added) = edited.counts();
        let lines = journal.changes().len();
        if out.json() {
            out.value(&Checked {
                journal: display(path),
                sound: true,
                of: journal.of(),
                lines,
                standing: journal.standing().count(),
                changed,
                removed,
                added,
                samples: edited.len(),
                in_place: edited.is_metadata_only(),
                torn_bytes: journal.torn(),
            });
            return Ok(Outcome::Fine);
        }
        let [changed, removed, added] = [changed, removed, added].map(human::count);
        let of = &journal.of().name;
        let what = format!("{changed} samples changed, {removed} removed, {added} added");
        out.line(format!("{}: sound: of {of}, {} changes: {what}", display(path), human::count(lines as u64)));
        if journal.torn() > 0 {
            out.note(format!("note: the last line was cut off and does not count: {} bytes", journal.torn()));
        }
        Ok(Outcome::Fine)
    })
}

fn show(args: &ShowArgs, out: &Output) -> Result<Outcome> {
    let journal = read(&args.journal, &Limits::host())?;
    for (text, stands) in journal.shown() {
        match (out.json(), stands) {
            (true, _) => out.raw(format!("{{\"stands\":{stands},{text}}}")),
            (false, true) => out.line(format!("{{{text}}}")),
            (false, false) => out.line(format!("(undone) {{{text}}}")),
        }
    }
    Ok(Outcome::Fine)
}

fn merged(args: &MergeArgs, out: &Output) -> Result<Outcome> {
    let side = match (args.ours, args.theirs) {
        (true, _) => Some(Side::Ours),
        (_, true) => Some(Side::Theirs),
        _ => None,
    };
    let limits = Limits::host();
    let (journal, conflicts) = merge(&args.first, &args.second, &args.output, side, args.force, &limits)?;
    // Where the journal goes, nothing else does.
    let to_stdout = args.output.as_os_str() == PIPE;
    if out.json() && !to_stdout {
        out.value(&Merged { output: display(&args.output), changes: journal.changes().len(), conflicts });
        return Ok(Outcome::Fine);
    }
    let tell = |text: String| if to_stdout { out.note(text) } else { out.line(text) };
    for one in &conflicts {
        let of = one.sample.map_or("the document".to_owned(), |sample| format!("sample {sample}"));
        tell(format!("{of}: {}: {} in the first, {} in the second", one.path, one.ours, one.theirs));
    }
    let changes = human::count(journal.changes().len() as u64);
    tell(format!("{}: {changes} changes", display(&args.output)));
    Ok(Outcome::Fine)
}
