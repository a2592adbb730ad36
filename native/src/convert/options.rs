//! How to convert.

use std::path::Path;

use forebay::{
    Error, Limits, Result,
    codec::Compression,
    cursor::Cursor,
    error::codes,
    formats::Format,
    msgpack,
    tbl::{Document, Layout, MetadataFormat, PackOptions},
    words::Word,
};
use serde_json::{Map, Value};

use super::pixels::Pixels;
use crate::parallel::all_cores;

/// The format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum To {
    /// TBL v2.
    Tbl,
    /// A tar archive.
    Tar,
}

/// Metadata that the user gives beside the samples' own.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MetadataChoice {
    /// How metadata is written down.
    pub format: MetadataFormat,
    /// Fields at the top of the document.
    pub fields: Map<String, Value>,
    /// Fields for each sample: the user's own `samples`.
    pub samples: Vec<Map<String, Value>>,
    /// The user's own Protobuf bytes.
    pub protobuf: Option<Vec<u8>>,
}

impl MetadataChoice {
    /// The samples' own metadata and nothing else, in this format.
    pub fn of(format: MetadataFormat) -> Self {
        MetadataChoice { format, ..Self::default() }
    }

    pub(crate) fn is_default(&self) -> bool {
        self.format == MetadataFormat::default() && self.fields.is_empty() && self.samples.is_empty()
    }

    /// Parses what the user gave in a file: a JSON or MessagePack object, or Protobuf bytes, which stay as they are.
    pub fn parse(bytes: Vec<u8>, format: MetadataFormat, limits: &Limits) -> Result<Self> {
        let wrong = |message: String| Error::new(&codes::ARGUMENT, format!("the metadata {message}"));
        let value = match format {
            MetadataFormat::Json => serde_json::from_slice(&bytes).map_err(|e| wrong(format!("is no JSON: {e}")))?,
            MetadataFormat::Msgpack => {
                let cursor = Cursor::new(&bytes, 0, "metadata", &codes::ARGUMENT);
                msgpack::Reader::new(cursor, &codes::ARGUMENT, limits).value(0)?
            }
            MetadataFormat::Protobuf => {
                return Ok(MetadataChoice { format, protobuf: Some(bytes), ..Self::default() });
            }
            other => return Err(wrong(format!("format {} cannot be written", other.name()))),
        };
        let Value::Object(mut fields) = value else {
            return Err(wrong("must be an object".into()));
        };
        let mut samples = Vec::new();
        match fields.remove("samples") {
            None => {}
            Some(Value::Array(items)) => {
                for (i, item) in items.into_iter().enumerate() {
                    match item {
                        Value::Object(map) => samples.push(map),
                        Value::Null => samples.push(Map::new()),
                        _ => return Err(wrong(format!("has no object at samples[{i}]"))),
                    }
                }
            }
            Some(_) => return Err(wrong("has `samples` that are no array".into())),
        }
        Ok(MetadataChoice { format, fields, samples, protobuf: None })
    }

    /// The document for a writer; `inherited` are fields of the source, which the user's override.
    pub(crate) fn document(&self, inherited: Map<String, Value>) -> Document {
        match &self.protobuf {
            Some(bytes) => Document::Protobuf(bytes.clone()),
            None => {
                let mut fields = inherited;
                fields.extend(self.fields.clone());
                Document::Fields(fields)
            }
        }
    }
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
    /// TBL: the metadata.
    pub metadata: MetadataChoice,
    /// TBL: decode every picture and store its pixels, all of one size, instead of the file that it was.
    pub pixels: Option<Pixels>,
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
            metadata: MetadataChoice::default(),
            pixels: None,
            workers: all_cores(),
            force: false,
            verify: false,
            keep_going: false,
            allow_empty: false,
            limits: Limits::host(),
            sync: true,
        }
    }

    pub(crate) fn pack(&self) -> PackOptions {
        PackOptions { layout: self.layout, compression: self.compression }
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
