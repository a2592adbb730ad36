//! Outlines as pixels, beside what pycocotools and Pillow make of them: `tests/fixtures/make_masks.py`.

use forebay::annotations::{Raster, Rle};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    size: [u32; 2],
    parts: Vec<Vec<f64>>,
    coco: String,
    centers: String,
}

/// The pixels of a mask, row by row.
fn pixels(mask: &Rle) -> Vec<bool> {
    let (width, height) = (mask.width() as usize, mask.height() as usize);
    let mut all = vec![false; width * height];
    let mut raster = Raster::default();
    raster.begin(width, height);
    mask.edges().iter().for_each(|[a, b]| raster.edge(*a, *b));
    raster.end(|row, columns| all[row * width..][columns].fill(true));
    assert_eq!(all.iter().filter(|on| **on).count() as u64, mask.area());
    all
}

#[test]
fn outlines_have_the_pixels_that_other_programs_give_them() {
    let path = std::env::var("MASKS").unwrap_or_else(|_| "tests/fixtures/masks.json".into());
    let cases: Vec<Case> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(cases.len() >= 40);
    let (mut all, mut coco, mut centers, mut on) = (0, 0, 0, 0);
    let mut raster = Raster::default();
    for case in &cases {
        let [width, height] = case.size.map(|side| side as usize);
        let mut found = vec![false; width * height];
        for part in &case.parts {
            raster.begin(width, height);
            raster.outline(part.as_chunks::<2>().0.iter().copied());
            raster.end(|row, columns| found[row * width..][columns].fill(true));
        }
        let read = |text: &str| pixels(&Rle::from_text(case.size[0], case.size[1], text).unwrap());
        let other = |wanted: Vec<bool>| found.iter().zip(wanted).filter(|(a, b)| **a != *b).count();
        all += found.len();
        on += found.iter().filter(|on| **on).count();
        coco += other(read(&case.coco));
        centers += other(read(&case.centers));
    }
    println!("{} cases, {all} pixels, {on} inside: {coco} other than pycocotools, {centers} than Pillow", cases.len());
    assert!(on > all / 20);
    // pycocotools moves edges by up to half a pixel; Pillow draws edges wider, here by a 32nd of a pixel.
    assert!(coco as f64 <= 0.005 * all as f64, "{coco} of {all}");
    assert!(centers as f64 <= 0.001 * all as f64, "{centers} of {all}");
}
