//! Which samples each shard has: ranges of one order over all inputs.

use std::{collections::BTreeSet, ops::Range, path::Path};

use forebay::{
    Error, Result,
    order::{Order, Source},
    warehouse::sha256,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Settings, codes};
use crate::input::{display, remote};

/// The version of what a plan says.
const VERSION: u32 = 1;
/// Goes up if the same samples and settings become other bytes: shards of before are then made anew.
const RECIPE: u32 = 1;
/// What a process has before it works, and what a shard is written through.
const BASE_BYTES: u64 = 96 << 20;
/// What is in flight for each thread: chunks that wait, as they are and as they will be.
const FLIGHT_BYTES: u64 = 8 << 20;
/// The index of an opened input, and of a shard that is written, for each sample.
const INDEX_BYTES: u64 = 160;

/// Samples of a shard: the input, and the number among those that are selected of it.
type Chosen = Vec<(usize, u64)>;

/// An input of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PlannedInput {
    /// The address as it was given. Written plans leave out its signature.
    #[serde(serialize_with = "unsigned")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: String,
    /// Its identity: its length, where its samples lie, and what a few of them are like.
    pub identity: String,
    /// How many samples it has.
    pub samples: u64,
    /// How many of them the filter accepts; all, if there is none.
    pub selected: u64,
}

fn unsigned<S: serde::Serializer>(path: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&remote::unsigned(path))
}

impl PlannedInput {
    /// The address without its signature, for messages, digests and orders: signatures change every day.
    pub(super) fn shown(&self) -> String {
        display(self.path.as_ref())
    }
}

/// A set of shards before it is made: the inputs and what tells them from others, and the settings. Shard `i` has the
/// samples of [`range`](Self::range) `i` of one order over all inputs, so nothing else needs to be said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ShardPlan"))]
#[serde(try_from = "Said")]
pub struct Plan {
    forebay_shards: u32,
    settings: Settings,
    inputs: Vec<PlannedInput>,
    #[serde(skip)]
    samples: u64,
}

/// A plan as it was read.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Said {
    forebay_shards: u32,
    settings: Settings,
    inputs: Vec<PlannedInput>,
}

impl TryFrom<Said> for Plan {
    type Error = Error;

    fn try_from(said: Said) -> Result<Plan> {
        if said.forebay_shards != VERSION {
            let message = format!("this is version {} of plans, and {VERSION} is known here", said.forebay_shards);
            return Err(Error::new(&codes::PLAN, message));
        }
        if let Some(input) = said.inputs.iter().find(|input| input.selected > input.samples) {
            let message = format!("{} of {} samples are selected", input.selected, input.samples);
            return Err(Error::new(&codes::PLAN, message).file(input.shown()));
        }
        Plan::new(said.inputs, said.settings)
    }
}

impl Plan {
    pub(super) fn new(inputs: Vec<PlannedInput>, mut settings: Settings) -> Result<Plan> {
        if settings.name.is_empty() {
            settings.name = match inputs.as_slice() {
                [only] => Path::new(&only.shown()).file_stem().map_or_else(String::new, |stem| display(stem.as_ref())),
                _ => String::new(),
            };
            if settings.name.is_empty() {
                settings.name = "shard".into();
            }
        }
        settings.check()?;
        let mut plan = Plan { forebay_shards: VERSION, settings, inputs, samples: 0 };
        plan.samples = plan.order()?.epoch_samples();
        Ok(plan)
    }

    /// Reads what [`to_json`](Self::to_json) wrote.
    pub fn parse(text: &str) -> Result<Plan> {
        serde_json::from_str(text).map_err(|e| Error::caused(&codes::PLAN, format!("the plan does not read: {e}"), e))
    }

    /// The plan as one line of JSON.
    pub fn to_json(&self) -> String {
        // Words and numbers always serialize.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The inputs, in order.
    pub fn inputs(&self) -> &[PlannedInput] {
        &self.inputs
    }
    /// The settings, with the name that was found.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// How many shards there are.
    pub fn shards(&self) -> u64 {
        self.settings.shards
    }
    /// How many samples all shards have together.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns the name of a shard.
    pub fn name(&self, shard: u64) -> String {
        let Settings { name, shards, to, .. } = &self.settings;
        format!("{name}-{shard:05}-of-{shards:05}.{}", forebay::words::Word::word(*to))
    }

    /// The positions of a shard's samples in the order of all. Lengths differ by at most one.
    pub fn range(&self, shard: u64) -> Range<u64> {
        let bound = |shard: u64| (u128::from(self.samples) * u128::from(shard) / u128::from(self.shards())) as u64;
        bound(shard.min(self.shards()))..bound(shard.saturating_add(1).min(self.shards()))
    }

    /// About how many bytes of memory a process needs to make a shard on this many threads, samples of a few megabytes at
    /// most assumed.
    pub fn memory_bytes(&self, workers: usize) -> u64 {
        let shard = self.samples / self.shards() + 1;
        let open = match self.settings.shuffle {
            Some(_) => self.inputs.iter().fold(0_u64, |sum, input| sum.saturating_add(input.samples)),
            None => self.inputs.iter().map(|input| input.samples).max().unwrap_or(0),
        };
        let index = open.saturating_add(shard).saturating_mul(INDEX_BYTES);
        BASE_BYTES.saturating_add(FLIGHT_BYTES.saturating_mul(workers as u64 + 1)).saturating_add(index)
    }

    /// The order over what is selected of the inputs.
    pub(super) fn order(&self) -> Result<Order> {
        let source = |input: &PlannedInput| Source::new(input.shown(), input.selected);
        Order::new(self.inputs.iter().map(source).collect(), self.settings.order())
    }

    /// The samples of a shard, and the inputs that go into it.
    pub(super) fn samples_of(&self, order: &Order, shard: u64) -> Result<(Chosen, BTreeSet<usize>)> {
        if shard >= self.shards() {
            let message = format!("there are {} shards, so none has the number {shard}", self.shards());
            return Err(Error::new(&forebay::error::codes::ARGUMENT, message));
        }
        let epoch = order.epoch(0)?;
        let items = self.range(shard).filter_map(|position| epoch.item(position));
        let samples: Chosen = items.map(|item| (item.source, item.sample)).collect();
        // What stands beside the samples of all inputs stands in every shard of a shuffle.
        let inputs = match self.settings.shuffle {
            Some(_) => (0..self.inputs.len()).collect(),
            None => samples.iter().map(|(input, _)| *input).collect(),
        };
        Ok((samples, inputs))
    }

    /// An input as digests have it: by its name without folders, and by its identity.
    fn said(input: &PlannedInput) -> serde_json::Value {
        let shown = input.shown();
        let name = Path::new(&shown).file_name().map(|name| display(name.as_ref()));
        json!([name, input.identity, input.samples, input.selected])
    }

    /// A digest of the whole plan, which tells it from others whose shards have the same names.
    pub(super) fn mark(&self) -> String {
        let inputs: Vec<_> = self.inputs.iter().map(Self::said).collect();
        let Settings { shards, shuffle, blocks, .. } = &self.settings;
        sha256(json!([RECIPE, self.settings.recipe(), inputs, shards, shuffle, blocks]).to_string().as_bytes())
    }

    /// What a shard's bytes follow from, as a digest: with the same one it has the same bytes. Inputs count by their names
    /// without folders and by their identity; without a shuffle only those that the shard has samples of.
    pub(super) fn key(&self, order: &Order, shard: u64) -> Result<String> {
        let what = match self.settings.shuffle {
            Some(seed) => {
                let inputs: Vec<_> = self.inputs.iter().map(Self::said).collect();
                let range = self.range(shard);
                json!([inputs, seed, self.settings.blocks, range.start, range.end])
            }
            None => {
                let (samples, _) = self.samples_of(order, shard)?;
                // Those of one input follow each other.
                let pieces = samples.chunk_by(|a, b| a.0 == b.0).filter_map(|piece| {
                    let (first, last) = (piece.first()?, piece.last()?);
                    Some(json!([Self::said(self.inputs.get(first.0)?), first.1, last.1]))
                });
                pieces.collect()
            }
        };
        Ok(sha256(json!([RECIPE, self.settings.recipe(), what]).to_string().as_bytes()))
    }
}
