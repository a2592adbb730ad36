//! Every command that writes, to an address.

use forebay_native::{Dataset, edits::Edits};

use crate::{
    common::{bmp, error_of},
    writing::place::Place,
};

/// The names of the objects in a folder of the bucket.
fn below(place: &Place, folder: &str) -> Vec<String> {
    let paths = place.server.paths().into_iter();
    paths.filter_map(|path| path.strip_prefix(&format!("bucket/{folder}/")).map(str::to_owned)).collect()
}

#[test]
fn tables_become_objects_of_every_format() {
    let place = Place::new();
    for name in ["out.csv.gz", "out.jsonl", "out.parquet", "out.arrow", "out.arrows", "out.tbf", "out.idv"] {
        let (file, address) = (place.local(name), format!("s3://bucket/{name}"));
        place.succeed(&["convert", &place.local("t.csv"), &file, "-q"]);
        place.succeed(&["convert", &place.local("t.csv"), &address, "-q", "--verify"]);
        assert!(place.there(name).unwrap() == place.file(name), "{name}");
        place.succeed(&["convert", &address, &format!("s3://bucket/again-{name}"), "-q"]);
        assert!(place.there(&format!("again-{name}")).is_some(), "{name}");
    }
    place.succeed(&["convert", &place.local("a.tbl"), "s3://bucket/samples.parquet", "-q"]);
    place.succeed(&["inspect", "s3://bucket/samples.parquet"]);
}

#[test]
fn samples_are_joined_filtered_and_split() {
    let place = Place::new();
    let (a, out) = (place.local("a.tbl"), place.local("out.tbl"));
    place.succeed(&["concat", &a, &a, "-o", "s3://bucket/out.tbl", "-q"]);
    place.succeed(&["concat", &a, &a, "-o", &out, "-q"]);
    assert!(place.there("out.tbl").unwrap() == place.file("out.tbl"));
    place.succeed(&["convert", &a, "s3://bucket/some.tbl", "--where", "width >= 10", "-q"]);
    place.succeed(&["convert", &a, &out, "--where", "width >= 10", "-q", "--force"]);
    assert!(place.there("some.tbl").unwrap() == place.file("out.tbl"));
    for (command, folder) in [("split", "s"), ("shards", "t")] {
        let (far, near) = (format!("s3://bucket/{folder}/"), place.local(folder));
        place.succeed(&[command, &a, "-o", &far, "--shards", "3", "-q"]);
        place.succeed(&[command, &a, "-o", &near, "--shards", "3", "-q"]);
        for shard in 0..3 {
            let name = format!("{folder}/a-{shard:05}-of-00003.tbl");
            assert!(place.there(&name).unwrap() == place.file(&name), "{name}");
        }
    }
    let again = place.run(&["split", &a, "-o", "s3://bucket/s", "--shards", "3", "--json"]);
    assert_eq!(error_of(&again)["code"].as_str(), Some("usage.argument"));
    place.succeed(&["split", &a, "-o", "s3://bucket/s", "--shards", "3", "-q", "--force"]);
}

#[test]
fn journals_and_what_they_change_may_lie_in_a_store() {
    let place = Place::new();
    let a = place.local("a.tbl");
    for (name, sample) in [("x.jsonl", 1), ("y.jsonl", 2)] {
        let mut edits = Edits::open(&Dataset::open(&a).unwrap(), &place.folder.at(name)).unwrap();
        edits.change(&format!(r#"{{"do":"set","sample":{sample},"fields":{{"label":"boat"}}}}"#)).unwrap();
        edits.add(&format!("new-{name}.bmp"), &bmp(9, sample), serde_json::Map::new()).unwrap();
        drop(edits);
        ["", ".blobs"].iter().for_each(|end| place.put(&format!("{name}{end}")));
    }
    place.put("a.tbl");
    let (both, out) = (place.local("both.jsonl"), place.local("out.tbl"));
    place.succeed(&["edits", "merge", &place.local("x.jsonl"), &place.local("y.jsonl"), "-o", &both]);
    place.succeed(&["edits", "merge", "s3://bucket/x.jsonl", "s3://bucket/y.jsonl", "-o", "s3://bucket/both.jsonl"]);
    for name in ["both.jsonl", "both.jsonl.blobs"] {
        assert!(place.there(name).unwrap() == place.file(name), "{name}");
    }
    place.succeed(&["apply", &a, &both, "-o", &out, "-q"]);
    place.succeed(&["apply", "s3://bucket/a.tbl", "s3://bucket/both.jsonl", "-o", "s3://bucket/out.tbl", "-q"]);
    assert!(place.there("out.tbl").unwrap() == place.file("out.tbl"));
    let again =
        ["edits", "merge", "s3://bucket/x.jsonl", "s3://bucket/y.jsonl", "-o", "s3://bucket/x.jsonl", "--force"];
    let refused = error_of(&place.run(&[&again[..], &["--json"]].concat()));
    assert!(refused["message"].as_str().unwrap().contains("one of the journals"), "{refused}");
    let refused = error_of(&place.run(&["apply", "s3://bucket/a.tbl", &both, "--in-place", "--json"]));
    assert_eq!(refused["code"], "edits.cannot", "{refused}");
    let refused = Edits::open(&Dataset::open(&a).unwrap(), "s3://bucket/z.jsonl".as_ref()).unwrap_err();
    assert_eq!(refused.code().id(), "edits.cannot");
}

#[test]
fn shards_that_are_there_and_sound_are_not_made_again() {
    let place = Place::new();
    let a = place.local("a.tbl");
    let make = |more: &[&str]| {
        let arguments = [&["shards", &a, "-o", "s3://bucket/t/", "--shards", "3", "--json"], more].concat();
        let done = place.succeed(&arguments);
        let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        (said["made"].as_u64().unwrap(), said["reused"].as_u64().unwrap())
    };
    assert_eq!(make(&["--only", "1"]), (1, 0));
    assert_eq!(make(&["--jobs", "2"]), (2, 1));
    assert_eq!(make(&[]), (0, 3));
    let name = "t/a-00001-of-00003.tbl";
    let right = place.there(name).unwrap();
    place.server.put(&format!("bucket/{name}"), right.get(..100).unwrap().to_vec());
    assert_eq!(make(&[]), (1, 2));
    assert!(place.there(name).unwrap() == right);
    place.server.put("bucket/u/a-00000-of-00001.tbl", "another's");
    let foreign = place.run(&["shards", &a, "-o", "s3://bucket/u/", "--shards", "1", "--json"]);
    assert_eq!(error_of(&foreign)["code"].as_str(), Some("shards.foreign"));
}

#[test]
fn samples_become_objects_under_their_names() {
    let place = Place::new();
    place.succeed(&["extract", &place.local("a.tbl"), "--all", "--to", "s3://bucket/files/", "-q"]);
    place.succeed(&["extract", &place.local("a.tbl"), "--all", "--to", &place.local("files"), "-q"]);
    assert_eq!(below(&place, "files").len(), 40);
    for name in below(&place, "files") {
        let name = format!("files/{name}");
        assert!(place.there(&name).unwrap() == place.file(&name), "{name}");
    }
    place.succeed(&["extract", &place.local("a.tbl"), "-i", "3", "-o", "s3://bucket/one.bmp"]);
    assert!(place.there("one.bmp").unwrap() == place.file("files/00003.bmp"));
    let again = place.run(&["extract", "--json", &place.local("a.tbl"), "--all", "--to", "s3://bucket/files/"]);
    assert_eq!(error_of(&again)["code"].as_str(), Some("usage.argument"));
}

#[test]
fn labels_become_objects() {
    let place = Place::new();
    let coco = r#"{"images":[{"id":1,"file_name":"00001.bmp","width":9,"height":2}],
        "annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[1,0,2,1],"area":2,"iscrowd":0}],
        "categories":[{"id":1,"name":"cat"}]}"#;
    std::fs::write(place.folder.at("coco.json"), coco).unwrap();
    let from = place.local("coco.json");
    place.succeed(&["labels", "convert", &from, "s3://bucket/labels.json", "--to", "coco", "-q"]);
    place.succeed(&["labels", "convert", &from, &place.local("labels.json"), "--to", "coco", "-q"]);
    assert!(place.there("labels.json").unwrap() == place.file("labels.json"));
    place.succeed(&["labels", "convert", &from, "s3://bucket/yolo/", "--to", "yolo", "-q"]);
    assert!(!below(&place, "yolo").is_empty(), "{:?}", place.server.paths());
    let again = place.run(&["labels", "convert", "--json", &from, "s3://bucket/yolo/", "--to", "yolo"]);
    assert_eq!(error_of(&again)["code"].as_str(), Some("usage.argument"));
}

#[test]
fn an_archive_elsewhere_is_read_once() {
    let place = Place::with_big();
    place.put("big.tar");
    place.server.asked();
    let done = place.succeed(&["convert", "s3://bucket/big.tar", "s3://bucket/out.tbl", "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let (read, size) = (said["network"]["bytes"].as_u64().unwrap(), place.file("big.tar").len() as u64);
    assert!(read < size + size / 20, "{said}");
    assert_eq!(said["network"]["sent"].as_u64(), said["output_bytes"].as_u64(), "{said}");
    std::fs::write(place.folder.at("out.tbl"), place.there("out.tbl").unwrap()).unwrap();
    place.succeed(&["diff", &place.local("out.tbl"), &place.local("big.tbl"), "--payloads"]);
}

#[test]
fn warehouses_are_built_listed_and_cleared_in_a_store() {
    let place = Place::new();
    let pictures = place.local("pictures");
    std::fs::create_dir(&pictures).unwrap();
    let picture = |i: u32| crate::common::bmp(16, i);
    (0..6).for_each(|i| std::fs::write(format!("{pictures}/{i}.bmp"), picture(i)).unwrap());
    let build = |out: &str, more: &[&str]| {
        let arguments = [&["warehouse", "build", &pictures, "-o", out, "--size", "8x8", "--json"], more].concat();
        place.run(&arguments)
    };
    let built = |out: &str, more: &[&str]| {
        let done = build(out, more);
        assert!(done.status.success(), "{done:?}");
        let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        said
    };
    let (far, near) = (built("s3://bucket/w", &[]), built(&place.local("w"), &[]));
    assert_eq!(far["version"], near["version"]);
    let (manifest, version) = (far["manifest"].as_str().unwrap(), far["version"].as_str().unwrap());
    assert_eq!(manifest, format!("s3://bucket/w/v{version}/manifest.json"));
    for name in below(&place, &format!("w/v{version}")).iter().filter(|name| *name != "manifest.json") {
        let name = format!("w/v{version}/{name}");
        assert!(place.there(&name).unwrap() == place.file(&name), "{name}");
    }
    place.succeed(&["check", manifest]);
    place.succeed(&["warehouse", "export", manifest, "-o", "s3://bucket/rows.csv", "--samples"]);
    assert!(place.there("rows.csv").is_some());
    assert_eq!(error_of(&build("s3://bucket/w", &[]))["code"].as_str(), Some("usage.argument"));
    assert_eq!(built("s3://bucket/w/", &["--skip-if-exists"])["reused"].as_bool(), Some(true));
    std::fs::write(format!("{pictures}/1.bmp"), picture(100)).unwrap();
    let newer = built("s3://bucket/w", &[]);
    let listed = place.succeed(&["warehouse", "list", "s3://bucket/w", "--json"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(version) && listed.contains(newer["version"].as_str().unwrap()), "{listed}");
    place.succeed(&["warehouse", "gc", "s3://bucket/w/"]);
    assert_eq!(below(&place, &format!("w/v{version}")), Vec::<String>::new());
    place.succeed(&["check", newer["manifest"].as_str().unwrap()]);
}
