//! What a file's statistics rule out is not read.

use std::{fmt::Write as _, fs, process::Command};

use serde_json::{Value, json};

fn forebay(folder: &std::path::Path, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_forebay")).args(args).current_dir(folder).output().unwrap();
    (out.status.code().unwrap(), String::from_utf8(out.stdout).unwrap())
}

#[test]
fn groups_that_statistics_rule_out_are_not_read() {
    let place = tempfile::tempdir().unwrap();
    let mut csv = String::from("n,big,x,day,name\n");
    for i in 0..3000u64 {
        let (big, day) = (u64::MAX - i, 1 + i / 1000);
        writeln!(csv, "{i},{big},{}.5,2024-0{day}-01,text {i:04}", i * 2).unwrap();
    }
    fs::write(place.path().join("all.csv"), csv).unwrap();
    for file in ["all.parquet", "all.tbf"] {
        let (code, said) = forebay(place.path(), &["convert", "all.csv", file, "--group-rows", "1000"]);
        assert_eq!(code, 0, "{said}");
        // The first group becomes unreadable; whoever does not need it does not notice.
        let path = place.path().join(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[20..400].fill(0xff);
        fs::write(&path, bytes).unwrap();
        assert_ne!(forebay(place.path(), &["convert", file, "whole.jsonl"]).0, 0, "{file}");
        for (filter, rows) in [
            ("n >= 1500", 1500),
            ("big < 18446744073709550000", 1384),
            ("x > 3000.0", 1500),
            ("day >= '2024-03-01'", 1000),
            ("name in ['text 1000', 'text 2999']", 2),
            ("n == 2500 && x > 1.0", 1),
        ] {
            let (code, _) = forebay(place.path(), &["convert", file, "some.jsonl", "--where", filter, "--force"]);
            let found = fs::read_to_string(place.path().join("some.jsonl")).unwrap();
            assert_eq!((code, found.lines().count()), (0, rows), "{file}: {filter}");
        }
    }
}

#[test]
fn inspect_shows_what_parquet_knows_of_its_columns() {
    let place = tempfile::tempdir().unwrap();
    fs::write(
        place.path().join("a.csv"),
        "n,u,x,day,name\n-3,18446744073709551615,0.5,2024-02-29,b\n7,0,-2.5,1999-12-31,\n1,9,1.0,2000-01-01,a\n",
    )
    .unwrap();
    assert_eq!(forebay(place.path(), &["convert", "a.csv", "a.parquet", "--rows-per-block", "2"]).0, 0);
    let (_, text) = forebay(place.path(), &["inspect", "a.parquet", "--json"]);
    let facts: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(facts["groups"], 2);
    let bounds: Vec<Value> = facts["columns"].as_array().unwrap().iter().map(|c| json!([c["min"], c["max"]])).collect();
    let expected = json!([[-3, 7], [0, u64::MAX], [-2.5, 1.0], ["1999-12-31", "2024-02-29"], ["a", "b"]]);
    assert_eq!(Value::from(bounds), expected);
}
