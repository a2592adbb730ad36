//! MDS, the shards of MosaicML Streaming.
//!
//! A shard begins with how many samples it has and where each begins; then comes its description as JSON, and then the samples:
//! the sizes of those columns that vary, and the columns. So a shard says all about itself, and the file `index.json` beside
//! the shards, which is easily lost, is not needed: where it is, it is compared with them.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | from the first bytes of each shard to its samples |
//! | `shard.rs` | what a shard says of itself |
//! | `file.rs` | the samples of all shards |
//! | `value.rs` | the encodings of columns |
//! | `array.rs` | arrays |

mod array;
mod file;
mod numeric;
mod open;
mod shard;
mod value;

pub(in crate::doors) use array::Headed;
pub use file::Mds;
pub(in crate::doors) use numeric::Numeric;
pub use open::{Opener, Part};
pub(in crate::doors) use shard::Column;
pub(in crate::doors) use value::Encoding;
