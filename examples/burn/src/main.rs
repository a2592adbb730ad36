//! Trains a small network on a dataset of pictures with burn, and says how well it does:
//!
//!     cargo run --release -- train.tbl [epochs]
//!
//! The sample dataset is such a file: 240 drawn pictures of twelve classes. What matters here is `Pictures`: burn's own
//! loader takes decoded, labeled samples from a TBL, a TAR or a folder.

use std::{error::Error, time::Instant};

use burn::{
    data::dataloader::{DataLoaderBuilder, batcher::Batcher},
    data::dataset::Dataset,
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
use forebay_native::loader::{
    IMAGENET, Image, Loader,
    burn::{Picture, Pictures},
};

const SIDE: u32 = 32;
const CLASSES: usize = 12;
const BATCH: usize = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: forebay-example-burn FILE [EPOCHS]")?;
    let epochs: u64 = arguments.next().map_or(Ok(8), |n| n.parse())?;

    let begun = Instant::now();
    let device = Device::flex().autodiff();
    let mut network = Network::new(&device);
    let mut optimizer = AdamConfig::new().init();
    let mut losses = Vec::new();
    for epoch in 0..epochs {
        let mut pictures = pictures(&file, Image::new(SIDE, SIDE).hflip())?;
        pictures.set_epoch(epoch); // other flips in every epoch
        let batches = DataLoaderBuilder::new(ToTensors)
            .batch_size(BATCH)
            .shuffle(epoch)
            .num_workers(2)
            .set_device(device.clone())
            .build(pictures);
        let (mut sum, mut count) = (0.0, 0.0);
        for batch in batches.iter() {
            let Batch { images, labels } = batch?;
            let logits = network.forward(images);
            let loss = CrossEntropyLossConfig::new().init(&device).forward(logits, labels);
            sum += loss.clone().into_scalar::<f32>();
            count += 1.0;
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = optimizer.step(3e-3, network, gradients);
        }
        losses.push(sum / count);
        println!("epoch {epoch}: loss {:.3}", sum / count);
    }
    let right = accuracy(&network, &pictures(&file, Image::new(SIDE, SIDE))?, &device)?;
    println!("{:.0} % of the images are recognized; {:.1} s", 100.0 * right, begun.elapsed().as_secs_f64());
    match losses.as_slice() {
        [first, .., last] if last >= first => Err("the network has learnt nothing".into()),
        _ => Ok(()),
    }
}

/// The samples of a file as burn takes them.
fn pictures(file: &str, image: Image) -> Result<Pictures, Box<dyn Error>> {
    Ok(Pictures::new(Loader::open(file)?.image(image.normalize(IMAGENET)).labels("cls").build()?)?)
}

/// Samples of a batch, and what becomes of them.
#[derive(Clone, Debug)]
struct Batch {
    images: Tensor<4>,
    labels: Tensor<1, Int>,
}

struct ToTensors;

impl Batcher<Picture, Batch> for ToTensors {
    fn batch(&self, pictures: Vec<Picture>, device: &Device) -> Batch {
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        for picture in pictures {
            values.extend(picture.values);
            labels.push(picture.label);
        }
        let (n, side) = (labels.len(), SIDE as usize);
        Batch {
            images: Tensor::from_data(TensorData::new(values, [n, 3, side, side]), device),
            labels: Tensor::from_data(TensorData::new(labels, [n]), device),
        }
    }
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
            last: LinearConfig::new(64 * 4, CLASSES).init(device),
        }
    }

    fn forward(&self, images: Tensor<4>) -> Tensor<2> {
        let x = relu(self.first.forward(images));
        let x = relu(self.second.forward(x));
        let x = relu(self.third.forward(x));
        self.last.forward(self.pool.forward(x).flatten(1, 3))
    }
}

/// The share of samples whose class the network names.
fn accuracy(network: &Network, pictures: &Pictures, device: &Device) -> Result<f64, Box<dyn Error>> {
    let samples = pictures.iter().collect::<Result<Vec<Picture>, _>>()?;
    let (mut right, mut all) = (0, 0);
    for part in samples.chunks(BATCH) {
        let Batch { images, labels } = ToTensors.batch(part.to_vec(), device);
        let n = labels.dims()[0];
        let named = network.forward(images).argmax(1).reshape([n]);
        right += named.equal(labels).int().sum().into_scalar::<i64>();
        all += n as i64;
    }
    Ok(right as f64 / all.max(1) as f64)
}
