//! Opening a file of any layout.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    CallerSchema, Dialect, Document, File, TaggedTable, codes, columnar,
    columns::{self, ColumnsFile, Found},
    file::Content,
    positional,
    raw::{MAGIC_COLUMNAR, MAGIC_SCHEMA, MAGIC_TBF, MAGIC_ULTRA},
    tagged, ultra, untagged,
};
use crate::{
    error::{Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper, drive},
    table::{Batch, MemoryTable, Schema},
};

/// The layout, by the first bytes. T and U look the same and are both called T; U must be asked for.
pub fn detect(first: &[u8]) -> Option<Dialect> {
    let magic = first.first_chunk::<4>()?;
    Some(match *magic {
        MAGIC_COLUMNAR => Dialect::C,
        MAGIC_SCHEMA => Dialect::S,
        MAGIC_ULTRA => Dialect::L,
        MAGIC_TBF if tagged::has_header(first) => Dialect::T,
        MAGIC_TBF => Dialect::D,
        _ => return None,
    })
}

/// Opens a file in steps.
///
/// A file of layout D with a footer costs one read of its end; a second where the footer is larger than
/// 64 KiB. All other layouts have no index and are read as a whole.
///
/// ```
/// use forebay::{step::drive, tbf};
/// let file = bytes::Bytes::from_static(b"TBF\x01\x01\x02\0\0\x01\x02id\x06\x01\x07\x01\x04\0\x13\x05");
/// let opened = drive(tbf::Opener::new(file.len() as u64), &file)?;
/// assert_eq!(opened.dialect(), tbf::Dialect::T);
/// assert_eq!(opened.document().unwrap().to_json()?, r#"[{"id":5}]"#);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct Opener {
    len: u64,
    limits: Limits,
    schema: Option<CallerSchema>,
    pieces: Pieces,
}

impl Opener {
    /// A file of this many bytes.
    pub fn new(file_len: u64) -> Self {
        Opener { len: file_len, limits: Limits::default(), schema: None, pieces: Pieces::default() }
    }
    /// Sets the bounds.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Says what the file holds, for the layouts that do not (U and S).
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<Option<CallerSchema>>) -> Self {
        self.schema = schema.into();
        self
    }

    fn whole(&self, file: &Bytes) -> Result<File> {
        let Some(dialect) = detect(file) else {
            return Err(Error::new(&codes::MAGIC, "the first bytes are those of no TBF layout").offset(0));
        };
        let memory = |batches: Vec<Batch>| -> Result<Content> {
            let schema = batches.first().map_or_else(|| Arc::new(Schema::default()), |b| b.schema().clone());
            Ok(Content::Memory(MemoryTable::new(schema, batches)?))
        };
        let tagged = |document: Document| match TaggedTable::new(document.clone(), &self.limits) {
            Ok(table) => Ok(Content::Tagged(Box::new(table))),
            Err(e) if e.code() == &codes::NOT_A_TABLE => Ok(Content::Document(document, e.message().to_owned())),
            Err(e) => Err(e),
        };
        let mut encodings = vec![];
        let (dialect, content) = match (dialect, &self.schema) {
            (Dialect::T, Some(CallerSchema::U(layout))) => {
                (Dialect::U, tagged(untagged::read(file, layout, &self.limits)?)?)
            }
            (Dialect::T, _) => (Dialect::T, tagged(Document::read(file, &self.limits)?)?),
            (Dialect::S, Some(CallerSchema::S(columns))) => {
                (Dialect::S, memory(positional::read(file, columns, &self.limits)?)?)
            }
            (Dialect::S | Dialect::U, _) => {
                let message = "this layout stores neither names nor types; say with a schema what the columns are";
                return Err(Error::new(&codes::SCHEMA_NEEDED, message));
            }
            (Dialect::C, _) => (Dialect::C, memory(vec![columnar::read(file, &self.limits)?])?),
            (Dialect::L, _) => (Dialect::L, memory(vec![ultra::read(file, &self.limits)?])?),
            (Dialect::D, _) => {
                let (batches, stored) = columns::read_plain(file, &self.limits)?;
                encodings = stored;
                (Dialect::D, memory(batches)?)
            }
        };
        Ok(File { dialect, content, encodings })
    }
}

impl Stepper for Opener {
    type Output = File;

    fn step(&mut self) -> Result<Step<File>> {
        if self.len == 0 {
            return Err(Error::new(&crate::error::codes::EMPTY, "the file has no bytes"));
        }
        match columns::find_footer(&self.pieces, self.len, &self.limits)? {
            Found::Lacking(range) => Ok(Step::Need(self.pieces.lacking(range))),
            Found::Footer(footer, end) => {
                let encodings = footer.groups.first().map(|g| g.columns.iter().map(|c| c.encoding).collect());
                let content = Content::Columns(ColumnsFile::new(*footer, end, self.limits.clone())?);
                Ok(Step::Done(File { dialect: Dialect::D, content, encodings: encodings.unwrap_or_default() }))
            }
            Found::None => match self.pieces.get(0..self.len) {
                Some(file) => Ok(Step::Done(self.whole(&file)?)),
                None => {
                    // Before a large file is fetched, its first bytes must be worth it.
                    let first = 0..self.len.min(8);
                    match self.pieces.get(first.clone()) {
                        Some(bytes) if detect(&bytes).is_none() => self.whole(&bytes).map(Step::Done),
                        Some(_) => Ok(Step::Need(self.pieces.lacking(0..self.len))),
                        None => Ok(Step::Need(self.pieces.lacking(first))),
                    }
                }
            },
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}

/// A file that is wholly in memory, read at once.
pub fn read(file: &Bytes, limits: &Limits) -> Result<Batch> {
    let opened = drive(Opener::new(file.len() as u64).with_limits(limits.clone()), file)?;
    let table = opened.table()?;
    let mut pieces = Pieces::default();
    pieces.push(0, file.clone());
    let all: Vec<usize> = (0..table.schema().len()).collect();
    let batches = (0..table.groups()).map(|g| table.decode(g, &all, &pieces)).collect::<Result<Vec<_>>>()?;
    Batch::concat(&batches)
}
