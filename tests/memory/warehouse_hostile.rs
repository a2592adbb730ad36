//! Warehouses that lie: each is refused with its code, and never with a panic or memory that the files do not have.

use forebay::{
    Limits,
    step::drive,
    warehouse::{Digest, Dtype, Manifest, ResizeMode, SampleRecord, Shape, ShardWriter, Transform},
};
use proptest::prelude::*;

use crate::{
    MEMORY, alone, common,
    warehouses::{Files, Made, made},
};

const PREFIX: &str = "warehouse.";

fn damaged(name: &str) -> Files {
    Files::read(&common::corpus("twh/damaged").join(name))
}

/// The codes of a check's faults, each once, without their common beginning.
fn codes(files: &Files) -> Vec<&'static str> {
    let mut codes: Vec<_> = files.check(64).faults.iter().map(|fault| fault.code.trim_start_matches(PREFIX)).collect();
    codes.dedup();
    codes
}

/// What opening says.
fn refused(files: &Files) -> Option<&'static str> {
    files.open().err().map(|e| e.code().id().trim_start_matches(PREFIX))
}

/// The folders of the corpus, what opening refuses them with, and what a check finds.
const CORPUS: &[(&str, Option<&str>, &[&str])] = &[
    ("bad_magic", Some("magic"), &["magic"]),
    ("blocks_overlap", Some("overlap"), &["overlap"]),
    ("channels_4", Some("channels"), &["channels"]),
    ("checksum_absent_field", None, &[]),
    // The header is believed about what the elements are, and so they are none.
    ("dtype_f16_flag", Some("contradiction"), &["contradiction", "pixel", "gap", "box", "gap", "mask", "gap"]),
    ("dtype_lowercase_in_manifest", Some("manifest"), &["manifest"]),
    ("endianness_big_flag", Some("contradiction"), &["contradiction", "pixel", "box", "mask"]),
    ("flipped_pixel_byte_checksum_stale", None, &["checksum"]),
    ("image_offset_max", Some("range"), &["range"]),
    ("manifest_max_boxes_says_3", Some("contradiction"), &["contradiction"]),
    ("manifest_samples_says_9", Some("contradiction"), &["contradiction"]),
    ("manifest_truncated", Some("manifest"), &["manifest"]),
    ("nan_pixels", None, &["pixel"]),
    ("no_shards", None, &[]),
    ("ok_80", None, &[]),
    // The shard is sound; its checksum is that of another.
    ("ok_header_gap_96", None, &["checksum"]),
    ("samples_huge", Some("contradiction"), &["contradiction", "range"]),
    ("samples_zero", Some("contradiction"), &["contradiction", "gap"]),
    ("second_shard_other_max_boxes", Some("mixed"), &["mixed"]),
    ("shard_file_missing", Some("shard_missing"), &["shard_missing"]),
    ("summary_violates_thresholds", None, &["threshold"]),
    ("thresholds_missing_keys", None, &[]),
    ("trunc_empty_file", Some("truncated"), &["truncated"]),
    ("trunc_len_3", Some("truncated"), &["truncated"]),
    ("trunc_len_63", Some("truncated"), &["truncated"]),
    ("trunc_payload_minus_1", Some("truncated"), &["truncated"]),
];

#[test]
fn every_damaged_warehouse_of_the_corpus_has_its_code() {
    let _alone = alone();
    for (name, opening, check) in CORPUS {
        let files = damaged(name);
        assert_eq!((refused(&files), &codes(&files)[..]), (*opening, *check), "{name}");
        let manifest = common::corpus("twh/damaged").join(name).join("manifest.json");
        match check {
            [] => common::conformance::read(&manifest),
            _ => common::conformance::refused(&manifest),
        }
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "tests read files")]
fn the_list_of_the_corpus_is_whole() {
    let _alone = alone();
    let folders = std::fs::read_dir(common::corpus("twh/damaged")).unwrap().map(|entry| entry.unwrap());
    let folders = folders.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, CORPUS.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
}

/// A sound warehouse, changed: `shard` at its bytes, `manifest` in its text. The checksum follows.
fn changed(shard: impl FnOnce(&mut Vec<u8>), from: &str, to: &str) -> Files {
    let mut files = damaged("ok_80");
    let text = String::from_utf8(files.manifest_bytes().to_vec()).unwrap();
    assert!(text.contains(from), "{from}");
    let mut manifest = Manifest::parse(text.replacen(from, to, 1).as_bytes(), &Limits::default()).unwrap();
    let bytes = files.0.get_mut("shard.bin").unwrap();
    shard(bytes);
    let mut digest = Digest::default();
    digest.add(bytes);
    manifest.shards.iter_mut().for_each(|entry| entry.checksum_sha256 = Some(digest.clone().finish()));
    files.0.insert("manifest.json".into(), manifest.to_bytes().unwrap());
    files
}

/// The same with another transform in its manifest.
fn transformed(change: impl FnOnce(&mut Transform)) -> Files {
    told(&damaged("ok_80"), |manifest| change(&mut manifest.transform))
}

/// The same files, of which the manifest tells something else.
fn told(files: &Files, change: impl FnOnce(&mut Manifest)) -> Files {
    let mut files = Files(files.0.clone());
    let mut manifest = files.manifest().unwrap();
    change(&mut manifest);
    files.0.insert("manifest.json".into(), manifest.to_bytes().unwrap());
    files
}

#[test]
fn a_manifest_that_contradicts_itself_is_damaged() {
    let _alone = alone();
    let sample = Made::new("a", 1, &[([0.0, 0.0, 0.5, 0.5], None)]);
    let sound = made(Shape::new(4, 4, 2, Dtype::U8), &[], &[sample]);
    let counted = |stored: u64| {
        told(&sound, |manifest| drop(manifest.summary.totals.other.insert("stored".into(), stored.into())))
    };
    assert_eq!((codes(&sound), codes(&counted(1))), (Vec::new(), Vec::new()));
    assert_eq!(codes(&counted(12)), ["contradiction"]);
    assert_eq!(codes(&told(&counted(12), |manifest| manifest.shards.clear())), ["contradiction"]);
    let twice = told(&sound, |manifest| manifest.shards.push(manifest.shards[0].clone()));
    assert_eq!(codes(&twice), ["contradiction"]);
    // The transform and the key of the version, the images and the transform.
    let places = told(&sound, |manifest| manifest.transform.max_boxes = 3);
    assert_eq!(places.check(64).faults.len(), 2);
    assert_eq!(
        codes(&told(&sound, |manifest| manifest.transform.resize_mode = ResizeMode::Letterbox)),
        ["contradiction"]
    );
}

fn at(offset: usize, bytes: &[u8]) -> impl FnOnce(&mut Vec<u8>) {
    move |file| file[offset..offset + bytes.len()].copy_from_slice(bytes)
}

#[test]
fn lies_that_the_corpus_does_not_tell() {
    let _alone = alone();
    let same = |shard: &dyn Fn(&mut Vec<u8>)| changed(|file| shard(file), "", "");
    let header = |offset: usize, value: u64| {
        let len = if offset < 32 { 4 } else { 8 };
        changed(at(offset, &value.to_le_bytes()[..len]), "", "")
    };
    for (what, files, expected) in [
        ("nothing", same(&|_| {}), &[][..]),
        ("one channel", header(24, 1), &["channels"]),
        ("version 2", header(4, 2), &["version"]),
        ("type 9", header(8, 9), &["dtype"]),
        ("boxes of u8", header(8, 2), &["dtype"]),
        ("byte order 2", header(12, 2), &["endianness"]),
        ("no width", header(16, 0), &["shape"]),
        ("images in the header", header(40, 0), &["overlap"]),
        ("metadata behind the end", header(64, 1000), &["metadata"]),
        ("metadata that is none", header(64, 100), &["metadata"]),
        ("checksums behind the end", header(72, u64::MAX), &["block_checksum"]),
        ("bytes beyond the end", same(&|file| file.extend(*b"more")), &["gap"]),
        ("zeros behind the end", same(&|file| file.extend([0; 9])), &[]),
        ("infinity", same(&|file| file[84..88].copy_from_slice(&f32::INFINITY.to_le_bytes())), &["pixel"]),
        ("a box that ends first", same(&|file| file[128..132].copy_from_slice(&1.0f32.to_le_bytes())), &["box"]),
        ("a box of no number", same(&|file| file[132..136].copy_from_slice(&f32::NAN.to_le_bytes())), &["box"]),
        ("half a mask", same(&|file| file[160..164].copy_from_slice(&0.5f32.to_le_bytes())), &["mask"]),
        ("another width", changed(|_| {}, "\"width\": 2", "\"width\": 4"), &["contradiction"]),
        ("fewer samples", changed(|_| {}, "\"samples\": 2", "\"samples\": 1"), &["contradiction"]),
        ("a path that leaves", changed(|_| {}, "\"shard.bin\"", "\"../ok_80/shard.bin\""), &["path"]),
        ("a path from the root", changed(|_| {}, "\"shard.bin\"", "\"/shard.bin\""), &["path"]),
        ("a version that is none", changed(|_| {}, "\"0000", "\"000g"), &["version_key"]),
        (
            "a key of another",
            changed(|_| {}, "\"version_recipe\"", "\"version_key\": \"x\", \"version_recipe\""),
            &["version_key"],
        ),
        ("another size", transformed(|transform| transform.target_size = Some([2, 2])), &["contradiction"]),
        ("no size", transformed(|transform| transform.target_size = None), &[]),
        ("other places", transformed(|transform| transform.max_boxes = 3), &["contradiction"]),
    ] {
        assert_eq!(codes(&files), expected, "{what}");
    }
}

#[test]
fn a_header_of_64_bytes_is_read() {
    let _alone = alone();
    let mut files = damaged("ok_80");
    let file = files.0.get_mut("shard.bin").unwrap();
    file.drain(64..80);
    for (offset, value) in [(40, 64u64), (48, 112), (56, 144)] {
        file[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
    }
    let before = damaged("ok_80").open().unwrap();
    let after = files.open().unwrap();
    let image = |(warehouse, file): &(forebay::warehouse::Warehouse, bytes::Bytes), i| {
        let range = warehouse.plan(i).unwrap().range();
        file.slice(range.start as usize..range.end as usize)
    };
    for i in 0..2 {
        assert_eq!(image(&before, i), image(&after, i));
    }
    assert_eq!(codes(&files), ["checksum"]);
}

#[test]
fn a_manifest_that_nests_or_repeats_is_an_error() {
    let _alone = alone();
    let limits = Limits::default();
    for text in [
        "[".repeat(100_000),
        format!("{{\"dataset_root\":\"x\",\"more\":{}", "[".repeat(100_000)),
        "{\"dataset_root\":\"x\",\"dataset_root\":\"y\"}".into(),
        "{}".into(),
        String::new(),
        "\u{feff}{}".into(),
    ] {
        assert_eq!(Manifest::parse(text.as_bytes(), &limits).unwrap_err().code().id(), "warehouse.manifest");
    }
    let small = Limits::default().with_metadata_bytes(10);
    assert_eq!(Manifest::parse(&[b' '; 11], &small).unwrap_err().code().id(), "limit.metadata");
}

/// A small warehouse with all extensions.
fn whole() -> Files {
    let mut writer = ShardWriter::new(Shape::new(3, 2, 2, Dtype::F16).with_f32_boxes(), 2).unwrap();
    let mut file = vec![0; 80];
    for k in 0..2u8 {
        let image = writer.image_bytes(&[k * 100; 18]).unwrap();
        let mut record = SampleRecord::new();
        (record.frame_id, record.classes) = (Some(k.into()), vec![Some(0)]);
        writer.add(&image, &[[0.0, 0.0, 0.5, 0.5]], Some(&record)).unwrap();
        file.extend(image);
    }
    let done = writer.finish().unwrap();
    file.resize(done.tail_at as usize, 0);
    file.extend(&done.tail);
    file[..80].copy_from_slice(&done.header);
    let mut files = damaged("ok_80");
    let mut manifest = files.manifest().unwrap();
    let entry = done.entry(0);
    manifest.transform = Transform::new(Some([entry.width, entry.height]), ResizeMode::Force, entry.max_boxes.into());
    manifest.shards = vec![entry];
    files.0.insert("manifest.json".into(), manifest.to_bytes().unwrap());
    files.0.insert("shard_00000.bin".into(), file);
    files
}

/// Opens, reads and checks: whatever the bytes are, all of that ends, and what is sound reads.
fn use_all(files: &Files) {
    let sound = files.check(64).ok;
    match files.open() {
        Ok((warehouse, file)) => {
            for i in 0..warehouse.len().min(100) {
                let slice = |r: std::ops::Range<u64>| file.slice(r.start as usize..r.end as usize);
                drop(slice(warehouse.plan(i).unwrap().range()));
                let [boxes, mask] = warehouse.box_ranges(i).unwrap().map(slice);
                let record = warehouse.record_text(i, &boxes, &mask);
                assert!(record.is_ok() || !sound, "{record:?}");
            }
        }
        Err(e) => assert!(!sound, "{e}"),
    }
}

#[test]
fn every_truncation_is_refused() {
    let _alone = alone();
    let files = whole();
    assert!(files.check(64).ok);
    use_all(&files);
    let len = files.0["shard_00000.bin"].len();
    for n in 0..len {
        let mut cut = files.clone();
        cut.0.get_mut("shard_00000.bin").unwrap().truncate(n);
        assert!(!cut.check(64).ok, "{n} of {len} bytes");
        use_all(&cut);
    }
}

#[test]
fn numbers_in_a_header_size_no_memory() {
    let _alone = alone();
    let files = whole();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    for offset in (16..80).step_by(4) {
        for value in [0u32, 1, 0xffff, 0x7fff_ffff, u32::MAX] {
            let mut bad = files.clone();
            bad.0.get_mut("shard_00000.bin").unwrap()[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
            use_all(&bad);
        }
    }
    let peak = MEMORY.peak_usage().saturating_sub(before);
    assert!(peak < 4 << 20, "{peak} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..6)) {
        let _alone = alone();
        let mut files = whole();
        for (index, value, manifest) in changes {
            let name = if manifest { "manifest.json" } else { "shard_00000.bin" };
            let file = files.0.get_mut(name).unwrap();
            let k = index.index(file.len());
            file[k] = value;
        }
        use_all(&files);
    }
}

#[test]
fn a_check_of_parts_of_a_byte_is_that_of_the_whole() {
    let _alone = alone();
    for (name, ..) in CORPUS {
        let files = damaged(name);
        let (small, large) = (files.check(1), files.check(8 << 20));
        assert_eq!(small, large, "{name}");
    }
}

#[test]
fn limits_are_kept() {
    let _alone = alone();
    let files = damaged("ok_80");
    let (opener, file) = files.joined().unwrap();
    let e = drive(opener.with_limits(Limits::default().with_item_bytes(23)), &file).unwrap_err();
    assert_eq!(e.code().id(), "limit.item");
    let files = whole();
    let (opener, file) = files.joined().unwrap();
    let e = drive(opener.with_limits(Limits::default().with_index_bytes(23)), &file).unwrap_err();
    assert_eq!(e.code().id(), "limit.index");
}
