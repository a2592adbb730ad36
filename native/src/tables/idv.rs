//! IDV out: blocks compressed on all cores.

use std::sync::Arc;

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    idv::{self, Block, Packed, Packing},
    table::{Batch, Schema, TableSink, columns_first},
};

use super::{TableCompression, WriteOptions, side_by_side::side_by_side};

/// An IDV file that is being written.
#[derive(Debug)]
pub(super) struct IdvSink {
    options: idv::WriteOptions,
    writer: Option<idv::Writer>,
    workers: usize,
}

impl IdvSink {
    pub fn new(options: &WriteOptions) -> Result<IdvSink> {
        let packing = match options.compression.unwrap_or(TableCompression::Deflate) {
            TableCompression::None => Packing::None,
            TableCompression::Deflate => Packing::Deflate,
            other => {
                let message = format!("IDV is written with none or deflate, and not with {other:?}");
                return Err(Error::new(&ARGUMENT, message));
            }
        };
        let mut own = options.core.idv.clone().with_packing(packing);
        if let Some(level) = options.level {
            own = own.with_level(level);
        }
        if let Some(rows) = options.core.group_rows {
            own = own.with_rows_per_block(u32::try_from(rows).unwrap_or(u32::MAX));
        }
        Ok(IdvSink { options: own, writer: None, workers: options.workers.max(1) })
    }
}

/// What makes blocks side by side.
fn on_threads(workers: usize) -> impl Fn(usize, &Block<'_>) -> Result<Vec<Packed>> {
    move |blocks, block| side_by_side((0..blocks).collect(), workers, |_| 0, block)
}

impl TableSink for IdvSink {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        let writer = idv::Writer::new(schema.clone(), self.options.clone())?;
        self.writer = Some(writer.with_groups_at_once(self.workers));
        Ok(())
    }

    fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        let writer = self.writer.as_mut().ok_or_else(columns_first)?;
        writer.push_with(batch, out, on_threads(self.workers))
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        let writer = self.writer.take().ok_or_else(columns_first)?;
        writer.finish_with(out, on_threads(self.workers)).map(|front| Some(front.to_vec()))
    }
}
