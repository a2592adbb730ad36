//! Warehouses as they are built: the tensors of the corpus, the same bytes whatever the threads, nothing half whatever
//! happens, and every bad frame named.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

mod damage;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use forebay::{
    annotations::Exif,
    step::drive,
    warehouse::{Checker, Dtype, ResizeMode, sha256, to_f32},
};
use forebay_native::warehouse::{self, Existing, Settings};
use serde_json::Value;
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use crate::{
    common::{self, FOREBAY, Folder, bmp, error_of},
    warehouses::Files,
};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/twh")
}

fn value(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn build(folder: &Folder, more: &[&str]) -> Output {
    let mut command = Command::new(FOREBAY);
    command.args(["warehouse", "build", "--json"]).args(more).current_dir(folder.path());
    command.output().unwrap()
}

#[track_caller]
fn built(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    let report = serde_json::from_slice(&output.stdout).unwrap();
    crate::schemas::hold(&["warehouse"], [&report]);
    report
}

/// A folder with the corpus's input in it.
fn with_input() -> Folder {
    let folder = Folder::new();
    copy_all(&corpus().join("input"), &folder.at("input"));
    folder
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &to),
            false => assert!(fs::copy(entry.path(), to).is_ok()),
        }
    }
}

/// What a warehouse holds of each sample: where it came from, values, boxes.
struct Stored {
    source: String,
    frame_id: u64,
    image: Vec<f32>,
    boxes: Vec<[f32; 4]>,
}

fn stored(manifest: &Path) -> Vec<Stored> {
    let (warehouse, file) = Files::read(manifest.parent().unwrap()).open().unwrap();
    let report = drive(Checker::new(&warehouse), &file).unwrap();
    assert!(report.ok, "{:?}", report.faults);
    let shape = warehouse.shape().unwrap();
    (0..warehouse.len())
        .map(|i| {
            let at = |range: std::ops::Range<u64>| file.slice(range.start as usize..range.end as usize);
            let [boxes, mask] = warehouse.box_ranges(i).unwrap().map(at);
            let record = warehouse.sample_record(i).unwrap();
            let (shard, k) = warehouse.locate(i).unwrap();
            let image = shard.image(k);
            let bytes = at(shard.range().start + image.start..shard.range().start + image.end);
            let mut values = vec![0.0; shape.pixels().unwrap() as usize];
            to_f32(shape.dtype, shape.endianness, &bytes, &mut values);
            Stored {
                source: record.source.unwrap(),
                frame_id: record.frame_id.unwrap(),
                image: values,
                boxes: warehouse.boxes(i, &boxes, &mask).unwrap(),
            }
        })
        .collect()
}

fn levels(image: &[f32]) -> Vec<u8> {
    image.iter().map(|value| (value * 255.0).round() as u8).collect()
}

/// A bitmap of the pixels that the decoder of whoever made the truth has for a JPEG; ours has those of libjpeg-turbo.
fn as_bitmap(jpeg: &[u8]) -> Vec<u8> {
    let rgb = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(jpeg), rgb);
    let pixels = decoder.decode().unwrap();
    let (width, height) = decoder.dimensions().unwrap();
    let size = [(width as i32).to_le_bytes(), (-(height as i32)).to_le_bytes()].concat();
    let mut bitmap = [b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", &size[..], &[1, 0, 24, 0], &[0; 24]].concat();
    for line in pixels.chunks_exact(width * 3) {
        bitmap.extend(line.chunks_exact(3).flat_map(|rgb| [rgb[2], rgb[1], rgb[0]]));
        bitmap.extend(std::iter::repeat_n(0, line.len().next_multiple_of(4) - line.len()));
    }
    bitmap
}

/// Every image equal, every box within 1e-6, nothing more and nothing less.
fn holds_the_truth(case: &str, manifest: &Path, dtype: Dtype) {
    let truth = value(&corpus().join(format!("expected/{case}/ground_truth_corrected.json")));
    let truth = truth["samples"].as_array().unwrap();
    let found = stored(manifest);
    assert_eq!(found.len(), truth.len());
    for (found, truth) in found.iter().zip(truth) {
        let label = truth["label"].as_str().unwrap();
        let stem = label.replace("/labels/", "/images/").replace(".json", "");
        assert!(found.source.starts_with(&stem), "{} is not of {label}", found.source);
        assert_eq!(found.frame_id, truth["frame_id"].as_u64().unwrap());
        assert_eq!(sha256(&levels(&found.image)), truth["image_sha256_u8_chw"].as_str().unwrap(), "{label}");
        if dtype != Dtype::F16 {
            let bytes: Vec<u8> = found.image.iter().flat_map(|value| value.to_le_bytes()).collect();
            assert_eq!(sha256(&bytes), truth["image_sha256_f32le"].as_str().unwrap(), "{label}");
        }
        let boxes: Vec<Vec<f64>> = serde_json::from_value(truth["boxes_f64"].clone()).unwrap();
        assert_eq!(found.boxes.len(), boxes.len(), "{label}");
        // In f16 a box is as near as f16 is.
        let near = if dtype == Dtype::F16 { 2.5e-4 } else { 1e-6 };
        for (a, b) in found.boxes.iter().flatten().zip(boxes.iter().flatten()) {
            assert!((f64::from(*a) - b).abs() <= near, "{label}: {a} is not {b}");
        }
    }
}

#[test]
fn the_corpus_becomes_what_a_right_builder_makes() {
    let folder = with_input();
    for name in fs::read_dir(corpus().join("input/run_c/images")).unwrap().map(|entry| entry.unwrap().file_name()) {
        let path = folder.at("input/run_c/images").join(name);
        if path.extension().is_some_and(|extension| extension == "jpg") {
            fs::write(&path, as_bitmap(&fs::read(&path).unwrap())).unwrap();
        }
    }
    for (case, resize, side, most) in
        [("case_letterbox_64", ResizeMode::Letterbox, 64, 4), ("case_force_48", ResizeMode::Force, 48, 16)]
    {
        let truth = value(&corpus().join(format!("expected/{case}/ground_truth_corrected.json")));
        let samples = truth["samples"].as_array().unwrap();
        let sum = |field: &str| samples.iter().map(|sample| sample[field].as_u64().unwrap()).sum::<u64>();
        for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
            let mut settings = Settings::default().with_size(side, side).with_resize(resize).with_max_boxes(most);
            settings = settings.with_dtype(dtype).with_skip_empty(true);
            // What EXIF turns was not turned.
            settings.exif = Exif::Ignore;
            let out = folder.at(&format!("{case}-{}", dtype.name()));
            let made = warehouse::build(&[folder.at("input")], &out, &settings).unwrap();
            holds_the_truth(case, &made.manifest, dtype);
            let totals = &made.summary.totals;
            assert_eq!((made.samples, totals.empty), (21, 1));
            assert_eq!(totals.other["boxes_dropped"], sum("boxes_dropped_outside"));
            assert_eq!(totals.other["boxes_truncated"], sum("boxes_truncated"));
        }
    }
}

#[test]
fn the_command_builds_the_same_and_jpegs_are_those_of_libjpeg_turbo() {
    let folder = with_input();
    let more = [
        "input",
        "-o",
        "out",
        "--size",
        "64x64",
        "--max-boxes",
        "4",
        "--skip-empty",
        "--code-version",
        "0.6.0",
        "--exif",
        "ignore",
    ];
    let made = built(&build(&folder, &more));
    let path = folder.at(made["manifest"].as_str().unwrap());
    let truth = value(&corpus().join("expected/case_letterbox_64/ground_truth_corrected.json"));
    for (found, truth) in stored(&path).iter().zip(truth["samples"].as_array().unwrap()) {
        let levels = levels(&found.image);
        if !found.source.ends_with(".jpg") {
            assert_eq!(sha256(&levels), truth["image_sha256_u8_chw"].as_str().unwrap(), "{}", found.source);
        }
        for pixel in truth["pixels"].as_array().unwrap() {
            let [x, y] = ["x", "y"].map(|side| pixel[side].as_u64().unwrap() as usize);
            for channel in 0..3 {
                let found_level = levels[(channel * 64 + y) * 64 + x];
                let level = pixel["u8"][channel].as_u64().unwrap() as u8;
                assert!(found_level.abs_diff(level) <= 12, "{} {pixel}", found.source);
            }
        }
    }
    // The first builder's own key for this input stands beside ours.
    let manifest = value(&path);
    let old = value(&corpus().join("expected/version_examples.json"));
    assert_eq!(manifest["peer_version"], old[0]["version"]);
    assert_eq!(manifest["version"], sha256(manifest["version_key"].as_str().unwrap().as_bytes()).as_str());
}

/// A JPEG of the corpus with an EXIF block that says how it is to be turned.
fn turned_jpeg(number: u8) -> Vec<u8> {
    let jpeg = fs::read(corpus().join("input/run_c/images/frame_00001.jpg")).unwrap();
    let mut exif = b"\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([number, 0, 0, 0, 0, 0, 0, 0]);
    [&jpeg[..2], &exif, &jpeg[2..]].concat()
}

#[test]
fn pictures_that_exif_turns_are_turned_left_or_refused_as_asked() {
    let folder = Folder::new();
    fs::create_dir_all(folder.at("in/run/labels")).unwrap();
    fs::write(folder.at("in/run/a.jpg"), turned_jpeg(6)).unwrap();
    fs::write(folder.at("in/run/b.jpg"), turned_jpeg(1)).unwrap();
    for (i, name) in ["a", "b"].iter().enumerate() {
        let label = format!(r#"{{"frame_id":{i},"image":"{name}.jpg","image_present":true,"labels":[]}}"#);
        fs::write(folder.at(&format!("in/run/labels/{name}.json")), label).unwrap();
    }
    let made = |exif: &str| {
        let made = built(&build(&folder, &["in", "-o", exif, "--size", "48x48", "--resize", "force", "--exif", exif]));
        (stored(&folder.at(made["manifest"].as_str().unwrap())), made)
    };
    let (ignored, said) = made("ignore");
    assert_eq!((ignored[0].image == ignored[1].image, &said["summary"]["totals"]["turned"]), (true, &0.into()));
    let (applied, said) = made("apply");
    assert_eq!(said["summary"]["totals"]["turned"], 1);
    assert!(applied[0].image != ignored[0].image && applied[1].image == ignored[1].image);
    // A quarter to the right: what was at the lower left is at the upper left. Squares resize alike, up to rounding.
    let at = |image: &[f32], x: usize, y: usize| image[y * 48 + x];
    for (x, y) in [(5, 7), (40, 11), (23, 44)] {
        assert!((at(&applied[0].image, x, y) - at(&ignored[0].image, y, 47 - x)).abs() < 0.02);
    }
    let (refused, said) = made("refuse");
    assert_eq!((refused.len(), &said["refused"][0]["cause"]), (1, &"turned".into()));
}

#[test]
fn frames_without_boxes_are_kept_unless_that_is_asked() {
    let folder = with_input();
    let made = built(&build(&folder, &["input", "-o", "out", "--size", "32x32"]));
    assert_eq!((&made["samples"], &made["summary"]["totals"]["empty"]), (&22.into(), &1.into()));
    let found = stored(&folder.at(made["manifest"].as_str().unwrap()));
    let empty: Vec<&str> = found.iter().filter(|s| s.boxes.is_empty()).map(|s| s.source.as_str()).collect();
    assert_eq!(empty, ["run_d/images/frame_00001.png"]);
}

#[test]
fn every_bad_frame_is_named_with_its_cause() {
    let folder = with_input();
    let made = built(&build(&folder, &["input", "-o", "out", "--size", "16x16"]));
    let refused: BTreeMap<String, String> = made["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            let file = r["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            assert!(!r["reason"].as_str().unwrap().is_empty());
            (file, r["cause"].as_str().unwrap().to_owned())
        })
        .collect();
    let expected = [
        ("frame_00002.json", "picture_missing"),
        ("frame_00003.json", "picture_absent"),
        ("frame_00004.json", "no_picture"),
        ("frame_00005.json", "bad_box"),
        ("frame_00006.json", "bad_box"),
        ("frame_00007.json", "bad_box"),
        ("frame_00008.json", "label_damaged"),
        ("frame_00009.json", "label_damaged"),
        ("frame_00010.json", "label_damaged"),
        ("frame_00011.json", "bad_box"),
        ("frame_00012.json", "bad_box"),
        ("frame_00013.png", "picture_damaged"),
    ];
    let refused: Vec<(&str, &str)> = refused.iter().map(|(f, c)| (f.as_str(), c.as_str())).collect();
    assert_eq!(refused, expected);
    let run_d = &made["summary"]["runs"][3];
    let counts =
        ["total", "empty", "missing_image", "missing_file", "invalid"].map(|name| run_d[name].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 1, 2, 9]);
}

/// Every file of a warehouse, but for when it was built.
fn bytes(manifest: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = Files::read(manifest.parent().unwrap()).0;
    let mut text: Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    text["created_at_ms"] = 0.into();
    files.insert("manifest.json".into(), text.to_string().into_bytes());
    files
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = with_input();
    let mut settings = Settings::default().with_size(40, 24).with_dtype(Dtype::F16);
    settings.shard_bytes = 20_000;
    for skip_empty in [false, true] {
        settings.skip_empty = skip_empty;
        let mut all = Vec::new();
        // From 2 on, shards are written side by side.
        for workers in [1, 2, 5, 12] {
            settings.workers = Some(workers);
            let out = folder.at(&format!("out{workers}"));
            let made = warehouse::build(&[folder.at("input")], &out, &settings).unwrap();
            assert!(made.shards > 5, "{made:?}");
            all.push(bytes(&made.manifest));
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        // Whether frames of a shard were left out or not, its digest is its file's.
        let manifest: Value = serde_json::from_slice(&all[0]["manifest.json"]).unwrap();
        for shard in manifest["shards"].as_array().unwrap() {
            let file = &all[0][shard["relative_path"].as_str().unwrap()];
            assert_eq!(shard["checksum_sha256"], sha256(file).as_str());
        }
    }
}

#[test]
fn thresholds_hold_for_what_is_really_stored() {
    let folder = with_input();
    let base = ["input", "-o", "out", "--size", "16x16"];
    for (more, fails) in [
        (&["--max-invalid", "9"][..], false),
        (&["--max-invalid", "8"], true),
        (&["--max-missing", "2"], true),
        (&["--max-empty", "0"], true),
        (&["--max-invalid-ratio", "0.2"], true),
        (&["--max-invalid-ratio", "0.3"], false),
    ] {
        let output = build(&folder, &[&base[..], more].concat());
        assert_eq!(output.status.code(), Some(i32::from(fails)), "{more:?} {output:?}");
        if fails {
            assert_eq!(error_of(&output)["code"], "warehouse.threshold");
            // At most what a build that allows it can go on from.
            let left = if folder.at("out").exists() { folder_names(&folder.at("out")) } else { Vec::new() };
            assert!(left.iter().all(|name| name.starts_with(".warehouse.forebay-")), "{more:?}: {left:?}");
        } else {
            fs::remove_dir_all(folder.at("out")).unwrap();
        }
    }
    let output = build(&folder, &[&base[..], &["--max-empty", "0", "--allow-violations"]].concat());
    let made = built(&output);
    assert_eq!(made["violations"].as_array().unwrap().len(), 1);
    let manifest = value(&folder.at(made["manifest"].as_str().unwrap()));
    assert_eq!(
        (&manifest["thresholds"]["max_empty"], manifest["violations_allowed"].as_array().unwrap().len()),
        (&0.into(), 1)
    );
    // The environment says the same, and what cannot be read is refused.
    for (text, code) in [("0", "warehouse.threshold"), ("many", "usage.argument")] {
        let mut command = Command::new(FOREBAY);
        command
            .args(["warehouse", "build", "--json"])
            .args(["input", "-o", "other", "--size", "16x16"])
            .current_dir(folder.path());
        let output = command.env("BURN_DATASET_MAX_EMPTY", text).output().unwrap();
        assert_eq!(error_of(&output)["code"], code);
    }
}

fn folder_names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_version_stands_until_its_sources_change() {
    let folder = with_input();
    let base = ["input", "-o", "out", "--size", "16x16"];
    let first = built(&build(&folder, &base));
    let manifest = folder.at(first["manifest"].as_str().unwrap());
    let refused = build(&folder, &base);
    assert_eq!(refused.status.code(), Some(2));
    assert!(error_of(&refused)["message"].as_str().unwrap().contains("--skip-if-exists"));
    let before = fs::read(&manifest).unwrap();
    assert_eq!(built(&build(&folder, &[&base[..], &["--skip-if-exists"]].concat()))["reused"], true);
    assert_eq!(fs::read(&manifest).unwrap(), before);
    // A shard that is not what it was is made anew, by the same name.
    let shard = manifest.with_file_name("shard_00000.bin");
    let whole = fs::read(&shard).unwrap();
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    fs::write(&shard, flipped).unwrap();
    assert_eq!(built(&build(&folder, &[&base[..], &["--skip-if-exists"]].concat()))["reused"], false);
    assert_eq!(fs::read(&shard).unwrap(), whole);
    // Another label is another version, beside the old one.
    let label = folder.at("input/run_a/labels/frame_00003.json");
    let text = fs::read_to_string(&label).unwrap().replace("16.0", "17.0");
    fs::write(&label, text).unwrap();
    let second = built(&build(&folder, &[&base[..], &["--skip-if-exists"]].concat()));
    assert_ne!(second["version"], first["version"]);
    let list =
        Command::new(FOREBAY).args(["warehouse", "list", "out", "--json"]).current_dir(folder.path()).output().unwrap();
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    let state = |version: &Value| {
        list.as_array().unwrap().iter().find(|kept| kept["version"] == *version).unwrap()["state"].clone()
    };
    assert_eq!((state(&first["version"]), state(&second["version"])), ("replaced".into(), "current".into()));
    let gc = |more: &[&str]| {
        let output = Command::new(FOREBAY)
            .args(["warehouse", "gc", "out"])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        folder_names(&folder.at("out"))
    };
    assert_eq!(gc(&["--dry-run"]).len(), 2);
    // Warehouses of other builders do not say what they are made with: none is known to replace another.
    let manifests = [&first, &second].map(|made| folder.at(made["manifest"].as_str().unwrap()));
    let texts = manifests.clone().map(|path| fs::read_to_string(path).unwrap());
    for (path, text) in manifests.iter().zip(&texts) {
        let mut manifest: Value = serde_json::from_str(text).unwrap();
        manifest.as_object_mut().unwrap().remove("version_key").unwrap();
        fs::write(path, manifest.to_string()).unwrap();
    }
    assert_eq!(gc(&[]).len(), 2);
    manifests.iter().zip(&texts).for_each(|(path, text)| fs::write(path, text).unwrap());
    assert_eq!(gc(&[]), [format!("v{}", second["version"].as_str().unwrap())]);
}

/// Runs of this many frames, pictures of some size.
fn many(folder: &Folder, frames: u32) {
    fs::create_dir_all(folder.at("in/run_1/labels")).unwrap();
    for i in 0..frames {
        fs::write(folder.at(&format!("in/run_1/{i:05}.bmp")), bmp(60, i)).unwrap();
        let label = format!(
            r#"{{"frame_id":{i},"image":"{i:05}.bmp","image_present":true,"labels":[{{"bbox_px":[1,0,{}.5,2]}}]}}"#,
            2 + i % 50
        );
        fs::write(folder.at(&format!("in/run_1/labels/{i:05}.json")), label).unwrap();
    }
}

fn stage_of(out: &Path) -> Option<PathBuf> {
    let names = fs::read_dir(out).ok()?;
    names.filter_map(|e| Some(e.ok()?.path())).find(|path| path.extension().is_some_and(|e| e == "part"))
}

#[test]
fn killed_in_the_middle_it_leaves_no_warehouse_and_the_next_build_goes_on() {
    let folder = Folder::new();
    many(&folder, 400);
    let base = ["in", "-o", "out", "--size", "200x200", "--shard-mib", "1", "--no-sync"];
    let mut child = Command::new(FOREBAY)
        .args(["warehouse", "build", "--json"])
        .args(base)
        .args(["--workers", "1"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let out = folder.at("out");
    let finished = || stage_of(&out).map_or(0, |s| folder_names(&s).iter().filter(|n| n.starts_with("done-")).count());
    while finished() < 3 {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing was built");
        assert!(child.try_wait().unwrap().is_none(), "it was done before it could be killed");
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(folder_names(&out).iter().all(|name| name.starts_with(".warehouse.forebay-")), "{:?}", folder_names(&out));
    // A shard that was damaged since, and a picture that is another, are not taken over.
    let stage = stage_of(&out).unwrap();
    let shard = stage.join("chunk-00001");
    let mut bytes_of = fs::read(&shard).unwrap();
    bytes_of[5000] ^= 1;
    fs::write(&shard, bytes_of).unwrap();
    let made = built(&build(&folder, &base));
    assert!(made["resumed"].as_u64().unwrap() >= 4 && made["resumed"].as_u64().unwrap() < 400, "{}", made["resumed"]);
    let whole = built(&build(&folder, &["in", "-o", "whole", "--size", "200x200", "--shard-mib", "1", "--no-sync"]));
    assert_eq!(whole["resumed"], 0);
    let at = |made: &Value| folder.at(made["manifest"].as_str().unwrap());
    assert!(bytes(&at(&made)) == bytes(&at(&whole)));
    assert_eq!(folder_names(&out).len(), 1);
}

#[test]
fn a_disk_that_fills_up_is_one_clear_error_and_leaves_no_warehouse() {
    let folder = Folder::new();
    many(&folder, 40);
    let script = "trap '' XFSZ; ulimit -f 400; exec \"$0\" warehouse build --json in -o out --size 200x200";
    let done = Command::new("sh").args(["-c", script, FOREBAY]).current_dir(folder.path()).output().unwrap();
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    let error = error_of(&done);
    assert_eq!(error["code"], "io");
    assert!(error["message"].as_str().unwrap().contains("write"), "{error}");
    assert_eq!(folder_names(&folder.at("out")), [""; 0]);
}

#[test]
fn a_source_that_changes_meanwhile_is_an_error_and_the_old_warehouse_stands() {
    let folder = with_input();
    let mut settings = Settings::default().with_size(16, 16).with_resize(ResizeMode::Force);
    settings.existing = Existing::Replace;
    let first = warehouse::build(&[folder.at("input")], &folder.at("out"), &settings).unwrap();
    let before = bytes(&first.manifest);
    for (what, victim) in
        [("a label", "input/run_a/labels/frame_00001.json"), ("an image", "input/run_d/images/frame_00015.png")]
    {
        let victim = folder.at(victim);
        let old = fs::read(&victim).unwrap();
        let mut once = Some(());
        let outcome = warehouse::build_with(&[folder.at("input")], &folder.at("out"), &settings, &mut |_| {
            if once.take().is_some() {
                fs::write(&victim, [&old[..], b" "].concat()).unwrap();
            }
        });
        let e = outcome.unwrap_err();
        assert_eq!(e.code().id(), "source.changed", "{what}: {e}");
        fs::write(&victim, old).unwrap();
        assert_eq!(bytes(&first.manifest), before, "{what}");
    }
}

#[test]
fn folders_and_archives_of_pictures_become_frames_without_boxes() {
    let folder = Folder::new();
    fs::create_dir_all(folder.at("pictures/b")).unwrap();
    let names = ["pictures/b/1.bmp", "pictures/2.bmp"];
    for (i, name) in names.iter().enumerate() {
        fs::write(folder.at(name), bmp(30, i as u32)).unwrap();
    }
    let members: Vec<_> = (0..3).map(|i| (format!("{i}.bmp"), bmp(30, i))).collect();
    fs::write(folder.at("all.tar"), common::tar(&members)).unwrap();
    let made = built(&build(&folder, &["pictures", "all.tar", "-o", "out", "--size", "8x8", "--dtype", "u8"]));
    let found = stored(&folder.at(made["manifest"].as_str().unwrap()));
    let sources: Vec<&str> = found.iter().map(|s| s.source.as_str()).collect();
    assert_eq!(sources, ["2.bmp", "b/1.bmp", "0.bmp", "1.bmp", "2.bmp"]);
    let runs: Vec<&str> =
        made["summary"]["runs"].as_array().unwrap().iter().map(|r| r["run_dir"].as_str().unwrap()).collect();
    assert_eq!(runs, ["pictures", "pictures/b", "all.tar"]);
    // The same picture is the same image, wherever it lies.
    assert_eq!(found[1].image, found[2].image);
}

#[test]
fn labels_of_other_tools_are_laid_beside_their_pictures() {
    let folder = Folder::new();
    fs::create_dir_all(folder.at("pictures")).unwrap();
    for (name, jpeg) in [("a.jpg", turned_jpeg(1)), ("b.jpg", turned_jpeg(6)), ("c.jpg", turned_jpeg(1))] {
        fs::write(folder.at("pictures").join(name), jpeg).unwrap();
    }
    let members: Vec<_> = ["a.jpg", "b.jpg"].map(|n| (n, fs::read(folder.at("pictures").join(n)).unwrap())).to_vec();
    fs::write(folder.at("all.tar"), common::tar(&members)).unwrap();
    let coco = serde_json::json!({
        "images": [
            { "id": 1, "file_name": "a.jpg", "width": 64, "height": 48 },
            { "id": 2, "file_name": "b.jpg", "width": 64, "height": 48 },
            { "id": 3, "file_name": "gone.jpg", "width": 64, "height": 48 },
        ],
        "categories": [{ "id": 7, "name": "car" }, { "id": 9, "name": "dog" }],
        "annotations": [
            { "id": 1, "image_id": 1, "category_id": 9, "bbox": [16, 12, 32, 24], "area": 768, "iscrowd": 0 },
            { "id": 2, "image_id": 1, "category_id": 7, "bbox": [0, 0, 640, 12], "area": 768, "iscrowd": 0 },
            { "id": 3, "image_id": 1, "category_id": 7, "bbox": [0, 0, 9, 9], "area": 81, "iscrowd": 1,
              "segmentation": { "size": [48, 64], "counts": [0, 9, 3063] } },
            { "id": 4, "image_id": 2, "category_id": 7, "bbox": [0, 24, 16, 24], "area": 384, "iscrowd": 0 },
        ],
    });
    fs::write(folder.at("coco.json"), coco.to_string()).unwrap();
    let options = ["--size", "64x64", "--resize", "force", "--labels", "coco.json"];
    for (source, unlabeled) in [("pictures", 1), ("all.tar", 0)] {
        let made = built(&build(&folder, &[&[source, "-o", "out"], &options[..]].concat()));
        let manifest = folder.at(made["manifest"].as_str().unwrap());
        let found = stored(&manifest);
        assert_eq!(found[0].boxes, [[0.25, 0.25, 0.75, 0.75], [0.0, 0.0, 1.0, 0.25]]);
        // Stored pixels were meant, by the size in the file; seen, the lower left corner is the upper left one.
        assert_eq!(found[1].boxes, [[0.0, 0.0, 0.5, 0.25]], "{source}");
        let (warehouse, _) = Files::read(manifest.parent().unwrap()).open().unwrap();
        assert_eq!(warehouse.manifest().classes.as_deref().unwrap(), ["car", "dog"]);
        assert_eq!(warehouse.sample_record(0).unwrap().classes, [Some(1), Some(0)]);
        let refused = &made["summary"]["totals"]["refused"];
        assert_eq!(
            (refused["picture_missing"].as_u64(), refused["unlabeled"].as_u64().unwrap_or(0)),
            (Some(1), unlabeled)
        );
        assert!(made["notes"][0].as_str().unwrap().contains("crowd"), "{}", made["notes"]);
    }
    // What would change nothing in these labels is refused.
    for (option, value) in [("--voc-base", "1"), ("--task", "obb")] {
        let error = error_of(&build(&folder, &[&["pictures", "-o", "none", option, value], &options[..]].concat()));
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(&format!("{option} changes nothing in labels of the format coco")), "{error}");
    }
    assert!(!folder.at("none").exists());
    let picked = build(&folder, &[&["pictures", "-o", "picked", "--pick", "all"], &options[..]].concat());
    assert!(picked.status.success(), "{picked:?}");
}

#[test]
fn annotations_in_the_metadata_of_samples_are_laid_on_their_pictures() {
    let folder = Folder::new();
    let said = |text: &str| format!(r#"{{"annotations_format":"forebay.1","annotations":[{text}]}}"#).into_bytes();
    let dog =
        r#"{"class":"dog","xmin":16,"ymin":12,"xmax":48,"ymax":36},{"xmin":0,"ymin":0,"xmax":9,"ymax":9,"crowd":true}"#;
    // The pixels of what the file holds, which is seen turned.
    let car = r#"{"class":"car","xmin":0,"ymin":24,"xmax":16,"ymax":48}"#;
    let members = [
        ("a.jpg", turned_jpeg(1)),
        ("a.json", said(dog)),
        ("b.jpg", turned_jpeg(6)),
        ("b.json", said(car)),
        ("c.jpg", turned_jpeg(1)),
        ("d.jpg", turned_jpeg(1)),
        ("d.json", said("")),
    ];
    fs::write(folder.at("all.tar"), common::tar(&members)).unwrap();
    let converted = Command::new(FOREBAY).args(["convert", "all.tar", "all.tbl"]).current_dir(folder.path()).output();
    assert!(converted.unwrap().status.success());
    for source in ["all.tar", "all.tbl"] {
        let made = built(&build(&folder, &[source, "-o", "out", "--size", "64x64", "--resize", "force"]));
        let manifest = folder.at(made["manifest"].as_str().unwrap());
        let found = stored(&manifest);
        let boxes: Vec<_> = found.iter().map(|one| one.boxes.clone()).collect();
        assert_eq!(boxes, [vec![[0.25, 0.25, 0.75, 0.75]], vec![[0.0, 0.0, 0.5, 0.25]], vec![]], "{source}");
        let (warehouse, _) = Files::read(manifest.parent().unwrap()).open().unwrap();
        assert_eq!(warehouse.manifest().classes.as_deref().unwrap(), ["dog", "car"]);
        assert_eq!(made["summary"]["totals"]["refused"]["unlabeled"], 1);
        assert!(made["notes"].to_string().contains("crowd"), "{}", made["notes"]);
    }
    // Of another program's boxes it has to be said what they mean, or that they are none; what is ours and wrong is refused.
    let foreign = [("a.jpg", turned_jpeg(1)), ("a.json", br#"{"annotations":[[1,2,3,4]]}"#.to_vec())];
    fs::write(folder.at("foreign.tar"), common::tar(&foreign)).unwrap();
    let foreign = |more: &[&str]| build(&folder, &[&["foreign.tar", "-o", "out", "--size", "64x64"], more].concat());
    let error = error_of(&foreign(&[]));
    assert_eq!(
        (error["code"].as_str(), error["path"].as_str()),
        (Some("label.ambiguous"), Some("json.annotations[0]"))
    );
    assert!(error["message"].as_str().unwrap().contains("--boxes"), "{error}");
    for (boxes, empty) in [("none", 1), ("json.annotations:xywh", 0)] {
        let made = built(&foreign(&["--boxes", boxes]));
        assert_eq!((&made["samples"], &made["summary"]["totals"]["empty"]), (&1.into(), &empty.into()), "{boxes}");
    }
    let wrong = [("a.jpg", turned_jpeg(1)), ("a.json", said(r#"{"xmin":1}"#))];
    fs::write(folder.at("wrong.tar"), common::tar(&wrong)).unwrap();
    let error = error_of(&build(&folder, &["wrong.tar", "-o", "out", "--size", "64x64"]));
    assert_eq!((error["code"].as_str(), error["sample"].as_u64()), (Some("label.value"), Some(0)));
    // Boxes that nobody has are not no boxes, and those that are dropped are said.
    let four = [("a.jpg", turned_jpeg(1)), ("a.json", br#"{"boxes":[[100,0,200,9]]}"#.to_vec())];
    fs::write(folder.at("four.tar"), common::tar(&four)).unwrap();
    let none = error_of(&build(&folder, &["four.tar", "-o", "none", "--size", "8x8", "--boxes", "json.others:xywh"]));
    assert_eq!(none["code"].as_str(), Some("label.format"), "{none}");
    assert!(none["message"].as_str().unwrap().contains("--boxes"), "{none}");
    let mut outside = Command::new(FOREBAY);
    outside.args(["warehouse", "build", "four.tar", "-o", "four", "--size", "8x8", "--boxes", "json.boxes:xywh"]);
    let outside = outside.current_dir(folder.path()).output().unwrap();
    let words = String::from_utf8_lossy(&outside.stderr);
    assert!(words.contains("1 box lies outside of its image"), "{words}");
}

#[test]
fn a_source_that_is_given_twice_is_said_whatever_it_is_called() {
    let folder = with_input();
    let whole = folder.at("input");
    for (k, again) in ["./input", "input/run_a", whole.to_str().unwrap()].iter().enumerate() {
        let made = built(&build(&folder, &["input", again, "-o", &k.to_string(), "--size", "16x16"]));
        let notes = made["notes"].to_string();
        assert!(notes.contains(&format!("{again} is given more than once")), "{notes}");
    }
    let made = built(&build(&folder, &["input/run_a", "input/run_b", "-o", "apart", "--size", "16x16"]));
    assert!(!made["notes"].to_string().contains("more than once"), "{}", made["notes"]);
}

#[test]
fn a_trace_says_what_took_the_time() {
    let folder = with_input();
    built(&build(&folder, &["input", "-o", "out", "--size", "16x16", "--trace", "t.jsonl"]));
    let line: Value = serde_json::from_str(fs::read_to_string(folder.at("t.jsonl")).unwrap().trim()).unwrap();
    assert_eq!((&line["shard"], &line["samples"]), (&"00000".into(), &22.into()));
    assert_eq!(line["refused"]["picture_damaged"], 1);
    for field in ["decode_ms", "resize_ms", "write_ms", "samples_per_s"] {
        assert!(line[field].as_f64().unwrap() > 0.0, "{field}: {line}");
    }
    // The next build's takes its place, but that of nothing else: not even before anything is built.
    built(&build(&folder, &["input", "-o", "out", "--size", "8x8", "--trace", "t.jsonl"]));
    assert_eq!(fs::read_to_string(folder.at("t.jsonl")).unwrap().lines().count(), 1);
    for (name, other) in [("notes.txt", "what I know\n"), ("other.jsonl", "{\"a\": 1}\n")] {
        fs::write(folder.at(name), other).unwrap();
        let error = error_of(&build(&folder, &["input", "-o", "none", "--size", "16x16", "--trace", name]));
        assert_eq!((&error["code"], &error["file"]), (&"usage.argument".into(), &name.into()), "{error}");
        assert_eq!(fs::read_to_string(folder.at(name)).unwrap(), other);
    }
    assert!(!folder.at("none").exists());
}

/// The table of the first builder's exporter, for counts that are our own.
#[cfg(feature = "arrow")]
#[test]
fn the_summary_is_exported_as_a_table_of_the_known_columns() {
    let folder = with_input();
    let made = built(&build(&folder, &["input", "-o", "out", "--size", "16x16"]));
    let manifest = made["manifest"].as_str().unwrap();
    let export = |more: &[&str]| {
        let mut command = Command::new(FOREBAY);
        let output: &[&str] = if more.contains(&"-o") { &[] } else { &["-o", "s.parquet"] };
        command.args(["warehouse", "export", manifest, "--json"]).args(output).args(more);
        command.current_dir(folder.path()).output().unwrap()
    };
    assert_eq!(built(&export(&[]))["rows"], 5);
    assert_eq!(error_of(&export(&[]))["code"], "usage.argument");
    assert!(export(&["--force"]).status.success());
    // It is Parquet, and never under the name of something else.
    assert_eq!(error_of(&export(&["-o", "s.csv"]))["code"], "usage.argument");
    assert!(!folder.at("s.csv").exists());
    let rows = |file: &Path| {
        let mut command = Command::new(FOREBAY);
        let output = command.args(["convert", "--to", "jsonl", "--workers", "1"]).arg(file).arg("-").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| serde_json::from_str::<serde_json::Map<String, Value>>(line).unwrap())
            .collect::<Vec<_>>()
    };
    let (ours, theirs) = (rows(&folder.at("s.parquet")), rows(&corpus().join("expected/warehouse_summary.parquet")));
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!(ours.keys().eq(theirs.keys()), "{ours:?}");
        assert_eq!((&ours["run"], &ours["kind"]), (&theirs["run"], &theirs["kind"]));
    }
    assert_eq!(ours[4]["version"], made["version"]);
    assert_eq!(ours[3]["invalid"], 9);
}

#[test]
fn sources_without_frames_are_refused() {
    let folder = Folder::new();
    fs::create_dir_all(folder.at("empty")).unwrap();
    fs::create_dir_all(folder.at("bad/run/labels")).unwrap();
    fs::write(folder.at("bad/run/labels/a.json"), "{").unwrap();
    for (source, code) in [("empty", "format.not_samples"), ("bad", "warehouse.no_frames"), ("gone", "io")] {
        let output = build(&folder, &[source, "-o", "out"]);
        assert_eq!(error_of(&output)["code"], code, "{source}");
        assert!(!output.status.success());
    }
}
