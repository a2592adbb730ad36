//! LitData, the chunks that `litdata.optimize` writes.
//!
//! A chunk is a shard of MDS without a description: that is in `index.json`, which holds for all chunks, and the size of every
//! leaf comes before an item. So chunks are opened and read as [shards](super::mds) are.
//!
//! | file | what it holds |
//! |---|---|
//! | `spec.rs` | what the index says of the items |
//! | `leaf.rs` | how a leaf is written |

mod leaf;
mod spec;

pub use spec::{Chunk, Spec};
