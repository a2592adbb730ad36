//! `forebay check`: is it sound?

use std::path::{Path, PathBuf};

use forebay::{
    Error, Result,
    check::Report,
    error::{Kind, codes::ARGUMENT},
    image::decode,
};
use forebay_native::{
    check::{CheckOptions, check_with},
    input,
    parallel::all_cores,
    tables::{self, ReadOptions},
};
use serde::Serialize;

use super::{
    effect::{Given, Route, Uses},
    filtering::{LimitArgs, PixelLimitArgs, open},
    several::each,
    table::{self, args::TableReadArgs},
};
use crate::{
    exit::Outcome,
    human,
    output::{Output, describe, printable},
    progress::Meter,
    words::threads,
};

/// Faults printed for people; JSON has them all.
const SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Number of threads.
    #[arg(long, value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    /// Also decode every image completely.
    ///
    /// Without it, `check` verifies the bytes of images, but not their content.
    #[arg(long)]
    decode: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pixel_limit: PixelLimitArgs,
    #[command(flatten)]
    table: TableReadArgs,
}

/// Which options have an effect on what.
pub(super) const USES: Uses = &[
    (&["decode", "max_pixels"], &[Route::Samples]),
    (&["max_sample_bytes"], &[Route::Samples, Route::Table]),
    (&["schema", "types", "no_header", "delimiter", "null", "on_bad_row", "sniff_rows"], &[Route::Table]),
];

/// The result of checking a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Check"))]
pub(super) struct Checked<'a> {
    /// The file, if it is one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    report: &'a Report,
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let read = args.table.options(&args.limits.limits(), false)?;
    each(&args.files, out, |path, several| {
        let (report, unit) = one(path, args, given, &read, out)?;
        match out.json() {
            true => out.value(&Checked { file: several.then(|| input::display(path)), report: &report }),
            false => print(path, &report, unit, out),
        }
        Ok(match report.ok {
            true => Outcome::Fine,
            // Of a sound file that this build does not read nothing bad is known.
            false if report.is_unsupported() => Outcome::Unsupported,
            false => Outcome::Damaged,
        })
    })
}

/// A report, and what it counts. A file that is too damaged to open is a report with one fault; what cannot be read at
/// all is an error.
fn one(path: &Path, args: &Args, given: &Given, read: &ReadOptions, out: &Output) -> Result<(Report, &'static str)> {
    let limits = &read.text.limits;
    if let Some(format) = table::is_table(path, read)? {
        given.check(USES, Route::Table)?;
        given.check_formats(&[format], None, read)?;
        if let Some(written) = given.written("on_bad_row") {
            let message = format!("{written} changes nothing in check, which names every bad row");
            return Err(Error::new(&ARGUMENT, message));
        }
        let mut meter = Meter::of_rows(out, "checking");
        let report = tables::check(path, format, read, &mut |rows, total| {
            meter.count(rows, total);
        });
        return Ok((report?, "rows"));
    }
    let dataset = match open(path, limits, true) {
        Ok(dataset) => dataset,
        Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => return Ok((Report::unopened(&e), "samples")),
        Err(e) => return Err(e),
    };
    given.check(USES, Route::Samples)?;
    let mut meter = Meter::new(out, "checking");
    let total = dataset.len();
    let decode = args.decode.then(|| decode::Options::default().with_limits(args.pixel_limit.limits(limits.clone())));
    let mut options = CheckOptions::default();
    (options.workers, options.decode) = (args.workers, decode);
    let report = check_with(&dataset, &options, &mut |done| meter.count(done, total));
    Ok((report.map_err(|e: Error| e.file(dataset.name()))?, "samples"))
}

fn print(path: &Path, report: &Report, unit: &str, out: &Output) {
    let name = printable(&input::display(path));
    let decoded = report.decoded.map(|n| format!(", {} images decoded", human::count(n))).unwrap_or_default();
    match report.fault_count {
        0 => out.line(format!("{name}: sound, {} {unit}{decoded}", human::count(report.samples))),
        // Nothing that was read is wrong.
        n if report.is_over_limits() => {
            let what = if n == 1 { "1 is" } else { &format!("{} are", human::count(n)) };
            out.line(format!(
                "{name}: NOT CHECKED TO THE END, {what} over the limits, {} {unit}",
                human::count(report.samples)
            ));
        }
        n if report.is_unsupported() => {
            let what = if n == 1 { "1 is" } else { &format!("{} are", human::count(n)) };
            out.line(format!(
                "{name}: NOT CHECKED TO THE END, {what} not supported, {} {unit}",
                human::count(report.samples)
            ));
        }
        n => {
            let faults = if n == 1 { "fault" } else { "faults" };
            out.line(format!("{name}: DAMAGED, {} {faults}, {} {unit}", human::count(n), human::count(report.samples)));
        }
    }
    for fault in report.faults.iter().take(SHOWN) {
        out.line(format!("  {}", describe(fault)));
    }
    if report.faults.iter().any(|fault| fault.code == "limit.item") {
        out.line("  --max-sample-bytes raises the limit of samples");
    }
    if report.faults.iter().any(|fault| fault.code == "image.pixels") {
        out.line("  --max-pixels raises the limit of pixels");
    }
    if report.fault_count > SHOWN as u64 {
        out.line(format!("  and {} more; --json lists them", human::count(report.fault_count - SHOWN as u64)));
    }
    for note in report.notes.iter().take(SHOWN) {
        out.line(format!("  note: {}", printable(&note.message)));
    }
}
