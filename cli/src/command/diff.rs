//! `forebay diff`: do two datasets hold the same samples?

mod warehouse;

use std::{collections::HashMap, path::PathBuf};

use forebay::{Result, codec::checksum::crc32};
use forebay_native::{
    dataset::Dataset,
    parallel::{all_cores, ordered},
    shards::manifest_of,
};
use serde::Serialize;

use super::filtering::{LimitArgs, open};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// Differences printed for people; JSON has them all.
const SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The one dataset.
    a: PathBuf,
    /// The other.
    b: PathBuf,
    /// Compare payloads only, not names and metadata.
    #[arg(long)]
    payloads: bool,
    /// Threads.
    #[arg(long, default_value_t = all_cores())]
    workers: usize,
    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Debug, Default, Serialize)]
struct Difference {
    same: bool,
    a_samples: u64,
    b_samples: u64,
    equal: u64,
    /// Samples that both have and that differ.
    changed: Vec<Changed>,
    only_in_a: Vec<Named>,
    only_in_b: Vec<Named>,
}

#[derive(Debug, Serialize)]
struct Changed {
    a: u64,
    b: u64,
    name: Option<String>,
    what: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Named {
    i: u64,
    name: Option<String>,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if [&args.a, &args.b].iter().all(|path| manifest_of(path).is_some()) {
        return warehouse::run(args, out);
    }
    let limits = args.limits.limits();
    let (a, b) = (open(&args.a, &limits, false)?, open(&args.b, &limits, false)?);
    let mut found = Difference { a_samples: a.len(), b_samples: b.len(), ..Difference::default() };
    let pairs = pair(&a, &b, &mut found)?;
    let work = |(i, j): (u64, u64)| compare(&a, i, &b, j, args.payloads).map(|what| (i, j, what));
    ordered(
        pairs.into_iter().map(Ok),
        |_| 100_000,
        args.workers,
        work,
        |chunk| {
            for one in chunk {
                let (i, j, what) = one?;
                match what.is_empty() {
                    true => found.equal += 1,
                    false => found.changed.push(Changed { a: i, b: j, name: a.sample_name(i)?, what }),
                }
            }
            Ok(())
        },
    )?;
    found.same = found.changed.is_empty() && found.only_in_a.is_empty() && found.only_in_b.is_empty();
    if out.json() {
        out.value(&found);
    } else {
        print(&found, out);
    }
    Ok(if found.same { Outcome::Fine } else { Outcome::Damaged })
}

/// Which sample of the one belongs to which of the other: by name where every sample has one of its own, else by
/// number.
fn pair(a: &Dataset, b: &Dataset, found: &mut Difference) -> Result<Vec<(u64, u64)>> {
    let mut pairs = Vec::new();
    match (names(a)?, names(b)?) {
        (Some(names_a), Some(mut names_b)) => {
            let mut in_order: Vec<_> = names_a.into_iter().collect();
            in_order.sort_by_key(|(_, i)| *i);
            for (name, i) in in_order {
                match names_b.remove(&name) {
                    Some(j) => pairs.push((i, j)),
                    None => found.only_in_a.push(Named { i, name: Some(name) }),
                }
            }
            let mut rest: Vec<_> = names_b.into_iter().map(|(name, i)| Named { i, name: Some(name) }).collect();
            rest.sort_by_key(|n| n.i);
            found.only_in_b = rest;
        }
        _ => {
            let both = a.len().min(b.len());
            pairs.extend((0..both).map(|i| (i, i)));
            for i in both..a.len() {
                found.only_in_a.push(Named { i, name: a.sample_name(i)? });
            }
            for i in both..b.len() {
                found.only_in_b.push(Named { i, name: b.sample_name(i)? });
            }
        }
    }
    Ok(pairs)
}

/// Every sample's number by its name; `None` if a name is missing or stands twice.
fn names(dataset: &Dataset) -> Result<Option<HashMap<String, u64>>> {
    let mut names = HashMap::new();
    for i in 0..dataset.len() {
        match dataset.sample_name(i)? {
            Some(name) if !names.contains_key(&name) => names.insert(name, i),
            _ => return Ok(None),
        };
    }
    Ok(Some(names))
}

fn compare(a: &Dataset, i: u64, b: &Dataset, j: u64, payloads: bool) -> Result<Vec<&'static str>> {
    let mut what = Vec::new();
    let (pa, pb) = (a.payload(i)?, b.payload(j)?);
    if pa.len() != pb.len() || crc32(&pa) != crc32(&pb) || pa != pb {
        what.push("payload");
    }
    if !payloads {
        let clean = |d: &Dataset, i| -> Result<Option<serde_json::Value>> {
            let mut value = d.metadata_value(i)?;
            if let Some(map) = value.as_mut().and_then(|v| v.as_object_mut()) {
                // The number differs where samples were filtered or joined.
                map.remove("id");
            }
            Ok(value)
        };
        if clean(a, i)? != clean(b, j)? {
            what.push("metadata");
        }
    }
    Ok(what)
}

fn print(found: &Difference, out: &Output) {
    if found.same {
        return out.line(format!("the same {} samples", human::count(found.equal)));
    }
    out.line(format!(
        "{} equal, {} changed, {} only in the first, {} only in the second",
        human::count(found.equal),
        human::count(found.changed.len() as u64),
        human::count(found.only_in_a.len() as u64),
        human::count(found.only_in_b.len() as u64),
    ));
    let name = |name: &Option<String>| name.as_deref().map(printable).unwrap_or_default();
    for c in found.changed.iter().take(SHOWN) {
        out.line(format!("  changed  {} / {}  {}  ({})", c.a, c.b, name(&c.name), c.what.join(", ")));
    }
    for (side, list) in [("first", &found.only_in_a), ("second", &found.only_in_b)] {
        for n in list.iter().take(SHOWN) {
            out.line(format!("  only in the {side}  {}  {}", n.i, name(&n.name)));
        }
    }
}
