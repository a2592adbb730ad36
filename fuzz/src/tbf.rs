//! Any bytes of any layout open or are refused; what decodes is written again, and then reads as the same.

use bytes::Bytes;
use forebay::{
    Limits,
    step::{Pieces, drive},
    table::{Batch, Column, DataType, Field, Schema},
    tbf::{self, CallerSchema},
};

const S: &[u8] = br#"{"S":[{"name":"a","type":"i16"},{"name":"b","type":"string"},{"name":"c","type":"bool"}]}"#;
const U: &[u8] = br#"{"U":{"value":{"struct":[{"name":"a","type":{"seq":"unit"}},
    {"name":"b","type":{"option":"string"}},{"name":"c","type":"u8"}]}}}"#;

pub(crate) fn body(data: &[u8]) {
    let file = Bytes::copy_from_slice(data);
    let schema = |json: &[u8]| Some(CallerSchema::from_json(json).expect("a schema"));
    for schema in [None, schema(S), schema(U)] {
        let mut opener = tbf::Opener::new(file.len() as u64).with_limits(super::limits());
        if let Some(schema) = schema {
            opener = opener.with_schema(schema);
        }
        let Ok(opened) = drive(opener, &file) else { continue };
        if let Some(document) = opened.document() {
            document.to_json().expect("a checked document has text");
        }
        let Ok(table) = opened.table() else { continue };
        let mut pieces = Pieces::default();
        pieces.push(0, file.clone());
        let all: Vec<usize> = (0..table.schema().len()).collect();
        for group in 0..table.groups().min(16) {
            if let Ok(batch) = table.decode(group, &all, &pieces) {
                again(&batch);
                let some = table.decode_rows(group, &all, 1..3, &pieces).expect("rows of what decodes");
                assert_eq!(some.columns(), batch.slice(1, 2).columns());
            }
        }
    }
}

fn again(batch: &Batch) {
    if let Ok(file) = tbf::write(batch, Default::default()) {
        assert_eq!(tbf::read(&file.into(), &Limits::host()).expect("what was written reads"), *batch);
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let columns: Vec<(DataType, Column)> = [
        Column::from(vec![1u8, 200, 3]),
        Column::from(vec![-1i64, 1 << 40, 7]),
        Column::from(vec![0.1f64, f64::NAN, -0.0]),
        Column::from(vec![true, false, true]),
        Column::strings([Some("é"), None, Some("é")]),
    ]
    .into_iter()
    .map(|c| (c.dtype().clone(), c))
    .collect();
    let fields = columns.iter().zip('a'..).map(|((t, _), name)| Field::new(name, t.clone()).nullable()).collect();
    let schema = std::sync::Arc::new(Schema::new(fields).expect("a schema"));
    let batch = Batch::new(schema, columns.into_iter().map(|(_, c)| c).collect()).expect("a batch");
    let mut tagged = tbf::TaggedWriter::default();
    tagged.push(&batch).expect("rows");
    let mut columnar = tbf::ColumnarWriter::new(batch.slice(0, 1).schema().clone()).expect("columns");
    columnar.push(&batch.slice(0, 1)).expect("a row");
    let (mut in_t, mut in_c) = (Vec::new(), Vec::new());
    tagged.finish(&mut in_t);
    columnar.finish(&mut in_c).expect("a file");
    vec![
        tbf::write(&batch, Default::default()).expect("a file"),
        tbf::write(&batch, tbf::WriteOptions::default().with_group_rows(2)).expect("a file"),
        in_t,
        in_c,
        b"TBF\x01\x03\x03\x0b\x03\x01\0\x02\0\x03\0\x04\x03\x02\x05Alice\x03Bob\0\x01\0\0\x03\x05".to_vec(),
        b"ULT\x01\x01\0\x02\x03\0\x06\x05\x07\x06\x03\x07\x01a\x02bc".to_vec(),
        b"SCH\x01\x01\x02\x03\x10\0\x01\0\x02\0\x01\x02\x01a\x01b\x10\0\x02\x03".to_vec(),
        b"TBF\x01\x01\x02\0\0\x01\x01q\x02\x01\x01\0\x05\0\0\x09".to_vec(),
    ]
}
