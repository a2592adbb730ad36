//! `forebay labels`: check, stats and convert, over files that real tools wrote.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    common::{self, error_of, forebay},
    core_common::conformance,
};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus/labels");

fn corpus(name: &str) -> String {
    format!("{CORPUS}/{name}")
}

/// Runs with `--json`; the exit code and the one line.
fn json(arguments: &[&str]) -> (i32, Value) {
    let out = forebay([&["labels"], arguments, &["--json"]].concat());
    let text = String::from_utf8(out.stdout).unwrap();
    let value = serde_json::from_str(text.trim()).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {text}"));
    crate::schemas::hold(&["labels"], [&value]);
    (out.status.code().unwrap(), value)
}

#[test]
fn stats_count_what_is_there() {
    let (code, stats) = json(&["stats", &corpus("exports/handwritten_coco/annotations/instances.json")]);
    assert_eq!((code, &stats["format"]), (0, &"coco".into()));
    assert_eq!(
        (&stats["pictures"], &stats["annotations"], &stats["most_in_one"]),
        (&25.into(), &254.into(), &200.into())
    );
    assert_eq!((&stats["notes"]["crowd"], &stats["notes"]["clipped"]), (&1.into(), &3.into()));
    let classes: Vec<&str> = stats["classes"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(classes[..3], ["person", "car", "traffic light"]);
    let out = forebay(["labels", "stats", &corpus("exports/globox_labelme")]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success() && text.starts_with("format       labelme\nimages       17\n"), "{text}");
}

#[test]
fn a_fault_has_line_and_path_and_its_exit_code() {
    for (case, code, exit) in [
        ("coco_nan", "label.number", 1),
        ("coco_path_traversal", "label.name", 1),
        ("coco_results_array", "label.unsupported", 3),
        ("ls_null_x", "label.value", 1),
    ] {
        let twin: Value = serde_json::from_slice(&fs::read(corpus(&format!("damaged/{case}.json"))).unwrap()).unwrap();
        let file = corpus(&format!("damaged/{case}/{}", twin["entry"].as_str().unwrap()));
        let out = forebay(["labels", "check", &file, "--json"]);
        let error = error_of(&out);
        assert_eq!((out.status.code(), error["code"].as_str()), (Some(exit), Some(code)), "{case}: {error}");
        assert_eq!(error["line"], twin["where"]["line"], "{case}: {error}");
        assert_eq!(error["file"].as_str(), Some(file.as_str()));
    }
}

#[test]
fn what_a_file_cannot_say_is_asked_for() {
    let file = corpus("exports/handwritten_ls_annotators/tasks.json");
    let out = forebay(["labels", "check", &file]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.code() == Some(2) && said.contains("--pick"), "{said}");
    assert_eq!(json(&["check", &file, "--pick", "first"]).1["sound"], true);

    let (file, pictures) = (corpus("exports/handwritten_ls_exif/tasks.json"), corpus("truth/images"));
    let out = forebay(["labels", "check", &file, "--pictures", &pictures]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.code() == Some(2) && said.contains("--exif"), "{said}");
    let (code, value) = json(&["check", &file, "--pictures", &pictures, "--exif", "apply"]);
    assert_eq!(
        (code, &value["notes"]["turned"], &value["notes"]["size_wrong"]),
        (0, &1.into(), &Value::Null),
        "{value}"
    );
}

#[test]
fn pictures_are_looked_at_where_their_folder_is_named() {
    let (pictures, damaged) = (corpus("truth/images"), |case: &str| corpus(&format!("damaged/{case}")));
    for (case, file, code, line) in [
        ("coco_image_file_absent", "instances.json", "label.picture", 4),
        ("ls_original_size_swapped", "tasks.json", "label.size", 2),
        ("ls_hash_like_name", "tasks.json", "label.picture", 2),
    ] {
        let file = format!("{}/{file}", damaged(case));
        assert_eq!(json(&["check", &file]).0, 0, "{case}");
        let error = error_of(&forebay(["labels", "check", &file, "--pictures", &pictures, "--json"]));
        assert_eq!((error["code"].as_str(), error["line"].as_u64()), (Some(code), Some(line)), "{case}: {error}");
        conformance::refused(Path::new(&format!("{}.json", damaged(case))));
    }
    // Boxes of COCO are in pixels: the picture's own size counts.
    let file = format!("{}/instances.json", damaged("coco_size_wrong"));
    let (code, value) = json(&["check", &file, "--pictures", &pictures]);
    assert_eq!(
        (code, &value["notes"]["size_wrong"], &value["notes"]["clipped"]),
        (0, &1.into(), &Value::Null),
        "{value}"
    );
}

#[test]
fn label_files_of_which_none_has_its_picture_are_not_sound() {
    let folder = common::Folder::new();
    let out = folder.at("out.json").to_str().unwrap().to_owned();
    for (set, of) in [("exports/supervision_yolo", "all 19 label files"), ("damaged/yolo_nan", "the only")] {
        let set = corpus(set);
        for arguments in [&["check", &set][..], &["stats", &set], &["convert", &set, &out, "--to", "coco"]] {
            let output = forebay([&["labels"], arguments, &["--json"]].concat());
            let error = error_of(&output);
            assert_eq!((output.status.code(), error["code"].as_str()), (Some(1), Some("label.picture")), "{error}");
            assert!(error["message"].as_str().unwrap().contains(of), "{error}");
        }
        let said = String::from_utf8(forebay(["labels", "check", &set]).stderr).unwrap();
        assert!(said.contains("see --pictures"), "{said}");
    }
    assert!(!Path::new(&out).exists());
    // The folder above that of the pictures is not where the labels say that they are.
    let (set, images) = (corpus("exports/supervision_yolo"), corpus("truth/images"));
    assert_eq!(json(&["check", &set, "--pictures", &corpus("truth")]).0, 1);
    let (code, value) = json(&["check", &set, "--pictures", &images, "--exif", "ignore"]);
    assert_eq!((code, &value["pictures"], &value["sound"]), (0, &25.into(), &true.into()), "{value}");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn converting_names_what_is_lost_and_appears_whole() {
    let place = tempfile::tempdir().unwrap();
    let to = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let from = corpus("exports/handwritten_coco/annotations/instances.json");
    let (code, done) = json(&["convert", &from, &to("a.json"), "--to", "createml"]);
    assert_eq!((code, &done["losses"]["mask"], &done["annotations"]), (0, &3.into(), &254.into()), "{done}");
    // One that exists stays.
    let error = error_of(&forebay(["labels", "convert", &from, &to("a.json"), "--to", "coco", "--json"]));
    assert_eq!(error["code"], "usage.argument");
    assert_eq!(json(&["convert", &from, &to("a.json"), "--to", "coco", "--force"]).0, 0);
    assert_eq!(json(&["stats", &to("a.json")]).1["annotations"], 254);
    // A folder.
    let (code, done) = json(&["convert", &from, &to("me"), "--to", "labelme"]);
    assert_eq!((code, &done["files"]), (0, &25.into()), "{done}");
    assert_eq!(json(&["stats", &to("me")]).1["pictures"], 25);
    let error = error_of(&forebay(["labels", "convert", &from, &to("me"), "--to", "labelme", "--json"]));
    assert_eq!(error["code"], "usage.argument");
    // A file that is not sound leaves nothing.
    let bad = corpus("damaged/coco_nan/instances.json");
    assert_eq!(forebay(["labels", "convert", &bad, &to("b.json"), "--to", "via"]).status.code(), Some(1));
    assert_eq!(files(place.path()), [place.path().join("a.json"), place.path().join("me")]);
    // To standard output goes the file, and nothing else.
    let out = forebay(["labels", "convert", &from, "-", "--to", "coco", "--json"]);
    assert_eq!(serde_json::from_slice::<Value>(&out.stdout).unwrap()["categories"].as_array().unwrap().len(), 6);
    // What is lost is said beside it, whatever is asked for.
    let out = forebay(["labels", "convert", &from, "-", "--to", "createml", "--json"]);
    assert!(serde_json::from_slice::<Value>(&out.stdout).unwrap().is_array());
    assert!(String::from_utf8(out.stderr).unwrap().contains("masks written as the boxes around them"));
    // A folder has no place there.
    let out = std::process::Command::new(common::FOREBAY)
        .args(["labels", "convert", &from, "-", "--to", "voc", "--json"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!(error_of(&out)["code"], "usage.argument");
    assert!(!place.path().join("-").exists());
}

#[test]
fn no_labels_of_a_picture_replace_those_of_another() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let images = |names: &[&str]| {
        let image =
            |(i, name): (usize, &&str)| serde_json::json!({"id": i, "file_name": name, "width": 9, "height": 9});
        let boxes =
            (0..names.len()).map(|i| serde_json::json!({"image_id": i, "category_id": 1, "bbox": [1, 1, 2, 2]}));
        serde_json::json!({
            "images": names.iter().enumerate().map(image).collect::<Vec<_>>(),
            "annotations": boxes.collect::<Vec<_>>(),
            "categories": [{"id": 1, "name": "x"}],
        })
        .to_string()
    };
    fs::write(at("c.json"), images(&["a.jpg", "a.png", "a.jpg.png"])).unwrap();
    fs::write(at("d.json"), images(&["a.jpg", "./a.png"])).unwrap();
    for (format, option) in [("labelme", &[][..]), ("voc", &["--voc-base", "1"])] {
        assert_eq!(json(&["convert", &at("c.json"), &at(format), "--to", format]).0, 0);
        let (code, stats) = json(&[&["stats", &at(format)], option].concat());
        assert_eq!((code, &stats["pictures"], &stats["annotations"]), (0, &3.into(), &3.into()), "{format}: {stats}");
    }
    for format in ["labelme", "voc", "yolo"] {
        let error = error_of(&forebay(["labels", "convert", &at("d.json"), &at("new"), "--to", format, "--json"]));
        assert_eq!(error["code"], "label.repeated", "{format}: {error}");
        assert!(!place.path().join("new").exists());
    }
}

#[test]
fn options_that_an_error_names_are_taken() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let item = |x: u32| {
        format!(r#"{{"id": "a", "annotations": [{{"type": "bbox", "label_id": 0, "bbox": [{x}, 1, 2, 2]}}]}}"#)
    };
    let text = format!(
        r#"{{"categories": {{"label": {{"labels": [{{"name": "dog"}}]}}}}, "items": [{}, {}]}}"#,
        item(1),
        item(2)
    );
    fs::write(at("d.json"), text).unwrap();
    let error = error_of(&forebay(["labels", "check", &at("d.json"), "--json"]));
    assert!(error["message"].as_str().unwrap().contains("--pick"), "{error}");
    assert_eq!(json(&["check", &at("d.json"), "--pick", "all"]).1["annotations"], 2);
    let (outside, set) = (at("o.json"), at("set"));
    fs::write(&outside, r#"{"images": [{"id": 1, "file_name": "/data/a.jpg"}], "categories": []}"#).unwrap();
    let error = error_of(&forebay(["labels", "check", &outside, "--json"]));
    assert!(error["message"].as_str().unwrap().contains("--names"), "{error}");
    assert_eq!(json(&["check", &outside, "--names", "last"]).1["pictures"], 1);
    // A list of classes counts its lines, as that of a set does.
    fs::create_dir(&set).unwrap();
    fs::write(format!("{set}/a.txt"), "1 0.5 0.5 0.5 0.5\n").unwrap();
    for (classes, code) in [("a\n\nb\n", "label.class"), ("a\na\nb\n", "label.repeated")] {
        fs::write(at("classes"), classes).unwrap();
        let error = error_of(&forebay(["labels", "check", &set, "--classes", &at("classes"), "--json"]));
        assert_eq!(error["code"], code, "{error}");
    }
}

#[test]
fn what_is_left_out_is_counted_and_said_wherever_the_file_goes() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    // Without its size a picture cannot be said in shares, and in pixels it can.
    let text =
        r#"[{"image":"a.jpg","annotations":[{"label":"x","coordinates":{"x":10,"y":10,"width":4,"height":6}}]}]"#;
    fs::write(at("cm.json"), text).unwrap();
    for (to, lost, written) in [("labelstudio", 1, 0), ("yolo", 1, 0), ("voc", 0, 1), ("cvat", 0, 1), ("coco", 0, 1)] {
        let (code, done) = json(&["convert", &at("cm.json"), &at(to), "--to", to]);
        let left_out = done["losses"]["size_missing"].as_u64().unwrap_or(0);
        assert_eq!((code, left_out, &done["pictures"]), (0, lost, &written.into()), "{to}: {done}");
        assert_eq!(done["annotations"], written, "{to}: {done}");
    }
    // An object that is not in the picture is left out; of CVAT, which can say that, it is not.
    let track = r#"<annotations><track id="0" label="car"><box frame="0" outside="0" xtl="1" ytl="1" xbr="9" ybr="9"/>
        <box frame="1" outside="1" xtl="1" ytl="1" xbr="9" ybr="9"/></track>
        <meta><task><original_size><width>16</width><height>16</height></original_size></task></meta></annotations>"#;
    fs::write(at("t.xml"), track).unwrap();
    for to in ["coco", "labelstudio", "labelme", "via", "createml", "yolo", "voc", "cvat"] {
        let (code, done) = json(&["convert", &at("t.xml"), &at(&format!("t.{to}")), "--to", to]);
        let lost = u64::from(to != "cvat");
        let losses = (&done["losses"]["outside"], &done["losses"]["flag"]);
        assert_eq!((code, losses.0.as_u64().unwrap_or(0), losses.1), (0, lost, &Value::Null), "{to}: {done}");
        assert_eq!((&done["pictures"], &done["annotations"]), (&2.into(), &(2 - lost).into()), "{to}: {done}");
        let (_, stats) =
            json(&["stats", &at(&format!("t.{to}")), "--voc-base", "1"][..if to == "voc" { 4 } else { 2 }]);
        if to != "yolo" {
            assert_eq!(stats["annotations"], 2 - lost, "{to}: {stats}");
        }
    }
    // What was found while reading is said beside standard output.
    let circle = r#"{"a":{"filename":"a.jpg","size":1,"file_attributes":{},"regions":[
        {"shape_attributes":{"name":"circle","cx":1,"cy":2,"r":3},"region_attributes":{"label":"x"}}]}}"#;
    fs::write(at("v.json"), circle).unwrap();
    let out = forebay(["labels", "convert", &at("v.json"), "-", "--to", "coco"]);
    assert!(serde_json::from_slice::<Value>(&out.stdout).is_ok());
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("1  shapes of a kind that is not read"), "{said}");
}

#[test]
fn what_is_written_of_nothing_is_read() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("none.json"), r#"{"images":[],"annotations":[],"categories":[]}"#).unwrap();
    for to in ["coco", "labelstudio", "createml", "via", "cvat"] {
        let file = at(&format!("none.{to}"));
        assert_eq!(json(&["convert", &at("none.json"), &file, "--to", to]).0, 0);
        let (code, value) = json(&["check", &file]);
        assert_eq!((code, &value["pictures"]), (0, &0.into()), "{to}: {value}");
    }
    let text = r#"{"images":[{"id":1,"file_name":"a.png","width":40,"height":30}],"annotations":[],"categories":[]}"#;
    fs::write(at("c.json"), text).unwrap();
    assert_eq!(json(&["convert", &at("c.json"), &at("set"), "--to", "yolo"]).0, 0);
    fs::create_dir(at("set/images")).unwrap();
    let picture = corpus("truth/images");
    let picture = files(Path::new(&picture)).into_iter().find(|file| file.extension().is_some_and(|it| it == "png"));
    fs::copy(picture.unwrap(), at("set/images/a.png")).unwrap();
    let (code, value) = json(&["check", &at("set")]);
    assert_eq!((code, &value["pictures"], &value["annotations"]), (0, &1.into(), &0.into()), "{value}");
}

#[test]
fn a_picture_of_open_images_that_is_not_there_is_a_fault() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(at("pictures")).unwrap();
    fs::write(at("boxes.csv"), "ImageID,LabelName,XMin,XMax,YMin,YMax\nzzz,/m/1,0,0.5,0,0.5\n").unwrap();
    let out = forebay(["labels", "check", &at("boxes.csv"), "--pictures", &at("pictures"), "--json"]);
    let error = error_of(&out);
    assert_eq!((out.status.code(), &error["code"], &error["line"]), (Some(1), &"label.picture".into(), &2.into()));
    assert!(error["message"].as_str().unwrap().contains("zzz"), "{error}");
}

#[test]
fn a_picture_of_open_images_that_could_be_two_is_refused_and_not_missing() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let picture = corpus("truth/images");
    let picture = files(Path::new(&picture)).into_iter().find(|file| file.extension().is_some_and(|it| it == "png"));
    for folder in ["train", "val"] {
        fs::create_dir_all(at("pictures") + "/" + folder).unwrap();
        fs::copy(picture.as_ref().unwrap(), at("pictures") + "/" + folder + "/a.png").unwrap();
    }
    let check = |name: &str| {
        let text = format!("ImageID,LabelName,XMin,XMax,YMin,YMax\n{name},/m/1,0,0.5,0,0.5\n");
        fs::write(at("boxes.csv"), text).unwrap();
        forebay(["labels", "check", &at("boxes.csv"), "--pictures", &at("pictures"), "--json", "--exif", "ignore"])
    };
    let out = check("a");
    let error = error_of(&out);
    assert_eq!((out.status.code(), &error["code"], &error["line"]), (Some(2), &"label.ambiguous".into(), &2.into()));
    assert!(error["message"].as_str().unwrap().contains("val/a.png"), "{error}");
    assert_eq!(check("val/a").status.code(), Some(0));
}

/// Runs `convert` with `--json`; the exit code and the one line.
fn converted(arguments: &[&str]) -> (i32, Value) {
    let out = forebay([&["convert"], arguments, &["--json"]].concat());
    let text = String::from_utf8(out.stdout).unwrap();
    let value = serde_json::from_str(text.trim()).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {text}"));
    (out.status.code().unwrap(), value)
}

/// What a COCO file says of each picture, by its name, without the numbers of annotations.
fn said(file: &str) -> std::collections::BTreeMap<String, Value> {
    let coco: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let pictures = coco["images"].as_array().unwrap().iter().map(|picture| {
        let of = |one: &&Value| one["image_id"] == picture["id"];
        let mut annotations: Vec<Value> = coco["annotations"].as_array().unwrap().iter().filter(of).cloned().collect();
        for one in &mut annotations {
            (one["id"], one["area"]) = (Value::Null, Value::Null);
            // Samples have no areas, and attributes as texts; from COCO to COCO both stay as they were.
            let attributes = one.get_mut("attributes").and_then(Value::as_object_mut);
            for value in attributes.into_iter().flat_map(|object| object.values_mut()).filter(|it| !it.is_string()) {
                *value = value.to_string().into();
            }
        }
        let said = serde_json::json!([picture, annotations, coco["categories"]]);
        (picture["file_name"].as_str().unwrap().to_owned(), said)
    });
    pictures.collect()
}

#[test]
fn samples_get_their_annotations_and_give_them_back() {
    let place = tempfile::tempdir().unwrap();
    let to = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (labels, pictures) = (corpus("exports/handwritten_coco/annotations/instances.json"), corpus("truth/images"));
    let error = converted(&["--labels", &labels, &pictures, &to("a.tbl")]).1;
    assert!(error["error"]["message"].as_str().unwrap().contains("EXIF"), "{error}");
    let (code, done) = converted(&["--labels", &labels, &pictures, &to("a.tbl"), "--exif", "ignore"]);
    let of = &done["labels"];
    assert_eq!(
        (code, &of["samples"], &of["annotations"], &of["unmatched"], &of["missing"]),
        (0, &25.into(), &254.into(), &0.into(), &0.into()),
        "{done}"
    );
    assert_eq!(of["losses"], serde_json::json!({}), "{done}");
    // The same labels, written from the file and from the samples.
    let read = ["--to", "coco", "--exif", "ignore"];
    assert_eq!(json(&[&["convert", &labels, &to("b.json"), "--pictures", &pictures], &read[..]].concat()).0, 0);
    let (code, back) = json(&["convert", &to("a.tbl"), &to("c.json"), "--to", "coco"]);
    assert_eq!((code, &back["from"]), (0, &"records".into()), "{back}");
    assert_eq!(said(&to("b.json")), said(&to("c.json")));
    // Through an archive and back.
    assert_eq!(converted(&[&to("a.tbl"), &to("d.tar")]).0, 0);
    assert_eq!(converted(&[&to("d.tar"), &to("e.tbl")]).0, 0);
    for (file, coco) in [("d.tar", "d.json"), ("e.tbl", "e.json")] {
        assert_eq!(json(&["convert", &to(file), &to(coco), "--to", "via"]).0, 0);
        assert_eq!(json(&["stats", &to(file)]).1["annotations"], 254);
    }
    assert_eq!(fs::read(to("d.json")).unwrap(), fs::read(to("e.json")).unwrap());
    // The other way to say it gives the same bytes, and labels that are there are replaced and counted.
    let other =
        ["labels", "convert", &labels, &to("f.tbl"), "--to", "tbl", "--pictures", &pictures, "--exif", "ignore"];
    assert!(forebay(other).status.success());
    assert_eq!(fs::read(to("a.tbl")).unwrap(), fs::read(to("f.tbl")).unwrap());
    let (code, again) = converted(&["--labels", &labels, &to("a.tbl"), &to("g.tbl"), "--exif", "ignore"]);
    assert_eq!((code, &again["labels"]["replaced"]), (0, &25.into()), "{again}");
    assert_eq!(fs::read(to("a.tbl")).unwrap().len(), fs::read(to("g.tbl")).unwrap().len());
}

#[test]
fn what_has_no_counterpart_is_counted_and_named() {
    let place = tempfile::tempdir().unwrap();
    let to = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let folder = place.path().join("pictures");
    fs::create_dir(&folder).unwrap();
    for name in ["tiny.bmp", "border.jpg"] {
        fs::copy(corpus(&format!("truth/images/{name}")), folder.join(name)).unwrap();
    }
    fs::copy(corpus("truth/images/gray.jpg"), folder.join("other.jpg")).unwrap();
    fs::write(folder.join("tiny.json"), "{\"weather\": \"rain\"}").unwrap();
    let pictures = to("pictures");
    let labels = corpus("exports/handwritten_coco/annotations/instances.json");
    let (code, done) = converted(&["--labels", &labels, &pictures, &to("a.tbl")]);
    let of = &done["labels"];
    assert_eq!((code, &of["samples"], &of["unmatched"], &of["missing"]), (0, &2.into(), &1.into(), &23.into()));
    assert_eq!((&of["unmatched_names"][0], &of["missing_names"][0]), (&"other.jpg".into(), &"plain_int.jpg".into()));
    let shown = forebay(["convert", "--labels", &labels, &pictures, &to("b.tbl")]);
    let shown = String::from_utf8(shown.stderr).unwrap();
    assert!(shown.contains("1 samples that the labels do not name: other.jpg"), "{shown}");
    // What was beside the picture stays, and has the annotations.
    let out = forebay(["head", &to("a.tbl"), "--json"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("\"weather\":\"rain\",\"annotations_format\":\"forebay.1\""), "{text}");
    let stats = json(&["stats", &to("a.tbl")]).1;
    assert_eq!((&stats["pictures"], &stats["notes"]["unlabelled"]), (&3.into(), &1.into()), "{stats}");
    // Strictly, nothing is written.
    let error = converted(&["--labels", &labels, &pictures, &to("c.tbl"), "--strict"]).1;
    assert_eq!(error["error"]["code"], "label.picture", "{error}");
    assert!(!Path::new(&to("c.tbl")).exists());
    // Nor is it where there is no place for it, or where an option would change nothing.
    for (more, message) in [
        (&["--decode", "8x8"][..], "boxes moved"),
        (&["--metadata-format", "protobuf"], "Protobuf"),
        (&["--voc-base", "1"], "--voc-base changes nothing in labels of the format coco; it is for voc"),
    ] {
        let error = converted(&[&["--labels", &labels, &pictures, &to("c.tbl")], more].concat()).1;
        let said = error["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(said.contains(message), "{error}");
    }
    // Options may stand between the input and the output, of which there must be both.
    assert_eq!(converted(&[&pictures, "--labels", &labels, &to("between.tbl")]).0, 0);
    let error = converted(&["--labels", &labels, &pictures]).1;
    assert!(error["error"]["message"].as_str().unwrap_or_default().contains("an input and an output"), "{error}");
    let error = converted(&[&pictures, &to("c.tbl"), "--task", "obb"]).1;
    assert_eq!(error["error"]["message"], "--task is for --labels");
    // A set without annotations says so.
    let plain = converted(&[&pictures, &to("plain.tbl")]).0;
    let error = error_of(&forebay(["labels", "stats", &to("plain.tbl"), "--json"]));
    assert_eq!((plain, error["code"].as_str()), (0, Some("label.format")));
}

#[test]
fn fractions_find_their_sizes_in_samples() {
    let place = tempfile::tempdir().unwrap();
    let to = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let pictures = corpus("truth/images");
    assert_eq!(converted(&[&pictures, &to("plain.tar")]).0, 0);
    let labels = corpus("exports/handwritten_coco/annotations/instances.json");
    for (format, name) in [("yolo", "yolo"), ("voc", "voc")] {
        assert_eq!(
            json(&["convert", &labels, &to(name), "--to", format, "--pictures", &pictures, "--exif", "ignore"]).0,
            0
        );
        let mut arguments = vec!["--labels".to_owned(), to(name), to("plain.tar"), to(&format!("{name}.tbl"))];
        arguments.extend(["--exif", "ignore"].map(str::to_owned));
        arguments.extend(["--voc-base", "1"].into_iter().filter(|_| format == "voc").map(str::to_owned));
        let (code, done) = converted(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let of = &done["labels"];
        assert_eq!((code, &of["annotations"], &of["missing"]), (0, &250.into(), &0.into()), "{format}: {done}");
    }
}

#[test]
fn a_skeleton_comes_from_the_index() {
    let place = tempfile::tempdir().unwrap();
    let to = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let pictures = corpus("truth/images");
    let labels = corpus("exports/handwritten_coco/annotations/instances.json");
    assert_eq!(converted(&["--labels", &labels, &pictures, &to("a.tbl"), "--exif", "ignore"]).0, 0);
    assert_eq!(converted(&[&pictures, &to("a.tar")]).0, 0);
    for source in [pictures.clone(), to("a.tbl"), to("a.tar")] {
        let (code, done) = json(&["skeleton", &source, "-o", &to("s.json"), "--to", "coco", "--force"]);
        assert_eq!((code, &done["pictures"], &done["without_size"]), (0, &25.into(), &0.into()), "{done}");
        let coco: Value = serde_json::from_slice(&fs::read(to("s.json")).unwrap()).unwrap();
        let image =
            coco["images"].as_array().unwrap().iter().find(|one| one["file_name"] == "sub/dir/deep.jpg").unwrap();
        assert_eq!((&image["width"], &image["height"]), (&160.into(), &160.into()));
        if source != pictures {
            let range: Vec<usize> =
                image["byte_range"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
            let file = fs::read(format!("{pictures}/sub/dir/deep.jpg")).unwrap();
            assert_eq!(fs::read(&source).unwrap()[range[0]..range[1]], file);
        }
        let stats = json(&["stats", &to("s.json")]).1;
        assert_eq!((&stats["pictures"], &stats["annotations"]), (&25.into(), &0.into()));
        assert_eq!(stats["classes"].as_array().unwrap().len(), if source.ends_with("tbl") { 6 } else { 0 });
    }
    let prefix = ["--url-prefix", "https://host/set/"];
    let (samples, file) = (to("a.tbl"), to("t.json"));
    let tasks = [&["skeleton", &samples, "-o", &file, "--to", "labelstudio"][..], &prefix].concat();
    assert_eq!(json(&tasks).0, 0);
    let stats = json(&["stats", &to("t.json")]).1;
    assert_eq!((&stats["pictures"], &stats["notes"]["unlabelled"]), (&25.into(), &25.into()), "{stats}");
    assert_eq!(json(&["skeleton", &to("a.tar"), "-o", &to("manifest.jsonl"), "--to", "cvat-manifest"]).0, 0);
    assert_eq!(fs::read_to_string(to("manifest.jsonl")).unwrap().lines().count(), 27);
    // What has no place is refused, and what is there stays.
    let (samples, file) = (to("a.tar"), to("u.jsonl"));
    let manifest = ["skeleton", &samples, "-o", &file, "--to", "cvat-manifest"];
    let error = error_of(&forebay([&["labels"], &manifest[..], &prefix, &["--json"]].concat()));
    assert!(error["message"].as_str().unwrap().contains("--url-prefix changes nothing"), "{error}");
    assert_eq!(error_of(&forebay([&["labels"], &tasks[..], &["--json"]].concat()))["code"], "usage.argument");
}

#[test]
fn other_commands_say_what_labels_are() {
    for (file, format) in [
        ("exports/handwritten_coco/annotations/instances.json", "coco"),
        ("exports/handwritten_cvat_images/annotations.xml", "cvat"),
        ("exports/datumaro_yolo_ultralytics/data.yaml", "yolo"),
    ] {
        for command in ["head", "inspect", "stats", "check"] {
            let out = forebay([command, &corpus(file)]);
            let said = [out.stdout, out.stderr].concat();
            let said = String::from_utf8(said).unwrap();
            assert!(said.contains(&format!("these are labels of the format {format}")), "{command} {file}: {said}");
        }
    }
    // An array of objects, and an object in a line, are tables.
    assert!(forebay(["head", &corpus("exports/handwritten_ls_plain/tasks.json")]).status.success());
    assert!(forebay(["head", &corpus("exports/datumaro_json/annotations/default.json")]).status.success());
}

/// A folder with these files in it.
fn set(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    place
}

#[test]
fn a_label_file_that_does_not_look_like_one_is_not_left_out() {
    let voc: &[u8] =
        b"<annotation><filename>1.jpg</filename><size><width>9</width><height>9</height></size></annotation>";
    let labelme: &[u8] = br#"{"version":"5","shapes":[],"imagePath":"1.jpg","imageWidth":9,"imageHeight":9}"#;
    let recorder: &[u8] = br#"{"frame_id":1,"image":"1.jpg","image_present":true,"labels":[]}"#;
    let kitti: &[u8] = b"Car 0 0 0 1 2 3 4 0 0 0 0 0 0 0\n";
    let dota: &[u8] = b"1 1 5 1 5 5 1 5 ship 0\n";
    for (format, ending, whole) in [
        ("voc", "xml", voc),
        ("labelme", "json", labelme),
        ("recorder", "json", recorder),
        ("kitti", "txt", kitti),
        ("dota", "txt", dota),
    ] {
        let base: &[&str] = if format == "voc" { &["--voc-base", "1"] } else { &[] };
        let (first, second) = (format!("labels/1.{ending}"), format!("labels/2.{ending}"));
        for (what, damaged) in [("zeros", &[0; 64][..]), ("its end alone", &whole[9..]), ("garbage", b"\xffq\x01 7")] {
            let place = set(&[(&first, whole), (&second, damaged)]);
            let folder = place.path().join("labels");
            for from in [&[][..], &["--from", format]] {
                let line = [&["check", folder.to_str().unwrap()], base, from].concat();
                let (code, said) = json(&line);
                assert_ne!(code, 0, "{format}: {what} {from:?}: {said}");
            }
        }
        // Nothing at all is a picture in which nothing is, in lines of text.
        let place = set(&[(&first, whole), (&second, b"")]);
        let (code, said) = json(&[&["check", place.path().join("labels").to_str().unwrap()], base].concat());
        assert_eq!((code == 0, said["pictures"] == 2), (ending == "txt", ending == "txt"), "{format}: {said}");
    }
}

#[test]
fn every_list_of_a_darknet_set_is_a_part_of_it() {
    let line: &[u8] = b"0 0.5 0.5 0.25 0.25\n";
    let image = fs::read(corpus("truth/images/sub/dir/deep.jpg")).unwrap();
    let place = set(&[
        ("obj.data", b"classes = 1\nnames = data/obj.names\ntrain = data/train.txt\nval = data/val.txt\ntest-dev = data/t.txt\nbackup = backup/\n"),
        ("obj.names", b"a\n"),
        ("train.txt", b"data/obj_train_data/1.jpg\n"),
        ("val.txt", b"data/obj_val_data/2.jpg\n"),
        ("t.txt", b"data/obj_test_data/3.jpg\n"),
        ("obj_train_data/1.jpg", &image),
        ("obj_train_data/1.txt", line),
        ("obj_val_data/2.jpg", &image),
        ("obj_val_data/2.txt", line),
        ("obj_test_data/3.jpg", &image),
        ("obj_test_data/3.txt", line),
    ]);
    let stats = json(&["stats", place.path().to_str().unwrap(), "--exif", "ignore"]).1;
    assert_eq!((&stats["pictures"], &stats["annotations"]), (&3.into(), &3.into()), "{stats}");
}

#[test]
fn a_mask_of_the_whole_picture_has_the_box_of_its_pixels() {
    let place = set(&[(
        "a.xml",
        b"<annotations><version>1.1</version><image id='40' name='a.jpg' width='8' height='4'>\
          <mask label='car' source='manual' occluded='0' rle='10, 2, 20' left='0' top='0' width='8' height='4'/></image></annotations>",
    )]);
    let out = place.path().join("a.json");
    let from = place.path().join("a.xml");
    let (from, to) = (from.to_str().unwrap(), out.to_str().unwrap());
    assert_eq!(json(&["convert", from, to, "--to", "coco"]).0, 0);
    let coco: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(coco["annotations"][0]["bbox"], serde_json::json!([2, 1, 2, 1]), "{coco}");
    assert_eq!(coco["images"][0]["id"], 40);
}

#[test]
fn ids_stay_or_are_counted() {
    let coco = |ids: [u32; 2]| {
        let boxes = ids.map(|id| serde_json::json!({"id": id, "image_id": 7, "category_id": 1, "bbox": [0, 0, 2, 2]}));
        let all = serde_json::json!({"images": [{"id": 7, "file_name": "a.jpg", "width": 9, "height": 9}],
            "annotations": boxes, "categories": [{"id": 1, "name": "x"}]});
        all.to_string().into_bytes()
    };
    let place = set(&[("own.json", &coco([900, 12])), ("twice.json", &coco([5, 5]))]);
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (code, done) = json(&["convert", &at("own.json"), &at("out.json"), "--to", "coco"]);
    assert_eq!((code, &done["losses"]["id"]), (0, &Value::Null), "{done}");
    let back: Value = serde_json::from_slice(&fs::read(at("out.json")).unwrap()).unwrap();
    assert_eq!([&back["annotations"][0]["id"], &back["annotations"][1]["id"]], [900, 12]);
    assert_eq!(json(&["convert", &at("twice.json"), &at("b.json"), "--to", "coco"]).1["losses"]["id"], 2);
    for to in ["labelme", "voc", "via", "createml"] {
        let done = json(&["convert", &at("own.json"), &at(to), "--to", to]).1;
        assert_eq!(done["losses"]["id"], 1, "{to}: {done}");
    }
}

#[test]
fn pictures_and_notes_may_lie_where_tools_put_them() {
    let labelme: &[u8] = br#"{"version":"5","shapes":[],"imagePath":"../images/x.jpg","imageWidth":9,"imageHeight":9}"#;
    let place = set(&[("annotations/x.json", labelme)]);
    let out = place.path().join("out.json");
    assert_eq!(json(&["convert", place.path().to_str().unwrap(), out.to_str().unwrap(), "--to", "coco"]).0, 0);
    assert!(fs::read_to_string(out).unwrap().contains("\"images/x.jpg\""));
    let outside: &[u8] = br#"{"version":"5","shapes":[],"imagePath":"../../x.jpg"}"#;
    let place = set(&[("annotations/x.json", outside)]);
    assert_eq!(json(&["check", place.path().to_str().unwrap()]).1["error"]["code"], "label.name");
    // Label Studio lays a list of classes beside what it exports as YOLO.
    let image = fs::read(corpus("truth/images/sub/dir/deep.jpg")).unwrap();
    let place = set(&[
        ("classes.txt", b"a\n"),
        ("notes.json", br#"{"categories":[{"id":0,"name":"a"}],"info":{"year":2026}}"#),
        ("images/1.jpg", &image),
        ("labels/1.txt", b"0 0.5 0.5 0.25 0.25\n"),
    ]);
    let stats = json(&["stats", place.path().to_str().unwrap(), "--exif", "ignore"]).1;
    assert_eq!((&stats["format"], &stats["annotations"]), (&"yolo".into(), &1.into()), "{stats}");
}

#[test]
fn no_output_is_called_as_what_it_is_not() {
    let place = tempfile::tempdir().unwrap();
    let to = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (coco, pictures) = (corpus("exports/handwritten_coco/annotations/instances.json"), corpus("truth/images"));
    let tbl = corpus("../tbl/jpeg20_lz4.tbl");
    for line in [
        &["labels", "convert", &coco, &to("a.json.gz"), "--to", "coco"][..],
        &["labels", "skeleton", &pictures, "-o", &to("a.json.gz"), "--to", "coco"],
        &["duplicates", &pictures, "--groups", &to("a.jsonl.zst")],
        &["outliers", &pictures, "--list", &to("a.jsonl.gz")],
        &["thumbs", &tbl, "-o", &to("a.tbl.gz")],
        &["extract", &pictures, "-i", "0", "-o", &to("a.gz")],
    ] {
        let error = error_of(&forebay([line, &["--json"]].concat()));
        assert_eq!(error["code"], "usage.argument", "{line:?}: {error}");
        assert!(error["message"].as_str().unwrap().contains("the name ends in"), "{line:?}: {error}");
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_project_gives_classes_their_numbers_and_refuses_others() {
    let folder = common::Folder::new();
    let write = |name: &str, text: &str| {
        fs::write(folder.at(name), text).unwrap();
        folder.at(name).to_str().unwrap().to_owned()
    };
    let coco = |first: &str, second: &str| {
        format!(
            r#"{{"images":[{{"id":1,"file_name":"a.jpg","width":9,"height":9}}],"categories":[{{"id":1,"name":"{first}"}},{{"id":2,"name":"{second}"}}],"annotations":[{{"id":1,"image_id":1,"category_id":1,"bbox":[1,1,2,2]}},{{"id":2,"image_id":1,"category_id":2,"bbox":[1,1,3,3]}}]}}"#
        )
    };
    let labels = write("labels.json", &coco("gull", "boat"));
    let project = write("p.json", r#"{"forebay_project":1,"classes":["boat","car",{"name":"gull","id":18}]}"#);
    let out = folder.at("out.json");
    let to = out.to_str().unwrap();
    let (code, told) = json(&["convert", &labels, to, "--to", "coco", "--project", &project]);
    assert_eq!(code, 0, "{told}");
    let made: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    let names: Vec<&str> = made["categories"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["boat", "car", "gull"]);
    assert_eq!(made["annotations"][0]["category_id"], made["categories"][2]["id"]);
    assert_eq!(made["annotations"][1]["category_id"], made["categories"][0]["id"]);
    // The numbers of YOLO are the places in the project, and its own data.yaml is one.
    let yolo = folder.at("yolo");
    let (code, told) = json(&["convert", &labels, yolo.to_str().unwrap(), "--to", "yolo", "--project", &project]);
    assert_eq!(code, 0, "{told}");
    let lines = fs::read_to_string(yolo.join("labels/a.txt")).unwrap();
    assert_eq!(lines.lines().map(|line| &line[..1]).collect::<Vec<_>>(), ["2", "0"]);
    let yaml = yolo.join("data.yaml");
    let (code, _) = json(&["convert", &labels, to, "--to", "coco", "--force", "--project", yaml.to_str().unwrap()]);
    assert_eq!(code, 0);
    let other = write("other.json", &coco("gull", "dog"));
    let refused =
        forebay(["labels", "convert", &other, to, "--to", "coco", "--force", "--project", &project, "--json"]);
    let error = error_of(&refused);
    assert_eq!((refused.status.code(), error["code"].as_str()), (Some(1), Some("label.class")), "{error}");
    assert!(error["message"].as_str().unwrap().contains("\"dog\""), "{error}");
}
