//! Opening a file of any layout.

use std::{fmt, sync::Arc};

use bytes::Bytes;

use super::{
    ColumnsFile, Document, TaggedTable, codes, columnar,
    columns::{
        Stored,
        footer::{self, Footer},
        plain,
    },
    raw::{MAGIC_COLUMNAR, MAGIC_SCHEMA, MAGIC_TBF, MAGIC_ULTRA},
    tagged, ultra,
};
use crate::{
    error::{Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
    table::{MemoryTable, Schema, TableFile},
};

/// What is read of the end of a file at once: enough for the footer of most files.
const TAIL: u64 = 64 << 10;

/// The six layouts that go by the name TBF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[allow(missing_docs)]
pub enum Dialect {
    /// Tagged values.
    T,
    /// Untagged values, which only their Rust type explains.
    U,
    /// Named columns.
    C,
    /// Columns without names and types.
    S,
    /// Typed columns without names.
    L,
    /// The documented columns, with or without Forebay's footer.
    D,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

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

/// An open file.
#[derive(Debug)]
pub struct File {
    dialect: Dialect,
    content: Content,
    encodings: Vec<Stored>,
}

#[derive(Debug)]
enum Content {
    Columns(ColumnsFile),
    Tagged(Box<TaggedTable>),
    /// A tagged document that is no table, and why.
    Document(Document, String),
    Memory(MemoryTable),
}

impl File {
    /// Which layout the file has.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
    /// The rows and columns; an error for a tagged document that has none.
    pub fn table(&self) -> Result<&dyn TableFile> {
        match &self.content {
            Content::Columns(f) => Ok(f),
            Content::Tagged(t) => Ok(&**t),
            Content::Memory(t) => Ok(t),
            Content::Document(_, why) => Err(Error::new(&codes::NOT_A_TABLE, why.clone())),
        }
    }
    /// The footer and what can be done with it, where there is one.
    pub fn columns(&self) -> Option<&ColumnsFile> {
        match &self.content {
            Content::Columns(f) => Some(f),
            _ => None,
        }
    }
    /// The document of a tagged file.
    pub fn document(&self) -> Option<&Document> {
        match &self.content {
            Content::Tagged(t) => Some(t.document()),
            Content::Document(d, _) => Some(d),
            _ => None,
        }
    }
    /// True where the tagged file is a list of objects with the same keys in the same order, so that nothing
    /// is lost by seeing it as a table.
    pub fn is_uniform(&self) -> bool {
        match &self.content {
            Content::Tagged(t) => t.is_uniform(),
            Content::Document(..) => false,
            _ => true,
        }
    }
    /// How each column of a file of layout D is stored (in its first group).
    pub fn encodings(&self) -> &[Stored] {
        &self.encodings
    }
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
    schema: Option<super::CallerSchema>,
    pieces: Pieces,
}

impl Opener {
    /// A file of so many bytes.
    pub fn new(file_len: u64) -> Self {
        Opener { len: file_len, limits: Limits::default(), schema: None, pieces: Pieces::default() }
    }
    /// Sets the bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Says what the file holds, for the layouts that do not (U and S).
    #[must_use]
    pub fn schema(mut self, schema: super::CallerSchema) -> Self {
        self.schema = Some(schema);
        self
    }

    fn footer(&self) -> Result<Found> {
        let tail = self.len.saturating_sub(TAIL)..self.len;
        let Some(last) = self.pieces.get(tail.clone()) else { return Ok(Found::Lacking(tail)) };
        let Some((body, crc)) = footer::trailer(&last, self.len)? else { return Ok(Found::None) };
        self.limits.metadata(body.end - body.start)?;
        match self.pieces.get(body.clone()) {
            Some(bytes) => Ok(Found::Footer(Box::new(Footer::parse(&bytes, crc, body.start)?), body.start)),
            None => Ok(Found::Lacking(body)),
        }
    }

    fn whole(&self, file: &Bytes) -> Result<File> {
        let Some(dialect) = detect(file) else {
            return Err(Error::new(&codes::MAGIC, "the first bytes are those of no TBF layout").offset(0));
        };
        let memory = |batches: Vec<crate::table::Batch>| -> Result<Content> {
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
            (Dialect::T, Some(super::CallerSchema::U(layout))) => {
                (Dialect::U, tagged(super::untagged::read(file, layout, &self.limits)?)?)
            }
            (Dialect::T, _) => (Dialect::T, tagged(Document::read(file, &self.limits)?)?),
            (Dialect::S, Some(super::CallerSchema::S(columns))) => {
                (Dialect::S, memory(super::positional::read(file, columns, &self.limits)?)?)
            }
            (Dialect::S | Dialect::U, _) => {
                let message = "this layout stores neither names nor types; say with a schema what the columns are";
                return Err(Error::new(&codes::SCHEMA_NEEDED, message));
            }
            (Dialect::C, _) => (Dialect::C, memory(vec![columnar::read(file, &self.limits)?])?),
            (Dialect::L, _) => (Dialect::L, memory(vec![ultra::read(file, &self.limits)?])?),
            (Dialect::D, _) => {
                let (batches, stored) = plain::read(file, &self.limits)?;
                encodings = stored;
                (Dialect::D, memory(batches)?)
            }
        };
        Ok(File { dialect, content, encodings })
    }
}

enum Found {
    Footer(Box<Footer>, u64),
    None,
    Lacking(std::ops::Range<u64>),
}

impl Stepper for Opener {
    type Output = File;

    fn step(&mut self) -> Result<Step<File>> {
        if self.len == 0 {
            return Err(Error::new(&crate::error::codes::EMPTY, "the file has no bytes"));
        }
        match self.footer()? {
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
