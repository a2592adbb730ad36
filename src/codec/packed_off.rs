//! Packed JPEGs where they are not built in: there are no tables, and so nothing is packed.

use std::sync::Arc;

use super::codes;
use crate::{
    error::{Error, Result},
    limits::Limits,
};

/// There are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tables {}

/// There is no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kept {}

fn unavailable() -> Error {
    Error::new(&codes::UNAVAILABLE, "packed JPEGs need the feature `packed`")
}

impl Kept {
    pub const fn name(self) -> &'static str {
        match self {}
    }
}

impl Tables {
    pub fn read(_: &[u8]) -> Result<Tables> {
        Err(unavailable())
    }
    pub fn standard() -> Result<Arc<Tables>> {
        Err(unavailable())
    }
    pub fn bytes(&self) -> &[u8] {
        match *self {}
    }
    pub fn pack(&self, _: &[u8]) -> Result<Vec<u8>, Kept> {
        match *self {}
    }
    pub fn restore(&self, _: &[u8], _: u64, _: &Limits) -> Result<Vec<u8>> {
        match *self {}
    }
}
