//! The strip of a dataset, made on all cores.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    check::Fault,
    error::codes::ARGUMENT,
    sample::MediaFormat,
    samples::{Loaded, is_of_sample},
};
use serde::Serialize;

use super::{
    draw::{Drawing, is_picture, nothing},
    label::{Label, digest},
};
use crate::{
    convert::{Derived, Job, Options, Progress, To},
    dataset::Dataset,
    output::refuse_inputs,
    parallel::all_cores,
};

/// Edges that may be asked for.
const SIZES: std::ops::RangeInclusive<u32> = 2..=2048;
/// Faults that are kept; more are only counted.
const KEPT: usize = 20;

/// How thumbnails are made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ThumbsOptions {
    /// No edge is longer, in pixels; 2 to 2,048. Smaller pictures stay as large as they are.
    pub size: u32,
    /// Of the JPEGs, 1 to 100.
    pub quality: u8,
    /// Threads.
    pub workers: usize,
    /// Replace an output that exists.
    pub force: bool,
    /// Bounds on pictures.
    pub limits: Limits,
    /// Make the output durable before it appears.
    pub sync: bool,
}

impl Default for ThumbsOptions {
    /// 160 pixels at quality 80, on all cores.
    fn default() -> Self {
        ThumbsOptions { size: 160, quality: 80, workers: all_cores(), force: false, limits: Limits::host(), sync: true }
    }
}

/// What was made.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ThumbsSummary {
    /// The dataset's name.
    pub input: String,
    /// The strip's name.
    pub output: String,
    /// What tells the dataset from others.
    pub digest: String,
    /// No edge is longer.
    pub size: u32,
    /// Samples, of which each has a place in the strip.
    pub samples: u64,
    /// Bytes of the strip.
    pub output_bytes: u64,
    /// Samples that are not pictures: their place is empty.
    pub not_pictures: u64,
    /// Samples that could not be read or decoded: their place is empty too.
    pub fault_count: u64,
    /// The first of them.
    pub faults: Vec<Fault>,
}

/// What was met on the way.
#[derive(Debug, Default)]
struct Met {
    not_pictures: u64,
    faults: Vec<(u64, Fault)>,
    fault_count: u64,
}

/// Writes the strip of a TBL or a TAR. Until it is whole, nothing is there.
pub fn write(
    dataset: &Dataset,
    output: &Path,
    options: &ThumbsOptions,
    progress: &mut dyn FnMut(&Progress),
) -> Result<ThumbsSummary> {
    let ThumbsOptions { size, quality, .. } = *options;
    let refuse = |message: String, names| Err(Error::new(&ARGUMENT, message).with_options(names));
    if !SIZES.contains(&size) {
        return refuse(format!("a thumbnail's edge is 2 to 2,048 pixels, not {size}"), &["size"]);
    }
    if !(1..=100).contains(&quality) {
        return refuse(format!("the quality of a JPEG is 1 to 100, not {quality}"), &["quality"]);
    }
    refuse_inputs(output, [Path::new(dataset.name())])?;
    let digest = digest(dataset)?;
    let met = Arc::<Mutex<Met>>::default();
    let work = Work {
        drawing: Drawing::new(size, quality, options.limits.clone()),
        nothing: nothing()?,
        digest: digest.clone(),
        size,
        met: met.clone(),
    };
    // Names of folders stay where they are.
    let name = dataset.name().rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("a file");
    let derived = Derived {
        dataset: Arc::new(dataset.clone()),
        source: format!("thumbnails of {name} ({digest})"),
        make: Arc::new(move |dataset, i| work.make(dataset, i)),
    };
    let mut how = Options::new(To::Tbl);
    (how.workers, how.force, how.sync) = (options.workers, options.force, options.sync);
    let written = Job::derived(derived, how).run_with(output, progress)?;
    let mut met = met.lock().unwrap_or_else(PoisonError::into_inner);
    met.faults.sort_by_key(|(i, _)| *i);
    Ok(ThumbsSummary {
        input: dataset.name().to_owned(),
        output: written.output,
        digest,
        size,
        samples: written.samples,
        output_bytes: written.output_bytes,
        not_pictures: met.not_pictures,
        fault_count: met.fault_count,
        faults: met.faults.drain(..).take(KEPT).map(|(_, fault)| fault).collect(),
    })
}

struct Work {
    drawing: Drawing,
    nothing: Vec<u8>,
    digest: String,
    size: u32,
    met: Arc<Mutex<Met>>,
}

impl Work {
    /// The thumbnail of a sample as a sample of the strip.
    fn make(&self, dataset: &Dataset, i: u64) -> Result<Loaded> {
        let drawn = self.drawn(dataset, i);
        // Of a file that was overwritten meanwhile nothing is told about its samples.
        dataset.input().map_or(Ok(()), |input| input.unchanged())?;
        let (jpeg, picture) = match drawn {
            Ok(Some(drawn)) => (drawn.jpeg, Some(drawn.picture)),
            // What cannot be drawn has its place all the same.
            Ok(None) => {
                self.met().not_pictures += 1;
                (self.nothing.clone(), None)
            }
            Err(e) if is_of_sample(&e) => {
                self.met().fault(i, &e.sample(i).file(dataset.name()));
                (self.nothing.clone(), None)
            }
            Err(e) => return Err(e),
        };
        let label = Label { sample: i, digest: self.digest.clone(), size: self.size, picture };
        let payload = Bytes::from(label.written(&jpeg));
        Ok(Loaded::from_files(i, &format!("{i}.jpg"), payload, &[], 0))
    }

    fn drawn(&self, dataset: &Dataset, i: u64) -> Result<Option<super::draw::Drawn>> {
        let info = dataset.info(i)?;
        if !is_picture(info.format) {
            return Ok(None);
        }
        let payload = dataset.lend(i)?;
        let raw = (info.format == MediaFormat::RawU8).then_some((info.width, info.height));
        match self.drawing.draw(&payload, raw) {
            Ok(drawn) => Ok(Some(drawn)),
            // Bytes of no known format claim nothing that could be damaged.
            Err(e) if info.format == MediaFormat::Unknown && e.kind() == forebay::error::Kind::Unsupported => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn met(&self) -> std::sync::MutexGuard<'_, Met> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Met {
    /// Of many faults those of the lowest numbers stay, whatever the threads do.
    fn fault(&mut self, i: u64, e: &Error) {
        self.fault_count += 1;
        self.faults.push((i, Fault::from(e)));
        if self.faults.len() >= 4 * KEPT {
            self.faults.sort_by_key(|(i, _)| *i);
            self.faults.truncate(KEPT);
        }
    }
}
