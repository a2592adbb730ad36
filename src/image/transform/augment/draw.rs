//! What is drawn for a sample, in the order of `docs/augment.md`.

use super::{
    super::{Map, Recipe, Resampling},
    Augment, Canvas, Operation,
    policy::{CHOICES, Reach},
};
use crate::random::{Draws, Stream};

/// The number of each kind: the word behind the stream's. Saved runs depend on them, so they are only added to.
const fn kind(augment: &Augment) -> u64 {
    match augment {
        Augment::RandAugment { .. } => 0,
        Augment::TrivialAugmentWide { .. } => 1,
        Augment::AutoAugment { .. } => 2,
        Augment::Rotation { .. } => 3,
        Augment::Affine { .. } => 4,
        Augment::Perspective { .. } => 5,
        Augment::Posterize { .. } => 6,
        Augment::Solarize { .. } => 7,
        Augment::Equalize { .. } => 8,
        Augment::AutoContrast { .. } => 9,
        Augment::Sharpness { .. } => 10,
        Augment::Invert { .. } => 11,
    }
}

/// How likely it is; `None` for a policy, which always does something.
pub(super) const fn probability(augment: &Augment) -> Option<f64> {
    match *augment {
        Augment::Rotation { probability, .. }
        | Augment::Affine { probability, .. }
        | Augment::Perspective { probability, .. }
        | Augment::Posterize { probability, .. }
        | Augment::Solarize { probability, .. }
        | Augment::Equalize { probability, .. }
        | Augment::AutoContrast { probability, .. }
        | Augment::Sharpness { probability, .. }
        | Augment::Invert { probability, .. } => Some(probability),
        Augment::RandAugment { .. } | Augment::TrivialAugmentWide { .. } | Augment::AutoAugment { .. } => None,
    }
}

/// Takes every operation that is drawn for a sample, one after the other.
pub(super) fn each(recipe: &Recipe, sample_key: u64, mut take: impl FnMut(Operation, Resampling)) {
    let size = (recipe.width, recipe.height);
    for (i, augment) in recipe.augments.iter().enumerate() {
        let number = kind(augment);
        let before = recipe.augments.iter().take(i).filter(|other| kind(other) == number).count() as u64;
        let mut draw = Stream::Augment.draws_of(sample_key, &[number, before]);
        let resampling = super::resampling(augment).unwrap_or_default();
        operations(augment, size, &mut draw, &mut |operation| take(operation, resampling));
    }
}

fn operations(augment: &Augment, size: (u32, u32), draw: &mut Draws, take: &mut dyn FnMut(Operation)) {
    // Drawn whether or not it is used, so that one chance does not move what is drawn after it.
    let chosen = probability(augment).is_none_or(|probability| draw.chance(probability));
    let single = match *augment {
        Augment::RandAugment { operations, magnitude, bins, .. } => {
            for _ in 0..operations {
                let (name, negative) = (choice(draw), draw.chance(0.5));
                name.at(Reach::Usual, (magnitude, bins), negative, size).into_iter().for_each(&mut *take);
            }
            return;
        }
        Augment::TrivialAugmentWide { bins, .. } => {
            let (name, bin, negative) = (choice(draw), draw.below(bins), draw.chance(0.5));
            name.at(Reach::Wide, (bin, bins), negative, size).into_iter().for_each(take);
            return;
        }
        Augment::AutoAugment { policy, .. } => {
            let pairs = policy.pairs();
            for (name, probability, bin) in pairs[draw.below(pairs.len() as u32) as usize] {
                let (yes, negative) = (draw.chance(probability), draw.chance(0.5));
                let operation = yes.then(|| name.at(Reach::Usual, (bin, 10), negative, size)).flatten();
                operation.into_iter().for_each(&mut *take);
            }
            return;
        }
        Augment::Rotation { degrees, .. } => Operation::Rotate(draw.between(degrees.0, degrees.1)),
        Augment::Affine { degrees, translate, scale, shear_x, shear_y, .. } => {
            let angle = draw.between(degrees.0, degrees.1);
            let mut shift = |share: f64, side: u32| {
                let most = share * f64::from(side);
                draw.between(-most, most).round_ties_even()
            };
            let translate = (shift(translate.0, size.0), shift(translate.1, size.1));
            let scale = draw.between(scale.0, scale.1);
            let shear = (draw.between(shear_x.0, shear_x.1), draw.between(shear_y.0, shear_y.1));
            Operation::Affine { degrees: angle, translate, scale, shear }
        }
        Augment::Perspective { distortion, .. } => corners(distortion, size, draw),
        Augment::Posterize { bits, .. } => Operation::Posterize(bits),
        Augment::Solarize { threshold, .. } => Operation::Solarize(threshold),
        Augment::Equalize { .. } => Operation::Equalize,
        Augment::AutoContrast { .. } => Operation::AutoContrast,
        Augment::Sharpness { factor, .. } => Operation::Sharpness(factor),
        Augment::Invert { .. } => Operation::Invert,
    };
    if chosen {
        take(single);
    }
}

fn choice(draw: &mut Draws) -> super::policy::Name {
    CHOICES[draw.below(CHOICES.len() as u32) as usize]
}

/// Each corner, moved inwards by whole pixels: across, then down.
fn corners(distortion: f64, (width, height): (u32, u32), draw: &mut Draws) -> Operation {
    let most = |side: u32| (distortion * f64::from(side / 2)) as u32 + 1;
    let (right, bottom) = (f64::from(width) - 1.0, f64::from(height) - 1.0);
    let mut inwards = || (f64::from(draw.below(most(width))), f64::from(draw.below(most(height))));
    let [(a, b), (c, d), (e, f), (g, h)] = [inwards(), inwards(), inwards(), inwards()];
    Operation::Perspective([(a, b), (right - c, d), (right - e, bottom - f), (g, bottom - h)])
}

/// All that is drawn for a sample, as one map of the output's pixels; `None` if none is moved.
pub(in crate::image::transform) fn warp(recipe: &Recipe, sample_key: u64) -> Option<Map> {
    let (mut found, size) = (None, (recipe.width, recipe.height));
    each(recipe, sample_key, |operation, _| {
        if let Some(map) = operation.map(size) {
            found = Some(found.unwrap_or(Map::IDENTITY).then(&map));
        }
    });
    found
}

#[doc(hidden)]
impl Recipe {
    /// All operations that are drawn for a sample, in their order, and how each finds pixels between pixels.
    pub fn operations(&self, sample_key: u64) -> Vec<(Operation, Resampling)> {
        let mut found = Vec::new();
        each(self, sample_key, |operation, resampling| found.push((operation, resampling)));
        found
    }
}

/// Does all that is drawn for a sample.
pub(in crate::image::transform) fn change(
    recipe: &Recipe,
    pixels: &mut Vec<u8>,
    scratch: &mut Vec<u8>,
    sample_key: u64,
) {
    let mut canvas = Canvas { pixels, scratch, size: (recipe.width, recipe.height), fill: recipe.fill };
    each(recipe, sample_key, |operation, resampling| match recipe.only_moves {
        false => operation.apply(&mut canvas, resampling),
        true if operation.map(canvas.size).is_some() => operation.apply(&mut canvas, Resampling::Nearest),
        true => {}
    });
}
