//! One shard, made or found.

use std::{collections::HashMap, fs, path::Path, time::Instant};

use forebay::{Error, Result};

use super::{Made, MakeOptions, Shards, codes, record, record::Record};
use crate::{
    convert::{Job, Options, Progress, Summary},
    input::{display, remote},
    output::refuse_inputs,
};

impl Shards {
    /// Makes a shard in `folder`, which is made if it is not there. A shard that is there, whole and made of the same, is
    /// left as it is; one of this plan that is damaged or half recorded is made anew; any other file in its place is
    /// refused unless [`force`](MakeOptions::force) replaces it. Until the shard is whole, nothing of it is there.
    pub fn make(&self, shard: u64, folder: &Path, how: &MakeOptions) -> Result<Made> {
        self.make_with(shard, folder, how, &mut |_| {})
    }

    /// As [`make`](Self::make), telling how far it is after every chunk of samples.
    pub fn make_with(
        &self,
        shard: u64,
        folder: &Path,
        how: &MakeOptions,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Made> {
        let plan = self.plan();
        let (key, name) = (plan.key(&self.order, shard)?, plan.name(shard));
        let (path, beside) = (remote::beneath(folder, &name), record::place(folder, &name));
        let record = Record::read(&beside).filter(|record| record.key == key);
        super::make_folder(folder)?;
        let is_there = match remote::is_remote(&path) {
            true => remote::found(&path)?.is_some(),
            false => fs::symlink_metadata(&path).is_ok(),
        };
        if is_there {
            match &record {
                Some(record) => {
                    if let Some(made) = record.made(&path)? {
                        let made = Made { shard, output: display(&path), reused: true, ..made };
                        progress(&Progress::of_samples(made.samples, made.samples));
                        return Ok(made);
                    }
                }
                None if how.force => refuse_inputs(&path, plan.inputs().iter().map(|input| Path::new(&input.path)))?,
                None => {
                    let message = "this file is none that the plan made, and is left as it is: the inputs or the settings \
                                   are others than before, or something else wrote it";
                    return Err(Error::new(&codes::FOREIGN, message).file(display(&path)).with_options(&["force"]));
                }
            }
        }
        Record::begun(&key).write(&beside, how.sync)?;
        let begun = Instant::now();
        let mut options = plan.settings().options(how);
        // What stands there was judged. Another process that makes the same shard makes the same bytes.
        options.force = true;
        let summary = match self.convert(shard, &path, options, progress) {
            Err(e) => {
                // In a store the first of them wins.
                let others = Record::read(&beside).filter(|record| record.key == key && remote::is_remote(&path));
                return match others.map(|record| record.made(&path)).transpose()?.flatten() {
                    Some(made) => Ok(Made { shard, output: display(&path), reused: true, ..made }),
                    None => Err(e),
                };
            }
            Ok(summary) => summary,
        };
        let made = Made::new(shard, summary, begun.elapsed().as_secs_f64());
        Record::of(&key, &path, &made)?.write(&beside, how.sync)?;
        Ok(made)
    }

    /// Converts the samples of a shard.
    pub(super) fn convert(
        &self,
        shard: u64,
        output: &Path,
        options: Options,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Summary> {
        let (samples, inputs) = self.plan().samples_of(&self.order, shard)?;
        let mut opened = HashMap::with_capacity(inputs.len());
        let mut sources = Vec::with_capacity(inputs.len());
        for number in inputs {
            let input = self.input(number)?;
            sources.push(input.dataset.clone());
            opened.insert(number, (sources.len() as u32 - 1, input));
        }
        let chosen = samples.iter().filter_map(|(input, selected)| {
            let (source, input) = opened.get(input)?;
            Some((*source, input.sample(*selected)))
        });
        let chosen = chosen.collect();
        Job::new(sources, options).select(chosen).run_with(output, progress)
    }
}
