//! `forebay diff` of two warehouses.

use forebay::Result;
use forebay_native::warehouse::{Difference, Setting, difference};
use serde_json::Value;

use super::{Args, SHOWN};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// Letters of a setting that are printed.
const LETTERS: usize = 60;

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let found = difference(&args.a, &args.b, args.payloads, args.workers, &args.limits.limits())?;
    match out.json() {
        true => out.value(&found),
        false => print(&found, out),
    }
    Ok(if found.same { Outcome::Fine } else { Outcome::Damaged })
}

fn print(found: &Difference, out: &Output) {
    if found.by == "position" {
        out.note("note: samples do not all say which they are, so they are paired by their position");
    }
    match found.same {
        true => out.line(format!("the same {} samples", human::count(found.equal))),
        false => out.line(format!(
            "{} equal, {} changed, {} only in the first, {} only in the second, paired by {}",
            human::count(found.equal),
            human::count(found.changed.len() as u64),
            human::count(found.only_in_a.len() as u64),
            human::count(found.only_in_b.len() as u64),
            found.by,
        )),
    }
    let name = |name: &Option<String>| name.as_deref().map(printable).unwrap_or_default();
    for c in found.changed.iter().take(SHOWN) {
        out.line(format!("  changed  {} / {}  {}  ({})", c.a, c.b, name(&c.name), c.what.join(", ")));
    }
    for (side, list) in [("first", &found.only_in_a), ("second", &found.only_in_b)] {
        for n in list.iter().take(SHOWN) {
            out.line(format!("  only in the {side}  {}  {}", n.i, name(&n.name)));
        }
    }
    for (what, list) in [("setting", &found.settings), ("count", &found.counts)] {
        list.iter().for_each(|setting| out.line(line(what, setting)));
    }
}

fn line(what: &str, setting: &Setting) -> String {
    let said = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match text.chars().count() > LETTERS {
            true => text.chars().take(LETTERS).chain(['…']).collect(),
            false => text,
        }
    };
    format!("  {what}  {}  {} / {}", setting.name, said(&setting.a), said(&setting.b))
}
