//! Which format a file has, by its content and never by its name.

use crate::{
    foreign::known,
    formats::{FIRST_BYTES, Format},
};

/// First bytes that suffice to tell every format apart.
pub const HEAD_LEN: u64 = 512;

/// The format of a file that begins with `head`; [`HEAD_LEN`] bytes suffice, fewer may do.
///
/// ```
/// use forebay::{detect::detect, formats::Format};
/// assert_eq!(detect(b"TBL\x02\x02\0\0\0"), Some(Format::Tbl));
/// assert_eq!(detect(b"{\n  \"dataset_root\": \"in\",\n  \"transform\": {"), Some(Format::Warehouse));
/// // As tensorflow writes a record of 5 bytes.
/// assert_eq!(detect(b"\x05\0\0\0\0\0\0\0\xea\xb2\x04\x3ehello"), Some(Format::TfRecord));
/// assert_eq!(detect(b"hello"), None);
/// ```
pub fn detect(head: &[u8]) -> Option<Format> {
    // A length that has its checksum is told from any magic number.
    if is_tfrecord(head) {
        return Some(Format::TfRecord);
    }
    let known = FIRST_BYTES.iter().find(|(magics, _)| magics.iter().any(|magic| head.starts_with(magic)));
    // A stream of Arrow begins with a continuation mark and the length of its schema, a small multiple of 8.
    let stream =
        || head.starts_with(&[0xff; 4]) && head.get(4).is_some_and(|&length| length != 0xff && length % 8 == 0);
    let known = known.map(|&(_, format)| format).or_else(|| stream().then_some(Format::Arrows));
    let known = known.or_else(|| is_tar(head).then_some(Format::Tar));
    // Where no warehouse is read, none is looked for.
    known.or_else(|| (cfg!(feature = "warehouse") && is_manifest(head)).then_some(Format::Warehouse))
}

/// What a file is that begins with `head`, in words: a format of Forebay's, or another that is known.
#[doc(hidden)]
pub fn name_of(head: &[u8]) -> Option<&'static str> {
    detect(head).map(Format::name).or_else(|| known(head).map(|(name, _)| name))
}

/// Names the format and gives advice, if it is one that Forebay does not read.
#[doc(hidden)]
pub fn foreign(head: &[u8]) -> Option<String> {
    crate::foreign::foreign(head)
}

/// TFRecord has no magic number, but its first eight bytes, a length, are followed by their checksum.
fn is_tfrecord(head: &[u8]) -> bool {
    let (Some(length), Some(said)) = (head.first_chunk::<8>(), head.get(8..).and_then(|rest| rest.first_chunk::<4>()))
    else {
        return false;
    };
    let crc = length.iter().fold(!0_u32, |crc, byte| {
        // CRC-32C, bit by bit: it is eight bytes, once a file.
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 })
    });
    u32::from_le_bytes(*said) == (!crc).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The manifest of a warehouse is an object with these fields near its beginning, the second an object itself.
fn is_manifest(head: &[u8]) -> bool {
    let Some(fields) = head.trim_ascii_start().strip_prefix(b"{") else { return false };
    let behind = |field: &[u8]| {
        let at = fields.windows(field.len()).position(|part| part == field)?;
        fields[at + field.len()..].trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start)
    };
    let begins = |field, byte| behind(field).is_some_and(|value| value.starts_with(byte));
    begins(b"\"dataset_root\"", b"\"") && begins(b"\"transform\"", b"{")
}

/// A tar archive has no magic of its own in its oldest form: the header's checksum tells. Two zero blocks are
/// an archive without members.
fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else { return false };
    if block.iter().all(|b| *b == 0) {
        return true;
    }
    if &block[257..262] == b"ustar" {
        return true;
    }
    let sum: u32 =
        block.iter().enumerate().map(|(i, b)| if (148..156).contains(&i) { 32 } else { u32::from(*b) }).sum();
    let said = std::str::from_utf8(&block[148..156]).ok().map(|s| s.trim_matches(['\0', ' ']));
    said.and_then(|s| u32::from_str_radix(s, 8).ok()) == Some(sum)
}
