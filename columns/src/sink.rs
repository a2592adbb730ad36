//! What writing needs of its host: a place for bytes, and perhaps threads.

use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use forebay::{Error, Result};

/// How a host does several pieces of work of a row group.
pub trait SideBySide: Send {
    /// What `work` makes of each task, in their order. `few` are not worth a thread; the heaviest tasks begin first.
    fn run<T: Send, R: Send>(
        &self,
        tasks: Vec<T>,
        few: bool,
        weight: impl Fn(&T) -> usize,
        work: impl Fn(T) -> Result<R> + Sync,
    ) -> Result<Vec<R>>;
}

/// One after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTurn;

impl SideBySide for InTurn {
    fn run<T: Send, R: Send>(
        &self,
        tasks: Vec<T>,
        _: bool,
        _: impl Fn(&T) -> usize,
        work: impl Fn(T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        tasks.into_iter().map(work).collect()
    }
}

/// Bytes that wait until somebody takes them.
#[derive(Clone, Debug, Default)]
pub struct Waiting(Arc<Mutex<Vec<u8>>>);

impl Waiting {
    /// What was written since.
    pub fn take(&self) -> Vec<u8> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error of ours that went through the standard library's.
pub fn own_error(e: io::Error) -> std::result::Result<Error, io::Error> {
    if e.get_ref().is_none_or(|inner| !inner.is::<Error>()) {
        return Err(e);
    }
    match e.into_inner().map(|inner| inner.downcast::<Error>()) {
        Some(Ok(own)) => Ok(*own),
        Some(Err(other)) => Err(io::Error::other(other)),
        None => Err(io::Error::other("no reason given")),
    }
}
