//! Boxes that follow the pixels of their pictures, whatever was drawn.

use forebay::{
    image::transform::Layout,
    order::{Tail, sample_key},
};
use forebay_native::loader::{Batch, Dtype, Groups, Image, Loader, OnBroken, Placement, Rect};

use crate::{common::Folder, loader::support::write};

const WIDTH: u32 = 60;
const HEIGHT: u32 = 40;

/// Where picture `i` is white.
fn spot(i: u64) -> Rect {
    let (x, y) = (i * 7 % 40, i * 11 % 24);
    Rect { x: x as f64, y: y as f64, width: 16.0, height: 13.0 }
}

/// A black picture with a white spot.
fn picture(i: u64) -> Vec<u8> {
    let (row, spot) = ((WIDTH * 3).next_multiple_of(4), spot(i));
    let mut file = b"BM".to_vec();
    file.extend((54 + row * HEIGHT).to_le_bytes());
    file.extend([0; 4]);
    file.extend(54_u32.to_le_bytes());
    file.extend(40_u32.to_le_bytes());
    file.extend(WIDTH.to_le_bytes());
    file.extend(HEIGHT.to_le_bytes());
    file.extend([1, 0, 24, 0]);
    file.extend([0; 24]);
    // The last line comes first.
    for y in (0..HEIGHT).rev() {
        let inside = |x: u32| {
            let (x, y) = (f64::from(x) - spot.x, f64::from(y) - spot.y);
            x >= 0.0 && y >= 0.0 && x < spot.width && y < spot.height
        };
        file.extend((0..row).map(|i| if i < WIDTH * 3 && inside(i / 3) { 255 } else { 0 }));
    }
    file
}

fn dataset(folder: &Folder, n: u64, broken: &[u64]) -> std::path::PathBuf {
    let payload = |i| if broken.contains(&i) { b"no picture".to_vec() } else { picture(i) };
    let members: Vec<_> = (0..n).map(|i| (format!("{i:03}.bmp"), payload(i))).collect();
    write(folder, "boxes", &members).1
}

/// Compares every pixel of a batch with where its sample's box says the spot is.
fn hold(batch: &Batch) {
    assert_eq!(batch.placements().len(), batch.len());
    let (height, width) = (batch.shape()[2], batch.shape()[3]);
    let pixels = batch.images().u8().unwrap().chunks(3 * height * width);
    for ((placement, index), pixels) in batch.placements().iter().zip(batch.indices()).zip(pixels) {
        assert_eq!((placement.full_width, placement.full_height), (WIDTH, HEIGHT));
        let spot = spot(*index);
        let ((ax, ay), (bx, by)) =
            (placement.point(spot.x, spot.y), placement.point(spot.x + spot.width, spot.y + spot.height));
        let (left, right, top, bottom) = (ax.min(bx), ax.max(bx), ay.min(by), ay.max(by));
        let part = |n: u32, size: u32| (f64::from(n), f64::from(n) + f64::from(size));
        let (across, down) = (part(placement.x, placement.width), part(placement.y, placement.height));
        // The box is the spot, cut off where the part that is shown ends.
        let shown = (left.max(across.0), right.min(across.1), top.max(down.0), bottom.min(down.1));
        match placement.rect(&spot) {
            Some(r) => {
                let off = [r.x - shown.0, r.x + r.width - shown.1, r.y - shown.2, r.y + r.height - shown.3];
                assert!(off.iter().all(|n| n.abs() < 1e-9) && r.width > 0.0 && r.height > 0.0, "{r:?} {shown:?}");
            }
            None => assert!(shown.0 >= shown.1 || shown.2 >= shown.3, "{placement:?} {spot:?}"),
        }
        // Edges are as soft as one pixel, of the picture or of the tensor.
        let soft = |size: u32, part: f64| 1.0 + f64::from(size) / part.max(1.0);
        let (sx, sy) = (soft(placement.width, placement.source.width), soft(placement.height, placement.source.height));
        for (at, level) in pixels[..height * width].iter().enumerate() {
            let (x, y) = ((at % width) as f64 + 0.5, (at / width) as f64 + 0.5);
            if x < across.0 || x > across.1 || y < down.0 || y > down.1 {
                assert_eq!(*level, 0, "{placement:?}: filled at {x}, {y}");
                continue;
            }
            let inside = ((x - left) / sx).min((right - x) / sx).min((y - top) / sy).min((bottom - y) / sy);
            if inside > 1.0 {
                assert!(*level > 250, "{placement:?} at {x}, {y}: {level}");
            } else if inside < -1.0 {
                assert!(*level < 5, "{placement:?} at {x}, {y}: {level}");
            }
        }
    }
}

#[test]
fn a_box_is_where_its_pixels_are_for_every_fit_and_every_flip() {
    let folder = Folder::new();
    let path = dataset(&folder, 40, &[]);
    let images = [
        Image::new(30, 50),
        Image::new(24, 24).center_crop(30),
        Image::new(32, 28).pad([0; 3]),
        Image::new(90, 90).letterbox([0; 3]),
        Image::new(37, 21).letterbox([0; 3]),
        Image::new(50, 36).random_crop(9),
        Image::new(32, 32).random_resized_crop(),
    ];
    let mut drawn = std::collections::BTreeSet::new();
    for image in images {
        let image = image.hflip().vflip();
        let builder = Loader::open(&path).unwrap().batch(40).shuffle(3).workers(3).image(image.clone());
        let mut loader = builder.dtype(Dtype::U8).build().unwrap();
        for epoch in 0..2 {
            for batch in loader.epoch(epoch).unwrap() {
                let batch = batch.unwrap();
                hold(&batch);
                for (placement, index) in batch.placements().iter().zip(batch.indices()) {
                    // What another language draws from the document alone.
                    assert_eq!(*placement, image.place(WIDTH, HEIGHT, sample_key(3, epoch, *index)));
                    drawn.insert((placement.mirrored, placement.flipped));
                }
            }
        }
    }
    assert_eq!(drawn.len(), 4, "every pair of flips is drawn");
}

#[test]
fn placements_stay_with_their_samples_when_others_are_left_out_or_replaced() {
    let folder = Folder::new();
    let path = dataset(&folder, 30, &[0, 7, 8, 21]);
    for policy in [OnBroken::Skip, OnBroken::Replace] {
        let image = Image::new(40, 40).random_resized_crop().hflip();
        let builder = Loader::open(&path).unwrap().batch(10).image(image).dtype(Dtype::U8).on_broken(policy);
        let mut loader = builder.build().unwrap();
        loader.epoch(0).unwrap().for_each(|batch| hold(&batch.unwrap()));
        assert_eq!(loader.skipped(), 4);
    }
    let groups = Groups::new(4, [(20, 30), (30, 20)]);
    let builder = Loader::open(&path).unwrap().batch(4).tail(Tail::Uneven).on_broken(OnBroken::Skip).groups(groups);
    let image = Image::new(8, 8).hflip().layout(Layout::Nchw);
    let mut loader = builder.image(image).dtype(Dtype::U8).build().unwrap();
    loader.epoch(0).unwrap().for_each(|batch| hold(&batch.unwrap()));
}

#[test]
fn there_are_no_placements_without_pictures() {
    let folder = Folder::new();
    let path = dataset(&folder, 4, &[]);
    let batch = Loader::open(&path).unwrap().batch(4).build().unwrap().next_batch().unwrap().unwrap();
    assert_eq!((batch.len(), batch.placements()), (4, &[] as &[Placement]));
}
