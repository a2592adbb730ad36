//! Parquet files of images as samples: every row is found however the file is written, and nothing panics.
#![allow(clippy::disallowed_methods, missing_docs)]

use std::{ops::Range, sync::Arc};

use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields, Schema};
use bytes::Bytes;
use forebay::{Limits, Result, Step, Stepper, doors::Door, step::drive};
use forebay_columns::parquet::SamplesOpener;
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, Encoding, ZstdLevel},
    file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion},
};
use serde_json::{Value, json};

const ROWS: usize = 120;
const SAID: &str =
    r#"{"info":{"features":{"image":{"_type":"Image"},"label":{"names":["cat","dog"],"_type":"ClassLabel"}}}}"#;

/// The image of a row: all differ, but for a few that a dictionary holds once.
fn image(row: usize) -> Vec<u8> {
    let n = if row % 7 == 3 { 3 } else { row };
    let body = (0..200 + n % 50).flat_map(|i| [(n * 31 + i * 7) as u8, (i >> 3) as u8]);
    [&b"\x89PNG\r\n\x1a\n"[..], &body.collect::<Vec<_>>()].concat()
}

fn there(row: usize) -> bool {
    row % 11 != 5
}

/// Images of a struct, some of which are not there, their paths, and a class.
fn batch(plain: bool) -> RecordBatch {
    let bytes = (0..ROWS).map(|row| there(row).then(|| image(row)));
    let bytes: ArrayRef = Arc::new(bytes.collect::<BinaryArray>());
    let paths = (0..ROWS).map(|row| (row % 4 > 0).then(|| format!("in/{row}.png")));
    let paths: ArrayRef = Arc::new(paths.collect::<StringArray>());
    let parts: Fields =
        vec![Field::new("path", DataType::Utf8, true), Field::new("bytes", DataType::Binary, true)].into();
    let image: ArrayRef = match plain {
        true => bytes,
        false => Arc::new(StructArray::new(parts, vec![paths, bytes], None)),
    };
    let label: ArrayRef =
        Arc::new(Int64Array::from_iter((0..ROWS as i64).map(|row| (row % 5 > 0).then_some(row % 3 - 1))));
    let text: ArrayRef = Arc::new((0..ROWS).map(|row| Some(format!("text {row}"))).collect::<StringArray>());
    let fields = vec![
        Field::new("text", DataType::Utf8, true),
        Field::new("image", image.data_type().clone(), true),
        Field::new("label", DataType::Int64, true),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![text, image, label]).unwrap()
}

fn written(batch: &RecordBatch, said: Option<&str>, properties: WriterPropertiesBuilder) -> Bytes {
    let pairs =
        said.map(|said| vec![parquet::file::metadata::KeyValue::new("huggingface".to_owned(), said.to_owned())]);
    let properties = properties.set_key_value_metadata(pairs).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap().into()
}

fn usual() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_data_page_row_count_limit(9)
        .set_write_batch_size(3)
        .set_max_row_group_row_count(Some(50))
}

/// Without an index of pages.
fn unindexed(way: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
    way.set_statistics_enabled(EnabledStatistics::None).set_offset_index_disabled(true)
}

fn open(file: &Bytes) -> Result<Door> {
    drive(SamplesOpener::new(file.len() as u64, Limits::default()), file)
}

fn slice(file: &Bytes, range: Range<u64>) -> Bytes {
    file.slice(range.start as usize..range.end as usize)
}

fn payload(door: &Door, file: &Bytes, i: u64) -> Result<Bytes> {
    let plan = door.plan(i)?;
    plan.decode(&slice(file, plan.range()), &Limits::default())
}

fn record(door: &Door, file: &Bytes, i: u64) -> Result<Value> {
    Ok(serde_json::from_str(&door.record(i, |range| Ok(slice(file, range)))?).unwrap())
}

#[test]
fn every_row_is_found_however_the_pages_are_written() {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let packings = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW, zstd];
    let ways = [
        usual(),
        usual().set_dictionary_enabled(false),
        usual().set_dictionary_page_size_limit(4000),
        usual().set_writer_version(WriterVersion::PARQUET_2_0),
        usual().set_dictionary_enabled(false).set_writer_version(WriterVersion::PARQUET_2_0),
        usual().set_max_row_group_row_count(None),
    ];
    for (n, way) in ways.into_iter().enumerate() {
        for (compression, plain) in packings.iter().flat_map(|packing| [(packing, false), (packing, true)]) {
            for index in [true, false] {
                let way = way.clone().set_compression(*compression);
                let way = if index { way } else { unindexed(way) };
                check(&written(&batch(plain), Some(SAID), way), &format!("{n} {compression} {plain} {index}"));
            }
        }
    }
}

/// The encodings that only some columns may have.
#[test]
fn lengths_and_beginnings_may_be_apart_from_the_values() {
    for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
        for index in [true, false] {
            let path = parquet::schema::types::ColumnPath::new(vec!["image".into(), "bytes".into()]);
            let way = usual().set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding);
            let way = if index { way } else { unindexed(way) };
            let way = way.set_compression(Compression::SNAPPY);
            check(&written(&batch(false), Some(SAID), way), &format!("{encoding} {index}"));
        }
    }
}

fn check(file: &Bytes, what: &str) {
    let door = open(file).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(door.len(), ROWS as u64, "{what}");
    // In an order that no page has.
    for i in (0..ROWS).map(|k| k * 53 % ROWS) {
        match payload(&door, file, i as u64) {
            Ok(found) => assert_eq!((found.to_vec(), there(i)), (image(i), true), "{what}, row {i}"),
            Err(e) => assert_eq!((e.code().id(), there(i)), ("record.no_payload", false), "{what}, row {i}: {e}"),
        }
    }
    assert!(payload(&door, file, ROWS as u64).is_err());
}

#[test]
fn with_an_index_of_pages_a_row_costs_a_page_and_the_rest_of_the_file_nothing() {
    let way = usual().set_dictionary_enabled(false).set_max_row_group_row_count(None);
    let file = written(&batch(false), Some(SAID), way);
    let mut opener = SamplesOpener::new(file.len() as u64, Limits::default());
    let door = loop {
        match opener.step().unwrap() {
            Step::Done(door) => break door,
            Step::Need(ranges) => ranges.into_iter().for_each(|range| opener.push(range.start, slice(&file, range))),
        }
    };
    for i in 0..ROWS as u64 {
        let range = door.plan(i).unwrap().range();
        assert!(range.end - range.start < 9 * 600, "row {i} reads {range:?}");
    }
}

#[test]
fn a_row_says_its_class_its_name_and_what_else_it_has() {
    let file = written(&batch(false), Some(SAID), usual());
    let door = open(&file).unwrap();
    let first = record(&door, &file, 1).unwrap();
    assert_eq!((&first["name"], &first["cls"], &first["class"]), (&json!("in/1.png"), &json!(0), &json!("cat")));
    assert_eq!((&first["json"]["text"], &first["json"]["label"]), (&json!("text 1"), &json!(0)));
    let below = record(&door, &file, 3).unwrap();
    assert_eq!((below.get("cls"), below.get("class")), (None, None), "-1 is no class");
    let unnamed = record(&door, &file, 8).unwrap();
    assert_eq!((&unnamed["name"], &unnamed["class"]), (&json!("00000008.png"), &json!("dog")));
    // One without an image has its metadata all the same.
    assert_eq!(record(&door, &file, 5).unwrap()["name"], json!("in/5.png"));
}

#[test]
fn a_column_is_told_by_its_first_image_where_nothing_is_said() {
    let file = written(&batch(true), None, usual());
    check(&file, "nothing said");
    let sounds = r#"{"info":{"features":{"image":{"_type":"Audio"}}}}"#;
    let e = open(&written(&batch(false), Some(sounds), usual())).unwrap_err();
    assert_eq!(e.code().id(), "format.not_samples", "{e}");
    let hashes: ArrayRef = Arc::new((0..9_u8).map(|n| Some(vec![n; 20])).collect::<BinaryArray>());
    let schema = Schema::new(vec![Field::new("hash", DataType::Binary, true)]);
    let table = RecordBatch::try_new(Arc::new(schema), vec![hashes]).unwrap();
    assert_eq!(open(&written(&table, None, usual())).unwrap_err().code().id(), "format.not_samples");
}

fn fixture(name: &str) -> Bytes {
    let path = format!("{}/../tests/fixtures/images/{name}.parquet", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap().into()
}

/// Written by `datasets`: every fourth row has bytes, bytes and a path, a path to somebody's disk, or nothing.
#[test]
fn rows_without_bytes_are_faults_of_their_own() {
    let file = fixture("nulls");
    let door = open(&file).unwrap();
    let found: Vec<bool> = (0..door.len()).map(|i| payload(&door, &file, i).is_ok()).collect();
    let wanted: Vec<bool> = (0..16).map(|i| i % 4 < 2).collect();
    assert_eq!(found, wanted);
    let e = payload(&door, &file, 2).unwrap_err();
    assert!(
        e.message().contains("to a file that is not in the dataset") && e.code().id() == "record.no_payload",
        "{e}"
    );
    assert_eq!(record(&door, &file, 2).unwrap()["name"], json!("/home/somebody/pictures/2.jpg"));
}

/// Written by `datasets` too: a list of up to four images in each row.
#[test]
fn further_images_of_a_row_are_files_next_to_the_first() {
    let file = fixture("lists");
    let door = open(&file).unwrap();
    assert!(door.notes().iter().any(|note| note.contains("a list of images in images")), "{:?}", door.notes());
    assert!(payload(&door, &file, 0).is_err(), "an empty list");
    let third = record(&door, &file, 3).unwrap();
    let images = third.as_object().unwrap().keys().filter(|key| key.starts_with("images.")).count();
    assert_eq!((payload(&door, &file, 3).is_ok(), images), (true, 2));
}

#[test]
fn no_cut_and_no_flip_of_a_file_of_images_panics() {
    let small = batch(false).slice(0, 30);
    let way = || usual().set_max_row_group_row_count(Some(16)).set_compression(Compression::SNAPPY);
    let own = [way(), unindexed(way().set_dictionary_enabled(false))];
    let own = own.map(|way| written(&small, Some(SAID), way));
    for file in own.into_iter().chain([fixture("nulls"), fixture("lists")]) {
        let look = |bytes: Bytes| {
            let Ok(door) = drive(SamplesOpener::new(bytes.len() as u64, Limits::browser()), &bytes) else { return };
            for i in 0..door.len().min(40) {
                drop(payload(&door, &bytes, i));
                drop(door.record(i, |range| Ok(slice(&bytes, range))));
            }
        };
        for at in (0..file.len()).step_by(11) {
            look(file.slice(..at));
            let mut flipped = file.to_vec();
            flipped[at] ^= 1 << (at % 8);
            look(flipped.into());
        }
    }
}
