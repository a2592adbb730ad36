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

/// A field of a TIFF: its number, its type, how many values, and these or their place.
type Field = (u16, u16, u32, u32);

/// A TIFF of these fields, followed by these bytes, which begin behind [`behind`].
fn tiff_of(fields: &[Field], data: &[u8]) -> Vec<u8> {
    let mut tiff = b"II\x2a\0\x08\0\0\0".to_vec();
    tiff.extend((fields.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in fields {
        tiff.extend(tag.to_le_bytes().into_iter().chain(kind.to_le_bytes()));
        tiff.extend(count.to_le_bytes().into_iter().chain(value.to_le_bytes()));
    }
    tiff.extend([0; 4]);
    [&tiff, data].concat()
}

fn behind(fields: usize) -> u32 {
    8 + 2 + fields as u32 * 12 + 4
}

/// A TIFF of three planes in tiles of 16 × 16.
fn planes_in_tiles(side: u32) -> Vec<u8> {
    let tiles = side.div_ceil(16).pow(2) * 3;
    let (offsets, counts) = (behind(11) + 6, behind(11) + 6 + tiles * 4);
    let data = counts + tiles * 4;
    let fields = [
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
    let mut rest = vec![8, 0, 8, 0, 8, 0];
    (0..tiles).for_each(|tile| rest.extend((data + tile * 256).to_le_bytes()));
    (0..tiles).for_each(|_| rest.extend(256_u32.to_le_bytes()));
    (0..tiles).for_each(|tile| rest.extend([(tile / (tiles / 3) * 10) as u8; 256]));
    tiff_of(&fields, &rest)
}

/// A TIFF of one strip of RGB with alpha of this kind (1 is multiplied with the colors, 2 is not).
fn with_alpha(width: u32, bits: u16, format: u32, kind: u32, pixels: &[u8]) -> Vec<u8> {
    let fields = [
        (256, 4, 1, width),
        (257, 4, 1, 1),
        (258, 3, 4, behind(11)),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (273, 4, 1, behind(11) + 8),
        (277, 3, 1, 4),
        (278, 4, 1, 1),
        (279, 4, 1, pixels.len() as u32),
        (338, 3, 1, kind),
        (339, 3, 1, format),
    ];
    tiff_of(&fields, &[&[bits; 4].map(u16::to_le_bytes).concat(), pixels].concat())
}

#[test]
fn colors_that_a_tiff_multiplied_by_their_alpha_are_divided_by_it() {
    let mut decoder = Decoder::default();
    let mut rgb = |tiff: &[u8]| decoder.decode(tiff, None, &Options::default()).unwrap().pixels.to_vec();
    // As Pillow reads it: rounded down, no more than white, and black where all is transparent.
    let bytes = [10, 20, 30, 128, 200, 100, 0, 255, 9, 9, 9, 0, 200, 10, 1, 100];
    let divided = [19, 39, 59, 200, 100, 0, 0, 0, 0, 255, 25, 2];
    assert_eq!(rgb(&with_alpha(4, 8, 1, 1, &bytes)), divided);
    assert_eq!(rgb(&with_alpha(4, 8, 1, 2, &bytes)), [10, 20, 30, 200, 100, 0, 9, 9, 9, 200, 10, 1]);
    let words: Vec<u8> = [16384_u16, 32768, 0, 32768, 5, 5, 5, 0].into_iter().flat_map(u16::to_le_bytes).collect();
    assert_eq!(rgb(&with_alpha(2, 16, 1, 1, &words)), [127, 255, 0, 0, 0, 0]);
    let floats: Vec<u8> =
        [0.25_f32, 0.5, 0.0, 0.5, 1.0, 1.0, 1.0, 0.0].into_iter().flat_map(f32::to_le_bytes).collect();
    assert_eq!(rgb(&with_alpha(2, 32, 3, 1, &floats)), [128, 255, 0, 0, 0, 0]);
}

#[test]
fn a_tiff_is_turned_as_its_own_field_says_whether_or_not_exif_counts() {
    let (index, blob) = fixtures();
    let gray = index["decode"].as_array().unwrap().iter().find(|p| p["name"] == "tiff gray").unwrap();
    let stored = part(&blob, &gray["data"]);
    let mut decoder = Decoder::default();
    let upright = decoder.decode(stored, None, &Options::default()).unwrap().pixels.to_vec();
    for number in 1..=8_u32 {
        // The directory once more behind all, with one more field.
        let at = u32::from_le_bytes(*stored[4..].first_chunk().unwrap()) as usize;
        let fields = usize::from(u16::from_le_bytes([stored[at], stored[at + 1]]));
        let mut all: Vec<[u8; 12]> = stored[at + 2..].as_chunks().0[..fields].to_vec();
        let field = [&274_u16.to_le_bytes()[..], &3_u16.to_le_bytes(), &1_u32.to_le_bytes(), &number.to_le_bytes()];
        all.push(field.concat().try_into().unwrap());
        all.sort_by_key(|field| u16::from_le_bytes([field[0], field[1]]));
        let mut tiff = stored.to_vec();
        tiff.extend(vec![0; tiff.len() % 2]);
        let end = (tiff.len() as u32).to_le_bytes();
        tiff[4..8].copy_from_slice(&end);
        tiff.extend((all.len() as u16).to_le_bytes());
        tiff.extend(all.concat());
        tiff.extend([0; 4]);
        let (w, h) = (37, 23);
        let source = |x: usize, y: usize| match number {
            1 => (x, y),
            2 => (w - 1 - x, y),
            3 => (w - 1 - x, h - 1 - y),
            4 => (x, h - 1 - y),
            5 => (y, x),
            6 => (y, h - 1 - x),
            7 => (w - 1 - y, h - 1 - x),
            _ => (w - 1 - y, x),
        };
        let size = if number < 5 { (w, h) } else { (h, w) };
        let probed = probe(&tiff);
        assert_eq!((probed.width as usize, probed.height as usize), size, "{number}");
        let turned: Vec<u8> = (0..size.1)
            .flat_map(|y| (0..size.0).map(move |x| (x, y)))
            .flat_map(|(x, y)| {
                let (x, y) = source(x, y);
                upright[(y * w + x) * 3..][..3].to_vec()
            })
            .collect();
        for orient in [false, true] {
            let picture = decoder.decode(&tiff, None, &Options::default().with_orient(orient)).unwrap();
            assert_eq!((picture.width as usize, picture.height as usize), size, "{number} {orient}");
            assert!(picture.pixels == turned, "{number} {orient}");
        }
    }
}

#[test]
fn kinds_of_tiff_that_are_not_decoded_are_named_by_what_they_are() {
    let says = |photometric: u32, bits: u32, compression: u32| {
        let fields = [
            (256, 4, 1, 2),
            (257, 4, 1, 1),
            (258, 3, 1, bits),
            (259, 3, 1, compression),
            (262, 3, 1, photometric),
            (273, 4, 1, behind(10)),
            (277, 3, 1, 1),
            (278, 4, 1, 1),
            (279, 4, 1, 4),
            (320, 3, 2, 0),
        ];
        let e = Decoder::default().decode(&tiff_of(&fields, &[0; 4]), None, &Options::default()).unwrap_err();
        assert_eq!(e.code().id(), "image.unsupported", "{e}");
        e.to_string()
    };
    let e = says(3, 8, 5);
    assert!(e.contains("colors palette, 1 samples a pixel of 8 bits, unsigned numbers, compression LZW"), "{e}");
    let e = says(1, 32, 1);
    assert!(e.contains("colors gray, 1 samples a pixel of 32 bits, unsigned numbers, compression none"), "{e}");
    let e = says(1, 8, 50000);
    assert!(e.contains("compression Zstandard"), "{e}");
}

#[test]
fn a_picture_for_which_there_is_no_memory_is_an_error_and_not_the_end_of_the_process() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x01\0\0\0\0\x40\0\0\x08\x02\0\0\0";
    let options = Options::default().with_limits(Limits::default().with_pixels(u64::MAX));
    let e = Decoder::default().decode(png, None, &options).unwrap_err();
    assert_eq!((e.code().id(), e.kind()), ("image.pixels", Kind::Limit), "{e}");
    assert!(e.to_string().contains("no memory"), "{e}");
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
