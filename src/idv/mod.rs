//! IDV, the binary data view of ML.NET: typed columns in blocks, with annotations.

mod codec_def;

pub mod codes;
pub mod raw;

pub use codec_def::{Codec, CodecDef, Item, Layout};
