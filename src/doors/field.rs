//! One field of a record.

use bytes::Bytes;

use super::png::{self, Pixels};
use crate::{
    error::Result,
    image::probe,
    limits::Limits,
    msgpack::base64_value,
    sample::{
        MediaFormat,
        holds::{LEVELS, holds},
    },
};

/// The longest run of bytes that metadata holds as base64; longer ones are only counted.
const MOST_BYTES: usize = 64 << 10;

/// A named part of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name, as the file has it.
    pub name: String,
    /// Its value.
    pub value: Value,
}

impl Field {
    /// A field of this name.
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Field { name: name.into(), value: value.into() }
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Bytes, which may be a text or a picture.
    Bytes(Bytes),
    /// Pixels that no format of pictures wraps.
    Pixels(Pixels),
    /// Anything else.
    Json(serde_json::Value),
}

impl From<Bytes> for Value {
    fn from(bytes: Bytes) -> Self {
        Value::Bytes(bytes)
    }
}
impl From<Pixels> for Value {
    fn from(pixels: Pixels) -> Self {
        Value::Pixels(pixels)
    }
}
impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        Value::Json(value)
    }
}

impl Value {
    /// The bytes that a sample of this value is: pixels become a PNG.
    pub fn payload(&self, limits: &Limits) -> Result<Bytes> {
        match self {
            Value::Bytes(bytes) => Ok(bytes.clone()),
            Value::Pixels(pixels) => png::written(pixels, limits),
            Value::Json(value) => Ok(value.to_string().into()),
        }
    }

    /// Whether it is a picture or a video, by its first bytes.
    pub fn media(&self) -> MediaFormat {
        match self {
            Value::Bytes(bytes) => probe(bytes).format,
            Value::Pixels(_) => MediaFormat::Png,
            Value::Json(_) => MediaFormat::Unknown,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Bytes(bytes) => readable(bytes),
            Value::Json(value) => value.as_str(),
            Value::Pixels(_) => None,
        }
    }

    /// Its form in metadata. Bytes that are too many for that are counted.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Json(value) => value.clone(),
            Value::Bytes(bytes) => bytes_to_json(bytes),
            Value::Pixels(Pixels { width, height, channels, .. }) => {
                serde_json::json!({ "width": width, "height": height, "channels": channels })
            }
        }
    }
}

/// Parses JSON; metadata holds it two levels deep, so text that nests too deep stays text. `None` if it is not JSON.
pub fn json_of(text: &[u8]) -> Option<serde_json::Value> {
    let text = std::str::from_utf8(text).ok()?;
    serde_json::from_str::<&serde_json::value::RawValue>(text).ok()?;
    let held = holds(text, LEVELS - 2).is_ok();
    Some(if held { serde_json::from_str(text).unwrap_or_else(|_| text.into()) } else { text.into() })
}

/// Bytes as metadata has them: text, base64, or their number.
pub fn bytes_to_json(bytes: &[u8]) -> serde_json::Value {
    match readable(bytes) {
        Some(text) => text.into(),
        None if bytes.len() > MOST_BYTES => serde_json::json!({ "bytes": bytes.len() }),
        None => base64_value(bytes),
    }
}

/// Bytes as text, if people can read it.
fn readable(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    (!text.contains(odd)).then_some(text)
}
