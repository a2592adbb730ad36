//! Values of samples: fields of their metadata, and columns of tables.

use std::path::Path;

use bytes::BytesMut;
use forebay::{
    Error, Result,
    filter::{Segment, Value},
    order::Item,
};
use serde::de::DeserializeSeed;

use crate::{
    Dataset,
    dataset::RecordText,
    loader::{
        codes,
        labels::{
            follow::{Follow, Leaf},
            segments,
            table::Joined,
        },
        sources::Sources,
    },
};

/// Where values come from, made ready.
#[derive(Debug)]
pub(super) enum Field {
    Path(Vec<Segment>),
    /// Each sample's value as JSON.
    Table(Joined<Box<str>>),
}

impl Field {
    pub fn path(path: &str) -> Result<Field> {
        segments(path).map(Field::Path)
    }

    pub fn table((path, key, column): (&Path, &str, &str), optional: bool, sources: &Sources) -> Result<Field> {
        let joined = Joined::read(path, key, column, sources, |value| json(&value).map(String::into_boxed_str))?;
        joined.refuse_strangers(optional, (path, key), sources)?;
        Ok(Field::Table(joined))
    }

    /// Whether it is in the sample's metadata.
    pub fn needs_record(&self) -> bool {
        matches!(self, Field::Path(_))
    }

    /// Shows a sample's value to `leaf`, if it has one.
    pub fn read(&self, item: &Item, record: Option<&str>, leaf: &mut impl Leaf) -> Result<()> {
        let (segments, text) = match self {
            Field::Path(segments) => (&segments[..], record),
            Field::Table(joined) => (&[][..], joined.of(item).map(|text| &**text)),
        };
        let Some(text) = text else { return Ok(()) };
        let mut json = serde_json::Deserializer::from_str(text);
        Follow { segments, leaf }
            .deserialize(&mut json)
            .map_err(|e| Error::caused(&codes::TARGET_VALUE, format!("the metadata is not JSON: {e}"), e))
    }
}

/// A sample's metadata as text.
pub(super) fn record(dataset: &Dataset, item: &Item, buffer: &mut BytesMut) -> Result<Option<RecordText>> {
    dataset.record_text(item.sample, buffer)
}

/// A table's value as JSON; none where there is none.
fn json(value: &Value<'_>) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(is) => is.to_string(),
        Value::Int(n) => n.to_string(),
        // Text is read as a number too, and can say what JSON's numbers cannot.
        Value::Float(n) if !n.is_finite() => format!("\"{n}\""),
        Value::Float(n) => n.to_string(),
        Value::Str(text) => serde_json::Value::from(text.as_ref()).to_string(),
        Value::Time(time) => serde_json::Value::from(time.to_string()).to_string(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|one| json(one).unwrap_or_else(|| "null".into())).collect();
            format!("[{}]", items.join(","))
        }
        _ => "{}".into(),
    })
}
