//! A file as one batch.

use std::path::Path;

use forebay::table::{Batch, ColumnBuilder};
use forebay_native::tables::{ReadOptions, open};

pub fn read(path: &Path, options: &ReadOptions) -> Batch {
    let mut source = open(path, options).unwrap();
    let schema = source.schema().clone();
    let mut batches = Vec::new();
    while let Some(batch) = source.next_batch().unwrap() {
        batches.push(batch);
    }
    if batches.is_empty() {
        let columns = schema.fields().iter().map(|f| ColumnBuilder::new(&f.dtype).finish().unwrap());
        return Batch::with_rows(schema.clone(), columns.collect(), 0).unwrap();
    }
    Batch::concat(&batches).unwrap()
}
