//! Our own JPEG decoder: parts, reduced sizes, damage.
#![cfg(all(feature = "jpeg", not(target_arch = "wasm32")))]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

use std::fs;

use forebay::image::decode::{Decoder, Options, Region};
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

/// The JPEGs of the fixtures: name, bytes, pixels by Pillow.
fn jpegs() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let index = fs::read_to_string(format!("{FIXTURES}images.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let blob = fs::read(format!("{FIXTURES}images.bin")).unwrap();
    let part = |place: &Value| {
        let at = |i: usize| place[i].as_u64().unwrap() as usize;
        blob[at(0)..at(0) + at(1)].to_vec()
    };
    let cases = index["decode"].as_array().unwrap().iter();
    let jpegs = cases.filter(|case| case["name"].as_str().unwrap().starts_with("jpeg") && case["orient"] == false);
    jpegs.map(|case| (case["name"].as_str().unwrap().into(), part(&case["data"]), part(&case["rgb"]))).collect()
}

fn read(data: &[u8], options: &Options) -> (u32, u32, Vec<u8>) {
    let mut decoder = Decoder::default();
    let picture = decoder.decode(data, None, options).unwrap();
    (picture.width, picture.height, picture.pixels.to_vec())
}

#[test]
fn pixels_are_those_of_libjpeg_turbo_to_the_last_bit() {
    let mut seen = 0;
    for (name, data, truth) in jpegs() {
        assert_eq!(read(&data, &Options::default()).2, truth, "{name}");
        seen += 1;
    }
    assert!(seen >= 9);
}

#[test]
fn a_part_has_the_pixels_of_the_whole_at_every_size() {
    let mut decoder = Decoder::default();
    let mut smaller = 0;
    for (name, data, _) in jpegs() {
        for least in [1, 3, 5, 7, 10, 12, 15, 18, 21, 37] {
            let options = Options::default().with_at_least(least, least.min(23));
            let (width, height, whole) = read(&data, &options);
            for (x, y, w, h) in
                [(0, 0, 1, 1), (9, 3, 20, 8), (16, 16, 1, 1), (35, 20, 9, 9), (90, 90, 5, 5), (0, 8, 37, 2)]
            {
                let region = Region { x, y, width: w, height: h };
                let part = decoder.decode(&data, None, &options.clone().with_region(region)).unwrap();
                smaller += usize::from((part.width, part.height) != (width, height));
                let all = |full: u32, from: u32, n: u32| {
                    // Every pixel of the reduced size that the region touches.
                    let (from, to) =
                        (from.min(full - 1) * part.eighths / 8, ((from + n).min(full) * part.eighths).div_ceil(8));
                    (from, to)
                };
                let (left, right) = all(part.full_width, x, w);
                let (top, bottom) = all(part.full_height, y, h);
                assert!(part.left <= left && part.left + part.width >= right.min(width), "{name} {least} {region:?}");
                assert!(part.top <= top && part.top + part.height >= bottom.min(height), "{name} {least} {region:?}");
                for (i, line) in part.pixels.chunks_exact(part.width as usize * 3).enumerate() {
                    let at = ((part.top as usize + i) * width as usize + part.left as usize) * 3;
                    assert_eq!(line, &whole[at..at + line.len()], "{name} {least} {region:?} line {i}");
                }
            }
        }
    }
    assert!(smaller > 100, "parts are smaller than wholes");
}

#[test]
fn a_reduced_size_is_the_mean_of_the_pixels_that_it_stands_for() {
    for (name, data, _) in jpegs().into_iter().filter(|(name, ..)| !name.contains("one pixel")) {
        let (full_width, full_height, full) = read(&data, &Options::default());
        let mut decoder = Decoder::default();
        for eighths in 1..8_u32 {
            let least = ((full_width * eighths).div_ceil(8), (full_height * eighths).div_ceil(8));
            let picture = decoder.decode(&data, None, &Options::default().with_at_least(least.0, least.1)).unwrap();
            assert_eq!((picture.eighths, picture.width, picture.height), (eighths, least.0, least.1), "{name}");
            let size = 8.0 / f64::from(eighths);
            // The last ones stand for fewer pixels, and for what fills the last block.
            for y in 0..full_height * eighths / 8 {
                for x in 0..full_width * eighths / 8 {
                    for c in 0..3 {
                        let mean = mean(&full, full_width, (f64::from(x) * size, f64::from(y) * size, size), c);
                        let got = picture.pixels[((y * picture.width + x) * 3 + c) as usize];
                        let off = (f64::from(got) - mean).abs();
                        // Colors may be stored for pixels twice as large.
                        assert!(
                            off <= if eighths < 3 { 16.0 } else { 9.0 },
                            "{name} {eighths}/8 at {x}, {y}: {got}, not {mean:.1}"
                        );
                    }
                }
            }
        }
    }
}

/// The mean of a square of pixels that need not be whole.
fn mean(pixels: &[u8], width: u32, (x, y, size): (f64, f64, f64), channel: u32) -> f64 {
    let share = |i: u32, from: f64| (f64::from(i + 1).min(from + size) - f64::from(i).max(from)).max(0.0);
    let (mut sum, mut weight) = (0.0, 0.0);
    for j in y as u32..(y + size).ceil() as u32 {
        for i in x as u32..(x + size).ceil() as u32 {
            let w = share(i, x) * share(j, y);
            if w > 0.0 {
                sum += w * f64::from(pixels[((j * width + i) * 3 + channel) as usize]);
                weight += w;
            }
        }
    }
    sum / weight
}

#[test]
fn damage_behind_a_part_is_not_seen_and_that_of_the_whole_is() {
    let (_, data, _) = jpegs().into_iter().find(|(name, ..)| name == "jpeg 4:4:4").unwrap();
    let cut = &data[..data.len() - 60];
    let mut decoder = Decoder::default();
    let e = decoder.decode(cut, None, &Options::default()).unwrap_err();
    assert_eq!(e.code().id(), "image.damaged");
    let part = Options::default().with_region(Region { x: 0, y: 0, width: 37, height: 2 });
    assert_eq!(decoder.decode(cut, None, &part).unwrap().width, 37);
}

#[test]
fn what_is_there_of_a_damaged_picture_can_be_had_and_the_rest_is_gray() {
    for (name, data, truth) in jpegs().into_iter().filter(|(name, ..)| !name.contains("one pixel")) {
        let options = Options::default().with_damaged(true);
        let (width, _, pixels) = read(&data[..data.len() - data.len() / 8], &options);
        assert_eq!(width, 37, "{name}");
        // A progressive picture lacks its last bits everywhere, others lack their last lines.
        let allowed = if name.contains("progressive") { 4 } else { 0 };
        let off = pixels[..12].iter().zip(&truth).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(off <= Some(allowed), "{name}: the first pixels are there");
        let (_, _, clean) = read(&data, &Options::default());
        assert_eq!(clean, truth, "{name}: nothing of a damaged image stays in a decoder");
    }
}

#[test]
fn a_few_bytes_that_claim_many_pixels_end_quickly() {
    let (_, data, _) = jpegs().into_iter().find(|(name, ..)| name == "jpeg 4:2:0").unwrap();
    let frame = data.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
    let mut large = data.clone();
    large[frame + 5..frame + 9].copy_from_slice(&[0x20, 0, 0x20, 0]);
    let e = Decoder::default().decode(&large, None, &Options::default()).unwrap_err();
    assert_eq!(e.code().id(), "image.damaged");
    let (width, height, pixels) = read(&large, &Options::default().with_damaged(true));
    assert_eq!((width, height, pixels.len()), (8192, 8192, 8192 * 8192 * 3));
    assert_eq!(pixels[pixels.len() - 3..], [128; 3], "what is missing is gray");
}

#[test]
fn a_decoder_goes_from_one_picture_to_the_next_whatever_they_are() {
    let mut decoder = Decoder::default();
    let all = jpegs();
    for (i, (_, data, _)) in all.iter().enumerate() {
        let other = &all[(i * 7 + 3) % all.len()];
        drop(decoder.decode(&data[..data.len() / 2], None, &Options::default()));
        let again = decoder.decode(&other.1, None, &Options::default()).unwrap().pixels.to_vec();
        assert_eq!(again, read(&other.1, &Options::default()).2, "{}", other.0);
    }
}

/// What a decoder says of bytes that it should refuse.
fn code(data: &[u8]) -> String {
    let mut decoder = Decoder::default();
    decoder.decode(data, None, &Options::default()).map_or_else(|e| e.code().id().into(), |_| "read".into())
}

#[test]
fn bytes_left_over_or_an_end_that_is_missing_are_damage_and_the_pixels_can_be_had_nevertheless() {
    for (name, data, truth) in jpegs() {
        let end = data.len() - 2;
        assert_eq!(data[end..], [0xff, 0xd9], "{name}");
        let with = |stray: &[u8]| [&data[..end], stray, &data[end..]].concat();
        let changed = [
            ("a byte", with(&[0x5a])),
            ("zeros", with(&[0; 16])),
            ("a stuffed byte", with(&[0xff, 0])),
            ("no end", data[..end].to_vec()),
            ("half an end", data[..=end].to_vec()),
        ];
        for (what, changed) in changed {
            assert_eq!(code(&changed), "image.damaged", "{name}: {what}");
            assert_eq!(read(&changed, &Options::default().with_damaged(true)).2, truth, "{name}: {what}");
        }
        // Between segments as well, but not behind the end; and bytes that fill are none that are left over.
        let before = data.windows(2).position(|w| w == [0xff, 0xc4]).unwrap();
        let stray = [&data[..before], &[0], &data[before..]].concat();
        assert_eq!(code(&stray), "image.damaged", "{name}");
        assert_eq!(read(&stray, &Options::default().with_damaged(true)).2, truth, "{name}");
        for fine in [[&data[..], b"behind"].concat(), with(&[0xff; 5])] {
            assert_eq!(read(&fine, &Options::default()).2, truth, "{name}");
        }
    }
}

#[test]
fn what_libjpeg_turbo_cannot_read_is_unsupported_and_not_damaged() {
    let (_, data, _) = jpegs().into_iter().find(|(name, ..)| name == "jpeg 4:4:4").unwrap();
    let frame = data.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
    let changed = |at: usize, value: u8| {
        let mut data = data.clone();
        data[frame + at] = value;
        code(&data)
    };
    for (what, at, value) in [
        ("lossless", 1, 0xc3),
        ("hierarchical", 1, 0xc5),
        ("lossless by arithmetic codes", 1, 0xcb),
        ("12 bits", 4, 12),
        ("resolutions that do not divide", 11, 0x31),
    ] {
        let mut data = data.clone();
        // A component of half the width beside one of a third more.
        data[frame + 14] = if value == 0x31 { 0x21 } else { data[frame + 14] };
        data[frame + at] = value;
        assert_eq!(code(&data), "image.unsupported", "{what}");
    }
    // Its height behind the pixels.
    let mut flat = data.clone();
    flat[frame + 5..frame + 7].fill(0);
    assert_eq!(code(&flat), "image.unsupported");
    // What no file may have is damage.
    assert_eq!(changed(11, 0x50), "image.damaged");
    assert_eq!(changed(11, 0x44), "image.damaged", "18 blocks a unit in one scan");
    assert_eq!(changed(1, 0xf3), "image.damaged", "a marker without a meaning");
}
