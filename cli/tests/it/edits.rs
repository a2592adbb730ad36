//! `forebay apply` and `forebay edits`, and what is left when they are killed.
#![allow(clippy::disallowed_methods, reason = "a test of files and processes")]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use forebay::warehouse::sha256;
use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    edits::Edits,
};
use serde_json::{Map, Value, json};

use crate::{
    common::{FOREBAY, Folder, bmp, error_of, forebay, tar},
    dice::rounds,
};

/// A dataset of this many samples, as an archive and as a TBL.
fn datasets(folder: &Folder, samples: u32) {
    let mut members = Vec::new();
    for i in 0..samples {
        members.push((format!("{i:05}.bmp"), bmp(4 + i % 7, i)));
        members.push((
            format!("{i:05}.json"),
            format!("{{\"label\":\"c{}\",\"text\":\"{}\"}}", i % 3, "x".repeat(100)).into(),
        ));
    }
    fs::write(folder.at("a.tar"), tar(&members)).unwrap();
    let dataset = Dataset::open(folder.at("a.tar")).unwrap();
    Job::new(vec![dataset], Options::new(To::Tbl)).run(&folder.at("a.tbl")).unwrap();
}

fn run(folder: &Folder, arguments: &[&str]) -> std::process::Output {
    Command::new(FOREBAY).args(arguments).arg("--json").current_dir(folder.path()).output().unwrap()
}

#[track_caller]
fn ok(folder: &Folder, arguments: &[&str]) -> Value {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{output:?}");
    let report = serde_json::from_slice(&output.stdout).unwrap();
    crate::schemas::hold(arguments, [&report]);
    report
}

#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], code: &str) -> Value {
    let output = run(folder, arguments);
    let error = error_of(&output);
    assert_eq!(error["code"], code, "{error}");
    error
}

fn labels(path: &Path) -> Vec<Value> {
    let dataset = Dataset::open(path).unwrap();
    (0..dataset.len()).map(|i| dataset.metadata_value(i).unwrap().unwrap()["json"]["label"].clone()).collect()
}

#[test]
fn a_journal_is_applied_to_every_kind_of_dataset() {
    let folder = Folder::new();
    datasets(&folder, 6);
    ok(&folder, &["extract", "a.tar", "--all", "--to", "a"]);
    for from in ["a.tbl", "a.tar", "a"] {
        let journal = format!("{}.jsonl", from.replace('.', "-"));
        let mut edits = Edits::open(&Dataset::open(folder.at(from)).unwrap(), &folder.at(&journal)).unwrap();
        edits.change(r#"{"do":"set","sample":1,"fields":{"json.label":"boat"}}"#).unwrap();
        edits.change(r#"{"do":"remove","sample":0}"#).unwrap();
        edits.change(r#"{"do":"move","sample":5,"before":1}"#).unwrap();
        let given = Map::from_iter([("fields".to_owned(), json!({"json.label": "new"}))]);
        assert_eq!(edits.add("n.bmp", &bmp(3, 9), given).unwrap(), 6);
        edits.save().unwrap();
        drop(edits);
        for to in ["o.tbl", "o.tar"] {
            let told = ok(&folder, &["apply", from, &journal, "-o", to, "--force"]);
            assert_eq!([&told["changed"], &told["removed"], &told["added"], &told["samples"]], [1, 1, 1, 6], "{told}");
            assert_eq!(labels(&folder.at(to)), ["c2", "boat", "c2", "c0", "c1", "new"], "{from} {to}");
            assert!(forebay(["check", folder.at(to).to_str().unwrap()]).status.success());
            let [old, new] = [from, to].map(|at| Dataset::open(folder.at(at)).unwrap());
            assert_eq!(new.payload(0).unwrap(), old.payload(5).unwrap());
            assert_eq!(new.payload(5).unwrap(), bmp(3, 9));
        }
    }
}

#[test]
fn journals_are_checked_shown_and_merged() {
    let folder = Folder::new();
    datasets(&folder, 4);
    let dataset = Dataset::open(folder.at("a.tbl")).unwrap();
    for (name, label) in [("x", "one"), ("y", "two")] {
        let mut edits = Edits::open(&dataset, &folder.at(name)).unwrap();
        edits.change(&format!(r#"{{"do":"set","sample":2,"fields":{{"json.label":"{label}"}}}}"#)).unwrap();
        edits.change(r#"{"do":"remove","sample":1}"#).unwrap();
        edits.change(r#"{"do":"undo"}"#).unwrap();
        let e = Edits::open(&dataset, &folder.at(name)).unwrap_err();
        assert_eq!(e.code().id(), "edits.locked");
    }
    let told = ok(&folder, &["edits", "check", "x", "--of", "a.tbl"]);
    assert_eq!([&told["lines"], &told["standing"], &told["changed"], &told["removed"]], [3, 1, 1, 0], "{told}");
    let shown = Command::new(FOREBAY).args(["edits", "show", "x"]).current_dir(folder.path()).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert_eq!(shown.lines().nth(1), Some("(undone) {\"n\":2,\"do\":\"remove\",\"sample\":1}"));
    let error = refused(&folder, &["edits", "merge", "x", "y", "-o", "z"], "edits.conflict");
    assert_eq!((&error["sample"], &error["file"]), (&json!(2), &json!("y")));
    assert!(error["message"].as_str().unwrap().contains("--ours"), "{error}");
    // What only a record can refuse is found before anything is written.
    let mut within = Edits::open(&dataset, &folder.at("p")).unwrap();
    within.change(r#"{"do":"set","sample":2,"fields":{"json.label.x":1}}"#).unwrap();
    drop(within);
    for line in [&["edits", "check", "p", "--of", "a.tbl"][..], &["apply", "a.tbl", "p", "--dry-run"]] {
        refused(&folder, line, "edits.path");
    }
    let told = ok(&folder, &["edits", "merge", "x", "y", "-o", "z", "--theirs"]);
    assert_eq!(told["conflicts"][0]["path"], "json.label");
    ok(&folder, &["apply", "a.tbl", "z", "--in-place"]);
    assert_eq!(labels(&folder.at("a.tbl")), ["c0", "c1", "two", "c0"]);
    // The file is another one now, so that nothing is done twice.
    refused(&folder, &["apply", "a.tbl", "z", "--in-place"], "edits.other_file");
    refused(&folder, &["apply", "a.tar", "z", "-o", "o.tbl"], "edits.other_file");
    let whole = fs::read(folder.at("x")).unwrap();
    fs::write(folder.at("x"), &whole[..whole.len() - 3]).unwrap();
    assert!(ok(&folder, &["edits", "check", "x"])["torn_bytes"].as_u64().unwrap() > 0);
    fs::write(folder.at("x"), [&whole[..40], b"X", &whole[41..]].concat()).unwrap();
    assert_eq!(refused(&folder, &["edits", "check", "x"], "edits.checksum")["line"], 1);
}

#[test]
fn a_record_that_does_not_read_is_refused_before_anything_is_written() {
    let folder = Folder::new();
    datasets(&folder, 4);
    ok(&folder, &["convert", "a.tbl", "t.tbl", "--layout", "turboloader"]);
    let mut bytes = fs::read(folder.at("t.tbl")).unwrap();
    let label = br#""label":"c1""#;
    let at = bytes.windows(label.len()).position(|part| part == label).unwrap();
    // That layout has no checksum over its metadata.
    bytes[at..at + label.len()].copy_from_slice(br#""label": NaN"#);
    fs::write(folder.at("t.tbl"), bytes).unwrap();
    let mut edits = Edits::open(&Dataset::open(folder.at("t.tbl")).unwrap(), &folder.at("j")).unwrap();
    edits.change(r#"{"do":"set","sample":1,"fields":{"json.label":"boat"}}"#).unwrap();
    drop(edits);
    let errors = [
        &["apply", "t.tbl", "j", "-o", "o.tbl"][..],
        &["apply", "t.tbl", "j", "--dry-run"],
        &["edits", "check", "j", "--of", "t.tbl"],
    ]
    .map(|line| error_of(&run(&folder, line)));
    for error in &errors {
        assert_eq!((&error["code"], &error["sample"]), (&errors[0]["code"], &json!(1)), "{error}");
        assert!(error["message"].as_str().unwrap().contains("so it cannot be changed"), "{error}");
    }
    assert!(!folder.at("o.tbl").exists());
}

#[test]
fn merging_leaves_nothing_where_it_is_refused() {
    let folder = Folder::new();
    datasets(&folder, 4);
    let dataset = Dataset::open(folder.at("a.tar")).unwrap();
    for name in ["x", "y"] {
        let mut edits = Edits::open(&dataset, &folder.at(name)).unwrap();
        edits.add(&format!("{name}.bmp"), &bmp(3, 9), Map::new()).unwrap();
    }
    fs::write(folder.at("z"), "somebody's").unwrap();
    refused(&folder, &["edits", "merge", "x", "y", "-o", "z"], "usage.argument");
    assert!(!folder.at("z.blobs").exists());
    // One that would have to be read while it is replaced.
    let before = fs::read(folder.at("y.blobs")).unwrap();
    refused(&folder, &["edits", "merge", "x", "y", "-o", "y", "--force"], "usage.argument");
    assert_eq!(fs::read(folder.at("y.blobs")).unwrap(), before);
    refused(&folder, &["edits", "merge", "x", "y", "-o", "-"], "usage.argument");
    assert!(!folder.at("-.blobs").exists());
    assert_eq!(ok(&folder, &["edits", "merge", "x", "y", "-o", "z", "--force"])["changes"], 2);
    assert_eq!(ok(&folder, &["apply", "a.tar", "z", "-o", "o.tbl"])["samples"], 6);
    // Bytes that are not there are said to be so, whatever is made of them.
    fs::write(folder.at("z.blobs"), b"short").unwrap();
    for to in ["p.tbl", "p.tar"] {
        refused(&folder, &["apply", "a.tar", "z", "-o", to], "edits.blob");
    }
}

#[test]
fn a_merged_journal_on_standard_output_is_alone_there() {
    let folder = Folder::new();
    datasets(&folder, 4);
    let dataset = Dataset::open(folder.at("a.tar")).unwrap();
    for (name, sample) in [("x", 1), ("y", 2)] {
        let mut edits = Edits::open(&dataset, &folder.at(name)).unwrap();
        edits.change(&format!(r#"{{"do":"remove","sample":{sample}}}"#)).unwrap();
    }
    for more in [&[][..], &["--json"]] {
        let mut merged = Command::new(FOREBAY);
        merged.args(["edits", "merge", "x", "y", "-o", "-"]).args(more);
        let merged = merged.current_dir(folder.path()).output().unwrap();
        fs::write(folder.at("z"), &merged.stdout).unwrap();
        assert_eq!(ok(&folder, &["edits", "check", "z", "--of", "a.tar"])["removed"], 2, "{merged:?}");
    }
}

#[test]
fn another_file_than_a_journal_is_not_written_over() {
    let folder = Folder::new();
    datasets(&folder, 2);
    let dataset = Dataset::open(folder.at("a.tar")).unwrap();
    for text in ["my notes, without an end of the line", "{\"forebay\": 1}", "{\"forebay_edits\":x"] {
        fs::write(folder.at("n"), text).unwrap();
        let opened = Edits::open(&dataset, &folder.at("n"));
        if text.starts_with("{\"forebay_edits\":") {
            // What a crash left of a first line was never a journal.
            assert!(opened.is_ok());
        } else {
            assert_eq!(opened.unwrap_err().code().id(), "edits.line", "{text}");
            assert_eq!(fs::read_to_string(folder.at("n")).unwrap(), text);
        }
    }
}

#[test]
fn killed_at_any_moment_it_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new();
    datasets(&folder, 3000);
    let dataset = Dataset::open(folder.at("a.tbl")).unwrap();
    let mut edits = Edits::open(&dataset, &folder.at("j")).unwrap();
    for i in 0..3000 {
        edits.change(&format!(r#"{{"do":"set","sample":{i},"fields":{{"json.label":"new"}}}}"#)).unwrap();
    }
    drop(edits);
    let old = fs::read(folder.at("a.tbl")).unwrap();
    let before = labels(&folder.at("a.tbl"));
    let (mut landed, mut stayed) = (0, 0);
    for in_place in [true, false] {
        let rounds = rounds(100);
        for round in 0..rounds {
            fs::write(folder.at("b.tbl"), &old).unwrap();
            let more: &[&str] = if in_place { &["--in-place"] } else { &["-o", "b.tbl", "--force"] };
            let from = if in_place { "b.tbl" } else { "a.tbl" };
            let mut child = Command::new(FOREBAY)
                .args(["apply", from, "j"])
                .args(more)
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Moments spread over the whole run, however fast the machine is: what is asserted depends on none of them.
            std::thread::sleep(Duration::from_micros((round * 100 / rounds).pow(2) * 40));
            let _ = child.kill();
            child.wait().unwrap();
            let after = labels(&folder.at("b.tbl"));
            assert_eq!(after.len(), before.len());
            match after == before {
                true => stayed += 1,
                false => {
                    assert!(after.iter().all(|label| label == "new"), "round {round}");
                    landed += 1;
                }
            }
        }
    }
    assert!(stayed > 0, "no run was killed early enough ({landed} landed)");
    fs::write(folder.at("b.tbl"), &old).unwrap();
    ok(&folder, &["apply", "b.tbl", "j", "--in-place"]);
    assert!(forebay(["check", folder.at("b.tbl").to_str().unwrap()]).status.success());
    assert!(labels(&folder.at("b.tbl")).iter().all(|label| label == "new"));
}

#[test]
fn a_journal_has_the_same_bytes_on_every_host() {
    let folder = Folder::new();
    let of = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/edits");
    for name in ["of.tbl", "edits.jsonl", "edits.jsonl.blobs", "metadata.jsonl"] {
        fs::copy(of.join(name), folder.at(name)).unwrap();
    }
    let told: Value = serde_json::from_slice(&fs::read(of.join("edits.json")).unwrap()).unwrap();
    let is =
        |name: &str, what: &str| assert_eq!(sha256(&fs::read(folder.at(name)).unwrap()), told[what].as_str().unwrap());
    for to in ["tbl", "tar"] {
        let output = format!("new.{to}");
        ok(&folder, &["apply", "of.tbl", "edits.jsonl", "-o", &output]);
        is(&output, to);
    }
    ok(&folder, &["apply", "of.tbl", "metadata.jsonl", "--in-place"]);
    is("of.tbl", "in_place");
}

/// A file may not grow beyond the caller's limit, as on a disk that is full.
#[cfg(unix)]
#[test]
fn a_change_in_place_that_finds_no_room_leaves_the_file_as_it_was() {
    let folder = Folder::new();
    datasets(&folder, 40);
    // At first there is no free room in the file; then an earlier change has left some, which is too small.
    for turn in 0..2 {
        let journal = format!("j{turn}");
        let mut edits = Edits::open(&Dataset::open(folder.at("a.tbl")).unwrap(), &folder.at(&journal)).unwrap();
        let label = "y".repeat(2000 * (turn + 1));
        for sample in 0..20 {
            edits.change(&format!(r#"{{"do":"set","sample":{sample},"fields":{{"json.label":"{label}"}}}}"#)).unwrap();
        }
        edits.save().unwrap();
        drop(edits);
        let before = fs::read(folder.at("a.tbl")).unwrap();
        let limit = before.len() / 512 + 3;
        let line = format!("ulimit -f {limit}; \"$0\" apply a.tbl {journal} --in-place --json");
        let done = Command::new("sh").args(["-c", &line, FOREBAY]).current_dir(folder.path()).output().unwrap();
        assert_eq!((done.status.code(), &error_of(&done)["code"]), (Some(2), &json!("io")), "{done:?}");
        assert!(fs::read(folder.at("a.tbl")).unwrap() == before, "turn {turn}");
        ok(&folder, &["check", "a.tbl"]);
        ok(&folder, &["apply", "a.tbl", &journal, "--in-place"]);
        ok(&folder, &["check", "a.tbl"]);
    }
}

/// Journals `x` and `y` of `a.tar`, each of which adds a sample.
fn two_additions(folder: &Folder) {
    datasets(folder, 4);
    let dataset = Dataset::open(folder.at("a.tar")).unwrap();
    for (name, width) in [("x", 3), ("y", 5)] {
        let mut edits = Edits::open(&dataset, &folder.at(name)).unwrap();
        edits.add(&format!("{name}.bmp"), &bmp(width, 9), Map::new()).unwrap();
    }
}

#[test]
fn a_merge_over_an_older_journal_leaves_its_additions_until_the_new_one_is_there() {
    let folder = Folder::new();
    two_additions(&folder);
    ok(&folder, &["edits", "merge", "x", "y", "-o", "z"]);
    let mut longest = 0;
    for _ in 0..6 {
        let old = fs::read(folder.at("z")).unwrap();
        ok(&folder, &["edits", "merge", "y", "x", "-o", "z", "--force"]);
        ok(&folder, &["edits", "check", "z", "--of", "a.tar"]);
        // As it is if the machine dies between the bytes and the journal.
        fs::write(folder.at("w"), old).unwrap();
        fs::copy(folder.at("z.blobs"), folder.at("w.blobs")).unwrap();
        ok(&folder, &["edits", "check", "w", "--of", "a.tar"]);
        ok(&folder, &["apply", "a.tar", "w", "-o", "o.tbl", "--force"]);
        longest = longest.max(fs::metadata(folder.at("z.blobs")).unwrap().len());
    }
    let once = fs::metadata(folder.at("x.blobs")).unwrap().len() + fs::metadata(folder.at("y.blobs")).unwrap().len();
    assert!(longest <= 3 * once, "{longest} bytes for {once}");
    // Bytes that no journal names any more do not stay.
    for name in ["p", "q"] {
        let mut edits = Edits::open(&Dataset::open(folder.at("a.tar")).unwrap(), &folder.at(name)).unwrap();
        edits.change(r#"{"do":"remove","sample":1}"#).unwrap();
    }
    ok(&folder, &["edits", "merge", "p", "q", "-o", "z", "--force"]);
    assert!(!folder.at("z.blobs").exists());
}

#[test]
fn added_bytes_are_looked_at_wherever_a_journal_is() {
    let folder = Folder::new();
    two_additions(&folder);
    let mut bytes = fs::read(folder.at("x.blobs")).unwrap();
    bytes[20] ^= 1;
    fs::write(folder.at("x.blobs"), bytes).unwrap();
    for line in [
        &["edits", "check", "x"][..],
        &["edits", "check", "x", "--of", "a.tar"],
        &["edits", "merge", "x", "y", "-o", "z"],
        &["edits", "merge", "y", "x", "-o", "z"],
        &["apply", "a.tar", "x", "--dry-run"],
    ] {
        refused(&folder, line, "edits.blob");
    }
    assert!(!folder.at("z").exists() && !folder.at("z.blobs").exists());
}

#[test]
fn what_a_change_in_place_leaves_is_a_note_until_the_next_one_clears_it() {
    let folder = Folder::new();
    datasets(&folder, 4);
    let mut bytes = fs::read(folder.at("a.tbl")).unwrap();
    bytes.extend([7; 300]);
    fs::write(folder.at("a.tbl"), bytes).unwrap();
    let said = ok(&folder, &["check", "a.tbl"]);
    assert_eq!((&said["ok"], &said["notes"][0]["code"]), (&true.into(), &"tbl.gap".into()), "{said}");
    let mut edits = Edits::open(&Dataset::open(folder.at("a.tbl")).unwrap(), &folder.at("j")).unwrap();
    edits.change(r#"{"do":"set","sample":1,"fields":{"json.label":"boat"}}"#).unwrap();
    drop(edits);
    ok(&folder, &["apply", "a.tbl", "j", "--in-place"]);
    let said = ok(&folder, &["check", "a.tbl"]);
    assert_eq!((&said["ok"], &said["notes"]), (&true.into(), &json!([])), "{said}");
}

#[test]
fn a_journal_is_applied_with_the_classes_of_a_project() {
    let folder = Folder::new();
    datasets(&folder, 4);
    let dataset = Dataset::open(folder.at("a.tbl")).unwrap();
    let mut edits = Edits::open(&dataset, &folder.at("e.jsonl")).unwrap();
    let set = json!({"do": "set", "sample": 1, "annotations": [{"class": "gull", "xmin": 0, "ymin": 0, "xmax": 2, "ymax": 2}]});
    edits.change(&set.to_string()).unwrap();
    edits.save().unwrap();
    drop((edits, dataset));
    fs::write(folder.at("p.json"), r#"{"forebay_project":1,"classes":["boat",{"name":"gull","id":18}]}"#).unwrap();
    fs::write(folder.at("names.txt"), "boat\ncar\n").unwrap();
    ok(&folder, &["apply", "a.tbl", "e.jsonl", "-o", "b.tbl", "--project", "p.json"]);
    let made = Dataset::open(folder.at("b.tbl")).unwrap().document().unwrap();
    assert_eq!(made["classes"], json!(["boat", "gull"]));
    assert_eq!(made["categories"], json!([{"name": "boat"}, {"id": 18, "name": "gull"}]));
    refused(&folder, &["apply", "a.tbl", "e.jsonl", "-o", "c.tbl", "--project", "names.txt"], "label.class");
    assert!(!folder.at("c.tbl").exists());
    ok(&folder, &["apply", "a.tbl", "e.jsonl", "--in-place", "--project", "p.json"]);
    let changed = Dataset::open(folder.at("a.tbl")).unwrap().document().unwrap();
    assert_eq!(changed["classes"], json!(["boat", "gull"]));
}
