//! Mixing the pictures of a batch with each other, and their labels with them: MixUp and CutMix.
//!
//! Picture `i` is mixed with picture `i - 1`, the first with the last, as torchvision does: a batch is shuffled
//! already. How much is drawn once a batch, from a key alone (see
//! [`order::batch_key`](crate::order::batch_key)).
//!
//! ```
//! use forebay::{image::transform::{Layout, Mixing}, order::batch_key};
//! let mixing = Mixing::Either { mixup: 0.2, cutmix: 1.0 };
//! let mixed = mixing.draw((4, 4), batch_key(42, 0, 0))?;
//! let mut images = vec![0.5_f32; 2 * 3 * 4 * 4];
//! mixed.images(&mut images, 2, Layout::Nchw, &mut Vec::new())?;
//! let soft = mixed.labels(&[7, 2], 10)?; // [2, 10]
//! assert!((soft[7] + soft[2] - 1.0).abs() < 1e-6);
//! # Ok::<(), forebay::Error>(())
//! ```

use std::f64::consts::TAU;

use super::Layout;
use crate::{
    error::{Error, Result},
    image::codes,
    random::Draws,
};

/// How the pictures of a batch are mixed. `alpha` is that of the distribution Beta(alpha, alpha), from which the share
/// that a picture keeps is drawn: 1 makes all shares equally likely, less makes those near 0 and 1 likelier.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mixing {
    /// All values are averaged.
    MixUp {
        /// See [`Mixing`].
        alpha: f64,
    },
    /// A rectangle comes from the other picture.
    CutMix {
        /// See [`Mixing`].
        alpha: f64,
    },
    /// One or the other, batch by batch, each half of the time.
    Either {
        /// The `alpha` of MixUp.
        mixup: f64,
        /// The `alpha` of CutMix.
        cutmix: f64,
    },
}

/// What was drawn for one batch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mixed {
    /// Every value is `keep` of the picture's own and the rest of the other's.
    Up {
        /// The share.
        keep: f64,
    },
    /// The rectangle comes from the other picture.
    Cut {
        /// The rectangle.
        cut: Cut,
    },
}

/// A rectangle of pixels; nothing if it has no width or height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Pixels across, of the whole picture.
    pub width: u32,
    /// Pixels down, of the whole picture.
    pub height: u32,
    /// The first column.
    pub left: u32,
    /// The first row.
    pub top: u32,
    /// Behind the last column.
    pub right: u32,
    /// Behind the last row.
    pub bottom: u32,
}

/// The values of `alpha` that make sense: beyond them every share is 0, 1 or 1/2 for all one can tell.
const ALPHA: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

impl Mixing {
    /// Draws for one batch of pictures of this width and height.
    pub fn draw(&self, (width, height): (u32, u32), batch_key: u64) -> Result<Mixed> {
        let mut draw = Draws::new(batch_key);
        let (alpha, cuts) = match *self {
            Mixing::MixUp { alpha } => (alpha, false),
            Mixing::CutMix { alpha } => (alpha, true),
            Mixing::Either { mixup, cutmix } => match draw.chance(0.5) {
                true => (cutmix, true),
                false => (mixup, false),
            },
        };
        for checked in self.alphas() {
            if !ALPHA.contains(&checked) {
                return refuse(format!("an alpha of {checked} is invalid; it is from 10^-6 to 10^6"));
            }
        }
        let keep = beta(alpha, &mut draw);
        if !cuts {
            return Ok(Mixed::Up { keep });
        }
        let x = draw.below(width);
        let y = draw.below(height);
        Ok(Mixed::Cut { cut: Cut::around((x, y), keep, (width, height)) })
    }

    fn alphas(&self) -> [f64; 2] {
        match *self {
            Mixing::MixUp { alpha } | Mixing::CutMix { alpha } => [alpha; 2],
            Mixing::Either { mixup, cutmix } => [mixup, cutmix],
        }
    }
}

impl Cut {
    /// The rectangle of the picture's shape around a pixel that leaves a share of `keep`, as far as it is inside.
    pub fn around((x, y): (u32, u32), keep: f64, (width, height): (u32, u32)) -> Self {
        let half = 0.5 * (1.0 - keep.clamp(0.0, 1.0)).sqrt();
        let reach = |side: u32| (half * f64::from(side)) as u32;
        let (across, down) = (reach(width), reach(height));
        Cut {
            width,
            height,
            left: x.saturating_sub(across).min(width),
            top: y.saturating_sub(down).min(height),
            right: x.saturating_add(across).min(width),
            bottom: y.saturating_add(down).min(height),
        }
    }

    /// The share of the picture that is not cut.
    pub fn keep(&self) -> f64 {
        let cut = f64::from(self.right - self.left) * f64::from(self.bottom - self.top);
        1.0 - cut / (f64::from(self.width) * f64::from(self.height)).max(1.0)
    }
}

impl Mixed {
    /// The share of each picture that is its own, and of its label.
    pub fn keep(&self) -> f64 {
        match self {
            Mixed::Up { keep } => *keep,
            Mixed::Cut { cut } => cut.keep(),
        }
    }

    /// Mixes the tensors of a batch of `count` pictures in place. For CutMix they are of the size that was drawn for.
    /// `scratch` gets room for one picture; kept by the caller, it is allocated once.
    pub fn images(&self, images: &mut [f32], count: usize, layout: Layout, scratch: &mut Vec<f32>) -> Result<()> {
        let each = size_of_one(images.len(), count)?;
        match self {
            Mixed::Up { keep } => average(images, each, *keep, scratch),
            Mixed::Cut { cut } => {
                let pixels = cut.width as usize * cut.height as usize;
                if count > 0 && each != pixels * 3 {
                    let size = format!("{} × {}", cut.width, cut.height);
                    return refuse(format!("images of {each} values are not the {size} × 3 that was drawn for"));
                }
                cut.paste(images, each, layout, scratch);
            }
        }
        Ok(())
    }

    /// The labels of the mixed pictures: for each a row of `classes` shares, which together are 1.
    pub fn labels(&self, labels: &[i64], classes: usize) -> Result<Vec<f32>> {
        let Some(len) = labels.len().checked_mul(classes).filter(|&len| len <= isize::MAX as usize / size_of::<f32>())
        else {
            return refuse(format!("{} labels of {classes} classes are too many", labels.len()));
        };
        let mut rows = vec![0.0; len];
        for (i, &label) in labels.iter().enumerate() {
            match usize::try_from(label).ok().filter(|&class| class < classes) {
                Some(class) => rows[i * classes + class] = 1.0,
                None => return refuse(format!("the label {label} is not one of {classes} classes")),
            }
        }
        average(&mut rows, classes, self.keep(), &mut Vec::new());
        Ok(rows)
    }

    /// Mixes labels that are rows of shares already, in place.
    pub fn soft_labels(&self, rows: &mut [f32], count: usize) -> Result<()> {
        let each = size_of_one(rows.len(), count)?;
        average(rows, each, self.keep(), &mut Vec::new());
        Ok(())
    }
}

fn size_of_one(values: usize, count: usize) -> Result<usize> {
    match values.checked_rem(count) {
        Some(0) => Ok(values / count),
        None if values == 0 => Ok(0),
        _ => refuse(format!("{values} values are not those of {count} images")),
    }
}

/// Averages each part with the one before it, the first with the last, rounding in torchvision's order.
fn average(values: &mut [f32], each: usize, keep: f64, scratch: &mut Vec<f32>) {
    let (own, other) = (keep as f32, (1.0 - keep) as f32);
    let blend = |to: &mut [f32], from: &[f32]| to.iter_mut().zip(from).for_each(|(t, f)| *t = f * other + *t * own);
    with_last(values, each, scratch, blend);
}

/// Runs `change` on every part with the one before it as it was, the first with the last.
fn with_last(values: &mut [f32], each: usize, scratch: &mut Vec<f32>, change: impl Fn(&mut [f32], &[f32])) {
    if each == 0 || values.is_empty() {
        return;
    }
    let count = values.len() / each;
    scratch.clear();
    scratch.extend_from_slice(&values[(count - 1) * each..]);
    // From the back, so that what is in front is still unchanged.
    for i in (1..count).rev() {
        let (before, own) = values.split_at_mut(i * each);
        change(&mut own[..each], &before[(i - 1) * each..]);
    }
    change(&mut values[..each], scratch);
}

impl Cut {
    fn paste(&self, images: &mut [f32], each: usize, layout: Layout, scratch: &mut Vec<f32>) {
        let (width, height) = (self.width as usize, self.height as usize);
        let (columns, rows) = (self.left as usize..self.right as usize, self.top as usize..self.bottom as usize);
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        // Planes of one value a pixel, or one of three.
        let (planes, values) = match layout {
            Layout::Nchw => (3, 1),
            Layout::Nhwc => (1, 3),
        };
        with_last(images, each, scratch, |to, from| {
            for plane in 0..planes {
                for row in rows.clone() {
                    let line = (plane * height + row) * width;
                    let run = (line + columns.start) * values..(line + columns.end) * values;
                    to[run.clone()].copy_from_slice(&from[run]);
                }
            }
        });
    }
}

/// A number from Beta(alpha, alpha).
fn beta(alpha: f64, draw: &mut Draws) -> f64 {
    if alpha == 1.0 {
        return draw.unit();
    }
    // As a quotient of two gammas, by logarithms: for a small alpha both are too small for a float.
    let difference = log_gamma_draw(alpha, draw) - log_gamma_draw(alpha, draw);
    1.0 / (1.0 + (-difference).exp())
}

/// The logarithm of a number from Gamma(alpha, 1), by Marsaglia and Tsang's method.
fn log_gamma_draw(alpha: f64, draw: &mut Draws) -> f64 {
    // Below 1 it is Gamma(alpha + 1) times a power of a number up to 1.
    let (shape, boost) = match alpha < 1.0 {
        true => (alpha + 1.0, (1.0 - draw.unit()).ln() / alpha),
        false => (alpha, 0.0),
    };
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(draw);
        let v = (1.0 + c * x).powi(3);
        let u = 1.0 - draw.unit();
        if v > 0.0 && u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d.ln() + v.ln() + boost;
        }
    }
}

/// A number from the normal distribution, by Box and Muller's method.
fn normal(draw: &mut Draws) -> f64 {
    let radius = (-2.0 * (1.0 - draw.unit()).ln()).sqrt();
    radius * (TAU * draw.unit()).cos()
}

fn refuse<T>(message: String) -> Result<T> {
    Err(Error::new(&codes::RECIPE, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::batch_key;

    #[test]
    fn shares_have_the_mean_and_the_variance_of_their_distribution() {
        for alpha in [0.05, 0.2, 0.4, 1.0, 2.5, 30.0] {
            let mixing = Mixing::MixUp { alpha };
            let n = 20_000;
            let shares: Vec<f64> = (0..n).map(|i| mixing.draw((8, 8), batch_key(1, 2, i)).unwrap().keep()).collect();
            assert!(shares.iter().all(|s| (0.0..=1.0).contains(s)));
            let mean = shares.iter().sum::<f64>() / n as f64;
            let variance = shares.iter().map(|s| (s - 0.5).powi(2)).sum::<f64>() / n as f64;
            let expected = 1.0 / (4.0 * (2.0 * alpha + 1.0));
            assert!((mean - 0.5).abs() < 4.0 * (expected / n as f64).sqrt(), "{alpha}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.03, "{alpha}: {variance}, not {expected}");
        }
    }

    #[test]
    fn extreme_alphas_give_shares_and_impossible_ones_are_refused() {
        for alpha in [1e-6, 1e6] {
            for k in 0..200 {
                let keep = Mixing::CutMix { alpha }.draw((3, 2), k).unwrap().keep();
                assert!((0.0..=1.0).contains(&keep), "{keep}");
            }
        }
        for alpha in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-7] {
            let e = Mixing::Either { mixup: 0.2, cutmix: alpha }.draw((3, 2), 0).unwrap_err();
            assert_eq!(e.code().id(), "image.recipe");
        }
    }
}
