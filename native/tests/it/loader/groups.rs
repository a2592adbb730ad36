//! Smart batching: batches of pictures of alike shape.

use forebay::order::Tail;
use forebay_native::loader::{Batch, Groups, Image, Loader};

use crate::{
    common::{Folder, bmp},
    loader::support::{members, write},
};

/// Pictures of 2 lines that are square, wide and very wide.
fn shapes(folder: &Folder) -> std::path::PathBuf {
    let mut all = members(90);
    for i in 0..90 {
        all[i * 3].1 = bmp([2, 4, 8][(i * 7 / 2) % 3], i as u32);
    }
    write(folder, "shapes", &all).1
}

fn builder(path: &std::path::Path, batch: u64, rank: u64, world: u64) -> forebay_native::loader::Builder {
    Loader::open(path)
        .unwrap()
        .batch(batch)
        .shuffle(9)
        .shard(rank, world)
        .tail(Tail::Uneven)
        .image(Image::new(9, 9))
        .groups(Groups::new(5, [(4, 4), (16, 4), (8, 4)]))
}

type Made = (Vec<u64>, Vec<usize>, Vec<u8>);

fn made(batch: &Batch) -> Made {
    (batch.indices().to_vec(), batch.shape().to_vec(), batch.images().bytes().to_vec())
}

#[test]
fn groups_hold_every_sample_once_and_mostly_their_own_shape() {
    let folder = Folder::new();
    let path = shapes(&folder);
    let dataset = forebay_native::Dataset::open(&path).unwrap();
    let mut loader = builder(&path, 4, 0, 1).build().unwrap();
    let mut seen = Vec::new();
    let (mut fitting, mut sizes) = (0, std::collections::BTreeSet::new());
    let mut widths = Vec::new();
    for batch in loader.epoch(0).unwrap() {
        let batch = batch.unwrap();
        assert_eq!((batch.shape()[0], batch.shape()[1], batch.shape()[2]), (batch.len(), 3, 4));
        assert_eq!(batch.images().len(), batch.shape().iter().product::<usize>());
        let width = batch.shape()[3] as u32;
        sizes.insert(width);
        widths.push(width);
        let shape = |i: &&u64| dataset.info(**i).unwrap().width * 2 == width;
        fitting += batch.indices().iter().filter(shape).count();
        seen.extend_from_slice(batch.indices());
    }
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..90));
    assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [4, 8, 16]);
    assert!(fitting >= 70, "{fitting} of 90");
    assert!(widths.windows(2).any(|w| w[0] > w[1]), "the steps of a window are shuffled: {widths:?}");
}

#[test]
fn ranks_agree_on_groups_and_resume_inside_them() {
    let folder = Folder::new();
    let path = shapes(&folder);
    let whole: Vec<Made> =
        builder(&path, 8, 0, 1).build().unwrap().epoch(2).unwrap().map(|b| made(&b.unwrap())).collect();
    assert_eq!(whole.len(), 12);
    for stop in [0, 3, 7] {
        let mut first = builder(&path, 8, 0, 1).build().unwrap();
        let mut batches = first.epoch(2).unwrap();
        (0..stop).for_each(|_| drop(batches.next().unwrap().unwrap()));
        let state = batches.loader().state();
        let ranks: Vec<Vec<Made>> = (0..2)
            .map(|rank| {
                let mut loader = builder(&path, 4, rank, 2).resume(state.clone()).build().unwrap();
                loader.epoch(2).unwrap().map(|b| made(&b.unwrap())).collect()
            })
            .collect();
        for (step, whole) in whole[stop..].iter().enumerate() {
            let (a, b) = (&ranks[0][step], &ranks[1][step]);
            assert_eq!([&a.0[..], &b.0[..]].concat(), whole.0);
            assert_eq!((&a.1[1..], &b.1[1..]), (&whole.1[1..], &whole.1[1..]), "one size for all ranks");
            assert_eq!([&a.2[..], &b.2[..]].concat(), whole.2);
        }
        let other = builder(&path, 8, 0, 1).groups(Groups::new(6, [(4, 4)])).resume(state.clone()).build();
        assert_eq!(other.unwrap_err().code().id(), "order.state_setting");
    }
    for groups in [Groups::new(0, [(4, 4)]), Groups::new(3, []), Groups::new(3, [(0, 4)])] {
        assert_eq!(builder(&path, 8, 0, 1).groups(groups).build().unwrap_err().code().id(), "loader.settings");
    }
}
