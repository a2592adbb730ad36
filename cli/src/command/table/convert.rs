//! `forebay convert` of tables.

use std::{
    fs,
    path::{Path, PathBuf},
};

use forebay::{Error, Result, error::codes::ARGUMENT, tbf::Dialect};
use forebay_native::{
    input::{PIPE, display},
    tables::{ReadOptions, TableCompression, TableFormat, TableJob, TableSummary, document, text_file},
};
use serde_json::json;

use super::args::{TableReadArgs, scan};
use crate::{exit::Outcome, human, output::Output, progress::Meter, words::word};

/// Arguments for tables that are written.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Tables")]
pub(in crate::command) struct TableWriteArgs {
    /// Only these columns, in this order: id,age.
    #[arg(long, value_name = "NAMES")]
    columns: Option<String>,
    /// Change what the target cannot hold, and say so, instead of refusing it.
    #[arg(long)]
    lossy: bool,
    /// Rows of a row group (Parquet, TBF) or block (IDV).
    #[arg(long, value_name = "N", visible_alias = "rows-per-block")]
    group_rows: Option<usize>,
    /// TBF: the layout to write. D is typed columns with statistics; T is what the peer's tools read; C is columns
    /// over one dictionary.
    #[arg(long, value_parser = word::<Dialect>(), default_value = "d")]
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
    read_args: &TableReadArgs,
    read: ReadOptions,
    args: &TableWriteArgs,
    out: &Output,
) -> Result<Outcome> {
    if let [only] = common.inputs.as_slice()
        && let Some(json) = document(only, &read)?
    {
        return whole(&common, &json, out);
    }
    let mut job = TableJob::new(common.inputs, common.format);
    job.scan = scan(args.columns.as_deref(), common.filter)?;
    job.write.compression = common.compression;
    job.write.level = common.level;
    job.write.group_rows = args.group_rows;
    job.write.lossy = args.lossy;
    job.write.header = read_args.header();
    // What the user says of CSV is meant for both sides, but a tab of one is no comma of the other.
    job.write.delimiter = read_args.delimiter()?;
    read_args.null().clone_into(&mut job.write.null);
    job.write.spec.clone_from(&read.spec);
    job.write.dialect = args.dialect;
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

/// A TBF that holds one value and no table becomes JSON.
fn whole(common: &Common<'_>, json: &str, talk: &Output) -> Result<Outcome> {
    if common.format != TableFormat::Jsonl {
        let message = "this TBF holds one value and no table; it can be converted to .jsonl, or shown with head";
        return Err(Error::new(&ARGUMENT, message));
    }
    let mut out = text_file(common.output, common.force, common.format, common.level)?;
    out.append(json.as_bytes())?;
    out.append(b"\n")?;
    out.end()?;
    let bytes = out.bytes();
    out.into_file()?.commit(common.sync)?;
    let input_bytes = common.inputs.iter().filter_map(|p| fs::metadata(p).ok()).map(|m| m.len()).sum();
    let mut summary = TableSummary::default();
    summary.inputs = common.inputs.iter().map(|p| display(p)).collect();
    summary.output = display(common.output);
    summary.format = common.format.name();
    (summary.input_bytes, summary.output_bytes) = (input_bytes, bytes);
    summary.notes = vec![forebay::tables::DOCUMENT_NOTE.into()];
    print(&summary, 0.0, talk);
    Ok(Outcome::Fine)
}

fn print(summary: &TableSummary, seconds: f64, out: &Output) {
    if summary.output == PIPE {
        summary.notes.iter().for_each(|note| out.note(format!("note: {note}")));
        return;
    }
    let rate = summary.rows as f64 / seconds.max(1e-6);
    if out.json() {
        let mut value = json!(summary);
        value["seconds"] = seconds.into();
        value["rows_per_second"] = rate.into();
        return out.value(&value);
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
