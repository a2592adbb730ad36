//! The shards of one dataset, which appear together: the set that was there before, or the new one.

use std::{path::Path, time::Instant};

use forebay::Result;

use super::{MakeOptions, Settings, Shards};
use crate::{
    convert::{Progress, Summary},
    dataset::Dataset,
    input::{display, remote},
    output::Stage,
};

/// Writes a dataset as shards into `folder`, which is made if it is not there. They wait in a hidden folder until all are
/// whole; in a store, which has none, each appears when it is whole. With each summary comes how many seconds its shard took.
pub fn split(
    dataset: Dataset,
    folder: &Path,
    settings: Settings,
    how: &MakeOptions,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Vec<(Summary, f64)>> {
    let shards = Shards::of_one(dataset, settings)?;
    let plan = shards.plan();
    super::make_folder(folder)?;
    let names: Vec<String> = (0..plan.shards()).map(|shard| plan.name(shard)).collect();
    let stage = Stage::begin(folder, plan.settings().name.as_ref(), names.iter().cloned(), how.force)?;
    let mut written = Vec::with_capacity(names.len());
    for (shard, name) in (0..).zip(&names) {
        let (begun, before) = (Instant::now(), plan.range(shard).start);
        let mut told = |now: &Progress| progress(&Progress::of_samples(before + now.samples, plan.samples()));
        let mut options = plan.settings().options(how);
        options.force = stage.forces();
        let mut summary = shards.convert(shard, &stage.at(name), options, &mut told)?;
        summary.output = display(&remote::beneath(folder, name));
        written.push((summary, begun.elapsed().as_secs_f64()));
    }
    stage.commit(&names, how.sync)?;
    Ok(written)
}
