//! Every fault of a table that can be found.

use std::path::Path;

use forebay::{
    Result,
    check::Report,
    error::Kind,
    tables::{TableKind, report_rows},
};

use super::{OnBadRow, ReadOptions, TableFormat, core_file::check_core, leave_out_unread, open};
use crate::input::{Input, display};

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
        TableFormat::Idv => check_core(&Input::map(path)?, TableKind::Idv, options, progress),
        TableFormat::Tbf => check_core(&Input::map(path)?, TableKind::Tbf, options, progress),
        _ => rows(path, options, progress),
    };
    match found {
        Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => Ok(Report::unopened(&e)),
        other => other.map_err(|e| e.file(display(path))),
    }
}

fn rows(path: &Path, options: &ReadOptions, progress: &mut dyn FnMut(u64, Option<u64>)) -> Result<Report> {
    let options = ReadOptions { on_bad_row: OnBadRow::Skip, ..options.clone() };
    let mut source = open(path, &options)?;
    let total = source.rows();
    let (_, mut said) = leave_out_unread(&mut *source)?;
    let mut report = Report::new(0);
    loop {
        match source.next_batch() {
            Ok(Some(batch)) => report.samples += batch.rows() as u64,
            Ok(None) => break,
            Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => {
                report.fault(&e);
                break;
            }
            Err(e) => return Err(e),
        }
        progress(report.samples, total);
    }
    let (bad, skipped) = (source.bad_rows(), source.skipped());
    said.append(&mut source.notes());
    report_rows(&mut report, &bad, skipped, said);
    Ok(report)
}
