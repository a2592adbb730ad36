//! Tensor warehouses, in a module of their own that a page loads when it opens one.
//!
//! The host reads the manifest, finds the files that it names, and gives bytes as if manifest and shards were one file. What
//! comes out is a [`Dataset`], with a few more answers.

use forebay::{
    Error, Limits, Step, Stepper,
    detect::detect,
    error::codes,
    formats::Format,
    samples::{Dataset as Core, Opened},
    warehouse::{
        MAGIC, Manifest, Opener as CoreOpener, ResizeMode, Statistics, Surveyor, Warehouse, drift, without_bars,
    },
};
use js_sys::{Float32Array, Uint8Array, Uint16Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::{
    dataset::Dataset,
    fail::{Outcome, text, thrown},
    limits::GivenLimits,
    ranges::pairs,
};

/// A manifest that was read.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WarehouseManifest {
    manifest: Manifest,
    len: u64,
    limits: Limits,
}

#[derive(Serialize)]
struct About<'a> {
    manifest: &'a Manifest,
    violations: Vec<String>,
}

/// What a warehouse knows of a sample beside its tensors; what it does not know is `null`.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseSample"))]
pub(crate) struct Sample<'a> {
    /// Its name: run and frame, or the image's path, or shard and number.
    name: String,
    /// The shard that it lies in.
    shard: Option<&'a str>,
    /// The frame's number.
    frame_id: Option<u64>,
    /// The run that it belongs to.
    run: Option<String>,
    /// The image's path, relative to the builder's input.
    source: Option<String>,
}

/// How many samples a run has.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct RunCount {
    /// The run; `null` for samples of which no run is known.
    run: Option<String>,
    /// Samples of it that are stored.
    samples: u64,
}

#[wasm_bindgen]
impl WarehouseManifest {
    /// Reads a manifest.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8], limits: &GivenLimits) -> Outcome<WarehouseManifest> {
        let limits = Limits::from(limits);
        if bytes.starts_with(&MAGIC) && detect(bytes) == Some(Format::Warehouse) {
            let message = "this is a shard of a tensor warehouse, which is opened by its manifest";
            return Err(thrown(Error::new(&codes::NOT_SAMPLES, message)));
        }
        let manifest = Manifest::parse(bytes, &limits).map_err(thrown)?;
        Ok(WarehouseManifest { manifest, len: bytes.len() as u64, limits })
    }

    /// What it says, and the thresholds that it breaks, as JSON.
    pub fn about(&self) -> String {
        let violations = self.manifest.thresholds.broken_by(&self.manifest.summary.totals);
        text(&About { manifest: &self.manifest, violations })
    }

    /// Where the shards lie, relative to the manifest; empty for one that would leave its folder.
    pub fn paths(&self) -> Vec<String> {
        self.manifest.shards.iter().map(|shard| shard.path().unwrap_or_default().to_owned()).collect()
    }
}

/// Opens a warehouse: `step` and `push` until `step` returns nothing, then `finish`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WarehouseOpener {
    work: CoreOpener,
    limits: Limits,
    done: Option<Warehouse>,
}

#[wasm_bindgen]
impl WarehouseOpener {
    /// With the lengths of the shards' files, negative for those that are not there. With `keep_going` what is wrong waits
    /// for a check.
    #[wasm_bindgen(constructor)]
    pub fn new(manifest: &WarehouseManifest, shard_lens: Vec<f64>, keep_going: bool) -> WarehouseOpener {
        let lens: Vec<_> = shard_lens.into_iter().map(|len| (len >= 0.0).then_some(len as u64)).collect();
        let limits = manifest.limits.clone();
        let mut work = CoreOpener::new(manifest.manifest.clone(), manifest.len, &lens).with_limits(limits.clone());
        if keep_going {
            work = work.keep_going();
        }
        WarehouseOpener { work, limits, done: None }
    }

    /// The ranges that are needed, of manifest and shards as one file; nothing when it is open.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(warehouse) => {
                self.done = Some(warehouse);
                None
            }
        })
    }

    /// Bytes of manifest and shards from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// The opened warehouse.
    pub fn finish(&mut self) -> Outcome<Dataset> {
        let opened = self.done.take().map(|it| Opened::new(Core::Warehouse(it), self.limits.clone(), None));
        opened
            .map(Dataset::new)
            .ok_or_else(|| thrown(Error::new(&codes::MISSING_BYTES, "the warehouse was not opened to its end")))
    }
}

/// Counts what a warehouse consists of: `step` and `push` until `step` returns nothing, then `finish`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WarehouseSurveyor {
    work: Surveyor,
    found: String,
}

#[wasm_bindgen]
impl WarehouseSurveyor {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(found) => {
                self.found = text(&found);
                None
            }
        })
    }

    /// Bytes of manifest and shards from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// Samples whose boxes were counted so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.work.counted() as f64
    }

    /// What was counted, as JSON.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.found)
    }
}

/// How far one warehouse is from an earlier one, by what was counted in both, as JSON.
#[wasm_bindgen(js_name = warehouseDrift)]
pub fn warehouse_drift(old: &str, new: &str) -> Outcome<String> {
    let read = |text: &str| {
        let wrong = |e| Error::new(&codes::ARGUMENT, format!("these are not the statistics of a warehouse: {e}"));
        serde_json::from_str::<Statistics>(text).map_err(wrong)
    };
    let drift = read(old).and_then(|old| Ok(drift::compare(&old, &read(new)?)));
    drift.map(|drift| text(&drift)).map_err(thrown)
}

impl Dataset {
    fn warehouse(&self) -> forebay::Result<&Warehouse> {
        let message = "these samples are not those of a warehouse";
        self.opened.dataset.warehouse().ok_or_else(|| Error::new(&codes::ARGUMENT, message))
    }
}

#[wasm_bindgen]
impl Dataset {
    /// What is known of sample `i` beside its tensors, as JSON.
    #[wasm_bindgen(js_name = warehouseSample)]
    pub fn warehouse_sample(&self, i: f64) -> Outcome<String> {
        let found = || {
            let (it, i) = (self.warehouse()?, i as u64);
            let record = it.sample_record(i)?;
            let (shard, _) = it.locate(i)?;
            let shard = it.entry(shard).map(|entry| entry.id.as_str());
            let name = it.name(i, &record)?;
            let (frame_id, run, source) = (record.frame_id, record.run, record.source);
            Ok(text(&Sample { name, shard, frame_id, run, source }))
        };
        found().map_err(thrown)
    }

    /// How many samples each run has, as JSON, in the order in which they are met.
    #[wasm_bindgen(js_name = warehouseRuns)]
    pub fn warehouse_runs(&self) -> Outcome<String> {
        let runs = self.warehouse().and_then(Warehouse::runs).map_err(thrown)?;
        Ok(text(&runs.into_iter().map(|(run, samples)| RunCount { run, samples }).collect::<Vec<_>>()))
    }

    /// Begins counting what the warehouse consists of: all boxes, and the pixels of about that many samples.
    pub fn survey(&self, pictures: f64) -> Outcome<WarehouseSurveyor> {
        let work = Surveyor::new(self.warehouse().map_err(thrown)?, pictures as u64);
        Ok(WarehouseSurveyor { work, found: String::new() })
    }

    /// Sample `i`'s image, of the bytes of its plan: from 0 to 1 in f32, from 0 to 255 in u8, or as it is stored.
    #[wasm_bindgen(js_name = warehouseTensor)]
    pub fn warehouse_tensor(&self, i: f64, bytes: &[u8], dtype: &str) -> Outcome<JsValue> {
        let shape =
            *self.warehouse().and_then(|it| Ok(it.locate(i as u64)?.0.header())).map(|h| &h.shape).map_err(thrown)?;
        let floats = || Ok(Float32Array::from(&shape.floats(bytes)?[..]).into());
        let planes = || Ok(Uint8Array::from(&shape.planes(bytes)?[..]).into());
        let tensor: forebay::Result<JsValue> = match (dtype, shape.dtype.name()) {
            ("f32", _) | ("stored", "f32") => floats(),
            ("u8", _) | ("stored", "u8") => planes(),
            ("stored", _) => shape.bits(bytes).map(|bits| Uint16Array::from(&bits[..]).into()),
            (other, _) => Err(Error::new(&codes::ARGUMENT, format!("{other:?} is not f32, u8 or stored"))),
        };
        tensor.map_err(thrown)
    }

    /// Sample `i`'s image as a picture, of the bytes of its plan: red, green, blue and 255 of each pixel, and behind all of
    /// them where the picture lies without the bars of a letterbox, as four numbers of 32 bits, little-endian.
    #[wasm_bindgen(js_name = warehousePicture)]
    pub fn warehouse_picture(&self, i: f64, bytes: &[u8]) -> Outcome<Vec<u8>> {
        let found = || {
            let it = self.warehouse()?;
            let shape = it.locate(i as u64)?.0.header().shape;
            let picture = shape.picture(bytes)?;
            let content = match it.manifest().transform.resize_mode {
                ResizeMode::Letterbox => without_bars(&picture, shape.width, shape.height),
                ResizeMode::Force => [0, 0, shape.width, shape.height],
            };
            let mut out = Vec::with_capacity(picture.len() / 3 * 4 + 16);
            out.extend(picture.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]));
            out.extend(content.into_iter().flat_map(u32::to_le_bytes));
            Ok(out)
        };
        found().map_err(thrown)
    }
}
