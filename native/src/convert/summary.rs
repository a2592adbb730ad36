//! How far it is, and what came out.

use forebay::check::Fault;
use serde::Serialize;

use crate::labels::Attached;

/// How far a conversion is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Samples done.
    pub samples: u64,
    /// Samples in all, if that is known.
    pub total: Option<u64>,
    /// Payload bytes done.
    pub bytes: u64,
}

impl Progress {
    /// This many samples of that many.
    pub fn of_samples(samples: u64, total: u64) -> Self {
        Progress { samples, total: Some(total), ..Progress::default() }
    }
}

/// The result of a conversion.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ConvertSummary"))]
#[non_exhaustive]
pub struct Summary {
    /// The inputs' names.
    pub inputs: Vec<String>,
    /// The output's name.
    pub output: String,
    /// Bytes of the inputs on disk.
    pub input_bytes: u64,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// Samples written.
    pub samples: u64,
    /// Bytes of their payloads before compression.
    pub payload_bytes: u64,
    /// Bytes of their payloads as stored.
    pub stored_bytes: u64,
    /// Samples that compression made smaller.
    pub compressed_samples: u64,
    /// Payloads and sidecars read back and found equal.
    pub verified: u64,
    /// Folders, links and specials of archives, and files of folders that belong to no image.
    pub skipped_members: u64,
    /// The samples left out with `keep_going`, and why.
    pub faults: Vec<Fault>,
    /// Things worth knowing.
    pub notes: Vec<String>,
    /// The result for the labels, if there were some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Attached>,
    /// Whether all of the inputs was to go into the output, so that their sizes compare.
    #[serde(skip)]
    pub whole: bool,
}

impl Summary {
    /// Payload bytes over stored bytes.
    pub fn ratio(&self) -> f64 {
        if self.stored_bytes == 0 { 1.0 } else { self.payload_bytes as f64 / self.stored_bytes as f64 }
    }
    /// Input bytes less output bytes; negative where the output is larger.
    pub fn saved(&self) -> i64 {
        i64::try_from(i128::from(self.input_bytes) - i128::from(self.output_bytes)).unwrap_or(0)
    }
}
