//! The formats that are written, behind one face: batches in, bytes to append out.

use std::{collections::HashMap, sync::Arc};

use super::Target;
use crate::{
    error::{Error, Result, codes::ARGUMENT},
    idv,
    table::{Batch, ColumnSpec, Schema, TableSink, TableSpec, columns_first},
    tbf::{self, ColumnarWriter, Dialect, FieldEncoding, TableSchema, TaggedWriter},
    text::{CsvStyle, CsvWriter, JsonWriter, TextFormat},
};

/// TBF: memory of the rows that wait for their group. Half as much again goes into the encoded bytes.
const GROUP_BYTES: usize = 32 << 20;
/// Rows of text that are made at a time.
const TEXT_ROWS: usize = 4096;

/// How to write.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The format.
    pub target: Target,
    /// Whether values that the format cannot hold are changed and reported, instead of refused.
    pub lossy: bool,
    /// Rows of a row group (TBF); by default the format's usual number.
    pub group_rows: Option<usize>,
    /// How columns are stored, for formats that let one choose.
    pub spec: Option<TableSpec>,
    /// The style of a CSV.
    pub csv: CsvStyle,
    /// How blocks of an IDV are made.
    pub idv: idv::WriteOptions,
}

impl WriteOptions {
    /// The defaults of a format.
    pub fn new(target: Target) -> WriteOptions {
        let format = if target == Target::Text(TextFormat::Tsv) { TextFormat::Tsv } else { TextFormat::Csv };
        let (csv, idv) = (CsvStyle::new(format), idv::WriteOptions::default());
        WriteOptions { target, lossy: false, group_rows: None, spec: None, csv, idv }
    }
}

/// A table that is being written.
#[derive(Debug)]
pub struct TableWriter {
    options: WriteOptions,
    /// Once the columns are known.
    writer: Option<Writer>,
}

#[derive(Debug)]
enum Writer {
    Csv(CsvWriter),
    Json(JsonWriter),
    D(Box<tbf::Writer>),
    /// One dictionary stands in front of everything, so the file is made at the end.
    T(Box<TaggedWriter>),
    C(Box<ColumnarWriter>),
    Idv(Box<idv::Writer>),
}

impl TableWriter {
    /// A table that will be written like this.
    pub fn new(options: WriteOptions) -> TableWriter {
        TableWriter { options, writer: None }
    }
}

impl Writer {
    fn new(schema: &Arc<Schema>, options: &WriteOptions, out: &mut Vec<u8>) -> Result<Writer> {
        Ok(match options.target {
            Target::Text(TextFormat::Jsonl) => Writer::Json(JsonWriter::new(schema)?),
            Target::Text(_) => {
                options.csv.check()?;
                Writer::Csv(CsvWriter::new(schema, options.csv.clone(), out))
            }
            Target::Tbf(Dialect::D) => {
                let mut own = tbf::WriteOptions::default().with_group_bytes(GROUP_BYTES);
                if let Some(rows) = options.group_rows {
                    own = own.with_group_rows(rows);
                }
                Writer::D(Box::new(tbf::Writer::new(encoded(schema, options.spec.as_ref())?, own)?))
            }
            Target::Tbf(Dialect::T) => Writer::T(Box::default()),
            Target::Tbf(Dialect::C) => Writer::C(Box::new(ColumnarWriter::new(schema.clone())?)),
            Target::Tbf(other) => {
                return Err(Error::new(&ARGUMENT, format!("the layout {other} is read and not written")));
            }
            Target::Idv => Writer::Idv(Box::new(idv::Writer::new(schema.clone(), options.idv.clone())?)),
            Target::Arrow => return Err(Error::new(&ARGUMENT, "the core does not write Arrow")),
        })
    }
}

impl TableSink for TableWriter {
    fn begin(&mut self, schema: &Arc<Schema>, out: &mut Vec<u8>) -> Result<()> {
        self.writer = Some(Writer::new(schema, &self.options, out)?);
        Ok(())
    }

    /// Text is far larger than what it is made of, and every other format gathers by itself.
    fn rows_at_once(&self) -> usize {
        if let Target::Text(_) = self.options.target { TEXT_ROWS } else { usize::MAX }
    }

    fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        match self.writer.as_mut().ok_or_else(columns_first)? {
            Writer::Csv(writer) => writer.push(batch, out),
            Writer::Json(writer) => {
                writer.push(batch, out);
                Ok(())
            }
            Writer::D(writer) => writer.push(batch, out),
            Writer::T(writer) => writer.push(batch),
            Writer::C(writer) => writer.push(batch),
            Writer::Idv(writer) => writer.push(batch, out),
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        match self.writer.take().ok_or_else(columns_first)? {
            Writer::Csv(_) | Writer::Json(_) => {}
            Writer::D(writer) => writer.finish(out)?,
            Writer::T(writer) => writer.finish(out),
            Writer::C(writer) => writer.finish(out)?,
            Writer::Idv(writer) => return writer.finish(out).map(|front| Some(front.to_vec())),
        }
        Ok(None)
    }
}

/// The columns with the encodings that the user gave by name.
fn encoded(schema: &Arc<Schema>, spec: Option<&TableSpec>) -> Result<TableSchema> {
    let mut builder = TableSchema::builder();
    // Of columns of one name the last stays.
    let given = spec.into_iter().flat_map(|spec| &spec.columns).map(|column| (column.name.as_str(), column));
    let given: HashMap<&str, &ColumnSpec> = given.collect();
    for field in schema.fields() {
        let given = given.get(field.name.as_str());
        let encoding = match given.and_then(|c| Some((c.encoding.as_deref()?, c.offset))) {
            Some((name, offset)) => FieldEncoding::from_name(name, offset).ok_or_else(|| {
                Error::new(&ARGUMENT, format!("there is no encoding {name:?} with this offset")).column(&field.name)
            })?,
            None => FieldEncoding::Auto,
        };
        builder = builder.field(field.clone(), encoding);
    }
    builder.build()
}
