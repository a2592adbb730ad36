//! Samples that stand out: far from the median of all, measured by the median of how far everybody is from it.

use serde::Serialize;

use super::look::Look;
use crate::words::Word;

/// One in logarithms.
const ONE: i64 = 1 << 16;
/// Fewer samples than this say nothing about what is usual.
const FEWEST: usize = 8;
/// The deviation of a normal distribution, in medians of absolute deviations and in their means, times 10,000.
const FROM_MEDIAN: i128 = 14_826;
const FROM_MEAN: i128 = 12_533;

/// What is measured of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trait {
    /// Bytes of the payload.
    Bytes,
    /// Pixels.
    Pixels,
    /// Width divided by height.
    Aspect,
    /// The mean level of gray.
    Brightness,
    /// The standard deviation of the levels.
    Contrast,
    /// The variance of the Laplacian.
    Sharpness,
}

impl Word for Trait {
    const ALL: &'static [Trait] =
        &[Trait::Bytes, Trait::Pixels, Trait::Aspect, Trait::Brightness, Trait::Contrast, Trait::Sharpness];

    fn word(self) -> &'static str {
        match self {
            Trait::Bytes => "bytes",
            Trait::Pixels => "pixels",
            Trait::Aspect => "aspect",
            Trait::Brightness => "brightness",
            Trait::Contrast => "contrast",
            Trait::Sharpness => "sharpness",
        }
    }
}

impl Trait {
    /// What is said of a sample that has less of it than usual, or more.
    pub fn reason(self, more: bool) -> &'static str {
        match (self, more) {
            (Trait::Bytes, false) => "few_bytes",
            (Trait::Bytes, true) => "many_bytes",
            (Trait::Pixels, false) => "small",
            (Trait::Pixels, true) => "large",
            (Trait::Aspect, false) => "narrow",
            (Trait::Aspect, true) => "wide",
            (Trait::Brightness, false) => "dark",
            (Trait::Brightness, true) => "bright",
            (Trait::Contrast, false) => "flat",
            (Trait::Contrast, true) => "stark",
            (Trait::Sharpness, false) => "blurred",
            (Trait::Sharpness, true) => "noisy",
        }
    }

    /// Where a sample stands: the logarithm of what is counted, in 65,536ths, and otherwise hundredths of a level.
    fn position(self, of: &Measures) -> Option<i64> {
        let side = |side: u32| (side > 0).then(|| log2(side.into()));
        let look = of.look.as_ref();
        match self {
            Trait::Bytes => Some(log2(of.bytes.saturating_add(1))),
            Trait::Pixels => Some(side(of.width)? + side(of.height)?),
            Trait::Aspect => Some(side(of.width)? - side(of.height)?),
            Trait::Brightness => look.map(|look| look.brightness.into()),
            Trait::Contrast => look.map(|look| look.contrast.into()),
            Trait::Sharpness => look.map(|look| log2(u64::from(look.sharpness) + 100)),
        }
    }

    /// Who deviates by less does not stand out, however alike the others are: a fifth, or five levels.
    fn least(self) -> i64 {
        match self {
            Trait::Brightness | Trait::Contrast => 500,
            _ => ONE / 4,
        }
    }

    /// The measure as people say it.
    fn value(self, of: &Measures) -> f64 {
        let look = of.look.unwrap_or_default();
        let hundredths = |n: u32| f64::from(n) / 100.0;
        match self {
            Trait::Bytes => of.bytes as f64,
            Trait::Pixels => f64::from(of.width) * f64::from(of.height),
            // To a thousandth: more digits say nothing.
            Trait::Aspect => (f64::from(of.width) * 1000.0 / f64::from(of.height.max(1))).round() / 1000.0,
            Trait::Brightness => hundredths(look.brightness),
            Trait::Contrast => hundredths(look.contrast),
            Trait::Sharpness => hundredths(look.sharpness),
        }
    }
}

/// The logarithm to the base 2 of a number above 0, in 65,536ths, rounded down: bit by bit, since functions of floats differ
/// from machine to machine.
fn log2(n: u64) -> i64 {
    let Some(whole) = n.checked_ilog2() else { return 0 };
    // From 1 to below 2, with 31 bits behind the point.
    let mut mantissa = if whole > 31 { n >> (whole - 31) } else { n << (31 - whole) };
    let mut bits = i64::from(whole);
    for _ in 0..16 {
        mantissa = (mantissa * mantissa) >> 31;
        let carry = mantissa >> 32;
        mantissa >>= carry;
        bits = bits << 1 | carry as i64;
    }
    bits
}

/// What is known of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// Its number.
    pub sample: u64,
    /// Bytes of its payload.
    pub bytes: u64,
    /// Pixels across; 0 if that is not known.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// What it looks like, if it was looked at.
    pub look: Option<Look>,
}

/// Why a sample stands out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OutlierReason"))]
#[non_exhaustive]
pub struct Reason {
    /// In a word: `dark`, `blurred`, `wide`.
    pub reason: &'static str,
    /// What was measured.
    #[serde(rename = "trait")]
    pub of: Trait,
    /// The measure.
    pub value: f64,
    /// The median of all.
    #[serde(rename = "median")]
    pub usual: f64,
    /// How far it is from that, in standard deviations as the others suggest them.
    pub score: f64,
}

/// A sample that stands out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outlier {
    /// Its number.
    pub sample: u64,
    /// Why, the strongest reason first.
    pub reasons: Vec<Reason>,
}

/// What is usual.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UsualTrait"))]
#[non_exhaustive]
pub struct Usual {
    /// What was measured.
    #[serde(rename = "trait")]
    pub of: Trait,
    /// Of how many samples.
    pub samples: u64,
    /// The median; of two in the middle the lower.
    pub median: f64,
    /// How many stand out.
    pub outliers: u64,
}

/// The outliers, and the usual values.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Trait by trait; without those that are known of too few samples.
    pub usual: Vec<Usual>,
    /// The furthest first.
    pub outliers: Vec<Outlier>,
}

/// Collects measures.
#[derive(Clone, Debug, Default)]
pub struct Outliers {
    all: Vec<Measures>,
}

impl Outliers {
    /// The distance from which on a sample stands out, if none is said.
    pub const USUAL_SCORE: f64 = 3.5;

    /// Adds a sample.
    pub fn add(&mut self, measures: Measures) {
        self.all.push(measures);
    }

    /// Finds who stands out by more than `score` deviations, in any of these traits.
    pub fn find(&self, traits: &[Trait], score: f64) -> Report {
        let hundredths = (score.clamp(0.0, 1e6) * 100.0).round() as i128;
        let mut report = Report::default();
        let mut found: std::collections::BTreeMap<u64, Vec<Reason>> = Default::default();
        for of in traits {
            self.find_in(*of, hundredths, &mut report.usual, &mut found);
        }
        report.outliers = found.into_iter().map(|(sample, reasons)| Outlier { sample, reasons }).collect();
        for outlier in &mut report.outliers {
            outlier.reasons.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        let worst = |outlier: &Outlier| outlier.reasons.first().map_or(0.0, |reason| reason.score);
        report.outliers.sort_by(|a, b| worst(b).total_cmp(&worst(a)).then(a.sample.cmp(&b.sample)));
        report
    }

    fn find_in(
        &self,
        of: Trait,
        hundredths: i128,
        usual: &mut Vec<Usual>,
        found: &mut std::collections::BTreeMap<u64, Vec<Reason>>,
    ) {
        let mut placed: Vec<(i64, &Measures)> =
            self.all.iter().filter_map(|one| Some((of.position(one)?, one))).collect();
        placed.sort_unstable_by_key(|(position, one)| (*position, one.sample));
        if placed.len() < FEWEST {
            return;
        }
        let Some(&(middle, median)) = placed.get((placed.len() - 1) / 2) else { return };
        let mut apart: Vec<i64> = placed.iter().map(|(position, _)| (position - middle).abs()).collect();
        let sum: i128 = apart.iter().map(|n| i128::from(*n)).sum();
        apart.sort_unstable();
        let deviation = apart.get((apart.len() - 1) / 2).copied().unwrap_or_default();
        // Where more than half are at the median, the mean deviation says what the median one cannot.
        let deviation = match deviation {
            0 => sum * FROM_MEAN / apart.len() as i128,
            n => i128::from(n) * FROM_MEDIAN,
        };
        let usual_value = of.value(median);
        let mut outliers = 0;
        for (position, one) in &placed {
            let apart = (position - middle).abs();
            if apart < of.least() || i128::from(apart) * 1_000_000 <= hundredths * deviation {
                continue;
            }
            outliers += 1;
            // To a hundredth; nobody deviates where there is no deviation.
            let score = (apart as f64 * 1_000_000.0 / deviation.max(1) as f64).round() / 100.0;
            let reason = of.reason(*position > middle);
            found.entry(one.sample).or_default().push(Reason {
                reason,
                of,
                value: of.value(one),
                usual: usual_value,
                score,
            });
        }
        usual.push(Usual { of, samples: placed.len() as u64, median: usual_value, outliers });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(sample: u64, width: u32, height: u32, brightness: u32, sharpness: u32) -> Measures {
        let look = Look { width, height, brightness, contrast: 5000, sharpness, ..Look::default() };
        Measures { sample, bytes: 1000 + sample, width, height, look: Some(look) }
    }

    #[test]
    fn logarithms_are_those_of_the_library_to_their_last_bit_or_nearly() {
        for n in [1_u64, 2, 3, 10, 100, 65_535, 1 << 31, (1 << 33) + 5, u64::MAX] {
            let exact = (n as f64).log2() * 65_536.0;
            assert!((log2(n) as f64 - exact).abs() < 2.0, "{n}: {} {exact}", log2(n));
        }
        assert_eq!((log2(0), log2(1), log2(1024)), (0, 0, 10 * ONE));
    }

    #[test]
    fn who_stands_out_is_found_with_the_reason() {
        let mut outliers = Outliers::default();
        for i in 0..100 {
            outliers.add(picture(i, 640, 480, 12_000 + (i as u32 * 37 % 1000), 40_000 + i as u32 * 100));
        }
        outliers.add(picture(100, 640, 480, 300, 40_000));
        outliers.add(picture(101, 640, 480, 12_300, 10));
        outliers.add(picture(102, 640, 40, 12_300, 40_000));
        let report = outliers.find(Trait::ALL, Outliers::USUAL_SCORE);
        let mut reasons: Vec<(u64, Vec<&str>)> =
            report.outliers.iter().map(|one| (one.sample, one.reasons.iter().map(|r| r.reason).collect())).collect();
        reasons.sort_unstable();
        assert_eq!(reasons[..2], [(100, vec!["dark"]), (101, vec!["blurred"])]);
        assert_eq!((reasons[2].0, reasons.len()), (102, 3));
        assert!(reasons[2].1.contains(&"wide") && reasons[2].1.contains(&"small"), "{reasons:?}");
        let dark = report.outliers.iter().find(|one| one.sample == 100).unwrap().reasons[0];
        assert_eq!((dark.value, dark.of), (3.0, Trait::Brightness));
        assert!(dark.usual > 119.0 && dark.score > 3.5);
        let aspect = report.usual.iter().find(|usual| usual.of == Trait::Aspect).unwrap();
        assert_eq!((aspect.samples, aspect.median, aspect.outliers), (103, 1.333, 1));
    }

    #[test]
    fn small_differences_and_few_samples_say_nothing() {
        let mut outliers = Outliers::default();
        for i in 0..7 {
            outliers.add(picture(i, 640, 480, 12_000, 40_000));
        }
        assert_eq!(outliers.find(Trait::ALL, 3.5), Report::default());
        // All alike but one, and that by two levels.
        outliers.add(picture(7, 640, 480, 12_200, 40_000));
        let report = outliers.find(Trait::ALL, 3.5);
        assert_eq!((report.usual.len(), report.outliers.len()), (6, 0));
        // By twenty.
        for i in 8..40 {
            outliers.add(picture(i, 640, 480, 12_000, 40_000));
        }
        outliers.add(picture(40, 640, 480, 14_000, 40_000));
        let report = outliers.find(&[Trait::Brightness], 3.5);
        assert_eq!((report.outliers.len(), report.outliers[0].reasons[0].reason), (1, "bright"));
    }

    #[test]
    fn what_was_not_looked_at_is_judged_by_what_is_known() {
        let mut outliers = Outliers::default();
        for sample in 0..20 {
            let bytes = if sample == 3 { 0 } else { 5000 + sample };
            outliers.add(Measures { sample, bytes, width: 0, height: 0, look: None });
        }
        let report = outliers.find(Trait::ALL, 3.5);
        assert_eq!(report.usual.len(), 1);
        assert_eq!((report.outliers[0].sample, report.outliers[0].reasons[0].reason), (3, "few_bytes"));
    }
}
