//! The command as its users meet it: JSON with the documented fields, exit codes, one clear error.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use forebay::{
    tar::{END, header_for, padding},
    warehouse::sha256,
};
use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_forebay");

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn run(&self, args: &[&str]) -> Output {
        Command::new(BINARY).args(args).current_dir(self.folder.path()).output().unwrap()
    }
    /// Runs with `--json`; returns the exit code and the lines.
    fn json(&self, args: &[&str]) -> (i32, Vec<Value>) {
        let out = self.run(&[args, &["--json"]].concat());
        let text = String::from_utf8(out.stdout).unwrap();
        let lines = text.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{l}: {e}")));
        let lines: Vec<Value> = lines.collect();
        crate::schemas::hold(args, &lines);
        (out.status.code().unwrap(), lines)
    }
    fn ok(&self, args: &[&str]) -> Vec<Value> {
        let (code, lines) = self.json(args);
        assert_eq!(code, 0, "{args:?}: {lines:?}");
        lines
    }
    fn files(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(self.folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A bitmap of any size, small and valid enough to be recognized.
fn bmp(width: i32, height: i32) -> Vec<u8> {
    let mut b = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    b.extend(width.to_le_bytes());
    b.extend(height.to_le_bytes());
    b.extend([1, 0, 24, 0]);
    b.resize(54, 0);
    b.extend(vec![9; (width * height * 3) as usize]);
    b
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    for (name, bytes) in members {
        file.extend(header_for(name, bytes.len() as u64).unwrap());
        file.extend(*bytes);
        file.resize(file.len() + padding(bytes.len() as u64), 0);
    }
    file.extend(END);
    file
}

/// Twelve samples with labels; the fifth is wide.
fn sample(place: &Place) -> PathBuf {
    let mut owned = Vec::new();
    for i in 0..12 {
        owned.push((format!("d/{i:03}.bmp"), bmp(if i == 5 { 40 } else { 8 }, 4)));
        owned.push((format!("d/{i:03}.cls"), format!("{}", i % 3).into_bytes()));
        owned.push((format!("d/{i:03}.json"), format!("{{\"label\": \"c{}\",\n \"x\":1.50}}\n", i % 3).into_bytes()));
    }
    let members: Vec<_> = owned.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let path = place.path("a.tar");
    fs::write(&path, tar(&members)).unwrap();
    path
}

#[test]
fn a_dataset_goes_around_and_comes_back_the_same() {
    let place = Place::new();
    sample(&place);
    for (n, options) in [
        vec![],
        vec!["--compression", "lz4"],
        vec!["--compression", "lz4", "--level", "9"],
        vec!["--compression", "zstd", "--level", "19", "--metadata-format", "msgpack"],
        vec!["--layout", "turboloader"],
        vec!["--layout", "turboloader", "--compression", "lz4", "--metadata-format", "msgpack"],
    ]
    .into_iter()
    .enumerate()
    {
        let (tbl, back) = (format!("{n}.tbl"), format!("{n}.tar"));
        let summary = place.ok(&[&["convert", "a.tar", &tbl, "--verify"], options.as_slice()].concat());
        assert_eq!((&summary[0]["samples"], &summary[0]["verified"]), (&json!(12), &json!(12)));
        let report = &place.ok(&["check", &tbl])[0];
        assert_eq!((&report["ok"], &report["samples"]), (&json!(true), &json!(12)));
        place.ok(&["convert", &tbl, &back, "--verify"]);
        assert_eq!(fs::read(place.path(&back)).unwrap(), fs::read(place.path("a.tar")).unwrap(), "{options:?}");
        let difference = &place.ok(&["diff", &tbl, "a.tar"])[0];
        assert_eq!(difference["equal"], 12, "{difference}");
    }
}

#[test]
fn json_has_the_documented_fields() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl", "--compression", "lz4"]);
    let facts = &place.ok(&["inspect", "a.tbl"])[0];
    let bytes = fs::metadata(place.path("a.tbl")).unwrap().len();
    for (key, value) in [
        ("format", json!("tbl")),
        ("layout", json!("guide")),
        ("samples", json!(12)),
        ("bytes", json!(bytes)),
        ("compression", json!("lz4")),
        ("formats", json!({"bmp": 12})),
    ] {
        assert_eq!(facts[key], value, "{key}");
    }
    assert_eq!(facts["metadata"]["format"], "json");
    assert_eq!(facts["metadata"]["document"], json!({"source": "a.tar"}));
    assert_eq!(place.ok(&["inspect", "a.tar"])[0]["format"], "tar");
    assert_eq!(place.ok(&["inspect", "a.tar"])[0]["metadata"], Value::Null);

    let rows = place.ok(&["head", "a.tbl", "-n", "2", "--hash"]);
    assert_eq!(rows.len(), 2);
    let row = &rows[1];
    assert_eq!(row["metadata"]["json"], json!({"label": "c1", "x": 1.5}));
    assert_eq!(row["metadata"]["cls"], 1);
    assert_eq!((&row["i"], &row["name"], &row["format"]), (&json!(1), &json!("d/001.bmp"), &json!("bmp")));
    assert_eq!((&row["width"], &row["height"], &row["bytes"]), (&json!(8), &json!(4), &json!(150)));
    assert!(row["stored_bytes"].as_u64().unwrap() < 150 && row["offset"].as_u64().unwrap() >= 64 + 12 * 24);
    // The same samples, whatever the container.
    let of_tar = place.ok(&["head", "a.tar", "-n", "2", "--hash"]);
    assert_eq!(row["sha256"], of_tar[1]["sha256"]);
    assert_eq!(row["metadata"], of_tar[1]["metadata"]);

    let stats = &place.ok(&["stats", "a.tbl"])[0];
    assert_eq!(
        (&stats["samples"], &stats["width"]["max"], &stats["width"]["max_at"]),
        (&json!(12), &json!(40), &json!(5))
    );
    assert_eq!(stats["classes"]["distinct"], 3);
    let stats = &place.ok(&["stats", "a.tbl", "--label", "json.label"])[0];
    assert_eq!(stats["classes"]["top"][0], json!({"label": "c0", "samples": 4}));
}

#[test]
fn pictures_are_decoded_to_pixels_of_one_size_and_keep_their_records() {
    let place = Place::new();
    sample(&place);
    for layout in ["guide", "turboloader"] {
        let args = ["convert", "a.tar", "raw.tbl", "--decode", "6x5", "--layout", layout, "--verify", "--force"];
        let done = &place.ok(&args)[0];
        assert_eq!((&done["samples"], &done["verified"]), (&json!(12), &json!(12)), "{done}");
        assert_eq!(place.ok(&["check", "raw.tbl"])[0]["ok"], true);
        let rows = place.ok(&["head", "raw.tbl", "-n", "12", "--hash"]);
        let all_nines = sha256(&[9; 6 * 5 * 3]);
        for (i, row) in rows.iter().enumerate() {
            assert_eq!((&row["format"], &row["bytes"]), (&json!("raw_u8"), &json!(90)));
            assert_eq!((&row["width"], &row["height"], &row["sha256"]), (&json!(6), &json!(5), &json!(all_nines)));
            assert_eq!((&row["name"], &row["metadata"]["cls"]), (&json!(format!("d/{i:03}.bmp")), &json!(i % 3)));
        }
    }
    place.ok(&["convert", "raw.tbl", "raw.tar"]);
    let names = String::from_utf8_lossy(&fs::read(place.path("raw.tar")).unwrap()).into_owned();
    assert!(names.contains("d/005.rgb") && !names.contains(".bmp"), "a file of pixels says what it is");
    place.ok(&["extract", "raw.tbl", "--all", "--to", "pixels"]);
    assert!(place.path("pixels/d/005.rgb").exists() && place.path("pixels/d/005.cls").exists());

    place.ok(&["convert", "a.tar", "fit.tbl", "--decode", "8", "--fit", "letterbox", "--fill", "00000a"]);
    let document = &place.ok(&["inspect", "fit.tbl"])[0]["metadata"]["document"];
    let said = json!({"width": 8, "height": 8, "fit": "letterbox", "resampling": "bilinear"});
    assert_eq!(document["decoded"], said);
    place.ok(&["extract", "fit.tbl", "-i", "0", "-o", "fit.rgb"]);
    let pixels = fs::read(place.path("fit.rgb")).unwrap();
    assert_eq!((&pixels[..3], &pixels[8 * 4 * 3..8 * 4 * 3 + 3]), (&[0, 0, 10][..], &[9, 9, 9][..]));
    // Decoded pixels may be decoded again, to another size.
    place.ok(&["convert", "fit.tbl", "less.tbl", "--decode", "4", "--fit", "center-crop"]);
    assert_eq!(place.ok(&["head", "less.tbl", "-n", "1"])[0]["bytes"], 48);
}

#[test]
fn what_cannot_be_decoded_is_named_and_left_out_when_told_to() {
    let place = Place::new();
    let (good, mut cut) = (bmp(8, 4), bmp(8, 4));
    cut.truncate(80);
    let archive = tar(&[("a.bmp", &good), ("b.bmp", &cut), ("c.mp4", b"\0\0\0\x18ftypmp42"), ("d.bmp", &good)]);
    fs::write(place.path("a.tar"), archive).unwrap();
    let (code, lines) = place.json(&["convert", "a.tar", "a.tbl", "--decode", "4"]);
    assert_eq!(
        (code, &lines[0]["error"]["code"], &lines[0]["error"]["sample"]),
        (1, &json!("image.damaged"), &json!(1))
    );
    assert!(!place.path("a.tbl").exists());
    let (code, lines) = place.json(&["convert", "a.tar", "a.tbl", "--decode", "4", "--keep-going"]);
    assert_eq!((code, &lines[0]["samples"]), (1, &json!(2)));
    let codes: Vec<_> = lines[0]["faults"].as_array().unwrap().iter().map(|f| &f["code"]).collect();
    assert_eq!(codes, ["image.damaged", "image.unsupported"]);
    assert_eq!(place.ok(&["check", "a.tbl"])[0]["ok"], true);

    for wrong in [
        &["convert", "a.tar", "b.tar", "--decode", "4"][..],
        &["convert", "a.tar", "b.tbl", "--decode", "0"],
        &["convert", "a.tar", "b.tbl", "--fit", "pad"],
        &["convert", "a.tar", "b.tbl", "--decode", "4", "--fit", "pad", "--short", "5"],
    ] {
        let (code, lines) = place.json(wrong);
        assert_eq!((code, &lines[0]["error"]["code"]), (2, &json!("usage.argument")), "{wrong:?}");
    }
}

#[test]
fn filters_choose_the_same_samples_everywhere() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    for file in ["a.tar", "a.tbl"] {
        let rows = place.ok(&["head", file, "--where", "width > 8 || json.label == \"c2\""]);
        assert_eq!(rows.iter().map(|r| r["i"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 5, 8, 11], "{file}");
    }
    place.ok(&["convert", "a.tbl", "b.tbl", "--where", "cls == 1"]);
    let rows = place.ok(&["head", "b.tbl"]);
    let names: Vec<_> = rows.iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["d/001.bmp", "d/004.bmp", "d/007.bmp", "d/010.bmp"]);
    assert_eq!(rows[3]["metadata"]["id"], 3, "samples are numbered anew");
    let (code, lines) = place.json(&["head", "a.tbl", "--where", "width >="]);
    assert_eq!((code, &lines[0]["error"]["code"]), (2, &json!("filter.syntax")));
}

#[test]
fn a_plan_gives_every_sample_to_one_rank_and_says_how_many_bytes() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    let order = ["plan", "a.tbl", "--world", "2", "--batch", "2", "--shuffle", "42", "--epoch", "1"];
    let plan = &place.ok(&order)[0];
    assert_eq!((&plan["steps"], &plan["samples"], &plan["left_out"]), (&json!(3), &json!(12), &json!(0)));
    assert_eq!(plan["files"], json!([{"file": "a.tbl", "samples": 12, "selected": 12}]));
    let bytes = |rank: usize| plan["ranks"][rank]["bytes"].as_u64().unwrap();
    assert_eq!(bytes(0) + bytes(1), 11 * 150 + (54 + 40 * 4 * 3));
    let mut seen = Vec::new();
    for rank in 0..2 {
        let lines = place.ok(&[&order[..], &["--rank", &rank.to_string()]].concat());
        assert_eq!(lines.len(), 3);
        assert_eq!(lines.iter().map(|l| l["bytes"].as_u64().unwrap()).sum::<u64>(), bytes(rank));
        seen.extend(lines.iter().flat_map(|l| l["indices"].as_array().unwrap()).map(|i| i.as_u64().unwrap()));
    }
    assert_ne!(seen, (0..12).collect::<Vec<_>>(), "shuffled");
    seen.sort_unstable();
    assert_eq!(seen, (0..12).collect::<Vec<_>>());

    let one = |more: &[&str]| place.ok(&[&["plan", "a.tbl", "a.tar", "--world", "2"], more].concat())[0].clone();
    let padded = one(&["--batch", "4", "--tail", "pad", "--where", "cls == 1"]);
    assert_eq!((&padded["samples"], &padded["steps"], &padded["left_out"]), (&json!(8), &json!(1), &json!(0)));
    let uneven = one(&["--batch", "5", "--tail", "uneven"]);
    let counts: Vec<_> = uneven["ranks"].as_array().unwrap().iter().map(|r| &r["samples"]).collect();
    assert_eq!(counts, [12, 12]);
    let dropped = one(&["--batch", "5"]);
    assert_eq!((&dropped["steps"], &dropped["left_out"]), (&json!(2), &json!(4)));
    let mixed = one(&["--batch", "3", "--weights", "3,1", "--epoch-samples", "18"]);
    assert_eq!((&mixed["steps"], &mixed["samples"]), (&json!(3), &json!(18)));
    let drawn = one(&["--batch", "3", "--draws", "30", "--repeated", "2", "--shuffle", "1"]);
    assert_eq!((&drawn["steps"], &drawn["samples"]), (&json!(5), &json!(30)));
    // Its first batches are listed all the same.
    let many = place.ok(&["plan", "a.tbl", "--batch", "6", "--draws", "99999999999999", "--rank", "0", "-n", "2"]);
    assert_eq!(many.len(), 2);
    // Sample i is of class i % 3.
    let indices = |more: &[&str]| -> Vec<u64> {
        let lines = place.ok(&[&["plan", "a.tbl", "--batch", "6", "--rank", "0", "--draws", "600"], more].concat());
        lines.iter().flat_map(|l| l["indices"].as_array().unwrap()).map(|i| i.as_u64().unwrap()).collect()
    };
    let balanced = indices(&["--balanced", "cls", "--shuffle", "3", "--where", "cls > 0 || index == 0"]);
    assert_eq!((balanced.len(), balanced.iter().filter(|&&i| i == 0).count()), (600, 200));
    let weighted = indices(&["--weight-by", "cls", "--shuffle", "3"]);
    let of = |class| weighted.iter().filter(|&&i| i % 3 == class).count();
    assert!(of(0) == 0 && (350..450).contains(&of(2)) && of(1) + of(2) == 600, "{weighted:?}");
    for wrong in [
        &["--batch", "0"][..],
        &["--rank", "2"],
        &["--world", "2000000"],
        &["--blocks", "3x3"],
        &["--weights", "1,1"],
        &["--repeated", "0"],
        &["--repeated", "3"],
        &["--draws", "99999999999999"],
        &["--draws", "99999999999999", "--cost"],
        &["--cost", "--rank", "0", "-n", "1"],
        &["--weight-by", "cls", "--balanced", "cls"],
        &["--weight-by", "cls", "--shuffle", "1", "--blocks", "3x3"],
    ] {
        let (code, lines) = place.json(&[&["plan", "a.tbl"], wrong].concat());
        assert_eq!((code, lines[0]["error"]["kind"].as_str()), (2, Some("usage")), "{wrong:?}");
    }
}

#[test]
fn decoded_pictures_are_kept_and_a_timeline_is_written() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    let options = ["bench", "a.tbl", "--batch", "4", "--image", "6", "--workers", "2", "--decode-alone", "0"];
    let bench = |more: &[&str]| place.ok(&[&options[..], more].concat())[0].clone();
    let plain = bench(&[]);
    assert_eq!((&plain["decoded_cache"], &plain["timeline"]), (&Value::Null, &Value::Null));
    let facts = bench(&["--epochs", "3", "--decoded-cache", "1M", "--timeline", "trace.json"]);
    let kept = &facts["decoded_cache"];
    assert_eq!((&kept["entries"], &kept["most_bytes"]), (&json!(12), &json!(1 << 20)));
    assert_eq!((&kept["expected_hit_rate"], &kept["evictions"]), (&json!(1.0), &json!(0)));
    assert!(kept["hits"].as_u64().unwrap() >= 24, "{facts}");
    assert_eq!(facts["epochs"].as_array().map(Vec::len), Some(3));
    let trace: Value = serde_json::from_slice(&fs::read(place.path("trace.json")).unwrap()).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() as u64 > facts["timeline"]["events"].as_u64().unwrap());
    let (code, said) = place.json(&[&options[..], &["--timeline", "trace.json"]].concat());
    assert_eq!((code, said[0]["error"]["code"].as_str()), (2, Some("usage.argument")), "{said:?}");
    bench(&["--timeline", "trace.json", "--force"]);
    for (more, pictures) in [(&["--mosaic"][..], 4), (&["--mosaic", "4"][..], 4), (&["--mosaic", "9"][..], 9)] {
        assert_eq!(bench(more)["mosaic_pictures"], pictures);
    }
    assert_eq!(place.json(&["bench", "a.tbl", "--mosaic", "5"]).0, 2);
    // A file is there for the next run.
    for hits in [0, 12] {
        let facts = bench(&["--decoded-cache", "1M=kept"]);
        assert!(facts["decoded_cache"]["hits"].as_u64().unwrap() >= hits, "{facts}");
    }
    for bad in ["", "4Q", "1M=", "-3"] {
        assert_eq!(place.json(&["bench", "a.tbl", &format!("--decoded-cache={bad}")]).0, 2, "{bad}");
    }
    let plan = ["plan", "a.tbl", "--batch", "2", "--simulate", "--samples", "8", "--image", "6", "--workers", "1,3"];
    let plan = &place.ok(&plan)[0];
    let workers: Vec<&Value> = plan["predicted"].as_array().unwrap().iter().map(|one| &one["workers"]).collect();
    assert_eq!(workers, [1, 3]);
    assert!(plan["predicted"][0]["images_per_second"].as_f64().unwrap() > 0.0, "{plan}");
    assert!(plan["stage_ms"]["decode"].as_f64().unwrap() > 0.0 && plan["samples"].as_u64().unwrap() >= 8, "{plan}");
    // Of one rank of a run, with its own share: 12 samples leave two for the third of three.
    let simulate = ["plan", "a.tbl", "--simulate", "--samples", "4", "--image", "6", "--workers", "1", "--world", "3"];
    let told = &place.ok(&[&simulate[..], &["--batch", "5", "--tail", "uneven", "--rank", "2"]].concat())[0];
    assert_eq!((&told["rank"], &told["world"], &told["batch"]), (&json!(2), &json!(3), &json!(4)), "{told}");
    let told = &place.ok(&[&simulate[..], &["--batch", "5", "--tail", "pad"]].concat())[0];
    assert_eq!((&told["rank"], &told["batch"]), (&json!(0), &json!(5)), "{told}");
    let (code, error) = place.json(&[&simulate[..], &["--batch", "5"]].concat());
    assert_ne!(code, 0, "nothing is left of dropped tails: {error:?}");
    assert_ne!(place.json(&[&simulate[..], &["--batch", "2", "--rank", "3"]].concat()).0, 0);
}

#[test]
fn the_loader_is_measured_on_every_picture_and_beside_the_bare_decoder() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    let options = ["--batch", "5", "--image", "6x4", "--workers", "2", "--epochs", "2"];
    for file in ["a.tar", "a.tbl"] {
        let more = ["--shuffle", "1", "--augment", "--labels", "cls", "--decode-alone", "7", "--dtype", "f16"];
        let facts = &place.ok(&[&["bench", file], &options[..], &more].concat())[0];
        assert_eq!((&facts["samples"], &facts["images"], &facts["shape"]), (&json!(12), &json!(24), &json!([3, 4, 6])));
        assert_eq!((&facts["decoder"]["pictures"], &facts["dtype"]), (&json!(7), &json!("f16")));
        let share = |name: &str| facts["share"][name].as_f64().unwrap();
        let names = ["read", "verify", "decode", "resize", "targets", "idle"];
        let all: f64 = names.into_iter().map(share).sum();
        assert!((all - 1.0).abs() < 1e-6, "{facts}");
        for key in ["seconds", "images_per_second", "first_batch_seconds", "batch_seconds"] {
            assert!(facts[key].as_f64().unwrap() > 0.0, "{key}: {facts}");
        }
    }
    // Of pixels there is nothing to decode.
    place.ok(&["convert", "a.tbl", "raw.tbl", "--decode", "6x4"]);
    let facts = &place.ok(&[&["bench", "raw.tbl", "--io", "map"], &options[..]].concat())[0];
    assert_eq!(
        (&facts["images"], &facts["decoder"], &facts["share"]["decode"]),
        (&json!(24), &Value::Null, &Value::Null)
    );

    fs::write(place.path("bad.tar"), tar(&[("a.bmp", &bmp(8, 4)), ("b.bmp", &bmp(8, 4)[..70])])).unwrap();
    let (code, lines) = place.json(&["bench", "bad.tar"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (1, &json!("image.damaged")));
    let (code, lines) = place.json(&["bench", "bad.tar", "--keep-going"]);
    assert_eq!((code, &lines[0]["images"], &lines[0]["skipped"]), (1, &json!(1), &json!(1)));
    let (code, lines) = place.json(&["bench", "a.tbl", "--epochs", "0"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (2, &json!("usage.argument")));
}

#[test]
fn shards_join_to_what_they_were() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    place.ok(&["split", "a.tbl", "--shards", "5", "-o", "shards"]);
    place.ok(&["concat", "shards/*.tbl", "-o", "c.tbl"]);
    assert_eq!(place.ok(&["diff", "a.tbl", "c.tbl"])[0]["same"], true);
    let (code, lines) = place.json(&["split", "a.tbl", "--shards", "5", "-o", "shards"]);
    assert_eq!((code, &lines[0]["error"]["kind"]), (2, &json!("usage")));
}

#[test]
fn files_come_out_under_their_names_and_never_outside() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    place.ok(&["extract", "a.tbl", "-i", "5", "-o", "five.bmp"]);
    assert_eq!(fs::read(place.path("five.bmp")).unwrap(), bmp(40, 4));
    // Without a name it gets one, and is told.
    let said = String::from_utf8(place.run(&["extract", "a.tbl", "-i", "5"]).stdout).unwrap();
    assert!(said.starts_with("00000005.bmp: "), "{said}");
    assert_eq!(fs::read(place.path("00000005.bmp")).unwrap(), bmp(40, 4));
    let done = &place.ok(&["extract", "a.tbl", "--all", "--to", "out"])[0];
    assert_eq!(done["files"], 36);
    assert_eq!(fs::read(place.path("out/d/007.json")).unwrap(), b"{\"label\": \"c1\",\n \"x\":1.50}\n");

    for (n, evil) in ["../evil.jpg", "/evil.jpg", "a/../../evil.jpg"].iter().enumerate() {
        // Our own header writer refuses such names; a hostile one does not.
        let mut file = tar(&[("0123456789abcdef", b"x")]);
        let mut name = [0; 100];
        name[..evil.len()].copy_from_slice(evil.as_bytes());
        file[..100].copy_from_slice(&name);
        file[148..156].fill(b' ');
        let sum: u32 = file[..512].iter().map(|b| u32::from(*b)).sum();
        file[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        fs::write(place.path(&format!("evil{n}.tar")), file).unwrap();
        place.ok(&["extract", &format!("evil{n}.tar"), "--all", "--to", "evil"]);
    }
    for instead in ["__/evil.jpg", "_/evil.jpg", "a/__/__/evil.jpg"] {
        assert_eq!(fs::read(place.path("evil").join(instead)).unwrap(), b"x", "{instead}");
    }
    assert!(!place.path("evil.jpg").exists());
}

#[test]
fn damage_is_listed_with_its_place() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    let rows = place.ok(&["head", "a.tbl", "-n", "12"]);
    let mut file = fs::read(place.path("a.tbl")).unwrap();
    for i in [3, 7] {
        let at = rows[i]["offset"].as_u64().unwrap() as usize;
        file[at + 60] ^= 4;
    }
    fs::write(place.path("bad.tbl"), file).unwrap();
    let (code, lines) = place.json(&["check", "bad.tbl"]);
    assert_eq!((code, &lines[0]["ok"], &lines[0]["samples"]), (1, &json!(false), &json!(12)));
    let faults = lines[0]["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 2);
    for (fault, i) in faults.iter().zip([3, 7]) {
        let said = (&fault["code"], &fault["section"], &fault["sample"], &fault["offset"]);
        assert_eq!(said, (&json!("tbl.payload_crc"), &json!("payload"), &json!(i), &rows[i]["offset"]));
    }
    let (code, lines) = place.json(&["convert", "bad.tbl", "out.tbl"]);
    assert_eq!((code, &lines[0]["error"]["sample"]), (1, &json!(3)));
    assert!(!place.path("out.tbl").exists());
    let (code, lines) = place.json(&["convert", "bad.tbl", "out.tbl", "--keep-going"]);
    assert_eq!((code, &lines[0]["samples"]), (1, &json!(10)));
    assert_eq!(lines[0]["faults"].as_array().unwrap().len(), 2);
    assert_eq!(place.ok(&["head", "out.tbl", "-n", "12"])[9]["metadata"]["id"], 9);
    // What is left out is said where the output goes to standard output, too.
    for more in [&[][..], &["--json"]] {
        let done = place.run(&[&["convert", "bad.tbl", "-", "--to", "tar", "--keep-going"], more].concat());
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!((done.status.code(), said.matches("left out").count()), (Some(1), 2), "{said}");
    }
    assert_eq!(place.ok(&["check", "out.tbl"])[0]["ok"], true);
}

#[test]
fn a_damaged_archive_keeps_what_came_before_when_told_to() {
    let place = Place::new();
    let whole = fs::read(sample(&place)).unwrap();
    fs::write(place.path("cut.tar"), &whole[..whole.len() / 2]).unwrap();
    let (code, lines) = place.json(&["convert", "cut.tar", "cut.tbl"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (1, &json!("tar.truncated")));
    assert!(!place.path("cut.tbl").exists());
    let (code, lines) = place.json(&["convert", "cut.tar", "cut.tbl", "--keep-going"]);
    assert_eq!((code, &lines[0]["faults"][0]["code"]), (1, &json!("tar.truncated")));
    assert!(lines[0]["samples"].as_u64().unwrap() >= 5);
    assert_eq!(place.ok(&["check", "cut.tbl"])[0]["ok"], true);
}

#[test]
fn outputs_are_not_replaced_by_accident_and_leave_nothing_behind() {
    let place = Place::new();
    sample(&place);
    fs::write(place.path("a.tbl"), "precious").unwrap();
    let (code, lines) = place.json(&["convert", "a.tar", "a.tbl"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (2, &json!("usage.argument")));
    assert_eq!(fs::read(place.path("a.tbl")).unwrap(), b"precious");
    fs::write(place.path("junk.tar"), "no archive at all").unwrap();
    assert_eq!(place.json(&["convert", "junk.tar", "a.tbl", "--force"]).0, 3);
    assert_eq!(fs::read(place.path("a.tbl")).unwrap(), b"precious");
    assert_eq!(place.files(), ["a.tar", "a.tbl", "junk.tar"]);
    place.ok(&["convert", "a.tar", "a.tbl", "--force"]);
    assert_eq!(place.ok(&["check", "a.tbl"])[0]["ok"], true);
    assert_eq!(place.files(), ["a.tar", "a.tbl", "junk.tar"]);
}

#[test]
fn metadata_files_are_merged_and_protobuf_stays_what_it_is() {
    let place = Place::new();
    sample(&place);
    let samples: Vec<Value> = (0..12).map(|i| json!({"id": i, "split": if i < 6 { "train" } else { "val" }})).collect();
    fs::write(place.path("m.json"), json!({"version": "1.2", "samples": samples}).to_string()).unwrap();
    place.ok(&["convert", "a.tar", "a.tbl", "--metadata", "m.json"]);
    assert_eq!(
        place.ok(&["inspect", "a.tbl"])[0]["metadata"]["document"],
        json!({"source": "a.tar", "version": "1.2"})
    );
    assert_eq!(place.ok(&["head", "a.tbl", "--where", "split == \"val\""]).len(), 6);

    fs::write(place.path("m.pb"), b"\x08\x96\x01\xff").unwrap();
    place.ok(&["convert", "a.tar", "p.tbl", "--metadata", "m.pb", "--metadata-format", "protobuf"]);
    assert_eq!(place.ok(&["inspect", "p.tbl"])[0]["metadata"]["format"], "protobuf");
    place.ok(&["convert", "p.tbl", "q.tbl", "--compression", "zstd"]);
    let file = fs::read(place.path("q.tbl")).unwrap();
    assert!(file.ends_with(b"\x08\x96\x01\xff"));
    assert_eq!(place.ok(&["check", "q.tbl"])[0]["ok"], true);

    let (code, lines) = place.json(&["convert", "a.tar", "t.tbl", "--layout", "turboloader", "--metadata", "m.json"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (2, &json!("tbl.layout_cannot")));
}

#[test]
fn folders_of_classes_become_labels() {
    let place = Place::new();
    for (class, n) in [("cats", 3), ("dogs", 2)] {
        fs::create_dir_all(place.path("photos").join(class)).unwrap();
        for i in 0..n {
            fs::write(place.path("photos").join(class).join(format!("{i}.bmp")), bmp(4, 4)).unwrap();
        }
    }
    fs::write(place.path("photos/readme.txt"), "not an image").unwrap();
    let summary = &place.ok(&["convert", "photos", "p.tbl"])[0];
    assert_eq!((&summary["samples"], &summary["skipped_members"]), (&json!(5), &json!(1)));
    assert_eq!(place.ok(&["inspect", "p.tbl"])[0]["metadata"]["document"]["classes"], json!(["cats", "dogs"]));
    let row = &place.ok(&["head", "p.tbl", "--skip", "3"])[0];
    assert_eq!((&row["metadata"]["cls"], &row["metadata"]["class"]), (&json!(1), &json!("dogs")));
}

#[test]
fn levels_and_layouts_that_cannot_be_are_refused() {
    let place = Place::new();
    sample(&place);
    for (options, code) in [
        (vec!["--compression", "lz4", "--level", "13"], "codec.level"),
        (vec!["--compression", "zstd", "--level", "23"], "codec.level"),
        (vec!["--level", "3"], "codec.level"),
        (vec!["--layout", "turboloader", "--compression", "zstd"], "tbl.layout_cannot"),
    ] {
        let (exit, lines) = place.json(&[&["convert", "a.tar", "x.tbl"], options.as_slice()].concat());
        assert_eq!((exit, &lines[0]["error"]["code"]), (2, &json!(code)), "{options:?}");
    }
    assert_eq!(place.files(), ["a.tar"]);
}

#[test]
fn pipes_carry_archives() {
    let place = Place::new();
    sample(&place);
    let shell = |line: &str| {
        let out =
            Command::new("sh").args(["-c", line]).env("F", BINARY).current_dir(place.folder.path()).output().unwrap();
        assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
        out.stdout
    };
    shell("cat a.tar | \"$F\" convert - a.tbl -q && \"$F\" convert a.tbl - --to tar -q > b.tar && cmp a.tar b.tar");
    shell("\"$F\" convert a.tar - --to tbl -q > c.tbl && \"$F\" check c.tbl -q");
    let wide = shell("\"$F\" extract a.tbl -i 5 -o -");
    assert_eq!(wide, bmp(40, 4));
    assert!(Path::new(BINARY).exists());
}

#[test]
fn tar_to_tbl_keeps_its_spelling() {
    let place = Place::new();
    sample(&place);
    let run = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_tar_to_tbl")).args(args).current_dir(place.folder.path()).output().unwrap()
    };
    let out = run(&["a.tar", "a.tbl", "--workers", "3", "--verbose"]);
    assert!(out.status.success());
    let said = String::from_utf8(out.stderr).unwrap();
    for word in ["input", "output", "samples", "ratio", "saved", "mean size", "throughput", "elapsed"] {
        assert!(said.contains(word), "{word} is missing in:\n{said}");
    }
    assert_eq!(place.ok(&["inspect", "a.tbl"])[0]["compression"], "lz4");
    assert!(run(&["a.tar", "b.tbl", "--no-compression"]).status.success());
    assert_eq!(place.ok(&["inspect", "b.tbl"])[0]["compression"], "none");
    assert_eq!(run(&["nope.tar", "c.tbl"]).status.code(), Some(2));
}

#[test]
fn completions_and_manual_are_printed() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(String::from_utf8(place.run(&["completions", shell]).stdout).unwrap().contains("forebay"), "{shell}");
    }
    let man = String::from_utf8(place.run(&["man"]).stdout).unwrap();
    assert!(man.starts_with(".") && man.contains("keep\\-going"));
}

#[cfg(unix)]
#[test]
fn what_of_a_folder_cannot_be_read_is_an_error_that_names_it_and_no_sample_is_lost_in_silence() {
    let place = Place::new();
    fs::create_dir_all(place.path("pictures/a")).unwrap();
    fs::write(place.path("pictures/a/1.bmp"), bmp(8, 4)).unwrap();
    std::os::unix::fs::symlink("gone", place.path("pictures/b")).unwrap();
    for args in [["convert", "pictures", "out.tbl"].as_slice(), &["check", "pictures"], &["stats", "pictures"]] {
        let (code, said) = place.json(args);
        let message = said[0]["error"]["message"].as_str().unwrap_or_default();
        assert!(code == 2 && message.contains("pictures/b"), "{args:?}: {code} {said:?}");
    }
    assert_eq!(place.files(), ["pictures"]);
}

#[test]
fn what_an_epoch_costs_is_said_for_every_order_and_for_a_cache() {
    let place = Place::new();
    sample(&place);
    place.ok(&["convert", "a.tar", "a.tbl"]);
    let plan = ["plan", "a.tbl", "--batch", "4", "--shuffle", "1", "--cost"];
    let said = &place.ok(&[&plan[..], &["--latency", "20ms", "--link", "8 kb/s"]].concat())[0];
    assert_eq!((&said["latency_seconds"], &said["bits_per_second"]), (&json!(0.02), &json!(8000)));
    let costs = said["costs"].as_array().unwrap();
    let of = |order: &str, cache: bool| {
        costs.iter().find(|cost| cost["order"] == order && cost["cache"] == cache).unwrap_or(&Value::Null)
    };
    assert_eq!(costs.len(), 6);
    let bytes = fs::metadata(place.path("a.tbl")).unwrap().len();
    for order in ["stored", "full", "blocks"] {
        // So small a file is one request; a cache fetches the block that it is.
        let (none, empty) = (of(order, false), of(order, true));
        // The first batches of an epoch come with what is fetched before its beginning.
        assert_eq!((&none["first"]["requests"], &none["later"]["requests"]), (&json!(1), &json!(1)));
        assert!(none["first"]["bytes"].as_u64().unwrap() >= none["first"]["wanted_bytes"].as_u64().unwrap());
        let seconds = none["first"]["seconds"].as_f64().unwrap();
        assert!((seconds - 0.02 - none["first"]["bytes"].as_f64().unwrap() / 1000.0).abs() < 1e-9, "{seconds}");
        assert_eq!(empty["first"]["bytes"], json!(bytes));
        assert_eq!((&empty["later"]["requests"], &empty["later"]["bytes"]), (&json!(0), &json!(0)));
    }
    // An epoch without a step is none, and not a cheap one.
    let empty = place.run(&["plan", "a.tbl", "--batch", "4000", "--cost"]);
    assert!(String::from_utf8(empty.stderr).unwrap().contains("the epoch has no step"));
    assert_eq!(place.ok(&["plan", "a.tbl", "--batch", "4000", "--cost"])[0]["steps"], json!(0));
    // A cache that holds nothing changes nothing.
    let said = &place.ok(&[&plan[..], &["--cache-bytes", "1kB"]].concat())[0];
    assert_eq!(said["costs"][0]["first"], said["costs"][1]["first"]);
    let text = String::from_utf8(place.run(&plan).stdout).unwrap();
    assert!(text.contains("64x16") && text.contains("filled"), "{text}");
    for wrong in [&["--link", "1"][..], &["--latency", "5"], &["--rank", "1"]] {
        let (code, lines) = place.json(&[&plan[..], wrong].concat());
        assert_eq!((code, lines[0]["error"]["kind"].as_str()), (2, Some("usage")), "{wrong:?}");
    }
}

/// Bytes that are not here, as those of an object in a store.
#[derive(Debug)]
struct Elsewhere(Vec<u8>);

impl forebay_native::input::Source for Elsewhere {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> forebay::Result<()> {
        out.copy_from_slice(&self.0[at as usize..][..out.len()]);
        Ok(())
    }
    fn identity(&self) -> Option<String> {
        Some("s3://bucket/a\u{1b}[2J.tbl v1".into())
    }
    fn unchanged(&self) -> forebay::Result<()> {
        Ok(())
    }
}

#[test]
fn a_cache_is_made_where_the_user_says_and_listed_and_cleared() {
    let place = Place::new();
    sample(&place);
    let cache = forebay_native::cache::Cache::open(place.path("kept")).unwrap();
    let input = forebay_native::Input::over("a", Elsewhere(vec![7; 1_500_000])).cached(&cache);
    input.slice(0..input.len()).unwrap();
    fs::write(place.path("kept/mine.txt"), "mine").unwrap();
    let list = &place.ok(&["cache", "list", "kept"])[0];
    let source = &list["sources"][0];
    assert_eq!((&source["identity"], &source["blocks"]), (&json!("s3://bucket/a\u{1b}[2J.tbl v1"), &json!(2)));
    assert_eq!((&source["source_bytes"], &source["bytes"]), (&json!(1_500_000), &list["bytes"]));
    assert!(source["used"].as_u64().unwrap() > 1_700_000_000);
    // The option by which other commands know the folder is enough.
    assert_eq!(&place.ok(&["cache", "list", "--cache", "kept"])[0], list);
    let (code, lines) = place.json(&["cache", "clear"]);
    assert_eq!((code, &lines[0]["error"]["code"]), (2, &json!("usage.argument")));
    let text = String::from_utf8(place.run(&["cache", "list", "kept"]).stdout).unwrap();
    assert!(text.contains("a\\u{1b}[2J.tbl v1") && text.contains("of 1 files"), "{text}");
    assert_eq!(place.ok(&["cache", "clear", "kept"])[0]["blocks"], json!(2));
    assert_eq!(place.ok(&["cache", "list", "kept"])[0], json!({ "bytes": 0, "sources": [] }));
    assert!(place.path("kept/mine.txt").exists());
    for (wrong, kind) in [("nowhere", "io"), ("a.tar", "usage")] {
        let (code, lines) = place.json(&["cache", "list", wrong]);
        assert_eq!((code, lines[0]["error"]["kind"].as_str()), (2, Some(kind)), "{wrong}");
    }
    // Files of this machine are not copied. What cannot be made is an error where it was asked for by name.
    place.ok(&["stats", "a.tar", "--cache", "new/kept", "--cache-bytes", "1GB"]);
    assert_eq!(place.ok(&["cache", "list", "new/kept"])[0]["bytes"], json!(0));
    let (code, lines) = place.json(&["stats", "a.tar", "--cache", "a.tar"]);
    assert_eq!((code, lines[0]["error"]["code"].as_str()), (2, Some("io")));
    let with = |folder: &str| {
        Command::new(BINARY)
            .args(["stats", "a.tar"])
            .env("FOREBAY_CACHE", folder)
            .current_dir(place.folder.path())
            .output()
    };
    let done = with("a.tar").unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && said.contains("FOREBAY_CACHE"), "{said}");
    assert!(with("other").unwrap().status.success() && place.path("other").is_dir());
}

#[test]
fn more_threads_than_a_system_grants_are_refused_before_one_is_begun() {
    let place = Place::new();
    sample(&place);
    for command in [
        &["check", "a.tar"][..],
        &["convert", "a.tar", "out.tbl"],
        &["bench", "a.tar"],
        &["plan", "a.tar", "--simulate"],
        &["warehouse", "build", "a.tar", "-o", "out"],
        &["duplicates", "a.tar"],
    ] {
        let refused = place.run(&[command, &["--workers", "1000000000"]].concat());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && said.contains("no more than 1024 threads"), "{command:?}: {said}");
        let refused = place.run(&[command, &["--workers", "0"]].concat());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && said.contains("at least 1 thread"), "{command:?}: {said}");
    }
    assert!(!place.path("out.tbl").exists() && !place.path("out").exists());
}
