//! Augmentations against torchvision and albumentations: pixels, what policies choose among, and where boxes, points and masks land.
#![cfg(feature = "augment")]
#![allow(clippy::disallowed_methods, reason = "tests are hosts: they read files")]

use std::collections::BTreeSet;

use forebay::{
    image::{
        Picture,
        transform::{
            Augment, Blur, Canvas, Fit, Jitter, Layout, Map, Operation, Out, Placement, Policy, Recipe, Rect,
            Resampling, Transformer,
        },
    },
    order::sample_key,
};
use serde_json::{Value, json};

/// `augment.json` and `.bin` of the fixtures, or others that `make_augment.py` or `make_placed.py` wrote.
fn fixtures() -> (Value, Vec<u8>) {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/augment").to_owned();
    of(&std::env::var("FOREBAY_PLACES").unwrap_or(own))
}

fn of(at: &str) -> (Value, Vec<u8>) {
    let index = std::fs::read_to_string(format!("{at}.json")).unwrap();
    (serde_json::from_str(&index).unwrap(), std::fs::read(format!("{at}.bin")).unwrap())
}

fn part<'a>(blob: &'a [u8], at: &Value) -> &'a [u8] {
    &blob[whole(&at[0])..whole(&at[0]) + whole(&at[1])]
}

fn whole(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn pair(value: &Value) -> (f64, f64) {
    (number(&value[0]), number(&value[1]))
}

fn operation(op: &Value) -> Operation {
    let first = || number(&op[1]);
    match op[0].as_str().unwrap() {
        "ShearX" => Operation::ShearX(first()),
        "ShearY" => Operation::ShearY(first()),
        "Translate" => Operation::Translate(first() as i32, number(&op[2]) as i32),
        "Rotate" => Operation::Rotate(first()),
        "Affine" => {
            Operation::Affine { degrees: first(), translate: pair(&op[2]), scale: number(&op[3]), shear: pair(&op[4]) }
        }
        "Perspective" => Operation::Perspective([0, 1, 2, 3].map(|k| pair(&op[1][k]))),
        "Brightness" => Operation::Brightness(first()),
        "Saturation" => Operation::Saturation(first()),
        "Contrast" => Operation::Contrast(first()),
        "Sharpness" => Operation::Sharpness(first()),
        "Posterize" => Operation::Posterize(first() as u32),
        "Solarize" => Operation::Solarize(first()),
        "AutoContrast" => Operation::AutoContrast,
        "Equalize" => Operation::Equalize,
        "Invert" => Operation::Invert,
        other => panic!("{other}"),
    }
}

#[test]
fn pixels_are_those_of_torchvision() {
    let (index, blob) = fixtures();
    let (mut scratch, mut off) = (Vec::new(), 0);
    for case in index["pixels"].as_array().unwrap() {
        let picture = &index["pictures"][whole(&case["picture"])];
        let mut pixels = part(&blob, &picture["rgb"]).to_vec();
        let resampling = match case["mode"].as_str() {
            Some("bilinear") => Resampling::Bilinear,
            _ => Resampling::Nearest,
        };
        let fill = case["fill"].as_array().map_or([0; 3], |fill| [0, 1, 2].map(|c| whole(&fill[c]) as u8));
        let size = (whole(&picture["width"]) as u32, whole(&picture["height"]) as u32);
        let mut canvas = Canvas { pixels: &mut pixels, scratch: &mut scratch, size, fill };
        operation(&case["op"]).apply(&mut canvas, resampling);
        let expected = part(&blob, &case["rgb"]);
        assert_eq!(pixels.len(), expected.len());
        let furthest = pixels.iter().zip(expected).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(furthest <= 1, "{case}: off by {furthest}");
        off += pixels.iter().zip(expected).filter(|(a, b)| a != b).count();
        // What is looked up is a pixel that was there: none is off at all.
        assert!(resampling != Resampling::Nearest || case["mode"].is_null() || furthest == 0, "{case}");
    }
    println!("{off} levels of {} images differ by one", index["pixels"].as_array().unwrap().len());
}

#[test]
fn every_strength_solarizes_from_the_level_that_floats_of_32_bits_name() {
    let (index, _) = fixtures();
    let of = &index["operations"];
    let cases = of["rand"].as_array().unwrap().iter().chain(of["trivial"].as_array().unwrap());
    let ops = cases.flat_map(|case| case["operations"].as_array().unwrap());
    let pairs = ["imagenet", "cifar10", "svhn"].into_iter().flat_map(|name| of[name].as_array().unwrap());
    let paired = pairs.flat_map(|pair| [0, 1].map(|k| pair[k][1].as_array().unwrap())).flatten();
    let (mut seen, mut between) = (BTreeSet::new(), 0);
    for op in ops.chain(paired).filter(|op| op[0] == "Solarize") {
        let threshold = number(&op[1]);
        let levels: Vec<u8> = (0..=255).flat_map(|level| [level; 3]).collect();
        let (mut pixels, mut scratch) = (levels.clone(), Vec::new());
        let mut canvas = Canvas { pixels: &mut pixels, scratch: &mut scratch, size: (256, 1), fill: [0; 3] };
        Operation::Solarize(threshold).apply(&mut canvas, Resampling::Nearest);
        // torchvision compares a tensor of bytes with a number, which torch does in 32 bits.
        let one = |level: &u8| if f32::from(*level) >= threshold as f32 { 255 - level } else { *level };
        assert_eq!(pixels, levels.iter().map(one).collect::<Vec<u8>>(), "from {threshold}");
        seen.insert(threshold.to_bits());
        between += usize::from(f64::from(threshold as f32) < threshold && (threshold as f32).fract() == 0.0);
    }
    assert!(seen.len() > 31 && between > 8, "{} strengths, {between} of them just above a level", seen.len());
}

#[test]
fn jitter_gray_and_blur_are_within_a_level_of_torchvision() {
    let (index, blob) = fixtures();
    let photo = &index["pictures"][0];
    let (width, height) = (whole(&photo["width"]) as u32, whole(&photo["height"]) as u32);
    let picture = Picture::new(width, height, part(&blob, &photo["rgb"])).unwrap();
    for case in index["colors"].as_array().unwrap() {
        let mut recipe = Recipe::new(width, height).layout(Layout::Nhwc);
        if let Some(sigma) = case["sigma"].as_f64() {
            recipe = recipe.blur(Blur { probability: 1.0, sigma: (sigma, sigma) });
        } else if case["gray"] == json!(true) {
            recipe = recipe.grayscale(1.0);
        } else {
            let [brightness, contrast, saturation, hue] = [0, 1, 2, 3].map(|k| number(&case["jitter"][k]));
            recipe = recipe.jitter(Jitter { brightness, contrast, saturation, hue });
        }
        let mut transformer = Transformer::new(recipe).unwrap();
        let mut out = vec![0; transformer.values()];
        transformer.apply(&picture, whole(&case["sample"]) as u64, Out::U8(&mut out)).unwrap();
        let furthest = out.iter().zip(part(&blob, &case["rgb"])).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(furthest <= 1, "{case}: off by {furthest}");
    }
}

/// An operation as a text to be compared.
fn said(operation: &Operation) -> String {
    format!("{operation:?}")
}

fn expected(operations: &Value) -> BTreeSet<String> {
    operations.as_array().unwrap().iter().map(|op| said(&operation(op))).collect()
}

#[test]
fn policies_choose_among_all_operations_of_torchvision_and_no_others() {
    let (index, _) = fixtures();
    let of = &index["operations"];
    let (width, height) = (whole(&of["width"]) as u32, whole(&of["height"]) as u32);
    let resampling = Resampling::Nearest;
    let drawn = |augment: Augment, keys: u64| -> Vec<Vec<Operation>> {
        let recipe = Recipe::new(width, height).augment(augment);
        (0..keys).map(|i| recipe.operations(sample_key(3, 1, i)).into_iter().map(|(op, _)| op).collect()).collect()
    };
    for case in of["rand"].as_array().unwrap() {
        let (magnitude, bins) = (whole(&case["magnitude"]) as u32, whole(&case["bins"]) as u32);
        let all = drawn(Augment::RandAugment { operations: 2, magnitude, bins, resampling }, 1000);
        assert!(all.iter().all(|operations| operations.len() <= 2));
        let found: BTreeSet<String> = all.iter().flatten().map(said).collect();
        assert_eq!(found, expected(&case["operations"]), "{magnitude} of {bins}");
    }
    for case in of["trivial"].as_array().unwrap() {
        let all = drawn(Augment::TrivialAugmentWide { bins: whole(&case["bins"]) as u32, resampling }, 20_000);
        assert!(all.iter().all(|operations| operations.len() <= 1));
        let found: BTreeSet<String> = all.iter().flatten().map(said).collect();
        assert_eq!(found, expected(&case["operations"]));
    }
    for (policy, name) in [(Policy::ImageNet, "imagenet"), (Policy::Cifar10, "cifar10"), (Policy::Svhn, "svhn")] {
        // Every way that a pair may go: neither, one or the other, both.
        let mut every = BTreeSet::new();
        for parts in of[name].as_array().unwrap() {
            let ways = |k: usize| {
                let (likely, ops) = (number(&parts[k][0]), parts[k][1].as_array().unwrap());
                let never = (likely < 1.0).then(Vec::new);
                let done = ops.iter().filter(move |_| likely > 0.0).map(|op| vec![said(&operation(op))]);
                never.into_iter().chain(done).collect::<Vec<_>>()
            };
            for first in ways(0) {
                every.extend(ways(1).into_iter().map(|second| [first.clone(), second].concat()));
            }
        }
        let all = drawn(Augment::AutoAugment { policy, resampling }, 20_000);
        let found: BTreeSet<Vec<String>> = all.iter().map(|operations| operations.iter().map(said).collect()).collect();
        assert_eq!(found, every, "{name}");
    }
}

/// An augmentation of the vectors.
fn augment(given: &Value) -> Augment {
    let resampling = Resampling::Nearest;
    let count = |name: &str| whole(&given[name]) as u32;
    let probability = given["probability"].as_f64().unwrap_or_default();
    match given["kind"].as_str().unwrap() {
        "RandAugment" => {
            let (operations, magnitude, bins) = (count("operations"), count("magnitude"), count("bins"));
            Augment::RandAugment { operations, magnitude, bins, resampling }
        }
        "TrivialAugmentWide" => Augment::TrivialAugmentWide { bins: count("bins"), resampling },
        "Rotation" => Augment::Rotation { probability, degrees: pair(&given["degrees"]), resampling },
        "Affine" => Augment::Affine {
            probability,
            degrees: pair(&given["degrees"]),
            translate: pair(&given["translate"]),
            scale: pair(&given["scale"]),
            shear_x: pair(&given["shear_x"]),
            shear_y: pair(&given["shear_y"]),
            resampling,
        },
        "Perspective" => Augment::Perspective { probability, distortion: number(&given["distortion"]), resampling },
        "Posterize" => Augment::Posterize { probability, bits: number(&given["values"][0]) as u32 },
        "Solarize" => Augment::Solarize { probability, threshold: number(&given["values"][0]) },
        "Equalize" => Augment::Equalize { probability },
        "AutoContrast" => Augment::AutoContrast { probability },
        "Sharpness" => Augment::Sharpness { probability, factor: number(&given["values"][0]) },
        "Invert" => Augment::Invert { probability },
        other => panic!("{other}"),
    }
}

#[test]
fn draws_are_those_that_the_document_specifies() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/augment_draws.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let key = |case: &Value| case["sample_key"].as_str().unwrap().parse::<u64>().unwrap();
    for case in vectors["draws"].as_array().unwrap() {
        let size = &case["size"];
        let mut recipe = Recipe::new(whole(&size[0]) as u32, whole(&size[1]) as u32);
        for given in case["augments"].as_array().unwrap() {
            recipe = recipe.augment(augment(given));
        }
        let found: Vec<String> = recipe.operations(key(case)).iter().map(|(operation, _)| said(operation)).collect();
        let drawn: Vec<String> = case["operations"].as_array().unwrap().iter().map(|op| said(&operation(op))).collect();
        assert_eq!(found, drawn, "{case}");
    }
    for case in vectors["crops"].as_array().unwrap() {
        let rect = |at: &Value| {
            let [x, y, width, height] = [0, 1, 2, 3].map(|k| number(&at[k]));
            Rect { x, y, width, height }
        };
        let boxes: Vec<Rect> = case["boxes"].as_array().unwrap().iter().map(rect).collect();
        let fit = match case["fit"].as_str() {
            Some("around") => Fit::AroundBoxes,
            _ => Fit::OverlapBoxes { scale: pair(&case["scale"]), ratio: pair(&case["ratio"]) },
        };
        let (width, height) = (whole(&case["picture"][0]) as u32, whole(&case["picture"][1]) as u32);
        let placement = Recipe::new(9, 9).fit(fit).place_boxes(width, height, &boxes, key(case));
        assert_eq!(placement.source, rect(&case["source"]), "{case}");
    }
}

/// The placement that a case of the fixtures describes.
fn placed(case: &Value) -> Placement {
    let side = |of: &Value, k: usize| whole(&of[k]) as u32;
    let (width, height) = (side(&case["output"], 0), side(&case["output"], 1));
    let (full_width, full_height) = (whole(&case["width"]) as u32, whole(&case["height"]) as u32);
    let mut placement = Recipe::new(width, height).place(full_width, full_height, 0);
    let [x, y, w, h] = [0, 1, 2, 3].map(|k| number(&case["source"][k]));
    placement.source = Rect { x, y, width: w, height: h };
    [placement.x, placement.y, placement.width, placement.height] = [0, 1, 2, 3].map(|k| side(&case["at"], k));
    placement.mirrored = case["mirrored"] == json!(true);
    placement.flipped = case["flipped"] == json!(true);
    placement.warp = (!case["op"].is_null()).then(|| operation(&case["op"]).map((width, height)).unwrap());
    placement
}

#[test]
fn boxes_points_and_masks_land_where_those_of_torchvision_do() {
    all_land(&fixtures());
}

#[test]
fn boxes_points_and_masks_land_where_those_of_albumentations_do() {
    all_land(&of(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/placed")));
}

/// Whether a part of a picture has any of a box.
fn shares(source: &Rect, rect: &Rect) -> bool {
    let both = |a: f64, a_long: f64, b: f64, b_long: f64| (a + a_long).min(b + b_long) > a.max(b);
    both(source.x, source.width, rect.x, rect.width) && both(source.y, source.height, rect.y, rect.height)
}

fn all_land((index, blob): &(Value, Vec<u8>)) {
    let cases = index["places"].as_array().unwrap();
    // Of all masks by one way of resampling, and by two after one another.
    let (mut furthest, mut pixels, mut off, mut off_twice) = (0.0_f64, [0, 0], 0, 0);
    for case in cases {
        let placement = placed(case);
        let (w, h) = (f64::from(placement.output_width), f64::from(placement.output_height));
        let map = placement.map();
        for (given, landed) in case["points"].as_array().unwrap().iter().zip(case["landed"].as_array().unwrap()) {
            let ((x, y), (u, v)) = (pair(given), pair(landed));
            let (a, b) = placement.point(x, y);
            let whole = map.point(x, y).unwrap();
            let away = [(a - u) / w, (b - v) / h, (whole.0 - u) / w, (whole.1 - v) / h];
            furthest = away.into_iter().fold(furthest, |most, off| most.max(off.abs()));
            assert!(away.iter().all(|off| off.abs() < 1e-4), "{case}: {a}, {b}");
        }
        for (given, seen) in case["boxes"].as_array().unwrap().iter().zip(case["seen"].as_array().unwrap()) {
            let [left, top, right, bottom] = [0, 1, 2, 3].map(|k| number(&given[k]));
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| number(&seen[k]));
            let rect = Rect { x: left, y: top, width: right - left, height: bottom - top };
            let found = placement.rect(&rect);
            if !shares(&placement.source, &rect) {
                // torchvision keeps the line that is left of it, and turns that.
                assert_eq!(found, None, "{case}");
                continue;
            }
            let Some(found) = found else {
                assert!((c - a) * (d - b) < 1e-4 * w * h, "{case}: nothing is left of {rect:?}");
                continue;
            };
            let away = [
                (found.x - a) / w,
                (found.y - b) / h,
                (found.x + found.width - c) / w,
                (found.y + found.height - d) / h,
            ];
            furthest = away.into_iter().fold(furthest, |most, off| most.max(off.abs()));
            assert!(away.iter().all(|off| off.abs() < 1e-4), "{case}: {found:?}");
        }
        let [cx, cy, rx, ry] = [0, 1, 2, 3].map(|k| number(&case["ellipse"][k]));
        let (across, down) = (placement.full_width, placement.full_height);
        let mask: Vec<u8> = (0..across * down)
            .map(|i| {
                let (x, y) = (f64::from(i % across) + 0.5, f64::from(i / across) + 0.5);
                u8::from(((x - cx) / rx).powi(2) + ((y - cy) / ry).powi(2) <= 1.0)
            })
            .collect();
        let mut out = vec![9; (w * h) as usize];
        assert!(placement.mask(&mask, &mut out, 0));
        let expected = part(blob, &case["mask"]);
        let wrong = out.iter().enumerate().filter(|(i, bit)| expected[i / 8] >> (i % 8) & 1 != **bit).count();
        let twice = case["kind"] == "chain";
        pixels[usize::from(twice)] += out.len();
        *if twice { &mut off_twice } else { &mut off } += wrong;
    }
    println!("{} ways: {furthest:e} of a side at most; {off} of {} pixels of masks differ", cases.len(), pixels[0]);
    println!("resized and then turned, so looked up twice: {off_twice} of {}", pixels[1]);
    assert!(off as f64 <= pixels[0] as f64 * 1e-3, "{off} of {}", pixels[0]);
    assert!(off_twice as f64 <= pixels[1] as f64 * 1e-3, "{off_twice} of {}", pixels[1]);
}

#[test]
fn what_the_output_does_not_show_of_masks_and_boxes_is_not_there() {
    let mut placement = Recipe::new(4, 3).place(2, 2, 0);
    let mut out = [9; 12];
    assert!(!placement.mask(&[1; 5], &mut out, 7), "not the image's size");
    assert!(placement.mask(&[1; 4], &mut out, 7) && out == [1; 12]);
    // A crop of the lower half cuts this box off to a line, which is not a box again when that is turned.
    let above = Rect { x: 0.0, y: 0.0, width: 2.0, height: 1.0 };
    placement.source = Rect { x: 0.0, y: 1.0, width: 2.0, height: 1.0 };
    placement.warp = Operation::Rotate(30.0).map((4, 3));
    assert_eq!(placement.rect(&above), None);
    assert!(placement.rect(&placement.source).is_some());
    placement.source.height = 0.0;
    assert!(!placement.mask(&[1; 4], &mut out, 7), "a line");
    // All of the output is padding.
    placement.height = 0;
    assert!(placement.mask(&[1; 4], &mut out, 7) && out == [7; 12]);
}

/// A picture whose every pixel says where it is.
fn map_of(width: u32, height: u32) -> Vec<u8> {
    (0..height).flat_map(|y| (0..width).flat_map(move |x| [x as u8, y as u8, 200])).collect()
}

/// Every kind, so that something is done to each picture.
fn every_kind() -> Vec<Augment> {
    let resampling = Resampling::Bilinear;
    vec![
        Augment::RandAugment { operations: 3, magnitude: 9, bins: 31, resampling },
        Augment::TrivialAugmentWide { bins: 31, resampling },
        Augment::AutoAugment { policy: Policy::Cifar10, resampling },
        Augment::Rotation { probability: 0.7, degrees: (-40.0, 40.0), resampling },
        Augment::Affine {
            probability: 0.7,
            degrees: (-10.0, 20.0),
            translate: (0.1, 0.2),
            scale: (0.8, 1.3),
            shear_x: (-5.0, 5.0),
            shear_y: (0.0, 9.0),
            resampling,
        },
        Augment::Perspective { probability: 0.7, distortion: 0.4, resampling },
        Augment::Posterize { probability: 0.5, bits: 4 },
        Augment::Solarize { probability: 0.3, threshold: 128.0 },
        Augment::Equalize { probability: 0.3 },
        Augment::AutoContrast { probability: 0.3 },
        Augment::Sharpness { probability: 0.5, factor: 1.7 },
        Augment::Invert { probability: 0.2 },
    ]
}

#[test]
fn points_stay_on_their_pixels_through_all_that_is_drawn() {
    let (width, height) = (64, 48);
    let pixels = map_of(width, height);
    let picture = Picture::new(width, height, &pixels).unwrap();
    let (mut compared, mut moved) = (0, 0);
    for key in 0..60 {
        for augment in every_kind().into_iter().take(6) {
            let resampling = Resampling::Nearest;
            let augment = match augment {
                // Those of colors would hide where a pixel comes from.
                Augment::RandAugment { .. } | Augment::TrivialAugmentWide { .. } | Augment::AutoAugment { .. } => {
                    Augment::Rotation { probability: 1.0, degrees: (-180.0, 180.0), resampling }
                }
                other => other,
            };
            let recipe = Recipe::new(40, 32).pad([255; 3]).hflip().vflip().augment(augment).layout(Layout::Nhwc);
            let placement = recipe.place(width, height, key);
            moved += usize::from(placement.warp.is_some());
            let back = placement.map().inverse().unwrap();
            let mut transformer = Transformer::new(recipe).unwrap();
            let mut out = vec![0; transformer.values()];
            transformer.apply(&picture, key, Out::U8(&mut out)).unwrap();
            for (i, pixel) in out.as_chunks::<3>().0.iter().enumerate() {
                let (x, y) = back.point((i % 40) as f64 + 0.5, (i / 40) as f64 + 0.5).unwrap();
                // Well inside: nothing there is mixed with the fill color.
                if placement.shows(x, y) && placement.shows(x - 2.0, y - 2.0) && placement.shows(x + 2.0, y + 2.0) {
                    let off = (f64::from(pixel[0]) + 0.5 - x).abs().max((f64::from(pixel[1]) + 0.5 - y).abs());
                    assert!(pixel[2] == 200 && off <= 1.01, "{key}: {pixel:?} is at {x}, {y}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 50_000 && moved > 200, "{compared} {moved}");
}

#[test]
fn what_a_sample_looks_like_depends_on_its_key_alone_and_adding_one_kind_moves_no_other() {
    let pixels = map_of(90, 70);
    let picture = Picture::new(90, 70, &pixels).unwrap();
    let mut recipe = Recipe::new(24, 20).random_resized_crop().hflip().imagenet();
    for augment in every_kind() {
        let before = recipe.clone();
        recipe = recipe.augment(augment);
        for key in 0..20 {
            let (few, more) = (before.operations(key), recipe.operations(key));
            assert_eq!(more[..few.len()], few[..]);
            let (few, more) = (before.place(90, 70, key), recipe.place(90, 70, key));
            assert_eq!((few.source, few.mirrored), (more.source, more.mirrored));
        }
    }
    // The same kind once more is drawn anew.
    let twice = |k: u64| Recipe::new(9, 9).augment(every_kind()[3]).augment(every_kind()[3]).operations(k);
    assert!((0..9).map(twice).any(|found| found.len() == 2 && found[0] != found[1]));
    let mut warm = Transformer::new(recipe.clone()).unwrap();
    let mut all = BTreeSet::new();
    for i in 0..40 {
        let key = sample_key(7, 1, i);
        let (mut out, mut fresh) = (vec![0.0; warm.values()], vec![0.0; warm.values()]);
        warm.apply(&picture, key, Out::F32(&mut out)).unwrap();
        Transformer::new(recipe.clone()).unwrap().apply(&picture, key, Out::F32(&mut fresh)).unwrap();
        assert_eq!(out, fresh);
        all.insert(out.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    }
    // All but those of which nothing is left.
    assert!(all.len() >= 38, "samples differ: {}", all.len());
}

#[test]
fn an_erased_rectangle_is_where_it_is_without_augmentations() {
    use forebay::image::transform::Erase;
    let pixels = vec![100; 40 * 30 * 3];
    let picture = Picture::new(40, 30, &pixels).unwrap();
    let erase = Erase { probability: 1.0, scale: (0.1, 0.2), ratio: (0.5, 2.0), color: [0; 3] };
    let plain = Recipe::new(40, 30).hflip().vflip().erase(erase).layout(Layout::Nhwc);
    let nothing = plain.clone().augment(Augment::Sharpness { probability: 1.0, factor: 1.0 });
    for key in 0..50 {
        let made = |recipe: &Recipe| {
            let mut out = vec![0; 40 * 30 * 3];
            Transformer::new(recipe.clone()).unwrap().apply(&picture, key, Out::U8(&mut out)).unwrap();
            out
        };
        assert_eq!(made(&plain), made(&nothing));
    }
}

#[test]
fn boxes_of_which_little_is_left_are_left_out() {
    let middle = |visible, side| Recipe::new(100, 100).pad([0; 3]).keep_boxes(visible, side).place(200, 100, 0);
    // Of 40 pixels across 10 are shown.
    let cut = Rect { x: 140.0, y: 10.0, width: 40.0, height: 20.0 };
    let seen = Rect { x: 90.0, y: 10.0, width: 10.0, height: 20.0 };
    assert_eq!(middle(0.0, 0.0).rect(&cut), Some(seen));
    assert_eq!(middle(0.25, 10.0).rect(&cut), Some(seen));
    assert_eq!(middle(0.26, 0.0).rect(&cut), None);
    assert_eq!(middle(0.0, 10.1).rect(&cut), None);
    // What a rotation moves out counts as well.
    let turned = |visible: f64| {
        let mut placement = Recipe::new(100, 100).keep_boxes(visible, 0.0).place(100, 100, 0);
        placement.warp = Some(Map::affine([[1.0, 0.0, 60.0], [0.0, 1.0, 0.0]]));
        placement.rect(&Rect { x: 0.0, y: 0.0, width: 80.0, height: 50.0 })
    };
    assert_eq!(turned(0.5), Some(Rect { x: 60.0, y: 0.0, width: 40.0, height: 50.0 }));
    assert_eq!(turned(0.51), None);
    // SSD's crop leaves out a box whose center is cut off.
    let fit = Fit::OverlapBoxes { scale: (0.5, 0.6), ratio: (0.5, 2.0) };
    let boxes =
        [Rect { x: 10.0, y: 10.0, width: 20.5, height: 20.5 }, Rect { x: 50.0, y: 50.0, width: 40.5, height: 40.5 }];
    let (mut kept, mut left_out) = (0, 0);
    for key in 0..200 {
        let placement = Recipe::new(50, 50).fit(fit).place_boxes(100, 100, &boxes, key);
        let seen: Vec<bool> = boxes.iter().map(|b| placement.rect(b).is_some()).collect();
        assert!(seen.contains(&true));
        for (one, seen) in boxes.iter().zip(seen) {
            let (x, y) = (one.x + one.width / 2.0, one.y + one.height / 2.0);
            assert_eq!(seen, placement.shows(x, y), "{placement:?}");
            *if seen { &mut kept } else { &mut left_out } += 1;
        }
    }
    assert!(kept > 200 && left_out > 20, "{kept} {left_out}");
    for key in 0..50 {
        let placement =
            Recipe::new(50, 50).fit(Fit::AroundBoxes).keep_boxes(0.999, 0.0).place_boxes(100, 100, &boxes, key);
        assert!(boxes.iter().all(|b| placement.rect(b).is_some()), "{placement:?}");
    }
}

#[test]
fn polygons_are_cut_at_what_is_shown() {
    let mut placement = Recipe::new(10, 10).pad([0; 3]).place(30, 10, 0);
    let mut out = vec![(1.0, 1.0)];
    placement.polygon(&[(0.0, 2.0), (30.0, 2.0), (30.0, 4.0), (0.0, 4.0)], &mut out);
    let area = |points: &[(f64, f64)]| {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs() / 2.0
    };
    assert_eq!((out.len(), area(&out)), (4, 20.0));
    placement.polygon(&[(0.0, 0.0), (9.0, 0.0), (9.0, 9.0)], &mut out);
    assert_eq!(out, []);
    // What the crop cut off does not come back by a shift.
    placement.warp = Some(Map::affine([[1.0, 0.0, -5.0], [0.0, 1.0, 0.0]]));
    placement.polygon(&[(0.0, 0.0), (30.0, 0.0), (30.0, 10.0), (0.0, 10.0)], &mut out);
    assert_eq!(area(&out), 50.0);
    assert_eq!(placement.rect(&Rect { x: 20.0, y: 0.0, width: 9.0, height: 9.0 }), None);
    assert!(placement.shows(15.0, 5.0) && !placement.shows(20.0, 5.0) && !placement.shows(14.0, 5.0));
    placement.polygon(&[(f64::NAN, 0.0), (1.0, 1.0), (2.0, 0.0)], &mut out);
    assert_eq!(out, []);
}

#[test]
fn augmentations_that_make_no_sense_are_refused() {
    let resampling = Resampling::Nearest;
    let affine = |degrees, scale, shear_x| Augment::Affine {
        probability: 1.0,
        degrees,
        translate: (0.0, 0.0),
        scale,
        shear_x,
        shear_y: (0.0, 0.0),
        resampling,
    };
    let (none, one) = ((0.0, 0.0), (1.0, 1.0));
    assert!(Transformer::new(Recipe::new(8, 8).augment(affine(none, one, none))).is_ok());
    for augment in [
        Augment::RandAugment { operations: 2, magnitude: 31, bins: 31, resampling },
        Augment::RandAugment { operations: 33, magnitude: 3, bins: 31, resampling },
        Augment::RandAugment { operations: 2, magnitude: 0, bins: 1, resampling },
        Augment::TrivialAugmentWide { bins: u32::MAX, resampling },
        Augment::TrivialAugmentWide { bins: 31, resampling: Resampling::Lanczos },
        Augment::Rotation { probability: 1.5, degrees: none, resampling },
        Augment::Rotation { probability: f64::NAN, degrees: none, resampling },
        Augment::Rotation { probability: 1.0, degrees: (1.0, 0.0), resampling },
        Augment::Rotation { probability: 1.0, degrees: (0.0, f64::INFINITY), resampling },
        affine(none, (0.0, 1.0), none),
        affine(none, one, (0.0, 90.0)),
        Augment::Perspective { probability: 1.0, distortion: 1.1, resampling },
        Augment::Posterize { probability: 1.0, bits: 9 },
        Augment::Solarize { probability: 1.0, threshold: 256.0 },
        Augment::Sharpness { probability: 1.0, factor: -0.1 },
    ] {
        let error = Transformer::new(Recipe::new(8, 8).augment(augment)).unwrap_err();
        assert_eq!(error.code().id(), "image.recipe", "{augment:?}");
    }
    let mut many = Recipe::new(8, 8);
    for _ in 0..33 {
        many = many.augment(Augment::Invert { probability: 1.0 });
    }
    assert!(Transformer::new(many).is_err());
    assert!(Transformer::new(Recipe::new(8, 8).keep_boxes(1.1, 0.0)).is_err());
    assert!(Transformer::new(Recipe::new(8, 8).keep_boxes(0.5, f64::NAN)).is_err());
}

#[test]
fn outputs_of_every_small_size_survive_everything() {
    let pixels = map_of(30, 20);
    let picture = Picture::new(30, 20, &pixels).unwrap();
    for (width, height) in [(1, 1), (1, 9), (9, 1), (2, 2), (3, 3), (65, 3)] {
        for key in 0..30 {
            for augment in every_kind() {
                let recipe = Recipe::new(width, height).letterbox([3; 3]).hflip().augment(augment);
                let placement = recipe.place(30, 20, key);
                let _ = placement.rect(&Rect { x: 3.0, y: 3.0, width: 9.0, height: 9.0 });
                let mut transformer = Transformer::new(recipe).unwrap();
                let mut out = vec![0; transformer.values()];
                transformer.apply(&picture, key, Out::U8(&mut out)).unwrap();
            }
        }
    }
}
