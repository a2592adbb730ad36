//! Mapped bytes that work has used, given back run by run.

use std::{ops::Range, sync::Arc};

use super::Dataset;

/// Mapped bytes that are not needed any more once their sample was written.
pub(crate) type Used = (Arc<Dataset>, Range<u64>);

/// Frees mapped bytes that were written, run by run.
pub(crate) fn release(samples: impl Iterator<Item = Option<Used>>) {
    let mut run: Option<Used> = None;
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
