//! Pictures of many sizes in one batch, and targets of many lengths.

use forebay::{image::transform::Layout, order::Tail};
use forebay_native::loader::{
    Batch, Builder, DecodedCache, Dtype, Groups, IMAGENET, Image, Loader, Mosaic, OnBroken, Padding, Target,
};

use crate::{
    common::{Folder, bmp},
    loader::{
        support::{members, write},
        targets::marked,
    },
};

/// A picture of noise.
fn picture(width: u32, height: u32, seed: u32) -> Vec<u8> {
    let mut file = bmp(width, seed);
    let row = (width as usize * 3).next_multiple_of(4);
    file[2..6].copy_from_slice(&(54 + row as u32 * height).to_le_bytes());
    file[22..26].copy_from_slice(&height.to_le_bytes());
    file.resize(54, 0);
    file.extend(
        (0..row * height as usize)
            .map(|i| (i as u32).wrapping_mul(seed.wrapping_mul(2_654_435_761) | 1).to_be_bytes()[0]),
    );
    file
}

fn size(i: u64) -> (u32, u32) {
    (5 + (i * 7 % 23) as u32, 3 + (i * 5 % 17) as u32)
}

/// A TBL of pictures of many sizes, of which one in seven is broken if that is asked for.
fn sized(folder: &Folder, n: u64, broken: bool) -> std::path::PathBuf {
    let mut all = members(n);
    for i in 0..n {
        let (width, height) = size(i);
        let file = &mut all[i as usize * 3].1;
        *file = picture(width, height, i as u32 + 1);
        if broken && i % 7 == 3 {
            file.truncate(60);
        }
    }
    write(folder, "sized", &all).1
}

fn open(path: &std::path::Path, image: Image) -> Builder {
    Loader::open(path).unwrap().batch(6).shuffle(5).tail(Tail::Uneven).workers(3).image(image).labels("cls")
}

/// The numbers of sample `k` that are its picture's, as bytes, and whether all others are `around`.
fn part(batch: &Batch, k: usize, layout: Layout, around: &[u8]) -> (Vec<u8>, bool) {
    let number = batch.dtype().bytes();
    let (w, h) = batch.sizes()[k];
    let (planes, height, width, pixel) = match (layout, batch.shape()) {
        (Layout::Nhwc, [_, height, width, 3]) => (1, *height, *width, 3 * number),
        (_, [_, 3, height, width]) => (3, *height, *width, number),
        (_, shape) => panic!("{shape:?}"),
    };
    let whole = batch.view(k).unwrap().bytes();
    let (mut inside, mut is_around) = (Vec::new(), true);
    for (i, one) in whole.chunks(pixel).enumerate() {
        let (plane, y, x) = (i / (width * height), i / width % height, i % width);
        assert!(plane < planes);
        match x < w as usize && y < h as usize {
            true => inside.extend_from_slice(one),
            false => is_around &= one == &around[plane * pixel..(plane + 1) * pixel],
        }
    }
    (inside, is_around)
}

#[test]
fn a_padded_picture_is_what_it_is_alone_and_the_batch_is_as_large_as_its_largest() {
    let folder = Folder::new();
    let path = sized(&folder, 40, false);
    let (most, color) = ((24, 16), [9, 200, 31]);
    for (layout, dtype, padding) in [
        (Layout::Nchw, Dtype::F32, Padding::new()),
        (Layout::Nchw, Dtype::F16, Padding::new().multiple(4).fill(color)),
        (Layout::Nhwc, Dtype::F32, Padding::new().multiple(8).short(10).fill(color)),
        (Layout::Nhwc, Dtype::U8, Padding::new().fill(color)),
        (Layout::Nchw, Dtype::U8, Padding::new().short(7)),
    ] {
        let image = |width, height| {
            let image = Image::new(width, height).hflip().vflip().layout(layout);
            if dtype == Dtype::U8 { image } else { image.normalize(IMAGENET) }
        };
        let around = match padding.fill {
            None => vec![0; 12],
            Some(_) => {
                let plain = folder.at("plain.tar");
                let row: Vec<u8> = [color[2], color[1], color[0]].repeat(8);
                let mut file = bmp(8, 1);
                file.truncate(54);
                file.extend([&row[..], &row[..]].concat());
                std::fs::write(&plain, crate::common::tar(&[("a.bmp", file)])).unwrap();
                let mut one = Loader::open(&plain).unwrap().batch(1).dtype(dtype).image(image(1, 1)).build().unwrap();
                one.next_batch().unwrap().unwrap().images().bytes().to_vec()
            }
        };
        let mut loader = open(&path, image(most.0, most.1)).dtype(dtype).padded(padding).build().unwrap();
        let mut seen = 0;
        for batch in loader.epoch(1).unwrap() {
            let batch = batch.unwrap();
            let [height, width] = match (layout, batch.shape()) {
                (Layout::Nhwc, [_, height, width, 3]) => [*height as u32, *width as u32],
                (_, [_, 3, height, width]) => [*height as u32, *width as u32],
                (_, shape) => panic!("{shape:?}"),
            };
            let up = |n: u32| n.next_multiple_of(padding.multiple);
            assert_eq!(width, up(batch.sizes().iter().map(|size| size.0).max().unwrap()));
            assert_eq!(height, up(batch.sizes().iter().map(|size| size.1).max().unwrap()));
            assert_eq!(batch.images().len(), batch.shape().iter().product::<usize>());
            let mut mask = vec![7; 3];
            let shape = batch.pixel_mask(&mut mask);
            assert_eq!(shape, [batch.len(), height as usize, width as usize]);
            assert_eq!(mask.len(), shape.iter().product::<usize>());
            for (k, &index) in batch.indices().iter().enumerate() {
                let (w, h) = batch.sizes()[k];
                let full = size(index);
                if padding.short.is_none() && full.0 <= most.0 && full.1 <= most.1 {
                    assert_eq!((w, h), full);
                }
                let shape = |(w, h): (u32, u32)| f64::from(w) / f64::from(h);
                assert!((shape((w, h)) / shape(full)).ln().abs() < 0.2, "{w} {h} {full:?}");
                let alone = Loader::open(&path).unwrap().samples([index]).batch(1).shuffle(5).dtype(dtype);
                let mut alone = alone.image(image(w, h)).build().unwrap();
                let alone = alone.epoch(1).unwrap().next().unwrap().unwrap();
                let (inside, is_around) = part(&batch, k, layout, &around);
                assert!(inside == alone.images().bytes(), "{layout:?} {dtype:?} {index}");
                assert!(is_around, "{layout:?} {dtype:?} {index}");
                let mask = &mask[k * (width * height) as usize..][..(width * height) as usize];
                assert!((0..width * height).all(|i| mask[i as usize] == u8::from(i % width < w && i / width < h)));
                seen += 1;
            }
        }
        assert_eq!(seen, 40);
    }
}

/// The pictures of an epoch by their positions, and their sizes.
fn all(loader: &mut Loader, epoch: u64) -> Vec<(u64, (u32, u32), Vec<u8>)> {
    let mut found = Vec::new();
    for batch in loader.epoch(epoch).unwrap() {
        let batch = batch.unwrap();
        for (k, item) in batch.items().iter().enumerate() {
            found.push((item.position, batch.sizes()[k], part(&batch, k, Layout::Nchw, &[0; 12]).0));
        }
    }
    found.sort();
    found
}

#[test]
fn padded_pictures_depend_neither_on_batches_nor_on_ranks_nor_on_interruptions() {
    let folder = Folder::new();
    let path = sized(&folder, 36, false);
    let builder = |batch, rank, world| {
        let image = Image::new(32, 32).hflip().jitter(forebay::image::transform::Jitter {
            brightness: 0.3,
            contrast: 0.5,
            saturation: 0.2,
            hue: 0.1,
        });
        open(&path, image).batch(batch).shard(rank, world).padded(Padding::new().multiple(2))
    };
    let whole = all(&mut builder(6, 0, 1).build().unwrap(), 2);
    assert_eq!(whole.len(), 36);
    let ranks: Vec<_> = (0..3).flat_map(|rank| all(&mut builder(2, rank, 3).build().unwrap(), 2)).collect();
    let mut ranks = ranks;
    ranks.sort();
    assert_eq!(ranks, whole);
    assert_eq!(all(&mut builder(36, 0, 1).build().unwrap(), 2), whole);
    let mut first = builder(6, 0, 1).build().unwrap();
    let mut batches = first.epoch(2).unwrap();
    (0..3).for_each(|_| drop(batches.next().unwrap().unwrap()));
    let state = batches.loader().state();
    let rest = all(&mut builder(6, 0, 1).resume(state).build().unwrap(), 2);
    assert_eq!(rest, whole[18..]);
}

#[test]
fn a_broken_picture_leaves_no_gap_and_one_that_stands_in_fits() {
    let folder = Folder::new();
    let path = sized(&folder, 42, true);
    let builder = |policy| open(&path, Image::new(32, 32)).padded(Padding::new()).on_broken(policy);
    let mut skipping = builder(OnBroken::Skip).build().unwrap();
    let skipped = all(&mut skipping, 0);
    assert_eq!((skipped.len(), skipping.skipped()), (36, 6));
    let good = open(&path, Image::new(32, 32)).padded(Padding::new()).on_broken(OnBroken::Skip).batch(1);
    assert_eq!(all(&mut good.build().unwrap(), 0), skipped);
    let mut replacing = builder(OnBroken::Replace).build().unwrap();
    let mut replaced = 0;
    for batch in replacing.epoch(0).unwrap() {
        let batch = batch.unwrap();
        assert_eq!(batch.len(), 6);
        let (height, width) = (batch.shape()[2] as u32, batch.shape()[3] as u32);
        assert!(batch.sizes().iter().all(|(w, h)| (1..=width).contains(w) && (1..=height).contains(h)));
        replaced += batch.skipped().len();
    }
    assert_eq!(replaced, 6);
}

#[test]
fn boxes_are_shares_of_their_own_picture() {
    let folder = Folder::new();
    let (path, labels) = marked(&folder);
    let builder = |image| {
        Loader::open(&path)
            .unwrap()
            .batch(4)
            .shuffle(3)
            .image(image)
            .annotations(labels.clone())
            .target("points", Target::keypoints(&labels).most(4))
    };
    let mut plain = builder(Image::new(60, 60).hflip()).build().unwrap();
    let mut padded = builder(Image::new(64, 64).hflip()).padded(Padding::new().short(9)).build().unwrap();
    let mut count = 0;
    for (a, b) in plain.epoch(0).unwrap().zip(padded.epoch(0).unwrap()) {
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!((a.indices(), a.mask(), a.box_classes()), (b.indices(), b.mask(), b.box_classes()));
        assert!(a.boxes().iter().zip(b.boxes()).all(|(a, b)| (a - b).abs() < 1e-5), "{:?} {:?}", a.boxes(), b.boxes());
        let points = |batch: &Batch| batch.target("points").unwrap().values().f32().unwrap().to_vec();
        assert!(points(&a).iter().zip(points(&b)).all(|(a, b)| (a - b).abs() < 1e-5));
        count += a.mask().iter().filter(|there| **there > 0.0).count();
    }
    assert!(count > 4);
}

#[test]
fn what_does_not_go_together_with_padding_is_refused() {
    let folder = Folder::new();
    let path = sized(&folder, 8, false);
    let (_, labels) = marked(&folder);
    let image = || open(&path, Image::new(32, 32));
    let pad = Padding::new();
    for (builder, word) in [
        (image().padded(pad.multiple(5)), "35 x 35"),
        (image().padded(pad.multiple(0)), "0"),
        (image().padded(pad.short(0)), "0"),
        (open(&path, Image::new(32, 32).letterbox([0; 3])).padded(pad), "image"),
        (open(&path, Image::new(32, 32).random_resized_crop()).padded(pad), "image"),
        (image().groups(Groups::new(2, [(4, 4)])).padded(pad), "groups"),
        (image().groups(Groups::new(2, [(4, 4), (8, 4)])).padded(pad), "groups"),
        (image().mosaic(Mosaic::new()).padded(pad), "mosaic"),
        (image().orient(true).padded(pad), "orient"),
        (image().decoded_cache(DecodedCache::memory(1 << 20)).padded(pad), "decoded_cache"),
        (image().target("a", Target::masks(&labels)).padded(pad), "padded"),
        (image().target("a", Target::picture(&path)).padded(pad), "padded"),
        (Loader::open(&path).unwrap().padded(pad), "image"),
    ] {
        let e = builder.build().unwrap_err();
        assert!(e.code().id() == "loader.settings" && e.message().contains(word), "{word}: {e}");
    }
}

/// Samples of 0 to 6 numbers, with text of as many letters.
fn ragged(folder: &Folder, n: u64) -> std::path::PathBuf {
    let mut all = members(n);
    for i in 0..n {
        let list: Vec<String> = (0..i * 3 % 7).map(|k| (i * 10 + k).to_string()).collect();
        let json = format!(r#"{{"tokens":[{}],"says":"{}"}}"#, list.join(","), "x".repeat(list.len()));
        all[i as usize * 3 + 2].1 = json.into_bytes();
    }
    write(folder, "ragged", &all).1
}

#[test]
fn lists_are_padded_to_the_longest_of_their_batch() {
    let folder = Folder::new();
    let path = ragged(&folder, 22);
    let open = || Loader::open(&path).unwrap().batch(4).shuffle(8).tail(Tail::Uneven);
    let mut lengths = std::collections::BTreeSet::new();
    for (longest, multiple) in [(6, 1), (5, 2), (64, 4), (2, 1)] {
        let mut loader = open()
            .target("plain", "ints:json.tokens")
            .target("tokens", Target::ints("json.tokens").padded(-7.0, longest).multiple(multiple))
            .target("floats", format!("floats/pad=0.5,{longest}:json.tokens"))
            .target("says", format!("text/pad=46,{longest},{multiple}:json.says"))
            .build()
            .unwrap();
        for batch in loader.epoch(0).unwrap() {
            let batch = batch.unwrap();
            let of = |name: &str| batch.target(name).unwrap();
            let offsets: Vec<usize> = of("plain").offsets().unwrap().iter().map(|&at| at as usize).collect();
            let values = of("plain").values().i64().unwrap();
            let rows: Vec<&[i64]> = offsets.windows(2).map(|w| &values[w[0]..w[1]]).collect();
            let most = rows.iter().map(|row| row.len()).max().unwrap();
            let length = most.next_multiple_of(multiple).min(longest);
            lengths.insert(length);
            let tokens = of("tokens");
            assert_eq!((tokens.shape(), tokens.offsets()), (vec![batch.len(), length], None));
            assert_eq!(of("says").shape(), tokens.shape());
            assert_eq!(tokens.part("mask").unwrap().1, tokens.shape());
            assert_eq!((of("says").mask(), of("floats").shape()[1]), (tokens.mask(), most.min(longest)));
            for (k, row) in rows.iter().enumerate() {
                let kept = row.len().min(length);
                let here = &tokens.values().i64().unwrap()[k * length..][..length];
                assert!(here[..kept] == row[..kept] && here[kept..].iter().all(|v| *v == -7), "{here:?} {row:?}");
                let mask = &tokens.mask().unwrap()[k * length..][..length];
                assert!(mask.iter().enumerate().all(|(i, there)| *there == u8::from(i < kept)));
                let says = &of("says").values().u8().unwrap()[k * length..][..length];
                assert!(says.iter().enumerate().all(|(i, byte)| *byte == if i < kept { b'x' } else { b'.' }));
            }
        }
    }
    assert!(lengths.len() > 3, "{lengths:?}");
    let mut resumed = open().target("tokens", "ints/pad=0,9:json.tokens").build().unwrap();
    let batches: Vec<Vec<i64>> = resumed
        .epoch(3)
        .unwrap()
        .map(|batch| batch.unwrap().target("tokens").unwrap().values().i64().unwrap().to_vec())
        .collect();
    let mut first = open().target("tokens", "ints/pad=0,9:json.tokens").build().unwrap();
    let mut epoch = first.epoch(3).unwrap();
    drop(epoch.next());
    let state = epoch.loader().state();
    let mut second = open().target("tokens", "ints/pad=0,9:json.tokens").resume(state).build().unwrap();
    let batch = second.epoch(3).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.target("tokens").unwrap().values().i64().unwrap(), batches[1]);
}

#[test]
fn objects_are_padded_to_the_most_of_their_batch() {
    let folder = Folder::new();
    let (path, labels) = marked(&folder);
    let mut loader = Loader::open(&path)
        .unwrap()
        .batch(2)
        .shuffle(3)
        .image(Image::new(20, 15).random_crop(0).hflip())
        .target("all", Target::boxes(&labels).most(30))
        .target("boxes", Target::boxes(&labels).padded(-1.0, 3))
        .target("masks", format!("masks/pad=0,3:{}", labels.display()))
        .target("points", Target::keypoints(&labels).padded(0.0, 3))
        .build()
        .unwrap();
    let mut widths = std::collections::BTreeSet::new();
    for batch in (0..4).flat_map(|epoch| loader.epoch(epoch).unwrap().collect::<Vec<_>>()) {
        let batch = batch.unwrap();
        let of = |name: &str| batch.target(name).unwrap();
        let counts: Vec<usize> =
            of("all").mask().unwrap().chunks(30).map(|all| all.iter().filter(|there| **there == 1).count()).collect();
        let most = counts.iter().max().unwrap().min(&3);
        widths.insert(*most);
        let boxes = of("boxes");
        assert_eq!(boxes.shape(), [2, *most, 4]);
        assert_eq!(of("masks").shape(), [2, *most, 15, 20]);
        assert_eq!(boxes.part("classes").unwrap().1, [2, *most]);
        assert_eq!((boxes.mask(), boxes.classes()), (of("masks").mask(), of("masks").classes()));
        for (k, count) in counts.iter().enumerate() {
            let (there, all) = (count.min(most), of("all"));
            let mine = &boxes.values().f32().unwrap()[k * most * 4..][..most * 4];
            assert_eq!(mine[..there * 4], all.values().f32().unwrap()[k * 120..][..there * 4]);
            assert!(mine[there * 4..].iter().all(|v| *v == -1.0));
            let classes = &boxes.classes().unwrap()[k * most..][..*most];
            assert_eq!(classes[..*there], all.classes().unwrap()[k * 30..][..*there]);
            assert!(classes[*there..].iter().all(|class| *class == -1));
        }
    }
    assert!(widths.len() > 1, "{widths:?}");
}

#[test]
fn padding_that_means_nothing_is_refused() {
    let folder = Folder::new();
    let path = ragged(&folder, 6);
    for text in [
        "ints/pad=0,0:json.tokens",
        "ints/pad=0.5,4:json.tokens",
        "ints/pad=0,4,5:json.tokens",
        "ints/pad=0,4,0:json.tokens",
        "ints/3/pad=0,4:json.tokens",
        "text/pad=256,4:json.says",
        "floats/pad=1e39,4:json.tokens",
        "int/pad=0,4:json.tokens",
        "ints/pad=0,99999999999999999:json.tokens",
    ] {
        let e = Loader::open(&path).unwrap().batch(4).target("a", text).build().unwrap_err();
        assert_eq!(e.code().id(), "loader.settings", "{text}: {e}");
    }
    for text in ["ints/pad=0:json.tokens", "ints/pad=,4:json.tokens", "ints/pad=0,1,2,3:json.tokens"] {
        let e = Loader::open(&path).unwrap().batch(4).target("a", text).build().unwrap_err();
        assert_eq!(e.code().id(), "usage.argument", "{text}: {e}");
    }
}
