//! What batches hold, and in which order they come.

use forebay::{
    image::{
        decode::{Decoder, Options},
        transform::{Layout, Out, Transformer},
    },
    order::{Tail, sample_key},
};
use forebay_native::{
    Dataset,
    loader::{ALIGNMENT, Batch, Dtype, IMAGENET, Image, Loader},
};

use crate::{
    common::Folder,
    loader::support::{members, table, write},
};

fn image() -> Image {
    Image::new(6, 4).random_resized_crop().hflip().normalize(IMAGENET)
}

#[test]
fn a_batch_is_what_decoding_and_transforming_one_by_one_gives() {
    let folder = Folder::new();
    let (archive, table) = write(&folder, "train", &members(50));
    let tree = folder.at("tree");
    for (name, content) in members(50) {
        std::fs::create_dir_all(tree.join("set")).unwrap();
        std::fs::write(tree.join(name), content).unwrap();
    }
    let dataset = Dataset::open(&table).unwrap();
    for path in [table, archive, tree] {
        let mut loader =
            Loader::open(&path).unwrap().batch(8).workers(3).shuffle(42).image(image()).labels("cls").build().unwrap();
        let order = loader.order().clone();
        for (step, batch) in loader.epoch(3).unwrap().enumerate() {
            let batch = batch.unwrap();
            let items: Vec<_> = order.epoch(3).unwrap().batch(step as u64, 0).collect();
            assert_eq!((batch.items(), batch.step()), (&items[..], step as u64));
            assert_eq!(batch.shape(), [8, 3, 4, 6]);
            assert_eq!(batch.images().bytes().as_ptr().align_offset(ALIGNMENT), 0);
            let mut expected = vec![0.0_f32; 8 * 72];
            let (mut decoder, mut transformer) = (Decoder::default(), Transformer::new(image()).unwrap());
            for (item, slot) in items.iter().zip(expected.chunks_mut(72)) {
                let payload = dataset.payload(item.sample).unwrap();
                let key = sample_key(42, 3, item.index);
                transformer.decode(&mut decoder, &payload, None, &Options::default(), key, Out::F32(slot)).unwrap();
            }
            assert_eq!(batch.images().f32().unwrap(), expected);
            assert!(batch.items().iter().zip(batch.labels()).all(|(item, label)| *label == (item.sample % 3) as i64));
            let names = batch.names().unwrap();
            assert!(items.iter().zip(names).all(|(i, name)| name.unwrap() == format!("set/{:04}.bmp", i.sample)));
            let metadata = batch.metadata().unwrap();
            assert!(items.iter().zip(metadata).all(|(i, m)| m.unwrap()["json"]["number"] == i.sample));
        }
        assert_eq!(loader.state().order.epoch, 4);
    }
}

#[test]
fn every_type_and_layout_holds_the_same_numbers() {
    let folder = Folder::new();
    let path = table(&folder, 20);
    let batch = |dtype, layout| -> Batch {
        let loader = Loader::open(&path).unwrap().batch(20).image(Image::new(6, 4).layout(layout)).dtype(dtype);
        loader.build().unwrap().next_batch().unwrap().unwrap()
    };
    let floats = batch(Dtype::F32, Layout::Nchw);
    let (halves, bytes) = (batch(Dtype::F16, Layout::Nchw), batch(Dtype::U8, Layout::Nchw));
    let last = batch(Dtype::U8, Layout::Nhwc);
    assert_eq!(last.shape(), [20, 4, 6, 3]);
    let floats = floats.images().f32().unwrap();
    for (i, &value) in floats.iter().enumerate() {
        let (n, c, y, x) = (i / 72, i / 24 % 3, i / 6 % 4, i % 6);
        assert_eq!((value * 255.0).round() as u8, bytes.images().u8().unwrap()[i]);
        assert!((halves.images().f16().unwrap()[i].to_f32() - value).abs() < 1e-3);
        assert_eq!(last.images().u8().unwrap()[((n * 4 + y) * 6 + x) * 3 + c], bytes.images().u8().unwrap()[i]);
    }
}

#[test]
fn payloads_come_as_they_are_stored() {
    let folder = Folder::new();
    let (archive, table) = write(&folder, "train", &members(10));
    for path in [&table, &archive] {
        let mut loader = Loader::open(path).unwrap().batch(3).tail(Tail::Uneven).shuffle(1).payloads().build().unwrap();
        let mut seen = 0;
        for batch in loader.epoch(0).unwrap() {
            let batch = batch.unwrap();
            assert!(batch.images().is_empty() && batch.labels().is_empty());
            assert_eq!(batch.payloads().len(), batch.len());
            for (item, payload) in batch.items().iter().zip(batch.payloads()) {
                assert_eq!(payload[..], members(10)[item.sample as usize * 3].1);
            }
            seen += batch.len();
        }
        assert_eq!(seen, 10);
    }
}

#[test]
fn a_function_of_the_users_makes_the_numbers() {
    let folder = Folder::new();
    let path = table(&folder, 10);
    let builder = Loader::open(&path).unwrap().batch(5).made_by([2], |sample, out| {
        let Out::F32(out) = out else { panic!("floats were asked for") };
        out[0] = sample.index as f32;
        out[1] = sample.payload.len() as f32;
        Ok(())
    });
    let mut loader = builder.build().unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    assert_eq!(batch.shape(), [5, 2]);
    let expected = |i: usize| [i as f32, members(10)[i * 3].1.len() as f32];
    assert!(batch.images().f32().unwrap().chunks(2).enumerate().all(|(i, pair)| pair == expected(i)));
}

#[test]
fn filters_and_many_files_make_one_dataset() {
    let folder = Folder::new();
    for (name, n) in [("a", 10), ("b", 15)] {
        write(&folder, name, &members(n));
    }
    let pattern = folder.at("*.tbl");
    let builder = Loader::open(&pattern).unwrap().filter("width == 8").unwrap().batch(5);
    let mut loader = builder.build().unwrap();
    let indices: Vec<u64> = loader.epoch(0).unwrap().flat_map(|b| b.unwrap().indices().to_vec()).collect();
    assert_eq!(indices, [0, 5, 10, 15, 20]);
}

#[test]
fn memory_is_used_again_and_kept_batches_stay_as_they_are() {
    let folder = Folder::new();
    let path = table(&folder, 60);
    let mut loader = Loader::open(&path).unwrap().batch(4).workers(2).image(image()).build().unwrap();
    let first = loader.next_batch().unwrap().unwrap();
    let copy = first.images().f32().unwrap().to_vec();
    let mut addresses = std::collections::HashSet::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        addresses.insert(batch.images().bytes().as_ptr() as usize);
    }
    assert!(addresses.len() <= 3, "{addresses:?}");
    drop(loader);
    assert_eq!(first.images().f32().unwrap(), copy, "a batch outlives its loader");
}
