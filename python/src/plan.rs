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

use crate::{options::parse, wait::long};

/// What of it is told.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    epoch: u64,
    rank: Option<u64>,
    steps: Option<(u64, u64)>,
    #[serde(rename = "where")]
    filter: Option<String>,
}

/// The plan as JSON text: what every rank gets, or the batches of one.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, inputs: Vec<String>, run: String, options: String) -> PyResult<String> {
    long(py, None, move |wire| {
        let (run, wanted): (Run, Wanted) = (parse(&run)?, parse(&options)?);
        let open = |path: &PathBuf| Dataset::open_with(path, &OpenOptions::default());
        let datasets = expand(&inputs)?.iter().map(open).collect::<Result<Vec<_>>>()?;
        let filter = wanted.filter.as_deref().map(Filter::parse).transpose()?;
        let plan = Plan::new(datasets, filter.as_ref(), &run)?;
        let file = |(d, n): (&Dataset, u64)| json!({ "file": d.name(), "samples": d.len(), "selected": n });
        let mut found = json!({
            "epoch": wanted.epoch,
            "world": run.world,
            "batch": run.batch,
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
