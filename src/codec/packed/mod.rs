//! JPEGs packed without loss: a code of our own for their coefficients, smaller than the JPEG's, quick to read at reduced
//! sizes, and with every byte of the file given back.
//!
//! Instead of one chain of codes, a picture has segments of a few lines of blocks, each with four chains that are read in
//! step; coefficients lie in planes, those first that small sizes need; and which code a coefficient has depends on what
//! stands around it. The codes are trained on pictures of the dataset. `docs/formats/packed.md` has the bytes.
//!
//! | file | what it holds |
//! |---|---|
//! | `picture.rs`, `scan.rs` | the header and the bits of a baseline JPEG |
//! | `planes.rs`, `channel.rs` | in which order coefficients lie, and what is known of each before it is read |
//! | `visit.rs`, `train.rs`, `tables.rs` | the symbols of a picture, tables made of many, tables as bytes |
//! | `encode.rs`, `bits.rs` | packing |
//! | `restore.rs`, `decode.rs` | back to coefficients, and to the JPEG |

mod bits;
mod channel;
mod decode;
mod encode;
mod layout;
mod picture;
mod planes;
mod restore;
mod scan;
mod tables;
#[cfg(test)]
mod tests;
mod train;
mod visit;

use super::codes;
use crate::error::Error;
pub use encode::Packer;
#[doc(hidden)]
pub use restore::Unpacker;
#[cfg(feature = "jpeg")]
pub(crate) use restore::{Coefficients, behind_mark};
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

impl Kept {
    /// What such a JPEG is, for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Kept::Progressive => "progressive",
            Kept::Arithmetic => "with arithmetic codes",
            Kept::Depth => "not of 8 bits",
            Kept::Colors => "with inks or odd colors",
            Kept::Scans => "of several scans",
            Kept::Damaged => "damaged or odd",
            Kept::Larger => "no smaller when packed",
        }
    }
}

fn corrupt(message: impl Into<String>) -> Error {
    Error::new(&codes::CORRUPT, message)
}
