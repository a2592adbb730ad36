//! IDV, the binary data view of ML.NET: typed columns in blocks, with annotations.

mod check;
mod codec_def;
mod encode;
mod file;
mod open;
mod sparse;
mod text;
mod values;
mod vectors;
mod write;

pub mod codes;
pub mod raw;

pub use check::Checker;
pub use codec_def::{Codec, CodecDef, Item, Layout};
pub use file::{Annotation, Block, Column, File, Live, Packing};
pub use open::Opener;
pub use text::{TextLosses, Texts};
pub use values::Values;
pub use vectors::{Lengths, Vectors};
pub use write::{ColumnSpec, Encoder, Ending, Packed, WriteOptions};
