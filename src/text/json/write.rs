//! JSON lines out: one object a row.

use crate::{
    error::Result,
    table::{Batch, JsonStyle, Schema},
};

/// Takes batches, gives bytes to append to the text.
#[derive(Debug)]
pub struct JsonWriter {
    line: String,
}

impl JsonWriter {
    /// Refuses columns of one name: an object has each name once.
    pub fn new(schema: &Schema) -> Result<JsonWriter> {
        schema.one_of_each_name()?;
        Ok(JsonWriter { line: String::new() })
    }

    /// Writes rows.
    pub fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) {
        for row in batch.iter() {
            self.line.clear();
            row.write_json(&mut self.line, JsonStyle::default());
            self.line.push('\n');
            out.extend_from_slice(self.line.as_bytes());
        }
    }
}
