//! A file of this machine as Parquet's and Arrow's crates ask for it.

use std::{ops::Range, sync::mpsc, thread};

use bytes::Bytes;
use forebay::{Error, Result, error::codes::IO};
use forebay_columns::ranges::{Coming, Ranges};

use crate::input::Input;

impl Ranges for Input {
    fn len(&self) -> u64 {
        Input::len(self)
    }
    fn slice(&self, range: Range<u64>) -> Result<Bytes> {
        Input::slice(self, range)
    }
    fn lend(&self, range: Range<u64>) -> Result<Bytes> {
        Input::lend(self, range)
    }
    fn begin(&self, ranges: Vec<Range<u64>>) -> Option<Coming> {
        if self.is_local() {
            return None;
        }
        let (give, take) = mpsc::sync_channel(1);
        let input = self.clone();
        let fetch = move || drop(give.send(input.lend_many(&ranges)));
        thread::Builder::new().name("forebay-ahead".into()).spawn(fetch).ok()?;
        Some(Box::new(move || take.recv().map_err(|e| Error::caused(&IO, "a thread that fetches ended", e))?))
    }
}
