//! Pixels against Pillow's, limits, damage and every truncation.
#![cfg(all(feature = "decode", not(target_arch = "wasm32")))]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

use crate::common;
use crate::images;

use std::{fs, io::Read};

use common::corpus;
use forebay::{
    Limits,
    error::Kind,
    image::{
        decode::{Decoder, Options},
        probe,
    },
    sample::MediaFormat,
};
use images::{fixtures, furthest, part};

#[test]
fn every_format_has_the_pixels_that_pillow_sees() {
    let (index, blob) = fixtures();
    let mut decoder = Decoder::default();
    for case in index["decode"].as_array().unwrap() {
        let options = Options::default().with_orient(case["orient"].as_bool().unwrap());
        let picture = decoder
            .decode(part(&blob, &case["data"]), None, &options)
            .unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
        let size = (u64::from(picture.width), u64::from(picture.height));
        assert_eq!(Some(size.0), case["width"].as_u64(), "{}", case["name"]);
        assert_eq!(Some(size.1), case["height"].as_u64(), "{}", case["name"]);
        let off = furthest(picture.pixels, part(&blob, &case["rgb"]));
        assert!(u64::from(off) <= case["tolerance"].as_u64().unwrap(), "{}: off by {off}", case["name"]);
    }
}

#[test]
fn another_decoder_makes_nearly_the_same_of_usual_jpegs() {
    use zune_jpeg::{
        JpegDecoder,
        zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
    };
    let (index, blob) = fixtures();
    let mut decoder = Decoder::default();
    let mut seen = 0;
    for case in index["decode"].as_array().unwrap() {
        let data = part(&blob, &case["data"]);
        if probe(data).format == MediaFormat::Jpeg {
            let picture = decoder.decode(data, None, &Options::default()).unwrap();
            let rgb = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
            let other = JpegDecoder::new_with_options(ZCursor::new(data), rgb).decode().unwrap();
            let off = furthest(picture.pixels, &other);
            assert!(off <= 3, "{}: {off} levels apart", case["name"]);
            seen += 1;
        }
    }
    assert!(seen > 9, "{seen}");
}

#[test]
fn raw_pixels_are_borrowed_and_must_have_the_size_of_the_index() {
    let payload = [7; 24];
    let mut decoder = Decoder::default();
    let picture = decoder.decode(&payload, Some((4, 2)), &Options::default()).unwrap();
    assert_eq!(picture.pixels.as_ptr(), payload.as_ptr());
    for raw in [(4, 3), (2, 2), (u32::MAX, u32::MAX), (0, 5)] {
        let e = decoder.decode(&payload, Some(raw), &Options::default()).unwrap_err();
        assert!(["image.raw_size", "image.pixels"].contains(&e.code().id()), "{e}");
    }
}

#[test]
fn a_small_file_that_claims_many_pixels_is_refused_before_memory_is_asked_for() {
    let (index, blob) = fixtures();
    let mut decoder = Decoder::default();
    let options = Options::default().with_limits(Limits::default().with_pixels(850));
    for case in index["decode"].as_array().unwrap().iter().filter(|c| c["width"].as_u64() > Some(1)) {
        let e = decoder.decode(part(&blob, &case["data"]), None, &options).unwrap_err();
        assert_eq!((e.code().id(), e.kind()), ("image.pixels", Kind::Limit), "{}", case["name"]);
    }
    let path = corpus("tar/corrupt_jpegs.tar");
    let bomb = members(&path).into_iter().find(|(name, _)| name.contains("65500")).unwrap().1;
    let e = decoder.decode(&bomb, None, &Options::default()).unwrap_err();
    assert_eq!(e.code().id(), "image.pixels");
}

fn members(path: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(fs::File::open(path).unwrap());
    let read = |entry: std::io::Result<tar::Entry<'_, fs::File>>| {
        let mut entry = entry.unwrap();
        let mut data = Vec::new();
        entry.read_to_end(&mut data).unwrap();
        (entry.path().unwrap().to_string_lossy().into_owned(), data)
    };
    archive.entries().unwrap().map(read).collect()
}

#[test]
fn broken_pictures_are_named_broken_and_whole_ones_are_not() {
    let path = corpus("tar/corrupt_jpegs.tar");
    let mut decoder = Decoder::default();
    for (name, data) in members(&path) {
        let result = decoder.decode(&data, None, &Options::default());
        let code = result.as_ref().map_or_else(|e| e.code().id(), |_| "fine");
        let expected = match &name[..3] {
            // Of the last one bytes are left over, of which libjpeg-turbo warns.
            "001" | "002" | "005" => "image.damaged",
            "003" | "004" => "image.unsupported",
            "010" => "image.pixels",
            _ => "fine",
        };
        assert_eq!(code, expected, "{name}");
    }
    let half = members(&path).into_iter().find(|(name, _)| name.starts_with("001")).unwrap().1;
    let options = Options::default().with_damaged(true);
    assert_eq!(decoder.decode(&half, None, &options).unwrap().width, 75, "what is there can be had");
}

#[test]
fn real_pictures_of_every_format_decode_to_their_size() {
    let path = corpus("tar/allformats.tar");
    let mut decoder = Decoder::default();
    let mut seen = 0;
    for (name, data) in members(&path) {
        let p = probe(&data);
        let result = decoder.decode(&data, None, &Options::default());
        if matches!(p.format, MediaFormat::Unknown | MediaFormat::Mp4 | MediaFormat::Avi) {
            assert_eq!(result.unwrap_err().kind(), Kind::Unsupported, "{name}");
            continue;
        }
        let picture = result.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((picture.width, picture.height), (p.width, p.height), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 39);
}

#[test]
fn every_truncation_and_many_flipped_bits_end_in_an_answer() {
    let (index, blob) = fixtures();
    let mut decoder = Decoder::default();
    for case in index["decode"].as_array().unwrap() {
        let data = part(&blob, &case["data"]);
        let whole = probe(data);
        for damaged in [false, true] {
            let options = Options::default().with_damaged(damaged).with_orient(true);
            for cut in (0..data.len()).step_by(7) {
                let result = decoder.decode(&data[..cut], None, &options);
                // What a JPEG lacks at its end may be nothing but its end marker.
                if whole.format == MediaFormat::Jpeg && !damaged && cut + 20 < data.len() {
                    assert!(result.is_err(), "{} cut to {cut} of {} passes", case["name"], data.len());
                }
            }
            for bit in (0..data.len() * 8).step_by(37) {
                let mut flipped = data.to_vec();
                flipped[bit / 8] ^= 1 << (bit % 8);
                let options = options.clone().with_limits(Limits::default().with_pixels(1 << 16));
                if let Ok(picture) = decoder.decode(&flipped, None, &options) {
                    assert_eq!(picture.pixels.len() as u64, u64::from(picture.width) * u64::from(picture.height) * 3);
                }
            }
        }
    }
}

#[test]
fn a_tiff_whose_field_claims_more_values_than_the_file_has_bytes_is_refused_before_room_is_made() {
    let (index, blob) = fixtures();
    let gray = index["decode"].as_array().unwrap().iter().find(|p| p["name"] == "tiff gray").unwrap();
    let mut tiff = part(&blob, &gray["data"]).to_vec();
    let decode = |tiff: &[u8]| Decoder::default().decode(tiff, None, &Options::default()).map(|p| p.width);
    assert_eq!(decode(&tiff).unwrap(), 37);
    // The fifth field of the directory at 8: how pixels are to be understood, one value.
    let count = 8 + 2 + 4 * 12 + 4;
    tiff[count..count + 4].copy_from_slice(&0x31_0001_u32.to_le_bytes());
    let e = decode(&tiff).unwrap_err();
    assert_eq!(e.code().id(), "image.damaged");
    assert!(e.message().contains("claim"), "{e}");
}

/// A bitmap with a header of 40 bytes, then its masks or palette, then its pixels.
fn bitmap(bits: u8, packing: u8, (width, height): (i32, i32), colors: &[u8], pixels: &[u8]) -> Vec<u8> {
    let size = [width.to_le_bytes(), height.to_le_bytes()].concat();
    let at = (54 + colors.len() as u32).to_le_bytes();
    let kind = [1, 0, bits, 0, packing, 0, 0, 0];
    [b"BM\0\0\0\0\0\0\0\0", &at[..], &[40, 0, 0, 0], &size, &kind, &[0; 20], colors, pixels].concat()
}

/// Red, green, blue and white, and black for what is left of a palette of as many bits.
fn palette(bits: u32) -> Vec<u8> {
    let mut colors = vec![0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0];
    colors.resize(4 << bits, 0);
    colors
}

#[test]
fn bitmaps_of_every_kind_have_the_pixels_that_are_stored_in_them() {
    let (red, green, blue, white, black) = ([255, 0, 0], [0, 255, 0], [0, 0, 255], [255; 3], [0; 3]);
    let masks = |masks: [u32; 3]| masks.map(u32::to_le_bytes).concat();
    let os2 = [
        &b"BM\0\0\0\0\0\0\0\0\x20\0\0\0\x0c\0\0\0\x02\0\x01\0\x01\0\x01\0"[..],
        &[0, 0, 255, 0, 255, 0],
        &[0b0100_0000, 0, 0, 0],
    ]
    .concat();
    type Case<'a> = (&'a str, Vec<u8>, (u32, u32), &'a [[u8; 3]]);
    let cases: [Case<'_>; 15] = [
        ("1 bit", bitmap(1, 0, (3, 1), &palette(1), &[0b0100_0000, 0, 0, 0]), (3, 1), &[red, green, red]),
        ("1 bit of OS/2", os2, (2, 1), &[red, green]),
        ("2 bits", bitmap(2, 0, (3, 1), &palette(2), &[0b1001_1100, 0, 0, 0]), (3, 1), &[blue, green, white]),
        ("4 bits", bitmap(4, 0, (3, 1), &palette(4), &[0x21, 0x30, 0, 0]), (3, 1), &[blue, green, white]),
        ("8 bits, upwards", bitmap(8, 0, (1, 2), &palette(8), &[1, 0, 0, 0, 2, 0, 0, 0]), (1, 2), &[blue, green]),
        ("8 bits, downwards", bitmap(8, 0, (1, -2), &palette(8), &[1, 0, 0, 0, 2, 0, 0, 0]), (1, 2), &[green, blue]),
        ("16 bits", bitmap(16, 0, (2, 1), &[], &[0x00, 0x7c, 0xe3, 0x03]), (2, 1), &[red, [0, 255, 25]]),
        (
            "16 bits with masks",
            bitmap(16, 3, (2, 1), &masks([0xf800, 0x7e0, 0x1f]), &[0x20, 0x00, 0x41, 0x08]),
            (2, 1),
            &[[0, 4, 0], [8, 8, 8]],
        ),
        ("24 bits", bitmap(24, 0, (1, 1), &[], &[3, 2, 1, 0]), (1, 1), &[[1, 2, 3]]),
        ("32 bits", bitmap(32, 0, (1, 1), &[], &[3, 2, 1, 9]), (1, 1), &[[1, 2, 3]]),
        (
            "32 bits with masks",
            bitmap(32, 3, (1, 1), &masks([0xff, 0xff00, 0xff_0000]), &[3, 2, 1, 9]),
            (1, 1),
            &[[3, 2, 1]],
        ),
        (
            "masks of ten bits",
            bitmap(32, 3, (1, 1), &masks([0x3ff0_0000, 0xf_fc00, 0x3ff]), &0x2000_4400_u32.to_le_bytes()),
            (1, 1),
            &[[128, 4, 0]],
        ),
        (
            "runs of 8 bits",
            // A run, three by themselves, the end of the line; the next one from its second pixel on.
            bitmap(8, 1, (5, 2), &palette(8), &[2, 1, 0, 3, 0, 1, 2, 0, 0, 0, 0, 2, 1, 0, 1, 3, 0, 1]),
            (5, 2),
            &[black, white, black, black, black, green, green, red, green, blue],
        ),
        (
            "a run that is longer than its line",
            bitmap(8, 1, (2, 1), &palette(8), &[9, 1, 0, 0]),
            (2, 1),
            &[green, green],
        ),
        (
            "runs of 4 bits",
            bitmap(4, 2, (6, 1), &palette(4), &[3, 0x12, 0, 3, 0x31, 0x20, 0, 1]),
            (6, 1),
            &[green, blue, green, white, green, blue],
        ),
    ];
    let mut decoder = Decoder::default();
    for (name, data, size, expected) in cases {
        let picture = decoder.decode(&data, None, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(((picture.width, picture.height), picture.pixels), (size, expected.as_flattened()), "{name}");
        let cut = decoder.decode(&data[..data.len() - 5], None, &Options::default()).unwrap_err();
        assert_eq!(cut.code().id(), "image.damaged", "{name}");
    }
}

#[test]
fn bitmaps_that_contradict_themselves_are_damaged_and_unknown_ones_unsupported() {
    let (damaged, unsupported) = ("image.damaged", "image.unsupported");
    let with = |at: usize, byte: u8| {
        let mut data = bitmap(8, 0, (1, 1), &palette(8), &[0; 4]);
        data[at] = byte;
        data
    };
    let masks = |masks: [u32; 3]| bitmap(16, 3, (1, 1), &masks.map(u32::to_le_bytes).concat(), &[0; 4]);
    for (data, code) in [
        (with(14, 64), unsupported),
        (with(18, 0), unsupported),
        (with(20, 9), damaged),
        (with(21, 0x80), damaged),
        (with(26, 2), damaged),
        (with(28, 7), damaged),
        (with(30, 2), damaged),
        (with(30, 4), unsupported),
        (with(30, 5), unsupported),
        (with(30, 6), damaged),
        (with(30, 12), unsupported),
        (with(47, 2), damaged),
        (bitmap(8, 1, (1, -1), &palette(8), &[1, 1, 0, 1]), damaged),
        (bitmap(8, 1, (2, 1), &palette(8), &[0, 3, 1, 1, 1, 0, 0, 1]), damaged),
        (bitmap(8, 1, (2, 1), &palette(8), &[0, 2, 3, 0, 0, 1]), damaged),
        (bitmap(8, 1, (2, 1), &palette(8), &[0, 2, 0, 1, 0, 1]), damaged),
        (bitmap(4, 2, (2, 1), &palette(4), &[3, 0x11, 0, 1]), damaged),
        (masks([0xf800, 0x7e0, 0]), damaged),
        (masks([0xf800, 0x7a0, 0x1f]), damaged),
        (masks([0x1f000, 0x7e0, 0x1f]), damaged),
    ] {
        let e = Decoder::default().decode(&data, None, &Options::default()).unwrap_err();
        assert_eq!(e.code().id(), code, "{e} of {:?}", &data[14..54]);
    }
}

/// A TIFF of three planes in tiles of 16 × 16.
fn planes_in_tiles(side: u32) -> Vec<u8> {
    let tiles = side.div_ceil(16).pow(2) * 3;
    let (offsets, counts) = (8 + 2 + 11 * 12 + 4 + 6, 8 + 2 + 11 * 12 + 4 + 6 + tiles * 4);
    let data = counts + tiles * 4;
    let fields: [(u16, u16, u32, u32); 11] = [
        (256, 4, 1, side),
        (257, 4, 1, side),
        (258, 3, 3, offsets - 6),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (277, 3, 1, 3),
        (284, 3, 1, 2),
        (322, 4, 1, 16),
        (323, 4, 1, 16),
        (324, 4, tiles, offsets),
        (325, 4, tiles, counts),
    ];
    let mut tiff = b"II\x2a\0\x08\0\0\0\x0b\0".to_vec();
    for (tag, kind, count, value) in fields {
        tiff.extend(tag.to_le_bytes().into_iter().chain(kind.to_le_bytes()));
        tiff.extend(count.to_le_bytes().into_iter().chain(value.to_le_bytes()));
    }
    tiff.extend([0, 0, 0, 0, 8, 0, 8, 0, 8, 0]);
    (0..tiles).for_each(|tile| tiff.extend((data + tile * 256).to_le_bytes()));
    (0..tiles).for_each(|_| tiff.extend(256_u32.to_le_bytes()));
    (0..tiles).for_each(|tile| tiff.extend([(tile / (tiles / 3) * 10) as u8; 256]));
    tiff
}

#[test]
fn planes_in_tiles_that_go_beyond_the_picture_are_unsupported() {
    let mut decoder = Decoder::default();
    let whole = planes_in_tiles(32);
    let picture = decoder.decode(&whole, None, &Options::default()).unwrap();
    assert!(picture.pixels.chunks(3).all(|pixel| pixel == [0, 10, 20]));
    let e = decoder.decode(&planes_in_tiles(20), None, &Options::default()).unwrap_err();
    assert_eq!(e.code().id(), "image.unsupported");
}
