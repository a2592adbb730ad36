//! A file as other programs' crates ask for it, whoever has its bytes.

use std::{fmt::Debug, ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{Error, Result, error::codes::MISSING_BYTES, step::Pieces};

/// Bytes of a file, by their places.
pub trait Ranges: Clone + Debug + Send + Sync + 'static {
    /// How many bytes the file has.
    fn len(&self) -> u64;
    /// True when it has none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes that stay.
    fn slice(&self, range: Range<u64>) -> Result<Bytes>;
    /// Bytes that are let go of soon.
    fn lend(&self, range: Range<u64>) -> Result<Bytes> {
        self.slice(range)
    }
    /// At most this many bytes from there on; none behind the end.
    fn some(&self, at: u64, most: u64) -> Result<Bytes> {
        let len = self.len();
        let at = at.min(len);
        self.lend(at..at.saturating_add(most).min(len))
    }
    /// Begins to fetch ranges, all at once, while the caller goes on. `None` where that gains nothing, as for bytes of this
    /// machine.
    fn begin(&self, _ranges: Vec<Range<u64>>) -> Option<Coming> {
        None
    }
}

/// Waits for bytes that are on their way.
pub type Coming = Box<dyn FnOnce() -> Result<Vec<Bytes>> + Send>;

/// A file of which some ranges were fetched.
#[derive(Clone, Debug)]
pub struct Fetched {
    len: u64,
    pieces: Arc<Pieces>,
}

impl Fetched {
    /// Of a file of this length.
    pub fn new(len: u64, pieces: &Pieces) -> Fetched {
        Fetched { len, pieces: Arc::new(pieces.clone()) }
    }
}

impl Ranges for Fetched {
    fn len(&self) -> u64 {
        self.len
    }
    fn slice(&self, range: Range<u64>) -> Result<Bytes> {
        self.pieces.expect(range)
    }
    /// As many as were fetched: whoever asks for the header of a page does not know how long it is.
    fn some(&self, at: u64, most: u64) -> Result<Bytes> {
        let wanted = at..at.saturating_add(most).min(self.len);
        if wanted.start >= wanted.end {
            return Ok(Bytes::new());
        }
        let end = self.pieces.lacking(wanted.clone()).first().map_or(wanted.end, |gap| gap.start);
        if end == at {
            return Err(Error::new(&MISSING_BYTES, format!("byte {at} was not fetched")).offset(at));
        }
        self.slice(at..end)
    }
}
