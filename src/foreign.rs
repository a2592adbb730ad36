//! Files of other formats that people bring along, known by their first bytes: "no format that Forebay reads" sends
//! nobody to the cure.

/// What a file is that begins with `head`, and what to do about it; `None` if nothing is known.
pub(crate) fn foreign(head: &[u8]) -> Option<&'static str> {
    /// Magic numbers at their places.
    const KNOWN: &[(usize, &[u8], &str)] = &[
        (0, b"\xfd7zXZ\0", "this is xz-compressed; unpack it first: xz -dk FILE"),
        (0, b"BZh", "this is bzip2-compressed; unpack it first: bzip2 -dk FILE"),
        (0, b"PK\x07\x08", "this is a part of a ZIP archive of several volumes; join them first"),
        (0, b"7z\xbc\xaf\x27\x1c", "this is a 7z archive; unpack it first, into a folder of pictures"),
        (0, b"Rar!\x1a\x07", "this is a RAR archive; unpack it first, into a folder of pictures"),
        (0, b"\x04\x22\x4d\x18", "this is LZ4-compressed; unpack it first: lz4 -dk FILE"),
        (0, b"\x93NUMPY", "this is a NumPy array; write it as Parquet, Arrow or CSV, for example with pyarrow"),
        (0, b"\x89HDF\r\n\x1a\n", "this is HDF5; write what is inside as a TAR of samples, or as Parquet"),
        (0, b"SQLite format 3\0", "this is an SQLite database; write its tables as CSV or Parquet"),
        (0, b"Obj\x01", "this is Avro; write it as Parquet"),
        (0, b"ORC", "this is ORC; write it as Parquet"),
        (16, b"\xde\xc0\xef\xbe", "this is an LMDB database; write what is inside as a TAR of samples"),
        (0, b"\x0a\x23\xd7\xce", "this is RecordIO of MXNet; write what is inside as a TAR of samples"),
        (0, b"TWH1", "this is a shard of a tensor warehouse, which Forebay does not read yet"),
        (0, b"GGUF", "this is a GGUF model, not a dataset"),
        (0, b"version https://git-lfs", "this is a Git LFS pointer, not the file; fetch that: git lfs pull"),
        (0, b"\xff\xd8\xff", "this is one picture (JPEG); a dataset is a folder of pictures, a TAR or a TBL"),
        (0, b"\x89PNG\r\n\x1a\n", "this is one picture (PNG); a dataset is a folder of pictures, a TAR or a TBL"),
        (8, b"WEBP", "this is one picture (WebP); a dataset is a folder of pictures, a TAR or a TBL"),
    ];
    let known = KNOWN.iter().find(|(at, magic, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(magic)));
    if let Some((_, _, words)) = known {
        return Some(words);
    }
    if is_tfrecord(head) {
        return Some("this is TFRecord; write what is inside as a TAR of samples (webdataset's layout), or as Parquet");
    }
    let text = head.trim_ascii_start();
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins(b"<!doctype html") || begins(b"<html") {
        return Some("this is a web page, perhaps a server's message in place of the file");
    }
    if text.starts_with(b"[") {
        return Some("this looks like an array of JSON; write one object a line, such as jq -c '.[]' FILE > out.jsonl");
    }
    if text.starts_with(b"{") {
        return Some(
            "this is one JSON document; labels such as COCO are given with their images, JSON lines are called .jsonl",
        );
    }
    None
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

#[cfg(test)]
mod tests {
    use super::foreign;

    #[test]
    fn what_people_bring_along_is_named() {
        for (head, word) in [
            (&b"\xfd7zXZ\0\0\x04"[..], "xz"),
            (b"BZh91AY&SY", "bzip2"),
            (b"PK\x07\x08PK\x03\x04", "several volumes"),
            (b"TWH1\x01\0\0\0", "not read yet"),
            (b"\x93NUMPY\x01\0v\0{'descr'", "NumPy"),
            // As tensorflow writes a record of 5 bytes.
            (b"\x05\0\0\0\0\0\0\0\xea\xb2\x04\x3ehello", "TFRecord"),
            (b"\n [{\"a\":1}]", "array of JSON"),
            (b"{\n \"images\": [", "labels such as COCO"),
            (b"<!DOCTYPE HTML><title>Sign in", "web page"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "picture"),
        ] {
            assert!(foreign(head).is_some_and(|said| said.contains(word)), "{word}: {:?}", foreign(head));
        }
        for head in [&b""[..], b"hello", b"\x05\0\0\0\0\0\0\0\xea\xb2\x04\x3f", &[0; 40]] {
            assert_eq!(foreign(head), None);
        }
    }
}
