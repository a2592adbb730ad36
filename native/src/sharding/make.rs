//! One shard, made or found.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use forebay::{
    Error, Result,
    detect::{HEAD_LEN, detect},
    formats::Format,
};

use super::{Made, MakeOptions, Settings, Shards, codes, record, record::Record};
use crate::{
    check::check,
    convert::{Job, Options, Progress, Summary, To},
    dataset::Dataset,
    input::{Input, display, io_error, remote},
    output::{Stage, refuse_inputs},
    shards::sha256_of,
};

impl Shards {
    /// Makes a shard in `folder`, which is made if it is not there. A shard that is there, with the length and the digest
    /// that were recorded, is left as it is; one that was damaged since is made anew; any other file in its place is
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
        let place = Place {
            shard,
            path: remote::beneath(folder, &name),
            beside: record::place(folder, &name),
            key,
            how,
            settings: plan.settings(),
        };
        super::make_folder(folder)?;
        if let Some(made) = place.found()? {
            progress(&Progress::of_samples(made.samples, made.samples));
            return Ok(made);
        }
        let _claim = record::claim(folder, plan)?;
        if how.force {
            refuse_inputs(&place.path, plan.inputs().iter().map(|input| Path::new(&input.path)))?;
        }
        let begun = Instant::now();
        if remote::is_remote(folder) {
            return self.make_far(&place, begun, progress);
        }
        // What has no digest, as a run of before may have left it, is proven by making the shard again.
        let is_unproven = place.record().is_some_and(|record| !record.is_whole());
        if !is_unproven {
            place.may_replace()?;
        }
        let stage = Stage::begin(folder, name.as_ref(), std::iter::empty(), true)?;
        let staged = stage.at(&name);
        let mut summary = self.convert(shard, &staged, place.options(true), progress)?;
        summary.output = display(&place.path);
        let made = Made::new(shard, summary, begun.elapsed().as_secs_f64());
        let record = Record::of(&place.key, &staged, &made)?;
        // The record comes first, so that a shard in its place is always proven; a record alone says nothing.
        if record.made(&place.path)?.is_some() {
            record.write(&place.beside, how.sync)?;
            return Ok(made);
        }
        let force = place.may_replace()?;
        record.write(&place.beside, how.sync)?;
        let placed = stage.forcing(force).commit(std::slice::from_ref(&name), how.sync);
        match placed {
            // Another process that makes this shard makes the same bytes.
            Err(_) if place.is_there()? => match record.made(&place.path)? {
                Some(made) => Ok(Made { reused: true, ..made }),
                None => Err(place.foreign()),
            },
            placed => placed.map(|()| made),
        }
    }

    /// The same in a store, which knows what it holds only when it holds it: so the record comes afterwards. The first of
    /// those that make one shard wins.
    fn make_far(&self, place: &Place<'_>, begun: Instant, progress: &mut dyn FnMut(&Progress)) -> Result<Made> {
        let mut options = place.options(false);
        let before = place.record();
        let is_begun = before.as_ref().is_some_and(|record| !record.is_whole());
        if is_begun && !place.how.force && place.is_there()? {
            return self.prove_far(place, begun, progress);
        }
        options.force = place.may_replace()?;
        Record::begun(&place.key).write(&place.beside, place.how.sync)?;
        let summary = match self.convert(place.shard, &place.path, options, progress) {
            Ok(summary) => summary,
            Err(e) => {
                return match place.found()? {
                    Some(made) => Ok(made),
                    None => Err(e),
                };
            }
        };
        let made = Made::new(place.shard, summary, begun.elapsed().as_secs_f64());
        Record::of(&place.key, &place.path, &made)?.write(&place.beside, place.how.sync)?;
        Ok(made)
    }

    /// An object without a digest, which a run left that was ended: it is ours if it has the bytes of the shard.
    fn prove_far(&self, place: &Place<'_>, begun: Instant, progress: &mut dyn FnMut(&Progress)) -> Result<Made> {
        let folder = tempfile::tempdir().map_err(|e| io_error(&display(&place.path), "make a temporary folder", e))?;
        let local = folder.path().join("shard");
        let mut summary = self.convert(place.shard, &local, place.options(true), progress)?;
        summary.output = display(&place.path);
        if sha256_of(&Input::pieces(&local)?)? != sha256_of(&Input::pieces(&place.path)?)? {
            return Err(place.foreign());
        }
        let made = Made::new(place.shard, summary, begun.elapsed().as_secs_f64());
        Record::of(&place.key, &place.path, &made)?.write(&place.beside, place.how.sync)?;
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

/// Where a shard is to be, and what is known of that.
struct Place<'a> {
    shard: u64,
    path: PathBuf,
    /// Its record.
    beside: PathBuf,
    key: String,
    how: &'a MakeOptions,
    settings: &'a Settings,
}

impl Place<'_> {
    fn options(&self, force: bool) -> Options {
        let mut options = self.settings.options(self.how);
        options.force = force;
        options
    }

    /// The record of this shard, if it is one of the same plan.
    fn record(&self) -> Option<Record> {
        Record::read(&self.beside).filter(|record| record.key == self.key)
    }

    /// The shard, if what is there is proven to be it.
    fn found(&self) -> Result<Option<Made>> {
        let made = self.record().map(|record| record.made(&self.path)).transpose()?.flatten();
        Ok(made.map(|made| Made { shard: self.shard, output: display(&self.path), reused: true, ..made }))
    }

    fn is_there(&self) -> Result<bool> {
        match remote::is_remote(&self.path) {
            true => Ok(remote::found(&self.path)?.is_some()),
            false => Ok(fs::symlink_metadata(&self.path).is_ok()),
        }
    }

    /// Whether something is there that may go: because it was said, or because it is a shard that was damaged. Anything
    /// else is refused.
    fn may_replace(&self) -> Result<bool> {
        match self.is_there()? {
            false => Ok(self.how.force),
            true if self.how.force || self.is_damaged()? => Ok(true),
            true => Err(self.foreign()),
        }
    }

    /// Whether this is a file of the plan that was damaged or cut short: it begins as one, or is empty, and is not sound.
    fn is_damaged(&self) -> Result<bool> {
        let is_file = || fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_file());
        if self.record().is_none() || !(remote::is_remote(&self.path) || is_file()) {
            return Ok(false);
        }
        let input = Input::pieces(&self.path)?;
        let head = input.slice(0..input.len().min(HEAD_LEN))?;
        match (detect(&head), self.settings.to) {
            (Some(Format::Tbl), To::Tbl) | (Some(Format::Tar), To::Tar) => {}
            _ => return Ok(head.is_empty()),
        }
        let Ok(dataset) = Dataset::open_with(&self.path, &self.settings.open()) else { return Ok(true) };
        Ok(!check(&dataset, self.how.workers, &mut |_| {})?.ok)
    }

    fn foreign(&self) -> Error {
        let message = "the plan did not make this file, so it is left as it is: the inputs or the settings are others \
                       than before, or something else wrote or changed it";
        Error::new(&codes::FOREIGN, message).file(display(&self.path)).with_options(&["force"])
    }
}
