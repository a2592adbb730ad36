//! What a loader takes and gives back: threads, memory, allocations. One test at a time, since all of it is counted
//! for the whole process.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files and threads")]

mod common;
#[path = "it/loader/support.rs"]
mod support;

use std::{
    alloc::System,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use common::Folder;
use forebay::{
    image::{
        decode::{Decoder, Options},
        transform::{Augment, Fit, Out, Resampling, Transformer},
    },
    order::sample_key,
    warehouse::{ResizeMode, Transform},
};
use forebay_native::{
    Dataset,
    convert::{Job, Options as ConvertOptions, To},
    input::Io,
    loader::{Builder, DecodedCache, IMAGENET, Image, Loader, Mixing, Mode, Mosaic, Padding, Target},
    warehouse::{Settings, build},
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    // A test that failed is not a reason for the others to.
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn live() -> i64 {
    let stats = MEMORY.stats();
    // Bytes that growing and shrinking moved are counted apart.
    stats.bytes_allocated as i64 - stats.bytes_deallocated as i64
}

/// This process's threads that belong to loaders.
fn threads() -> usize {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return 0 };
    let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    tasks.filter_map(Result::ok).map(name).filter(|name| name.starts_with("forebay-")).count()
}

/// Whether they have ended. The system lists a thread for a moment after it was waited for.
fn no_threads() -> bool {
    (0..1000).any(|_| {
        std::thread::sleep(std::time::Duration::from_micros(if threads() == 0 { 0 } else { 1000 }));
        threads() == 0
    })
}

fn open(path: &Path) -> Builder {
    Loader::open(path).unwrap().batch(8).workers(3).shuffle(1).image(Image::new(8, 8).normalize(IMAGENET)).labels("cls")
}

#[test]
fn a_thousand_epochs_leak_nothing() {
    let _alone = alone();
    let folder = Folder::new();
    let path = support::table(&folder, 40);
    let mut loader = open(&path).build().unwrap();
    let mut after_fifty = 0;
    for epoch in 0..1000 {
        // Some whole, some broken off with work on its way, some stopped.
        for (step, batch) in loader.epoch(epoch).unwrap().enumerate() {
            batch.unwrap();
            if step as u64 == epoch % 7 {
                break;
            }
        }
        if epoch % 50 == 49 {
            loader.stop();
            assert!(no_threads(), "stopping ends the threads");
        } else {
            assert!(threads() <= 3);
        }
        if epoch == 49 {
            after_fifty = live();
        }
    }
    let grown = live() - after_fifty;
    assert!(grown < 10_000, "{grown} bytes more after a thousand epochs than after fifty");
    drop(loader);
    assert!(no_threads());
}

#[test]
fn eight_workers_and_batches_of_64_stay_below_300_mebibytes() {
    let _alone = alone();
    let folder = Folder::new();
    let path = support::table(&folder, 1024);
    let before = live();
    let mut loader = open(&path).batch(64).workers(8).image(Image::new(224, 224).normalize(IMAGENET)).build().unwrap();
    let mut most = 0;
    for batch in loader.epoch(0).unwrap() {
        let batch = batch.unwrap();
        most = most.max(live() - before);
        drop(batch);
    }
    // A batch has 37 MiB; a decoder's and a transformer's buffers for 500 × 375 pixels are another 1 MiB a worker.
    assert!(most < (300 - 8) << 20, "{} MiB", most >> 20);
    drop(loader);
    assert!(live() - before < 1 << 20, "all of it is given back");
}

#[test]
fn dropping_at_any_moment_ends_the_threads() {
    let _alone = alone();
    let folder = Folder::new();
    let path = support::table(&folder, 64);
    let before = live();
    for round in 0..200_u64 {
        let mut loader = open(&path).workers(1 + round as usize % 4).prefetch(1 + round as usize % 3).build().unwrap();
        let mut kept = Vec::new();
        if round % 5 > 0 {
            loader.start().unwrap();
        }
        for _ in 0..round % 9 {
            kept.extend(loader.next_batch().unwrap());
        }
        std::thread::sleep(std::time::Duration::from_micros(round * 7 % 300));
        drop(loader);
        assert!(no_threads());
        assert!(kept.iter().all(|batch| batch.labels().iter().zip(batch.indices()).all(|(l, i)| *l as u64 == i % 3)));
    }
    let grown = live() - before;
    assert!(grown < 50_000, "{grown} bytes are left");
}

/// Allocations of one epoch of a loader that is warm, for each picture.
fn allocations_per_picture(builder: Builder) -> f64 {
    allocations_with(builder, 512)
}

/// The same of a loader that makes that many samples ahead.
fn allocations_with(builder: Builder, ahead: u64) -> f64 {
    let mut loader = builder.build().unwrap();
    let n = loader.order().epoch_samples();
    // Between epochs the first two batches of the next one are made; when they are, nothing happens any more.
    let mut run = |epochs: std::ops::Range<u64>| {
        let end = epochs.end;
        for epoch in epochs {
            loader.epoch(epoch).unwrap().for_each(|batch| drop(batch.unwrap()));
        }
        let made = end * n + n.min(ahead);
        assert!((0..20_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            loader.stats().samples == made
        }));
    };
    run(0..3);
    // A worker that got no turn before makes its own room when it gets the first, so the least of several epochs counts.
    let allocations = (3..8).map(|epoch| {
        let region = Region::new(MEMORY);
        run(epoch..epoch + 1);
        let change = region.change();
        change.allocations + change.reallocations
    });
    allocations.min().unwrap_or_default() as f64 / n as f64
}

#[test]
fn a_warm_loader_allocates_for_batches_and_not_for_pictures() {
    let _alone = alone();
    let folder = Folder::new();
    let archive = folder.at("train.tar");
    std::fs::write(&archive, common::tar(&support::members(1024))).unwrap();
    let mut options = ConvertOptions::new(To::Tbl);
    options.pixels = Some(forebay_native::convert::Pixels::new(8, 8));
    options.compression = forebay::codec::Compression::new(forebay::codec::Codec::None, None).unwrap();
    let raw = folder.at("raw.tbl");
    Job::new(vec![Dataset::open(&archive).unwrap()], options).run(&raw).unwrap();
    for io in [Io::Map, Io::Read] {
        let large = allocations_per_picture(open(&raw).batch(256).io(io));
        // A batch has some lists, whatever its size.
        assert!(large < 0.2, "{large} allocations for each raw image in batches of 256 ({io:?})");
    }
    let moved = Image::new(6, 6).random_crop(2).hflip().normalize(IMAGENET);
    let moved = allocations_per_picture(open(&raw).batch(256).image(moved));
    assert!(moved < 0.2, "{moved} allocations for each image that is cropped and mirrored");
    for resampling in
        [Resampling::Nearest, Resampling::Bilinear, Resampling::BilinearPlain, Resampling::Bicubic, Resampling::Lanczos]
    {
        let image = Image::new(24, 24).random_resized_crop().hflip().normalize(IMAGENET).resampling(resampling);
        let resized = allocations_per_picture(open(&raw).batch(256).image(image));
        assert!(resized < 0.2, "{resized} allocations for each image that is cropped and resized ({resampling:?})");
    }
}

#[test]
fn a_warm_loader_allocates_nothing_for_a_sample_with_boxes() {
    let _alone = alone();
    let folder = Folder::new();
    let archive = folder.at("train.tar");
    std::fs::write(&archive, common::tar(&support::members(1024))).unwrap();
    let mut options = ConvertOptions::new(To::Tbl);
    options.pixels = Some(forebay_native::convert::Pixels::new(8, 8));
    options.compression = forebay::codec::Compression::new(forebay::codec::Codec::None, None).unwrap();
    let raw = folder.at("raw.tbl");
    Job::new(vec![Dataset::open(&archive).unwrap()], options).run(&raw).unwrap();
    let labels = folder.at("labels.json");
    let list = |one: &dyn Fn(u32) -> String| (0..1024).map(one).collect::<Vec<_>>().join(",");
    let images = list(&|i| format!(r#"{{"id":{i},"file_name":"set/{i:04}.bmp","width":8,"height":8}}"#));
    let boxes = list(&|i| format!(r#"{{"id":{i},"image_id":{i},"category_id":1,"bbox":[1,2,3.5,4]}}"#));
    let text = format!(r#"{{"images":[{images}],"annotations":[{boxes}],"categories":[{{"id":1,"name":"cat"}}]}}"#);
    std::fs::write(&labels, text).unwrap();
    let live = || Loader::open(&raw).unwrap().batch(256).workers(3).shuffle(1).annotations(labels.clone());
    let moved = allocations_per_picture(live().image(Image::new(6, 6).random_crop(2).hflip().normalize(IMAGENET)));
    assert!(moved < 0.2, "{moved} allocations for each image with boxes that is cropped and mirrored");
    let resampling = Resampling::Bilinear;
    let turned = Image::new(6, 6)
        .fit(Fit::AroundBoxes)
        .augment(Augment::Rotation { probability: 0.5, degrees: (-90.0, 90.0), resampling })
        .augment(Augment::RandAugment { operations: 2, magnitude: 9, bins: 31, resampling })
        .keep_boxes(0.2, 0.0);
    let turned = allocations_per_picture(live().image(turned));
    assert!(turned < 0.2, "{turned} allocations for each image with boxes that is augmented");
    let together = Image::new(6, 6).letterbox([0; 3]).hflip().normalize(IMAGENET);
    let boxes = Target::boxes(&labels).most(8);
    let together = live().image(together).target("boxes", boxes).mosaic(Mosaic::new().chance(0.5));
    let together = allocations_per_picture(together.mixed(Mixing::Either { mixup: 1.0, cutmix: 1.0 }, 0.5));
    assert!(together < 0.2, "{together} allocations for each sample of several images with boxes");
    let transform = Transform::new(Some([6, 6]), ResizeMode::Letterbox, 3);
    let prepared = allocations_per_picture(live().warehouse_transform(transform));
    assert!(prepared < 0.2, "{prepared} allocations for each image that is made as a warehouse holds it");

    let mut settings = Settings::default().with_size(6, 6).with_max_boxes(3).with_labels(&labels);
    settings.sync = false;
    let built = build(std::slice::from_ref(&raw), &folder.at("warehouse"), &settings).unwrap();
    let stored = |mode| Loader::open(&built.manifest).unwrap().batch(256).workers(3).shuffle(1).mode(mode);
    for (mode, prefetch, ahead) in
        [(Mode::Mmap, 0, 0), (Mode::Mmap, 2, 512), (Mode::Memory, 0, 0), (Mode::Stream, 2, 512)]
    {
        let each = allocations_with(stored(mode).prefetch(prefetch), ahead);
        assert!(each < 0.2, "{each} allocations for each sample of a warehouse ({mode:?}, {prefetch} ahead)");
    }
}

#[test]
fn a_warm_loader_allocates_nothing_for_a_sample_with_targets_of_any_kind() {
    let _alone = alone();
    let folder = Folder::new();
    let archive = folder.at("train.tar");
    std::fs::write(&archive, common::tar(&support::members(1024))).unwrap();
    let mut options = ConvertOptions::new(To::Tbl);
    options.pixels = Some(forebay_native::convert::Pixels::new(8, 8));
    options.compression = forebay::codec::Compression::new(forebay::codec::Codec::None, None).unwrap();
    let raw = folder.at("raw.tbl");
    Job::new(vec![Dataset::open(&archive).unwrap()], options).run(&raw).unwrap();
    let list = |one: &dyn Fn(u32) -> String| (0..1024).map(one).collect::<Vec<_>>().join(",");
    let images = list(&|i| format!(r#"{{"id":{i},"file_name":"set/{i:04}.bmp","width":8,"height":8}}"#));
    let marks = list(&|i| {
        let rle = r#"{"size":[8,8],"counts":[9,5,50]}"#;
        format!(
            r#"{{"id":{i},"image_id":{i},"category_id":1,"bbox":[1,2,3.5,4],"segmentation":[[1,2,4,2,4,6]],
            "keypoints":[1,2,2,3,4,1]}},{{"id":{i},"image_id":{i},"category_id":1,"bbox":[1,1,1,5],"iscrowd":0,
            "segmentation":{rle}}}"#
        )
    });
    let classes = r#"[{"id":1,"name":"cat","keypoints":["a","b"]}]"#;
    let labels = folder.at("labels.json");
    std::fs::write(&labels, format!(r#"{{"images":[{images}],"annotations":[{marks}],"categories":{classes}}}"#))
        .unwrap();
    let table = folder.at("more.jsonl");
    let rows = |i: u32| format!(r#"{{"file":"{i:04}","pose":[{i},2,3],"says":"number {i}"}}"#);
    std::fs::write(&table, (0..1024).map(rows).collect::<Vec<_>>().join("\n")).unwrap();
    let more = |column| format!("{}#file,{column}", table.display());
    let marked = |kind: &str| format!("{kind}:{}", labels.display());
    for (name, target) in [
        ("int", "int:json.number".to_owned()),
        ("float", "float:json.number".to_owned()),
        ("class", "class:json.class".to_owned()),
        ("name", "text:json.class".to_owned()),
        ("hot", "multihot:json.class".to_owned()),
        ("tokens", "ints:json.number".to_owned()),
        ("pose", format!("floats/3:{}", more("pose"))),
        ("vector", format!("floats:{}", more("pose"))),
        ("says", format!("text:{}", more("says"))),
        ("boxes", marked("boxes/4")),
        ("all", marked("boxes/ragged")),
        ("masks", marked("masks/4")),
        ("every", marked("masks/ragged")),
        ("semantic", marked("semantic")),
        ("points", marked("keypoints/4")),
        ("padded tokens", "ints/pad=-1,64,8:json.number".to_owned()),
        ("padded text", "text/pad=0,64:json.class".to_owned()),
        ("padded boxes", marked("boxes/pad=0,4")),
        ("padded points", marked("keypoints/pad=0,4")),
    ] {
        let image = Image::new(6, 6).random_crop(2).hflip().normalize(IMAGENET);
        let builder = Loader::open(&raw).unwrap().batch(256).workers(3).shuffle(1).image(image);
        let each = allocations_per_picture(builder.target(name, target));
        assert!(each < 0.2, "{each} allocations for each sample with the target {name}");
    }
    let image = Image::new(6, 6).random_crop(2).hflip().normalize(IMAGENET);
    for target in [Target::view(image.clone()), Target::picture(&raw), Target::label_map(&raw)] {
        let builder = Loader::open(&raw).unwrap().batch(256).workers(3).shuffle(1).image(image.clone());
        let each = allocations_per_picture(builder.target("more", target));
        assert!(each < 0.2, "{each} allocations for each sample with another image");
    }
}

#[test]
fn a_warm_loader_allocates_nothing_for_a_sample_that_is_padded() {
    let _alone = alone();
    let folder = Folder::new();
    let path = support::table(&folder, 1024);
    let mut jobs = Vec::new();
    for (name, width, height) in [("a.tbl", 7, 9), ("b.tbl", 16, 5), ("c.tbl", 12, 12)] {
        let mut options = ConvertOptions::new(To::Tbl);
        options.pixels = Some(forebay_native::convert::Pixels::new(width, height));
        options.compression = forebay::codec::Compression::new(forebay::codec::Codec::None, None).unwrap();
        jobs.push(folder.at(name));
        Job::new(vec![Dataset::open(&path).unwrap()], options).run(&jobs[jobs.len() - 1]).unwrap();
    }
    for padding in [Padding::new().multiple(4), Padding::new().short(6).fill([1, 2, 3])] {
        let image = Image::new(16, 16).hflip().normalize(IMAGENET);
        let builder = Loader::open_all(&jobs).unwrap().batch(256).workers(3).shuffle(1).image(image).padded(padding);
        let each = allocations_per_picture(builder);
        assert!(each < 0.2, "{each} allocations for each padded image ({padding:?})");
    }
}

#[test]
fn a_warm_loader_allocates_no_more_than_its_decoder_and_resizer() {
    let _alone = alone();
    let folder = Folder::new();
    let path = support::table(&folder, 512);
    let image = Image::new(8, 8).random_resized_crop().hflip().normalize(IMAGENET);
    let dataset = Dataset::open(&path).unwrap();
    let (mut decoder, mut transformer) = (Decoder::default(), Transformer::new(image.clone()).unwrap());
    let mut out = vec![0.0_f32; transformer.values()];
    let mut bare = 0.0;
    for _ in 0..2 {
        let region = Region::new(MEMORY);
        for i in 0..dataset.len() {
            let (payload, key) = (dataset.payload(i).unwrap(), sample_key(1, 0, i));
            let out = Out::F32(&mut out);
            transformer.decode(&mut decoder, &payload, None, &Options::default(), key, out).unwrap();
        }
        let change = region.change();
        bare = (change.allocations + change.reallocations) as f64 / 512.0;
    }
    let loader = allocations_per_picture(open(&path).batch(256).image(image));
    assert!(loader < bare + 0.2, "{loader} allocations for each image, of which {bare} are not the loader's");
}

#[test]
fn a_warm_loader_allocates_nothing_for_a_photograph() {
    let _alone = alone();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/");
    let index: serde_json::Value =
        serde_json::from_slice(&std::fs::read(format!("{fixtures}images.json")).unwrap()).unwrap();
    let blob = std::fs::read(format!("{fixtures}images.bin")).unwrap();
    let at = |place: &serde_json::Value, i: usize| place[i].as_u64().unwrap() as usize;
    for case in index["decode"].as_array().unwrap() {
        let bytes = blob[at(&case["data"], 0)..][..at(&case["data"], 1)].to_vec();
        if !bytes.starts_with(&[0xff, 0xd8]) {
            continue;
        }
        let members: Vec<_> = (0..512).map(|i| (format!("{i:04}.jpg"), bytes.clone())).collect();
        let folder = Folder::new();
        let path = support::write(&folder, "photographs", &members).1;
        let image = Image::new(24, 24).random_resized_crop().hflip().normalize(IMAGENET);
        let builder = Loader::open(&path).unwrap().batch(256).workers(2).shuffle(1).image(image);
        let each = allocations_per_picture(builder);
        assert!(each < 0.2, "{each} allocations for each photograph ({})", case["name"]);
    }
}

#[test]
fn a_warm_loader_allocates_nothing_for_a_picture_that_is_kept_decoded() {
    let _alone = alone();
    let folder = Folder::new();
    let path = support::table(&folder, 512);
    for (k, image) in
        [Image::new(24, 24).hflip(), Image::new(24, 24).random_resized_crop().hflip()].into_iter().enumerate()
    {
        // Bitmaps, whose decoder allocates: here they are not decoded any more.
        let build = || open(&path).batch(256).image(image.clone().normalize(IMAGENET));
        let memory = DecodedCache::memory(1 << 30);
        let file = DecodedCache::file(folder.at(&format!("kept-{k}")), 1 << 30);
        for cache in [memory, file] {
            let each = allocations_per_picture(build().decoded_cache(cache.clone()).timeline(1 << 16));
            assert!(each < 0.2, "{each} allocations for each image of {cache:?}");
        }
    }
    // What finds no room costs nothing either, but what its decoder does.
    let image = Image::new(24, 24).hflip().normalize(IMAGENET);
    let plain = allocations_per_picture(open(&path).batch(256).image(image.clone()));
    let full = open(&path).batch(256).image(image).decoded_cache(DecodedCache::memory(100_000));
    let full = allocations_per_picture(full);
    assert!(full < plain + 0.2, "{full} allocations for each image beside a full cache, {plain} without");
}

#[test]
fn a_warm_decoder_of_jpeg_allocates_nothing() {
    let _alone = alone();
    const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/images");
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(format!("{FIXTURES}.json")).unwrap()).unwrap();
    let blob = std::fs::read(format!("{FIXTURES}.bin")).unwrap();
    let ours = |name: &str| name.starts_with("jpeg");
    let cases = index["decode"].as_array().unwrap().iter().filter(|case| ours(case["name"].as_str().unwrap()));
    let at = |case: &serde_json::Value, i: usize| case["data"][i].as_u64().unwrap() as usize;
    let jpegs: Vec<&[u8]> = cases.map(|case| &blob[at(case, 0)..at(case, 0) + at(case, 1)]).collect();
    assert!(jpegs.len() > 8);
    let mut decoder = Decoder::default();
    let mut allocations = || {
        let region = Region::new(MEMORY);
        for jpeg in &jpegs {
            for least in [1, 12, 100] {
                decoder.decode(jpeg, None, &Options::default().with_at_least(least, least)).unwrap();
            }
        }
        let change = region.change();
        change.allocations + change.reallocations
    };
    allocations();
    // The harness's own thread may report the test before this one meanwhile, which is counted too; what the decoder
    // allocates is in every round.
    let least = (0..8).map(|_| allocations()).min();
    assert_eq!(least, Some(0), "however different the images are");
}
