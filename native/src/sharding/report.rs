//! What came of shards.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Plan;
use crate::convert::Summary;

/// One shard that is in its place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ShardMade"))]
#[serde(default)]
#[non_exhaustive]
pub struct Made {
    /// Its number.
    pub shard: u64,
    /// Where it is.
    pub output: String,
    /// Whether it was there already, whole and made of the same: then it was left as it is.
    pub reused: bool,
    /// Samples in it.
    pub samples: u64,
    /// Bytes of their payloads before compression.
    pub payload_bytes: u64,
    /// Bytes of their payloads as stored.
    pub stored_bytes: u64,
    /// Bytes of the file.
    pub output_bytes: u64,
    /// Samples that compression made smaller.
    pub compressed_samples: u64,
    /// Payloads and sidecars that were read back and found equal.
    pub verified: u64,
    /// How long it took to make it.
    pub seconds: f64,
    /// The samples left out with `keep_going`, as [`Fault`](forebay::check::Fault)s serialize.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<forebay::check::Fault>"))]
    pub faults: Vec<Value>,
    /// Things worth knowing.
    pub notes: Vec<String>,
}

impl Made {
    pub(super) fn new(shard: u64, summary: Summary, seconds: f64) -> Made {
        Made {
            shard,
            output: summary.output,
            reused: false,
            samples: summary.samples,
            payload_bytes: summary.payload_bytes,
            stored_bytes: summary.stored_bytes,
            output_bytes: summary.output_bytes,
            compressed_samples: summary.compressed_samples,
            verified: summary.verified,
            seconds,
            faults: summary.faults.iter().filter_map(|fault| serde_json::to_value(fault).ok()).collect(),
            notes: summary.notes,
        }
    }
}

/// The result of a plan: one report for all runs and machines.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ShardReport"))]
#[non_exhaustive]
pub struct Report {
    /// The name of the shards.
    pub name: String,
    /// Shards of the plan.
    pub shards: u64,
    /// Those that were made.
    pub made: u64,
    /// Those that were there already, whole and made of the same.
    pub reused: u64,
    /// Those that nobody asked for.
    pub left: u64,
    /// Samples of all that are in their places; so with the fields that follow.
    pub samples: u64,
    /// Bytes of their payloads before compression.
    pub payload_bytes: u64,
    /// Bytes of their payloads as stored.
    pub stored_bytes: u64,
    /// Bytes of the files.
    pub output_bytes: u64,
    /// Samples that compression made smaller.
    pub compressed_samples: u64,
    /// Payloads and sidecars that were read back and found equal.
    pub verified: u64,
    /// How long it took to make them, one after another.
    pub seconds: f64,
    /// The faults of samples left out, each once.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<forebay::check::Fault>"))]
    pub faults: Vec<Value>,
    /// Things worth knowing, each once.
    pub notes: Vec<String>,
    /// Shard by shard, in their order.
    pub outputs: Vec<Made>,
}

impl Report {
    /// Merges what came of single shards, in any order. One that is told twice counts once.
    pub fn of(plan: &Plan, mut outputs: Vec<Made>) -> Report {
        outputs.sort_by_key(|one| one.shard);
        outputs.dedup_by_key(|one| one.shard);
        let mut report = Report { name: plan.settings().name.clone(), shards: plan.shards(), ..Report::default() };
        let (mut faults, mut notes) = (std::collections::HashSet::new(), std::collections::HashSet::new());
        for one in &outputs {
            *(if one.reused { &mut report.reused } else { &mut report.made }) += 1;
            for (sum, more) in [
                (&mut report.samples, one.samples),
                (&mut report.payload_bytes, one.payload_bytes),
                (&mut report.stored_bytes, one.stored_bytes),
                (&mut report.output_bytes, one.output_bytes),
                (&mut report.compressed_samples, one.compressed_samples),
                (&mut report.verified, one.verified),
            ] {
                *sum = sum.saturating_add(more);
            }
            report.seconds += one.seconds;
            // Damage of a file is found by every shard that reads it.
            report.faults.extend(one.faults.iter().filter(|fault| faults.insert(fault.to_string())).cloned());
            report.notes.extend(one.notes.iter().filter(|note| notes.insert(note.as_str())).cloned());
        }
        report.left = report.shards.saturating_sub(outputs.len() as u64);
        report.outputs = outputs;
        report
    }
}
