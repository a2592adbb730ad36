//! The crate `tauq`, whose format layouts T and C are, and Forebay over the same values: the same bytes, and what one
//! writes the other reads.

use std::panic::catch_unwind;

use bytes::Bytes;
use forebay::{
    step::{Pieces, drive},
    table::{Batch, ColumnData, DataType},
    tbf,
};
use serde_json::Value as Json;
use tauq::tbf::{ColumnType, ColumnarDecoder, ColumnarEncoder};

pub(crate) fn body(data: &[u8]) {
    if let Ok(json) = serde_json::from_slice::<Json>(data) {
        tagged(&json);
    }
    let file = Bytes::copy_from_slice(data);
    let Ok(opened) = drive(tbf::Opener::new(file.len() as u64).with_limits(super::limits()), &file) else { return };
    if let Some(document) = opened.document() {
        let text = document.to_json().expect("a checked document has text");
        if let Ok(json) = serde_json::from_str::<Json>(&text) {
            tagged(&json);
        }
    }
    let (tbf::Dialect::C, Ok(table)) = (opened.dialect(), opened.table()) else { return };
    let all: Vec<usize> = (0..table.schema().len()).collect();
    let Ok(batch) = table.decode(0, &all, &Pieces::default()) else { return };
    columnar(&batch);
}

/// What is written of a value is the peer's bytes, and the peer reads it.
fn tagged(json: &Json) {
    let (Ok(ours), Ok(theirs)) = (tbf::TaggedWriter::json(json), tauq::tbf::encode_json(json)) else { return };
    assert_eq!(ours, theirs, "{json}");
    // Where the peer's reader itself gives up on what its writer wrote, there is nothing to compare.
    if let Ok(Ok(read)) = catch_unwind(|| tauq::tbf::decode(&theirs)) {
        assert_eq!(read, *json);
    }
}

/// The same columns from both writers are the same bytes; types that the peer cannot push are left alone.
fn columnar(batch: &Batch) {
    let mut peer = ColumnarEncoder::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        let kind = match (&field.dtype, column.data()) {
            (DataType::Bool, _) => ColumnType::Bool,
            (DataType::I32, _) => ColumnType::I32,
            (DataType::I64, _) => ColumnType::I64,
            (DataType::U32, _) => ColumnType::U32,
            (DataType::U64, _) => ColumnType::U64,
            (DataType::F32, _) => ColumnType::F32,
            (DataType::F64, _) => ColumnType::F64,
            (DataType::String, _) => ColumnType::String,
            _ => return,
        };
        peer.add_column(&field.name, kind);
    }
    for row in 0..batch.rows() {
        for (i, column) in batch.columns().iter().enumerate() {
            match column.data() {
                ColumnData::Bool(b) => peer.push_bool(i, b.get(row)),
                ColumnData::I32(b) => peer.push_i32(i, b[row]),
                ColumnData::I64(b) => peer.push_i64(i, b[row]),
                ColumnData::U32(b) => peer.push_u32(i, b[row]),
                ColumnData::U64(b) => peer.push_u64(i, b[row]),
                ColumnData::F32(b) => peer.push_f32(i, b[row]),
                ColumnData::F64(b) => peer.push_f64(i, b[row]),
                _ => peer.push_string(i, column.str(row).expect("a text")),
            }
        }
        peer.finish_row();
    }
    let theirs = peer.finish();
    let mut writer = tbf::ColumnarWriter::new(batch.schema().clone()).expect("columns that were read");
    writer.push(batch).expect("rows that were read");
    let mut ours = Vec::new();
    writer.finish(&mut ours).expect("a table that was read");
    assert!(ours == theirs, "{batch:?}");
    assert_eq!(ColumnarDecoder::new(&ours).expect("the peer reads it").row_count(), batch.rows());
    let again = tbf::read(&theirs.into(), &super::limits()).expect("Forebay reads the peer's");
    assert_eq!(again.columns(), batch.columns());
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let rows = r#"[{"id":1,"s":"a","x":0.5,"n":null,"more":{"deep":[true,[],{}]}},{"id":-2,"s":"é\u0000","x":1e300,"n":18446744073709551615}]"#;
    let json: Json = serde_json::from_str(rows).expect("JSON");
    let mut peer = ColumnarEncoder::new();
    // Every type that the peer can fill, a dictionary that names and texts share, and the ends of every range.
    for (name, kind) in [
        ("id", ColumnType::U32),
        ("s", ColumnType::String),
        ("x", ColumnType::F64),
        ("b", ColumnType::Bool),
        ("i", ColumnType::I32),
        ("big", ColumnType::I64),
        ("bits", ColumnType::U64),
        ("y", ColumnType::F32),
    ] {
        peer.add_column(name, kind);
    }
    for i in 0..5usize {
        peer.push_u32(0, (1 << (7 * i)) - 1);
        peer.push_string(1, ["a", "", "é", "a", "id"][i]);
        peer.push_f64(2, [0.1, -0.0, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE][i]);
        peer.push_bool(3, i % 2 == 0);
        peer.push_i32(4, [0, -1, i32::MIN, i32::MAX, 300][i]);
        peer.push_i64(5, [0, -1, i64::MIN, i64::MAX, -300][i]);
        peer.push_u64(6, [0, 127, 128, u64::MAX, 1 << 63][i]);
        peer.push_f32(7, [0.1, -0.0, f32::NEG_INFINITY, f32::NAN, f32::MAX][i]);
        peer.finish_row();
    }
    let empty = {
        let mut peer = ColumnarEncoder::new();
        peer.add_column("only", ColumnType::I64);
        peer.finish()
    };
    let numbers =
        "[0,127,128,-1,-64,-65,9223372036854775807,-9223372036854775808,18446744073709551615,0.1,-0.0,5e-324]";
    vec![
        rows.as_bytes().to_vec(),
        br#""text""#.to_vec(),
        numbers.as_bytes().to_vec(),
        br#"{"":null,"k":["k","",{"k":"k"}],"t":true,"f":false}"#.to_vec(),
        empty,
        tauq::tbf::encode_json(&json).expect("a document"),
        tauq::tbf::encode_json(&Json::from(-7)).expect("a document"),
        peer.finish(),
    ]
}
