//! Which samples each rank of a training run gets, in which order, and how many bytes reading them moves. Only indexes are
//! read, unless samples are filtered or drawn by their metadata.

use std::ops::Range;

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    filter::Filter,
    order::{Epoch, Item, Order, Settings, Source, Tail},
};
use serde::{Deserialize, Serialize};

use crate::{
    Dataset,
    loader::{Builder, Loader},
    select::matching_all,
};

/// More ranks than this are not listed.
const MOST_RANKS: u64 = 1 << 20;
/// Epochs of more samples than this are not added up: it would take many minutes.
const MOST_SAMPLES: u64 = 10_000_000_000;

/// Batches of more samples than this are not listed: they would not fit into memory.
const MOST_LISTED: u64 = 1 << 27;

/// The run that is planned.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Run {
    /// Processes that share an epoch.
    pub world: u64,
    /// Samples in a batch of one rank.
    pub batch: u64,
    /// The seed of the shuffle; without it samples come as they are stored.
    pub shuffle: Option<u64>,
    /// Samples of a block and blocks of a window, where not all are mixed with all.
    pub blocks: Option<(u64, u64)>,
    /// What becomes of samples that do not fill a batch on every rank.
    pub tail: Tail,
    /// The files' proportions; without them they follow each other.
    pub weights: Option<Vec<u32>>,
    /// Samples of an epoch, with weights.
    pub epoch_samples: Option<u64>,
    /// Samples are drawn as often as this field weighs them.
    pub weight_by: Option<String>,
    /// Samples of every class come equally often, by this field.
    pub balanced: Option<String>,
    /// Samples of an epoch, where not each comes once.
    pub draws: Option<u64>,
    /// How often each sample comes in its step.
    pub repeated: u64,
}

impl Default for Run {
    /// One rank, with batches of 64 samples in stored order.
    fn default() -> Run {
        Run::new(1, 64)
    }
}

impl Run {
    /// In stored order, for `world` ranks with batches of `batch` samples.
    pub fn new(world: u64, batch: u64) -> Run {
        Run {
            world,
            batch,
            shuffle: None,
            blocks: None,
            tail: Tail::default(),
            weights: None,
            epoch_samples: None,
            weight_by: None,
            balanced: None,
            draws: None,
            repeated: 1,
        }
    }

    /// What the order is made of.
    pub fn settings(&self) -> Result<Settings> {
        self.over(Builder::new(Vec::new(), Vec::new()), 0)?.order_settings()
    }

    /// A loader's settings with this order, for one of its ranks.
    pub fn loader(&self, builder: Builder, rank: u64) -> Result<Builder> {
        if rank >= self.world {
            return Err(no_rank(rank, self.world));
        }
        self.over(builder, rank)
    }

    fn over(&self, builder: Builder, rank: u64) -> Result<Builder> {
        let refuse = |what: &str| Err(Error::new(&ARGUMENT, what));
        let mut builder = builder.batch(self.batch).shard(rank, self.world).tail(self.tail).repeated(self.repeated);
        builder = match (self.shuffle, self.blocks) {
            (None, Some(_)) => return refuse("blocks say how to shuffle, and no seed says that it is to be done"),
            (None, None) => builder,
            (Some(seed), None) => builder.shuffle(seed),
            (Some(seed), Some((block, window))) => builder.shuffle_blocks(seed, block, window),
        };
        builder = match (&self.weights, self.epoch_samples) {
            (Some(weights), Some(samples)) => builder.mix(weights.clone(), samples),
            (None, None) => builder,
            _ => return refuse("weights and the samples of an epoch are given together, or neither"),
        };
        if let Some(draws) = self.draws {
            builder = builder.draws(draws);
        }
        if let Some(field) = &self.weight_by {
            builder = builder.weights(field.as_str());
        }
        if let Some(field) = &self.balanced {
            builder = builder.balanced(field.as_str());
        }
        Ok(builder)
    }
}

fn no_rank(rank: u64, world: u64) -> Error {
    Error::new(&ARGUMENT, format!("there is no rank {rank} of {world}"))
}

/// A run over these datasets.
#[derive(Debug)]
pub struct Plan {
    datasets: Vec<Dataset>,
    order: Order,
}

/// What one rank gets of an epoch.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// Which rank.
    pub rank: u64,
    /// Its batches.
    pub batches: u64,
    /// Its samples.
    pub samples: u64,
    /// Samples that are there twice, so that all ranks have as many.
    pub padded: u64,
    /// Bytes that reading them moves.
    pub bytes: u64,
}

/// What all ranks get of an epoch.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shares {
    /// Samples that no rank gets.
    pub left_out: u64,
    /// Every rank's share.
    pub ranks: Vec<Share>,
}

/// One batch of one rank.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannedBatch"))]
pub struct Batch {
    /// Which step of the epoch.
    pub step: u64,
    /// Bytes that reading it moves.
    pub bytes: u64,
    /// Samples that only fill the tail.
    pub padded: usize,
    /// The samples' numbers among all samples of all datasets.
    pub indices: Vec<u64>,
}

impl Plan {
    /// Those samples of the datasets, which follow each other, that the filter accepts.
    pub fn new(datasets: Vec<Dataset>, filter: Option<&Filter>, run: &Run) -> Result<Plan> {
        let settings = run.settings()?;
        let selected = filter.map(|filter| matching_all(&datasets, filter, |_| false)).transpose()?;
        let chosen = selected.map(|selected| selected.chosen);
        let order = if run.weight_by.is_some() || run.balanced.is_some() {
            by_metadata(&datasets, chosen, run)?
        } else {
            by_index(&datasets, chosen, settings)?
        };
        Ok(Plan { datasets, order })
    }

    /// The order of the samples.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Every dataset, and how many of its samples are wanted.
    pub fn files(&self) -> impl Iterator<Item = (&Dataset, u64)> {
        self.datasets.iter().zip(self.order.sources().iter().map(Source::selected))
    }

    /// What each rank gets of an epoch. `at` is told every step of every rank.
    pub fn shares(&self, epoch: u64, at: &mut dyn FnMut(u64)) -> Result<Shares> {
        let world = self.order.settings().world;
        if world > MOST_RANKS {
            return Err(Error::new(&ARGUMENT, format!("the sums of {world} ranks are too many to list: ask for one")));
        }
        self.refuse_endless()?;
        let epoch = self.order.epoch(epoch)?;
        let (mut ranks, mut given) = (Vec::new(), 0_u64);
        for rank in 0..world {
            let mut share = Share { rank, batches: 0, samples: 0, padded: 0, bytes: 0 };
            for step in 0..epoch.steps() {
                at(step);
                let before = share.samples;
                for item in epoch.batch(step, rank) {
                    share.samples += 1;
                    share.padded += u64::from(item.padded);
                    share.bytes = share.bytes.saturating_add(self.bytes(&item));
                }
                share.batches += u64::from(share.samples > before);
            }
            given += share.samples - share.padded;
            ranks.push(share);
        }
        Ok(Shares { left_out: self.order.epoch_samples().saturating_sub(given), ranks })
    }

    /// Refuses what looks at every sample of an epoch, if nobody would wait for that.
    pub(crate) fn refuse_endless(&self) -> Result<()> {
        let settings = self.order.settings();
        let samples = self.order.steps().saturating_mul(settings.batch).saturating_mul(settings.world);
        match samples > MOST_SAMPLES {
            true => Err(Error::new(
                &ARGUMENT,
                format!("an epoch of {samples} samples is too long to be added up: list the first batches of a rank"),
            )),
            false => Ok(()),
        }
    }

    /// The batches of one rank, of these steps of an epoch, one at a time. Steps without a sample for it are passed over.
    pub fn batches(&self, epoch: u64, rank: u64, steps: Range<u64>) -> Result<impl Iterator<Item = Batch>> {
        let (epoch, world) = (self.order.epoch(epoch)?, self.order.settings().world);
        if rank >= world {
            return Err(no_rank(rank, world));
        }
        let steps = steps.start..steps.end.min(epoch.steps());
        // None behind the first is larger.
        let first = epoch.positions(steps.start, rank);
        let samples = first.end - first.start;
        if samples > MOST_LISTED {
            let message = format!("a batch of {samples} samples is too long to be listed: plan a smaller one");
            return Err(Error::new(&ARGUMENT, message));
        }
        Ok(steps.filter_map(move |step| self.batch(&epoch, step, rank)))
    }

    fn batch(&self, epoch: &Epoch<'_>, step: u64, rank: u64) -> Option<Batch> {
        let items: Vec<Item> = epoch.batch(step, rank).collect();
        let bytes = items.iter().fold(0_u64, |sum, item| sum.saturating_add(self.bytes(item)));
        let padded = items.iter().filter(|item| item.padded).count();
        let indices: Vec<u64> = items.iter().map(|item| item.index).collect();
        (!indices.is_empty()).then_some(Batch { step, bytes, padded, indices })
    }

    /// Bytes of a sample as it is stored: what reading it moves.
    fn bytes(&self, item: &Item) -> u64 {
        let range = self.datasets.get(item.source).and_then(|dataset| dataset.stored_range(item.sample));
        range.map_or(0, |range| range.end.saturating_sub(range.start))
    }
}

/// The order for which it is enough to know how many samples there are, and which are wanted.
fn by_index(datasets: &[Dataset], chosen: Option<Vec<Vec<u64>>>, settings: Settings) -> Result<Order> {
    let mut chosen = chosen.map(Vec::into_iter);
    let mut sources = Vec::with_capacity(datasets.len());
    for dataset in datasets {
        let source = Source::new(dataset.name(), dataset.len());
        sources.push(match chosen.as_mut().and_then(Iterator::next) {
            Some(chosen) => source.select(chosen)?,
            None => source,
        });
    }
    Order::new(sources, settings)
}

/// The order of a loader, which reads weights or classes of every wanted sample.
fn by_metadata(datasets: &[Dataset], chosen: Option<Vec<Vec<u64>>>, run: &Run) -> Result<Order> {
    let mut builder = run.over(Loader::over(datasets.iter().cloned())?, 0)?.workers(1).allow_empty(true);
    if let Some(chosen) = chosen {
        // A loader counts through all datasets.
        let firsts = datasets.iter().scan(0_u64, |next, dataset| {
            let first = *next;
            *next += dataset.len();
            Some(first)
        });
        let samples = firsts.zip(chosen).flat_map(|(first, chosen)| chosen.into_iter().map(move |i| first + i));
        builder = builder.samples(samples.collect::<Vec<u64>>());
    }
    Ok(builder.build()?.order().clone())
}
