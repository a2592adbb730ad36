//! The first rows of very many columns. A column that is being read takes memory of its own, so that the columns are
//! read one part after the other.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader as _};
use arrow_schema::Schema as ArrowSchema;
use arrow_select::concat::concat_batches;
use forebay::Result;
use forebay_columns::guard::guarded;

use super::{
    super::{arrow::not_arrow, check::TOGETHER},
    BATCH_CELLS, ParquetSource,
};

impl ParquetSource {
    /// How many rows are wanted, if that is few, of very many columns.
    pub(super) fn few_rows(&self) -> Option<usize> {
        let columns = self.columns.as_ref().map_or(self.whole.len(), Vec::len);
        let few = |rows: &usize| columns > TOGETHER && rows.saturating_mul(columns) <= BATCH_CELLS;
        self.options.first_rows.filter(few).filter(|_| self.filter.is_none())
    }

    /// The first rows; each column once, in the file's order.
    pub(super) fn first_rows(&self, rows: usize) -> Result<Option<RecordBatch>> {
        let mut wanted = match &self.columns {
            Some(columns) => columns.clone(),
            None => (0..self.whole.len()).collect(),
        };
        wanted.sort_unstable();
        wanted.dedup();
        let (mut fields, mut columns, mut found) = (Vec::new(), Vec::new(), 0);
        for part in wanted.chunks(TOGETHER) {
            let reader = self.reader(Some(part), Some(rows))?;
            let schema = reader.schema();
            let batch = guarded(|| {
                let batches = reader.collect::<Result<Vec<_>, _>>().map_err(not_arrow)?;
                concat_batches(&schema, &batches).map_err(not_arrow)
            });
            let batch = batch.map_err(|e| self.pages.refused().unwrap_or(e))?;
            found = batch.num_rows();
            fields.extend(schema.fields().iter().cloned());
            columns.extend(batch.columns().iter().cloned());
        }
        let options = RecordBatchOptions::new().with_row_count(Some(found));
        let batch = RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(fields)), columns, &options);
        batch.map(|batch| Some(batch).filter(|batch| batch.num_rows() > 0)).map_err(not_arrow)
    }
}
