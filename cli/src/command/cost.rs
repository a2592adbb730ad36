//! `forebay plan --cost`: what an epoch costs that is read from elsewhere, in the orders that there are.

use std::time::Duration;

use forebay::Result;
use forebay_native::{
    cost::{Cost, Link, cost},
    dataset::Dataset,
    plan::{Plan, Run},
};
use serde::Serialize;

use super::cache::CacheArgs;
use crate::{human, output::Output};

/// Blocks of neighbors and windows of blocks, unless others are given.
const BLOCKS: (u64, u64) = (64, 16);

/// The heading of the options that need `--cost`.
const OF_COST: &str = "With --cost";

#[derive(Debug, clap::Args)]
pub(super) struct CostArgs {
    /// Estimate requests, bytes and time of a remote epoch.
    ///
    /// Compares all orders, with and without a cache. Reads only the index.
    #[arg(long, conflicts_with_all = ["n", "skip"])]
    pub cost: bool,
    /// Time until a response begins, such as 50ms.
    #[arg(long, help_heading = OF_COST, hide_short_help = true, value_name = "TIME", requires = "cost", value_parser = human::parse_time, default_value = "50ms")]
    latency: Duration,
    /// Bandwidth of the link, such as 1Gb/s or 100MB/s.
    #[arg(long, help_heading = OF_COST, hide_short_help = true, value_name = "RATE", requires = "cost", value_parser = human::parse_rate, default_value = "1Gb/s")]
    link: u64,
}

/// An order, with the words for it.
struct Way {
    order: &'static str,
    run: Run,
}

impl CostArgs {
    pub fn run(
        &self,
        (datasets, filter): (&[Dataset], Option<&forebay::filter::Filter>),
        (run, epoch, rank): (&Run, u64, u64),
        (cache, out): (&CacheArgs, &Output),
    ) -> Result<()> {
        let mut link = Link::default();
        (link.latency, link.bits_per_second) = (self.latency, self.link);
        let (block, window) = run.blocks.unwrap_or(BLOCKS);
        let way = |order, shuffle: Option<u64>, blocks| {
            let mut way = run.clone();
            (way.shuffle, way.blocks) = (shuffle, blocks);
            Way { order, run: way }
        };
        let seed = Some(run.shuffle.unwrap_or(0));
        let ways = [way("stored", None, None), way("full", seed, None), way("blocks", seed, Some((block, window)))];
        let (mut rows, mut steps) = (Vec::new(), 0);
        for Way { order, run } in ways {
            let plan = Plan::new(datasets.to_vec(), filter, &run)?;
            steps = plan.order().steps();
            for bytes in [None, Some(cache.bytes())] {
                let [first, later] = cost(&plan, (epoch, rank), &link, bytes)?;
                rows.push(WayCost { order, cache: bytes.is_some(), first, later });
            }
        }
        match out.json() {
            true => out.value(&Costs {
                epoch,
                rank,
                world: run.world,
                steps,
                latency_seconds: link.latency.as_secs_f64(),
                bits_per_second: link.bits_per_second,
                cache_bytes: cache.bytes(),
                blocks: Blocks { block, window },
                costs: rows,
            }),
            false => {
                out.line(format!(
                    "rank {rank} of {}, each request {:?}, {}b/s",
                    run.world,
                    link.latency,
                    si(link.bits_per_second)
                ));
                out.line("");
                let head = ["order", "cache", "epoch", "requests", "bytes", "at least"];
                out.line(row(head.map(str::to_owned)));
                for WayCost { order, cache, first, later } in rows {
                    let order = if order == "blocks" { format!("{block}x{window}") } else { order.to_owned() };
                    let cache = if cache { "empty" } else { "none" };
                    out.line(line(&order, cache, "first", &first));
                    // Without a cache they are alike.
                    if cache == "empty" {
                        out.line(line(&order, "filled", "later", &later));
                    }
                }
                out.line("");
                out.line("opening the files, and labels from their metadata, come on top");
                if steps == 0 {
                    // Nothing is read, which does not make the epoch a cheap one.
                    out.note("note: the epoch has no step, since the samples do not fill a batch on every rank; see --batch, --tail");
                }
            }
        }
        Ok(())
    }
}

/// The cost of epochs in several orders.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlanCost"))]
pub(super) struct Costs {
    /// Which epoch.
    epoch: u64,
    /// Which rank.
    rank: u64,
    /// How many ranks there are.
    world: u64,
    /// Steps of the epoch.
    steps: u64,
    /// Seconds until the first byte of an answer.
    latency_seconds: f64,
    /// Bits that come in a second.
    bits_per_second: u64,
    /// Bytes that the cache holds.
    cache_bytes: u64,
    /// The blocks of the order `blocks`.
    blocks: Blocks,
    /// Each order, without a cache and with one.
    costs: Vec<WayCost>,
}

/// Samples that are shuffled in blocks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CostBlocks"))]
struct Blocks {
    /// Samples of a block.
    block: u64,
    /// Blocks of a window.
    window: u64,
}

/// The cost of an order.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OrderCost"))]
struct WayCost {
    /// As samples are `stored`, shuffled in `full`, or in `blocks`.
    order: &'static str,
    /// Whether there is a cache.
    cache: bool,
    /// The first epoch, with which an empty cache fills.
    first: Cost,
    /// A later one.
    later: Cost,
}

fn row([order, cache, epoch, requests, bytes, time]: [String; 6]) -> String {
    format!("{order:<10} {cache:<7} {epoch:<6} {requests:>12} {bytes:>10} {time:>10}")
}

fn line(order: &str, cache: &str, epoch: &str, cost: &Cost) -> String {
    let time = human::seconds(cost.seconds);
    row([order, cache, epoch, &human::count(cost.requests), &human::bytes(cost.bytes), &time].map(str::to_owned))
}

/// A rate of bits with a unit.
fn si(bits: u64) -> String {
    human::bytes(bits).trim_end_matches('B').trim_end().to_owned()
}
