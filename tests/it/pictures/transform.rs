//! Tensors against Pillow and torchvision, geometry against arithmetic, randomness against itself.
#![cfg(feature = "transform")]
#![allow(clippy::disallowed_methods, reason = "tests are hosts: they read files")]

use crate::images;

use forebay::{
    image::{
        Picture,
        transform::{Blur, Erase, Fit, Jitter, Layout, Normalize, Out, Recipe, Resampling, Transformer, f16},
    },
    order::sample_key,
};
use images::{fixtures, furthest, part};
use proptest::prelude::*;
use serde_json::Value;

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap() as u32
}

/// The output as bytes, side by side.
fn bytes(recipe: Recipe, picture: &Picture<'_>, key: u64) -> Vec<u8> {
    let mut transformer = Transformer::new(recipe.layout(Layout::Nhwc)).unwrap();
    let mut out = vec![0; transformer.values()];
    transformer.apply(picture, key, Out::U8(&mut out)).unwrap();
    out
}

#[test]
fn every_filter_is_within_one_level_of_pillow_and_lanczos_within_two() {
    let (index, blob) = fixtures();
    let photo = &index["photo"];
    let picture = Picture::new(number(&photo["width"]), number(&photo["height"]), part(&blob, &photo["rgb"])).unwrap();
    for case in index["resize"].as_array().unwrap() {
        let edge = |i: usize| case["box"][i].as_f64().unwrap();
        let resampling = match case["filter"].as_str().unwrap() {
            "nearest" => Resampling::Nearest,
            "bilinear" => Resampling::Bilinear,
            "bicubic" => Resampling::Bicubic,
            _ => Resampling::Lanczos,
        };
        let (width, height) = (number(&case["size"][0]), number(&case["size"][1]));
        let mut transformer =
            Transformer::new(Recipe::new(width, height).resampling(resampling).layout(Layout::Nhwc)).unwrap();
        let mut placement = transformer.recipe().place(picture.width, picture.height, 0);
        placement.source.x = edge(0);
        placement.source.y = edge(1);
        placement.source.width = edge(2) - edge(0);
        placement.source.height = edge(3) - edge(1);
        let mut out = vec![0; transformer.values()];
        transformer.apply_placed(&picture, &placement, 0, Out::U8(&mut out)).unwrap();
        let off = furthest(&out, part(&blob, &case["rgb"]));
        // Lanczos sums the most terms, each rounded to 16 bits: two where the picture is enlarged.
        let allowed = if resampling == Resampling::Lanczos { 2 } else { 1 };
        assert!(off <= allowed, "{case}: off by {off}");
    }
}

#[test]
fn center_crop_and_letterbox_are_those_of_torchvision_and_pillow() {
    let (index, blob) = fixtures();
    let photo = &index["photo"];
    let picture = Picture::new(number(&photo["width"]), number(&photo["height"]), part(&blob, &photo["rgb"])).unwrap();
    let center = bytes(Recipe::new(16, 16).center_crop(20), &picture, 0);
    assert!(furthest(&center, part(&blob, &index["center_crop"]["rgb"])) <= 1);
    let boxed = bytes(Recipe::new(24, 24).letterbox([114; 3]), &picture, 0);
    assert!(furthest(&boxed, part(&blob, &index["letterbox"]["rgb"])) <= 1);
}

#[test]
fn normalized_values_are_those_of_torchvision_in_every_layout_and_type() {
    let (index, blob) = fixtures();
    let t = &index["tensor"];
    let rgb = part(&blob, &t["rgb"]);
    let picture = Picture::new(8, 6, rgb).unwrap();
    let expected: Vec<f32> =
        part(&blob, &t["nchw"]).as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let mut transformer = Transformer::new(Recipe::new(8, 6).imagenet()).unwrap();
    let mut nchw = vec![0.0; 144];
    transformer.apply(&picture, 0, Out::F32(&mut nchw)).unwrap();
    for (a, b) in nchw.iter().zip(&expected) {
        assert!((a - b).abs() <= b.abs() * 2e-7, "{a} {b}");
    }
    let mut half = vec![f16::ZERO; 144];
    transformer.apply(&picture, 0, Out::F16(&mut half)).unwrap();
    assert!(half.iter().zip(&nchw).all(|(h, f)| *h == f16::from_f32(*f)));
    let mut nhwc = vec![0.0; 144];
    let mut side_by_side = Transformer::new(Recipe::new(8, 6).imagenet().layout(Layout::Nhwc)).unwrap();
    side_by_side.apply(&picture, 0, Out::F32(&mut nhwc)).unwrap();
    for (i, value) in nhwc.iter().enumerate() {
        assert_eq!(*value, nchw[i % 3 * 48 + i / 3]);
    }
    let mut planes = vec![0; 144];
    transformer.apply(&picture, 0, Out::U8(&mut planes)).unwrap();
    assert!(planes.iter().enumerate().all(|(i, v)| *v == rgb[i % 48 * 3 + i / 48]));
    let mut unit = vec![0.0; 144];
    Transformer::new(Recipe::new(8, 6)).unwrap().apply(&picture, 0, Out::F32(&mut unit)).unwrap();
    assert!(unit.iter().zip(&planes).all(|(u, v)| *u == f32::from(*v) / 255.0));
}

/// A picture of waves and corners.
fn waves(width: u32, height: u32) -> Vec<u8> {
    let level = |x: u32, y: u32, c: u32| {
        let wave = (f64::from(x * (c + 3)) * 0.11).sin() * (f64::from(y) * 0.07 + f64::from(c)).cos() * 90.0;
        (wave + 128.0 + f64::from((x / 5 + y / 3) % 2 * 30)).clamp(0.0, 255.0) as u8
    };
    (0..height).flat_map(|y| (0..width).flat_map(move |x| (0..3).map(move |c| level(x, y, c)))).collect()
}

/// Bilinear resizing of one line by its definition.
fn narrowed(line: &[f64], out: usize) -> Vec<f64> {
    let scale = line.len() as f64 / out as f64;
    let reach = scale.max(1.0);
    let pixel = |x: usize| {
        let center = (x as f64 + 0.5) * scale;
        let weight = |i: usize| (1.0 - ((i as f64 + 0.5 - center) / reach).abs()).max(0.0);
        let all: f64 = (0..line.len()).map(weight).sum();
        (0..line.len()).map(|i| line[i] * weight(i)).sum::<f64>() / all
    };
    (0..out).map(pixel).collect()
}

#[test]
fn resizing_is_what_its_definition_says_whatever_the_sizes() {
    // From one pair of neighbors to more than are added up in one go, and widths that no sixteen divide.
    for (width, height, w, h) in [
        (37, 29, 37, 10),
        (40, 30, 17, 13),
        (64, 48, 16, 16),
        (90, 7, 5, 20),
        (200, 150, 9, 8),
        (331, 260, 3, 2),
        (5, 4, 40, 33),
        (1, 1, 3, 3),
        (2, 300, 1, 7),
    ] {
        let pixels = waves(width, height);
        let picture = Picture::new(width, height, &pixels).unwrap();
        let got = bytes(Recipe::new(w, h), &picture, 0);
        for c in 0..3 {
            let at = |x: u32, y: u32| f64::from(pixels[((y * width + x) * 3 + c) as usize]);
            let lines: Vec<Vec<f64>> =
                (0..height).map(|y| narrowed(&(0..width).map(|x| at(x, y)).collect::<Vec<_>>(), w as usize)).collect();
            for x in 0..w as usize {
                let column: Vec<f64> = lines.iter().map(|line| line[x].round()).collect();
                for (y, value) in narrowed(&column, h as usize).into_iter().enumerate() {
                    let level = f64::from(got[((y * w as usize) + x) * 3 + c as usize]);
                    assert!(
                        (level - value).abs() <= 1.0,
                        "{width} x {height} to {w} x {h} at {x}, {y}: {level}, not {value}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_tensor_straight_from_resizing_is_that_of_the_resized_pixels() {
    let pixels = waves(61, 47);
    let picture = Picture::new(61, 47, &pixels).unwrap();
    for (w, h) in [(32, 32), (19, 50), (61, 20), (7, 5), (100, 3)] {
        for resampling in [Resampling::Bilinear, Resampling::BilinearPlain, Resampling::Bicubic, Resampling::Lanczos] {
            for (mirror, flip) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                let recipe =
                    Recipe::new(w, h).resampling(resampling).hflip_chance(mirror).vflip_chance(flip).imagenet();
                let mut transformer = Transformer::new(recipe).unwrap();
                let (mut levels, mut floats) = (vec![0; transformer.values()], vec![0.0; transformer.values()]);
                transformer.apply(&picture, 3, Out::U8(&mut levels)).unwrap();
                transformer.apply(&picture, 3, Out::F32(&mut floats)).unwrap();
                let plane = (w * h) as usize;
                for (i, (level, float)) in levels.iter().zip(&floats).enumerate() {
                    let n = Normalize::IMAGENET;
                    let expected = (f32::from(*level) / 255.0 - n.mean[i / plane]) / n.std[i / plane];
                    assert_eq!(float.to_bits(), expected.to_bits(), "{w} x {h} {resampling:?} {mirror} {flip} at {i}");
                }
            }
        }
    }
}

/// A picture whose every pixel says where it is.
fn map(width: u32, height: u32) -> Vec<u8> {
    (0..height).flat_map(|y| (0..width).flat_map(move |x| [x as u8, y as u8, 1])).collect()
}

#[test]
fn crops_that_need_no_resizing_copy_pixels() {
    let pixels = map(40, 30);
    let picture = Picture::new(40, 30, &pixels).unwrap();
    let middle = bytes(Recipe::new(10, 8).pad([9, 9, 9]), &picture, 0);
    assert_eq!((&middle[..3], &middle[middle.len() - 3..]), (&[15, 11, 1][..], &[24, 18, 1][..]));
    let padded = bytes(Recipe::new(50, 30).pad([9, 8, 7]), &picture, 0);
    assert_eq!((&padded[..3], &padded[15..18], &padded[135..138]), (&[9, 8, 7][..], &[0, 0, 1][..], &[9, 8, 7][..]));
    let both = bytes(Recipe::new(40, 30).hflip_chance(1.0).vflip_chance(1.0), &picture, 0);
    assert!(both.chunks(3).eq(pixels.chunks(3).rev()));
    let mut seen = std::collections::BTreeSet::new();
    for key in 0..200 {
        let crop = bytes(Recipe::new(40, 30).random_crop(4), &picture, key);
        let inside: Vec<&[u8]> = crop.chunks(3).filter(|p| p[2] == 1).collect();
        assert!(inside.len() >= 36 * 26 && crop.chunks(3).all(|p| p[2] == 1 || p == [0, 0, 0]));
        seen.insert(inside[0].to_vec());
    }
    assert!(seen.len() > 10, "all corners are tried");
    let small = bytes(Recipe::new(64, 64).random_crop(2), &picture, 3);
    assert_eq!(small.chunks(3).filter(|p| p[2] == 1).count(), 40 * 30);
}

#[test]
fn what_a_sample_looks_like_depends_on_its_key_and_not_on_what_came_before() {
    let pixels = map(90, 70);
    let picture = Picture::new(90, 70, &pixels).unwrap();
    let other = vec![200; 31 * 17 * 3];
    let other = Picture::new(31, 17, &other).unwrap();
    let recipe = Recipe::new(24, 24)
        .random_resized_crop()
        .hflip()
        .jitter(Jitter { brightness: 0.4, contrast: 0.4, saturation: 0.4, hue: 0.1 })
        .grayscale(0.2)
        .blur(Blur { probability: 0.5, sigma: (0.1, 2.0) })
        .erase(Erase { probability: 0.5, scale: (0.02, 0.33), ratio: (0.3, 3.3), color: [0; 3] })
        .imagenet();
    let mut warm = Transformer::new(recipe.clone()).unwrap();
    let mut all = Vec::new();
    for i in 0..40 {
        let key = sample_key(7, 1, i);
        let mut out = vec![0.0; warm.values()];
        warm.apply(&other, key ^ 1, Out::F32(&mut out)).unwrap();
        warm.apply(&picture, key, Out::F32(&mut out)).unwrap();
        let mut fresh = vec![0.0; warm.values()];
        Transformer::new(recipe.clone()).unwrap().apply(&picture, key, Out::F32(&mut fresh)).unwrap();
        assert_eq!(out, fresh);
        all.push(out.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 40, "samples differ");
}

#[test]
fn a_jitter_does_not_move_the_crop() {
    let pixels = map(90, 70);
    let picture = Picture::new(90, 70, &pixels).unwrap();
    let plain = Recipe::new(24, 24).random_resized_crop().hflip();
    let with = plain.clone().jitter(Jitter { brightness: 0.4, ..Jitter::default() });
    for key in 0..20 {
        assert_eq!(plain.place(90, 70, key), with.place(90, 70, key));
    }
    let none = plain.clone().jitter(Jitter::default());
    assert_eq!(bytes(plain, &picture, 3), bytes(none, &picture, 3));
}

#[test]
fn recipes_that_make_no_sense_are_refused() {
    let crop = |scale, ratio| Recipe::new(8, 8).fit(Fit::RandomResizedCrop { scale, ratio });
    for recipe in [
        Recipe::new(0, 8),
        Recipe::new(u32::MAX, u32::MAX),
        Recipe::new(8, 8).hflip_chance(1.5),
        Recipe::new(8, 8).grayscale(f64::NAN),
        Recipe::new(8, 8).center_crop(0),
        crop((0.0, 1.0), (0.7, 1.4)),
        crop((0.5, 0.1), (0.7, 1.4)),
        crop((0.5, 1.0), (f64::NAN, 1.4)),
        Recipe::new(8, 8).jitter(Jitter { hue: 0.7, ..Jitter::default() }),
        Recipe::new(8, 8).normalize(Normalize { mean: [0.0; 3], std: [1.0, 0.0, 1.0] }),
    ] {
        assert_eq!(Transformer::new(recipe.clone()).unwrap_err().code().id(), "image.recipe", "{recipe:?}");
    }
    let pixels = map(4, 4);
    let picture = Picture::new(4, 4, &pixels).unwrap();
    let mut transformer = Transformer::new(Recipe::new(8, 8)).unwrap();
    assert!(transformer.apply(&picture, 0, Out::U8(&mut [0; 5])).is_err());
    assert!(Picture::new(4, 5, &pixels).is_err());
}

proptest! {
    #[test]
    fn every_fit_stays_inside_the_picture_and_the_output(
        (w, h) in (1_u32..300, 1_u32..300), (out_w, out_h) in (1_u32..40, 1_u32..40), key: u64, fit in 0..6,
        parameter in 1_u32..60, eighths in 1_u32..9,
    ) {
        let recipe = Recipe::new(out_w, out_h).fit(match fit {
            0 => Fit::Stretch,
            1 => Fit::CenterCrop { short: Some(parameter) },
            2 => Fit::CenterCrop { short: None },
            3 => Fit::RandomCrop { padding: parameter },
            4 => Fit::RandomResizedCrop { scale: (0.08, 1.0), ratio: (0.5, 2.0) },
            _ => Fit::Letterbox,
        });
        let p = recipe.place(w, h, key);
        prop_assert!(p.source.x >= 0.0 && p.source.x + p.source.width <= f64::from(w) + 1e-9);
        prop_assert!(p.source.y >= 0.0 && p.source.y + p.source.height <= f64::from(h) + 1e-9);
        prop_assert!(p.x + p.width <= out_w && p.y + p.height <= out_h);
        // As if it had been decoded to a smaller size.
        let (small_w, small_h) = ((w * eighths).div_ceil(8), (h * eighths).div_ceil(8));
        let pixels = vec![100; (small_w * small_h * 3) as usize];
        let mut picture = Picture::new(small_w, small_h, &pixels).unwrap();
        (picture.full_width, picture.full_height, picture.eighths) = (w, h, eighths);
        let mut transformer = Transformer::new(recipe).unwrap();
        let mut out = vec![7; transformer.values()];
        transformer.apply(&picture, key, Out::U8(&mut out)).unwrap();
        prop_assert!(out.iter().all(|v| [0, 99, 100, 101].contains(v)));
    }

    #[test]
    fn random_resized_crops_keep_their_bounds(w in 20_u32..500, h in 20_u32..500, key: u64) {
        let p = Recipe::new(8, 8).random_resized_crop().place(w, h, key);
        let (area, aspect) = (p.source.width * p.source.height, p.source.width / p.source.height);
        let whole = f64::from(w) * f64::from(h);
        prop_assert!(area <= whole && area >= whole * 0.05, "{p:?}");
        prop_assert!(aspect > 0.5 && aspect < 2.0, "{p:?}");
        let (least_w, least_h) = p.at_least(w, h);
        prop_assert!(f64::from(least_w) * p.source.width / f64::from(w) >= 7.999);
        prop_assert!(f64::from(least_h) * p.source.height / f64::from(h) >= 7.999);
    }
}

#[cfg(feature = "jpeg")]
#[test]
fn a_payload_becomes_a_tensor_also_from_a_reduced_size() {
    use forebay::image::decode::{Decoder, Options};
    let (index, blob) = fixtures();
    let case = &index["decode"][0];
    let mut transformer = Transformer::new(Recipe::new(9, 6).layout(Layout::Nhwc)).unwrap();
    let mut decoder = Decoder::default();
    let mut outputs = Vec::new();
    for exact in [true, false] {
        let options = Options::default().with_exact(exact);
        let mut out = vec![0; transformer.values()];
        let data = part(&blob, &case["data"]);
        transformer.decode(&mut decoder, data, None, &options, 1, Out::U8(&mut out)).unwrap();
        outputs.push(out);
    }
    // One is decoded to fewer pixels first: not the same tensor, but of the same smooth picture.
    let off = furthest(&outputs[0], &outputs[1]);
    assert!((1..=6).contains(&off), "off by {off}");
    let raw = map(9, 6);
    let mut out = vec![0; transformer.values()];
    transformer.decode(&mut decoder, &raw, Some((9, 6)), &Options::default(), 1, Out::U8(&mut out)).unwrap();
    assert_eq!(out, raw);
}
