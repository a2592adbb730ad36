//! Where a run stands, to be saved and continued.

use forebay::{Error, Result, order};
use serde::{Deserialize, Serialize};

use super::Groups;
use crate::identity::lacks_samples;

/// All that is needed to go on elsewhere: plain data, the same in every language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct State {
    /// The version of this record; 1 where it does not say.
    #[serde(default = "unversioned")]
    pub version: u32,
    /// The position, and what must be the same for it to mean the same.
    pub order: order::State,
    /// How batches were grouped, which must be the same too.
    #[serde(default)]
    pub groups: Option<Groups>,
    /// Broken samples of this rank so far that were skipped or replaced.
    pub skipped: u64,
}

/// The version that this code writes. Since version 2 the steps of groups come in another order.
pub(super) const VERSION: u32 = 2;

fn unversioned() -> u32 {
    1
}

impl State {
    /// Where this goes on in a loader of this order and grouping; refused, by name, if anything differs.
    pub(super) fn position(&self, order: &order::Order, groups: Option<&Groups>) -> Result<order::Position> {
        if self.version > VERSION || (self.version < 2 && self.groups.is_some()) {
            let message = format!(
                "the state has version {}; this reads version {VERSION}, and earlier ones only without groups",
                self.version
            );
            return Err(Error::new(&order::codes::STATE_VERSION, message));
        }
        if self.groups.as_ref() != groups {
            let message = format!("the groups are {groups:?} now and were {:?} when the state was saved", self.groups);
            return Err(Error::new(&order::codes::STATE_SETTING, message));
        }
        let (mut then, now) = (self.order.clone(), order.state(self.order.epoch, self.order.step));
        // What could not be read when the state was saved is not compared.
        for (then, now) in then.sources.iter_mut().zip(now.sources) {
            if lacks_samples(&then.identity) && now.identity.starts_with(&format!("{}, ", then.identity)) {
                then.identity = now.identity;
            }
        }
        order.resume(&then)
    }
}

/// The phase of a loader.
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
