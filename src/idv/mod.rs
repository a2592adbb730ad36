//! IDV, the binary data view of ML.NET: typed columns in blocks, with annotations.

mod codec_def;
mod file;
mod open;
mod text;
mod values;
mod vectors;

pub mod codes;
pub mod raw;

pub use codec_def::{Codec, CodecDef, Item, Layout};
pub use file::{Annotation, Block, Column, File, Live, Packing};
pub use open::Opener;
pub use text::{TextLosses, Texts};
pub use values::Values;
pub use vectors::{Lengths, Vectors};
