//! `forebay apply`: a dataset with the changes of a journal.

use std::path::PathBuf;

use forebay::{Error, Result, error::codes::ARGUMENT};
use forebay_native::{
    edits::{Applied, ApplyOptions, apply, apply_in_place, plan},
    labels::read_project,
    output::refuse_inputs,
};

use super::filtering::LimitArgs;
use crate::{exit::Outcome, human, output::Output, progress::Meter};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// TBL, TAR or folder of images.
    #[arg(value_name = "DATASET")]
    dataset: PathBuf,
    /// Edit journal.
    #[arg(value_name = "JOURNAL")]
    journal: PathBuf,
    /// Output file, .tbl or .tar.
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["in_place", "dry_run"])]
    output: Option<PathBuf>,
    /// Change the metadata of a TBL in place.
    ///
    /// Refuses journals that add, remove or move samples.
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
    /// Project file: list its classes, in its order.
    ///
    /// Also a COCO file, a data.yaml or a list of names. A changed annotation of another class is refused.
    #[arg(long, value_name = "FILE")]
    project: Option<PathBuf>,
    /// Show what would change and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Overwrite an existing output.
    #[arg(long, short, alias = "overwrite", conflicts_with = "in_place")]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let mut options = ApplyOptions::default();
    (options.force, options.limits) = (args.force, args.limits.limits());
    options.project = args.project.as_ref().map(|path| read_project(path, &options.limits)).transpose()?;
    let (dataset, journal) = (&args.dataset, &args.journal);
    if args.dry_run {
        let applied = plan(dataset, journal, args.in_place, &options)?;
        tell(&applied, "would have", out);
        return Ok(Outcome::Fine);
    }
    if let (Some(output), Some(project)) = (&args.output, &args.project) {
        refuse_inputs(output, [project.as_path()])?;
    }
    let mut meter = Meter::new(out, "applying");
    let update = &mut |now: &_| meter.update(now);
    let applied = match (&args.output, args.in_place) {
        (Some(output), _) => apply(dataset, journal, output, &options, update)?,
        (None, true) => apply_in_place(dataset, journal, &options, update)?,
        (None, false) => return Err(Error::new(&ARGUMENT, "give --output or --in-place")),
    };
    drop(meter);
    tell(&applied, "has", out);
    Ok(Outcome::Fine)
}

fn tell(applied: &Applied, has: &str, out: &Output) {
    if out.json() {
        return out.value(applied);
    }
    let Applied { changed, removed, added, samples, .. } = applied;
    let [changed, removed, added, samples] = [*changed, *removed, *added, *samples].map(human::count);
    let name = if applied.output.is_empty() { "the output" } else { &applied.output };
    let what = format!("{changed} changed, {removed} removed, {added} added");
    out.line(format!("{name}: {has} {samples} samples: {what}"));
    if applied.written_bytes > 0 {
        out.line(format!("wrote {}", human::bytes(applied.written_bytes)));
    }
    applied.notes.iter().for_each(|note| out.note(format!("note: {note}")));
}
