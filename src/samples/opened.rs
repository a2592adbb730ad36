//! What is known of an opened file, for all work on it. Nothing in here knows that work.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::open::Dataset;
use crate::{
    error::{Error, Result},
    image::Probe,
    limits::Limits,
    sample::SampleInfo,
    tbl::Metadata,
};

/// An opened file, shared with the work on it: what one piece of work finds out, the next need not ask for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Opened {
    /// The container.
    pub dataset: Dataset,
    /// The bounds that reading keeps.
    pub limits: Limits,
    /// The error that stopped the scan of a TAR.
    pub damage: Option<Error>,
    /// Whether more samples may follow.
    pub(super) growing: bool,
    /// Where the metadata of all samples lies, once somebody asked for it.
    pub(super) metadata: OnceLock<Metadata>,
    /// Where that of a run of samples lies: its first sample, and the run.
    pub(super) run: Mutex<Option<(u64, Metadata)>>,
    /// Sizes of a TAR's samples, as far as their payloads were looked at; shared by what is known of a growing one.
    probed: Arc<Mutex<Vec<Option<Probe>>>>,
}

impl Opened {
    /// Of which nothing more is known yet. `damage` is what stopped the scan of a TAR.
    pub fn new(dataset: Dataset, limits: Limits, damage: Option<Error>) -> Self {
        let (metadata, run, probed) = (OnceLock::new(), Mutex::default(), Arc::default());
        Opened { dataset, limits, damage, growing: false, metadata, run, probed }
    }
    /// What is not there of a file that was opened nevertheless: what the scan of a TAR passed over or was stopped by, and
    /// shards of a warehouse that cannot be opened.
    pub(super) fn losses(&self) -> impl Iterator<Item = &Error> {
        #[cfg(feature = "warehouse")]
        let shards = self.dataset.warehouse().map(|warehouse| warehouse.faults()).unwrap_or_default();
        #[cfg(not(feature = "warehouse"))]
        let shards: &[Error] = &[];
        self.dataset.passed().iter().map(|e| &**e).chain(&self.damage).chain(shards)
    }

    /// An archive that is still being scanned: more samples may follow.
    #[must_use]
    #[doc(hidden)]
    pub fn growing(self) -> Self {
        Opened { growing: true, ..self }
    }

    /// Takes over what was found out of the same file when less of it was known.
    #[doc(hidden)]
    pub fn inherit(&mut self, from: &Opened) {
        self.probed = from.probed.clone();
    }

    /// Returns the description of sample `i`, with the result of an earlier look at a TAR's payload.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        let info = self.dataset.info(i)?;
        Ok(match self.probe_of(i) {
            Some(seen) => info.probed(seen),
            None => info,
        })
    }

    pub(super) fn probe_of(&self, i: u64) -> Option<Probe> {
        usize::try_from(i).ok().and_then(|i| self.probed().get(i).copied()).flatten()
    }

    pub(super) fn keep_probe(&self, info: &SampleInfo) {
        let (Ok(i), Ok(len)) = (usize::try_from(info.index), usize::try_from(self.dataset.len())) else { return };
        let mut probed = self.probed();
        if probed.len() < len {
            probed.resize(len, None);
        }
        if let Some(place) = probed.get_mut(i) {
            *place = Some(Probe::of(info.format, info.width, info.height));
        }
    }

    fn probed(&self) -> MutexGuard<'_, Vec<Option<Probe>>> {
        // Whoever panicked while it held the lock left nothing half done.
        self.probed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
