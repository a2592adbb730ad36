//! IDV, the binary data view of ML.NET: typed columns in blocks, with annotations.

mod check;
mod codec_def;
mod encode;
mod file;
mod open;
mod sparse;
mod table;
mod text;
mod values;
mod vectors;
mod write;

pub mod codes;
pub mod raw;

pub use check::Checker;
pub use codec_def::{Codec, CodecDef, Item, Layout};
pub use file::{Column, Decoded, File, Live, Packing};
pub use open::Opener;
pub use text::TextLosses;
pub use write::{Encoder, Ending, Packed, WriteOptions};
