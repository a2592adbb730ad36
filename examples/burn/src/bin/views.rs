//! Learns what pictures look like without a label: two views of each, cropped and mirrored by chance, are to look alike to the
//! network, and unlike those of others (as SimCLR does, in small):
//!
//!     cargo run --release --bin views -- train.tbl [EPOCHS]
//!
//! What matters here is `Target::view`: the second view comes in the same batch, drawn anew for every epoch. At the end it
//! says of pictures that it has not learnt from how often a view's nearest one is of the same picture, before and after.

use std::error::Error;

use burn::{
    module::Module,
    nn::{
        Linear, LinearConfig, PaddingConfig2d,
        conv::{Conv2d, Conv2dConfig},
        loss::CrossEntropyLossConfig,
        pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig},
    },
    optim::{AdamConfig, GradientsParams},
    tensor::{Device, Int, Tensor, TensorData, activation::relu},
};
use forebay::order::Tail;
use forebay_native::loader::{Batch, IMAGENET, Image, Loader, Split, SplitBy, Target};

const SIDE: u32 = 32;
const BATCH: u64 = 32;
/// How many numbers a view becomes.
const FEATURES: usize = 32;
/// Small numbers look at the most alike ones above all.
const TEMPERATURE: f32 = 0.2;
/// This share of the pictures is not learnt from.
const HELD_OUT: f64 = 0.2;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: views FILE [EPOCHS]")?;
    let epochs: u64 = arguments.next().map_or(Ok(20), |n| n.parse())?;

    let mut train = views(&file, Split::train(HELD_OUT, 1), Tail::Drop)?;
    let mut held_out = views(&file, Split::validation(HELD_OUT, 1), Tail::Uneven)?;
    let device = Device::flex().autodiff();
    let mut network = Network::new(&device);
    let before = found(&network, &mut held_out, &device)?;
    let mut optimizer = AdamConfig::new().init();
    let mut losses = Vec::new();
    for epoch in 0..epochs {
        let (mut sum, mut count) = (0.0, 0.0);
        for batch in train.epoch(epoch)? {
            let alike = alike(&network, &batch?, &device)?;
            let loss = loss(alike, &device);
            sum += loss.clone().into_scalar::<f32>();
            count += 1.0;
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = optimizer.step(2e-3, network, gradients);
        }
        losses.push(sum / f32::max(count, 1.0));
        println!("epoch {epoch}: loss {:.3}", sum / f32::max(count, 1.0));
    }
    let after = found(&network, &mut held_out, &device)?;
    println!(
        "held out: {:.0} % of the views find the other of their image, before {:.0} %",
        100.0 * after,
        100.0 * before
    );
    match losses.as_slice() {
        [first, .., last] if last >= first => Err("the network has learnt nothing".into()),
        _ => Ok(()),
    }
}

/// Two views of each picture: the tensor of a batch, and its target `second`.
fn views(file: &str, split: Split, tail: Tail) -> Result<Loader, Box<dyn Error>> {
    let view = || Image::new(SIDE, SIDE).random_resized_crop().hflip().normalize(IMAGENET);
    let loader = Loader::open(file)?.split(split.by(SplitBy::Sample)).batch(BATCH).shuffle(42).tail(tail);
    Ok(loader.image(view()).target("second", Target::view(view())).build()?)
}

/// How alike the network finds every two views of a batch, `[2n, 2n]`: the first views of all pictures, then the second.
fn alike(network: &Network, batch: &Batch, device: &Device) -> Result<Tensor<2>, Box<dyn Error>> {
    let (n, side) = (batch.len(), SIDE as usize);
    let second = batch.target("second").ok_or("the loader gives a second view")?;
    let both = [batch.images(), second.values()];
    // One copy, into the tensor that has both.
    let numbers: Vec<f32> = both.iter().flat_map(|view| view.f32().unwrap_or_default()).copied().collect();
    let features = network.forward(Tensor::from_data(TensorData::new(numbers, [2 * n, 3, side, side]), device));
    let length = (features.clone() * features.clone()).sum_dim(1).sqrt() + 1e-6;
    let features = features / length;
    // No view is compared with itself.
    let mut itself = vec![0.0f32; 4 * n * n];
    itself.iter_mut().step_by(2 * n + 1).for_each(|one| *one = -1e9);
    let itself = Tensor::<2>::from_data(TensorData::new(itself, [2 * n, 2 * n]), device);
    Ok(features.clone().matmul(features.transpose()) / TEMPERATURE + itself)
}

/// The number of the other view of each.
fn others(n: usize) -> Vec<i64> {
    (n..2 * n).chain(0..n).map(|k| k as i64).collect()
}

/// How unlikely each view finds the other one of its picture, among all views of the batch.
fn loss(alike: Tensor<2>, device: &Device) -> Tensor<1> {
    let n = alike.dims()[0] / 2;
    let others = Tensor::<1, Int>::from_data(TensorData::new(others(n), [2 * n]), device);
    CrossEntropyLossConfig::new().init(device).forward(alike, others)
}

/// The share of views whose nearest one, in their batch, is the other of their picture.
fn found(network: &Network, loader: &mut Loader, device: &Device) -> Result<f64, Box<dyn Error>> {
    let (mut right, mut all) = (0, 0);
    for batch in loader.epoch(0)? {
        let batch = batch?;
        let n = batch.len();
        let others = Tensor::<1, Int>::from_data(TensorData::new(others(n), [2 * n]), device);
        let nearest = alike(network, &batch, device)?.argmax(1).reshape([2 * n]);
        right += nearest.equal(others).int().sum().into_scalar::<i64>();
        all += 2 * n;
    }
    Ok(right as f64 / all.max(1) as f64)
}

#[derive(Module, Debug)]
struct Network {
    first: Conv2d,
    second: Conv2d,
    third: Conv2d,
    pool: AdaptiveAvgPool2d,
    last: Linear,
}

impl Network {
    fn new(device: &Device) -> Self {
        let halving = |from, to| {
            Conv2dConfig::new([from, to], [3, 3])
                .with_stride([2, 2])
                .with_padding(PaddingConfig2d::Explicit(1, 1, 1, 1))
                .init(device)
        };
        Network {
            first: halving(3, 16),
            second: halving(16, 32),
            third: halving(32, 64),
            pool: AdaptiveAvgPool2dConfig::new([2, 2]).init(),
            last: LinearConfig::new(64 * 4, FEATURES).init(device),
        }
    }

    fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let x = relu(self.first.forward(images));
        let x = relu(self.second.forward(x));
        let x = relu(self.third.forward(x));
        self.last.forward(self.pool.forward(x).flatten(1, 3))
    }
}
