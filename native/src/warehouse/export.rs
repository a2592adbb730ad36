//! A manifest's summary as a Parquet file: a row for each run, and one for all of them.

use std::{io::IoSlice, path::Path, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{Field, Schema};
use forebay::{
    Error, Result,
    error::codes::{ARGUMENT, IO},
    warehouse::{Counts, Manifest},
};
use parquet::arrow::ArrowWriter;

use crate::{input::display, output::AtomicFile, tables::TableFormat};

/// The run that stands for all.
const ALL: &str = "__total__";

/// Writes the summary of a manifest to `output`, which is replaced only by `force`.
pub fn export(manifest: &Manifest, output: &Path, force: bool) -> Result<()> {
    // Parquet under a name that says CSV would be taken for damage.
    if let Some(other) = TableFormat::from_name(output).filter(|format| *format != TableFormat::Parquet) {
        let message = format!("the summary is written as Parquet, and the name says {}; .parquet goes", other.name());
        return Err(Error::new(&ARGUMENT, message).file(display(output)));
    }
    let bytes = encode(manifest).map_err(|e| Error::caused(&IO, format!("the table cannot be written: {e}"), e))?;
    let mut file = AtomicFile::create(output, force)?;
    file.append(&mut [IoSlice::new(&bytes)])?;
    file.commit(true)
}

fn encode(manifest: &Manifest) -> std::result::Result<Vec<u8>, parquet::errors::ParquetError> {
    let mut rows: Vec<(&str, &str, &Counts)> =
        manifest.summary.runs.iter().map(|run| (run.run_dir.as_str(), "run", run)).collect();
    rows.push((ALL, "total", &manifest.summary.totals));
    let text = |of: &dyn Fn(&(&str, &str, &Counts)) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
    };
    let number = |of: fn(&Counts) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|(_, _, counts)| of(counts))))
    };
    let columns: [(&str, ArrayRef); 10] = [
        ("run", text(&|row| row.0.to_owned())),
        ("kind", text(&|row| row.1.to_owned())),
        ("total", number(|counts| counts.total)),
        ("non_empty", number(|counts| counts.non_empty)),
        ("empty", number(|counts| counts.empty)),
        ("missing_image", number(|counts| counts.missing_image)),
        ("missing_file", number(|counts| counts.missing_file)),
        ("invalid", number(|counts| counts.invalid)),
        ("version", text(&|_| manifest.version.clone())),
        ("code_version", text(&|_| manifest.code_version.clone())),
    ];
    let field = |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), false);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema.clone(), columns.into_iter().map(|(_, array)| array).collect())?;
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, None)?;
    writer.write(&batch)?;
    writer.into_inner()
}
