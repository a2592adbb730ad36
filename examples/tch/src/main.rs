//! Trains a small network on a dataset of pictures with tch, whose tensors are libtorch's, without copying a batch:
//!
//!     LIBTORCH_USE_PYTORCH=1 cargo run --release -- train.tbl [epochs]
//!
//! takes the libtorch of the torch that `python3` has, which must be 2.13: tch 0.26 asks for that, and bypassing its check does not
//! help with 2.15, which lacks functions that tch calls. `LD_LIBRARY_PATH` has to name torch's folder `lib` when the program runs.
//! `npm run test:examples -- tch` does both, and says how to get that torch where there is none.
//!
//! What matters here is `Lent`: a tensor over the memory that the loader's workers wrote, and the batch that it belongs to.

use std::error::Error;

use forebay_native::loader::{Batch, IMAGENET, Image, Loader};
use tch::{
    Device, Kind, Tensor,
    nn::{self, Module, OptimizerConfig},
};

const SIDE: i64 = 16;
const CLASSES: i64 = 12;

/// A tensor over a batch's memory. Fields are dropped in this order, so the tensor does not outlive the memory.
///
/// What is made of the tensor by computing is memory of its own. But a view of it, and the graph that `backward` walks, point
/// into the batch: keep it until the step is over, as the loop below does, and call `copy` on what is to be kept longer.
struct Lent {
    images: Tensor,
    labels: Tensor,
    batch: Batch,
}

impl Lent {
    fn new(batch: Batch) -> Result<Lent, Box<dyn Error>> {
        let numbers = batch.images().f32().ok_or("the loader makes 32-bit floats")?;
        let shape: Vec<i64> = batch.shape().iter().map(|n| *n as i64).collect();
        let strides: Vec<i64> = (1..=shape.len()).map(|k| shape[k..].iter().product()).collect();
        // Sound: the memory has as many aligned floats as the shape says, does not move with the batch, is written by nobody
        // while there is a batch, and is given back only when that is dropped, behind the tensors. Nothing here writes to it.
        let images = unsafe { Tensor::from_blob(numbers.as_ptr().cast(), &shape, &strides, Kind::Float, Device::Cpu) };
        let labels = batch.labels();
        let labels = unsafe {
            Tensor::from_blob(labels.as_ptr().cast(), &[labels.len() as i64], &[1], Kind::Int64, Device::Cpu)
        };
        Ok(Lent { images, labels, batch })
    }

    /// Whether the tensors lie where the loader wrote them.
    fn is_lent(&self) -> bool {
        let numbers = self.batch.images().f32().unwrap_or_default();
        self.images.data_ptr() == numbers.as_ptr().cast_mut().cast()
            && self.labels.data_ptr() == self.batch.labels().as_ptr().cast_mut().cast()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: forebay-example-tch FILE [EPOCHS]")?;
    let epochs: u64 = arguments.next().map_or(Ok(8), |n| n.parse())?;

    let image = Image::new(SIDE as u32, SIDE as u32).hflip().normalize(IMAGENET);
    let mut loader = Loader::open(&file)?.batch(24).shuffle(42).image(image).labels("cls").build()?;

    let variables = nn::VarStore::new(Device::Cpu);
    let at = variables.root();
    let network = nn::seq()
        .add_fn(|x| x.flatten(1, -1))
        .add(nn::linear(&at / "first", 3 * SIDE * SIDE, 64, nn::LinearConfig::default()))
        .add_fn(Tensor::relu)
        .add(nn::linear(&at / "second", 64, CLASSES, nn::LinearConfig::default()));
    let mut optimizer = nn::Adam::default().build(&variables, 3e-3)?;

    let (mut losses, mut lent, mut all) = (Vec::new(), 0, 0);
    for epoch in 0..epochs {
        let (mut sum, mut count) = (0.0, 0.0);
        for batch in loader.epoch(epoch)? {
            let batch = Lent::new(batch?)?;
            let loss = network.forward(&batch.images).cross_entropy_for_logits(&batch.labels);
            optimizer.backward_step(&loss);
            (sum, count) = (sum + loss.double_value(&[]), count + 1.0);
            (lent, all) = (lent + usize::from(batch.is_lent()), all + 1);
        }
        losses.push(sum / f64::max(count, 1.0));
        println!("epoch {epoch}: loss {:.3}", sum / f64::max(count, 1.0));
    }
    println!("{lent} of {all} batches were trained from where the loader wrote them");
    if lent != all {
        return Err("a batch was copied".into());
    }
    match losses.as_slice() {
        [first, .., last] if last >= first => Err("the network has learnt nothing".into()),
        _ => Ok(()),
    }
}
