//! The encodings of columns.

use bytes::Bytes;
use serde_json::{Number, Value as Json};

use super::{
    array::{self, Array, Headed},
    numeric::Numeric,
};
use crate::{
    doors::{
        codes,
        field::{Value, json_of},
        half,
        png::Pixels,
    },
    error::{Error, Result},
    limits::Limits,
};

/// The most images of a list.
const MOST: usize = 100_000;

/// How a column's values are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doors) enum Encoding {
    Bytes,
    Text,
    /// A number, by its name: `int8`.
    Number(Numeric),
    /// An integer, a float or a decimal as text.
    Spelled,
    Json,
    /// JSON after a mark and its length.
    Framed,
    Picture,
    /// An array that was written as a JPEG, or several.
    PictureArray,
    Pil,
    List(Box<Encoding>),
    Array(Array),
    Headed(Headed),
}

/// What a column holds: a value, or of a list several.
pub(in crate::doors) enum Values {
    One(Value),
    List(Vec<Value>),
}

impl Encoding {
    /// The encoding of that name. Pickle is refused: to read it is to run what it says.
    pub fn of(name: &str) -> Result<Encoding> {
        let (kind, rest) = name.split_once(':').map_or((name, None), |(kind, rest)| (kind, Some(rest)));
        Ok(match (kind, rest) {
            ("bytes", None) => Encoding::Bytes,
            ("str", None) => Encoding::Text,
            ("int", None) => Encoding::Number(Numeric::I64),
            ("str_int" | "str_float" | "str_decimal", None) => Encoding::Spelled,
            ("json", None) => Encoding::Json,
            ("jpeg" | "png", _) => Encoding::Picture,
            ("jpeg_array", _) => Encoding::PictureArray,
            ("pil", None) => Encoding::Pil,
            ("list[jpeg]" | "list[png]", _) => Encoding::List(Box::new(Encoding::Picture)),
            ("list[pil]", None) => Encoding::List(Box::new(Encoding::Pil)),
            ("ndarray", rest) => Encoding::Array(Array::of(rest.unwrap_or_default())?),
            ("pkl", _) => {
                let message = "the column is a pickle (pkl), which is code and is not run here; write it again as json, \
                               ndarray or bytes";
                return Err(Error::new(&codes::PICKLE, message));
            }
            (kind, None) if let Some(number) = Numeric::of(kind) => Encoding::Number(number),
            _ => {
                let message = format!("the encoding {name:?} is not known; write the column again as bytes or json");
                return Err(Error::new(&codes::MDS_ENCODING, message));
            }
        })
    }

    /// The meaning of these bytes.
    pub fn values(&self, bytes: &Bytes, limits: &Limits) -> Result<Values> {
        if let Encoding::List(of) = self {
            // The version of this encoding comes before a list.
            let rest = match bytes.first_chunk::<4>() {
                Some([0, 0, 0, 0]) => bytes.slice(4..),
                _ => return Err(Error::new(&codes::MDS_SAMPLE, "the list has a version that is not known")),
            };
            let list = list(&rest)?.into_iter().map(|bytes| of.value(&bytes, limits));
            return list.collect::<Result<_>>().map(Values::List);
        }
        // Such arrays were written one by one, and are now written as lists.
        if *self == Encoding::PictureArray && !bytes.starts_with(&[0xff, 0xd8]) {
            let mut images = list(bytes)?;
            return Ok(match (images.len(), images.pop()) {
                (1, Some(only)) => Values::One(only.into()),
                (_, last) => Values::List(images.into_iter().chain(last).map(Value::Bytes).collect()),
            });
        }
        self.value(bytes, limits).map(Values::One)
    }

    fn value(&self, bytes: &Bytes, limits: &Limits) -> Result<Value> {
        let wrong = |message: String| Error::new(&codes::MDS_SAMPLE, message);
        let text = || std::str::from_utf8(bytes).map_err(|_| wrong("the text is not UTF-8".to_owned()));
        Ok(match self {
            Encoding::Bytes | Encoding::Picture | Encoding::PictureArray | Encoding::List(_) => {
                Value::Bytes(bytes.clone())
            }
            Encoding::Text => Value::Json(text()?.into()),
            Encoding::Number(number) => {
                let found = number.read(bytes);
                let message = || wrong(format!("a number of {} bytes has {}", number.size(), bytes.len()));
                Value::Json(found.ok_or_else(message)?)
            }
            Encoding::Spelled => Value::Json(spelled(text()?)),
            Encoding::Framed => {
                let len =
                    bytes.get(1..).and_then(|rest| rest.first_chunk()).map(|len| u32::from_le_bytes(*len) as usize);
                let framed = bytes.first() == Some(&0) && len.is_some_and(|len| len == bytes.len() - 5);
                let text = if framed { bytes.slice(5..) } else { bytes.clone() };
                Value::Json(json_of(&text).ok_or_else(|| wrong("the value is not readable JSON".to_owned()))?)
            }
            Encoding::Json => {
                Value::Json(json_of(bytes).ok_or_else(|| wrong("the value is not readable JSON".to_owned()))?)
            }
            Encoding::Pil => pil(bytes)?,
            Encoding::Array(array) => array::value(array, bytes, limits)?,
            Encoding::Headed(headed) => array::headed(headed, bytes, limits)?,
        })
    }
}

/// A number that was written as text, where metadata can hold it.
fn spelled(text: &str) -> Json {
    if let Ok(n) = text.parse::<i64>() {
        return n.into();
    }
    if let Ok(n) = text.parse::<u64>() {
        return n.into();
    }
    // A decimal that is not that very float stays as it is written.
    let float = text.parse::<f64>().ok().filter(|float| format!("{float:?}") == text);
    float.and_then(Number::from_f64).map_or_else(|| text.into(), Json::Number)
}

/// The values of a list: how many, the size of each, and they.
fn list(bytes: &Bytes) -> Result<Vec<Bytes>> {
    let wrong = || Error::new(&codes::MDS_SAMPLE, "the list ends before all of its images");
    let (numbers, _) = bytes.as_chunks::<4>();
    let number = |k: usize| numbers.get(k).map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let count = number(0).filter(|&count| count <= MOST).ok_or_else(wrong)?;
    let (mut at, mut list) = ((count + 1) * 4, Vec::with_capacity(count.min(numbers.len())));
    for k in 1..=count {
        let end =
            number(k).and_then(|size| at.checked_add(size)).filter(|&end| end <= bytes.len()).ok_or_else(wrong)?;
        list.push(bytes.slice(at..end));
        at = end;
    }
    Ok(list)
}

/// Width, height, the length of the mode's name, that, and pixels as Pillow has them.
fn pil(bytes: &Bytes) -> Result<Value> {
    let wrong = |message: &str| Error::new(&codes::MDS_SAMPLE, message.to_owned());
    let short = || wrong("the image ends inside its head");
    let (numbers, _) = bytes.get(..12).ok_or_else(short)?.as_chunks::<4>();
    let number = |k: usize| numbers.get(k).map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let (width, height, len) = (number(0), number(1), number(2) as usize);
    let end = len.checked_add(12).filter(|&end| end <= bytes.len()).ok_or_else(short)?;
    let (mode, data) = (bytes.slice(12..end), bytes.slice(end..));
    let (channels, bits) = match &mode[..] {
        b"L" => (1, 8),
        b"LA" => (2, 8),
        b"RGB" => (3, 8),
        b"RGBA" => (4, 8),
        b"I;16" => (1, 16),
        _ => return Ok(Value::Bytes(data)),
    };
    let data = if bits == 16 { half::swapped(&data) } else { data };
    if u64::from(width) * u64::from(height) * u64::from(channels) * u64::from(bits / 8) != data.len() as u64 {
        return Err(wrong("the image has not as many bytes as its size and mode want"));
    }
    Ok(Value::Pixels(Pixels { width, height, channels, bits, data }))
}
