//! Arguments that several commands share: the files, the filter, the limits.

use std::path::{Path, PathBuf};

use forebay::{Error, Limits, Result, error::codes, filter::Filter};

use crate::{
    convert::StreamInput,
    dataset::{Dataset, OpenOptions},
    input,
    tables::table_format,
};

/// Bounds on what a file may cost.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Largest sample after decompression, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::host().item_bytes)]
    max_sample_bytes: u64,
}

impl LimitArgs {
    pub fn limits(&self) -> Limits {
        Limits::host().with_item_bytes(self.max_sample_bytes)
    }
}

/// Opens a dataset that is asked at random. What can only be read in order is refused with advice.
pub(crate) fn open(path: &Path, limits: &Limits, keep_going: bool) -> Result<Dataset> {
    let options = OpenOptions { limits: limits.clone(), keep_going, ..OpenOptions::default() };
    match Dataset::open_with(path, &options) {
        Err(e) if e.code() == &codes::NOT_SAMPLES && StreamInput::open(path, limits).is_ok_and(|s| s.is_some()) => {
            let message = "a compressed archive can only be read in order; convert it first: forebay convert";
            Err(Error::new(&codes::NOT_SAMPLES, format!("{message} {} out.tbl", path.display()))
                .file(input::display(path)))
        }
        Err(e) if matches!(table_format(path), Ok(Some(_))) => {
            let message = "this is a table, and here samples are asked for; tables go with inspect, head, stats, check and convert";
            Err(Error::caused(&codes::NOT_SAMPLES, message, e).file(input::display(path)))
        }
        other => other,
    }
}

/// The files that patterns such as `shards/*.tbl` stand for.
pub(crate) fn paths(names: &[String]) -> Result<Vec<PathBuf>> {
    input::expand(names)
}

/// Parses `--where`.
pub(crate) fn filter(text: Option<&str>) -> Result<Option<Filter>> {
    text.map(Filter::parse).transpose()
}
