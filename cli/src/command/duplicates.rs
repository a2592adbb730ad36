//! `forebay duplicates`: samples that are alike.

use std::path::{Path, PathBuf};

use forebay::{Error, Result, curate::MOST_DISTANCE, error::codes::ARGUMENT};
use forebay_native::{
    curate::{DuplicateReport, GroupReport, csv_line, duplicates, journal_of},
    dataset::Dataset,
    input::display,
};

use super::curating::{SurveyArgs, begin_sheets, tell_faults, to_stdout};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
    progress::Meter,
};

/// Groups, and samples of each, printed for people; JSON has them all.
const SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns, compared together.
    ///
    /// For example a training set and a test set, to find images that are in both.
    #[arg(required = true, value_name = "DATASET")]
    files: Vec<PathBuf>,
    /// Find only identical bytes, without decoding images.
    #[arg(long, conflicts_with = "distance")]
    exact: bool,
    /// Largest hash distance of similar images, of 63 bits.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_DISTANCE)))]
    distance: u32,
    /// Metadata field of the class, such as json.label.
    ///
    /// Default: class, or else cls. Groups with more than one class are marked.
    #[arg(long, value_name = "FIELD")]
    label: Option<String>,
    /// Write the groups to this CSV file.
    #[arg(long, value_name = "CSV")]
    groups: Option<PathBuf>,
    /// Write an edit journal that keeps the best of each group.
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
        self.groups.is_some() || self.edits.is_some()
    }
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let datasets = args.survey.open(&args.files)?;
    let options = args.survey.options(Some(args.label.as_deref()))?;
    if args.edits.is_some() && datasets.len() != 1 {
        let message = "a journal belongs to one dataset; write one for each, or join the datasets first";
        return Err(Error::new(&ARGUMENT, message).with_options(&["edits"]));
    }
    let files = [args.groups.as_ref(), args.edits.as_ref()];
    let [groups, edits] = begin_sheets(files, datasets.iter().map(|dataset| Path::new(dataset.name())), args.force)?;
    let mut meter = Meter::new(out, "comparing");
    let distance = (!args.exact).then_some(args.distance);
    let report = duplicates(&datasets, distance, &options, &mut |done, total| meter.count(done, total))?;
    drop(meter);
    if let Some(label) = &args.label
        && !report.groups.is_empty()
        && report.groups.iter().flat_map(|group| &group.samples).all(|sample| sample.class.is_none())
    {
        out.note(format!("note: no sample of these groups has the field {}", printable(label)));
    }
    // Nothing appears where one of them cannot be made.
    let journal = match datasets.as_slice() {
        [dataset] if edits.is_some() => journal_of(dataset, report.changes())?,
        _ => String::new(),
    };
    groups.map_or(Ok(()), |sheet| sheet.write(&csv(&report)))?;
    edits.map_or(Ok(()), |sheet| sheet.write(&journal))?;
    if to_stdout(files) {
        // Where a file goes nothing else does.
    } else if out.json() {
        out.value(&report);
    } else {
        print(&report, &datasets, out);
        for written in args.groups.iter().chain(&args.edits) {
            out.note(format!("wrote {}", display(written)));
        }
    }
    Ok(tell_faults(report.fault_count, &report.faults, out))
}

fn csv(report: &DuplicateReport) -> String {
    let mut text =
        csv_line(["group", "file", "i", "name", "class", "keep", "distance", "exact", "width", "height", "bytes"]);
    for (number, group) in report.groups.iter().enumerate() {
        for (at, sample) in group.samples.iter().enumerate() {
            let [number, i] = [number as u64, sample.i].map(|n| n.to_string());
            let [keep, exact] = [at == 0, sample.exact].map(|b| b.to_string());
            let [distance, width, height] = [sample.distance, sample.width, sample.height].map(|n| n.to_string());
            let [file, name, class] = [&sample.file, &sample.name, &sample.class].map(|t| t.as_deref().unwrap_or(""));
            let bytes = sample.bytes.to_string();
            text += &csv_line([&number, file, &i, name, class, &keep, &distance, &exact, &width, &height, &bytes]);
        }
    }
    text
}

fn print(report: &DuplicateReport, datasets: &[Dataset], out: &Output) {
    let count = |n: u64, one: &str, many: &str| format!("{} {}", human::count(n), if n == 1 { one } else { many });
    let groups = count(report.groups.len() as u64, "group", "groups");
    let of = count(report.samples, "sample", "samples");
    out.line(format!("{groups}; {} of {of} have a better one", human::count(report.duplicates)));
    let bytes_only = report.not_pictures + report.plain;
    if bytes_only > 0 {
        let plain = count(report.plain, "plain image", "plain images");
        let others = count(report.not_pictures, "sample that is not an image", "samples that are not images");
        out.line(format!("compared by their bytes alone: {plain}, {others}"));
    }
    for group in report.groups.iter().take(SHOWN) {
        print_group(group, datasets.len() > 1, out);
    }
    if report.groups.len() > SHOWN {
        let more = human::count((report.groups.len() - SHOWN) as u64);
        out.line(format!("\nand {more} more groups; --json and --groups list them"));
    }
}

fn print_group(group: &GroupReport, several: bool, out: &Output) {
    let classes = match group.classes.as_slice() {
        [] => String::new(),
        classes => {
            format!("; of several classes: {}", classes.iter().map(|c| printable(c)).collect::<Vec<_>>().join(", "))
        }
    };
    out.line(format!("\n{} samples{classes}", group.samples.len()));
    for (at, sample) in group.samples.iter().take(SHOWN).enumerate() {
        let what = match (at, sample.exact, sample.distance) {
            (0, ..) => "keep".to_owned(),
            (_, true, _) => "same bytes".to_owned(),
            (_, _, 1) => "1 bit".to_owned(),
            (.., distance) => format!("{distance} bits"),
        };
        let file = sample.file.as_ref().filter(|_| several).map(|file| format!("{}  ", printable(file)));
        let name = sample.name.as_deref().map(printable).unwrap_or_default();
        let size = if sample.width > 0 { format!("{} x {}  ", sample.width, sample.height) } else { String::new() };
        let bytes = human::bytes(sample.bytes);
        out.line(format!("{what:>12}  {}{}  {name}  {size}{bytes}", file.unwrap_or_default(), sample.i));
    }
    if group.samples.len() > SHOWN {
        out.line(format!("{:>12}  and {} more", "", group.samples.len() - SHOWN));
    }
}
