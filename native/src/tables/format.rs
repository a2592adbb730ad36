//! Which table formats there are, and how a name or first bytes tell them.

use std::path::Path;

use forebay::{Error, Result, detect::detect, error::codes::ARGUMENT, formats::Format, text::TextFormat, words::Word};
use serde::Serialize;

use crate::input::file_name;

/// A format for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TableFormat {
    /// Values with commas between.
    Csv,
    /// Values with tabs between.
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// The Arrow IPC file, also called Feather 2.
    Arrow,
    /// The Arrow IPC stream.
    Arrows,
    /// TBF.
    Tbf,
    /// ML.NET's binary data view.
    Idv,
}

impl TableFormat {
    /// Every format.
    pub const ALL: [TableFormat; 8] =
        [Self::Csv, Self::Tsv, Self::Jsonl, Self::Parquet, Self::Arrow, Self::Arrows, Self::Tbf, Self::Idv];

    /// The same among all formats.
    pub const fn format(self) -> Format {
        match self {
            Self::Csv => Format::Csv,
            Self::Tsv => Format::Tsv,
            Self::Jsonl => Format::Jsonl,
            Self::Parquet => Format::Parquet,
            Self::Arrow => Format::Arrow,
            Self::Arrows => Format::Arrows,
            Self::Tbf => Format::Tbf,
            Self::Idv => Format::Idv,
        }
    }
    fn of(format: Format) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.format() == format)
    }
    /// The word used in reports and options.
    pub const fn name(self) -> &'static str {
        self.format().name()
    }
    /// True for formats that are text and therefore have no first bytes of their own.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::Jsonl)
    }

    /// The same as the core names formats of text; others are an error.
    pub fn text(self) -> Result<TextFormat> {
        match self {
            Self::Csv => Ok(TextFormat::Csv),
            Self::Tsv => Ok(TextFormat::Tsv),
            Self::Jsonl => Ok(TextFormat::Jsonl),
            other => Err(Error::new(&ARGUMENT, format!("{} is not text", other.name()))),
        }
    }

    /// The format that a name's extension says; `.gz` and `.zst` behind it are passed over.
    pub fn from_name(path: &Path) -> Option<Self> {
        let name = file_name(path)?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        Self::of(Format::from_extension(name.rsplit_once('.')?.1)?)
    }

    /// The format of a text file by its name, for reading: as [`from_name`](Self::from_name), and `.json` for arrays of
    /// objects, which are never written.
    pub fn text_from_name(path: &Path) -> Option<Self> {
        let name = file_name(path)?.to_ascii_lowercase();
        let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        match plain.ends_with(".json") {
            true => Some(Self::Jsonl),
            false => Self::from_name(path).filter(|format| format.is_text()),
        }
    }

    /// The format that a file's first bytes say.
    pub fn from_head(head: &[u8]) -> Option<Self> {
        match detect(head) {
            Some(format) => Self::of(format),
            // Encrypted as a whole: its reader says so.
            None if head.starts_with(b"PARE") => Some(Self::Parquet),
            None => None,
        }
    }
}

impl Word for TableFormat {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.name()
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Csv => "Values with commas between",
            Self::Tsv => "Values with tabs between",
            Self::Jsonl => "One JSON object a line",
            Self::Parquet => "Apache Parquet",
            Self::Arrow => "The Arrow IPC file, also called Feather 2",
            Self::Arrows => "The Arrow IPC stream",
            Self::Tbf => "TBF",
            Self::Idv => "ML.NET's binary data view",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_bytes_tell_the_format() {
        for (name, format) in
            [("a.csv", "csv"), ("b/x.CSV.gz", "csv"), ("c.ndjson.zst", "jsonl"), ("d.feather", "arrow")]
        {
            assert_eq!(TableFormat::from_name(name.as_ref()).map(TableFormat::name), Some(format), "{name}");
        }
        let signed = "https://example.org/sets/t.csv?X-Amz-Signature=a.b";
        assert_eq!(TableFormat::text_from_name(signed.as_ref()), Some(TableFormat::Csv));
        assert_eq!(TableFormat::from_name("csv".as_ref()), None);
        assert_eq!(TableFormat::from_head(b"PAR1...."), Some(TableFormat::Parquet));
        assert_eq!(TableFormat::from_head(&[255, 255, 255, 255, 0x78, 0, 0, 0]), Some(TableFormat::Arrows));
        assert_eq!(TableFormat::from_head(b"a,b\n1,2\n"), None);
    }
}
