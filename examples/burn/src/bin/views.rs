//! Learns without labels: what two views of a picture have in common, as SimCLR does.
//!
//!     cargo run --release --bin views -- train.tbl [EPOCHS]
//!
//! Each batch has two views of each picture, `images()` and the target `second`, with crops, flips and colors of their own. A small
//! network is to find which two belong together. At the end it says how often the picture that it finds nearest is of
//! the same class, of which it was told nothing.

use std::{error::Error, time::Instant};

use burn::{
    module::Module,
    nn::{
        Linear, LinearConfig, PaddingConfig2d,
        conv::{Conv2d, Conv2dConfig},
        pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig},
    },
    optim::{AdamConfig, GradientsParams},
    tensor::{
        Device, Tensor, TensorData,
        activation::{log_softmax, relu},
    },
};
use forebay::image::transform::Jitter;
use forebay_native::loader::{IMAGENET, Image, Loader, Target};

const SIDE: u32 = 32;
const BATCH: u64 = 48;
const FEATURES: usize = 64;
/// How sharply views are told apart.
const TEMPERATURE: f32 = 0.2;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: views TBL [EPOCHS]")?;
    let epochs: u64 = arguments.next().map_or(Ok(20), |n| n.parse())?;

    let device = Device::flex().autodiff();
    let mut network = Network::new(&device);
    let mut optimizer = AdamConfig::new().init();
    let view = Image::new(SIDE, SIDE)
        .random_resized_crop()
        .hflip()
        .jitter(Jitter { brightness: 0.4, contrast: 0.4, saturation: 0.4, hue: 0.1 })
        .normalize(IMAGENET);
    let mut loader = Loader::open(&file)?
        .image(view.clone())
        .target("second", Target::view(view))
        .batch(BATCH)
        .shuffle(42)
        .build()?;
    let (begun, mut losses) = (Instant::now(), Vec::new());
    for epoch in 0..epochs {
        let (mut sum, mut count) = (0.0, 0.0);
        for batch in loader.epoch(epoch)? {
            let batch = batch?;
            let shape = [batch.len(), 3, SIDE as usize, SIDE as usize];
            let second = batch.target("second").and_then(|view| view.values().f32()).unwrap_or_default();
            let [first, second] = [batch.images().f32().unwrap_or_default(), second]
                .map(|values| Tensor::from_data(TensorData::new(values.to_vec(), shape), &device));
            let loss = apart(network.forward(first), network.forward(second), &device);
            sum += loss.clone().into_scalar::<f32>();
            count += 1.0;
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = optimizer.step(1e-3, network, gradients);
        }
        losses.push(sum / f32::max(count, 1.0));
        println!("epoch {epoch}: loss {:.3}", sum / f32::max(count, 1.0));
    }
    println!(
        "the nearest picture is of the same class for {:.0} %; {:.1} s",
        100.0 * alike(&network, &file, &device)?,
        begun.elapsed().as_secs_f64()
    );
    match losses.as_slice() {
        [first, .., last] if last >= first => Err("the network has learnt nothing".into()),
        _ => Ok(()),
    }
}

/// How wrong the network is about which views belong together: the cross entropy of naming, for each view, the other one of its
/// picture among all others of the batch.
fn apart(first: Tensor<2>, second: Tensor<2>, device: &Device) -> Tensor<1> {
    let n = first.dims()[0];
    let all = unit(Tensor::cat(vec![first, second], 0));
    let alike = all.clone().matmul(all.transpose()) / TEMPERATURE;
    let square = |value: f32, is_there: &dyn Fn(usize, usize) -> bool| {
        let cells = (0..4 * n * n).map(|i| if is_there(i / (2 * n), i % (2 * n)) { value } else { 0.0 });
        Tensor::<2>::from_data(TensorData::new(cells.collect::<Vec<f32>>(), [2 * n, 2 * n]), device)
    };
    // No view is compared with itself.
    let own = square(1e4, &|row, column| row == column);
    let pairs = square(1.0, &|row, column| row.abs_diff(column) == n);
    (log_softmax(alike - own, 1) * pairs).sum().neg() / (2 * n) as f32
}

/// Rows of the length 1.
fn unit(rows: Tensor<2>) -> Tensor<2> {
    let lengths = (rows.clone() * rows.clone()).sum_dim(1).sqrt().clamp_min(1e-6);
    rows / lengths
}

/// The share of pictures of which the nearest other one has the same class.
fn alike(network: &Network, file: &str, device: &Device) -> Result<f64, Box<dyn Error>> {
    let image = Image::new(SIDE, SIDE).normalize(IMAGENET);
    let mut loader = Loader::open(file)?.image(image).labels("cls").batch(BATCH).build()?;
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for batch in loader.epoch(0)? {
        let batch = batch?;
        let shape = [batch.len(), 3, SIDE as usize, SIDE as usize];
        let values = batch.images().f32().unwrap_or_default().to_vec();
        let found = unit(network.forward(Tensor::from_data(TensorData::new(values, shape), device)));
        features.extend(found.into_data().try_to_vec::<f32>().map_err(|e| format!("{e:?}"))?);
        labels.extend_from_slice(batch.labels());
    }
    let rows: Vec<&[f32]> = features.chunks(FEATURES).collect();
    let nearest = |k: usize| {
        let same = |i: &usize| rows[k].iter().zip(rows[*i]).map(|(a, b)| a * b).sum::<f32>();
        (0..rows.len()).filter(|i| *i != k).max_by(|a, b| same(a).total_cmp(&same(b))).unwrap_or(k)
    };
    let right = (0..rows.len()).filter(|k| labels[nearest(*k)] == labels[*k]).count();
    Ok(right as f64 / rows.len().max(1) as f64)
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
