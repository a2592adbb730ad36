//! Trains a small network on a dataset of pictures with candle, and says how often a batch was copied and how long that took:
//!
//!     cargo run --release -- train.tbl [epochs]
//!
//! A tensor of candle on the processor owns its numbers as a `Vec`, and can lend no memory of anybody else's. So a batch is
//! copied once, in one piece: here by `Tensor::from_slice`, from where the workers wrote it. Onto a GPU that one copy is the
//! way there, and there is no other.

use std::{
    error::Error,
    time::{Duration, Instant},
};

use candle_core::{D, DType, Device, Tensor};
use candle_nn::{AdamW, Module, Optimizer, ParamsAdamW, VarBuilder, VarMap, linear, loss::cross_entropy};
use forebay_native::loader::{Batch, IMAGENET, Image, Loader};

const SIDE: usize = 16;
const CLASSES: usize = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: forebay-example-candle FILE [EPOCHS]")?;
    let epochs: u64 = arguments.next().map_or(Ok(8), |n| n.parse())?;

    let device = Device::Cpu;
    let image = Image::new(SIDE as u32, SIDE as u32).hflip().normalize(IMAGENET);
    let mut loader = Loader::open(&file)?.batch(24).shuffle(42).image(image).labels("cls").build()?;

    let variables = VarMap::new();
    let at = VarBuilder::from_varmap(&variables, DType::F32, &device);
    let first = linear(3 * SIDE * SIDE, 64, at.pp("first"))?;
    let second = linear(64, CLASSES, at.pp("second"))?;
    let mut optimizer = AdamW::new(variables.all_vars(), ParamsAdamW { lr: 3e-3, ..ParamsAdamW::default() })?;

    let (mut losses, mut copying, mut copied) = (Vec::new(), Duration::ZERO, 0_u32);
    for epoch in 0..epochs {
        let (mut sum, mut count, mut right, mut all) = (0.0, 0.0, 0, 0);
        for batch in loader.epoch(epoch)? {
            let batch = batch?;
            let begun = Instant::now();
            let images = images(&batch, &device)?;
            (copying, copied) = (copying + begun.elapsed(), copied + 1);
            let labels: Vec<u32> = batch.labels().iter().map(|label| *label as u32).collect();
            let labels = Tensor::new(labels.as_slice(), &device)?;
            let logits = second.forward(&first.forward(&images.flatten_from(1)?)?.relu()?)?;
            let loss = cross_entropy(&logits, &labels)?;
            optimizer.backward_step(&loss)?;
            (sum, count) = (sum + loss.to_scalar::<f32>()?, count + 1.0);
            let named = logits.argmax(D::Minus1)?.eq(&labels)?.to_dtype(DType::U32)?.sum_all()?;
            (right, all) = (right + named.to_scalar::<u32>()?, all + batch.len());
        }
        losses.push(sum / f32::max(count, 1.0));
        println!(
            "epoch {epoch}: loss {:.3}, {:.0} % right",
            sum / f32::max(count, 1.0),
            100.0 * f64::from(right) / all.max(1) as f64
        );
    }
    println!(
        "{copied} batches were copied once each, in {:.3} ms on average",
        1000.0 * copying.as_secs_f64() / f64::from(copied.max(1))
    );
    match losses.as_slice() {
        [first, .., last] if last >= first => Err("the network has learnt nothing".into()),
        _ => Ok(()),
    }
}

/// A batch's pictures, `[n, 3, height, width]`.
fn images(batch: &Batch, device: &Device) -> Result<Tensor, Box<dyn Error>> {
    let numbers = batch.images().f32().ok_or("the loader makes 32-bit floats")?;
    Ok(Tensor::from_slice(numbers, batch.shape(), device)?)
}
