//! Tensor warehouses on this machine: opened, checked, and trained from.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, missing_docs, reason = "tests are hosts")]

use std::{fs, path::Path};

use forebay::{
    image::transform::Out,
    order::Tail,
    warehouse::{
        Dtype, Endianness, Manifest, ResizeMode, SampleRecord, Shape, ShardWriter, Transform,
        version::{Recipe, key},
    },
    words::Word,
};
use forebay_native::{
    Dataset, OpenOptions,
    check::check,
    loader::{
        Annotations, Batch, Builder, Dtype as Numbers, Image, Labels, Loader, Mode, OnBroken, Split, SplitBy, Tensor,
    },
};

use crate::{common::Folder, core_common, warehouses::Files};

/// The pixels of a sample: all of them differ from sample to sample.
fn pixels(shape: &Shape, i: u64) -> Vec<u8> {
    (0..shape.pixels().unwrap()).map(|k| (k * 7 + i * 13) as u8).collect()
}

/// Writes a warehouse of shards with these numbers of samples; frames are counted from 100.
fn write(folder: &Path, shape: Shape, shards: &[u64], change: impl FnOnce(&mut Manifest)) {
    let transform = Transform::new(Some([shape.width, shape.height]), ResizeMode::Letterbox, shape.max_boxes.into());
    let recipe =
        Recipe { dataset_root: "in".into(), transform: transform.clone(), skip_empty: false, code_version: "1".into() };
    let mut manifest = Manifest::new("in", transform, key(&recipe, &[]), shape.dtype);
    let mut i = 0;
    for (number, &samples) in shards.iter().enumerate() {
        let mut writer = ShardWriter::new(shape, samples).unwrap();
        let mut file = vec![0; 80];
        for _ in 0..samples {
            let image = writer.image_bytes(&pixels(&shape, i)).unwrap();
            let mut record = SampleRecord::new();
            (record.frame_id, record.run) = (Some(i + 100), Some("run_a".into()));
            let corner = (i % 4) as f32 / 4.0;
            writer.add(&image, &[[corner, 0.0, 1.0, 0.5]], Some(&record)).unwrap();
            file.extend(image);
            i += 1;
        }
        let done = writer.finish().unwrap();
        file.resize(done.tail_at as usize, 0);
        file.extend(&done.tail);
        file[..80].copy_from_slice(&done.header);
        let entry = done.entry(number);
        fs::write(folder.join(&entry.relative_path), file).unwrap();
        manifest.shards.push(entry);
    }
    change(&mut manifest);
    fs::write(folder.join("manifest.json"), manifest.to_bytes().unwrap()).unwrap();
}

fn small(dtype: Dtype) -> Shape {
    Shape::new(4, 3, 2, dtype)
}

fn builder(folder: &Folder) -> Builder {
    Loader::open(folder.path()).unwrap().mode(Mode::Mmap).batch(1)
}

/// Every sample of an epoch: number, frame, image, boxes, mask.
type Sample = (u64, u64, Vec<u32>, Vec<u32>, Vec<u32>);

fn samples(batches: impl Iterator<Item = forebay::Result<Batch>>) -> Vec<Sample> {
    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let mut all = Vec::new();
    for batch in batches {
        let batch = batch.unwrap();
        let &[n, channels, height, width] = batch.shape() else { panic!("{:?}", batch.shape()) };
        let (image, boxes, mask) = (channels * height * width, batch.boxes().len() / n, batch.mask().len() / n);
        let images = batch.images().f32().unwrap();
        for k in 0..n {
            all.push((
                batch.indices()[k],
                batch.frame_ids()[k],
                bits(&images[k * image..(k + 1) * image]),
                bits(&batch.boxes()[k * boxes..(k + 1) * boxes]),
                bits(&batch.mask()[k * mask..(k + 1) * mask]),
            ));
        }
    }
    all
}

#[test]
fn every_type_and_mode_gives_the_pixels_that_were_written() {
    for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
        for endianness in [Endianness::Little, Endianness::Big] {
            let folder = Folder::new();
            let shape = small(dtype).with_f32_boxes().with_endianness(endianness);
            write(folder.path(), shape, &[3, 4], |_| {});
            let mut first: Option<Vec<Sample>> = None;
            for mode in Mode::ALL {
                for prefetch in [0, 2] {
                    let loader = builder(&folder).mode(*mode).prefetch(prefetch).batch(2).tail(Tail::Uneven).build();
                    let mut loader = loader.unwrap();
                    assert_eq!((loader.mode(), loader.steps()), (Some(*mode), 4));
                    let found = samples(loader.epoch(0).unwrap());
                    for (i, (index, frame, image, boxes, mask)) in found.iter().enumerate() {
                        assert_eq!((*index, *frame), (i as u64, i as u64 + 100));
                        let value = |bits: &u32| (f32::from_bits(*bits) * 255.0).round() as u8;
                        assert_eq!(image.iter().map(value).collect::<Vec<_>>(), pixels(&shape, i as u64));
                        assert_eq!(f32::from_bits(boxes[0]), (i % 4) as f32 / 4.0);
                        assert_eq!(mask[..], [1.0f32.to_bits(), 0]);
                    }
                    assert_eq!(found.len(), 7);
                    assert_eq!(first.get_or_insert_with(|| found.clone()), &found, "{mode:?}");
                }
            }
        }
    }
}

#[test]
fn the_other_builders_warehouse_gives_the_same_in_every_mode() {
    let manifest = core_common::corpus("twh/expected/case_letterbox_64/manifest.json");
    let epoch = |mode: Mode| {
        let mut loader =
            Loader::open(&manifest).unwrap().mode(mode).batch(4).shuffle(7).tail(Tail::Uneven).build().unwrap();
        assert_eq!(loader.warehouse().unwrap().len(), 21);
        samples(loader.epoch(3).unwrap())
    };
    let mapped = epoch(Mode::Mmap);
    assert_eq!(mapped.len(), 21);
    assert!(!mapped.is_sorted_by_key(|sample| sample.0), "it is shuffled");
    // Nothing tells its frames, so they are the samples' numbers.
    assert!(mapped.iter().all(|sample| sample.0 == sample.1));
    assert_eq!(mapped, epoch(Mode::Memory));
    assert_eq!(mapped, epoch(Mode::Stream));
}

#[test]
fn ranks_share_an_epoch_and_a_run_goes_on_with_more_of_them() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::U8), &[9, 7], |_| {});
    let of = |rank, world, batch| builder(&folder).batch(batch).shuffle(5).shard(rank, world);
    let mut whole = of(0, 1, 4).build().unwrap();
    let mut state = None;
    let mut all = Vec::new();
    let mut batches = whole.epoch(2).unwrap();
    while let Some(batch) = batches.next() {
        all.extend(batch.unwrap().indices().to_vec());
        state.get_or_insert_with(|| batches.loader().state());
    }
    let state = state.unwrap();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..16).collect::<Vec<_>>());
    // Two ranks of half the batch take the same batches apart, also from the middle of an epoch on.
    let ranks: Vec<Vec<Vec<u64>>> = (0..2)
        .map(|rank| {
            let mut loader = of(rank, 2, 2).resume(state.clone()).build().unwrap();
            assert_eq!((loader.position().epoch, loader.position().step), (2, 1));
            loader.epoch(2).unwrap().map(|batch| batch.unwrap().indices().to_vec()).collect()
        })
        .collect();
    assert_eq!(ranks[0].len(), 3);
    for step in 0..3 {
        let mut joined = [ranks[0][step].clone(), ranks[1][step].clone()].concat();
        let mut said = all[(step + 1) * 4..(step + 2) * 4].to_vec();
        joined.sort_unstable();
        said.sort_unstable();
        assert_eq!(joined, said);
    }
    assert!(of(2, 2, 1).build().is_err());
    // A part of the samples, and a state of another warehouse.
    let mut part = builder(&folder).samples([1, 4, 15]).build().unwrap();
    let found: Vec<u64> = part.epoch(0).unwrap().flat_map(|batch| batch.unwrap().indices().to_vec()).collect();
    assert_eq!(found, [1, 4, 15]);
    assert_eq!(code(builder(&folder).samples([3, 16])), "loader.settings");
    assert_eq!(code(builder(&folder).samples([4, 3])), "order.settings");
    let other = Folder::new();
    write(other.path(), small(Dtype::U8), &[8, 8], |_| {});
    assert!(builder(&other).batch(4).shuffle(5).resume(state).build().is_err());
}

#[test]
fn a_split_keeps_every_sample_once_and_runs_together() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::U8), &[9, 7], |_| {});
    let part = |split: Split| {
        let mut loader = builder(&folder).split(split).allow_empty(true).build().unwrap();
        loader.epoch(0).unwrap().flat_map(|batch| batch.unwrap().indices().to_vec()).collect::<Vec<u64>>()
    };
    let by = SplitBy::Sample;
    let (train, validation) = (part(Split::train(0.25, 1).by(by)), part(Split::validation(0.25, 1).by(by)));
    assert_eq!((train.len(), validation.len()), (12, 4));
    let mut all = [train.clone(), validation.clone()].concat();
    all.sort_unstable();
    assert_eq!(all, (0..16).collect::<Vec<_>>());
    assert_eq!(part(Split::validation(0.25, 1).by(by)), validation);
    assert_ne!(part(Split::validation(0.25, 2).by(by)), validation);
    // One run is all of it.
    assert_eq!(part(Split::validation(0.25, 1)).len(), 16);
    assert_eq!(part(Split::train(0.0, 1)).len(), 16);
    assert_eq!(code(builder(&folder).split(Split::train(0.25, 1))), "loader.settings");
    assert!(builder(&folder).split(Split::train(f64::NAN, 1)).build().is_err());
    let other = Loader::open(core_common::corpus("twh/expected/case_force_48")).unwrap();
    assert!(other.split(Split::train(0.5, 1)).build().is_err());
}

#[test]
fn views_are_the_bytes_of_the_shard() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::F32), &[4], |_| {});
    for mode in [Mode::Mmap, Mode::Memory] {
        let mut loader = builder(&folder).mode(mode).batch(4).build().unwrap();
        let [first, mut again] = [0, 0].map(|epoch| loader.epoch(epoch).unwrap().next().unwrap().unwrap());
        for k in 0..4 {
            let Some(Tensor::F32(view)) = first.view(k) else { panic!("no view") };
            let Some(Tensor::F32(other)) = again.view(k) else { panic!("no view") };
            assert_eq!(view.as_ptr(), other.as_ptr(), "not copied");
            assert_eq!(view, &first.images().f32().unwrap()[k * 36..(k + 1) * 36]);
        }
        assert!(first.view(4).is_none());
        // What is changed in place is what is seen from then on, and the shard is as it was.
        if let Out::F32(values) = again.images_mut() {
            values.fill(7.0);
        }
        assert_eq!(again.view(3), Some(Tensor::F32(&[7.0; 36])));
        assert_ne!(first.view(3), again.view(3));
    }
    let folder = Folder::new();
    write(folder.path(), small(Dtype::F16), &[1], |_| {});
    let first = |loader: Builder| loader.build().unwrap().epoch(0).unwrap().next().unwrap().unwrap();
    let batch = first(builder(&folder));
    assert!(batch.view(0).is_none() && batch.payloads()[0].len() == 72);
    assert!(batch.images().f32().is_some() && batch.view(0).is_some(), "it has been made");
    assert!(matches!(first(builder(&folder).dtype(Numbers::F16)).view(0), Some(Tensor::F16(_))));
    assert_eq!(code(builder(&folder).dtype(Numbers::U8)), "loader.settings");
}

#[test]
fn what_is_stored_comes_as_it_is_in_either_byte_order() {
    for (dtype, numbers) in [(Dtype::F16, Numbers::F16), (Dtype::U8, Numbers::U8), (Dtype::F32, Numbers::F32)] {
        for endianness in [Endianness::Little, Endianness::Big] {
            let folder = Folder::new();
            let shape = small(dtype).with_f32_boxes().with_endianness(endianness);
            write(folder.path(), shape, &[3], |_| {});
            for prefetch in [0, 2] {
                let mut loader = builder(&folder).prefetch(prefetch).dtype(numbers).batch(3).build().unwrap();
                let batch = loader.epoch(0).unwrap().next().unwrap().unwrap();
                let levels: Vec<u8> = match batch.images() {
                    Tensor::U8(values) => values.to_vec(),
                    Tensor::F16(values) => values.iter().map(|x| (x.to_f32() * 255.0).round() as u8).collect(),
                    Tensor::F32(values) => values.iter().map(|x| (x * 255.0).round() as u8).collect(),
                    _ => panic!("another type"),
                };
                assert_eq!(levels, (0..3).flat_map(|i| pixels(&shape, i)).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn settings_that_mean_nothing_are_refused_by_name() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::U8), &[2], |_| {});
    let refused = |builder: Builder, code: &str| {
        let e = builder.build().unwrap_err();
        assert_eq!(e.code().id(), code, "{e}");
        e.message().to_owned()
    };
    let said = |builder: Builder| refused(builder, "loader.settings");
    let open = || Loader::open(folder.path()).unwrap();
    for (name, builder) in [
        ("image", open().image(Image::new(4, 3))),
        ("payloads", open().payloads()),
        ("io", open().io(forebay_native::input::Io::Map)),
        ("orient", open().orient(true)),
        ("exact", open().exact(true)),
        ("verify", open().verify(false)),
        ("decoded_bytes", open().decoded_bytes(1)),
    ] {
        assert!(refused(builder, "loader.idle").contains(&format!("`{name}`")));
    }
    assert!(said(open().annotations("labels.json")).contains("Annotations::own()"));
    assert!(said(open().max_boxes(3)).contains("2 places"));
    let other = Transform::new(Some([4, 3]), ResizeMode::Force, 2);
    assert!(
        said(open().warehouse_transform(other)).contains("4x3 letterbox with 2 places for boxes and not 4x3 force")
    );
    let same = Transform::new(Some([4, 3]), ResizeMode::Letterbox, 2);
    // What means the same for both is fine.
    let fine = open().warehouse_transform(same).annotations(Annotations::own()).max_boxes(2).orient(false).verify(true);
    assert!(fine.on_broken(OnBroken::Skip).workers(1).seed(3).build().is_ok());
    // What was taken back means nothing more.
    let back = open().orient(true).orient(false).exact(true).exact(false).verify(false).verify(true);
    let same = Transform::new(Some([4, 3]), ResizeMode::Letterbox, 2);
    back.image(Image::new(4, 3)).payloads().warehouse_transform(same).build().unwrap();
    let pictures = core_common::corpus("twh/input/run_a");
    let open = || Loader::open(&pictures).unwrap();
    for (name, builder) in [
        ("mode", open().mode(Mode::Mmap)),
        ("version", open().version("0")),
        ("allow_violations", open().allow_violations(true)),
        ("allow_unproven", open().allow_unproven(true)),
    ] {
        assert!(said(builder).contains(&format!("`{name}`")));
    }
    assert!(said(Loader::open_all([folder.path(), &pictures]).unwrap()).contains("not with images"));
}

#[test]
fn filters_labels_and_names_are_those_of_the_warehouse() {
    let (one, two) = (Folder::new(), Folder::new());
    write(one.path(), small(Dtype::U8), &[3], |_| {});
    write(two.path(), small(Dtype::U8), &[2], |_| {});
    let open = || Loader::open_all([one.path(), two.path()]).unwrap().batch(1);
    let mut loader = open().filter("frame_id != 101").unwrap().labels("frame_id").build().unwrap();
    let found: Vec<_> = loader
        .epoch(0)
        .unwrap()
        .map(|batch| {
            let batch = batch.unwrap();
            assert_eq!(batch.metadata().unwrap()[0].as_ref().unwrap()["run"], "run_a");
            (batch.indices()[0], batch.labels()[0], batch.names().unwrap()[0].clone().unwrap())
        })
        .collect();
    let name = |i: i64| format!("run_a/{:05}", 100 + i);
    assert_eq!(found, [(0, 100, name(0)), (2, 102, name(2)), (3, 100, name(0))]);
    // Files of other shapes are not one set.
    let other = Folder::new();
    write(other.path(), small(Dtype::F16), &[2], |_| {});
    assert_eq!(code(Loader::open_all([one.path(), other.path()]).unwrap()), "loader.settings");
}

#[test]
fn samples_that_are_lent_are_left_out_or_replaced_as_others_are() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::F32), &[3, 2], |_| {});
    // The frames are 100 to 104, and the last two have no class.
    let names: Vec<String> = (0..103).map(|k| format!("c{k}")).collect();
    let open = |policy| {
        let open = builder(&folder).batch(5).labels(Labels::field("frame_id").classes(names.clone()));
        open.on_broken(policy).build().unwrap()
    };
    assert_eq!(open(OnBroken::Raise).epoch(0).unwrap().next().unwrap().unwrap_err().code().id(), "loader.label");
    let plain = samples(builder(&folder).build().unwrap().epoch(0).unwrap());
    for (policy, kept) in [(OnBroken::Skip, vec![0, 1, 2]), (OnBroken::Replace, vec![0, 1, 2, 0, 0])] {
        let mut loader = open(policy);
        let batch = loader.epoch(0).unwrap().next().unwrap().unwrap();
        assert_eq!(batch.skipped().iter().map(|one| one.index).collect::<Vec<_>>(), [3, 4], "{policy:?}");
        assert_eq!(batch.indices()[..3], [0, 1, 2]);
        assert_eq!(
            (batch.len(), batch.frame_ids().len(), batch.boxes().len()),
            (kept.len(), kept.len(), kept.len() * 8)
        );
        assert!(batch.labels().iter().zip(batch.frame_ids()).all(|(label, frame)| *label == *frame as i64));
        let found = samples([Ok(batch)].into_iter());
        assert!(found.iter().all(|one| plain.contains(one)), "{policy:?}");
    }
}

fn code(builder: Builder) -> &'static str {
    builder.build().map_err(|e| e.code().id()).unwrap_err()
}

#[test]
fn what_does_not_hold_is_refused_and_what_is_let_through_is_noted() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::F16), &[2], |manifest| {
        manifest.summary.totals.invalid = 3;
        manifest.thresholds.max_invalid = Some(2);
    });
    assert_eq!(code(builder(&folder)), "warehouse.threshold");
    let loader = builder(&folder).allow_violations(true).build().unwrap();
    let notes = loader.notes().join("\n");
    assert!(notes.contains("allowed: 3 frames are invalid, and 2 may be"), "{notes}");
    assert_eq!(code(builder(&folder).version("0".repeat(64))), "warehouse.version_key");

    let folder = Folder::new();
    write(folder.path(), small(Dtype::F16), &[2], |manifest| manifest.version = "0".repeat(64));
    assert_eq!(code(builder(&folder)), "warehouse.version_key");

    let folder = Folder::new();
    write(folder.path(), small(Dtype::F16), &[2], |manifest| manifest.shards[0].checksum_sha256 = None);
    let loader = builder(&folder).build().unwrap();
    assert!(loader.notes().join("\n").contains("1 shards have no checksum"), "{:?}", loader.notes());
}

#[test]
fn a_shard_is_proven_once_and_again_when_it_was_written() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::U8), &[2, 3], |_| {});
    let proven = |builder: Builder| builder.build().unwrap().notes().iter().any(|note| note.contains("proven in"));
    assert!(proven(builder(&folder)));
    assert!(!proven(builder(&folder)));
    let path = folder.at("shard_00001.bin");
    let mut bytes = fs::read(&path).unwrap();
    bytes[90] ^= 1;
    fs::write(&path, &bytes).unwrap();
    // The clock of a file system may be coarse.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    let e = builder(&folder).build().unwrap_err();
    assert_eq!(e.code().id(), "warehouse.checksum");
    assert!(e.place().file.as_ref().unwrap().ends_with("shard_00001.bin"), "{e}");
    let loader = builder(&folder).allow_unproven(true).build().unwrap();
    assert!(loader.notes().join("\n").contains("allowed: the shards were not proven"));
}

#[test]
#[cfg(unix)]
fn a_link_that_leaves_the_folder_is_refused() {
    let (folder, other) = (Folder::new(), Folder::new());
    write(folder.path(), small(Dtype::U8), &[2], |_| {});
    let (inside, outside) = (folder.at("shard_00000.bin"), other.at("secret.bin"));
    fs::rename(&inside, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    assert_eq!(code(builder(&folder)), "warehouse.path");
    let e = Dataset::open(folder.path()).unwrap_err();
    assert_eq!(e.code().id(), "warehouse.path");
    // One that stays inside is a file like others.
    fs::remove_file(&inside).unwrap();
    fs::rename(&outside, folder.at("elsewhere.bin")).unwrap();
    std::os::unix::fs::symlink("elsewhere.bin", &inside).unwrap();
    assert_eq!(Dataset::open(folder.path()).unwrap().len(), 2);
}

#[test]
fn the_folder_and_the_manifest_open_as_a_dataset() {
    let folder = Folder::new();
    write(folder.path(), small(Dtype::F16), &[2, 1], |manifest| manifest.classes = Some(vec!["cat".into()]));
    for path in [folder.path().to_owned(), folder.at("manifest.json")] {
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!((dataset.len(), dataset.format().map(|f| f.name())), (3, Some("warehouse")));
        let info = dataset.info(2).unwrap();
        assert_eq!((info.width, info.height, info.bytes), (4, 3, 72));
        assert_eq!(dataset.payload(2).unwrap().len(), 72);
        assert_eq!(dataset.sample_name(2).unwrap().as_deref(), Some("run_a/00102"));
        let record = dataset.metadata_value(1).unwrap().unwrap();
        assert_eq!((&record["frame_id"], &record["boxes"][0]["box"][0]), (&101.into(), &0.25.into()));
        let report = check(&dataset, 2, &mut |_| {}).unwrap();
        assert!(report.ok && report.samples == 3, "{report:?}");
    }
    let e = Dataset::open(folder.at("shard_00000.bin")).unwrap_err();
    assert!(e.message().contains("opened by its manifest"), "{e}");
}

/// The same faults as the core finds in memory, whatever the number of workers.
#[test]
fn damaged_warehouses_have_the_same_faults_on_disk() {
    let mut seen = 0;
    for entry in fs::read_dir(core_common::corpus("twh/damaged")).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        seen += 1;
        let expected = Files::read(&path).check(8 << 20);
        let mut options = OpenOptions::default();
        options.keep_going = true;
        match Dataset::open_with(&path, &options) {
            Ok(dataset) => {
                for workers in [1, 3] {
                    let found = check(&dataset, workers, &mut |_| {}).unwrap();
                    assert_eq!(found.faults, expected.faults, "{}", path.display());
                }
            }
            Err(e) => assert_eq!(expected.faults[0].code, e.code().id(), "{}", path.display()),
        }
    }
    assert!(seen > 20);
}
