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
use forebay_native::tables::{TableFormat, TableJob};
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
