//! Columns as the user names them: `id=u32,when=date`, or a JSON file.

use serde::Deserialize;

use super::{DataType, Field, KeyType, Schema};
use crate::error::{Error, Result, codes};

/// A table's columns as a JSON file says them: `{"columns": [{"name": "age", "type": "i64"}]}`, or only the
/// list. What `forebay inspect` prints as JSON is such a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableSpec {
    /// The columns, in order.
    pub columns: Vec<ColumnSpec>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ColumnSpec {
    /// Its name.
    pub name: String,
    /// Its type, as [`parse_type`] reads it.
    #[serde(rename = "type")]
    pub dtype: String,
    /// False if no value may be missing.
    #[serde(default = "yes")]
    pub nullable: bool,
    /// How it is stored, for formats that let one choose.
    #[serde(default)]
    pub encoding: Option<String>,
    /// What stored integers count from, for encodings that have it.
    #[serde(default)]
    pub offset: Option<i64>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Whole {
        columns: Vec<ColumnSpec>,
        /// Only in what `inspect` prints.
        format: Option<String>,
    },
    List(Vec<ColumnSpec>),
}

impl TableSpec {
    /// Reads the JSON form.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |why: String| Error::new(&codes::ARGUMENT, format!("the schema: {why}"));
        let written = serde_json::from_str::<Written>(text).map_err(|e| match e.is_data() {
            true => wrong("expected {\"columns\": [{\"name\": ..., \"type\": ...}]} or such a list".into()),
            false => wrong(e.to_string()),
        })?;
        let columns = match written {
            Written::Whole { columns, format: None } | Written::List(columns) => columns,
            // How another file stores its values is not a wish for how these are to be stored.
            Written::Whole { mut columns, format: Some(_) } => {
                columns.iter_mut().for_each(|c| c.encoding = None);
                columns
            }
        };
        let spec = TableSpec { columns };
        spec.schema()?;
        Ok(spec)
    }

    /// Names and types.
    pub fn schema(&self) -> Result<Schema> {
        let fields = self.columns.iter().map(|c| {
            let dtype = parse_type(&c.dtype).map_err(|e| e.column(&c.name))?;
            let mut field = Field::new(&c.name, dtype);
            field.nullable = c.nullable;
            Ok(field)
        });
        Schema::new(fields.collect::<Result<_>>()?)
    }
}

impl From<&Schema> for TableSpec {
    fn from(schema: &Schema) -> Self {
        let column = |f: &Field| ColumnSpec {
            name: f.name.clone(),
            dtype: f.dtype.to_string(),
            nullable: f.nullable,
            encoding: None,
            offset: None,
        };
        TableSpec { columns: schema.fields().iter().map(column).collect() }
    }
}

/// Vectors of vectors nest no deeper in words: each level is a call in whatever looks at the type.
const MOST_LEVELS: u32 = 32;

/// The type that a text such as `u32`, `key<u8, 20>`, `vector<f32>` or `vector<f32, 2x3>` names.
pub fn parse_type(text: &str) -> Result<DataType> {
    parse_level(text, MOST_LEVELS)
}

fn parse_level(text: &str, left: u32) -> Result<DataType> {
    let unknown = || {
        Error::new(
            &codes::ARGUMENT,
            format!(
                "{text:?} is not a type; types are bool, i8 to i64, u8 to u64, f32, f64, string, bytes, date, time_us, timestamp_ms, timestamp_us, timestamp_ns, ticks, datetime, datetime_offset, row_id, json, key<u32, 5>, vector<f32>, vector<f32, 10>"
            ),
        )
    };
    let text = text.trim();
    if let Some(simple) = DataType::from_name(text) {
        return Ok(simple);
    }
    let inside = |word: &str| text.strip_prefix(word)?.strip_suffix('>');
    if let Some(inner) = inside("key<") {
        let (kind, count) = inner.split_once(',').ok_or_else(unknown)?;
        let inner = match kind.trim() {
            "u8" => KeyType::U8,
            "u16" => KeyType::U16,
            "u32" => KeyType::U32,
            "u64" => KeyType::U64,
            _ => return Err(unknown()),
        };
        return Ok(DataType::Key { inner, count: count.trim().parse().map_err(|_| unknown())? });
    }
    let inner = inside("vector<").ok_or_else(unknown)?;
    let deeper = left.checked_sub(1).ok_or_else(|| {
        let message = format!("vectors nest deeper than {MOST_LEVELS} levels, so this is not a type");
        Error::new(&codes::ARGUMENT, message)
    })?;
    // The dimensions stand behind the last comma that is not inside of the item's own brackets.
    let (item, dims) = match inner.rsplit_once(',') {
        Some((item, dims)) if !dims.contains('>') => {
            let dims = dims.split('x').map(|d| d.trim().parse().map_err(|_| unknown()));
            (item, dims.collect::<Result<_>>()?)
        }
        _ => (inner, vec![0]),
    };
    Ok(DataType::Vector { item: Box::new(parse_level(item, deeper)?), dims })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_back_as_they_print() {
        for text in [
            "u32",
            "key<u16, 300>",
            "vector<f32>",
            "vector<f32, 2x3>",
            "vector<key<u8, 4>>",
            "vector<key<u8, 4>, 2>",
            "vector<f32, 0x3>",
            "vector<u8, 2x0>",
        ] {
            assert_eq!(parse_type(text).unwrap().to_string(), text);
        }
        for text in ["", "int", "key<u32>", "key<f32, 3>", "vector<>", "vector<u8", "vector<u8, x>"] {
            assert!(parse_type(text).is_err(), "{text}");
        }
    }

    #[test]
    fn types_that_nest_without_end_are_refused() {
        let nested = |levels: usize| format!("{}u8{}", "vector<".repeat(levels), ">".repeat(levels));
        assert_eq!(parse_type(&nested(32)).unwrap().to_string(), nested(32));
        for levels in [33, 100_000] {
            let e = parse_type(&nested(levels)).unwrap_err();
            assert!(e.message().contains("deeper than 32"), "{e}");
            let text = format!(r#"[{{"name":"a","type":"{}"}}]"#, nested(levels));
            assert!(TableSpec::parse(&text).is_err());
        }
    }

    #[test]
    fn a_schema_is_an_object_or_a_list() {
        let whole = TableSpec::parse(r#"{"rows":3,"columns":[{"name":"a","type":"u8","nulls":0}]}"#).unwrap();
        assert_eq!(whole, TableSpec::parse(r#"[{"name":"a","type":"u8"}]"#).unwrap());
        assert!(whole.columns[0].nullable);
        assert!(TableSpec::parse(r#"[{"name":"a"}]"#).is_err());
        assert!(TableSpec::parse(r#"[{"name":"a","type":"what"}]"#).is_err());
        assert!(TableSpec::parse("nonsense").is_err());
    }
}
