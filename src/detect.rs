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
    let known = known.or_else(|| (cfg!(feature = "warehouse") && is_manifest(head)).then_some(Format::Warehouse));
    known.or_else(|| records(head))
}

/// What a file is that begins with `head`, in words: a format of Forebay's, or another that is known.
#[doc(hidden)]
pub fn name_of(head: &[u8]) -> Option<&'static str> {
    detect(head).map(Format::name).or_else(|| known(head).map(|(name, _)| name))
}

/// The formats of records that have no first bytes of their own.
fn records(head: &[u8]) -> Option<Format> {
    if head.get(16..20) == Some(b"\xde\xc0\xef\xbe") {
        return Some(Format::Lmdb);
    }
    if is_beton(head) {
        return Some(Format::Ffcv);
    }
    is_shard(head).then_some(Format::Mds)
}

/// FFCV has no magic number: the version, how many fields, the size of pages, samples, and where the table of places lies.
fn is_beton(head: &[u8]) -> bool {
    let [2, 0, 1..=64, 0, p0, p1, p2, p3, rest @ ..] = head else { return false };
    let page = u32::from_le_bytes([*p0, *p1, *p2, *p3]);
    let number = |at: usize| rest.get(at..).and_then(|rest| rest.first_chunk::<8>()).map(|n| u64::from_le_bytes(*n));
    let sound = |n: Option<u64>| n.is_some_and(|n| (1..1 << 48).contains(&n));
    page.is_power_of_two() && page >= 1 << 10 && sound(number(0)) && sound(number(8))
}

/// The most bytes of the description that a shard of MDS has.
pub(crate) const LONGEST_DESCRIPTION: u64 = 1 << 20;

/// Neither has a shard of MDS one, but its first sample begins behind as many places as are announced, and behind a description.
fn is_shard(head: &[u8]) -> bool {
    let number = |k: usize| head.get(k * 4..)?.first_chunk::<4>().map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
    let (Some(samples), Some(first)) = (number(0), number(1)) else { return false };
    let places = 4 * (samples + 2);
    if first <= places + 2 || first > places + LONGEST_DESCRIPTION {
        return false;
    }
    // The description, if it is in sight.
    if let Some(text) = usize::try_from(places).ok().and_then(|at| head.get(at..)).filter(|text| !text.is_empty()) {
        return text.starts_with(b"{\"");
    }
    let places: Vec<_> = (1..head.len() / 4).filter_map(number).collect();
    places.is_sorted() && places.len() > 8
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
