//! Broken samples, panics, files that change underneath.

use std::{fs::OpenOptions, path::Path};

use forebay::{error::Kind, image::transform::Out, order::Tail};
use forebay_native::{
    input::Io,
    loader::{Builder, Image, Labels, Loader, OnBroken},
    tables::{TableFormat, TableJob},
};

use crate::{
    common::Folder,
    loader::support::{members, table, write},
};

/// Payloads that are pictures by name only.
fn hostile() -> Vec<Vec<u8>> {
    let huge = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xdc\0\0\xff\xdc\x08\x02\0\0\0abcd".to_vec();
    let mut claims = crate::common::bmp(8, 1);
    claims[18..22].copy_from_slice(&65_500_u32.to_le_bytes());
    claims[22..26].copy_from_slice(&65_500_u32.to_le_bytes());
    let mut cut = crate::common::bmp(8, 1);
    cut.truncate(70);
    let jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08\xff\xdc\xff\xdc\x03\x01\x22\0\x02\x11\x01\x03\x11\x01\xff\xda".to_vec();
    vec![huge, claims, cut, jpeg, Vec::new(), b"no picture".to_vec()]
}

/// A TBL of `n` samples of which every third of the first ones is broken; gives their numbers too.
fn broken(folder: &Folder, n: u64) -> (std::path::PathBuf, Vec<u64>) {
    let mut all = members(n);
    let mut numbers = Vec::new();
    for (k, bytes) in hostile().into_iter().enumerate() {
        all[k * 3 * 3].1 = bytes;
        numbers.push(k as u64 * 3);
    }
    (write(folder, "broken", &all).1, numbers)
}

fn open(path: &Path) -> Builder {
    Loader::open(path).unwrap().batch(10).workers(2).image(Image::new(4, 4)).labels("cls")
}

#[test]
fn broken_samples_are_errors_that_name_them() {
    let folder = Folder::new();
    let (path, numbers) = broken(&folder, 40);
    let mut loader = open(&path).build().unwrap();
    let mut seen = Vec::new();
    for (step, batch) in loader.epoch(0).unwrap().enumerate() {
        match batch {
            Ok(batch) => assert_eq!((batch.step(), batch.len()), (step as u64, 10)),
            Err(e) => {
                assert!(matches!(e.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported), "{e}");
                assert_eq!(e.place().file.as_deref(), path.to_str());
                seen.push(e.place().sample.unwrap());
            }
        }
    }
    assert_eq!(seen, [0, 12], "the first of each batch");
    assert!(numbers.contains(&12));
    // A saved state stands before a batch that was an error.
    let mut loader = open(&path).build().unwrap();
    loader.next_batch().unwrap_err();
    assert_eq!((loader.state().order.step, loader.position().step), (0, 1));
    loader.next_batch().unwrap_err();
    loader.next_batch().unwrap();
    assert_eq!(loader.state().order.step, 3);
}

#[test]
fn skipped_samples_leave_smaller_batches_and_are_counted() {
    let folder = Folder::new();
    let (path, numbers) = broken(&folder, 40);
    let good = write(&folder, "good", &members(40)).1;
    let mut loader = open(&path).on_broken(OnBroken::Skip).build().unwrap();
    let whole: Vec<_> = open(&good).build().unwrap().epoch(0).unwrap().map(Result::unwrap).collect();
    let mut skipped = Vec::new();
    for (batch, whole) in loader.epoch(0).unwrap().zip(&whole) {
        let batch = batch.unwrap();
        let kept: Vec<u64> = whole.indices().iter().copied().filter(|i| !numbers.contains(i)).collect();
        assert_eq!((batch.indices(), batch.shape()[0]), (&kept[..], kept.len()));
        for (i, values) in kept.iter().zip(batch.images().f32().unwrap().chunks(48)) {
            let place = whole.indices().iter().position(|k| k == i).unwrap();
            assert_eq!(values, &whole.images().f32().unwrap()[place * 48..][..48], "numbers move with their sample");
            assert_eq!(batch.labels()[kept.iter().position(|k| k == i).unwrap()], (i % 3) as i64);
        }
        assert!(batch.skipped().iter().all(|s| s.replaced_by.is_none() && s.error.place().sample == Some(s.index)));
        skipped.extend(batch.skipped().iter().map(|s| s.index));
    }
    assert_eq!(skipped, numbers);
    assert_eq!((loader.skipped(), loader.state().skipped), (6, 6));
    let state = loader.state();
    let loader = open(&path).on_broken(OnBroken::Skip).resume(state).build().unwrap();
    assert_eq!(loader.skipped(), 6, "the count goes on");
}

#[test]
fn an_epoch_has_no_more_broken_samples_than_are_allowed() {
    let folder = Folder::new();
    // Those of the first batch are 0, 3, 6 and 9; of the second 12 and 15.
    let (path, numbers) = broken(&folder, 40);
    for most in 0..8 {
        for policy in [OnBroken::Skip, OnBroken::Replace] {
            let mut loader = open(&path).on_broken(policy).max_broken(most).build().unwrap();
            for epoch in 0..2 {
                let found: Vec<_> = loader.epoch(epoch).unwrap().collect();
                let wrong: Vec<u64> = found.iter().filter_map(|batch| batch.as_ref().err()?.place().sample).collect();
                let at = |k: u64| numbers.get(usize::try_from(k).unwrap()).copied();
                // Of each batch the first that is one too many.
                let wanted = if most < 4 { vec![at(most), at(4)] } else { vec![at(most)] };
                assert_eq!(wrong, wanted.into_iter().flatten().collect::<Vec<_>>(), "{most} in epoch {epoch}");
                assert_eq!(found.len(), 4);
            }
        }
    }
    let e = open(&path).max_broken(1).build().unwrap_err();
    assert!(e.code().id() == "loader.idle" && e.message().contains("`max_broken`"), "{e}");
}

#[test]
fn a_batch_of_nothing_but_broken_samples_is_empty() {
    let folder = Folder::new();
    let all: Vec<_> = members(4)
        .into_iter()
        .map(|(name, content)| (name.clone(), if name.ends_with("bmp") { vec![1] } else { content }))
        .collect();
    let path = write(&folder, "bad", &all).1;
    let mut loader = open(&path).batch(2).on_broken(OnBroken::Skip).build().unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    assert!(batch.is_empty() && batch.images().is_empty() && batch.skipped().len() == 2);
    assert_eq!(batch.shape(), [0, 3, 4, 4]);
    // If nothing can stand in, replacing is an error.
    let mut loader = open(&path).batch(2).on_broken(OnBroken::Replace).build().unwrap();
    assert_eq!(loader.next_batch().unwrap_err().code().id(), "image.unsupported");
}

#[test]
fn replaced_samples_are_the_next_good_ones_whatever_the_threads_do() {
    let folder = Folder::new();
    let (path, numbers) = broken(&folder, 40);
    let run = |workers| -> Vec<(Vec<u64>, Vec<i64>, Vec<u8>)> {
        let builder = open(&path).shuffle(5).workers(workers).tail(Tail::Pad).on_broken(OnBroken::Replace);
        let mut loader = builder.image(Image::new(4, 4).random_resized_crop()).build().unwrap();
        let order = loader.order().clone();
        let batches = loader.epoch(0).unwrap().map(|batch| {
            let batch = batch.unwrap();
            assert_eq!(batch.len(), 10);
            for skipped in batch.skipped() {
                let epoch = order.epoch(0).unwrap();
                let expected =
                    (1..).map(|k| epoch.item(skipped.position + k).unwrap().index).find(|i| !numbers.contains(i));
                assert_eq!(skipped.replaced_by, expected);
                assert!(batch.indices().contains(&expected.unwrap()));
            }
            assert!(batch.indices().iter().zip(batch.labels()).all(|(i, label)| *label == (i % 3) as i64));
            (batch.indices().to_vec(), batch.labels().to_vec(), batch.images().bytes().to_vec())
        });
        let batches = batches.collect();
        assert_eq!(loader.skipped(), 6);
        batches
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn a_damaged_payload_is_found_by_its_checksum_unless_told_otherwise() {
    let folder = Folder::new();
    let path = table(&folder, 10);
    let info = forebay_native::Dataset::open(&path).unwrap().info(3).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[info.range().end as usize - 1] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let e = open(&path).build().unwrap().next_batch().unwrap_err();
    assert_eq!((e.code().id(), e.place().sample), ("tbl.payload_crc", Some(3)));
    for io in [Io::Map, Io::Read] {
        assert_eq!(open(&path).verify(false).io(io).build().unwrap().next_batch().unwrap().unwrap().len(), 10);
    }
}

#[test]
fn a_panic_is_an_error_and_the_loader_goes_on() {
    let folder = Folder::new();
    let path = table(&folder, 40);
    let open = || {
        Loader::open(&path).unwrap().batch(10).workers(2).made_by([1], |sample, out| {
            assert!(sample.index != 13, "the thirteenth");
            let Out::F32(out) = out else { return Ok(()) };
            out[0] = sample.index as f32;
            Ok(())
        })
    };
    let mut loader = open().build().unwrap();
    let outcomes: Vec<_> = loader.epoch(0).unwrap().collect();
    assert_eq!(outcomes.len(), 4);
    let e = outcomes[1].as_ref().unwrap_err();
    assert_eq!((e.code().id(), e.place().sample), ("loader.panic", Some(13)));
    assert!(e.message().contains("the thirteenth"), "{e}");
    assert!(outcomes.iter().enumerate().all(|(i, outcome)| (i == 1) == outcome.is_err()));
    let batch = open().on_broken(OnBroken::Skip).build().unwrap().epoch(0).unwrap().nth(1).unwrap().unwrap();
    assert_eq!((batch.len(), batch.skipped()[0].index), (9, 13));
    assert_eq!(batch.images().f32().unwrap(), [10.0, 11.0, 12.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0]);
}

#[test]
fn reading_piece_by_piece_gives_the_same_and_a_shortened_file_is_an_error() {
    let folder = Folder::new();
    let (archive, table) = write(&folder, "train", &members(40));
    for path in [archive, table] {
        let mapped: Vec<_> = open(&path).build().unwrap().epoch(0).unwrap().map(Result::unwrap).collect();
        let mut loader = open(&path).io(Io::Read).build().unwrap();
        for (read, mapped) in loader.epoch(0).unwrap().zip(&mapped) {
            let read = read.unwrap();
            assert_eq!((read.images(), read.labels()), (mapped.images(), mapped.labels()));
            assert_eq!(read.metadata().unwrap(), mapped.metadata().unwrap());
        }
        drop(mapped); // Nothing maps the file from here on.
        let mut loader = open(&path).io(Io::Read).prefetch(1).on_broken(OnBroken::Skip).build().unwrap();
        loader.next_batch().unwrap().unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(100).unwrap();
        let e = loader.epoch(0).unwrap().find_map(Result::err).unwrap();
        assert_eq!(e.kind(), Kind::Io, "{e}");
        assert!(e.message().contains("shorter"), "{e}");
        assert_eq!(e.place().file.as_deref(), path.to_str());
    }
}

#[test]
fn a_file_that_is_emptied_at_any_moment_is_an_error_and_not_the_end_of_the_process() {
    let folder = Folder::new();
    let (archive, table) = write(&folder, "whole", &members(400));
    let path = folder.at("cut");
    for (round, source) in [archive, table].iter().cycle().take(20).enumerate() {
        std::fs::copy(source, &path).unwrap();
        // As a loader is by default: with metadata, read-ahead and skipping.
        let mut loader = open(&path).on_broken(OnBroken::Skip).build().unwrap();
        let mut batches = loader.epoch(0).unwrap();
        (0..round % 5).for_each(|_| drop(batches.next().unwrap().unwrap()));
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        let cut = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_micros(round as u64 * 50));
            file.set_len(0).unwrap();
        });
        let errors: Vec<_> = batches.filter_map(Result::err).collect();
        cut.join().unwrap();
        assert!(errors.iter().all(|e| e.kind() == Kind::Io && e.message().contains("shorter")), "{errors:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_mapped_file_that_became_shorter_is_noticed_before_the_next_batch() {
    let folder = Folder::new();
    let path = table(&folder, 40);
    let mut loader = open(&path).io(Io::Map).prefetch(1).workers(1).build().unwrap();
    let mut batches = loader.epoch(0).unwrap();
    batches.next().unwrap().unwrap();
    // Renaming another file over it leaves the mapped one whole.
    let other = write(&folder, "other", &members(3)).1;
    let kept = folder.at("kept.tbl");
    std::fs::rename(&path, &kept).unwrap();
    std::fs::rename(&other, &path).unwrap();
    batches.next().unwrap().unwrap();
    std::fs::rename(&kept, &path).unwrap();
    // What is on its way is made by now, so that nothing touches what the file loses.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let whole = std::fs::metadata(&path).unwrap().len();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(whole - 1).unwrap();
    let e = batches.find_map(Result::err).unwrap();
    assert_eq!((e.kind(), e.place().file.as_deref()), (Kind::Io, path.to_str()));
    assert!(batches.next().is_none(), "such an error ends the epoch");
}

#[test]
fn labels_come_from_a_table_joined_by_name() {
    let folder = Folder::new();
    let (archive, table) = write(&folder, "train", &members(12));
    let csv = |name: &str, text: String| {
        std::fs::write(folder.at(name), text).unwrap();
        folder.at(name)
    };
    let rows = |key: fn(u64) -> String, label: fn(u64) -> String| -> String {
        (0..12).rev().fold("file,target\n".to_owned(), |csv, i| csv + &format!("{},{}\n", key(i), label(i)))
    };
    let number = |i: u64| (100 + i).to_string();
    let whole = csv("whole.csv", rows(|i| format!("set/{i:04}.bmp"), number));
    let last = csv("last.csv", rows(|i| format!("{i:04}.bmp"), number));
    let stem = csv("stem.csv", rows(|i| format!("{i:04}"), number));
    let tbf = folder.at("stem.tbf");
    TableJob::new(vec![stem.clone()], TableFormat::Tbf).run(&tbf).unwrap();
    for path in [&archive, &table] {
        let open = |csv: &Path| Loader::open(path).unwrap().batch(12).labels(Labels::table(csv, "file", "target"));
        for csv in [&whole, &last, &stem] {
            let batch = open(csv).build().unwrap().next_batch().unwrap().unwrap();
            assert!(batch.labels().iter().copied().eq(100..112), "{csv:?}");
        }
        let names = csv("names.csv", rows(|i| format!("{i:04}"), |i| ["dog", "elk"][(i % 2) as usize].to_owned()));
        let mut loader = open(&names).build().unwrap();
        assert_eq!(loader.classes(), ["dog", "elk"]);
        assert_eq!(loader.next_batch().unwrap().unwrap().labels()[..3], [0, 1, 0]);
        let few = csv("few.csv", "file,target\n0000,5\n0001,\n".to_owned());
        let e = open(&few).build().unwrap().next_batch().unwrap_err();
        assert_eq!((e.code().id(), e.place().sample), ("loader.label", Some(1)));
        let twice = csv("twice.csv", "file,target\n0000,5\n0000,6\n".to_owned());
        assert_eq!(open(&twice).build().unwrap_err().code().id(), "loader.settings");
        let absent = Labels::table(&few, "file", "nothing");
        assert!(Loader::open(path).unwrap().labels(absent).build().is_err());
    }
    let labels = Labels::table(&tbf, "file", "target");
    let batch = Loader::open(&table).unwrap().batch(12).labels(labels).build().unwrap().next_batch().unwrap().unwrap();
    // Numbers for names: a table that is not text has lost the zeros in front.
    assert!(batch.labels().len() == 12);
}

#[test]
fn labels_are_numbers_or_names_and_their_lack_is_a_broken_sample() {
    let folder = Folder::new();
    let mut all = members(12);
    all.remove(4); // the label of sample 1
    let (archive, table) = write(&folder, "train", &all);
    for path in [&archive, &table] {
        let open = |labels: Labels| Loader::open(path).unwrap().batch(12).labels(labels);
        let e = open("cls".into()).build().unwrap().next_batch().unwrap_err();
        assert_eq!((e.code().id(), e.place().sample), ("loader.label", Some(1)));
        let mut loader = open(Labels::field("cls").missing(-1)).build().unwrap();
        assert_eq!(loader.next_batch().unwrap().unwrap().labels()[..5], [0, -1, 2, 0, 1]);
        let mut loader = open("json.class".into()).build().unwrap();
        assert_eq!(loader.classes(), ["ant", "bee", "cat"]);
        assert_eq!(loader.next_batch().unwrap().unwrap().labels()[..4], [2, 0, 1, 2]);
        let mut loader = open(Labels::field("json.class").classes(["cat", "bee", "ant"])).build().unwrap();
        assert_eq!(loader.next_batch().unwrap().unwrap().labels()[..4], [0, 2, 1, 0]);
        let few = open(Labels::field("json.class").classes(["cat"])).build().unwrap().next_batch().unwrap_err();
        assert!(few.message().contains("\"ant\""), "{few}");
        let mut loader = open(Labels::folder()).build().unwrap();
        assert_eq!(loader.classes(), ["set"]);
        assert_eq!(loader.next_batch().unwrap().unwrap().labels(), [0; 12]);
        // What no sample has is told before anything is read for a batch, unless something takes its place.
        for nowhere in ["json.nowhere", "txt"] {
            let e = open(nowhere.into()).build().unwrap_err();
            let said = e.message().starts_with(&format!("no sample has the field {nowhere}; there are cls, "));
            assert_eq!((e.code().id(), said), ("loader.label", true), "{e}");
            let mut loader = open(Labels::field(nowhere).missing(7)).build().unwrap();
            assert_eq!(loader.next_batch().unwrap().unwrap().labels(), [7; 12]);
        }
        let mut loader = open("json.number".into()).build().unwrap();
        assert!(loader.next_batch().unwrap().unwrap().labels().iter().copied().eq(0..12));
    }
}

#[test]
fn what_stands_in_for_the_last_sample_fills_no_tail() {
    let folder = Folder::new();
    let mut all = members(12);
    all[11 * 3].1 = b"no picture".to_vec();
    let path = write(&folder, "last", &all).1;
    let items = |tail, size| -> Vec<_> {
        let mut loader = open(&path).batch(size).tail(tail).on_broken(OnBroken::Replace).build().unwrap();
        let batches = loader.epoch(0).unwrap().map(Result::unwrap);
        batches.flat_map(|batch| batch.items().to_vec()).map(|item| (item.index, item.padded)).collect()
    };
    let whole: Vec<_> = (0..11).chain([0]).map(|index| (index, false)).collect();
    assert_eq!(items(Tail::Drop, 12), whole);
    assert_eq!(items(Tail::Uneven, 5), whole);
    let filled: Vec<_> = whole.iter().copied().chain((0..3).map(|index| (index, true))).collect();
    assert_eq!(items(Tail::Pad, 5), filled);
    // A sample that fills the tail and is broken has a stand-in that fills it too.
    all.rotate_right(3);
    let path = write(&folder, "first", &all).1;
    let mut loader = open(&path).batch(13).tail(Tail::Pad).on_broken(OnBroken::Replace).build().unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    assert_eq!(batch.items().iter().filter(|item| item.padded).map(|item| item.index).collect::<Vec<_>>(), [1]);
}
