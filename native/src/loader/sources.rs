//! The files that a loader reads, and what tells them from others of the same name.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    Error, Result,
    error::codes::{NOT_SAMPLES, UNKNOWN_FORMAT},
    filter::Filter,
    order::{self, Item, Source},
};

use super::{
    OnBroken, Split,
    annotations::{Annotated, Frame},
    codes,
    stored::{self, Stored},
};
use crate::{
    Dataset, Input, OpenOptions,
    ahead::Store,
    identity::{identity, outline},
    input::{display, remote},
    select::matching_all,
    tables::table_format,
};

/// The opened files, in the order in which their samples follow each other.
#[derive(Debug)]
pub(super) struct Sources {
    datasets: Vec<Dataset>,
    /// The samples with their boxes, if they have such: then these are counted.
    pub(super) annotated: Option<Annotated>,
    /// The same files as warehouses, if they are such.
    pub(super) stored: Option<Stored>,
}

/// Which samples are wanted.
#[derive(Debug, Default)]
pub(super) struct Wanted<'a> {
    pub(super) filter: Option<&'a Filter>,
    /// By their numbers among all samples of all sources.
    pub(super) samples: Option<&'a [u64]>,
    pub(super) split: Option<&'a Split>,
    /// Whether files are told from others by all that does, and not only by what costs no request.
    pub(super) whole: bool,
}

impl Sources {
    pub(super) fn open(paths: &[PathBuf], options: &OpenOptions) -> Result<Sources> {
        let open = |path: &PathBuf| Dataset::open_with(path, options).map_err(|e| rows_of(path, e));
        Ok(Sources {
            datasets: remote::each(paths, |path| remote::is_remote(path), open)?,
            annotated: None,
            stored: None,
        })
    }
    /// What is open already.
    pub(super) fn opened(datasets: Vec<Dataset>) -> Sources {
        Sources { datasets, annotated: None, stored: None }
    }
    pub(super) fn annotated(annotated: Annotated, datasets: Vec<Dataset>) -> Sources {
        Sources { datasets, annotated: Some(annotated), stored: None }
    }
    pub(super) fn stored(stored: Stored, datasets: Vec<Dataset>) -> Sources {
        Sources { datasets, annotated: None, stored: Some(stored) }
    }

    /// Has the bytes of files elsewhere given out of a store into which they are fetched ahead. Gives these files, by
    /// their numbers in the store.
    pub(super) fn fetched_ahead(&mut self, store: &Arc<Store>) -> Vec<Option<Input>> {
        if let Some(stored) = &mut self.stored {
            return stored.fetched_ahead(store);
        }
        let one = |(number, dataset): (usize, &mut Dataset)| {
            let input = dataset.input().filter(|input| !input.is_local())?.as_ref().clone();
            *dataset = dataset.by(|input| input.ahead(number, store));
            Some(input)
        };
        self.datasets.iter_mut().enumerate().map(one).collect()
    }

    /// Whether all files lie on this machine.
    pub(super) fn are_local(&self) -> bool {
        match &self.stored {
            Some(stored) => stored.are_local(),
            None => self.datasets.iter().filter_map(Dataset::input).all(|input| input.is_local()),
        }
    }

    /// The bytes that taking an item reads, each with the number of its file in the store; its record too if that is
    /// wanted, and not its payload if that is kept decoded.
    pub(super) fn ranges(
        &self,
        item: &Item,
        record: bool,
        is_kept: impl FnOnce(&Item) -> bool,
    ) -> Vec<(usize, Range<u64>)> {
        if let Some(stored) = &self.stored {
            return stored.ranges(item);
        }
        let Ok((dataset, in_file)) = self.in_file(item) else { return Vec::new() };
        let record = if record { dataset.record_range(in_file.sample) } else { None };
        let payload = if is_kept(&in_file) { None } else { dataset.taken_range(in_file.sample) };
        [payload, record].into_iter().flatten().map(|range| (item.source, range)).collect()
    }

    pub(super) fn datasets(&self) -> &[Dataset] {
        &self.datasets
    }
    /// How many sources there are.
    pub(super) fn len(&self) -> usize {
        self.datasets.len()
    }
    /// How many samples a source has.
    pub(super) fn samples(&self, source: usize) -> u64 {
        match &self.annotated {
            Some(annotated) => annotated.frames(source).len() as u64,
            None => self.datasets.get(source).map_or(0, Dataset::len),
        }
    }

    /// The file of an item.
    pub(super) fn of(&self, item: &Item) -> Result<&Dataset> {
        self.datasets.get(item.source).ok_or_else(|| {
            let message = format!("there are {} sources", self.datasets.len());
            Error::new(&forebay::error::codes::OUT_OF_RANGE, message)
        })
    }
    /// The boxes and the frame of an item.
    pub(super) fn frame(&self, item: &Item) -> Option<&Frame> {
        self.annotated.as_ref()?.frame(item.source, item.sample)
    }
    /// The file of an item, and the item with its number in that file.
    pub(super) fn in_file(&self, item: &Item) -> Result<(&Dataset, Item)> {
        let sample = self.frame(item).map_or(item.sample, |frame| frame.sample);
        Ok((self.of(item)?, Item { sample, ..*item }))
    }

    /// The run of a sample of a source, or the folder that it lies in.
    pub(super) fn run(&self, source: usize, sample: u64) -> Result<String> {
        let unknown = |what: &str| {
            let message = format!("{what} does not know the sample's run, so only samples can be split");
            Error::new(&forebay::error::codes::ARGUMENT, message).sample(sample)
        };
        if let Some(annotated) = &self.annotated {
            let frame = annotated.frame(source, sample).ok_or_else(|| unknown("the loader"))?;
            return Ok(annotated.run(frame).to_owned());
        }
        let Some(dataset) = self.datasets.get(source) else { return Err(unknown("the loader")) };
        if let Some(warehouse) = dataset.warehouse() {
            return warehouse.sample_record(sample)?.run.ok_or_else(|| unknown("the warehouse"));
        }
        let name = dataset.sample_name(sample)?.ok_or_else(|| unknown("the file"))?;
        Ok(name.rsplit_once('/').map_or_else(|| dataset.name().to_owned(), |(folder, _)| folder.to_owned()))
    }

    /// Says which samples come next: their files must still be whole, and the system may fetch them unless they are kept.
    pub(super) fn announce(&self, items: &[Item], read_ahead: bool, is_kept: impl Fn(&Item) -> bool) -> Result<()> {
        let mut checked = None;
        for item in items {
            let (dataset, item) = self.in_file(item)?;
            // Those of warehouses are looked at once an epoch, and by whoever reads them.
            if checked != Some(item.source) && self.stored.is_none() {
                if let Some(input) = dataset.input() {
                    input.unchanged()?;
                }
                checked = Some(item.source);
            }
            if read_ahead && !is_kept(&item) {
                dataset.will_need(item.sample);
            }
        }
        Ok(())
    }

    /// What the order needs to know of them. What the filter cannot look at is not selected where `on_broken` forgives
    /// it.
    pub(super) fn describe(&self, wanted: &Wanted<'_>, on_broken: OnBroken) -> Result<Vec<Source>> {
        let mut chosen: Vec<Option<Vec<u64>>> = vec![None; self.len()];
        if let Some(filter) = wanted.filter {
            let accepted = matching_all(&self.datasets, filter, |e| on_broken.forgives(e))?.chosen;
            for (source, (to, accepted)) in chosen.iter_mut().zip(accepted).enumerate() {
                *to = Some(self.numbers(source, accepted));
            }
        }
        if let Some(split) = wanted.split {
            chosen.iter_mut().zip(split.chosen(self)?).for_each(|(to, part)| only(to, part));
        }
        if let Some(samples) = wanted.samples {
            chosen.iter_mut().zip(self.apart(samples)?).for_each(|(to, part)| only(to, part));
        }
        let one = |(number, (dataset, chosen)): (usize, (&Dataset, Option<Vec<u64>>))| {
            let is_far = || dataset.input().is_some_and(|input| !input.is_local());
            let identity = match self.annotated.is_none() && dataset.warehouse().is_none() && !wanted.whole && is_far()
            {
                true => outline(dataset)?,
                false => self.identity(number, dataset)?,
            };
            let source = Source::new(dataset.name(), self.samples(number)).identity(identity);
            match chosen {
                Some(chosen) => source.select(chosen),
                None => Ok(source),
            }
        };
        self.datasets.iter().zip(chosen).enumerate().map(one).collect()
    }

    /// All that tells each source from others of the same name.
    pub(super) fn identities(&self) -> Result<Vec<String>> {
        self.datasets.iter().enumerate().map(|(number, dataset)| self.identity(number, dataset)).collect()
    }

    fn identity(&self, number: usize, dataset: &Dataset) -> Result<String> {
        Ok(match (&self.annotated, dataset.warehouse()) {
            (_, Some(warehouse)) => stored::identity(warehouse),
            (Some(annotated), _) => format!("{}, {}", identity(dataset)?, annotated.identity(number)),
            _ => identity(dataset)?,
        })
    }

    /// The numbers of a source's samples of these numbers in its file.
    fn numbers(&self, source: usize, in_file: Vec<u64>) -> Vec<u64> {
        let Some(annotated) = &self.annotated else { return in_file };
        let frames = (0..).zip(annotated.frames(source));
        frames.filter(|(_, frame)| in_file.binary_search(&frame.sample).is_ok()).map(|(number, _)| number).collect()
    }

    /// Numbers among all samples, source by source.
    fn apart(&self, samples: &[u64]) -> Result<Vec<Vec<u64>>> {
        // Of several files some that are out of order would find none, and be left out without a word.
        if let Some([before, sample]) = samples.array_windows::<2>().find(|[before, sample]| before >= sample) {
            let message = format!("the samples asked for are not in rising order: {sample} follows {before}");
            return Err(Error::new(&order::codes::SETTINGS, message));
        }
        let (mut rest, mut first) = (samples, 0_u64);
        let mut apart = Vec::with_capacity(self.len());
        for source in 0..self.len() {
            let end = first.saturating_add(self.samples(source));
            let (these, behind) = rest.split_at(rest.partition_point(|&sample| sample < end));
            apart.push(these.iter().filter_map(|sample| sample.checked_sub(first)).collect());
            (rest, first) = (behind, end);
        }
        match rest.first() {
            None => Ok(apart),
            Some(beyond) => {
                let message = format!("there are {first} samples, so none has the number {beyond}");
                Err(Error::new(&codes::SETTINGS, message))
            }
        }
    }
}

/// Leaves of what was chosen only what is in this part too; both are in rising order.
fn only(chosen: &mut Option<Vec<u64>>, part: Vec<u64>) {
    match chosen {
        Some(chosen) => chosen.retain(|sample| part.binary_search(sample).is_ok()),
        None => *chosen = Some(part),
    }
}

/// A table has rows, which another loader gives.
fn rows_of(path: &Path, e: Error) -> Error {
    let is_other = [&NOT_SAMPLES, &UNKNOWN_FORMAT].contains(&e.code());
    match table_format(path) {
        Ok(Some(format)) if is_other => {
            let message = format!(
                "this is a table ({}), whose rows are not images: `Rows::open`, in Python `forebay.TableLoader`, makes \
                 batches of them",
                format.name()
            );
            Error::new(&NOT_SAMPLES, message).file(display(path))
        }
        _ => e,
    }
}
