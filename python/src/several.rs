//! What takes or makes several datasets: shards of one, the difference of two.

use std::{collections::HashMap, fs, path::PathBuf};

use forebay::{
    Error, Result,
    codec::{Codec, checksum::crc32},
    error::codes::ARGUMENT,
    words::Word,
};
use forebay_native::{
    Dataset, OpenOptions,
    convert::{Job, Options, To},
    input,
    output::Stage,
    parallel::{all_cores, ordered},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    convert::compression,
    options::{optional, parse, word},
    wait::{Wire, long},
};

/// More shards than this are a mistake.
const MOST_SHARDS: u64 = 1_000_000;
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
    fn options(&self, dataset: &Dataset) -> Result<Options> {
        let to = match &self.to {
            Some(name) => word("to", name)?,
            None if dataset.tar().is_some() => To::Tar,
            None => To::Tbl,
        };
        let mut options = Options::new(to);
        if let Some(layout) = optional("layout", self.layout.as_deref())? {
            options.layout = layout;
        }
        options.compression = compression(self.compression.as_deref(), self.level)?;
        if to == To::Tar && (options.compression.codec() != Codec::None || self.layout.is_some()) {
            return Err(Error::new(&ARGUMENT, "a TAR has no compression and no layout"));
        }
        options.workers = self.workers.unwrap_or(options.workers);
        options.sync = self.sync.unwrap_or(options.sync);
        (options.force, options.verify) = (self.force, self.verify);
        Ok(options)
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
        if shards == 0 || shards > MOST_SHARDS {
            return Err(Error::new(&ARGUMENT, format!("`shards` is a number from 1 to {MOST_SHARDS}")));
        }
        let dataset = Dataset::open_with(&path, &OpenOptions::default())?;
        let options = wanted.options(&dataset)?;
        let shown = input::display(&folder);
        fs::create_dir_all(&folder).map_err(|e| input::io_error(&shown, "make the folder", e))?;
        let stem = path.file_stem().map_or_else(|| "shard".into(), |stem| stem.to_string_lossy().into_owned());
        let extension = options.to.word();
        let names: Vec<String> = (0..shards).map(|k| format!("{stem}-{k:05}-of-{shards:05}.{extension}")).collect();
        let stage = Stage::begin(&folder, stem.as_ref(), names.iter().cloned(), options.force)?;
        let (sync, mut written) = (options.sync, Vec::new());
        for (k, name) in (0..).zip(&names) {
            let (from, to) = (bound(dataset.len(), shards, k), bound(dataset.len(), shards, k + 1));
            let mut options = options.clone();
            // A dataset may have fewer samples than there are to be shards.
            options.allow_empty = true;
            let job = Job::new(vec![dataset.clone()], options).select((from..to).map(|i| (0, i)).collect());
            let mut summary = job.run_with(&stage.at(name), &mut |progress| {
                wire.tell(from + progress.samples, Some(dataset.len()));
            })?;
            summary.output = input::display(&folder.join(name));
            written.push(summary);
        }
        stage.commit(&names, sync)?;
        Ok(json!(written).to_string())
    })
}

/// Where shard `k` begins: lengths differ by at most one.
fn bound(len: u64, shards: u64, k: u64) -> u64 {
    u64::try_from(u128::from(len) * u128::from(k) / u128::from(shards)).unwrap_or(len)
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
