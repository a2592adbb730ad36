//! Columns whose types are not read: only whoever asks for one is refused.

use std::{fs::File, path::Path, process::Command, sync::Arc};

use arrow_array::{ArrayRef, Int32Array, IntervalYearMonthArray, RecordBatch, StringArray};
use serde_json::{Value, json};

fn write(folder: &Path) {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from(vec![1, 2, 3]))),
        ("span", Arc::new(IntervalYearMonthArray::from(vec![1, 2, 3]))),
        ("name", Arc::new(StringArray::from(vec!["a", "b", "c"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let create = |name: &str| File::create(folder.join(name)).unwrap();
    let mut file = arrow_ipc::writer::FileWriter::try_new(create("t.arrow"), &batch.schema()).unwrap();
    file.write(&batch).unwrap();
    file.finish().unwrap();
    let mut stream = arrow_ipc::writer::StreamWriter::try_new(create("t.arrows"), &batch.schema()).unwrap();
    stream.write(&batch).unwrap();
    stream.finish().unwrap();
    let mut parquet = parquet::arrow::ArrowWriter::try_new(create("t.parquet"), batch.schema(), None).unwrap();
    parquet.write(&batch).unwrap();
    parquet.close().unwrap();
}

#[test]
fn a_column_of_an_unread_type_is_refused_by_name_and_only_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        let out = command.args(args).arg("--json").current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        (out.status.code().unwrap(), lines.collect::<Vec<Value>>())
    };
    for file in ["t.arrow", "t.arrows", "t.parquet"] {
        for command in [&["head", file][..], &["stats", file], &["convert", file, "all.csv"]] {
            let (code, said) = run(command);
            let error = &said[0]["error"];
            let expected = json!(["table.route", "span"]);
            assert_eq!((code, json!([error["code"], error["column"]])), (3, expected), "{command:?}: {said:?}");
            let message = error["message"].as_str().unwrap();
            assert!(
                message.contains("Interval(YearMonth) are not read; without it there are id,name; see --columns"),
                "{message}"
            );
        }
        assert_eq!(run(&["head", file, "--columns", "span"]).0, 3, "{file}");
        assert_eq!(run(&["head", file, "--columns", "id", "--where", "span == null"]).0, 3, "{file}");
        let (code, rows) = run(&["head", file, "--columns", "name,id", "--where", "id > 1", "-n", "1"]);
        assert_eq!((code, rows), (0, vec![json!({ "name": "b", "id": 2 })]), "{file}");
        let (code, facts) = run(&["inspect", file]);
        let columns = facts[0]["columns"].as_array().unwrap();
        let types: Vec<_> = columns.iter().map(|c| c["type"].as_str().unwrap()).collect();
        assert_eq!((code, types), (0, vec!["i32", "not read: Interval(YearMonth)", "string"]), "{file}");
        assert_eq!((&facts[0]["rows"], &columns[2]["max"]), (&json!(3), &json!("c")), "{file}");
        let note = "column \"span\": Arrow's type Interval(YearMonth) is not read";
        assert_eq!(facts[0]["notes"], json!([note]), "{file}");
        let (code, report) = run(&["check", file]);
        assert_eq!((code, &report[0]["fault_count"]), (0, &json!(0)), "{file}: {report:?}");
    }
}

/// Months, days and milliseconds, as other programs write them without Arrow's types beside.
fn write_intervals(file: &Path) {
    use parquet::{
        data_type::{FixedLenByteArray, FixedLenByteArrayType, Int32Type},
        file::{properties::WriterProperties, writer::SerializedFileWriter},
        schema::parser::parse_message_type,
    };
    let schema = "message m { required fixed_len_byte_array(12) iv (INTERVAL); required int32 k; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(File::create(file).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let span = [14u32, 3, 5000].map(u32::to_le_bytes).concat();
    column.typed::<FixedLenByteArrayType>().write_batch(&[FixedLenByteArray::from(span)], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[1], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

fn run_in(folder: &Path, args: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let out = command.args(args).arg("--json").current_dir(folder).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    (
        out.status.code().unwrap(),
        text.lines().next().map(|line| serde_json::from_str(line).unwrap()).unwrap_or_default(),
    )
}

#[test]
fn intervals_of_parquet_are_not_handed_on_without_their_months() {
    let folder = tempfile::tempdir().unwrap();
    write_intervals(&folder.path().join("iv.parquet"));
    for output in ["a.parquet", "a.arrow", "a.jsonl"] {
        let (code, said) = run_in(folder.path(), &["convert", "iv.parquet", output, "--where", "k == 1"]);
        let error = &said["error"];
        assert_eq!((code, json!([error["code"], error["column"]])), (3, json!(["table.route", "iv"])), "{said}");
        assert_eq!(run_in(folder.path(), &["convert", "iv.parquet", output, "--columns", "k", "--verify"]).0, 0);
    }
    assert_eq!(run_in(folder.path(), &["check", "iv.parquet"]).0, 0);
}

#[test]
fn dictionaries_of_decimals_are_read_as_their_values() {
    use arrow_array::{Decimal128Array, DictionaryArray, Int64Array};
    let folder = tempfile::tempdir().unwrap();
    let values = Decimal128Array::from(vec![15, -7]).with_precision_and_scale(2, 1).unwrap();
    let plain: ArrayRef = Arc::new(Decimal128Array::from(vec![15, -7, 15]).with_precision_and_scale(2, 1).unwrap());
    let array: ArrayRef = Arc::new(DictionaryArray::new(Int64Array::from(vec![0, 1, 0]), Arc::new(values)));
    // Written as decimals, and said to be a dictionary, as other programs do.
    let schema = RecordBatch::try_from_iter([("d", array)]).unwrap().schema();
    let hint = parquet::arrow::encode_arrow_schema(&schema);
    let pair = parquet::file::metadata::KeyValue::new(parquet::arrow::ARROW_SCHEMA_META_KEY.to_owned(), hint);
    let properties = parquet::file::properties::WriterProperties::builder().set_key_value_metadata(Some(vec![pair]));
    let options = parquet::arrow::arrow_writer::ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true);
    let batch = RecordBatch::try_from_iter([("d", plain)]).unwrap();
    let file = File::create(folder.path().join("d.parquet")).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new_with_options(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    assert_eq!(run_in(folder.path(), &["check", "d.parquet"]).0, 0);
    assert_eq!(run_in(folder.path(), &["head", "d.parquet", "-n", "1"]), (0, json!({ "d": "1.5" })));
    assert_eq!(run_in(folder.path(), &["convert", "d.parquet", "e.parquet", "--verify"]).0, 0);
}
