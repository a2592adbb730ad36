//! The loader against the order, resuming, and its states.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use forebay::order::{Shuffle, Tail};
use forebay_native::loader::{Builder, Image, Loader, Phase, State};
use proptest::{prelude::*, test_runner::Config};

use crate::{
    common::Folder,
    loader::support::{members, table, write},
};

/// What makes a batch: its samples, and every number that they became.
type Made = (Vec<u64>, Vec<u8>);

fn made(loader: &mut Loader, most: usize) -> Vec<Made> {
    let take =
        |loader: &mut Loader| loader.next_batch().unwrap().map(|b| (b.indices().to_vec(), b.images().bytes().to_vec()));
    (0..most).map_while(|_| take(loader)).collect()
}

fn crops(builder: Builder) -> Builder {
    builder.image(Image::new(4, 2).random_resized_crop().hflip())
}

proptest! {
    #![proptest_config(Config { cases: 60, failure_persistence: None, ..Config::default() })]

    #[test]
    fn ranks_together_take_every_sample_once_as_the_order_says(
        n in 1..40_u64, batch in 1..6_u64, world in 1..4_u64, workers in 1..5_usize, prefetch in 1..4_usize,
        tail in prop_oneof![Just(Tail::Drop), Just(Tail::Pad), Just(Tail::Uneven)], full: bool, epoch in 0..3_u64,
    ) {
        let folder = Folder::new();
        let path = table(&folder, n);
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        let mut steps = Vec::new();
        for rank in 0..world {
            let builder = Loader::open(&path).unwrap().batch(batch).workers(workers).prefetch(prefetch).tail(tail);
            let builder = if full { builder.shuffle(7) } else { builder.shuffle_blocks(7, 3, 2) };
            let mut loader = builder.shard(rank, world).allow_empty(true).build().unwrap();
            let order = loader.order().clone();
            prop_assert_eq!(order.settings().shuffle == Shuffle::Full, full);
            let batches: Vec<_> = loader.epoch(epoch).unwrap().map(Result::unwrap).collect();
            for batch in &batches {
                let items: Vec<_> = order.epoch(epoch).unwrap().batch(batch.step(), rank).collect();
                prop_assert_eq!(batch.items(), &items[..]);
                prop_assert!(items.iter().zip(batch.payloads()).all(|(i, p)| p[..] == members(n)[i.sample as usize * 3].1));
                items.iter().filter(|item| !item.padded).for_each(|item| *counts.entry(item.sample).or_default() += 1);
            }
            prop_assert_eq!(loader.steps(), batches.len() as u64);
            steps.push(batches.len());
        }
        prop_assert!(counts.values().all(|&count| count == 1));
        let (all, even) = (counts.len() as u64, steps.iter().all(|s| *s == steps[0]));
        match tail {
            Tail::Drop => prop_assert!(even && n - all < batch * world),
            Tail::Pad => prop_assert!(even && all == n),
            _ => prop_assert!(all == n),
        }
    }

    #[test]
    fn resuming_anywhere_gives_what_was_left(stop in 0..14_usize, workers in 1..4_usize, other in 1..4_usize) {
        let folder = Folder::new();
        let path = table(&folder, 30);
        let open = |workers| crops(Loader::open(&path).unwrap().batch(5).workers(workers).shuffle(3));
        let mut whole = open(workers).build().unwrap();
        let mut expected = made(&mut whole, 20); // the first epoch: 6 batches
        expected.extend(made(&mut whole, 20));
        expected.extend(made(&mut whole, 20));

        let mut loader = open(workers).build().unwrap();
        let mut before = Vec::new();
        while before.len() < stop {
            before.extend(made(&mut loader, stop - before.len()));
        }
        let text = serde_json::to_string(&loader.state()).unwrap();
        drop(loader);
        let state: State = serde_json::from_str(&text).unwrap();
        let mut loader = open(other).resume(state.clone()).build().unwrap();
        prop_assert_eq!(loader.state(), state);
        while before.len() < 18 {
            before.extend(made(&mut loader, 18 - before.len()));
        }
        prop_assert_eq!(before, expected);
    }
}

#[test]
fn resuming_on_another_number_of_ranks_gives_the_same_steps() {
    let folder = Folder::new();
    let path = table(&folder, 64);
    let open = |batch, rank, world| crops(Loader::open(&path).unwrap().batch(batch).shuffle(3).shard(rank, world));
    let all = made(&mut open(8, 0, 1).build().unwrap(), 10);
    let mut first = open(8, 0, 1).build().unwrap();
    made(&mut first, 3);
    let state = first.state();
    for world in [2, 4, 8] {
        let mut parts: Vec<_> = (0..world)
            .map(|r| made(&mut open(8 / world, r, world).resume(state.clone()).build().unwrap(), 10))
            .collect();
        for whole in &all[3..] {
            let step: Vec<Made> = parts.iter_mut().map(|part| part.remove(0)).collect();
            assert_eq!(step.iter().flat_map(|s| s.0.clone()).collect::<Vec<_>>(), whole.0);
            assert_eq!(step.iter().flat_map(|s| s.1.clone()).collect::<Vec<_>>(), whole.1, "the same crops too");
        }
    }
}

#[test]
fn a_state_is_refused_by_name_where_something_changed() {
    let folder = Folder::new();
    let path = table(&folder, 30);
    let other = write(&folder, "other", &members(31)).1;
    let open = || Loader::open(&path).unwrap().batch(5).shuffle(3).filter("width > 8").unwrap();
    let mut loader = open().build().unwrap();
    loader.next_batch().unwrap();
    let state = loader.state();
    open().resume(state.clone()).build().unwrap();
    let refused = |builder: Builder| builder.resume(state.clone()).build().unwrap_err().code().id();
    assert_eq!(refused(open().filter("width > 9").unwrap()), "order.state_filter");
    assert_eq!(refused(open().shuffle(4)), "order.state_setting");
    assert_eq!(refused(open().batch(6)), "order.state_setting");
    let replaced = || Loader::open(&other).unwrap().batch(5).shuffle(3).filter("width > 8").unwrap();
    assert_eq!(refused(replaced()), "order.state_file");
    // Another file with as many samples is told by where they lie.
    let mut longer = members(30);
    longer[2].1.push(b' ');
    longer[0].1.push(0);
    let path = write(&folder, "longer", &longer).1;
    let open = || Loader::open(&path).unwrap().batch(5).shuffle(3).filter("width > 8").unwrap();
    assert_eq!(refused(open()), "order.state_file");
}

#[test]
fn states_follow_each_other() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    let mut loader = crops(Loader::open(&path).unwrap().batch(5).shuffle(1)).build().unwrap();
    let expected = made(&mut crops(Loader::open(&path).unwrap().batch(5).shuffle(1)).build().unwrap(), 4);
    assert_eq!(loader.phase(), Phase::Idle);
    loader.start().unwrap();
    assert_eq!(loader.phase(), Phase::Running);
    assert_eq!(made(&mut loader, 2), expected[..2]);
    loader.stop();
    assert_eq!(loader.phase(), Phase::Stopped);
    assert_eq!(loader.next_batch().unwrap_err().code().id(), "loader.stopped");
    loader.start().unwrap();
    assert_eq!(made(&mut loader, 1), expected[2..3], "it goes on where it was");
    loader.reset();
    assert_eq!((loader.phase(), loader.state().order.step), (Phase::Idle, 0));
    assert_eq!(made(&mut loader, 10), expected, "it begins again");
    assert_eq!((loader.phase(), loader.position().epoch), (Phase::Idle, 1));
    assert_ne!(made(&mut loader, 10), expected, "the next epoch is another");
    // Whoever breaks off an epoch can ask for it again, or for another.
    for _ in 0..3 {
        let first = loader.epoch(0).unwrap().next().unwrap().unwrap();
        assert_eq!(first.indices(), expected[0].0);
        assert_eq!(loader.epoch(7).unwrap().next().unwrap().unwrap().epoch(), 7);
    }
    let batches = loader.epoch(2).unwrap();
    assert_eq!(batches.size_hint(), (1, Some(4)));
    assert_eq!(batches.count(), 4);
}

#[test]
fn a_resumed_epoch_gives_what_is_left_once() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    let open = || Loader::open(&path).unwrap().batch(5).shuffle(1);
    let mut loader = open().build().unwrap();
    let mut batches = loader.epoch(3).unwrap();
    batches.nth(2).unwrap().unwrap();
    let state = batches.loader().state();
    assert_eq!((state.order.epoch, state.order.step), (3, 3));
    let mut loader = open().resume(state.clone()).build().unwrap();
    assert_eq!(loader.epoch(3).unwrap().count(), 1);
    assert_eq!(loader.epoch(3).unwrap().count(), 4);
    let mut loader = open().resume(state).build().unwrap();
    assert_eq!(loader.epoch(5).unwrap().count(), 4);
}

#[test]
fn settings_without_sense_are_refused() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    let open = || Loader::open(&path).unwrap();
    for builder in [
        open().workers(0),
        open().workers(1_000_000_000),
        open().prefetch(0),
        open().shard(2, 2),
        open().batch(1 << 40).tail(Tail::Pad).image(Image::new(224, 224)),
        open().made_by(vec![usize::MAX, 3], |_, _| Ok(())),
        open().labels("not a path"),
    ] {
        let e = builder.build().unwrap_err();
        assert_eq!(e.kind(), forebay::error::Kind::Usage, "{e}");
    }
    assert_eq!(open().batch(0).build().unwrap_err().code().id(), "order.settings");
    assert_eq!(open().image(Image::new(0, 5)).build().unwrap_err().code().id(), "image.recipe");
    assert_eq!(Loader::open(folder.at("absent.tbl")).unwrap_err().code().id(), "io");
    assert!(Loader::open(&path).unwrap().filter("width >").is_err());
    assert_eq!(Loader::open_all(Vec::<std::path::PathBuf>::new()).unwrap_err().code().id(), "usage.argument");
}

#[test]
fn the_next_epochs_first_batches_are_made_while_the_last_ones_are_looked_at() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    let (made, count) = (Arc::new(Mutex::new(Vec::new())), |made: &Mutex<Vec<u64>>| made.lock().unwrap().len());
    let seen = made.clone();
    let builder = Loader::open(&path).unwrap().batch(5).workers(2).prefetch(2).shuffle(1);
    let builder = builder.made_by([1], move |sample, _| {
        seen.lock().unwrap().push(sample.index);
        Ok(())
    });
    let mut loader = builder.build().unwrap();
    let epochs = 3;
    for epoch in 0..epochs {
        let batches: Vec<_> = loader.epoch(epoch).unwrap().map(Result::unwrap).collect();
        assert!(batches.iter().all(|batch| batch.epoch() == epoch));
        assert_eq!(batches.iter().map(|b| b.step()).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!((loader.state().order.epoch, loader.state().order.step), (epoch + 1, 0));
        // Two batches of the next epoch are on their way, and no more.
        let wanted = (epoch as usize + 1) * 20 + 10;
        (0..5000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            count(&made) == wanted
        });
        assert_eq!(count(&made), wanted, "nothing is made twice");
    }
    // Another epoch than the next one is made from its beginning.
    assert_eq!(loader.epoch(9).unwrap().map(|batch| batch.unwrap().epoch()).collect::<Vec<_>>(), [9; 4]);
    assert_eq!(loader.epoch(9).unwrap().count(), 4);
}

#[test]
fn a_run_over_epochs_without_end_looks_no_further_than_the_next_one() {
    let folder = Folder::new();
    let path = table(&folder, 3);
    for (rank, world, batches) in [(0, 1, 1), (0, 5, 1), (4, 5, 0)] {
        // Some ranks have nothing at all.
        let builder = Loader::open(&path).unwrap().batch(8).prefetch(50).tail(Tail::Uneven).shard(rank, world);
        let mut loader = builder.build().unwrap();
        for epoch in 0..5 {
            for _ in 0..batches {
                assert_eq!(loader.next_batch().unwrap().unwrap().epoch(), epoch);
            }
            assert!(loader.next_batch().unwrap().is_none());
            assert_eq!(loader.position().epoch, epoch + 1);
        }
        assert_eq!(loader.epoch(u64::MAX).unwrap().count(), batches);
        assert_eq!(loader.position().epoch, u64::MAX);
    }
}
