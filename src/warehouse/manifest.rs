//! The manifest: what a warehouse says of itself, in the order and form in which its first builder writes it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    codes,
    raw::{CHANNELS, Dtype, Endianness, SHARD_VERSION, Shape},
    version::{Transform, Version},
};
use crate::{
    error::{Error, Result},
    limits::Limits,
    sample::record::safe_name,
};

/// The usual name of a manifest.
pub const MANIFEST_NAME: &str = "manifest.json";

/// A manifest. Fields that are not known here are kept, behind the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Manifest"))]
#[non_exhaustive]
pub struct Manifest {
    /// Where the frames came from, as the builder was told.
    pub dataset_root: String,
    /// What was done to them.
    pub transform: Transform,
    /// The version key: 64 hexadecimal digits.
    pub version: String,
    /// What the version is made of, in words.
    pub version_recipe: String,
    /// The version of the builder.
    pub code_version: String,
    /// The type of the pixels.
    pub default_dtype: Dtype,
    /// The version of the shards.
    pub default_shard_version: u32,
    /// When it was built, in milliseconds since 1970.
    pub created_at_ms: u64,
    /// The shards, in the order of the samples.
    pub shards: Vec<ShardEntry>,
    /// What of the input was taken.
    pub summary: Summary,
    /// How much of it may be bad.
    pub thresholds: Thresholds,
    /// An extension: what the version is the SHA-256 of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_key: Option<String>,
    /// An extension: the version that the first builder would have given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer_version: Option<String>,
    /// An extension: the names of the classes, by the numbers in the metadata of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
    /// All other fields.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A shard as the manifest describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ShardEntry {
    /// Its name in reports: five digits.
    pub id: String,
    /// Its file, relative to the manifest's folder.
    pub relative_path: String,
    /// Its version.
    pub shard_version: u32,
    /// How many samples it has.
    pub samples: u64,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Always 3.
    pub channels: u32,
    /// Places for boxes.
    pub max_boxes: u32,
    /// The SHA-256 of the whole file: 64 hexadecimal digits.
    #[serde(default)]
    pub checksum_sha256: Option<String>,
    /// The type of the pixels.
    pub dtype: Dtype,
    /// The byte order.
    pub endianness: Endianness,
    /// An extension: the type of boxes and masks, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boxes_dtype: Option<Dtype>,
    /// All other fields.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How many frames were taken and refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FrameSummary"))]
#[non_exhaustive]
pub struct Summary {
    /// Of each run.
    pub runs: Vec<Counts>,
    /// Of all of them.
    pub totals: Counts,
    /// All other fields.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The frames of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FrameCounts"))]
#[non_exhaustive]
pub struct Counts {
    /// The run's folder; empty for all of them.
    pub run_dir: String,
    /// Frames that are neither missing nor invalid.
    pub total: u64,
    /// Those with boxes.
    pub non_empty: u64,
    /// Those without.
    pub empty: u64,
    /// Labels that name no image.
    pub missing_image: u64,
    /// Labels whose image is not there.
    pub missing_file: u64,
    /// Labels that do not read.
    pub invalid: u64,
    /// All other fields.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Counts {
    /// Of the run with this folder, nothing counted yet.
    pub fn new(run_dir: impl Into<String>) -> Self {
        Counts { run_dir: run_dir.into(), ..Counts::default() }
    }
    /// Adds the counts of another run.
    pub fn add(&mut self, run: &Counts) {
        for (sum, more) in [
            (&mut self.total, run.total),
            (&mut self.non_empty, run.non_empty),
            (&mut self.empty, run.empty),
            (&mut self.missing_image, run.missing_image),
            (&mut self.missing_file, run.missing_file),
            (&mut self.invalid, run.invalid),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
    fn numbers(&self) -> [u64; 6] {
        [self.total, self.non_empty, self.empty, self.missing_image, self.missing_file, self.invalid]
    }
}

impl Summary {
    /// Of these runs, added up.
    pub fn of(runs: Vec<Counts>) -> Self {
        let mut totals = Counts::default();
        runs.iter().for_each(|run| totals.add(run));
        Summary { runs, totals, other: Map::new() }
    }
    /// Whether the totals are the sum of the runs, if there are runs.
    pub(crate) fn adds_up(&self) -> bool {
        self.runs.is_empty() || Summary::of(self.runs.clone()).totals.numbers() == self.totals.numbers()
    }
}

/// How many frames may be bad: more refuses the warehouse.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Thresholds {
    /// Labels that do not read.
    #[serde(default)]
    pub max_invalid: Option<u64>,
    /// Images that are not named or not there.
    #[serde(default)]
    pub max_missing: Option<u64>,
    /// Frames without boxes.
    #[serde(default)]
    pub max_empty: Option<u64>,
    /// The same of all frames, from 0 to 1.
    #[serde(default)]
    pub max_invalid_ratio: Option<f64>,
    /// The same of all frames.
    #[serde(default)]
    pub max_missing_ratio: Option<f64>,
    /// The same of all frames.
    #[serde(default)]
    pub max_empty_ratio: Option<f64>,
    /// All other fields.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Thresholds {
    /// Every threshold that these counts break, in words. Ratios are of all frames, the missing and invalid ones
    /// included, and compared as f32, as the first builder does.
    pub fn broken_by(&self, counts: &Counts) -> Vec<String> {
        let missing = counts.missing_image.saturating_add(counts.missing_file);
        let all = counts.total.saturating_add(missing).saturating_add(counts.invalid).max(1);
        let mut broken = Vec::new();
        for (what, found, most, ratio) in [
            ("invalid", counts.invalid, self.max_invalid, self.max_invalid_ratio),
            ("missing", missing, self.max_missing, self.max_missing_ratio),
            ("empty", counts.empty, self.max_empty, self.max_empty_ratio),
        ] {
            if let Some(most) = most.filter(|&most| found > most) {
                broken.push(format!("{found} frames are {what}, and {most} may be"));
            }
            let share = found as f32 / all as f32;
            if let Some(ratio) = ratio.filter(|&ratio| share > ratio as f32) {
                broken.push(format!("{share:.4} of the {all} frames are {what}, and {ratio} may be"));
            }
        }
        broken
    }
}

impl ShardEntry {
    /// A shard of this number, with the file name that goes with it.
    pub fn new(number: usize, shape: &Shape, samples: u64, sha256: Option<String>) -> Self {
        ShardEntry {
            id: format!("{number:05}"),
            relative_path: format!("shard_{number:05}.bin"),
            shard_version: SHARD_VERSION,
            samples,
            width: shape.width,
            height: shape.height,
            channels: CHANNELS,
            max_boxes: shape.max_boxes,
            checksum_sha256: sha256,
            dtype: shape.dtype,
            endianness: shape.endianness,
            boxes_dtype: (shape.boxes_dtype != shape.dtype).then_some(shape.boxes_dtype),
            other: Map::new(),
        }
    }
    /// What its samples have in common, as the manifest says.
    pub fn shape(&self) -> Shape {
        let boxes_dtype = self.boxes_dtype.unwrap_or(self.dtype);
        let mut shape = Shape::new(self.width, self.height, self.max_boxes, self.dtype);
        (shape.boxes_dtype, shape.endianness) = (boxes_dtype, self.endianness);
        shape
    }
    /// Its file, relative to the manifest's folder: refused where it is not inside of it. Links are the host's matter.
    pub fn path(&self) -> Result<&str> {
        let path = self.relative_path.as_str();
        let drive = path.as_bytes().get(1) == Some(&b':');
        if safe_name(path).is_err() || path.contains('\\') || drive {
            let message = format!("the shard's path {path:?} leaves the folder of the manifest");
            return Err(Error::new(&codes::PATH, message).section("manifest"));
        }
        Ok(path)
    }
}

impl Manifest {
    /// A manifest without shards, of a warehouse that is being built.
    pub fn new(dataset_root: impl Into<String>, transform: Transform, version: Version, dtype: Dtype) -> Self {
        Manifest {
            dataset_root: dataset_root.into(),
            transform,
            version: version.key,
            version_recipe: version.recipe,
            code_version: version.code_version,
            default_dtype: dtype,
            default_shard_version: SHARD_VERSION,
            created_at_ms: 0,
            shards: Vec::new(),
            summary: Summary::default(),
            thresholds: Thresholds::default(),
            version_key: version.text,
            peer_version: version.peer,
            classes: None,
            other: Map::new(),
        }
    }

    /// Reads a manifest.
    pub fn parse(text: &[u8], limits: &Limits) -> Result<Self> {
        limits.metadata(text.len() as u64)?;
        serde_json::from_slice(text).map_err(|e| {
            let message = format!("the manifest does not read: {e}");
            let at = offset_of(text, e.line(), e.column());
            Error::caused(&codes::MANIFEST, message, e).section("manifest").offset(at)
        })
    }

    /// Its bytes: two spaces for each level, and no end of the line behind the last.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec_pretty(self)
            .map_err(|e| Error::caused(&codes::CANNOT_HOLD, format!("the manifest cannot be written: {e}"), e))
    }

    /// A run's name below the input, which may have been moved as a whole; empty for the input itself.
    #[doc(hidden)]
    pub fn run_below<'a>(&self, run: &'a str) -> &'a str {
        match run.strip_prefix(self.dataset_root.trim_end_matches(['/', '\\'])) {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => rest.trim_start_matches(['/', '\\']),
            _ => run,
        }
    }

    /// How many samples it says that there are.
    pub fn samples(&self) -> u64 {
        self.shards.iter().fold(0, |sum, shard| sum.saturating_add(shard.samples))
    }
}

/// The byte at a line and a column, both counted from 1.
fn offset_of(text: &[u8], line: usize, column: usize) -> u64 {
    let before = text.split_inclusive(|b| *b == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum::<usize>();
    (before + column.saturating_sub(1)).min(text.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_broken_by_more_and_not_by_as_many() {
        let mut counts = Counts::new("");
        (counts.total, counts.invalid, counts.missing_file, counts.empty) = (7, 1, 2, 3);
        let mut thresholds = Thresholds::default();
        assert!(thresholds.broken_by(&counts).is_empty());
        (thresholds.max_invalid, thresholds.max_missing) = (Some(1), Some(1));
        // One of ten is no more than 0.1 in f32.
        (thresholds.max_invalid_ratio, thresholds.max_empty_ratio) = (Some(0.1), Some(0.29));
        assert_eq!(
            thresholds.broken_by(&counts),
            ["2 frames are missing, and 1 may be", "0.3000 of the 10 frames are empty, and 0.29 may be"]
        );
    }

    #[test]
    fn paths_stay_inside() {
        let path = |path: &str| {
            let mut shard = ShardEntry::new(0, &Shape::new(1, 1, 1, Dtype::F32), 1, None);
            shard.relative_path = path.into();
            shard.path().map(str::to_owned).map_err(|e| e.code().id())
        };
        assert_eq!(path("shard_00000.bin").unwrap(), "shard_00000.bin");
        assert_eq!(path("in/side.bin").unwrap(), "in/side.bin");
        for bad in ["../shard.bin", "/etc/passwd", "a/../../b", "", "a\0b", "..\\b", "C:\\b", "c:b", "a/", "."] {
            assert_eq!(path(bad), Err("warehouse.path"), "{bad:?}");
        }
    }
}
