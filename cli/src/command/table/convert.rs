//! `forebay convert` of tables.

use std::path::{Path, PathBuf};

use forebay::{Error, Result, error::codes::ARGUMENT, tables::Target, tbf::Dialect};
use forebay_native::{
    input::PIPE,
    remote::Traffic,
    tables::{ReadOptions, TableCompression, TableFormat, TableJob, TableSummary},
};
use serde::Serialize;

use super::{super::asked, args::scan};
use crate::{exit::Outcome, human, output::Output, progress::Meter, words::word};

/// Arguments for tables that are written.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Tables")]
pub(in crate::command) struct TableWriteArgs {
    /// Columns to write, in this order, such as id,age.
    #[arg(long, value_name = "NAMES")]
    columns: Option<String>,
    /// Change and report values that the target cannot hold.
    ///
    /// Without it, `convert` refuses such values.
    #[arg(long)]
    lossy: bool,
    /// Rows per row group (Parquet, TBF) or block (IDV).
    #[arg(long, hide_short_help = true, value_name = "N", visible_alias = "rows-per-block")]
    group_rows: Option<usize>,
    /// TBF: layout to write.
    ///
    /// d: typed columns with statistics; t: tagged values, as other tools read; c: columns with one dictionary.
    #[arg(long, value_name = "LAYOUT", hide_short_help = true, value_parser = word::<Dialect>(), default_value = "d")]
    dialect: Dialect,
}

impl TableWriteArgs {
    pub fn lossy(&self) -> bool {
        self.lossy
    }
}

/// What `convert` knows beside the arguments for tables.
pub(in crate::command) struct Common<'a> {
    pub inputs: Vec<PathBuf>,
    pub output: &'a Path,
    pub format: TableFormat,
    pub compression: Option<TableCompression>,
    pub level: Option<u8>,
    pub filter: Option<&'a str>,
    pub force: bool,
    pub verify: bool,
    pub sync: bool,
    pub workers: usize,
}

pub(in crate::command) fn run(
    common: Common<'_>,
    read: ReadOptions,
    args: &TableWriteArgs,
    out: &Output,
) -> Result<Outcome> {
    let mut job = TableJob::new(common.inputs, common.format);
    job.scan = scan(args.columns.as_deref(), common.filter)?;
    (job.write.compression, job.write.level) = (common.compression, common.level);
    let write = &mut job.write.core;
    (write.group_rows, write.lossy) = (args.group_rows, args.lossy);
    // What the user says of CSV is meant for both sides, but a tab in one is not a comma in the other.
    write.csv.follow(&read.text);
    write.spec.clone_from(&read.text.spec);
    if let Target::Tbf(dialect) = &mut write.target {
        *dialect = args.dialect;
        if args.dialect != Dialect::D && args.group_rows.is_some() {
            let message = format!("--group-rows changes nothing in layout {}, which has no row groups", args.dialect);
            return Err(Error::new(&ARGUMENT, message));
        }
    }
    job.read = read;
    (job.read.workers, job.write.workers) = (common.workers, common.workers);
    (job.force, job.sync, job.verify) = (common.force, common.sync, common.verify);
    let mut meter = Meter::of_rows(out, "converting");
    let summary = job.run_with(common.output, &mut |progress| meter.update(progress))?;
    let seconds = meter.elapsed().as_secs_f64();
    drop(meter);
    print(&summary, seconds, out);
    Ok(if summary.skipped_rows > 0 { Outcome::Damaged } else { Outcome::Fine })
}

/// The result of converting a table.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ConvertTable"))]
pub(in crate::command) struct Converted<'a> {
    #[serde(flatten)]
    summary: &'a TableSummary,
    /// How long it took.
    seconds: f64,
    /// How many rows a second.
    rows_per_second: f64,
    /// What was asked of stores and servers, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<Traffic>,
}

fn print(summary: &TableSummary, seconds: f64, out: &Output) {
    if summary.output == PIPE {
        summary.notes.iter().for_each(|note| out.note(format!("note: {note}")));
        return;
    }
    let rate = summary.rows as f64 / seconds.max(1e-6);
    if out.json() {
        return out.value(&Converted { summary, seconds, rows_per_second: rate, network: asked() });
    }
    let row = |label: &str, value: String| out.note(format!("{label:<14}{value}"));
    row("input", format!("{} ({})", summary.inputs.join(", "), human::bytes(summary.input_bytes)));
    row("output", format!("{} ({}), {}", summary.output, human::bytes(summary.output_bytes), summary.format));
    row("rows", format!("{}, {} columns", human::count(summary.rows), summary.columns));
    if summary.skipped_rows > 0 {
        row("left out", format!("{} bad rows", human::count(summary.skipped_rows)));
    }
    if summary.verified > 0 {
        row("verified", format!("{} rows read back equal", human::count(summary.verified)));
    }
    row("elapsed", format!("{seconds:.2} s, {} rows/s", human::count(rate as u64)));
    summary.notes.iter().for_each(|note| row("note", note.clone()));
}
