//! Converting: any dataset of samples into a TBL or a TAR.
//!
//! ```no_run
//! use forebay_native::{Dataset, convert::{Job, Options, To}};
//! let job = Job::new(vec![Dataset::open("train.tar")?], Options::new(To::Tbl));
//! let summary = job.run("train.tbl".as_ref())?;
//! println!("{} samples", summary.samples);
//! # Ok::<(), forebay::Error>(())
//! ```

mod item;
mod options;
mod pixels;
mod stream;
mod summary;
mod training;
mod verify;
mod write;

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use forebay::{
    Error, Result, check::Fault, codec::Compression, filter::Filter, samples::is_of_sample, tar::webdataset::Tally,
};

use crate::{
    dataset::Dataset,
    input::{display, is_of_source},
    output::refuse_parts,
    select::{fault_of, matching_all},
};
pub use forebay::samples::MetadataChoice;
pub(crate) use item::Derived;
use item::Origin;
pub use options::{Options, To};
pub use pixels::Pixels;
pub use stream::StreamInput;
pub use summary::{Progress, Summary};
pub(crate) use write::apply as apply_patches;

/// A conversion: inputs and settings.
#[derive(Debug)]
pub struct Job {
    origin: Origin,
    options: Options,
    filtered: Filtered,
}

/// What became of the filter, if there is one.
#[derive(Debug, Default)]
struct Filtered {
    /// Whether there is one.
    any: bool,
    /// What it could not look at.
    faults: Vec<Fault>,
}

impl Job {
    /// Several datasets become one, in this order.
    pub fn new(sources: Vec<Dataset>, options: Options) -> Job {
        Job {
            origin: Origin::Datasets { sources: sources.into_iter().map(Arc::new).collect(), selection: None },
            options,
            filtered: Filtered::default(),
        }
    }
    /// A compressed TAR, or one from a pipe, read once from front to back.
    pub fn stream(input: StreamInput, options: Options) -> Job {
        Job { origin: Origin::Stream(Box::new(input)), options, filtered: Filtered::default() }
    }

    /// Samples that are made of those of a dataset, one of each.
    pub(crate) fn derived(derived: Derived, options: Options) -> Job {
        Job { origin: Origin::Derived(derived), options, filtered: Filtered::default() }
    }

    /// Keeps only these samples, by dataset and number.
    #[must_use]
    pub fn select(mut self, chosen: Vec<(u32, u64)>) -> Job {
        if let Origin::Datasets { selection, .. } = &mut self.origin {
            *selection = Some(chosen);
        }
        self
    }

    /// Keeps only the samples that a filter accepts. A field that none of them has is an error
    /// ([`Seen::judge`](forebay::filter::Seen::judge)), and so is an output without samples, when it is written, unless
    /// [`Options::allow_empty`] says otherwise.
    pub fn filter(mut self, filter: &Filter) -> Result<Job> {
        filter.check_for_samples()?;
        self.filtered.any = true;
        match &mut self.origin {
            Origin::Datasets { sources, selection } => {
                let keep_going = self.options.keep_going;
                let forgiven = |e: &Error| keep_going && is_of_sample(e);
                let selected = matching_all(sources.iter().map(Arc::as_ref), filter, forgiven)?;
                let several = sources.len() > 1;
                self.filtered.faults.extend(selected.broken.iter().map(|e| fault_of(e, several)));
                let number = |(source, chosen): (usize, Vec<u64>)| chosen.into_iter().map(move |i| (source as u32, i));
                let kept: Vec<(u32, u64)> = selected.chosen.into_iter().enumerate().flat_map(number).collect();
                *selection = Some(match selection.take() {
                    Some(before) => {
                        let kept: std::collections::HashSet<_> = kept.into_iter().collect();
                        before.into_iter().filter(|chosen| kept.contains(chosen)).collect()
                    }
                    None => kept,
                });
            }
            Origin::Stream(input) => input.set_filter(filter.clone()),
            Origin::Derived(_) => {
                return Err(Error::new(&forebay::error::codes::ARGUMENT, "samples made of others are not filtered"));
            }
        }
        Ok(self)
    }

    /// Writes `output`. Until it is whole, nothing is there.
    pub fn run(self, output: &Path) -> Result<Summary> {
        self.run_with(output, &mut |_| {})
    }

    /// As [`run`](Self::run), telling how far it is after every chunk of samples.
    pub fn run_with(self, output: &Path, progress: &mut dyn FnMut(&Progress)) -> Result<Summary> {
        refuse_parts(output, self.origin.inputs().0.iter().map(Path::new))?;
        self.origin.refuse_nothing_left()?;
        if self.filtered.any && self.origin.count() == Some(0) {
            refuse_empty(&self.options)?;
        }
        let begun = begin(&self.origin, self.filtered, output);
        if self.options.to == To::Tar && self.options.pixels.is_some() {
            let message = "a tar archive has no place for the size of raw pixels; decode into a .tbl";
            return Err(Error::new(&forebay::error::codes::ARGUMENT, message));
        }
        self.options.refuse_labels()?;
        let mut options = self.options;
        if options.to == To::Tbl && options.compression == Compression::Packed && options.tables.is_none() {
            options.tables = Some(training::tables(&self.origin)?);
        }
        write::run(self.origin, &options, output, begun, progress)
    }
}

/// What is known of a conversion before its first sample: among that, what stopped a damaged TAR, of which everything
/// before it is kept, and shards of a warehouse that cannot be opened.
fn begin(origin: &Origin, filtered: Filtered, output: &Path) -> Begun {
    let (inputs, input_bytes) = origin.inputs();
    let mut summary = Summary { inputs, input_bytes, output: display(output), ..Summary::default() };
    summary.whole = !filtered.any;
    if let Origin::Datasets { sources, selection } = origin {
        summary.faults.extend(sources.iter().flat_map(|s| s.losses()).map(|e| fault_of(e, sources.len() > 1)));
        summary.whole = selection.is_none();
    }
    summary.faults.extend(filtered.faults);
    summary.skipped_members = origin.skipped_members();
    summary.notes = origin.notes();
    let tally = if let Origin::Stream(input) = origin { Some(input.tally()) } else { None };
    Begun { summary, filtered: filtered.any, tally }
}

/// A conversion that goes on: what is known of it so far.
struct Begun {
    summary: Summary,
    filtered: bool,
    /// Of a stream, whose samples are known at the end.
    tally: Option<Arc<Mutex<Tally>>>,
}

impl Begun {
    /// The end, before anything of the output is to be seen: one that a filter left empty is refused.
    fn end(mut self, options: &Options, notes: impl Iterator<Item = String>) -> Result<Summary> {
        if self.filtered && self.summary.samples == 0 {
            refuse_empty(options)?;
        }
        if let Some(tally) = self.tally {
            self.summary.notes.extend(tally.lock().unwrap_or_else(PoisonError::into_inner).notes());
        }
        self.summary.notes.extend(notes);
        Ok(self.summary)
    }
}

fn refuse_empty(options: &Options) -> Result<()> {
    if options.allow_empty {
        return Ok(());
    }
    let message = "the filter selects no sample, so nothing is written";
    Err(Error::new(&codes::EMPTY, message).with_options(&["allow_empty"]))
}

/// The samples that came through. With `keep_going` a broken one is left out and listed, else it ends the work.
fn kept<T>(chunk: Vec<Result<T>>, options: &Options, several: bool, faults: &mut Vec<Fault>) -> Result<Vec<T>> {
    let mut kept = Vec::with_capacity(chunk.len());
    for result in chunk {
        match result {
            Ok(value) => kept.push(value),
            // Of a file that changes nothing can be believed, what was read before included, and of one that does not come
            // nothing is broken.
            Err(e) if options.keep_going && !is_of_source(&e) => faults.push(fault_of(&e, several)),
            Err(e) => return Err(e),
        }
    }
    Ok(kept)
}

/// The codes of converting.
#[doc(hidden)]
pub mod codes {
    use forebay::error::Code;
    /// What was written reads back differently.
    pub const VERIFY: Code =
        Code::io("convert.verify", "A sample that was written reads back differently; the output was not kept.");
    /// A filter selects nothing.
    pub const EMPTY: Code =
        Code::usage("convert.empty", "A filter selects no sample, and empty outputs are not allowed.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&VERIFY, &EMPTY];
}
