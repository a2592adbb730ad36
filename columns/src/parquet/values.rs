//! The values of a run of pages, unpacked together and kept until other rows are wanted.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{Error, Limits, Result, step::Pieces};
use parquet::{
    column::{
        page::{Page, PageMetadata, PageReader},
        reader::ColumnReaderImpl,
    },
    data_type::{ByteArray, ByteArrayType},
    errors::Result as ParquetResult,
    file::metadata::ColumnChunkMetaData,
};

use super::{
    file::ParquetFile,
    open::not_parquet,
    pages::{Chunk, Pages},
    runs::{Run, Runs},
    unpack::page_reader,
};
use crate::{codes, guard::guarded, ranges::Fetched};

/// Rows that are read at a time.
const AT_ONCE: usize = 1024;
/// Memory of a row beside its bytes.
const ROW: u64 = 48;

/// The values of some rows that follow each other.
#[derive(Debug)]
pub(super) struct Values {
    rows: Range<u64>,
    /// Those that are there, in the order of their rows.
    values: Vec<ByteArray>,
    /// Of each row the number of values up to its end.
    ends: Vec<u32>,
    /// Memory that they take.
    memory: u64,
}

impl Values {
    /// The values of a row: none if it is null, several if the column has lists.
    pub fn of(&self, row: u64) -> &[ByteArray] {
        let at = row.checked_sub(self.rows.start).and_then(|at| usize::try_from(at).ok());
        let Some(at) = at else { return &[] };
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.values.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The first value of any row.
    pub fn any(&self) -> Option<&[u8]> {
        self.values.first().map(ByteArray::data)
    }

    /// The first value of a row. It is copied: the pages may be many times as large, and are let go of before it is.
    pub fn first(&self, row: u64) -> Option<Bytes> {
        self.of(row).first().map(|value| Bytes::copy_from_slice(value.data()))
    }

    /// About how many bytes of memory they take.
    pub fn memory(&self) -> u64 {
        self.memory
    }
}

/// Where the pages of a run come from.
pub(super) struct Place<'a> {
    /// The length of the file.
    pub len: u64,
    /// Where `bytes` begin.
    pub start: u64,
    pub bytes: &'a Bytes,
    pub chunk: &'a ColumnChunkMetaData,
    pub chunks: &'a Arc<[Chunk]>,
    pub limits: &'a Limits,
}

impl Place<'_> {
    /// Reads the values of a run.
    pub fn values(&self, runs: &Runs, run: &Run) -> Result<Values> {
        let rows = run.rows.end - run.rows.start;
        self.limits.item(rows.saturating_mul(ROW)).map_err(|e| self.placed(e, run))?;
        let mut pieces = Pieces::default();
        pieces.push(self.start, self.bytes.clone());
        let file = ParquetFile::new(Fetched::new(self.len, &pieces));
        let pages = Arc::new(Pages::of(file, self.chunks.clone(), self.limits));
        let read = || {
            let dictionary = match &runs.dictionary {
                Some(place) if run.by_dictionary => self.pages(&pages, place)?.get_next_page().map_err(not_parquet)?,
                _ => None,
            };
            let rest = self.pages(&pages, &run.bytes)?;
            self.read(Box::new(Behind { dictionary, rest }), run)
        };
        guarded(read).map_err(|e| pages.refused().unwrap_or(e)).map_err(|e| self.placed(e, run))
    }

    fn placed(&self, e: Error, run: &Run) -> Error {
        let e = e.section("page").column(self.chunk.column_path().string());
        e.offset(run.bytes.start)
    }

    /// The pages in a part of the chunk.
    fn pages(&self, pages: &Arc<Pages<Fetched>>, part: &Range<u64>) -> Result<Box<dyn PageReader>> {
        let number = |n: u64| i64::try_from(n).map_err(|_| damaged("a page lies nowhere"));
        let chunk = self.chunk.clone().into_builder();
        let chunk = chunk.set_dictionary_page_offset(None).set_data_page_offset(number(part.start)?);
        let chunk = chunk.set_total_compressed_size(number(part.end - part.start)?).build().map_err(not_parquet)?;
        page_reader(pages.clone(), &chunk, 0).map_err(not_parquet)
    }

    fn read(&self, pages: Box<dyn PageReader>, run: &Run) -> Result<Values> {
        let descriptor = self.chunk.column_descr_ptr();
        let (there, repeated) = (descriptor.max_def_level(), descriptor.max_rep_level() > 0);
        let mut reader = ColumnReaderImpl::<ByteArrayType>::new(descriptor, pages);
        let wrong = || damaged("a page has other rows than are announced");
        let mut left = usize::try_from(run.rows.end - run.rows.start).map_err(|_| wrong())?;
        let (mut defined, mut levels, mut values, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut present = 0_u32;
        while left > 0 {
            defined.clear();
            levels.clear();
            let (rows, _, _) = reader
                .read_records(left.min(AT_ONCE), Some(&mut defined), Some(&mut levels), &mut values)
                .map_err(not_parquet)?;
            if rows == 0 {
                return Err(wrong());
            }
            left = left.checked_sub(rows).ok_or_else(wrong)?;
            // Without levels every row has its value.
            let n = if there > 0 { defined.len() } else { rows };
            for i in 0..n {
                let begins = !repeated || levels.get(i) == Some(&0);
                if begins {
                    ends.push(present);
                }
                present += u32::from(there == 0 || defined.get(i) == Some(&there));
                *ends.last_mut().ok_or_else(wrong)? = present;
            }
        }
        // Pages that go on have rows that the index of pages says are elsewhere.
        let more =
            reader.read_records(1, Some(&mut defined), Some(&mut levels), &mut Vec::new()).map_err(not_parquet)?;
        if more.0 > 0 || ends.len() as u64 != run.rows.end - run.rows.start || present as usize != values.len() {
            return Err(wrong());
        }
        let bytes: u64 = values.iter().map(|value: &ByteArray| value.len() as u64).sum();
        let memory = bytes.saturating_add(ROW.saturating_mul((values.len() + ends.len()) as u64));
        Ok(Values { rows: run.rows.clone(), values, ends, memory })
    }
}

fn damaged(why: &str) -> Error {
    Error::new(&codes::ARROW, why)
}

/// Pages behind their dictionary.
struct Behind {
    dictionary: Option<Page>,
    rest: Box<dyn PageReader>,
}

impl Iterator for Behind {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Behind {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        match self.dictionary.take() {
            Some(page) => Ok(Some(page)),
            None => self.rest.get_next_page(),
        }
    }
    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        match &self.dictionary {
            Some(_) => Ok(Some(PageMetadata { num_rows: None, num_levels: None, is_dict: true })),
            None => self.rest.peek_next_page(),
        }
    }
    fn skip_next_page(&mut self) -> ParquetResult<()> {
        match self.dictionary.take() {
            Some(_) => Ok(()),
            None => self.rest.skip_next_page(),
        }
    }
    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        self.rest.at_record_boundary()
    }
}
