//! burn's `Dataset` over the loader: the same samples, by number, from many threads.
#![cfg(feature = "burn")]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files")]

use std::fs;

use burn_dataset::Dataset as _;
use forebay::warehouse::{self, Shape};
use forebay_native::loader::{
    Dtype, IMAGENET, Image, Loader,
    burn::{Picture, Pictures},
};

use crate::{
    common::{self, Folder, tar},
    warehouses::{Made, made},
};

/// A bitmap of one color.
fn bmp(side: u32, color: u8) -> Vec<u8> {
    let row = (side * 3).next_multiple_of(4);
    let mut file = common::bmp(side, 1);
    file.truncate(54);
    file[22..26].copy_from_slice(&side.to_le_bytes());
    file.resize(54 + (row * side) as usize, color);
    file
}

fn archive(folder: &Folder) -> String {
    let mut members = Vec::new();
    for i in 0..20_u8 {
        members.push((format!("{i:02}.bmp"), bmp(4 + u32::from(i % 3), i * 10)));
        members.push((format!("{i:02}.cls"), format!("{}", i % 7).into_bytes()));
    }
    let path = folder.at("a.tar");
    fs::write(&path, tar(&members)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn every_sample_is_what_the_loader_makes_of_it_whichever_thread_asks() {
    let folder = Folder::new();
    let path = archive(&folder);
    let settings = || {
        let image = Image::new(5, 4).hflip().normalize(IMAGENET);
        Loader::open(&path).unwrap().filter("index >= 3").unwrap().image(image).labels("cls").shuffle(5).batch(1)
    };
    let mut pictures = Pictures::new(settings().build().unwrap()).unwrap();
    pictures.set_epoch(2);
    assert!(pictures.len() == 17 && pictures.get(17).is_err());
    let mut loader = settings().build().unwrap();
    let expected: Vec<Picture> = {
        let batches = loader.epoch(2).unwrap();
        let found = batches.map(|batch| {
            let batch = batch.unwrap();
            (batch.images().f32().unwrap().to_vec(), batch.labels()[0], batch.indices()[0])
        });
        let all: Vec<_> = found.collect();
        let made: Vec<Picture> = pictures.iter().map(|p| p.unwrap()).collect();
        for (picture, (values, label, index)) in made.iter().zip(&all) {
            assert_eq!((&picture.values, picture.label, picture.index), (values, *label, *index));
            assert_eq!(picture.shape, [3, 4, 5]);
            assert_eq!(picture.label, index.rem_euclid(7) as i64);
        }
        assert_eq!(made.len(), all.len());
        made
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!((0..17).all(|i| pictures.get(i).unwrap() == expected[i])));
        }
    });
}

#[test]
fn broken_samples_are_errors_that_do_not_end_the_dataset() {
    let folder = Folder::new();
    let path = folder.at("b.tar");
    let good = bmp(4, 9);
    fs::write(&path, tar(&[("0.bmp", &good[..]), ("1.bmp", &good[..60]), ("2.bmp", &good[..])])).unwrap();
    let loader = Loader::open(&path).unwrap().image(Image::new(2, 2)).build().unwrap();
    let all: Vec<_> = Pictures::new(loader).unwrap().iter().collect();
    assert_eq!(all.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    let said = all[1].as_ref().unwrap_err().to_string();
    assert!(said.contains("sample 1") && said.contains("[image.damaged]"), "{said}");
}

#[test]
fn loaders_of_anything_but_float_images_are_refused() {
    let folder = Folder::new();
    let path = archive(&folder);
    let open = || Loader::open(&path).unwrap();
    for builder in [open(), open().image(Image::new(4, 4)).dtype(Dtype::U8)] {
        assert_eq!(Pictures::new(builder.build().unwrap()).unwrap_err().code().id(), "loader.settings");
    }
}

#[test]
fn a_warehouse_gives_its_tensors_boxes_and_classes_and_nothing_is_decoded() {
    let folder = Folder::new();
    let (wide, small) = ([0.0, 0.25, 1.0, 0.5], [0.5, 0.5, 0.625, 0.625]);
    let boxes = [(wide, Some(1)), (small, None)];
    let samples: Vec<Made> = (0..7).map(|k| Made::new("a", 100 + k, &boxes[..k as usize % 3])).collect();
    let shape = Shape::new(4, 3, 2, warehouse::Dtype::F16).with_f32_boxes();
    let files = made(shape, &["cat", "dog"], &samples);
    files.0.iter().for_each(|(name, bytes)| fs::write(folder.at(name), bytes).unwrap());
    let pictures = Pictures::new(Loader::open(folder.path()).unwrap().build().unwrap()).unwrap();
    assert_eq!(pictures.len(), 7);
    for (k, picture) in pictures.iter().enumerate() {
        let picture = picture.unwrap();
        assert_eq!((picture.shape, picture.index, picture.frame_id), ([3, 3, 4], k as u64, 100 + k as u64));
        let level = |i: usize| (i as u8).wrapping_mul(37).wrapping_add(samples[k].seed);
        let levels: Vec<u8> = picture.values.iter().map(|value| (value * 255.0).round() as u8).collect();
        assert_eq!(levels, (0..36).map(level).collect::<Vec<_>>());
        assert_eq!((picture.boxes, picture.box_classes), (samples[k].boxes.clone(), [1, -1][..k % 3].to_vec()));
    }
    // From several threads the same.
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert!((0..7).all(|i| pictures.get(i).unwrap().boxes == samples[i].boxes)));
        }
    });
}
