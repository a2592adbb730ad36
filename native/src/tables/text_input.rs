//! Text to read from front to back: a file, also compressed, or standard input.

use std::{
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use bytes::Bytes;
use forebay::{Error, Result};

use crate::input::{Reading, gzip::Gzip, unread};

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 18;

/// An opened text.
pub(super) struct TextInput {
    pub name: String,
    reader: Box<dyn BufRead + Send>,
    /// Why it could not be read on, which is told behind what was read.
    fault: Option<Error>,
    /// Its end was read, and is not asked for again.
    ended: bool,
}

impl TextInput {
    /// Opens a file by name, `-` for standard input; gzip and Zstandard are taken off by their first bytes.
    pub fn open(path: &Path) -> Result<TextInput> {
        let raw = Reading::open(path)?;
        Self::unpacked(raw.name().to_owned(), raw)
    }

    /// Text that comes from anywhere, with its compression taken off.
    pub fn unpacked(name: String, raw: impl Read + Send + 'static) -> Result<TextInput> {
        let mut raw = BufReader::with_capacity(BUFFER, raw);
        let head = filled(&mut raw).map_err(|e| unread(&name, e))?;
        let reader: Box<dyn BufRead + Send> = if head.starts_with(&[0x1f, 0x8b, 8]) {
            Box::new(BufReader::with_capacity(BUFFER, Gzip::new(raw)))
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let decoder = zstd::Decoder::with_buffer(raw).map_err(|e| unread(&name, e))?;
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        } else {
            Box::new(raw)
        };
        Ok(TextInput { name, reader, fault: None, ended: false })
    }

    /// Text that is made as it is read.
    pub fn over(name: String, reader: impl BufRead + Send + 'static) -> TextInput {
        TextInput { name, reader: Box::new(reader), fault: None, ended: false }
    }
    /// Text that is in memory.
    pub fn of(text: Vec<u8>) -> TextInput {
        TextInput::over("text".into(), io::Cursor::new(text))
    }

    /// This many of the next bytes, fewer only if the text ends or cannot be read on, which the next call says.
    pub fn ahead(&mut self, most: usize) -> Bytes {
        let mut bytes = vec![0; most];
        let mut read = 0;
        while self.fault.is_none()
            && !self.ended
            && let Some(room) = bytes.get_mut(read..).filter(|room| !room.is_empty())
        {
            match self.reader.read(room) {
                Ok(0) => self.ended = true,
                Ok(n) => read += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => self.fault = Some(unread(&self.name, e)),
            }
        }
        bytes.truncate(read);
        bytes.into()
    }

    /// This many of the next bytes, fewer before the end; none at the end.
    pub fn next_of(&mut self, most: usize) -> Result<Bytes> {
        let bytes = self.ahead(most);
        if bytes.is_empty() { self.fault.take().map_or(Ok(bytes), Err) } else { Ok(bytes) }
    }

    /// The next bytes; empty at the end.
    pub fn next(&mut self) -> Result<Bytes> {
        if let Some(e) = self.fault.take() {
            return Err(e);
        }
        if self.ended {
            return Ok(Bytes::new());
        }
        let found = filled(&mut self.reader).map_err(|e| unread(&self.name, e))?;
        let bytes = Bytes::copy_from_slice(found);
        self.reader.consume(bytes.len());
        Ok(bytes)
    }
}

/// The bytes in memory, or the next ones. A signal that came meanwhile is nothing that the text is to blame for.
fn filled(reader: &mut impl BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
            // Asked again, the end would be read again.
            Ok([]) => return Ok(&[]),
            Ok(_) => break,
        }
    }
    // What was filled is there, and is not read again.
    reader.fill_buf()
}

impl std::fmt::Debug for TextInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextInput").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Is interrupted before every byte.
    struct Restless(bool, u8);

    impl Read for Restless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 = !self.0;
            match (self.0, self.1, buffer.first_mut()) {
                (true, ..) => Err(io::ErrorKind::Interrupted.into()),
                (_, 0, _) | (.., None) => Ok(0),
                (_, left, Some(byte)) => {
                    (*byte, self.1) = (b'x', left - 1);
                    Ok(1)
                }
            }
        }
    }

    #[test]
    fn a_signal_while_reading_is_no_error() {
        let mut text = TextInput::over("a.csv".into(), BufReader::new(Restless(false, 9)));
        let mut read = 0;
        loop {
            match text.next().unwrap().len() {
                0 => break,
                n => read += n,
            }
        }
        assert_eq!(read, 9);
    }
}
