//! JSON lines out: one object a row.

use std::sync::Arc;

use forebay::{
    Error, Result,
    table::{Batch, JsonStyle, Schema},
};

use super::{FileWriter, TableSink, codes};

/// JSON lines that are being written.
#[derive(Debug)]
pub(super) struct JsonSink {
    out: FileWriter,
    line: String,
}

impl JsonSink {
    pub fn new(out: FileWriter) -> JsonSink {
        JsonSink { out, line: String::new() }
    }
}

impl TableSink for JsonSink {
    fn begin(&mut self, schema: &Arc<Schema>) -> Result<()> {
        let mut seen = std::collections::HashSet::new();
        match schema.fields().iter().find(|f| !seen.insert(&f.name)) {
            Some(field) => {
                let message = "an object has each name once; choose columns with --columns";
                Err(Error::new(&codes::TARGET, message).column(&field.name))
            }
            None => Ok(()),
        }
    }

    fn write(&mut self, batch: &Batch) -> Result<()> {
        for row in batch.iter() {
            self.line.clear();
            row.write_json(&mut self.line, JsonStyle::default());
            self.line.push('\n');
            self.out.append(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<FileWriter> {
        Ok(self.out)
    }
}
