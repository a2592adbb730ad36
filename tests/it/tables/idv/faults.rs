//! Checking lists every fault, and notes what is odd.

use bytes::Bytes;
use forebay::{
    check::Report,
    error::Kind,
    idv::{Packing, WriteOptions},
    step::drive,
    table::{DataType, Field},
    tables::{TableChecker, TableKind, TableOpener},
};

use super::{
    as_json::files,
    common,
    generate::{Dice, Table, write},
};

fn check(bytes: Vec<u8>) -> Report {
    let bytes = Bytes::from(bytes);
    drive(TableChecker::new(TableOpener::new(TableKind::Idv, bytes.len() as u64)), &bytes).unwrap()
}

/// A file that is not read for its version or its layout is not a damaged one.
fn is_unsupported(bytes: &[u8]) -> bool {
    let bytes = Bytes::copy_from_slice(bytes);
    let e = drive(TableChecker::new(TableOpener::new(TableKind::Idv, bytes.len() as u64)), &bytes).err();
    e.is_some_and(|e| {
        e.kind() == Kind::Unsupported && matches!(e.code().id(), "idv.version" | "idv.mixed_rows_per_block")
    })
}

#[test]
fn good_files_have_no_fault_and_refused_ones_have_some() {
    let dir = common::corpus("idv");
    for path in [files(&dir, "idv"), files(&dir.join("handmade"), "idv")].concat() {
        let report = check(std::fs::read(&path).unwrap());
        assert_eq!(report.faults, [], "{}", path.display());
    }
    let mut unsupported = 0;
    for path in files(&dir.join("rejected"), "idv") {
        let bytes = std::fs::read(&path).unwrap();
        if is_unsupported(&bytes) {
            unsupported += 1;
            continue;
        }
        let report = check(bytes);
        // Three are refused by ML.NET for a bug of its own; they are fine but for a note.
        let bug = report.notes.iter().any(|n| n.code == "idv.unknown_annotation");
        assert_eq!(report.ok, bug, "{}", path.display());
    }
    // Three versions, and rows per block that differ in two ways.
    assert_eq!(unsupported, 5);
}

#[test]
fn every_broken_block_is_listed_not_only_the_first() {
    let mut dice = Dice(7);
    let mut blocks = || (0..4).map(|_| dice.column(&DataType::String, 5)).collect();
    let blocks = vec![blocks(), blocks()];
    let fields = vec![Field::new("a", DataType::String), Field::new("b", DataType::String)];
    let table = Table { fields, blocks };
    let options = WriteOptions::default().with_packing(Packing::None).with_rows_per_block(5);
    let mut bytes = write(&table, &options).unwrap();
    let file = drive(forebay::idv::Opener::new(bytes.len() as u64), &Bytes::from(bytes.clone())).unwrap();
    for (column, block) in [(0, 1), (1, 1), (1, 3)] {
        bytes[file.entry(column, block).unwrap().offset as usize] ^= 1;
    }
    let report = check(bytes);
    let places: Vec<_> = report
        .faults
        .iter()
        .map(|f| (f.code, f.column.as_deref().unwrap(), f.block.unwrap(), f.row.unwrap()))
        .collect();
    // With the first row of each.
    assert_eq!(places, [("idv.count", "a", 1, 5), ("idv.count", "b", 1, 5), ("idv.count", "b", 3, 15)]);
    assert_eq!((report.samples, report.fault_count), (20, 3));
}

#[test]
fn a_lie_about_the_rows_costs_no_time() {
    let blocks = vec![Dice(3).column(&DataType::I32, 5)];
    let table = Table { fields: vec![Field::new("a", DataType::I32)], blocks: vec![blocks] };
    let mut bytes = write(&table, &WriteOptions::default()).unwrap();
    // Byte 6 of the number of rows: 2^48 rows more.
    bytes[40 + 6] = 1;
    let report = check(bytes);
    assert!(!report.ok && report.fault_count < 10, "{} faults", report.fault_count);
}

#[test]
fn what_readers_ignore_is_noted() {
    let dir = common::corpus("idv/handmade");
    for (name, code) in [
        ("v_trailing_garbage", "idv.trailing"),
        ("v_text_na_first", "idv.old_missing"),
        ("v_dvtimespan", "idv.old_missing"),
        ("v_vec_dvbool", "idv.old_missing"),
        ("v_text_invalid_utf8_1", "idv.text_replaced"),
        ("v_dead_compression_7", "idv.dead_column"),
    ] {
        let report = check(std::fs::read(dir.join(name).with_extension("idv")).unwrap());
        assert!(report.notes.iter().any(|n| n.code == code), "{name}: {:?}", report.notes);
    }
}
