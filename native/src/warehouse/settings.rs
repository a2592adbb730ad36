//! What is asked of a build.

use std::path::PathBuf;

use forebay::{
    Error, Limits, Result,
    annotations::{Exif, Format, ReadOptions},
    error::codes,
    warehouse::{Dtype, ResizeMode, Shape, THRESHOLDS, Thresholds, set_threshold},
};

/// Bytes of a shard, unless other is asked for.
const SHARD_BYTES: u64 = 192 << 20;
/// The largest side of an image.
const LARGEST: u32 = 1 << 16;

/// The rule for a version that exists, made of the same sources in the same way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Existing {
    /// It stays, and the build is refused.
    #[default]
    Refuse,
    /// It stays if it is whole, and that is the build's result; otherwise it is replaced.
    Reuse,
    /// It is replaced.
    Replace,
}

/// How to build.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// A label file, or a folder of them, for pictures of folders, TAR and TBL files. Runs have their own.
    pub labels: Option<PathBuf>,
    /// The format of the labels; found out unless given.
    pub label_format: Option<Format>,
    /// Decides what the labels leave open; `limits` are those of the build. Any `exif` says that boxes of turned
    /// pictures lie in these as [`exif`](Self::exif) has them; without it they are refused if the labels do not say it.
    pub label_options: ReadOptions,
    /// Width and height of the images.
    pub size: [u32; 2],
    /// How pictures are made to fit.
    pub resize: ResizeMode,
    /// Places for boxes.
    pub max_boxes: u32,
    /// The type of the pixels.
    pub dtype: Dtype,
    /// Whether boxes and masks are f32 whatever the pixels are.
    pub f32_boxes: bool,
    /// Whether frames without boxes are left out.
    pub skip_empty: bool,
    /// The rule for images that EXIF turns. Boxes are in the image as it is then.
    pub exif: Exif,
    /// About how many bytes a shard has.
    pub shard_bytes: u64,
    /// How many frames may be bad.
    pub thresholds: Thresholds,
    /// Whether a warehouse that breaks them is kept nevertheless.
    pub allow_violations: bool,
    /// The rule for a version that exists.
    pub existing: Existing,
    /// Where a line of JSON is written for each shard.
    pub trace: Option<PathBuf>,
    /// The builder's version in the key; this crate's unless given.
    pub code_version: Option<String>,
    /// When it is built, in milliseconds since 1970; the clock's unless given.
    pub created_at_ms: Option<u64>,
    /// Threads; all cores unless given.
    pub workers: Option<usize>,
    /// Whether files are made durable before they take their place.
    pub sync: bool,
    /// The limits of sources.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            labels: None,
            label_format: None,
            label_options: ReadOptions::default(),
            size: [384, 384],
            resize: ResizeMode::Letterbox,
            max_boxes: 16,
            dtype: Dtype::F32,
            f32_boxes: false,
            skip_empty: false,
            exif: Exif::Apply,
            shard_bytes: SHARD_BYTES,
            thresholds: Thresholds::default(),
            allow_violations: false,
            existing: Existing::Refuse,
            trace: None,
            code_version: None,
            created_at_ms: None,
            workers: None,
            sync: true,
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// Sets the label file, or the folder of them.
    #[must_use]
    pub fn with_labels(mut self, path: impl Into<PathBuf>) -> Self {
        self.labels = Some(path.into());
        self
    }
    /// Sets width and height of the images.
    #[must_use]
    pub fn with_size(mut self, width: u32, height: u32) -> Self {
        self.size = [width, height];
        self
    }
    /// Sets how pictures are made to fit.
    #[must_use]
    pub fn with_resize(mut self, resize: ResizeMode) -> Self {
        self.resize = resize;
        self
    }
    /// Sets how many places there are for boxes.
    #[must_use]
    pub fn with_max_boxes(mut self, most: u32) -> Self {
        self.max_boxes = most;
        self
    }
    /// Sets the type of the pixels.
    #[must_use]
    pub fn with_dtype(mut self, dtype: Dtype) -> Self {
        self.dtype = dtype;
        self
    }
    /// Sets whether frames without boxes are left out.
    #[must_use]
    pub fn with_skip_empty(mut self, skip: bool) -> Self {
        self.skip_empty = skip;
        self
    }

    /// Takes in what the environment says, of which `look` gives the variables: the thresholds `BURN_DATASET_MAX_...`,
    /// `WAREHOUSE_CLEAR`, `WAREHOUSE_SKIP_IF_EXISTS`, `WAREHOUSE_TRACE` and `CODE_VERSION`. Blank is not set; what cannot
    /// be understood is refused.
    pub fn take_environment(&mut self, look: impl Fn(&str) -> Option<String>) -> Result<()> {
        let look = |name: &str| look(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        for name in THRESHOLDS {
            let variable = format!("BURN_DATASET_{}", name.to_uppercase());
            if let Some(text) = look(&variable) {
                set_threshold(&mut self.thresholds, name, &text).map_err(|e| e.more(&format!("set by {variable}")))?;
            }
        }
        let yes = |name: &str| look(name).is_some_and(|text| text != "0");
        if yes("WAREHOUSE_SKIP_IF_EXISTS") {
            self.existing = Existing::Reuse;
        }
        // It comes first, as it always did.
        if yes("WAREHOUSE_CLEAR") {
            self.existing = Existing::Replace;
        }
        if let Some(path) = look("WAREHOUSE_TRACE") {
            self.trace = Some(path.into());
        }
        if let Some(version) = look("CODE_VERSION") {
            self.code_version = Some(version);
        }
        Ok(())
    }

    /// What all samples have in common.
    pub(super) fn shape(&self) -> Result<Shape> {
        let [width, height] = self.size;
        let refuse = |message: String| Err(Error::new(&codes::ARGUMENT, message));
        if !(1..=LARGEST).contains(&width) || !(1..=LARGEST).contains(&height) {
            return refuse(format!("a size of {width} x {height} makes no images; sides are 1 to {LARGEST}"));
        }
        let pixels = u64::from(width) * u64::from(height);
        if pixels > self.limits.pixels {
            return refuse(format!("{width} x {height} pixels are over the limit of {} (pixels)", self.limits.pixels));
        }
        if self.max_boxes > 1 << 20 {
            return refuse(format!("{} places for boxes are more than {}", self.max_boxes, 1 << 20));
        }
        let shape = Shape::new(width, height, self.max_boxes, self.dtype);
        Ok(if self.f32_boxes { shape.with_f32_boxes() } else { shape })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(variables: &[(&str, &str)]) -> Result<Settings> {
        let mut settings = Settings::default();
        let look = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, text)| (*text).to_owned());
        settings.take_environment(look)?;
        Ok(settings)
    }

    #[test]
    fn the_environment_says_what_the_document_says() {
        let all = taken(&[
            ("BURN_DATASET_MAX_INVALID", "3"),
            ("BURN_DATASET_MAX_MISSING_RATIO", "0.5"),
            ("BURN_DATASET_MAX_EMPTY", " "),
            ("WAREHOUSE_SKIP_IF_EXISTS", "1"),
            ("WAREHOUSE_TRACE", "t.jsonl"),
            ("CODE_VERSION", "cb57f8a"),
        ])
        .unwrap();
        assert_eq!((all.thresholds.max_invalid, all.thresholds.max_missing_ratio), (Some(3), Some(0.5)));
        assert_eq!((all.thresholds.max_empty, all.existing), (None, Existing::Reuse));
        assert_eq!((all.trace.as_deref(), all.code_version.as_deref()), (Some("t.jsonl".as_ref()), Some("cb57f8a")));
        let clear = taken(&[("WAREHOUSE_CLEAR", "false"), ("WAREHOUSE_SKIP_IF_EXISTS", "1")]).unwrap();
        assert_eq!(clear.existing, Existing::Replace);
        assert_eq!(taken(&[("WAREHOUSE_CLEAR", "0")]).unwrap().existing, Existing::Refuse);
        let e = taken(&[("BURN_DATASET_MAX_EMPTY_RATIO", "many")]).unwrap_err();
        assert!(e.to_string().contains("BURN_DATASET_MAX_EMPTY_RATIO"), "{e}");
    }

    #[test]
    fn sizes_that_make_no_images_are_refused() {
        for size in [[0, 4], [4, 0], [1 << 17, 1], [60_000, 60_000]] {
            assert!(Settings { size, ..Settings::default() }.shape().is_err(), "{size:?}");
        }
    }
}
