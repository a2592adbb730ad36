//! Warehouses that are not what they were: what is read of them is seen to be wrong, and none that is sound goes in their favor.

use std::{fs, path::PathBuf, process::Output};

use serde_json::Value;

use crate::common::{Folder, bmp, error_of, forebay, tar};

/// Twelve pictures, every second with a box.
fn pictures(folder: &Folder, count: u32) -> String {
    let one = |i: u32| {
        let boxes = if i % 2 == 1 { r#"{"boxes":[[1,0,10,2]]}"# } else { r#"{"boxes":[]}"# };
        [(format!("{i:03}.bmp"), bmp(40 + i, i)), (format!("{i:03}.json"), boxes.into())]
    };
    fs::write(folder.at("t.tar"), tar(&(0..count).flat_map(one).collect::<Vec<_>>())).unwrap();
    path(folder, "t.tar")
}

fn path(folder: &Folder, name: &str) -> String {
    folder.at(name).to_str().unwrap().to_owned()
}

fn run(line: &[&str]) -> Output {
    forebay(line.iter().copied().chain(["--json"]))
}

#[track_caller]
fn said(output: &Output, code: i32) -> Value {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Builds with these settings; the JSON, or the error's.
fn build(folder: &Folder, out: &str, more: &[&str], code: i32) -> Value {
    let (source, out) = (path(folder, "t.tar"), path(folder, out));
    let base = ["warehouse", "build", &source, "-o", &out, "--size", "16x16"];
    said(&run(&[&base[..], more].concat()), code)
}

/// A warehouse of twelve samples, and its first shard.
fn warehouse(folder: &Folder, more: &[&str]) -> (String, PathBuf) {
    pictures(folder, 12);
    let made = build(folder, "w", &[&["--boxes", "json.boxes:xywh"], more].concat(), 0);
    let manifest = PathBuf::from(made["manifest"].as_str().unwrap());
    let shard = manifest.with_file_name("shard_00000.bin");
    (manifest.parent().unwrap().to_str().unwrap().to_owned(), shard)
}

fn flip(file: &std::path::Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 0xff;
    fs::write(file, bytes).unwrap();
}

#[test]
fn a_build_goes_on_only_where_one_of_the_same_settings_ended() {
    let folder = Folder::new();
    pictures(&folder, 12);
    let boxes = ["--boxes", "json.boxes:xywh"];
    build(&folder, "k", &[&boxes[..], &["--skip-empty", "--max-empty", "3"]].concat(), 1);
    let made = build(&folder, "k", &boxes, 0);
    assert_eq!((&made["resumed"], &made["samples"]), (&0.into(), &12.into()));
    build(&folder, "j", &[&boxes[..], &["--max-empty", "3"]].concat(), 1);
    let made = build(&folder, "j", &[&boxes[..], &["--skip-empty"]].concat(), 0);
    assert_eq!((&made["resumed"], &made["samples"]), (&0.into(), &6.into()));
    // A threshold is not among them.
    build(&folder, "i", &[&boxes[..], &["--max-empty", "3"]].concat(), 1);
    assert_eq!(build(&folder, "i", &[&boxes[..], &["--max-empty", "6"]].concat(), 0)["resumed"], 12);
}

#[test]
fn a_warehouse_that_is_there_has_to_hold_the_thresholds_of_now() {
    let folder = Folder::new();
    pictures(&folder, 12);
    let again = ["--boxes", "none", "--skip-if-exists"];
    build(&folder, "th", &again[..2], 0);
    let refused = build(&folder, "th", &[&again[..], &["--max-empty", "1"]].concat(), 1);
    assert_eq!(refused["error"]["code"], "warehouse.threshold");
    let allowed = build(&folder, "th", &[&again[..], &["--max-empty", "1", "--allow-violations"]].concat(), 0);
    assert_eq!((&allowed["reused"], allowed["violations"].as_array().unwrap().len()), (&true.into(), 1));
    assert_eq!(
        build(&folder, "th", &[&again[..], &["--max-empty", "12"]].concat(), 0)["violations"],
        Value::Array(vec![])
    );
}

#[test]
fn no_sound_warehouse_goes_in_favor_of_a_damaged_one() {
    let folder = Folder::new();
    let out = path(&folder, "g");
    pictures(&folder, 12);
    let old = build(&folder, "g", &["--boxes", "none"], 0);
    pictures(&folder, 11);
    let new = build(&folder, "g", &["--boxes", "none"], 0);
    let shard = PathBuf::from(new["manifest"].as_str().unwrap()).with_file_name("shard_00000.bin");
    let whole = fs::read(&shard).unwrap();
    let state = |version: &Value| {
        let list = said(&run(&["warehouse", "list", &out]), 0);
        let found = list.as_array().unwrap().iter().find(|kept| kept["version"] == *version).cloned().unwrap();
        (found["state"].as_str().unwrap().to_owned(), found["fault"].is_string())
    };
    let is = |state: &str, fault: bool| (state.to_owned(), fault);
    for left in [None, Some(100), Some(whole.len() - 1)] {
        match left {
            Some(len) => fs::write(&shard, &whole[..len]).unwrap(),
            None => fs::remove_file(&shard).unwrap(),
        }
        assert_eq!((state(&old["version"]), state(&new["version"])), (is("current", false), is("damaged", true)));
        assert_eq!(said(&run(&["warehouse", "gc", &out]), 0), Value::Array(vec![]));
    }
    fs::write(&shard, whole).unwrap();
    assert_eq!((state(&old["version"]), state(&new["version"])), (is("replaced", false), is("current", false)));
    // A damaged one that a sound one replaces goes as any other.
    fs::remove_file(PathBuf::from(old["manifest"].as_str().unwrap()).with_file_name("shard_00000.bin")).unwrap();
    assert_eq!(state(&old["version"]), is("damaged", true));
    let gone = said(&run(&["warehouse", "gc", &out]), 0);
    assert_eq!((gone.as_array().unwrap().len(), &gone[0]["gone"]), (1, &true.into()));
    assert_eq!(state(&new["version"]), is("current", false));
}

#[test]
fn shards_that_do_not_open_are_faults_of_what_goes_on_without_them() {
    let folder = Folder::new();
    let (from, _) = warehouse(&folder, &[]);
    // A second shard, which is not there.
    let manifest = fs::read_to_string(PathBuf::from(&from).join("manifest.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&manifest).unwrap();
    let mut second = manifest["shards"][0].clone();
    (second["id"], second["relative_path"]) = ("00001".into(), "shard_00001.bin".into());
    manifest["shards"].as_array_mut().unwrap().push(second);
    fs::write(PathBuf::from(&from).join("manifest.json"), manifest.to_string()).unwrap();
    let (first, other) = ("shard_00000.bin", "shard_00001.bin");
    let shard = |name: &str| PathBuf::from(&from).join(name);
    let (out, parts) = (path(&folder, "out.tar"), path(&folder, "parts"));
    for to in [&["convert", &from, &out, "--force"][..], &["shards", &from, "-o", &parts, "--shards", "2"]] {
        let done = said(&run(&[to, &["--keep-going"]].concat()), 1);
        assert_eq!(done["samples"], 12, "{to:?}");
        let fault = &done["faults"][0];
        assert_eq!(fault["code"], "warehouse.shard_missing", "{to:?}: {done}");
        assert!(fault["message"].as_str().unwrap().contains(other), "{fault}");
        assert_eq!(error_of(&run(to))["code"], "warehouse.shard_missing", "{to:?}");
    }
    // Without any, what was there stays.
    fs::write(&out, "old").unwrap();
    fs::write(shard(other), &fs::read(shard(first)).unwrap()[..100]).unwrap();
    fs::remove_file(shard(first)).unwrap();
    for more in [&[][..], &["--verify"]] {
        let refused = error_of(&run(&[&["convert", &from, &out, "--force", "--keep-going"], more].concat()));
        assert_eq!(refused["code"], "warehouse.shard_missing");
    }
    assert_eq!(fs::read(&out).unwrap(), b"old");
}

#[test]
fn damaged_pixels_and_boxes_are_not_read_as_if_they_were_sound() {
    let folder = Folder::new();
    let (from, shard) = warehouse(&folder, &["--dtype", "u8"]);
    let sound = fs::read(&shard).unwrap();
    let image = 3 * 16 * 16;
    let offset = |at: usize| u64::from_le_bytes(sound[at..at + 8].try_into().unwrap()) as usize;
    let out = |name: &str| path(&folder, name);
    let (tbl, tar, table, pulled) = (out("b.tbl"), out("b.tar"), out("b.jsonl"), out("x"));
    let convert = ["convert", &from, &tbl, "--verify", "--force"];
    let export = ["warehouse", "export", &from, "--samples", "-o", &table, "--force"];
    assert_eq!(said(&run(&convert), 0)["verified"], 12);
    said(&run(&[&export[..], &["--means"]].concat()), 0);
    // A pixel of the third image.
    flip(&shard, offset(40) + 2 * image + 5);
    let refused = error_of(&run(&convert));
    assert_eq!((&refused["code"], &refused["sample"]), (&"warehouse.block_checksum".into(), &2.into()));
    let going = said(&run(&["convert", &from, &tar, "--keep-going"]), 1);
    assert_eq!((&going["samples"], going["faults"].as_array().unwrap().len()), (&11.into(), 1));
    assert_eq!(going["faults"][0]["code"], "warehouse.block_checksum");
    assert_eq!(error_of(&run(&[&export[..], &["--means"]].concat()))["code"], "warehouse.block_checksum");
    said(&run(&export), 0);
    let head = run(&["head", &from, "--hash", "-n", "5"]);
    assert!(String::from_utf8_lossy(&head.stderr).contains("[warehouse.block_checksum]"), "{head:?}");
    assert_eq!((head.status.code(), head.stdout.iter().filter(|byte| **byte == b'\n').count()), (Some(1), 5));
    assert_eq!(error_of(&run(&["extract", &from, "-i", "2", "-o", &pulled]))["code"], "warehouse.block_checksum");
    // A box, a mask and a record: of all samples of the shard nothing is known.
    for (what, at) in [("boxes", offset(48)), ("mask", offset(56)), ("metadata", sound.len() - 3)] {
        fs::write(&shard, &sound).unwrap();
        flip(&shard, at);
        let refused = error_of(&run(&convert));
        assert_eq!((&refused["code"], &refused["section"]), (&"warehouse.block_checksum".into(), &what.into()));
        assert_eq!(error_of(&run(&export))["code"], "warehouse.block_checksum", "{what}");
        assert_eq!(run(&["head", &from, "-n", "2"]).status.code(), Some(1), "{what}");
    }
}
