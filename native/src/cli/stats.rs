//! `forebay stats`: sizes, shapes, formats and classes.

use forebay::{
    Error, Result,
    error::codes,
    filter::{Filter, Path, Record},
    stats::{Histogram, Report, Stats},
};

use super::{
    Outcome, Output,
    filtering::{LimitArgs, filter, open, paths},
    human,
    output::printable,
    table::{
        self,
        args::{TableReadArgs, scan},
    },
};
use crate::{dataset::Dataset, select::accepts};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns; several are counted together.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Only samples that this filter accepts.
    #[arg(long = "where", value_name = "FILTER")]
    filter: Option<String>,
    /// The metadata field that holds the class, such as cls or json.label. Default: class, else cls.
    #[arg(long, value_name = "FIELD")]
    label: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Tables: only these columns.
    #[arg(long, value_name = "NAMES")]
    columns: Option<String>,
    #[command(flatten)]
    table: TableReadArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let (limits, filter) = (args.limits.limits(), filter(args.filter.as_deref())?);
    let labels: Vec<Path> = match &args.label {
        Some(field) => vec![path(field)?],
        None => vec![path("class")?, path("cls")?],
    };
    let read = args.table.options(&limits, false)?;
    let files = paths(&args.files)?;
    if let Some(first) = files.first()
        && table::is_table(first, &read)?.is_some()
    {
        let scan = scan(args.columns.as_deref(), args.filter.as_deref())?;
        table::stats::run(&files, &read, &scan, out)?;
        return Ok(Outcome::Fine);
    }
    let mut stats = Stats::default();
    for file in files {
        count(&open(&file, &limits, false)?, filter.as_ref(), &labels, &mut stats)?;
    }
    let report = stats.report();
    if out.json() {
        out.value(&report);
    } else {
        print(&report, out);
    }
    Ok(Outcome::Fine)
}

/// A field as the filter language writes it.
fn path(field: &str) -> Result<Path> {
    let parsed = Filter::parse(&format!("{field} == null"))?;
    parsed.fields().next().cloned().ok_or_else(|| Error::new(&codes::ARGUMENT, format!("{field:?} is no field")))
}

fn count(dataset: &Dataset, filter: Option<&Filter>, labels: &[Path], stats: &mut Stats) -> Result<()> {
    filter.into_iter().try_for_each(Filter::check_for_samples)?;
    for i in 0..dataset.len() {
        if let Some(filter) = filter
            && !accepts(dataset, i, filter)?
        {
            continue;
        }
        let info = dataset.info(i)?;
        let metadata = dataset.metadata_value(i)?;
        let mut record = forebay::filter::SampleRecord::new(&info);
        record.metadata = metadata.as_ref();
        let label = labels.iter().find_map(|path| record.field(path).label());
        stats.add(&info, label.as_deref());
    }
    Ok(())
}

fn print(report: &Report, out: &Output) {
    out.line(format!("samples   {}", human::count(report.samples)));
    out.line(format!("payloads  {} stored as {}", human::bytes(report.bytes), human::bytes(report.stored_bytes)));
    let formats = report.formats.iter().map(|f| format!("{} {}", f.format.name(), human::count(f.samples)));
    out.line(format!("formats   {}", formats.collect::<Vec<_>>().join(", ")));
    let spread = |title: &str, s: &Option<forebay::stats::Spread>| {
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
