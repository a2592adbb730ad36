//! What the loader makes of pictures and boxes with a warehouse's transform is what the warehouse holds of them, to the
//! last bit; and boxes follow a picture that is transformed in any other way.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, missing_docs, reason = "tests are hosts")]

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    annotations::{Exif, ReadOptions},
    order::Tail,
    warehouse::{Dtype, ResizeMode, Transform, sha256},
};
use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    labels::{Beside, Open},
    loader::{Annotations, Builder, Dtype as Numbers, Image, Loader, OnBroken, Rect},
    warehouse::{self, Built, Settings},
};
use serde_json::{Value, json};

use crate::{
    common::{Folder, tar},
    core_common::corpus,
};

/// All that a batch says of a sample: frame, numbers, boxes, mask, classes.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    frame: u64,
    image: Vec<u8>,
    boxes: Vec<u32>,
    mask: Vec<u32>,
    classes: Vec<i64>,
}

impl Seen {
    fn has_boxes(&self) -> bool {
        self.mask.iter().any(|bits| *bits != 0)
    }
}

fn seen(builder: Builder) -> (Vec<Seen>, Loader) {
    let mut loader = builder.batch(3).tail(Tail::Uneven).build().unwrap();
    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let mut all = Vec::new();
    for batch in loader.epoch(0).unwrap() {
        let batch = batch.unwrap();
        let (n, places) = (batch.len(), batch.places());
        assert_eq!((batch.mask().len(), batch.boxes().len()), (n * places, n * places * 4));
        let len = batch.images().bytes().len() / n.max(1);
        for k in 0..n {
            all.push(Seen {
                frame: batch.frame_ids()[k],
                image: batch.images().bytes()[k * len..(k + 1) * len].to_vec(),
                boxes: bits(&batch.boxes()[k * places * 4..(k + 1) * places * 4]),
                mask: bits(&batch.mask()[k * places..(k + 1) * places]),
                classes: batch.box_classes()[k * places..(k + 1) * places].to_vec(),
            });
        }
    }
    (all, loader)
}

fn numbers(dtype: Dtype) -> Numbers {
    match dtype {
        Dtype::F32 => Numbers::F32,
        Dtype::F16 => Numbers::F16,
        _ => Numbers::U8,
    }
}

/// Builds a warehouse and compares every sample of it with what the loader makes of the same sources.
fn both(sources: &[PathBuf], settings: &Settings, live: impl Fn(Builder) -> Builder) -> (Vec<Seen>, Loader, Built) {
    let out = Folder::new();
    let mut settings = settings.clone();
    (settings.sync, settings.f32_boxes, settings.allow_violations) = (false, true, true);
    let built = warehouse::build(sources, out.path(), &settings).unwrap();
    let transform = Transform::new(Some(settings.size), settings.resize, settings.max_boxes.into());
    let one = |builder: Builder| builder.warehouse_transform(transform.clone()).dtype(numbers(settings.dtype));
    let (stored, warehouse) = seen(one(Loader::open(&built.manifest).unwrap()));
    let open = Loader::open_all(sources).unwrap().on_broken(OnBroken::Skip).workers(2);
    let (made, loader) = seen(live(one(open.orient(settings.exif == Exif::Apply))));
    assert_eq!(made.len() as u64, built.samples);
    for (i, (made, stored)) in made.iter().zip(&stored).enumerate() {
        assert!(made == stored, "sample {i}: frames {} and {}", made.frame, stored.frame);
    }
    assert_eq!(loader.box_classes(), warehouse.box_classes());
    assert_eq!(loader.refused().len() as u64 + loader.skipped(), built.refused.len() as u64);
    for refused in loader.refused() {
        assert!(built.refused.contains(refused), "{refused:?}");
    }
    (made, loader, built)
}

#[test]
fn the_corpus_gives_the_warehouses_tensors_and_boxes() {
    let input = corpus("twh/input");
    for (case, resize, side, most) in
        [("case_letterbox_64", ResizeMode::Letterbox, 64, 4), ("case_force_48", ResizeMode::Force, 48, 16)]
    {
        let settings = Settings::default().with_size(side, side).with_resize(resize).with_max_boxes(most);
        for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
            let (_, loader, _) = both(std::slice::from_ref(&input), &settings.clone().with_dtype(dtype), |live| live);
            assert!(!loader.refused().is_empty() && loader.skipped() > 0, "some are bad in each way");
        }
        // Whoever said what is right turned nothing, left out frames without boxes, and decoded JPEG a little differently: those are
        // compared by the command's tests.
        let mut settings = settings;
        settings.exif = Exif::Ignore;
        let (made, ..) = both(std::slice::from_ref(&input), &settings, |live| live);
        let text = fs::read(corpus("twh/expected").join(case).join("ground_truth_corrected.json")).unwrap();
        let truth: Value = serde_json::from_slice(&text).unwrap();
        let truth = truth["samples"].as_array().unwrap();
        let made: Vec<&Seen> = made.iter().filter(|sample| sample.has_boxes()).collect();
        assert_eq!(made.len(), truth.len());
        for (made, truth) in made.iter().zip(truth) {
            assert_eq!(made.frame, truth["frame_id"].as_u64().unwrap());
            let image = truth["label"].as_str().unwrap().replace("/labels/", "/images/").replace(".json", ".jpg");
            if !input.join(&image).exists() {
                assert_eq!(sha256(&made.image), truth["image_sha256_f32le"].as_str().unwrap(), "{image}");
            }
            let boxes: Vec<Vec<f64>> = serde_json::from_value(truth["boxes_f64"].clone()).unwrap();
            let found = made.boxes.iter().map(|bits| f64::from(f32::from_bits(*bits)));
            let said = boxes.iter().flatten().copied().chain(std::iter::repeat(0.0));
            assert!(found.zip(said).all(|(a, b)| (a - b).abs() <= 1e-6), "{}", truth["label"]);
        }
    }
}

#[test]
fn boxes_in_f16_are_those_of_the_loader_rounded() {
    let (input, out) = (corpus("twh/input/run_a"), Folder::new());
    let mut settings = Settings::default().with_size(32, 32).with_max_boxes(4).with_dtype(Dtype::F16);
    (settings.sync, settings.allow_violations) = (false, true);
    let built = warehouse::build(std::slice::from_ref(&input), out.path(), &settings).unwrap();
    let transform = Transform::new(Some([32, 32]), ResizeMode::Letterbox, 4);
    let open = |path: &Path| {
        let open = Loader::open(path).unwrap().dtype(Numbers::F16);
        if path.is_dir() { open.warehouse_transform(transform.clone()).on_broken(OnBroken::Skip) } else { open }
    };
    let ((stored, _), (mut made, _)) = (seen(open(&built.manifest)), seen(open(&input)));
    let rounded = |bits: &mut u32| *bits = half::f16::from_f32(f32::from_bits(*bits)).to_f32().to_bits();
    made.iter_mut().for_each(|sample| sample.boxes.iter_mut().for_each(rounded));
    assert_eq!(made, stored);
}

/// A PNG of noise: color type and bits of a channel.
fn png((width, height): (u32, u32), color: u8, bits: u8, turn: Option<u8>) -> Vec<u8> {
    let channels = match color {
        0 => 1,
        4 => 2,
        2 => 3,
        _ => 4,
    };
    let line = (width as usize * channels * usize::from(bits)).div_ceil(8);
    let mut rows = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    for y in 0..height {
        let noise = (0..line).map(|x| (x as u32 * 37 + y * 91 + width * 7).wrapping_mul(2_654_435_761) as u8 >> 1);
        rows.write_all(&std::iter::once(0).chain(noise).collect::<Vec<_>>()).unwrap();
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], data: &[u8]| {
        file.extend((data.len() as u32).to_be_bytes());
        let named = [kind.as_slice(), data].concat();
        file.extend(&named);
        file.extend(crc32fast::hash(&named).to_be_bytes());
    };
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(b"IHDR", &[&size[..], &[bits, color, 0, 0, 0]].concat());
    if let Some(turn) = turn {
        chunk(b"eXIf", &exif(turn));
    }
    chunk(b"IDAT", &rows.finish().unwrap());
    chunk(b"IEND", &[]);
    file
}

fn exif(turn: u8) -> Vec<u8> {
    [b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".as_slice(), &[turn, 0, 0, 0, 0, 0, 0, 0]].concat()
}

fn turned_jpeg(data: &[u8], turn: u8) -> Vec<u8> {
    let tiff = exif(turn);
    let length = (2 + 6 + tiff.len() as u16).to_be_bytes();
    [&data[..2], &[0xff, 0xe1], &length, b"Exif\0\0", &tiff, &data[2..]].concat()
}

/// Pictures of every kind, and a COCO file that marks boxes in them.
fn set(folder: &Folder) -> (Vec<(String, Vec<u8>)>, PathBuf) {
    let jpeg = fs::read(corpus("twh/input/run_c/images/frame_00001.jpg")).unwrap();
    let mut pictures = Vec::new();
    for turn in 1..=8 {
        pictures.push((format!("jpeg_{turn}.jpg"), turned_jpeg(&jpeg, turn), None));
        pictures.push((format!("png_{turn}.png"), png((40, 23), 2, 8, Some(turn)), Some((40, 23))));
    }
    for (color, bits) in [(0, 1), (0, 8), (0, 16), (2, 8), (2, 16), (4, 8), (6, 8), (6, 16)] {
        let size = (17 + u32::from(bits), 31);
        pictures.push((format!("color_{color}_{bits}.png"), png(size, color, bits, None), Some(size)));
    }
    pictures.push(("long.png".into(), png((300, 1), 2, 8, None), Some((300, 1))));
    pictures.push(("same.png".into(), png((32, 24), 2, 8, None), Some((32, 24))));
    pictures.push(("empty.png".into(), png((50, 50), 2, 8, None), Some((50, 50))));
    let mut short = png((50, 50), 2, 8, None);
    short.truncate(short.len() / 2);
    pictures.push(("damaged.png".into(), short, Some((50, 50))));
    let (mut images, mut annotations) = (Vec::new(), Vec::new());
    for (id, (name, data, size)) in pictures.iter().enumerate() {
        let probed = forebay::image::probe(data);
        let (width, height) = size.unwrap_or((probed.width, probed.height));
        images.push(json!({"id": id, "file_name": name, "width": width, "height": height}));
        let (w, h) = (f64::from(width), f64::from(height));
        let some = if name == "empty.png" { 0 } else { 1 + id % 5 };
        for k in 0..some {
            let part = k as f64 / 7.0;
            // The second reaches beyond the picture; from the fourth on there is no place.
            let corner =
                if k == 1 { [w * 0.6, -3.0, w, h * 0.7] } else { [w * part, h * part / 2.0, w / 3.1, h / 2.3] };
            annotations.push(json!({
                "id": annotations.len(), "image_id": id, "category_id": 3 + 4 * (k % 2), "bbox": corner,
                "area": corner[2] * corner[3], "iscrowd": 0,
            }));
        }
    }
    images.push(json!({"id": 999, "file_name": "nowhere.png", "width": 5, "height": 5}));
    let categories = json!([{"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}]);
    let labels = folder.at("instances.json");
    let text = json!({"images": images, "annotations": annotations, "categories": categories}).to_string();
    fs::write(&labels, text).unwrap();
    let mut pictures: Vec<_> = pictures.into_iter().map(|(name, data, _)| (name, data)).collect();
    // Nobody says anything of it.
    pictures.push(("stranger.png".into(), png((9, 9), 2, 8, None)));
    (pictures, labels)
}

#[test]
fn pictures_of_every_kind_with_boxes_of_a_label_file_are_the_same_both_ways() {
    let folder = Folder::new();
    let (pictures, labels) = set(&folder);
    fs::create_dir(folder.at("pictures")).unwrap();
    for (name, data) in &pictures {
        fs::write(folder.at("pictures").join(name), data).unwrap();
    }
    fs::write(folder.at("pictures.tar"), tar(&pictures)).unwrap();
    for source in ["pictures", "pictures.tar"] {
        for exif in [Exif::Apply, Exif::Ignore] {
            for resize in [ResizeMode::Letterbox, ResizeMode::Force] {
                let mut settings = Settings::default().with_size(32, 24).with_resize(resize).with_max_boxes(3);
                settings = settings.with_labels(&labels);
                settings.exif = exif;
                settings.label_options.exif = Some(exif);
                let live = |live: Builder| live.annotations(labels.clone());
                let (made, loader, built) = both(&[folder.at(source)], &settings, live);
                assert_eq!(made.len(), pictures.len() - 2, "all but one that is damaged and one without labels");
                assert_eq!((loader.refused().len(), loader.skipped()), (2, 1));
                assert_eq!(built.refused.len(), 3);
                assert_eq!(loader.box_classes(), ["cat", "dog"]);
                assert!(made.iter().any(|sample| !sample.has_boxes()));
                assert!(made.iter().any(|sample| sample.classes == [0, 1, 0]));
            }
        }
    }
}

#[test]
fn boxes_in_the_metadata_of_samples_are_the_same_both_ways() {
    let folder = Folder::new();
    let (mut pictures, labels) = set(&folder);
    pictures.retain(|(name, _)| !name.starts_with("jpeg_") && !name.starts_with("png_"));
    fs::write(folder.at("a.tar"), tar(&pictures)).unwrap();
    let mut options = Options::new(To::Tbl);
    let read = Open::new(ReadOptions::default()).read(&labels).unwrap();
    options.labels = Some(Arc::new(Beside::new(read, ReadOptions::default())));
    let table = folder.at("a.tbl");
    Job::new(vec![Dataset::open(folder.at("a.tar")).unwrap()], options).run(&table).unwrap();
    let settings = Settings::default().with_size(32, 24).with_max_boxes(3);
    let (made, loader, _) = both(std::slice::from_ref(&table), &settings, |live| live);
    assert_eq!(loader.box_classes(), ["cat", "dog"]);
    assert!(made.iter().any(|sample| sample.classes == [0, 1, 0]));
    // The same boxes as those of the file, on a tensor of another kind.
    let open = |annotations: Annotations| {
        let image = Image::new(30, 20).random_resized_crop().hflip();
        let open = Loader::open(&table).unwrap().image(image).annotations(annotations).max_boxes(4);
        seen(open.shuffle(3).on_broken(OnBroken::Skip)).0
    };
    assert_eq!(open(Annotations::own()), open(Annotations::file(labels)));
}

#[test]
fn boxes_of_other_programs_are_read_once_it_is_said_what_they_mean() {
    let folder = Folder::new();
    let json = |boxes: Value| json!({ "boxes": boxes }).to_string().into_bytes();
    let members = [
        ("1.png", png((40, 30), 2, 8, None)),
        ("1.json", json(json!([{ "label": "boat", "bbox": [10, 6, 20, 12] }]))),
        ("2.png", png((40, 30), 2, 8, None)),
        ("2.json", json(json!([]))),
    ];
    let source = folder.at("set.tar");
    fs::write(&source, tar(&members)).unwrap();
    let mut settings = Settings::default().with_size(40, 30).with_max_boxes(2);
    let e = warehouse::build(std::slice::from_ref(&source), Folder::new().path(), &settings).unwrap_err();
    assert_eq!((e.code().id(), e.place().path.as_deref()), ("label.ambiguous", Some("json.boxes[0].bbox")));
    let said = |boxes: &str| {
        let mut options = ReadOptions::default();
        options.boxes = Some(boxes.parse().unwrap());
        options
    };
    for (boxes, right) in [("json.boxes:xywh", 0.75f32), (":xyxy", 0.5)] {
        settings.label_options = said(boxes);
        let own = Annotations::own().options(settings.label_options.clone());
        let (made, loader, built) =
            both(std::slice::from_ref(&source), &settings, |live| live.annotations(own.clone()));
        assert_eq!((made.len(), loader.box_classes()), (2, &["boat".to_owned()][..]));
        assert_eq!(made[0].boxes[2], right.to_bits(), "{boxes}");
        assert!(!made[1].has_boxes());
        assert_eq!(Open::new(said(boxes)).stats(&source).unwrap().1.annotations, 1);
        drop(built);
    }
    // Without any of them the frames have no boxes.
    settings.label_options = said("none");
    let out = Folder::new();
    (settings.sync, settings.allow_violations) = (false, true);
    let built = warehouse::build(std::slice::from_ref(&source), out.path(), &settings).unwrap();
    assert_eq!((built.samples, built.refused.len()), (2, 0));
    // The samples are called as they were in the TAR, not by its path.
    let stored = Dataset::open(&built.manifest).unwrap();
    let names: Vec<_> = (0..2).map(|i| stored.sample_name(i).unwrap().unwrap()).collect();
    assert_eq!(names, ["1.png", "2.png"]);
}

#[test]
fn frames_without_labels_are_refused_unless_they_may_be_left_out() {
    let folder = Folder::new();
    let (pictures, labels) = set(&folder);
    fs::write(folder.at("a.tar"), tar(&pictures)).unwrap();
    let open = || Loader::open(folder.at("a.tar")).unwrap().image(Image::new(20, 10)).annotations(labels.clone());
    let e = open().build().unwrap_err();
    assert_eq!(e.code().id(), "loader.annotation");
    assert!(e.message().contains("2 frames cannot be used"), "{e}");
    let loader = open().on_broken(OnBroken::Skip).build().unwrap();
    assert_eq!(loader.order().epoch_samples(), pictures.len() as u64 - 1);
    assert!(loader.notes().join("\n").contains("2 frames cannot be used"));
    // Boxes need a tensor to lie on, and places need boxes.
    let setting = |builder: Builder| builder.build().map_err(|e| e.code().id()).unwrap_err();
    assert_eq!(setting(open().payloads()), "loader.settings");
    let plain = || Loader::open(folder.at("a.tar")).unwrap();
    assert_eq!(setting(plain().image(Image::new(4, 4)).max_boxes(3)), "loader.settings");
    let transform = |size| Transform::new(size, ResizeMode::Force, 3);
    assert_eq!(setting(plain().warehouse_transform(transform(None))), "loader.settings");
    assert_eq!(setting(plain().warehouse_transform(transform(Some([4, 4]))).max_boxes(4)), "loader.settings");
}

#[test]
fn boxes_follow_the_picture_through_crops_and_flips() {
    let folder = Folder::new();
    let (pictures, labels) = set(&folder);
    fs::write(folder.at("a.tar"), tar(&pictures)).unwrap();
    let image = Image::new(30, 20).random_resized_crop().hflip_chance(0.5);
    let open = |places| {
        let open = Loader::open(folder.at("a.tar")).unwrap().image(image.clone()).annotations(labels.clone());
        open.max_boxes(places).on_broken(OnBroken::Skip).orient(true).shuffle(5).batch(4).tail(Tail::Uneven)
    };
    let given: Value = serde_json::from_slice(&fs::read(&labels).unwrap()).unwrap();
    let (mut compared, mut cut) = (0, 0);
    let mut loader = open(8).build().unwrap();
    for batch in (0..4).flat_map(|epoch| loader.epoch(epoch).unwrap().collect::<Vec<_>>()) {
        let batch = batch.unwrap();
        assert_eq!((batch.places(), batch.labels().len()), (8, 0));
        let names = batch.names().unwrap();
        for (k, placement) in batch.placements().iter().enumerate() {
            let name = names[k].clone().unwrap();
            // Those that EXIF turns have their boxes turned too; what that does is the labels' matter.
            if name.contains("jpeg_") || name.contains("png_") {
                continue;
            }
            let id = given["images"].as_array().unwrap().iter().find(|image| image["file_name"] == name).unwrap();
            let (width, height) = (id["width"].as_f64().unwrap(), id["height"].as_f64().unwrap());
            let mut expected = Vec::new();
            for one in given["annotations"].as_array().unwrap().iter().filter(|a| a["image_id"] == id["id"]) {
                let side = |i: usize| one["bbox"][i].as_f64().unwrap();
                let (left, top) = (side(0).clamp(0.0, width), side(1).clamp(0.0, height));
                let (right, bottom) = ((side(0) + side(2)).min(width), (side(1) + side(3)).min(height));
                let stored = Rect { x: left, y: top, width: right - left, height: bottom - top };
                match placement.rect(&stored) {
                    Some(seen) => {
                        let shares = [seen.x / 30.0, seen.y / 20.0, seen.width / 30.0, seen.height / 20.0];
                        let class = if one["category_id"] == 3 { 0 } else { 1 };
                        expected.push(([shares[0], shares[1], shares[0] + shares[2], shares[1] + shares[3]], class));
                    }
                    None => cut += 1,
                }
            }
            let boxes = batch.boxes()[k * 32..(k + 1) * 32].chunks(4);
            let there = batch.mask()[k * 8..(k + 1) * 8].iter().map(|mask| *mask == 1.0);
            let classes = &batch.box_classes()[k * 8..(k + 1) * 8];
            for (place, ((found, there), class)) in boxes.zip(there).zip(classes).enumerate() {
                let Some((corners, number)) = expected.get(place) else {
                    assert!(!there && *class == -1 && found == [0.0; 4], "{name} {place}");
                    continue;
                };
                assert!(there && class == number, "{name} {place}");
                let near = found.iter().zip(corners).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6);
                assert!(near, "{name} {place}: {found:?} is not {corners:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50 && cut > 5, "{compared} {cut}");
    // One place each, and a run that goes on in the middle sees the same.
    let mut loader = open(1).build().unwrap();
    let mut batches = loader.epoch(0).unwrap();
    batches.next().unwrap().unwrap();
    let state = batches.loader().state();
    let next = batches.next().unwrap().unwrap();
    let again = open(1).resume(state).build().unwrap().epoch(0).unwrap().next().unwrap().unwrap();
    assert_eq!((next.boxes(), next.mask(), next.frame_ids()), (again.boxes(), again.mask(), again.frame_ids()));
    assert_eq!(next.images(), again.images());
}

#[test]
fn a_split_of_runs_is_the_same_of_pictures_and_of_a_warehouse() {
    use forebay_native::loader::Split;
    let (input, out) = (corpus("twh/input"), Folder::new());
    let mut settings = Settings::default().with_size(8, 8).with_max_boxes(2);
    (settings.sync, settings.allow_violations) = (false, true);
    let built = warehouse::build(std::slice::from_ref(&input), out.path(), &settings).unwrap();
    let runs = |builder: Builder| {
        let mut loader = builder.on_broken(OnBroken::Skip).batch(1).build().unwrap();
        let all: Vec<u64> = loader.epoch(0).unwrap().flat_map(|batch| batch.unwrap().frame_ids().to_vec()).collect();
        all
    };
    for split in [Split::train(0.3, 4), Split::validation(0.3, 4)] {
        let transform = Transform::new(Some([8, 8]), ResizeMode::Letterbox, 2);
        let of = |path: &Path| Loader::open(path).unwrap().split(split).warehouse_transform(transform.clone());
        let (stored, live) = (runs(of(&built.manifest)), runs(of(&input)));
        assert!(!stored.is_empty() && stored.len() < built.samples as usize);
        assert_eq!(stored, live);
    }
    let own = Loader::open(&input).unwrap().image(Image::new(8, 8)).annotations(Annotations::own());
    assert_eq!(runs(own).len() as u64, built.samples);
}
