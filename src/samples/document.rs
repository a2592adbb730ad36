//! What stands beside the samples of a TBL: what its sources say, and what the user adds.

use serde_json::{Map, Value};

use crate::{
    cursor::Cursor,
    error::{Error, Result, codes},
    limits::Limits,
    msgpack,
    sample::holds::too_wide,
    tbl::{Document, Layout, MetadataFormat, MetadataWriter},
};

/// Where a document says what its samples are from.
const SOURCES: [&str; 2] = ["source", "sources"];
/// Where it says which class each number is.
const CLASSES: &str = "classes";

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
            MetadataFormat::Json => {
                if let Some(number) = too_wide(&bytes) {
                    return Err(wrong(format!(
                        "has the integer {number}, which needs more than 64 bits; write it as text"
                    )));
                }
                let lines = || {
                    let mut lines =
                        bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(2);
                    lines.clone().count() == 2 && lines.all(|line| serde_json::from_slice::<Map<_, _>>(line).is_ok())
                };
                serde_json::from_slice(&bytes).map_err(|e| match lines() {
                    true => wrong(
                        "is lines of JSON, and must be one object, whose list `samples` has one for each sample: \
                                   {\"samples\":[{\"a\":1},{\"a\":2}]}"
                            .into(),
                    ),
                    false => wrong(format!("is not JSON: {e}")),
                })?
            }
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
    /// The samples are those of more than one source.
    joined: bool,
    /// What the documents name as their sources.
    named: Vec<Value>,
    /// Fields that several sources have otherwise.
    differing: Vec<String>,
}

impl Inherited {
    /// Of samples of that many sources.
    pub fn of(sources: usize) -> Self {
        Inherited { joined: sources > 1, ..Self::default() }
    }

    /// Adds a source's document: of fields that several have, the first stay. Of lists of classes of which one goes on where
    /// the other ends, the longer one says what both say.
    pub fn document(&mut self, found: Map<String, Value>) {
        for (key, value) in found {
            if SOURCES.contains(&key.as_str()) {
                let names = match &value {
                    Value::Array(names) => names.clone(),
                    name => vec![name.clone()],
                };
                let new = names.into_iter().filter(|name| !self.named.contains(name)).collect::<Vec<_>>();
                self.named.extend(new);
                self.fields.entry(key).or_insert(value);
                continue;
            }
            match self.fields.get_mut(&key) {
                None => drop(self.fields.insert(key, value)),
                Some(there) if *there == value => {}
                Some(Value::Array(there)) if key == CLASSES && goes_on(&value, there) => {
                    if let Value::Array(longer) = value {
                        *there = longer;
                    }
                }
                Some(there) if key == CLASSES && goes_on(there, value.as_array().map_or(&[], Vec::as_slice)) => {}
                Some(_) if !self.differing.contains(&key) => self.differing.push(key),
                Some(_) => {}
            }
        }
    }

    /// What to say of classes that differ: the samples' numbers do not tell them apart.
    pub fn classes_differ(&self) -> Option<String> {
        self.differing.iter().any(|key| key == CLASSES).then(|| {
            "the sources have different `classes`, so that one number `cls` may mean two of them; the first source's list \
             stays, and the `class` of a sample, if it has one, is its name"
                .into()
        })
    }

    /// Says what of the documents could not stay.
    fn differences(&self, notes: &mut Vec<String>) {
        notes.extend(self.classes_differ());
        let others: Vec<&str> = self.differing.iter().map(String::as_str).filter(|key| *key != CLASSES).collect();
        if !others.is_empty() {
            notes
                .push(format!("the sources' documents differ, and the first one's fields stay: {}", others.join(", ")));
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

    /// Whether a Protobuf document goes into the output as it is: that of a single source, as nobody can join it with others.
    fn keeps_protobuf(&self, layout: Layout, choice: &MetadataChoice) -> bool {
        layout == Layout::Guide && !self.joined && self.protobuf.len() == 1 && choice.is_default()
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
        if layout == Layout::Guide && choice.format != MetadataFormat::Protobuf {
            self.differences(notes);
        }
        let mut fields = self.fields;
        match (layout, choice.format) {
            (Layout::Turboloader, _) => {
                let of_source = |key: &String| SOURCES.contains(&key.as_str());
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
                if self.joined && self.named.len() + self.sources.len() > 1 {
                    SOURCES.iter().for_each(|key| drop(fields.shift_remove(*key)));
                    self.sources.splice(0..0, self.named);
                }
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

/// Whether this is a list that begins with all of another one.
fn goes_on(value: &Value, list: &[Value]) -> bool {
    value.as_array().is_some_and(|value| value.starts_with(list))
}
