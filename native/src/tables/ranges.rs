//! A file of this machine as Parquet's and Arrow's crates ask for it.

use std::ops::Range;

use bytes::Bytes;
use forebay::Result;
use forebay_columns::ranges::Ranges;

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
}
