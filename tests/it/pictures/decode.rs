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
        decode::{Decoder, JpegBackend, Options},
        probe,
    },
    sample::MediaFormat,
};
use images::{fixtures, furthest, part};

#[test]
fn every_format_has_the_pixels_that_pillow_sees() {
    let (index, blob) = fixtures();
    let mut decoder = Decoder::default();
    for jpeg in [JpegBackend::Forebay, JpegBackend::Zune, JpegBackend::Turbo] {
        for case in index["decode"].as_array().unwrap() {
            let options = Options::default().with_jpeg(jpeg).with_orient(case["orient"].as_bool().unwrap());
            let picture = decoder
                .decode(part(&blob, &case["data"]), None, &options)
                .unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
            let size = (u64::from(picture.width), u64::from(picture.height));
            assert_eq!(Some(size.0), case["width"].as_u64(), "{}", case["name"]);
            assert_eq!(Some(size.1), case["height"].as_u64(), "{}", case["name"]);
            let off = furthest(picture.pixels, part(&blob, &case["rgb"]));
            assert!(u64::from(off) <= case["tolerance"].as_u64().unwrap(), "{} {jpeg:?}: off by {off}", case["name"]);
        }
    }
}

#[cfg(feature = "jpeg-turbo")]
#[test]
fn the_fast_decoder_has_the_very_pixels_of_libjpeg_turbo_and_smaller_ones() {
    let (index, blob) = fixtures();
    let mut decoder = Decoder::default();
    for case in index["decode"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        if !name.starts_with("jpeg") || name.contains("cmyk") {
            continue;
        }
        let data = part(&blob, &case["data"]);
        let options = Options::default().with_jpeg(JpegBackend::Turbo).with_orient(case["orient"].as_bool().unwrap());
        let picture = decoder.decode(data, None, &options).unwrap();
        assert_eq!(furthest(picture.pixels, part(&blob, &case["rgb"])), 0, "{name}");
        for (at_least, (width, height)) in
            [((18, 11), (19, 12)), ((10, 6), (10, 6)), ((1, 1), (5, 3)), ((20, 1), (37, 23))]
        {
            if name.contains("one pixel") || name.contains("exif") {
                continue;
            }
            let options = options.clone().with_at_least(at_least.0, at_least.1);
            let small = decoder.decode(data, None, &options).unwrap();
            assert_eq!(
                (small.width, small.height, small.full_width, small.full_height),
                (width, height, 37, 23),
                "{name}"
            );
            assert_eq!(small.pixels.len() as u32, width * height * 3);
        }
    }
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
    for jpeg in [JpegBackend::Forebay, JpegBackend::Zune, JpegBackend::Turbo] {
        for case in index["decode"].as_array().unwrap().iter().filter(|c| c["width"].as_u64() > Some(1)) {
            let options = options.clone().with_jpeg(jpeg);
            let e = decoder.decode(part(&blob, &case["data"]), None, &options).unwrap_err();
            assert_eq!((e.code().id(), e.kind()), ("image.pixels", Kind::Limit), "{}", case["name"]);
        }
    }
    let path = corpus("tar/corrupt_jpegs.tar");
    let bomb = members(&path).into_iter().find(|(name, _)| name.contains("65500")).unwrap().1;
    for jpeg in [JpegBackend::Forebay, JpegBackend::Zune, JpegBackend::Turbo] {
        let e = decoder.decode(&bomb, None, &Options::default().with_jpeg(jpeg)).unwrap_err();
        assert_eq!(e.code().id(), "image.pixels");
    }
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
    for jpeg in [JpegBackend::Forebay, JpegBackend::Zune, JpegBackend::Turbo] {
        for (name, data) in members(&path) {
            let result = decoder.decode(&data, None, &Options::default().with_jpeg(jpeg));
            let code = result.as_ref().map_or_else(|e| e.code().id(), |_| "fine");
            let expected = match &name[..3] {
                "001" | "002" => "image.damaged",
                "003" | "004" => "image.unsupported",
                "010" => "image.pixels",
                // Bytes are left over, of which libjpeg-turbo warns; the others do not see them.
                "005" if jpeg == JpegBackend::Forebay => "image.damaged",
                _ => "fine",
            };
            assert_eq!(code, expected, "{name} {jpeg:?}");
        }
        let half = members(&path).into_iter().find(|(name, _)| name.starts_with("001")).unwrap().1;
        let options = Options::default().with_damaged(true);
        assert_eq!(decoder.decode(&half, None, &options).unwrap().width, 75, "what is there can be had");
    }
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
        for jpeg in [JpegBackend::Forebay, JpegBackend::Zune, JpegBackend::Turbo] {
            for damaged in [false, true] {
                let options = Options::default().with_jpeg(jpeg).with_damaged(damaged).with_orient(true);
                for cut in (0..data.len()).step_by(7) {
                    let result = decoder.decode(&data[..cut], None, &options);
                    // What a JPEG lacks at its end may be nothing but its end marker.
                    if whole.format == MediaFormat::Jpeg && !damaged && cut + 20 < data.len() {
                        assert!(result.is_err(), "{} cut to {cut} of {} passes ({jpeg:?})", case["name"], data.len());
                    }
                }
                for bit in (0..data.len() * 8).step_by(37) {
                    let mut flipped = data.to_vec();
                    flipped[bit / 8] ^= 1 << (bit % 8);
                    let options = options.clone().with_limits(Limits::default().with_pixels(1 << 16));
                    if let Ok(picture) = decoder.decode(&flipped, None, &options) {
                        assert_eq!(
                            picture.pixels.len() as u64,
                            u64::from(picture.width) * u64::from(picture.height) * 3
                        );
                    }
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
