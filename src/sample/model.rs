//! The words that all image containers share: what a payload is, and what is known about a sample.

use std::ops::Range;

#[doc(inline)]
pub use forebay_base::sample::MediaFormat;

use forebay_base::image::Probe;

use crate::codec::Codec;

/// The index entry of one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleInfo {
    /// The sample's number.
    pub index: u64,
    /// The format of the payload.
    pub format: MediaFormat,
    /// Pixels across; 0 when not known.
    pub width: u32,
    /// Pixels down; 0 when not known.
    pub height: u32,
    /// Bytes of the payload once decompressed.
    pub bytes: u64,
    /// Bytes of the payload in the file.
    pub stored_bytes: u64,
    /// Where the payload begins in the file.
    pub offset: u64,
    /// How the payload is stored.
    pub codec: Codec,
}

impl SampleInfo {
    /// A sample of which only this is known; the caller fills in the rest.
    #[doc(hidden)]
    pub fn new(index: u64, format: MediaFormat) -> Self {
        SampleInfo { index, format, width: 0, height: 0, bytes: 0, stored_bytes: 0, offset: 0, codec: Codec::None }
    }

    /// Of a payload that lies as it is, and whose pixels nobody has looked at yet.
    #[doc(hidden)]
    pub const fn unread(index: u64, offset: u64, bytes: u64, format: MediaFormat) -> Self {
        SampleInfo { index, format, width: 0, height: 0, bytes, stored_bytes: bytes, offset, codec: Codec::None }
    }

    /// What is known of it, with what was seen of its payload.
    #[doc(hidden)]
    pub fn probed(self, seen: Probe) -> Self {
        SampleInfo { format: seen.format, width: seen.width, height: seen.height, ..self }
    }

    /// Where the stored payload lies in the file.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.stored_bytes)
    }
}
