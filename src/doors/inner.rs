//! What is behind an opened file of records.

use std::sync::Arc;

use bytes::Bytes;

use super::{choice::Choice, codes, records::Records};
use crate::{
    error::{Error, Result},
    limits::Limits,
    sample::Cut,
};

#[derive(Debug)]
pub(super) struct Inner {
    pub records: Arc<dyn Records>,
    pub choice: Choice,
    pub limits: Limits,
    pub classes: Vec<String>,
    pub notes: Vec<String>,
}

impl Inner {
    /// The names of the classes, by their numbers.
    pub fn classes(&self) -> &[String] {
        if self.classes.is_empty() { self.records.classes() } else { &self.classes }
    }
}

impl Cut for Inner {
    fn cut(&self, i: u64, record: &Bytes, verify: bool) -> Result<Bytes> {
        self.limits.item(record.len() as u64)?;
        let Some(name) = &self.choice.payload else { return self.records.whole(i, record, verify) };
        match self.records.field(i, name, record, verify)? {
            Some(value) => {
                let payload = value.payload(&self.limits)?;
                match payload.is_empty() && self.choice.is_media {
                    true => Err(Error::new(&codes::NO_PAYLOAD, format!("the field {name} has no bytes"))),
                    false => Ok(payload),
                }
            }
            None if !self.choice.always => self.records.whole(i, record, verify),
            None => {
                let message = format!("the record has no field {name}, which the first records have their sample in");
                Err(Error::new(&codes::NO_PAYLOAD, message))
            }
        }
    }
}
