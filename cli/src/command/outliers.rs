//! `forebay outliers`: samples that stand out.

use std::path::{Path, PathBuf};

use forebay::{
    Error, Result,
    curate::{Outliers, Reason, Trait},
    error::codes::ARGUMENT,
    words::Word as _,
};
use forebay_native::{
    curate::{OutlierReport, csv_line, journal_of, outliers},
    input::display,
};

use super::curating::{SurveyArgs, begin_sheets, tell_faults, to_stdout};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
    progress::Meter,
    words::word,
};

/// Samples printed for people; JSON has them all.
const SHOWN: usize = 40;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns, judged together.
    #[arg(required = true, value_name = "DATASET")]
    files: Vec<PathBuf>,
    /// Traits to judge; by default, all.
    ///
    /// Images are decoded only for brightness, contrast and sharpness.
    #[arg(long, value_name = "TRAITS", value_delimiter = ',', value_parser = word::<Trait>())]
    by: Vec<Trait>,
    /// Deviations from the median that make an outlier.
    #[arg(long, value_name = "N", default_value_t = Outliers::USUAL_SCORE)]
    score: f64,
    /// Write the outliers and their reasons to this CSV file.
    #[arg(long, value_name = "CSV")]
    list: Option<PathBuf>,
    /// Write an edit journal that tags outliers with their reasons.
    ///
    /// `forebay apply` applies it.
    #[arg(long, value_name = "JOURNAL")]
    edits: Option<PathBuf>,
    /// Overwrite existing files.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
    #[command(flatten)]
    survey: SurveyArgs,
}

impl Args {
    /// Whether something is left half done where it is ended in the middle.
    pub(super) fn has_work(&self) -> bool {
        self.list.is_some() || self.edits.is_some()
    }
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if !(0.5..=1e6).contains(&args.score) {
        let message = "the score must be from 0.5 to 1000000";
        return Err(Error::new(&ARGUMENT, message).with_options(&["score"]));
    }
    let datasets = args.survey.open(&args.files)?;
    let options = args.survey.options(None)?;
    if args.edits.is_some() && datasets.len() != 1 {
        let message = "a journal belongs to one dataset; write one for each, or join the datasets first";
        return Err(Error::new(&ARGUMENT, message).with_options(&["edits"]));
    }
    let traits = if args.by.is_empty() { Trait::ALL } else { args.by.as_slice() };
    let files = [args.list.as_ref(), args.edits.as_ref()];
    let [list, edits] = begin_sheets(files, datasets.iter().map(|dataset| Path::new(dataset.name())), args.force)?;
    let mut meter = Meter::new(out, "looking");
    let report = outliers(&datasets, traits, args.score, &options, &mut |done, total| meter.count(done, total))?;
    drop(meter);
    // Nothing appears where one of them cannot be made.
    let journal = match datasets.as_slice() {
        [dataset] if edits.is_some() => journal_of(dataset, report.changes())?,
        _ => String::new(),
    };
    list.map_or(Ok(()), |sheet| sheet.write(&csv(&report)))?;
    edits.map_or(Ok(()), |sheet| sheet.write(&journal))?;
    if to_stdout(files) {
        // Where a file goes nothing else does.
    } else if out.json() {
        out.value(&report);
    } else {
        print(&report, out);
        for written in args.list.iter().chain(&args.edits) {
            out.note(format!("wrote {}", display(written)));
        }
    }
    Ok(tell_faults(report.fault_count, &report.faults, out))
}

fn csv(report: &OutlierReport) -> String {
    let mut text = csv_line(["file", "i", "name", "reason", "trait", "value", "usual", "score"]);
    for one in &report.outliers {
        for reason in &one.reasons {
            let (i, numbers) = (one.i.to_string(), [reason.value, reason.usual, reason.score].map(|n| n.to_string()));
            let [file, name] = [&one.file, &one.name].map(|text| text.as_deref().unwrap_or(""));
            let [value, usual, score] = &numbers;
            text += &csv_line([file, &i, name, reason.reason, reason.of.word(), value, usual, score]);
        }
    }
    text
}

/// A measure for people.
fn shown(of: Trait, value: f64) -> String {
    match of {
        Trait::Bytes => human::bytes(value as u64),
        Trait::Pixels => format!("{} pixels", human::count(value as u64)),
        Trait::Aspect => format!("{value:.2}"),
        _ => format!("{value:.1}"),
    }
}

fn because(reason: &Reason) -> String {
    let [value, usual] = [reason.value, reason.usual].map(|value| shown(reason.of, value));
    format!("{}: {} {value}, usual {usual} ({:.1})", reason.reason.replace('_', " "), reason.of.word(), reason.score)
}

fn print(report: &OutlierReport, out: &Output) {
    let (found, samples) = (human::count(report.outliers.len() as u64), human::count(report.samples));
    out.line(format!("{found} of {samples} samples are outliers"));
    for usual in &report.usual {
        let (median, n) = (shown(usual.of, usual.median), human::count(usual.outliers));
        out.line(format!("{:>12}  usual {median}; {n} outliers", usual.of.word()));
    }
    if report.usual.is_empty() {
        out.line("too few samples to find outliers");
    }
    for one in report.outliers.iter().take(SHOWN) {
        let file = one.file.as_ref().map(|file| format!("{}  ", printable(file))).unwrap_or_default();
        let name = one.name.as_deref().map(printable).unwrap_or_default();
        out.line(format!("\n{file}{}  {name}", one.i));
        one.reasons.iter().for_each(|reason| out.line(format!("    {}", because(reason))));
    }
    if report.outliers.len() > SHOWN {
        let more = human::count((report.outliers.len() - SHOWN) as u64);
        out.line(format!("\nand {more} more; --json and --list have them"));
    }
}
