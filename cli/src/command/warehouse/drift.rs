//! `forebay warehouse drift`: how far a warehouse is from an earlier one.

use std::path::{Path, PathBuf};

use forebay::{
    Error, Result,
    error::codes,
    warehouse::drift::{Drift, Kind, ROWS, Row},
};
use forebay_native::warehouse;

use crate::{
    command::{
        curating::{begin_sheets, to_stdout},
        filtering::LimitArgs,
    },
    exit::Outcome,
    output::Output,
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Manifest or folder of the earlier warehouse.
    old: PathBuf,
    /// Manifest or folder of the warehouse to compare.
    new: PathBuf,
    #[command(flatten)]
    how: How,
    /// Write an SVG chart that compares old and new.
    ///
    /// The rows that differ most come first.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Exit with code 1 if a distance is larger than this.
    #[arg(long, value_name = "DISTANCE", value_parser = distance)]
    fail_above: Option<f64>,
    /// Overwrite an existing chart.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// What is compared.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct How {
    /// Images of each to compare by pixels; 0 for none.
    ///
    /// About this many, evenly spread over the samples.
    #[arg(long, value_name = "N", default_value = "500")]
    pixels: u64,
    /// Leave out this row, such as runs; may be repeated.
    #[arg(long, value_name = "ROW", value_delimiter = ',')]
    ignore: Vec<String>,
}

/// A distance that rows may have.
pub(super) fn distance(text: &str) -> std::result::Result<f64, String> {
    text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= 0.0).ok_or_else(|| "a distance is 0 or more".into())
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let files = [args.svg.as_ref()];
    let [svg] = begin_sheets(files, [args.old.as_path(), args.new.as_path()], args.force)?;
    refuse_unknown(&args.how.ignore)?;
    let mut drift = warehouse::drift(&args.old, &args.new, args.how.pixels, &args.limits.limits())?;
    drift.rows.retain(|row| !args.how.ignore.contains(&row.name));
    svg.map_or(Ok(()), |sheet| sheet.write(&drift.to_svg(args.fail_above)))?;
    match out.json() {
        // Where the picture goes nothing else does.
        _ if to_stdout(files) => {}
        true => out.value(&super::print::drifted(&drift, args.fail_above)),
        false => print(&drift, args.fail_above, out),
    }
    Ok(outcome(&drift, args.fail_above))
}

/// The drift of a warehouse that was just built.
pub(super) fn after_build(old: &Path, new: &Path, limits: &forebay::Limits) -> Result<Drift> {
    warehouse::drift(old, new, 500, limits)
}

/// A name that no row can have is a mistake.
fn refuse_unknown(names: &[String]) -> Result<()> {
    if let Some(name) = names.iter().find(|name| !ROWS.contains(&name.as_str())) {
        let message = format!("unknown row {name:?}; expected one of {}", ROWS.join(", "));
        return Err(Error::new(&codes::ARGUMENT, message).with_options(&["ignore"]));
    }
    Ok(())
}

pub(super) fn outcome(drift: &Drift, most: Option<f64>) -> Outcome {
    match most.is_some_and(|most| drift.above(most).next().is_some()) {
        true => Outcome::Damaged,
        false => Outcome::Fine,
    }
}

pub(super) fn print(drift: &Drift, most: Option<f64>, out: &Output) {
    let mut rows = vec![["row", "distance", "by chance", "old", "new", "most changed"].map(str::to_owned)];
    let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.3}"));
    let count = |n: [u64; 2]| n.map(crate::human::count);
    let [old, new] = count(drift.samples);
    rows.push(["samples".into(), String::new(), String::new(), old, new, String::new()]);
    let [old, new] = count(drift.boxes);
    rows.push(["boxes".into(), String::new(), String::new(), old, new, String::new()]);
    rows.extend(drift.rows.iter().map(|row| {
        let [old, new] = match row.kind {
            Kind::Shares => count(row.values),
            _ => [number(row.old), number(row.new)],
        };
        let chance = row.chance.map_or_else(String::new, |x| format!("{x:.3}"));
        [row.name.clone(), number(row.distance), chance, old, new, changed(row)]
    }));
    super::print::columns(&rows, 5, out);
    drift.notes.iter().for_each(|note| out.note(format!("note: {note}")));
    let Some(most) = most else { return };
    let above: Vec<&str> = drift.above(most).map(|row| row.name.as_str()).collect();
    match above.is_empty() {
        true => out.line(format!("no row is above {most}")),
        false => out.line(format!("above {most}: {}", above.join(", "))),
    }
}

/// The part that changed most: `car 40 % -> 12 %`.
fn changed(row: &Row) -> String {
    let Some(part) = row.worst().filter(|_| row.distance.is_some_and(|distance| distance > 0.0)) else {
        return String::new();
    };
    let [old, new] = row.shares(part).map(|share| 100.0 * share);
    let from = if row.kind == Kind::Histogram { "from " } else { "" };
    format!("{from}{} {old:.1} % -> {new:.1} %", part.name)
}
