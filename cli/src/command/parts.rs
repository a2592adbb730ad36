//! `forebay parts`: uploads to a store that nobody came to the end of are listed and ended.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use clap::Subcommand;
use forebay::{Error, Result, error::codes};
use forebay_native::remote::{Unfinished, end_unfinished, is_remote, unfinished};
use serde::Serialize;

use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    work: Work,
}

#[derive(Debug, Subcommand)]
enum Work {
    /// List the unfinished uploads under an address.
    List {
        /// Bucket, folder or object in a store that speaks S3.
        address: PathBuf,
        /// Only uploads that are at least this old, such as 12h or 1d.
        #[arg(long, value_name = "TIME", value_parser = human::parse_time, default_value = "0s")]
        older: Duration,
    },
    /// Abort unfinished uploads and delete their parts.
    Clear {
        /// Bucket, folder or object in a store that speaks S3.
        address: PathBuf,
        /// Only uploads that are at least this old, such as 12h or 1d.
        ///
        /// A younger upload may still be in progress.
        #[arg(long, value_name = "TIME", value_parser = human::parse_time, default_value = "1d")]
        older: Duration,
    },
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    match &args.work {
        Work::List { address, older } => {
            let found = found(address, *older)?;
            match out.json() {
                true => out.value(&Uploads { uploads: found.iter().map(said).collect() }),
                false => {
                    let now = SystemTime::now();
                    for one in &found {
                        let age = one.begun.and_then(|begun| now.duration_since(begun).ok());
                        let age = age.map_or_else(|| "?".into(), |age| human::seconds(age.as_secs_f64()));
                        out.line(format!("{age:>10} old  {}", printable(&one.path.display().to_string())));
                    }
                    out.line(format!("{} unfinished uploads", human::count(found.len() as u64)));
                }
            }
        }
        Work::Clear { address, older } => {
            let found = found(address, *older)?;
            end_unfinished(&found)?;
            match out.json() {
                true => out.value(&Ended { ended: found.iter().map(said).collect() }),
                false => out.line(format!("{} unfinished uploads ended", human::count(found.len() as u64))),
            }
        }
    }
    Ok(Outcome::Fine)
}

fn said(one: &Unfinished) -> Upload<'_> {
    let begun = one.begun.and_then(|begun| begun.duration_since(SystemTime::UNIX_EPOCH).ok());
    Upload { address: one.path.display().to_string(), upload: &one.upload, begun: begun.map(|since| since.as_secs()) }
}

/// An upload that did not end.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Upload<'a> {
    /// The address that it was to become.
    address: String,
    /// The store's name of it.
    upload: &'a str,
    /// When it began, in seconds since 1970; null if the store does not say.
    begun: Option<u64>,
}

/// Uploads that did not end.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ListUploads"))]
pub(super) struct Uploads<'a> {
    /// All that are old enough.
    uploads: Vec<Upload<'a>>,
}

/// Uploads that were cleared away.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ClearUploads"))]
pub(super) struct Ended<'a> {
    /// All of them.
    ended: Vec<Upload<'a>>,
}

/// Those that are old enough. Of one whose beginning is not known nobody can say so.
fn found(address: &Path, older: Duration) -> Result<Vec<Unfinished>> {
    if !is_remote(address) {
        let message = "not an address of a store, such as s3://bucket/folder";
        return Err(Error::new(&codes::ARGUMENT, message).file(address.display().to_string()));
    }
    let mut found = unfinished(address)?;
    let now = SystemTime::now();
    found.retain(|one| match one.begun {
        Some(begun) => now.duration_since(begun).unwrap_or_default() >= older,
        None => older.is_zero(),
    });
    Ok(found)
}
