//! A table with a column of pictures as samples: a TAR, whose sidecars have what else a row says.
//!
//! Pictures stand in tables as bytes, or as Hugging Face's `datasets` writes them: a struct of `bytes` and `path`, which is a cell
//! of JSON here. A row becomes `00000012.jpg` and `00000012.json`; a column of classes is said by their names, and by their
//! number in `00000012.cls`; 12 is the number of the row. Rows without a picture are left out.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use serde_json::{Map, Value as Json};

use crate::{
    error::{Error, Result},
    image::format_of,
    sample::MediaFormat,
    table::{Batch, DataType, JsonStyle, Schema, TableSink, Value, codes, columns_first},
    tar::{END, header_for, padding},
};

/// Which columns mean what.
#[derive(Clone, Debug, Default)]
pub struct PictureColumns {
    /// The column with the pictures.
    pub picture: String,
    /// Columns of numbers that stand for classes, with the names of these.
    pub classes: Vec<(String, Vec<String>)>,
}

/// Writes a table with a column of pictures as a TAR of samples.
#[derive(Debug)]
pub struct PictureWriter {
    columns: PictureColumns,
    /// Once the columns are known: the place of the pictures.
    at: Option<usize>,
    samples: u64,
    rows: u64,
}

impl PictureWriter {
    /// With these columns.
    pub fn new(columns: PictureColumns) -> PictureWriter {
        PictureWriter { columns, at: None, samples: 0, rows: 0 }
    }

    fn sample(&mut self, at: usize, batch: &Batch, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let Some((payload, path)) = picture(&batch.column(at)?.value(row)).map_err(|e| e.row(self.rows))? else {
            return Ok(());
        };
        let (mut said, mut class) = (Map::new(), None);
        for (i, (field, column)) in batch.schema().fields().iter().zip(batch.columns()).enumerate() {
            let value = column.value(row);
            if i == at || matches!(value, Value::Null) {
                continue;
            }
            let named = self.columns.classes.iter().find(|(name, _)| *name == field.name);
            if let (Some((_, names)), Some(number)) = (named, whole(&value)) {
                class.get_or_insert(number);
                if let Some(name) = usize::try_from(number).ok().and_then(|number| names.get(number)) {
                    said.insert(field.name.clone(), name.as_str().into());
                    continue;
                }
            }
            let text = value.to_json(JsonStyle::default());
            said.insert(field.name.clone(), serde_json::from_str(&text).unwrap_or(Json::String(text)));
        }
        if let Some(path) = path {
            said.entry("path").or_insert(path.into());
        }
        let stem = format!("{:08}", self.rows);
        self.samples += 1;
        let mut put = |extension: &str, bytes: &[u8]| {
            out.extend_from_slice(&header_for(&format!("{stem}.{extension}"), bytes.len() as u64)?);
            out.extend_from_slice(bytes);
            out.resize(out.len() + padding(bytes.len() as u64), 0);
            Ok::<_, Error>(())
        };
        let format = match format_of(said.get("path").and_then(Json::as_str).unwrap_or_default(), &payload) {
            MediaFormat::RawU8 => MediaFormat::Unknown,
            format => format,
        };
        put(format.extension(), &payload)?;
        if let Some(class) = class {
            put("cls", class.to_string().as_bytes())?;
        }
        if !said.is_empty() {
            put("json", Json::Object(said).to_string().as_bytes())?;
        }
        Ok(())
    }
}

impl TableSink for PictureWriter {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        let name = &self.columns.picture;
        let Some(at) = schema.position(name) else {
            return Err(Error::new(&codes::COLUMN, format!("there is no column {name:?}")).column(name));
        };
        let dtype = &schema.field(at)?.dtype;
        if !matches!(dtype, DataType::Bytes | DataType::Json) {
            let message = format!("images are bytes, or a struct that has them, and this column is {dtype}");
            return Err(Error::new(&codes::TARGET, message).column(name));
        }
        self.at = Some(at);
        Ok(())
    }

    /// Pictures are large: few wait.
    fn rows_at_once(&self) -> usize {
        64
    }

    fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        let at = self.at.ok_or_else(columns_first)?;
        for row in 0..batch.rows() {
            self.sample(at, batch, row, out)?;
            self.rows += 1;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        if self.rows > 0 && self.samples == 0 {
            let message = "no row has an image in this column";
            return Err(Error::new(&codes::TARGET, message).column(&self.columns.picture));
        }
        out.extend_from_slice(&END);
        Ok(None)
    }
}

/// The bytes of a picture, and its path, if the cell has one.
fn picture(value: &Value<'_>) -> Result<Option<(Bytes, Option<String>)>> {
    let wrong = |why: String| Error::new(&codes::TARGET, why);
    match value {
        Value::Bytes(bytes) => Ok((!bytes.is_empty()).then(|| (Bytes::copy_from_slice(bytes), None))),
        Value::Json(text) => {
            #[derive(serde::Deserialize)]
            struct Cell<'a> {
                #[serde(borrow, default)]
                bytes: Option<std::borrow::Cow<'a, str>>,
                #[serde(borrow, default)]
                path: Option<std::borrow::Cow<'a, str>>,
            }
            let cell: Option<Cell<'_>> =
                serde_json::from_str(text).map_err(|e| wrong(format!("the cell has no bytes of an image: {e}")))?;
            let Some(Cell { bytes: Some(bytes), path }) = cell else { return Ok(None) };
            let bytes = BASE64_STANDARD.decode(&*bytes).map_err(|e| wrong(format!("the cell's bytes: {e}")))?;
            Ok((!bytes.is_empty()).then(|| (bytes.into(), path.map(Into::into))))
        }
        _ => Ok(None),
    }
}

fn whole(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Int(n) => Some(*n),
        Value::UInt(n) => i64::try_from(*n).ok(),
        _ => None,
    }
}
