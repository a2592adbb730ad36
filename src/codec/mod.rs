//! Compression of single payloads, behind one small enum.
//!
//! A [`Codec`] names how bytes are stored, a [`Compression`] how a writer should try to store them.
//! Decompression is bounded by the size that the file announced *and* by [`Limits`].

mod lz4;
mod zstd;

#[doc(hidden)]
pub mod checksum;
#[doc(hidden)]
pub mod deflate;
// Pixels are made of them by the decoder of JPEG alone.
#[cfg(feature = "packed")]
#[cfg_attr(not(feature = "jpeg"), allow(dead_code))]
pub mod packed;
#[cfg(not(feature = "packed"))]
#[doc(hidden)]
#[path = "packed_off.rs"]
#[allow(missing_docs)]
pub mod packed;

use crate::{
    error::{Error, Result},
    limits::Limits,
};

/// How a payload's bytes are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Codec {
    /// As they are.
    None,
    /// One LZ4 block, without frame or length.
    Lz4,
    /// One Zstandard frame.
    Zstd,
    /// One stream of raw deflate: a member of a ZIP. It is read and not written.
    Deflate,
    /// A JPEG's coefficients in a code of our own, read with the tables of the file.
    Packed,
}

impl crate::words::Word for Codec {
    const ALL: &'static [Self] = &[Codec::None, Codec::Lz4, Codec::Zstd, Codec::Packed];

    fn word(self) -> &'static str {
        self.name()
    }
}

#[doc(hidden)]
impl Codec {
    /// The word used in reports and options.
    pub const fn name(self) -> &'static str {
        match self {
            Codec::None => "none",
            Codec::Lz4 => "lz4",
            Codec::Zstd => "zstd",
            Codec::Deflate => "deflate",
            Codec::Packed => "packed",
        }
    }

    /// Restores exactly `size` bytes. `size` is the file's claim: it is checked against what `stored` could
    /// possibly become and against the limits before anything is allocated.
    pub fn decompress(self, stored: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>> {
        match self {
            Codec::None if stored.len() as u64 == size => Ok(stored.to_vec()),
            Codec::None => Err(size_mismatch(size, stored.len() as u64)),
            Codec::Lz4 => lz4::decompress(stored, size, limits),
            Codec::Zstd => zstd::decompress(stored, size, limits),
            Codec::Packed => {
                Err(Error::new(&codes::UNAVAILABLE, "packed JPEGs are read with the tables of their file"))
            }
            #[cfg(feature = "zip")]
            Codec::Deflate => deflate::Inflater::default().inflate_whole(stored, size, limits),
            #[cfg(not(feature = "zip"))]
            Codec::Deflate => Err(Error::new(&codes::UNAVAILABLE, "reading deflate needs the feature `zip`")),
        }
    }
}

/// How a writer should try to store a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Store as it is.
    None,
    /// LZ4; level 1 is the fast compressor, 2 to 12 are HC.
    Lz4 {
        /// 1 to 12.
        level: u8,
    },
    /// Zstandard.
    Zstd {
        /// 1 to 22.
        level: u8,
    },
    /// JPEGs as packed coefficients; all else as it is.
    Packed,
}

impl Compression {
    /// The codec that reads what this writes.
    #[doc(hidden)]
    pub const fn codec(self) -> Codec {
        match self {
            Compression::None => Codec::None,
            Compression::Lz4 { .. } => Codec::Lz4,
            Compression::Zstd { .. } => Codec::Zstd,
            Compression::Packed => Codec::Packed,
        }
    }

    /// A checked choice: the level must exist and this build must be able to do it. `None` is the default
    /// level (LZ4 1, Zstandard 3).
    pub fn new(codec: Codec, level: Option<u8>) -> Result<Self> {
        let chosen = match (codec, level) {
            (Codec::None, None | Some(0)) => Compression::None,
            (Codec::None, Some(_)) => return Err(Error::new(&codes::LEVEL, "without compression there is no level")),
            (Codec::Lz4, level) => Compression::Lz4 { level: level.unwrap_or(1) },
            (Codec::Zstd, level) => Compression::Zstd { level: level.unwrap_or(3) },
            (Codec::Packed, None) => Compression::Packed,
            (Codec::Packed, Some(_)) => {
                return Err(Error::new(&codes::LEVEL, "packed JPEGs have no level"));
            }
            (Codec::Deflate, _) => {
                return Err(Error::new(&codes::UNAVAILABLE, "payloads are not written with deflate"));
            }
        };
        chosen.validate()?;
        Ok(chosen)
    }

    /// Refuses levels that do not exist or that this build cannot do.
    pub(crate) fn validate(self) -> Result<()> {
        match self {
            Compression::Lz4 { level } if !(1..=12).contains(&level) => {
                Err(Error::new(&codes::LEVEL, format!("LZ4 has levels 1 to 12, not {level}")))
            }
            Compression::Lz4 { level: 2.. } if !cfg!(feature = "lz4-hc") => {
                Err(Error::new(&codes::UNAVAILABLE, "LZ4 levels 2 to 12 need the feature `lz4-hc`; use level 1"))
            }
            Compression::Zstd { level } if !(1..=22).contains(&level) => {
                Err(Error::new(&codes::LEVEL, format!("Zstandard has levels 1 to 22, not {level}")))
            }
            Compression::Zstd { .. } if !cfg!(feature = "zstd") => {
                Err(Error::new(&codes::UNAVAILABLE, "writing Zstandard needs the feature `zstd`"))
            }
            Compression::Packed if !cfg!(feature = "packed") => {
                Err(Error::new(&codes::UNAVAILABLE, "packing JPEGs needs the feature `packed`"))
            }
            _ => Ok(()),
        }
    }

    /// The compressed bytes, or `None` if they would not be smaller, so that the payload is stored.
    #[doc(hidden)]
    pub fn compress(self, payload: &[u8]) -> Result<Option<Vec<u8>>> {
        self.validate()?;
        let packed = match self {
            // What is packed is packed with tables, of which nothing is known here.
            Compression::None | Compression::Packed => return Ok(None),
            Compression::Lz4 { level } => lz4::compress(payload, level)?,
            Compression::Zstd { level } => zstd::compress(payload, level)?,
        };
        Ok(packed.filter(|p| p.len() < payload.len()))
    }
}

fn size_mismatch(announced: u64, found: u64) -> Error {
    Error::new(&codes::SIZE, format!("{announced} bytes announced, {found} found"))
}

/// The codes of compression.
#[doc(hidden)]
pub mod codes {
    use crate::error::Code;
    /// The stored bytes do not decompress.
    pub const CORRUPT: Code = Code::damaged("codec.corrupt", "The stored bytes do not decompress.");
    /// The stored bytes decompress to another size than announced.
    pub const SIZE: Code =
        Code::damaged("codec.size", "The stored bytes decompress to another size than the file announced.");
    /// A level that does not exist.
    pub const LEVEL: Code = Code::usage("codec.level", "The compression has no such level.");
    /// This build lacks the library.
    pub const UNAVAILABLE: Code = Code::unsupported(
        "codec.unavailable",
        "This build has no library for that compression; the message says which feature adds it.",
    );
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&CORRUPT, &SIZE, &LEVEL, &UNAVAILABLE];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shrinks_comes_back_and_what_does_not_is_stored() {
        let text = b"the same words again and again, the same words again and again".repeat(40);
        let packed = Compression::Lz4 { level: 1 }.compress(&text).unwrap().unwrap();
        assert_eq!(Codec::Lz4.decompress(&packed, text.len() as u64, &Limits::default()).unwrap(), text);
        assert_eq!(Compression::Lz4 { level: 1 }.compress(b"abc").unwrap(), None);
    }

    #[test]
    fn a_claimed_size_is_held_against_the_stored_bytes() {
        let e = Codec::Lz4.decompress(&[0x10, b'a'], u64::from(u32::MAX), &Limits::default()).unwrap_err();
        assert_eq!(e.code().id(), "codec.size");
        let e = Codec::Zstd.decompress(&[0x28, 0xb5, 0x2f, 0xfd], 1 << 40, &Limits::default()).unwrap_err();
        assert_eq!(e.code().id(), "limit.item");
    }

    #[test]
    fn levels_are_checked() {
        assert_eq!(Compression::new(Codec::Lz4, Some(13)).unwrap_err().code().id(), "codec.level");
        assert_eq!(Compression::new(Codec::Zstd, Some(0)).unwrap_err().code().id(), "codec.level");
        #[cfg(not(feature = "lz4-hc"))]
        assert_eq!(Compression::new(Codec::Lz4, Some(9)).unwrap_err().code().id(), "codec.unavailable");
    }
}
