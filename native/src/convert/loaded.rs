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
