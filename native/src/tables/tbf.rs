//! TBF out: layout D group by group, T and C as a whole.

use std::sync::Arc;

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    table::{Batch, Schema},
    tbf::{self, ColumnarWriter, Dialect, FieldEncoding, TableSchema, TaggedWriter, Writer},
};

use super::{FileWriter, TableSink, TableSpec, WriteOptions};

/// Memory of the rows that wait for their group. Half as much again goes into the encoded bytes.
const GROUP_BYTES: usize = 32 << 20;

/// A TBF that is being written.
#[derive(Debug)]
pub(super) struct TbfSink {
    out: FileWriter,
    options: WriteOptions,
    writer: Option<Layout>,
    /// Bytes on their way to the file.
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Layout {
    D(Box<Writer>),
    /// One dictionary stands in front of everything, so the file is made at the end.
    T(Box<TaggedWriter>),
    C(Box<ColumnarWriter>),
}

impl TbfSink {
    pub fn new(out: FileWriter, options: &WriteOptions) -> TbfSink {
        TbfSink { out, options: options.clone(), writer: None, buffer: Vec::new() }
    }
}

/// The columns with the encodings that the user gave by name.
fn encoded(schema: &Arc<Schema>, spec: Option<&TableSpec>) -> Result<TableSchema> {
    let mut builder = TableSchema::builder();
    for field in schema.fields() {
        let given = spec.and_then(|s| s.columns.iter().rev().find(|c| c.name == field.name));
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

impl TableSink for TbfSink {
    fn begin(&mut self, schema: &Arc<Schema>) -> Result<()> {
        self.writer = Some(match self.options.dialect {
            Dialect::D => {
                let mut own = tbf::WriteOptions::default().with_group_bytes(GROUP_BYTES);
                if let Some(rows) = self.options.group_rows {
                    own = own.with_group_rows(rows);
                }
                Layout::D(Box::new(Writer::new(encoded(schema, self.options.spec.as_ref())?, own)?))
            }
            Dialect::T => Layout::T(Box::default()),
            Dialect::C => Layout::C(Box::new(ColumnarWriter::new(schema.clone())?)),
            other => return Err(Error::new(&ARGUMENT, format!("the layout {other} is read and not written"))),
        });
        Ok(())
    }

    fn write(&mut self, batch: &Batch) -> Result<()> {
        match &mut self.writer {
            Some(Layout::D(writer)) => {
                writer.push(batch, &mut self.buffer)?;
                self.out.append(&self.buffer)?;
                self.buffer.clear();
                Ok(())
            }
            Some(Layout::T(writer)) => writer.push(batch),
            Some(Layout::C(writer)) => writer.push(batch),
            None => Err(Error::new(&ARGUMENT, "the schema comes before the rows")),
        }
    }

    fn finish(mut self: Box<Self>) -> Result<FileWriter> {
        match self.writer.take() {
            Some(Layout::D(writer)) => writer.finish(&mut self.buffer)?,
            Some(Layout::T(writer)) => self.buffer = writer.finish(),
            Some(Layout::C(writer)) => self.buffer = writer.finish()?,
            None => return Err(Error::new(&ARGUMENT, "the schema comes before the rows")),
        }
        self.out.append(&self.buffer)?;
        Ok(self.out)
    }
}
