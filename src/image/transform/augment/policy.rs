//! Which operations policies choose among, and how strong each is: torchvision's tables.

use super::Operation;

/// The dataset that AutoAugment's operations were found for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// ImageNet.
    #[default]
    ImageNet,
    /// CIFAR-10.
    Cifar10,
    /// SVHN, numbers of houses.
    Svhn,
}

/// An operation whose strength is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Identity,
    ShearX,
    ShearY,
    TranslateX,
    TranslateY,
    Rotate,
    Brightness,
    Color,
    Contrast,
    Sharpness,
    Posterize,
    Solarize,
    AutoContrast,
    Equalize,
    Invert,
}

/// The fourteen that RandAugment and TrivialAugmentWide choose among, by their numbers.
pub(super) const CHOICES: [Name; 14] = [
    Name::Identity,
    Name::ShearX,
    Name::ShearY,
    Name::TranslateX,
    Name::TranslateY,
    Name::Rotate,
    Name::Brightness,
    Name::Color,
    Name::Contrast,
    Name::Sharpness,
    Name::Posterize,
    Name::Solarize,
    Name::AutoContrast,
    Name::Equalize,
];

/// How strong the largest magnitude is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Of RandAugment and AutoAugment.
    Usual,
    /// Of TrivialAugmentWide.
    Wide,
}

impl Name {
    /// The operation at magnitude `bin` of `bins` for a picture of that size, in the other direction if it is `negative`
    /// and has one.
    pub(super) fn at(
        self,
        reach: Reach,
        (bin, bins): (u32, u32),
        negative: bool,
        (width, height): (u32, u32),
    ) -> Option<Operation> {
        let wide = reach == Reach::Wide;
        let signed = |usual: f64, most: f64| {
            let strength = evenly(0.0, if wide { most } else { usual }, bin, bins);
            if negative { -strength } else { strength }
        };
        let shift = |side: u32| signed(150.0 / 331.0 * f64::from(side), 32.0) as i32;
        let factor = || 1.0 + signed(0.9, 0.99);
        Some(match self {
            Name::Identity => return None,
            Name::ShearX => Operation::ShearX(signed(0.3, 0.99)),
            Name::ShearY => Operation::ShearY(signed(0.3, 0.99)),
            Name::TranslateX => Operation::Translate(shift(width), 0),
            Name::TranslateY => Operation::Translate(0, shift(height)),
            Name::Rotate => Operation::Rotate(signed(30.0, 135.0)),
            Name::Brightness => Operation::Brightness(factor()),
            Name::Color => Operation::Saturation(factor()),
            Name::Contrast => Operation::Contrast(factor()),
            Name::Sharpness => Operation::Sharpness(factor()),
            Name::Posterize => {
                let fewer = bin as f32 / ((f64::from(bins) - 1.0) / if wide { 6.0 } else { 4.0 }) as f32;
                Operation::Posterize((8.0 - fewer).round_ties_even() as u32)
            }
            Name::Solarize => Operation::Solarize(255.0 * evenly(1.0, 0.0, bin, bins)),
            Name::AutoContrast => Operation::AutoContrast,
            Name::Equalize => Operation::Equalize,
            Name::Invert => Operation::Invert,
        })
    }
}

/// Number `k` of `count` from one to another, with the roundings of torch's `linspace`: 32-bit floats, and each product
/// and sum rounded once.
fn evenly(from: f64, to: f64, k: u32, count: u32) -> f64 {
    let (from, to) = (from as f32, to as f32);
    let step = f64::from((to - from) / (count as f32 - 1.0));
    let value = match k < count / 2 {
        true => f64::from(from) + step * f64::from(k),
        false => f64::from(to) - step * f64::from(count - 1 - k),
    };
    f64::from(value as f32)
}

/// An operation of a pair: how likely it is, and its magnitude of ten.
pub(super) type Part = (Name, f64, u32);

impl Policy {
    /// The 25 pairs.
    pub(super) fn pairs(self) -> &'static [[Part; 2]; 25] {
        match self {
            Policy::ImageNet => &IMAGENET,
            Policy::Cifar10 => &CIFAR10,
            Policy::Svhn => &SVHN,
        }
    }
}

const IMAGENET: [[Part; 2]; 25] = [
    [(Name::Posterize, 0.4, 8), (Name::Rotate, 0.6, 9)],
    [(Name::Solarize, 0.6, 5), (Name::AutoContrast, 0.6, 0)],
    [(Name::Equalize, 0.8, 0), (Name::Equalize, 0.6, 0)],
    [(Name::Posterize, 0.6, 7), (Name::Posterize, 0.6, 6)],
    [(Name::Equalize, 0.4, 0), (Name::Solarize, 0.2, 4)],
    [(Name::Equalize, 0.4, 0), (Name::Rotate, 0.8, 8)],
    [(Name::Solarize, 0.6, 3), (Name::Equalize, 0.6, 0)],
    [(Name::Posterize, 0.8, 5), (Name::Equalize, 1.0, 0)],
    [(Name::Rotate, 0.2, 3), (Name::Solarize, 0.6, 8)],
    [(Name::Equalize, 0.6, 0), (Name::Posterize, 0.4, 6)],
    [(Name::Rotate, 0.8, 8), (Name::Color, 0.4, 0)],
    [(Name::Rotate, 0.4, 9), (Name::Equalize, 0.6, 0)],
    [(Name::Equalize, 0.0, 0), (Name::Equalize, 0.8, 0)],
    [(Name::Invert, 0.6, 0), (Name::Equalize, 1.0, 0)],
    [(Name::Color, 0.6, 4), (Name::Contrast, 1.0, 8)],
    [(Name::Rotate, 0.8, 8), (Name::Color, 1.0, 2)],
    [(Name::Color, 0.8, 8), (Name::Solarize, 0.8, 7)],
    [(Name::Sharpness, 0.4, 7), (Name::Invert, 0.6, 0)],
    [(Name::ShearX, 0.6, 5), (Name::Equalize, 1.0, 0)],
    [(Name::Color, 0.4, 0), (Name::Equalize, 0.6, 0)],
    [(Name::Equalize, 0.4, 0), (Name::Solarize, 0.2, 4)],
    [(Name::Solarize, 0.6, 5), (Name::AutoContrast, 0.6, 0)],
    [(Name::Invert, 0.6, 0), (Name::Equalize, 1.0, 0)],
    [(Name::Color, 0.6, 4), (Name::Contrast, 1.0, 8)],
    [(Name::Equalize, 0.8, 0), (Name::Equalize, 0.6, 0)],
];

const CIFAR10: [[Part; 2]; 25] = [
    [(Name::Invert, 0.1, 0), (Name::Contrast, 0.2, 6)],
    [(Name::Rotate, 0.7, 2), (Name::TranslateX, 0.3, 9)],
    [(Name::Sharpness, 0.8, 1), (Name::Sharpness, 0.9, 3)],
    [(Name::ShearY, 0.5, 8), (Name::TranslateY, 0.7, 9)],
    [(Name::AutoContrast, 0.5, 0), (Name::Equalize, 0.9, 0)],
    [(Name::ShearY, 0.2, 7), (Name::Posterize, 0.3, 7)],
    [(Name::Color, 0.4, 3), (Name::Brightness, 0.6, 7)],
    [(Name::Sharpness, 0.3, 9), (Name::Brightness, 0.7, 9)],
    [(Name::Equalize, 0.6, 0), (Name::Equalize, 0.5, 0)],
    [(Name::Contrast, 0.6, 7), (Name::Sharpness, 0.6, 5)],
    [(Name::Color, 0.7, 7), (Name::TranslateX, 0.5, 8)],
    [(Name::Equalize, 0.3, 0), (Name::AutoContrast, 0.4, 0)],
    [(Name::TranslateY, 0.4, 3), (Name::Sharpness, 0.2, 6)],
    [(Name::Brightness, 0.9, 6), (Name::Color, 0.2, 8)],
    [(Name::Solarize, 0.5, 2), (Name::Invert, 0.0, 0)],
    [(Name::Equalize, 0.2, 0), (Name::AutoContrast, 0.6, 0)],
    [(Name::Equalize, 0.2, 0), (Name::Equalize, 0.6, 0)],
    [(Name::Color, 0.9, 9), (Name::Equalize, 0.6, 0)],
    [(Name::AutoContrast, 0.8, 0), (Name::Solarize, 0.2, 8)],
    [(Name::Brightness, 0.1, 3), (Name::Color, 0.7, 0)],
    [(Name::Solarize, 0.4, 5), (Name::AutoContrast, 0.9, 0)],
    [(Name::TranslateY, 0.9, 9), (Name::TranslateY, 0.7, 9)],
    [(Name::AutoContrast, 0.9, 0), (Name::Solarize, 0.8, 3)],
    [(Name::Equalize, 0.8, 0), (Name::Invert, 0.1, 0)],
    [(Name::TranslateY, 0.7, 9), (Name::AutoContrast, 0.9, 0)],
];

const SVHN: [[Part; 2]; 25] = [
    [(Name::ShearX, 0.9, 4), (Name::Invert, 0.2, 0)],
    [(Name::ShearY, 0.9, 8), (Name::Invert, 0.7, 0)],
    [(Name::Equalize, 0.6, 0), (Name::Solarize, 0.6, 6)],
    [(Name::Invert, 0.9, 0), (Name::Equalize, 0.6, 0)],
    [(Name::Equalize, 0.6, 0), (Name::Rotate, 0.9, 3)],
    [(Name::ShearX, 0.9, 4), (Name::AutoContrast, 0.8, 0)],
    [(Name::ShearY, 0.9, 8), (Name::Invert, 0.4, 0)],
    [(Name::ShearY, 0.9, 5), (Name::Solarize, 0.2, 6)],
    [(Name::Invert, 0.9, 0), (Name::AutoContrast, 0.8, 0)],
    [(Name::Equalize, 0.6, 0), (Name::Rotate, 0.9, 3)],
    [(Name::ShearX, 0.9, 4), (Name::Solarize, 0.3, 3)],
    [(Name::ShearY, 0.8, 8), (Name::Invert, 0.7, 0)],
    [(Name::Equalize, 0.9, 0), (Name::TranslateY, 0.6, 6)],
    [(Name::Invert, 0.9, 0), (Name::Equalize, 0.6, 0)],
    [(Name::Contrast, 0.3, 3), (Name::Rotate, 0.8, 4)],
    [(Name::Invert, 0.8, 0), (Name::TranslateY, 0.0, 2)],
    [(Name::ShearY, 0.7, 6), (Name::Solarize, 0.4, 8)],
    [(Name::Invert, 0.6, 0), (Name::Rotate, 0.8, 4)],
    [(Name::ShearY, 0.3, 7), (Name::TranslateX, 0.9, 3)],
    [(Name::ShearX, 0.1, 6), (Name::Invert, 0.6, 0)],
    [(Name::Solarize, 0.7, 2), (Name::TranslateY, 0.6, 7)],
    [(Name::ShearY, 0.8, 4), (Name::Invert, 0.8, 0)],
    [(Name::ShearX, 0.7, 9), (Name::TranslateY, 0.8, 3)],
    [(Name::ShearY, 0.8, 5), (Name::AutoContrast, 0.7, 0)],
    [(Name::ShearX, 0.7, 2), (Name::Invert, 0.1, 0)],
];
