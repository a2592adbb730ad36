//! `forebay plan`: which samples each rank of a training run gets, in which order, and how many bytes that is. Nothing
//! but the index is read.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    error::codes,
    order::{Epoch, Item, Mix, Order, Settings, Shuffle, Source, Tail},
};
use forebay_native::{dataset::Dataset, select::matching_all};
use serde_json::{Value, json};

use super::filtering::{LimitArgs, filter, open, paths};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
    words::word,
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns: their samples follow each other as one dataset.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Ranks: the processes that share an epoch.
    #[arg(long, default_value_t = 1)]
    world: u64,
    /// Samples in a batch of one rank.
    #[arg(long, default_value_t = 64)]
    batch: u64,
    /// Shuffle, by this seed; without it samples come as they are stored.
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// Shuffle blocks of BLOCK neighbors, and samples inside windows of WINDOW blocks: BLOCKxWINDOW, such as 64x16.
    #[arg(long, value_name = "BLOCKxWINDOW", requires = "shuffle", value_parser = blocks)]
    blocks: Option<(u64, u64)>,
    /// What becomes of samples that do not fill a batch on every rank.
    #[arg(long, value_parser = word::<Tail>(), default_value = "drop")]
    tail: Tail,
    /// Draw from the files in these proportions instead of one after the other, such as 3,1.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', requires = "epoch_samples")]
    weights: Option<Vec<u32>>,
    /// With --weights: samples in an epoch.
    #[arg(long, value_name = "N", requires = "weights")]
    epoch_samples: Option<u64>,
    /// Which epoch.
    #[arg(long, default_value_t = 0)]
    epoch: u64,
    /// List this rank's batches instead of the sums of all ranks.
    #[arg(long)]
    rank: Option<u64>,
    /// With --rank: how many batches.
    #[arg(short = 'n', long = "lines", requires = "rank")]
    n: Option<u64>,
    /// With --rank: begin at this step.
    #[arg(long, default_value_t = 0, requires = "rank")]
    skip: u64,
    /// Only samples that this filter accepts, such as 'width >= 224 && cls == 3'.
    #[arg(long = "where", value_name = "FILTER")]
    filter: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn blocks(text: &str) -> Result<(u64, u64), String> {
    let pair = text.split_once('x').and_then(|(block, window)| Some((block.parse().ok()?, window.parse().ok()?)));
    pair.ok_or_else(|| "blocks are two numbers such as 64x16".into())
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let (limits, wanted) = (args.limits.limits(), filter(args.filter.as_deref())?);
    let datasets: Vec<Dataset> =
        paths(&args.files)?.iter().map(|path| open(path, &limits, false)).collect::<Result<_>>()?;
    let selected = wanted.as_ref().map(|filter| matching_all(&datasets, filter, |_| false)).transpose()?;
    let mut chosen = selected.map(|selected| selected.chosen.into_iter());
    let mut sources = Vec::with_capacity(datasets.len());
    for dataset in &datasets {
        let source = Source::new(dataset.name(), dataset.len());
        sources.push(match chosen.as_mut().and_then(Iterator::next) {
            Some(chosen) => source.select(chosen)?,
            None => source,
        });
    }
    let order = Order::new(sources, settings(args))?;
    let epoch = order.epoch(args.epoch)?;
    match args.rank {
        None => sums(args, &datasets, &order, &epoch, out),
        Some(rank) if rank < args.world => {
            list(args, &datasets, &epoch, rank, out);
            Ok(())
        }
        Some(rank) => Err(Error::new(&codes::ARGUMENT, format!("there is no rank {rank} of {}", args.world))),
    }?;
    Ok(Outcome::Fine)
}

fn settings(args: &Args) -> Settings {
    let shuffle = match (args.shuffle, args.blocks) {
        (None, _) => Shuffle::None,
        (Some(_), None) => Shuffle::Full,
        (Some(_), Some((block, window))) => Shuffle::Blocks { block, window },
    };
    let mut settings = Settings::default()
        .with_seed(args.shuffle.unwrap_or(0))
        .with_shuffle(shuffle)
        .with_batch(args.batch)
        .with_world(args.world)
        .with_tail(args.tail);
    if let (Some(weights), Some(epoch_samples)) = (&args.weights, args.epoch_samples) {
        settings = settings.with_mix(Mix { weights: weights.clone(), epoch_samples });
    }
    settings
}

/// Bytes of a sample as it is stored: what reading it moves.
fn bytes(datasets: &[Dataset], item: &Item) -> u64 {
    let range = datasets.get(item.source).and_then(|dataset| dataset.stored_range(item.sample));
    range.map_or(0, |range| range.end - range.start)
}

/// More ranks than this are not listed.
const MOST_RANKS: u64 = 1 << 20;

/// What one rank gets.
#[derive(Clone, Copy, Default)]
struct Share {
    batches: u64,
    samples: u64,
    padded: u64,
    bytes: u64,
}

fn sums(args: &Args, datasets: &[Dataset], order: &Order, epoch: &Epoch<'_>, out: &Output) -> Result<()> {
    if args.world > MOST_RANKS {
        let message = format!("the sums of {} ranks are too many to list; ask for one with --rank", args.world);
        return Err(Error::new(&codes::ARGUMENT, message));
    }
    let mut ranks = Vec::new();
    for rank in 0..args.world {
        let mut share = Share::default();
        for step in 0..epoch.steps() {
            let before = share.samples;
            for item in epoch.batch(step, rank) {
                share.samples += 1;
                share.padded += u64::from(item.padded);
                share.bytes += bytes(datasets, &item);
            }
            share.batches += u64::from(share.samples > before);
        }
        ranks.push(share);
    }
    let total = |of: fn(&Share) -> u64| ranks.iter().map(of).sum::<u64>();
    let left_out = order.epoch_samples() - (total(|s| s.samples) - total(|s| s.padded)).min(order.epoch_samples());
    if out.json() {
        let files: Vec<Value> = datasets
            .iter()
            .zip(order.sources())
            .map(|(d, s)| json!({ "file": d.name(), "samples": d.len(), "selected": s.selected() }))
            .collect();
        let ranks: Vec<Value> = ranks
            .iter()
            .enumerate()
            .map(|(rank, s)| {
                json!({ "rank": rank, "batches": s.batches, "samples": s.samples, "padded": s.padded, "bytes": s.bytes })
            })
            .collect();
        out.value(&json!({
            "epoch": args.epoch,
            "files": files,
            "shuffle": order.settings().shuffle,
            "seed": args.shuffle,
            "tail": order.settings().tail,
            "batch": args.batch,
            "world": args.world,
            "samples": order.epoch_samples(),
            "steps": order.steps(),
            "left_out": left_out,
            "ranks": ranks,
        }));
        return Ok(());
    }
    for (dataset, source) in datasets.iter().zip(order.sources()) {
        let (name, of) = (printable(dataset.name()), human::count(dataset.len()));
        match source.selected() {
            n if n == dataset.len() => out.line(format!("{name}: {of} samples")),
            n => out.line(format!("{name}: {} of {of} samples", human::count(n))),
        }
    }
    let global = u128::from(args.batch) * u128::from(args.world);
    let steps = match order.steps() {
        1 => "1 step".to_owned(),
        n => format!("{} steps", human::count(n)),
    };
    out.line(format!("epoch {}: {steps} of {} × {} = {global} samples", args.epoch, args.world, args.batch));
    if left_out > 0 {
        out.line(format!("left out of this epoch: {} samples", human::count(left_out)));
    }
    out.line("");
    out.line(format!("{:>6} {:>10} {:>12} {:>10} {:>12}", "rank", "batches", "samples", "padded", "bytes"));
    for (rank, share) in ranks.iter().enumerate() {
        let [batches, samples, padded] = [share.batches, share.samples, share.padded].map(human::count);
        let bytes = human::bytes(share.bytes);
        out.line(format!("{rank:>6} {batches:>10} {samples:>12} {padded:>10} {bytes:>12}"));
    }
    out.line("");
    out.line("--rank R lists the batches of one rank with their samples, in order");
    Ok(())
}

fn list(args: &Args, datasets: &[Dataset], epoch: &Epoch<'_>, rank: u64, out: &Output) {
    let end = args.n.map_or(epoch.steps(), |n| epoch.steps().min(args.skip.saturating_add(n)));
    for step in args.skip..end {
        let items: Vec<Item> = epoch.batch(step, rank).collect();
        if items.is_empty() {
            continue;
        }
        let size: u64 = items.iter().map(|item| bytes(datasets, item)).sum();
        let padded = items.iter().filter(|item| item.padded).count();
        let indices: Vec<u64> = items.iter().map(|item| item.index).collect();
        if out.json() {
            out.value(&json!({
                "epoch": args.epoch, "rank": rank, "step": step, "bytes": size, "padded": padded, "indices": indices,
            }));
        } else {
            let text: Vec<String> = indices.iter().map(u64::to_string).collect();
            let more = if padded > 0 { format!(" ({padded} padded)") } else { String::new() };
            out.line(format!("{step}: {}{more}: {}", human::bytes(size), text.join(" ")));
        }
    }
}
