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
    let samples = chosen(origin);
    let step = (samples.len() as u64).div_ceil(MOST).max(1) as usize;
    for (dataset, i) in samples.into_iter().step_by(step) {
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

/// The samples of an origin that is reached at random.
fn chosen(origin: &Origin) -> Vec<(&Dataset, u64)> {
    match origin {
        Origin::Datasets { sources, selection: Some(chosen) } => {
            chosen.iter().filter_map(|(source, i)| Some((sources.get(*source as usize)?.as_ref(), *i))).collect()
        }
        Origin::Datasets { sources, selection: None } => {
            sources.iter().flat_map(|source| (0..source.len()).map(move |i| (source.as_ref(), i))).collect()
        }
        Origin::Derived(_) | Origin::Stream(_) => Vec::new(),
    }
}
