//! A sample between being read and being written.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{Error, model::MediaFormat};

use crate::dataset::Dataset;

/// A sample that was read and verified.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub id: u64,
    pub payload: Bytes,
    pub format: MediaFormat,
    pub width: u32,
    pub height: u32,
    /// Metadata as JSON text.
    pub record: Option<String>,
    /// Why the record keeps the metadata as text, where it does.
    pub kept: Option<Error>,
    /// The name, where it comes from a file or an archive.
    pub name: Option<String>,
    /// Mapped bytes that are not needed any more once the sample is written.
    pub used: Option<(Arc<Dataset>, Range<u64>)>,
}

/// Lets go of mapped bytes that were written, run by run.
pub(crate) fn release(samples: impl Iterator<Item = Option<(Arc<Dataset>, Range<u64>)>>) {
    let mut run: Option<(Arc<Dataset>, Range<u64>)> = None;
    for (dataset, range) in samples.flatten() {
        match &mut run {
            // Headers and sidecars lie between payloads; a page or two more does no harm.
            Some((last, so_far))
                if Arc::ptr_eq(last, &dataset) && range.start >= so_far.end && range.start - so_far.end < 1 << 20 =>
            {
                so_far.end = range.end;
            }
            _ => {
                if let Some((last, so_far)) = run.replace((dataset, range)) {
                    last.release(so_far);
                }
            }
        }
    }
    if let Some((last, so_far)) = run {
        last.release(so_far);
    }
}
