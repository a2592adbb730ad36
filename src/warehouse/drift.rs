//! How far one warehouse is from another: a distance for each thing that is counted.
//!
//! Shares and histograms have the Jensen-Shannon distance: the square root of
//! `½ Σ p log2(p / m) + ½ Σ q log2(q / m)`, where `p` and `q` are the shares of the old and the new one, and `m` is halfway
//! between them. It is 0 where the shares are the same and 1 where they have nothing in common. Other than the population
//! stability index it is the same from both sides, and needs no invented number where a bucket is empty, which with classes
//! and runs is the usual case.
//!
//! The mean of a channel has the difference of the means by the old deviation, and the deviation the difference of the
//! deviations by the old one. A deviation below one level of 8 bits counts as one level.

use std::collections::HashMap;

use serde::Serialize;

use super::statistics::{Histogram, Named, Pixels, Statistics};
use crate::words::Word as _;

/// Levels of a channel that are one bucket of its histogram.
const LEVELS: usize = 8;
const CHANNELS: [&str; 3] = ["red", "green", "blue"];
/// The rows that there can be.
pub const ROWS: [&str; 20] = [
    "frames",
    "refused",
    "runs",
    "classes",
    "boxes_per_picture",
    "box_width",
    "box_height",
    "box_area",
    "box_aspect",
    "box_x",
    "box_y",
    "red",
    "red_mean",
    "red_deviation",
    "green",
    "green_mean",
    "green_deviation",
    "blue",
    "blue_mean",
    "blue_deviation",
];
/// Names that a note lists.
const LISTED: usize = 5;

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DriftKind"))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// Shares of what has names.
    Shares,
    /// Shares of buckets.
    Histogram,
    /// One number with the other.
    Number,
}

/// A thing that is counted in both, and how far they are apart in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DriftRow"))]
#[non_exhaustive]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What is compared.
    pub kind: Kind,
    /// How far apart they are; none where neither has any.
    pub distance: Option<f64>,
    /// The distance to expect by chance alone, if each value were drawn by itself from the same source; none for numbers.
    pub chance: Option<f64>,
    /// The old number, or the mean of a histogram.
    pub old: Option<f64>,
    /// The new one.
    pub new: Option<f64>,
    /// How many values were counted in the old one and in the new one.
    pub values: [u64; 2],
    /// The names or buckets with their counts.
    pub parts: Vec<Part>,
}

/// A name or bucket.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DriftPart"))]
#[non_exhaustive]
pub struct Part {
    /// The name; of a bucket where it begins.
    pub name: String,
    /// How many in the old one.
    pub old: u64,
    /// How many in the new one.
    pub new: u64,
}

impl Part {
    /// Whether either has any. Counts of a manifest are claims, and may be too large to be added.
    pub(super) fn is_filled(&self) -> bool {
        self.old > 0 || self.new > 0
    }
}

impl Row {
    /// The shares of a part, from 0 to 1.
    pub fn shares(&self, part: &Part) -> [f64; 2] {
        let share = |n: u64, all: u64| if all == 0 { 0.0 } else { n as f64 / all as f64 };
        [share(part.old, self.values[0]), share(part.new, self.values[1])]
    }
    /// The part whose share changed the most.
    pub fn worst(&self) -> Option<&Part> {
        let change = |part: &Part| {
            let [old, new] = self.shares(part);
            (new - old).abs()
        };
        self.parts.iter().reduce(|a, b| if change(b) > change(a) { b } else { a })
    }
}

/// A warehouse beside another, the rows that differ most first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseDrift"))]
#[non_exhaustive]
pub struct Drift {
    /// The versions of both.
    pub versions: [String; 2],
    /// The samples of both.
    pub samples: [u64; 2],
    /// The boxes of both.
    pub boxes: [u64; 2],
    /// What is compared.
    pub rows: Vec<Row>,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

impl Drift {
    /// The rows that are further apart than this.
    pub fn above(&self, most: f64) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.distance.is_some_and(|distance| distance > most))
    }
}

/// Compares a warehouse with an earlier one.
pub fn compare(old: &Statistics, new: &Statistics) -> Drift {
    let mut notes = transforms(old, new);
    let mut rows = vec![shares("frames", &old.frames, &new.frames)];
    if let (Some(old), Some(new)) = (&old.refused, &new.refused) {
        rows.push(shares("refused", old, new));
    }
    rows.push(shares("runs", &old.runs, &new.runs));
    match (&old.classes, &new.classes) {
        (Some(old), Some(new)) => {
            rows.push(shares("classes", old, new));
            notes.extend(only("class", "the old one", old, new));
            notes.extend(only("class", "the new one", new, old));
        }
        (None, None) => {}
        (found, _) => {
            let which = if found.is_some() { "new" } else { "old" };
            notes.push(format!(
                "the {which} one does not say which classes its boxes have, so classes are not compared"
            ));
        }
    }
    for (name, old, new) in [
        ("boxes_per_picture", &old.boxes_per_picture, &new.boxes_per_picture),
        ("box_width", &old.box_width, &new.box_width),
        ("box_height", &old.box_height, &new.box_height),
        ("box_area", &old.box_area, &new.box_area),
        ("box_aspect", &old.box_aspect, &new.box_aspect),
        ("box_x", &old.box_x, &new.box_x),
        ("box_y", &old.box_y, &new.box_y),
    ] {
        rows.push(histogram(name, old, new));
    }
    if let (Some(old), Some(new)) = (&old.pixels, &new.pixels) {
        rows.extend((0..3).flat_map(|channel| pixels(channel, old, new)));
    }
    for (which, side) in [("old", old), ("new", new)] {
        if side.odd_boxes > 0 {
            notes.push(format!("{} boxes of the {which} one are invalid, and left out", side.odd_boxes));
        }
        if let Some(odd) = side.pixels.as_ref().map(|pixels| pixels.odd).filter(|odd| *odd > 0) {
            notes.push(format!("{odd} values of pixels of the {which} one are not from 0 to 1, and left out"));
        }
    }
    rows.sort_by(|a, b| b.distance.unwrap_or(-1.0).total_cmp(&a.distance.unwrap_or(-1.0)));
    Drift {
        versions: [old.version.clone(), new.version.clone()],
        samples: [old.samples, new.samples],
        boxes: [old.boxes, new.boxes],
        rows,
        notes,
    }
}

/// What was done to the pictures in different ways, which by itself makes boxes and pixels differ.
fn transforms(old: &Statistics, new: &Statistics) -> Vec<String> {
    let size = |s: &Statistics| s.transform.target_size.map_or("any size".into(), |[w, h]| format!("{w}x{h}"));
    let differ = [
        ("image size", size(old), size(new)),
        ("they are resized by", old.transform.resize_mode.word().into(), new.transform.resize_mode.word().into()),
        ("places for boxes", old.transform.max_boxes.to_string(), new.transform.max_boxes.to_string()),
    ];
    let differ = differ.into_iter().filter(|(_, old, new)| old != new);
    differ.map(|(what, old, new)| format!("{what}: {old} in the old one, {new} in the new one")).collect()
}

/// The names that only one has.
fn only(what: &str, which: &str, here: &[Named], there: &[Named]) -> Option<String> {
    let there: std::collections::HashSet<&str> =
        there.iter().filter(|n| n.count > 0).map(|n| n.name.as_str()).collect();
    let mut names: Vec<&str> =
        here.iter().filter(|n| n.count > 0 && !there.contains(n.name.as_str())).map(|n| n.name.as_str()).collect();
    let more = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("{what} only in {which}: {}{more}", names.join(", ")))
}

fn shares(name: &str, old: &[Named], new: &[Named]) -> Row {
    let mut parts: Vec<Part> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (side, all) in [old, new].into_iter().enumerate() {
        for named in all {
            let at = *places.entry(&named.name).or_insert(parts.len());
            if at == parts.len() {
                parts.push(Part { name: named.name.clone(), old: 0, new: 0 });
            }
            if let Some(part) = parts.get_mut(at) {
                let count = if side == 0 { &mut part.old } else { &mut part.new };
                *count = count.saturating_add(named.count);
            }
        }
    }
    distribution(name, Kind::Shares, parts)
}

fn histogram(name: &str, old: &Histogram, new: &Histogram) -> Row {
    let parts = old.from.iter().zip(&old.counts).zip(&new.counts);
    let parts = parts.map(|((from, old), new)| Part { name: from.to_string(), old: *old, new: *new });
    Row { old: old.mean(), new: new.mean(), ..distribution(name, Kind::Histogram, parts.collect()) }
}

fn pixels(channel: usize, old: &Pixels, new: &Pixels) -> Vec<Row> {
    let name = CHANNELS[channel];
    let bucket = |pixels: &Pixels, k: usize| pixels.levels[channel].iter().skip(k * LEVELS).take(LEVELS).sum();
    let parts = (0..256 / LEVELS).map(|k| {
        let from = (k * LEVELS).to_string();
        Part { name: from, old: bucket(old, k), new: bucket(new, k) }
    });
    // Pixels of a picture are anything but drawn one by one.
    let mut rows = vec![Row { chance: None, ..distribution(name, Kind::Histogram, parts.collect()) }];
    if let (Some(old), Some(new)) = (old.spread(channel), new.spread(channel)) {
        (rows[0].old, rows[0].new) = (Some(old[0] * 255.0), Some(new[0] * 255.0));
        let unit = old[1].max(1.0 / 255.0);
        rows.extend(["mean", "deviation"].iter().zip(old.iter().zip(new)).map(|(what, (old, new))| Row {
            name: format!("{name}_{what}"),
            kind: Kind::Number,
            distance: Some(rounded((new - old).abs() / unit)),
            chance: None,
            old: Some(*old),
            new: Some(new),
            values: [0, 0],
            parts: Vec::new(),
        }));
    }
    rows
}

fn distribution(name: &str, kind: Kind, parts: Vec<Part>) -> Row {
    let total = |of: fn(&Part) -> u64| parts.iter().fold(0u64, |sum, part| sum.saturating_add(of(part)));
    let values = [total(|part| part.old), total(|part| part.new)];
    let mut row = Row { name: name.into(), kind, distance: None, chance: None, old: None, new: None, values, parts };
    row.distance = match values {
        [0, 0] => None,
        // Nothing is as far from something as can be.
        [0, _] | [_, 0] => Some(1.0),
        _ => Some(jensen_shannon(&row)),
    };
    let filled = row.parts.iter().filter(|part| part.is_filled()).count();
    if values.iter().all(|n| *n > 0) {
        // The expected divergence of two draws from one source, to first order in one by the number of values.
        let spread = filled.saturating_sub(1) as f64 * (1.0 / values[0] as f64 + 1.0 / values[1] as f64);
        row.chance = Some(rounded((spread / (8.0 * std::f64::consts::LN_2)).sqrt().min(1.0)));
    }
    row
}

fn jensen_shannon(row: &Row) -> f64 {
    let term = |p: f64, m: f64| if p > 0.0 { p * (p / m).log2() } else { 0.0 };
    let divergence = row.parts.iter().map(|part| {
        let [p, q] = row.shares(part);
        let m = (p + q) / 2.0;
        (term(p, m) + term(q, m)) / 2.0
    });
    rounded(divergence.sum::<f64>().clamp(0.0, 1.0).sqrt())
}

/// To a millionth: logarithms differ by their last bit from host to host.
fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(counts: &[(&str, u64)]) -> Vec<Named> {
        let named = |(name, count): &(&str, u64)| serde_json::json!({ "name": name, "count": count });
        serde_json::from_value(counts.iter().map(named).collect()).unwrap()
    }

    #[test]
    fn the_distance_is_0_for_the_same_1_for_nothing_in_common_and_the_same_from_both_sides() {
        let a = named(&[("car", 30), ("dog", 60)]);
        let reordered = named(&[("dog", 2), ("car", 1)]);
        assert_eq!(shares("classes", &a, &reordered).distance, Some(0.0));
        assert_eq!(shares("classes", &a, &named(&[("bus", 5)])).distance, Some(1.0));
        let b = named(&[("car", 1), ("dog", 1), ("bus", 2)]);
        let (there, back) = (shares("x", &a, &b), shares("x", &b, &a));
        assert_eq!(there.distance, back.distance);
        // By hand: p = (1/3, 2/3, 0), q = (1/4, 1/4, 1/2).
        assert!((there.distance.unwrap() - 0.570_254).abs() < 1e-6, "{:?}", there.distance);
        assert_eq!(there.worst().unwrap().name, "bus");
    }

    #[test]
    fn nothing_is_as_far_as_can_be_from_something_and_not_compared_with_nothing() {
        let a = named(&[("car", 3)]);
        assert_eq!(shares("x", &a, &[]).distance, Some(1.0));
        assert_eq!(shares("x", &[], &a).distance, Some(1.0));
        assert_eq!(shares("x", &[], &named(&[("car", 0)])).distance, None);
    }

    #[test]
    fn chance_is_about_what_draws_from_one_source_give() {
        let mut random = 1u64;
        let mut draw = |n: u64| {
            let mut counts = [0u64; 8];
            for _ in 0..n {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                counts[(random >> 61) as usize] += 1;
            }
            counts
        };
        let mut square = 0.0;
        let mut chance = 0.0;
        for _ in 0..200 {
            let (old, new) = (draw(400), draw(300));
            let part = |k: usize| Part { name: k.to_string(), old: old[k], new: new[k] };
            let row = distribution("x", Kind::Shares, (0..8).map(part).collect());
            square += row.distance.unwrap().powi(2) / 200.0;
            chance = row.chance.unwrap();
        }
        assert!((square.sqrt() / chance - 1.0).abs() < 0.15, "{} is not about {chance}", square.sqrt());
    }
}
