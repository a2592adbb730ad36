//! What a target cannot hold is refused by column and row, or its loss is stated.

use std::{fs, process::Command};

use serde_json::{Value, json};

struct Place(tempfile::TempDir);

impl Place {
    fn with(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| fs::write(place.0.path().join(name), text).unwrap());
        place
    }
    fn run(&self, args: &[&str]) -> (i32, Vec<Value>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
        let out = command.args(args).arg("--json").current_dir(self.0.path()).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        (out.status.code().unwrap(), text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }
    fn notes(&self, args: &[&str]) -> Vec<String> {
        let (code, said) = self.run(args);
        assert_eq!(code, 0, "{said:?}");
        said[0]["notes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_owned()).collect()
    }
    fn refused(&self, args: &[&str]) -> (i32, Value) {
        let (code, said) = self.run(args);
        (code, json!([said[0]["error"]["code"], said[0]["error"]["column"], said[0]["error"]["row"]]))
    }
}

#[test]
fn missing_values_that_become_others_are_counted() {
    let place = Place::with(&[("a.csv", "x,s,n\n1.5,a,1\n,,\n2.5,,3\n")]);
    assert_eq!(place.refused(&["convert", "a.csv", "a.idv"]), (3, json!(["table.target", "x", 1])));
    let notes = place.notes(&["convert", "a.csv", "a.idv", "--lossy"]);
    assert_eq!(
        notes,
        [
            "column \"x\": 1 missing values became NaN",
            "column \"s\": 2 missing values became empty texts",
            "column \"n\": 1 missing values became the default of their type",
        ]
    );
}

#[test]
fn the_columnar_layout_refuses_what_it_lacks_by_column_and_row() {
    let place = Place::with(&[("a.csv", "day,at\n2024-02-29,2024-02-29T01:02:03Z\n")]);
    assert_eq!(place.refused(&["convert", "a.csv", "a.tbf", "--dialect", "c"]), (3, json!(["table.target", "day", 0])));
    let notes = place.notes(&["convert", "a.csv", "a.tbf", "--dialect", "c", "--lossy"]);
    assert_eq!(notes, ["column \"day\": date becomes string", "column \"at\": timestamp_us becomes string"]);
    assert_eq!(place.run(&["head", "a.tbf"]).1, [json!({ "day": "2024-02-29", "at": "2024-02-29T01:02:03" })]);
}

#[test]
fn the_tagged_layout_holds_times_as_the_text_that_json_has() {
    let place = Place::with(&[("a.jsonl", "{\"d\":\"1.02:03:04.5000000\",\"day\":\"2024-02-29\"}\n")]);
    let types = "d=ticks,day=date";
    let notes = place.notes(&["convert", "a.jsonl", "a.tbf", "--dialect", "t", "--types", types]);
    assert_eq!(notes, ["column \"d\": ticks becomes string", "column \"day\": date becomes string"]);
    assert_eq!(place.run(&["head", "a.tbf"]).1, [json!({ "d": "1.02:03:04.5000000", "day": "2024-02-29" })]);
}

#[test]
fn a_value_that_is_no_table_is_converted_with_a_summary() {
    let place = Place::with(&[("a.jsonl", "{\"a\":1}\n")]);
    // The object alone: what the list of one object is without the list's tag and count.
    place.run(&["convert", "a.jsonl", "a.tbf", "--dialect", "t"]);
    let path = place.0.path().join("a.tbf");
    let bytes = fs::read(&path).unwrap();
    let list = bytes.windows(2).position(|w| w == [6, 1]).unwrap();
    fs::write(&path, [&bytes[..list], &bytes[list + 2..]].concat()).unwrap();
    let notes = place.notes(&["convert", "a.tbf", "b.jsonl"]);
    assert_eq!(notes, ["the file holds one value rather than a table; it was written as that"]);
}

#[test]
fn inspect_shows_bounds_as_rows_show_them_and_only_what_is_known() {
    let long = "a".repeat(70);
    let csv = format!("day,ok,x,s\n2024-02-29,true,1.5,m\n1999-12-31,true,Infinity,n\n,false,-2.5,{long}\n");
    let place = Place::with(&[("a.csv", &csv)]);
    place.run(&["convert", "a.csv", "a.tbf", "--group-rows", "2"]);
    let facts = place.run(&["inspect", "a.tbf"]).1.remove(0);
    let bounds: Vec<Value> = facts["columns"].as_array().unwrap().iter().map(|c| json!([c["min"], c["max"]])).collect();
    let expected = json!([["1999-12-31", "2024-02-29"], [false, true], [-2.5, "Infinity"], [null, null]]);
    assert_eq!(Value::from(bounds), expected);
}

#[test]
fn bad_rows_of_text_are_faults_that_say_their_code_once() {
    let place = Place::with(&[("a.csv", "a,b\n1,2\n3\n")]);
    let (code, said) = place.run(&["check", "a.csv"]);
    let fault = &said[0]["faults"][0];
    assert_eq!((code, &fault["code"], &said[0]["fault_count"]), (1, &json!("table.row"), &json!(1)));
    assert_eq!(fault["message"], "line 3: 1 fields where there are 2 columns");
}

#[test]
fn columns_whose_names_hold_commas_can_be_chosen() {
    let place = Place::with(&[("a.csv", "\"a,b\",c\n1,2\n")]);
    assert_eq!(place.run(&["head", "a.csv", "--columns", "c,\"a,b\""]).1, [json!({ "c": 2, "a,b": 1 })]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_as_one_by_every_format() {
    let place = Place::with(&[("a.csv", "a,b\n1,2\n")]);
    for format in ["csv", "jsonl", "parquet", "arrow", "arrows", "tbf"] {
        let (code, said) = place.run(&["convert", "a.csv", "/dev/full", "--to", format]);
        assert_eq!((code, &said[0]["error"]["code"]), (2, &json!("io")), "{format}: {said:?}");
    }
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut head = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let status = head.args(["head", "a.csv"]).current_dir(place.0.path()).stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_dead_column_is_named_wherever_it_is_left_out() {
    let corpus = crate::core_common::corpus("idv/handmade");
    let place = Place::with(&[]);
    let file = corpus.join("v_dead_codec_RowId.idv");
    let expected = "column \"y\": the column cannot be read: its codec \"RowId\" is not known";
    assert_eq!(place.notes(&["convert", file.to_str().unwrap(), "a.csv"]), [expected]);
    assert_eq!(place.notes(&["inspect", file.to_str().unwrap()]), [expected]);
}

#[test]
fn options_that_a_format_has_no_use_for_are_refused() {
    let place = Place::with(&[("a.csv", "a,b\n1,2\n")]);
    for (output, option) in [
        ("a.parquet", ["--rows-per-block", "0"]),
        ("a.tbf", ["--rows-per-block", "0"]),
        ("a.idv", ["--group-rows", "0"]),
        ("a.tbf", ["--compression", "zstd"]),
        ("a.jsonl", ["--compression", "lz4"]),
        ("a.arrow", ["--compression", "snappy"]),
        ("a.parquet", ["--level", "3"]),
        ("a.csv", ["--level", "3"]),
    ] {
        let (code, said) = place.run(&["convert", "a.csv", output, option[0], option[1]]);
        assert_eq!((code, &said[0]["error"]["code"]), (2, &json!("usage.argument")), "{output} {option:?}");
    }
    assert_eq!(place.run(&["convert", "a.csv", "a.tbf", "--compression", "none"]).0, 0);
}

#[test]
fn missing_values_alone_in_their_rows_need_a_word_where_nothing_shows_their_type() {
    let lists = "{\"a\":[1,2]}\n{\"a\":null}\n";
    let place = Place::with(&[
        ("n.jsonl", "{\"a\":null}\n{\"a\":null}\n"),
        ("l.jsonl", lists),
        ("m.jsonl", "{\"a\":null}\n{\"a\":1}\n"),
    ]);
    let refused = (3, json!(["table.target", null, 0]));
    assert_eq!(place.refused(&["convert", "n.jsonl", "n.csv", "--types", "a=i64"]), refused);
    assert_eq!(place.refused(&["convert", "l.jsonl", "l.csv"]), (3, json!(["table.target", null, 1])));
    assert_eq!(place.run(&["convert", "n.jsonl", "n.csv", "--types", "a=i64", "--null", "NULL"]).0, 0);
    assert_eq!(place.run(&["convert", "m.jsonl", "m.csv"]).0, 0);
    assert_eq!(place.run(&["head", "m.csv"]).1, [json!({ "a": null }), json!({ "a": 1 })]);
}

#[test]
fn names_that_an_object_has_twice_are_refused_or_counted() {
    use arrow_array::{ArrayRef, Int32Array, RecordBatch, StructArray, builder::*};
    use std::sync::Arc;
    let place = Place::with(&[]);
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for (key, value) in [("a", 1), ("a", 2), ("b", 3)] {
        maps.keys().append_value(key);
        maps.values().append_value(value);
    }
    maps.append(true).unwrap();
    let column = |n: i32| ("x", Arc::new(Int32Array::from(vec![n])) as ArrayRef);
    let structs = StructArray::from(RecordBatch::try_from_iter([column(1), column(2)]).unwrap());
    for (name, array, kept) in [
        ("m.arrow", Arc::new(maps.finish()) as ArrayRef, json!({ "a": 2, "b": 3 })),
        ("s.arrow", Arc::new(structs), json!({ "x": 2 })),
    ] {
        let batch = RecordBatch::try_from_iter([("v", array)]).unwrap();
        let file = fs::File::create(place.0.path().join(name)).unwrap();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        assert_eq!(place.refused(&["convert", name, "b.jsonl"]), (3, json!(["table.target", "v", 0])), "{name}");
        let notes = place.notes(&["convert", name, "a.jsonl", "--lossy", "--force"]);
        assert!(notes.iter().any(|note| note.contains("1 objects had a name more than once")), "{notes:?}");
        assert_eq!(place.run(&["head", "a.jsonl"]).1, [json!({ "v": kept })]);
        assert_eq!(place.run(&["check", name]).0, 0);
    }
}

#[test]
fn inputs_that_differ_name_the_column_and_only_options_that_help() {
    let place = Place::with(&[("a.csv", "x,y\n1,2\n"), ("b.csv", "x,y\n1,2.5\n")]);
    for name in ["a", "b"] {
        assert_eq!(place.run(&["convert", &format!("{name}.csv"), &format!("{name}.parquet")]).0, 0);
    }
    for (end, helps) in [("csv", true), ("parquet", false)] {
        let (code, said) = place.run(&["convert", &format!("a.{end}"), &format!("b.{end}"), "all.jsonl"]);
        let (error, message) = (&said[0]["error"], said[0]["error"]["message"].as_str().unwrap());
        assert_eq!((code, &error["column"]), (3, &json!("y")), "{said:?}");
        assert!(message.starts_with("the column is f64 here, and i64 in the first input"), "{message}");
        assert_eq!(message.contains("--types"), helps, "{message}");
    }
}
