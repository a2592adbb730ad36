//! What is written comes back, whatever it is, however it is packed and however the bytes arrive.

use std::sync::Arc;

use bytes::Bytes;
use forebay::{
    idv::{Encoder, Opener, Packing, WriteOptions, Writer},
    step::{Pieces, Step, Stepper, drive},
    table::{Batch, Bitmap, Column, ColumnData, DataType, Field, KeyType, Schema, TableFile},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    as_json::{column_values, values},
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
    assert_eq!(file.schema().fields(), table.fields);
    for (i, (field, blocks)) in table.fields.iter().zip(&table.blocks).enumerate() {
        assert_eq!(file.columns[i].hidden, table.fields[i + 1..].iter().any(|f| f.name == field.name));
        let found = column_values(&file, bytes, i).unwrap();
        let given: Vec<Value> = blocks.iter().flat_map(values).collect();
        if exact {
            assert_eq!(found, given, "{}", field.dtype);
        } else {
            let plain = |all: &[Value]| all.iter().map(|v| without_defaults(&dense(v))).collect::<Vec<_>>();
            assert_eq!(plain(&found), plain(&given), "{}", field.dtype);
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
    let blocks = texts.chunks(8192).map(|c| Column::strings(c.iter().map(Some))).collect();
    let table = Table { fields: vec![Field::new("text", DataType::String)], blocks: vec![blocks] };
    same(&table, &Bytes::from(write(&table, &WriteOptions::default()).unwrap()), true);
}

#[test]
fn parts_of_columns_and_missing_keys_are_written() {
    let mut dice = Dice(3);
    for _ in 0..60 {
        let dtype = dice.dtype();
        let whole = dice.column(&dtype, 30);
        let part = whole.slice(7, 11);
        let table = Table { fields: vec![Field::new("x", dtype)], blocks: vec![vec![part]] };
        let options = WriteOptions::default().with_choose_sparse(false);
        same(&table, &Bytes::from(write(&table, &options).unwrap()), true);
    }
    let validity: Bitmap = [true, false, true].into_iter().collect();
    let key = DataType::Key { inner: KeyType::U16, count: 9 };
    let column = Column::new(key.clone(), ColumnData::U16(vec![3, 9, 1].into()), Some(validity)).unwrap();
    let table = Table { fields: vec![Field::new("k", key).nullable()], blocks: vec![vec![column]] };
    let bytes = Bytes::from(write(&table, &WriteOptions::default()).unwrap());
    let file = drive(Opener::new(bytes.len() as u64), &bytes).unwrap();
    assert_eq!(column_values(&file, &bytes, 0).unwrap(), [json!(3), json!(0), json!(1)]);
}

#[test]
fn a_group_decodes_from_the_bytes_of_its_columns_alone() {
    let table = table(&mut Dice(11), 6, 25, 10);
    let bytes = Bytes::from(write(&table, &WriteOptions::default().with_rows_per_block(10)).unwrap());
    let file = drive(Opener::new(bytes.len() as u64), &bytes).unwrap();
    assert_eq!((TableFile::rows(&file), file.groups(), file.group_rows(2).unwrap()), (25, 3, 20..25));
    for group in 0..3 {
        let mut pieces = Pieces::default();
        for range in file.plan(group, &[4, 1]).unwrap() {
            pieces.push(range.start, bytes.slice(range.start as usize..range.end as usize));
        }
        let batch = file.decode(group, &[4, 1], &pieces).unwrap();
        assert_eq!(batch.schema().fields(), [table.fields[4].clone(), table.fields[1].clone()]);
        assert_eq!(batch.rows(), if group == 2 { 5 } else { 10 });
        assert!(file.decode(group, &[0, 1, 2, 3, 4, 5], &pieces).is_err());
    }
    assert!(file.plan(3, &[0]).is_err() && file.plan(0, &[6]).is_err());
}

#[test]
fn batches_of_any_size_make_the_same_file() {
    let mut dice = Dice(5);
    let fields: Vec<Field> = (0..5).map(|i| Field::new(format!("c{i}"), dice.dtype())).collect();
    let columns = fields.iter().map(|f| dice.column(&f.dtype, 100)).collect();
    let schema = Arc::new(Schema::new(fields).unwrap());
    let whole = Batch::new(schema.clone(), columns).unwrap();
    let write = |sizes: &[usize]| {
        let options = WriteOptions::default().with_rows_per_block(13);
        let mut writer = Writer::new(schema.clone(), options).unwrap();
        let (mut file, mut at) = (Vec::new(), 0);
        for size in sizes.iter().cycle() {
            let mut out = Vec::new();
            writer.push(&whole.slice(at, *size), &mut out).unwrap();
            file.extend(out);
            at += size;
            if at >= 100 {
                break;
            }
        }
        assert_eq!(writer.rows(), 100);
        let header = writer.finish(&mut file).unwrap();
        file[..256].copy_from_slice(&header);
        file
    };
    let once = write(&[100]);
    for sizes in [&[1][..], &[13], &[26, 5], &[99, 1]] {
        assert!(write(sizes) == once, "{sizes:?}");
    }
    let file = drive(Opener::new(once.len() as u64), &Bytes::from(once)).unwrap();
    assert_eq!((TableFile::rows(&file), file.groups()), (100, 8));
}

#[test]
fn a_value_that_cannot_be_written_is_named_by_its_row_in_the_file() {
    let schema = Arc::new(Schema::new(vec![Field::new("t", DataType::String).nullable()]).unwrap());
    let mut writer = Writer::new(schema.clone(), WriteOptions::default().with_rows_per_block(4)).unwrap();
    let texts = (0..20).map(|i| (i != 13).then(|| i.to_string()));
    let batch = Batch::new(schema, vec![Column::strings(texts)]).unwrap();
    let e = writer.push(&batch, &mut Vec::new()).unwrap_err();
    assert_eq!((e.code().id(), e.place().column.as_deref(), e.place().row), ("idv.cannot_hold", Some("t"), Some(13)));
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let id = |field: Field| Encoder::new(vec![field], WriteOptions::default()).unwrap_err().code().id();
    assert_eq!(id(Field::new("", DataType::I8)), "idv.cannot_hold");
    assert_eq!(id(Field::new("x", DataType::TimestampUs)), "idv.cannot_hold");
    let dims = vec![1 << 16, 1 << 16];
    assert_eq!(id(Field::new("x", DataType::Vector { item: Box::new(DataType::I8), dims })), "idv.cannot_hold");

    let refused = |column: Column| {
        let field = Field::new("x", column.dtype().clone()).nullable();
        let e = Encoder::new(vec![field], WriteOptions::default()).unwrap().encode(0, &column).unwrap_err();
        (e.code().id(), e.place().column.clone().unwrap(), e.place().row.unwrap())
    };
    let date = Column::from(vec![0i64, -1]).cast_logical(DataType::DateTime).unwrap();
    assert_eq!(refused(date), ("idv.cannot_hold", "x".to_owned(), 1));
    assert_eq!(refused(Column::strings([Some("a"), Some("b"), None])), ("idv.cannot_hold", "x".to_owned(), 2));
}
