//! Mosaics, MixUp and CutMix: pixels with their boxes, masks, key points and labels, and the same whatever the ranks are.

use forebay::image::transform::Resampling;
use forebay_native::loader::{Annotations, Batch, Builder, Image, Loader, Mixing, Mosaic, OnBroken, Piece, Target};

use crate::{
    common::Folder,
    loader::{
        support::{members, table, write},
        targets::marked,
    },
};

const CUTMIX: Mixing = Mixing::CutMix { alpha: 1.0 };
/// Places for the objects of two mosaics of nine.
const PLACES: usize = 60;
const MIXUP: Mixing = Mixing::MixUp { alpha: 1.0 };

fn nearest(width: u32, height: u32) -> Image {
    Image::new(width, height).resampling(Resampling::Nearest).letterbox([0; 3]).hflip()
}

#[test]
fn objects_follow_their_pictures_into_mosaics_and_cuts() {
    let folder = Folder::new();
    let (path, labels) = marked(&folder);
    let (w, h) = (72_usize, 60_usize);
    let open = || {
        Loader::open(&path)
            .unwrap()
            .batch(4)
            .shuffle(3)
            .image(nearest(72, 60))
            .annotations(Annotations::file(&labels))
            .max_boxes(PLACES as u32)
            .target("boxes", Target::boxes(&labels).most(PLACES))
            .target("every", Target::boxes(&labels).ragged())
            .target("masks", Target::masks(&labels).most(PLACES))
            .target("classes", Target::semantic(&labels))
            .target("points", Target::keypoints(&labels).most(PLACES))
    };
    let mosaic = Mosaic::new().scale(0.5, 1.2);
    let loaders = [
        open().mosaic(mosaic),
        open().mixed(CUTMIX, 1.0),
        open().mosaic(mosaic.chance(0.5)).mixed(CUTMIX, 0.5),
        open().mosaic(Mosaic::nine().scale(0.2, 0.9)).mixed(CUTMIX, 0.5),
    ];
    for builder in loaders {
        let mut loader = builder.build().unwrap();
        let (mut same, mut pixels, mut points_seen, mut several, mut edges) = (0, 0, 0, 0, 0);
        for epoch in 0..6 {
            for batch in loader.epoch(epoch).unwrap() {
                let batch = batch.unwrap();
                let of = |name: &str| batch.target(name).unwrap();
                let (boxes, masks, points) = (of("boxes"), of("masks"), of("points"));
                assert_eq!((boxes.mask(), boxes.classes()), (masks.mask(), masks.classes()));
                let objects = boxes.mask().unwrap().iter().filter(|there| **there == 1).count();
                assert_eq!(of("every").shape(), [objects, 4]);
                for k in 0..4 {
                    several += usize::from(batch.pieces(k).len() > 1);
                    assert_eq!(batch.pieces(k)[0].item.index, batch.indices()[k]);
                    assert_eq!(batch.pieces(k)[0].placement, batch.placements()[k]);
                    let image = &batch.images().f32().unwrap()[k * 3 * h * w..][..h * w];
                    let semantic = &of("classes").values().u8().unwrap()[k * h * w..][..h * w];
                    let there = (0..PLACES).filter(|j| boxes.mask().unwrap()[k * PLACES + j] == 1);
                    // Pictures are white where the class 0 is, and nowhere else.
                    for at in 0..w * h {
                        let (x, y) = ((at % w) as f64 + 0.5, (at / w) as f64 + 0.5);
                        let owner = batch.pieces(k).iter().find(|piece| {
                            let p = &piece.placement;
                            let inside = |at: f64, from: u32, n: u32| at > f64::from(from) && at < f64::from(from + n);
                            p.shown.has(x, y) && inside(x, p.x, p.width) && inside(y, p.y, p.height)
                        });
                        let from = owner.and_then(|piece| piece.placement.map().inverse()?.point(x, y));
                        // On the edge between two pixels of the picture either may be the nearest.
                        let on_edge = |v: f64| (v - v.round()).abs() < 1e-4;
                        if from.is_some_and(|(u, v)| on_edge(u) || on_edge(v)) {
                            edges += 1;
                            continue;
                        }
                        pixels += 1;
                        same += usize::from((semantic[at] == 1) == (image[at] > 0.5));
                    }
                    for j in there {
                        let class = boxes.classes().unwrap()[k * PLACES + j];
                        let corners = &boxes.values().f32().unwrap()[(k * PLACES + j) * 4..][..4];
                        let mask = &masks.values().u8().unwrap()[(k * PLACES + j) * h * w..][..h * w];
                        for at in (0..w * h).filter(|at| mask[*at] == 1) {
                            let (x, y) = ((at % w) as f32 + 0.5, (at / w) as f32 + 0.5);
                            assert!(x >= corners[0] * w as f32 && x <= corners[2] * w as f32, "{x} {corners:?}");
                            assert!(y >= corners[1] * h as f32 && y <= corners[3] * h as f32, "{y} {corners:?}");
                        }
                        let points = &points.values().f32().unwrap()[(k * PLACES + j) * 9..][..9];
                        for point in points.chunks(3).filter(|point| point[2] > 0.0) {
                            assert_eq!(class, 1);
                            points_seen += 1;
                            let (x, y) = (point[0] * w as f32, point[1] * h as f32);
                            let owner = |piece: &&Piece| {
                                let p = &piece.placement;
                                let inside = |at: f32, from: u32, n: u32| at >= from as f32 && at <= (from + n) as f32;
                                p.shown.has(x.into(), y.into()) && inside(x, p.x, p.width) && inside(y, p.y, p.height)
                            };
                            assert!(batch.pieces(k).iter().any(|piece| owner(&piece)), "{x} {y}");
                        }
                    }
                    // Boxes by `annotations` are the same ones, in the same places.
                    let whole = &boxes.values().f32().unwrap()[k * PLACES * 4..][..PLACES * 4];
                    let first = &batch.boxes()[k * batch.places() * 4..][..PLACES * 4];
                    assert_eq!(whole, first);
                }
            }
        }
        assert!(several > 20 && points_seen > 10, "{several} {points_seen}");
        assert!(same as f64 >= 0.999 * pixels as f64, "{same} of {pixels} pixels");
        assert!(edges < pixels / 4, "{edges} beside {pixels}");
    }
}

/// What there is to a batch.
fn all(batch: &Batch) -> (Vec<f32>, Vec<Vec<Piece>>, Vec<i64>, Vec<f32>) {
    let pieces = (0..batch.len()).map(|k| batch.pieces(k).to_vec()).collect();
    let soft = batch.soft_labels(3).unwrap();
    (batch.images().f32().unwrap().to_vec(), pieces, batch.labels().to_vec(), soft)
}

fn samples(builder: Builder, epoch: u64) -> Vec<(u64, Vec<f32>, Vec<u64>)> {
    let mut found = Vec::new();
    for batch in builder.build().unwrap().epoch(epoch).unwrap() {
        let batch = batch.unwrap();
        let each = batch.images().len() / batch.len();
        for (k, image) in batch.images().f32().unwrap().chunks(each).enumerate() {
            let pieces = batch.pieces(k).iter().map(|piece| piece.item.index).collect();
            found.push((batch.items()[k].position, image.to_vec(), pieces));
        }
    }
    found.sort_by_key(|(position, ..)| *position);
    found
}

#[test]
fn tensors_are_the_same_on_any_number_of_ranks_and_workers_and_after_resuming() {
    let folder = Folder::new();
    let path = table(&folder, 24);
    let open = |batch: u64, rank: u64, world: u64, workers: usize| {
        Loader::open(&path)
            .unwrap()
            .batch(batch)
            .shuffle(9)
            .shard(rank, world)
            .workers(workers)
            .image(Image::new(10, 9).letterbox([7; 3]).hflip())
            .labels("cls")
            .mosaic(Mosaic::new().chance(0.6))
            .mixed(Mixing::Either { mixup: 0.4, cutmix: 1.0 }, 0.6)
    };
    let alone = samples(open(12, 0, 1, 1), 2);
    assert_eq!(alone.len(), 24);
    assert!(alone.iter().any(|(_, _, pieces)| pieces.len() == 8) && alone.iter().any(|(.., pieces)| pieces.len() == 1));
    assert_eq!(samples(open(4, 0, 1, 3), 2), alone);
    let mut ranks: Vec<_> = (0..3).flat_map(|rank| samples(open(4, rank, 3, 2), 2)).collect();
    ranks.sort_by_key(|(position, ..)| *position);
    assert_eq!(ranks, alone);

    let mut whole = open(4, 0, 1, 2).build().unwrap();
    let mut broken_off = open(4, 0, 1, 2).build().unwrap();
    let wanted: Vec<_> = whole.epoch(1).unwrap().map(|batch| all(&batch.unwrap())).collect();
    let mut found: Vec<_> = broken_off.epoch(1).unwrap().take(2).map(|batch| all(&batch.unwrap())).collect();
    let mut resumed = open(2, 0, 2, 1).resume(broken_off.state()).build().unwrap();
    let mut other = open(2, 1, 2, 1).resume(broken_off.state()).build().unwrap();
    for (left, right) in resumed.epoch(1).unwrap().zip(other.epoch(1).unwrap()) {
        let (mut left, right) = (all(&left.unwrap()), all(&right.unwrap()));
        left.0.extend(right.0);
        left.1.extend(right.1);
        left.2.extend(right.2);
        left.3.extend(right.3);
        found.push(left);
    }
    assert_eq!(found, wanted);
}

#[test]
fn labels_become_shares_of_the_pictures_that_are_seen() {
    let folder = Folder::new();
    let path = table(&folder, 12);
    let open = || Loader::open(&path).unwrap().batch(6).shuffle(1).labels("cls").image(Image::new(9, 9));
    let mut mixed = 0;
    for (builder, most) in [(open().mixed(MIXUP, 0.5), 2), (open().mosaic(Mosaic::new()), 4), (open(), 1)] {
        let mut loader = builder.build().unwrap();
        for batch in loader.epoch(0).unwrap() {
            let batch = batch.unwrap();
            let soft = batch.soft_labels(3).unwrap();
            for (k, row) in soft.chunks(3).enumerate() {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
                assert!(batch.pieces(k).len() <= most);
                let own = batch.pieces(k).first().map_or(1.0, |piece| piece.share as f32);
                assert!(row[batch.labels()[k] as usize] >= own - 1e-6);
                mixed += usize::from(row.iter().filter(|share| **share > 0.0).count() > 1);
            }
            assert_eq!(batch.soft_labels(2).unwrap_err().code().id(), "loader.settings");
        }
    }
    assert!(mixed > 6, "{mixed}");
    let unlabeled = Loader::open(&path).unwrap().batch(6).image(Image::new(9, 9)).mixed(MIXUP, 0.5);
    let batch = unlabeled.build().unwrap().next_batch().unwrap().unwrap();
    assert!(batch.soft_labels(3).unwrap_err().message().contains("no labels"));
    assert!(open().build().unwrap().next_batch().unwrap().unwrap().soft_labels(0).is_err());
}

#[test]
fn a_broken_partner_is_passed_over_where_broken_samples_are_forgiven() {
    let folder = Folder::new();
    let mut files = members(9);
    // The picture of sample 4 is cut off.
    let broken = files.iter().position(|(name, _)| name == "set/0004.bmp").unwrap();
    files[broken].1.truncate(60);
    let (path, _) = write(&folder, "broken", &files);
    let open =
        || Loader::open(&path).unwrap().batch(3).shuffle(5).image(Image::new(8, 8)).labels("cls").mosaic(Mosaic::new());
    assert!(open().build().unwrap().epoch(0).unwrap().any(|batch| batch.is_err()));
    for policy in [OnBroken::Skip, OnBroken::Replace] {
        let mut loader = open().on_broken(policy).build().unwrap();
        let mut samples = 0;
        for epoch in 0..5 {
            for batch in loader.epoch(epoch).unwrap() {
                let batch = batch.unwrap();
                samples += batch.len();
                for k in 0..batch.len() {
                    assert_eq!(batch.pieces(k).len(), 4);
                    assert!(batch.pieces(k).iter().all(|piece| piece.item.index != 4), "{:?}", batch.pieces(k));
                }
            }
        }
        // Only its own turn counts.
        assert_eq!(loader.skipped(), 5);
        assert_eq!(samples, if policy == OnBroken::Skip { 40 } else { 45 });
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = Folder::new();
    let path = table(&folder, 6);
    let open = || Loader::open(&path).unwrap().batch(2);
    let code = |builder: Builder| builder.build().unwrap_err().code().id();
    assert_eq!(code(open().mosaic(Mosaic::new())), "loader.settings");
    assert_eq!(code(open().mixed(MIXUP, 1.0)), "loader.settings");
    let image = || open().image(Image::new(8, 8));
    assert_eq!(code(image().mosaic(Mosaic::new().chance(2.0))), "image.recipe");
    assert_eq!(code(image().mixed(Mixing::MixUp { alpha: -1.0 }, 1.0)), "image.recipe");
    assert_eq!(code(image().mosaic(Mosaic::new()).target("other", Target::picture(&path))), "loader.settings");
}
