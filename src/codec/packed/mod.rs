//! JPEGs packed without loss: a code of our own for their coefficients, which is smaller and faster to read.

mod bits;
mod channel;
mod decode;
mod encode;
mod picture;
mod planes;
mod restore;
mod scan;
mod tables;
mod train;
mod visit;

use crate::error::{Error, Result};
pub use encode::Packer;
pub use tables::Tables;
pub use train::Trainer;

/// Why a JPEG is stored as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kept {
    /// It is progressive.
    Progressive,
    /// It has arithmetic codes.
    Arithmetic,
    /// It has other than 8 bits a color.
    Depth,
    /// It has inks, or colors at resolutions that differ oddly.
    Colors,
    /// Its colors come in several scans.
    Scans,
    /// It is damaged, or written as hardly any program does.
    Damaged,
    /// Packed it would not be smaller.
    Larger,
}

fn corrupt(message: impl Into<String>) -> Error {
    Error::new(&crate::codes::CORRUPT, message)
}

fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Gives JPEGs back.
#[derive(Debug, Default)]
pub struct Unpacker {
    channels: [channel::Channel; 2],
}

impl Unpacker {
    /// The JPEG of `size` bytes that was packed.
    pub fn restore(&mut self, packed: &[u8], size: usize, tables: &Tables) -> Result<Vec<u8>> {
        restore::restore(packed, size, tables, &mut self.channels)
    }

    /// Only the coefficients: of brightness and of colors those of the bands up to one.
    #[doc(hidden)]
    pub fn coefficients(&mut self, packed: &[u8], size: usize, tables: &Tables, bands: [usize; 2]) -> Result<u64> {
        let opened = restore::Opened::new(packed, size, tables)?;
        let mut sum = 0;
        for (i, rows) in encode::segments(&opened.picture, opened.rows).enumerate() {
            opened.segment(i, rows, bands, &mut self.channels)?;
            sum += self.channels[0].blocks.len() as u64;
        }
        Ok(sum)
    }
}
