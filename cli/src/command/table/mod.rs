//! What the commands do with tables: CSV, JSON lines, Parquet, Arrow, TBF and IDV.
//!
//! Each command asks [`is_table`] about its file and comes here when the answer is yes.

pub(super) mod args;
pub(super) mod convert;
pub(super) mod head;
pub(super) mod inspect;
pub(super) mod stats;

use std::path::Path;

use forebay::{
    Error, Result,
    annotations::{HEAD_BYTES, detect},
    error::codes::NOT_SAMPLES,
    words::Word,
};
use forebay_native::{
    input,
    tables::{ReadOptions, TableFormat, rows_format, table_format},
};

/// The table format of a file: what the user says, else its content, else for text its name. A Parquet file of images is a
/// table only for those who say so.
pub(super) fn is_table(path: &Path, read: &ReadOptions) -> Result<Option<TableFormat>> {
    by(path, read, rows_format)
}

/// The same where a table is wanted, which a Parquet file of images is too.
pub(super) fn as_table(path: &Path, read: &ReadOptions) -> Result<Option<TableFormat>> {
    by(path, read, table_format)
}

fn by(
    path: &Path,
    read: &ReadOptions,
    format: fn(&Path) -> Result<Option<TableFormat>>,
) -> Result<Option<TableFormat>> {
    match read.format {
        Some(format) => Ok(Some(format)),
        None => {
            refuse_labels(path)?;
            format(path)
        }
    }
}

/// Label files that are not tables are told by name, and not as broken lines of JSON or as nothing that is known.
fn refuse_labels(path: &Path) -> Result<()> {
    if !path.is_file() || input::is_pipe(path) {
        return Ok(());
    }
    let file = input::Input::pieces(path)?;
    let head = file.slice(0..file.len().min(HEAD_BYTES as u64))?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_line = || serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok();
    let yaml = path.extension().is_some_and(|ext| ext == "yaml" || ext == "yml");
    let is_other = match text.first() {
        Some(b'<') => true,
        // An object over several lines. One in a line is a row, and so is each object of an array.
        Some(b'{') => first.len() < text.len() && !is_line(),
        _ => yaml,
    };
    match detect(&input::display(path), &head).filter(|_| is_other) {
        Some(format) => {
            let message = format!("these are labels of the format {}; forebay labels check reads them", format.word());
            Err(Error::new(&NOT_SAMPLES, message).file(input::display(path)))
        }
        None => Ok(()),
    }
}
