//! The formats: their names, extensions, media types and first bytes, and who reads and writes them.
//!
//! This is the one table of them. Detection, the command, the server of the viewer and the npm package are fed from it
//! or held to it by a test.
//!
//! ```
//! use forebay::formats::{Format, Host};
//! let arrow = Format::from_extension("Feather").unwrap();
//! assert_eq!((arrow.name(), arrow.read_by()), ("arrow", Host::Everyone));
//! assert!(Format::ALL.iter().all(|format| Format::from_name(format.name()) == Some(*format)));
//! ```

use serde::Serialize;

/// The content of a format's files: samples, a table, or another file, compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Holds {
    /// Pictures and what belongs to them.
    Samples,
    /// Rows and columns.
    Table,
    /// A file of another format, compressed.
    File,
}

/// Which of Forebay's hosts do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Host {
    /// None.
    Nobody,
    /// The crate `forebay-native` and the command.
    Native,
    /// These and the npm package.
    Everyone,
}

/// Makes the enum and its questions from the table. A question that nobody asks leaves no bytes in a program.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $format:ident $name:literal {
        extensions: $extensions:expr,
        also: $also:expr,
        media_type: $media_type:literal,
        first_bytes: $first:expr,
        holds: $holds:ident,
        read_by: $read:ident,
        written_by: $written:ident,
    })+) => {
        /// A format.
        ///
        /// ```
        /// use forebay::formats::{Format, Holds, Host};
        /// let format = Format::from_extension("PARQUET").expect("it is known");
        /// assert_eq!((format.name(), format.extensions()[0], format.holds()), ("parquet", "parquet", Holds::Table));
        /// println!("{} files are written by {:?}", format.media_type(), format.written_by());
        /// assert!(format.read_by() == Host::Everyone && Format::Gzip.read_by() == Host::Native);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        pub enum Format {
            $($(#[doc = $doc])+ $format,)+
        }

        impl Format {
            /// Every format.
            pub const ALL: &[Format] = &[$(Format::$format),+];

            /// The word used in reports and options.
            pub const fn name(self) -> &'static str {
                match self { $(Format::$format => $name,)+ }
            }
            /// The extensions by which a name says that its file has this format, the usual one first.
            pub const fn extensions(self) -> &'static [&'static str] {
                match self { $(Format::$format => &$extensions,)+ }
            }
            /// Extensions that files of this format are met with, and that say nothing of what is to be written.
            pub const fn also_extensions(self) -> &'static [&'static str] {
                match self { $(Format::$format => &$also,)+ }
            }
            /// The media type.
            pub const fn media_type(self) -> &'static str {
                match self { $(Format::$format => $media_type,)+ }
            }
            /// What its files hold.
            pub const fn holds(self) -> Holds {
                match self { $(Format::$format => Holds::$holds,)+ }
            }
            /// Who reads it.
            pub const fn read_by(self) -> Host {
                match self { $(Format::$format => Host::$read,)+ }
            }
            /// Who writes it.
            pub const fn written_by(self) -> Host {
                match self { $(Format::$format => Host::$written,)+ }
            }
        }

        /// The first bytes of files, and the formats that they tell.
        pub(crate) const FIRST_BYTES: &[(&[&[u8]], Format)] = &[$((&$first, Format::$format)),+];
    };
}

formats! {
    /// TBL, of any version.
    Tbl "tbl" {
        extensions: ["tbl"],
        also: [],
        media_type: "application/octet-stream",
        first_bytes: [b"TBL"],
        holds: Samples,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// A tar archive: ustar, PAX, GNU or v7. It is known not by a magic number but by the checksum of its first header.
    Tar "tar" {
        extensions: ["tar"],
        also: [],
        media_type: "application/x-tar",
        first_bytes: [],
        holds: Samples,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// A ZIP archive.
    Zip "zip" {
        extensions: ["zip"],
        also: [],
        media_type: "application/zip",
        first_bytes: [b"PK\x03\x04", b"PK\x05\x06"],
        holds: Samples,
        read_by: Everyone,
        written_by: Nobody,
    }
    /// A tensor warehouse: its manifest, or one of its shards. A manifest is JSON, which has no first bytes of its own:
    /// the fields tell it.
    Warehouse "warehouse" {
        extensions: [],
        also: [],
        media_type: "application/octet-stream",
        first_bytes: [b"TWH1"],
        holds: Samples,
        read_by: Native,
        written_by: Native,
    }
    /// TFRecord, the files of TensorFlow. It is known not by a magic number but by the checksum of its first length.
    TfRecord "tfrecord" {
        extensions: ["tfrecord"],
        also: ["tfrecords", "tfr"],
        media_type: "application/octet-stream",
        first_bytes: [],
        holds: Samples,
        read_by: Native,
        written_by: Nobody,
    }
    /// MDS, the shards of MosaicML Streaming. A shard has no magic number: how many samples there are tells where the first begins.
    Mds "mds" {
        extensions: ["mds"],
        also: [],
        media_type: "application/octet-stream",
        first_bytes: [],
        holds: Samples,
        read_by: Native,
        written_by: Nobody,
    }
    /// A folder of LitData. Its chunks have no magic number, and say nothing without the index beside them.
    LitData "litdata" {
        extensions: [],
        also: [],
        media_type: "application/octet-stream",
        first_bytes: [],
        holds: Samples,
        read_by: Native,
        written_by: Nobody,
    }
    /// An LMDB database. Its magic number stands behind the head of its first page.
    Lmdb "lmdb" {
        extensions: ["mdb"],
        also: ["lmdb"],
        media_type: "application/octet-stream",
        first_bytes: [],
        holds: Samples,
        read_by: Native,
        written_by: Nobody,
    }
    /// Arrays of NumPy. Several of them are a ZIP whose members tell it.
    Npy "npy" {
        extensions: ["npy"],
        also: ["npz"],
        media_type: "application/octet-stream",
        first_bytes: [b"\x93NUMPY"],
        holds: Samples,
        read_by: Native,
        written_by: Nobody,
    }
    /// FFCV. It has no magic number: its head has numbers that no other file begins with.
    Ffcv "ffcv" {
        extensions: ["beton"],
        also: [],
        media_type: "application/octet-stream",
        first_bytes: [],
        holds: Samples,
        read_by: Native,
        written_by: Nobody,
    }
    /// Something in a gzip wrapper.
    Gzip "gzip" {
        extensions: ["gz"],
        also: [],
        media_type: "application/gzip",
        first_bytes: [&[0x1f, 0x8b, 8]],
        holds: File,
        read_by: Native,
        written_by: Native,
    }
    /// Something in a Zstandard wrapper.
    Zstd "zstd" {
        extensions: ["zst"],
        also: [],
        media_type: "application/zstd",
        first_bytes: [&[0x28, 0xb5, 0x2f, 0xfd]],
        holds: File,
        read_by: Native,
        written_by: Native,
    }
    /// TBF, of any layout.
    Tbf "tbf" {
        extensions: ["tbf"],
        also: ["tbc", "sch", "ult"],
        media_type: "application/octet-stream",
        first_bytes: [b"TBF\x01", b"TBC\x01", b"SCH\x01", b"ULT\x01"],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// ML.NET's binary data view.
    Idv "idv" {
        extensions: ["idv"],
        also: [],
        media_type: "application/octet-stream",
        first_bytes: [b"CML\0DVB\0"],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// Values with commas between. Text has no first bytes of its own.
    Csv "csv" {
        extensions: ["csv"],
        also: [],
        media_type: "text/csv",
        first_bytes: [],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// Values with tabs between.
    Tsv "tsv" {
        extensions: ["tsv", "tab"],
        also: [],
        media_type: "text/tab-separated-values",
        first_bytes: [],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// One JSON object a line.
    Jsonl "jsonl" {
        extensions: ["jsonl", "ndjson"],
        also: [],
        media_type: "application/jsonl",
        first_bytes: [],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// Apache Parquet.
    Parquet "parquet" {
        extensions: ["parquet", "pq"],
        also: [],
        media_type: "application/vnd.apache.parquet",
        first_bytes: [b"PAR1"],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// The Arrow IPC file, also called Feather 2.
    Arrow "arrow" {
        extensions: ["arrow", "feather", "ipc"],
        also: [],
        media_type: "application/vnd.apache.arrow.file",
        first_bytes: [b"ARROW1"],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
    /// The Arrow IPC stream, which begins with a length and no magic.
    Arrows "arrows" {
        extensions: ["arrows"],
        also: [],
        media_type: "application/vnd.apache.arrow.stream",
        first_bytes: [],
        holds: Table,
        read_by: Everyone,
        written_by: Everyone,
    }
}

impl Format {
    /// The format of this name, as reports and options write it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The format that an extension says, in capitals or not.
    pub fn from_extension(extension: &str) -> Option<Self> {
        let is = |known: &&str| known.eq_ignore_ascii_case(extension);
        Self::ALL.iter().copied().find(|format| format.extensions().iter().any(is))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_formats_share_a_name_an_extension_or_first_bytes() {
        let mut seen = std::collections::HashSet::new();
        for format in Format::ALL {
            assert!(seen.insert(format!("name {}", format.name())));
            for extension in format.extensions().iter().chain(format.also_extensions()) {
                assert!(seen.insert(format!("extension {extension}")), "{extension}");
            }
        }
        let magics: Vec<&[u8]> = FIRST_BYTES.iter().flat_map(|(magics, _)| magics.iter().copied()).collect();
        for (i, magic) in magics.iter().enumerate() {
            assert!(magics.iter().enumerate().all(|(j, other)| i == j || !other.starts_with(magic)), "{magic:?}");
        }
    }
}
