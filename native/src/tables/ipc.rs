//! Arrow IPC in: the file, and the stream, which may be a pipe.

use std::{
    io::{BufReader, Read},
    sync::Arc,
};

use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use forebay::{
    Result,
    step::Turn,
    table::{Batch, Schema, TableRows},
};
use forebay_columns::guard::guarded;
use serde_json::json;

use super::{
    Facts, Foreign, ReadOptions, TableFormat, TableSource,
    arrow::{Changes, Cuts, Unread, read_record_batch},
    ipc_read::{Blocks, Messages, Stream},
};
use crate::input::Input;

/// An Arrow file or stream that is being read.
pub(super) struct IpcSource {
    messages: Messages,
    schema: Arc<Schema>,
    unread: Unread,
    changes: Changes,
    lossy: bool,
    cuts: Cuts,
    /// All columns of the file.
    whole: Arc<Schema>,
    /// Rows that were read and not handed on.
    left: Option<Batch>,
    batch_rows: usize,
}

impl std::fmt::Debug for IpcSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcSource").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl IpcSource {
    pub fn file(input: &Input, options: &ReadOptions) -> Result<IpcSource> {
        let messages = guarded(|| Blocks::open(input, &options.text.limits).map(Messages::File))?;
        Self::new(messages, options)
    }

    pub fn stream(input: impl Read + Send + 'static, options: &ReadOptions) -> Result<IpcSource> {
        let input: Box<dyn Read + Send> = Box::new(BufReader::with_capacity(1 << 18, input));
        let messages = guarded(|| Stream::open(input, &options.text.limits).map(Messages::Stream))?;
        Self::new(messages, options)
    }

    fn new(messages: Messages, options: &ReadOptions) -> Result<IpcSource> {
        let (schema, unread) = Unread::schema(messages.schema(), messages.opaque().clone())?;
        let schema = Arc::new(schema);
        let (whole, cuts) = (schema.clone(), Cuts::default());
        let changes = Changes::new(messages.schema(), &schema);
        let (lossy, batch_rows) = (options.lossy, options.text.batch_rows.max(1));
        Ok(IpcSource { messages, schema, unread, changes, lossy, cuts, whole, left: None, batch_rows })
    }

    /// Arrow's names and types of all columns.
    pub fn arrow_schema(&self) -> &Arc<ArrowSchema> {
        self.messages.schema()
    }
    /// The columns that are not read.
    pub fn unread_columns(&self) -> &Unread {
        &self.unread
    }
    /// The next rows as Arrow's, of the chosen columns.
    pub fn next_record_batch(&mut self) -> Result<Option<RecordBatch>> {
        guarded(|| self.messages.next())
    }
}

impl TableRows for IpcSource {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.schema = self.whole.project(columns)?;
        self.messages.select(columns);
        Ok(())
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        let whole = match self.left.take() {
            Some(left) => left,
            None => {
                self.unread.refuse(self.messages.columns())?;
                let (messages, schema, cuts) = (&mut self.messages, &self.schema, &mut self.cuts);
                let read = || match messages.next()? {
                    Some(batch) => read_record_batch(&batch, schema, self.lossy, cuts).map(Some),
                    None => Ok(None),
                };
                match guarded(read)? {
                    Some(batch) => batch,
                    None => return Ok(Turn::Done),
                }
            }
        };
        if whole.rows() > self.batch_rows {
            self.left = Some(whole.slice(self.batch_rows, whole.rows() - self.batch_rows));
        }
        Ok(Turn::Item(whole.slice(0, self.batch_rows)))
    }

    fn notes(&mut self) -> Vec<String> {
        let mut said = self.changes.notes(&self.schema);
        said.extend(self.cuts.notes());
        said.append(&mut self.arrow_notes());
        said
    }
}

impl TableSource for IpcSource {
    fn format(&self) -> TableFormat {
        match self.messages {
            Messages::File(_) => TableFormat::Arrow,
            Messages::Stream(_) => TableFormat::Arrows,
        }
    }
    fn unread(&self) -> &[(usize, String)] {
        self.unread.columns()
    }
    fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        if let Messages::File(file) = &self.messages {
            facts.more.insert("groups".into(), json!(file.len()));
        }
        facts
    }
    fn foreign(&self) -> Vec<Foreign> {
        self.changes.foreign(&self.schema)
    }
    fn arrow_notes(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        if let Messages::Stream(stream) = &self.messages {
            said.extend(stream.odd_end.map(str::to_owned));
        }
        said
    }
}
