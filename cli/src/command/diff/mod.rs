//! `forebay diff`: do two datasets hold the same samples?

mod warehouse;

use std::path::PathBuf;

use forebay::Result;
use forebay_native::{
    difference::{Difference, difference},
    parallel::all_cores,
    shards::manifest_of,
};

use super::filtering::{LimitArgs, open};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
    words::threads,
};

/// Differences printed for people; JSON has them all.
const SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// First dataset.
    a: PathBuf,
    /// Second dataset.
    b: PathBuf,
    /// Compare only payloads, not names and metadata.
    #[arg(long)]
    payloads: bool,
    /// Number of threads.
    #[arg(long, value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if [&args.a, &args.b].iter().all(|path| manifest_of(path).is_some()) {
        return warehouse::run(args, out);
    }
    let limits = args.limits.limits();
    let (a, b) = (open(&args.a, &limits, false)?, open(&args.b, &limits, false)?);
    let found = difference(&a, &b, args.payloads, args.workers, &mut |_, _| ())?;
    if out.json() {
        out.value(&found);
    } else {
        print(&found, out);
    }
    Ok(if found.same { Outcome::Fine } else { Outcome::Damaged })
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
