//! One change, and its line in a journal.

use std::sync::Arc;

use serde_json::{Value, value::RawValue};

use super::codes;
use crate::{
    annotations::{Classes, record as annotated},
    error::{Error, Result},
    filter::{Filter, Segment},
    sample::{
        holds::{LEVELS, holds},
        record,
    },
};

/// Words that a review can end with.
pub const STATES: [&str; 2] = ["accepted", "rejected"];
/// The most tags that one change names.
const MOST_TAGS: usize = 1000;

/// A field of metadata, said as filters say it, and what it becomes; `None` takes it away.
#[derive(Clone, Debug)]
pub struct Field {
    pub(super) path: String,
    pub(super) segments: Vec<Segment>,
    pub(super) value: Option<Box<RawValue>>,
}

impl PartialEq for Field {
    fn eq(&self, other: &Field) -> bool {
        let text = |field: &Field| field.value.as_ref().map(|value| value.get().to_owned());
        self.path == other.path && text(self) == text(other)
    }
}

impl Field {
    /// Refuses what is not a path, and the fields that have changes of their own.
    fn new(path: &str, value: Option<Box<RawValue>>, of_sample: bool) -> Result<Field> {
        let wrong = |why: &str| Error::new(&codes::LINE, format!("{path:?} {why}")).path(path.to_owned());
        let found = Filter::parse(path).ok();
        let field = found.as_ref().and_then(|filter| filter.fields().next().filter(|f| f.to_string() == path));
        let segments =
            field.ok_or_else(|| wrong("is not the path of a field, such as json.label"))?.segments().to_vec();
        // What stands at the root decides: nothing inside is changed by itself either.
        let root = match segments.first() {
            Some(Segment::Key(key)) => key.as_str(),
            _ => path,
        };
        match root {
            "id" if of_sample => return Err(wrong("is the sample's number, which its place decides")),
            "name" if of_sample => return Err(wrong("is changed by renaming the sample")),
            "tags" | "review" | "annotations" | "annotations_format" if of_sample => {
                return Err(wrong("has a change of its own"));
            }
            "exact" | "members" if of_sample => return Err(wrong("says how files were, and follows the other fields")),
            "samples" if !of_sample => return Err(wrong("are changed sample by sample")),
            _ => {}
        }
        let levels = LEVELS.saturating_sub(u32::try_from(segments.len()).unwrap_or(LEVELS));
        match value.as_ref().map(|value| holds(value.get(), levels)) {
            Some(Err(e)) => Err(wrong(&format!("gets a value that nobody can hold: {e}"))),
            _ => Ok(Field { path: path.to_owned(), segments, value }),
        }
    }
}

/// Where the bytes of an added sample lie in the file beside the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Where they begin.
    pub at: u64,
    /// How many they are.
    pub bytes: u64,
    /// Their CRC-32.
    pub crc: u32,
}

/// What the metadata of a sample gets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    pub(super) fields: Vec<Field>,
    /// What is marked in the picture, by the convention of the annotations' records: a list as text, a tenth of what it
    /// takes as values, and shared by all that clone a change.
    pub(super) annotations: Option<Arc<str>>,
}

impl Given {
    /// True when nothing is given.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.annotations.is_none()
    }
}

/// One change. Samples have the numbers that they have in the file; the first that is added has the next number, and so on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// Fields and annotations of a sample.
    Set {
        /// The sample.
        sample: u64,
        /// What it gets.
        given: Given,
    },
    /// The sample is left out.
    Remove {
        /// The sample.
        sample: u64,
    },
    /// The sample is not left out after all.
    Restore {
        /// The sample.
        sample: u64,
    },
    /// A new sample, at the end.
    Add {
        /// Its file's name.
        name: String,
        /// Its bytes.
        blob: Blob,
        /// Its metadata.
        given: Given,
    },
    /// Another name.
    Rename {
        /// The sample.
        sample: u64,
        /// The name.
        name: String,
    },
    /// Another place.
    Move {
        /// The sample.
        sample: u64,
        /// The sample that it goes before; `None` is the end.
        before: Option<u64>,
    },
    /// Tags given and taken.
    Tag {
        /// The sample.
        sample: u64,
        /// Tags that it gets.
        add: Vec<String>,
        /// Tags that it loses.
        remove: Vec<String>,
    },
    /// What a reviewer said.
    Review {
        /// The sample.
        sample: u64,
        /// One of [`STATES`], or nothing again.
        state: Option<String>,
    },
    /// Fields of the document beside the samples.
    Document {
        /// What they become.
        fields: Vec<Field>,
    },
    /// The last change that stands does not.
    Undo,
    /// The last change that was undone stands again.
    Redo,
}

/// A field of a line that is its own text.
type Raw = (String, Box<RawValue>);

impl Change {
    /// The sample that is changed, if it is one that was there before.
    pub fn sample(&self) -> Option<u64> {
        match self {
            Change::Set { sample, .. }
            | Change::Remove { sample }
            | Change::Restore { sample }
            | Change::Rename { sample, .. }
            | Change::Move { sample, .. }
            | Change::Tag { sample, .. }
            | Change::Review { sample, .. } => Some(*sample),
            Change::Add { .. } | Change::Document { .. } | Change::Undo | Change::Redo => None,
        }
    }

    /// The word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Change::Set { .. } => "set",
            Change::Remove { .. } => "remove",
            Change::Restore { .. } => "restore",
            Change::Add { .. } => "add",
            Change::Rename { .. } => "rename",
            Change::Move { .. } => "move",
            Change::Tag { .. } => "tag",
            Change::Review { .. } => "review",
            Change::Document { .. } => "document",
            Change::Undo => "undo",
            Change::Redo => "redo",
        }
    }

    /// What a host says: one object of JSON, as a line of a journal without its number and its checksum.
    pub fn parse(text: &str) -> Result<Change> {
        let fields = record::fields_of(text).ok_or_else(|| {
            Error::new(&codes::LINE, "a change is an object of JSON that nests at most 127 levels deep")
        })?;
        Change::from_fields(fields)
    }

    /// From the members of a line.
    pub(super) fn from_fields(fields: Vec<Raw>) -> Result<Change> {
        let mut line = Line { fields: fields.into_iter().map(Some).collect(), kind: String::new() };
        line.kind = line.need("do")?;
        let change = match line.kind.clone().as_str() {
            "set" => Change::Set { sample: line.need("sample")?, given: line.given()? },
            "remove" => Change::Remove { sample: line.need("sample")? },
            "restore" => Change::Restore { sample: line.need("sample")? },
            "add" => Change::Add {
                name: line.name()?,
                blob: Blob { at: line.need("at")?, bytes: line.need("bytes")?, crc: line.crc("blob")? },
                given: line.given()?,
            },
            "rename" => Change::Rename { sample: line.need("sample")?, name: line.name()? },
            "move" => Change::Move { sample: line.need("sample")?, before: line.need("before")? },
            "tag" => Change::Tag { sample: line.need("sample")?, add: line.tags("add")?, remove: line.tags("remove")? },
            "review" => Change::Review { sample: line.need("sample")?, state: line.state()? },
            "document" => Change::Document { fields: line.fields(false)? },
            "undo" => Change::Undo,
            "redo" => Change::Redo,
            other => {
                let message = format!("{other:?} is not a kind of change that this version knows");
                return Err(Error::new(&codes::UNKNOWN, message));
            }
        };
        line.end()?;
        Ok(change)
    }

    /// The members of its line, each behind a comma but the first.
    pub(super) fn text(&self) -> String {
        let mut out = format!("\"do\":\"{}\"", self.kind());
        let string = |text: &str| Value::from(text).to_string();
        let mut put = |key: &str, value: &str| {
            out.push_str(",\"");
            out.push_str(key);
            out.push_str("\":");
            out.push_str(value);
        };
        if let Some(sample) = self.sample() {
            put("sample", &sample.to_string());
        }
        match self {
            Change::Set { given, .. } => put_given(given, &mut put),
            Change::Add { name, blob, given } => {
                put("name", &string(name));
                put("at", &blob.at.to_string());
                put("bytes", &blob.bytes.to_string());
                put("blob", &format!("\"{:08x}\"", blob.crc));
                put_given(given, &mut put);
            }
            Change::Rename { name, .. } => put("name", &string(name)),
            Change::Move { before, .. } => put("before", &before.map_or("null".into(), |before| before.to_string())),
            Change::Tag { add, remove, .. } => {
                put("add", &Value::from(add.clone()).to_string());
                put("remove", &Value::from(remove.clone()).to_string());
            }
            Change::Review { state, .. } => put("state", &state.as_deref().map_or("null".into(), string)),
            Change::Document { fields } => put_fields(fields, &mut put),
            Change::Remove { .. } | Change::Restore { .. } | Change::Undo | Change::Redo => {}
        }
        out
    }
}

fn put_given(given: &Given, put: &mut impl FnMut(&str, &str)) {
    put_fields(&given.fields, put);
    if let Some(annotations) = &given.annotations {
        put("annotations", annotations);
    }
}

fn put_fields(fields: &[Field], put: &mut impl FnMut(&str, &str)) {
    let mut set = String::from("{");
    for field in fields {
        let Some(value) = &field.value else { continue };
        record::push_field(&mut set, &field.path, value.get());
    }
    if set.len() > 1 {
        set.push('}');
        put("fields", &set);
    }
    let unset: Vec<&str> = fields.iter().filter(|f| f.value.is_none()).map(|f| f.path.as_str()).collect();
    if !unset.is_empty() {
        put("unset", &Value::from(unset).to_string());
    }
}

/// The members of a line that are not read yet.
struct Line {
    fields: Vec<Option<Raw>>,
    kind: String,
}

impl Line {
    fn wrong(&self, key: &str, why: &str) -> Error {
        let of = if self.kind.is_empty() { String::new() } else { format!(" of a change {:?}", self.kind) };
        Error::new(&codes::LINE, format!("the member {key:?}{of} {why}")).path(key.to_owned())
    }

    fn take(&mut self, key: &str) -> Option<Box<RawValue>> {
        let found = self.fields.iter_mut().find(|field| field.as_ref().is_some_and(|(name, _)| name == key));
        found?.take().map(|(_, value)| value)
    }

    fn need<T: serde::de::DeserializeOwned>(&mut self, key: &str) -> Result<T> {
        let raw = self.take(key).ok_or_else(|| self.wrong(key, "is missing"))?;
        serde_json::from_str(raw.get()).map_err(|_| self.wrong(key, "has a value that it cannot have"))
    }

    fn crc(&mut self, key: &str) -> Result<u32> {
        let text: String = self.need(key)?;
        hexadecimal(&text).ok_or_else(|| self.wrong(key, "is not a checksum of 8 digits"))
    }

    fn name(&mut self) -> Result<String> {
        let name: String = self.need("name")?;
        record::safe_name(&name).map_err(|e| self.wrong("name", e.message()))?;
        Ok(name)
    }

    fn tags(&mut self, key: &str) -> Result<Vec<String>> {
        let Some(raw) = self.take(key) else { return Ok(Vec::new()) };
        let tags: Vec<String> =
            serde_json::from_str(raw.get()).map_err(|_| self.wrong(key, "is not a list of texts"))?;
        if tags.len() > MOST_TAGS {
            let message = format!("a change names {} tags, at most {MOST_TAGS} are read", tags.len());
            return Err(Error::new(&codes::LIMIT, message));
        }
        Ok(tags)
    }

    fn state(&mut self) -> Result<Option<String>> {
        let state: Option<String> = self.need("state")?;
        match state.as_deref() {
            Some(word) if !STATES.contains(&word) => Err(self.wrong("state", "is neither accepted nor rejected")),
            _ => Ok(state),
        }
    }

    fn fields(&mut self, of_sample: bool) -> Result<Vec<Field>> {
        let mut fields = Vec::new();
        if let Some(raw) = self.take("fields") {
            let set = record::fields_of(raw.get()).ok_or_else(|| self.wrong("fields", "is not an object"))?;
            for (path, value) in set {
                fields.push(Field::new(&path, Some(value), of_sample)?);
            }
        }
        if let Some(raw) = self.take("unset") {
            let unset: Vec<String> =
                serde_json::from_str(raw.get()).map_err(|_| self.wrong("unset", "is not a list of fields"))?;
            for path in unset {
                fields.push(Field::new(&path, None, of_sample)?);
            }
        }
        Ok(fields)
    }

    fn given(&mut self) -> Result<Given> {
        let fields = self.fields(true)?;
        let annotations = self.take("annotations").map(|raw| {
            serde_json::from_str(raw.get()).map_err(|_| self.wrong("annotations", "is not a list of annotations"))
        });
        let annotations: Option<Value> = annotations.transpose()?;
        let Some(list) = annotations else { return Ok(Given { fields, annotations: None }) };
        let text = list.to_string();
        // Whoever reads the output reads it by this.
        annotated::read(&marked(list), &mut Classes::default())?;
        Ok(Given { fields, annotations: Some(text.into()) })
    }

    fn end(&self) -> Result<()> {
        match self.fields.iter().flatten().next() {
            Some((key, _)) => Err(self.wrong(key, "is not known, or is there twice")),
            None => Ok(()),
        }
    }
}

/// The annotations that a change keeps as text.
pub(super) fn listed(annotations: &str) -> Value {
    serde_json::from_str(annotations).unwrap_or_default()
}

/// A list of annotations as the fields of a record that say what it is.
pub(super) fn marked(list: Value) -> Value {
    let mut fields = serde_json::Map::new();
    fields.insert("annotations_format".into(), annotated::CONVENTION.into());
    fields.insert("annotations".into(), list);
    Value::Object(fields)
}

/// Eight digits as a number.
pub(super) fn hexadecimal(text: &str) -> Option<u32> {
    let digits = text.len() == 8 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    digits.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}
