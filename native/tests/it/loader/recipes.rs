//! What `docs/loader.md` shows, carried out.

use forebay::{
    image::transform::{Layout, Mixing, Out},
    order::batch_key,
};
use forebay_native::loader::{Image, Loader};

use crate::{common::Folder, loader::support::table};

#[test]
fn pictures_grow_from_stage_to_stage() {
    let folder = Folder::new();
    let path = table(&folder, 40);
    for (size, epochs) in [(8, 0..2), (10, 2..3), (12, 3..5)] {
        let builder = Loader::open(&path).unwrap().filter(&format!("width >= {size}")).unwrap().batch(4).shuffle(42);
        let mut loader = builder.image(Image::new(size, size).random_resized_crop()).build().unwrap();
        for epoch in epochs {
            let batches: Vec<_> = loader.epoch(epoch).unwrap().map(Result::unwrap).collect();
            // Widths are 8 to 12 by turns.
            assert_eq!(batches.len() as u64, 8 * (13 - u64::from(size)) / 4);
            assert!(batches.iter().all(|b| b.epoch() == epoch && b.shape()[2..] == [size as usize; 2]));
        }
    }
}

#[test]
fn batches_are_mixed_in_their_own_memory_alike_on_every_run() {
    let folder = Folder::new();
    let path = table(&folder, 16);
    let run = || -> Vec<(Vec<f32>, Vec<f32>)> {
        let mut loader =
            Loader::open(&path).unwrap().batch(4).shuffle(42).labels("cls").image(Image::new(6, 6)).build().unwrap();
        let (order, mut scratch) = (loader.order().clone(), Vec::new());
        let mix = |batch: forebay::Result<forebay_native::loader::Batch>| {
            let mut batch = batch.unwrap();
            let (n, begins) = (batch.len(), order.epoch(0).unwrap().positions(batch.step(), 0).start);
            let mixing = Mixing::Either { mixup: 0.2, cutmix: 1.0 };
            let mixed = mixing.draw((6, 6), batch_key(42, 0, begins)).unwrap();
            let Out::F32(values) = batch.images_mut() else { panic!("floats are the default") };
            mixed.images(values, n, Layout::Nchw, &mut scratch).unwrap();
            (batch.images().f32().unwrap().to_vec(), mixed.labels(batch.labels(), 3).unwrap())
        };
        loader.epoch(0).unwrap().map(mix).collect()
    };
    let made = run();
    assert_eq!((made.len(), &made), (4, &run()));
    assert!(made.iter().all(|(_, soft)| soft.chunks(3).all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-6)));
}
