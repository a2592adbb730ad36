//! Every fault of a table that can be found.

use std::path::Path;

use forebay::{Result, check::Report, error::Kind, tables::TableKind, text::report_rows};

use super::{
    OnBadRow, ReadOptions, TableFormat, TableSource, core_file::check_core, leave_out_unread, open, route::Place,
};
use crate::input::display;

/// Checks a table. IDV and TBF are checked part by part and every fault is named; of text every bad row is; of
/// the other formats every row is read, and the first fault ends that. `progress` hears the rows done, and the
/// rows in all where they are known.
pub fn check(
    path: &Path,
    format: TableFormat,
    options: &ReadOptions,
    progress: &mut dyn FnMut(u64, Option<u64>),
) -> Result<Report> {
    let found = match format {
        TableFormat::Idv => check_core(&Place::Path(path).whole(options)?, TableKind::Idv, options, progress),
        TableFormat::Tbf => check_core(&Place::Path(path).whole(options)?, TableKind::Tbf, options, progress),
        _ => rows(path, options, progress),
    };
    match found {
        Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => Ok(Report::unopened(&e)),
        other => other.map_err(|e| e.file(display(path))),
    }
}

/// Columns of Parquet that are read together.
pub(super) const TOGETHER: usize = 2048;

/// Reads and counts the rows of what is chosen.
fn all_rows(source: &mut dyn TableSource, rows: &mut u64, progress: &mut dyn FnMut(u64)) -> Result<()> {
    while let Some(batch) = source.next_batch()? {
        *rows += batch.rows() as u64;
        progress(*rows);
    }
    Ok(())
}

fn rows(path: &Path, options: &ReadOptions, progress: &mut dyn FnMut(u64, Option<u64>)) -> Result<Report> {
    // What is finer than our own types is not a fault.
    let mut options = ReadOptions { lossy: true, ..options.clone() };
    options.text.on_bad_row = OnBadRow::Skip;
    let mut source = open(path, &options)?;
    let total = source.rows();
    let (mut read, mut said) = (None, Vec::new());
    if source.unread().len() < source.schema().len() {
        let (columns, left_out) = leave_out_unread(&mut *source)?;
        (read, said) = (Some(columns), left_out);
    }
    let mut report = Report::new(0);
    // A column that is being read takes memory of its own, so that very many are read one part after the other.
    let many = read.filter(|columns| source.format() == TableFormat::Parquet && columns.len() > TOGETHER);
    let parts: Vec<&[usize]> = many.iter().flat_map(|columns| columns.chunks(TOGETHER)).collect();
    for part in 0..parts.len().max(1) {
        if let Some(columns) = parts.get(part) {
            source.select(columns)?;
            report.samples = 0;
        }
        if let Err(e) = all_rows(&mut *source, &mut report.samples, &mut |rows| progress(rows, total)) {
            match e.kind() {
                Kind::Damaged | Kind::Limit => report.fault(&e),
                _ => return Err(e),
            }
        }
    }
    let (bad, skipped) = (source.bad_rows(), source.skipped());
    said.append(&mut source.notes());
    report_rows(&mut report, &bad, skipped, said);
    Ok(report)
}
