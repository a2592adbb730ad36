//! What an Arrow file claims costs no more than its bytes can.
#![allow(clippy::disallowed_methods, missing_docs)]

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, Int64Array, NullArray, RecordBatch, StringArray, types::Int32Type,
};
use arrow_ipc::writer::{DictionaryHandling, IpcWriteOptions, StreamWriter};
use arrow_schema::{Field, Schema};
use bytes::Bytes;
use forebay::{
    Limits, Result,
    step::{Pieces, drive},
    table::{Batch, TableFile, Value},
};
use forebay_columns::ipc::{IpcOpener, IpcTable};

fn schema(columns: &[ArrayRef]) -> Arc<Schema> {
    let field = |(i, column): (usize, &ArrayRef)| Field::new(format!("c{i}"), column.data_type().clone(), true);
    Arc::new(Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>()))
}

fn stream(batches: &[Vec<ArrayRef>]) -> Vec<u8> {
    let options = IpcWriteOptions::default().with_dictionary_handling(DictionaryHandling::Delta);
    let schema = schema(&batches[0]);
    let mut out = StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
    for columns in batches {
        out.write(&RecordBatch::try_new(schema.clone(), columns.clone()).unwrap()).unwrap();
    }
    out.into_inner().unwrap()
}

fn open(file: &Bytes, limits: Limits) -> Result<IpcTable> {
    drive(IpcOpener::stream(file.len() as u64, limits), file)
}

fn read(file: &Bytes, table: &IpcTable, group: usize) -> Result<Batch> {
    let columns: Vec<usize> = (0..table.schema().len()).collect();
    let mut pieces = Pieces::default();
    for range in table.plan(group, &columns)? {
        pieces.push(range.start, file.slice(range.start as usize..range.end as usize));
    }
    table.decode(group, &columns, &pieces)
}

#[test]
fn values_that_take_no_bytes_are_counted() {
    let nulls = |columns: usize, rows: usize| -> Bytes {
        stream(&[vec![Arc::new(NullArray::new(rows)) as ArrayRef; columns]]).into()
    };
    let few = nulls(4, 1 << 20);
    let table = open(&few, Limits::host()).unwrap();
    let batch = read(&few, &table, 0).unwrap();
    assert!(batch.rows() == 1 << 20 && batch.row(7).unwrap().value(3).same(&Value::Null));
    let many = nulls(64, 1 << 23);
    let table = open(&many, Limits::host()).unwrap();
    let e = read(&many, &table, 0).unwrap_err();
    assert!(e.code().id() == "table.arrow" && e.message().contains("536870912 values"), "{e}");
}

#[test]
fn a_dictionary_that_grows_with_every_batch_is_joined_once() {
    const BATCHES: usize = 60;
    let long = "x".repeat(100_000);
    let batch = |n: usize| -> Vec<ArrayRef> {
        let texts: StringArray =
            (0..=n).map(|i| Some(if i == 0 { long.clone() } else { format!("text {i}") })).collect();
        let keys = Int32Array::from(vec![Some(n as i32), None, Some(0)]);
        vec![Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(texts)).unwrap())]
    };
    let file: Bytes = stream(&(0..BATCHES).map(batch).collect::<Vec<_>>()).into();
    assert!(file.len() < 2 * long.len(), "the dictionary was written again, {} bytes", file.len());
    // Joined once for every batch, it would be 60 times its size.
    let table = open(&file, Limits::host().with_index_bytes(300_000)).unwrap();
    for n in 0..BATCHES {
        let batch = read(&file, &table, n).unwrap();
        let text = if n == 0 { long.clone() } else { format!("text {n}") };
        assert!(batch.row(0).unwrap().value(0).same(&Value::Str(&text)), "{n}");
        assert!(batch.row(2).unwrap().value(0).same(&Value::Str(&long)));
    }
    let e = open(&file, Limits::host().with_index_bytes(50_000)).unwrap_err();
    assert_eq!(e.code().id(), "limit.index");
}

#[test]
fn buffers_do_not_lie_over_each_other() {
    let numbers = || -> ArrayRef { Arc::new(Int64Array::from_iter_values(0..8)) };
    let mut file = stream(&[vec![numbers(), numbers(), numbers()]]);
    let sound: Bytes = file.clone().into();
    assert!(read(&sound, &open(&sound, Limits::host()).unwrap(), 0).is_ok());
    // Where the second and third columns lie, and that they take 64 bytes.
    for at in [64i64, 128] {
        let place: Vec<u8> = [at, 64].iter().flat_map(|n| n.to_le_bytes()).collect();
        let found = file.windows(16).rposition(|bytes| bytes == place).unwrap();
        file[found..found + 16].copy_from_slice(&[0i64, 128].map(i64::to_le_bytes).concat());
    }
    let file: Bytes = file.into();
    let e = read(&file, &open(&file, Limits::host()).unwrap(), 0).unwrap_err();
    assert!(e.message().contains("together, of 192"), "{e}");
}
