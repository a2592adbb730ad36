//! Changes that lie over a file: what work on its samples asks of them. Who knows such changes stands above this.

use std::{fmt, ops::Range, sync::Arc};

use serde_json::{Map, Value};

use crate::error::Result;

/// A sample that is not in the file.
#[derive(Clone, Debug)]
pub struct Laid<'a> {
    /// The name of its file.
    pub name: &'a str,
    /// Where its bytes are, behind those of the file.
    pub bytes: Range<u64>,
}

/// Which samples there are over a file, in which order, and what they say of themselves.
pub trait Overlay: fmt::Debug + Send + Sync {
    /// How many samples there are.
    fn samples(&self) -> u64;
    /// The number that the sample in this place has in the file, or behind its samples.
    fn number(&self, place: u64) -> Option<u64>;
    /// A sample that is not in the file.
    fn laid(&self, sample: u64) -> Option<Laid<'_>>;
    /// Refuses other bytes than those of a sample that is not in the file.
    fn verify(&self, sample: u64, payload: &[u8]) -> Result<()>;
    /// Whether the record of a sample of the file is another one.
    fn changes(&self, sample: u64) -> bool;
    /// The record of a sample, by what the file says of it.
    fn changed(&self, sample: u64, id: u64, text: Option<&str>) -> Result<String>;
    /// The document beside the samples.
    fn document(&self, fields: Map<String, Value>) -> Result<Map<String, Value>>;
}

#[cfg(feature = "overlay")]
type Maker = ();
/// Nobody can make one, so that the compiler leaves out whatever is done with it.
#[cfg(not(feature = "overlay"))]
type Maker = std::convert::Infallible;

/// The same, over a file of this length: what is not in it follows its bytes.
#[derive(Clone, Debug)]
pub(super) struct Over {
    pub changes: Arc<dyn Overlay>,
    file_len: u64,
    _maker: Maker,
}

impl Over {
    #[cfg(feature = "overlay")]
    pub fn new(changes: Arc<dyn Overlay>, file_len: u64) -> Over {
        Over { changes, file_len, _maker: () }
    }

    /// A sample that is not in the file, and where its bytes are.
    pub fn laid(&self, sample: u64) -> Option<Laid<'_>> {
        let Laid { name, bytes } = self.changes.laid(sample)?;
        let at = |place: u64| self.file_len.saturating_add(place);
        Some(Laid { name, bytes: at(bytes.start)..at(bytes.end) })
    }
}
