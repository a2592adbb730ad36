//! One error for the whole project.
//!
//! An [`Error`] says *what* is wrong (a [`Code`], stable, also the JavaScript `error.code`), *whose fault* it
//! is ([`Kind`]) and *where*: file, section, sample or row and column, byte offset.
//!
//! ```
//! # use forebay_base as forebay;
//! use forebay::error::{Code, Error, Kind};
//! const SIZE: Code = Code::damaged("demo.size", "A size points past the end of the file.");
//! let e = Error::new(&SIZE, "200 bytes announced, 12 left").section("index").sample(3).offset(64).file("a.tbl");
//! assert_eq!(e.kind(), Kind::Damaged);
//! assert_eq!(e.to_string(), "a.tbl: index, sample 3, byte 64: 200 bytes announced, 12 left [demo.size]");
//! ```

use std::fmt;

/// The result of every fallible function of the project.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The bytes of the file contradict its format.
    Damaged,
    /// The file may be fine, but Forebay does not read or write this.
    Unsupported,
    /// The caller asked for something invalid.
    Usage,
    /// The file asks for more memory or nesting than [`Limits`](crate::Limits) allow.
    Limit,
    /// The operating system or the network failed.
    Io,
}

impl Kind {
    /// The word for this kind in `docs/errors.md`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Damaged => "damaged",
            Kind::Unsupported => "unsupported",
            Kind::Usage => "usage",
            Kind::Limit => "limit",
            Kind::Io => "io",
        }
    }
}

/// A stable name for one thing that can be wrong. Each module lists its own in a `codes` module; all of
/// them together are `forebay::catalog::codes`.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    id: &'static str,
    kind: Kind,
    meaning: &'static str,
}

impl Code {
    /// A code of the given kind; prefer the named constructors.
    pub const fn new(id: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Code { id, kind, meaning }
    }
    /// The bytes of the file contradict its format.
    #[doc(hidden)]
    pub const fn damaged(id: &'static str, meaning: &'static str) -> Self {
        Self::new(id, Kind::Damaged, meaning)
    }
    /// Forebay does not do this.
    #[doc(hidden)]
    pub const fn unsupported(id: &'static str, meaning: &'static str) -> Self {
        Self::new(id, Kind::Unsupported, meaning)
    }
    /// The caller's mistake.
    #[doc(hidden)]
    pub const fn usage(id: &'static str, meaning: &'static str) -> Self {
        Self::new(id, Kind::Usage, meaning)
    }
    /// More than the limits allow.
    #[doc(hidden)]
    pub const fn limit(id: &'static str, meaning: &'static str) -> Self {
        Self::new(id, Kind::Limit, meaning)
    }
    /// The system's failure.
    #[doc(hidden)]
    pub const fn io(id: &'static str, meaning: &'static str) -> Self {
        Self::new(id, Kind::Io, meaning)
    }
    /// The stable name, such as `tbl.payload_crc`.
    pub const fn id(&self) -> &'static str {
        self.id
    }
    /// Whose fault it is.
    pub const fn kind(&self) -> Kind {
        self.kind
    }
    /// One sentence for the table of errors.
    pub const fn meaning(&self) -> &'static str {
        self.meaning
    }
}

/// Where in a dataset an error lies; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The file's name as the user gave it.
    pub file: Option<String>,
    /// The part of the file: `header`, `index`, `payload`, `metadata`...
    pub section: Option<&'static str>,
    /// The member's name, in an archive.
    pub member: Option<String>,
    /// The sample's number.
    pub sample: Option<u64>,
    /// The column's name, in a table.
    pub column: Option<String>,
    /// The row's number, in a table; in a check's faults the first of a block that is damaged.
    pub row: Option<u64>,
    /// The block or row group, in a table.
    pub block: Option<u64>,
    /// The line, from 1, in a text that people write.
    pub line: Option<u64>,
    /// The character in that line, from 1.
    pub character: Option<u64>,
    /// The way from a document's outermost value to the one that is meant, such as `annotations[1].bbox`.
    pub path: Option<String>,
    /// The byte offset from the start of the file.
    pub offset: Option<u64>,
}

#[derive(Debug)]
struct Inner {
    code: &'static Code,
    message: String,
    place: Place,
    options: &'static [&'static str],
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// An error: its code, kind and place. One pointer wide.
#[derive(Debug)]
pub struct Error(Box<Inner>);

impl Error {
    /// An error without a place yet.
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Error(Box::new(Inner { code, message: message.into(), place: Place::default(), options: &[], source: None }))
    }

    /// An error that another one caused.
    #[doc(hidden)]
    pub fn caused(
        code: &'static Code,
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let mut e = Error::new(code, message);
        e.0.source = Some(source.into());
        e
    }

    /// The stable code.
    pub fn code(&self) -> &'static Code {
        self.0.code
    }
    /// Whose fault it is.
    pub fn kind(&self) -> Kind {
        self.0.code.kind
    }
    /// The message without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// Everything known about where.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The options that let what failed go on, by their names in Rust, such as `lossy`. A host that calls them
    /// otherwise says so in its own words; the message names none.
    #[doc(hidden)]
    pub fn options(&self) -> &'static [&'static str] {
        self.0.options
    }

    /// Names the options that let it go on. The first names given stay.
    #[must_use]
    #[doc(hidden)]
    pub fn with_options(mut self, names: &'static [&'static str]) -> Self {
        if self.0.options.is_empty() {
            self.0.options = names;
        }
        self
    }

    /// Adds to the message: what its cause did not know and the reader can do.
    #[must_use]
    #[doc(hidden)]
    pub fn more(mut self, words: &str) -> Self {
        self.0.message = format!("{}; {words}", self.0.message);
        self
    }

    /// Names the file. The first name given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.0.place.file.get_or_insert_with(|| name.into());
        self
    }
    /// Names the file anew, as the host knows it.
    #[must_use]
    #[doc(hidden)]
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.0.place.file = Some(name.into());
        self
    }
    /// Names the part of the file. The first name given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn section(mut self, name: &'static str) -> Self {
        self.0.place.section.get_or_insert(name);
        self
    }
    /// Names the archive's member. The first name given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn member(mut self, name: impl Into<String>) -> Self {
        self.0.place.member.get_or_insert_with(|| name.into());
        self
    }
    /// Names the sample. The first number given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn sample(mut self, i: u64) -> Self {
        self.0.place.sample.get_or_insert(i);
        self
    }
    /// Names the column. The first name given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn column(mut self, name: impl Into<String>) -> Self {
        self.0.place.column.get_or_insert_with(|| name.into());
        self
    }
    /// Names the row. The first number given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn row(mut self, i: u64) -> Self {
        self.0.place.row.get_or_insert(i);
        self
    }
    /// Counts the row, if one is named, from the file's first: until here it was counted from row `first`.
    #[doc(hidden)]
    #[must_use]
    pub fn row_after(mut self, first: u64) -> Self {
        let row = &mut self.0.place.row;
        *row = row.map(|i| i.saturating_add(first));
        self
    }
    /// Names the block or row group. The first number given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn block(mut self, i: u64) -> Self {
        self.0.place.block.get_or_insert(i);
        self
    }
    /// Names the line and the character in it, both from 1; a character of 0 is not known. The first given stay.
    #[must_use]
    pub fn line(mut self, line: u64, character: u64) -> Self {
        if self.0.place.line.is_none() {
            self.0.place.line = Some(line);
            self.0.place.character = Some(character).filter(|n| *n > 0);
        }
        self
    }
    /// Names the way to the value. The first given stays.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.0.place.path.get_or_insert_with(|| path.into());
        self
    }
    /// Names the byte. The first offset given stays.
    #[must_use]
    #[doc(hidden)]
    pub fn offset(mut self, at: u64) -> Self {
        self.0.place.offset.get_or_insert(at);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.0.place;
        if let Some(file) = &p.file {
            write!(f, "{file}: ")?;
        }
        let mut places = Vec::new();
        places.extend(p.section.map(str::to_owned));
        places.extend(p.member.as_ref().map(|m| format!("member {m:?}")));
        places.extend(p.sample.map(|i| format!("sample {i}")));
        places.extend(p.column.as_ref().map(|c| format!("column {c:?}")));
        places.extend(p.block.map(|i| format!("block {i}")));
        places.extend(p.row.map(|i| format!("row {i}")));
        places.extend(p.line.map(|n| format!("line {n}")));
        places.extend(p.character.map(|n| format!("character {n}")));
        places.extend(p.path.clone());
        // Filters are text that somebody wrote.
        let unit = if p.section == Some("filter") { "character" } else { "byte" };
        places.extend(p.offset.map(|at| format!("{unit} {at}")));
        if !places.is_empty() {
            write!(f, "{}: ", places.join(", "))?;
        }
        write!(f, "{} [{}]", self.0.message, self.0.code.id)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|e| e as _)
    }
}

/// The codes that belong to no single format.
#[doc(hidden)]
pub mod codes {
    use super::Code;
    /// Reading, writing or the network failed.
    pub const IO: Code = Code::io("io", "The system refused to read or write; the message has its words.");
    /// The format is not one that Forebay knows.
    pub const UNKNOWN_FORMAT: Code =
        Code::unsupported("format.unknown", "The first bytes belong to no format that Forebay reads.");
    /// Another kind of file was expected.
    pub const NOT_SAMPLES: Code = Code::unsupported(
        "format.not_samples",
        "The file is known, but it holds no samples; another command or function reads it.",
    );
    /// The file has no bytes at all.
    pub const EMPTY: Code = Code::damaged("format.empty", "The file has no bytes, so it is not a dataset.");
    /// A sample or row number past the end.
    pub const OUT_OF_RANGE: Code = Code::usage("usage.out_of_range", "There is no sample or row of that number.");
    /// An argument is invalid.
    pub const ARGUMENT: Code = Code::usage("usage.argument", "An argument or option is invalid; the message says why.");
    /// The host has not delivered the bytes that were planned.
    pub const MISSING_BYTES: Code =
        Code::usage("usage.missing_bytes", "The caller decoded before it delivered the bytes that were planned.");
    /// Worth knowing, and no fault.
    pub const NOTE: Code =
        Code::usage("note", "Something worth knowing that is not a fault; it appears among the notes of a check.");
    /// Every code of this module.
    pub const ALL: &[&Code] =
        &[&NOTE, &IO, &UNKNOWN_FORMAT, &NOT_SAMPLES, &EMPTY, &OUT_OF_RANGE, &ARGUMENT, &MISSING_BYTES];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_given_stays() {
        let e = Error::new(&codes::IO, "x").sample(3).sample(9).offset(1).offset(2);
        assert_eq!((e.place().sample, e.place().offset), (Some(3), Some(1)));
    }
}
