//! What warehouses consist of, and how far one is from another.

use crate::common;
use crate::warehouses;

use bytes::Bytes;
use forebay::{
    Limits,
    step::{Step, Stepper, drive},
    warehouse::{
        Dtype, Endianness, Shape, Statistics, Surveyor,
        drift::{Drift, ROWS, Row, compare},
    },
};
use quick_xml::{Reader, events::Event};
use warehouses::{Files, Made, made};

fn counted(files: &Files, pictures: u64) -> Statistics {
    let (warehouse, file) = files.open().unwrap();
    drive(Surveyor::new(&warehouse, pictures), &file).unwrap()
}

#[track_caller]
fn row<'a>(drift: &'a Drift, name: &str) -> &'a Row {
    drift.rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}"))
}

const SHAPE: Shape = Shape::new(6, 4, 3, Dtype::F32);
const WIDE: [f32; 4] = [0.0, 0.25, 1.0, 0.5];
const SMALL: [f32; 4] = [0.5, 0.5, 0.625, 0.625];

/// Frames of two runs, with cats that are wide and dogs that are small.
fn frames(n: u64) -> Vec<Made> {
    let boxes = [(WIDE, Some(0)), (SMALL, Some(1)), (SMALL, None)];
    (0..n).map(|k| Made::new(if k % 3 == 0 { "a" } else { "b" }, k, &boxes[..k as usize % 4])).collect()
}

#[test]
fn a_warehouse_is_0_from_itself_and_from_its_copies_in_other_types_and_byte_orders() {
    let old = counted(&made(SHAPE, &["cat", "dog"], &frames(20)), 20);
    assert_eq!((old.samples, old.boxes, old.odd_boxes), (20, 30, 0));
    let itself = compare(&old, &old);
    assert!(itself.rows.iter().all(|row| row.distance.is_none_or(|distance| distance == 0.0)), "{itself:?}");
    assert!(itself.above(0.0).next().is_none() && itself.notes.is_empty());
    assert!(itself.rows.iter().all(|row| ROWS.contains(&row.name.as_str())));
    for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
        for order in [Endianness::Little, Endianness::Big] {
            let shape = Shape::new(6, 4, 3, dtype).with_f32_boxes().with_endianness(order);
            let new = counted(&made(shape, &["cat", "dog"], &frames(20)), 20);
            assert_eq!(new.pixels, old.pixels, "{dtype:?} {order:?}");
            let drift = compare(&old, &new);
            assert!(drift.above(0.0).next().is_none(), "{dtype:?} {order:?}");
        }
    }
}

#[test]
fn what_is_counted_is_right() {
    let found = counted(&made(SHAPE, &["cat", "dog"], &frames(8)), 3);
    let classes: Vec<(&str, u64)> =
        found.classes.as_ref().unwrap().iter().map(|named| (named.name.as_str(), named.count)).collect();
    assert_eq!(classes, [("cat", 6), ("dog", 4), ("(no class)", 2)]);
    let runs: Vec<(&str, u64)> = found.runs.iter().map(|named| (named.name.as_str(), named.count)).collect();
    assert_eq!(runs, [("b", 5), ("a", 3)]);
    assert_eq!(found.boxes_per_picture.counts[..5], [2, 2, 2, 2, 0]);
    assert_eq!(found.boxes_per_picture.mean(), Some(1.5));
    // 6 of width 1 and 6 of 1/8.
    assert_eq!(found.box_width.mean(), Some(0.5625));
    // A box of 1 by 1/4 of 6 x 4 pixels is 6 by 1, one of 1/8 by 1/8 is 3 by 2.
    assert_eq!(found.box_aspect.mean(), Some((6.0 * 6.0 + 6.0 * 1.5) / 12.0));
    let pixels = found.pixels.unwrap();
    // Every third of 8, so that about 3 are looked at.
    assert_eq!((pixels.every, pixels.samples), (3, 3));
    assert_eq!(pixels.levels.iter().map(|levels| levels.iter().sum::<u64>()).collect::<Vec<_>>(), [72; 3]);
    let reds: Vec<f64> = [0u8, 3, 6]
        .iter()
        .flat_map(|seed| (0..24u8).map(|k| f64::from(k.wrapping_mul(37).wrapping_add(*seed))))
        .collect();
    let mean = reds.iter().sum::<f64>() / 72.0;
    let deviation = (reds.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 72.0).sqrt();
    let [found_mean, found_deviation] = pixels.spread(0).unwrap();
    assert!((found_mean - mean / 255.0).abs() < 1e-12 && (found_deviation - deviation / 255.0).abs() < 1e-12);
}

#[test]
fn pieces_of_any_size_give_the_same_counts() {
    let files = made(SHAPE, &["cat", "dog"], &frames(9));
    let (warehouse, file) = files.open().unwrap();
    let whole = drive(Surveyor::new(&warehouse, 4), &file).unwrap();
    for size in [1, 7, 64] {
        let mut work = Surveyor::new(&warehouse, 4);
        let found = loop {
            match work.step().unwrap() {
                Step::Done(found) => break found,
                Step::Need(ranges) => {
                    for range in ranges {
                        assert!(range.start < range.end && range.end <= file.len() as u64);
                        let end = range.end.min(range.start + size);
                        work.push(range.start, file.slice(range.start as usize..end as usize));
                    }
                }
            }
        };
        assert_eq!(found, whole);
    }
}

#[test]
fn classes_are_compared_by_name() {
    let old = counted(&made(SHAPE, &["cat", "dog"], &frames(20)), 0);
    // The same boxes with their classes in another order.
    let mut swapped = frames(20);
    for record in swapped.iter_mut().filter_map(|sample| sample.record.as_mut()) {
        record.classes.iter_mut().flatten().for_each(|class| *class = 1 - *class);
    }
    let reordered = compare(&old, &counted(&made(SHAPE, &["dog", "cat"], &swapped), 0));
    assert_eq!(row(&reordered, "classes").distance, Some(0.0));
    let renamed = compare(&old, &counted(&made(SHAPE, &["cat", "hound"], &frames(20)), 0));
    assert!(row(&renamed, "classes").distance.unwrap() > 0.5);
    assert_eq!(renamed.rows[0].name, "classes");
    assert_eq!(renamed.notes, ["class only in the old one: dog", "class only in the new one: hound"]);
    assert_eq!(renamed.above(0.2).map(|row| row.name.as_str()).collect::<Vec<_>>(), ["classes"]);
    // Numbers without names are compared as numbers.
    let unnamed = counted(&made(SHAPE, &[], &frames(20)), 0);
    assert_eq!(unnamed.classes.as_ref().unwrap()[0].name, "class 0");
}

#[test]
fn without_metadata_everything_but_classes_is_compared() {
    let known = counted(&made(SHAPE, &["cat", "dog"], &frames(20)), 5);
    let mut bare = frames(20);
    bare.iter_mut().for_each(|sample| sample.record = None);
    let bare = counted(&made(SHAPE, &[], &bare), 5);
    assert_eq!(bare.classes, None);
    let drift = compare(&bare, &known);
    assert!(drift.rows.iter().all(|row| row.name != "classes"));
    assert_eq!(row(&drift, "box_area").distance, Some(0.0));
    assert!(
        drift.notes.iter().any(|note| note.contains("the old one does not say which classes")),
        "{:?}",
        drift.notes
    );
    // The first builder's shards have none either.
    for case in ["case_letterbox_64", "case_force_48"] {
        let found = counted(&Files::read(&common::corpus("twh/expected").join(case)), 100);
        assert!(found.classes.is_none() && found.boxes > 0 && found.pixels.as_ref().unwrap().odd == 0);
        assert!(found.runs.iter().any(|run| run.name == "run_a"), "{:?}", found.runs);
        assert_eq!(compare(&found, &found).above(0.0).count(), 0);
    }
}

#[test]
fn boxes_and_pixels_that_are_no_numbers_are_counted_apart() {
    let mut files = made(SHAPE, &["cat", "dog"], &frames(20));
    let sound = counted(&files, 20);
    let (warehouse, _) = files.open().unwrap();
    let shard = warehouse.shards()[0].clone();
    let bytes = files.0.get_mut("shard_00000.bin").unwrap();
    let mut put = |at: u64, x: f32| bytes[at as usize..at as usize + 4].copy_from_slice(&x.to_le_bytes());
    put(shard.boxes(1).start, f32::NAN);
    put(shard.boxes(2).start, 0.9);
    put(shard.boxes(2).start + 8, 0.1);
    put(shard.boxes(3).start + 4, f32::NEG_INFINITY);
    put(shard.image(0).start, f32::NAN);
    put(shard.image(4).start, 7.0);
    let odd = counted(&files, 20);
    assert_eq!((odd.odd_boxes, odd.pixels.as_ref().unwrap().odd, odd.boxes), (3, 2, sound.boxes));
    assert_eq!(odd.box_x.total(), sound.boxes - 3);
    let drift = compare(&sound, &odd);
    assert!(drift.rows.iter().all(|row| row.distance.is_none_or(f64::is_finite)));
    assert_eq!(drift.notes.len(), 2, "{:?}", drift.notes);
    assert!(serde_json::to_string(&drift).is_ok_and(|text| !text.contains("null,\"new\":null,\"values\":[0,0]")));
}

#[test]
fn no_samples_are_as_far_from_some_as_can_be() {
    let some = counted(&made(SHAPE, &["cat", "dog"], &frames(20)), 5);
    let none = counted(&made(SHAPE, &["cat", "dog"], &[]), 5);
    assert_eq!((none.samples, none.boxes), (0, 0));
    let drift = compare(&some, &none);
    for name in ["frames", "runs", "classes", "boxes_per_picture", "box_x", "red"] {
        assert_eq!(row(&drift, name).distance, Some(1.0), "{name}");
    }
    let nothing = compare(&none, &none);
    assert!(nothing.rows.iter().all(|row| row.distance.is_none()), "{nothing:?}");
    assert!(nothing.to_svg(Some(0.1)).contains("nothing is above 0.1"));
}

#[test]
fn counts_that_cannot_be_are_compared_without_a_panic() {
    let some = counted(&made(SHAPE, &["cat", "dog"], &frames(20)), 5);
    let mut files = made(SHAPE, &["cat", "dog"], &frames(20));
    let mut manifest = files.manifest().unwrap();
    manifest.summary.totals.total = u64::MAX;
    (manifest.summary.totals.invalid, manifest.summary.totals.non_empty) = (u64::MAX, u64::MAX);
    manifest.summary.runs.iter_mut().for_each(|run| run.total = u64::MAX);
    manifest.summary.totals.other.insert("refused".into(), serde_json::json!({ "a": u64::MAX, "b": -1, "c": "x" }));
    files.0.insert("manifest.json".into(), manifest.to_bytes().unwrap());
    let lying = counted(&files, 5);
    for drift in [compare(&some, &lying), compare(&lying, &lying), compare(&lying, &some)] {
        assert!(drift.rows.iter().all(|row| row.distance.is_none_or(|distance| (0.0..=1.0).contains(&distance))));
        assert!(words(&drift.to_svg(None)).len() > 10);
    }
}

#[test]
fn runs_are_named_below_the_input_wherever_it_lies() {
    let mut manifest = made(SHAPE, &[], &[]).manifest().unwrap();
    for (root, run, name) in [
        ("in", "in/a/b", "a/b"),
        ("in", "in", ""),
        ("in/", "in/a", "a"),
        ("in", "input/a", "input/a"),
        ("C:\\data", "C:\\data\\a", "a"),
        ("train, val", "val/a", "val/a"),
    ] {
        manifest.dataset_root = root.into();
        assert_eq!(manifest.run_below(run), name);
    }
}

#[test]
fn other_settings_are_said() {
    let old = counted(&made(SHAPE, &[], &frames(4)), 4);
    let new = counted(&made(Shape::new(5, 5, 4, Dtype::F32), &[], &frames(4)), 4);
    let notes = compare(&old, &new).notes;
    assert_eq!(
        notes,
        ["image size: 6x4 in the old one, 5x5 in the new one", "places for boxes: 3 in the old one, 4 in the new one"]
    );
}

/// Reads a picture as XML, and gives its words.
fn words(svg: &str) -> Vec<String> {
    let mut reader = Reader::from_str(svg);
    let (mut depth, mut words) = (0, Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Text(text) => words.push(String::from_utf8(text.to_vec()).unwrap()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    words
}

#[test]
fn the_picture_is_xml_whatever_classes_and_runs_are_called() {
    let bad = ["</style><script>alert(1)</script>", "a & \"b\" <!-- \u{0} \u{1b}[2J \u{ffff}"];
    let old = counted(&made(SHAPE, &bad, &frames(20)), 20);
    let new = counted(&made(SHAPE, &["cat", "dog"], &frames(13)), 20);
    let svg = compare(&old, &new).to_svg(Some(0.2));
    assert!(!svg.contains("<script") && !svg.contains('\u{1b}') && !svg.contains('\u{0}'));
    assert!(svg.contains("&lt;/style&gt;"), "{svg}");
    assert!(words(&svg).iter().any(|text| text.starts_with("Drift: ")));
    // Bytes of the file decide nothing about its size: names are cut, and only some of them drawn.
    let names: Vec<String> = (0..300).map(|k| format!("{k}{}", "x".repeat(2000))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let many: Vec<Made> = (0..300).map(|k| Made::new("a", k, &[(WIDE, Some(k as u32))])).collect();
    let svg = compare(&counted(&made(SHAPE, &names, &many), 0), &new).to_svg(None);
    assert!(svg.len() < 60_000 && words(&svg).iter().any(|text| text.contains("more")), "{}", svg.len());
}

#[test]
fn damage_is_an_error_and_no_panic() {
    let files = made(SHAPE, &["cat", "dog"], &frames(6));
    let (warehouse, file) = files.open().unwrap();
    // The file is shorter than it was when it was opened.
    let shard = &warehouse.shards()[0];
    let inside = |block: u64| (shard.range().start + block + 1) as usize;
    for cut in [0, inside(0), inside(shard.image(3).start), inside(shard.boxes(5).start), inside(shard.mask(5).start)] {
        let short: Bytes = file.slice(..cut);
        assert_eq!(
            drive(Surveyor::new(&warehouse, 6), &short).unwrap_err().code().id(),
            "usage.missing_bytes",
            "{cut}"
        );
    }
    // More places for boxes than anybody wants to hold.
    let (opener, file) = files.joined().unwrap();
    let tight = drive(opener.with_limits(Limits::default().with_item_bytes(300)), &file).unwrap();
    assert!(drive(Surveyor::new(&tight, 0), &file).is_ok());
    let places = made(Shape::new(2, 2, 40, Dtype::F32), &[], &frames(2));
    let (opener, file) = places.joined().unwrap();
    let tight = drive(opener.with_limits(Limits::default().with_item_bytes(300)), &file).unwrap();
    assert_eq!(drive(Surveyor::new(&tight, 0), &file).unwrap_err().code().id(), "limit.item");
    // Metadata that does not read.
    let mut bad = files.clone();
    let shard = warehouse.shards()[0].header().meta_offset as usize;
    let text = &mut bad.0.get_mut("shard_00000.bin").unwrap()[shard + 24 + 7 * 8..];
    text[0] = b'!';
    let (warehouse, file) = bad.open().unwrap();
    assert_eq!(drive(Surveyor::new(&warehouse, 0), &file).unwrap_err().code().id(), "warehouse.metadata");
}
