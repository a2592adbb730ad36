//! What can be wrong with a warehouse.

use crate::error::Code;

/// The manifest does not parse.
pub const MANIFEST: Code = Code::damaged(
    "warehouse.manifest",
    "The manifest is not JSON, lacks a field, or has a value that its field cannot have.",
);
/// A path in the manifest leaves the folder.
pub const PATH: Code =
    Code::damaged("warehouse.path", "A shard's path in the manifest is absolute or leaves the manifest's folder.");
/// A shard is not there.
pub const SHARD_MISSING: Code =
    Code::damaged("warehouse.shard_missing", "The manifest names a shard that is not there.");
/// The shard is too short.
pub const TRUNCATED: Code =
    Code::damaged("warehouse.truncated", "A shard ends inside its header or inside one of its blocks.");
/// The magic is another one.
pub const MAGIC: Code = Code::unsupported("warehouse.magic", "A shard does not begin with `TWH1`.");
/// Another version of the shard.
pub const VERSION: Code = Code::unsupported("warehouse.version", "A shard is of another version than 1.");
/// Elements of a type that is not known.
pub const DTYPE: Code = Code::unsupported(
    "warehouse.dtype",
    "The type of a shard's elements is not f32, f16 or u8, or boxes are in a type that cannot hold them.",
);
/// The byte order is neither.
pub const ENDIANNESS: Code = Code::damaged("warehouse.endianness", "A shard's byte order is neither little nor big.");
/// Another number of channels.
pub const CHANNELS: Code = Code::unsupported("warehouse.channels", "A shard's images have not 3 channels.");
/// A size of nothing.
pub const SHAPE: Code = Code::damaged("warehouse.shape", "A shard's images have no width or no height.");
/// A block cannot be where it is said to be.
pub const RANGE: Code =
    Code::damaged("warehouse.range", "A block of a shard begins beyond the end of the file, or has no end.");
/// Two blocks share bytes.
pub const OVERLAP: Code =
    Code::damaged("warehouse.overlap", "Two blocks of a shard, or a block and its header, share bytes.");
/// Manifest and shard disagree.
pub const CONTRADICTION: Code = Code::damaged(
    "warehouse.contradiction",
    "A shard's header contradicts the manifest, or the manifest contradicts itself.",
);
/// Shards do not go together.
pub const MIXED: Code = Code::damaged(
    "warehouse.mixed",
    "Shards of one warehouse have other sizes, numbers of boxes or types than the first.",
);
/// A shard's checksum fails.
pub const CHECKSUM: Code = Code::damaged("warehouse.checksum", "A shard does not match its SHA-256 in the manifest.");
/// A block's checksum fails.
pub const BLOCK_CHECKSUM: Code = Code::damaged(
    "warehouse.block_checksum",
    "A block or an image does not match its CRC-32 in the shard, or the block of checksums does not read.",
);
/// Metadata does not read.
pub const METADATA: Code =
    Code::damaged("warehouse.metadata", "The metadata of a shard's samples does not read, or contradicts the shard.");
/// A pixel that is not a number or out of range.
pub const PIXEL: Code = Code::damaged("warehouse.pixel", "A pixel is not a number, or not between 0 and 1.");
/// A box that is none.
pub const BOX: Code = Code::damaged(
    "warehouse.box",
    "A coordinate of a box is not a number or not between 0 and 1, or a box ends before it begins.",
);
/// A mask that is neither.
pub const MASK: Code = Code::damaged("warehouse.mask", "A value of a mask is neither 0 nor 1.");
/// Bytes that belong to nothing.
pub const GAP: Code =
    Code::damaged("warehouse.gap", "Bytes between or after the blocks of a shard belong to nothing and are not zero.");
/// The summary breaks the thresholds.
pub const THRESHOLD: Code = Code::damaged(
    "warehouse.threshold",
    "The manifest's summary counts more frames that are invalid, missing or empty than its thresholds allow.",
);
/// The version does not follow from its recipe.
pub const VERSION_KEY: Code = Code::damaged(
    "warehouse.version_key",
    "The manifest's version is not the SHA-256 of the key that it gives, or not the requested one.",
);
/// What cannot be written.
pub const CANNOT_HOLD: Code =
    Code::usage("warehouse.cannot_hold", "A shard cannot hold what was to be written; the message says why.");
/// Every code of this module.
pub const ALL: &[&Code] = &[
    &MANIFEST,
    &PATH,
    &SHARD_MISSING,
    &TRUNCATED,
    &MAGIC,
    &VERSION,
    &DTYPE,
    &ENDIANNESS,
    &CHANNELS,
    &SHAPE,
    &RANGE,
    &OVERLAP,
    &CONTRADICTION,
    &MIXED,
    &CHECKSUM,
    &BLOCK_CHECKSUM,
    &METADATA,
    &PIXEL,
    &BOX,
    &MASK,
    &GAP,
    &THRESHOLD,
    &VERSION_KEY,
    &CANNOT_HOLD,
];
