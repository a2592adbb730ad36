//! The pictures that Pillow and torchvision made, and how far two of them are apart.

use std::fs;

use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

/// The fixtures' index and bytes.
pub fn fixtures() -> (Value, Vec<u8>) {
    let index = fs::read_to_string(format!("{FIXTURES}images.json")).unwrap();
    (serde_json::from_str(&index).unwrap(), fs::read(format!("{FIXTURES}images.bin")).unwrap())
}

/// The bytes of one thing in the index.
pub fn part<'a>(blob: &'a [u8], place: &Value) -> &'a [u8] {
    let at = |i: usize| place[i].as_u64().unwrap() as usize;
    &blob[at(0)..at(0) + at(1)]
}

/// The greatest difference of two values.
pub fn furthest(a: &[u8], b: &[u8]) -> u8 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| x.abs_diff(*y)).max().unwrap_or(0)
}
