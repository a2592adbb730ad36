//! Where a run stands, to be saved and continued.

use forebay::order;
use serde::{Deserialize, Serialize};

/// All that is needed to go on elsewhere: plain data, the same in every language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The position, and what must be the same for it to mean the same.
    pub order: order::State,
    /// Broken samples of this rank so far that were skipped or replaced.
    pub skipped: u64,
}

/// What a loader is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Nothing is on its way: newly built, between epochs, or reset.
    Idle,
    /// Batches are being made.
    Running,
    /// Stopped, without threads, until it is started again.
    Stopped,
}
