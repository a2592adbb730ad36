//! The tables that JPEGs are packed with, trained on a sample of them.

use std::sync::Arc;

use forebay::{
    Result,
    codec::packed::{Tables, Trainer},
    sample::MediaFormat,
    samples::is_of_sample,
};

use super::item::Origin;
use crate::dataset::Dataset;

/// Pictures of a sample, at most.
const MOST: u64 = 256;
/// Pictures from which on tables of their own pay.
const FEWEST: usize = 24;

/// Tables for these samples, from some of them that lie evenly over all; of few pictures, or of a stream, those that the
/// library brings. The same samples give the same tables.
pub(super) fn tables(origin: &Origin) -> Result<Arc<Tables>> {
    let mut trainer = Trainer::default();
    let count = origin.count().unwrap_or(0);
    let step = usize::try_from(count.div_ceil(MOST)).unwrap_or(usize::MAX).max(1);
    for (dataset, i) in (0..count).step_by(step).filter_map(|k| nth(origin, k)) {
        if trainer.is_enough() {
            break;
        }
        let is_jpeg = |format| matches!(format, MediaFormat::Jpeg | MediaFormat::Unknown);
        if !dataset.info(i).is_ok_and(|info| is_jpeg(info.format)) {
            continue;
        }
        match dataset.lend(i) {
            // What is not packed teaches nothing.
            Ok(payload) => drop(trainer.add(&payload)),
            // The conversion finds it again, and says so.
            Err(e) if is_of_sample(&e) => {}
            Err(e) => return Err(e),
        }
    }
    if trainer.pictures() < FEWEST { Tables::standard() } else { Ok(Arc::new(trainer.finish()?)) }
}

/// A sample of an origin that is reached at random.
fn nth(origin: &Origin, mut k: u64) -> Option<(&Dataset, u64)> {
    match origin {
        Origin::Datasets { sources, selection: Some(chosen) } => {
            let (source, i) = chosen.get(usize::try_from(k).ok()?)?;
            Some((sources.get(*source as usize)?.as_ref(), *i))
        }
        Origin::Datasets { sources, selection: None } => sources.iter().find_map(|source| {
            let found = (k < source.len()).then_some((source.as_ref(), k));
            k = k.saturating_sub(source.len());
            found
        }),
        Origin::Derived(_) | Origin::Stream(_) => None,
    }
}
