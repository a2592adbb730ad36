//! MixUp and CutMix against torchvision, and against what they promise.
#![cfg(feature = "transform")]
#![allow(clippy::disallowed_methods, reason = "tests are hosts: they read files")]

use std::fs;

use forebay::{
    image::transform::{Cut, Layout, Mixed, Mixing},
    order::batch_key,
};
use proptest::prelude::*;
use serde_json::Value;

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect()
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap() as u32
}

#[test]
fn pixels_and_labels_are_those_of_torchvision_to_the_last_bit() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mix.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let size = (number(&all["width"]), number(&all["height"]));
    let labels: Vec<i64> = all["labels"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect();
    let cases = all["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 12);
    for case in cases {
        let share = case["share"].as_f64().unwrap();
        let mixed = match case["kind"].as_str().unwrap() {
            "mixup" => Mixed::Up { keep: share },
            _ => {
                let cut = Cut::around((number(&case["x"]), number(&case["y"])), share, size);
                let edges = [cut.left, cut.top, cut.right, cut.bottom].map(Value::from);
                assert_eq!(case["box"], Value::from(edges.to_vec()));
                assert_eq!(Some(cut.keep()), case["keep"].as_f64());
                Mixed::Cut { cut }
            }
        };
        let mut images = floats(&all["images"]);
        mixed.images(&mut images, labels.len(), Layout::Nchw, &mut Vec::new()).unwrap();
        assert_eq!(images, floats(&case["images"]), "{} {share}", case["kind"]);
        let soft = mixed.labels(&labels, number(&all["classes"]) as usize).unwrap();
        assert_eq!(soft, floats(&case["labels"]), "{} {share}", case["kind"]);
    }
}

/// The same batch with the channels side by side.
fn side_by_side(images: &[f32], pixels: usize) -> Vec<f32> {
    let one = |image: &[f32]| (0..pixels * 3).map(|i| image[i % 3 * pixels + i / 3]).collect::<Vec<_>>();
    images.chunks(pixels * 3).flat_map(one).collect()
}

proptest! {
    #[test]
    fn every_value_comes_from_the_picture_or_the_one_before_it_in_the_share_of_the_labels(
        (width, height, count) in (1_u32..12, 1_u32..12, 1_usize..6),
        seed in any::<u64>(),
        alpha in prop::sample::select(vec![0.2, 1.0, 4.0]),
    ) {
        let pixels = (width * height) as usize;
        // Every value says whose it is.
        let before: Vec<f32> = (0..count * pixels * 3).map(|i| (i / (pixels * 3)) as f32).collect();
        let mixed = Mixing::CutMix { alpha }.draw((width, height), batch_key(seed, 1, 2)).unwrap();
        let mut images = before.clone();
        mixed.images(&mut images, count, Layout::Nchw, &mut Vec::new()).unwrap();
        for (i, image) in images.chunks(pixels * 3).enumerate() {
            let (own, other) = (i as f32, ((i + count - 1) % count) as f32);
            prop_assert!(image.iter().all(|&v| v == own || v == other));
            let kept = image.iter().filter(|&&v| v == own).count() as f64 / (pixels * 3) as f64;
            prop_assert!(count == 1 || (kept - mixed.keep()).abs() < 1e-9, "{} of {}", kept, mixed.keep());
        }
        let mut other_layout = side_by_side(&before, pixels);
        mixed.images(&mut other_layout, count, Layout::Nhwc, &mut Vec::new()).unwrap();
        prop_assert_eq!(other_layout, side_by_side(&images, pixels));

        let labels: Vec<i64> = (0..count as i64).collect();
        let soft = mixed.labels(&labels, count).unwrap();
        for (i, row) in soft.chunks(count).enumerate() {
            prop_assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            prop_assert!(count == 1 || (f64::from(row[i]) - mixed.keep()).abs() < 1e-6);
        }
        let mut again = Mixed::Up { keep: 1.0 }.labels(&labels, count).unwrap();
        mixed.soft_labels(&mut again, count).unwrap();
        prop_assert_eq!(again, soft);
    }
}

#[test]
fn draws_differ_between_batches_and_repeat_for_the_same() {
    let mixing = Mixing::Either { mixup: 0.4, cutmix: 1.0 };
    let draw = |position| mixing.draw((224, 224), batch_key(9, 3, position)).unwrap();
    let all: Vec<Mixed> = (0..400).map(|i| draw(i * 64)).collect();
    assert!((0..400).all(|i| draw(i * 64) == all[i as usize]));
    assert!(all.windows(2).all(|w| w[0] != w[1]));
    let cuts = all.iter().filter(|m| matches!(m, Mixed::Cut { .. })).count();
    assert!((150..250).contains(&cuts), "{cuts}");
}

#[test]
fn batches_of_another_shape_are_refused_and_empty_ones_are_not() {
    let cut = Mixing::CutMix { alpha: 1.0 }.draw((4, 4), 1).unwrap();
    let mut room = Vec::new();
    for (values, count) in [(48, 2), (47, 1), (96, 1), (1, 0)] {
        let e = cut.images(&mut vec![0.0; values], count, Layout::Nchw, &mut room).unwrap_err();
        assert_eq!(e.code().id(), "image.recipe", "{values} {count}");
    }
    cut.images(&mut [], 0, Layout::Nchw, &mut room).unwrap();
    assert!(cut.labels(&[], 10).unwrap().is_empty());
    for label in [-1, 10, i64::MAX] {
        assert_eq!(cut.labels(&[label], 10).unwrap_err().code().id(), "image.recipe");
    }
    assert!(cut.labels(&[0, 1], usize::MAX).is_err());
}
