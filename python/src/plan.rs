//! Which samples each rank of a training run gets, in which order, and how many bytes that is. Only the index is read, unless
//! samples are filtered or drawn by their metadata.

use std::path::PathBuf;

use forebay::{Result, filter::Filter};
use forebay_native::{
    Dataset, OpenOptions,
    input::expand,
    plan::{Batch, Plan, Run, Shares},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{
    options::{optional, parse},
    wait::long,
};

/// The run that is planned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    world: u64,
    batch: u64,
    shuffle: Option<u64>,
    blocks: Option<(u64, u64)>,
    tail: Option<String>,
    weights: Option<Vec<u32>>,
    epoch_samples: Option<u64>,
    weight_by: Option<String>,
    balanced: Option<String>,
    draws: Option<u64>,
    repeated: u64,
    epoch: u64,
    rank: Option<u64>,
    steps: Option<(u64, u64)>,
    #[serde(rename = "where")]
    filter: Option<String>,
}

impl Wanted {
    fn run(&self) -> Result<Run> {
        let mut run = Run::new(self.world, self.batch);
        (run.shuffle, run.blocks) = (self.shuffle, self.blocks);
        run.tail = optional("tail", self.tail.as_deref())?.unwrap_or_default();
        (run.weights, run.epoch_samples) = (self.weights.clone(), self.epoch_samples);
        (run.weight_by, run.balanced) = (self.weight_by.clone(), self.balanced.clone());
        (run.draws, run.repeated) = (self.draws, self.repeated);
        Ok(run)
    }
}

/// The plan as JSON text: what every rank gets, or the batches of one.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, inputs: Vec<String>, options: String) -> PyResult<String> {
    long(py, None, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let open = |path: &PathBuf| Dataset::open_with(path, &OpenOptions::default());
        let datasets = expand(&inputs)?.iter().map(open).collect::<Result<Vec<_>>>()?;
        let filter = wanted.filter.as_deref().map(Filter::parse).transpose()?;
        let plan = Plan::new(datasets, filter.as_ref(), &wanted.run()?)?;
        let file = |(d, n): (&Dataset, u64)| json!({ "file": d.name(), "samples": d.len(), "selected": n });
        let mut found = json!({
            "epoch": wanted.epoch,
            "world": wanted.world,
            "batch": wanted.batch,
            "samples": plan.order().epoch_samples(),
            "steps": plan.order().steps(),
            "files": plan.files().map(file).collect::<Vec<_>>(),
        });
        match wanted.rank {
            Some(rank) => {
                let (from, to) = wanted.steps.unwrap_or((0, u64::MAX));
                let heard = |batch: &Batch| wire.tell(batch.step, None);
                let batches: Vec<Batch> = plan.batches(wanted.epoch, rank, from..to)?.inspect(heard).collect();
                found["batches"] = json!(batches);
            }
            None => {
                let Shares { left_out, ranks } = plan.shares(wanted.epoch, &mut |step| wire.tell(step, None))?;
                (found["ranks"], found["left_out"]) = (json!(ranks), left_out.into());
            }
        }
        Ok(found.to_string())
    })
}
