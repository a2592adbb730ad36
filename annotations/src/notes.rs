//! What was found while reading and what was lost while writing, counted by cause.

use std::collections::BTreeMap;

use crate::words::Word;

/// Makes an enum of causes from one table, so that no word is missing.
macro_rules! causes {
    ($(#[doc = $about:literal])+ $name:ident { $($(#[doc = $doc:literal])+ $cause:ident $word:literal $meaning:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[doc = $doc])+ $cause,)+ }

        impl Word for $name {
            const ALL: &'static [$name] = &[$($name::$cause,)+];
            fn word(self) -> &'static str {
                match self { $($name::$cause => $word,)+ }
            }
            fn meaning(self) -> &'static str {
                match self { $($name::$cause => $meaning,)+ }
            }
        }
    };
}

causes! {
    /// Something worth knowing that was found while reading.
    Cause {
        /// A box leaves its picture.
        Clipped "clipped" "boxes that leave their image",
        /// Nothing is left of a box.
        DroppedEmpty "dropped_empty" "boxes without area, or outside of the image",
        /// A crowd.
        Crowd "crowd" "annotations that mark a crowd",
        /// A box that is turned.
        Rotated "rotated" "boxes that are turned",
        /// An outline.
        Polygon "polygon" "outlines",
        /// A mask.
        Mask "mask" "masks",
        /// Key points alone.
        Points "points" "annotations of key points alone",
        /// Marked as not in the picture.
        Outside "outside" "boxes of objects that are not in the image",
        /// Computed between key frames.
        Interpolated "interpolated" "boxes between the key frames of a track",
        /// Without a class.
        NoClass "no_class" "annotations without a class",
        /// Nobody looked at a picture.
        Unlabelled "unlabelled" "images that nobody has labeled yet",
        /// A shape that is not read.
        SkippedShapes "skipped_shapes" "shapes of a kind that is not read",
        /// A mask that is invalid, where the box does.
        BadMask "bad_mask" "masks that do not fit their image; their boxes are read",
        /// A mask in a picture that EXIF turns.
        TurnedMask "turned_mask" "masks in images that EXIF turns; the boxes around them are read",
        /// An id that is there twice.
        RepeatedId "repeated_id" "annotations with an id that another one has",
        /// An id that is a fraction.
        FloatId "float_id" "ids written as fractions",
        /// An id that is a text.
        TextId "text_id" "ids written as texts",
        /// One annotation twice.
        Duplicate "duplicate" "annotations that are there twice",
        /// Canceled by its annotator.
        Canceled "canceled" "annotations that were canceled",
        /// Another annotator's.
        NotPicked "not_picked" "annotations of other annotators than the one that was picked",
        /// A prediction.
        Prediction "prediction" "predictions of a model, which are not truth",
        /// The file's size is not the picture's.
        SizeWrong "size_wrong" "images whose size in the file is not their own",
        /// The file has no size.
        SizeMissing "size_missing" "images without a size",
        /// EXIF turns the picture.
        Turned "turned" "images that EXIF turns",
        /// Fractions where percent belong.
        Fractions "fractions" "boxes so small that fractions may have been written for percent",
        /// A name was guessed from a URL.
        NameFromUrl "name_from_url" "names taken from a URL",
        /// An object that its annotator took back.
        Deleted "deleted" "objects that were deleted and are still in the file",
        /// A class that a file uses and does not declare, though it declares others.
        UndeclaredClass "undeclared_class" "annotations of classes that the file does not declare",
        /// Pixels seem to count from 0 where they were said to count from 1.
        CountsFromZero "counts_from_zero" "boxes that begin at pixel 0 where pixels were said to count from 1",
        /// A box ends farther outside than a few digits explain.
        BeyondRounding "beyond_rounding" "boxes that leave their image by more than rounding",
        /// No file has labels for a picture.
        Background "background" "images without a label file: nothing is in them",
        /// Labels for which no picture was found.
        NoPicture "no_picture" "label files without an image",
        /// A picture that labels are for, and that is not there.
        PictureMissing "picture_missing" "images that have labels and are not there",
        /// A path that was changed to find what it means.
        PathGuessed "path_guessed" "paths that hold only once their beginning is left out",
        /// Two units that say different things of one box.
        UnitsDisagree "units_disagree" "boxes whose pixels and fractions differ by more than half a pixel",
        /// Part of a value, such as a flag, that is not one of the known words.
        OddValue "odd_value" "values that are not what the format says, and harmless",
    }
}

causes! {
    /// Something that a format cannot say, so that it was lost while writing.
    Loss {
        /// The turn of a box.
        Rotation "rotation" "turned boxes written as the upright boxes around them",
        /// An outline.
        Outline "outline" "outlines written as the boxes around them",
        /// The holes of an outline.
        Hole "hole" "outlines written without their holes",
        /// An outline that became a mask.
        Painted "painted" "outlines with holes or of several parts, written as masks of whole pixels",
        /// Parts of an outline.
        Parts "parts" "outlines of several parts written as several annotations",
        /// A mask.
        Mask "mask" "masks written as the boxes around them",
        /// A box beside an outline or a mask.
        Rect "rect" "boxes that become those around their outlines or masks",
        /// Key points.
        Keypoints "keypoints" "annotations written without their key points",
        /// Key points alone.
        Points "points" "annotations of key points alone, left out",
        /// Key points that belong together.
        Scattered "scattered" "key points of one object written one by one",
        /// How sure its maker is.
        Score "score" "annotations written without their score",
        /// A flag.
        Flag "flag" "annotations written without a flag: crowd, difficult, truncated, occluded",
        /// Whatever else the file said.
        Attributes "attributes" "annotations written without their attributes",
        /// An id.
        Id "id" "ids that are new, or that the format has no place for",
        /// A class's group, skeleton or number.
        ClassDetail "class_detail" "classes written without their group, number or key points",
        /// The name of a class or picture.
        Name "name" "classes and images whose names are read back as others: without blanks around them, or without control characters",
        /// An annotation without a class.
        NoClass "no_class" "annotations without a class, left out",
        /// An annotation outside the picture, or of an object that is not in it.
        Outside "outside" "boxes outside of the image, or whose object is not in it, left out",
        /// A box that was cut.
        Clipped "clipped" "boxes cut at the border of their image",
        /// A picture of unknown size.
        SizeMissing "size_missing" "images without a size, left out",
        /// A picture that nobody has labeled.
        Unlabelled "unlabelled" "images that nobody has labeled, left out",
        /// An empty picture.
        Empty "empty" "images without a box, left out",
        /// Digits of a number.
        Precision "precision" "numbers rounded",
        /// A track.
        Track "track" "annotations written without their track",
        /// Who made an annotation.
        Source "source" "annotations written without who made them",
    }
}

/// How many of each cause there were.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Counts<C>(BTreeMap<C, u64>);

impl<C: Ord + Copy> Counts<C> {
    fn add(&mut self, cause: C, n: u64) {
        if n > 0 {
            let count = self.0.entry(cause).or_default();
            *count = count.saturating_add(n);
        }
    }
}

impl<C> Default for Counts<C> {
    fn default() -> Self {
        Counts(BTreeMap::new())
    }
}

/// What was found while reading that is not a fault, counted by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    counts: Counts<Cause>,
    texts: Vec<String>,
    more: u64,
}

/// Sentences that are kept; more are counted.
const MOST_TEXTS: usize = 20;

impl Notes {
    /// Counts one.
    pub fn add(&mut self, cause: Cause) {
        self.counts.add(cause, 1);
    }

    /// Counts several.
    pub fn add_many(&mut self, cause: Cause, n: u64) {
        self.counts.add(cause, n);
    }

    /// How many of a cause there were.
    pub fn of(&self, cause: Cause) -> u64 {
        self.counts.0.get(&cause).copied().unwrap_or(0)
    }

    /// Every cause that there was, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Cause, u64)> + '_ {
        self.counts.0.iter().map(|(cause, n)| (*cause, *n))
    }

    /// Says something once. The first few are kept.
    pub fn say(&mut self, text: impl Into<String>) {
        if self.texts.len() < MOST_TEXTS { self.texts.push(text.into()) } else { self.more += 1 }
    }

    /// What was said.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// How many were said beyond those that are kept.
    pub fn more(&self) -> u64 {
        self.more
    }

    /// Forgets what [`count`](Self::count) counted, for counting anew.
    pub fn forget_annotations(&mut self) {
        for cause in [
            Cause::Clipped,
            Cause::DroppedEmpty,
            Cause::Crowd,
            Cause::Rotated,
            Cause::Polygon,
            Cause::Mask,
            Cause::Points,
            Cause::Outside,
            Cause::NoClass,
            Cause::Unlabelled,
            Cause::SizeMissing,
        ] {
            self.counts.0.remove(&cause);
        }
    }

    /// Takes in what was found in another file of the set.
    pub fn join(&mut self, other: Notes) {
        for (cause, n) in other.iter() {
            self.add_many(cause, n);
        }
        self.more += other.more;
        other.texts.into_iter().for_each(|text| self.say(text));
    }
}

/// Losses that a format cannot express, counted by cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(Counts<Loss>);

impl Losses {
    /// Counts one.
    pub fn add(&mut self, loss: Loss) {
        self.0.add(loss, 1);
    }

    /// Counts several.
    pub fn add_many(&mut self, loss: Loss, n: u64) {
        self.0.add(loss, n);
    }

    /// How many of a cause there were.
    pub fn of(&self, loss: Loss) -> u64 {
        self.0.0.get(&loss).copied().unwrap_or(0)
    }

    /// Every cause that there was, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64)> + '_ {
        self.0.0.iter().map(|(loss, n)| (*loss, *n))
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    /// Takes in what was lost in another file.
    pub fn join(&mut self, other: &Losses) {
        for (loss, n) in other.iter() {
            self.add_many(loss, n);
        }
    }
}
