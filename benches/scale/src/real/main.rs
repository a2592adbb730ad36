//! `forebay-scale-real`: real loaders over a server on loopback, beside what the simulator says of them.
//!
//!     forebay-scale-real [--megabytes 500] [--latencies 5,20,50] [--loaders 1,2] [--orders stored,full,blocks] [--cache]
//!                        [--megabits 1000] [--json]
//!
//! The server answers each request after a fixed time, and all of them together at a fixed rate. A loader takes
//! payloads as fast as they come.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is a host: files, threads and clocks are its own"
)]

mod data;
mod server;

use std::{path::Path, process::ExitCode, sync::Barrier, thread, time::Instant};

use clap::Parser;
use forebay::{Error, Result};
use forebay_native::{
    Dataset, OpenOptions,
    cache::Cache,
    loader::Loader,
    remote::{Settings, open},
};
use forebay_scale::{
    job::{Job, Ordering},
    parameters::Parameters,
    run::{Sample, run},
};
use serde_json::json;

use data::SAMPLE_BYTES;
use server::Server;

/// Samples of a batch.
const BATCH: u64 = 64;
/// The blocks of that order.
const BLOCKS: (u64, u64) = (64, 16);

/// Epochs that are read from a full cache: each takes a fraction of a second, so the one in the middle counts.
const LATER: u64 = 7;

/// Real loaders over a server on loopback, beside what the simulator says of them.
#[derive(Debug, Parser)]
struct Options {
    /// The size of the TBL that is read.
    #[arg(long, default_value_t = 500)]
    megabytes: u64,
    /// Milliseconds until an answer begins.
    #[arg(long, value_delimiter = ',', default_value = "5,20,50")]
    latencies: Vec<u64>,
    /// Loaders that share an epoch.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    loaders: Vec<u64>,
    /// In which orders.
    #[arg(long, value_delimiter = ',', default_value = "stored,full,blocks")]
    orders: Vec<String>,
    /// Through a cache on disk, empty at first, and for two epochs.
    #[arg(long)]
    cache: bool,
    /// What the server sends in a second.
    #[arg(long, default_value_t = 1000)]
    megabits: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug)]
struct Case<'a> {
    latency_ms: u64,
    loaders: u64,
    order: &'a str,
}

/// What an epoch took.
#[derive(Clone, Copy, Debug, Default)]
struct Took {
    seconds: f64,
    requests: u64,
    bytes: u64,
}

fn ordering(name: &str) -> Result<Ordering> {
    match name {
        "stored" => Ok(Ordering::Stored),
        "full" => Ok(Ordering::Full),
        "blocks" => Ok(Ordering::Blocks(BLOCKS.0, BLOCKS.1)),
        _ => Err(Error::new(&forebay::error::codes::ARGUMENT, format!("there is no order {name:?}"))),
    }
}

/// Reads epochs with real loaders.
fn real(server: &Server, case: Case<'_>, cache: Option<&Cache>, epochs: u64) -> Result<Vec<Took>> {
    let address = format!("{}/train.tbl", server.url());
    let build = |rank: u64| -> Result<Loader> {
        let input = open(&address, &Settings::new())?;
        let dataset = Dataset::from_input(input, &OpenOptions::default())?;
        let mut builder = Loader::over([dataset])?.batch(BATCH).workers(1).shard(rank, case.loaders);
        builder = match ordering(case.order)? {
            Ordering::Stored => builder,
            Ordering::Full => builder.shuffle(1),
            Ordering::Blocks(block, window) => builder.shuffle_blocks(1, block, window),
        };
        match cache {
            Some(cache) => builder.cache(cache).build(),
            None => builder.build(),
        }
    };
    let mut loaders = (0..case.loaders).map(build).collect::<Result<Vec<_>>>()?;
    if let Some(cache) = cache {
        // What building looked into would be there already.
        cache.clear()?;
    }
    let mut all = Vec::new();
    for epoch in 0..epochs {
        server.settle();
        server.count();
        let barrier = Barrier::new(loaders.len());
        let begun = thread::scope(|scope| {
            let running: Vec<_> = loaders
                .iter_mut()
                .map(|loader| {
                    let barrier = &barrier;
                    scope.spawn(move || -> Result<f64> {
                        barrier.wait();
                        let begun = Instant::now();
                        for batch in loader.epoch(epoch)? {
                            drop(batch?);
                        }
                        Ok(begun.elapsed().as_secs_f64())
                    })
                })
                .collect();
            running.into_iter().map(|one| one.join()).collect::<Vec<_>>()
        });
        let mut took = Took::default();
        for seconds in begun {
            let ended = || Error::new(&forebay::error::codes::IO, "a thread that read ended by a panic");
            took.seconds = took.seconds.max(seconds.map_err(|_| ended())??);
        }
        server.settle();
        (took.requests, took.bytes) = server.count();
        all.push(took);
    }
    Ok(all)
}

/// The first epoch, and of the others the one that took neither long nor short.
fn usual(mut all: Vec<Took>) -> Vec<Took> {
    let mut later = all.split_off(all.len().min(1));
    later.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    all.extend(later.get(later.len() / 2));
    all
}

/// What a full cache carries here, in bits a second: as much as one loader takes in stored order.
fn speed_of_cache(server: &Server, folder: &Path, bytes: u64) -> Result<f64> {
    server.latency(0);
    let case = Case { latency_ms: 0, loaders: 1, order: "stored" };
    let took = usual(real(server, case, Some(&Cache::open(folder)?), 1 + LATER)?);
    Ok(took.last().map_or(1.0, |last| bytes as f64 * 8.0 / last.seconds.max(1e-3)))
}

/// The same by the simulator.
fn simulated(
    options: &Options,
    case: Case<'_>,
    (samples, around): (u64, (u64, u64)),
    cache: Option<f64>,
) -> Result<Vec<Took>> {
    let wrong = |message: String| Error::new(&forebay::error::codes::ARGUMENT, message);
    let rate = options.megabits as f64 * 1e6;
    let mut parameters = Parameters::plain(case.latency_ms as f64 / 1e3, rate).map_err(wrong)?;
    // The server's rate is shared by all.
    parameters.host_workers = case.loaders as f64;
    let mut job = Job::new(case.loaders, samples * SAMPLE_BYTES);
    job.around = around;
    (job.shards, job.sample_bytes, job.batch, job.order) = (1, SAMPLE_BYTES, BATCH, ordering(case.order)?);
    if let Some(speed) = cache {
        parameters.cache_read_bits_per_second = speed;
        (job.cache_bytes, job.epochs, job.one_process) = (Some(64 << 30), 2, true);
    }
    let outcomes = run(&job, &parameters, Sample::ALL).map_err(wrong)?;
    let took = |outcome: &forebay_scale::outcome::Outcome| Took {
        seconds: outcome.seconds,
        requests: outcome.requests,
        bytes: outcome.bytes,
    };
    Ok(outcomes.iter().map(took).collect())
}

fn all(options: &Options) -> Result<()> {
    let folder =
        tempfile::tempdir().map_err(|e| Error::caused(&forebay::error::codes::IO, "cannot make a folder", e))?;
    let samples = options.megabytes * 1_000_000 / SAMPLE_BYTES;
    let (file, around) = data::table(folder.path(), samples)?;
    let server = Server::start(file, options.megabits * 1_000_000 / 8)?;
    let mut rows = Vec::new();
    let speed = match options.cache {
        true => Some(speed_of_cache(&server, &folder.path().join("first"), samples * SAMPLE_BYTES)?),
        false => None,
    };
    if !options.json {
        speed.iter().for_each(|speed| println!("A full cache: {:.1} Gb/s", speed / 1e9));
        println!("| order | latency | loaders | epoch | s | simulated | requests | simulated | bytes | simulated |");
        println!("|---|---:|---:|---|---:|---:|---:|---:|---:|---:|");
    }
    for order in &options.orders {
        for &latency_ms in &options.latencies {
            for &loaders in &options.loaders {
                let case = Case { latency_ms, loaders, order };
                server.latency(latency_ms);
                let place = folder.path().join("cache");
                let cache = options.cache.then(|| Cache::open(&place)).transpose()?;
                let epochs = if options.cache { 1 + LATER } else { 1 };
                let real = usual(real(&server, case, cache.as_ref(), epochs)?);
                let simulated = simulated(options, case, (samples, around), speed)?;
                for (epoch, (real, simulated)) in real.iter().zip(&simulated).enumerate() {
                    if !options.json {
                        println!(
                            "| {order} | {latency_ms} ms | {loaders} | {} | {:.2} | {:.2} ({:+.1} %) | {} | {} | {} | {} |",
                            epoch + 1,
                            real.seconds,
                            simulated.seconds,
                            (simulated.seconds / real.seconds - 1.0) * 100.0,
                            real.requests,
                            simulated.requests,
                            real.bytes,
                            simulated.bytes
                        );
                    }
                    let took = |took: &Took| json!({ "seconds": took.seconds, "requests": took.requests, "bytes": took.bytes });
                    rows.push(json!({
                        "order": order, "latency_ms": latency_ms, "loaders": loaders, "epoch": epoch, "cache": options.cache,
                        "real": took(real), "simulated": took(simulated),
                    }));
                }
            }
        }
    }
    if options.json {
        println!("{}", json!(rows));
    }
    Ok(())
}

fn main() -> ExitCode {
    match all(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("forebay-scale-real: {e}");
            ExitCode::FAILURE
        }
    }
}
