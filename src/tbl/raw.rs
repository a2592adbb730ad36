//! Headers and index entries as they lie on disk, in both layouts.

use std::ops::Range;

use serde::Serialize;

use super::codes;
use crate::{
    codec::{
        Codec,
        checksum::{crc16_parts, crc32, crc32_parts},
    },
    cursor::Cursor,
    error::{Error, Result},
};

/// Bytes of a header, in both layouts.
pub const HEADER_LEN: u64 = 64;
/// Bytes of an index entry as Forebay writes it, in both layouts.
pub const ENTRY_LEN: u64 = 24;
/// The largest index entry that is believed.
const MAX_ENTRY_LEN: u32 = 4096;
/// The first four bytes of the file.
pub const MAGIC: [u8; 4] = *b"TBL\x02";
/// The version in a header; that of one whose payloads are packed JPEGs, and the number of that compression.
const VERSION: u8 = 2;
const PACKED_VERSION: u8 = 3;
const PACKED: u8 = 3;

/// Bits of a guide header's byte 34.
pub mod extension {
    /// Bytes 60..64 hold a CRC-32 of bytes 0..60.
    pub const HEADER_CRC: u8 = 1;
    /// Bytes 36..40 hold a CRC-32 of the metadata section.
    pub const METADATA_CRC: u8 = 2;
    /// Bytes 40..48 hold the offset of the sample-metadata index.
    pub const SAMPLE_INDEX: u8 = 4;
    /// Every bit that has a meaning.
    pub const ALL: u8 = 7;
}

/// Bits of a turboloader header's flags.
pub mod header_flag {
    /// The writer was opened with compression.
    pub const COMPRESSED: u32 = 1;
    /// There is a metadata section.
    pub const METADATA: u32 = 2;
    /// The index entries' checksums are valid.
    pub const CHECKSUMS: u32 = 4;
    /// Every bit that has a meaning.
    pub const ALL: u32 = 7;
}

/// Bits of a turboloader index entry's flags.
pub mod entry_flag {
    /// The payload is one LZ4 block.
    pub const LZ4: u8 = 1;
    /// The metadata section has a block for this sample.
    pub const METADATA: u8 = 2;
    /// Somebody verified the sample.
    pub const VERIFIED: u8 = 4;
    /// Every bit that has a meaning.
    pub const ALL: u8 = 7;
}

/// The two layouts that share the magic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Layout {
    /// The format guide's: CRC-32 after every payload, one metadata document.
    #[default]
    Guide,
    /// What the `turboloader` package writes: CRC-16 in the index, metadata blocks.
    Turboloader,
}

impl crate::words::Word for Layout {
    const ALL: &'static [Self] = &[Layout::Guide, Layout::Turboloader];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Layout {
    /// The word used in reports and options.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Guide => "guide",
            Layout::Turboloader => "turboloader",
        }
    }
}

/// How metadata is written down. The numbers are those of both layouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MetadataFormat {
    /// JSON.
    #[default]
    Json = 1,
    /// The user's own Protobuf bytes.
    Protobuf = 2,
    /// MessagePack.
    Msgpack = 3,
    /// Bytes of a format only the user knows (turboloader layout only).
    Custom = 255,
}

impl crate::words::Word for MetadataFormat {
    /// Those that are written; others are only reported.
    const ALL: &'static [Self] = &[MetadataFormat::Json, MetadataFormat::Protobuf, MetadataFormat::Msgpack];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl MetadataFormat {
    /// The format with this number.
    pub fn from_code(code: u16) -> Option<Self> {
        [Self::Json, Self::Protobuf, Self::Msgpack, Self::Custom].into_iter().find(|f| *f as u16 == code)
    }
    /// The word used in reports and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Protobuf => "protobuf",
            Self::Msgpack => "msgpack",
            Self::Custom => "custom",
        }
    }
}

/// A header of either layout, with its claims checked against the file's length.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Which layout it is.
    pub layout: Layout,
    /// How many samples the index lists.
    pub samples: u64,
    /// How compressed payloads are compressed. In the turboloader layout: LZ4 where the file was opened with compression.
    pub codec: Codec,
    /// Bytes of one index entry.
    pub entry_len: u32,
    /// Where the metadata section lies; `None` when there is none.
    pub metadata: Option<Range<u64>>,
    /// The format of a guide file's metadata document.
    pub metadata_format: Option<MetadataFormat>,
    /// CRC-32 of the metadata section (guide extension).
    pub metadata_crc: Option<u32>,
    /// Where the sample-metadata index lies (guide extension).
    pub sample_index: Option<Range<u64>>,
    /// Why the announced metadata cannot be where the header says; the samples can be read all the same.
    pub metadata_fault: Option<MetadataFault>,
    /// Whether the header carries a checksum of its own.
    pub has_crc: bool,
    /// Whether payloads carry checksums.
    pub payload_checksums: bool,
    /// Where the tables of packed payloads lie; `None` if the file has no such payloads.
    pub tables: Option<Range<u64>>,
}

/// A metadata section that lies where it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataFault {
    section: &'static str,
    at: u64,
    message: String,
}

impl MetadataFault {
    /// The fault as an error.
    pub fn error(&self) -> Error {
        Error::new(&codes::METADATA_RANGE, self.message.clone()).section(self.section).offset(self.at)
    }
}

fn header_error(code: &'static crate::error::Code, at: u64, message: String) -> Error {
    Error::new(code, message).section("header").offset(at)
}

impl Header {
    /// Parses the first bytes of a file of `file_len` bytes, telling the layouts apart.
    pub fn parse(head: &[u8], file_len: u64) -> Result<Header> {
        if head.len() >= 4 && head[..3] == MAGIC[..3] && head[3] != MAGIC[3] {
            return Err(header_error(&codes::VERSION, 3, format!("this is TBL version {}, Forebay reads 2", head[3])));
        }
        if head.len() >= 4 && head[..4] != MAGIC {
            return Err(header_error(&codes::MAGIC, 0, "the file does not begin with TBL 2".into()));
        }
        let mut c = Cursor::new(head, 0, "header", &codes::HEADER_TRUNCATED);
        let fixed: [u8; 64] = c.array()?;
        let mut c = Cursor::new(&fixed[4..], 4, "header", &codes::HEADER_TRUNCATED);
        let version = c.u32()?;
        // What older readers do not know they are to refuse by this number.
        if version != u32::from(VERSION) && (version, fixed[16]) != (PACKED_VERSION.into(), PACKED) {
            return Err(header_error(&codes::VERSION, 4, format!("this is TBL version {version}, Forebay reads 2")));
        }
        let header = if turboloader_crc(&fixed) == u32_at(&fixed, 44) {
            turboloader(&fixed, file_len)?
        } else if (fixed[16] <= 2 || fixed[16] == PACKED && version == u32::from(PACKED_VERSION))
            && (ENTRY_LEN as u32..=MAX_ENTRY_LEN).contains(&u32_at(&fixed, 17))
        {
            guide(&fixed, file_len)?
        } else if u64::from(u32_at(&fixed, 16)) == HEADER_LEN.wrapping_add(u64_at(&fixed, 8).wrapping_mul(ENTRY_LEN)) {
            return Err(header_error(
                &codes::HEADER_CRC,
                44,
                "the turboloader header does not match its checksum".into(),
            ));
        } else {
            return Err(header_error(&codes::LAYOUT, 16, "the header fits neither layout of TBL v2".into()));
        };
        header.index_range(file_len)?;
        Ok(header)
    }

    /// Where the index lies; refused when it is longer than the file.
    pub(crate) fn index_range(&self, file_len: u64) -> Result<Range<u64>> {
        let end = self.samples.checked_mul(u64::from(self.entry_len)).and_then(|n| n.checked_add(HEADER_LEN));
        match end {
            Some(end) if end <= file_len => Ok(HEADER_LEN..end),
            _ => Err(Error::new(
                &codes::INDEX_TRUNCATED,
                format!("{} samples of {} bytes do not fit a file of {file_len} bytes", self.samples, self.entry_len),
            )
            .section("index")
            .offset(8)),
        }
    }

    /// The 64 bytes of this header, checksums included.
    pub fn encode(&self) -> [u8; 64] {
        match self.layout {
            Layout::Guide => self.encode_guide(),
            Layout::Turboloader => self.encode_turboloader(),
        }
    }

    fn encode_guide(&self) -> [u8; 64] {
        let mut h = [0; 64];
        h[..4].copy_from_slice(&MAGIC);
        h[4] = if self.codec == Codec::Packed { PACKED_VERSION } else { VERSION };
        h[8..16].copy_from_slice(&self.samples.to_le_bytes());
        h[16] = match self.codec {
            Codec::None => 0,
            Codec::Lz4 => 1,
            // What is written was made by a compressor, and there is none of anything else.
            Codec::Zstd | Codec::Deflate => 2,
            Codec::Packed => PACKED,
        };
        h[17..21].copy_from_slice(&self.entry_len.to_le_bytes());
        let mut bits = extension::HEADER_CRC;
        if let Some(range) = &self.metadata {
            h[21..29].copy_from_slice(&range.start.to_le_bytes());
            h[29..33].copy_from_slice(&((range.end - range.start) as u32).to_le_bytes());
            h[33] = self.metadata_format.map_or(0, |f| f as u8);
        }
        if let Some(crc) = self.metadata_crc {
            bits |= extension::METADATA_CRC;
            h[36..40].copy_from_slice(&crc.to_le_bytes());
        }
        if let Some(range) = &self.sample_index {
            bits |= extension::SAMPLE_INDEX;
            h[40..48].copy_from_slice(&range.start.to_le_bytes());
        }
        if let Some(range) = &self.tables {
            h[48..56].copy_from_slice(&range.start.to_le_bytes());
            h[56..60].copy_from_slice(&((range.end - range.start) as u32).to_le_bytes());
        }
        h[34] = bits;
        let crc = crc32(&h[..60]);
        h[60..].copy_from_slice(&crc.to_le_bytes());
        h
    }

    fn encode_turboloader(&self) -> [u8; 64] {
        let mut h = [0; 64];
        h[..4].copy_from_slice(&MAGIC);
        h[4] = VERSION;
        h[8..16].copy_from_slice(&self.samples.to_le_bytes());
        h[16..20].copy_from_slice(&((HEADER_LEN + ENTRY_LEN * self.samples) as u32).to_le_bytes());
        let mut flags = header_flag::CHECKSUMS;
        if self.codec != Codec::None {
            flags |= header_flag::COMPRESSED;
        }
        if let Some(range) = &self.metadata {
            flags |= header_flag::METADATA;
            h[24..32].copy_from_slice(&range.start.to_le_bytes());
            h[32..40].copy_from_slice(&(range.end - range.start).to_le_bytes());
        }
        h[40..44].copy_from_slice(&flags.to_le_bytes());
        let crc = turboloader_crc(&h);
        h[44..48].copy_from_slice(&crc.to_le_bytes());
        h
    }
}

fn u32_at(h: &[u8; 64], at: usize) -> u32 {
    u32::from_le_bytes([h[at], h[at + 1], h[at + 2], h[at + 3]])
}

fn u64_at(h: &[u8; 64], at: usize) -> u64 {
    u64::from(u32_at(h, at)) | u64::from(u32_at(h, at + 4)) << 32
}

fn turboloader_crc(h: &[u8; 64]) -> u32 {
    crc32_parts(&[&h[..44], &[0; 4], &h[48..]])
}

/// A section that the header announces, checked against the file's length.
fn section(
    what: &'static str,
    at: u64,
    start: u64,
    len: u64,
    index_end: u64,
    file_len: u64,
) -> std::result::Result<Range<u64>, MetadataFault> {
    match start.checked_add(len) {
        Some(end) if start >= index_end && end <= file_len => Ok(start..end),
        _ => Err(MetadataFault {
            section: what,
            at,
            message: format!(
                "{len} bytes at {start} do not lie between the index and the end of the file ({file_len})"
            ),
        }),
    }
}

/// Where the index ends, if that is a number at all.
fn index_end(samples: u64, entry_len: u64) -> u64 {
    samples.checked_mul(entry_len).and_then(|n| n.checked_add(HEADER_LEN)).unwrap_or(u64::MAX)
}

fn turboloader(h: &[u8; 64], file_len: u64) -> Result<Header> {
    let flags = u32_at(h, 40);
    let (offset, size) = (u64_at(h, 24), u64_at(h, 32));
    let mut metadata_fault = None;
    let metadata = match (offset, size) {
        (0, _) | (_, 0) => None,
        _ => section("metadata", 24, offset, size, index_end(u64_at(h, 8), ENTRY_LEN), file_len)
            .map_err(|e| metadata_fault = Some(e))
            .ok(),
    };
    Ok(Header {
        metadata_fault,
        layout: Layout::Turboloader,
        samples: u64_at(h, 8),
        codec: if flags & header_flag::COMPRESSED != 0 { Codec::Lz4 } else { Codec::None },
        entry_len: ENTRY_LEN as u32,
        metadata,
        metadata_format: None,
        metadata_crc: None,
        sample_index: None,
        has_crc: true,
        tables: None,
        payload_checksums: flags & header_flag::CHECKSUMS != 0,
    })
}

fn guide(h: &[u8; 64], file_len: u64) -> Result<Header> {
    let bits = h[34];
    let has_crc = bits & extension::HEADER_CRC != 0;
    if has_crc && crc32(&h[..60]) != u32_at(h, 60) {
        return Err(header_error(&codes::HEADER_CRC, 60, "the header does not match its checksum".into()));
    }
    let samples = u64_at(h, 8);
    let offset = u64::from(u32_at(h, 21)) | u64::from(u32_at(h, 25)) << 32;
    let metadata_format = match h[33] {
        0 => None,
        code => Some(
            MetadataFormat::from_code(code.into())
                .filter(|f| *f != MetadataFormat::Custom)
                .ok_or_else(|| header_error(&codes::HEADER, 33, format!("there is no metadata format {code}")))?,
        ),
    };
    let index_end = index_end(samples, u64::from(u32_at(h, 17)));
    let mut metadata_fault = None;
    let metadata = match (offset, metadata_format) {
        (0, _) | (_, None) => None,
        (offset, Some(_)) => section("metadata", 21, offset, u64::from(u32_at(h, 29)), index_end, file_len)
            .map_err(|e| metadata_fault = Some(e))
            .ok(),
    };
    let sample_index = match (&metadata, bits & extension::SAMPLE_INDEX) {
        (Some(_), 1..) => {
            let len = samples.saturating_mul(8);
            section("sample-metadata index", 40, u64_at(h, 40), len, index_end, file_len)
                .map_err(|e| metadata_fault = Some(e))
                .ok()
        }
        _ => None,
    };
    let tables = match h[16] {
        PACKED => {
            let found = section("tables", 48, u64_at(h, 48), u64::from(u32_at(h, 56)), index_end, file_len);
            Some(found.map_err(|fault| header_error(&codes::HEADER, 48, format!("of tables {}", fault.message)))?)
        }
        _ => None,
    };
    Ok(Header {
        metadata_fault,
        layout: Layout::Guide,
        samples,
        codec: match h[16] {
            0 => Codec::None,
            1 => Codec::Lz4,
            PACKED => Codec::Packed,
            _ => Codec::Zstd,
        },
        entry_len: u32_at(h, 17),
        metadata_crc: (metadata.is_some() && bits & extension::METADATA_CRC != 0).then(|| u32_at(h, 36)),
        metadata,
        metadata_format,
        sample_index,
        has_crc,
        payload_checksums: true,
        tables,
    })
}

/// What `check` also wants of a header: fields that a reader can do without, and that are wrong.
pub(super) fn header_oddities(head: &[u8], header: &Header) -> Vec<Error> {
    let Some(h) = head.first_chunk::<64>() else { return Vec::new() };
    let mut odd = Vec::new();
    let mut zero = |range: Range<usize>| {
        if let Some(at) = range.clone().find(|&at| h[at] != 0) {
            odd.push(header_error(&codes::HEADER, at as u64, "a reserved byte is not zero".into()));
        }
    };
    match header.layout {
        Layout::Guide => {
            zero(35..36);
            if header.tables.is_none() {
                zero(48..60);
            }
            let bits = h[34];
            if bits & extension::HEADER_CRC == 0 {
                zero(60..64);
            }
            if bits & extension::METADATA_CRC == 0 {
                zero(36..40);
            }
            if bits & extension::SAMPLE_INDEX == 0 {
                zero(40..48);
            }
            if bits & !extension::ALL != 0 {
                odd.push(header_error(&codes::HEADER, 34, format!("extension bits {bits:#04x} have no meaning")));
            }
            if header.metadata.is_none() && header.metadata_fault.is_none() && h[21..34].iter().any(|b| *b != 0) {
                odd.push(header_error(
                    &codes::HEADER,
                    21,
                    "metadata is announced by one field and denied by another".into(),
                ));
            }
        }
        Layout::Turboloader => {
            zero(20..24);
            zero(48..64);
            let wanted = HEADER_LEN.wrapping_add(ENTRY_LEN.wrapping_mul(header.samples)) as u32;
            if u32_at(h, 16) != wanted {
                let message =
                    format!("header_size is {}, but {} samples make it {wanted}", u32_at(h, 16), header.samples);
                odd.push(header_error(&codes::HEADER, 16, message));
            }
            let flags = u32_at(h, 40);
            if flags & !header_flag::ALL != 0 {
                odd.push(header_error(&codes::HEADER, 40, format!("flags {flags:#x} have no meaning")));
            }
            if flags & header_flag::CHECKSUMS == 0 {
                odd.push(header_error(&codes::HEADER, 40, "the flag that says that checksums are valid is off".into()));
            }
            let announced = header.metadata.is_some() || header.metadata_fault.is_some();
            if (flags & header_flag::METADATA != 0) != announced
                || (!announced && (u64_at(h, 24) != 0 || u64_at(h, 32) != 0))
            {
                odd.push(header_error(
                    &codes::HEADER,
                    24,
                    "metadata is announced by one field and denied by another".into(),
                ));
            }
        }
    }
    odd
}

/// An index entry of either layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Where the payload begins.
    pub offset: u64,
    /// Bytes stored.
    pub stored: u32,
    /// Bytes once decompressed.
    pub bytes: u32,
    /// The media format's number.
    pub format: u8,
    /// Pixels across, 0 = unknown.
    pub width: u16,
    /// Pixels down, 0 = unknown.
    pub height: u16,
    /// Turboloader: flags. Guide: 0.
    pub flags: u8,
    /// Turboloader: CRC-16 of the decompressed payload. Guide: CRC-16 of the entry.
    pub crc16: u16,
}

impl Entry {
    /// Reads an entry of at least 24 bytes.
    pub fn parse(raw: &[u8], layout: Layout) -> Option<Entry> {
        let e: &[u8; 24] = raw.first_chunk()?;
        let u16_at = |at: usize| u16::from_le_bytes([e[at], e[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes([e[at], e[at + 1], e[at + 2], e[at + 3]]);
        let offset = u64::from(u32_at(0)) | u64::from(u32_at(4)) << 32;
        let (stored, bytes) = (u32_at(8), u32_at(12));
        Some(match layout {
            Layout::Guide => Entry {
                offset,
                stored,
                bytes,
                format: e[16],
                width: u16_at(17),
                height: u16_at(19),
                crc16: u16_at(21),
                flags: 0,
            },
            Layout::Turboloader => Entry {
                offset,
                stored,
                bytes,
                width: u16_at(16),
                height: u16_at(18),
                format: e[20],
                flags: e[21],
                crc16: u16_at(22),
            },
        })
    }

    /// The CRC-16 that a guide entry of any length must carry.
    pub(crate) fn guide_crc(raw: &[u8]) -> u16 {
        match (raw.get(..21), raw.get(23..)) {
            (Some(before), Some(after)) => crc16_parts(&[before, after]),
            _ => 0,
        }
    }

    /// The 24 bytes of this entry. A guide entry's checksum is computed here.
    pub fn encode(&self, layout: Layout) -> [u8; 24] {
        let mut e = [0; 24];
        e[..8].copy_from_slice(&self.offset.to_le_bytes());
        e[8..12].copy_from_slice(&self.stored.to_le_bytes());
        e[12..16].copy_from_slice(&self.bytes.to_le_bytes());
        match layout {
            Layout::Guide => {
                e[16] = self.format;
                e[17..19].copy_from_slice(&self.width.to_le_bytes());
                e[19..21].copy_from_slice(&self.height.to_le_bytes());
                let crc = Self::guide_crc(&e);
                e[21..23].copy_from_slice(&crc.to_le_bytes());
            }
            Layout::Turboloader => {
                e[16..18].copy_from_slice(&self.width.to_le_bytes());
                e[18..20].copy_from_slice(&self.height.to_le_bytes());
                e[20] = self.format;
                e[21] = self.flags;
                e[22..].copy_from_slice(&self.crc16.to_le_bytes());
            }
        }
        e
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(layout: Layout) -> Header {
        Header {
            layout,
            samples: 3,
            codec: Codec::Lz4,
            entry_len: 24,
            metadata: Some(500..600),
            metadata_format: (layout == Layout::Guide).then_some(MetadataFormat::Json),
            metadata_crc: (layout == Layout::Guide).then_some(7),
            sample_index: (layout == Layout::Guide).then_some(600..624),
            metadata_fault: None,
            has_crc: true,
            payload_checksums: true,
            tables: None,
        }
    }

    #[test]
    fn headers_come_back_and_every_flipped_bit_is_seen() {
        for layout in [Layout::Guide, Layout::Turboloader] {
            let bytes = header(layout).encode();
            assert_eq!(Header::parse(&bytes, 1000).unwrap(), header(layout));
            assert!(header_oddities(&bytes, &header(layout)).is_empty());
            for bit in 0..512 {
                let mut flipped = bytes;
                flipped[bit / 8] ^= 1 << (bit % 8);
                let seen = match Header::parse(&flipped, 1000) {
                    Err(_) => true,
                    Ok(h) => h.metadata_fault.is_some() || !header_oddities(&flipped, &h).is_empty(),
                };
                assert!(seen, "{layout:?} bit {bit}");
            }
        }
    }

    #[test]
    fn entries_come_back() {
        let e = Entry { offset: 1 << 33, stored: 5, bytes: 9, format: 1, width: 640, height: 480, flags: 0, crc16: 0 };
        let back = Entry::parse(&e.encode(Layout::Guide), Layout::Guide).unwrap();
        assert_eq!(back, Entry { crc16: back.crc16, ..e });
        let e = Entry { flags: 3, crc16: 77, ..e };
        assert_eq!(Entry::parse(&e.encode(Layout::Turboloader), Layout::Turboloader).unwrap(), e);
    }
}
