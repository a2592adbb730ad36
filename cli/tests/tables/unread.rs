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
