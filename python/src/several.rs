//! What takes or makes several datasets: shards of one, the difference of two.

use std::{collections::HashMap, path::PathBuf};

use forebay::{Error, Result, codec::checksum::crc32, error::codes::ARGUMENT};
use forebay_native::{
    Dataset, OpenOptions,
    convert::To,
    parallel::{all_cores, ordered},
    sharding::{self, MakeOptions, Settings},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    convert::compression,
    options::{optional, parse, word},
    wait::{Wire, long},
};

/// About what one comparison of two samples reads, for the budget of the threads.
const PAIR_BYTES: u64 = 100_000;

/// How shards are written. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    to: Option<String>,
    compression: Option<String>,
    level: Option<u8>,
    layout: Option<String>,
    workers: Option<usize>,
    force: bool,
    verify: bool,
    sync: Option<bool>,
}

impl Wanted {
    fn settings(&self, dataset: &Dataset, shards: u64) -> Result<(Settings, MakeOptions)> {
        let to = match &self.to {
            Some(name) => word("to", name)?,
            None if dataset.tar().is_some() => To::Tar,
            None => To::Tbl,
        };
        let mut settings = Settings::new(shards).with_format(to);
        if let Some(layout) = optional("layout", self.layout.as_deref())? {
            settings.layout = layout;
        }
        settings.compression = compression(self.compression.as_deref(), self.level)?;
        if to == To::Tar && self.layout.is_some() {
            return Err(Error::new(&ARGUMENT, "a TAR has no compression and no layout"));
        }
        let mut how = MakeOptions::default();
        how.workers = self.workers.unwrap_or(how.workers);
        how.sync = self.sync.unwrap_or(how.sync);
        (how.force, how.verify) = (self.force, self.verify);
        Ok((settings, how))
    }
}

/// Writes a dataset as shards of almost equal length, in order; what was done as JSON text, a summary for each.
#[pyfunction]
pub(crate) fn split(
    py: Python<'_>,
    path: PathBuf,
    folder: PathBuf,
    shards: u64,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let dataset = Dataset::open_with(&path, &OpenOptions::default())?;
        let (mut settings, how) = wanted.settings(&dataset, shards)?;
        settings.name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let written = sharding::split(dataset, &folder, settings, &how, &mut |now| wire.tell(now.samples, now.total))?;
        let summaries: Vec<_> = written.into_iter().map(|(summary, _)| summary).collect();
        Ok(json!(summaries).to_string())
    })
}

/// Do two datasets hold the same samples? The answer as JSON text.
#[pyfunction]
pub(crate) fn diff(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    payloads: bool,
    workers: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let open = |path: PathBuf| Dataset::open_with(&path, &OpenOptions::default());
        let (a, b) = (open(a)?, open(b)?);
        difference(&a, &b, payloads, workers.unwrap_or_else(all_cores).max(1), wire).map(|found| found.to_string())
    })
}

fn difference(a: &Dataset, b: &Dataset, payloads: bool, workers: usize, wire: &Wire) -> Result<Value> {
    let named = |dataset: &Dataset, i: u64| Ok::<_, Error>(json!({ "i": i, "name": dataset.sample_name(i)? }));
    let (mut pairs, mut only_a, mut only_b) = (Vec::new(), Vec::new(), Vec::new());
    match (names(a)?, names(b)?) {
        (Some(of_a), Some(mut of_b)) => {
            let mut in_order: Vec<_> = of_a.into_iter().collect();
            in_order.sort_by_key(|(_, i)| *i);
            for (name, i) in in_order {
                match of_b.remove(&name) {
                    Some(j) => pairs.push((i, j)),
                    None => only_a.push(json!({ "i": i, "name": name })),
                }
            }
            let mut rest: Vec<_> = of_b.into_iter().collect();
            rest.sort_by_key(|(_, i)| *i);
            only_b.extend(rest.into_iter().map(|(name, i)| json!({ "i": i, "name": name })));
        }
        // Where names are missing or stand twice, samples belong together by their numbers.
        _ => {
            let both = a.len().min(b.len());
            pairs.extend((0..both).map(|i| (i, i)));
            (both..a.len()).try_for_each(|i| named(a, i).map(|one| only_a.push(one)))?;
            (both..b.len()).try_for_each(|i| named(b, i).map(|one| only_b.push(one)))?;
        }
    }
    let (total, mut done, mut equal, mut changed) = (pairs.len() as u64, 0, 0_u64, Vec::new());
    let work = |(i, j): (u64, u64)| compare(a, i, b, j, payloads).map(|what| (i, j, what));
    ordered(
        pairs.into_iter().map(Ok),
        |_| PAIR_BYTES,
        workers,
        work,
        |chunk| {
            for one in chunk {
                let (i, j, what): (u64, u64, Vec<&str>) = one?;
                done += 1;
                match what.is_empty() {
                    true => equal += 1,
                    false => changed.push(json!({ "a": i, "b": j, "name": a.sample_name(i)?, "what": what })),
                }
            }
            wire.tell(done, Some(total));
            Ok(())
        },
    )?;
    Ok(json!({
        "same": changed.is_empty() && only_a.is_empty() && only_b.is_empty(),
        "a_samples": a.len(),
        "b_samples": b.len(),
        "equal": equal,
        "changed": changed,
        "only_in_a": only_a,
        "only_in_b": only_b,
    }))
}

/// Every sample's number by its name; none if a name is missing or stands twice.
fn names(dataset: &Dataset) -> Result<Option<HashMap<String, u64>>> {
    let mut names = HashMap::new();
    for i in 0..dataset.len() {
        let Some(name) = dataset.sample_name(i)? else { return Ok(None) };
        if names.insert(name, i).is_some() {
            return Ok(None);
        }
    }
    Ok(Some(names))
}

/// What of two samples differs.
fn compare(a: &Dataset, i: u64, b: &Dataset, j: u64, payloads: bool) -> Result<Vec<&'static str>> {
    let mut what = Vec::new();
    let (of_a, of_b) = (a.payload(i)?, b.payload(j)?);
    if of_a.len() != of_b.len() || crc32(&of_a) != crc32(&of_b) || of_a != of_b {
        what.push("payload");
    }
    let metadata = |dataset: &Dataset, i: u64| {
        dataset.metadata_value(i).map(|mut value| {
            // The number differs where samples were filtered or joined.
            if let Some(Value::Object(fields)) = &mut value {
                fields.remove("id");
            }
            value
        })
    };
    if !payloads && metadata(a, i)? != metadata(b, j)? {
        what.push("metadata");
    }
    Ok(what)
}
