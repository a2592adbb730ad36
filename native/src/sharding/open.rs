//! The inputs of a plan, opened when a shard needs them.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use forebay::{
    Error, Limits, Result,
    error::codes::{ARGUMENT, NOT_SAMPLES},
    filter::Filter,
    order::Order,
    samples::Watch,
};

use super::{Plan, PlannedInput, Settings, codes};
use crate::{
    convert::StreamInput,
    dataset::{Dataset, OpenOptions},
    identity::identity,
    input::{display, remote},
    parallel::{all_cores, ordered},
    select::accepted,
};

/// Inputs that stay open where shards have samples of neighbors only.
const KEPT_OPEN: usize = 64;
/// What looking at an input weighs for the pool: every one is a turn of its own.
const LOOK_BYTES: u64 = 1 << 20;

/// An input that is open.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) dataset: Dataset,
    /// The numbers of what the filter accepts; none without a filter.
    selection: Option<Vec<u64>>,
}

impl Opened {
    /// How many samples are selected.
    fn selected(&self) -> u64 {
        self.selection.as_ref().map_or(self.dataset.len(), |selection| selection.len() as u64)
    }

    /// The number in the file of one that is selected.
    pub(super) fn sample(&self, selected: u64) -> u64 {
        match &self.selection {
            Some(selection) => {
                usize::try_from(selected).ok().and_then(|i| selection.get(i)).copied().unwrap_or(u64::MAX)
            }
            None => selected,
        }
    }
}

/// A plan that is ready to be made: any shard of it, by any number of threads.
#[derive(Debug)]
pub struct Shards {
    plan: Plan,
    pub(super) order: Order,
    filter: Option<Filter>,
    /// The inputs that are open, by their numbers, the latest last.
    open: Mutex<VecDeque<(usize, Arc<Opened>)>>,
}

impl Plan {
    /// Looks at every input and plans its shards. The inputs' order counts.
    pub fn of(inputs: &[PathBuf], settings: Settings) -> Result<Plan> {
        Shards::look(inputs, settings).map(|(plan, _)| plan)
    }

    /// Ready to make shards. Inputs are opened when a shard needs them.
    pub fn open(&self) -> Result<Shards> {
        Shards::new(self.clone())
    }
}

impl Shards {
    pub(super) fn new(plan: Plan) -> Result<Shards> {
        let (order, filter) = (plan.order()?, plan.settings().filter()?);
        Ok(Shards { plan, order, filter, open: Mutex::default() })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The plan of one dataset that is open, which nobody will look for again.
    pub(super) fn of_one(dataset: Dataset, settings: Settings) -> Result<Shards> {
        let samples = dataset.len();
        let input =
            PlannedInput { path: dataset.name().to_owned(), identity: String::new(), samples, selected: samples };
        let shards = Shards::new(Plan::new(vec![input], settings)?)?;
        shards.keep(0, Arc::new(Opened { dataset, selection: None }));
        Ok(shards)
    }

    /// Looks at every input; the plan, and how many bytes the inputs have.
    pub(super) fn look(inputs: &[PathBuf], settings: Settings) -> Result<(Plan, u64)> {
        settings.check()?;
        if inputs.is_empty() {
            return Err(Error::new(&ARGUMENT, "name at least one input"));
        }
        let (filter, how) = (settings.filter()?, settings.open());
        let mut watch = filter.as_ref().map(Watch::new);
        let (mut planned, mut bytes) = (Vec::with_capacity(inputs.len()), 0_u64);
        let one = |path: &PathBuf| -> Result<_> {
            let Some(text) = path.to_str() else {
                let message =
                    "a plan of shards is text, and the name of this input is not UTF-8; rename it, or convert it first";
                return Err(Error::new(&ARGUMENT, message).file(display(path)));
            };
            let (opened, seen) = open(path, &how, filter.as_ref())?;
            let input = PlannedInput {
                path: text.to_owned(),
                identity: identity(&opened.dataset)?,
                samples: opened.dataset.len(),
                selected: opened.selected(),
            };
            Ok((input, opened.dataset.file_len(), seen))
        };
        ordered(
            inputs.iter().map(Ok),
            |_| LOOK_BYTES,
            all_cores(),
            one,
            |looked| {
                for found in looked {
                    let (input, len, seen) = found?;
                    if let (Some(watch), Some(seen)) = (&mut watch, seen) {
                        watch.merge(seen);
                    }
                    bytes = bytes.saturating_add(len);
                    planned.push(input);
                }
                Ok(())
            },
        )?;
        if let Some(watch) = watch {
            watch.judge()?;
        }
        let plan = Plan::new(planned, settings)?;
        match plan.samples() {
            0 if filter.is_some() => {
                let message = "the filter selects no sample, so nothing is written";
                Err(Error::new(&crate::convert::codes::EMPTY, message))
            }
            _ => Ok((plan, bytes)),
        }
    }

    /// An input of the plan, which must be what it was.
    pub(super) fn input(&self, number: usize) -> Result<Arc<Opened>> {
        let mut kept = self.kept();
        if let Some(at) = kept.iter().position(|(known, _)| *known == number)
            && let Some(found) = kept.remove(at)
        {
            kept.push_back(found.clone());
            return Ok(found.1);
        }
        drop(kept);
        let Some(said) = self.plan.inputs().get(number) else {
            return Err(Error::new(&codes::PLAN, format!("there is no input {number}")));
        };
        if remote::is_remote(said.path.as_ref()) && said.path.ends_with('?') {
            let message = "a plan that was written down has no signatures: make it in the process that planned it, or name \
                           an address that needs none, such as s3:// with credentials";
            return Err(Error::new(&remote::codes::CREDENTIALS, message).file(said.shown()));
        }
        let (opened, _) = open(said.path.as_ref(), &self.plan.settings().open(), self.filter.as_ref())?;
        let found = identity(&opened.dataset)?;
        if (&found, opened.dataset.len(), opened.selected()) != (&said.identity, said.samples, said.selected) {
            let message =
                format!("the plan was made of another file: it had {}, and this one has {found}", said.identity);
            return Err(Error::new(&codes::CHANGED, message).file(said.shown()));
        }
        let opened = Arc::new(opened);
        self.keep(number, opened.clone());
        Ok(opened)
    }

    fn keep(&self, number: usize, opened: Arc<Opened>) {
        let mut kept = self.kept();
        kept.push_back((number, opened));
        // Shards of a shuffle need all of them, again and again.
        if self.plan.settings().shuffle.is_none() && kept.len() > KEPT_OPEN {
            kept.pop_front();
        }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<(usize, Arc<Opened>)>> {
        // Nothing panics while the lock is held.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens an input and finds what the filter accepts; also what of the filter's fields was seen.
fn open(path: &Path, how: &OpenOptions, filter: Option<&Filter>) -> Result<(Opened, Option<Watch>)> {
    let dataset = Dataset::open_with(path, how).map_err(|e| advised(e, path, &how.limits))?;
    let (selection, watch) = match filter {
        Some(filter) => {
            let (selection, _, watch) = accepted(&dataset, filter, |_| false)?;
            (Some(selection), Some(watch))
        }
        None => (None, None),
    };
    Ok((Opened { dataset, selection }, watch))
}

/// What to do with an input that can only be read in order.
fn advised(e: Error, path: &Path, limits: &Limits) -> Error {
    if e.code() == &NOT_SAMPLES && StreamInput::open(path, limits).is_ok_and(|stream| stream.is_some()) {
        let message = "a compressed archive can only be read in order, and a shard begins anywhere; convert it into a TBL \
                       or a plain TAR first";
        return Error::new(&NOT_SAMPLES, message).file(display(path));
    }
    e
}
