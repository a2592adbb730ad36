//! From a name to a source, and from a format to a sink.

use std::{io::Cursor, path::Path};

use bytes::Bytes;
use forebay::{
    Error, Result,
    detect::HEAD_LEN,
    error::codes::{ARGUMENT, UNKNOWN_FORMAT},
    tables::TableKind,
};

use super::{
    FileWriter, ReadOptions, TableCompression, TableFormat, TableSink, TableSource, WriteOptions,
    core_file::{CoreSource, open_core},
    core_sink::CoreSink,
    idv::IdvSink,
    packing::{Packing, text_file},
    text::TextSource,
    text_input::TextInput,
};
use crate::{
    input::{Input, display, first_bytes},
    output::AtomicFile,
};

/// The table format of a file, by its first bytes, and for text by its name; `None` for what is no table. A pipe still has
/// its first bytes for who reads it then.
pub fn table_format(path: &Path) -> Result<Option<TableFormat>> {
    if path.is_dir() {
        return Ok(None);
    }
    let head = first_bytes(path, HEAD_LEN)?;
    Ok(match TableFormat::from_head(&head) {
        Some(format) => Some(format),
        // A tar may be called anything, and text has no first bytes of its own.
        None => match forebay::detect::detect(&head) {
            None | Some(forebay::detect::Format::Gzip | forebay::detect::Format::Zstd) => {
                TableFormat::text_from_name(path)
            }
            Some(_) => None,
        },
    })
}

/// Opens a table. `-` is standard input, for formats that are read from front to back.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    if options.samples {
        return super::samples::open(path, options).map_err(|e| e.file(display(path)));
    }
    let format = match options.format {
        Some(format) => format,
        None => table_format(path)?.ok_or_else(|| {
            let message = "this is no table, or its name does not say which text format it is";
            Error::new(&UNKNOWN_FORMAT, message).file(display(path)).with_options(&["format"])
        })?,
    };
    open_as(path, format, options).map_err(|e| e.file(display(path)))
}

/// Opens text that is at hand: CSV, TSV or JSON lines.
pub fn open_text(text: Vec<u8>, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    Ok(Box::new(TextSource::new(TextInput::of(text), format, options)?))
}

/// Opens a table of any format whose bytes are at hand. Fuzzing has no files: it opens a hundred thousand tables a second.
#[doc(hidden)]
pub fn open_bytes(bytes: Bytes, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    let name = "table";
    let input = || Input::memory(name, bytes.clone());
    Ok(match format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl => {
            let text = TextInput::unpacked(name.into(), Cursor::new(bytes))?;
            Box::new(TextSource::new(text, format, options)?)
        }
        TableFormat::Idv => Box::new(CoreSource::open(input(), TableKind::Idv, options)?),
        TableFormat::Tbf => Box::new(CoreSource::open(input(), TableKind::Tbf, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Parquet => Box::new(super::parquet::ParquetSource::new(input(), options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrow => Box::new(super::ipc::IpcSource::file(&input(), options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrows => Box::new(super::ipc::IpcSource::stream(Cursor::new(bytes), options)?),
        #[cfg(not(feature = "arrow"))]
        other => return Err(no_route("read", other)),
    })
}

fn open_as(path: &Path, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    Ok(match format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl => Box::new(TextSource::open(path, format, options)?),
        TableFormat::Idv => Box::new(CoreSource::open(whole(path, options)?, TableKind::Idv, options)?),
        TableFormat::Tbf => Box::new(CoreSource::open(whole(path, options)?, TableKind::Tbf, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Parquet => Box::new(open_parquet(path, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrow | TableFormat::Arrows => Box::new(open_ipc(path, format, options)?),
        #[cfg(not(feature = "arrow"))]
        other => return Err(no_route("read", other)),
    })
}

#[cfg(feature = "arrow")]
pub(super) fn open_parquet(path: &Path, options: &ReadOptions) -> Result<super::parquet::ParquetSource> {
    super::parquet::ParquetSource::new(whole(path, options)?, options)
}

/// An Arrow file, or a stream, which may be a pipe.
#[cfg(feature = "arrow")]
pub(super) fn open_ipc(path: &Path, format: TableFormat, options: &ReadOptions) -> Result<super::ipc::IpcSource> {
    if format == TableFormat::Arrow {
        return super::ipc::IpcSource::file(&whole(path, options)?, options);
    }
    super::ipc::IpcSource::stream(crate::input::Reading::open(path)?, options)
}

/// A file that is asked at random; only text and Arrow streams come from a pipe.
pub(super) fn whole(path: &Path, options: &ReadOptions) -> Result<Input> {
    Input::open(path, options.io)
}

/// The file that a sink fills, once the options make sense together.
pub(super) fn output_file(path: &Path, force: bool, options: &WriteOptions) -> Result<FileWriter> {
    if options.group_rows == Some(0) {
        return Err(Error::new(&ARGUMENT, "a row group or block has one row at least"));
    }
    if let (TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl | TableFormat::Tbf, Some(packing)) =
        (options.format, options.compression)
        && packing != TableCompression::None
    {
        let message = format!("{} is not written with {packing:?}", options.format.name());
        return Err(Error::new(&ARGUMENT, message));
    }
    let packing = Packing::of(path, options.format)?;
    let levels = match options.format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl => packing.is_some(),
        TableFormat::Parquet => options.compression == Some(TableCompression::Zstd),
        TableFormat::Idv => options.compression != Some(TableCompression::None),
        _ => false,
    };
    if options.level.is_some() && !levels {
        let message =
            "a level is for Parquet with Zstandard, for IDV with deflate, and for text under a name in .gz or .zst";
        return Err(Error::new(&ARGUMENT, message).with_options(&["level", "compression"]));
    }
    let random = matches!(options.format, TableFormat::Idv);
    match random {
        true => Ok(FileWriter::new(AtomicFile::create(path, force)?)),
        false => text_file(path, force, options.format, options.level.filter(|_| packing.is_some())),
    }
}

/// A sink that writes `path`. What exists is refused unless `force`. Text is compressed where the name ends in `.gz`
/// or `.zst`; a name that promises a compression which is not written is refused.
pub fn create(path: &Path, force: bool, options: &WriteOptions) -> Result<Box<dyn TableSink>> {
    let out = output_file(path, force, options)?;
    Ok(match options.format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl | TableFormat::Tbf => {
            Box::new(CoreSink::new(out, options))
        }
        TableFormat::Idv => Box::new(IdvSink::new(out, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Parquet => Box::new(super::parquet_write::ParquetSink::new(out, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrow | TableFormat::Arrows => Box::new(super::ipc::IpcSink::new(out, options)?),
        #[cfg(not(feature = "arrow"))]
        other => return Err(no_route("written", other)),
    })
}

/// The JSON of a TBF that holds no table but some other value; `None` for everything else.
pub fn document(path: &Path, options: &ReadOptions) -> Result<Option<String>> {
    if options.format.or(table_format(path)?) != Some(TableFormat::Tbf) {
        return Ok(None);
    }
    let named = |e: Error| e.file(display(path));
    open_core(&whole(path, options)?, TableKind::Tbf, options).and_then(|file| file.document()).map_err(named)
}

#[cfg(not(feature = "arrow"))]
fn no_route(verb: &str, format: TableFormat) -> Error {
    Error::new(&super::codes::ROUTE, format!("tables in {} are not {verb} in this build", format.name()))
}
