//! What pictures look like in numbers: those of `tests/fixtures/curate.json`, which `curate.py` makes by itself.
#![cfg(all(feature = "curate", feature = "decode"))]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

use base64::{Engine as _, engine::general_purpose::STANDARD};
use forebay::{
    Limits,
    curate::{Look, Looker},
    image::Picture,
};
use serde_json::{Value, json};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/curate.json");

fn vectors() -> Value {
    serde_json::from_str(&std::fs::read_to_string(VECTORS).unwrap()).unwrap()
}

fn said(look: &Look) -> Value {
    json!({
        "hash": look.hash.map(|hash| format!("{hash:016x}")),
        "brightness": look.brightness,
        "contrast": look.contrast,
        "sharpness": look.sharpness,
    })
}

fn wave(n: u64) -> u8 {
    let n = n % 510;
    n.min(510 - n) as u8
}

#[test]
fn pictures_have_the_numbers_of_the_other_implementation() {
    for one in vectors()["made"].as_array().unwrap() {
        let number = |value: &Value| value.as_u64().unwrap();
        let (width, height) = (number(&one["width"]), number(&one["height"]));
        let [a, b, c] = [0, 1, 2].map(|i| number(&one["shape"][i]));
        let mut pixels = Vec::new();
        for y in 0..height {
            for x in 0..width {
                pixels.extend([1, 2, 3].map(|k| wave(k * a * x + b * y + x * y / c + 40 * k)));
            }
        }
        let size = (width as u32, height as u32);
        let look = Look::of(&Picture::new(size.0, size.1, &pixels).unwrap(), size);
        assert_eq!(said(&look), one["look"], "{width} x {height}");
    }
}

#[test]
fn payloads_have_the_numbers_that_every_host_finds() {
    let mut looker = Looker::default();
    for one in vectors()["payloads"].as_array().unwrap() {
        let jpeg = STANDARD.decode(one["jpeg"].as_str().unwrap()).unwrap();
        let look = looker.look(&jpeg, None, &Limits::browser()).unwrap();
        let mut all = said(&look);
        (all["width"], all["height"]) = (look.width.into(), look.height.into());
        assert_eq!(all, one["look"], "{}", one["name"]);
    }
}

#[test]
fn damaged_and_large_claims_are_errors() {
    let mut looker = Looker::default();
    let payloads = vectors()["payloads"].clone();
    let jpeg = STANDARD.decode(payloads[0]["jpeg"].as_str().unwrap()).unwrap();
    for length in (0..jpeg.len()).step_by(97) {
        assert!(looker.look(&jpeg[..length], None, &Limits::host()).is_err(), "{length}");
    }
    let small = Limits::host().with_pixels(1000);
    assert_eq!(looker.look(&jpeg, None, &small).unwrap_err().code().id(), "image.pixels");
    assert_eq!(looker.look(&[1, 2, 3], Some((1, 1)), &Limits::host()).unwrap().brightness, 200);
    assert_eq!(looker.look(&[1, 2], Some((1, 1)), &Limits::host()).unwrap_err().code().id(), "image.raw_size");
}
