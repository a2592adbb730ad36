//! The files an order runs over, and which of their samples are wanted.

use std::sync::Arc;

use super::codes;
use crate::{
    codec::checksum::fnv1a,
    error::{Error, Result},
};

/// One file of samples, or the selected part of it.
#[derive(Clone, Debug)]
pub struct Source {
    pub(super) name: String,
    pub(super) identity: String,
    pub(super) samples: u64,
    pub(super) selection: Option<Arc<[u64]>>,
}

impl Source {
    /// A file of `samples` samples, all of them wanted. The name is for messages and saved states.
    pub fn new(name: impl Into<String>, samples: u64) -> Self {
        Source { name: name.into(), identity: String::new(), samples, selection: None }
    }

    /// Says what tells this file from another of the same name: a checksum, size and time, an ETag. A saved state
    /// is refused if it differs.
    #[must_use]
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = identity.into();
        self
    }

    /// Wants only these samples, in rising order.
    pub fn select(mut self, samples: impl Into<Arc<[u64]>>) -> Result<Self> {
        let samples = samples.into();
        let rising = samples.windows(2).all(|w| w[0] < w[1]);
        if !rising || samples.last().is_some_and(|&last| last >= self.samples) {
            let message = format!("a selection of {} is not in rising order below {}", self.name, self.samples);
            return Err(Error::new(&codes::SETTINGS, message).file(self.name));
        }
        self.selection = Some(samples);
        Ok(self)
    }

    /// How many samples are wanted.
    #[doc(hidden)]
    pub fn selected(&self) -> u64 {
        self.selection.as_ref().map_or(self.samples, |s| s.len() as u64)
    }

    /// The number in the file of the `i`th wanted sample.
    #[doc(hidden)]
    pub fn sample(&self, i: u64) -> u64 {
        match &self.selection {
            Some(selection) => usize::try_from(i).ok().and_then(|i| selection.get(i)).copied().unwrap_or(i),
            None => i,
        }
    }

    /// FNV-1a over the little-endian bytes of the selected numbers; 0 if all are wanted.
    pub(super) fn selection_hash(&self) -> u64 {
        let Some(selection) = &self.selection else { return 0 };
        fnv1a(selection.iter().flat_map(|n| n.to_le_bytes()))
    }
}
