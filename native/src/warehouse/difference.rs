//! Which samples of a warehouse another one has too, and what of them changed.

use std::path::Path;

use bytes::Bytes;
use forebay::{
    Limits, Result,
    warehouse::{Manifest, SampleRecord, Shape, Warehouse, to_f32},
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::open;
use crate::{
    difference::{Changed, Only, Pairs, by_key, changed},
    shards::OpenWarehouse,
};

/// How far boxes may be apart that are stored in different types: f16 is off by half of this where it is worst.
const NEAR: f32 = 1.0 / 2048.0;

/// One warehouse beside another.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseDifference"))]
#[non_exhaustive]
pub struct Difference {
    /// They hold the same samples.
    pub same: bool,
    /// The key by which samples are paired.
    pub by: &'static str,
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
    /// Settings that differ: what was done to the pictures, and how they are stored.
    pub settings: Vec<Setting>,
    /// Counts of frames that differ, as the manifests give them.
    pub counts: Vec<Setting>,
}

/// Something that the manifests say differently; null where one says nothing.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DifferentSetting"))]
#[non_exhaustive]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value in the first one.
    pub a: Value,
    /// Its value in the other one.
    pub b: Value,
}

/// Compares the samples of two warehouses, given by their manifests or folders: their pictures only, or boxes, classes and
/// metadata too.
pub fn difference(a: &Path, b: &Path, pictures_only: bool, workers: usize, limits: &Limits) -> Result<Difference> {
    let (a, b) = (Side::new(open(a, limits)?)?, Side::new(open(b, limits)?)?);
    let mut found = Difference { a_samples: a.len(), b_samples: b.len(), ..Difference::default() };
    found.settings = differing(&settings(a.manifest()), &settings(b.manifest()));
    found.counts = differing(&counts(a.manifest()), &counts(b.manifest()));
    let Pairs { both, only_in_a, only_in_b } = pair(&a, &b, &mut found)?;
    let compare = |i, j| compare(&a, i, &b, j, pictures_only);
    (found.equal, found.changed) = changed(both, workers, compare, |i| a.name(i), &mut |_, _| ())?;
    (found.only_in_a, found.only_in_b) = (only_in_a, only_in_b);
    found.same = found.changed.is_empty() && found.only_in_a.is_empty() && found.only_in_b.is_empty();
    Ok(found)
}

/// One of the two.
struct Side {
    opened: OpenWarehouse,
    classes: Vec<String>,
}

impl Side {
    fn new(opened: OpenWarehouse) -> Result<Side> {
        let classes = opened.warehouse.manifest().classes.clone().unwrap_or_default();
        Ok(Side { opened, classes })
    }
    fn warehouse(&self) -> &Warehouse {
        &self.opened.warehouse
    }
    fn manifest(&self) -> &Manifest {
        self.warehouse().manifest()
    }
    fn len(&self) -> u64 {
        self.warehouse().len()
    }
    fn slice(&self, i: u64, range: std::ops::Range<u64>) -> Result<Bytes> {
        self.opened.joined.slice(range).map_err(|e| e.sample(i))
    }

    /// What is known of a sample, with its run below the input: that may have been moved.
    fn record(&self, i: u64) -> Result<SampleRecord> {
        let mut record = self.warehouse().sample_record(i)?;
        if let Some(run) = &mut record.run {
            *run = self.manifest().run_below(run).to_owned();
        }
        Ok(record)
    }
    fn name(&self, i: u64) -> Result<Option<String>> {
        self.warehouse().name(i, &self.record(i)?).map(Some)
    }
    fn image(&self, i: u64) -> Result<Bytes> {
        self.slice(i, self.warehouse().plan(i)?.range())
    }
    fn boxes(&self, i: u64) -> Result<Vec<[f32; 4]>> {
        let [boxes, mask] = self.warehouse().box_ranges(i)?;
        self.warehouse().boxes(i, &self.slice(i, boxes)?, &self.slice(i, mask)?)
    }
    fn shape(&self, i: u64) -> Result<Shape> {
        Ok(self.warehouse().locate(i)?.0.header().shape)
    }
    /// The classes of a sample's boxes by their names, or their numbers where they have none.
    fn classes(&self, record: &SampleRecord, boxes: usize) -> Vec<Option<String>> {
        let name = |class: u32| self.classes.get(class as usize).cloned().unwrap_or_else(|| class.to_string());
        (0..boxes).map(|k| record.classes.get(k).copied().flatten().map(name)).collect()
    }
}

/// What may tell samples apart, the surest first.
type Key = fn(&SampleRecord) -> Option<String>;
const KEYS: [(&str, Key); 3] = [
    ("run and frame", |record| Some(format!("{}\n{}", record.run.as_ref()?, record.frame_id?))),
    ("source", |record| record.source.clone()),
    ("frame", |record| record.frame_id.map(|frame| frame.to_string())),
];

/// Which sample of the one belongs to which of the other: by the first key that every sample has, of its own, in both;
/// else by number.
fn pair(a: &Side, b: &Side, found: &mut Difference) -> Result<Pairs> {
    let (name_a, name_b) = (|i| a.name(i), |i| b.name(i));
    for (by, key) in KEYS {
        let keys = |side: &Side| by_key(side.len(), |i| Ok(key(&side.record(i)?)));
        let (Some(of_a), Some(of_b)) = (keys(a)?, keys(b)?) else { continue };
        found.by = by;
        return Pairs::by_key(of_a, of_b, name_a, name_b);
    }
    found.by = "position";
    Pairs::by_number(a.len(), b.len(), name_a, name_b)
}

fn compare(a: &Side, i: u64, b: &Side, j: u64, pictures_only: bool) -> Result<Vec<&'static str>> {
    let (shape_a, shape_b) = (a.shape(i)?, b.shape(j)?);
    let mut what = Vec::new();
    if !same_picture(&shape_a, &a.image(i)?, &shape_b, &b.image(j)?) {
        what.push("picture");
    }
    if pictures_only {
        return Ok(what);
    }
    let (boxes_a, boxes_b) = (a.boxes(i)?, b.boxes(j)?);
    let near = if shape_a.boxes_dtype == shape_b.boxes_dtype { 0.0 } else { NEAR };
    // What is not a number is the same as itself here.
    let same = |(x, y): (&f32, &f32)| x.to_bits() == y.to_bits() || (x - y).abs() <= near;
    if boxes_a.len() != boxes_b.len() || !boxes_a.as_flattened().iter().zip(boxes_b.as_flattened()).all(same) {
        what.push("boxes");
    }
    let (record_a, record_b) = (a.record(i)?, b.record(j)?);
    if a.classes(&record_a, boxes_a.len()) != b.classes(&record_b, boxes_b.len()) {
        what.push("classes");
    }
    let rest = |record: SampleRecord| (record.frame_id, record.run, record.source, record.other);
    if rest(record_a) != rest(record_b) {
        what.push("metadata");
    }
    Ok(what)
}

/// Whether two pictures are the same: byte for byte, or in other types by their levels of 8 bits.
fn same_picture(shape_a: &Shape, a: &[u8], shape_b: &Shape, b: &[u8]) -> bool {
    if (shape_a.width, shape_a.height) != (shape_b.width, shape_b.height) {
        return false;
    }
    if (shape_a.dtype, shape_a.endianness) == (shape_b.dtype, shape_b.endianness) {
        return a == b;
    }
    let levels = |shape: &Shape, bytes: &[u8]| -> Vec<i32> {
        let mut values = vec![0.0; bytes.len() / shape.dtype.size() as usize];
        to_f32(shape.dtype, shape.endianness, bytes, &mut values);
        values.iter().map(|value| (value * 255.0).round() as i32).collect()
    };
    levels(shape_a, a) == levels(shape_b, b)
}

/// What decides about the bytes, and where they come from.
fn settings(manifest: &Manifest) -> Map<String, Value> {
    let shard = manifest.shards.first();
    let mut all = Map::new();
    let transform = &manifest.transform;
    for (name, value) in [
        ("dataset_root", json!(manifest.dataset_root)),
        ("target_size", json!(transform.target_size)),
        ("resize_mode", json!(transform.resize_mode)),
        ("max_boxes", json!(transform.max_boxes)),
        ("dtype", json!(manifest.default_dtype)),
        ("boxes_dtype", json!(shard.map(|shard| shard.shape().boxes_dtype))),
        ("endianness", json!(shard.map(|shard| shard.endianness))),
        ("classes", json!(manifest.classes)),
        ("code_version", json!(manifest.code_version)),
        ("thresholds", json!(manifest.thresholds)),
    ] {
        all.insert(name.into(), value);
    }
    // What else our own versions are made of; the content is what the samples show.
    let key = manifest.version_key.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let key: Map<String, Value> = key.unwrap_or_default();
    for (name, value) in key {
        if !["content", "boxes", "shard_bytes"].contains(&name.as_str()) {
            all.entry(name).or_insert(value);
        }
    }
    all
}

/// The frames by what became of them.
fn counts(manifest: &Manifest) -> Map<String, Value> {
    let totals = serde_json::to_value(&manifest.summary.totals).ok();
    let mut totals = totals.and_then(|value| value.as_object().cloned()).unwrap_or_default();
    totals.remove("run_dir");
    totals.insert("runs".into(), manifest.summary.runs.len().into());
    totals.insert("shards".into(), manifest.shards.len().into());
    totals
}

fn differing(a: &Map<String, Value>, b: &Map<String, Value>) -> Vec<Setting> {
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    let value = |of: &Map<String, Value>, name: &str| of.get(name).cloned().unwrap_or(Value::Null);
    let all = names.map(|name| Setting { name: name.clone(), a: value(a, name), b: value(b, name) });
    all.filter(|setting| setting.a != setting.b).collect()
}
