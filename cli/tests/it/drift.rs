//! Two warehouses beside each other: how far they drifted, which samples differ, and their samples as a table.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

use std::{fs, path::Path, process::Output};

use forebay::{
    codec::checksum::crc32,
    warehouse::{Dtype, Endianness, Shape},
};
use serde_json::{Value, json};

use crate::{
    common::{Folder, bmp, error_of, forebay},
    warehouses::{Files, Made, made},
};

const SHAPE: Shape = Shape::new(6, 4, 3, Dtype::F32);
const WIDE: [f32; 4] = [0.0, 0.25, 1.0, 0.5];
const SMALL: [f32; 4] = [0.5, 0.5, 0.625, 0.625];

/// Frames of two runs, with cats that are wide and dogs that are small.
fn frames(n: u64) -> Vec<Made> {
    let boxes = [(WIDE, Some(0)), (SMALL, Some(1)), (SMALL, None)];
    (0..n).map(|k| Made::new(if k % 3 == 0 { "a" } else { "b" }, k, &boxes[..k as usize % 4])).collect()
}

/// Puts a warehouse into a folder, and gives its path.
fn put(folder: &Folder, name: &str, files: &Files) -> String {
    fs::create_dir_all(folder.at(name)).unwrap();
    files.0.iter().for_each(|(file, bytes)| fs::write(folder.at(name).join(file), bytes).unwrap());
    folder.at(name).to_str().unwrap().to_owned()
}

fn run<const N: usize>(arguments: [&str; N]) -> Output {
    forebay(arguments)
}

#[track_caller]
fn said(output: &Output, code: i32) -> Value {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn corpus(case: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/twh/expected").join(case).to_str().unwrap().to_owned()
}

#[test]
fn drift_names_the_rows_that_are_too_far_and_fails() {
    let folder = Folder::new();
    let old = put(&folder, "old", &made(SHAPE, &["cat", "dog"], &frames(40)));
    let new = put(&folder, "new", &made(SHAPE, &["cat", "bird"], &frames(40)));
    let drift =
        said(&run(["warehouse", "drift", "--json", &old, &format!("{new}/manifest.json"), "--fail-above", "0.2"]), 1);
    assert_eq!((&drift["above"], &drift["fail_above"]), (&json!(["classes"]), &json!(0.2)));
    assert_eq!(drift["rows"][0]["name"], "classes");
    assert_eq!(drift["samples"], json!([40, 40]));
    // Left out, and with a bound that is far enough, it passes.
    assert_eq!(
        said(&run(["warehouse", "drift", "--json", &old, &new, "--fail-above", "0.2", "--ignore", "classes"]), 0)["above"],
        json!([])
    );
    assert_eq!(said(&run(["warehouse", "drift", "--json", &old, &new, "--fail-above", "0.9"]), 0)["above"], json!([]));
    let text = run(["warehouse", "drift", &old, &new, "--fail-above", "0.2"]);
    let printed = String::from_utf8(text.stdout).unwrap();
    assert!(text.status.code() == Some(1) && printed.ends_with("above 0.2: classes\n"), "{printed}");
    for wrong in ["box", "-1", "NaN"] {
        let what = if wrong == "box" { "--ignore" } else { "--fail-above" };
        assert_eq!(
            run(["warehouse", "drift", &old, &new, &format!("{what}={wrong}")]).status.code(),
            Some(2),
            "{wrong}"
        );
    }
    assert_eq!(error_of(&run(["warehouse", "drift", "--json", &old, "nowhere"]))["code"], "io");
}

#[test]
fn a_folder_of_warehouses_is_none_and_no_sound_folder() {
    let folder = Folder::new();
    let one = put(&folder, "all/v1", &made(SHAPE, &["cat"], &frames(4)));
    put(&folder, "all/v2", &made(SHAPE, &["cat"], &frames(8)));
    let all = folder.at("all").to_str().unwrap().to_owned();
    let out = folder.at("out.tbl").to_str().unwrap().to_owned();
    let refused = |arguments: &[&str], says: &str| {
        let output = forebay([arguments, &["--json"]].concat());
        let error = error_of(&output);
        assert_eq!(
            (output.status.code(), error["code"].as_str()),
            (Some(3), Some("format.not_samples")),
            "{arguments:?}"
        );
        assert!(error["message"].as_str().unwrap().contains(says), "{arguments:?}: {error}");
    };
    let says = format!("the folder holds 2 warehouses, and no images; name one, such as {one}");
    for command in ["check", "inspect", "head", "stats", "plan"] {
        refused(&[command, &all], &says);
    }
    refused(&["diff", &all, &all], &says);
    refused(&["convert", &all, &out], &says);
    refused(&["warehouse", "drift", &all, &one], &says);
    refused(&["warehouse", "export", &all, "-o", &out], &says);
    assert!(!folder.at("out.tbl").exists());
    // So is a folder of anything else, and one of nothing.
    fs::create_dir_all(folder.at("other/app")).unwrap();
    let other = folder.at("other").to_str().unwrap().to_owned();
    refused(&["check", &other], "the folder has no images");
    fs::write(folder.at("other/app/manifest.json"), "{\"name\": \"an app\"}").unwrap();
    refused(&["check", &other], "the folder has no images, but 1 other files");
    refused(&["warehouse", "drift", &other, &one], "no images");
}

#[test]
fn drift_draws_a_picture_and_leaves_one_that_is_there() {
    let folder = Folder::new();
    let svg = folder.at("drift.svg");
    let arguments =
        ["warehouse", "drift", &corpus("case_letterbox_64"), &corpus("case_force_48"), "--svg", svg.to_str().unwrap()];
    let first = run(arguments);
    assert!(first.status.success(), "{first:?}");
    // Letterboxed and stretched pictures are said to be so, and the first builder's shards have no classes.
    assert!(
        String::from_utf8_lossy(&first.stderr)
            .contains("they are resized by: letterbox in the old one, force in the new one")
    );
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(drawn.starts_with("<svg ") && drawn.contains("box width") && !drawn.contains(">classes<"));
    assert_eq!(run(arguments).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&svg).unwrap(), drawn);
    let pixels = said(&run(["warehouse", "drift", "--json", "--pixels", "0", arguments[2], arguments[3]]), 0);
    assert!(pixels["rows"].as_array().unwrap().iter().all(|row| row["name"] != "red"));
}

#[test]
fn a_build_says_how_far_it_is_from_an_earlier_warehouse() {
    let folder = Folder::new();
    for (name, most) in [("first", 3), ("second", 20)] {
        fs::create_dir_all(folder.at(name)).unwrap();
        (0..8).for_each(|k| fs::write(folder.at(&format!("{name}/{k}.bmp")), bmp(most + k, k * 9)).unwrap());
    }
    let at = |name: &str| folder.at(name).to_str().unwrap().to_owned();
    let build = |more: &[&str]| {
        forebay([&["warehouse", "build", "--json", "-o", &at("out"), "--size", "16x16"], more].concat())
    };
    let first = said(&build(&[&at("first")]), 0);
    assert!(first.get("drift").is_none());
    let old = first["manifest"].as_str().unwrap();
    // It is there nevertheless.
    let second = said(&build(&[&at("second"), "--drift-from", old, "--drift-fail-above", "0.05"]), 1);
    assert!(!second["drift"]["above"].as_array().unwrap().is_empty(), "{second}");
    assert!(Path::new(second["manifest"].as_str().unwrap()).exists());
    let nowhere = build(&[&at("second"), "--clear", "--drift-from", &at("nowhere")]);
    assert_eq!((nowhere.status.code(), error_of(&nowhere)["code"].clone()), (Some(2), json!("io")));
    assert_eq!(build(&[&at("second"), "--drift-fail-above", "0.1"]).status.code(), Some(2));
}

#[test]
fn diff_tells_pictures_boxes_and_classes_apart() {
    let folder = Folder::new();
    let before = frames(12);
    let old = put(&folder, "old", &made(SHAPE, &["cat", "dog"], &before));
    let same = said(&run(["diff", "--json", &old, &format!("{old}/manifest.json")]), 0);
    assert_eq!((&same["same"], &same["equal"], &same["settings"]), (&json!(true), &json!(12), &json!([])));
    assert_eq!(same["by"], "run and frame");
    let mut after = before.clone();
    after.remove(2);
    after[0].seed = 99;
    after[1].boxes[0][0] = 0.125;
    after[4].record.as_mut().unwrap().classes[0] = Some(1);
    after[5].record.as_mut().unwrap().source = Some("elsewhere.png".into());
    after.push(Made::new("c", 7, &[]));
    after.rotate_left(3);
    let new = put(&folder, "new", &made(SHAPE, &["cat", "dog"], &after));
    let found = said(&run(["diff", "--json", &old, &new]), 1);
    let changed = found["changed"].as_array().unwrap();
    let what: Vec<(u64, &Value)> = changed.iter().map(|one| (one["a"].as_u64().unwrap(), &one["what"])).collect();
    assert_eq!(
        what,
        [(0, &json!(["picture"])), (1, &json!(["boxes"])), (5, &json!(["classes"])), (6, &json!(["metadata"]))]
    );
    assert_eq!(
        (&found["only_in_a"][0]["name"], &found["only_in_b"][0]["name"]),
        (&json!("b/00002"), &json!("c/00007"))
    );
    assert_eq!((&found["equal"], found["only_in_a"].as_array().unwrap().len()), (&json!(7), 1));
    let runs = found["counts"].as_array().unwrap().iter().find(|count| count["name"] == "runs").unwrap();
    assert_eq!((&runs["a"], &runs["b"]), (&json!(2), &json!(3)));
    let pictures = said(&run(["diff", "--json", "--payloads", &old, &new]), 1);
    assert_eq!(pictures["changed"].as_array().unwrap().len(), 1);
    let printed = String::from_utf8(run(["diff", &old, &new]).stdout).unwrap();
    assert!(
        printed.starts_with("7 equal, 4 changed, 1 only in the first, 1 only in the second, paired by run and frame\n"),
        "{printed}"
    );
}

#[test]
fn diff_goes_by_names_of_classes_and_by_what_numbers_stand_for() {
    let folder = Folder::new();
    let old = put(&folder, "old", &made(SHAPE, &["cat", "dog"], &frames(12)));
    let mut swapped = frames(12);
    for record in swapped.iter_mut().filter_map(|sample| sample.record.as_mut()) {
        record.classes.iter_mut().flatten().for_each(|class| *class = 1 - *class);
    }
    for (name, shape) in [
        ("f16", Shape::new(6, 4, 3, Dtype::F16)),
        ("u8", Shape::new(6, 4, 3, Dtype::U8)),
        ("big", SHAPE.with_endianness(Endianness::Big)),
    ] {
        let new = put(&folder, name, &made(shape, &["dog", "cat"], &swapped));
        let found = said(&run(["diff", "--json", &old, &new]), 0);
        let settings: Vec<&str> =
            found["settings"].as_array().unwrap().iter().map(|setting| setting["name"].as_str().unwrap()).collect();
        assert!(settings.contains(&"classes") && settings.len() >= 2, "{settings:?}");
    }
    // Pictures of another size are other pictures, with the same boxes.
    let new = put(&folder, "size", &made(Shape::new(5, 5, 3, Dtype::F32), &["dog", "cat"], &swapped));
    let found = said(&run(["diff", "--json", &old, &new]), 1);
    assert!(found["changed"].as_array().unwrap().iter().all(|one| one["what"] == json!(["picture"])));
}

#[test]
fn without_metadata_samples_are_paired_by_their_position_which_is_said() {
    let folder = Folder::new();
    let mut bare = frames(12);
    bare.iter_mut().for_each(|sample| sample.record = None);
    let old = put(&folder, "old", &made(SHAPE, &[], &bare));
    let new = put(&folder, "new", &made(SHAPE, &[], &bare[..10]));
    let output = run(["diff", &old, &new]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("paired by their position"), "{output:?}");
    let found = said(&run(["diff", "--json", &old, &new]), 1);
    assert_eq!((&found["by"], &found["equal"]), (&json!("position"), &json!(10)));
    assert_eq!(found["only_in_a"][1]["name"], "00000/00011");
    // One that says nothing beside one that does; and frames that are there twice.
    let known = put(&folder, "known", &made(SHAPE, &["cat", "dog"], &frames(12)));
    assert_eq!(said(&run(["diff", "--json", &old, &known]), 1)["by"], "position");
    let mut twice = frames(12);
    twice[3].record = twice[6].record.clone();
    let twice = put(&folder, "twice", &made(SHAPE, &["cat", "dog"], &twice));
    assert_eq!(said(&run(["diff", "--json", &twice, &twice]), 0)["by"], "position");
    let none = put(&folder, "none", &made(SHAPE, &[], &[]));
    assert_eq!(said(&run(["diff", "--json", &none, &none]), 0)["same"], true);
}

/// The rows of a table, by our own reader.
fn rows(path: &Path) -> Vec<Value> {
    let output = forebay(["head", "--json", "-n", "1000", path.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
#[cfg(feature = "arrow")]
fn samples_become_a_table_in_every_format() {
    let folder = Folder::new();
    let warehouse = put(&folder, "w", &made(SHAPE, &["cat", "dog"], &frames(9)));
    let export = |name: &str, more: &[&str]| {
        let path = folder.at(name);
        let output = ["warehouse", "export", &warehouse, "--samples", "--json", "-o", path.to_str().unwrap()];
        assert_eq!(said(&forebay([&output[..], more].concat()), 0)["rows"], 9, "{name}");
        path
    };
    let expected = json!({
        "sample": 7, "shard": "00000", "index": 7, "frame_id": 7, "run": "b", "source": "b/7.png", "boxes": 3,
        "left": [0.0, 0.5, 0.5], "top": [0.25, 0.5, 0.5], "right": [1.0, 0.625, 0.625], "bottom": [0.5, 0.625, 0.625],
        "classes": ["cat", "dog", ""],
    });
    for name in ["s.parquet", "s.arrow", "s.arrows", "s.jsonl"] {
        let found = rows(&export(name, &[]));
        assert_eq!((found.len(), &found[7]), (9, &expected), "{name}");
        assert_eq!((&found[0]["left"], &found[0]["classes"]), (&json!([]), &json!([])), "{name}");
    }
    // What a format has no lists for it has as text.
    let csv = fs::read_to_string(export("s.csv", &[])).unwrap();
    assert!(csv.starts_with("sample,shard,index,frame_id,run,source,boxes,left,top,right,bottom,classes\n"), "{csv}");
    let means = rows(&export("m.parquet", &["--means"]));
    let levels = (0..24u8).map(|k| f64::from(k.wrapping_mul(37).wrapping_add(7)));
    let red = levels.sum::<f64>() / 24.0 / 255.0;
    assert!((means[7]["mean_red"].as_f64().unwrap() - red).abs() < 1e-6);
    let taken = forebay(["warehouse", "export", &warehouse, "--samples", "-o", folder.at("s.csv").to_str().unwrap()]);
    assert_eq!(taken.status.code(), Some(2));
    let unknown = forebay(["warehouse", "export", &warehouse, "--samples", "--json", "-o", "x.xyz"]);
    assert_eq!(error_of(&unknown)["code"], "usage.argument");
}

#[test]
#[cfg(feature = "arrow")]
fn samples_without_metadata_or_with_odd_boxes_are_rows_too() {
    let folder = Folder::new();
    let mut files = made(SHAPE, &[], &[Made { seed: 1, boxes: vec![WIDE], record: None }]);
    let (warehouse, _) = files.open().unwrap();
    let block = warehouse.shards()[0].boxes(0);
    let block = block.start as usize..block.end as usize;
    let file = files.0.get_mut("shard_00000.bin").unwrap();
    let before = crc32(&file[block.clone()]).to_le_bytes();
    file[block.start..block.start + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    // Another builder may have written that, with its checksum.
    let sum = file.windows(4).rposition(|bytes| bytes == before).unwrap();
    let after = crc32(&file[block]).to_le_bytes();
    file[sum..sum + 4].copy_from_slice(&after);
    let sums = file.windows(4).rposition(|bytes| bytes == b"TWC1").unwrap();
    let own = crc32(&file[sums..sums + 44]).to_le_bytes();
    file[sums + 44..sums + 48].copy_from_slice(&own);
    let warehouse = put(&folder, "w", &files);
    let path = folder.at("s.parquet");
    let output = forebay(["warehouse", "export", &warehouse, "--samples", "-o", path.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    let found = rows(&path);
    assert_eq!(
        (&found[0]["run"], &found[0]["frame_id"], &found[0]["classes"]),
        (&json!(null), &json!(null), &json!([""]))
    );
    assert!(!found[0]["left"][0].is_f64() || found[0]["left"][0].as_f64().is_some_and(f64::is_nan), "{}", found[0]);
    // None at all are a table of columns.
    let none = put(&folder, "none", &made(SHAPE, &[], &[]));
    let path = folder.at("none.parquet");
    let output = forebay(["warehouse", "export", &none, "--samples", "-o", path.to_str().unwrap()]);
    assert!(output.status.success() && rows(&path).is_empty(), "{output:?}");
}
