//! Every sample read once, on all cores, and what is known of it then.

use std::sync::{Arc, Mutex, PoisonError};

use forebay::{
    Error, Limits, Result,
    check::Fault,
    curate::{Look, Looker, Seen},
    filter::{Filter, Path, Record as _, SampleRecord},
    image::probe,
    sample::MediaFormat,
    samples::is_of_sample,
};

use crate::{
    dataset::{Dataset, release},
    parallel::{all_cores, ordered},
    select::{fault_of, matching_all},
};

/// Faults that are kept; more are only counted.
const KEPT: usize = 20;

/// What to look at, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SurveyOptions {
    /// Threads.
    pub workers: usize,
    /// Only samples that this filter accepts.
    pub filter: Option<Filter>,
    /// Only these samples, dataset by dataset, instead of what a filter accepts.
    pub selection: Option<Vec<Vec<u64>>>,
    /// Bounds on pixels.
    pub limits: Limits,
    /// Fields that may hold the class: the first that does counts.
    pub labels: Vec<Path>,
}

impl Default for SurveyOptions {
    /// All cores, every sample, no classes.
    fn default() -> Self {
        SurveyOptions {
            workers: all_cores(),
            filter: None,
            selection: None,
            limits: Limits::host(),
            labels: Vec::new(),
        }
    }
}

/// Samples that could not be read or decoded, while the work went on with the others.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Faults {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub all: Vec<Fault>,
    /// Whether a fault has to say whose it is.
    several: bool,
}

impl Faults {
    /// Of these datasets; if there are several, each fault names its own.
    pub(super) fn of(datasets: &[Dataset]) -> Faults {
        Faults { several: datasets.len() > 1, ..Faults::default() }
    }

    pub(super) fn add(&mut self, e: &Error) {
        self.count += 1;
        if self.all.len() < KEPT {
            self.all.push(fault_of(e, self.several));
        }
    }
}

/// A sample that was looked at.
#[derive(Debug)]
pub(super) struct One {
    /// Which dataset, and its number there.
    pub dataset: usize,
    pub i: u64,
    /// Its `sample` is its place among all that were looked at.
    pub seen: Seen,
    /// Pixels, if they are known.
    pub size: (u32, u32),
}

/// What was found.
#[derive(Debug, Default)]
pub struct Survey {
    pub(super) all: Vec<One>,
    /// Samples that are not pictures.
    pub(super) others: u64,
    pub(super) faults: Faults,
}

/// What is wanted of each sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wants {
    /// A digest of its bytes.
    pub digest: bool,
    /// What it looks like.
    pub look: bool,
}

struct Looked {
    seen: Seen,
    size: (u32, u32),
    picture: bool,
    fault: Option<Error>,
}

/// The numbers of the samples to look at, dataset by dataset.
pub(super) fn chosen(datasets: &[Dataset], options: &SurveyOptions, faults: &mut Faults) -> Result<Vec<Vec<u64>>> {
    if let Some(selection) = &options.selection {
        let mut selection = selection.clone();
        for (numbers, dataset) in selection.iter_mut().zip(datasets) {
            numbers.retain(|i| *i < dataset.len());
            numbers.sort_unstable();
            numbers.dedup();
        }
        return Ok(selection);
    }
    match &options.filter {
        None => Ok(datasets.iter().map(|dataset| (0..dataset.len()).collect()).collect()),
        Some(filter) => {
            let selected = matching_all(datasets, filter, is_of_sample)?;
            selected.broken.iter().for_each(|e| faults.add(e));
            Ok(selected.chosen)
        }
    }
}

/// Looks at every sample; `told` hears how many are done, of how many.
pub(super) fn survey(
    datasets: &[Dataset],
    wants: Wants,
    options: &SurveyOptions,
    told: &mut dyn FnMut(u64, u64),
) -> Result<Survey> {
    let mut survey = Survey { faults: Faults::of(datasets), ..Survey::default() };
    let chosen = chosen(datasets, options, &mut survey.faults)?;
    let total = chosen.iter().map(|numbers| numbers.len() as u64).sum();
    let mut done = 0;
    for (at, (dataset, numbers)) in datasets.iter().zip(chosen).enumerate() {
        let lookers = Lookers { limits: options.limits.clone(), idle: Mutex::default() };
        let shared = Arc::new(dataset.clone());
        let weigh = |i: &u64| dataset.weight(*i);
        let work = |i: u64| (i, lookers.look(dataset, i, wants));
        let mut used = numbers.clone().into_iter();
        ordered(numbers.into_iter().map(Ok), weigh, dataset.threads(options.workers), work, |chunk| {
            let these = used.by_ref().take(chunk.len());
            release(these.map(|i| Some((shared.clone(), dataset.stored_range(i)?))));
            done += chunk.len() as u64;
            for (i, looked) in chunk {
                let named = |e: Error| e.sample(i).file(dataset.name());
                match looked {
                    Ok(looked) => {
                        survey.others += u64::from(!looked.picture);
                        looked.fault.into_iter().for_each(|e| survey.faults.add(&named(e)));
                        let mut seen = looked.seen;
                        seen.sample = survey.all.len() as u64;
                        survey.all.push(One { dataset: at, i, seen, size: looked.size });
                    }
                    Err(e) if is_of_sample(&e) => survey.faults.add(&named(e)),
                    Err(e) => return Err(named(e)),
                }
            }
            told(done, total);
            Ok(())
        })?;
    }
    Ok(survey)
}

/// Lookers for as many threads as ask at once; each keeps its buffers from picture to picture.
struct Lookers {
    limits: Limits,
    idle: Mutex<Vec<Looker>>,
}

impl Lookers {
    fn look(&self, dataset: &Dataset, i: u64, wants: Wants) -> Result<Looked> {
        let info = dataset.info(i)?;
        let mut looked = Looked {
            seen: Seen::unread(i, info.bytes),
            size: (info.width, info.height),
            picture: is_picture(info.format) || info.format == MediaFormat::RawU8,
            fault: None,
        };
        let payload = dataset.lend(i)?;
        if wants.digest {
            looked.seen = Seen::of(i, &payload);
        }
        let raw = (info.format == MediaFormat::RawU8).then_some((info.width, info.height));
        looked.picture |= is_picture(probe(&payload).format);
        if wants.look && looked.picture {
            match self.look_at(&payload, raw) {
                Ok(look) => {
                    looked.size = (look.width, look.height);
                    looked.seen.look = Some(look);
                }
                // Its bytes still count.
                Err(e) if is_of_sample(&e) => looked.fault = Some(e),
                Err(e) => return Err(e),
            }
        }
        Ok(looked)
    }

    fn look_at(&self, payload: &[u8], raw: Option<(u32, u32)>) -> Result<Look> {
        // A thread that panicked while it held the lock had no time to leave anything half done.
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut looker = taken.unwrap_or_default();
        let look = looker.look(payload, raw, &self.limits);
        idle().push(looker);
        look
    }
}

fn is_picture(format: MediaFormat) -> bool {
    use MediaFormat::{Bmp, Jpeg, Png, Tiff, WebP};
    matches!(format, Jpeg | Png | WebP | Bmp | Tiff)
}

/// What one of the fields has of a sample, as the name of a class.
pub(super) fn label(dataset: &Dataset, i: u64, fields: &[Path]) -> Result<Option<String>> {
    let info = dataset.info(i)?;
    let metadata = dataset.metadata_value(i)?;
    let name = metadata.as_ref().and_then(|value| dataset.name_in(i, value));
    let mut record = SampleRecord::new(&info);
    record.metadata = metadata.as_ref();
    record.name = name.as_deref();
    Ok(fields.iter().find_map(|path| record.field(path).label()))
}
