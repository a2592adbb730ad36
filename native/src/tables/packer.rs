//! What compresses a text on its way out.

use std::io::{self, Write};

use flate2::write::GzEncoder;

/// Compresses what goes through it.
pub(super) enum Packer {
    Gzip(GzEncoder<Vec<u8>>),
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Packer::Gzip(_) => "Gzip",
            Packer::Zstd(_) => "Zstd",
        })
    }
}

impl Packer {
    /// Takes bytes, and gives those that are ready.
    pub fn pack(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Packer::Gzip(encoder) => encoder.write_all(bytes).map(|()| std::mem::take(encoder.get_mut())),
            Packer::Zstd(encoder) => encoder.write_all(bytes).map(|()| std::mem::take(encoder.get_mut())),
        }
    }
    /// The last bytes.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Packer::Gzip(encoder) => encoder.finish(),
            Packer::Zstd(encoder) => encoder.finish(),
        }
    }
}
