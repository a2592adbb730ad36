//! `forebay plan --simulate`: how fast the loader would be with more workers, told from a few samples that one worker makes.

use std::{num::NonZeroUsize, path::PathBuf};

use forebay::{Limits, Result};
use forebay_native::{
    loader::{IMAGENET, Image, Loader},
    parallel::all_cores,
    plan::Run,
    simulate::{Machine, Predicted, measure},
};
use serde::Serialize;

use super::{filtering::paths, pixels};
use crate::{human, output::Output, words::threads};

/// The heading of the options that need `--simulate`.
const OF_SIMULATE: &str = "With --simulate";

#[derive(Debug, clap::Args)]
pub(super) struct SimulateArgs {
    /// Predict images per second for more workers.
    ///
    /// Measures a few samples with one worker, and then with one worker per core.
    #[arg(long, conflicts_with_all = ["cost", "n", "skip", "epoch"])]
    pub simulate: bool,
    /// Numbers of workers to predict.
    #[arg(long, help_heading = OF_SIMULATE, hide_short_help = true, value_name = "NUMBERS", value_delimiter = ',', requires = "simulate", default_value = "1,2,4,8", value_parser = threads)]
    workers: Vec<usize>,
    /// Tensor size, such as 224 or 320x240.
    #[arg(long, help_heading = OF_SIMULATE, hide_short_help = true, value_name = "SIZE", value_parser = pixels::size, requires = "simulate", default_value = "224")]
    image: (u32, u32),
    /// Use resized random crops and flip half of them.
    ///
    /// Without it, whole images are resized.
    #[arg(long, help_heading = OF_SIMULATE, hide_short_help = true, requires = "simulate")]
    augment: bool,
    /// Number of samples to measure.
    #[arg(long, help_heading = OF_SIMULATE, hide_short_help = true, value_name = "N", requires = "simulate", default_value_t = 512)]
    samples: u64,
    /// Cores of the target machine; by default, of this one.
    #[arg(long, help_heading = OF_SIMULATE, hide_short_help = true, value_name = "N", requires = "simulate")]
    cores: Option<NonZeroUsize>,
    /// Limit of the reading rate, such as 200MB/s or 1Gb/s.
    #[arg(long, help_heading = OF_SIMULATE, hide_short_help = true, value_name = "RATE", requires = "simulate", value_parser = human::parse_rate)]
    read_rate: Option<u64>,
}

/// What a loader would do on another machine.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlanSimulate"))]
pub(super) struct Simulated {
    /// Samples that were measured.
    samples: usize,
    /// Samples of a batch.
    batch: usize,
    /// Which rank.
    rank: u64,
    /// How many ranks there are.
    world: u64,
    /// Bytes of a sample as stored, on average.
    sample_bytes: u64,
    /// Milliseconds that each stage takes of a sample.
    stage_ms: Stages,
    /// Milliseconds that the caller's thread takes of a batch.
    batch_taking_ms: f64,
    /// Milliseconds of a worker between two samples.
    between_ms: f64,
    /// Threads that work at once.
    cores: usize,
    /// Bytes that are read in a second; null if that is no bound.
    read_bytes_per_second: Option<u64>,
    /// What workers on all cores did; null on one core.
    together: Option<Together>,
    /// The prediction for each number of workers.
    predicted: Vec<Predicted>,
}

/// Milliseconds by stage.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "StageTimes"))]
struct Stages {
    /// Reading.
    read: f64,
    /// Verifying checksums.
    verify: f64,
    /// Decoding.
    decode: f64,
    /// Resizing and augmenting.
    resize: f64,
    /// Labels and targets.
    targets: f64,
}

/// Workers on all cores.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Together {
    /// How many.
    workers: usize,
    /// Images in a second.
    images_per_second: f64,
    /// How many times as long a sample takes as with one worker.
    slower: f64,
}

impl SimulateArgs {
    /// Of one rank of a run, over these files with this filter.
    pub fn run(
        &self,
        (files, filter, limits): (&[PathBuf], Option<&str>, Limits),
        (run, rank): (&Run, u64),
        out: &Output,
    ) -> Result<()> {
        let image = Image::new(self.image.0, self.image.1).normalize(IMAGENET);
        let image = if self.augment { image.random_resized_crop().hflip() } else { image };
        let mut builder = run.loader(Loader::open_all(paths(files)?)?.image(image).limits(limits), rank)?;
        if let Some(filter) = filter {
            builder = builder.filter(filter)?;
        }
        let measured = measure(builder, self.samples)?;
        let machine = Machine::new(self.cores.map_or_else(all_cores, NonZeroUsize::get))
            .read_bytes(self.read_rate.map(|bits| bits / 8));
        let predicted: Vec<_> = self.workers.iter().map(|workers| measured.simulate(*workers, &machine)).collect();
        let names = ["read", "verify", "decode", "resize", "targets"];
        let stages: Vec<(&str, f64)> =
            names.into_iter().zip(measured.stages()).map(|(name, time)| (name, 1000.0 * time.as_secs_f64())).collect();
        let between = 1000.0 * measured.between().as_secs_f64();
        let taking = 1000.0 * measured.taking.as_secs_f64();
        if out.json() {
            let [read, verify, decode, resize, targets] = measured.stages().map(|time| 1000.0 * time.as_secs_f64());
            out.value(&Simulated {
                samples: measured.samples.len(),
                batch: measured.batch,
                rank,
                world: run.world,
                sample_bytes: measured.bytes,
                stage_ms: Stages { read, verify, decode, resize, targets },
                batch_taking_ms: taking,
                between_ms: between,
                cores: machine.cores,
                read_bytes_per_second: machine.read_bytes,
                together: measured.together.map(|(workers, rate)| Together {
                    workers,
                    images_per_second: rate,
                    slower: measured.slower(workers),
                }),
                predicted,
            });
            return Ok(());
        }
        let each: Vec<String> = stages.iter().map(|(name, ms)| format!("{name} {ms:.3}")).collect();
        out.line(format!(
            "{} samples of {} on average",
            human::count(measured.samples.len() as u64),
            human::bytes(measured.bytes)
        ));
        out.line(format!("ms a sample   {}, between {between:.3}", each.join(", ")));
        out.line(format!("ms a batch    {taking:.3} of the thread that takes it"));
        if let Some((workers, rate)) = measured.together {
            let slower = measured.slower(workers);
            out.line(format!(
                "{workers} workers     {rate:.0} images/s together, each sample taking {slower:.2} times as long"
            ));
        }
        out.line("");
        out.line(format!("{:>8} {:>12} {:>8}  {}", "workers", "images/s", "busy", "bound by"));
        for one in &predicted {
            let bound = match one.bound {
                "cores" => format!("{} cores", machine.cores),
                "read" => "reading".to_owned(),
                _ => "workers".to_owned(),
            };
            let busy = 100.0 * one.busy;
            out.line(format!("{:>8} {:>12.0} {busy:>6.0} %  {bound}", one.workers, one.images_per_second));
        }
        Ok(())
    }
}
