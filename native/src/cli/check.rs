//! `forebay check`: is it sound?

use std::path::Path;

use forebay::{Error, Limits, Result, check::Report, error::Kind};
use serde_json::json;

use super::{
    Outcome, Output,
    filtering::{LimitArgs, open, paths},
    human,
    output::printable,
    progress::Meter,
    table::{self, args::TableReadArgs},
};
use crate::{
    check::check,
    convert::{Progress, pipeline::all_cores},
    tables,
};

/// Faults printed for people; JSON has them all.
const SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Threads.
    #[arg(long, default_value_t = all_cores())]
    workers: usize,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    table: TableReadArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let limits = args.limits.limits();
    let files = paths(&args.files)?;
    for path in &files {
        let report = one(path, args, &limits, out)?;
        if !report.ok {
            outcome = Outcome::Damaged;
        }
        match (out.json(), files.len()) {
            (true, 1) => out.value(&report),
            (true, _) => {
                let mut value = json!({ "file": path.display().to_string() });
                if let (Some(all), Ok(serde_json::Value::Object(report))) =
                    (value.as_object_mut(), serde_json::to_value(&report))
                {
                    all.extend(report);
                }
                out.value(&value);
            }
            (false, _) => {
                let is_table = table::is_table(path, &args.table.options(&limits, false)?)?.is_some();
                print(path, &report, if is_table { "rows" } else { "samples" }, out);
            }
        }
    }
    Ok(outcome)
}

/// A file that is too damaged to open is a report with one fault; what cannot be read at all is an error.
fn one(path: &Path, args: &Args, limits: &Limits, out: &Output) -> Result<Report> {
    let read = args.table.options(limits, false)?;
    if let Some(format) = table::is_table(path, &read)? {
        let mut meter = Meter::of_rows(out, "checking");
        return tables::check(path, format, &read, &mut |samples, total| {
            meter.update(&Progress { samples, total, ..Progress::default() });
        });
    }
    let dataset = match open(path, limits, true) {
        Ok(dataset) => dataset,
        Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => return Ok(Report::unopened(&e)),
        Err(e) => return Err(e),
    };
    let mut meter = Meter::new(out, "checking");
    let total = dataset.len();
    check(&dataset, args.workers, &mut |done| meter.samples(done, total)).map_err(|e: Error| e.file(dataset.name()))
}

fn print(path: &Path, report: &Report, unit: &str, out: &Output) {
    let name = printable(&path.display().to_string());
    match report.fault_count {
        0 => out.line(format!("{name}: sound, {} {unit}", human::count(report.samples))),
        n => out.line(format!("{name}: DAMAGED, {} faults, {} {unit}", human::count(n), human::count(report.samples))),
    }
    for fault in report.faults.iter().take(SHOWN) {
        out.line(format!("  {}", describe(fault)));
    }
    if report.fault_count > SHOWN as u64 {
        out.line(format!("  and {} more; --json lists them", human::count(report.fault_count - SHOWN as u64)));
    }
    for note in report.notes.iter().take(SHOWN) {
        out.line(format!("  note: {}", printable(&note.message)));
    }
}

/// A fault in one line.
pub(super) fn describe(fault: &forebay::check::Fault) -> String {
    let mut place = Vec::new();
    place.extend(fault.section.map(str::to_owned));
    place.extend(fault.member.as_ref().map(|m| format!("member {}", printable(m))));
    place.extend(fault.sample.map(|i| format!("sample {i}")));
    place.extend(fault.column.as_ref().map(|name| format!("column {}", printable(name))));
    place.extend(fault.block.map(|i| format!("block {i}")));
    place.extend(fault.row.map(|i| format!("row {i}")));
    place.extend(fault.offset.map(|at| format!("byte {at}")));
    let place = if place.is_empty() { String::new() } else { format!("{}: ", place.join(", ")) };
    format!("{place}{} [{}]", printable(&fault.message), fault.code)
}
