//! What a warehouse consists of: frames by cause, runs, classes, boxes and pixels, as counts that fit on a page.
//!
//! Everything is counted in buckets whose edges never change, and pixels as levels of 8 bits, which is what pictures were
//! before they were tensors. So the same samples give the same counts in every host, and the same pixels whether they are
//! stored as f32, f16 or u8, in either byte order. Sizes and aspects are summed up in the order of the samples.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Counts, Dtype, Manifest, SampleRecord, Shape, Transform, element::to_f32, write::is_box};

/// Classes and runs that are counted apart; further ones are counted together.
const NAMES_KEPT: usize = 10_000;
/// Values of pixels that are looked at at a time.
const RUN: usize = 1024;
/// What stands for names that are not kept.
const OTHERS: &str = "(others)";

const PER_PICTURE: &[f64] =
    &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 9.0, 13.0, 17.0, 25.0, 33.0, 49.0, 65.0, 97.0, 129.0, 257.0];
// Edges of sizes and places are numbers that f16 holds, so that few boxes change their bucket for being rounded to it.
const SIDE: &[f64] =
    &[0.0, 0.0078125, 0.015625, 0.03125, 0.0625, 0.09375, 0.125, 0.1875, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875];
const AREA: &[f64] = &[
    0.0,
    0.000_061_035_156_25,
    0.000_244_140_625,
    0.000_976_562_5,
    0.001_953_125,
    0.003_906_25,
    0.007_812_5,
    0.015_625,
    0.031_25,
    0.062_5,
    0.125,
    0.25,
    0.375,
    0.5,
    0.75,
];
/// Each half an octave wide, with the square in the middle of one.
const ASPECT: &[f64] = &[
    0.0, 0.105112, 0.148651, 0.210224, 0.297302, 0.420448, 0.594604, 0.840896, 1.189207, 1.681793, 2.378414, 3.363586,
    4.756828, 6.727171, 9.513657,
];
const PLACE: &[f64] =
    &[0.0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.5625, 0.625, 0.6875, 0.75, 0.8125, 0.875, 0.9375];

/// How many there are of what has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NamedCount"))]
#[non_exhaustive]
pub struct Named {
    /// The name.
    pub name: String,
    /// How many.
    pub count: u64,
}

/// Counts between edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EdgeCounts"))]
#[non_exhaustive]
pub struct Histogram {
    /// Where buckets begin; the last has no end.
    pub from: Vec<f64>,
    /// What is in each.
    pub counts: Vec<u64>,
    /// The sum of all values.
    pub sum: f64,
}

impl Histogram {
    fn new(edges: &[f64]) -> Self {
        Histogram { from: edges.to_vec(), counts: vec![0; edges.len()], sum: 0.0 }
    }
    fn add(&mut self, value: f64) {
        let bucket = self.from.partition_point(|&from| from <= value).saturating_sub(1);
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
            self.sum += value;
        }
    }
    /// How many values there are.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }
    /// Their mean; none of none.
    pub fn mean(&self) -> Option<f64> {
        let total = self.total();
        (total > 0).then(|| self.sum / total as f64)
    }
}

/// The pixels of some samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PixelLevels"))]
#[non_exhaustive]
pub struct Pixels {
    /// Samples 0, `every`, 2 `every` and so on are looked at.
    pub every: u64,
    /// How many that are.
    pub samples: u64,
    /// Values that are not from 0 to 1, and left out.
    pub odd: u64,
    /// How many pixels have each of the 256 levels: of red, green and blue.
    pub levels: [Vec<u64>; 3],
}

impl Pixels {
    /// Mean and deviation of a channel, from 0 to 1; none where there are no pixels.
    pub fn spread(&self, channel: usize) -> Option<[f64; 2]> {
        let levels = self.levels.get(channel)?;
        let (mut n, mut sum, mut squares) = (0u128, 0u128, 0u128);
        for (level, count) in levels.iter().enumerate().take(256) {
            let (level, count) = (level as u128, u128::from(*count));
            (n, sum, squares) = (n + count, sum + level * count, squares + level * level * count);
        }
        if n == 0 {
            return None;
        }
        // Whole numbers, so that nothing is rounded before the end.
        let variance = (n * squares).saturating_sub(sum * sum) as f64 / (n as f64 * n as f64);
        Some([sum as f64 / n as f64 / 255.0, variance.sqrt() / 255.0])
    }
}

/// Counts of a warehouse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseStatistics"))]
#[non_exhaustive]
pub struct Statistics {
    /// Its version.
    pub version: String,
    /// What was done to its pictures.
    pub transform: Transform,
    /// The type of its pixels.
    pub dtype: Dtype,
    /// How many samples it has.
    pub samples: u64,
    /// How many boxes.
    pub boxes: u64,
    /// Boxes that are none: a corner is not from 0 to 1, or they end before they begin. They are in no histogram.
    pub odd_boxes: u64,
    /// Boxes without width or height: they have no aspect.
    pub flat_boxes: u64,
    /// The frames of the input by what became of them.
    pub frames: Vec<Named>,
    /// Frames that were refused, by cause, and those that were not; none where the manifest does not say.
    pub refused: Option<Vec<Named>>,
    /// Frames of each run, as the manifest counts them.
    pub runs: Vec<Named>,
    /// Boxes of each class; none where no sample says what its boxes are.
    pub classes: Option<Vec<Named>>,
    /// Boxes of a sample.
    pub boxes_per_picture: Histogram,
    /// Widths of boxes, of the picture's.
    pub box_width: Histogram,
    /// Heights of boxes, of the picture's.
    pub box_height: Histogram,
    /// Areas of boxes, of the picture's.
    pub box_area: Histogram,
    /// Width by height of boxes, in pixels of the stored picture.
    pub box_aspect: Histogram,
    /// Where the middles of boxes are, from the left.
    pub box_x: Histogram,
    /// Where the middles of boxes are, from the top.
    pub box_y: Histogram,
    /// The pixels of some samples; none where they were not asked for.
    pub pixels: Option<Pixels>,
}

/// Counts what has names, a bounded number of them apart.
#[derive(Debug, Default)]
struct Names {
    counts: HashMap<String, u64>,
    others: u64,
}

impl Names {
    fn add(&mut self, name: &str, count: u64) {
        if let Some(n) = self.counts.get_mut(name) {
            *n = n.saturating_add(count);
        } else if self.counts.len() < NAMES_KEPT {
            self.counts.insert(name.to_owned(), count);
        } else {
            self.others = self.others.saturating_add(count);
        }
    }
    /// The most frequent first, then by name.
    fn finish(self) -> Vec<Named> {
        let mut all: Vec<_> = self.counts.into_iter().map(|(name, count)| Named { name, count }).collect();
        all.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        if self.others > 0 {
            all.push(Named { name: OTHERS.into(), count: self.others });
        }
        all
    }
}

/// Counts the samples of a warehouse as they come.
#[derive(Debug)]
pub(super) struct Counter {
    found: Statistics,
    names: Vec<String>,
    classes: Names,
    /// Some sample says of its boxes what they are.
    classified: bool,
    values: Vec<f32>,
}

impl Counter {
    /// For the samples of this manifest's warehouse; of its pixels every so-manieth, none for 0.
    pub fn new(manifest: &Manifest, every: u64) -> Self {
        let totals = &manifest.summary.totals;
        let pixels = Pixels { every, samples: 0, odd: 0, levels: std::array::from_fn(|_| vec![0; 256]) };
        Counter {
            found: Statistics {
                version: manifest.version.clone(),
                transform: manifest.transform.clone(),
                dtype: manifest.default_dtype,
                samples: 0,
                boxes: 0,
                odd_boxes: 0,
                flat_boxes: 0,
                frames: frames(totals),
                refused: refused(totals),
                runs: runs(manifest),
                classes: None,
                boxes_per_picture: Histogram::new(PER_PICTURE),
                box_width: Histogram::new(SIDE),
                box_height: Histogram::new(SIDE),
                box_area: Histogram::new(AREA),
                box_aspect: Histogram::new(ASPECT),
                box_x: Histogram::new(PLACE),
                box_y: Histogram::new(PLACE),
                pixels: (every > 0).then_some(pixels),
            },
            names: manifest.classes.clone().unwrap_or_default(),
            classes: Names::default(),
            classified: false,
            values: vec![0.0; RUN],
        }
    }

    /// Counts a sample by its boxes, those that are there.
    pub fn add(&mut self, record: Option<&SampleRecord>, shape: &Shape, boxes: &[[f32; 4]]) {
        let found = &mut self.found;
        found.samples += 1;
        found.boxes += boxes.len() as u64;
        found.boxes_per_picture.add(boxes.len() as f64);
        let classes = record.map(|record| record.classes.as_slice()).unwrap_or_default();
        self.classified |= !classes.is_empty();
        for (k, corners) in boxes.iter().enumerate() {
            match classes.get(k).copied().flatten() {
                Some(class) => match self.names.get(class as usize) {
                    Some(name) => self.classes.add(name, 1),
                    None => self.classes.add(&format!("class {class}"), 1),
                },
                None => self.classes.add("(no class)", 1),
            }
            if !is_box(corners) {
                found.odd_boxes += 1;
                continue;
            }
            let [left, top, right, bottom] = corners.map(f64::from);
            let (width, height) = (right - left, bottom - top);
            found.box_width.add(width);
            found.box_height.add(height);
            found.box_area.add(width * height);
            found.box_x.add((left + right) / 2.0);
            found.box_y.add((top + bottom) / 2.0);
            if width > 0.0 && height > 0.0 {
                let stored = f64::from(shape.width) / f64::from(shape.height).max(1.0);
                found.box_aspect.add(width / height * stored);
            } else {
                found.flat_boxes += 1;
            }
        }
    }

    /// Counts the pixels of a sample.
    pub fn add_pixels(&mut self, shape: &Shape, image: &[u8]) {
        let Some(pixels) = &mut self.found.pixels else { return };
        pixels.samples += 1;
        let size = shape.dtype.size() as usize;
        for (plane, levels) in image.chunks((image.len() / 3).max(1)).zip(&mut pixels.levels) {
            for run in plane.chunks(RUN * size) {
                let Some(values) = self.values.get_mut(..run.len() / size) else { continue };
                to_f32(shape.dtype, shape.endianness, run, values);
                for value in values {
                    // What is not a number is in no range.
                    match (0.0..=1.0).contains(value) {
                        true => levels[usize::from((*value * 255.0).round() as u8)] += 1,
                        false => pixels.odd += 1,
                    }
                }
            }
        }
    }

    /// What was counted.
    pub fn finish(mut self) -> Statistics {
        self.found.classes = (self.classified || self.found.boxes == 0).then(|| self.classes.finish());
        self.found
    }
}

fn named(name: &str, count: u64) -> Named {
    Named { name: name.into(), count }
}

fn frames(totals: &Counts) -> Vec<Named> {
    vec![
        named("with boxes", totals.non_empty),
        named("empty", totals.empty),
        named("missing image", totals.missing_image),
        named("missing file", totals.missing_file),
        named("invalid", totals.invalid),
    ]
}

/// The extension of our own builder.
fn refused(totals: &Counts) -> Option<Vec<Named>> {
    let causes = totals.other.get("refused")?.as_object()?;
    let causes = causes.iter().take(NAMES_KEPT).map(|(cause, count)| named(cause, count.as_u64().unwrap_or(0)));
    Some(std::iter::once(named("taken", totals.total)).chain(causes).collect())
}

/// The runs, by their names below the input: that may have been moved.
fn runs(manifest: &Manifest) -> Vec<Named> {
    let mut names = Names::default();
    for run in &manifest.summary.runs {
        let name = manifest.run_below(&run.run_dir);
        names.add(if name.is_empty() { "." } else { name }, run.total);
    }
    names.finish()
}
