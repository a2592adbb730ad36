//! A file that is written from front to back, behind the standard library's trait.

use std::{
    io::{self, IoSlice, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use forebay::{Error, Result};

use super::packer::Packer;
use crate::{input::io_error, output::AtomicFile, parallel::codes::WORKER};

/// Bytes that are gathered before they go out.
const BUFFER: usize = 1 << 18;

/// A file that is being written, with the bytes counted.
#[derive(Debug)]
pub struct FileWriter {
    file: AtomicFile,
    buffer: Vec<u8>,
    bytes: u64,
    packer: Option<Packer>,
}

impl FileWriter {
    /// Writes into this file.
    pub fn new(file: AtomicFile) -> FileWriter {
        FileWriter { file, buffer: Vec::with_capacity(BUFFER), bytes: 0, packer: None }
    }
    /// The same file, with all that is written compressed on the way.
    pub(super) fn packed(mut self, packer: Option<Packer>) -> FileWriter {
        self.packer = packer;
        self
    }
    /// The bytes written so far, as they are in the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// The output's name.
    pub fn name(&self) -> &str {
        self.file.name()
    }
    /// Writes bytes at the end.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.packer {
            None => self.append_plain(bytes),
            Some(packer) => {
                let packed = packer.pack(bytes).map_err(|e| io_error(self.file.name(), "compress", e))?;
                self.append_plain(&packed)
            }
        }
    }

    /// Says that nothing follows, so that what compresses gives its last bytes.
    pub fn end(&mut self) -> Result<()> {
        match self.packer.take() {
            None => Ok(()),
            Some(packer) => {
                let packed = packer.finish().map_err(|e| io_error(self.file.name(), "compress", e))?;
                self.append_plain(&packed)
            }
        }
    }

    fn append_plain(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        if self.buffer.len() + bytes.len() > BUFFER {
            self.send()?;
        }
        if bytes.len() >= BUFFER {
            return self.file.append(&mut [IoSlice::new(bytes)]);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }
    /// Replaces bytes that were written before; not for pipes, nor for what is compressed.
    pub fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        self.send()?;
        self.file.write_at(at, bytes)
    }
    /// The file with everything in it.
    pub fn into_file(mut self) -> Result<AtomicFile> {
        self.end()?;
        self.send()?;
        Ok(self.file)
    }

    fn send(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            self.file.append(&mut [IoSlice::new(&self.buffer)])?;
            self.buffer.clear();
        }
        Ok(())
    }
}

/// A file that one thing fills and another keeps.
#[derive(Clone, Debug)]
pub(super) struct SharedFile(Arc<Mutex<FileWriter>>);

impl SharedFile {
    pub fn new(file: FileWriter) -> SharedFile {
        SharedFile(Arc::new(Mutex::new(file)))
    }
    pub fn lock(&self) -> MutexGuard<'_, FileWriter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// The file, once nothing else has it.
    pub fn into_inner(self) -> Result<FileWriter> {
        let file = Arc::into_inner(self.0).ok_or_else(|| Error::new(&WORKER, "the output is still being written"))?;
        Ok(file.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().append(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.lock().send().map_err(io::Error::other)
    }
}
