//! What opening and reading ask of a host.

use std::ops::Range;

use bytes::Bytes;
use forebay::{
    idv::{Opener, Packing, WriteOptions},
    step::{Step, Stepper, drive},
    table::{DataType, Field, TableFile},
};

use super::generate::{Dice, Table, write};

/// The ranges of each step.
fn trace(bytes: &Bytes) -> Vec<Vec<Range<u64>>> {
    let mut opener = Opener::new(bytes.len() as u64);
    let mut steps = Vec::new();
    while let Step::Need(ranges) = opener.step().unwrap() {
        for r in &ranges {
            opener.push(r.start, bytes.slice(r.start as usize..r.end as usize));
        }
        steps.push(ranges);
    }
    steps
}

fn wide(rows: usize) -> (Table, Bytes) {
    let mut dice = Dice(1);
    let fields: Vec<Field> = (0..7).map(|i| Field::new(format!("c{i}"), DataType::F64)).collect();
    let blocks = (0..7).map(|_| (0..rows / 1000).map(|_| dice.column(&DataType::F64, 1000)).collect()).collect();
    let table = Table { fields, blocks };
    let options = WriteOptions::default().with_packing(Packing::None).with_rows_per_block(1000);
    let bytes = write(&table, &options).unwrap().into();
    (table, bytes)
}

#[test]
fn a_large_file_opens_in_one_round_of_two_requests() {
    let (_, bytes) = wide(50_000);
    let len = bytes.len() as u64;
    assert!(len > 2_000_000);
    assert_eq!(trace(&bytes), [[0..256, len - (64 << 10)..len]]);
}

#[test]
fn a_small_file_opens_in_one_round() {
    let (_, bytes) = wide(1000);
    assert_eq!(trace(&bytes), [[0..256, 256..bytes.len() as u64]]);
}

#[test]
fn tables_that_lie_elsewhere_take_more_rounds_but_few_bytes() {
    let (_, bytes) = wide(50_000);
    // Bytes after the tail signature push the tables out of the end that is read first.
    let far = Bytes::from([&bytes[..], &vec![0; 1 << 20]].concat());
    let steps = trace(&far);
    assert!(steps.len() <= 4, "{steps:?}");
    let asked: u64 = steps.iter().flatten().map(|r| r.end - r.start).sum();
    assert!(asked < 100_000, "{asked}");
}

#[test]
fn one_column_of_seven_reads_its_own_bytes() {
    let (_, bytes) = wide(50_000);
    let file = drive(Opener::new(bytes.len() as u64), &bytes).unwrap();
    let planned: u64 =
        (0..file.groups()).flat_map(|group| file.plan(group, &[3]).unwrap()).map(|range| range.end - range.start).sum();
    assert_eq!(planned, 50_000 * 8);
}
