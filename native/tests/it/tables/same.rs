//! From Arrow to Arrow nothing changes: every type that both sides have, with its nulls, zones and nesting.

use std::{
    collections::HashMap,
    fs::{self, File},
    path::Path,
    sync::Arc,
};

use arrow_array::{
    Array, ArrayRef, BinaryArray, Decimal128Array, DictionaryArray, DurationNanosecondArray, FixedSizeBinaryArray,
    Float16Array, Float64Array, Int64Array, LargeStringArray, ListArray, MapArray, RecordBatch, StringArray,
    StringViewArray, StructArray, Time64NanosecondArray, TimestampMicrosecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt8Array,
    builder::MapBuilder,
    builder::{Int32Builder, StringBuilder},
    types::Int32Type,
};
use arrow_schema::{DataType as Arrow, Field, Schema};
use forebay::error::Kind;
use forebay_native::tables::{ReadOptions, TableFormat, TableJob, open};
use half::f16;

use crate::dice::Dice;

const FORMATS: [TableFormat; 3] = [TableFormat::Parquet, TableFormat::Arrow, TableFormat::Arrows];

fn noted(key: &str, value: &str) -> HashMap<String, String> {
    [(key.to_owned(), value.to_owned())].into()
}

/// A batch of one of each kind of column, with values that break things.
fn batch(rows: usize, dice: &mut Dice) -> RecordBatch {
    let mut null = |value: Option<i64>| if dice.below(4) == 0 { None } else { value };
    let ints: Vec<Option<i64>> =
        (0..rows as i64).map(|i| null(Some([i64::MIN, i64::MAX, 0, -1, i][i as usize % 5]))).collect();
    let texts: Vec<Option<&str>> = ints
        .iter()
        .map(|n| {
            n.map(|n| {
                ["", "a", "Grüße 🎉", "a text that is longer than twelve bytes", "\u{0}"][n.unsigned_abs() as usize % 5]
            })
        })
        .collect();
    let floats: Vec<Option<f64>> = ints
        .iter()
        .map(|n| n.map(|n| [f64::NAN, -0.0, f64::INFINITY, 5e-324, 0.1][n.unsigned_abs() as usize % 5]))
        .collect();
    let small = |n: i64| n % 1_000_000;
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for n in &ints {
        if let Some(n) = n {
            for k in 0..n.unsigned_abs() % 3 {
                map.keys().append_value(format!("k{k}"));
                map.values().append_option((k > 0).then_some(small(*n) as i32));
            }
        }
        map.append(n.is_some()).unwrap();
    }
    let map: MapArray = map.finish();
    let list = |n: &Option<i64>| {
        n.map(|n| (0..n.unsigned_abs() % 4).map(|k| (k != 1).then_some(k as i32)).collect::<Vec<_>>())
    };
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(ints.iter().map(list));
    let x: ArrayRef = Arc::new(Int64Array::from(ints.clone()));
    let y: ArrayRef = Arc::new(StringArray::from(texts.clone()));
    let nulls = arrow_buffer::NullBuffer::from(ints.iter().map(Option::is_some).collect::<Vec<_>>());
    let fields = vec![Field::new("x", Arrow::Int64, true), Field::new("y", Arrow::Utf8, true)];
    let point = StructArray::new(fields.into(), vec![x.clone(), y.clone()], Some(nulls));
    let dictionary: DictionaryArray<Int32Type> = texts.iter().copied().collect();
    let decimal = Decimal128Array::from(ints.iter().map(|n| n.map(i128::from)).collect::<Vec<_>>());
    let halves: Float16Array = floats.iter().map(|x| x.map(f16::from_f64)).collect();
    let bytes = FixedSizeBinaryArray::try_from_sparse_iter_with_size(ints.iter().map(|n| n.map(i64::to_le_bytes)), 8);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new((0..rows as i64).collect::<Int64Array>())),
        ("int", x),
        ("text", y),
        ("wide", Arc::new(LargeStringArray::from(texts.clone()))),
        ("view", Arc::new(StringViewArray::from(texts.clone()))),
        ("bytes", Arc::new(BinaryArray::from_opt_vec(texts.iter().map(|t| t.map(str::as_bytes)).collect()))),
        ("fixed", Arc::new(bytes.unwrap())),
        ("float", Arc::new(Float64Array::from(floats))),
        ("half", Arc::new(halves)),
        ("decimal", Arc::new(decimal.with_precision_and_scale(38, 4).unwrap())),
        ("berlin", Arc::new(TimestampMicrosecondArray::from(ints.clone()).with_timezone("Europe/Berlin"))),
        ("ns", Arc::new(TimestampNanosecondArray::from(ints.clone()))),
        ("seconds", Arc::new(TimestampSecondArray::from(ints.iter().map(|n| n.map(small)).collect::<Vec<_>>()))),
        ("span", Arc::new(DurationNanosecondArray::from(ints.clone()))),
        (
            "clock",
            Arc::new(Time64NanosecondArray::from(ints.iter().map(|n| n.map(|n| small(n).abs())).collect::<Vec<_>>())),
        ),
        ("point", Arc::new(point)),
        ("map", Arc::new(map)),
        ("list", Arc::new(lists)),
        ("kind", Arc::new(dictionary)),
        ("byte", Arc::new(UInt8Array::from_iter(ints.iter().map(|n| n.map(|n| n as u8))))),
    ];
    let fields = columns.iter().map(|(name, array)| {
        Field::new(*name, array.data_type().clone(), true).with_metadata(noted("from", "elsewhere"))
    });
    let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), noted("note", "kept"));
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array)| array).collect()).unwrap()
}

fn write(path: &Path, format: TableFormat, batches: &[RecordBatch]) {
    let (file, schema) = (File::create(path).unwrap(), batches[0].schema());
    match format {
        TableFormat::Parquet => {
            let mut writer = parquet::arrow::ArrowWriter::try_new(file, schema, None).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.close().unwrap();
        }
        TableFormat::Arrow => {
            let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &schema).unwrap();
            batches.iter().take(1).for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
        _ => {
            let mut writer = arrow_ipc::writer::StreamWriter::try_new(file, &schema).unwrap();
            batches.iter().for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
    }
}

fn read(path: &Path, format: TableFormat) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    match format {
        TableFormat::Parquet => {
            let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            reader.build().unwrap().map(Result::unwrap).collect()
        }
        TableFormat::Arrow => arrow_ipc::reader::FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect(),
        _ => arrow_ipc::reader::StreamReader::try_new(file, None).unwrap().map(Result::unwrap).collect(),
    }
}

/// What a file says beside its columns.
fn note_of(path: &Path, format: TableFormat) -> Option<String> {
    let file = File::open(path).unwrap();
    let schema = match format {
        TableFormat::Parquet => {
            parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap().schema().clone()
        }
        TableFormat::Arrow => arrow_ipc::reader::FileReader::try_new(file, None).unwrap().schema(),
        _ => arrow_ipc::reader::StreamReader::try_new(file, None).unwrap().schema(),
    };
    schema.metadata().get("note").map(|note| note.to_string())
}

/// The rows one by one, by what holds them.
fn cells(batches: &[RecordBatch], column: usize) -> Vec<ArrayRef> {
    let rows =
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| batch.column(column).slice(row, 1)));
    rows.collect()
}

/// This many seeds, or as many as the environment says: FOREBAY_TABLE_CASES=2000 for a long run.
pub fn cases(few: u64) -> u64 {
    std::env::var("FOREBAY_TABLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(few)
}

#[test]
fn every_type_of_arrow_survives_every_pair_of_its_formats() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..cases(3) {
        let mut dice = Dice(seed + 1);
        let rows = [0, 1, 7, 150][dice.below(4) as usize];
        for from in FORMATS {
            let input = folder.path().join(format!("in.{}", from.name()));
            let mut batches = vec![batch(rows, &mut dice)];
            if from != TableFormat::Arrow {
                batches.push(batch(5, &mut dice));
            }
            write(&input, from, &batches);
            for to in FORMATS {
                let case = format!("seed {seed}, {} to {}", from.name(), to.name());
                let output = folder.path().join(format!("out.{}", to.name()));
                let mut job = TableJob::new(vec![input.clone()], to);
                (job.force, job.sync, job.verify) = (true, false, true);
                let done = job.run(&output).unwrap_or_else(|e| panic!("{case}: {e}"));
                let total: usize = batches.iter().map(RecordBatch::num_rows).sum();
                assert_eq!((done.rows, done.verified), (total as u64, total as u64), "{case}");
                let back = read(&output, to);
                if total == 0 {
                    continue;
                }
                let schema = batches[0].schema();
                for (i, field) in schema.fields().iter().enumerate() {
                    let found = back[0].schema().field(i).clone();
                    // An Arrow file has one dictionary for each column; here each batch has its own. And Parquet has
                    // no seconds.
                    let note = match (field.name().as_str(), to) {
                        ("kind", TableFormat::Arrow) if from != to => "Dictionary(Int32, Utf8) becomes Utf8",
                        ("seconds", TableFormat::Parquet) => "Timestamp(s) becomes Timestamp(ms)",
                        _ => "",
                    };
                    if !note.is_empty() {
                        assert_eq!(done.notes, [format!("column {:?}: {note}", field.name())], "{case}");
                        continue;
                    }
                    assert_eq!((&found, found.metadata()), (field.as_ref(), field.metadata()), "{case}");
                    assert_eq!(cells(&batches, i), cells(&back, i), "{case}, {}", field.name());
                }
                assert_eq!(note_of(&output, to).as_deref(), Some("kept"), "{case}");
            }
        }
    }
}

#[test]
fn rows_and_columns_are_chosen_without_changing_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut dice = Dice(7);
    let batches = [batch(40, &mut dice), batch(40, &mut dice)];
    write(&at("in.parquet"), TableFormat::Parquet, &batches);
    for to in FORMATS {
        let mut job = TableJob::new(vec![at("in.parquet"), at("in.parquet")], to);
        job.scan.columns = Some(["point", "decimal", "id", "point"].map(str::to_owned).into());
        job.scan.filter = Some(forebay::filter::Filter::parse("id >= 30 && byte != null").unwrap());
        (job.sync, job.verify) = (false, true);
        let done = job.run(&at(to.name())).unwrap();
        let back = read(&at(to.name()), to);
        let names: Vec<String> = back[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names, ["point", "decimal", "id", "point"]);
        let wanted = |column: usize| -> Vec<ArrayRef> {
            let wanted = |batch: &RecordBatch| {
                let byte = batch.column_by_name("byte").unwrap().clone();
                let rows = (30..40).filter(move |&row| byte.is_valid(row));
                rows.map(|row| batch.column(column).slice(row, 1)).collect::<Vec<_>>()
            };
            let once: Vec<ArrayRef> = batches.iter().flat_map(wanted).collect();
            [once.clone(), once].concat()
        };
        assert_eq!(done.rows, wanted(0).len() as u64);
        for (place, name) in names.iter().enumerate() {
            assert_eq!(cells(&back, place), wanted(batches[0].schema().index_of(name).unwrap()), "{name}");
        }
    }
}

#[test]
fn what_only_one_side_has_is_refused_by_name_and_files_that_differ_go_another_way() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let job = |inputs: &[&str], output: &str| {
        let to = TableFormat::from_name(output.as_ref()).unwrap();
        let mut job = TableJob::new(inputs.iter().map(|name| at(name)).collect(), to);
        job.force = true;
        job
    };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/tables");
    for name in ["runs.arrow", "sparse_union.arrow", "interval.arrow", "int128.parquet"] {
        fs::copy(fixtures.join(name), at(name)).unwrap();
    }
    let refused = |inputs: &[&str], output: &str, code: &str| {
        let e = job(inputs, output).run(&at(output)).unwrap_err();
        assert_eq!((e.code().id(), e.kind()), (code, Kind::Unsupported), "{e}");
        e
    };
    for (name, column) in
        [("runs.arrow", "runs"), ("sparse_union.arrow", "sparse_union"), ("interval.arrow", "interval")]
    {
        // Arrow hands on what we do not read; Parquet has no such columns.
        let mut handed = job(&[name], "same.arrow");
        handed.verify = true;
        handed.run(&at("same.arrow")).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(refused(&[name], "t.parquet", "table.target").place().column.as_deref(), Some(column));
        let mut numbers = job(&[name], "t.parquet");
        numbers.scan.columns = Some(vec!["id".into()]);
        numbers.run(&at("t.parquet")).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    assert_eq!(refused(&["int128.parquet"], "t.arrow", "table.route").place().column.as_deref(), Some("big"));
    // Texts of two kinds in one table: the values are the same to us, the types are not.
    let one = |array: ArrayRef| RecordBatch::try_from_iter([("t", array)]).unwrap();
    write(&at("a1.parquet"), TableFormat::Parquet, &[one(Arc::new(StringArray::from(vec!["a"])))]);
    write(&at("a2.parquet"), TableFormat::Parquet, &[one(Arc::new(LargeStringArray::from(vec!["b"])))]);
    let mut both = job(&["a1.parquet", "a2.parquet"], "both.parquet");
    both.verify = true;
    both.run(&at("both.parquet")).unwrap();
    let decimal = Decimal128Array::from(vec![1]).with_precision_and_scale(9, 2).unwrap();
    write(&at("b1.parquet"), TableFormat::Parquet, &[one(Arc::new(decimal))]);
    let decimal = Decimal128Array::from(vec![1]).with_precision_and_scale(9, 3).unwrap();
    write(&at("b2.parquet"), TableFormat::Parquet, &[one(Arc::new(decimal))]);
    let parts = ["b1.parquet", "b2.parquet"];
    assert_eq!(refused(&parts, "two.parquet", "table.target").place().row, Some(0));
    let mut lossy = job(&parts, "two.parquet");
    (lossy.read.lossy, lossy.write.core.lossy) = (true, true);
    let done = lossy.run(&at("two.parquet")).unwrap();
    assert!(
        done.notes.iter().any(|note| note.contains("1 values of Decimal128(9, 2) became text")),
        "{:?}",
        done.notes
    );
}

#[test]
fn times_of_seconds_inside_of_others_stay_times_in_parquet() {
    use arrow_array::{Date64Array, FixedSizeListArray, Time32SecondArray};
    let place = tempfile::tempdir().unwrap();
    let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(1), None, Some(-1), Some(3)]));
    let item = |array: &ArrayRef| Arc::new(Field::new("item", array.data_type().clone(), true));
    let offsets = arrow_buffer::OffsetBuffer::from_lengths([1, 0, 3]);
    let nulls = Some(arrow_buffer::NullBuffer::from(vec![true, false, true]));
    let list: ArrayRef = Arc::new(ListArray::new(item(&seconds), offsets, seconds.clone(), nulls));
    let clock: ArrayRef = Arc::new(Time32SecondArray::from(vec![Some(3600), None, Some(1)]));
    let day: ArrayRef = Arc::new(Date64Array::from(vec![86_400_000; 3]));
    let fields = vec![Field::new("c", clock.data_type().clone(), true), Field::new("d", day.data_type().clone(), true)];
    let point: ArrayRef = Arc::new(StructArray::new(fields.into(), vec![clock, day], None));
    let pairs: ArrayRef = Arc::new(FixedSizeListArray::new(item(&point), 1, point.clone(), None));
    let keys = arrow_array::Int8Array::from(vec![Some(0), None, Some(2)]);
    let kind: ArrayRef = Arc::new(DictionaryArray::new(keys, seconds.clone()));
    let columns = [("list", list), ("pairs", pairs), ("kind", kind)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    for from in [TableFormat::Arrow, TableFormat::Arrows] {
        let (input, output) = (place.path().join(from.name()), place.path().join("out.parquet"));
        write(&input, from, &[batch.slice(0, 3)]);
        let mut job = TableJob::new(vec![input], TableFormat::Parquet);
        (job.force, job.verify) = (true, true);
        let done = job.run(&output).unwrap();
        assert_eq!((done.verified, done.notes.len()), (3, 3), "{:?}", done.notes);
        // Without the types of Arrow that stand beside them the columns say the same.
        let options = parquet::arrow::arrow_reader::ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let file = File::open(&output).unwrap();
        let reader =
            parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).unwrap();
        let types: Vec<String> = reader.schema().fields().iter().map(|f| f.data_type().to_string()).collect();
        assert!(types.iter().all(|t| !t.contains("Int64") && !t.contains("Int32")), "{types:?}");
        let mut rows = open(&output, &ReadOptions::default()).unwrap();
        let rows = rows.next_batch().unwrap().unwrap();
        let rows: Vec<String> = rows.iter().map(|row| row.to_json(Default::default())).collect();
        let [first, second, third] = &rows[..] else { panic!("{rows:?}") };
        let expected = r#"{"list":["1970-01-01T00:00:01"],"pairs":[{"c":"01:00:00","d":"1970-01-02T00:00:00"}],"kind":"1970-01-01T00:00:01"}"#;
        assert_eq!(first, expected);
        assert!(second.starts_with(r#"{"list":null,"#) && second.ends_with(r#","kind":null}"#), "{second}");
        assert!(third.starts_with(r#"{"list":[null,"1969-12-31T23:59:59","1970-01-01T00:00:03"],"#), "{third}");
    }
}

#[test]
fn columns_that_only_names_of_folders_have_are_said_to_be_left_out() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("year=2024").join("kind=a%20b");
    fs::create_dir_all(&folder).unwrap();
    let batch = RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
    write(&folder.join("x=1.parquet"), TableFormat::Parquet, &[batch]);
    for to in [TableFormat::Parquet, TableFormat::Csv] {
        let job = TableJob::new(vec![folder.join("x=1.parquet")], to);
        let notes = job.run(&place.path().join(to.name())).unwrap().notes;
        assert_eq!(notes, [r#"folders are named by "kind", "year", which becomes no column unless the files have it"#]);
    }
}

#[test]
fn the_zone_of_times_survives_where_the_file_says_seconds_and_holds_milliseconds() {
    use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, arrow_writer::ArrowWriterOptions, encode_arrow_schema};
    let place = tempfile::tempdir().unwrap();
    let (input, output) = (place.path().join("in.parquet"), place.path().join("out.parquet"));
    let times = |unit, zone: &str| Arrow::Timestamp(unit, Some(zone.into()));
    let item = |unit, zone: &str| Arc::new(Field::new("item", times(unit, zone), true));
    let (ms, s) = (arrow_schema::TimeUnit::Millisecond, arrow_schema::TimeUnit::Second);
    // As pyarrow writes times of seconds: Parquet has milliseconds of UTC, and Arrow's schema beside it says what they were.
    let values = arrow_array::TimestampMillisecondArray::from(vec![Some(1000), None]).with_timezone("UTC");
    let offsets = arrow_buffer::OffsetBuffer::from_lengths([1, 1]);
    let list = ListArray::new(item(ms, "UTC"), offsets, Arc::new(values.clone()), None);
    let columns: [(&str, ArrayRef); 2] = [("t", Arc::new(values)), ("list", Arc::new(list))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let said = Schema::new(vec![
        Field::new("t", times(s, "Europe/Berlin"), true),
        Field::new("list", Arrow::List(item(s, "+02:00")), true),
    ]);
    let hint = parquet::file::metadata::KeyValue::new(ARROW_SCHEMA_META_KEY.to_owned(), encode_arrow_schema(&said));
    let properties = parquet::file::properties::WriterProperties::builder().set_key_value_metadata(Some(vec![hint]));
    let options = ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(File::create(&input).unwrap(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let mut job = TableJob::new(vec![input], TableFormat::Parquet);
    job.verify = true;
    let done = job.run(&output).unwrap();
    assert_eq!((done.rows, done.notes.as_slice()), (2, &[][..]));
    let back = read(&output, TableFormat::Parquet);
    let types: Vec<&Arrow> = back[0].schema_ref().fields().iter().map(|field| field.data_type()).collect();
    assert_eq!(types, [&times(ms, "Europe/Berlin"), &Arrow::List(item(ms, "+02:00"))]);
}

#[test]
fn text_that_is_not_the_json_or_the_time_that_its_column_promises_is_not_handed_on() {
    let place = tempfile::tempdir().unwrap();
    for (dtype, sound, damaged) in
        [("json", "{\"a\":1}", "[\"a\":1}"), ("datetime_offset", "2024-01-02T03:04:05+02:00", "2024")]
    {
        for from in FORMATS {
            let field = Field::new("k", Arrow::Utf8, true).with_metadata(noted("forebay:type", dtype));
            let schema = Arc::new(Schema::new(vec![Field::new("id", Arrow::Int64, true), field]));
            let batch = |text: &str, count: usize| {
                let columns: Vec<ArrayRef> = vec![
                    Arc::new((0..count as i64).collect::<Int64Array>()),
                    Arc::new(StringArray::from([vec![sound; count - 1], vec![text]].concat())),
                ];
                RecordBatch::try_new(schema.clone(), columns).unwrap()
            };
            let (input, output) = (place.path().join(from.name()), place.path().join("out"));
            let sole = batch(damaged, 7);
            write(&input, from, std::slice::from_ref(&sole));
            for to in FORMATS {
                for filter in [None, Some("id < 2")] {
                    let mut job = TableJob::new(vec![input.clone()], to);
                    job.force = true;
                    job.scan.filter = filter.map(|filter| forebay::filter::Filter::parse(filter).unwrap());
                    let e = job.run(&output).unwrap_err();
                    let found = (e.code().id(), e.place().column.as_deref(), e.place().row);
                    assert_eq!(found, ("table.arrow", Some("k"), Some(6)), "{dtype} {from:?} to {to:?}: {e}");
                    assert!(!output.exists());
                    // Without the column nothing is wrong.
                    job.scan.columns = Some(vec!["id".into()]);
                    job.run(&output).unwrap();
                    fs::remove_file(&output).unwrap();
                }
            }
        }
    }
}

/// A table of one column of keys, or of floats in vectors, with what they are called.
fn named(path: &Path, dtype: &str, annotation: &str, names: &[&str], array: ArrayRef) {
    let said =
        serde_json::json!({ annotation: { "type": format!("vector<string, {}>", names.len()), "value": names } });
    let mut metadata = noted("forebay:type", dtype);
    metadata.extend(noted("forebay:annotations", &said.to_string()));
    let field = Field::new("k", array.data_type().clone(), true).with_metadata(metadata);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap();
    write(path, TableFormat::Arrow, &[batch]);
}

#[test]
fn numbers_that_stand_for_other_categories_are_not_put_together() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let keys: ArrayRef = Arc::new(UInt8Array::from(vec![1, 2]));
    let items = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let item = Arc::new(Field::new("item", Arrow::Float64, true));
    let vectors: ArrayRef = Arc::new(arrow_array::FixedSizeListArray::new(item, 2, items, None));
    for (dtype, annotation, array) in [("key<u8, 2>", "KeyValues", &keys), ("vector<f64, 2>", "SlotNames", &vectors)] {
        named(&path("a.arrow"), dtype, annotation, &["cat", "dog"], array.clone());
        named(&path("b.arrow"), dtype, annotation, &["cat", "dog"], array.clone());
        named(&path("c.arrow"), dtype, annotation, &["dog", "cat"], array.clone());
        for to in [TableFormat::Idv, TableFormat::Parquet, TableFormat::Arrow, TableFormat::Jsonl] {
            let run = |second: &str| {
                let mut job = TableJob::new(vec![path("a.arrow"), path(second)], to);
                job.force = true;
                job.run(&path("out"))
            };
            assert!(run("b.arrow").is_ok(), "{annotation} {to:?}");
            let e = run("c.arrow").unwrap_err();
            assert_eq!((e.code().id(), e.place().column.as_deref()), ("table.target", Some("k")), "{e}");
            assert!(e.place().file.as_deref().is_some_and(|file| file.ends_with("c.arrow")), "{e}");
        }
    }
}

#[test]
fn classes_of_other_programs_are_not_mixed_either() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let table = |name: &str, names: [&str; 2]| {
        let label = serde_json::json!({ "label": { "names": names, "_type": "ClassLabel" } });
        let said = serde_json::json!({ "info": { "features": label } }).to_string();
        let fields = vec![Field::new("label", Arrow::Int64, true)];
        let schema = Arc::new(Schema::new_with_metadata(fields, noted("huggingface", &said)));
        let batch = RecordBatch::try_new(schema, vec![Arc::new(Int64Array::from(vec![0, 1]))]).unwrap();
        write(&path(name), TableFormat::Parquet, &[batch]);
    };
    table("a", ["cat", "dog"]);
    table("b", ["cat", "dog"]);
    table("c", ["dog", "cat"]);
    let run =
        |second: &str, to: &str| TableJob::new(vec![path("a"), path(second)], TableFormat::Parquet).run(&path(to));
    assert_eq!(run("b", "same").unwrap().rows, 4);
    let e = run("c", "other").unwrap_err();
    assert_eq!((e.code().id(), e.place().column.as_deref()), ("table.target", Some("label")), "{e}");
}

#[test]
fn a_value_may_be_missing_where_one_of_the_inputs_says_so() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let table = |name: &str, nullable: bool, rows: Vec<Option<i64>>| {
        let schema = Arc::new(Schema::new(vec![Field::new("a", Arrow::Int64, nullable)]));
        let batch = RecordBatch::try_new(schema, vec![Arc::new(Int64Array::from(rows))]).unwrap();
        write(&path(name), TableFormat::Parquet, &[batch]);
    };
    table("whole", false, vec![Some(1), Some(2)]);
    table("some", true, vec![None, Some(3)]);
    fs::write(path("text.csv"), "a\n4\n\"\"\n").unwrap();
    let run = |inputs: &[&str], to: TableFormat| {
        let mut job = TableJob::new(inputs.iter().map(|name| path(name)).collect(), to);
        (job.force, job.verify) = (true, true);
        let rows = job.run(&path("out")).unwrap().rows;
        let mut options = ReadOptions::default();
        options.format = Some(to);
        (rows, open(&path("out"), &options).unwrap().schema().fields()[0].nullable)
    };
    for to in [TableFormat::Tbf, TableFormat::Parquet, TableFormat::Jsonl] {
        assert_eq!(run(&["whole", "some"], to), (4, true), "{to:?}");
        assert_eq!(run(&["whole", "text.csv"], to), (4, true), "{to:?}");
        assert_eq!(run(&["whole", "whole"], to), (4, to == TableFormat::Jsonl), "{to:?}");
    }
}

#[test]
fn what_is_said_to_be_json_and_is_none_is_damage() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.arrow");
    let table = |last: &str| {
        let field = Field::new("j", Arrow::Utf8, true).with_metadata(noted("forebay:type", "json"));
        let texts = StringArray::from(vec![Some("{\"a\":1}"), None, Some(last)]);
        write(
            &path,
            TableFormat::Arrow,
            &[RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![Arc::new(texts)]).unwrap()],
        );
        let mut rows = open(&path, &ReadOptions::default()).unwrap();
        rows.next_batch().map(|batch| batch.unwrap().rows())
    };
    assert_eq!(table("[2]").unwrap(), 3);
    for last in ["", "x", "1 2", "{\"a\":NaN}"] {
        let e = table(last).unwrap_err();
        assert_eq!((e.kind(), e.place().row, e.place().column.as_deref()), (Kind::Damaged, Some(2), Some("j")), "{e}");
    }
}

/// A file as Spark and others write it: times of 96 bits, and no type of Arrow beside them.
fn old_times(path: &Path, times: &[(u32, u64)]) {
    use parquet::{
        data_type::{Int96, Int96Type},
        file::writer::SerializedFileWriter,
        schema::parser::parse_message_type,
    };
    let schema = parse_message_type("message spark { REQUIRED INT96 t; }").unwrap();
    let mut file =
        SerializedFileWriter::new(File::create(path).unwrap(), Arc::new(schema), Default::default()).unwrap();
    let values: Vec<Int96> = times
        .iter()
        .map(|&(day, nanoseconds)| {
            let mut time = Int96::new();
            time.set_data(nanoseconds as u32, (nanoseconds >> 32) as u32, day);
            time
        })
        .collect();
    let mut group = file.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int96Type>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
}

#[test]
fn times_of_96_bits_are_right_in_all_years() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    // Julian days of 0001-01-01, 1970-01-01 and 9999-12-31.
    old_times(&path("old.parquet"), &[(1_721_426, 0), (2_440_588, 1_000), (5_373_484, 86_399_999_999_999)]);
    let expected = ["0001-01-01T00:00:00", "1970-01-01T00:00:00.000001", "9999-12-31T23:59:59.999999"];
    let shown = |name: &str| {
        let mut rows = open(&path(name), &ReadOptions::default()).unwrap();
        let batch = rows.next_batch().unwrap().unwrap();
        let rows = batch.iter().map(|row| row.to_json(Default::default())).collect::<Vec<_>>();
        assert_eq!(rows, expected.map(|time| format!("{{\"t\":{time:?}}}")), "{name}");
    };
    shown("old.parquet");
    for to in ["new.parquet", "new.arrow", "new.tbf", "new.jsonl"] {
        let done = TableJob::new(vec![path("old.parquet")], TableFormat::from_name(to.as_ref()).unwrap());
        let done = done.run(&path(to)).unwrap();
        assert!(done.notes.iter().any(|note| note.contains("\"t\": INT96 becomes")), "{to}: {:?}", done.notes);
        shown(to);
    }
}
