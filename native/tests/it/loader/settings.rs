//! Settings that contradict themselves or the machine, and what a user's function is told.

use std::sync::{Arc, Mutex};

use forebay::{
    Error,
    error::{Code, Kind, codes as common},
    image::{codes as image, transform::Out},
    order::Tail,
};
use forebay_native::{
    Dataset,
    input::Io,
    loader::{Dtype, Groups, IMAGENET, Image, Labels, Loader, OnBroken, Sample, State, Target, codes as loader},
};

use crate::{
    common::Folder,
    loader::support::{members, table, width, write},
};

#[test]
fn a_class_that_is_listed_twice_is_refused_by_name() {
    let folder = Folder::new();
    let path = table(&folder, 6);
    let labels = Labels::field("json.class").classes(["cat", "ant", "bee", "cat"]);
    let e = Loader::open(&path).unwrap().labels(labels).build().unwrap_err();
    assert_eq!(e.code().id(), "loader.settings");
    assert!(e.message().contains("\"cat\"") && e.message().contains("0 and 3"), "{e}");
}

#[test]
fn bytes_are_not_normalized_in_silence() {
    let folder = Folder::new();
    let path = table(&folder, 6);
    let open = || Loader::open(&path).unwrap().batch(6).dtype(Dtype::U8);
    let image = Image::new(4, 4).normalize(IMAGENET);
    for builder in [open().image(image.clone()), open().image(image.clone()).groups(Groups::new(2, [(4, 4), (8, 4)]))] {
        let e = builder.build().unwrap_err();
        assert!(e.code().id() == "loader.settings" && e.message().contains("normalize"), "{e}");
    }
    open().image(Image::new(4, 4)).build().unwrap();
    open().image(image).dtype(Dtype::F16).build().unwrap();
}

#[test]
fn a_batch_is_refused_by_the_memory_that_it_needs_and_not_by_its_number() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    let open = |batch, tail| Loader::open(&path).unwrap().batch(batch).tail(tail).image(Image::new(224, 224));
    // 6 TB and more, if all of it were filled.
    for batch in [10_000_000, 1 << 45] {
        assert_eq!(open(batch, Tail::Uneven).build().unwrap().next_batch().unwrap().unwrap().len(), 20);
        assert_eq!(open(batch, Tail::Drop).build().unwrap().steps(), 0);
        let e = open(batch, Tail::Pad).build().unwrap_err();
        assert_eq!(e.code().id(), "loader.settings", "{e}");
    }
    let e = Loader::open(&path).unwrap().made_by([1 << 40], |_, _| Ok(())).build().unwrap_err();
    assert_eq!(e.code().id(), "loader.settings", "{e}");
}

#[test]
fn epochs_without_a_batch_are_refused_unless_they_are_wanted() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    // The batch, the ranks, and whether all ranks get one.
    for (batch, world, fills) in [(20, 1, true), (21, 1, false), (10, 2, true), (5, 4, true), (5, 5, false)] {
        let open = || Loader::open(&path).unwrap().batch(batch).shard(0, world);
        let mut loader = open().build().unwrap();
        let looks = [loader.start().err(), loader.next_batch().err(), loader.epoch(0).err()];
        for e in looks {
            assert_eq!(e.is_none(), fills, "{batch} on {world}: {e:?}");
            let Some(e) = e else { continue };
            assert_eq!(e.code().id(), "loader.settings");
            assert!(e.message().contains("20 samples") && e.message().contains("a tail of pad"), "{e}");
        }
        let mut loader = open().allow_empty(true).build().unwrap();
        assert_eq!(loader.epoch(0).unwrap().count() > 0, fills);
        assert!(open().tail(Tail::Pad).build().unwrap().steps() > 0);
        assert!(open().tail(Tail::Uneven).build().unwrap().steps() > 0);
    }
}

#[test]
fn a_function_sees_name_metadata_and_label_of_its_sample() {
    let folder = Folder::new();
    let (archive, path) = write(&folder, "train", &members(12));
    for path in [archive, path] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let make = {
            let seen = seen.clone();
            move |sample: Sample<'_>, out: Out<'_>| {
                let (name, metadata) = (sample.name()?.unwrap(), sample.metadata()?.unwrap());
                seen.lock().unwrap().push((sample.index, sample.label, name, metadata["json"]["number"].clone()));
                if let Out::F32(values) = out {
                    values[0] = sample.label as f32;
                }
                Ok(())
            }
        };
        let builder = Loader::open(&path).unwrap().batch(12).workers(2).labels("cls").made_by([1], make);
        let batch = builder.build().unwrap().next_batch().unwrap().unwrap();
        assert!(batch.images().f32().unwrap().iter().zip(batch.labels()).all(|(a, b)| *a == *b as f32));
        let mut seen = std::mem::take(&mut *seen.lock().unwrap());
        seen.sort_by_key(|s| s.0);
        // The next epoch's first batch is made ahead.
        seen.dedup();
        assert_eq!(seen.len(), 12);
        for (i, (index, label, name, number)) in seen.into_iter().enumerate() {
            let i = i as u64;
            assert_eq!((index, label, number), (i, (i % 3) as i64, i.into()));
            assert!(name.contains(&format!("{i:04}")), "{name}");
        }
    }
}

#[test]
fn pictures_wait_for_memory_and_all_of_them_come() {
    let folder = Folder::new();
    let path = table(&folder, 60);
    let open = || Loader::open(&path).unwrap().batch(10).workers(6).shuffle(1).image(Image::new(9, 5)).labels("cls");
    let run = |mut loader: Loader| -> Vec<Vec<u8>> {
        loader.epoch(0).unwrap().map(|batch| batch.unwrap().images().bytes().to_vec()).collect()
    };
    let plain = run(open().build().unwrap());
    // Less than any picture has, so that each is decoded alone; about one; about three of them.
    let each = u64::from(width(0)) * 2 * 3;
    for bytes in [0, 1, each, 3 * each] {
        assert_eq!(run(open().decoded_bytes(bytes).build().unwrap()), plain, "{bytes} bytes");
    }
    // Stopping does not wait for what waits.
    let mut loader = open().decoded_bytes(1).build().unwrap();
    for _ in 0..20 {
        loader.start().unwrap();
        loader.stop();
    }
}

#[test]
fn a_state_of_groups_in_another_order_is_refused_and_others_go_on() {
    let folder = Folder::new();
    let path = table(&folder, 40);
    let open = |groups: bool| {
        let builder = Loader::open(&path).unwrap().batch(4).shuffle(1).image(Image::new(8, 2));
        if groups { builder.groups(Groups::new(3, [(8, 2), (12, 2)])) } else { builder }
    };
    let old = |groups: bool| -> State {
        let mut loader = open(groups).build().unwrap();
        loader.next_batch().unwrap();
        let mut state = serde_json::to_value(loader.state()).unwrap();
        assert_eq!(state["version"], 2);
        state.as_object_mut().unwrap().remove("version");
        serde_json::from_value(state).unwrap()
    };
    assert_eq!(open(false).resume(old(false)).build().unwrap().position().step, 1);
    assert_eq!(open(true).resume(old(true)).build().unwrap_err().code().id(), "order.state_version");
    let mut later = old(false);
    later.version = 3;
    assert_eq!(open(false).resume(later).build().unwrap_err().code().id(), "order.state_version");
}

#[test]
fn an_error_of_a_function_counts_by_its_kind() {
    let folder = Folder::new();
    let path = table(&folder, 12);
    let open = |code: &'static Code| {
        let make = move |sample: Sample<'_>, _: Out<'_>| match sample.index % 4 {
            0 => Err(Error::new(code, "said so")),
            _ => Ok(()),
        };
        Loader::open(&path)
            .unwrap()
            .batch(12)
            .made_by([1], make)
            .on_broken(OnBroken::Skip)
            .build()
            .unwrap()
            .next_batch()
    };
    for code in [&image::DAMAGED, &image::UNSUPPORTED, &image::PIXELS, &loader::LABEL, &loader::PANIC] {
        assert_eq!(open(code).unwrap().unwrap().len(), 9, "{}", code.id());
    }
    for code in [&common::IO, &common::ARGUMENT] {
        let e = open(code).unwrap_err();
        assert_eq!((e.code().id(), e.place().sample), (code.id(), Some(0)));
        assert!(matches!(e.kind(), Kind::Io | Kind::Usage));
    }
}

#[test]
fn samples_out_of_order_are_refused_and_none_is_left_out() {
    let folder = Folder::new();
    let paths = ["a", "b"].map(|name| write(&folder, name, &members(5)).1);
    let open = |samples: &[u64]| Loader::open_all(&paths).unwrap().samples(samples).batch(3).build();
    assert_eq!(open(&[0, 4, 9]).unwrap().next_batch().unwrap().unwrap().indices(), [0, 4, 9]);
    // The last of these would be looked for in the second file alone.
    for samples in [[0, 9, 4], [7, 2, 1], [8, 2, 9], [3, 3, 4]] {
        let e = open(&samples).unwrap_err();
        assert!(e.code().id() == "order.settings" && e.message().contains("rising order"), "{samples:?}: {e}");
    }
}

#[test]
fn a_setting_that_was_taken_back_is_not_refused() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    let open = || Loader::open(&path).unwrap().batch(5);
    open().allow_unproven(true).allow_unproven(false).allow_violations(true).allow_violations(false).build().unwrap();
    let e = open().allow_unproven(false).allow_unproven(true).build().unwrap_err();
    assert!(e.message().contains("`allow_unproven`"), "{e}");
}

#[test]
fn what_names_of_files_decide_is_refused_for_datasets_that_are_open() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    let open = || Loader::over([Dataset::open(&path).unwrap()]).unwrap().batch(5);
    open().verify(false).image(Image::new(4, 4)).build().unwrap();
    for (builder, said) in [
        (open().io(Io::Map), "`io`"),
        (open().class_level(1), "`class_level`"),
        (open().image(Image::new(4, 4)).target("boxes", Target::boxes("labels.json")), "Loader::open"),
        (open().image(Image::new(4, 4)).target("boxes", Target::boxes("").own()), "Loader::open"),
    ] {
        let e = builder.build().unwrap_err();
        assert!(e.code().id() == "loader.settings" && e.message().contains(said), "{e}");
    }
}

#[test]
fn settings_of_decoding_are_refused_where_nothing_is_decoded() {
    let folder = Folder::new();
    let path = table(&folder, 5);
    let open = || Loader::open(&path).unwrap().batch(5);
    let made = || open().made_by([1], |_, _| Ok(()));
    for (builder, name) in [
        (open().dtype(Dtype::U8), "dtype"),
        (open().orient(true), "orient"),
        (open().exact(true).payloads(), "exact"),
        (open().decoded_bytes(1 << 30), "decoded_bytes"),
        (made().orient(true), "orient"),
        (made().exact(true), "exact"),
    ] {
        let e = builder.build().unwrap_err();
        assert!(e.code().id() == "loader.idle" && e.message().contains(&format!("`{name}`")), "{e}");
    }
    made().dtype(Dtype::U8).orient(false).build().unwrap();
    // A view of the sample is decoded.
    let view = || open().target("view", Target::view(Image::new(3, 3)));
    view().dtype(Dtype::U8).orient(true).exact(true).decoded_bytes(1 << 30).build().unwrap();
}
