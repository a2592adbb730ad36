//! A file as Parquet's crate asks for it.

use std::{
    io::{self, Read},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use forebay::{Error, Result};
use parquet::{
    errors::{ParquetError, Result as ParquetResult},
    file::reader::{ChunkReader, Length},
};

use crate::ranges::Ranges;

/// Bytes that are read for the header of a page.
const HEADER: u64 = 4 << 10;

/// A file that Parquet's crate reads. What goes wrong is kept for [`refused`](Self::refused), since it loses its code and
/// its place on the way through the crate.
#[derive(Clone, Debug)]
pub struct ParquetFile<F> {
    input: F,
    refused: Arc<Mutex<Option<Error>>>,
    /// Bytes that were fetched already, and where they begin.
    fetched: (u64, Bytes),
}

impl<F: Ranges> ParquetFile<F> {
    /// Of a file.
    pub fn new(input: F) -> ParquetFile<F> {
        ParquetFile { input, refused: Arc::default(), fetched: Default::default() }
    }

    /// The file itself.
    pub fn input(&self) -> &F {
        &self.input
    }

    /// Why reading ended, if the reason did not come from the crate itself.
    pub fn refused(&self) -> Option<Error> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Keeps an error, and gives what the crate is told.
    pub fn refuse(&self, e: Error) -> io::Error {
        let said = io::Error::other(e.to_string());
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        said
    }

    /// The same file, of which these bytes were fetched.
    pub(super) fn with(&self, at: u64, bytes: Bytes) -> ParquetFile<F> {
        ParquetFile { fetched: (at, bytes), ..self.clone() }
    }

    /// Returns the fetched bytes from there on, if there are any.
    fn fetched(&self, at: u64) -> Option<Bytes> {
        let (start, bytes) = &self.fetched;
        let skip = usize::try_from(at.checked_sub(*start)?).ok()?;
        (skip < bytes.len()).then(|| bytes.slice(skip..))
    }

    /// At most this many bytes from there on; none behind the end.
    pub fn some(&self, at: u64, most: u64) -> Result<Bytes> {
        match self.fetched(at) {
            Some(mut bytes) => {
                bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
                Ok(bytes)
            }
            None => self.input.some(at, most),
        }
    }
}

impl<F: Ranges> Length for ParquetFile<F> {
    fn len(&self) -> u64 {
        self.input.len()
    }
}

impl<F: Ranges> ChunkReader for ParquetFile<F> {
    type T = Piecemeal<F>;

    /// The crate reads the footer's length and headers of pages through this.
    fn get_read(&self, start: u64) -> ParquetResult<Piecemeal<F>> {
        if start > self.input.len() {
            let message = format!("byte {start} is beyond the end of the file, which has {}", self.input.len());
            return Err(ParquetError::EOF(message));
        }
        Ok(Piecemeal { file: self.clone(), at: start, bytes: Bytes::new() })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.input.len());
        let Some(end) = end else {
            let message = format!("{length} bytes at {start} are not in the file, which has {}", self.input.len());
            return Err(ParquetError::EOF(message));
        };
        if let Some(bytes) = self.fetched(start).filter(|bytes| length <= bytes.len()) {
            return Ok(bytes.slice(..length));
        }
        self.input.slice(start..end).map_err(|e| self.refuse(e).into())
    }
}

/// Bytes from some place on, as many as are asked for.
#[derive(Debug)]
pub struct Piecemeal<F> {
    file: ParquetFile<F>,
    at: u64,
    bytes: Bytes,
}

impl<F: Ranges> Read for Piecemeal<F> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() {
            self.bytes = self.file.some(self.at, HEADER).map_err(|e| self.file.refuse(e))?;
            self.at += self.bytes.len() as u64;
        }
        let n = out.len().min(self.bytes.len());
        out[..n].copy_from_slice(&self.bytes.split_to(n));
        Ok(n)
    }
}
