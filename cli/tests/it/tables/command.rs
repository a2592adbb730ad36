//! The command over tables, as scripts meet it.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_forebay");

const PEOPLE: &str =
    "id,name,age,born,score\n1,Ada,36,1815-12-10,0.5\n2,\"\",41,1912-06-23,\n18446744073709551615,,29,1906-12-09,NaN\n";

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        fs::write(place.path("people.csv"), PEOPLE).unwrap();
        place
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let out = Command::new(BINARY).args(args).current_dir(self.0.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
    }
    fn json(&self, args: &[&str]) -> (i32, Vec<Value>) {
        let (code, out, _) = self.run(&[args, &["--json"]].concat());
        let lines = out.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}")));
        let lines: Vec<Value> = lines.collect();
        crate::schemas::hold(args, &lines);
        (code, lines)
    }
    fn ok(&self, args: &[&str]) -> Vec<Value> {
        let (code, lines) = self.json(args);
        assert_eq!(code, 0, "{args:?}: {lines:?}");
        lines
    }
}

#[test]
fn inspect_says_format_rows_and_columns_of_every_format() {
    let place = Place::new();
    for format in ["csv", "tsv", "jsonl", "parquet", "arrow", "arrows", "tbf"] {
        let file = format!("out.{format}");
        if format != "csv" {
            place.ok(&["convert", "people.csv", &file, "--verify"]);
        } else {
            fs::copy(place.path("people.csv"), place.path(&file)).unwrap();
        }
        let facts = place.ok(&["inspect", &file]).remove(0);
        assert_eq!((&facts["format"], &facts["rows"]), (&json!(format), &json!(3)), "{facts}");
        let columns = facts["columns"].as_array().unwrap();
        let names: Vec<_> = columns.iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["id", "name", "age", "born", "score"], "{format}");
        for key in ["name", "type", "encoding", "bytes", "nulls", "min", "max"] {
            assert!(columns.iter().all(|c| c.get(key).is_some()), "{format}: {key}");
        }
        assert_eq!(columns[0]["type"], "u64", "{format}");
        assert_eq!(columns[1]["nulls"], 1, "{format}");
        if format == "tbf" {
            assert_eq!(facts["dialect"], "D");
            assert_eq!(columns[2]["min"], 29);
            assert!(columns[2]["encoding"].is_string() && columns[2]["bytes"].as_u64() > Some(0));
        }
    }
}

#[test]
fn head_prints_one_object_a_row_with_exact_integers_and_words() {
    let place = Place::new();
    let rows = place.run(&["head", "people.csv", "--json"]).1;
    let rows: Vec<_> = rows.lines().collect();
    assert_eq!(rows[0], r#"{"id":1,"name":"Ada","age":36,"born":"1815-12-10","score":0.5}"#);
    assert_eq!(rows[1], r#"{"id":2,"name":"","age":41,"born":"1912-06-23","score":null}"#);
    assert_eq!(rows[2], r#"{"id":18446744073709551615,"name":null,"age":29,"born":"1906-12-09","score":"NaN"}"#);
    let one = place.run(&["head", "people.csv", "--json", "-n", "1", "--skip", "1", "--columns", "age,id"]).1;
    assert_eq!(one, "{\"age\":41,\"id\":2}\n");
    let table = place.run(&["head", "people.csv", "--where", "age > 30"]).1;
    assert_eq!(table.lines().count(), 3, "{table}");
}

#[test]
fn convert_chooses_columns_and_rows_and_refuses_what_exists() {
    let place = Place::new();
    place.ok(&["convert", "people.csv", "people.tbf"]);
    let summary =
        place.ok(&["convert", "people.tbf", "some.parquet", "--columns", "id,age", "--where", "born < '1910'"]);
    assert_eq!((&summary[0]["rows"], &summary[0]["columns"]), (&json!(2), &json!(2)), "{summary:?}");
    let rows = place.run(&["head", "some.parquet", "--json"]).1;
    assert_eq!(rows, "{\"id\":1,\"age\":36}\n{\"id\":18446744073709551615,\"age\":29}\n");
    let (code, out) = place.json(&["convert", "people.tbf", "some.parquet"]);
    assert_eq!((code, &out[0]["error"]["code"]), (2, &json!("usage.argument")));
    let (code, out) = place.json(&["convert", "people.tbf", "x.csv", "--where", "agee > 3"]);
    assert_eq!((code, &out[0]["error"]["code"]), (2, &json!("table.column")));
    assert!(!place.path("x.csv").exists());
}

#[test]
fn what_idv_cannot_hold_names_column_and_row_and_lossy_says_what_it_does() {
    let place = Place::new();
    let (code, out) = place.json(&["convert", "people.csv", "people.idv"]);
    let error = &out[0]["error"];
    assert_eq!(
        (code, &error["code"], &error["column"], &error["row"]),
        (3, &json!("table.target"), &json!("name"), &json!(2))
    );
    assert!(!place.path("people.idv").exists());
    let summary = place.ok(&["convert", "people.csv", "people.idv", "--lossy", "--verify"]).remove(0);
    assert_eq!((&summary["rows"], &summary["verified"]), (&json!(3), &json!(3)));
    assert!(summary["notes"][0].as_str().unwrap().contains("born"), "{summary}");
    let facts = place.ok(&["inspect", "people.idv"]).remove(0);
    assert_eq!((&facts["format"], &facts["rows"]), (&json!("idv"), &json!(3)));
    let report = place.ok(&["check", "people.idv"]).remove(0);
    assert_eq!((&report["ok"], &report["samples"]), (&json!(true), &json!(3)));
}

#[test]
fn bad_rows_end_the_work_or_are_left_out_with_their_lines() {
    let place = Place::new();
    fs::write(place.path("bad.csv"), "a,b\n1,x\n2\nthree,y\n4,z\n").unwrap();
    let types = ["--types", "a=i64"];
    let (code, out) = place.json(&[&["convert", "bad.csv", "bad.tbf"][..], &types].concat());
    assert_eq!(code, 1);
    assert!(out[0]["error"]["message"].as_str().unwrap().starts_with("line 3:"), "{out:?}");
    let (code, out) = place.json(&[&["convert", "bad.csv", "bad.tbf", "--on-bad-row", "skip"][..], &types].concat());
    assert_eq!((code, &out[0]["rows"], &out[0]["skipped_rows"]), (1, &json!(2), &json!(2)), "{out:?}");
    assert!(out[0]["notes"][1].as_str().unwrap().contains("line 4"), "{out:?}");
    let (code, report) = place.json(&[&["check", "bad.csv"][..], &types].concat());
    assert_eq!((code, &report[0]["fault_count"], &report[0]["samples"]), (1, &json!(2), &json!(2)), "{report:?}");
}

#[test]
fn check_names_every_damaged_column_of_a_tbf() {
    let place = Place::new();
    place.ok(&["convert", "people.csv", "people.tbf"]);
    assert_eq!(place.ok(&["check", "people.tbf"])[0]["samples"], 3);
    let mut bytes = fs::read(place.path("people.tbf")).unwrap();
    // The last values of the first two columns.
    let found = |text: &[u8]| bytes.windows(text.len()).position(|w| w == text).unwrap();
    let (number, name) = (found(&[255; 8]), found(b"Ada"));
    bytes[number] ^= 1;
    bytes[name] ^= 1;
    fs::write(place.path("people.tbf"), bytes).unwrap();
    let (code, report) = place.json(&["check", "people.tbf"]);
    assert_eq!((code, &report[0]["fault_count"]), (1, &json!(2)), "{report:?}");
    assert_eq!((&report[0]["faults"][0]["column"], &report[0]["faults"][1]["column"]), (&json!("id"), &json!("name")));
    // And where the group begins.
    for fault in report[0]["faults"].as_array().unwrap() {
        assert_eq!((&fault["block"], &fault["row"]), (&json!(0), &json!(0)));
    }
}

#[test]
fn stats_count_values_of_every_column() {
    let place = Place::new();
    place.ok(&["convert", "people.csv", "people.parquet"]);
    let stats = place.ok(&["stats", "people.parquet"]).remove(0);
    let age = &stats["columns"][2];
    assert_eq!(
        (&age["min"], &age["max"], &age["distinct"], &age["nulls"]),
        (&json!(29), &json!(41), &json!(3), &json!(0))
    );
    assert_eq!(stats["columns"][0]["max"], json!(u64::MAX));
    assert_eq!(stats["columns"][4]["nan"], 1);
    assert!(place.run(&["stats", "people.parquet"]).1.contains("distinct"));
}

#[test]
fn sparse_vectors_are_shown_as_they_are_asked_for() {
    let place = Place::new();
    let row = r#"{"v":[0,0,0,0,0,0,0,0,7,0,0,0]}"#;
    fs::write(place.path("v.jsonl"), format!("{row}\n")).unwrap();
    place.ok(&["convert", "v.jsonl", "v.idv"]);
    assert_eq!(place.run(&["head", "v.idv", "--json"]).1.trim_end(), row);
    let sparse = place.run(&["head", "v.idv", "--json", "--sparse"]).1;
    assert_eq!(sparse.trim_end(), r#"{"v":{"length":12,"indices":[8],"values":[7]}}"#);
}

#[test]
fn pipes_and_compressed_text_are_read_and_samples_are_no_tables() {
    let place = Place::new();
    let out = place.run(&["convert", "people.csv", "-", "--to", "jsonl"]).1;
    assert_eq!(out.lines().count(), 3);
    let packed = zstd::encode_all(PEOPLE.as_bytes(), 1).unwrap();
    fs::write(place.path("packed.csv.zst"), packed).unwrap();
    assert_eq!(place.ok(&["inspect", "packed.csv.zst"])[0]["rows"], 3);
    let (code, out) = place.json(&["convert", "people.csv", "people.tbl"]);
    assert_eq!((code, &out[0]["error"]["code"]), (2, &json!("usage.argument")));
    let (code, out) = place.json(&["inspect", "missing.csv"]);
    assert_eq!((code, &out[0]["error"]["code"]), (2, &json!("io")));
}

#[test]
fn samples_become_a_table_of_what_is_known_of_them() {
    let place = Place::new();
    fs::create_dir_all(place.path("set/cat")).unwrap();
    let header = [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x07\0\0\0\x05\x08\x02\0\0\0".as_slice(), &[0; 4]].concat();
    fs::write(place.path("set/cat/a.png"), &header).unwrap();
    fs::write(place.path("set/cat/b.png"), &header[..header.len() - 1]).unwrap();
    place.ok(&["convert", "set", "set.tbl"]);
    for input in ["set", "set.tbl"] {
        let args = ["convert", input, "some.jsonl", "--where", "width == 7 && bytes > 32", "--force", "--verify"];
        place.ok(&[args.as_slice(), &["--columns", "name,format,height"]].concat());
        let rows = fs::read_to_string(place.path("some.jsonl")).unwrap();
        assert_eq!(rows, "{\"name\":\"cat/a.png\",\"format\":\"png\",\"height\":5}\n", "{input}");
    }
    let (code, out) = place.json(&["convert", "set.tbl", "x.csv", "--decode", "4x4"]);
    assert_eq!((code, &out[0]["error"]["code"]), (2, &json!("usage.argument")));
}

#[test]
fn a_schema_from_inspect_reads_the_text_back() {
    let place = Place::new();
    place.ok(&["convert", "people.csv", "people.tbf"]);
    fs::write(place.path("schema.json"), place.run(&["inspect", "people.tbf", "--json"]).1).unwrap();
    place.ok(&["convert", "people.tbf", "again.csv"]);
    let facts = place.ok(&["inspect", "again.csv", "--schema", "schema.json"]).remove(0);
    assert_eq!(facts["columns"][3]["type"], "date");
    assert_eq!(fs::read_to_string(place.path("again.csv")).unwrap(), PEOPLE);
}

#[test]
fn the_other_layouts_of_tbf_are_written_and_told_apart() {
    let place = Place::new();
    fs::write(place.path("a.csv"), "n,t\n1,x\n2,y\n").unwrap();
    for dialect in ["t", "c", "d"] {
        let file = format!("{dialect}.tbf");
        place.ok(&["convert", "a.csv", &file, "--dialect", dialect, "--verify"]);
        assert_eq!(place.ok(&["inspect", &file])[0]["dialect"], dialect.to_uppercase());
        assert_eq!(place.run(&["head", &file, "--json", "-n", "1"]).1, "{\"n\":1,\"t\":\"x\"}\n");
    }
}

#[test]
fn a_filter_that_can_select_nothing_is_an_error_that_says_what_to_write() {
    let place = Place::new();
    for format in ["csv", "jsonl", "parquet", "arrow", "tbf"] {
        let file = format!("out.{format}");
        place.run(&["convert", "people.csv", &file]);
        for (filter, column, words) in [
            ("name > 3", "name", "column \"name\" (string) holds text, and 3 is a number: write name > \"3\""),
            ("'36' == age", "age", "holds numbers, and \"36\" is text: write 36 == age"),
            ("born > 1900", "born", ", and 1900 is a number: write "),
            ("id == 1 && nam == 'x'", "", "there is no column \"nam\"; the columns are: id, name, age, born, score"),
        ] {
            let (code, said) = place.json(&["head", &file, "--where", filter]);
            let error = &said[0]["error"];
            assert_eq!(code, 2, "{file} {filter}: {said:?}");
            assert_eq!(error["column"].as_str().unwrap_or_default(), column, "{file} {filter}");
            assert!(error["message"].as_str().unwrap().contains(words), "{file} {filter}: {error}");
        }
        let rows = place.ok(&["head", &file, "--where", "born >= '1900' && name != 'Bob' || id == 1"]);
        assert_eq!(rows.len(), 2, "{file}");
    }
}

#[test]
fn tables_without_rows_or_columns_become_every_format_or_say_why_not() {
    let place = Place::new();
    for (name, text) in [("none.csv", ""), ("header.csv", "id,name\n"), ("nothing.jsonl", "{}\n{}\n")] {
        fs::write(place.path(name), text).unwrap();
        for format in ["csv", "tsv", "jsonl", "parquet", "arrow", "arrows", "tbf", "idv"] {
            let output = format!("{name}.{format}");
            let (code, said) = place.json(&["convert", name, &output, "--verify"]);
            if name == "nothing.jsonl" && !["jsonl", "arrow", "arrows"].contains(&format) {
                assert_eq!((code, &said[0]["error"]["code"]), (3, &json!("table.target")), "{output}: {said:?}");
                assert!(said[0]["error"]["message"].as_str().unwrap().contains("rows without columns"), "{output}");
            } else {
                assert_eq!((code, &said[0]["rows"]), (0, &said[0]["verified"]), "{output}: {said:?}");
                assert_eq!(place.json(&["check", &output]).0, 0, "{output}");
            }
        }
    }
}

#[test]
fn messages_say_what_may_have_been_meant() {
    let place = Place::new();
    fs::write(place.path("semi.csv"), "id;name\n1;x\n").unwrap();
    let (_, _, said) = place.run(&["head", "semi.csv"]);
    assert!(said.contains("the delimiter is ';', as the first rows have it"), "{said}");
    fs::write(place.path("odd.csv"), "id;name\n1;x\n2\n").unwrap();
    let (_, _, said) = place.run(&["head", "odd.csv", "--on-bad-row", "skip"]);
    assert!(said.contains("the only column is called \"id;name\"; ';' may be the delimiter"), "{said}");
    assert_eq!(place.run(&["head", "semi.csv", "--delimiter", ";"]).2, "");
    let (code, _, said) = place.run(&["diff", "people.csv", "people.csv"]);
    assert!(code == 3 && said.contains("this is a table, and this command needs samples"), "{said}");
    let (_, _, said) = place.run(&["head", "people.csv", "--where", "age == 'x'"]);
    assert!(said.starts_with("error: people.csv: filter, column \"age\", character 0: "), "{said}");
    assert!(said.contains("compare it with a number; a column can be read as another type; see --types"), "{said}");
}

#[test]
fn an_option_of_other_formats_is_refused_and_not_passed_over() {
    let place = Place::new();
    place.ok(&["convert", "people.csv", "p.parquet"]);
    place.ok(&["convert", "people.csv", "p.jsonl"]);
    fs::write(place.path("schema.json"), r#"{"columns":[{"name":"id","type":"u64"}]}"#).unwrap();
    let texts = [
        &["--delimiter", ";"][..],
        &["--no-header"],
        &["--null", "x"],
        &["--types", "id=u64"],
        &["--on-bad-row", "skip"],
        &["--sniff-rows", "5"],
        &["--schema", "schema.json"],
    ];
    let refused = |args: &[&str]| {
        let (code, said) = place.json(args);
        assert_eq!((code, said[0]["error"]["code"].as_str()), (2, Some("usage.argument")), "{args:?}: {said:?}");
        let message = said[0]["error"]["message"].as_str().unwrap();
        assert!(message.contains("changes nothing here; it is for"), "{message}");
    };
    for option in texts {
        for command in [&["head"][..], &["stats"], &["inspect"], &["check"]] {
            refused(&[command, &["p.parquet"], option].concat());
        }
        refused(&[&["convert", "p.parquet", "out.arrow"], option].concat());
    }
    for option in &texts[..3] {
        refused(&[&["convert", "p.jsonl", "out.parquet"], *option].concat());
        refused(&[&["head", "p.jsonl"], *option].concat());
    }
    for option in [["--dialect", "t"], ["--dialect", "d"], ["--group-rows", "2"]] {
        refused(&[&["convert", "p.parquet", "out.csv"], &option[..]].concat());
        refused(&[&["convert", "people.csv", "out.jsonl"], &option[..]].concat());
    }
    // Nor what another option has decided, or the layout does not have.
    fs::write(place.path("u.json"), r#"{"U":{"value":"u8"}}"#).unwrap();
    for (args, words) in [
        (&["head", "people.csv", "--schema", "schema.json", "--types", "id=u8"][..], "with --schema"),
        (&["head", "people.csv", "--schema", "schema.json", "--sniff-rows", "5"], "with --schema"),
        (&["check", "people.csv", "--on-bad-row", "skip"], "in check, which names every bad row"),
        (&["convert", "people.csv", "out.tbf", "--dialect", "t", "--group-rows", "2"], "in layout T"),
        (&["head", "people.csv", "--schema", "u.json"], "for reading TBF of layouts U and S"),
    ] {
        let (code, said) = place.json(args);
        assert_eq!((code, said[0]["error"]["code"].as_str()), (2, Some("usage.argument")), "{args:?}: {said:?}");
        assert!(said[0]["error"]["message"].as_str().unwrap().contains(words), "{args:?}: {said:?}");
    }
    // Where one side has it, it counts.
    for args in [
        &["convert", "p.parquet", "a.csv", "--delimiter", ";"][..],
        &["convert", "people.csv", "b.parquet", "--null", "", "--group-rows", "2"],
        &["convert", "p.jsonl", "c.tbf", "--types", "id=u64", "--dialect", "d"],
        &["head", "people.csv", "--no-header"],
    ] {
        place.ok(args);
    }
}

#[test]
fn rows_that_are_left_out_are_an_exit_code_of_1_in_every_command() {
    let place = Place::new();
    fs::write(place.path("bad.csv"), "a,b\n1,2\n3\n4,5\n").unwrap();
    for args in
        [&["head", "bad.csv"][..], &["stats", "bad.csv"], &["inspect", "bad.csv"], &["convert", "bad.csv", "o.tbf"]]
    {
        assert_eq!(place.json(&[args, &["--on-bad-row", "skip"]].concat()).0, 1, "{args:?}");
    }
    // What is not reached is not left out.
    assert_eq!(place.json(&["head", "bad.csv", "-n", "1", "--on-bad-row", "skip"]).0, 0);
}

#[test]
fn a_csv_that_nobody_could_read_back_is_not_written() {
    let place = Place::new();
    place.ok(&["convert", "people.csv", "p.parquet"]);
    for odd in
        [&["--null", ","][..], &["--null", "\""], &["--null", "a\nb"], &["--delimiter", "\""], &["--delimiter", "\n"]]
    {
        let (code, said) = place.json(&[&["convert", "p.parquet", "odd.csv"], odd].concat());
        assert_eq!((code, &said[0]["error"]["code"]), (2, &json!("usage.argument")), "{odd:?}: {said:?}");
        assert!(!place.path("odd.csv").exists(), "{odd:?}");
    }
    let (code, _) = place.json(&["head", "people.csv", "--null", "\"x\""]);
    assert_eq!(code, 2);
    place.ok(&["convert", "p.parquet", "odd.csv", "--null", ",", "--delimiter", ";", "--verify"]);
}

#[test]
fn json_of_many_lines_is_a_row_of_one_and_reads_back_however_it_was_laid_out() {
    let place = Place::new();
    let cells = ["{\n  \"\"x\"\": [1,\r\n  1e400]\n}", "[ 1.0, 2 ]", "{\"\"a\"\":1,\"\"a\"\":2}", "7"];
    let rows: String = cells.iter().map(|cell| format!("\"{cell}\",1\n")).collect();
    fs::write(place.path("j.csv"), format!("j,n\n{rows}")).unwrap();
    let types = ["--types", "j=json", "--force", "--verify"];
    assert_eq!(place.ok(&["head", "j.csv", "--types", "j=json", "--columns", "n"]).len(), 4);
    assert_eq!(place.run(&["head", "j.csv", "--types", "j=json", "--json"]).1.lines().count(), 4);
    for format in ["jsonl", "csv", "parquet", "arrow"] {
        let out = place.ok(&[&["convert", "j.csv", &format!("out.{format}")], &types[..]].concat());
        assert_eq!(out[0]["verified"], 4, "{format}");
    }
    let lines = fs::read_to_string(place.path("out.jsonl")).unwrap();
    assert_eq!(lines.lines().next(), Some(r#"{"j":{   "x": [1,    1e400] },"n":1}"#));
    assert_eq!(place.ok(&["check", "out.jsonl"])[0]["samples"], 4);
}

#[test]
fn integers_that_no_type_holds_are_kept_on_every_way() {
    let place = Place::new();
    let wide = "123456789012345678901234567890";
    fs::write(place.path("w.jsonl"), format!("{{\"id\":{wide},\"x\":1e400}}\n{{\"id\":{wide},\"x\":2e400}}\n"))
        .unwrap();
    place.ok(&["check", "w.jsonl"]);
    for format in ["csv", "tsv", "jsonl", "parquet", "arrow", "arrows", "tbf", "idv"] {
        let file = format!("out.{format}");
        place.ok(&["convert", "w.jsonl", &file, "--verify"]);
        let row = &place.ok(&["head", &file, "-n", "1"])[0];
        assert_eq!((&row["id"], &row["x"]), (&json!(wide), &json!("1e400")), "{format}");
    }
}
