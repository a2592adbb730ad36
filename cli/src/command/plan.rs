//! `forebay plan`: which samples each rank of a training run gets, in which order, and how many bytes that is. Nothing
//! but the index is read, unless samples are filtered or drawn by their metadata.

use std::path::PathBuf;

use forebay::{
    Result,
    order::{Shuffle, Tail},
};
use forebay_native::{
    dataset::Dataset,
    plan::{Batch, Plan, Run, Share, Shares},
};
use serde::Serialize;

use super::{
    cache::CacheArgs,
    cost::CostArgs,
    filtering::{LimitArgs, filter, open, paths},
    simulate::SimulateArgs,
};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
    progress::Meter,
    words::{setting, word},
};

/// Steps between two looks at how far adding up is.
const TOLD: u64 = 4096;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns, read as one dataset.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, help = setting("world"), value_name = "N", default_value_t = 1)]
    world: u64,
    #[arg(long, help = setting("batch"), value_name = "N", default_value_t = 64)]
    batch: u64,
    #[arg(long, help = setting("shuffle"), value_name = "SEED")]
    shuffle: Option<u64>,
    /// Shuffle blocks of B samples in windows of W blocks.
    ///
    /// 64x16 shuffles blocks of 64 adjacent samples, and then the samples within each window of 16 blocks.
    #[arg(long, value_name = "BxW", requires = "shuffle", value_parser = blocks)]
    blocks: Option<(u64, u64)>,
    #[arg(long, help = setting("tail"), value_name = "MODE", value_parser = word::<Tail>(), default_value = "drop")]
    tail: Tail,
    /// Mix the files in these proportions, such as 3,1.
    ///
    /// Without it, each file follows the one before.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', requires = "epoch_samples")]
    weights: Option<Vec<u32>>,
    /// Samples per epoch, with --weights.
    #[arg(long, value_name = "N", requires = "weights")]
    epoch_samples: Option<u64>,
    /// Draw samples by weight, from this field.
    ///
    /// Without it, each sample is drawn once.
    #[arg(long, value_name = "FIELD", conflicts_with = "balanced")]
    weight_by: Option<String>,
    #[arg(long, help = setting("balanced"), value_name = "FIELD")]
    balanced: Option<String>,
    #[arg(long, help = setting("draws"), value_name = "N")]
    draws: Option<u64>,
    #[arg(long, help = setting("repeated"), hide_short_help = true, value_name = "TIMES", default_value_t = 1)]
    repeated: u64,
    /// Epoch to plan.
    #[arg(long, value_name = "N", default_value_t = 0)]
    epoch: u64,
    /// List the batches of this rank instead of totals.
    #[arg(long, value_name = "N")]
    rank: Option<u64>,
    /// Batches to list, with --rank.
    #[arg(short = 'n', long = "lines", requires = "rank")]
    n: Option<u64>,
    /// First step to list, with --rank.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "rank")]
    skip: u64,
    #[arg(long = "where", help = setting("where"), alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    #[command(flatten)]
    cost: CostArgs,
    #[command(flatten)]
    simulate: SimulateArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn blocks(text: &str) -> Result<(u64, u64), String> {
    let pair = text.split_once('x').and_then(|(block, window)| Some((block.parse().ok()?, window.parse().ok()?)));
    pair.ok_or_else(|| "blocks are two numbers such as 64x16".into())
}

pub(super) fn run(args: &Args, cache: &CacheArgs, out: &Output) -> Result<Outcome> {
    if args.simulate.simulate {
        let what = (args.files.as_slice(), args.filter.as_deref(), args.limits.limits());
        args.simulate.run(what, (&wish(args), args.rank.unwrap_or(0)), out)?;
        return Ok(Outcome::Fine);
    }
    let (limits, wanted) = (args.limits.limits(), filter(args.filter.as_deref())?);
    let datasets: Vec<Dataset> =
        paths(&args.files)?.iter().map(|path| open(path, &limits, false)).collect::<Result<_>>()?;
    if args.cost.cost {
        let rank = args.rank.unwrap_or(0);
        args.cost.run((&datasets, wanted.as_ref()), (&wish(args), args.epoch, rank), (cache, out))?;
        return Ok(Outcome::Fine);
    }
    let plan = Plan::new(datasets, wanted.as_ref(), &wish(args))?;
    match args.rank {
        None => sums(args, &plan, out),
        Some(rank) => list(args, &plan, rank, out),
    }?;
    Ok(Outcome::Fine)
}

fn wish(args: &Args) -> Run {
    let mut run = Run::new(args.world, args.batch);
    (run.shuffle, run.blocks, run.tail) = (args.shuffle, args.blocks, args.tail);
    (run.weights, run.epoch_samples) = (args.weights.clone(), args.epoch_samples);
    (run.weight_by, run.balanced) = (args.weight_by.clone(), args.balanced.clone());
    (run.draws, run.repeated) = (args.draws, args.repeated);
    run
}

/// An epoch of all ranks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Plan"))]
pub(super) struct Epoch {
    /// Which epoch.
    epoch: u64,
    /// The files, in their order.
    files: Vec<File>,
    /// How samples are shuffled.
    shuffle: Shuffle,
    /// The seed; null if nothing is shuffled.
    seed: Option<u64>,
    /// The rule for samples that do not fill a batch on every rank.
    tail: Tail,
    /// Samples of a batch.
    batch: u64,
    /// How many ranks there are.
    world: u64,
    /// Samples of the epoch.
    samples: u64,
    /// Steps of the epoch.
    steps: u64,
    /// Samples that no rank gets.
    left_out: u64,
    /// Every rank's share.
    ranks: Vec<Share>,
}

/// A file of an epoch.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannedFile"))]
struct File {
    /// Its name.
    file: String,
    /// Samples in it.
    samples: u64,
    /// Samples of it that the filter accepts.
    selected: u64,
}

/// A batch of a rank.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlanBatch"))]
pub(super) struct OfRank {
    /// Which epoch.
    epoch: u64,
    /// Which rank.
    rank: u64,
    #[serde(flatten)]
    batch: Batch,
}

fn sums(args: &Args, plan: &Plan, out: &Output) -> Result<()> {
    let mut meter = Meter::of_steps(out, "adding up");
    let (world, steps) = (args.world, plan.order().steps());
    let mut done = 0;
    let Shares { left_out, ranks } = plan.shares(args.epoch, &mut |_| {
        done += 1;
        if done % TOLD == 0 {
            meter.count(done, Some(steps.saturating_mul(world)));
        }
    })?;
    drop(meter);
    let order = plan.order();
    if out.json() {
        let file = |(d, selected): (&Dataset, u64)| File { file: d.name().to_owned(), samples: d.len(), selected };
        out.value(&Epoch {
            epoch: args.epoch,
            files: plan.files().map(file).collect(),
            shuffle: order.settings().shuffle,
            seed: args.shuffle,
            tail: order.settings().tail,
            batch: args.batch,
            world: args.world,
            samples: order.epoch_samples(),
            steps: order.steps(),
            left_out,
            ranks,
        });
        return Ok(());
    }
    for (dataset, selected) in plan.files() {
        let (name, of) = (printable(dataset.name()), human::count(dataset.len()));
        match selected {
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
    for share in &ranks {
        let rank = share.rank;
        let [batches, samples, padded] = [share.batches, share.samples, share.padded].map(human::count);
        let bytes = human::bytes(share.bytes);
        out.line(format!("{rank:>6} {batches:>10} {samples:>12} {padded:>10} {bytes:>12}"));
    }
    out.line("");
    out.line("--rank R lists the batches of one rank with their samples, in order");
    Ok(())
}

fn list(args: &Args, plan: &Plan, rank: u64, out: &Output) -> Result<()> {
    let end = args.n.map_or(u64::MAX, |n| args.skip.saturating_add(n));
    for batch in plan.batches(args.epoch, rank, args.skip..end)? {
        if out.json() {
            out.value(&OfRank { epoch: args.epoch, rank, batch });
        } else {
            let Batch { step, bytes, padded, indices } = batch;
            let text: Vec<String> = indices.iter().map(u64::to_string).collect();
            let more = if padded > 0 { format!(" ({padded} padded)") } else { String::new() };
            out.line(format!("{step}: {}{more}: {}", human::bytes(bytes), text.join(" ")));
        }
    }
    Ok(())
}
