//! Which format a file has, by its content and never by its name.

use serde::Serialize;

use crate::tbl::raw::MAGIC;

/// First bytes that suffice to tell every format apart.
pub const HEAD_LEN: u64 = 512;

/// A format that is known by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// TBL, of any version.
    Tbl,
    /// A tar archive: ustar, PAX, GNU or v7.
    Tar,
    /// Something in a gzip wrapper.
    Gzip,
    /// Something in a Zstandard wrapper.
    Zstd,
    /// TBF, of any dialect.
    Tbf,
    /// ML.NET's binary data view.
    Idv,
    /// A shard of a tensor warehouse.
    Twh,
    /// Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
}

impl Format {
    /// The word used in reports and options.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Tbl => "tbl",
            Format::Tar => "tar",
            Format::Gzip => "gzip",
            Format::Zstd => "zstd",
            Format::Tbf => "tbf",
            Format::Idv => "idv",
            Format::Twh => "twh",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
        }
    }
}

/// The format of a file that begins with `head`; [`HEAD_LEN`] bytes suffice, fewer may do.
///
/// ```
/// use forebay::detect::{Format, detect};
/// assert_eq!(detect(b"TBL\x02\x02\0\0\0"), Some(Format::Tbl));
/// assert_eq!(detect(b"hello"), None);
/// ```
pub fn detect(head: &[u8]) -> Option<Format> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    Some(match () {
        () if starts(&MAGIC[..3]) => Format::Tbl,
        () if starts(&[0x1f, 0x8b, 8]) => Format::Gzip,
        () if starts(&[0x28, 0xb5, 0x2f, 0xfd]) => Format::Zstd,
        () if starts(b"TBF\x01") || starts(b"TBC\x01") || starts(b"SCH\x01") || starts(b"ULT\x01") => Format::Tbf,
        () if starts(b"CML\0DVB\0") => Format::Idv,
        () if starts(b"TWH1") => Format::Twh,
        () if starts(b"PAR1") => Format::Parquet,
        () if starts(b"ARROW1") => Format::Arrow,
        () if is_tar(head) => Format::Tar,
        () => return None,
    })
}

/// A tar archive has no magic of its own in its oldest form: the header's checksum tells. Two zero blocks are
/// an archive without members.
fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else { return false };
    if block.iter().all(|b| *b == 0) {
        return true;
    }
    if &block[257..262] == b"ustar" {
        return true;
    }
    let sum: u32 =
        block.iter().enumerate().map(|(i, b)| if (148..156).contains(&i) { 32 } else { u32::from(*b) }).sum();
    let said = std::str::from_utf8(&block[148..156]).ok().map(|s| s.trim_matches(['\0', ' ']));
    said.and_then(|s| u32::from_str_radix(s, 8).ok()) == Some(sum)
}
