//! The compression that an output's name promises: text is written with it, every other format says why not.

use std::{io, path::Path};

use flate2::{Compression, GzBuilder};
use forebay::{Error, Result, error::codes::ARGUMENT};

use super::{FileWriter, TableFormat, packer::Packer};
use crate::{
    input::{display, remote},
    output::{AtomicFile, promised},
};

/// A compression around a whole text, which reading takes off again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// How a table of this format is compressed under this name. What cannot keep the name's promise is refused.
    pub fn of(path: &Path, format: TableFormat) -> Result<Option<Packing>> {
        match promised(path) {
            Some(("gz", _)) if format.is_text() => Ok(Some(Packing::Gzip)),
            Some(("zst", _)) if format.is_text() => Ok(Some(Packing::Zstd)),
            None => Ok(None),
            Some((extension, name)) => {
                let (advice, options) = match format {
                    TableFormat::Csv | TableFormat::Tsv | TableFormat::Jsonl => (".gz and .zst are", &[][..]),
                    TableFormat::Tbf => ("leave it out", &[][..]),
                    _ => ("leave it out, and compress inside of the file", &["compression"][..]),
                };
                let message =
                    format!("the name ends in .{extension}, but {} is not written in {name}; {advice}", format.name());
                Err(Error::new(&ARGUMENT, message).file(display(path)).with_options(options))
            }
        }
    }

    /// What compresses, at this level or the usual one.
    pub fn packer(self, level: Option<u8>) -> Result<Packer> {
        let wrong = |name: &str, least: u8, most: u8| {
            let level = level.unwrap_or_default();
            wrong_level(level, name, least, most)
        };
        Ok(match self {
            Packing::Gzip if level.is_some_and(|n| n > 9) => return Err(wrong("gzip", 0, 9)),
            // No time and no name in the header, so that the same rows are the same bytes.
            Packing::Gzip => {
                let level = Compression::new(level.unwrap_or(6).into());
                Packer::Gzip(GzBuilder::new().mtime(0).write(Vec::new(), level))
            }
            Packing::Zstd if level.is_some_and(|n| !(1..=22).contains(&n)) => return Err(wrong("Zstandard", 1, 22)),
            Packing::Zstd => {
                let failed = |e: io::Error| Error::caused(&ARGUMENT, e.to_string(), e);
                let mut encoder =
                    zstd::stream::write::Encoder::new(Vec::new(), level.unwrap_or(3).into()).map_err(failed)?;
                encoder.include_checksum(true).map_err(failed)?;
                Packer::Zstd(encoder)
            }
        })
    }
}

/// A file that is written from front to back, compressed as its name says.
pub(super) fn text_file(
    path: &Path,
    force: bool,
    format: TableFormat,
    level: Option<u8>,
    verify: bool,
) -> Result<FileWriter> {
    let packer = Packing::of(path, format)?.map(|packing| packing.packer(level)).transpose()?;
    let file = match verify && remote::is_remote(path) {
        true => AtomicFile::create_to_read_back(path, force)?,
        false => AtomicFile::create_as_named(path, force)?,
    };
    Ok(FileWriter::new(file).packed(packer))
}

/// Refuses a level that a compression does not have.
pub(super) fn wrong_level(level: u8, name: &str, least: u8, most: u8) -> Error {
    Error::new(&ARGUMENT, format!("level {level}: {name} has {least} to {most}")).with_options(&["level"])
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_name_is_a_promise_that_is_kept_or_refused() {
        let of = |name: &str, format| Packing::of(name.as_ref(), format);
        assert_eq!(of("a.csv.gz", TableFormat::Csv).unwrap(), Some(Packing::Gzip));
        assert_eq!(of("a.JSONL.ZST", TableFormat::Jsonl).unwrap(), Some(Packing::Zstd));
        assert_eq!(of("a.gz.csv", TableFormat::Csv).unwrap(), None);
        assert_eq!(of("a.parquet", TableFormat::Parquet).unwrap(), None);
        for (name, format) in [
            ("a.csv.bz2", TableFormat::Csv),
            ("a.csv.zip", TableFormat::Csv),
            ("a.parquet.gz", TableFormat::Parquet),
            ("a.arrow.lz4", TableFormat::Arrow),
            ("a.tbf.zst", TableFormat::Tbf),
            ("a.idv.gz", TableFormat::Idv),
        ] {
            assert_eq!(of(name, format).unwrap_err().code().id(), "usage.argument", "{name}");
        }
    }

    #[test]
    fn the_same_bytes_are_the_same_file_and_come_back() {
        for packing in [Packing::Gzip, Packing::Zstd] {
            let pack = || {
                let mut packer = packing.packer(None).unwrap();
                let mut out = packer.pack(b"a,b\n").unwrap();
                out.extend(packer.pack(&[b'x'; 300_000]).unwrap());
                out.extend(packer.finish().unwrap());
                out
            };
            let (one, two) = (pack(), pack());
            assert_eq!(one, two);
            let mut back = Vec::new();
            match packing {
                Packing::Gzip => {
                    flate2::read::GzDecoder::new(&one[..]).read_to_end(&mut back).unwrap();
                    assert_eq!(one[4..8], [0; 4], "a time in the header");
                }
                Packing::Zstd => back = zstd::decode_all(&one[..]).unwrap(),
            }
            assert!(back.len() == 300_004 && one.len() < 10_000);
        }
        assert!(Packing::Gzip.packer(Some(10)).is_err() && Packing::Zstd.packer(Some(0)).is_err());
    }
}
