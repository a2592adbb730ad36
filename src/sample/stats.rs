//! What a dataset consists of: counts, sizes, shapes and classes, from the index alone.
//!
//! [`Stats`] takes samples one by one in bounded memory; parts that were counted in parallel are
//! [merged](Stats::merge). The [`report`](Stats::report) is plain data: for the viewer's facets, and for the command's
//! text and JSON.
//!
//! ```
//! use forebay::sample::{MediaFormat, SampleInfo, stats::Stats};
//! let mut stats = Stats::default();
//! for i in 0..4 {
//!     let mut info = SampleInfo::new(i, MediaFormat::Jpeg);
//!     (info.width, info.height, info.bytes, info.stored_bytes) = (500, 375, 90_000 + i, 90_000);
//!     stats.add(&info, Some(if i == 0 { "cat" } else { "dog" }));
//! }
//! let report = stats.report();
//! assert_eq!((report.samples, report.width.as_ref().unwrap().mean), (4, 500.0));
//! assert_eq!((report.classes.top[0].label.as_str(), report.classes.top[0].samples), ("dog", 3));
//! assert_eq!(report.width_histogram.buckets[0].from, 448.0);
//! ```

use std::collections::HashMap;

use serde::Serialize;

use super::model::{MediaFormat, SampleInfo};

/// Distinct labels that are counted apart; samples of further ones are counted together.
pub const LABELS_KEPT: usize = 10_000;
/// A longer label is not a class name; it counts among the further ones.
const LABEL_BYTES: usize = 256;

/// Widths and heights at which buckets begin: the sizes that models and cameras use.
const PIXEL_EDGES: &[f64] = &[
    1.0, 16.0, 32.0, 64.0, 96.0, 128.0, 160.0, 192.0, 224.0, 256.0, 320.0, 384.0, 448.0, 512.0, 640.0, 768.0, 1024.0,
    1280.0, 1536.0, 2048.0, 3072.0, 4096.0, 6144.0, 8192.0, 16384.0, 32768.0, 65536.0,
];
const ASPECT_EDGES: &[f64] = &[0.0, 0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6, 1.8, 2.0, 2.5, 4.0];
/// 0, then the powers of two to 1 TiB.
const BYTE_EDGES: &[f64] = &{
    let mut edges = [0.0; 42];
    let mut k = 0;
    while k < 41 {
        edges[k + 1] = (1_u64 << k) as f64;
        k += 1;
    }
    edges
};

/// Counts samples as they come.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    samples: u64,
    bytes: Range,
    stored_bytes: u64,
    formats: [u64; MediaFormat::ALL.len()],
    unknown_size: u64,
    width: Range,
    height: Range,
    aspect: Counts,
    labels: HashMap<String, u64>,
    other_labels: u64,
    unlabelled: u64,
}

impl Stats {
    /// Counts one sample. A size of 0 is one that the index does not know.
    pub fn add(&mut self, info: &SampleInfo, label: Option<&str>) {
        self.samples += 1;
        self.bytes.add(info.bytes, info.index, BYTE_EDGES);
        self.stored_bytes = self.stored_bytes.saturating_add(info.stored_bytes);
        if let Some(n) = self.formats.get_mut(usize::from(info.format.code())) {
            *n += 1;
        }
        if info.width > 0 && info.height > 0 {
            self.width.add(info.width.into(), info.index, PIXEL_EDGES);
            self.height.add(info.height.into(), info.index, PIXEL_EDGES);
            self.aspect.add(f64::from(info.width) / f64::from(info.height), 1, ASPECT_EDGES);
        } else {
            self.unknown_size += 1;
        }
        match label {
            Some(label) => self.add_label(label, 1),
            None => self.unlabelled += 1,
        }
    }

    fn add_label(&mut self, label: &str, samples: u64) {
        if let Some(n) = self.labels.get_mut(label) {
            *n += samples;
        } else if self.labels.len() < LABELS_KEPT && label.len() <= LABEL_BYTES {
            self.labels.insert(label.to_owned(), samples);
        } else {
            self.other_labels += samples;
        }
    }

    /// Adds what another has counted. The result is that of counting all samples in one, whatever the order;
    /// only which labels are kept apart depends on it, if there are more than [`LABELS_KEPT`].
    pub fn merge(&mut self, other: &Stats) {
        self.samples += other.samples;
        self.bytes.merge(&other.bytes);
        self.stored_bytes = self.stored_bytes.saturating_add(other.stored_bytes);
        self.formats.iter_mut().zip(other.formats).for_each(|(a, b)| *a += b);
        self.unknown_size += other.unknown_size;
        self.width.merge(&other.width);
        self.height.merge(&other.height);
        self.aspect.merge(&other.aspect);
        // Frequent labels first, so that a full table keeps those that matter; ties by name, to be repeatable.
        let mut labels: Vec<_> = other.labels.iter().collect();
        labels.sort_unstable_by_key(|&(label, &n)| (std::cmp::Reverse(n), label));
        labels.into_iter().for_each(|(label, &n)| self.add_label(label, n));
        self.other_labels += other.other_labels;
        self.unlabelled += other.unlabelled;
    }

    /// What was counted so far.
    pub fn report(&self) -> Report {
        let mut formats: Vec<FormatCount> = MediaFormat::ALL
            .iter()
            .zip(self.formats)
            .filter(|&(_, samples)| samples > 0)
            .map(|(&format, samples)| FormatCount { format, samples })
            .collect();
        formats.sort_by_key(|f| std::cmp::Reverse(f.samples));
        let mut top: Vec<ClassCount> =
            self.labels.iter().map(|(label, &samples)| ClassCount { label: label.clone(), samples }).collect();
        top.sort_unstable_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.label.cmp(&b.label)));
        let bytes = u64::try_from(self.bytes.sum).unwrap_or(u64::MAX);
        Report {
            samples: self.samples,
            bytes,
            stored_bytes: self.stored_bytes,
            ratio: (bytes > 0).then(|| self.stored_bytes as f64 / bytes as f64),
            formats,
            sample_bytes: self.bytes.report(),
            unknown_size: self.unknown_size,
            width: self.width.report(),
            height: self.height.report(),
            bytes_histogram: self.bytes.counts.report(BYTE_EDGES),
            width_histogram: self.width.counts.report(PIXEL_EDGES),
            height_histogram: self.height.counts.report(PIXEL_EDGES),
            aspect_histogram: self.aspect.report(ASPECT_EDGES),
            classes: Classes {
                distinct: self.labels.len() as u64,
                top,
                other: self.other_labels,
                unlabelled: self.unlabelled,
            },
        }
    }
}

/// The result of [`Stats`].
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Stats"))]
#[non_exhaustive]
pub struct Report {
    /// How many samples.
    pub samples: u64,
    /// Bytes of all payloads once decompressed.
    pub bytes: u64,
    /// Bytes of all payloads as stored.
    pub stored_bytes: u64,
    /// Stored bytes for each byte; none where there are no bytes.
    pub ratio: Option<f64>,
    /// Samples by format, the most frequent first.
    pub formats: Vec<FormatCount>,
    /// The sizes of payloads.
    pub sample_bytes: Option<Spread>,
    /// Samples whose width and height the index does not know; the fields below are without them.
    pub unknown_size: u64,
    /// Pixels across.
    pub width: Option<Spread>,
    /// Pixels down.
    pub height: Option<Spread>,
    /// Payload sizes by powers of two.
    pub bytes_histogram: Histogram,
    /// Widths.
    pub width_histogram: Histogram,
    /// Heights.
    pub height_histogram: Histogram,
    /// Width divided by height.
    pub aspect_histogram: Histogram,
    /// Samples by label.
    pub classes: Classes,
}

/// How many samples have a format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FormatCount {
    /// The format.
    pub format: MediaFormat,
    /// The samples.
    pub samples: u64,
}

/// The least, the most and the mean of a number, and where the extremes are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// The least.
    pub min: u64,
    /// The first sample that has it.
    pub min_at: u64,
    /// The most.
    pub max: u64,
    /// The first sample that has it.
    pub max_at: u64,
    /// The mean.
    pub mean: f64,
}

/// Samples by label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClassStats"))]
pub struct Classes {
    /// How many labels are counted apart; at most [`LABELS_KEPT`].
    pub distinct: u64,
    /// The labels, the most frequent first.
    pub top: Vec<ClassCount>,
    /// Samples whose labels came after the table was full, or are too long to be a class.
    pub other: u64,
    /// Samples without a label.
    pub unlabelled: u64,
}

/// How many samples have a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassCount {
    /// The label.
    pub label: String,
    /// The samples.
    pub samples: u64,
}

/// Counts by ranges, without the empty ones at either end.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Histogram {
    /// The ranges in order, each from where the one before ends.
    pub buckets: Vec<Bucket>,
}

/// A range and its samples: a filter `x >= from && x < to` selects just these.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bucket {
    /// The least value that belongs to it.
    pub from: f64,
    /// The first value that does not; none where it has no end.
    pub to: Option<f64>,
    /// How many samples.
    pub samples: u64,
}

impl Histogram {
    /// Draws one line a bucket: `from`, a bar of at most `columns` characters, the count. `name` writes the
    /// values.
    ///
    /// ```
    /// use forebay::sample::stats::{Bucket, Histogram};
    /// let h = Histogram { buckets: vec![
    ///     Bucket { from: 224.0, to: Some(256.0), samples: 30 },
    ///     Bucket { from: 256.0, to: None, samples: 12 },
    /// ] };
    /// assert_eq!(h.draw(5, |x| x.to_string()), "224  █████ 30\n256  ██    12\n");
    /// ```
    #[doc(hidden)]
    pub fn draw(&self, columns: usize, name: impl Fn(f64) -> String) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let names: Vec<String> = self.buckets.iter().map(|b| name(b.from)).collect();
        let room = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        let most = self.buckets.iter().map(|b| b.samples).max().unwrap_or(0).max(1);
        let mut text = String::new();
        for (name, bucket) in names.iter().zip(&self.buckets) {
            let eighths = (bucket.samples as f64 / most as f64 * (columns * 8) as f64).floor() as usize;
            // A bucket that is not empty shows at least a hair.
            let eighths = eighths.max(usize::from(bucket.samples > 0));
            let bar = "█".repeat(eighths / 8) + EIGHTHS[eighths % 8];
            text += &format!("{name:>room$}  {bar:<columns$} {}\n", bucket.samples);
        }
        text
    }
}

/// A number's extremes, sum and histogram.
#[derive(Clone, Debug, Default)]
struct Range {
    /// Value and sample; none before the first.
    min: Option<(u64, u64)>,
    max: Option<(u64, u64)>,
    /// 2^64 samples of 2^64 fit.
    sum: u128,
    counts: Counts,
}

impl Range {
    fn add(&mut self, value: u64, sample: u64, edges: &'static [f64]) {
        self.extend(Some((value, sample)), Some((value, sample)));
        self.sum += u128::from(value);
        self.counts.add(value as f64, 1, edges);
    }

    fn extend(&mut self, min: Option<(u64, u64)>, max: Option<(u64, u64)>) {
        // The lower sample number wins a tie in both.
        self.min = [self.min, min].into_iter().flatten().min();
        self.max = [self.max, max].into_iter().flatten().max_by_key(|&(value, sample)| (value, !sample));
    }

    fn merge(&mut self, other: &Range) {
        self.extend(other.min, other.max);
        self.sum += other.sum;
        self.counts.merge(&other.counts);
    }

    fn report(&self) -> Option<Spread> {
        let ((min, min_at), (max, max_at)) = (self.min?, self.max?);
        let mean = self.sum as f64 / self.counts.total() as f64;
        Some(Spread { min, min_at, max, max_at, mean })
    }
}

/// Counts between edges; made at the first value.
#[derive(Clone, Debug, Default)]
struct Counts(Vec<u64>);

impl Counts {
    fn add(&mut self, value: f64, samples: u64, edges: &'static [f64]) {
        self.0.resize(edges.len(), 0);
        let bucket = edges.partition_point(|&edge| edge <= value).saturating_sub(1);
        if let Some(n) = self.0.get_mut(bucket) {
            *n += samples;
        }
    }

    fn merge(&mut self, other: &Counts) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a += b);
    }

    fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn report(&self, edges: &[f64]) -> Histogram {
        let first = self.0.iter().position(|&n| n > 0);
        let last = self.0.iter().rposition(|&n| n > 0);
        let (Some(first), Some(last)) = (first, last) else { return Histogram::default() };
        let bucket = |i: usize| Bucket { from: edges[i], to: edges.get(i + 1).copied(), samples: self.0[i] };
        Histogram { buckets: (first..=last).map(bucket).collect() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(index: u64, format: u8, width: u32, height: u32, bytes: u64) -> SampleInfo {
        let mut info = SampleInfo::new(index, MediaFormat::from_code(format).unwrap());
        (info.width, info.height, info.bytes, info.stored_bytes) = (width, height, bytes, bytes / 2);
        info
    }

    #[test]
    fn nothing_counted_reports_nothing() {
        let report = Stats::default().report();
        assert_eq!((report.samples, report.ratio, report.width), (0, None, None));
        assert!(report.bytes_histogram.buckets.is_empty() && report.formats.is_empty());
        assert_eq!(report.bytes_histogram.draw(10, |bytes| bytes.to_string()), "");
    }

    #[test]
    fn extremes_name_the_first_sample_and_unknown_sizes_stay_out() {
        let mut stats = Stats::default();
        for (i, w) in [(0, 0), (1, 300), (2, 100), (3, 300), (4, 100)] {
            stats.add(&sample(i, 1, w, 50, 10), None);
        }
        let report = stats.report();
        assert_eq!(report.width, Some(Spread { min: 100, min_at: 2, max: 300, max_at: 1, mean: 200.0 }));
        assert_eq!((report.unknown_size, report.classes.unlabelled), (1, 5));
        assert_eq!(report.aspect_histogram.buckets.iter().map(|b| b.samples).sum::<u64>(), 4);
        assert_eq!(report.ratio, Some(0.5));
    }

    #[test]
    fn labels_are_bounded_and_none_is_lost() {
        let mut stats = Stats::default();
        for i in 0..12_000 {
            stats.add(&sample(i, 1, 1, 1, 1), Some(&format!("class {i}")));
        }
        stats.add(&sample(0, 1, 1, 1, 1), Some(&"long".repeat(100)));
        let classes = stats.report().classes;
        assert_eq!((classes.distinct, classes.top.len(), classes.other), (10_000, 10_000, 2001));
    }

    #[test]
    fn any_size_has_a_bucket_even_one_that_no_disk_holds() {
        let mut stats = Stats::default();
        for bytes in [0, 1, 2, 3, u64::MAX] {
            stats.add(&sample(0, 1, u32::MAX, 1, bytes), None);
        }
        let report = stats.report();
        assert_eq!(report.bytes, u64::MAX);
        let buckets = &report.bytes_histogram.buckets;
        assert_eq!(buckets[..3].iter().map(|b| b.samples).collect::<Vec<_>>(), [1, 1, 2]);
        assert_eq!((buckets.last().unwrap().to, report.width_histogram.buckets[0].to), (None, None));
    }

    proptest! {
        #[test]
        fn merged_parts_are_the_whole(
            samples in proptest::collection::vec(
                (0_u8..9, 0_u32..5000, 0_u32..5000, 0_u64..1 << 30, proptest::option::of("[a-c]")), 0..40),
            cut in 0_usize..40,
        ) {
            let (mut whole, mut parts) = (Stats::default(), [Stats::default(), Stats::default()]);
            for (i, (format, w, h, bytes, label)) in samples.iter().enumerate() {
                let info = sample(i as u64, *format, *w, *h, *bytes);
                whole.add(&info, label.as_deref());
                parts[usize::from(i >= cut)].add(&info, label.as_deref());
            }
            let [a, mut b] = parts;
            b.merge(&a);
            let json = |s: &Stats| serde_json::to_string(&s.report()).unwrap();
            prop_assert_eq!(json(&b), json(&whole));
        }
    }
}
