//! `image::probe` against real files, a second opinion, every truncation, and lies.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

use crate::common;

use std::{collections::BTreeMap, fs, io::Read};

use common::corpus;
use forebay::{
    image::{Probe, format_of, probe},
    sample::MediaFormat,
};
use proptest::prelude::*;
use serde_json::Value;

fn tar_members(path: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(fs::File::open(path).unwrap());
    let mut members = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut data = Vec::new();
        entry.read_to_end(&mut data).unwrap();
        members.push((entry.path().unwrap().to_string_lossy().into_owned(), data));
    }
    members
}

fn size(p: Probe) -> (u32, u32) {
    (p.width, p.height)
}

#[test]
fn sizes_and_formats_agree_with_every_tbl_of_the_corpus() {
    let folder = corpus("tbl");
    let (mut compared, mut files) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let twin: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let Ok(file) = fs::read(path.with_extension("tbl")) else { continue };
        files += 1;
        for s in twin["samples"].as_array().unwrap() {
            let field = |name: &str| s[name].as_u64().unwrap() as usize;
            let stored = &file[field("offset")..field("offset") + field("size")];
            let unpacked;
            let payload = if field("flags") & 1 == 1 {
                unpacked = lz4_flex::block::decompress(stored, field("uncompressed_size")).unwrap();
                &unpacked
            } else {
                stored
            };
            let claimed = MediaFormat::from_code(field("format") as u8).unwrap();
            let p = probe(payload);
            let known = (field("width") as u32, field("height") as u32);
            // The producer takes the format from the name and leaves the size at 0 when the content differs;
            // writers in Python may claim any format and size for any bytes, such as ten.
            if p.format == claimed && known != (0, 0) && payload.len() > 64 {
                assert_eq!(size(p), known, "{} sample {}", path.display(), s["i"]);
                compared += 1;
            }
        }
    }
    assert!(files >= 20 && compared >= 100, "only {compared} sizes in {files} files");
}

#[test]
fn every_picture_of_the_mixed_archive_has_its_format_and_size() {
    let path = corpus("tar/allformats.tar");
    let mut by_format = BTreeMap::new();
    for (name, data) in tar_members(&path) {
        let p = probe(&data);
        *by_format.entry(p.format.name()).or_insert(0) += 1;
        let still = matches!(p.format.code(), 1..=5);
        assert_eq!(still, p.width > 0 && p.height > 0, "{name}: {p:?}");
        if still {
            // The second opinion is right on these but for top-down bitmaps.
            let other = imagesize::blob_size(&data).unwrap();
            let height = (other.height as u32 as i32).unsigned_abs();
            assert_eq!(size(p), (other.width as u32, height), "{name}");
        }
        assert_eq!(format_of(&name, b""), MediaFormat::from_name(&name));
    }
    let expected =
        [("avi", 1), ("bmp", 6), ("jpeg", 9), ("mp4", 1), ("png", 7), ("tiff", 13), ("unknown", 2), ("webp", 4)];
    assert_eq!(by_format.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn content_comes_before_the_name() {
    let jpeg = [0xFF, 0xD8, 0xFF, 0xE0];
    assert_eq!(format_of("liar.png", &jpeg), MediaFormat::Jpeg);
    assert_eq!(format_of("noext", &jpeg), MediaFormat::Jpeg);
    assert_eq!(format_of("a.JPG", b"text"), MediaFormat::Jpeg);
    assert_eq!(format_of("a.txt", b"BMW is a car maker, not a bitmap"), MediaFormat::Unknown);
}

#[test]
fn truncation_gives_the_whole_answer_or_an_honest_unknown() {
    let path = corpus("tar/allformats.tar");
    for (name, data) in tar_members(&path) {
        let whole = probe(&data);
        let mut seen_size = false;
        for cut in 0..data.len().min(5000) {
            let p = probe(&data[..cut]);
            assert!(p.format == MediaFormat::Unknown || p.format == whole.format, "{name} cut to {cut}: {p:?}");
            assert!(size(p) == (0, 0) || p == whole, "{name} cut to {cut}: {p:?}");
            assert!(!seen_size || p == whole, "{name} cut to {cut} forgot its size");
            seen_size |= size(p) != (0, 0);
        }
    }
}

fn jpeg_with(segments: &[&[u8]]) -> Vec<u8> {
    let mut data = vec![0xFF, 0xD8];
    segments.iter().for_each(|s| data.extend_from_slice(s));
    data
}

const SOF_60X40: &[u8] = &[0xFF, 0xC0, 0, 17, 8, 0, 40, 0, 60, 3];

#[test]
fn jpeg_markers_may_be_filled_standing_alone_or_far_away() {
    let app: &[u8] = &[0xFF, 0xE1, 0, 2];
    let fill: &[u8] = &[0xFF; 100];
    let far = [[0xFF, 0xE2, 0xFF, 0xFF].as_slice(), &[0; 0xFFFD]].concat();
    // A thumbnail with its own frame header inside a segment is not looked into.
    let thumbnail = [[0xFF, 0xE1, 0, 12].as_slice(), &SOF_60X40[..8], &[9, 9]].concat();
    for (what, segments) in [
        ("plain", vec![SOF_60X40]),
        ("filled", vec![app, fill, SOF_60X40]),
        ("standing alone", vec![&[0xFF, 0x01], &[0xFF, 0xD8], SOF_60X40]),
        ("far", vec![&far; 20].into_iter().map(|s| s.as_slice()).chain([SOF_60X40]).collect()),
        ("thumbnail", vec![&thumbnail, SOF_60X40]),
        ("table that looks like a frame", vec![&[0xFF, 0xC4, 0, 4, 9, 9], SOF_60X40]),
    ] {
        let p = probe(&jpeg_with(&segments));
        assert_eq!((p.format, p.width, p.height), (MediaFormat::Jpeg, 60, 40), "{what}");
    }
    for (what, segments) in [
        ("scan first", vec![[0xFF, 0xDA, 0, 2].as_slice(), SOF_60X40]),
        ("short length", vec![&[0xFF, 0xE0, 0, 1], SOF_60X40]),
        ("height later", vec![&[0xFF, 0xC0, 0, 17, 8, 0, 0, 0, 60, 3]]),
        ("flood", vec![app; 1_000_000]),
        ("flood of fill", vec![fill; 100_000]),
    ] {
        let p = probe(&jpeg_with(&segments));
        assert_eq!((p.format, p.width, p.height), (MediaFormat::Jpeg, 0, 0), "{what}");
    }
}

fn tiff(little: bool, big: bool, fields: &[(u16, u16, u64)]) -> Vec<u8> {
    let mut out = if little { b"II".to_vec() } else { b"MM".to_vec() };
    let mut put = |n: u64, size: usize| {
        let bytes = n.to_le_bytes();
        if little { out.extend(&bytes[..size]) } else { out.extend(bytes[..size].iter().rev()) }
    };
    put(if big { 43 } else { 42 }, 2);
    if big {
        [(8, 2), (0, 2), (16, 8), (fields.len() as u64, 8)].into_iter().for_each(|(n, size)| put(n, size));
    } else {
        [(8, 4), (fields.len() as u64, 2)].into_iter().for_each(|(n, size)| put(n, size));
    }
    for &(tag, kind, value) in fields {
        put(tag.into(), 2);
        put(kind.into(), 2);
        put(1, if big { 8 } else { 4 });
        let (size, room) = (
            match kind {
                1 => 1,
                3 => 2,
                16 => 8,
                _ => 4,
            },
            if big { 8 } else { 4 },
        );
        put(value, size);
        put(0, room - size.min(room));
    }
    out
}

#[test]
fn tiff_sizes_come_in_either_order_of_bytes_and_several_types() {
    for little in [true, false] {
        for (big, kind) in [(false, 1), (false, 3), (false, 4), (true, 3), (true, 4), (true, 16)] {
            let data = tiff(little, big, &[(254, 77, 1), (256, kind, 200), (257, kind, 99)]);
            let p = probe(&data);
            assert_eq!((p.format, p.width, p.height), (MediaFormat::Tiff, 200, 99), "{little} {big} {kind}");
        }
    }
    let too_wide = tiff(true, true, &[(256, 16, 1 << 40), (257, 4, 9)]);
    assert_eq!(size(probe(&too_wide)), (0, 0));
}

#[test]
fn a_tiff_that_claims_endless_fields_is_left_in_time() {
    let mut data = tiff(true, true, &[]);
    data[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    data.resize(64 << 20, 0);
    assert_eq!(size(probe(&data)), (0, 0));
}

#[test]
fn bitmaps_of_os2_and_upside_down_have_their_size() {
    let os2 = b"BM\x20\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\x07\0\x05\0\x01\0\x18\0";
    assert_eq!(size(probe(os2)), (7, 5));
    let lie = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\xff\xff\xff\xff\x02\0\0\0";
    assert_eq!(size(probe(lie)), (0, 0));
}

#[test]
fn webp_frames_do_not_count_their_scale_as_width() {
    let scaled = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\x10\0\0\x9d\x01\x2a\x40\xc0\x30\x40";
    assert_eq!(size(probe(scaled)), (64, 48));
    let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc0\x0b\x00";
    assert_eq!(size(probe(lossless)), (64, 48));
    let extended = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x3f\0\0\x2f\0\0";
    assert_eq!(size(probe(extended)), (64, 48));
}

#[test]
fn still_pictures_in_video_containers_are_not_video() {
    assert_eq!(probe(b"\0\0\0\x18ftypisom").format, MediaFormat::Mp4);
    assert_eq!(probe(b"\0\0\0\x18ftypavif").format, MediaFormat::Unknown);
    assert_eq!(probe(b"\0\0\0\x18ftypheic").format, MediaFormat::Unknown);
    assert_eq!(probe(b"RIFF\0\0\0\0AVI LIST").format, MediaFormat::Avi);
    assert_eq!(probe(b"RIFF\0\0\0\0WAVE").format, MediaFormat::Unknown);
}

#[test]
fn apples_png_has_its_size_behind_a_chunk_of_its_own() {
    let apple = b"\x89PNG\r\n\x1a\n\0\0\0\x04CgBI\x50\0\x20\x02crc!\0\0\0\x0dIHDR\0\0\x01\0\0\0\0\x80";
    assert_eq!(size(probe(apple)), (256, 128));
}

proptest! {
    #[test]
    fn any_bytes_behind_any_magic_give_an_answer(
        magic in proptest::sample::select(vec![
            &b"\xff\xd8\xff"[..], b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WEBPVP8 ", b"RIFF\0\0\0\0WEBPVP8X", b"BM",
            b"II\x2a\0", b"MM\0\x2a", b"II\x2b\0\x08\0\0\0", b"MM\0\x2b\0\x08\0\0", b"\0\0\0\x18ftyp", b"",
        ]),
        tail in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let p = probe(&[magic, &tail].concat());
        prop_assert_eq!(p.width == 0, p.height == 0);
    }
}
