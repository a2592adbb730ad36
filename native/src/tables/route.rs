//! From a name to a source, and from a format to a sink.

use std::{fs::File, io::Read, path::Path};

use forebay::{
    Error, Result,
    detect::HEAD_LEN,
    error::codes::{ARGUMENT, UNKNOWN_FORMAT},
    tables::TableKind,
};

use super::{
    FileWriter, ReadOptions, TableCompression, TableFormat, TableSink, TableSource, WriteOptions, codes,
    core_file::{CoreSource, open_core},
    core_sink::CoreSink,
    idv::IdvSink,
    text::TextSource,
    text_input::TextInput,
};
use crate::{
    input::{Input, PIPE, display, io_error},
    output::AtomicFile,
};

/// The table format of a file, by its first bytes, and for text by its name; `None` for what is no table.
pub fn table_format(path: &Path) -> Result<Option<TableFormat>> {
    let named = TableFormat::from_name(path);
    if display(path) == PIPE || path.is_dir() {
        return Ok(None);
    }
    let mut head = Vec::new();
    let mut file = File::open(path).map_err(|e| io_error(&display(path), "open", e))?;
    file.by_ref().take(HEAD_LEN).read_to_end(&mut head).map_err(|e| io_error(&display(path), "read", e))?;
    Ok(match TableFormat::from_head(&head) {
        Some(format) => Some(format),
        // A tar may be called anything, and text has no first bytes of its own.
        None => match forebay::detect::detect(&head) {
            None | Some(forebay::detect::Format::Gzip | forebay::detect::Format::Zstd) => {
                named.filter(|format| format.is_text())
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
            let message = "this is no table, or its name does not say which text format it is; --from names one";
            Error::new(&UNKNOWN_FORMAT, message).file(display(path))
        })?,
    };
    open_as(path, format, options).map_err(|e| e.file(display(path)))
}

/// Opens text that is at hand: CSV, TSV or JSON lines.
pub fn open_text(text: Vec<u8>, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    Ok(Box::new(TextSource::new(TextInput::of(text), format, options)?))
}

fn open_as(path: &Path, format: TableFormat, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    Ok(match format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl => Box::new(TextSource::open(path, format, options)?),
        TableFormat::Idv => Box::new(CoreSource::open(whole(path)?, TableKind::Idv, options)?),
        TableFormat::Tbf => Box::new(CoreSource::open(whole(path)?, TableKind::Tbf, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Parquet => Box::new(super::parquet::ParquetSource::new(whole(path)?, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrow => Box::new(super::ipc::IpcSource::file(&whole(path)?, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Arrows if display(path) == PIPE => {
            Box::new(super::ipc::IpcSource::stream(std::io::stdin(), options)?)
        }
        #[cfg(feature = "arrow")]
        TableFormat::Arrows => {
            let file = File::open(path).map_err(|e| io_error(&display(path), "open", e))?;
            Box::new(super::ipc::IpcSource::stream(file, options)?)
        }
        #[cfg(not(feature = "arrow"))]
        other => return Err(no_route("read", other)),
    })
}

/// A file that is asked at random: mapped, or from a pipe read whole.
fn whole(path: &Path) -> Result<Input> {
    if display(path) == PIPE {
        return Err(Error::new(
            &codes::ROUTE,
            "this format needs a file; only text and Arrow streams come from a pipe",
        ));
    }
    Input::map(path)
}

/// A sink that writes `path`. What exists is refused unless `force`.
pub fn create(path: &Path, force: bool, options: &WriteOptions) -> Result<Box<dyn TableSink>> {
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
    let levels = match options.format {
        TableFormat::Parquet => options.compression == Some(TableCompression::Zstd),
        TableFormat::Idv => options.compression != Some(TableCompression::None),
        _ => false,
    };
    if options.level.is_some() && !levels {
        let message = "--level is for Parquet with --compression zstd, and for IDV with deflate";
        return Err(Error::new(&ARGUMENT, message));
    }
    let random = matches!(options.format, TableFormat::Idv);
    let file = if random { AtomicFile::create(path, force) } else { AtomicFile::create_streaming(path, force) };
    let out = FileWriter::new(file?);
    Ok(match options.format {
        TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl | TableFormat::Tbf => {
            Box::new(CoreSink::new(out, options))
        }
        TableFormat::Idv => Box::new(IdvSink::new(out, options)?),
        #[cfg(feature = "arrow")]
        TableFormat::Parquet => Box::new(super::parquet::ParquetSink::new(out, options)?),
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
    open_core(&whole(path)?, TableKind::Tbf, options).and_then(|file| file.document()).map_err(named)
}

#[cfg(not(feature = "arrow"))]
fn no_route(verb: &str, format: TableFormat) -> Error {
    Error::new(&codes::ROUTE, format!("tables in {} are not {verb} in this build", format.name()))
}
