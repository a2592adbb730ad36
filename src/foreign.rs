//! Files of other formats that people bring along, known by their first bytes: "no format that Forebay reads" sends
//! nobody to the cure.

/// What a file is that begins with `head`, and what to do about it; `None` if nothing is known.
pub(crate) fn foreign(head: &[u8]) -> Option<String> {
    known(head).map(|(name, advice)| format!("this is {name}; {advice}"))
}

const PIXELS: &str = "which is not decoded here; write it as PNG or JPEG, for example with Pillow";
const ONE: &str = "a dataset is a folder of images, a TAR or a TBL";
const VIDEO: &str = "a dataset is a folder of videos, a TAR or a TBL";
const SOUND: &str = "put such files into a TAR with their labels next to them, as webdataset does";
const ARRAYS: &str = "write what is inside as a TAR of samples, or as Parquet";
const SCAN: &str = "write its slices as PNG or TIFF, or put such files into a TAR with their labels next to them";
const CLOUD: &str = "write its points as Parquet or CSV, or put such files into a TAR with their labels next to them";

/// The name of what a file is that begins with `head`, and what to do about it.
pub(crate) fn known(head: &[u8]) -> Option<(&'static str, &'static str)> {
    /// Magic numbers at their places.
    const KNOWN: &[(usize, &[u8], &str, &str)] = &[
        (0, b"\xfd7zXZ\0", "xz-compressed", "unpack it first: xz -dk FILE"),
        (0, b"BZh", "bzip2-compressed", "unpack it first: bzip2 -dk FILE"),
        (0, b"PK\x07\x08", "a part of a ZIP archive of several volumes", "join them first"),
        (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first, into a folder of images"),
        (0, b"Rar!\x1a\x07", "a RAR archive", "unpack it first, into a folder of images"),
        (0, b"\x04\x22\x4d\x18", "LZ4-compressed", "unpack it first: lz4 -dk FILE"),
        (0, b"\x89HDF\r\n\x1a\n", "HDF5", ARRAYS),
        (0, b"MATLAB ", "a MAT file of MATLAB", ARRAYS),
        (0, b"SQLite format 3\0", "an SQLite database", "write its tables as CSV or Parquet"),
        (0, b"Obj\x01", "Avro", "write it as Parquet"),
        (0, b"ORC", "ORC", "write it as Parquet"),
        (0, b"\x0a\x23\xd7\xce", "RecordIO of MXNet", "write what is inside as a TAR of samples"),
        (0, b"TWH1", "a shard of a tensor warehouse", "Forebay does not read it in this build"),
        (0, b"GGUF", "a GGUF model", "it is not a dataset"),
        (0, b"version https://git-lfs", "a Git LFS pointer, not the file", "fetch that: git lfs pull"),
        (0, b"\xff\xd8\xff", "one image (JPEG)", ONE),
        (0, b"\x89PNG\r\n\x1a\n", "one image (PNG)", ONE),
        (8, b"WEBP", "one image (WebP)", ONE),
        (0, b"II*\0", "one image (TIFF)", ONE),
        (0, b"MM\0*", "one image (TIFF)", ONE),
        (0, b"GIF8", "a GIF image", PIXELS),
        (4, b"ftypheic", "a HEIC image", PIXELS),
        (4, b"ftypheix", "a HEIC image", PIXELS),
        (4, b"ftypmif1", "a HEIF image", PIXELS),
        (4, b"ftypavif", "an AVIF image", PIXELS),
        (4, b"ftypavis", "an AVIF image", PIXELS),
        (4, b"ftyp", "one video (MP4)", VIDEO),
        (8, b"AVI ", "one video (AVI)", VIDEO),
        (0, b"\x1a\x45\xdf\xa3", "one video (Matroska or WebM)", VIDEO),
        (8, b"WAVE", "WAV audio", SOUND),
        (0, b"fLaC", "FLAC audio", SOUND),
        (0, b"OggS", "Ogg audio", SOUND),
        (0, b"ID3", "MP3 audio", SOUND),
        (128, b"DICM", "a DICOM file", SCAN),
        (344, b"n+1\0", "a NIfTI volume", SCAN),
        (4, b"n+2\0", "a NIfTI volume", SCAN),
        (0, b"ply\n", "a PLY point cloud or mesh", CLOUD),
        (0, b"ply\r\n", "a PLY point cloud or mesh", CLOUD),
        (0, b"# .PCD", "a PCD point cloud", CLOUD),
    ];
    let there = |at: usize, magic: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if let Some((_, _, name, advice)) = KNOWN.iter().find(|(at, magic, ..)| there(*at, magic)) {
        return Some((name, advice));
    }
    if is_safetensors(head) {
        return Some(("safetensors", "it holds tensors, which are most often a model and no dataset"));
    }
    if is_idx(head) {
        return Some(("IDX, the format of MNIST", "write its images as PNG files in a folder for each class"));
    }
    let text = head.trim_ascii_start();
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins(b"<!doctype html") || begins(b"<html") {
        return Some(("a web page", "perhaps a server sent it in place of the file"));
    }
    if text.starts_with(b"[") {
        let advice = "if so, write one object a line, such as jq -c '.[]' FILE > out.jsonl";
        return Some(("perhaps an array of JSON", advice));
    }
    if text.starts_with(b"{") {
        let advice = "labels such as COCO are given with their images, and JSON lines are called .jsonl";
        return Some(("perhaps one JSON document", advice));
    }
    None
}

/// A length of eight bytes, and JSON of that length.
fn is_safetensors(head: &[u8]) -> bool {
    head.first_chunk::<8>().is_some_and(|length| (2..100_000_000).contains(&u64::from_le_bytes(*length)))
        && head.get(8..10) == Some(b"{\"")
}

/// Two zeros, the type of the values, how many dimensions, and each of these.
fn is_idx(head: &[u8]) -> bool {
    let [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, dimensions @ 1..=4, sizes @ ..] = head else { return false };
    let sizes = sizes.get(..usize::from(*dimensions) * 4);
    sizes.is_some_and(|sizes| sizes.chunks(4).all(|size| size != [0; 4] && size[0] < 8))
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
            (b"TWH1\x01\0\0\0", "does not read"),
            (b"\n [{\"a\":1}]", "array of JSON"),
            (b"{\n \"images\": [", "labels such as COCO"),
            (b"<!DOCTYPE HTML><title>Sign in", "web page"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "one image"),
            (b"RIFF\0\0\0\0WAVEfmt ", "WAV audio"),
            (b"fLaC\0\0\0\x22", "FLAC audio"),
            (b"GIF89a", "a GIF image"),
            (b"\0\0\0\x18ftypheic", "a HEIC image"),
            (b"\0\0\0\x1cftypavif", "an AVIF image"),
            (b"\0\0\0\x20ftypisom", "one video"),
            (b"\x58\0\0\0\0\0\0\0{\"__metadata__\"", "safetensors"),
            (b"\0\0\x08\x03\0\0\xea\x60\0\0\0\x1c\0\0\0\x1c", "MNIST"),
            (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "MAT file"),
            (b"ply\nformat ascii 1.0\n", "PLY"),
            (b"# .PCD v0.7", "PCD"),
            (&[&[0; 128][..], b"DICM\x02\0"].concat(), "DICOM"),
            (&[&[0x5c, 1, 0, 0][..], &[0; 340], b"n+1\0"].concat(), "NIfTI"),
        ] {
            assert!(foreign(head).is_some_and(|said| said.contains(word)), "{word}: {:?}", foreign(head));
        }
        for head in [&b""[..], b"hello", b"\x05\0\0\0\0\0\0\0\xea\xb2\x04\x3f", &[0; 40]] {
            assert_eq!(foreign(head), None);
        }
    }
}
