//! What a file cannot say by itself. If that changes what is read, there is no silent default: the reader refuses,
//! and its error names the option.

use super::BoxField;
use crate::{limits::Limits, words::Word};

/// How label files are read.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Pascal VOC: whether the first pixel is 0 or 1. A file cannot tell.
    pub voc_base: Option<u8>,
    /// YOLO: what lines of more than five columns are.
    pub task: Option<Task>,
    /// YOLO: lines of six columns are boxes with a score.
    pub scores: bool,
    /// CVAT for video: what becomes of frames between those that a track lists.
    pub between: Between,
    /// Which of several annotations of one picture counts.
    pub pick: Option<Pick>,
    /// What becomes of pictures that EXIF turns.
    pub exif: Option<Exif>,
    /// What becomes of names of pictures that leave their folder.
    pub names: Names,
    /// The classes, for formats that number them and do not name them.
    pub classes: Option<Vec<String>>,
    /// Label Studio: the key of `data` that has the picture; found out where it is not given.
    pub image_key: Option<String>,
    /// Metadata of samples: which field has boxes, and what four numbers mean; found out where shapes say it themselves.
    pub boxes: Option<BoxField>,
    /// What reading may cost.
    pub limits: Limits,
}

/// What lines of YOLO mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Task {
    /// Boxes: five columns.
    Boxes,
    /// Boxes that are turned: nine columns.
    Obb,
    /// Outlines: an odd count of seven columns or more.
    Segment,
}

impl Word for Task {
    const ALL: &'static [Task] = &[Task::Boxes, Task::Obb, Task::Segment];
    fn word(self) -> &'static str {
        match self {
            Task::Boxes => "box",
            Task::Obb => "obb",
            Task::Segment => "segment",
        }
    }
}

/// Which of several annotations of one picture counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pick {
    /// The first that was not canceled.
    First,
    /// The last that was not canceled.
    Last,
    /// All of them together.
    All,
}

impl Word for Pick {
    const ALL: &'static [Pick] = &[Pick::First, Pick::Last, Pick::All];
    fn word(self) -> &'static str {
        match self {
            Pick::First => "first",
            Pick::Last => "last",
            Pick::All => "all",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Pick::First => "the first annotation that was not canceled",
            Pick::Last => "the last annotation that was not canceled",
            Pick::All => "the boxes of all annotators together",
        }
    }
}

/// The rule for images that EXIF turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Exif {
    /// Boxes are in the picture as it is seen.
    Apply,
    /// Boxes are in the raster as it is stored.
    Ignore,
    /// Such a picture is refused.
    Refuse,
}

impl Word for Exif {
    const ALL: &'static [Exif] = &[Exif::Apply, Exif::Ignore, Exif::Refuse];
    fn word(self) -> &'static str {
        match self {
            Exif::Apply => "apply",
            Exif::Ignore => "ignore",
            Exif::Refuse => "refuse",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Exif::Apply => "boxes are in the image as it is seen",
            Exif::Ignore => "boxes are in the raster as it is stored",
            Exif::Refuse => "images that EXIF turns are refused",
        }
    }
}

/// What becomes of the frames of a video between those that a track lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Between {
    /// Boxes are computed, as the tool that made the track shows them, and counted.
    #[default]
    Interpolate,
    /// The file is refused.
    Refuse,
    /// Only what is listed is read.
    Listed,
}

impl Word for Between {
    const ALL: &'static [Between] = &[Between::Interpolate, Between::Refuse, Between::Listed];
    fn word(self) -> &'static str {
        match self {
            Between::Interpolate => "interpolate",
            Between::Refuse => "refuse",
            Between::Listed => "listed",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Between::Interpolate => "boxes between key frames are computed and counted",
            Between::Refuse => "tracks that do not list every frame are refused",
            Between::Listed => "only the frames that are listed have boxes",
        }
    }
}

/// What becomes of names of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Names {
    /// They stay as they are; those that leave their folder are refused.
    #[default]
    Whole,
    /// Only their last part counts, the file's own name.
    Last,
}

impl Word for Names {
    const ALL: &'static [Names] = &[Names::Whole, Names::Last];
    fn word(self) -> &'static str {
        match self {
            Names::Whole => "whole",
            Names::Last => "last",
        }
    }
}
