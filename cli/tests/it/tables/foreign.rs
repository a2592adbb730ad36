//! Files of other programs, `tests/fixtures/tables`: what this build does not read of a sound file is not supported, and
//! never damage; what it reads keeps its values, and a type that is lost is refused or counted.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/tables").join(name)
}

fn run(args: &[&str]) -> (i32, Vec<Value>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forebay"));
    let out = command.args(args).arg("--json").output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    (out.status.code().unwrap_or(-1), text.lines().map(parse).collect())
}

fn on(command: &str, name: &str, more: &[&str]) -> (i32, Vec<Value>) {
    let path = fixture(name);
    run(&[&[command, path.to_str().unwrap()], more].concat())
}

#[test]
fn what_is_not_read_is_named_and_never_called_damage() {
    for (name, column, what) in [
        ("int128.parquet", "big", "Arrow's type Int128"),
        ("int128.arrow", "big", "Arrow's type Int128"),
        ("encrypted_column.parquet", "name", "encryption"),
        ("runs.arrow", "runs", "Arrow's type RunEndEncoded"),
        ("sparse_union.arrow", "sparse_union", "Arrow's type Union"),
        ("dense_union.arrow", "dense_union", "Arrow's type Union"),
        ("list_view.arrow", "list_view", "Arrow's type ListView"),
        ("interval.arrow", "interval", "Arrow's type Interval"),
    ] {
        let (code, report) = on("check", name, &[]);
        assert_eq!((code, &report[0]["ok"]), (0, &json!(true)), "{name}: {report:?}");
        let note = report[0]["notes"][0]["message"].as_str().unwrap();
        assert!(note.contains(&format!("{column:?}: {what}")) && note.ends_with("is not read"), "{name}: {note}");
        let (code, said) = on("head", name, &[]);
        let expected = (3, &json!("table.route"), &json!(column));
        assert_eq!((code, &said[0]["error"]["code"], &said[0]["error"]["column"]), expected, "{name}: {said:?}");
        let (code, rows) = on("head", name, &["--columns", "id"]);
        assert_eq!((code, rows), (0, vec![json!({"id": 1}), json!({"id": 2}), json!({"id": 3})]), "{name}");
        let (code, facts) = on("inspect", name, &[]);
        assert_eq!((code, &facts[0]["rows"]), (0, &json!(3)), "{name}: {facts:?}");
    }
    // Columns behind the one that is not read are found all the same.
    for name in ["int128.parquet", "int128.arrow", "runs.arrow"] {
        let (code, rows) = on("head", name, &["--columns", "name,id", "-n", "1"]);
        assert_eq!((code, rows), (0, vec![json!({"name": "a", "id": 1})]), "{name}");
    }
    for command in ["check", "head", "inspect", "stats"] {
        let (code, said) = on(command, "encrypted.parquet", &[]);
        assert_eq!((code, &said[0]["error"]["code"]), (3, &json!("table.route")), "{command}: {said:?}");
        assert!(said[0]["error"]["message"].as_str().unwrap().contains("encrypted"), "{command}");
    }
    // If nothing can be read, nothing is sound.
    let (code, said) = on("check", "only_int128.parquet", &[]);
    assert_eq!((code, &said[0]["error"]["code"]), (3, &json!("table.route")), "{said:?}");
}

#[test]
fn a_compression_that_is_not_built_in_is_named_and_the_other_columns_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lzo.parquet");
    // The footer says Snappy (1) of the column "zz"; LZO is 3, and 9 is of a version that is not there yet.
    let mut bytes = fs::read(fixture("codecs.parquet")).unwrap();
    let mark = b"\x19\x18\x02zz\x15\x02";
    let at = bytes.windows(mark.len()).position(|w| w == mark).unwrap() + mark.len() - 1;
    for (codec, newer) in [(6, false), (18, true)] {
        bytes[at] = codec;
        fs::write(&path, &bytes).unwrap();
        let path = path.to_str().unwrap();
        let (code, said) = run(&["head", path]);
        assert_eq!((code, &said[0]["error"]["code"]), (3, &json!("table.route")), "{said:?}");
        let (code, report) = run(&["check", path]);
        if newer {
            // The footer cannot be read at all then.
            assert_eq!((code, &report[0]["error"]["code"]), (3, &json!("table.route")), "{report:?}");
            continue;
        }
        assert_eq!(code, 0, "{report:?}");
        let note = report[0]["notes"][0]["message"].as_str().unwrap();
        assert!(note.contains("compression LZO is not read"), "{note}");
        assert_eq!(run(&["head", path, "--columns", "id", "-n", "1"]), (0, vec![json!({"id": 1})]));
    }
}

#[test]
fn brotli_and_gzip_pages_are_read_and_cannot_become_more_than_they_say() {
    for name in ["brotli.parquet", "gzip.parquet"] {
        let (code, rows) = on("head", name, &["-n", "1"]);
        assert_eq!((code, &rows[0]["name"]), (0, &json!("long ".repeat(40))), "{name}: {rows:?}");
        assert_eq!(on("check", name, &[]).0, 0, "{name}");
    }
}

#[test]
fn dictionaries_of_any_kind_and_views_are_read() {
    let (code, rows) = on("head", "dictionaries.arrow", &["-n", "2"]);
    let second = json!({"floats": 2.5, "u64": "y", "lists": [2], "view": "longer than twelve bytes",
        "bytes": "bG9uZ2VyIHRoYW4gdHdlbHZlIGJ5dGVz"});
    assert_eq!((code, &rows[1]), (0, &second));
    assert_eq!(on("check", "dictionaries.arrow", &[]).0, 0);
}

#[test]
fn what_arrow_can_say_and_parquet_cannot_is_put_otherwise_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.parquet").to_str().unwrap().to_owned();
    let (code, said) = on("convert", "null_values.arrow", &[&path, "--verify"]);
    assert_eq!(code, 0, "{said:?}");
    let (_, rows) = run(&["head", &path]);
    assert_eq!(rows, ["a", "", "", "b"].map(|kind| json!({"kind": (!kind.is_empty()).then_some(kind)})));

    let (code, said) = on("convert", "no_bytes.arrow", &[&path, "--force"]);
    let expected = (3, &json!("table.target"), &json!("nothing"));
    assert_eq!((code, &said[0]["error"]["code"], &said[0]["error"]["column"]), expected, "{said:?}");
    // The file before it stands.
    assert_eq!(run(&["head", &path]).1.len(), 4);
    let (code, said) = on("convert", "no_bytes.arrow", &[&path, "--force", "--columns", "id", "--verify"]);
    assert_eq!(code, 0, "{said:?}");
}

#[test]
fn nanoseconds_are_looked_at_and_converted_as_they_are() {
    let (code, rows) = on("head", "pandas.parquet", &[]);
    assert_eq!((code, &rows[0]["when"]), (0, &json!("2024-02-29T01:02:03.123456789")));
    assert_eq!(on("check", "pandas.parquet", &[]).0, 0);
    let (code, facts) = on("inspect", "pandas.parquet", &[]);
    let when = &facts[0]["columns"][0];
    let expected = json!(["timestamp_ns", "1999-12-31T23:59:59", "2024-02-29T01:02:03.123456789"]);
    assert_eq!((code, json!([when["type"], when["min"], when["max"]])), (0, expected));
    let (code, stats) = on("stats", "pandas.parquet", &[]);
    assert_eq!((code, &stats[0]["columns"][0]["min"]), (0, &json!("1999-12-31T23:59:59")), "{stats:?}");
    // Spans are kept in ticks of 100 ns: looking on cuts them and says so, converting asks first.
    let note = "column \"span\": 1 values were finer than what is kept of them, and cut";
    assert!(stats[0]["notes"].as_array().unwrap().contains(&json!(note)), "{stats:?}");

    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["t.csv", "t.jsonl"] {
        let (code, said) = on("convert", "pandas.parquet", &[&to(name), "--columns", "when,n", "--verify"]);
        assert_eq!(code, 0, "{said:?}");
        let (_, rows) = run(&["head", &to(name), "-n", "1"]);
        assert_eq!(rows[0]["when"], "2024-02-29T01:02:03.123456789", "{name}");
        let (_, facts) = run(&["inspect", &to(name)]);
        assert_eq!(facts[0]["columns"][0]["type"], "timestamp_ns", "{name}");
    }
    for (name, unit) in [("t.tbf", "microseconds"), ("t.idv", "100 nanoseconds")] {
        let chosen = ["--columns", "when,n", "--where", "when != null"];
        let (code, said) = on("convert", "pandas.parquet", &[&[&*to(name)], &chosen[..]].concat());
        let error = &said[0]["error"];
        assert_eq!((code, &error["code"], &error["row"]), (3, &json!("table.target"), &json!(0)), "{said:?}");
        assert!(error["message"].as_str().unwrap().contains("finer"), "{said:?}");
        let (code, said) = on("convert", "pandas.parquet", &[&[&*to(name), "--lossy"], &chosen[..]].concat());
        let note = format!("column \"when\": 1 times were cut to {unit}");
        assert!(code == 0 && said[0]["notes"].as_array().unwrap().contains(&json!(note)), "{said:?}");
    }
}

#[test]
fn a_type_that_the_target_lacks_is_refused_and_with_losses_counted() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (column, target, refused) in [
        ("price", "t.csv", false),
        ("price", "t.jsonl", false),
        ("price", "t.tbf", true),
        ("big", "t.tbf", true),
        ("berlin", "t.csv", true),
        ("berlin", "t.jsonl", true),
        ("berlin", "t.tbf", true),
        ("utc", "t.csv", false),
        ("utc", "t.tbf", false),
        ("point", "t.jsonl", false),
        ("point", "t.tbf", true),
        ("tags", "t.jsonl", false),
        ("grid", "t.tbf", true),
        ("clock", "t.csv", true),
        ("span", "t.csv", true),
        ("half", "t.tbf", false),
        ("ms", "t.tbf", false),
    ] {
        let output = to(target);
        let columns = format!("id,{column}");
        let chosen = [&*output, "--force", "--columns", &columns];
        let (code, said) = on("convert", "mixed.parquet", &chosen);
        if !refused {
            assert_eq!(code, 0, "{column} to {target}: {said:?}");
            continue;
        }
        let error = &said[0]["error"];
        assert_eq!((code, &error["code"], &error["column"]), (3, &json!("table.target"), &json!(column)), "{said:?}");
        assert!(error["row"].is_u64(), "{said:?}");
        let (code, said) = on("convert", "mixed.parquet", &[&chosen[..], &["--lossy"]].concat());
        assert_eq!(code, 0, "{column} to {target}: {said:?}");
        let notes = said[0]["notes"].as_array().unwrap();
        let counted = |n: &Value| n.as_str().is_some_and(|n| n.contains(&format!("{column:?}: ")));
        assert!(notes.iter().any(counted), "{column} to {target}: {notes:?}");
    }
    // Without the hint, the words say it too.
    let out = Command::new(env!("CARGO_BIN_EXE_forebay"))
        .args(["convert", fixture("mixed.parquet").to_str().unwrap(), &to("z.csv"), "--columns", "id,berlin"])
        .output()
        .unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("Europe/Berlin") && said.contains("--lossy"), "{said}");
}

#[test]
fn what_nests_stays_json_in_json_lines_and_is_counted_as_text_in_csv() {
    let folder = tempfile::tempdir().unwrap();
    let to = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let lists = folder.path().join("lists.jsonl");
    fs::write(&lists, "{\"v\":[1,2],\"o\":{\"a\":[null]}}\n{\"v\":[3],\"o\":null}\n{\"v\":null,\"o\":{}}\n").unwrap();
    let (lists, mixed) = (lists.to_str().unwrap().to_owned(), fixture("mixed.parquet").to_str().unwrap().to_owned());
    // From a format that nests to Parquet and Arrow, and back.
    for name in ["lists.parquet", "lists.arrow"] {
        assert_eq!(run(&["convert", &lists, &to(name)]).0, 0);
    }
    let types = |what: [&str; 2]| what.map(str::to_owned);
    for (input, columns, counted) in [
        (lists.clone(), "v,o", types(["\"v\": 2 values of type vector<i64>", "\"o\": 2 values of type json"])),
        (to("lists.parquet"), "v,o", types(["\"v\": 2 values of type vector<i64>", "\"o\": 2 values of type json"])),
        (to("lists.arrow"), "v,o", types(["\"v\": 2 values of type vector<i64>", "\"o\": 2 values of type json"])),
        (
            mixed.clone(),
            "id,point,tags,grid",
            types(["\"point\": 2 values of type json", "\"grid\": 2 values of type json"]),
        ),
    ] {
        let said = |target: &str| {
            let (code, said) = run(&["convert", &input, &to(target), "--columns", columns, "--force", "--verify"]);
            assert_eq!(code, 0, "{input} to {target}: {said:?}");
            said[0]["notes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|note| note.as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        for target in ["t.csv", "t.tsv"] {
            let notes = said(target);
            for counted in &counted {
                let note = format!("column {counted} are JSON text");
                assert!(notes.contains(&note), "{input} to {target}: {notes:?}, not {note}");
            }
        }
        let notes = said("t.jsonl");
        assert!(!notes.iter().any(|note| note.contains("JSON text")), "{input}: {notes:?}");
        let original = run(&["head", &input, "--columns", columns]).1;
        let lines = fs::read_to_string(to("t.jsonl")).unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines, original, "{input}");
    }
    let point = &on("head", "mixed.parquet", &["--columns", "point"]).1[0]["point"];
    assert_eq!(point, &json!({"x": 1, "y": "a"}));
    // The types can be said again, and the values are the same.
    let (code, _) = run(&["convert", &lists, &to("back.csv")]);
    let (again, rows) = run(&["head", &to("back.csv"), "--types", "v=vector<i64>,o=json"]);
    assert_eq!((code, again, rows), (0, 0, run(&["head", &lists]).1));
}
