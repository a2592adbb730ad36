//! TFRecord, the files of TensorFlow: records one after the other, each with checksums of its length and of its bytes.
//!
//! A record is a length of 8 bytes, a checksum of that, the bytes, and a checksum of these. Nothing says where records
//! begin, so opening walks from head to head, as in a TAR; a length is believed only with its checksum.
//!
//! Most files have `tf.train.Example` or `SequenceExample` in their records, maps from names to lists of bytes or numbers.
//! A list of one value is that value in a sample's metadata. Other records are samples as they are.
//!
//! | file | what it holds |
//! |---|---|
//! | `walk.rs` | from head to head |
//! | `file.rs` | the records |
//! | `example.rs` | the maps in them |

mod example;
mod file;
mod walk;

pub use file::TfRecord;
pub use walk::Opener;

use crate::codec::checksum::crc32c;

/// Bytes in front of a record's own: its length, and the checksum of that.
pub const HEAD: u64 = 12;
/// Bytes after them: their checksum.
pub const TAIL: u64 = 4;

/// A checksum as TFRecord writes it down.
pub fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The length that a head announces, if it has the checksum that belongs to it.
pub fn length(head: &[u8]) -> Option<u64> {
    let (length, said) = (head.first_chunk::<8>()?, head.get(8..)?.first_chunk::<4>()?);
    (u32::from_le_bytes(*said) == masked(length)).then(|| u64::from_le_bytes(*length))
}
