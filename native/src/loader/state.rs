//! Where a run stands, to be saved and continued.

use forebay::{Error, Result, order};
use serde::{Deserialize, Serialize};

use super::Groups;

/// All that is needed to go on elsewhere: plain data, the same in every language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The position, and what must be the same for it to mean the same.
    pub order: order::State,
    /// How batches were grouped, which must be the same too.
    #[serde(default)]
    pub groups: Option<Groups>,
    /// Broken samples of this rank so far that were skipped or replaced.
    pub skipped: u64,
}

impl State {
    /// Where this goes on in a loader of this order and grouping; refused, by name, where anything differs.
    pub(super) fn position(&self, order: &order::Order, groups: Option<&Groups>) -> Result<order::Position> {
        if self.groups.as_ref() != groups {
            let message = format!("the groups are {groups:?} now and were {:?} when the state was saved", self.groups);
            return Err(Error::new(&order::codes::STATE_SETTING, message));
        }
        order.resume(&self.order)
    }
}

/// What a loader is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Newly built, between epochs (of which the next one's first batches may be on their way), or reset.
    Idle,
    /// Batches are being made.
    Running,
    /// Stopped, without threads, until it is started again.
    Stopped,
}
