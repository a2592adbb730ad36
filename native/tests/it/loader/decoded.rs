//! Decoded pictures that are kept: nothing that comes out of a loader is another with them.

use std::path::{Path, PathBuf};

use forebay::{
    Limits,
    image::transform::{Augment, Blur, Erase, Fit, Jitter, Resampling},
    order::Tail,
    warehouse::{ResizeMode, Transform},
};
use forebay_native::loader::{
    Batch, Builder, DecodedCache, DecodedStats, Dtype, Groups, IMAGENET, Image, Loader, Mixing, Mosaic, OnBroken,
    Split, SplitBy, Target,
};
use serde_json::Value;

use crate::{common::Folder, dice::rounds, loader::support::write};

/// A TBL of every picture of the fixtures, of all formats and ways up, with a broken one between, and boxes for them.
pub fn pictures(folder: &Folder) -> (PathBuf, PathBuf) {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/");
    let index: Value = serde_json::from_slice(&std::fs::read(format!("{fixtures}images.json")).unwrap()).unwrap();
    let blob = std::fs::read(format!("{fixtures}images.bin")).unwrap();
    let (mut members, mut images, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
    for (i, case) in index["decode"].as_array().unwrap().iter().enumerate() {
        let at = |k: usize| case["data"][k].as_u64().unwrap() as usize;
        let mut bytes = blob[at(0)..at(0) + at(1)].to_vec();
        if i == 5 {
            bytes.truncate(bytes.len() / 2);
        }
        let extension = case["name"].as_str().unwrap().split(' ').next().unwrap().replace("jpeg", "jpg");
        members.push((format!("{i:03}.{extension}"), bytes));
        members.push((format!("{i:03}.cls"), (i % 3).to_string().into_bytes()));
        let (width, height) = (&case["width"], &case["height"]);
        let name = format!("{i:03}.{extension}");
        images.push(format!(r#"{{"id":{i},"file_name":"{name}","width":{width},"height":{height}}}"#));
        boxes.push(format!(
            r#"{{"id":{i},"image_id":{i},"category_id":1,"bbox":[1,2,7.5,4],"segmentation":[[1,2,8,2,4,6]]}}"#
        ));
    }
    let labels = folder.at("labels.json");
    let text = format!(
        r#"{{"images":[{}],"annotations":[{}],"categories":[{{"id":1,"name":"cat"}}]}}"#,
        images.join(","),
        boxes.join(",")
    );
    std::fs::write(&labels, text).unwrap();
    (write(folder, "pictures", &members).1, labels)
}

/// All that a batch says.
fn said(batch: &Batch) -> String {
    let skipped: Vec<String> = batch.skipped().iter().map(|s| format!("{} {:?}", s.index, s.error)).collect();
    let targets: Vec<String> = ["boxes", "masks", "crop"]
        .iter()
        .filter_map(|name| batch.target(name))
        .map(|t| format!("{:?} {:?} {:?} {:?}", t.values().bytes(), t.shape(), t.mask(), t.classes()))
        .collect();
    let pieces: Vec<_> = (0..batch.len()).map(|k| batch.pieces(k)).collect();
    format!(
        "{:?}",
        (
            (batch.epoch(), batch.step(), batch.indices(), batch.labels(), batch.shape(), skipped, targets),
            (batch.placements(), pieces, batch.boxes(), batch.mask(), batch.box_classes(), batch.frame_ids()),
            batch.images().bytes(),
        )
    )
}

pub fn run(builder: Builder, epochs: u64) -> (Vec<String>, DecodedStats) {
    let mut loader = builder.build().unwrap();
    let mut all = Vec::new();
    for epoch in 0..epochs {
        all.extend(loader.epoch(epoch).unwrap().map(|batch| said(&batch.unwrap())));
    }
    (all, loader.stats().decoded)
}

pub fn open(path: &Path) -> Builder {
    Loader::open(path).unwrap().batch(6).workers(3).shuffle(7).tail(Tail::Uneven).on_broken(OnBroken::Replace)
}

pub fn recipes() -> Vec<Image> {
    let resampling = Resampling::Bilinear;
    let mut all = Vec::new();
    for image in [Image::new(9, 7), Image::new(4, 4), Image::new(40, 30)] {
        all.extend([
            image.clone(),
            image.clone().center_crop(9).vflip(),
            image.clone().pad([9, 8, 7]),
            image.clone().letterbox([114, 3, 5]),
            image.clone().random_crop(3),
            image.clone().random_resized_crop(),
        ]);
    }
    let changed = |image: Image| {
        image
            .augment(Augment::RandAugment { operations: 2, magnitude: 9, bins: 31, resampling })
            .augment(Augment::Rotation { probability: 0.5, degrees: (-90.0, 90.0), resampling })
            .jitter(Jitter { brightness: 0.4, contrast: 0.4, saturation: 0.4, hue: 0.1 })
            .grayscale(0.3)
            .blur(Blur { probability: 0.5, sigma: (0.1, 2.0) })
            .erase(Erase { probability: 0.5, scale: (0.02, 0.33), ratio: (0.3, 3.3), color: [1, 2, 3] })
    };
    all.push(changed(Image::new(12, 10).letterbox([1, 2, 3])));
    all.push(changed(Image::new(12, 10).random_resized_crop()));
    for resampling in [Resampling::Nearest, Resampling::BilinearPlain, Resampling::Bicubic, Resampling::Lanczos] {
        all.push(Image::new(8, 9).resampling(resampling));
        all.push(Image::new(8, 9).random_resized_crop().resampling(resampling));
    }
    all.into_iter().map(Image::hflip).collect()
}

#[test]
fn no_number_of_any_batch_is_another_with_a_cache() {
    let folder = Folder::new();
    let (path, _) = pictures(&folder);
    for (k, image) in recipes().into_iter().enumerate() {
        for (dtype, image) in
            [(Dtype::F32, image.clone().normalize(IMAGENET)), (Dtype::F16, image.clone()), (Dtype::U8, image)]
        {
            let ways = [k % 2 == 0, k % 2 == 1];
            for orient in ways.into_iter().take(rounds(2) as usize) {
                let build = || open(&path).image(image.clone()).dtype(dtype).orient(orient).labels("cls");
                let (plain, none) = run(build(), 3);
                assert_eq!(none, DecodedStats::default());
                let (kept, stats) = run(build().decoded_cache(DecodedCache::memory(1 << 30)), 3);
                assert!(plain == kept, "{k} {image:?} {dtype:?} {orient}");
                assert!(stats.hits > 0 && stats.evictions == 0 && stats.without_room == 0, "{stats:?}");
                // A part of them.
                let (kept, part) = run(build().decoded_cache(DecodedCache::memory(stats.bytes / 3)), 3);
                assert!(plain == kept, "{k} {image:?} {dtype:?} {orient}, a part");
                assert!(part.bytes <= stats.bytes / 3 && part.without_room > 0 && part.hits < stats.hits, "{part:?}");
                if dtype == Dtype::F32 {
                    let file = folder.at(&format!("kept-{k}-{orient}"));
                    let build = || build().decoded_cache(DecodedCache::file(&file, 1 << 30));
                    let (kept, first) = run(build(), 2);
                    assert!(plain[..kept.len()] == kept, "{k} {image:?} {orient}, a file");
                    let (kept, again) = run(build(), 3);
                    assert!(plain == kept, "{k} {image:?} {orient}, a file from before");
                    assert!(again.hits > first.hits && again.unwritten == 0, "{first:?} {again:?}");
                    std::fs::remove_file(&file).unwrap();
                }
            }
        }
    }
}

#[test]
fn mosaics_and_mixtures_are_the_same_of_pictures_that_were_kept() {
    let folder = Folder::new();
    let (path, labels) = pictures(&folder);
    let images = [
        Image::new(12, 10).letterbox([0; 3]).hflip(),
        Image::new(6, 5).random_resized_crop().vflip(),
        Image::new(30, 24).fit(Fit::OverlapBoxes { scale: (0.3, 1.0), ratio: (0.5, 2.0) }).keep_boxes(0.1, 1.0),
    ];
    let mixed = Mixing::Either { mixup: 0.4, cutmix: 1.0 };
    for (k, image) in images.into_iter().enumerate() {
        for (chance, mixing, more) in [(1.0, 0.0, false), (0.5, 0.5, false), (0.0, 1.0, true)] {
            let build = || {
                let of = |kind: &str| format!("{kind}:{}", labels.display());
                let builder = open(&path).image(image.clone()).annotations(labels.clone());
                let builder = builder.target("boxes", of("boxes/9")).target("masks", of("masks/2"));
                let builder = builder.mosaic(Mosaic::new().chance(chance).scale(0.2, 1.5)).mixed(mixed, mixing);
                match more {
                    true => builder.target("crop", Target::view(Image::new(6, 6).random_resized_crop())),
                    false => builder,
                }
            };
            let (plain, _) = run(build(), 3);
            let (kept, stats) = run(build().decoded_cache(DecodedCache::memory(1 << 30)), 3);
            assert!(plain == kept, "{k} {chance} {mixing}");
            assert!(stats.hits > stats.misses && stats.without_room == 0, "{stats:?}");
            let (kept, part) = run(build().decoded_cache(DecodedCache::memory(stats.bytes / 3)), 3);
            assert!(plain == kept && part.hits > 0 && part.hits < stats.hits, "{k} {chance} {mixing}, a part {part:?}");
            let file = folder.at(&format!("kept-{k}-{chance}"));
            let build = || build().decoded_cache(DecodedCache::file(&file, 1 << 30));
            let (_, first) = run(build(), 2);
            let (kept, again) = run(build(), 3);
            assert!(plain == kept && again.hits > first.hits, "{k} {chance} {mixing}, a file from before");
        }
    }
}

#[test]
fn boxes_and_targets_follow_pictures_that_were_kept() {
    let folder = Folder::new();
    let (path, labels) = pictures(&folder);
    let images = [
        Image::new(12, 10).letterbox([0; 3]).hflip(),
        Image::new(12, 10).random_resized_crop().hflip().keep_boxes(0.1, 1.0),
        Image::new(5, 4).fit(Fit::AroundBoxes),
        Image::new(5, 4).fit(Fit::OverlapBoxes { scale: (0.3, 1.0), ratio: (0.5, 2.0) }),
    ];
    for image in images {
        for more in [false, true] {
            let build = || {
                let of = |kind: &str| format!("{kind}:{}", labels.display());
                let builder = open(&path).image(image.clone()).annotations(labels.clone());
                let builder = builder.target("boxes", of("boxes/4")).target("masks", of("masks/2"));
                match more {
                    true => builder.target("crop", Target::view(Image::new(6, 6).random_resized_crop())),
                    false => builder,
                }
            };
            let (plain, _) = run(build(), 3);
            let (kept, stats) = run(build().decoded_cache(DecodedCache::memory(1 << 30)), 3);
            assert!(plain == kept && stats.hits > 0, "{image:?} {stats:?}");
        }
    }
    let prepared = |size, mode| {
        open(&path).warehouse_transform(Transform::new(Some(size), mode, 3)).annotations(labels.clone()).orient(true)
    };
    for (size, mode) in [([12, 10], ResizeMode::Letterbox), ([5, 6], ResizeMode::Force)] {
        let (plain, _) = run(prepared(size, mode), 3);
        let (kept, stats) = run(prepared(size, mode).decoded_cache(DecodedCache::memory(1 << 30)), 3);
        assert!(plain == kept && stats.hits > 60, "{stats:?}");
    }
    let groups = || open(&path).image(Image::new(9, 9).hflip()).groups(Groups::new(2, [(9, 9), (12, 6), (6, 12)]));
    let (plain, _) = run(groups(), 4);
    let (kept, stats) = run(groups().decoded_cache(DecodedCache::memory(1 << 30)), 4);
    assert!(plain == kept && stats.hits > 60, "{stats:?}");
}

#[test]
fn a_run_that_is_resumed_goes_on_the_same() {
    let folder = Folder::new();
    let (path, _) = pictures(&folder);
    let file = folder.at("kept");
    for image in [Image::new(9, 7).hflip(), Image::new(4, 4).random_resized_crop().hflip()] {
        let build = || open(&path).image(image.clone()).labels("cls");
        let (plain, _) = run(build(), 3);
        for steps in 0..plain.len() {
            let cached = || build().decoded_cache(DecodedCache::file(&file, 1 << 30));
            let mut loader = cached().build().unwrap();
            let mut all = Vec::new();
            while all.len() < steps {
                all.extend(loader.next_batch().unwrap().map(|batch| said(&batch)));
            }
            let state = loader.state();
            drop(loader);
            let mut loader = cached().workers(1).resume(state).build().unwrap();
            while all.len() < plain.len() {
                all.extend(loader.next_batch().unwrap().map(|batch| said(&batch)));
            }
            assert!(all == plain, "{steps} {image:?}");
        }
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn what_is_said_of_a_cache_adds_up() {
    let folder = Folder::new();
    let members: Vec<_> = (0..40).map(|i| (format!("{i:03}.bmp"), crate::common::bmp(20, i))).collect();
    let path = write(&folder, "alike", &members).1;
    let build = |bytes| {
        let image = Image::new(8, 8).hflip();
        open(&path).image(image).batch(4).decoded_cache(DecodedCache::memory(bytes))
    };
    let entry = 8 * 8 * 3 + 128;
    let mut loader = build(10 * entry).build().unwrap();
    for epoch in 0..5 {
        loader.epoch(epoch).unwrap().for_each(|batch| drop(batch.unwrap()));
    }
    loader.stop();
    let stats = loader.stats().decoded;
    assert_eq!((stats.entries, stats.bytes, stats.most_bytes, stats.samples), (10, 10 * entry, 10 * entry, 40));
    assert_eq!(stats.expected_hit_rate(), Some(0.25));
    assert_eq!(stats.misses - 10, stats.without_room);
    // A quarter of four epochs, and of what was made of the sixth before it was stopped.
    assert!((40..=48).contains(&stats.hits), "{stats:?}");
    let none = build(entry - 1).build().unwrap().stats().decoded;
    assert_eq!((none.expected_hit_rate(), none.hit_rate()), (None, 0.0));
}

#[test]
fn a_file_is_begun_anew_for_what_is_other_and_read_as_far_as_it_is_sound() {
    let folder = Folder::new();
    let (path, _) = pictures(&folder);
    let file = folder.at("kept");
    let build = |image: Image| open(&path).image(image.hflip()).decoded_cache(DecodedCache::file(&file, 1 << 30));
    let image = Image::new(9, 7);
    let entries = |image: &Image| build(image.clone()).build().unwrap().stats().decoded.entries;
    let (plain, _) = run(open(&path).image(image.clone().hflip()), 2);
    run(build(image.clone()), 1);
    let all = entries(&image);
    assert!(all > 30);
    // What comes behind the random part does not matter.
    assert_eq!(entries(&image.clone().grayscale(0.5).normalize(IMAGENET)), all);
    let sound = std::fs::read(&file).unwrap();
    // Loaders share it if they make the same of the same, and only then.
    let one = build(image.clone()).build().unwrap();
    assert_eq!(entries(&image), all);
    let e = build(Image::new(4, 4)).build().unwrap_err();
    assert_eq!(e.code().id(), "loader.settings");
    drop(one);
    // Every way in which it may end: cut off, or with other bytes.
    for k in 0..60 {
        let mut bytes = sound.clone();
        match k % 3 {
            0 => bytes.truncate(bytes.len() * k / 60),
            1 => bytes.iter_mut().skip(k * 37).step_by(2011).for_each(|byte| *byte ^= 0x55),
            _ => bytes[64 + k * 31..][..64].fill(0),
        }
        std::fs::write(&file, &bytes).unwrap();
        if bytes.len() >= 8 && !bytes.starts_with(b"FBDECOD1") {
            assert!(build(image.clone()).build().is_err());
            continue;
        }
        let (kept, stats) = run(build(image.clone()), 2);
        assert!(plain == kept, "{k} {stats:?}");
    }
    for other in [Image::new(9, 8), image.clone().letterbox([0; 3]), image.clone().resampling(Resampling::Lanczos)] {
        std::fs::write(&file, &sound).unwrap();
        assert_eq!(entries(&other), 0, "{other:?}");
    }
    std::fs::write(&file, &sound).unwrap();
    assert_eq!(
        open(&path)
            .image(image.clone())
            .exact(true)
            .decoded_cache(DecodedCache::file(&file, 1 << 30))
            .build()
            .unwrap()
            .stats()
            .decoded
            .entries,
        0
    );
    // Another dataset in the same place, and later.
    std::fs::write(&file, &sound).unwrap();
    let mut dataset = std::fs::read(&path).unwrap();
    let at = dataset.len() / 2;
    dataset[at] ^= 1;
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(&path, dataset).unwrap();
    assert_eq!(entries(&image), 0);
    // No other file is written over.
    std::fs::write(&file, b"something that is dear to somebody").unwrap();
    let e = build(image).build().unwrap_err();
    assert_eq!(e.code().id(), "loader.settings");
    assert_eq!(std::fs::read(&file).unwrap(), b"something that is dear to somebody");
}

#[test]
fn a_bound_holds_for_a_file_too_and_nothing_is_kept_where_nothing_is_decoded() {
    let folder = Folder::new();
    let (path, _) = pictures(&folder);
    let file = folder.at("kept");
    let build = || open(&path).image(Image::new(20, 20).hflip());
    let (plain, _) = run(build(), 2);
    for bound in [0, 100, 3000, 20_000] {
        let (kept, stats) = run(build().decoded_cache(DecodedCache::file(&file, bound)), 2);
        assert!(plain == kept);
        assert!(stats.bytes <= bound && std::fs::metadata(&file).unwrap().len() <= bound.max(64), "{bound} {stats:?}");
        std::fs::remove_file(&file).unwrap();
    }
    let e = open(&path).payloads().decoded_cache(DecodedCache::memory(1 << 20)).build().unwrap_err();
    assert_eq!(e.code().id(), "loader.settings");
}

#[test]
fn parts_of_a_dataset_share_a_file_in_whatever_order_they_are_opened() {
    let folder = Folder::new();
    let members: Vec<_> = (0..40).map(|i| (format!("{i:03}.bmp"), crate::common::bmp(20, i))).collect();
    let (path, file) = (write(&folder, "alike", &members).1, folder.at("kept"));
    let open = |split: Split| {
        let builder = Loader::open(&path).unwrap().batch(4).tail(Tail::Uneven).image(Image::new(8, 8));
        builder.split(split.by(SplitBy::Sample)).decoded_cache(DecodedCache::file(&file, 1 << 20)).build().unwrap()
    };
    let entries = |loader: &mut Loader| {
        loader.epoch(0).unwrap().for_each(|batch| drop(batch.unwrap()));
        loader.stop();
        let stats = loader.stats().decoded;
        assert_eq!(stats.without_room, 0, "{stats:?}");
        stats.entries
    };
    let (small, large) = (Split::validation(0.1, 1), Split::train(0.1, 1));
    let (mut first, mut second) = (open(small), open(large));
    assert_eq!((entries(&mut first), entries(&mut second)), (4, 40));
    drop((first, second));
    // Neither of them begins the file anew, whichever comes first.
    assert_eq!(open(large).stats().decoded.entries, 40);
    assert_eq!(open(small).stats().decoded.entries, 40);
}

#[test]
fn what_is_an_error_without_a_file_is_one_with_a_file_that_was_made_without_looking() {
    let folder = Folder::new();
    let members: Vec<_> = (0..8).map(|i| (format!("{i:03}.bmp"), crate::common::bmp(20, i))).collect();
    let (path, file) = (write(&folder, "alike", &members).1, folder.at("kept"));
    let payload = forebay_native::Dataset::open(&path).unwrap().info(3).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[payload.range().end as usize - 1] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let open = || {
        let builder = Loader::open(&path).unwrap().batch(8).image(Image::new(8, 8));
        builder.decoded_cache(DecodedCache::file(&file, 1 << 20))
    };
    let first = |builder: Builder| builder.build().unwrap().next_batch().map(|batch| batch.unwrap().len());
    assert_eq!(first(open().verify(false)).unwrap(), 8);
    assert_eq!(first(open()).unwrap_err().code().id(), "tbl.payload_crc");
    assert_eq!(first(open().verify(false)).unwrap(), 8);
    let mut small = Limits::host();
    small.pixels = 39;
    assert_eq!(first(open().verify(false).limits(small)).unwrap_err().code().id(), "image.pixels");
}
