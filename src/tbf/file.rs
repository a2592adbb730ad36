//! An opened file of any layout.

use std::fmt;

use super::{ColumnsFile, Document, Stored, TaggedTable, codes};
use crate::{
    error::{Error, Result},
    table::{MemoryTable, TableFile},
};

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

impl crate::words::Word for Dialect {
    /// Those that are written; others are only read.
    const ALL: &'static [Self] = &[Dialect::D, Dialect::T, Dialect::C];

    fn word(self) -> &'static str {
        match self {
            Dialect::T => "t",
            Dialect::U => "u",
            Dialect::C => "c",
            Dialect::S => "s",
            Dialect::L => "l",
            Dialect::D => "d",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// An open file.
#[derive(Debug)]
pub struct File {
    pub(super) dialect: Dialect,
    pub(super) content: Content,
    pub(super) encodings: Vec<Stored>,
}

#[derive(Debug)]
pub(super) enum Content {
    Columns(ColumnsFile),
    Tagged(Box<TaggedTable>),
    /// A tagged document that is not a table, and why.
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
    /// The footer and what can be done with it, if there is one.
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
    /// True if the tagged file is a list of objects with the same keys in the same order, so that nothing
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
