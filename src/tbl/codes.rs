//! What can be wrong with a TBL.

use crate::error::Code;

/// Too short for a header.
pub const HEADER_TRUNCATED: Code = Code::damaged("tbl.header_truncated", "The file ends inside the 64-byte header.");
/// The magic is another one.
pub const MAGIC: Code = Code::unsupported("tbl.magic", "The file does not begin with `TBL` and version 2.");
/// Another version of TBL.
pub const VERSION: Code = Code::unsupported("tbl.version", "The file is a TBL of another version than 2.");
/// Neither layout fits.
pub const LAYOUT: Code = Code::damaged("tbl.layout", "The header fits neither layout of TBL v2.");
/// The header's checksum fails.
pub const HEADER_CRC: Code = Code::damaged("tbl.header_crc", "The header does not match its checksum.");
/// A header field contradicts the rest.
pub const HEADER: Code = Code::damaged("tbl.header", "A field of the header contradicts the others.");
/// The index does not fit the file.
pub const INDEX_TRUNCATED: Code = Code::damaged("tbl.index_truncated", "The index is longer than the file.");
/// An index entry's checksum fails.
pub const ENTRY_CRC: Code = Code::damaged("tbl.entry_crc", "An index entry does not match its checksum.");
/// An index entry contradicts itself.
pub const ENTRY: Code = Code::damaged("tbl.entry", "A field of an index entry is invalid.");
/// A payload lies where it cannot.
pub const PAYLOAD_RANGE: Code = Code::damaged(
    "tbl.payload_range",
    "An index entry points outside the file or into the header, the index or the metadata.",
);
/// Two payloads share bytes.
pub const PAYLOAD_OVERLAP: Code = Code::damaged("tbl.payload_overlap", "Two payloads share bytes of the file.");
/// A payload's checksum fails.
pub const PAYLOAD_CRC: Code = Code::damaged("tbl.payload_crc", "A payload does not match its checksum.");
/// A payload does not decompress.
pub const PAYLOAD: Code = Code::damaged("tbl.payload", "A payload does not decompress to what the index says.");
/// Bytes that belong to nothing.
pub const GAP: Code =
    Code::damaged("tbl.gap", "Bytes between or after the sections belong to nothing and are not zero.");
/// The metadata section lies where it cannot.
pub const METADATA_RANGE: Code =
    Code::damaged("tbl.metadata_range", "The metadata section points outside the file or into other sections.");
/// The metadata's checksum fails.
pub const METADATA_CRC: Code = Code::damaged("tbl.metadata_crc", "The metadata section does not match its checksum.");
/// The metadata does not parse.
pub const METADATA: Code = Code::damaged("tbl.metadata", "The metadata does not parse as its format says.");
/// The sample-metadata index is wrong.
pub const METADATA_INDEX: Code = Code::damaged(
    "tbl.metadata_index",
    "The sample-metadata index does not point at the samples of the metadata document.",
);
/// Too large to write.
pub const TOO_LARGE: Code =
    Code::usage("tbl.too_large", "A payload or the metadata is larger than TBL v2 can hold (4 GiB - 1).");
/// The layout cannot hold it.
pub const LAYOUT_CANNOT: Code =
    Code::usage("tbl.layout_cannot", "The chosen layout cannot hold this; the message names one that can.");
/// Every code of this module.
pub const ALL: &[&Code] = &[
    &HEADER_TRUNCATED,
    &MAGIC,
    &VERSION,
    &LAYOUT,
    &HEADER_CRC,
    &HEADER,
    &INDEX_TRUNCATED,
    &ENTRY_CRC,
    &ENTRY,
    &PAYLOAD_RANGE,
    &PAYLOAD_OVERLAP,
    &PAYLOAD_CRC,
    &PAYLOAD,
    &GAP,
    &METADATA_RANGE,
    &METADATA_CRC,
    &METADATA,
    &METADATA_INDEX,
    &TOO_LARGE,
    &LAYOUT_CANNOT,
];
