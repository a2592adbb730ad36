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
mod loaded;
mod options;
pub mod pipeline;
mod pixels;
mod stream;
mod summary;
mod to_tar;
mod to_tbl;

use std::{path::Path, sync::Arc};

use forebay::{Error, Result, check::Fault, filter::Filter};

use crate::dataset::Dataset;
use item::Origin;
pub(crate) use loaded::release;
pub use options::{MetadataChoice, Options, To};
pub use pixels::Pixels;
pub use stream::StreamInput;
pub use summary::{Progress, Summary};

/// What to convert, and how.
#[derive(Debug)]
pub struct Job {
    origin: Origin,
    options: Options,
}

impl Job {
    /// Several datasets become one, in this order.
    pub fn new(sources: Vec<Dataset>, options: Options) -> Job {
        Job {
            origin: Origin::Datasets { sources: sources.into_iter().map(Arc::new).collect(), selection: None },
            options,
        }
    }
    /// A compressed TAR, or one from a pipe, read once from front to back.
    pub fn stream(input: StreamInput, options: Options) -> Job {
        Job { origin: Origin::Stream(input), options }
    }

    /// Keeps only these samples, by dataset and number.
    #[must_use]
    pub fn select(mut self, chosen: Vec<(u32, u64)>) -> Job {
        if let Origin::Datasets { selection, .. } = &mut self.origin {
            *selection = Some(chosen);
        }
        self
    }

    /// Keeps only the samples that a filter accepts.
    pub fn filter(mut self, filter: &Filter) -> Result<Job> {
        filter.check_for_samples()?;
        match &mut self.origin {
            Origin::Datasets { sources, selection } => {
                let mut kept = Vec::new();
                for (number, source) in sources.iter().enumerate() {
                    for i in crate::select::matching(source, filter)? {
                        kept.push((number as u32, i));
                    }
                }
                *selection = Some(match selection.take() {
                    Some(before) => {
                        let kept: std::collections::HashSet<_> = kept.into_iter().collect();
                        before.into_iter().filter(|chosen| kept.contains(chosen)).collect()
                    }
                    None => kept,
                });
            }
            Origin::Stream(input) => input.set_filter(filter.clone()),
        }
        Ok(self)
    }

    /// Writes `output`. Until it is whole, nothing is there.
    pub fn run(self, output: &Path) -> Result<Summary> {
        self.run_with(output, &mut |_| {})
    }

    /// As [`run`](Self::run), telling how far it is after every chunk of samples.
    pub fn run_with(self, output: &Path, progress: &mut dyn FnMut(&Progress)) -> Result<Summary> {
        match self.options.to {
            To::Tar if self.options.pixels.is_some() => {
                let message = "a tar archive has no place for the size of raw pixels; decode into a .tbl";
                Err(Error::new(&forebay::error::codes::ARGUMENT, message))
            }
            To::Tbl => to_tbl::run(self.origin, &self.options, output, progress),
            To::Tar => to_tar::run(self.origin, &self.options, output, progress),
        }
    }
}

/// What is known of a conversion before its first sample: among that, what stopped a damaged TAR, of which everything
/// before it is kept.
fn begin(origin: &Origin, output: &Path) -> Summary {
    let (inputs, input_bytes) = origin.inputs();
    let mut summary = Summary { inputs, input_bytes, output: output.display().to_string(), ..Summary::default() };
    if let Origin::Datasets { sources, .. } = origin {
        summary.faults.extend(sources.iter().filter_map(|s| s.damage()).map(Fault::from));
    }
    summary.skipped_members = origin.skipped_members();
    summary
}

/// The samples that came through. With `keep_going` a broken one is left out and listed, else it ends the work.
fn kept<T>(chunk: Vec<Result<T>>, options: &Options, faults: &mut Vec<Fault>) -> Result<Vec<T>> {
    let mut kept = Vec::with_capacity(chunk.len());
    for result in chunk {
        match result {
            Ok(value) => kept.push(value),
            Err(e) if options.keep_going => faults.push(Fault::from(&e)),
            Err(e) => return Err(e),
        }
    }
    Ok(kept)
}

/// The codes of converting.
pub mod codes {
    use forebay::error::Code;
    /// A worker thread failed.
    pub const WORKER: Code =
        Code::io("convert.worker", "A worker thread stopped before its work was done; this is a bug of Forebay.");
    /// What was written reads back differently.
    pub const VERIFY: Code =
        Code::io("convert.verify", "A sample that was written reads back differently; the output was not kept.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&WORKER, &VERIFY];
}

pub(crate) fn verify_error(sample: u64, what: &str) -> Error {
    Error::new(&codes::VERIFY, format!("the sample reads back differently: {what}")).sample(sample)
}
