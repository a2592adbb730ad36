//! Progressive JPEGs: those that stop early, those of too many scans, and turned ones in parts and reduced sizes.
#![cfg(all(feature = "jpeg", feature = "transform", not(target_arch = "wasm32")))]
#![allow(clippy::disallowed_methods, reason = "tests are hosts: they read files")]

use std::fs;

use base64::Engine;
use forebay::image::{
    decode::{Decoder, Options, Orientation, Region, orientation},
    transform::{Out, Recipe, Transformer},
};
use serde_json::Value;

/// A picture that Pillow wrote, and for each cut: where, whether that is between scans, and the CRC-32 of its pixels.
type Cut = (String, Vec<u8>, Vec<(usize, bool, u32)>);

fn pictures() -> Vec<Cut> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/scans.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let cut =
        |cut: &Value| (cut[0].as_u64().unwrap() as usize, cut[1].as_bool().unwrap(), cut[2].as_u64().unwrap() as u32);
    let picture = |p: &Value| {
        let data = base64::engine::general_purpose::STANDARD.decode(p["data"].as_str().unwrap()).unwrap();
        (p["name"].as_str().unwrap().to_owned(), data, p["cuts"].as_array().unwrap().iter().map(cut).collect())
    };
    all.iter().map(picture).collect()
}

#[test]
fn progressive_pictures_that_stop_early_are_those_of_libjpeg_turbo_to_the_last_bit() {
    // One decoder, so that what is left of one picture would be seen in the next.
    let mut decoder = Decoder::default();
    let mut seen = [0; 2];
    for (name, data, cuts) in pictures() {
        for (at, between, crc) in cuts {
            let cut = [&data[..at], &[0xff, 0xd9]].concat();
            // Between scans nothing is damaged but what the header promised.
            let options = Options::default().with_damaged(!between);
            let picture = decoder.decode(&cut, None, &options).unwrap();
            assert_eq!(crc32fast::hash(picture.pixels), crc, "{name} cut at {at}, between scans: {between}");
            seen[usize::from(between)] += 1;
            assert!(between || decoder.decode(&cut, None, &Options::default()).is_err(), "{name} cut at {at}");
        }
    }
    assert!(seen[0] > 20 && seen[1] > 50, "{seen:?}");
}

/// A gray progressive picture of which all is zero, of this many scans: the first coefficients, then each of the others
/// in two.
fn zeros(width: u16, height: u16, scans: u8) -> Vec<u8> {
    let mut jpeg = vec![0xff, 0xd8, 0xff, 0xdb, 0, 67, 0];
    jpeg.extend([1; 64]);
    jpeg.extend([0xff, 0xc2, 0, 11, 8]);
    jpeg.extend(height.to_be_bytes().into_iter().chain(width.to_be_bytes()));
    jpeg.extend([1, 1, 0x11, 0]);
    // Of both tables one code of one bit: no difference; 16,384 blocks and more that have nothing, in 14 bits.
    for (table, symbol) in [(0, 0), (0x10, 0xe0)] {
        jpeg.extend([0xff, 0xc4, 0, 20, table, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, symbol]);
    }
    let blocks = usize::from(width.div_ceil(8)) * usize::from(height.div_ceil(8));
    for scan in 0..scans {
        let (place, bits, of) = match scan {
            0 => (0, blocks, 0),
            n if n % 2 == 1 => (n.div_ceil(2), 15 * blocks.div_ceil(1 << 14), 0x01),
            n => (n.div_ceil(2), 15 * blocks.div_ceil(1 << 14), 0x10),
        };
        jpeg.extend([0xff, 0xda, 0, 8, 1, 1, 0, place, place, of]);
        let mut bytes = vec![0; bits.div_ceil(8)];
        if let Some(last) = bytes.last_mut().filter(|_| bits % 8 > 0) {
            *last = 0xff >> (bits % 8);
        }
        jpeg.extend(bytes);
    }
    jpeg.extend([0xff, 0xd9]);
    jpeg
}

#[test]
fn more_passes_over_a_picture_than_programs_write_are_refused() {
    let mut decoder = Decoder::default();
    // Small ones may have many scans, but not any number.
    for (width, height, scans, fine) in
        [(64, 64, 100, true), (64, 64, 101, false), (4096, 2048, 32, true), (4096, 2048, 33, false)]
    {
        let jpeg = zeros(width, height, scans);
        let result = decoder.decode(&jpeg, None, &Options::default()).map(|picture| picture.pixels[0]);
        match result {
            Ok(first) => assert!(fine && first == 128, "{scans} scans of {width} × {height}"),
            Err(e) => assert!(!fine && e.code().id() == "image.scans", "{scans} scans of {width} × {height}: {e}"),
        }
    }
}

/// The picture with an EXIF block that has an orientation.
fn turned(data: &[u8], number: u8) -> Vec<u8> {
    let tiff =
        [b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".as_slice(), &[number, 0, 0, 0, 0, 0, 0, 0]].concat();
    let length = (2 + 6 + tiff.len() as u16).to_be_bytes();
    [&data[..2], &[0xff, 0xe1], &length, b"Exif\0\0", &tiff, &data[2..]].concat()
}

#[test]
fn a_part_of_a_turned_picture_at_any_size_is_that_of_the_whole_turned() {
    let mut decoder = Decoder::default();
    let (mut parts, mut reduced) = (0, 0);
    for (name, data, _) in pictures() {
        for number in 1..=8 {
            let data = turned(&data, number);
            assert_eq!(orientation(&data), Orientation::from_exif(number.into()), "{name}");
            for least in [1, 20, 40, 300] {
                let upright = Options::default().with_at_least(least, least).with_orient(true);
                let whole = decoder.decode(&data, None, &upright).unwrap();
                let (width, height, full) = (whole.width, whole.height, (whole.full_width, whole.full_height));
                let (eighths, pixels) = (whole.eighths, whole.pixels.to_vec());
                reduced += usize::from(eighths < 8);
                if eighths == 8 {
                    let plain = decoder.decode(&data, None, &Options::default().with_orient(true)).unwrap();
                    assert!(plain.pixels == pixels, "{name} {number}");
                }
                for (x, y, w, h) in [(0, 0, 5, 5), (60, 40, 20, 10), (3, 70, 9, 4), (20, 0, 1, 96)] {
                    let seen = Region { x, y, width: w, height: h };
                    let size = Orientation::from_exif(number.into()).size(full.0, full.1);
                    let stored = Orientation::from_exif(number.into()).stored(seen, size);
                    let part = decoder.decode(&data, None, &upright.clone().with_region(stored)).unwrap();
                    assert_eq!((part.full_width, part.full_height, part.eighths), (full.0, full.1, eighths));
                    parts += usize::from((part.width, part.height) != (width, height));
                    for (i, line) in part.pixels.chunks_exact(part.width as usize * 3).enumerate() {
                        let at = ((part.top as usize + i) * width as usize + part.left as usize) * 3;
                        assert!(line == &pixels[at..at + line.len()], "{name} {number} {least} {seen:?} line {i}");
                    }
                    let inside = |from: u32, n: u32, full: u32, start: u32, length: u32| {
                        let (from, to) = (from.min(full) * eighths / 8, ((from + n).min(full) * eighths).div_ceil(8));
                        from >= to || start <= from && to <= start + length
                    };
                    assert!(inside(x, w, full.0, part.left, part.width), "{name} {number} {seen:?}");
                    assert!(inside(y, h, full.1, part.top, part.height), "{name} {number} {seen:?}");
                }
            }
        }
    }
    assert!(parts > 200 && reduced > 20, "{parts} parts, {reduced} reduced");
}

#[test]
fn a_tensor_of_a_turned_picture_is_the_same_whether_all_of_it_was_decoded_or_a_part() {
    let mut decoder = Decoder::default();
    let mut transformer = Transformer::new(Recipe::new(12, 10).random_resized_crop().hflip()).unwrap();
    let (mut by_parts, mut of_all) = (vec![0.0_f32; transformer.values()], vec![0.0_f32; transformer.values()]);
    for (name, data, _) in pictures() {
        for number in 1..=8 {
            let data = turned(&data, number);
            let options = Options::default().with_orient(true);
            for key in 0..6 {
                let exact = options.clone().with_exact(true);
                transformer.decode(&mut decoder, &data, None, &exact, key, Out::F32(&mut by_parts)).unwrap();
                let whole = decoder.decode(&data, None, &options).unwrap();
                transformer.apply(&whole, key, Out::F32(&mut of_all)).unwrap();
                assert!(by_parts == of_all, "{name} {number} {key}");
                // Reduced sizes change little, and the crop is in the same place.
                transformer.decode(&mut decoder, &data, None, &options, key, Out::F32(&mut by_parts)).unwrap();
                let sum: f32 = by_parts.iter().zip(&of_all).map(|(a, b)| (a - b).abs()).sum();
                assert!(sum / (by_parts.len() as f32) < 0.02, "{name} {number} {key}: {sum}");
            }
        }
    }
}

#[test]
fn exact_decoding_asks_for_no_reduced_size() {
    let (_, data, _) = pictures().into_iter().find(|(name, ..)| name == "of whole units").unwrap();
    let mut decoder = Decoder::default();
    let smaller = Options::default().with_at_least(20, 12);
    assert_eq!(decoder.decode(&data, None, &smaller).unwrap().eighths, 1);
    assert_eq!(decoder.decode(&data, None, &smaller.with_exact(true)).unwrap().eighths, 8);
}
