//! Settings and datasets at the ends of what is possible.

use forebay::order::Tail;
use forebay_native::{
    Dataset,
    input::Io,
    loader::{Image, Loader, OnBroken, Phase, Rows},
    plan::{Plan, Run},
};

use crate::{
    common::Folder,
    loader::support::{members, table, write},
};

#[test]
fn a_batch_has_no_more_memory_than_its_samples_need() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    // 240 GB, if all of it were filled.
    let open = |tail| Loader::open(&path).unwrap().batch(400_000).tail(tail).image(Image::new(224, 224));
    assert_eq!(open(Tail::Uneven).build().unwrap().next_batch().unwrap().unwrap().len(), 20);
    assert!(open(Tail::Drop).allow_empty(true).build().unwrap().next_batch().unwrap().is_none());
    assert_eq!(open(Tail::Uneven).shard(2, 3).build().unwrap().next_batch().unwrap().unwrap().len(), 6);
    // Padded it is filled, and no machine of today has room for that many of these.
    let e = open(Tail::Pad).prefetch(5000).workers(1).build().unwrap_err();
    assert_eq!(e.code().id(), "loader.settings", "{e}");
}

#[test]
fn a_queue_has_no_more_room_than_makes_sense() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    for (batch, prefetch) in [(1 << 40, 2), (2, usize::MAX), (1, 1 << 50), (1 << 52, usize::MAX)] {
        let mut loader =
            Loader::open(&path).unwrap().batch(batch).prefetch(prefetch).tail(Tail::Uneven).build().unwrap();
        let seen: usize = loader.epoch(0).unwrap().map(|batch| batch.unwrap().len()).sum();
        assert_eq!(seen, 5, "batches of {batch}, {prefetch} ahead");
    }
}

#[test]
fn more_tasks_than_the_queue_holds_are_handed_out_all_the_same() {
    let folder = Folder::new();
    let path = table(&folder, 50);
    let open = || Loader::open(&path).unwrap().batch(100_000).tail(Tail::Pad).workers(2).prefetch(2);
    let mut loader = open().build().unwrap();
    assert_eq!(loader.next_batch().unwrap().unwrap().len(), 100_000);
    loader.start().unwrap();
    drop(loader);
    assert_eq!(open().image(Image::new(2, 2)).build().unwrap().next_batch().unwrap().unwrap().len(), 100_000);
}

#[test]
fn nothing_selected_is_an_epoch_without_batches() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    for tail in [Tail::Drop, Tail::Pad, Tail::Uneven] {
        let builder = Loader::open(&path).unwrap().filter("width > 1000").unwrap().tail(tail).image(Image::new(4, 4));
        let mut loader = builder.allow_empty(true).build().unwrap();
        assert_eq!((loader.steps(), loader.epoch(u64::MAX).unwrap().count()), (0, 0));
        assert!(loader.next_batch().unwrap().is_none() && loader.state().order.step == 0);
    }
}

#[test]
fn a_filter_that_selects_nothing_or_names_what_no_sample_has_is_no_training_run() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    let refused = |text: &str| Loader::open(&path).unwrap().filter(text).unwrap().build().unwrap_err();
    let e = refused("width > 1000");
    assert!(e.code().id() == "loader.settings" && e.message().contains("selects no sample"), "{e}");
    assert_eq!(refused("clas == 3").code().id(), "filter.field");
    let e = Loader::open(&path).unwrap().filter("clas == 3").unwrap().allow_empty(true).build().unwrap_err();
    assert_eq!(e.code().id(), "filter.field", "a slip is none that emptiness excuses");
}

#[test]
fn a_folder_without_pictures_is_refused_and_says_what_opens_shards() {
    let folder = Folder::new();
    let shards = folder.at("shards");
    std::fs::create_dir_all(&shards).unwrap();
    let e = Loader::open(&shards).unwrap().build().unwrap_err();
    assert!(e.code().id() == "format.not_samples" && e.message().contains("no images"), "{e}");
    let whole = table(&folder, 5);
    for name in ["a.tbl", "b.tbl"] {
        std::fs::copy(&whole, shards.join(name)).unwrap();
    }
    let e = Loader::open(&shards).unwrap().build().unwrap_err();
    assert!(e.code().id() == "format.not_samples" && e.message().contains("*.tbl"), "{e}");
    assert_eq!(Loader::open(shards.join("*.tbl")).unwrap().build().unwrap().order().epoch_samples(), 10);
}

#[test]
fn asking_for_an_epoch_starts_a_stopped_loader_that_was_resumed_too() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    let open = || Loader::open(&path).unwrap().batch(5).shuffle(1);
    let mut loader = open().build().unwrap();
    loader.next_batch().unwrap();
    let mut loader = open().resume(loader.state()).build().unwrap();
    loader.stop();
    assert_eq!(loader.phase(), Phase::Stopped);
    assert_eq!(loader.epoch(0).unwrap().map(Result::unwrap).count(), 3);
    loader.stop();
    assert_eq!(loader.epoch(0).unwrap().map(Result::unwrap).count(), 4);
}

#[test]
fn a_panic_whose_message_panics_too_ends_no_thread() {
    struct Twice;
    impl Drop for Twice {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "again");
        }
    }
    let folder = Folder::new();
    let path = table(&folder, 20);
    let make = |sample: forebay_native::loader::Sample<'_>, _: forebay::image::transform::Out<'_>| {
        if sample.index.is_multiple_of(2) {
            std::panic::panic_any(Twice);
        }
        Ok(())
    };
    let builder = Loader::open(&path).unwrap().batch(5).workers(2).made_by([1], make).on_broken(OnBroken::Skip);
    let sizes: Vec<usize> = builder.build().unwrap().epoch(0).unwrap().map(|batch| batch.unwrap().len()).collect();
    assert_eq!(sizes, [2, 3, 2, 3]);
}

#[test]
fn a_file_that_was_written_again_in_the_same_layout_is_another() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let mut other = members(40);
    other.iter_mut().filter(|(name, _)| name.ends_with("bmp")).for_each(|(_, bytes)| *bytes.last_mut().unwrap() ^= 1);
    let (first, second) = (write(&folder, "train", &members(40)), write(&elsewhere, "train", &other));
    for (path, changed) in [(first.0, second.0), (first.1, second.1)] {
        assert_eq!(std::fs::metadata(&path).unwrap().len(), std::fs::metadata(&changed).unwrap().len());
        let open = |io| Loader::open(&path).unwrap().batch(5).io(io);
        let state = open(Io::Map).build().unwrap().state();
        open(Io::Read).resume(state.clone()).build().unwrap();
        std::fs::rename(&changed, &path).unwrap();
        let e = open(Io::Map).resume(state).build().unwrap_err();
        assert_eq!(e.code().id(), "order.state_file", "{e}");
    }
}

#[test]
fn a_tbl_in_which_only_one_label_changed_is_another_wherever_that_sample_lies() {
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let (_, path) = write(&folder, "train", &members(40));
    let state = Loader::open(&path).unwrap().batch(5).build().unwrap().state();
    for changed in [0, 1, 20, 38] {
        let mut other = members(40);
        other[changed * 3 + 1].1 = b"7".to_vec();
        let (_, second) = write(&elsewhere, "train", &other);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), std::fs::metadata(&second).unwrap().len());
        let e = Loader::open(&second).unwrap().batch(5).resume(state.clone()).build().unwrap_err();
        assert_eq!(e.code().id(), "order.state_file", "sample {changed}: {e}");
        std::fs::remove_file(second).unwrap();
    }
    // Written again with nothing changed, it is the same.
    let (_, again) = write(&elsewhere, "train", &members(40));
    Loader::open(&again).unwrap().batch(5).resume(state).build().unwrap();
}

#[test]
fn batches_of_more_samples_than_memory_can_list_are_refused() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    // They are filled again and again from the beginning.
    let open = |batch| Loader::open(&path).unwrap().batch(batch).tail(Tail::Pad);
    let csv = folder.at("rows.csv");
    std::fs::write(&csv, "n\n1\n2\n").unwrap();
    let rows = |batch| Rows::open(&csv).unwrap().batch(batch).tail(Tail::Pad);
    for batch in [1 << 40, 1 << 52] {
        assert_eq!(open(batch).build().unwrap_err().code().id(), "loader.settings");
        assert_eq!(open(batch).made_by([1], |_, _| Ok(())).build().unwrap_err().code().id(), "loader.settings");
        assert_eq!(rows(batch).build().unwrap_err().code().id(), "loader.settings");
    }
    let listed = |batch| {
        let mut run = Run::new(2, batch);
        run.tail = Tail::Pad;
        let plan = Plan::new(vec![Dataset::open(&path).unwrap()], None, &run).unwrap();
        plan.batches(0, 1, 0..1).map(|mut batches| batches.next().unwrap().indices.len())
    };
    assert_eq!(listed(1 << 40).unwrap_err().code().id(), "usage.argument");
    assert_eq!(listed(1000).unwrap(), 1000);
    assert_eq!(open(50_000).build().unwrap().next_batch().unwrap().unwrap().len(), 50_000);
    assert_eq!(rows(50_000).build().unwrap().next_batch().unwrap().len(), 50_000);
}

#[test]
fn the_last_epoch_that_can_be_counted_comes_as_often_as_it_is_asked_for() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    let open = || Loader::open(&path).unwrap().batch(5).shuffle(1);
    let mut loader = open().build().unwrap();
    for _ in 0..3 {
        assert_eq!(loader.epoch(u64::MAX).unwrap().map(Result::unwrap).count(), 4);
        assert!(loader.next_batch().unwrap().is_none(), "nothing is behind it");
    }
    let state = loader.state();
    assert_eq!((state.order.epoch, state.order.step), (u64::MAX, 4), "it is done");
    assert_eq!(open().resume(state).build().unwrap().epoch(u64::MAX).unwrap().count(), 0);
}
