//! Warehouses that are not what they were, or would not be what was meant: what is read of them is seen to be wrong, none that is
//! sound goes in their favor, and no picture gets the boxes of another.

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

#[test]
fn the_newest_is_proven_before_an_older_one_goes() {
    let folder = Folder::new();
    let out = path(&folder, "g");
    pictures(&folder, 12);
    build(&folder, "g", &["--boxes", "none"], 0);
    pictures(&folder, 11);
    let new = build(&folder, "g", &["--boxes", "none"], 0);
    let shard = PathBuf::from(new["manifest"].as_str().unwrap()).with_file_name("shard_00000.bin");
    // Header and length are right, so that only the digest tells.
    flip(&shard, 4000);
    assert_eq!(said(&run(&["warehouse", "gc", &out]), 0), Value::Array(vec![]));
    flip(&shard, 4000);
    assert_eq!(said(&run(&["warehouse", "gc", &out]), 0).as_array().unwrap().len(), 1);
}

#[test]
fn a_source_that_changed_since_is_told() {
    let folder = Folder::new();
    let (from, _) = warehouse(&folder, &[]);
    let out = path(&folder, "w");
    let stale = || said(&run(&["warehouse", "list", &out]), 0)[0]["stale"].clone();
    let notes = || said(&run(&["check", &from]), 0).to_string();
    assert!(stale().is_null() && !notes().contains("after the warehouse was built"), "{} {}", stale(), notes());
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(folder.at("t.tar")).unwrap().set_modified(later).unwrap();
    assert!(stale().as_str().unwrap().contains("t.tar was changed after"), "{}", stale());
    assert!(notes().contains("t.tar was changed after the warehouse was built"), "{}", notes());
}

/// COCO's labels of pictures of 64 x 48, one box in each.
fn coco(folder: &Folder, names: &[&str], size: [u32; 2], bbox: [u32; 4]) -> String {
    let images = names
        .iter()
        .zip(1..)
        .map(|(name, id)| serde_json::json!({ "id": id, "file_name": name, "width": size[0], "height": size[1] }));
    let boxes = (1..=names.len()).map(
        |id| serde_json::json!({ "id": id, "image_id": id, "category_id": 1, "bbox": bbox, "area": 1, "iscrowd": 0 }),
    );
    let (images, boxes): (Vec<_>, Vec<_>) = (images.collect(), boxes.collect());
    let all = serde_json::json!({ "images": images, "annotations": boxes, "categories": [{ "id": 1, "name": "a" }] });
    fs::write(folder.at("coco.json"), all.to_string()).unwrap();
    path(folder, "coco.json")
}

fn build_of(folder: &Folder, sources: &[&str], more: &[&str]) -> Output {
    let out = path(folder, &format!("w{}", fs::read_dir(folder.path()).unwrap().count()));
    let sources: Vec<String> = sources.iter().map(|source| path(folder, source)).collect();
    let sources = sources.iter().map(String::as_str);
    let line: Vec<&str> = ["warehouse", "build"].into_iter().chain(sources).chain(["-o", &out]).collect();
    run(&[&line[..], &["--size", "64x64", "--resize", "force"], more].concat())
}

#[test]
fn a_picture_gets_no_boxes_of_another_of_its_name() {
    let folder = Folder::new();
    for run in ["v1", "v2"] {
        fs::create_dir_all(folder.at("p").join(run)).unwrap();
        fs::write(folder.at("p").join(run).join("1.jpg"), super::turned_jpeg(1)).unwrap();
    }
    let labels = coco(&folder, &["v1/1.jpg"], [64, 48], [16, 12, 32, 24]);
    let made = said(&build_of(&folder, &["p"], &["--labels", &labels]), 0);
    let totals = &made["summary"]["totals"];
    assert_eq!(
        (&made["samples"], &totals["boxes"], &totals["refused"]["unlabeled"]),
        (&1.into(), &1.into(), &1.into())
    );
    // Folder by folder both could be that picture.
    let refused = error_of(&build_of(&folder, &["p/v1", "p/v2"], &["--labels", &labels]));
    assert_eq!(refused["code"], "label.ambiguous", "{refused}");
    coco(&folder, &["1.jpg"], [64, 48], [16, 12, 32, 24]);
    let refused = error_of(&build_of(&folder, &["p"], &["--labels", &labels]));
    assert_eq!(refused["code"], "label.ambiguous", "{refused}");
    coco(&folder, &["a/1.jpg", "b/1.jpg"], [64, 48], [16, 12, 32, 24]);
    let refused = error_of(&build_of(&folder, &["p/v1"], &["--labels", &labels]));
    assert_eq!(refused["code"], "label.ambiguous", "{refused}");
}

#[test]
fn runs_keep_their_labels_beside_pictures_with_others() {
    let folder = Folder::new();
    fs::create_dir_all(folder.at("captures/run/labels")).unwrap();
    fs::write(folder.at("captures/run/1.jpg"), super::turned_jpeg(1)).unwrap();
    let label = r#"{"frame_id":1,"image":"1.jpg","image_present":true,"labels":[{"bbox_px":[0,0,32,24]}]}"#;
    fs::write(folder.at("captures/run/labels/1.json"), label).unwrap();
    fs::create_dir_all(folder.at("pf")).unwrap();
    fs::write(folder.at("pf/2.jpg"), super::turned_jpeg(1)).unwrap();
    let labels = coco(&folder, &["2.jpg"], [64, 48], [16, 12, 32, 24]);
    let made = said(&build_of(&folder, &["captures", "pf"], &["--labels", &labels]), 0);
    let totals = &made["summary"]["totals"];
    assert_eq!(
        (&made["samples"], &totals["boxes"], &totals["refused"]),
        (&2.into(), &2.into(), &serde_json::json!({}))
    );
    // Labels for nobody.
    let refused = error_of(&build_of(&folder, &["captures"], &["--labels", &labels]));
    assert_eq!(refused["code"], "usage.argument", "{refused}");
}

#[test]
fn every_source_has_the_boxes_that_were_named() {
    let folder = Folder::new();
    pictures(&folder, 4);
    let other = [("a.bmp", bmp(40, 1)), ("a.json", br#"{"others":[[1,0,10,2]]}"#.to_vec())];
    fs::write(folder.at("u.tar"), tar(&other)).unwrap();
    let refused = error_of(&build_of(&folder, &["t.tar", "u.tar"], &["--boxes", "json.boxes:xywh"]));
    assert_eq!(refused["code"], "label.format", "{refused}");
    assert!(refused["file"].as_str().unwrap().ends_with("u.tar"), "{refused}");
}

#[test]
fn boxes_of_turned_pictures_lie_where_it_was_said() {
    let folder = Folder::new();
    let members = [("a.jpg", super::turned_jpeg(6)), ("a.json", br#"{"boxes":[[0,0,24,32]]}"#.to_vec())];
    fs::write(folder.at("t.tar"), tar(&members)).unwrap();
    fs::create_dir(folder.at("p")).unwrap();
    fs::write(folder.at("p/a.jpg"), super::turned_jpeg(6)).unwrap();
    let boxes = |source: &str, more: &[&str]| {
        let made = said(&build_of(&folder, &[source], more), 0);
        super::stored(std::path::Path::new(made["manifest"].as_str().unwrap()))[0].boxes[0]
            .map(|side| (side * 48.0).round())
    };
    // Of 64 x 48 stored pixels, seen as 48 x 64: nobody said in which of them four numbers are.
    let named = ["--boxes", "json.boxes:xywh"];
    let refused = error_of(&build_of(&folder, &["t.tar"], &named));
    assert_eq!(refused["code"], "label.ambiguous", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("--exif"), "{refused}");
    assert_eq!(boxes("t.tar", &[&named[..], &["--exif", "apply"]].concat()), [0.0, 0.0, 24.0, 24.0]);
    assert_eq!(boxes("t.tar", &[&named[..], &["--exif", "ignore"]].concat()), [0.0, 0.0, 18.0, 32.0]);
    // Labels that give a size say it, whatever is to become of the picture.
    let labels = coco(&folder, &["a.jpg"], [48, 64], [0, 0, 24, 32]);
    for (more, right) in [
        (&[][..], [0.0, 0.0, 24.0, 24.0]),
        (&["--exif", "apply"], [0.0, 0.0, 24.0, 24.0]),
        (&["--exif", "ignore"], [0.0, 24.0, 24.0, 48.0]),
    ] {
        assert_eq!(boxes("p", &[&["--labels", &labels], more].concat()), right, "{more:?}");
    }
}
