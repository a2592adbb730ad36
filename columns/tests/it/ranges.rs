//! Parquet and Arrow read by ranges: only what is asked for, the same however it is packed, and never a panic.
#![allow(clippy::disallowed_methods, missing_docs)]

use std::{ops::Range, sync::Arc};

use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray, StructArray, builder::BinaryBuilder};
use arrow_ipc::CompressionType;
use arrow_schema::{DataType, Field, Fields, Schema};
use bytes::Bytes;
use forebay::{
    Limits, Result, Step, Stepper,
    filter::Filter,
    step::{Pieces, drive},
    table::{TableFile, TableSink, Value},
    tables::{OtherTable, PictureColumns, PictureWriter},
    tar,
};
use forebay_columns::{
    ipc::{IpcOpener, IpcSink},
    parquet::{ParquetOpener, ParquetSink, ParquetTable},
    sink::{InTurn, Waiting},
};
use parquet::basic::{Compression, ZstdLevel};

const ROWS: usize = 3000;

fn batch() -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let texts = (0..ROWS).map(|i| (i % 5 > 0).then(|| format!("text {}", i % 37)));
    let text: ArrayRef = Arc::new(texts.collect::<StringArray>());
    let blob: ArrayRef = Arc::new((0..ROWS).map(|i| Some(vec![i as u8; i % 40])).collect::<BinaryArray>());
    let fields = vec![
        Field::new("id", DataType::Int64, false),
        Field::new("text", DataType::Utf8, true),
        Field::new("blob", DataType::Binary, true),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![id, text, blob]).unwrap()
}

fn as_parquet(batch: &RecordBatch, compression: Compression, group_rows: usize) -> Bytes {
    let out = Waiting::default();
    let mut sink = ParquetSink::new(out.clone(), compression, Some(group_rows), InTurn);
    sink.begin_arrow(batch.schema()).unwrap();
    sink.write_arrow(batch).unwrap();
    sink.finish(&mut Vec::new()).unwrap();
    out.take().into()
}

fn as_arrow(batch: &RecordBatch, stream: bool, packed: Option<CompressionType>, parts: usize) -> Bytes {
    let out = Waiting::default();
    let mut sink = IpcSink::new(out.clone(), stream, packed).unwrap();
    sink.begin_arrow(batch.schema()).unwrap();
    for at in (0..batch.num_rows()).step_by(parts) {
        sink.write_arrow(&batch.slice(at, parts.min(batch.num_rows() - at))).unwrap();
    }
    sink.finish(&mut Vec::new()).unwrap();
    out.take().into()
}

fn slice(file: &Bytes, range: &Range<u64>) -> Bytes {
    file.slice(range.start as usize..range.end as usize)
}

/// These columns of a group, by the ranges that are planned for it, and how many bytes these are.
fn read(table: &dyn TableFile, file: &Bytes, group: usize, columns: &[usize]) -> Result<(forebay::table::Batch, u64)> {
    let ranges = table.plan(group, columns)?;
    let mut pieces = Pieces::default();
    ranges.iter().for_each(|range| pieces.push(range.start, slice(file, range)));
    Ok((table.decode(group, columns, &pieces)?, ranges.iter().map(|range| range.end - range.start).sum()))
}

/// A value in words: values themselves are not compared.
fn said(value: Value<'_>) -> String {
    format!("{value:?}")
}

fn check(table: &dyn TableFile, file: &Bytes, groups: usize) {
    assert_eq!((table.rows(), table.groups(), table.schema().len()), (ROWS as u64, groups, 3));
    for group in 0..groups {
        let rows = table.group_rows(group).unwrap();
        let (found, bytes) = read(table, file, group, &[1, 0]).unwrap();
        assert!(bytes < file.len() as u64);
        assert_eq!(found.rows() as u64, rows.end - rows.start);
        for row in 0..found.rows() {
            let i = rows.start as usize + row;
            assert_eq!(said(found.column(1).unwrap().value(row)), said(Value::Int(i as i64)));
            let text = format!("text {}", i % 37);
            let expected = if i.is_multiple_of(5) { Value::Null } else { Value::Str(&text) };
            assert_eq!(said(found.column(0).unwrap().value(row)), said(expected));
        }
    }
}

fn open(file: &Bytes) -> Result<ParquetTable> {
    drive(ParquetOpener::new(file.len() as u64, Limits::default()), file)
}

#[test]
fn parquet_is_read_by_its_chunks_however_it_is_packed() {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW, zstd] {
        let file = as_parquet(&batch(), compression, 1000);
        let table = open(&file).unwrap();
        check(&table, &file, 3);
        // Some rows of a group are those of all of it.
        let mut pieces = Pieces::default();
        table.plan(1, &[0]).unwrap().iter().for_each(|range| pieces.push(range.start, slice(&file, range)));
        let some = table.decode_rows(1, &[0], 990..1000, &pieces).unwrap();
        assert_eq!((some.rows(), said(some.column(0).unwrap().value(9))), (10, said(Value::Int(1999))));
        assert!(table.decode(1, &[1], &pieces).is_err(), "what was not fetched is not read");
        let filter = Filter::parse("id > 1500").unwrap();
        assert_eq!([0, 1, 2].map(|group| table.may_match(group, &filter)), [false, true, true]);
    }
}

#[test]
fn arrow_files_and_streams_are_read_by_their_batches() {
    let packings = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
    for (stream, packed) in packings.into_iter().flat_map(|packed| [(false, packed), (true, packed)]) {
        let file = as_arrow(&batch(), stream, packed, 700);
        let mut opener = match stream {
            true => IpcOpener::stream(file.len() as u64, Limits::default()),
            false => IpcOpener::file(file.len() as u64, Limits::default()),
        };
        let table = loop {
            match opener.step().unwrap() {
                Step::Done(table) => break table,
                // In pieces, so that every place where they are put together is passed.
                Step::Need(ranges) => ranges.into_iter().for_each(|range| {
                    for at in range.clone().step_by(100) {
                        opener.push(at, slice(&file, &(at..range.end.min(at + 100))));
                    }
                }),
            }
        };
        check(&table, &file, 5);
        assert_eq!(table.format().name(), if stream { "arrows" } else { "arrow" });
    }
}

#[test]
fn pictures_become_samples_with_the_names_of_their_classes() {
    let mut bytes = BinaryBuilder::new();
    let pictures = [&b"\x89PNG\r\n\x1a\n one"[..], b"", b"\xff\xd8\xff\xe0 two"];
    pictures.iter().for_each(|picture| bytes.append_value(picture));
    let paths = StringArray::from(vec![Some("cats/1.png"), None, Some("2.jpg")]);
    let parts: Fields =
        vec![Field::new("bytes", DataType::Binary, true), Field::new("path", DataType::Utf8, true)].into();
    let image = StructArray::new(parts.clone(), vec![Arc::new(bytes.finish()), Arc::new(paths)], None);
    let said =
        r#"{"info":{"features":{"image":{"_type":"Image"},"label":{"names":["cat","dog"],"_type":"ClassLabel"}}}}"#;
    let fields = vec![Field::new("image", DataType::Struct(parts), true), Field::new("label", DataType::Int64, true)];
    let schema = Schema::new(fields).with_metadata([("huggingface".to_owned(), said.to_owned())]);
    let columns: Vec<ArrayRef> = vec![Arc::new(image), Arc::new(Int64Array::from(vec![0, 0, 1]))];
    let batch = RecordBatch::try_new(Arc::new(schema), columns).unwrap();
    let file = as_arrow(&batch, false, None, 10);
    let table = drive(IpcOpener::file(file.len() as u64, Limits::default()), &file).unwrap();
    assert_eq!((table.pictures(), table.classes(1).unwrap().concat()), (vec![0], "catdog".to_owned()));
    let (rows, _) = read(&table, &file, 0, &[0, 1]).unwrap();
    let classes = vec![("label".to_owned(), table.classes(1).unwrap())];
    let mut writer = PictureWriter::new(PictureColumns { picture: "image".into(), classes });
    let mut out = Vec::new();
    writer.begin(rows.schema(), &mut out).unwrap();
    writer.push(&rows, &mut out).unwrap();
    writer.finish(&mut out).unwrap();
    let out = Bytes::from(out);
    let found = tar::scan(&out, &Limits::default()).unwrap();
    let files: Vec<_> = found.members.iter().map(|m| (m.name, slice(&out, &m.range()))).collect();
    let said = br#"{"label":"dog","path":"2.jpg"}"#;
    assert_eq!(
        files,
        [
            ("00000000.png", Bytes::from_static(pictures[0])),
            ("00000000.cls", "0".into()),
            ("00000000.json", br#"{"label":"cat","path":"cats/1.png"}"#[..].into()),
            ("00000002.jpg", Bytes::from_static(pictures[2])),
            ("00000002.cls", "1".into()),
            ("00000002.json", said[..].into()),
        ]
    );
}

#[test]
fn no_cut_and_no_flip_of_a_file_panics() {
    let rows = batch().slice(0, 40);
    let arrow = |stream, packed| as_arrow(&rows, stream, packed, 20);
    let zstd = Some(CompressionType::ZSTD);
    for file in [as_parquet(&rows, Compression::SNAPPY, 20), arrow(false, None), arrow(true, None), arrow(false, zstd)]
    {
        let look = |bytes: Bytes| {
            let len = bytes.len() as u64;
            let tables: [Option<Box<dyn OtherTable>>; 3] = [
                open(&bytes).ok().map(|table| Box::new(table) as _),
                drive(IpcOpener::file(len, Limits::browser()), &bytes).ok().map(|table| Box::new(table) as _),
                drive(IpcOpener::stream(len, Limits::browser()), &bytes).ok().map(|table| Box::new(table) as _),
            ];
            for table in tables.into_iter().flatten() {
                let columns: Vec<usize> = (0..table.schema().len()).collect();
                (0..table.groups().min(4)).for_each(|group| drop(read(&*table, &bytes, group, &columns)));
            }
        };
        for at in (0..file.len()).step_by(3) {
            look(file.slice(..at));
            let mut flipped = file.to_vec();
            flipped[at] ^= 0xff;
            look(flipped.into());
        }
    }
}

/// Brotli is not packed by anything here, so the file is another program's.
#[test]
fn pages_of_brotli_are_unpacked_to_what_those_of_gzip_are() {
    let [brotli, gzip] = ["brotli", "gzip"].map(|name| {
        let path = format!("{}/../tests/fixtures/tables/{name}.parquet", env!("CARGO_MANIFEST_DIR"));
        let file = Bytes::from(std::fs::read(path).unwrap());
        let (rows, _) = read(&open(&file).unwrap(), &file, 0, &[0, 1]).unwrap();
        (0..rows.rows()).flat_map(|i| [0, 1].map(|c| said(rows.column(c).unwrap().value(i)))).collect::<Vec<_>>()
    });
    assert_eq!((brotli.len(), &brotli), (6, &gzip));
    assert_eq!(brotli[1], said(Value::Str(&"long ".repeat(40))));
}
