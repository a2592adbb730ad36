//! What is written comes back, whatever it is, however it is packed and however the bytes arrive.

use bytes::Bytes;
use forebay::{
    idv::{Codec, ColumnSpec, Encoder, Item, Layout, Opener, Packing, WriteOptions},
    step::{Step, Stepper, drive},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    as_json::{block_values, column_values},
    generate::{Dice, Table, table, write},
};

/// A vector with every slot; a scalar as it is.
fn dense(value: &Value) -> Value {
    let Some(len) = value.get("len").and_then(Value::as_u64) else { return value.clone() };
    if value["dense"] == true {
        return json!(value["values"]);
    }
    let mut slots = vec![Value::Null; len as usize];
    for (at, v) in value["idx"].as_array().unwrap().iter().zip(value["values"].as_array().unwrap()) {
        slots[at.as_u64().unwrap() as usize] = v.clone();
    }
    json!(slots)
}

/// Defaults as null, so that a slot that is not listed equals one that holds the default.
fn without_defaults(value: &Value) -> Value {
    let defaults = [
        json!(0),
        json!(false),
        json!(""),
        json!({"f32": "00000000"}),
        json!({"f64": "0000000000000000"}),
        json!({"ticks": 0}),
        json!({"ticks": 0, "kind": "Unspecified"}),
        json!({"clock_ticks": 0, "offset_minutes": 0}),
        json!({"low": 0, "high": 0}),
    ];
    match value {
        Value::Array(all) => Value::Array(all.iter().map(without_defaults).collect()),
        v if defaults.contains(v) => Value::Null,
        v => v.clone(),
    }
}

fn same(table: &Table, bytes: &Bytes, exact: bool) {
    let file = drive(Opener::new(bytes.len() as u64), bytes).unwrap();
    assert_eq!(file.notes, []);
    let names: Vec<&str> = file.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, table.columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>());
    for (i, (spec, blocks)) in table.columns.iter().zip(&table.blocks).enumerate() {
        let column = &file.columns[i];
        assert_eq!(column.live.as_ref().unwrap().codec, spec.codec);
        assert_eq!(column.hidden, table.columns[i + 1..].iter().any(|c| c.name == spec.name));
        for (found, given) in column.annotations.iter().zip(&spec.annotations) {
            assert_eq!((&found.kind, &found.codec), (&given.kind, &given.codec));
            assert_eq!(block_values(&found.value), block_values(&given.value));
        }
        assert_eq!(column.annotations.len(), spec.annotations.len());
        let found = column_values(&file, bytes, i).unwrap();
        let given: Vec<Value> = blocks.iter().flat_map(block_values).collect();
        if exact {
            assert_eq!(found, given, "{:?}", spec.codec);
        } else {
            let plain = |all: &[Value]| all.iter().map(|v| without_defaults(&dense(v))).collect::<Vec<_>>();
            assert_eq!(plain(&found), plain(&given), "{:?}", spec.codec);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_of_every_type_come_back(
        seed: u64,
        columns in 0usize..7,
        rows in prop_oneof![Just(0usize), Just(1), 2usize..40, Just(300)],
        rows_per_block in prop_oneof![Just(1usize), 2usize..9, Just(300), Just(8192)],
        deflate: bool,
        choose: bool,
    ) {
        // One row per block with 300 rows says nothing that 40 rows do not.
        let rows = if rows_per_block == 1 { rows.min(40) } else { rows };
        let table = table(&mut Dice(seed), columns, rows, rows_per_block);
        let options = WriteOptions::default()
            .with_packing(if deflate { Packing::Deflate } else { Packing::None })
            .with_rows_per_block(rows_per_block as u32)
            .with_choose_sparse(choose);
        same(&table, &Bytes::from(write(&table, &options).unwrap()), !choose);
    }

    #[test]
    fn the_result_does_not_depend_on_how_bytes_arrive(seed: u64, columns in 1usize..5, rows in 0usize..30) {
        let mut dice = Dice(seed);
        let table = table(&mut dice, columns, rows, 7);
        let bytes = Bytes::from(write(&table, &WriteOptions::default().with_rows_per_block(7)).unwrap());
        let whole = drive(Opener::new(bytes.len() as u64), &bytes).unwrap();
        let mut opener = Opener::new(bytes.len() as u64);
        let split = loop {
            match opener.step().unwrap() {
                Step::Done(file) => break file,
                Step::Need(ranges) => {
                    for range in ranges {
                        prop_assert!(range.start < range.end && range.end <= bytes.len() as u64);
                        // A part of what was asked for, and something else.
                        let (start, end) = (range.start as usize, range.end as usize);
                        let part = start + 1 + dice.below((end - start) as u64) as usize;
                        opener.push(range.start, bytes.slice(start..part));
                        let other = dice.below(bytes.len() as u64) as usize;
                        opener.push(other as u64, bytes.slice(other..(other + 5).min(bytes.len())));
                    }
                }
            }
        };
        prop_assert_eq!(format!("{whole:?}"), format!("{split:?}"));
    }
}

#[test]
fn seventy_thousand_distinct_texts_come_back() {
    let texts: Vec<String> = (0..70_000).map(|i| format!("{i} é{}", "x".repeat(i % 7))).collect();
    let codec = Codec::scalar(Item::plain(Layout::Text));
    let blocks = texts
        .chunks(8192)
        .map(|c| forebay::idv::Block::Scalars(forebay::idv::Values::Text(c.iter().map(String::as_str).collect())))
        .collect();
    let table = Table { columns: vec![ColumnSpec::new("text", codec)], blocks: vec![blocks] };
    same(&table, &Bytes::from(write(&table, &WriteOptions::default()).unwrap()), true);
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let plain = |layout| Codec::scalar(Item::plain(layout));
    let id = |columns: Vec<ColumnSpec>| Encoder::new(columns, WriteOptions::default()).unwrap_err().code().id();
    assert_eq!(id(vec![ColumnSpec::new("", plain(Layout::Int8))]), "idv.cannot_hold");
    assert_eq!(id(vec![ColumnSpec::new("x", plain(Layout::OldBool))]), "idv.cannot_hold");
    let dims = Some(vec![1 << 16, 1 << 16]);
    assert_eq!(id(vec![ColumnSpec::new("x", Codec { item: Item::plain(Layout::Int8), dims })]), "idv.cannot_hold");

    let date = ColumnSpec::new("when", plain(Layout::DateTime));
    let encoder = Encoder::new(vec![date], WriteOptions::default()).unwrap();
    let block = forebay::idv::Block::Scalars(forebay::idv::Values::DateTime(vec![0, -1]));
    let e = encoder.encode(0, &block).unwrap_err();
    assert_eq!(e.code().id(), "idv.cannot_hold");
    assert_eq!((e.place().column.as_deref(), e.place().row), (Some("when"), Some(1)));
}
