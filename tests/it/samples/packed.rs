//! JPEGs that are packed inside of a TBL: bytes, pixels, checks, damage.
#![cfg(all(feature = "packed", feature = "jpeg", not(target_arch = "wasm32")))]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

use crate::common::{Sample, build_tbl};

use std::fs;

use bytes::Bytes;
use forebay::{
    Limits,
    codec::{Codec, Compression},
    image::{
        decode::{Decoder, Options, Region},
        probe,
    },
    samples::{Dataset, Opener},
    step::drive,
    tbl::{Checker, Document, Layout, MetadataFormat, PackOptions, Tbl},
};
use serde_json::Value;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/");

/// The pictures of the fixtures.
fn pictures() -> Vec<Bytes> {
    let index = fs::read_to_string(format!("{FIXTURES}images.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let blob = Bytes::from(fs::read(format!("{FIXTURES}images.bin")).unwrap());
    let part = |place: &Value| {
        let at = |i: usize| place[i].as_u64().unwrap() as usize;
        blob.slice(at(0)..at(0) + at(1))
    };
    index["decode"].as_array().unwrap().iter().map(|case| part(&case["data"])).collect()
}

fn packed() -> (Vec<Bytes>, Bytes) {
    let pictures = pictures();
    let samples = pictures.iter().map(|payload| {
        let seen = probe(payload);
        Sample { payload, format: seen.format, width: seen.width, height: seen.height, record: Some("{\"a\":1}") }
    });
    let samples: Vec<_> = samples.collect();
    let options = PackOptions::new(Layout::Guide, Compression::Packed);
    let count = Some(samples.len() as u64);
    let file = build_tbl(options, MetadataFormat::Json, Document::default(), &samples, count);
    (pictures, file.into())
}

fn open(file: &Bytes) -> forebay::Result<Tbl> {
    match drive(Opener::new(file.len() as u64), file)? {
        Dataset::Tbl(tbl) => Ok(tbl),
        other => panic!("{other:?} is not a TBL"),
    }
}

#[test]
fn payloads_are_the_jpegs_byte_for_byte_and_the_file_is_sound() {
    let (pictures, file) = packed();
    let tbl = open(&file).unwrap();
    let mut smaller = 0;
    for (i, picture) in pictures.iter().enumerate() {
        let plan = tbl.plan(i as u64).unwrap();
        let bytes = file.slice(plan.range().start as usize..plan.range().end as usize);
        assert_eq!(plan.decode(&bytes, &Limits::default()).unwrap(), picture, "sample {i}");
        smaller += usize::from(plan.info.codec == Codec::Packed);
    }
    assert!(smaller >= 10, "{smaller}");
    let report = drive(Checker::new(&tbl), &file).unwrap();
    assert!(report.ok, "{:?}", report.faults);
}

#[test]
fn pixels_of_packed_coefficients_are_those_of_the_jpeg() {
    let (pictures, file) = packed();
    let tbl = open(&file).unwrap();
    let (mut own, mut other, mut seen) = (Decoder::default(), Decoder::default(), 0);
    for (i, picture) in pictures.iter().enumerate() {
        let plan = tbl.plan(i as u64).unwrap();
        let bytes = file.slice(plan.range().start as usize..plan.range().end as usize);
        let (half, tables) = plan.half(&bytes, true, &Limits::default()).unwrap();
        if tables.is_none() {
            assert_eq!(half, picture);
            continue;
        }
        own.packed_with(tables);
        for least in [1, 5, 10, 12, 15, 18, 21, 37] {
            for region in [None, Some(Region { x: 9, y: 3, width: 20, height: 8 })] {
                let mut options = Options::default().with_at_least(least, least.min(23));
                options.region = region;
                let expected = other.decode(picture, None, &options).unwrap();
                let found = own.decode(&half, None, &options).unwrap();
                assert_eq!(
                    (found.width, found.height, found.eighths),
                    (expected.width, expected.height, expected.eighths)
                );
                assert!(found.pixels == expected.pixels, "sample {i}, {least}, {region:?}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 160, "{seen}");
}

#[test]
fn older_readers_refuse_the_file_by_its_version_and_damaged_tables_are_told() {
    let (_, file) = packed();
    assert_eq!((file[4], file[16]), (3, 3));
    // A version that only packed files have.
    let mut other = file.to_vec();
    other[16] = 2;
    assert_eq!(open(&other.into()).unwrap_err().code().id(), "tbl.version");
    let at = u64::from_le_bytes(file[48..56].try_into().unwrap()) as usize;
    let mut other = file.to_vec();
    other[at + 100] ^= 1;
    let e = open(&other.into()).unwrap_err();
    assert_eq!(
        (e.code().id(), e.place().section, e.place().offset),
        ("codec.corrupt", Some("tables"), Some(at as u64))
    );
}
