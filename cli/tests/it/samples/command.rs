//! The command over files that are odd or damaged, folders as people have them, and options that do nothing.

use std::{fs, process::Output};

use serde_json::{Value, json};

use crate::{
    common::{Folder, bmp, error_of, forebay, tar},
    dice::Dice,
    samples::odd,
};

struct Place(Folder);

impl Place {
    fn run(&self, args: &[&str]) -> Output {
        std::process::Command::new(crate::common::FOREBAY).args(args).current_dir(self.0.path()).output().unwrap()
    }
    /// With `--json`: the exit code, and the lines.
    fn json(&self, args: &[&str]) -> (i32, Vec<Value>) {
        let done = self.run(&[args, &["--json"]].concat());
        let text = String::from_utf8(done.stdout).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        crate::schemas::hold(args, &lines);
        (done.status.code().unwrap(), lines)
    }
    fn ok(&self, args: &[&str]) -> Value {
        let (code, lines) = self.json(args);
        assert_eq!(code, 0, "{args:?}: {lines:?}");
        lines.into_iter().next().unwrap_or_default()
    }
    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.0.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// A turboloader TBL of which some blocks do not read, and the numbers of those.
fn bad_blocks(place: &Place) -> Vec<u64> {
    let mut dice = Dice(5);
    loop {
        let (file, blocks) = odd::tbl(&mut dice);
        let bad: Vec<u64> =
            blocks.iter().zip(0..).filter(|(b, _)| b.starts_with(b"{\"a\": NaN")).map(|(_, i)| i).collect();
        // A row around values that nest as deep as a reader follows is more than this test's own reader follows.
        if !bad.is_empty() && blocks.len() > 4 && blocks.iter().all(|b| b.len() < 100) {
            place.write("bad.tbl", &file);
            return bad;
        }
    }
}

#[test]
fn one_bad_record_is_named_and_hides_no_other() {
    let place = Place(Folder::new());
    let bad = bad_blocks(&place);
    let (code, rows) = place.json(&["head", "bad.tbl", "-n", "100"]);
    let dataset = forebay_native::Dataset::open(place.0.at("bad.tbl")).unwrap();
    assert_eq!((code, rows.len() as u64), (1, dataset.len()));
    for i in &bad {
        let row = &rows[*i as usize];
        assert_eq!((&row["fault"]["code"], &row["fault"]["sample"]), (&json!("tbl.metadata"), &json!(i)), "{row}");
        assert_eq!(row["metadata"]["json"], "{\"a\": NaN}", "it is there all the same");
        assert_eq!(row["format"], "bmp");
    }
    let (code, rows) = place.json(&["head", "bad.tbl", "-n", "100", "--where", "width >= 1"]);
    assert_eq!((code, rows.len() as u64), (1, dataset.len()));
    let (code, rows) = place.json(&["stats", "bad.tbl", "--where", "index >= 0"]);
    assert_eq!((code, &rows[0]["samples"]), (1, &json!(dataset.len())));
    assert!(rows[0]["fault_count"].as_u64().unwrap() >= bad.len() as u64 && rows[0]["faults"][0]["sample"].is_u64());
    let summary = place.ok(&["convert", "bad.tbl", "good.tbl", "--verify"]);
    assert_eq!(summary["samples"], dataset.len());
    let note = summary["notes"][0].as_str().unwrap();
    assert!(note.contains("kept as text") && note.contains("bad.tbl"), "{note}");
    assert_eq!(place.ok(&["check", "good.tbl"])["ok"], true);
    // A damaged index entry is a fault of its sample, too.
    let mut file = fs::read(place.0.at("good.tbl")).unwrap();
    file[64 + 24 + 3] ^= 1;
    place.write("entry.tbl", &file);
    let (code, rows) = place.json(&["head", "entry.tbl", "-n", "100"]);
    assert_eq!((code, rows.len() as u64), (1, dataset.len()));
    assert_eq!(rows[1]["fault"]["code"], "tbl.entry_crc");
    let (code, rows) = place.json(&["stats", "entry.tbl"]);
    assert_eq!((code, &rows[0]["samples"]), (1, &json!(dataset.len() - 1)));
}

#[test]
fn a_check_decodes_pictures_where_it_is_asked_to() {
    let place = Place(Folder::new());
    let (good, cut) = (bmp(30, 1), &bmp(30, 1)[..100]);
    let members: [(&str, &[u8]); 4] = [("a.bmp", &good), ("b.bmp", cut), ("c.txt", b"text"), ("d.bmp", &good)];
    place.write("a.tar", &tar(&members));
    for (name, bytes) in &members {
        place.write(&format!("folder/{name}"), bytes);
    }
    place.ok(&["convert", "a.tar", "a.tbl"]);
    place.ok(&["convert", "a.tar", "z.tbl", "--compression", "zstd"]);
    for file in ["a.tar", "folder", "a.tbl", "z.tbl"] {
        assert_eq!(place.ok(&["check", file])["ok"], true, "{file}");
        let (code, lines) = place.json(&["check", file, "--decode"]);
        let report = &lines[0];
        assert_eq!((code, &report["fault_count"], &report["decoded"]), (1, &json!(1), &json!(2)), "{file}: {report}");
        let fault = &report["faults"][0];
        assert_eq!(
            (&fault["code"], &fault["sample"], &fault["kind"]),
            (&json!("image.damaged"), &json!(1), &json!("damaged"))
        );
        let named = file == "a.tar" || file == "folder";
        assert_eq!(fault["member"].as_str(), named.then_some("b.bmp"), "{file}");
    }
    let note = |file: &str| place.json(&["check", file, "--decode"]).1[0]["notes"][0]["message"].clone();
    assert!(note("a.tbl").as_str().unwrap().contains("1 sample is not an image"), "{}", note("a.tbl"));
    let (code, lines) = place.json(&["check", "a.tar", "--decode", "--max-pixels", "10"]);
    let kinds: Vec<_> = lines[0]["faults"].as_array().unwrap().iter().map(|f| f["kind"].clone()).collect();
    assert_eq!((code, kinds), (1, vec![json!("limit"); 3]));
    let said = String::from_utf8(place.run(&["check", "a.tar", "--decode", "--max-pixels", "10"]).stdout).unwrap();
    assert!(
        said.contains("NOT CHECKED TO THE END") && said.contains("--max-pixels") && !said.contains("DAMAGED"),
        "{said}"
    );
}

#[test]
fn folders_are_read_as_people_have_them() {
    let place = Place(Folder::new());
    for (name, seed) in [("train/n01/a", 1), ("train/n02/b", 2), ("val/n01/c", 3), ("test/d", 4)] {
        place.write(&format!("imagenet/{name}.bmp"), &bmp(8, seed));
    }
    let summary = place.ok(&["convert", "imagenet", "i.tbl"]);
    assert!(summary["notes"][0].as_str().unwrap().contains("level 2: n01 and n02"), "{summary}");
    let rows = place.json(&["head", "i.tbl"]).1;
    let classes: Vec<_> =
        rows.iter().map(|row| (&row["name"], &row["metadata"]["class"], &row["metadata"]["cls"])).collect();
    let none = &Value::Null;
    assert_eq!(classes[0], (&json!("test/d.bmp"), none, none));
    assert_eq!(classes[2], (&json!("train/n02/b.bmp"), &json!("n02"), &json!(1)));
    assert_eq!(classes[3], (&json!("val/n01/c.bmp"), &json!("n01"), &json!(0)));
    place.ok(&["convert", "imagenet", "one.tbl", "--class-level", "1"]);
    assert_eq!(place.json(&["head", "one.tbl"]).1[0]["metadata"]["class"], "test");
    assert_eq!(place.ok(&["inspect", "imagenet", "--class-level", "0"])["classes"], json!([]));
    let done = place.run(&["convert", "i.tbl", "two.tbl", "--class-level", "1", "--json"]);
    assert!(error_of(&done)["message"].as_str().unwrap().contains("folders"));

    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("..", place.0.at("imagenet/val/up")).unwrap();
        let summary = place.ok(&["convert", "imagenet", "loop.tbl"]);
        assert_eq!(summary["samples"], 4);
        assert!(summary["notes"].to_string().contains("1 link that leads back"), "{summary}");
    }
    for shard in ["a.tbl", "b.tbl"] {
        fs::create_dir_all(place.0.at("shards")).unwrap();
        fs::copy(place.0.at("i.tbl"), place.0.at("shards").join(shard)).unwrap();
    }
    let done = place.run(&["convert", "shards", "none.tbl", "--json"]);
    let error = error_of(&done);
    assert!(error["message"].as_str().unwrap().contains("forebay concat 'shards/*.tbl'"), "{error}");
    assert!(!done.status.success() && !place.0.at("none.tbl").exists());
}

#[test]
fn names_that_leave_their_folder_are_told_going_in_and_come_out_as_others() {
    let place = Place(Folder::new());
    let names = ["../up", "/abs", "a:b", "fine"];
    let members: Vec<(String, Vec<u8>)> = names
        .iter()
        .flat_map(|name| [(format!("{name}.bmp"), bmp(8, 1)), (format!("{name}.cls"), b"3".to_vec())])
        .collect();
    place.write("a.tar", &tar(&members));
    let summary = place.ok(&["convert", "a.tar", "a.tbl"]);
    let note = summary["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("2 names leave their folder") && note.contains("\"../up.bmp\", will be \"__/up.bmp\""),
        "{note}"
    );
    let summary = place.ok(&["convert", "a.tbl", "b.tar", "--verify"]);
    assert!(summary["notes"][0].as_str().unwrap().starts_with("2 names left their folder"), "{summary}");
    assert_eq!((&summary["samples"], &summary["faults"]), (&json!(4), &json!([])));
    let rows = place.json(&["head", "b.tar"]).1;
    let back: Vec<_> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(back, ["__/up.bmp", "_/abs.bmp", if cfg!(windows) { "a_b.bmp" } else { "a:b.bmp" }, "fine.bmp"]);
    assert!(rows.iter().all(|row| row["metadata"]["cls"] == 3), "sidecars go along");
    place.ok(&["extract", "a.tbl", "--all", "--to", "out"]);
    assert_eq!(fs::read(place.0.at("out/__/up.cls")).unwrap(), b"3");
}

#[test]
fn options_that_change_nothing_are_refused() {
    let place = Place(Folder::new());
    place.write("a.tar", &tar(&[("a.bmp", bmp(8, 1)), ("b.bmp", bmp(9, 2))]));
    place.write("t.csv", b"id,age\n1,2\n");
    place.ok(&["convert", "a.tar", "a.tbl"]);
    for (args, word) in [
        (&["convert", "a.tbl", "b.tar", "--compression", "zstd"][..], "--compression"),
        (&["convert", "a.tbl", "b.tar", "--layout", "guide"], "--layout"),
        (&["convert", "a.tbl", "b.tar", "--metadata-format", "json"], "--metadata-format"),
        (&["convert", "a.tar", "b.tbl", "--columns", "id"], "--columns"),
        (&["convert", "a.tar", "b.tbl", "--lossy"], "--lossy"),
        (&["convert", "a.tar", "b.tbl", "--delimiter", ";"], "--delimiter"),
        (&["convert", "a.tar", "b.csv", "--layout", "guide"], "--layout"),
        (&["convert", "t.csv", "t.parquet", "--layout", "turboloader"], "--layout"),
        (&["convert", "t.csv", "t.parquet", "--keep-going"], "--keep-going"),
        (&["head", "t.csv", "--hash"], "--hash"),
        (&["head", "a.tbl", "--columns", "id"], "--columns"),
        (&["stats", "t.csv", "--label", "id"], "--label"),
        (&["check", "t.csv", "--decode"], "--decode"),
        (&["check", "a.tbl", "--types", "id=u8"], "--types"),
        (&["concat", "a.tbl", "-o", "b.tar", "--compression", "lz4"], "--compression"),
        (&["split", "a.tar", "--shards", "2", "-o", "s", "--layout", "guide"], "--layout"),
        (&["split", "a.tbl", "--train", "1", "--list", "l.csv", "--layout", "guide"], "--layout"),
        (&["split", "a.tbl", "--train", "1", "--list", "l.csv", "--verify"], "--verify"),
    ] {
        let done = place.run(&[args, &["--json"]].concat());
        let error = error_of(&done);
        let message = error["message"].as_str().unwrap();
        assert_eq!((done.status.code(), &error["code"]), (Some(2), &json!("usage.argument")), "{args:?}: {error}");
        let refused = message.contains("changes nothing in") || message.contains("has no effect without");
        assert!(message.starts_with(word) && refused, "{args:?}: {message}");
    }
    // Of a file that cannot be opened nobody knows what would change something.
    place.write("empty", b"");
    for args in [
        &["head", "empty", "--sparse"][..],
        &["stats", "empty", "--columns", "id"],
        &["inspect", "empty", "--types", "id=u8"],
    ] {
        let error = error_of(&place.run(&[args, &["--json"]].concat()));
        assert_eq!(error["code"], "format.empty", "{args:?}: {error}");
    }
}

#[test]
fn several_inputs_become_one_and_sizes_are_compared_only_where_they_can_be() {
    let place = Place(Folder::new());
    place.write("a.tar", &tar(&[("a.bmp", bmp(8, 1))]));
    place.write("b.tar", &tar(&[("b.bmp", bmp(9, 2)), ("c.bmp", bmp(9, 3))]));
    place.write("t.csv", b"id\n1\n");
    assert_eq!(place.ok(&["convert", "a.tar", "b.tar", "all.tbl"])["samples"], 3);
    assert_eq!(place.ok(&["convert", "t.csv", "t.csv", "all.jsonl"])["rows"], 2);
    let error = error_of(&place.run(&["convert", "a.tar", "t.csv", "x.tbl", "--json"]));
    assert!(error["message"].as_str().unwrap().contains("do not become one"), "{error}");
    let said = |args: &[&str]| String::from_utf8(place.run(args).stderr).unwrap();
    assert!(said(&["convert", "a.tar", "s.tbl"]).contains("\nsaved "));
    let grown = said(&["convert", "s.tbl", "s.tar"]);
    assert!(grown.contains("\nlarger by ") && !grown.contains("-"), "{grown}");
    assert!(!said(&["convert", "b.tar", "f.tbl", "--where", "index == 0"]).contains("saved"));
    assert!(!said(&["split", "all.tbl", "--shards", "3", "-o", "shards"]).contains("saved"));
}

#[test]
fn files_of_other_kinds_and_addresses_are_told_by_name() {
    let place = Place(Folder::new());
    place.write("a.zip", b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0");
    place.write("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04");
    place.write("a.tar.xz", b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46");
    place.write("a.list", b"[{\"a\": 1}]\n");
    place.write(
        "stray.tar",
        &tar(&[("a.bmp", &bmp(8, 1)[..]), ("b.bmp", &bmp(8, 2)), ("a.json", b"{}"), ("b.json", b"{}")]),
    );
    for (args, word) in [
        (&["convert", "a.zip", "x.tbl"][..], "it may be cut"),
        (&["convert", "a.7z", "x.tbl"], "7z archive"),
        (&["head", "a.tar.xz"], "xz"),
        (&["inspect", "a.list"], "array of JSON"),
        (&["head", "-"], "a pipe"),
        (&["check", "-"], "a pipe"),
        (&["head", "what://example.org/a.tbl"], "begin with s3://"),
    ] {
        let done = place.run(&[args, &["--json"]].concat());
        let error = error_of(&done);
        assert!(error["message"].as_str().unwrap().contains(word), "{args:?}: {error}");
        assert!(!done.status.success());
    }
    let note = &place.ok(&["convert", "stray.tar", "stray.tbl"])["notes"][0];
    assert!(note.as_str().unwrap().starts_with("2 files are samples by being apart"), "{note}");
    assert!(forebay(["--version"]).status.success());
}

#[test]
fn of_several_files_each_is_told_and_the_worst_is_the_exit_code() {
    let place = Place(Folder::new());
    place.write("good.tar", &tar(&[("a.bmp", bmp(8, 1))]));
    place.write("good.csv", b"a,b\n1,2\n");
    place.write("other.7z", b"7z\xbc\xaf\x27\x1c and more of an archive of another kind");
    let mut cut = tar(&[("a.bmp", bmp(8, 1)), ("b.bmp", bmp(8, 2))]);
    cut.truncate(cut.len() - 1600);
    place.write("cut.tar", &cut);
    // Of a line: the file, and what was wrong with it as a whole.
    let told = |lines: &[Value]| -> Vec<(String, Value)> {
        let one = |line: &Value| match line.get("error") {
            Some(error) => (error["file"].as_str().unwrap().to_owned(), error["code"].clone()),
            None => (line["file"].as_str().unwrap_or("row").to_owned(), Value::Null),
        };
        lines.iter().map(one).collect()
    };
    let (code, lines) = place.json(&["check", "good.tar", "gone", "cut.tar", "other.7z", "no*.tbl", "good.csv"]);
    let expected = [
        ("good.tar", Value::Null),
        ("gone", json!("io")),
        ("cut.tar", Value::Null),
        ("other.7z", json!("format.unknown")),
        ("no*.tbl", json!("usage.argument")),
        ("good.csv", Value::Null),
    ];
    assert_eq!(told(&lines), expected.map(|(file, error)| (file.to_owned(), error)));
    assert_eq!(
        (code, &lines[0]["ok"], &lines[2]["ok"], &lines[5]["ok"]),
        (2, &json!(true), &json!(false), &json!(true))
    );
    // What was not looked at is worse than what is damaged, and that is worse than what is not supported.
    for (files, worst) in [
        (["good.tar", "good.csv", "good.tar"], 0),
        (["good.tar", "other.7z", "good.csv"], 3),
        (["other.7z", "cut.tar", "good.csv"], 1),
        (["gone", "cut.tar", "other.7z"], 2),
    ] {
        for command in ["check", "inspect", "head"] {
            let (code, lines) = place.json(&[&[command], &files[..]].concat());
            assert_eq!((code, lines.len()), (worst, 3), "{command} {files:?}: {lines:?}");
        }
    }
    // For people each has its line, and what could not be looked at is on standard error.
    let done = place.run(&["check", "gone", "good.tar", "gone too"]);
    assert_eq!(String::from_utf8_lossy(&done.stdout), "good.tar: sound, 1 samples\n");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.starts_with("error: gone: cannot open") && said.contains("\nerror: gone too: cannot open"), "{said}");
    // Sums without one of their parts would be wrong.
    assert_eq!(place.json(&["stats", "good.tar", "gone"]).0, 2);
}

#[test]
fn a_sound_file_with_what_is_not_read_is_unsupported_and_not_damaged() {
    let place = Place(Folder::new());
    let whole = tar(&[("a.bmp", &bmp(8, 1)[..]), ("b.bmp", &bmp(8, 2))]);
    // The second member, as another program may write it.
    let second = whole.len() / 512 * 512 - 1024 - 512 - bmp(8, 2).len().next_multiple_of(512);
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        let header = &mut bytes[second..second + 512];
        assert!(header.starts_with(b"b.bmp"));
        header[at] = byte;
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes
    };
    place.write("sparse.tar", &changed(156, b'S'));
    place.write("volume.tar", &changed(156, b'M'));
    place.write("latin.tar", &changed(0, 0xe9));
    for (name, code) in
        [("sparse.tar", "tar.unsupported"), ("volume.tar", "tar.unsupported"), ("latin.tar", "tar.name")]
    {
        let (exit, said) = place.json(&["check", name]);
        assert_eq!((exit, &said[0]["ok"], &said[0]["faults"][0]["code"]), (3, &json!(false), &json!(code)), "{name}");
        let done = place.run(&["check", name]);
        let text = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.code() == Some(3) && text.contains("NOT CHECKED TO THE END, 1 is not supported"), "{text}");
        // Of several files the worst counts.
        place.write("cut.tar", &whole[..550]);
        assert_eq!(place.run(&["check", name, "cut.tar"]).status.code(), Some(1), "{name}");
    }
}

#[test]
fn a_class_that_no_sample_has_is_refused() {
    let place = Place(Folder::new());
    place.write("a.tar", &tar(&[("a.bmp", &bmp(8, 1)[..]), ("a.cls", b"3")]));
    assert_eq!(place.ok(&["stats", "a.tar", "--label", "cls"])["classes"]["distinct"], 1);
    let (code, said) = place.json(&["stats", "a.tar", "--label", "clas"]);
    assert_eq!((code, &said[0]["error"]["code"]), (2, &json!("usage.argument")), "{said:?}");
    assert_eq!(place.run(&["extract", "a.tar", "-i", "0", "--where", "cls == 4"]).status.code(), Some(2));
}

#[test]
fn what_is_one_text_is_an_object_with_json() {
    let place = Place(Folder::new());
    assert!(place.ok(&["completions", "bash"])["script"].as_str().unwrap().contains("forebay"));
    assert!(place.ok(&["man"])["manual"].as_str().unwrap().contains("FOREBAY"));
}

#[test]
fn behind_a_damaged_header_of_a_tar_reading_goes_on_where_it_is_asked_to() {
    let place = Place(Folder::new());
    let pictures: Vec<_> = (0..5).map(|i| (format!("{i}.bmp"), bmp(8, i))).collect();
    let mut bytes = tar(&pictures.iter().map(|(name, bytes)| (&**name, &bytes[..])).collect::<Vec<_>>());
    let member = 512 + pictures[0].1.len().next_multiple_of(512);
    bytes[member + 3] ^= 1;
    bytes[3 * member + 3] ^= 1;
    place.write("bad.tar", &bytes);
    let at = |faults: &Value| -> Vec<u64> {
        faults.as_array().unwrap().iter().map(|fault| fault["offset"].as_u64().unwrap()).collect()
    };
    let (code, said) = place.json(&["check", "bad.tar"]);
    assert_eq!((code, &said[0]["samples"], &said[0]["notes"]), (1, &json!(3), &json!([])), "{said:?}");
    assert_eq!(at(&said[0]["faults"]), [member as u64, 3 * member as u64]);
    assert_eq!(place.json(&["convert", "bad.tar", "out.tbl"]).0, 1);
    let (code, said) = place.json(&["convert", "bad.tar", "out.tbl", "--keep-going"]);
    assert_eq!((code, &said[0]["samples"]), (1, &json!(3)), "{said:?}");
    assert_eq!(at(&said[0]["faults"]), [member as u64, 3 * member as u64]);
    // As a stream the same.
    let mut packed = Vec::new();
    let mut encoder = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &bytes).unwrap();
    encoder.finish().unwrap();
    place.write("bad.tar.gz", &packed);
    let (code, streamed) = place.json(&["convert", "bad.tar.gz", "streamed.tbl", "--keep-going"]);
    assert_eq!((code, &streamed[0]["samples"]), (1, &json!(3)), "{streamed:?}");
    assert_eq!(streamed[0]["faults"], said[0]["faults"]);
    // How it ends is said once.
    place.write("open.tar", &tar(&[("a.bmp", &bmp(8, 1)[..])])[..2 * 512]);
    let (_, said) = place.json(&["check", "open.tar"]);
    assert_eq!(said[0]["notes"].as_array().map(Vec::len), Some(1), "{said:?}");
    let (_, said) = place.json(&["inspect", "open.tar"]);
    assert_eq!((said[0]["notes"].as_array().map(Vec::len), said[0].get("note")), (Some(1), None), "{said:?}");
}

#[test]
fn head_prints_the_digits_that_are_in_the_file() {
    let place = Place(Folder::new());
    let record = r#"{"wide": [123456789012345678901234567890 , -9223372036854775809],  "text": "a  b", "n": 7}"#;
    place.write("a.tar", &tar(&[("a.bmp", &bmp(8, 1)[..]), ("a.json", record.as_bytes())]));
    for file in ["a.tar", "a.tbl"] {
        if file == "a.tbl" {
            place.ok(&["convert", "a.tar", "a.tbl"]);
        }
        let said = String::from_utf8(place.run(&["head", file, "--json"]).stdout).unwrap();
        assert_eq!(said.lines().count(), 1);
        assert!(
            said.contains(r#""wide":[123456789012345678901234567890,-9223372036854775809],"text":"a  b","n":7"#),
            "{said}"
        );
        assert!(said.starts_with(r#"{"i":0,"name":"a.bmp","#) && said.contains(r#""codec":"#), "{said}");
    }
}

#[test]
fn a_folder_without_images_is_refused_with_what_it_holds_and_replaces_nothing() {
    let place = Place(Folder::new());
    let dicom = [&[0; 128][..], b"DICM\x02\0\0\0"].concat();
    place.write("rows.csv", b"a\n1\n2\n");
    place.ok(&["convert", "rows.csv", "good.parquet"]);
    let good = fs::read(place.0.at("good.parquet")).unwrap();
    for (file, bytes, word) in [
        ("parquet/part-0.parquet", &good[..], "forebay convert 'parquet/*.parquet' all.parquet"),
        ("tbl/a.tbl", b"TBL", "forebay concat 'tbl/*.tbl'"),
        ("dicom/1.dcm", &dicom, "DICOM"),
        ("lance/data/1.lance", b"x", "Lance"),
        ("zarr/.zgroup", b"{}", "Zarr"),
        ("lmdb/data.mdb", b"x", "LMDB"),
        ("audio/1.flac", b"fLaC\0\0\0\x22", "FLAC"),
        ("gif/1.gif", b"GIF89a\x01\0\x01\0", "GIF"),
    ] {
        place.write(file, bytes);
        place.write(&file.replace(file.rsplit('/').next().unwrap(), "more.notes"), b"x");
        let folder = file.split('/').next().unwrap();
        for output in ["good.parquet", "good.tbl", "good.csv"] {
            let done = place.run(&["convert", folder, output, "--force", "--json"]);
            let error = error_of(&done);
            assert_eq!(error["code"], "format.not_samples", "{error}");
            assert!(error["message"].as_str().unwrap().contains(word), "{word}: {error}");
        }
        for command in ["inspect", "check", "head", "stats"] {
            assert_eq!(error_of(&place.run(&[command, folder, "--json"]))["code"], "format.not_samples", "{command}");
        }
    }
    assert_eq!(fs::read(place.0.at("good.parquet")).unwrap(), good);
    assert!(!place.0.at("good.tbl").exists() && !place.0.at("good.csv").exists());
}

#[test]
fn the_sample_of_an_archive_is_no_sidecar_and_a_guess_is_said() {
    let place = Place(Folder::new());
    let audio = [b"fLaC\0\0\0\x22".as_slice(), &[7; 500]].concat();
    // As webdataset's own writer sorts the files of a sample.
    place.write("audio.tar", &tar(&[("1.cls", &b"3"[..]), ("1.flac", &audio), ("1.json", b"{\"a\": 1}")]));
    place.write("two.tar", &tar(&[("1.json", &b"{}"[..]), ("1.npy", b"12345"), ("1.wav", &audio)]));
    place.write("tars.tar", &tar(&[("1.tar", &audio[..]), ("2.tar", &audio)]));
    for (file, name, note) in [
        ("audio.tar", "1.flac", "no file of the archive has the name of an image or video"),
        ("two.tar", "1.wav", "the largest of several files was taken for the sample: 1.wav"),
        ("tars.tar", "1.tar", "is an archive itself"),
    ] {
        let says = |value: &Value| {
            let notes = value["notes"].as_array().unwrap().iter();
            assert!(notes.map(Value::to_string).any(|said| said.contains(note)), "{file}: {value}");
        };
        says(&place.ok(&["inspect", file]));
        says(&place.ok(&["check", file]));
        let tbl = file.replace("tar", "tbl");
        says(&place.ok(&["convert", file, &tbl]));
        let row = place.ok(&["head", &tbl, "-n", "1"]);
        assert_eq!((row["name"].as_str(), row["bytes"].as_u64()), (Some(name), Some(audio.len() as u64)), "{row}");
        // The same files come back.
        let back = file.replace(".tar", "-back.tar");
        place.ok(&["convert", &tbl, &back]);
        assert_eq!(fs::read(place.0.at(&back)).unwrap(), fs::read(place.0.at(file)).unwrap(), "{file}");
        // And a stream says as much.
        let packed = file.replace(".tar", ".tar.gz");
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gz, &fs::read(place.0.at(file)).unwrap()).unwrap();
        place.write(&packed, &gz.finish().unwrap());
        says(&place.ok(&["convert", &packed, &tbl, "--force"]));
    }
}

#[test]
fn images_of_a_folder_are_known_by_content_and_what_is_left_out_is_named() {
    let place = Place(Folder::new());
    for name in ["f/plain", "f/odd.ext", "f/image.jfif", "f/usual.bmp"] {
        place.write(name, &bmp(8, 1));
    }
    place.write("f/moving.gif", b"GIF89a\x01\0\x01\0");
    place.write("f/sound.flac", b"fLaC\0\0\0\x22");
    place.write("f/list.txt", b"a list");
    let found = place.ok(&["inspect", "f"]);
    assert_eq!((&found["samples"], &found["left_out"]), (&json!(4), &json!(3)), "{found}");
    let note = "3 files belong to no image or video and are left out; the first: moving.gif (a GIF image), sound.flac \
                (FLAC audio), list.txt";
    assert_eq!(found["notes"], json!([note]));
    assert_eq!(place.ok(&["convert", "f", "f.tbl"])["notes"], json!([note]));
    assert_eq!(place.ok(&["check", "f"])["notes"][0]["message"], note);
    assert!(String::from_utf8(place.run(&["inspect", "f"]).stdout).unwrap().contains("moving.gif (a GIF image)"));
    let names: Vec<_> = place.json(&["head", "f.tbl"]).1.into_iter().map(|row| row["format"].clone()).collect();
    assert_eq!(names, ["bmp"; 4]);
}

#[test]
fn folders_that_are_no_classes_give_none_and_those_that_are_taken_for_classes_are_said() {
    let place = Place(Folder::new());
    for name in ["coco/val2017/1.bmp", "coco/train2017/2.bmp", "masks/images/1.bmp", "masks/masks/1.bmp"] {
        place.write(name, &bmp(8, 1));
    }
    for name in ["pets/cat/1.bmp", "pets/dog/2.bmp"] {
        place.write(name, &bmp(8, 1));
    }
    for folder in ["coco", "masks"] {
        let found = place.ok(&["inspect", folder]);
        assert_eq!((&found["classes"], &found["class_level"]), (&json!([]), &json!(0)));
        assert!(found["notes"][0].as_str().unwrap().contains("there are no classes"), "{found}");
        place.ok(&["convert", folder, "x.tbl", "--force"]);
        let rows = place.json(&["head", "x.tbl"]).1;
        assert!(rows.iter().all(|row| row["metadata"].get("cls").is_none() && row["metadata"].get("class").is_none()));
    }
    let found = place.ok(&["inspect", "pets"]);
    assert_eq!(found["notes"], json!(["the classes are the folders of level 1: cat and dog"]));
    assert_eq!(place.ok(&["inspect", "pets", "--class-level", "0"])["notes"], json!([]));
}

#[test]
fn a_forgotten_output_does_not_cost_the_last_of_the_inputs() {
    let place = Place(Folder::new());
    for name in ["s/1.tar", "s/2.tar", "s/3.tar"] {
        place.write(name, &tar(&[("a.bmp", bmp(8, 1))]));
    }
    let before = fs::read(place.0.at("s/3.tar")).unwrap();
    for args in [
        &["convert", "s/1.tar", "s/2.tar", "s/3.tar", "s/3.tar", "--force", "--json"][..],
        &["concat", "s/1.tar", "s/3.tar", "-o", "s/3.tar", "--force", "--json"],
    ] {
        assert_eq!(error_of(&place.run(args))["code"], "usage.argument", "{args:?}");
    }
    assert_eq!(fs::read(place.0.at("s/3.tar")).unwrap(), before);
    // One alone may be made anew.
    place.ok(&["convert", "s/1.tar", "s/1.tar", "--force"]);
}

#[test]
fn what_is_compressed_and_no_archive_is_named_by_what_is_in_it() {
    let place = Place(Folder::new());
    for (name, bytes, word) in [
        ("train-images-idx3-ubyte.gz", &b"\0\0\x08\x03\0\0\xea\x60\0\0\0\x1c\0\0\0\x1cpixels"[..], "MNIST"),
        ("table.gz", b"a,b\n1,2\n", "x.csv.gz"),
        ("a.tbl.gz", b"TBL\x02\x02\0\0\0", "this is tbl, compressed; gunzip -k a.tbl.gz"),
    ] {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gz, bytes).unwrap();
        place.write(name, &gz.finish().unwrap());
        for args in [&["inspect", name][..], &["convert", name, "x.tbl"]] {
            let error = error_of(&place.run(&[args, &["--json"]].concat()));
            assert_eq!(error["code"], "format.unknown", "{error}");
            assert!(error["message"].as_str().unwrap().contains(word), "{error}");
        }
    }
}

#[test]
fn broken_images_are_named_by_their_files() {
    let place = Place(Folder::new());
    place.write("f/good.bmp", &bmp(8, 1));
    place.write("f/bad.jpg", b"\xff\xd8\xff\xe0 and no more");
    place.write("a.tar", &tar(&[("good.bmp", bmp(8, 1)), ("bad.jpg", b"\xff\xd8\xff\xe0 and no more".to_vec())]));
    place.ok(&["convert", "a.tar", "a.tbl"]);
    for input in ["f", "a.tar", "a.tbl"] {
        let (code, lines) = place.json(&["convert", input, "x.tbl", "--decode", "8", "--keep-going", "--force"]);
        assert_eq!((code, &lines[0]["samples"], &lines[0]["faults"][0]["member"]), (1, &json!(1), &json!("bad.jpg")));
    }
}

/// A TIFF of tiles whose colors lie apart, over which the crate `tiff` panicked.
fn planar_tiff() -> Vec<u8> {
    let side = 32_u32;
    let fields: [(u16, u16, u32, u32); 11] = [
        (256, 4, 1, side),
        (257, 4, 1, side),
        (258, 3, 3, 146),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (277, 3, 1, 3),
        (284, 3, 1, 2),
        (322, 4, 1, side),
        (323, 4, 1, side),
        (324, 4, 3, 152),
        (325, 4, 3, 164),
    ];
    let mut file = b"II*\0\x08\0\0\0\x0b\0".to_vec();
    for (tag, kind, count, value) in fields {
        file.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        file.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
    }
    file.extend([0; 4]);
    file.extend([8_u16; 3].map(u16::to_le_bytes).concat());
    file.extend([0, 1, 2].map(|tile| (176 + tile * side * side).to_le_bytes()).concat());
    file.extend([(side * side).to_le_bytes(); 3].concat());
    file.resize(176 + 3 * 32 * 32, 99);
    file
}

#[test]
fn an_image_over_which_a_decoder_panics_ends_no_work() {
    let place = Place(Folder::new());
    place.write("f/a.bmp", &bmp(8, 1));
    place.write("f/b.tif", &planar_tiff());
    place.write("f/c.bmp", &bmp(8, 1));
    let (code, lines) = place.json(&["convert", "f", "x.tbl", "--decode", "8", "--keep-going"]);
    let summary = &lines[0];
    // Decoded or left out by name, whatever the decoder can.
    match summary["samples"].as_u64() {
        Some(3) => assert_eq!(code, 0, "{summary}"),
        found => {
            assert_eq!((code, found, &summary["faults"][0]["member"]), (1, Some(2), &json!("b.tif")), "{summary}");
        }
    }
    let (_, lines) = place.json(&["check", "--decode", "f"]);
    assert!(lines[0]["samples"] == 3 && lines[0]["faults"].as_array().unwrap().len() <= 1, "{lines:?}");
    let (code, lines) = place.json(&["outliers", "f"]);
    assert!(code < 2, "{lines:?}");
}

#[test]
fn a_table_of_samples_says_that_it_has_no_images() {
    let place = Place(Folder::new());
    place.write("a.tar", &tar(&[("a.bmp", bmp(8, 1))]));
    let notes = &place.ok(&["convert", "a.tar", "a.csv"])["notes"];
    assert!(notes[0].as_str().unwrap().contains("no images"), "{notes}");
}

#[test]
fn mistakes_that_people_make_are_answered_by_what_to_write() {
    let place = Place(Folder::new());
    place.write("p.tar", &tar(&[("a.bmp", &bmp(8, 1)[..]), ("a.json", b"{\"label\": \"cat\"}")]));
    place.write("a.csv", b"a,b\n1,2\n");
    place.write("m.jsonl", b"{\"a\":1}\n{\"a\":2}\n");
    place.ok(&["convert", "p.tar", "p.tbl"]);
    for (args, words) in [
        (&["head", "p.tbl", "--where", "name LIKE '*.bmp'"][..], "~, with * and ?"),
        (&["head", "p.tbl", "--where", "cls is 1"], "`is 1` is == 1"),
        (&["head", "p.tbl", "--where", "cls is not null"], "!= null"),
        (&["head", "p.tbl", "--where", "width between 1 and 2"], "x >= 1 && x <= 2"),
        (&["head", "p.tbl", "--where", "width <> 1"], "<> is written !="),
        (&["head", "p.tbl", "--where", "width => 1"], "it is written >= or <="),
        (&["head", "p.tbl", "--where", "NOT width > 1"], "\"not\" is written !"),
        (&["head", "p.tbl", "--where", "name contains \"a\""], "name ~"),
        (&["head", "p.tbl", "--where", "len(name) > 3"], "no functions but any and count"),
        (&["head", "p.tbl", "--where", "width > 1,000"], "numbers have no commas"),
        (&["head", "p.tbl", "--where", "width * 2 > 3"], "do not calculate"),
        (&["head", "p.tbl", "--where", "width > 1 AND height > 1"], "small letters"),
        (&["head", "p.tbl", "--where", "day == 2024-02-29"], "put dates into quotes"),
        (&["head", "p.tbl", "--where", "cls in (1, 2)"], "[1, 2]"),
        (&["head", "p.tbl", "--where", "name == \"*.bmp\""], "name ~ \"*.bmp\""),
        (&["extract", "p.tbl"], "--all --to folder"),
        (&["split", "p.tbl", "-o", "d"], "--train 0.8"),
        (&["p.tar"], "forebay inspect p.tar"),
        (&["head", "p.tbl", "5"], "-n 5"),
        (&["head", "p.tbl", "-5"], "-n 5"),
        (&["inspect", "www.example.org/a.tbl"], "https://"),
        (&["inspect", "s3/bucket/a.tbl"], "s3://"),
        (&["convert", "p.tar", "x.tbl", "--metadata", "m.jsonl"], "{\"samples\":["),
        (&["convert", "p.tar", "x.tbl", "--labels", "a.csv"], "ImageID,LabelName"),
        (&["concat", "a.csv", "a.csv", "-o", "x.csv"], "forebay convert a.csv b.csv x.csv"),
        (&["stats", "p.tbl", "--label", "label"], "did you mean json.label"),
        (&["convert", "-i", "p.tar", "x.tbl"], "without an option"),
    ] {
        let done = place.run(args);
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(said.contains(words), "{args:?}: {said}");
    }
    for args in [
        &["info", "p.tbl"][..],
        &["ls", "p.tbl"],
        &["validate", "p.tbl"],
        &["convert", "p.tar", "-o", "y.tbl"],
        &["convert", "p.tar", "-o", "y.tbl", "-f"],
        &["convert", "p.tar", "y.tbl", "--overwrite"],
        &["head", "p.tbl", "--filter", "width > 1"],
    ] {
        assert!(place.run(args).status.success(), "{args:?}");
    }
    let help = String::from_utf8(place.run(&["--help"]).stdout).unwrap();
    assert!(help.contains(" Make files:\n") && help.contains("TBF is its binary table format"), "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    let help = String::from_utf8(place.run(&["convert", "--help"]).stdout).unwrap();
    assert!(help.contains("Examples:\n  forebay convert train.tar train.tbl") && help.contains("Parquet"), "{help}");
    for name in ["concat", "split", "shards"] {
        let help = String::from_utf8(place.run(&[name, "--help"]).stdout).unwrap();
        let of_tables = ["Parquet", "snappy", "deflate", "IDV"].into_iter().find(|word| help.contains(word));
        assert_eq!(of_tables, None, "{name}: {help}");
        assert!(help.contains("lz4") && help.contains("zstd"), "{name}: {help}");
    }
}
