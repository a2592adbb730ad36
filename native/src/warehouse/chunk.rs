//! What became of frames, as a journal says it.

use forebay::warehouse::ShardEntry;
use serde::{Deserialize, Serialize};

/// What became of a frame, as a journal says it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The digest of the picture; empty where it could not be read.
    pub digest: String,
    pub became: Kept,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Kept {
    Stored { boxes: [u64; 4], turned: bool },
    Empty { boxes: [u64; 4] },
    Refused { cause: String, reason: String },
}

/// A chunk that is whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chunk {
    /// Its shard, without the number that it gets; none where nothing of it could be stored.
    pub shard: Option<ShardEntry>,
    pub bytes: u64,
    pub frames: Vec<Entry>,
}
