//! What became of every frame: how many of a run are stored, and why others are not.
//!
//! Counted is what was really stored or refused: a frame whose picture does not decode is invalid, and one whose boxes all
//! lie outside of it is empty.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Counts, Summary, Thresholds};
use crate::{
    error::{Error, Result, codes},
    words::Word,
};

/// Why a frame is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// Its label does not read.
    LabelDamaged,
    /// A box of its label is invalid.
    BadBox,
    /// Its label names no picture.
    NoPicture,
    /// Its label says that there is no picture.
    PictureAbsent,
    /// The picture that its label names is not there.
    PictureMissing,
    /// The picture that its label names lies outside of the run.
    Outside,
    /// Its picture does not decode.
    PictureDamaged,
    /// Its picture is of a kind that is not read.
    PictureUnsupported,
    /// Its picture is larger than the limits allow.
    PictureTooLarge,
    /// Its picture is to be turned, which was not allowed.
    Turned,
    /// The labels say nothing of its picture: nobody knows what it shows.
    Unlabeled,
}

/// What a refused frame counts as.
enum CountedAs {
    Invalid,
    MissingImage,
    MissingFile,
    /// It is none of the frames that were asked for.
    Nothing,
}

impl Cause {
    fn counted_as(self) -> CountedAs {
        match self {
            Cause::NoPicture => CountedAs::MissingImage,
            Cause::PictureAbsent | Cause::PictureMissing => CountedAs::MissingFile,
            Cause::Unlabeled => CountedAs::Nothing,
            _ => CountedAs::Invalid,
        }
    }
}

impl Word for Cause {
    const ALL: &'static [Self] = &[
        Cause::LabelDamaged,
        Cause::BadBox,
        Cause::NoPicture,
        Cause::PictureAbsent,
        Cause::PictureMissing,
        Cause::Outside,
        Cause::PictureDamaged,
        Cause::PictureUnsupported,
        Cause::PictureTooLarge,
        Cause::Turned,
        Cause::Unlabeled,
    ];

    fn word(self) -> &'static str {
        match self {
            Cause::LabelDamaged => "label_damaged",
            Cause::BadBox => "bad_box",
            Cause::NoPicture => "no_picture",
            Cause::PictureAbsent => "picture_absent",
            Cause::PictureMissing => "picture_missing",
            Cause::Outside => "outside",
            Cause::PictureDamaged => "picture_damaged",
            Cause::PictureUnsupported => "picture_unsupported",
            Cause::PictureTooLarge => "picture_too_large",
            Cause::Turned => "turned",
            Cause::Unlabeled => "unlabeled",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Cause::LabelDamaged => "the label does not read",
            Cause::BadBox => "a box of the label is invalid",
            Cause::NoPicture => "the label names no image",
            Cause::PictureAbsent => "the label says that there is no image",
            Cause::PictureMissing => "the image is not there",
            Cause::Outside => "the image lies outside of the run",
            Cause::PictureDamaged => "the image does not decode",
            Cause::PictureUnsupported => "the image is of a kind that is not read",
            Cause::PictureTooLarge => "the image is larger than the limits allow",
            Cause::Turned => "the image is turned by EXIF, which was to be refused",
            Cause::Unlabeled => "the labels do not mention the image",
        }
    }
}

/// What became of the boxes of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoxCounts {
    /// Stored.
    pub stored: u64,
    /// Without an area inside of the picture.
    pub dropped: u64,
    /// More than there are places for.
    pub truncated: u64,
    /// Given in pixels and in shares that disagree by more than half a pixel.
    pub disagreeing: u64,
}

impl BoxCounts {
    /// Adds those of another frame.
    pub fn add(&mut self, other: &BoxCounts) {
        self.stored += other.stored;
        self.dropped += other.dropped;
        self.truncated += other.truncated;
        self.disagreeing += other.disagreeing;
    }
}

/// What became of the frames of a run.
#[derive(Clone, Debug, Default)]
pub struct RunTally {
    counts: Counts,
    stored: u64,
    boxes: BoxCounts,
    turned: u64,
    refused: BTreeMap<Cause, u64>,
}

impl RunTally {
    /// Of the run with this folder, nothing counted yet.
    pub fn new(run_dir: impl Into<String>) -> Self {
        RunTally { counts: Counts::new(run_dir), ..RunTally::default() }
    }

    /// Counts a frame that is neither missing nor invalid. `stored` is false where it is left out for being empty,
    /// `turned` true where EXIF turned its picture.
    pub fn take(&mut self, boxes: &BoxCounts, stored: bool, turned: bool) {
        self.counts.total += 1;
        if boxes.stored > 0 {
            self.counts.non_empty += 1
        } else {
            self.counts.empty += 1
        }
        self.stored += u64::from(stored);
        self.turned += u64::from(turned);
        self.boxes.add(boxes);
    }

    /// Counts a frame that is refused.
    pub fn refuse(&mut self, cause: Cause) {
        *self.refused.entry(cause).or_default() += 1;
        match cause.counted_as() {
            CountedAs::Invalid => self.counts.invalid += 1,
            CountedAs::MissingImage => self.counts.missing_image += 1,
            CountedAs::MissingFile => self.counts.missing_file += 1,
            CountedAs::Nothing => {}
        }
    }

    /// Adds what became of the frames of another run.
    pub fn add(&mut self, other: &RunTally) {
        self.counts.add(&other.counts);
        self.stored += other.stored;
        self.turned += other.turned;
        self.boxes.add(&other.boxes);
        for (cause, count) in &other.refused {
            *self.refused.entry(*cause).or_default() += count;
        }
    }

    /// Frames that are stored.
    pub fn stored(&self) -> u64 {
        self.stored
    }
    /// What became of the boxes.
    pub fn boxes(&self) -> &BoxCounts {
        &self.boxes
    }
    /// How many frames each cause refused.
    pub fn refused(&self) -> impl Iterator<Item = (Cause, u64)> + '_ {
        self.refused.iter().map(|(cause, count)| (*cause, *count))
    }
    /// What the manifest says of it: beside the counts that every builder writes, how many are stored, and why others
    /// are not.
    pub fn counts(&self) -> Counts {
        let mut counts = self.counts.clone();
        let refused: Map<String, Value> =
            self.refused.iter().map(|(cause, count)| (cause.word().to_owned(), json!(count))).collect();
        for (name, value) in [
            ("stored", json!(self.stored)),
            ("boxes", json!(self.boxes.stored)),
            ("boxes_dropped", json!(self.boxes.dropped)),
            ("boxes_truncated", json!(self.boxes.truncated)),
            ("boxes_disagreeing", json!(self.boxes.disagreeing)),
            ("turned", json!(self.turned)),
            ("refused", Value::Object(refused)),
        ] {
            counts.other.insert(name.into(), value);
        }
        counts
    }
}

/// The summary of runs, and of all of them.
pub fn summary(runs: &[RunTally]) -> Summary {
    let mut all = RunTally::default();
    runs.iter().for_each(|run| all.add(run));
    let mut summary = Summary::of(runs.iter().map(RunTally::counts).collect());
    summary.totals = all.counts();
    summary
}

/// The thresholds by their names, as options and the environment say them: `max_invalid`, `max_invalid_ratio` and so on.
pub const THRESHOLDS: [&str; 6] =
    ["max_invalid", "max_missing", "max_empty", "max_invalid_ratio", "max_missing_ratio", "max_empty_ratio"];

/// Sets one of the [`THRESHOLDS`] from text; refused where it is not a number, or a ratio is not between 0 and 1.
///
/// ```
/// use forebay::warehouse::{Thresholds, set_threshold};
/// let mut thresholds = Thresholds::default();
/// set_threshold(&mut thresholds, "max_empty_ratio", "0.25")?;
/// assert_eq!(thresholds.max_empty_ratio, Some(0.25));
/// assert!(set_threshold(&mut thresholds, "max_empty", "many").is_err());
/// # Ok::<(), forebay::Error>(())
/// ```
pub fn set_threshold(thresholds: &mut Thresholds, name: &str, text: &str) -> Result<()> {
    let refuse = |what: &str| Error::new(&codes::ARGUMENT, format!("{name} is {what}, and not {text:?}"));
    let whole = || text.trim().parse::<u64>().map(Some).map_err(|_| refuse("a whole number"));
    let ratio = || match text.trim().parse::<f64>() {
        Ok(ratio) if (0.0..=1.0).contains(&ratio) => Ok(Some(ratio)),
        _ => Err(refuse("a number from 0 to 1")),
    };
    match name {
        "max_invalid" => thresholds.max_invalid = whole()?,
        "max_missing" => thresholds.max_missing = whole()?,
        "max_empty" => thresholds.max_empty = whole()?,
        "max_invalid_ratio" => thresholds.max_invalid_ratio = ratio()?,
        "max_missing_ratio" => thresholds.max_missing_ratio = ratio()?,
        "max_empty_ratio" => thresholds.max_empty_ratio = ratio()?,
        _ => return Err(Error::new(&codes::ARGUMENT, format!("there is no threshold {name}"))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_and_what_is_refused_is_counted_apart() {
        let mut run = RunTally::new("in/run_a");
        let boxes = BoxCounts { stored: 2, dropped: 1, ..BoxCounts::default() };
        run.take(&boxes, true, false);
        run.take(&BoxCounts::default(), false, true);
        for cause in [Cause::BadBox, Cause::NoPicture, Cause::PictureMissing, Cause::PictureDamaged] {
            run.refuse(cause);
        }
        let other = {
            let mut other = RunTally::new("in/run_b");
            other.refuse(Cause::BadBox);
            other
        };
        let summary = summary(&[run, other]);
        let totals = &summary.totals;
        assert_eq!((totals.total, totals.non_empty, totals.empty), (2, 1, 1));
        assert_eq!((totals.invalid, totals.missing_image, totals.missing_file), (3, 1, 1));
        assert_eq!((&totals.other["stored"], &totals.other["boxes_dropped"]), (&json!(1), &json!(1)));
        assert_eq!(totals.other["refused"]["bad_box"], 2);
        assert!(summary.adds_up());
        assert_eq!(summary.runs[1].run_dir, "in/run_b");
    }

    #[test]
    fn a_threshold_that_is_not_a_number_is_refused() {
        let mut thresholds = Thresholds::default();
        for name in THRESHOLDS {
            set_threshold(&mut thresholds, name, " 1 ").unwrap();
            for bad in ["", "-1", "NaN", "x"] {
                assert!(set_threshold(&mut thresholds, name, bad).is_err(), "{name} {bad:?}");
            }
        }
        assert!(set_threshold(&mut thresholds, "max_empty_ratio", "1.5").is_err());
        assert_eq!((thresholds.max_missing, thresholds.max_missing_ratio), (Some(1), Some(1.0)));
    }
}
