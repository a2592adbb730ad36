//! From a name to a source, and from a format to a sink.

use std::{io::Cursor, path::Path};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    detect::HEAD_LEN,
    error::codes::{ARGUMENT, UNKNOWN_FORMAT},
    tables::{TableKind, TableWriter},
};

use super::{
    FileWriter, ReadOptions, TableCompression, TableFormat, TableOutput, TableSink, TableSource, WriteOptions,
    core_file::{CoreSource, open_core},
    idv::IdvSink,
    packing::{Packing, text_file},
    text::TextSource,
    text_input::TextInput,
    writer::SharedFile,
};
use crate::{
    input::{Input, display, first_bytes},
    output::AtomicFile,
    parquets,
};

/// The table format of a file, by its first bytes, and for text by its name; `None` for what is not a table. A pipe
/// still has its first bytes for whoever reads it then.
pub fn table_format(path: &Path) -> Result<Option<TableFormat>> {
    if path.is_dir() || crate::input::remote::is_folder(path) {
        return Ok(None);
    }
    let head = first_bytes(path, HEAD_LEN)?;
    Ok(match TableFormat::from_head(&head) {
        Some(format) => Some(format),
        // A tar may be called anything, and text has no first bytes of its own.
        None => match forebay::detect::detect(&head) {
            None | Some(forebay::formats::Format::Gzip | forebay::formats::Format::Zstd) => {
                TableFormat::text_from_name(path)
            }
            Some(_) => None,
        },
    })
}

/// As [`table_format`], where nobody asks for a table: a Parquet file whose images are samples is none.
pub fn rows_format(path: &Path) -> Result<Option<TableFormat>> {
    let found = table_format(path)?;
    let holds_images = || parquets::holds_images(path, &Limits::host());
    Ok(found.filter(|format| *format != TableFormat::Parquet || !holds_images()))
}

/// Opens a table. `-` is standard input, for formats that are read from front to back.
pub fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    if options.samples {
        return super::samples::open(path, options).map_err(|e| e.file(display(path)));
    }
    let format = match options.format {
        Some(format) => format,
        None => table_format(path)?.ok_or_else(|| {
            let message = "this is not a table, or its name does not say which text format it is";
            Error::new(&UNKNOWN_FORMAT, message).file(display(path)).with_options(&["format"])
        })?,
    };
    open_as(Place::Path(path), format, options).map_err(|e| e.file(display(path)))
}

/// Opens text that is in memory: CSV, TSV or JSON lines.
pub fn open_text(text: Vec<u8>, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    Ok(Box::new(TextSource::new(TextInput::of(text), format, options)?))
}

/// Opens a table of any format whose bytes are in memory. Fuzzing has no files: it opens a hundred thousand tables a
/// second.
#[doc(hidden)]
pub fn open_bytes(bytes: Bytes, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    open_as(Place::Bytes(bytes), format, options)
}

/// Where the bytes of a table are.
pub(super) enum Place<'a> {
    Path(&'a Path),
    Bytes(Bytes),
}

impl Place<'_> {
    /// A file that is asked at random; only text and Arrow streams come from a pipe.
    pub fn whole(self, options: &ReadOptions) -> Result<Input> {
        match self {
            Place::Path(path) => Input::open(path, options.io),
            Place::Bytes(bytes) => Ok(Input::memory("table", bytes)),
        }
    }
    fn text(self) -> Result<TextInput> {
        match self {
            Place::Path(path) => TextInput::open(path),
            Place::Bytes(bytes) => TextInput::unpacked("table".into(), Cursor::new(bytes)),
        }
    }
}

fn open_as(place: Place<'_>, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    Ok(match format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl => {
            Box::new(TextSource::new(place.text()?, format, options)?)
        }
        TableFormat::Idv => Box::new(CoreSource::open(place.whole(options)?, format, TableKind::Idv, options)?),
        TableFormat::Tbf => Box::new(CoreSource::open(place.whole(options)?, format, TableKind::Tbf, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Parquet => Box::new(open_parquet(place, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrow | TableFormat::Arrows => Box::new(open_ipc(place, format, options)?),
        #[cfg(not(feature = "arrow"))]
        other => return Err(no_route("read", other)),
    })
}

#[cfg(feature = "arrow")]
pub(super) fn open_parquet(place: Place<'_>, options: &ReadOptions) -> Result<super::parquet::ParquetSource> {
    super::parquet::ParquetSource::new(place.whole(options)?, options)
}

/// An Arrow file, or a stream, which may be a pipe.
#[cfg(feature = "arrow")]
pub(super) fn open_ipc(place: Place<'_>, format: TableFormat, options: &ReadOptions) -> Result<super::ipc::IpcSource> {
    match (format, place) {
        (TableFormat::Arrow, place) => super::ipc::IpcSource::file(&place.whole(options)?, options),
        (_, Place::Path(path)) => super::ipc::IpcSource::stream(crate::input::Reading::open(path)?, options),
        (_, Place::Bytes(bytes)) => super::ipc::IpcSource::stream(Cursor::new(bytes), options),
    }
}

/// The file that a sink fills, once the options make sense together.
pub(super) fn output_file(path: &Path, force: bool, options: &WriteOptions, verify: bool) -> Result<FileWriter> {
    if options.core.group_rows == Some(0) {
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
        true if verify => Ok(FileWriter::new(AtomicFile::create_to_read_back(path, force)?)),
        true => Ok(FileWriter::new(AtomicFile::create(path, force)?)),
        false => text_file(path, force, options.format, options.level.filter(|_| packing.is_some()), verify),
    }
}

/// Begins to write a table into `path`. What exists is refused unless `force`. Text is compressed where the name ends in
/// `.gz` or `.zst`; a name that promises a compression which is not written is refused.
pub fn create(path: &Path, force: bool, options: &WriteOptions) -> Result<TableOutput> {
    create_for(path, force, options, false)
}

/// The same, for what is to be read back before it appears if `verify`.
pub(super) fn create_for(path: &Path, force: bool, options: &WriteOptions, verify: bool) -> Result<TableOutput> {
    let file = SharedFile::new(output_file(path, force, options, verify)?);
    let sink: Box<dyn TableSink + Send> = match options.format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl | TableFormat::Tbf => {
            Box::new(TableWriter::new(options.core.clone()))
        }
        TableFormat::Idv => Box::new(IdvSink::new(options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Parquet => Box::new(super::columns_out::parquet_sink(file.clone(), options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrow | TableFormat::Arrows => Box::new(super::columns_out::ipc_sink(file.clone(), options)?),
        #[cfg(not(feature = "arrow"))]
        other => return Err(no_route("written", other)),
    };
    Ok(TableOutput::new(file, sink))
}

/// The JSON of a TBF that holds no table but some other value; `None` for everything else.
pub fn document(path: &Path, options: &ReadOptions) -> Result<Option<String>> {
    if options.format.or(table_format(path)?) != Some(TableFormat::Tbf) {
        return Ok(None);
    }
    let named = |e: Error| e.file(display(path));
    open_core(&Place::Path(path).whole(options)?, TableKind::Tbf, options)
        .and_then(|file| file.document())
        .map_err(named)
}

#[cfg(not(feature = "arrow"))]
fn no_route(verb: &str, format: TableFormat) -> Error {
    Error::new(&super::codes::ROUTE, format!("tables in {} are not {verb} in this build", format.name()))
}
