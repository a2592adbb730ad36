//! A block's bytes as its values are read from them.

use bytes::Bytes;

use super::codes;
use crate::{cursor::Cursor, error::Result, table::Buffer};

/// Values of a block that could not be kept exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Losses {
    /// True if the block's UTF-8 was malformed.
    pub malformed: bool,
    /// How many boundaries of texts cut a surrogate pair in two; each half is now U+FFFD.
    pub split_pairs: u64,
    /// How many values are marked as missing, as old versions did; they read as empty, false or 0.
    pub missing: u64,
}

/// A block's bytes with a position in them, and what was lost in reading them. What is taken may be shared instead of
/// copied.
pub(super) struct Source<'a> {
    whole: &'a Bytes,
    pub cursor: Cursor<'a>,
    pub losses: Losses,
}

impl<'a> Source<'a> {
    /// Reads `whole`, whose first byte lies at `base` in the file.
    pub fn new(whole: &'a Bytes, base: u64, section: &'static str) -> Self {
        Source { whole, cursor: Cursor::new(whole, base, section, &codes::TRUNCATED), losses: Losses::default() }
    }

    /// The next `n` bytes, sharing the block's memory.
    pub fn take_shared(&mut self, n: usize) -> Result<Bytes> {
        let start = self.cursor.position();
        self.cursor.take(n)?;
        Ok(self.whole.slice(start..start + n))
    }

    /// The next `n` numbers, sharing the block's memory where it is aligned.
    pub fn numbers<T: bytemuck::Pod + Send + Sync>(&mut self, n: usize) -> Result<Buffer<T>> {
        // More than there are bytes is refused by `take`.
        Ok(Buffer::from_le_bytes(self.take_shared(n.saturating_mul(size_of::<T>()))?))
    }
}
