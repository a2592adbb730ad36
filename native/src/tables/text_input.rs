//! Text to read from front to back: a file, also compressed, or standard input.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use bytes::Bytes;
use forebay::Result;

use crate::input::{PIPE, display, io_error};

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 18;

/// An opened text.
pub(super) struct TextInput {
    pub name: String,
    reader: Box<dyn BufRead + Send>,
}

impl TextInput {
    /// Opens a file by name, `-` for standard input; gzip and Zstandard are taken off by their first bytes.
    pub fn open(path: &Path) -> Result<TextInput> {
        let name = display(path);
        let raw: Box<dyn Read + Send> = match name.as_str() {
            PIPE => Box::new(io::stdin()),
            _ => Box::new(File::open(path).map_err(|e| io_error(&name, "open", e))?),
        };
        let mut raw = BufReader::with_capacity(BUFFER, raw);
        let head = raw.fill_buf().map_err(|e| io_error(&name, "read", e))?;
        let reader: Box<dyn BufRead + Send> = if head.starts_with(&[0x1f, 0x8b, 8]) {
            Box::new(BufReader::with_capacity(BUFFER, flate2::bufread::MultiGzDecoder::new(raw)))
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let decoder = zstd::Decoder::with_buffer(raw).map_err(|e| io_error(&name, "read", e))?;
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        } else {
            Box::new(raw)
        };
        Ok(TextInput { name, reader })
    }

    /// Text that is made as it is read.
    pub fn over(name: String, reader: impl BufRead + Send + 'static) -> TextInput {
        TextInput { name, reader: Box::new(reader) }
    }
    /// Text that is at hand.
    pub fn of(text: Vec<u8>) -> TextInput {
        TextInput { name: "text".into(), reader: Box::new(io::Cursor::new(text)) }
    }

    /// The next bytes; empty at the end.
    pub fn next(&mut self) -> Result<Bytes> {
        let found = self.reader.fill_buf().map_err(|e| io_error(&self.name, "read", e))?;
        let bytes = Bytes::copy_from_slice(found);
        self.reader.consume(bytes.len());
        Ok(bytes)
    }
}

impl std::fmt::Debug for TextInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextInput").field("name", &self.name).finish_non_exhaustive()
    }
}
