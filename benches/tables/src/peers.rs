//! How each format is asked for the same thing.

use std::{io::Cursor, sync::Arc};

use arrow::{
    array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt8Array, UInt32Array},
    buffer::Buffer,
    ipc::{
        reader::{StreamDecoder, StreamReader},
        writer::StreamWriter,
    },
};
use bytes::Bytes;
use forebay::{
    Limits,
    step::{Pieces, drive},
    table::Batch,
    tbf,
};
use parquet::{
    arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder},
    basic::{Compression, ZstdLevel},
    file::properties::WriterProperties,
};
use tauq::tbf::{
    ColumnReader, ColumnType, ColumnarDecode, ColumnarDecoder, ColumnarEncode, ColumnarEncoder, FastBorrowedDictionary,
    FastBuffer, FastDecode, FastEncode, FastStringDictionary,
};

use crate::data::Row;

pub struct Encoded {
    pub ipc: Vec<u8>,
    pub ipc_shared: Buffer,
    pub snappy: Bytes,
    pub zstd: Bytes,
    pub bitcode: Vec<u8>,
    pub bincode: Vec<u8>,
    pub tauq_t: Vec<u8>,
    pub tauq_u: Vec<u8>,
    pub tauq_c: Vec<u8>,
}

impl Encoded {
    pub fn new(rows: &[Row], arrow: &RecordBatch) -> Self {
        let e = Encoded {
            ipc: write_ipc(arrow),
            ipc_shared: Buffer::from(write_ipc(arrow)),
            snappy: write_parquet(arrow, false).into(),
            zstd: write_parquet(arrow, true).into(),
            bitcode: bitcode::encode(rows),
            bincode: bincode::serialize(rows).unwrap(),
            tauq_t: tauq::tbf::to_bytes(&rows).unwrap(),
            tauq_u: tauq::tbf::fast_encode_slice(rows),
            tauq_c: tauq_c(rows),
        };
        assert_eq!(read_ipc(&e.ipc), [arrow.clone()]);
        assert_eq!(read_ipc_shared(&e.ipc_shared), [arrow.clone()]);
        assert_eq!(read_parquet(&e.snappy).iter().map(RecordBatch::num_rows).sum::<usize>(), rows.len());
        assert_eq!(bitcode::decode::<Vec<Row>>(&e.bitcode).unwrap(), rows);
        assert_eq!(tauq::tbf::from_bytes::<Vec<Row>>(&e.tauq_t).unwrap(), rows);
        assert_eq!(Row::fast_decode_slice(&e.tauq_u).unwrap(), rows);
        assert_eq!(tauq_c_rows(&e.tauq_c), rows);
        e
    }
}

fn pieces(file: &Bytes) -> Pieces {
    let mut pieces = Pieces::default();
    pieces.push(0, file.clone());
    pieces
}

pub fn read_columns(file: &Bytes) -> Batch {
    tbf::read(file, &Limits::host()).unwrap()
}

pub fn read_plain_columns(file: &Bytes) -> Vec<forebay::table::Column> {
    read_columns(file).columns().iter().map(|c| c.clone().plain().unwrap()).collect()
}

pub fn read_one_column(file: &Bytes) -> Batch {
    let opened = drive(tbf::Opener::new(file.len() as u64), file).unwrap();
    let table = opened.table().unwrap();
    table.decode(0, &[3], &pieces(file)).unwrap()
}

pub fn read_rows(file: &Bytes) -> Vec<Row> {
    <Row as forebay::tbf::TbfDecode>::from_tbf(file, &Limits::host()).unwrap()
}

pub fn arrow_batch(rows: &[Row]) -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(UInt32Array::from_iter_values(rows.iter().map(|r| r.id)))),
        ("name", Arc::new(StringArray::from_iter_values(rows.iter().map(|r| &r.name)))),
        ("age", Arc::new(UInt8Array::from_iter_values(rows.iter().map(|r| r.age)))),
        ("salary", Arc::new(Float64Array::from_iter_values(rows.iter().map(|r| r.salary)))),
        ("active", Arc::new(rows.iter().map(|r| Some(r.active)).collect::<BooleanArray>())),
        ("city", Arc::new(StringArray::from_iter_values(rows.iter().map(|r| &r.city)))),
        ("ts", Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.ts)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

pub fn write_ipc(batch: &RecordBatch) -> Vec<u8> {
    let mut out = Vec::new();
    let mut w = StreamWriter::try_new(&mut out, &batch.schema()).unwrap();
    w.write(batch).unwrap();
    w.finish().unwrap();
    drop(w);
    out
}

pub fn read_ipc(file: &[u8]) -> Vec<RecordBatch> {
    StreamReader::try_new(Cursor::new(file), None).unwrap().map(Result::unwrap).collect()
}

/// Without copying, as from a memory map.
pub fn read_ipc_shared(file: &Buffer) -> Vec<RecordBatch> {
    let mut file = file.clone();
    let mut decoder = StreamDecoder::new();
    let mut out = Vec::new();
    while let Some(batch) = decoder.decode(&mut file).unwrap() {
        out.push(batch);
    }
    out
}

pub fn write_parquet(batch: &RecordBatch, zstd: bool) -> Vec<u8> {
    let compression = if zstd { Compression::ZSTD(ZstdLevel::try_new(3).unwrap()) } else { Compression::SNAPPY };
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut out = Vec::new();
    let mut w = ArrowWriter::try_new(&mut out, batch.schema(), Some(properties)).unwrap();
    w.write(batch).unwrap();
    w.close().unwrap();
    out
}

pub fn read_parquet(file: &Bytes) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone()).unwrap();
    reader.with_batch_size(65_536).build().unwrap().map(Result::unwrap).collect()
}

impl FastEncode for Row {
    fn fast_encode_to(&self, b: &mut FastBuffer, d: &mut FastStringDictionary) {
        b.write_u32(self.id);
        b.write_string(&self.name, d);
        b.push(self.age);
        b.write_f64(self.salary);
        b.write_bool(self.active);
        b.write_string(&self.city, d);
        b.write_i64(self.ts);
    }
}

impl FastDecode for Row {
    fn fast_decode_from(bytes: &[u8], d: &FastBorrowedDictionary) -> Result<(Self, usize), tauq::error::TauqError> {
        let mut at = 0;
        macro_rules! next {
            ($t:ty) => {{
                let (value, n) = <$t>::fast_decode_from(&bytes[at..], d)?;
                at += n;
                value
            }};
        }
        let (id, name) = (next!(u32), next!(String));
        let age = bytes[at];
        at += 1;
        let row = Row { id, name, age, salary: next!(f64), active: next!(bool), city: next!(String), ts: next!(i64) };
        Ok((row, at))
    }
}

impl ColumnarEncode for Row {
    fn define_columns(e: &mut ColumnarEncoder) {
        e.add_column("id", ColumnType::U32);
        e.add_column("name", ColumnType::String);
        e.add_column("age", ColumnType::U32);
        e.add_column("salary", ColumnType::F64);
        e.add_column("active", ColumnType::Bool);
        e.add_column("city", ColumnType::String);
        e.add_column("ts", ColumnType::I64);
    }
    fn encode_to_columns(&self, e: &mut ColumnarEncoder) {
        e.push_u32(0, self.id);
        e.push_string(1, &self.name);
        e.push_u32(2, self.age.into());
        e.push_f64(3, self.salary);
        e.push_bool(4, self.active);
        e.push_string(5, &self.city);
        e.push_i64(6, self.ts);
    }
}

impl ColumnarDecode for Row {
    fn decode_from_columns(r: &mut [ColumnReader<'_>]) -> Option<Self> {
        Some(Row {
            id: r[0].next_u32()?,
            name: r[1].next_string()?.to_owned(),
            age: r[2].next_u32()? as u8,
            salary: r[3].next_f64()?,
            active: r[4].next_bool()?,
            city: r[5].next_string()?.to_owned(),
            ts: r[6].next_i64()?,
        })
    }
}

pub fn tauq_c(rows: &[Row]) -> Vec<u8> {
    Row::columnar_encode_slice(rows)
}

pub fn tauq_c_rows(file: &[u8]) -> Vec<Row> {
    Row::columnar_decode_slice(file).unwrap()
}

/// The best that the peer can do for columns: its readers, into vectors; texts stay borrowed.
pub fn tauq_c_columns(file: &[u8]) -> usize {
    let d = ColumnarDecoder::new(file).unwrap();
    let n = d.row_count();
    macro_rules! column {
        ($i:expr, $next:ident) => {{
            let mut r = d.column_reader($i).unwrap();
            (0..n).map(|_| r.$next().unwrap()).collect::<Vec<_>>().len()
        }};
    }
    column!(0, next_u32)
        + column!(1, next_string)
        + column!(2, next_u32)
        + column!(3, next_f64)
        + column!(4, next_bool)
        + column!(5, next_string)
        + column!(6, next_i64)
}
