//! Learns a small detector: where the boxes of a picture are. From a tensor warehouse, of which nothing is decoded, or for
//! the time before there is one from the pictures themselves:
//!
//!     forebay warehouse build captures -o warehouse --size 64x64
//!     cargo run --release --bin detector -- --tensor-warehouse warehouse/v… [EPOCHS]
//!     cargo run --release --bin detector -- --live captures [EPOCHS]
//!
//! Only the path differs: the same loader gives the same tensors, boxes and masks, in the same order. A fifth of the samples
//! is not learnt from; at the end it says how well the boxes of these are found, and which share of the time data took.
//! `--labels FILE` behind `--live PATH` takes the boxes of a label file.

use std::{
    error::Error,
    path::Path,
    time::{Duration, Instant},
};

use burn::{
    module::Module,
    nn::{
        PaddingConfig2d,
        conv::{Conv2d, Conv2dConfig},
    },
    optim::{AdamConfig, GradientsParams},
    tensor::{
        Device, Tensor, TensorData,
        activation::{relu, sigmoid},
    },
};
use forebay::{
    order::Tail,
    warehouse::{ResizeMode, Transform},
};
use forebay_native::{
    loader::{Batch, Builder, Loader, OnBroken, Split, SplitBy},
    shards::manifest_of,
};

/// The sides of pictures and the places for boxes, if no warehouse says them.
const SIDE: u32 = 64;
const PLACES: u64 = 16;
const BATCH: u64 = 8;
/// A cell of the grid is as many pixels wide and high.
const CELL: usize = 8;
/// This share of the samples is not learnt from.
const HELD_OUT: f64 = 0.2;
const USAGE: &str = "usage: detector (--tensor-warehouse MANIFEST | --live PATH [--labels FILE]) [EPOCHS]";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (how, path, labels, epochs) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [how, path] => (how, path, None, 20),
        [how, path, "--labels", labels] => (how, path, Some(labels), 20),
        [how, path, "--labels", labels, epochs] => (how, path, Some(labels), epochs.parse()?),
        [how, path, epochs] => (how, path, None, epochs.parse()?),
        _ => return Err(USAGE.into()),
    };
    let settings = || match (how, labels) {
        ("--tensor-warehouse", None) => stored(path),
        ("--live", labels) => live(path, labels),
        _ => Err(USAGE.into()),
    };
    // Pictures of the sample dataset have nothing to do with each other. Of captures, whose frames follow each other, leave
    // `by` out: whole runs are then kept apart.
    let mut loader = settings()?.split(Split::train(HELD_OUT, 1).by(SplitBy::Sample)).build()?;
    let held_out = settings()?.split(Split::validation(HELD_OUT, 1).by(SplitBy::Sample));
    let mut held_out = held_out.tail(Tail::Uneven).build()?;
    loader.notes().iter().for_each(|note| println!("note: {note}"));

    let device = Device::flex().autodiff();
    let mut network = Network::new(&device);
    let before = overlap(&network, &mut held_out, &device)?;
    let mut optimizer = AdamConfig::new().init();
    let (begun, mut data) = (Instant::now(), Duration::ZERO);
    let mut losses = Vec::new();
    for epoch in 0..epochs {
        let (mut sum, mut count) = (0.0, 0.0);
        let mut batches = loader.epoch(epoch)?;
        loop {
            let asked = Instant::now();
            let Some(batch) = batches.next().transpose()? else { break };
            let known = Known::of(&batch, &device);
            data += asked.elapsed();
            let loss = known.loss(network.forward(known.images.clone()));
            sum += loss.clone().into_scalar::<f32>();
            count += 1.0;
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = optimizer.step(3e-3, network, gradients);
        }
        losses.push(sum / f32::max(count, 1.0));
        println!("epoch {epoch}: loss {:.3}", sum / f32::max(count, 1.0));
    }
    let took = begun.elapsed();
    let after = overlap(&network, &mut held_out, &device)?;
    println!(
        "held out: the surest box of an image overlaps a true one by {:.2} on average, before {:.2}; by half or more in {:.0} %",
        after.0,
        before.0,
        100.0 * after.1
    );
    println!(
        "{:.1} s, of which data took {:.1} %; opening took {:.2} s",
        took.as_secs_f64(),
        100.0 * data.as_secs_f64() / took.as_secs_f64(),
        loader.stats().opening.as_secs_f64()
    );
    match losses.as_slice() {
        [first, .., last] if last >= first => Err("the network has learnt nothing".into()),
        [_, _, ..] if after.0 <= before.0 => Err("what it has learnt is of no use elsewhere".into()),
        _ => Ok(()),
    }
}

/// The tensors of a warehouse. What is not one is refused: here nothing is decoded.
fn stored(path: &str) -> Result<Builder, Box<dyn Error>> {
    if manifest_of(Path::new(path)).is_none() {
        return Err(
            format!("{path} is not a tensor warehouse, and --tensor-warehouse decodes nothing; see --live").into()
        );
    }
    Ok(Loader::open(path)?.batch(BATCH).shuffle(42))
}

/// Pictures, decoded and made to fit as a build of a warehouse does it.
fn live(path: &str, labels: Option<&str>) -> Result<Builder, Box<dyn Error>> {
    if manifest_of(Path::new(path)).is_some() {
        return Err(format!("{path} is a tensor warehouse; see --tensor-warehouse").into());
    }
    let transform = Transform::new(Some([SIDE, SIDE]), ResizeMode::Letterbox, PLACES);
    let loader = Loader::open(path)?.warehouse_transform(transform).on_broken(OnBroken::Skip).batch(BATCH).shuffle(42);
    Ok(match labels {
        Some(labels) => loader.annotations(labels),
        None => loader,
    })
}

/// A batch, and what the network is to say of it: for each cell of the grid whether the middle of a box is in it, and
/// where in the cell and how large the box is.
struct Known {
    images: Tensor<4>,
    there: Tensor<4>,
    boxes: Tensor<4>,
    count: f32,
}

impl Known {
    fn of(batch: &Batch, device: &Device) -> Known {
        let shape = batch.shape();
        let (n, grid) = (shape[0], [shape[2].div_ceil(CELL), shape[3].div_ceil(CELL)]);
        let cells = grid[0] * grid[1];
        let (mut there, mut boxes) = (vec![0.0f32; n * cells], vec![0.0f32; n * 4 * cells]);
        let mut count = 0.0;
        for (sample, corners) in truths(batch) {
            let [left, top, right, bottom] = corners;
            let (x, y) = ((left + right) / 2.0 * grid[1] as f32, (top + bottom) / 2.0 * grid[0] as f32);
            let (column, row) = ((x as usize).min(grid[1] - 1), (y as usize).min(grid[0] - 1));
            let cell = row * grid[1] + column;
            there[sample * cells + cell] = 1.0;
            let values = [x - column as f32, y - row as f32, right - left, bottom - top];
            for (k, value) in values.into_iter().enumerate() {
                boxes[(sample * 4 + k) * cells + cell] = value;
            }
            count += 1.0;
        }
        let images = batch.images().f32().unwrap_or_default().to_vec();
        let tensor =
            |values, channels| Tensor::from_data(TensorData::new(values, [n, channels, grid[0], grid[1]]), device);
        Known {
            images: Tensor::from_data(TensorData::new(images, [n, 3, shape[2], shape[3]]), device),
            there: tensor(there, 1),
            boxes: tensor(boxes, 4),
            count,
        }
    }

    /// How wrong what the network says is: cross entropy of the cells, where those with a box count ten times, and the
    /// distance of the boxes.
    fn loss(&self, said: Tensor<4>) -> Tensor<1> {
        let [n, _, rows, columns] = said.dims();
        let sure = said.clone().slice([0..n, 0..1, 0..rows, 0..columns]);
        let boxes = sigmoid(said.slice([0..n, 1..5, 0..rows, 0..columns]));
        let there = self.there.clone();
        let entropy = relu(sure.clone()) - sure.clone() * there.clone() + sure.abs().neg().exp().log1p();
        let cells = (entropy * (there.clone() * 9.0 + 1.0)).mean();
        let apart = ((boxes - self.boxes.clone()).abs() * there).sum() / self.count.max(1.0);
        cells + apart
    }
}

/// The boxes of a batch, each with the place of its sample.
fn truths(batch: &Batch) -> Vec<(usize, [f32; 4])> {
    let places = batch.mask().len() / batch.len().max(1);
    let boxes = batch.boxes().as_chunks::<4>().0;
    let there = boxes.iter().zip(batch.mask()).enumerate().filter(|(_, (_, mask))| **mask != 0.0);
    there.map(|(k, (corners, _))| (k / places.max(1), *corners)).collect()
}

#[derive(Module, Debug)]
struct Network {
    first: Conv2d,
    second: Conv2d,
    third: Conv2d,
    last: Conv2d,
}

impl Network {
    fn new(device: &Device) -> Self {
        let layer = |from, to, stride| {
            Conv2dConfig::new([from, to], [3, 3])
                .with_stride([stride, stride])
                .with_padding(PaddingConfig2d::Explicit(1, 1, 1, 1))
                .init(device)
        };
        Network { first: layer(3, 16, 2), second: layer(16, 32, 2), third: layer(32, 64, 2), last: layer(64, 5, 1) }
    }

    /// For each cell how sure it is of a box, and the box.
    fn forward(&self, images: Tensor<4>) -> Tensor<4> {
        let x = relu(self.first.forward(images));
        let x = relu(self.second.forward(x));
        let x = relu(self.third.forward(x));
        self.last.forward(x)
    }
}

/// How much the surest box of a picture and the true box that is nearest to it have in common, on average, and in which share of
/// the pictures that is half of both together or more.
fn overlap(network: &Network, loader: &mut Loader, device: &Device) -> Result<(f32, f32), Box<dyn Error>> {
    let (mut sum, mut good, mut count) = (0.0, 0.0, 0.0);
    for batch in loader.epoch(0)? {
        let batch = batch?;
        let said = network.forward(Known::of(&batch, device).images);
        let [n, _, rows, columns] = said.dims();
        let cells = rows * columns;
        let said = said.into_data().try_to_vec::<f32>().map_err(|e| format!("{e:?}"))?;
        let truths = truths(&batch);
        for sample in 0..n {
            let at = |channel: usize, cell: usize| said[(sample * 5 + channel) * cells + cell];
            let share = |channel: usize, cell: usize| 1.0 / (1.0 + (-at(channel, cell)).exp());
            let surest = (0..cells).max_by(|a, b| at(0, *a).total_cmp(&at(0, *b))).unwrap_or(0);
            let x = ((surest % columns) as f32 + share(1, surest)) / columns as f32;
            let y = ((surest / columns) as f32 + share(2, surest)) / rows as f32;
            let (width, height) = (share(3, surest), share(4, surest));
            let found = [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0];
            let best = truths.iter().filter(|(of, _)| *of == sample).map(|(_, truth)| common(&found, truth));
            if let Some(best) = best.reduce(f32::max) {
                (sum, count) = (sum + best, count + 1.0);
                good += f32::from(best >= 0.5);
            }
        }
    }
    Ok((sum / f32::max(count, 1.0), good / f32::max(count, 1.0)))
}

/// What two boxes have in common, of both together.
fn common(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let area = |b: &[f32; 4]| (b[2] - b[0]).max(0.0) * (b[3] - b[1]).max(0.0);
    let both = area(&[a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]);
    both / (area(a) + area(b) - both).max(f32::MIN_POSITIVE)
}
