//! Which samples of a dataset another one has too, and which of them differ. What it means to differ, and how samples are
//! called, is told by whoever compares: samples of files here, those of warehouses in `warehouse`.

use std::collections::HashMap;

use forebay::{
    Result,
    sample::{
        holds::too_wide,
        record::{as_spelled, fields_of},
    },
};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use crate::{Dataset, parallel::ordered};

/// About what one comparison of two samples reads, for the budget of the threads.
const PAIR_BYTES: u64 = 100_000;

/// One dataset beside another.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Difference {
    /// They hold the same samples.
    pub same: bool,
    /// Samples of the one.
    pub a_samples: u64,
    /// Samples of the other.
    pub b_samples: u64,
    /// Samples that both have alike.
    pub equal: u64,
    /// Samples that both have and that differ.
    pub changed: Vec<Changed>,
    /// Samples that only the one has.
    pub only_in_a: Vec<Only>,
    /// Samples that only the other has.
    pub only_in_b: Vec<Only>,
}

/// A sample that both have and that differs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ChangedSample"))]
#[non_exhaustive]
pub struct Changed {
    /// Its number in the one.
    pub a: u64,
    /// Its number in the other.
    pub b: u64,
    /// Its name.
    pub name: Option<String>,
    /// What differs: `payload`, `metadata`; of warehouses `picture`, `boxes`, `classes`, `metadata`.
    pub what: Vec<&'static str>,
}

/// A sample that only one has.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "OnlySample"))]
#[non_exhaustive]
pub struct Only {
    /// Its number.
    pub i: u64,
    /// Its name.
    pub name: Option<String>,
}

/// Compares the samples of two datasets: their payloads only, or their metadata too. `told` hears how many pairs are done,
/// of how many.
pub fn difference(
    a: &Dataset,
    b: &Dataset,
    payloads_only: bool,
    workers: usize,
    told: &mut dyn FnMut(u64, u64),
) -> Result<Difference> {
    let (name_a, name_b) = (|i| a.sample_name(i), |i| b.sample_name(i));
    // Where names are missing or stand twice, samples belong together by their numbers.
    let Pairs { both, only_in_a, only_in_b } = match (by_key(a.len(), name_a)?, by_key(b.len(), name_b)?) {
        (Some(of_a), Some(of_b)) => Pairs::by_key(of_a, of_b, name_a, name_b)?,
        _ => Pairs::by_number(a.len(), b.len(), name_a, name_b)?,
    };
    let compare = |i, j| compare(a, i, b, j, payloads_only);
    let (equal, changed) = changed(both, workers, compare, name_a, told)?;
    let same = changed.is_empty() && only_in_a.is_empty() && only_in_b.is_empty();
    Ok(Difference { same, a_samples: a.len(), b_samples: b.len(), equal, changed, only_in_a, only_in_b })
}

/// Which sample of the one belongs to which of the other.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) both: Vec<(u64, u64)>,
    pub(crate) only_in_a: Vec<Only>,
    pub(crate) only_in_b: Vec<Only>,
}

impl Pairs {
    /// Those of the same key, in the order of the one.
    pub(crate) fn by_key(
        a: HashMap<String, u64>,
        mut b: HashMap<String, u64>,
        name_a: impl Fn(u64) -> Result<Option<String>>,
        name_b: impl Fn(u64) -> Result<Option<String>>,
    ) -> Result<Pairs> {
        let mut pairs = Pairs::default();
        let mut in_order: Vec<_> = a.into_iter().collect();
        in_order.sort_unstable_by_key(|(_, i)| *i);
        for (key, i) in in_order {
            match b.remove(&key) {
                Some(j) => pairs.both.push((i, j)),
                None => pairs.only_in_a.push(Only { i, name: name_a(i)? }),
            }
        }
        let mut rest: Vec<u64> = b.into_values().collect();
        rest.sort_unstable();
        for i in rest {
            pairs.only_in_b.push(Only { i, name: name_b(i)? });
        }
        Ok(pairs)
    }

    /// Those of the same number.
    pub(crate) fn by_number(
        a: u64,
        b: u64,
        name_a: impl Fn(u64) -> Result<Option<String>>,
        name_b: impl Fn(u64) -> Result<Option<String>>,
    ) -> Result<Pairs> {
        let both = a.min(b);
        let only = |i, name: Result<Option<String>>| name.map(|name| Only { i, name });
        Ok(Pairs {
            both: (0..both).map(|i| (i, i)).collect(),
            only_in_a: (both..a).map(|i| only(i, name_a(i))).collect::<Result<_>>()?,
            only_in_b: (both..b).map(|i| only(i, name_b(i))).collect::<Result<_>>()?,
        })
    }
}

/// How many pairs are alike, and those that are not, compared on many threads.
pub(crate) fn changed(
    pairs: Vec<(u64, u64)>,
    workers: usize,
    compare: impl Fn(u64, u64) -> Result<Vec<&'static str>> + Sync,
    name: impl Fn(u64) -> Result<Option<String>>,
    told: &mut dyn FnMut(u64, u64),
) -> Result<(u64, Vec<Changed>)> {
    let (total, mut done, mut equal, mut changed) = (pairs.len() as u64, 0, 0, Vec::new());
    ordered(
        pairs.into_iter().map(Ok),
        |_| PAIR_BYTES,
        workers,
        |(a, b): (u64, u64)| compare(a, b).map(|what| (a, b, what)),
        |chunk| {
            for one in chunk {
                let (a, b, what) = one?;
                done += 1;
                match what.is_empty() {
                    true => equal += 1,
                    false => changed.push(Changed { a, b, name: name(a)?, what }),
                }
            }
            told(done, total);
            Ok(())
        },
    )?;
    Ok((equal, changed))
}

/// Every number by its key; none if a key is missing or stands twice.
pub(crate) fn by_key(n: u64, key: impl Fn(u64) -> Result<Option<String>>) -> Result<Option<HashMap<String, u64>>> {
    let mut keys = HashMap::new();
    for i in 0..n {
        let Some(key) = key(i)? else { return Ok(None) };
        if keys.insert(key, i).is_some() {
            return Ok(None);
        }
    }
    Ok(Some(keys))
}

fn compare(a: &Dataset, i: u64, b: &Dataset, j: u64, payloads_only: bool) -> Result<Vec<&'static str>> {
    let mut what = Vec::new();
    let (of_a, of_b) = (a.payload(i)?, b.payload(j)?);
    if of_a != of_b {
        what.push("payload");
    }
    if !payloads_only && !same_records(a.record(i)?.as_deref(), b.record(j)?.as_deref()) {
        what.push("metadata");
    }
    Ok(what)
}

/// Whether two records say the same, the numbers of their samples apart: those differ where samples were filtered or joined.
fn same_records(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(of_a), Some(of_b)) = (a, b) else { return a == b };
    let value = |text: &str| {
        let mut value = serde_json::from_str::<Value>(text).unwrap_or_else(|_| text.into());
        if let Value::Object(fields) = &mut value {
            fields.remove("id");
        }
        value
    };
    // What a MessagePack keeps as values stands there as text, too.
    let (of_a, of_b) = (&*as_spelled(of_a), &*as_spelled(of_b));
    if of_a == of_b {
        return true;
    }
    // Values round integers of more than 64 bits.
    let wide = [of_a, of_b].iter().any(|text| too_wide(text.as_bytes()).is_some());
    value(of_a) == value(of_b) && (!wide || same_text(of_a, of_b, true))
}

/// As comparing values does, and digit by digit where those round.
fn same_text(a: &str, b: &str, top: bool) -> bool {
    let (fields_a, fields_b) = (fields_of(a), fields_of(b));
    if let (Some(a), Some(b)) = (fields_a, fields_b) {
        let by_name = |fields: Vec<(String, Box<RawValue>)>| fields.into_iter().collect::<HashMap<_, _>>();
        let (a, b) = (by_name(a), by_name(b));
        return a
            .iter()
            .filter(|(key, _)| !top || *key != "id")
            .all(|(key, value)| b.get(key).is_some_and(|other| same_text(value.get(), other.get(), false)));
    }
    let list = |text: &str| serde_json::from_str::<Vec<Box<RawValue>>>(text).ok();
    if let (Some(a), Some(b)) = (list(a), list(b)) {
        return a.iter().zip(&b).all(|(a, b)| same_text(a.get(), b.get(), false));
    }
    let wide = |text: &str| !text.starts_with('"') && too_wide(text.as_bytes()).is_some();
    a == b || !(wide(a) || wide(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_differ_in_what_values_round_are_not_the_same() {
        let same = |a: &str, b: &str| same_records(Some(a), Some(b));
        let (a, b) = (r#"{"id":1,"k":[{"n":18446744073709551617}]}"#, r#"{"k":[{"n":18446744073709551618}],"id":2}"#);
        assert!(!same(a, b));
        assert!(same(a, &b.replace("618}", "617}")));
        assert!(same(r#"{"a":1.50,"b":2}"#, r#"{"b":2,"a":1.5}"#));
        // As a TBL with MessagePack has what a TAR has.
        let (tar, tbl) = (
            r#"{"name":"a.jpg","json":{"n":18446744073709551616}}"#,
            r#"{"name":"a.jpg","json":{"n":1.8446744073709552e19},"exact":{"json":"{\"n\":18446744073709551616}"}}"#,
        );
        assert!(same(tar, tbl) && !same(tar, &tbl.replace("616}\"", "617}\"")));
        assert!(!same(r#"{"a":1}"#, r#"{"a":2}"#) && !same_records(None, Some("{}")));
    }
}
