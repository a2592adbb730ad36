//! Cells as JSON, exactly: integers of 64 bits as numbers with all digits, NaN and infinities as strings, times
//! as ISO text, bytes as base64, vectors as arrays.

use base64::{Engine, prelude::BASE64_STANDARD};

use super::{Column, DataType, Value, VectorRow};

/// How vectors are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonStyle {
    /// Keep sparse vectors sparse: `{"length":5,"indices":[1],"values":[2.5]}`. Those of more than 4,096 slots that
    /// list less than one in sixteen are always written so: few bytes of a file can hold billions of slots.
    pub sparse: bool,
    /// Write every slot of every vector, however many there are: for comparing what is stored in different ways.
    pub every_slot: bool,
}

impl JsonStyle {
    /// Sparse vectors stay sparse.
    pub const fn sparse() -> Self {
        JsonStyle { sparse: true, every_slot: false }
    }
    /// No vector is sparse.
    pub const fn every_slot() -> Self {
        JsonStyle { sparse: false, every_slot: true }
    }
}

#[doc(hidden)]
impl Value<'_> {
    /// Appends the cell as JSON.
    pub fn write_json(&self, out: &mut String, style: JsonStyle) {
        use std::fmt::Write;
        // Writing to a `String` cannot fail.
        let _ = match *self {
            Value::Null | Value::Key(0) => out.write_str("null"),
            Value::Bool(b) => write!(out, "{b}"),
            Value::Int(n) => write!(out, "{n}"),
            Value::UInt(n) | Value::Key(n) => write!(out, "{n}"),
            Value::F32(x) if x.is_finite() => out.write_str(&serde_json::to_string(&x).unwrap_or_default()),
            Value::F64(x) if x.is_finite() => out.write_str(&serde_json::to_string(&x).unwrap_or_default()),
            Value::F32(x) => out.write_str(special(x.into())),
            Value::F64(x) => out.write_str(special(x)),
            Value::Str(s) => {
                write_json_str(out, s);
                Ok(())
            }
            Value::Bytes(b) => write!(out, "\"{}\"", BASE64_STANDARD.encode(b)),
            Value::Time(t) => write!(out, "\"{t}\""),
            Value::RowId(n) => write!(out, "\"{n:032x}\""),
            // Inside of texts there are no ends of lines: those between values mean nothing, and an object is one line.
            Value::Json(text) if text.contains(['\n', '\r']) => out.write_str(&text.replace(['\n', '\r'], " ")),
            Value::Json(text) => out.write_str(text),
            Value::Vector { row, items } => {
                vector(out, row, items, style);
                Ok(())
            }
        };
    }

    /// The cell as JSON.
    pub fn to_json(&self, style: JsonStyle) -> String {
        let mut out = String::new();
        self.write_json(&mut out, style);
        out
    }
}

/// Sparse vectors are written slot by slot up to this length, and if they list enough of their slots.
const MOST_SLOTS: u32 = 4096;
/// How many times what is listed all slots may be.
const MOST_TIMES: usize = 16;

/// True where writing every slot would be far longer than writing what is listed.
fn is_long(row: VectorRow<'_>) -> bool {
    row.len > MOST_SLOTS && row.len as usize / MOST_TIMES >= row.count
}

fn special(x: f64) -> &'static str {
    if x.is_nan() {
        "\"NaN\""
    } else if x > 0.0 {
        "\"Infinity\""
    } else {
        "\"-Infinity\""
    }
}

/// Appends a text as a JSON string.
pub(crate) fn write_json_str(out: &mut String, s: &str) {
    let plain = s.bytes().all(|b| b >= 0x20 && b != b'"' && b != b'\\');
    if plain {
        out.push('"');
        out.push_str(s);
        out.push('"');
    } else {
        out.push_str(&serde_json::to_string(s).unwrap_or_default());
    }
}

fn vector(out: &mut String, row: VectorRow<'_>, items: &Column, style: JsonStyle) {
    let explicit = |out: &mut String| {
        out.push('[');
        for k in 0..row.count {
            if k > 0 {
                out.push(',');
            }
            items.value(row.first + k).write_json(out, style);
        }
        out.push(']');
    };
    match row.indices {
        None => explicit(out),
        Some(indices) if style.sparse || (is_long(row) && !style.every_slot) => {
            out.push_str(&format!("{{\"length\":{},\"indices\":{indices:?},\"values\":", row.len).replace(", ", ","));
            explicit(out);
            out.push('}');
        }
        Some(indices) => {
            let default = default_json(items.dtype());
            let mut next = indices.iter().enumerate().peekable();
            out.push('[');
            for at in 0..row.len {
                if at > 0 {
                    out.push(',');
                }
                match next.next_if(|(_, i)| **i == at) {
                    Some((k, _)) => items.value(row.first + k).write_json(out, style),
                    None => out.push_str(default),
                }
            }
            out.push(']');
        }
    }
}

/// What stands at the positions that a sparse vector does not list.
fn default_json(dtype: &DataType) -> &'static str {
    match dtype {
        DataType::Bool => "false",
        DataType::F32 | DataType::F64 => "0.0",
        DataType::String | DataType::Bytes => "\"\"",
        DataType::Ticks | DataType::TimeUs => "\"00:00:00\"",
        DataType::Date => "\"1970-01-01\"",
        DataType::TimestampMs | DataType::TimestampUs | DataType::TimestampNs => "\"1970-01-01T00:00:00\"",
        DataType::DateTime => "\"0001-01-01T00:00:00\"",
        DataType::DateTimeOffset => "\"0001-01-01T00:00:00+00:00\"",
        DataType::RowId => "\"00000000000000000000000000000000\"",
        DataType::Key { .. } => "null",
        _ => "0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_exact_and_what_json_lacks_is_text() {
        let json = |v: Value<'_>| v.to_json(JsonStyle::default());
        assert_eq!(json(Value::UInt(u64::MAX)), "18446744073709551615");
        assert_eq!(json(Value::F64(f64::NAN)), "\"NaN\"");
        assert_eq!(json(Value::F32(f32::NEG_INFINITY)), "\"-Infinity\"");
        assert_eq!(json(Value::F32(0.1)), "0.1");
        assert_eq!(json(Value::F64(-0.0)), "-0.0");
        assert_eq!(json(Value::Str("a\"\n\u{1}é")), "\"a\\\"\\n\\u0001é\"");
        assert_eq!(json(Value::Bytes(&[1, 2])), "\"AQI=\"");
        assert_eq!(json(Value::Json("{\r\n \"a\": [1,\n2]}")), "{   \"a\": [1, 2]}");
    }

    #[test]
    fn sparse_vectors_are_written_in_both_ways() {
        let items = Column::from(vec![2.5f32]);
        let row = VectorRow { len: 3, first: 0, count: 1, indices: Some(&[1]) };
        let v = Value::Vector { row, items: &items };
        assert_eq!(v.to_json(JsonStyle::default()), "[0.0,2.5,0.0]");
        assert_eq!(v.to_json(JsonStyle::sparse()), r#"{"length":3,"indices":[1],"values":[2.5]}"#);
        for len in [4_097, u32::MAX] {
            let long = Value::Vector { row: VectorRow { len, ..row }, items: &items };
            let expected = format!(r#"{{"length":{len},"indices":[1],"values":[2.5]}}"#);
            assert_eq!(long.to_json(JsonStyle::default()), expected);
            assert!(len > 5000 || long.to_json(JsonStyle::every_slot()).starts_with("[0.0,2.5,0.0,"));
        }
        let short = Value::Vector { row: VectorRow { len: 4096, ..row }, items: &items };
        assert!(short.to_json(JsonStyle::default()).starts_with("[0.0,2.5,0.0,"));
        // Sparse in name only: half of the slots are listed.
        let (indices, items): (Vec<u32>, Vec<f32>) = (0..4096).map(|i| (2 * i, 1.0)).unzip();
        let items = Column::from(items);
        let row = VectorRow { len: 8192, first: 0, count: 4096, indices: Some(&indices) };
        assert!(Value::Vector { row, items: &items }.to_json(JsonStyle::default()).starts_with("[1.0,0.0,1.0,"));
    }
}
