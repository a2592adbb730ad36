//! A training program from front to back: batches of pictures with labels, a model, its state saved while it runs, and
//! the same run continued from there.
//!
//! ```text
//! cargo run --release -p forebay-native --example training -- train.tbl [EPOCHS]
//! ```
//!
//! The model is as small as one can be, so that nothing but the loader matters here: a number for each class and pixel of
//! 8 × 8 (softmax regression), by gradient descent. `train.tbl.state.json` keeps where the run stands: interrupt the
//! program, and it goes on with the next batch as if nothing had happened.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "an example is a host: it has files")]

use std::{error::Error, fs, path::Path};

use forebay::order::Tail;
use forebay_native::loader::{Builder, Image, Loader, OnBroken, State};
use serde::{Deserialize, Serialize};

const SIDE: u32 = 8;
const VALUES: usize = 3 * (SIDE * SIDE) as usize;
const STEP: f32 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: training FILE [EPOCHS]")?;
    let epochs = arguments.next().map_or(Ok(5), |n| n.parse())?;
    let saved = format!("{file}.state.json");
    let run = train(Path::new(&file), Path::new(&saved), epochs, u64::MAX)?;
    println!("{:.0} % of the images are recognized", 100.0 * accuracy(Path::new(&file), &run.model)?);
    fs::remove_file(saved)?;
    Ok(())
}

/// What is saved: the model, and where in the order of samples it stands.
#[derive(Serialize, Deserialize)]
struct Run {
    state: State,
    model: Model,
}

/// The settings of every run over this file: those of a saved state must be the same.
fn loader(file: &Path) -> Result<Builder, forebay::Error> {
    Ok(Loader::open(file)?
        .filter("width >= 4 && height >= 4")?
        .batch(16)
        .shuffle(42)
        .image(Image::new(SIDE, SIDE).hflip())
        .labels("cls")
        .on_broken(OnBroken::Skip))
}

/// Trains until the end of the last epoch, or until that many batches were learned from: there the program may end as well as
/// anywhere else.
fn train(file: &Path, saved: &Path, epochs: u64, most: u64) -> Result<Run, Box<dyn Error>> {
    let before: Option<Run> = fs::read(saved).ok().map(|text| serde_json::from_slice(&text)).transpose()?;
    let mut builder = loader(file)?;
    let mut model = None;
    if let Some(run) = before {
        println!("going on behind step {} of epoch {}", run.state.order.step, run.state.order.epoch);
        builder = builder.resume(run.state);
        model = Some(run.model);
    }
    let mut loader = builder.build()?;
    let classes = loader.classes().len().max(2);
    let mut model = model.unwrap_or_else(|| Model::new(classes));
    let (mut sum, mut learnt) = (0.0, 0);
    while loader.position().epoch < epochs && learnt < most {
        // `None` is the end of an epoch; the next call begins the next one.
        let Some(batch) = loader.next_batch()? else {
            println!("epoch {}: loss {:.3}", loader.position().epoch - 1, sum / loader.steps().max(1) as f32);
            sum = 0.0;
            continue;
        };
        for skipped in batch.skipped() {
            eprintln!("left out: {}", skipped.error);
        }
        sum += model.learn(batch.images().f32().unwrap_or_default(), batch.labels());
        learnt += 1;
        // A real program saves every few minutes.
        fs::write(saved, serde_json::to_vec(&Run { state: loader.state(), model: model.clone() })?)?;
    }
    Ok(Run { state: loader.state(), model })
}

/// The share of all samples whose class the model names.
fn accuracy(file: &Path, model: &Model) -> Result<f64, Box<dyn Error>> {
    // Every sample once, in stored order, as they are.
    let image = Image::new(SIDE, SIDE);
    let mut loader = Loader::open(file)?.batch(64).tail(Tail::Uneven).image(image).labels("cls").build()?;
    let (mut right, mut all) = (0, 0);
    for batch in loader.epoch(0)? {
        let batch = batch?;
        let pictures = batch.images().f32().unwrap_or_default().chunks_exact(VALUES);
        for (picture, label) in pictures.zip(batch.labels()) {
            let scores = model.scores(picture);
            let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
            right += usize::from(best.is_some_and(|class| class as i64 == *label));
            all += 1;
        }
    }
    Ok(right as f64 / f64::from(all.max(1)))
}

/// Softmax regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Model {
    /// A row of weights for each class, the last of which is its bias.
    weights: Vec<Vec<f32>>,
}

impl Model {
    fn new(classes: usize) -> Self {
        Model { weights: vec![vec![0.0; VALUES + 1]; classes] }
    }

    fn scores(&self, picture: &[f32]) -> Vec<f32> {
        let score = |row: &Vec<f32>| row[VALUES] + row.iter().zip(picture).map(|(w, x)| w * x).sum::<f32>();
        let scores: Vec<f32> = self.weights.iter().map(score).collect();
        let most = scores.iter().copied().fold(f32::MIN, f32::max);
        let shares: Vec<f32> = scores.iter().map(|s| (s - most).exp()).collect();
        let sum: f32 = shares.iter().sum();
        shares.iter().map(|share| share / sum).collect()
    }

    /// One step down the gradient of a batch's mean loss, which it gives.
    fn learn(&mut self, pictures: &[f32], labels: &[i64]) -> f32 {
        let mut loss = 0.0;
        let n = labels.len().max(1) as f32;
        let before = self.clone();
        for (picture, &label) in pictures.chunks_exact(VALUES).zip(labels) {
            let scores = before.scores(picture);
            for (class, (row, score)) in self.weights.iter_mut().zip(scores).enumerate() {
                let is = class as i64 == label;
                loss -= if is { score.max(1e-9).ln() / n } else { 0.0 };
                let change = STEP * (f32::from(u8::from(is)) - score) / n;
                row.iter_mut().zip(picture).for_each(|(w, x)| *w += change * x);
                row[VALUES] += change;
            }
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use forebay_native::{
        Dataset,
        convert::{Job, Options, To},
    };

    use super::*;

    /// 72 squares in three colors, which are their classes, and one that is damaged.
    fn squares(folder: &Path) -> std::path::PathBuf {
        for i in 0..72_u8 {
            let (class, side) = (usize::from(i % 3), 8);
            let mut bmp = b"BM\xf6\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x08\0\0\0\x08\0\0\0\x01\0\x18\0".to_vec();
            bmp.resize(54, 0);
            for pixel in 0..side * side {
                let mut color = [40 + i, 40 + i, 40 + i];
                color[class] = 200 - pixel;
                bmp.extend(color);
            }
            if i == 71 {
                bmp.truncate(60);
            }
            fs::write(folder.join(format!("{i:03}.bmp")), bmp).unwrap();
            fs::write(folder.join(format!("{i:03}.cls")), ["blue", "green", "red"][class]).unwrap();
        }
        let file = folder.join("train.tbl");
        Job::new(vec![Dataset::open(folder).unwrap()], Options::new(To::Tbl)).run(&file).unwrap();
        file
    }

    #[test]
    fn the_model_learns_and_an_interrupted_run_ends_as_one_that_was_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = squares(folder.path());
        let whole = train(&file, &folder.path().join("whole"), 6, u64::MAX).unwrap();
        let saved = folder.path().join("parts");
        let mut parts = 0;
        let last = loop {
            parts += 1;
            let run = train(&file, &saved, 6, 5).unwrap();
            if run.state.order.epoch == 6 {
                break run;
            }
        };
        assert!(parts > 4, "it was interrupted {parts} times");
        assert!(last.model == whole.model && last.state == whole.state);
        assert!(whole.state.skipped >= 4, "the damaged image is left out of most epochs");
        let rest = loader(&file).unwrap();
        assert_eq!(rest.build().unwrap().classes(), ["blue", "green", "red"]);
        let known = train_accuracy(&file, &whole.model);
        assert!(known > 0.95, "{known}");
    }

    /// As [`accuracy`], without the damaged picture.
    fn train_accuracy(file: &Path, model: &Model) -> f64 {
        assert!(accuracy(file, model).is_err(), "a broken sample is an error unless it is to be left out");
        let good = file.with_file_name("good.tbl");
        let dataset = Dataset::open(file).unwrap();
        Job::new(vec![dataset], Options::new(To::Tbl)).select((0..71).map(|i| (0, i)).collect()).run(&good).unwrap();
        accuracy(&good, model).unwrap()
    }
}
