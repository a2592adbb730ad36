//! Warehouses that another builder wrote, and those that are written here.

use crate::common;
use crate::warehouses;

use bytes::Bytes;
use forebay::{
    Limits,
    step::{Step, Stepper, drive},
    warehouse::{
        Checker, Dtype, Endianness, Manifest, ResizeMode, SampleRecord, Shape, ShardHeader, ShardWriter, Transform,
        Warehouse, sha256, to_f32,
        version::{self, Recipe},
    },
};
use serde_json::Value;
use warehouses::Files;

const CASES: [&str; 2] = ["case_letterbox_64", "case_force_48"];

fn case(name: &str) -> Files {
    Files::read(&common::corpus("twh/expected").join(name))
}

#[allow(clippy::disallowed_methods, reason = "tests read files")]
fn json(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(common::corpus("twh").join(path)).unwrap()).unwrap()
}

fn slice(file: &Bytes, range: std::ops::Range<u64>) -> Bytes {
    file.slice(range.start as usize..range.end as usize)
}

fn numbers(warehouse: &Warehouse, dtype: Dtype, bytes: &[u8]) -> Vec<f32> {
    let mut out = vec![0.0; bytes.len() / dtype.size() as usize];
    to_f32(dtype, warehouse.shape().unwrap().endianness, bytes, &mut out);
    out
}

/// Image, boxes with those that are not there, and mask, all in f32.
fn tensors(warehouse: &Warehouse, file: &Bytes, i: u64) -> [Vec<f32>; 3] {
    let shape = warehouse.shape().unwrap();
    let [boxes, mask] = warehouse.box_ranges(i).unwrap();
    let image = slice(file, warehouse.plan(i).unwrap().range());
    let boxes_dtype = shape.boxes_dtype;
    [(shape.dtype, image), (boxes_dtype, slice(file, boxes)), (boxes_dtype, slice(file, mask))]
        .map(|(dtype, bytes)| numbers(warehouse, dtype, &bytes))
}

fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn the_other_builders_tensors_are_read_bit_for_bit() {
    for name in CASES {
        let (warehouse, file) = case(name).open().unwrap();
        let truth = json(&format!("expected/{name}/ground_truth.json"));
        let stored: Vec<&Value> =
            truth["samples"].as_array().unwrap().iter().filter(|sample| sample["status"] == "ok").collect();
        assert_eq!(warehouse.len(), stored.len() as u64, "{name}");
        assert!(!stored.is_empty());
        for (i, truth) in stored.iter().enumerate() {
            let i = i as u64;
            let [image, boxes, mask] = tensors(&warehouse, &file, i);
            let info = warehouse.info(i).unwrap();
            assert_eq!(
                (truth["width"].as_u64(), truth["height"].as_u64()),
                (Some(info.width.into()), Some(info.height.into()))
            );
            assert_eq!(truth["image_sha256_f32le"], sha256(&f32_bytes(&image)), "{name}, sample {i}");
            assert_eq!(truth["boxes_sha256_f32le_padded"], sha256(&f32_bytes(&boxes)), "{name}, sample {i}");
            let said: Vec<f32> = truth["mask"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
            assert_eq!(said, mask);
            let bits = |text: &Value| u32::from_str_radix(&text.as_str().unwrap()[2..], 16).unwrap();
            let said: Vec<Vec<u32>> = truth["boxes_bits"]
                .as_array()
                .unwrap()
                .iter()
                .map(|corners| corners.as_array().unwrap().iter().map(bits).collect())
                .collect();
            let [at, there] = warehouse.box_ranges(i).unwrap().map(|range| slice(&file, range));
            let found: Vec<Vec<u32>> = warehouse
                .boxes(i, &at, &there)
                .unwrap()
                .iter()
                .map(|corners| corners.iter().map(|x| x.to_bits()).collect())
                .collect();
            assert_eq!(said, found, "{name}, sample {i}");
        }
        common::conformance::read(&common::corpus("twh/expected").join(name).join("manifest.json"));
    }
}

#[test]
fn samples_come_in_the_order_of_the_manifest() {
    let (warehouse, _) = case("case_letterbox_64").open().unwrap();
    let starts: Vec<u64> = warehouse.shards().iter().map(|shard| shard.samples().start).collect();
    assert_eq!(starts, [0, 8, 16, 19]);
    assert_eq!(warehouse.locate(18).map(|(shard, k)| (shard.number(), k)).unwrap(), (2, 2));
    let e = warehouse.info(21).unwrap_err();
    assert_eq!((e.code().id(), e.place().sample), ("usage.out_of_range", Some(21)));
    // What the other reader gives where nothing is shuffled or set apart: the same number of samples, in this order.
    let reads = std::str::from_utf8(&read("expected/reads.jsonl")).unwrap().to_owned();
    let first: Value = serde_json::from_str(reads.lines().next().unwrap()).unwrap();
    let order: Vec<u64> = first["train"]["order"].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
    assert_eq!(order, (0..warehouse.len()).collect::<Vec<_>>());
}

#[allow(clippy::disallowed_methods, reason = "tests read files")]
fn read(path: &str) -> Vec<u8> {
    std::fs::read(common::corpus("twh").join(path)).unwrap()
}

#[test]
fn the_other_builders_warehouses_are_sound() {
    for name in CASES {
        for window in [1, 100, 8 << 20] {
            let report = case(name).check(window);
            assert!(report.ok, "{name}: {:?}", report.faults);
            assert_eq!(report.notes, []);
        }
    }
}

#[test]
fn opening_reads_the_headers_of_the_shards_and_nothing_else() {
    let (mut opener, file) = case("case_letterbox_64").joined().unwrap();
    let mut asked = Vec::new();
    while let Step::Need(ranges) = opener.step().unwrap() {
        for range in ranges {
            opener.push(range.start, slice(&file, range.clone()));
            asked.push(range.end - range.start);
        }
    }
    assert_eq!(asked, [80; 4]);
}

#[test]
fn manifests_are_written_back_byte_for_byte() {
    for name in CASES {
        let files = case(name);
        assert_eq!(files.manifest().unwrap().to_bytes().unwrap(), files.manifest_bytes());
    }
}

#[test]
fn fields_that_are_not_known_are_kept() {
    let text = String::from_utf8(case("case_force_48").manifest_bytes().to_vec()).unwrap();
    let text = text.replacen("  \"shards\"", "  \"later\": {\n    \"a\": [1.5, null]\n  },\n  \"shards\"", 1);
    let text = text.replacen("      \"id\"", "      \"color\": \"red\",\n      \"id\"", 1);
    let manifest = Manifest::parse(text.as_bytes(), &Limits::default()).unwrap();
    let again: Value = serde_json::from_slice(&manifest.to_bytes().unwrap()).unwrap();
    assert_eq!(again, serde_json::from_str::<Value>(&text).unwrap());
    assert_eq!(manifest.shards[0].other["color"], "red");
}

#[test]
fn the_other_builders_keys_are_computed() {
    for example in json("expected/version_examples.json").as_array().unwrap() {
        let size = example["target_size"].as_array().map(|size| [0, 1].map(|k| size[k].as_u64().unwrap() as u32));
        let mode = if example["resize_mode"] == "Force" { ResizeMode::Force } else { ResizeMode::Letterbox };
        let recipe = Recipe {
            dataset_root: example["dataset_root"].as_str().unwrap().into(),
            transform: Transform::new(size, mode, example["max_boxes"].as_u64().unwrap()),
            skip_empty: example["skip_empty"].as_bool().unwrap(),
            code_version: example["code_version"].as_str().unwrap().into(),
        };
        assert_eq!(version::peer_key(&recipe), example["version"]);
        let ours = version::key(&recipe, &[("content", "0".into())]);
        assert_eq!(ours.peer.as_deref(), example["version"].as_str());
        assert_ne!(ours.key, ours.peer.unwrap());
    }
}

/// A picture in which every value differs from its neighbors.
fn picture(shape: &Shape, seed: u8) -> Vec<u8> {
    (0..shape.pixels().unwrap()).map(|k| (k as u8).wrapping_mul(37).wrapping_add(seed)).collect()
}

/// A warehouse of one shard, with metadata.
fn built(shape: Shape, samples: u8) -> Files {
    let mut writer = ShardWriter::new(shape, samples.into()).unwrap();
    let mut file = Vec::new();
    for k in 0..samples {
        let image = writer.image_bytes(&picture(&shape, k)).unwrap();
        let mut record = SampleRecord::new();
        (record.frame_id, record.run) = (Some(u64::from(k) + 10), Some("run_a".into()));
        record.source = Some(format!("run_a/images/{k}.png"));
        record.classes = vec![Some(1), None];
        record.other.insert("weather".into(), "rain".into());
        let boxes = [[0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.5, 0.25]];
        let known = (k != 1).then_some(&record);
        let at = writer.add(&image, &boxes[..usize::from(k) % 3], known).unwrap();
        file.resize(at as usize, 0);
        file.extend(image);
    }
    let done = writer.finish().unwrap();
    file.resize(done.tail_at as usize, 0);
    file.extend(&done.tail);
    file[..80].copy_from_slice(&done.header);
    assert_eq!(file.len() as u64, done.len);
    let transform = Transform::new(Some([shape.width, shape.height]), ResizeMode::Force, shape.max_boxes.into());
    let recipe =
        Recipe { dataset_root: "in".into(), transform: transform.clone(), skip_empty: false, code_version: "1".into() };
    let mut manifest = Manifest::new("in", transform, version::key(&recipe, &[]), shape.dtype);
    manifest.classes = Some(vec!["cat".into(), "dog".into()]);
    manifest.shards.push(done.entry(0));
    let mut files = Files::default();
    files.0.insert("manifest.json".into(), manifest.to_bytes().unwrap());
    files.0.insert("shard_00000.bin".into(), file);
    files
}

fn shapes() -> impl Iterator<Item = Shape> {
    let dtypes = [Dtype::F32, Dtype::F16, Dtype::U8];
    let kinds = dtypes.into_iter().flat_map(|dtype| {
        // A size at which u8 images end beside a multiple of 4.
        let shape = Shape::new(5, 3, 2, dtype);
        [shape, shape.with_f32_boxes()]
    });
    kinds.flat_map(|shape| [Endianness::Little, Endianness::Big].map(|order| shape.with_endianness(order)))
}

#[test]
fn what_is_written_comes_back_in_every_type_and_byte_order() {
    for shape in shapes() {
        let files = built(shape, 5);
        for window in [1, 8 << 20] {
            let report = files.check(window);
            assert!(report.ok && report.notes.is_empty(), "{shape:?}: {:?} {:?}", report.faults, report.notes);
        }
        let (warehouse, file) = files.open().unwrap();
        assert_eq!((warehouse.len(), warehouse.shape()), (5, Some(shape)));
        for i in 0..5u64 {
            let [image, _, mask] = tensors(&warehouse, &file, i);
            let back: Vec<u8> = image.iter().map(|x| (x * 255.0).round() as u8).collect();
            assert_eq!(back, picture(&shape, i as u8), "{shape:?}");
            assert_eq!(mask.iter().sum::<f32>(), (i % 3) as f32);
            let [boxes, mask] = warehouse.box_ranges(i).unwrap().map(|range| slice(&file, range));
            let record: Value = serde_json::from_str(&warehouse.record_text(i, &boxes, &mask).unwrap()).unwrap();
            let name = if i == 1 { "00000/00001".to_owned() } else { format!("run_a/{:05}", i + 10) };
            assert_eq!(record["name"], name);
            assert_eq!(record["boxes"].as_array().unwrap().len() as u64, i % 3);
            if i == 2 {
                assert_eq!(
                    record["boxes"][0],
                    serde_json::json!({
                        "box": [0.25, 0.5, 0.75, 1.0], "class": 1, "label": "dog"
                    })
                );
                assert_eq!((&record["frame_id"], &record["weather"]), (&12.into(), &"rain".into()));
            }
        }
    }
}

/// An old reader looks at 64 bytes and follows the offsets: it finds the same tensors, and nothing in its way.
#[test]
fn extensions_do_not_disturb_a_reader_of_64_bytes() {
    let files = built(Shape::new(4, 4, 2, Dtype::F32), 3);
    let shard = &files.0["shard_00000.bin"];
    let u64_at = |at: usize| u64::from_le_bytes(shard[at..at + 8].try_into().unwrap()) as usize;
    let (n, images, boxes, mask) = (u64_at(32), u64_at(40), u64_at(48), u64_at(56));
    assert_eq!((n, images, boxes, mask), (3, 80, 80 + 3 * 192, 80 + 3 * 192 + 3 * 32));
    let first = |at: usize| f32::from_le_bytes(shard[at..at + 4].try_into().unwrap());
    assert_eq!(first(images + 4), f32::from(37u8) / 255.0);
    assert_eq!([0, 1].map(|k| first(boxes + 32 + 4 * k)), [0.25, 0.5]);
    assert_eq!([0, 1, 2, 3].map(|k| first(mask + 4 * k)), [0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn a_plain_shard_is_the_other_builders_byte_for_byte() {
    for name in CASES {
        let files = case(name);
        let (warehouse, file) = files.open().unwrap();
        for shard in warehouse.shards() {
            let header: &ShardHeader = shard.header();
            let mut writer = ShardWriter::new(header.shape, header.samples).unwrap().plain().unwrap();
            let mut out = vec![0; 80];
            for i in shard.samples() {
                let image = slice(&file, warehouse.plan(i).unwrap().range());
                let [at, there] = warehouse.box_ranges(i).unwrap().map(|range| slice(&file, range));
                let boxes = warehouse.boxes(i, &at, &there).unwrap();
                assert_eq!(writer.add(&image, &boxes, None).unwrap(), out.len() as u64);
                out.extend(image);
            }
            let done = writer.finish().unwrap();
            out.extend(&done.tail);
            out[..80].copy_from_slice(&done.header);
            let entry = warehouse.entry(shard).unwrap();
            assert!(out == files.0[&entry.relative_path], "{name} {}", entry.relative_path);
            assert_eq!(done.sha256, entry.checksum_sha256);
            assert_eq!(&done.entry(shard.number()), entry);
        }
    }
}

#[test]
fn fewer_samples_than_expected_make_the_same_shard_without_its_digest() {
    let shape = Shape::new(2, 2, 1, Dtype::U8);
    let write = |expected: u64| {
        let mut writer = ShardWriter::new(shape, expected).unwrap();
        (0..3).for_each(|k| assert!(writer.add(&picture(&shape, k), &[], None).is_ok()));
        writer.finish().unwrap()
    };
    let (exact, fewer) = (write(3), write(9));
    assert_eq!((exact.header, &exact.tail), (fewer.header, &fewer.tail));
    assert!(exact.sha256.is_some() && fewer.sha256.is_none());
}

#[test]
fn what_a_shard_cannot_hold_is_refused() {
    let shape = Shape::new(2, 1, 1, Dtype::F32);
    let code = |done: forebay::Result<u64>| done.map_err(|e| e.code().id());
    let refused = Err("warehouse.cannot_hold");
    let mut writer = ShardWriter::new(shape, 1).unwrap();
    let image = [0; 24];
    assert_eq!(code(writer.add(&image[..23], &[], None)), refused);
    assert_eq!(code(writer.add(&image, &[[0.0; 4]; 2], None)), refused);
    for bad in [f32::NAN, f32::INFINITY, -0.1, 1.1] {
        assert_eq!(code(writer.add(&image, &[[0.0, 0.0, bad, 1.0]], None)), refused);
    }
    assert_eq!(code(writer.add(&image, &[[0.5, 0.0, 0.4, 1.0]], None)), refused);
    assert_eq!(code(writer.add(&image, &[[0.5, 0.0, 0.6, 1.0]], None)), Ok(80));
    assert!(ShardWriter::new(Shape::new(0, 1, 1, Dtype::F32), 1).is_err());
    assert!(ShardWriter::new(Shape::new(u32::MAX, u32::MAX, 1, Dtype::F32), 1).is_err());
    assert!(ShardWriter::new(shape, u64::MAX).is_err());
}

#[test]
fn every_flipped_byte_is_noticed() {
    let files = built(Shape::new(3, 2, 2, Dtype::F16).with_f32_boxes(), 3);
    let shard = files.0["shard_00000.bin"].clone();
    for k in 0..shard.len() {
        let mut bad = files.clone();
        bad.0.get_mut("shard_00000.bin").unwrap()[k] ^= 0x10;
        let report = bad.check(64);
        assert!(!report.ok, "byte {k} of {}", shard.len());
    }
}

/// The CRC of an image says which one it is, where the SHA-256 only says that something is wrong.
#[test]
fn the_image_that_is_damaged_is_named() {
    let mut files = built(Shape::new(3, 2, 2, Dtype::U8), 3);
    files.0.get_mut("shard_00000.bin").unwrap()[80 + 18 + 5] ^= 1;
    let found = files.check(8 << 20);
    let found: Vec<_> = found.faults.iter().map(|f| (f.code, f.sample, f.offset, f.member.as_deref())).collect();
    let member = Some("shard_00000.bin");
    assert_eq!(
        found,
        [("warehouse.checksum", None, None, member), ("warehouse.block_checksum", Some(1), Some(98), member)]
    );
}

#[test]
fn parts_of_a_check_are_the_whole() {
    let (warehouse, file) = case("case_letterbox_64").open().unwrap();
    let whole = drive(Checker::new(&warehouse), &file).unwrap();
    let mut parts = forebay::check::Report::new(warehouse.len());
    for k in 0..warehouse.shards().len() {
        parts.merge(drive(Checker::part(&warehouse, k..k + 1), &file).unwrap());
    }
    assert_eq!(whole, parts);
}
