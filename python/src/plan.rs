//! Which samples each rank of a training run gets, in which order, and how many bytes that is. Only the index is read, unless
//! samples are filtered or drawn by their metadata.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    filter::Filter,
    order::{Epoch, Item, Mix, Order, Settings, Shuffle, Source},
};
use forebay_native::{Dataset, OpenOptions, input::expand, loader::Loader, select::matching_all};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    options::{optional, parse},
    wait::{Wire, long},
};

/// More ranks than this are not listed.
const MOST_RANKS: u64 = 1 << 20;

/// The run that is planned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    world: u64,
    batch: u64,
    shuffle: Option<u64>,
    blocks: Option<(u64, u64)>,
    tail: Option<String>,
    weights: Option<Vec<u32>>,
    epoch_samples: Option<u64>,
    weight_by: Option<String>,
    balanced: Option<String>,
    draws: Option<u64>,
    repeated: u64,
    epoch: u64,
    rank: Option<u64>,
    steps: Option<(u64, u64)>,
    #[serde(rename = "where")]
    filter: Option<String>,
}

impl Wanted {
    fn settings(&self) -> Result<Settings> {
        let refuse = |what: &str| Err(Error::new(&ARGUMENT, what));
        let shuffle = match (self.shuffle, self.blocks) {
            (None, Some(_)) => return refuse("`blocks` says how to shuffle, and `shuffle` is not given"),
            (None, None) => Shuffle::None,
            (Some(_), None) => Shuffle::Full,
            (Some(_), Some((block, window))) => Shuffle::Blocks { block, window },
        };
        let mut settings = Settings::default()
            .with_seed(self.shuffle.unwrap_or(0))
            .with_shuffle(shuffle)
            .with_batch(self.batch)
            .with_world(self.world)
            .with_tail(optional("tail", self.tail.as_deref())?.unwrap_or_default())
            .with_repeats(self.repeated);
        settings.draws = self.draws;
        settings = match (&self.weights, self.epoch_samples) {
            (Some(weights), Some(epoch_samples)) => settings.with_mix(Mix { weights: weights.clone(), epoch_samples }),
            (None, None) => settings,
            _ => return refuse("`weights` and `epoch_samples` are given together"),
        };
        Ok(settings)
    }

    /// The order, for which the index is enough but for what the filter asks.
    fn of_index(&self, datasets: &[Dataset]) -> Result<Order> {
        let filter = self.filter.as_deref().map(Filter::parse).transpose()?;
        let selected = filter.as_ref().map(|filter| matching_all(datasets, filter, |_| false)).transpose()?;
        let mut chosen = selected.map(|selected| selected.chosen.into_iter());
        let mut sources = Vec::with_capacity(datasets.len());
        for dataset in datasets {
            let source = Source::new(dataset.name(), dataset.len());
            sources.push(match chosen.as_mut().and_then(Iterator::next) {
                Some(chosen) => source.select(chosen)?,
                None => source,
            });
        }
        Order::new(sources, self.settings()?)
    }

    /// The order of a loader, which reads weights and classes of every selected sample.
    fn of_loader(&self, inputs: &[String]) -> Result<Order> {
        let Settings { seed, shuffle, tail, mix, .. } = self.settings()?;
        let builder = Loader::open_all(inputs)?.workers(1).allow_empty(true).repeated(self.repeated);
        let mut builder = builder.batch(self.batch).shard(0, self.world).tail(tail);
        builder = match shuffle {
            Shuffle::Full => builder.shuffle(seed),
            Shuffle::Blocks { block, window } => builder.shuffle_blocks(seed, block, window),
            _ => builder,
        };
        if let Some(filter) = &self.filter {
            builder = builder.filter(filter)?;
        }
        if let Some(mix) = mix {
            builder = builder.mix(mix.weights, mix.epoch_samples);
        }
        if let Some(draws) = self.draws {
            builder = builder.draws(draws);
        }
        if let Some(field) = &self.weight_by {
            builder = builder.weights(field.as_str());
        }
        if let Some(field) = &self.balanced {
            builder = builder.balanced(field.as_str());
        }
        Ok(builder.build()?.order().clone())
    }
}

/// The plan as JSON text: what every rank gets, or the batches of one.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, inputs: Vec<String>, options: String) -> PyResult<String> {
    long(py, None, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let open = |path: &PathBuf| Dataset::open_with(path, &OpenOptions::default());
        let datasets = expand(&inputs)?.iter().map(open).collect::<Result<Vec<_>>>()?;
        let by_metadata = wanted.weight_by.is_some() || wanted.balanced.is_some();
        let order = if by_metadata { wanted.of_loader(&inputs)? } else { wanted.of_index(&datasets)? };
        let epoch = order.epoch(wanted.epoch)?;
        let mut found = json!({
            "epoch": wanted.epoch,
            "world": wanted.world,
            "batch": wanted.batch,
            "samples": order.epoch_samples(),
            "steps": order.steps(),
            "files": datasets.iter().zip(order.sources()).map(|(dataset, source)| {
                json!({ "file": dataset.name(), "samples": dataset.len(), "selected": source.selected() })
            }).collect::<Vec<_>>(),
        });
        match wanted.rank {
            Some(rank) if rank < wanted.world => found["batches"] = batches(&wanted, &datasets, &epoch, rank, wire),
            Some(rank) => {
                return Err(Error::new(&ARGUMENT, format!("there is no rank {rank} of {}", wanted.world)));
            }
            None => {
                let (ranks, left_out) = ranks(&wanted, &datasets, &order, &epoch, wire)?;
                (found["ranks"], found["left_out"]) = (ranks, left_out.into());
            }
        }
        Ok(found.to_string())
    })
}

/// Bytes of a sample as it is stored: what reading it moves.
fn bytes(datasets: &[Dataset], item: &Item) -> u64 {
    let range = datasets.get(item.source).and_then(|dataset| dataset.stored_range(item.sample));
    range.map_or(0, |range| range.end - range.start)
}

/// What each rank gets, and how many samples none does.
fn ranks(wanted: &Wanted, datasets: &[Dataset], order: &Order, epoch: &Epoch<'_>, wire: &Wire) -> Result<(Value, u64)> {
    if wanted.world > MOST_RANKS {
        let message = format!("{} ranks are too many to list; ask for one with `rank`", wanted.world);
        return Err(Error::new(&ARGUMENT, message));
    }
    let (mut ranks, mut unique) = (Vec::new(), 0);
    for rank in 0..wanted.world {
        let (mut batches, mut samples, mut padded, mut size) = (0_u64, 0_u64, 0_u64, 0_u64);
        for step in 0..epoch.steps() {
            wire.tell(step, None);
            let before = samples;
            for item in epoch.batch(step, rank) {
                samples += 1;
                padded += u64::from(item.padded);
                size += bytes(datasets, &item);
            }
            batches += u64::from(samples > before);
        }
        unique += samples - padded;
        ranks.push(json!({ "rank": rank, "batches": batches, "samples": samples, "padded": padded, "bytes": size }));
    }
    Ok((ranks.into(), order.epoch_samples().saturating_sub(unique)))
}

/// The batches of one rank.
fn batches(wanted: &Wanted, datasets: &[Dataset], epoch: &Epoch<'_>, rank: u64, wire: &Wire) -> Value {
    let (from, to) = wanted.steps.unwrap_or((0, u64::MAX));
    let of = |step: u64| {
        wire.tell(step, None);
        let items: Vec<Item> = epoch.batch(step, rank).collect();
        let indices: Vec<u64> = items.iter().map(|item| item.index).collect();
        let size: u64 = items.iter().map(|item| bytes(datasets, item)).sum();
        let padded = items.iter().filter(|item| item.padded).count();
        json!({ "step": step, "bytes": size, "padded": padded, "indices": indices })
    };
    (from..to.min(epoch.steps())).map(of).collect()
}
