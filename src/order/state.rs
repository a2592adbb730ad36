//! Where a run stands, to be saved and continued.

use serde::{Deserialize, Serialize};

use super::{Mix, Order, Shuffle, Tail, codes};
use crate::error::{Code, Error, Result};

/// The version that this code writes and reads.
const VERSION: u32 = 1;

/// A position with everything that must be the same for it to mean the same. Plain data, the same in every
/// language; 64-bit hashes and the seed are decimal text, since JSON's numbers are not exact there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct State {
    /// The version of this record.
    pub version: u32,
    /// The epoch.
    pub epoch: u64,
    /// Steps of the epoch that are done, on every rank.
    pub step: u64,
    /// Batch × world: may be split otherwise when the run goes on, but not changed.
    pub global_batch: u64,
    /// The seed.
    #[serde(with = "text")]
    pub seed: u64,
    /// The shuffle.
    pub shuffle: Shuffle,
    /// The rule for the tail.
    pub tail: Tail,
    /// The proportions between sources.
    pub mix: Option<Mix>,
    /// The filter's text.
    pub filter: Option<String>,
    /// Samples in an epoch, if that was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draws: Option<u64>,
    /// How often each draw comes in its step.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeats: u64,
    /// Whether samples are drawn by weights or classes, and what tells these from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<String>,
    /// The files.
    pub sources: Vec<SourceState>,
}

/// A file in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SourceState {
    /// Its name: for messages, it may change.
    pub name: String,
    /// The identity of the file.
    pub identity: String,
    /// All its samples.
    pub samples: u64,
    /// Those that were wanted.
    pub selected: u64,
    /// A hash of which those are.
    #[serde(with = "text")]
    pub selection: u64,
}

/// Where to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The epoch.
    pub epoch: u64,
    /// The step of that epoch that comes next; the number of steps where the epoch is done.
    pub step: u64,
}

fn once() -> u64 {
    1
}

fn is_once(times: &u64) -> bool {
    *times == 1
}

mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(n: &u64, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(n)
    }
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<u64, D::Error> {
        let text = String::deserialize(d)?;
        text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a whole number of 64 bits")))
    }
}

impl Order {
    /// The state after `step` steps of `epoch`.
    pub fn state(&self, epoch: u64, step: u64) -> State {
        let settings = self.settings();
        State {
            version: VERSION,
            epoch,
            step,
            global_batch: self.global_batch,
            seed: settings.seed,
            shuffle: settings.shuffle,
            tail: settings.tail,
            mix: settings.mix.clone(),
            filter: settings.filter.clone(),
            draws: settings.draws,
            repeats: settings.repeats,
            sampling: self.sampling.clone(),
            sources: self
                .sources()
                .iter()
                .map(|s| SourceState {
                    name: s.name.clone(),
                    identity: s.identity.clone(),
                    samples: s.samples,
                    selected: s.selected(),
                    selection: s.selection_hash(),
                })
                .collect(),
        }
    }

    /// Where a saved run goes on in this order; refused, by name, if anything differs that decides which sample
    /// comes when.
    pub fn resume(&self, state: &State) -> Result<Position> {
        let now = self.state(state.epoch, state.step);
        if state.version != VERSION {
            let message = format!("the state has version {}, this reads version {VERSION}", state.version);
            return Err(Error::new(&codes::STATE_VERSION, message));
        }
        same(&codes::STATE_SETTING, "the number of files", &now.sources.len(), &state.sources.len())?;
        for (new, old) in now.sources.iter().zip(&state.sources) {
            let name = |what| format!("{what} of {}", new.name);
            let file = |e: Error| e.file(new.name.clone());
            same(&codes::STATE_FILE, &name("the number of samples"), &new.samples, &old.samples).map_err(file)?;
            same(&codes::STATE_FILE, &name("the identity"), &new.identity, &old.identity).map_err(file)?;
        }
        same(&codes::STATE_FILTER, "the filter", &now.filter, &state.filter)?;
        for (new, old) in now.sources.iter().zip(&state.sources) {
            let what = format!("the selection of {} (samples, hash)", new.name);
            same(&codes::STATE_FILTER, &what, &(new.selected, new.selection), &(old.selected, old.selection))?;
        }
        same(&codes::STATE_SETTING, "the seed", &now.seed, &state.seed)?;
        same(&codes::STATE_SETTING, "the shuffle", &now.shuffle, &state.shuffle)?;
        same(&codes::STATE_SETTING, "the tail", &now.tail, &state.tail)?;
        same(&codes::STATE_SETTING, "the mix", &now.mix, &state.mix)?;
        same(&codes::STATE_SETTING, "the number of draws", &now.draws, &state.draws)?;
        same(&codes::STATE_SETTING, "how often each sample is repeated", &now.repeats, &state.repeats)?;
        same(&codes::STATE_SAMPLING, "the sampling", &now.sampling, &state.sampling)?;
        same(&codes::STATE_SETTING, "the global batch (batch × world)", &now.global_batch, &state.global_batch)?;
        if state.step > self.steps() {
            let message = format!("step {} of an epoch of {} steps", state.step, self.steps());
            return Err(Error::new(&codes::STATE_POSITION, message));
        }
        self.epoch(state.epoch)?;
        Ok(Position { epoch: state.epoch, step: state.step })
    }
}

fn same<T: PartialEq + Serialize>(code: &'static Code, what: &str, now: &T, then: &T) -> Result<()> {
    if now == then {
        return Ok(());
    }
    // In the words of the saved state.
    let said = |value: &T| serde_json::to_string(value).unwrap_or_default();
    Err(Error::new(code, format!("{what} is {} now and was {} when the state was saved", said(now), said(then))))
}
