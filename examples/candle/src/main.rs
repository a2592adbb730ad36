//! Trains a small network on a dataset of pictures with candle, and says how well it does:
//!
//!     cargo run --release -- train.tbl [epochs]
//!
//! The sample dataset is such a file: 240 drawn pictures of twelve classes. What matters here is `tensors`: how batches become
//! candle's tensors, and what that costs.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use candle_core::{D, DType, Device, Tensor};
use candle_nn::{
    AdamW, Conv2d, Conv2dConfig, Linear, Module, Optimizer, ParamsAdamW, VarBuilder, VarMap, conv2d, linear, loss,
};
use forebay_native::loader::{Batch, IMAGENET, Image, Loader};

const SIDE: u32 = 32;
const BATCH: u64 = 24;
const CLASSES: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: forebay-example-candle TBL [EPOCHS]")?;
    let epochs: u64 = arguments.next().map_or(Ok(8), |n| n.parse())?;

    let device = Device::Cpu;
    let variables = VarMap::new();
    let network = Network::new(VarBuilder::from_varmap(&variables, DType::F32, &device))?;
    let mut optimizer = AdamW::new(variables.all_vars(), ParamsAdamW { lr: 3e-3, ..ParamsAdamW::default() })?;
    let mut loader = open(&file, Image::new(SIDE, SIDE).hflip())?;
    let (begun, mut copying) = (Instant::now(), Duration::ZERO);
    let mut losses = Vec::new();
    for epoch in 0..epochs {
        let (mut sum, mut count) = (0.0, 0.0);
        for batch in loader.epoch(epoch)? {
            let batch = batch?;
            let asked = Instant::now();
            let (images, labels) = tensors(&batch, &device)?;
            copying += asked.elapsed();
            // Its memory is the loader's again while the network learns.
            drop(batch);
            let loss = loss::cross_entropy(&network.forward(&images)?, &labels)?;
            sum += loss.to_scalar::<f32>()?;
            count += 1.0;
            optimizer.backward_step(&loss)?;
        }
        losses.push(sum / f32::max(count, 1.0));
        println!("epoch {epoch}: loss {:.3}", sum / f32::max(count, 1.0));
    }
    let took = begun.elapsed();
    let right = accuracy(&network, &mut open(&file, Image::new(SIDE, SIDE))?, &device)?;
    println!("{:.0} % of the pictures are recognized", 100.0 * right);
    println!(
        "{:.1} s, of which handing batches to candle took {:.2} %",
        took.as_secs_f64(),
        100.0 * copying.as_secs_f64() / took.as_secs_f64()
    );
    match losses.as_slice() {
        [first, .., last] if last >= first => Err("the network has learnt nothing".into()),
        _ => Ok(()),
    }
}

fn open(file: &str, image: Image) -> Result<Loader, Box<dyn Error>> {
    Ok(Loader::open(file)?.image(image.normalize(IMAGENET)).labels("cls").batch(BATCH).shuffle(42).build()?)
}

/// A batch as candle takes it. Its tensors on the CPU are vectors that it owns, so each batch is copied once, as it lies: candle
/// cannot lend memory of others. For a GPU that copy is the one to the device.
fn tensors(batch: &Batch, device: &Device) -> Result<(Tensor, Tensor), Box<dyn Error>> {
    let values = batch.images().f32().ok_or("the loader makes floats")?;
    let images = Tensor::from_slice(values, batch.shape(), device)?;
    let labels = Tensor::from_slice(batch.labels(), batch.len(), device)?;
    Ok((images, labels))
}

struct Network {
    layers: [Conv2d; 3],
    last: Linear,
}

impl Network {
    fn new(variables: VarBuilder<'_>) -> candle_core::Result<Self> {
        let halving = |from, to, name| {
            let config = Conv2dConfig { stride: 2, padding: 1, ..Conv2dConfig::default() };
            conv2d(from, to, 3, config, variables.pp(name))
        };
        Ok(Network {
            layers: [halving(3, 16, "first")?, halving(16, 32, "second")?, halving(32, 64, "third")?],
            last: linear(64 * 4, CLASSES, variables.pp("last"))?,
        })
    }

    fn forward(&self, images: &Tensor) -> candle_core::Result<Tensor> {
        let mut x = images.clone();
        for layer in &self.layers {
            x = layer.forward(&x)?.relu()?;
        }
        // 4 × 4 cells become 2 × 2.
        self.last.forward(&x.avg_pool2d(2)?.flatten_from(1)?)
    }
}

/// The share of samples whose class the network names.
fn accuracy(network: &Network, loader: &mut Loader, device: &Device) -> Result<f64, Box<dyn Error>> {
    let (mut right, mut all) = (0, 0);
    for batch in loader.epoch(0)? {
        let (images, labels) = tensors(&batch?, device)?;
        let named = network.forward(&images)?.argmax(D::Minus1)?.to_dtype(DType::I64)?;
        right += named.to_vec1::<i64>()?.iter().zip(labels.to_vec1::<i64>()?).filter(|(a, b)| **a == *b).count();
        all += labels.dims1()?;
    }
    Ok(right as f64 / all.max(1) as f64)
}
