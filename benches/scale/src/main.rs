//! `forebay-scale`: what an epoch from an object store costs.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use forebay_scale::{
    job::{Job, Ordering},
    outcome::Outcome,
    parameters::Parameters,
    run::{Sample, run},
};
use serde_json::json;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    /// As samples are stored.
    Stored,
    /// All with all.
    Full,
    /// Blocks of neighbors.
    Blocks,
}

/// What reading a dataset from an object store costs 1 to 10,000 workers, simulated: time, requests, bytes and cents.
#[derive(Debug, Parser)]
struct Options {
    /// Processes that share an epoch.
    #[arg(long, default_value_t = 1)]
    workers: u64,
    /// Bytes of all samples.
    #[arg(long, default_value_t = 100_000_000_000)]
    bytes: u64,
    /// Bytes of a sample.
    #[arg(long, default_value_t = 100_000)]
    sample_bytes: u64,
    /// Files (one for each GB, if not given).
    #[arg(long)]
    shards: Option<u64>,
    /// Prefixes that these lie under.
    #[arg(long, default_value_t = 1)]
    prefixes: u64,
    /// Samples of a batch.
    #[arg(long, default_value_t = 64)]
    batch: u64,
    /// In which order samples come.
    #[arg(long, value_enum, default_value_t = Order::Full)]
    order: Order,
    /// Samples of a block and blocks of a window.
    #[arg(long, default_value = "64x16", value_parser = pair)]
    blocks: (u64, u64),
    /// Every worker has shards of its own.
    #[arg(long)]
    own_shards: bool,
    /// Bytes that are fetched and not used, at most.
    #[arg(long)]
    read_ahead_bytes: Option<u64>,
    /// Bytes between ranges that are fetched together.
    #[arg(long)]
    gap: Option<u64>,
    /// A cache of this many bytes on each host.
    #[arg(long)]
    cache_bytes: Option<u64>,
    /// The workers of a host are loaders of one process, and bring a block to its cache once for all of them.
    #[arg(long)]
    one_process: bool,
    /// Epochs that went before and filled the cache.
    #[arg(long, default_value_t = 0)]
    before: u64,
    /// Seconds that training takes for a batch.
    #[arg(long, default_value_t = 0.0)]
    step_seconds: f64,
    /// Seconds that making a sample of its bytes takes.
    #[arg(long, default_value_t = 0.0)]
    sample_seconds: f64,
    /// All workers begin each step together.
    #[arg(long)]
    together: bool,
    /// Seconds without an answer after which a request is sent again beside the first.
    #[arg(long)]
    hedge_seconds: Option<f64>,
    /// Decides everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Workers that are simulated, at most; the others are taken to be like them.
    #[arg(long, default_value_t = 256)]
    simulate_workers: u64,
    /// Batches of each that are simulated, at most.
    #[arg(long, default_value_t = 200)]
    simulate_steps: u64,
    /// Batches of these before numbers are taken.
    #[arg(long, default_value_t = 40)]
    warm_steps: u64,
    /// Simulate every worker and batch.
    #[arg(long)]
    all: bool,
    /// A file of parameters in place of the usual ones.
    #[arg(long)]
    parameters: Option<std::path::PathBuf>,
    /// Another value of a parameter, as NAME=NUMBER.
    #[arg(long)]
    set: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn pair(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once('x').and_then(|(block, window)| block.parse().ok().zip(window.parse().ok()));
    numbers.ok_or_else(|| "two numbers, such as 64x16".into())
}

fn outcome(options: &Options) -> Result<Outcome, String> {
    let mut parameters = match &options.parameters {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            Parameters::parse(&text)?
        }
        None => Parameters::usual()?,
    };
    options.set.iter().try_for_each(|text| parameters.set(text))?;
    let usual = Job::new(options.workers, options.bytes);
    let job = Job {
        sample_bytes: options.sample_bytes,
        shards: options.shards.unwrap_or(usual.shards),
        prefixes: options.prefixes,
        batch: options.batch,
        order: match options.order {
            Order::Stored => Ordering::Stored,
            Order::Full => Ordering::Full,
            Order::Blocks => Ordering::Blocks(options.blocks.0, options.blocks.1),
        },
        own_shards: options.own_shards,
        seed: options.seed,
        read_ahead_bytes: options.read_ahead_bytes.unwrap_or(usual.read_ahead_bytes),
        gap: options.gap,
        cache_bytes: options.cache_bytes,
        one_process: options.one_process,
        before: options.before,
        step_seconds: options.step_seconds,
        sample_seconds: options.sample_seconds,
        together: options.together,
        hedge_seconds: options.hedge_seconds,
        ..usual
    };
    let sample = match options.all {
        true => Sample::ALL,
        false => Sample { workers: options.simulate_workers, steps: options.simulate_steps, warm: options.warm_steps },
    };
    run(&job, &parameters, sample)?.pop().ok_or_else(|| "nothing was simulated".into())
}

fn main() -> ExitCode {
    let options = Options::parse();
    match outcome(&options) {
        Ok(outcome) if options.json => println!("{}", json!(outcome)),
        Ok(outcome) => {
            let rows = [
                ("time", format!("{:.1} s, a worker on average {:.1} s", outcome.seconds, outcome.mean_seconds)),
                ("samples", format!("{:.0} a second", outcome.samples_per_second)),
                ("of the links", format!("{:.1} %", outcome.link_share * 100.0)),
                ("requests", format!("{}, {} refused, {} again", outcome.requests, outcome.refused, outcome.retries)),
                ("given up", outcome.given_up.to_string()),
                ("bytes", format!("{}, {:.3} for each wanted", outcome.bytes, outcome.bytes_per_wanted)),
                (
                    "waiting",
                    format!(
                        "{:.1} %; p50 {:.3} s, p90 {:.3} s, p99 {:.3} s",
                        outcome.waits.share * 100.0,
                        outcome.waits.p50,
                        outcome.waits.p90,
                        outcome.waits.p99
                    ),
                ),
                ("cents", format!("{:.1}, {:.1} for requests", outcome.cents.total, outcome.cents.requests)),
            ];
            rows.iter().for_each(|(name, value)| println!("{name:<14}{value}"));
            if let Some(window) = outcome.window {
                println!(
                    "{:<14}{} workers, {} batches of each from the {}th on",
                    "simulated", window.workers, window.steps, window.warm
                );
            }
        }
        Err(message) => {
            eprintln!("forebay-scale: {message}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
