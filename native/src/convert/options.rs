//! How to convert.

use std::{path::Path, sync::Arc};

use forebay::{
    Error, Limits, Result,
    codec::{Compression, packed::Tables},
    error::codes,
    formats::Format,
    samples::{Form, MetadataChoice},
    tbl::{Layout, MetadataFormat, PackOptions},
    words::Word,
};

use super::pixels::Pixels;
use crate::{labels::Beside, parallel::all_cores};

/// The format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum To {
    /// TBL v2.
    Tbl,
    /// A tar archive.
    Tar,
}

/// How to convert. Made with [`new`](Self::new), then changed field by field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The format to write.
    pub to: To,
    /// TBL: the layout.
    pub layout: Layout,
    /// TBL: the compression.
    pub compression: Compression,
    /// TBL: what JPEGs are packed with, where the compression is that; by default tables that a sample of them trains.
    pub tables: Option<Arc<Tables>>,
    /// TBL: the metadata.
    pub metadata: MetadataChoice,
    /// TBL: decode every picture and store its pixels, all of one size, instead of the file that it was.
    pub pixels: Option<Pixels>,
    /// Annotations that the samples get into their metadata.
    pub labels: Option<Arc<Beside>>,
    /// Threads that probe, verify, decode and compress.
    pub workers: usize,
    /// Replace an output that exists.
    pub force: bool,
    /// Read every sample back before the output appears.
    pub verify: bool,
    /// Leave broken samples out, list them, and keep the rest.
    pub keep_going: bool,
    /// Write an output without samples where a filter selects none, instead of refusing it.
    pub allow_empty: bool,
    /// Bounds that readers of the output will keep: what is over them is refused.
    pub limits: Limits,
    /// Make the output durable before it appears. Without it the output is still whole or absent unless the
    /// machine itself dies.
    pub sync: bool,
}

impl Options {
    /// The defaults: guide layout, no compression, JSON metadata, all cores.
    pub fn new(to: To) -> Options {
        Options {
            to,
            layout: Layout::Guide,
            compression: Compression::None,
            tables: None,
            metadata: MetadataChoice::default(),
            pixels: None,
            labels: None,
            workers: all_cores(),
            force: false,
            verify: false,
            keep_going: false,
            allow_empty: false,
            limits: Limits::host(),
            sync: true,
        }
    }

    /// Refuses annotations where there is no place for them, or if they would be wrong.
    pub(crate) fn refuse_labels(&self) -> Result<()> {
        let message = match &self.labels {
            None => return Ok(()),
            Some(_) if self.pixels.is_some() => {
                "images that are decoded into another size would need their boxes moved, which is not done yet; \
                 convert with labels, and decode while training"
            }
            Some(_) if self.to == To::Tbl && self.metadata.format == MetadataFormat::Protobuf => {
                "Protobuf metadata is your own bytes, and has no place for annotations"
            }
            Some(_) => return Ok(()),
        };
        Err(Error::new(&codes::ARGUMENT, message))
    }

    pub(crate) fn pack(&self) -> PackOptions {
        PackOptions::new(self.layout, self.compression)
    }

    pub(crate) fn form(&self) -> Form {
        match (self.to, &self.tables) {
            (To::Tbl, Some(tables)) if self.compression == Compression::Packed => {
                Form::Packed(self.pack(), tables.clone())
            }
            (To::Tbl, _) => Form::Tbl(self.pack()),
            (To::Tar, _) => Form::Tar,
        }
    }
}

impl To {
    /// The format that an output's name suggests, by its last extension.
    pub fn from_name(output: &Path) -> Option<To> {
        match Format::from_extension(output.extension()?.to_str()?)? {
            Format::Tbl => Some(To::Tbl),
            Format::Tar => Some(To::Tar),
            _ => None,
        }
    }
}

impl Word for To {
    const ALL: &'static [Self] = &[To::Tbl, To::Tar];

    fn word(self) -> &'static str {
        match self {
            To::Tbl => "tbl",
            To::Tar => "tar",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            To::Tbl => "TBL v2",
            To::Tar => "A tar archive",
        }
    }
}
