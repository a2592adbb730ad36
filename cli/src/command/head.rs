//! `forebay head`: the first samples or rows, as a table or one JSON object a line.

use std::path::PathBuf;

use forebay::{
    Result, check::Fault, codec::Codec, filter::Filter, sample::MediaFormat, samples::Watch, warehouse::sha256,
};
use forebay_native::dataset::Dataset;
use serde::Serialize;
use serde_json::Value;

use super::{
    effect::{Given, Route, Uses},
    exact,
    filtering::{Faults, FolderArgs, LimitArgs, filter},
    several::each,
    table::{
        self,
        args::{TableReadArgs, scan},
        head::Wanted,
    },
};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// Which options have an effect on what.
pub(super) const USES: Uses = &[
    (&["n", "skip", "filter"], &[Route::Samples, Route::Table]),
    (&["hash", "class_level"], &[Route::Samples]),
    (&["max_sample_bytes"], &[Route::Samples, Route::Table]),
    (
        &["columns", "sparse", "schema", "types", "no_header", "delimiter", "null", "on_bad_row", "sniff_rows"],
        &[Route::Table],
    ),
];

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Number of samples or rows to show.
    #[arg(short = 'n', long = "lines", default_value_t = 10)]
    n: u64,
    /// Number of samples or rows to skip.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Use only samples or rows that match a filter.
    ///
    /// For example 'width >= 224 && cls == 3'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    /// Show the SHA-256 of every payload.
    #[arg(long)]
    hash: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    folder: FolderArgs,
    /// Columns to show, in this order.
    #[arg(long, help_heading = "Tables", value_name = "NAMES")]
    columns: Option<String>,
    /// Print sparse vectors as indices and values.
    ///
    /// For example {"length":5,"indices":[1],"values":[2.5]}.
    #[arg(long, help_heading = "Tables")]
    sparse: bool,
    #[command(flatten)]
    table: TableReadArgs,
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let (limits, filter) = (args.limits.limits(), filter(args.filter.as_deref())?);
    // Looking on cuts what is finer than our own types, and says so.
    let read = args.table.options(&limits, true)?;
    let mut faults = Faults::default();
    let mut watch = filter.as_ref().map(Watch::new);
    // A filter is judged by all samples of all files, and none of them was passed over.
    let mut all = args.skip == 0;
    let done = each(&args.files, out, |path, _| {
        if let Some(format) = table::is_table(path, &read)? {
            given.check(USES, Route::Table)?;
            given.check_formats(&[format], None, &read)?;
            let wanted = Wanted { n: args.n, skip: args.skip, sparse: args.sparse };
            let scan = scan(args.columns.as_deref(), args.filter.as_deref())?;
            return table::head::run(path, &read, &scan, &wanted, out);
        }
        // With a filter nobody knows which samples are the first.
        let first = args.filter.is_none().then(|| args.skip.saturating_add(args.n));
        let dataset = args.folder.open_first(path, &limits, first)?;
        // Behind opening: what cannot be opened is not a matter of options.
        given.check(USES, Route::Samples)?;
        filter.iter().try_for_each(Filter::check_for_samples)?;
        let mut table = Table::default();
        let mut left = args.n;
        for i in args.skip..dataset.len() {
            if left == 0 {
                all = false;
                break;
            }
            if let Some(watch) = &mut watch
                && faults.forgive(i, dataset.accepts(i, watch))? != Some(true)
            {
                continue;
            }
            left -= 1;
            let row = row(&dataset, i, args.hash, &mut faults)?;
            if out.json() {
                out.raw(exact::line(&row, &dataset, i));
            } else {
                table.push(&row);
            }
        }
        if !out.json() {
            table.print(out);
        }
        Ok(Outcome::Fine)
    })?;
    if let Some(watch) = watch {
        // Of files that could not be read nothing is known.
        if all && done == Outcome::Fine {
            watch.judge()?;
        }
        watch.notes().for_each(|note| out.note(format!("note: {note}")));
    }
    Ok(done.max(faults.tell(out)))
}

/// A sample; null is what is not known.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Head"))]
pub(super) struct Row<'a> {
    /// The sample's number.
    i: u64,
    /// Its name.
    name: Option<String>,
    /// The format of its payload.
    format: Option<MediaFormat>,
    /// Pixels across.
    width: Option<u32>,
    /// Pixels down.
    height: Option<u32>,
    /// Bytes of the payload once decompressed.
    bytes: Option<u64>,
    /// Bytes of the payload in the file.
    stored_bytes: Option<u64>,
    /// Where the payload begins in the file.
    offset: Option<u64>,
    /// How the payload is stored.
    codec: Option<Codec>,
    /// The metadata.
    metadata: Option<Value>,
    /// With `--hash`: the SHA-256 of the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<Option<String>>,
    /// The first fault, if not all of it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'a Fault>,
}

/// What is known of one sample. Its payload is read only for the hash; over a TBL nothing but its index entry and
/// its metadata is touched. What cannot be read is `fault`, and the rest is there.
fn row(dataset: &Dataset, i: u64, hash: bool, faults: &mut Faults) -> Result<Value> {
    let before = faults.count;
    let info = faults.forgive(i, dataset.info(i))?;
    let metadata = faults.forgive(i, dataset.find_metadata(i))?.flatten();
    let metadata = metadata.map(|(value, kept)| {
        kept.iter().for_each(|e| faults.add(e));
        value
    });
    let name = match &metadata {
        Some(value) => value["name"].as_str().map(str::to_owned),
        None if dataset.tbl().is_some() || dataset.warehouse().is_some() => None,
        None => dataset.sample_name(i)?,
    };
    let hashed = if hash { Some(faults.forgive(i, dataset.payload(i))?.map(|payload| sha256(&payload))) } else { None };
    let known = |n: u32| (n > 0).then_some(n);
    let info = info.as_ref();
    let row = Row {
        i,
        name,
        format: info.map(|info| info.format),
        width: info.and_then(|info| known(info.width)),
        height: info.and_then(|info| known(info.height)),
        bytes: info.map(|info| info.bytes),
        stored_bytes: info.map(|info| info.stored_bytes),
        offset: info.map(|info| info.offset),
        codec: info.map(|info| info.codec),
        metadata,
        sha256: hashed,
        // Of several the first says it: a damaged entry has no payload either.
        fault: if faults.count > before { faults.all.get(before as usize) } else { None },
    };
    Ok(serde_json::to_value(row).unwrap_or_default())
}

/// Rows for people, columns as wide as they need to be.
#[derive(Default)]
struct Table {
    rows: Vec<[String; 7]>,
}

impl Table {
    fn push(&mut self, row: &Value) {
        let text = |key: &str| row[key].as_str().map(printable).unwrap_or_else(|| "-".into());
        let size = match (row["width"].as_u64(), row["height"].as_u64()) {
            (Some(w), Some(h)) => format!("{w}x{h}"),
            _ => "-".into(),
        };
        let more: Vec<String> = row["metadata"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, _)| !["id", "name", "exact", "members"].contains(&key.as_str()))
            .map(|(key, value)| format!("{}={}", printable(key), printable(&value.to_string())))
            .collect();
        let mut last: String = more.join(" ").chars().take(60).collect();
        if let Some(fault) = row["fault"]["message"].as_str() {
            last = format!("DAMAGED: {} {last}", printable(fault)).chars().take(100).collect();
        }
        if let Some(hash) = row["sha256"].as_str() {
            last = format!("{hash} {last}");
        }
        let bytes = row["bytes"].as_u64().unwrap_or(0);
        let i = row["i"].as_u64().unwrap_or(0);
        self.rows.push([human::count(i), text("name"), text("format"), size, human::bytes(bytes), text("codec"), last]);
    }

    fn print(&self, out: &Output) {
        let titles = ["#", "name", "format", "size", "bytes", "codec", "metadata"].map(str::to_owned);
        let rows: Vec<&[String; 7]> = std::iter::once(&titles).chain(&self.rows).collect();
        let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..7).map(width).collect();
        for row in rows {
            let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &w))| match i {
                0 | 4 => format!("{cell:>w$}"),
                _ => format!("{cell:<w$}"),
            });
            out.line(cells.collect::<Vec<_>>().join("  ").trim_end());
        }
    }
}
