//! How long each operation of an augmentation takes on one thread, at 224 × 224.
//!
//! ```text
//! cargo run --profile dist --features augment --example augment [ROUNDS]
//! ```
//!
//! The best of ROUNDS (200), so that what other work on the machine takes is left out, in microseconds.
#![allow(clippy::disallowed_methods, reason = "an example is a host: it reads the clock")]

use std::{error::Error, time::Instant};

use forebay::image::transform::{Canvas, Operation, Resampling};

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: u32 = std::env::args().nth(1).map_or(Ok(200), |n| n.parse())?;
    let size = (224, 224);
    let picture: Vec<u8> = (0..size.0 * size.1 * 3).map(|i| (i * 7 % 251 + i / 997 % 5) as u8).collect();
    let corners = [(10.0, 5.0), (210.0, 20.0), (215.0, 200.0), (3.0, 219.0)];
    let operations = [
        ("rotate", Operation::Rotate(17.0)),
        ("shear", Operation::ShearX(0.2)),
        ("translate", Operation::Translate(13, 0)),
        ("perspective", Operation::Perspective(corners)),
        ("brightness", Operation::Brightness(1.3)),
        ("saturation", Operation::Saturation(1.3)),
        ("contrast", Operation::Contrast(1.3)),
        ("sharpness", Operation::Sharpness(1.3)),
        ("posterize", Operation::Posterize(4)),
        ("solarize", Operation::Solarize(128.0)),
        ("autocontrast", Operation::AutoContrast),
        ("equalize", Operation::Equalize),
        ("invert", Operation::Invert),
    ];
    let (mut pixels, mut scratch) = (picture.clone(), Vec::new());
    for (name, operation) in operations {
        let mut line = format!("{name:>12}");
        for resampling in [Resampling::Nearest, Resampling::Bilinear] {
            let mut best = f64::MAX;
            for _ in 0..rounds {
                pixels.copy_from_slice(&picture);
                let mut canvas = Canvas { pixels: &mut pixels, scratch: &mut scratch, size, fill: [0; 3] };
                let begun = Instant::now();
                operation.apply(&mut canvas, resampling);
                best = best.min(begun.elapsed().as_secs_f64());
            }
            line += &format!(" {:8.1}", best * 1e6);
            // The others move nothing.
            if operation.map(size).is_none() {
                break;
            }
        }
        println!("{line}");
    }
    Ok(())
}
