//! What stands beside the samples of a TBL: what its sources say, and what the user adds.

use serde_json::{Map, Value};

use crate::{
    cursor::Cursor,
    error::{Error, Result, codes},
    limits::Limits,
    msgpack,
    tbl::{Document, Layout, MetadataFormat, MetadataWriter},
};

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

#[doc(hidden)]
impl MetadataChoice {
    /// The samples' own metadata and nothing else, in this format.
    pub fn of(format: MetadataFormat) -> Self {
        MetadataChoice { format, ..Self::default() }
    }

    fn is_default(&self) -> bool {
        self.format == MetadataFormat::default() && self.fields.is_empty() && self.samples.is_empty()
    }

    /// Parses what the user gave in a file: a JSON or MessagePack object, or Protobuf bytes, which stay as they are.
    pub fn parse(bytes: Vec<u8>, format: MetadataFormat, limits: &Limits) -> Result<Self> {
        let wrong = |message: String| Error::new(&codes::ARGUMENT, format!("the metadata {message}"));
        let value = match format {
            MetadataFormat::Json => serde_json::from_slice(&bytes).map_err(|e| wrong(format!("is not JSON: {e}")))?,
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
            Some(_) => return Err(wrong("has `samples` that are not an array".into())),
        }
        Ok(MetadataChoice { format, fields, samples, protobuf: None })
    }
}

/// What a TBL's document inherits from the sources of its samples.
#[derive(Clone, Debug, Default)]
pub struct Inherited {
    fields: Map<String, Value>,
    sources: Vec<Value>,
    protobuf: Vec<Vec<u8>>,
}

impl Inherited {
    /// Adds a source's document: of fields that several have, the first stay.
    pub fn document(&mut self, found: Map<String, Value>) {
        for (key, value) in found {
            self.fields.entry(key).or_insert(value);
        }
    }

    /// Changes what was inherited so far.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(Map<String, Value>) -> Result<Map<String, Value>>,
    ) -> Result<()> {
        self.fields = change(std::mem::take(&mut self.fields))?;
        Ok(())
    }

    /// Adds the name of a source that is not a TBL, without its folders.
    pub fn source(&mut self, name: &str) {
        self.sources.push(name.rsplit('/').find(|part| !part.is_empty()).unwrap_or(name).into());
    }

    /// Takes in the classes of annotations, `classes` and `categories`: they replace those of annotations that there were
    /// before. `classes` that are something else, as those of a folder, stay; `false` says so.
    pub fn classes(&mut self, of: Map<String, Value>) -> bool {
        let names = |list: &Value| -> Value {
            list.as_array().into_iter().flatten().map(|one| one.get("name").cloned().unwrap_or_default()).collect()
        };
        let before = self.fields.get("categories").map(names);
        let own = self.fields.get("classes").filter(|own| Some(*own) != before.as_ref());
        let kept = own.filter(|own| Some(*own) != of.get("classes")).cloned();
        self.fields.extend(of);
        let replaced = kept.is_none();
        self.fields.extend(kept.map(|kept| ("classes".to_owned(), kept)));
        replaced
    }

    /// Adds a source's Protobuf document: bytes that only the user understands.
    pub fn protobuf(&mut self, bytes: Vec<u8>) {
        self.protobuf.push(bytes);
    }

    /// Whether a single Protobuf document goes into the output as it is.
    fn keeps_protobuf(&self, layout: Layout, choice: &MetadataChoice) -> bool {
        layout == Layout::Guide && self.protobuf.len() == 1 && choice.is_default()
    }

    /// Whether documents of fields and names of sources are of use, once the Protobuf ones are known.
    pub fn wants_fields(&self, layout: Layout, choice: &MetadataChoice) -> bool {
        let asked = layout == Layout::Turboloader || choice.format != MetadataFormat::Protobuf;
        asked && !self.keeps_protobuf(layout, choice)
    }

    /// The writer for what the user chose. What the chosen format cannot hold is said in `notes`; `decoded` is how
    /// pictures became pixels, if they did.
    pub fn into_writer(
        mut self,
        layout: Layout,
        choice: &MetadataChoice,
        decoded: Option<Value>,
        notes: &mut Vec<String>,
    ) -> Result<MetadataWriter> {
        if self.keeps_protobuf(layout, choice) {
            // Bytes that nobody else understands stay what they are.
            let bytes = self.protobuf.remove(0);
            return MetadataWriter::new(layout, MetadataFormat::Protobuf, Document::Protobuf(bytes));
        }
        if !self.protobuf.is_empty() {
            notes.push("the source's Protobuf metadata is left out: it cannot be joined or translated".into());
        }
        let mut fields = self.fields;
        match (layout, choice.format) {
            (Layout::Turboloader, _) => {
                let of_source = |key: &String| key == "source" || key == "sources";
                let lost: Vec<String> = fields.into_iter().map(|(key, _)| key).filter(|key| !of_source(key)).collect();
                if !lost.is_empty() {
                    notes.push(format!("the turboloader layout has no document; left out: {}", lost.join(", ")));
                }
                fields = Map::new();
            }
            (Layout::Guide, MetadataFormat::Protobuf) => {
                let note = "Protobuf metadata is your own bytes: names and sidecars of the samples are left out";
                notes.push(note.into());
                fields = Map::new();
            }
            (Layout::Guide, _) => {
                match self.sources.len() {
                    0 => {}
                    1 => drop(fields.insert("source".into(), self.sources.remove(0))),
                    _ => drop(fields.insert("sources".into(), self.sources.into())),
                }
                fields.extend(decoded.map(|said| ("decoded".to_owned(), said)));
            }
        }
        let document = match &choice.protobuf {
            Some(bytes) => Document::Protobuf(bytes.clone()),
            None => {
                fields.extend(choice.fields.clone());
                Document::Fields(fields)
            }
        };
        MetadataWriter::new(layout, choice.format, document)
    }
}
