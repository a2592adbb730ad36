//! A journal over its file, for work that looks at the samples as they would be.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Change, Edited, codes};
use crate::{
    codec::checksum::crc32,
    error::{Error, Result},
    samples::{Laid, Overlay},
};

/// The changes of a journal, and how many bytes lie beside it.
#[derive(Debug)]
pub struct Over(Arc<Edited>);

impl Over {
    /// Refuses a journal of which a sample's bytes are not among those beside it.
    pub fn new(edited: Arc<Edited>, blobs: u64) -> Result<Over> {
        for (sample, change, stands) in edited.journal().additions() {
            if let Change::Add { name, blob, .. } = change
                && stands
                && blob.at.checked_add(blob.bytes).is_none_or(|end| end > blobs)
            {
                let message = "the bytes are not in the file next to the journal";
                return Err(Error::new(&codes::BLOB, message).sample(sample).member(name.as_str()));
            }
        }
        Ok(Over(edited))
    }
}

impl Overlay for Over {
    fn samples(&self) -> u64 {
        self.0.len()
    }
    fn number(&self, place: u64) -> Option<u64> {
        self.0.at(place)
    }
    fn laid(&self, sample: u64) -> Option<Laid<'_>> {
        let added = self.0.added(sample)?;
        // They are among those beside the journal, so that this does not overflow.
        Some(Laid { name: added.name, bytes: added.blob.at..added.blob.at.saturating_add(added.blob.bytes) })
    }
    fn verify(&self, sample: u64, payload: &[u8]) -> Result<()> {
        match self.0.added(sample) {
            Some(added) if crc32(payload) != added.blob.crc => {
                let message = "the bytes next to the journal do not match their checksum";
                Err(Error::new(&codes::BLOB, message).sample(sample).member(added.name))
            }
            _ => Ok(()),
        }
    }
    fn changes(&self, sample: u64) -> bool {
        self.0.touches(sample)
    }
    fn changed(&self, sample: u64, id: u64, text: Option<&str>) -> Result<String> {
        self.0.record(sample, id, text)
    }
    fn document(&self, fields: Map<String, Value>) -> Result<Map<String, Value>> {
        self.0.document(fields)
    }
}
