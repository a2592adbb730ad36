//! One payload made ready to be written: a pure function, so that hosts can run it on many threads.

use bytes::Bytes;

use super::{
    codes,
    raw::{Entry, Layout, entry_flag},
};
use crate::{
    codec::{
        Compression,
        checksum::{crc16, crc32},
        packed::{Kept, Tables},
    },
    error::{Error, Result},
    limits::Limits,
    sample::MediaFormat,
};

/// The settings that every payload of a file shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackOptions {
    /// The layout of the file.
    pub layout: Layout,
    /// How to compress what can shrink.
    pub compression: Compression,
}

impl PackOptions {
    /// Payloads for this layout, compressed this way.
    pub fn new(layout: Layout, compression: Compression) -> Self {
        PackOptions { layout, compression }
    }

    /// Refuses what the layout cannot hold or this build cannot do.
    pub(crate) fn validate(&self) -> Result<()> {
        if self.layout == Layout::Turboloader
            && matches!(self.compression, Compression::Zstd { .. } | Compression::Packed)
        {
            let message =
                "the turboloader layout holds LZ4 or nothing; use the guide layout for Zstandard and packed JPEGs";
            return Err(Error::new(&codes::LAYOUT_CANNOT, message));
        }
        self.compression.validate()
    }
}

/// A payload with everything that its index entry will say, but the position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Packed {
    /// The entry, with offset 0.
    pub(super) entry: Entry,
    /// The bytes to write. Shared with the payload where it is stored as it is.
    pub stored: Bytes,
    /// What follows them: the CRC-32 in the guide layout, nothing in the other.
    trailer: [u8; 4],
    trailer_len: usize,
    /// Why a JPEG was not packed.
    pub(crate) kept: Option<Kept>,
}

impl Packed {
    /// The bytes that follow [`stored`](Self::stored).
    pub fn trailer(&self) -> &[u8] {
        &self.trailer[..self.trailer_len]
    }
    /// Bytes this takes in the file.
    pub fn len(&self) -> u64 {
        self.stored.len() as u64 + self.trailer_len as u64
    }
    /// True for an empty payload in a layout without trailer.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of the payload before compression.
    pub(crate) fn payload_len(&self) -> u64 {
        self.entry.bytes.into()
    }
    /// Refuses what no reader that keeps these limits would read back: a payload that is over them once it is
    /// decompressed. One that is stored as it is, is borrowed and costs no reader anything.
    #[doc(hidden)]
    pub fn check(&self, limits: &Limits) -> Result<()> {
        if self.entry.stored != self.entry.bytes {
            limits.item(self.payload_len()).map_err(|e| e.section("payload").with_options(&["max_sample_bytes"]))?;
        }
        Ok(())
    }
    /// What the payload is.
    #[doc(hidden)]
    pub fn format(&self) -> MediaFormat {
        MediaFormat::from_code(self.entry.format).unwrap_or_default()
    }
}

/// Compresses where that helps, and computes the checksums. Dimensions over 65,535 are written as unknown.
///
/// JPEG, PNG, WebP and MP4 are compressed already: they are stored without trying, but JPEG where it is to be packed.
///
/// ```
/// use forebay::{codec::Compression, sample::MediaFormat, tbl::{Layout, PackOptions, pack}};
/// let options = PackOptions::new(Layout::Guide, Compression::Lz4 { level: 1 });
/// let packed = pack(b"boat, 17".as_slice().into(), MediaFormat::Unknown, 0, 0, &options)?;
/// // What goes to the file.
/// let bytes = [&packed.stored[..], packed.trailer()].concat();
/// assert_eq!(bytes.len() as u64, packed.len());
/// # Ok::<(), forebay::Error>(())
/// ```
pub fn pack(payload: Bytes, format: MediaFormat, width: u32, height: u32, options: &PackOptions) -> Result<Packed> {
    let standard = match options.compression {
        Compression::Packed => Some(Tables::standard()?),
        _ => None,
    };
    pack_with(payload, format, width, height, options, standard.as_deref())
}

/// As [`pack`], with tables for packing JPEGs, which the [`Encoder`](super::Encoder) must be given too.
pub(crate) fn pack_with(
    payload: Bytes,
    format: MediaFormat,
    width: u32,
    height: u32,
    options: &PackOptions,
    tables: Option<&Tables>,
) -> Result<Packed> {
    let too_large = || {
        Error::new(&codes::TOO_LARGE, format!("a payload of {} bytes; TBL v2 holds at most 4 GiB - 1", payload.len()))
    };
    let bytes = u32::try_from(payload.len()).map_err(|_| too_large())?;
    let mut kept = None;
    let compressed = match (options.compression, tables) {
        (Compression::Packed, Some(tables)) if format == MediaFormat::Jpeg => {
            tables.pack(&payload).map_err(|why| kept = Some(why)).ok()
        }
        _ if format.is_compressed() => None,
        (compression, _) => compression.compress(&payload)?,
    };
    let (width, height) = match (u16::try_from(width), u16::try_from(height)) {
        (Ok(w), Ok(h)) => (w, h),
        _ => (0, 0),
    };
    let mut entry = Entry { bytes, format: format.code(), width, height, ..Entry::default() };
    if options.layout == Layout::Turboloader {
        entry.crc16 = crc16(&payload);
        if compressed.is_some() {
            entry.flags |= entry_flag::LZ4;
        }
    }
    let stored = compressed.map_or(payload, Bytes::from);
    // Compressed is smaller than the payload, whose size fits.
    entry.stored = stored.len() as u32;
    let (trailer, trailer_len) = match options.layout {
        Layout::Guide => (crc32(&stored).to_le_bytes(), 4),
        Layout::Turboloader => ([0; 4], 0),
    };
    Ok(Packed { entry, stored, trailer, trailer_len, kept })
}
