//! `forebay cache`: what is kept of files elsewhere is listed and cleared away; and the option of every command that reads.

use std::{path::PathBuf, time::SystemTime};

use clap::Subcommand;
use forebay::{Error, Result, error::codes};
use forebay_native::cache::Cache;
use serde::Serialize;

use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// The variable that says where a cache is.
const VARIABLE: &str = "FOREBAY_CACHE";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    work: Work,
}

#[derive(Debug, Subcommand)]
enum Work {
    /// List the cached files and their sizes.
    List {
        /// Cache folder; by default, from --cache or FOREBAY_CACHE.
        dir: Option<PathBuf>,
    },
    /// Delete all cached data, and no other files of the folder.
    Clear {
        /// Cache folder; by default, from --cache or FOREBAY_CACHE.
        dir: Option<PathBuf>,
    },
}

/// Where bytes of files elsewhere are kept.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct CacheArgs {
    /// Cache remote files in this folder; default: FOREBAY_CACHE.
    #[arg(long = "cache", value_name = "DIR", global = true, hide_short_help = true)]
    cache_dir: Option<PathBuf>,
    /// Largest size of the cache, such as 200GB.
    ///
    /// Data that was used least recently is deleted first.
    #[arg(long, value_name = "BYTES", global = true, hide_short_help = true, value_parser = human::parse_bytes,
          default_value = "64GiB")]
    cache_bytes: u64,
}

impl CacheArgs {
    /// The most that the cache may hold.
    pub fn bytes(&self) -> u64 {
        self.cache_bytes
    }

    /// The folder, if one is named, and whether that was by the option.
    fn named(&self) -> Option<(PathBuf, bool)> {
        let of_environment = || std::env::var_os(VARIABLE).filter(|dir| !dir.is_empty()).map(PathBuf::from);
        match &self.cache_dir {
            Some(dir) => Some((dir.clone(), true)),
            None => of_environment().map(|dir| (dir, false)),
        }
    }

    /// Reads every file elsewhere through the cache, if there is one.
    pub fn begin(&self, out: &Output) -> Result<Option<Cache>> {
        let Some((dir, asked)) = self.named() else { return Ok(None) };
        match Cache::open(dir) {
            Ok(cache) => {
                let cache = cache.bytes(self.cache_bytes);
                cache.use_for_all();
                Ok(Some(cache))
            }
            Err(e) if asked => Err(e),
            Err(e) => {
                out.note(format!("note: remote files are not cached in the folder of {VARIABLE}: {e}"));
                Ok(None)
            }
        }
    }
}

/// Says what became of the cache, once the work is done.
pub(super) fn end(cache: Option<Cache>, out: &Output) {
    let Some(cache) = cache else { return };
    if let Some(trouble) = cache.trouble() {
        out.note(format!("note: {trouble}"));
    }
    if out.verbose() {
        let stats = cache.stats();
        let [hit, fetched] = [stats.hit_bytes, stats.fetched_bytes].map(human::bytes);
        let [requests, damaged] = [stats.requests, stats.damaged].map(human::count);
        out.note(format!(
            "cache: {hit} were there, {fetched} fetched in {requests} requests, {damaged} blocks damaged"
        ));
    }
}

pub(super) fn run(args: &Args, cache: &CacheArgs, out: &Output) -> Result<Outcome> {
    let existing = |dir: &Option<PathBuf>| match dir.clone().or_else(|| cache.named().map(|(dir, _)| dir)) {
        Some(dir) => Cache::existing(dir),
        None => {
            let message = format!("no cache folder is given; name one, or set {VARIABLE}");
            Err(Error::new(&codes::ARGUMENT, message).with_options(&["cache"]))
        }
    };
    match &args.work {
        Work::List { dir } => list(&existing(dir)?, out)?,
        Work::Clear { dir } => {
            let (blocks, bytes) = existing(dir)?.clear()?;
            match out.json() {
                true => out.value(&Cleared { blocks, bytes }),
                false => out.line(format!("{} blocks removed, {}", human::count(blocks), human::bytes(bytes))),
            }
        }
    }
    Ok(Outcome::Fine)
}

/// What was cleared away.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClearCache"))]
pub(super) struct Cleared {
    /// Blocks that were removed.
    blocks: u64,
    /// Their bytes.
    bytes: u64,
}

/// What a cache holds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ListCache"))]
pub(super) struct Kept {
    /// Bytes of all blocks.
    bytes: u64,
    /// One for each file of which there are blocks.
    sources: Vec<Source>,
}

/// The blocks of a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CachedSource"))]
struct Source {
    /// What tells the file from others: its address, and what a store says of its content.
    identity: String,
    /// Bytes of the file.
    source_bytes: u64,
    /// Blocks that are kept.
    blocks: u64,
    /// Their bytes.
    bytes: u64,
    /// When one was used last, in seconds since 1970.
    used: u64,
}

fn list(cache: &Cache, out: &Output) -> Result<()> {
    let entries = cache.list()?;
    let sum: u64 = entries.iter().map(|entry| entry.bytes).sum();
    if out.json() {
        let sources = entries.into_iter().map(|entry| Source {
            identity: entry.identity,
            source_bytes: entry.source_bytes,
            blocks: entry.blocks,
            bytes: entry.bytes,
            used: entry.used.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        });
        out.value(&Kept { bytes: sum, sources: sources.collect() });
        return Ok(());
    }
    for entry in &entries {
        let of = human::bytes(entry.source_bytes);
        let name =
            if entry.identity.is_empty() { "a file whose name is lost".into() } else { printable(&entry.identity) };
        out.line(format!("{:>10} of {of:>10}  {name}", human::bytes(entry.bytes)));
    }
    out.line(format!("{} in all, of {} files", human::bytes(sum), entries.len()));
    Ok(())
}
