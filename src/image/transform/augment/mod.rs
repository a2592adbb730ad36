//! Random changes of a picture at the size of the output: policies that choose among many, and single ones.
//!
//! What is drawn is one or several [`Operation`]s, whose pixels are torchvision's. Those that move pixels say so as a
//! [`Map`], known before anything is decoded. `docs/augment.md` specifies both.

mod draw;
mod operation;
mod perspective;
mod policy;
mod smooth;
mod tone;
mod warp;

pub(super) use draw::{change, warp};
pub use operation::Operation;
pub use policy::Policy;

use super::Resampling;
use crate::{
    error::{Error, Result},
    image::codes,
};

/// A random change of the output, drawn for each sample; see [`Recipe::augment`]. If it moves pixels, the
/// [resampling](Resampling) finds those between pixels: `Nearest`, which is torchvision's default, or `Bilinear`.
///
/// ```
/// use forebay::image::transform::{Augment, Policy, Recipe, Resampling};
/// let resampling = Resampling::Nearest;
/// let wide = Augment::TrivialAugmentWide { bins: 31, resampling };
/// let found = Augment::AutoAugment { policy: Policy::ImageNet, resampling };
/// let recipe = Recipe::new(224, 224).random_resized_crop().hflip().augment(wide).imagenet();
/// assert_ne!(recipe, Recipe::new(224, 224).augment(found));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Augment {
    /// Several operations of fourteen, one after the other, each at the same magnitude: torchvision's RandAugment.
    RandAugment {
        /// How many.
        operations: u32,
        /// How strong they are: below `bins`.
        magnitude: u32,
        /// How many magnitudes there are.
        bins: u32,
        /// For operations that move pixels.
        resampling: Resampling,
    },
    /// One operation of fourteen, of any magnitude: torchvision's TrivialAugmentWide.
    TrivialAugmentWide {
        /// How many magnitudes there are.
        bins: u32,
        /// For operations that move pixels.
        resampling: Resampling,
    },
    /// One of 25 pairs of operations that were found for a dataset: torchvision's AutoAugment.
    AutoAugment {
        /// The dataset.
        policy: Policy,
        /// For operations that move pixels.
        resampling: Resampling,
    },
    /// A rotation around the middle, counterclockwise.
    Rotation {
        /// How likely it is.
        probability: f64,
        /// The least and the largest angle.
        degrees: (f64, f64),
        /// How pixels between pixels are found.
        resampling: Resampling,
    },
    /// A rotation, clockwise, with a shear, a scale and a shift: torchvision's RandomAffine.
    Affine {
        /// How likely it is.
        probability: f64,
        /// The least and the largest angle.
        degrees: (f64, f64),
        /// The largest shift, in shares of the width and the height.
        translate: (f64, f64),
        /// The least and the largest scale.
        scale: (f64, f64),
        /// The least and the largest angle by which lines across are sheared.
        shear_x: (f64, f64),
        /// The same for lines down.
        shear_y: (f64, f64),
        /// How pixels between pixels are found.
        resampling: Resampling,
    },
    /// The corners are moved inwards: torchvision's RandomPerspective.
    Perspective {
        /// How likely it is.
        probability: f64,
        /// How far they are moved at most, in shares of half a side.
        distortion: f64,
        /// How pixels between pixels are found.
        resampling: Resampling,
    },
    /// Only the upper bits of each level are kept.
    Posterize {
        /// How likely it is.
        probability: f64,
        /// How many bits.
        bits: u32,
    },
    /// Levels from a threshold on are turned over.
    Solarize {
        /// How likely it is.
        probability: f64,
        /// The threshold.
        threshold: f64,
    },
    /// All levels of each channel become equally frequent, as far as that goes.
    Equalize {
        /// How likely it is.
        probability: f64,
    },
    /// The darkest level of each channel becomes 0 and the lightest 255.
    AutoContrast {
        /// How likely it is.
        probability: f64,
    },
    /// Sharper, or softer for a factor below 1.
    Sharpness {
        /// How likely it is.
        probability: f64,
        /// 0 is blurred, 1 is unchanged, 2 is sharp.
        factor: f64,
    },
    /// All levels are turned over.
    Invert {
        /// How likely it is.
        probability: f64,
    },
}

/// Pixels of three bytes that are changed in place, with a second buffer of which nothing is expected.
#[derive(Debug)]
pub struct Canvas<'a> {
    /// The pixels, line by line.
    pub pixels: &'a mut Vec<u8>,
    /// Gets as large as the pixels.
    pub scratch: &'a mut Vec<u8>,
    /// Across and down.
    pub size: (u32, u32),
    /// The color of what comes in from outside.
    pub fill: [u8; 3],
}

/// The longest side of an output whose pixels come from places between others, which are numbers of 32 bits.
const LONGEST: u32 = 1 << 17;
/// The most in a recipe, and the most operations of one.
const MOST: usize = 32;

/// Refuses what is invalid.
pub(super) fn check(augments: &[Augment], side: u32) -> Result<()> {
    if side > LONGEST && augments.iter().any(|augment| resampling(augment) == Some(Resampling::Bilinear)) {
        return wrong(format!(
            "pixels are not moved to places between others where a side has {side}, more than {LONGEST}"
        ));
    }
    if augments.len() > MOST {
        return wrong(format!("{} augmentations are more than {MOST}", augments.len()));
    }
    augments.iter().try_for_each(check_one)
}

fn check_one(augment: &Augment) -> Result<()> {
    let ordered = |(from, to): (f64, f64)| from.is_finite() && to.is_finite() && from <= to;
    let within = |range: (f64, f64), most: f64| ordered(range) && range.0 >= -most && range.1 <= most;
    let fine = match *augment {
        Augment::RandAugment { operations, magnitude, bins, .. } => {
            operations as usize <= MOST && magnitude < bins && BINS.contains(&bins)
        }
        Augment::TrivialAugmentWide { bins, .. } => BINS.contains(&bins),
        Augment::Rotation { degrees, .. } => within(degrees, ROUND),
        Augment::Affine { degrees, translate, scale, shear_x, shear_y, .. } => {
            let shares = [translate.0, translate.1].iter().all(|share| (0.0..=1.0).contains(share));
            let scales = within(scale, 1e3) && scale.0 >= 1e-3;
            within(degrees, ROUND) && shares && scales && within(shear_x, STEEP) && within(shear_y, STEEP)
        }
        Augment::Perspective { distortion, .. } => (0.0..=1.0).contains(&distortion),
        Augment::Posterize { bits, .. } => bits <= 8,
        Augment::Solarize { threshold, .. } => (0.0..=255.0).contains(&threshold),
        Augment::Sharpness { factor, .. } => (0.0..=1e3).contains(&factor),
        Augment::AutoAugment { .. }
        | Augment::Equalize { .. }
        | Augment::AutoContrast { .. }
        | Augment::Invert { .. } => true,
    };
    let chance = draw::probability(augment).is_none_or(|p| (0.0..=1.0).contains(&p));
    if !fine || !chance {
        return wrong(format!("{augment:?} is invalid"));
    }
    match resampling(augment) {
        Some(Resampling::Nearest | Resampling::Bilinear) | None => Ok(()),
        Some(other) => wrong(format!("moved pixels are found by nearest or bilinear, not by {}", other.name())),
    }
}

/// Numbers of magnitudes.
const BINS: std::ops::RangeInclusive<u32> = 2..=1000;
/// The largest angle of a rotation.
const ROUND: f64 = 360.0;
/// The largest angle of a shear; at 90 nothing is left.
const STEEP: f64 = 89.0;

fn wrong(what: String) -> Result<()> {
    Err(Error::new(&codes::RECIPE, what))
}

/// How it finds pixels between pixels, if it moves any.
fn resampling(augment: &Augment) -> Option<Resampling> {
    match *augment {
        Augment::RandAugment { resampling, .. }
        | Augment::TrivialAugmentWide { resampling, .. }
        | Augment::AutoAugment { resampling, .. }
        | Augment::Rotation { resampling, .. }
        | Augment::Affine { resampling, .. }
        | Augment::Perspective { resampling, .. } => Some(resampling),
        _ => None,
    }
}
