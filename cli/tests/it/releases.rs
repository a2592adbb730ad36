//! The files that each release wrote: every later version reads them, with the same values.

use std::{fs, path::Path, process::Command};

use forebay_native::loader::{Image, Loader, State};
use serde_json::Value;

use crate::common::FOREBAY;

/// Runs the command in the folder of a release, and gives the lines of JSON that it prints.
fn lines(folder: &Path, words: &[&str]) -> Vec<Value> {
    let done = Command::new(FOREBAY).args(words).arg("--json").current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{words:?}: {done:?}");
    std::str::from_utf8(&done.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Fails unless everything that a release listed is there with the same value; later versions may add fields.
fn holds(now: &Value, then: &Value, place: &str) {
    match (now, then) {
        (Value::Object(now), Value::Object(then)) => then.iter().for_each(|(key, then)| {
            holds(now.get(key).unwrap_or(&Value::Null), then, &format!("{place}.{key}"));
        }),
        (Value::Array(now), Value::Array(then)) => {
            assert_eq!(now.len(), then.len(), "{place}");
            now.iter().zip(then).enumerate().for_each(|(i, (now, then))| holds(now, then, &format!("{place}[{i}]")));
        }
        _ => assert_eq!(now, then, "{place}"),
    }
}

#[test]
fn every_file_of_every_release_is_read_with_the_same_values() {
    let releases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/releases");
    let mut files = 0;
    for folder in fs::read_dir(releases).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for line in fs::read_to_string(folder.join("listing.jsonl")).unwrap().lines() {
            let then: Value = serde_json::from_str(line).unwrap();
            let name = then["file"].as_str().unwrap();
            let (now, then) = match name {
                "state.json" => (rest(&folder), &then["rest"]),
                "edits.jsonl" => (lines(&folder, &["edits", "show", name]).into(), &then["changes"]),
                _ => {
                    let hash = then["rows"][0].get("sha256").map(|_| "--hash");
                    let words: Vec<&str> = ["head", name].into_iter().chain(hash).collect();
                    assert_eq!(lines(&folder, &["check", name])[0]["ok"], true, "{name}");
                    (lines(&folder, &words).into(), &then["rows"])
                }
            };
            holds(&now, then, &format!("{}/{name}", folder.display()));
            files += 1;
        }
        lines(&folder, &["thumbs", "guide-none.tbl", "--check"]);
        lines(&folder, &["labels", "check", "coco.json"]);
        let applied = lines(&folder, &["apply", "guide-none.tbl", "edits.jsonl", "--dry-run"]);
        assert_eq!(applied[0]["samples"], 3);
    }
    assert!(files >= 26, "{files} files");
}

/// The samples that a saved run goes on with.
fn rest(folder: &Path) -> Value {
    let state: State = serde_json::from_str(&fs::read_to_string(folder.join("state.json")).unwrap()).unwrap();
    let loader = Loader::open(folder.join("guide-lz4.tbl")).unwrap().batch(1).shuffle(7).labels("cls");
    let mut loader = loader.image(Image::new(8, 8)).resume(state).build().unwrap();
    loader.epoch(0).unwrap().flat_map(|batch| batch.unwrap().indices().to_vec()).collect()
}
