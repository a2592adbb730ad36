//! `forebay stats`: sizes, shapes, formats and classes.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    check::Fault,
    error::codes,
    filter::{Filter, Path, Record, Seen},
    sample::stats::{Histogram, Report, Stats},
    samples::{field, is_of_sample},
};
use forebay_native::{
    dataset::Dataset,
    parallel::{all_cores, ordered},
    select::matching_all,
};
use serde::Serialize;

use super::{
    effect::{Given, Route, Uses},
    filtering::{Faults, FolderArgs, LimitArgs, filter, paths},
    table::{
        self,
        args::{TableReadArgs, scan},
    },
};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// Which options have an effect on what.
pub(super) const USES: Uses = &[
    (&["filter"], &[Route::Samples, Route::Table]),
    (&["label", "class_level"], &[Route::Samples]),
    (&["max_sample_bytes"], &[Route::Samples, Route::Table]),
    (&["columns", "schema", "types", "no_header", "delimiter", "null", "on_bad_row", "sniff_rows"], &[Route::Table]),
];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns, counted together.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Use only samples or rows that match a filter.
    ///
    /// For example 'width >= 224 && cls == 3'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    /// Metadata field of the class, such as json.label.
    ///
    /// Default: class, or else cls.
    #[arg(long, value_name = "FIELD")]
    label: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    folder: FolderArgs,
    /// Columns to summarize.
    #[arg(long, help_heading = "Tables", value_name = "NAMES")]
    columns: Option<String>,
    #[command(flatten)]
    table: TableReadArgs,
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let (limits, filter) = (args.limits.limits(), filter(args.filter.as_deref())?);
    let labels: Vec<Path> = match &args.label {
        Some(label) => vec![field(label)?],
        None => vec![field("class")?, field("cls")?],
    };
    // Looking on cuts what is finer than our own types, and says so.
    let read = args.table.options(&limits, true)?;
    let files = paths(&args.files)?;
    if let Some(first) = files.first()
        && table::is_table(first, &read)?.is_some()
    {
        given.check(USES, Route::Table)?;
        let formats = files.iter().filter_map(|file| table::is_table(file, &read).transpose());
        given.check_formats(&formats.collect::<Result<Vec<_>>>()?, None, &read)?;
        let scan = scan(args.columns.as_deref(), args.filter.as_deref())?;
        return table::stats::run(&files, &read, &scan, out);
    }
    // One that cannot be opened ends the work, as its samples would be missing in the sums: before it begins.
    let open = |file: &PathBuf| args.folder.open(file, &limits, false);
    let datasets = files.iter().map(open).collect::<Result<Vec<_>>>()?;
    given.check(USES, Route::Samples)?;
    filter.iter().try_for_each(Filter::check_for_samples)?;
    let (mut stats, mut faults) = (Stats::default(), Faults::default());
    let mut chosen = vec![None; datasets.len()];
    if let Some(filter) = &filter {
        let selected = matching_all(&datasets, filter, is_of_sample)?;
        selected.broken.iter().for_each(|e| faults.add(e));
        selected.notes.iter().for_each(|note| out.note(format!("note: {note}")));
        chosen = selected.chosen.into_iter().map(Some).collect();
    }
    let wanted = args.label.as_ref().map(|label| Filter::parse(&format!("{label} in []"))).transpose()?;
    let mut wanted = wanted.map(|label| (label.clone(), Seen::new(&label)));
    for (dataset, chosen) in datasets.iter().zip(chosen) {
        let numbers =
            (0..dataset.len()).filter(|i| chosen.as_ref().is_none_or(|chosen| chosen.binary_search(i).is_ok()));
        let seen = wanted.as_mut().map(|(_, seen)| seen);
        count(dataset, numbers, &labels, seen, (&mut stats, &mut faults))?;
    }
    let report = stats.report();
    if let Some((label, seen)) = &wanted
        && report.samples > 0
        && report.classes.distinct == 0
    {
        // A field that there is not is said with the one that was meant.
        let unknown = seen.judge(label).err().map(|e| format!(": {}", e.message())).unwrap_or_default();
        let message = format!("no sample has a class in the field that was named for it{unknown}");
        return Err(Error::new(&codes::ARGUMENT, message).with_options(&["label"]));
    }
    if out.json() {
        let (report, met) = (&report, faults.count > 0);
        out.value(&Counted { report, fault_count: met.then_some(faults.count), faults: met.then_some(&faults.all) });
    } else {
        print(&report, out);
    }
    Ok(faults.tell(out))
}

/// Counts of samples.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SampleStats"))]
pub(super) struct Counted<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// Samples that could not be read, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault_count: Option<u64>,
    /// The first of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    faults: Option<&'a Vec<Fault>>,
}

/// Counts the samples; one that cannot be read is a fault, and of one whose metadata cannot the rest counts.
fn count(
    dataset: &Dataset,
    numbers: impl Iterator<Item = u64> + Send,
    labels: &[Path],
    mut wanted: Option<&mut Seen>,
    (stats, faults): (&mut Stats, &mut Faults),
) -> Result<()> {
    let look = |i: u64| (i, dataset.info(i), dataset.find_metadata(i));
    ordered(
        numbers.map(Ok),
        |i| dataset.weight(*i),
        dataset.threads(all_cores()),
        look,
        |found| {
            for (i, info, metadata) in found {
                let Some(info) = faults.forgive(i, info)? else { continue };
                let metadata = faults.forgive(i, metadata)?.flatten();
                let metadata = metadata.map(|(value, kept)| {
                    kept.iter().for_each(|e| faults.add(e));
                    value
                });
                let mut record = forebay::filter::SampleRecord::new(&info);
                record.metadata = metadata.as_ref();
                wanted.iter_mut().for_each(|seen| seen.add(&record));
                let label = labels.iter().find_map(|path| record.field(path).label());
                stats.add(&info, label.as_deref());
            }
            Ok(())
        },
    )
}

fn print(report: &Report, out: &Output) {
    out.line(format!("samples   {}", human::count(report.samples)));
    out.line(format!("payloads  {} stored as {}", human::bytes(report.bytes), human::bytes(report.stored_bytes)));
    let formats = report.formats.iter().map(|f| format!("{} {}", f.format.name(), human::count(f.samples)));
    out.line(format!("formats   {}", formats.collect::<Vec<_>>().join(", ")));
    let spread = |title: &str, s: &Option<forebay::sample::stats::Spread>| {
        if let Some(s) = s {
            out.line(format!("{title:<10}{} to {}, mean {:.1}", s.min, s.max, s.mean));
        }
    };
    spread("bytes", &report.sample_bytes);
    spread("width", &report.width);
    spread("height", &report.height);
    let chart = |title: &str, h: &Histogram, name: &dyn Fn(f64) -> String| {
        if !h.buckets.is_empty() {
            out.line(format!("\n{title}"));
            out.line(h.draw(40, name).trim_end());
        }
    };
    chart("bytes", &report.bytes_histogram, &|x| human::bytes(x as u64));
    chart("width", &report.width_histogram, &|x| format!("{x}"));
    chart("height", &report.height_histogram, &|x| format!("{x}"));
    chart("aspect", &report.aspect_histogram, &|x| format!("{x:.2}"));
    if !report.classes.top.is_empty() {
        out.line(format!("\nclasses   {}", report.classes.distinct));
        for class in report.classes.top.iter().take(20) {
            out.line(format!("{:>10}  {}", human::count(class.samples), printable(&class.label)));
        }
    }
}
