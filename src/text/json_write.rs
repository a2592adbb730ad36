//! JSON lines out: one object a row.

use crate::{
    error::{Error, Result},
    table::{Batch, JsonStyle, Schema},
    tables::codes,
};

/// Takes batches, gives bytes to append to the text.
#[derive(Debug)]
pub struct JsonWriter {
    line: String,
}

impl JsonWriter {
    /// Refuses columns of one name: an object has each name once.
    pub fn new(schema: &Schema) -> Result<JsonWriter> {
        let mut seen = std::collections::HashSet::new();
        match schema.fields().iter().find(|f| !seen.insert(&f.name)) {
            Some(field) => {
                let message = "an object has each name once; choose among the columns";
                Err(Error::new(&codes::TARGET, message).column(&field.name).with_options(&["columns"]))
            }
            None => Ok(JsonWriter { line: String::new() }),
        }
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
