//! What becomes of every image, as documents say it.

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    image::transform::{
        Augment, Blur, Erase, Fit, Jitter, Layout, Mixing, Mosaic, Normalize, Policy, Recipe, Resampling,
    },
};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

/// An image's way into a tensor: those of [`LoaderSettings`](super::LoaderSettings) that say it.
#[doc(hidden)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageSettings {
    pub(super) size: (u32, u32),
    #[serde(default)]
    pub(super) augment: Vec<Step>,
    pub(super) resampling: Option<String>,
    pub(super) fill: Option<[u8; 3]>,
    pub(super) normalize: Option<([f32; 3], [f32; 3])>,
    pub(super) layout: Option<String>,
}

/// One augmentation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::loader) enum Step {
    Stretch,
    Letterbox,
    Pad,
    CenterCrop {
        short: Option<u32>,
    },
    RandomCrop {
        padding: u32,
    },
    RandomResizedCrop {
        scale: (f64, f64),
        ratio: (f64, f64),
    },
    HorizontalFlip {
        p: f64,
    },
    VerticalFlip {
        p: f64,
    },
    ColorJitter {
        brightness: f64,
        contrast: f64,
        saturation: f64,
        hue: f64,
    },
    Grayscale {
        p: f64,
    },
    GaussianBlur {
        p: f64,
        sigma: (f64, f64),
    },
    RandomErasing {
        p: f64,
        scale: (f64, f64),
        ratio: (f64, f64),
        color: [u8; 3],
    },
    CropAroundBoxes,
    RandomIouCrop {
        scale: (f64, f64),
        ratio: (f64, f64),
    },
    KeepBoxes {
        visible: f64,
        side: f64,
    },
    Mosaic {
        p: f64,
        center: (f64, f64),
        scale: (f64, f64),
        pictures: u8,
    },
    MixUp {
        p: f64,
        alpha: f64,
    },
    CutMix {
        p: f64,
        alpha: f64,
    },
    MixUpOrCutMix {
        p: f64,
        mixup: f64,
        cutmix: f64,
    },
    #[serde(skip)]
    Augment(Change),
}

impl<'de> Deserialize<'de> for Step {
    /// Says which step is wrong, and how: of an untagged choice serde says neither.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Step, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let step = match Step::deserialize(&value) {
            Err(e) if e.to_string().starts_with("unknown variant") => Change::deserialize(&value).map(Step::Augment),
            step => step,
        };
        step.map_err(|e| D::Error::custom(format!("{}: {e}", value["op"].as_str().unwrap_or("a step"))))
    }
}

/// One of those that may come several times, and are done in their order.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::loader) enum Change {
    RandAugment {
        num_ops: u32,
        magnitude: u32,
        num_magnitude_bins: u32,
        interpolation: String,
    },
    TrivialAugmentWide {
        num_magnitude_bins: u32,
        interpolation: String,
    },
    AutoAugment {
        policy: String,
        interpolation: String,
    },
    RandomRotation {
        degrees: (f64, f64),
        p: f64,
        interpolation: String,
    },
    RandomAffine {
        degrees: (f64, f64),
        translate: (f64, f64),
        scale: (f64, f64),
        shear: [f64; 4],
        p: f64,
        interpolation: String,
    },
    RandomPerspective {
        distortion_scale: f64,
        p: f64,
        interpolation: String,
    },
    RandomPosterize {
        bits: u32,
        p: f64,
    },
    RandomSolarize {
        threshold: f64,
        p: f64,
    },
    RandomEqualize {
        p: f64,
    },
    RandomAutocontrast {
        p: f64,
    },
    RandomAdjustSharpness {
        sharpness_factor: f64,
        p: f64,
    },
    RandomInvert {
        p: f64,
    },
}

impl ImageSettings {
    /// The recipe. Each kind of step comes at most once, since the engine does each at most once, in an order of its own;
    /// those that the engine does in the order given may come several times.
    pub(super) fn recipe(&self) -> Result<Recipe> {
        let mut recipe = Recipe::new(self.size.0, self.size.1);
        if let Some(name) = &self.resampling {
            recipe = recipe.resampling(Resampling::named(name)?);
        }
        if let Some(fill) = self.fill {
            recipe.fill = fill;
        }
        if let Some((mean, std)) = self.normalize {
            recipe = recipe.normalize(Normalize { mean, std });
        }
        recipe = recipe.layout(match self.layout.as_deref() {
            None | Some("nchw") => Layout::Nchw,
            Some("nhwc") => Layout::Nhwc,
            Some(other) => {
                return Err(Error::new(&ARGUMENT, format!("layout is one of nchw, nhwc, not {other:?}")));
            }
        });
        let mut seen = Vec::new();
        for step in &self.augment {
            if let Some(kind) = step.kind() {
                if seen.contains(&kind) {
                    return Err(Error::new(&ARGUMENT, format!("`augment` has two steps that decide {kind}")));
                }
                seen.push(kind);
            }
            recipe = step.add_to(recipe, self.size)?;
        }
        Ok(recipe)
    }

    /// The recipe of an image that stays alone.
    pub fn alone(&self) -> Result<Recipe> {
        if self.augment.iter().any(|step| step.mosaic().is_some() || step.mixing().is_some()) {
            let message = "a mosaic and a mixture bring the images of several samples together, which here is not done";
            return Err(Error::new(&ARGUMENT, message));
        }
        self.recipe()
    }
    /// The mosaic that is asked for.
    pub(super) fn mosaic(&self) -> Option<Mosaic> {
        self.augment.iter().find_map(Step::mosaic)
    }
    /// How samples are mixed, and how likely.
    pub(super) fn mixing(&self) -> Option<(Mixing, f64)> {
        self.augment.iter().find_map(Step::mixing)
    }
}

impl Step {
    fn mosaic(&self) -> Option<Mosaic> {
        let Step::Mosaic { p, center, scale, pictures } = *self else { return None };
        let mut mosaic = Mosaic::new().chance(p).center(center.0, center.1).scale(scale.0, scale.1);
        mosaic.pictures = pictures;
        Some(mosaic)
    }

    fn mixing(&self) -> Option<(Mixing, f64)> {
        Some(match *self {
            Step::MixUp { p, alpha } => (Mixing::MixUp { alpha }, p),
            Step::CutMix { p, alpha } => (Mixing::CutMix { alpha }, p),
            Step::MixUpOrCutMix { p, mixup, cutmix } => (Mixing::Either { mixup, cutmix }, p),
            _ => return None,
        })
    }

    /// What it alone decides.
    fn kind(&self) -> Option<&'static str> {
        Some(match self {
            Step::Augment(_) => return None,
            Step::KeepBoxes { .. } => "which boxes are kept",
            Step::Mosaic { .. } => "the mosaic",
            Step::MixUp { .. } | Step::CutMix { .. } | Step::MixUpOrCutMix { .. } => "how samples are mixed",
            Step::HorizontalFlip { .. } => "the horizontal flip",
            Step::VerticalFlip { .. } => "the vertical flip",
            Step::ColorJitter { .. } => "the color jitter",
            Step::Grayscale { .. } => "the grayscale",
            Step::GaussianBlur { .. } => "the blur",
            Step::RandomErasing { .. } => "the erasing",
            _ => "which part of the image is taken",
        })
    }

    fn add_to(&self, recipe: Recipe, (width, height): (u32, u32)) -> Result<Recipe> {
        Ok(match *self {
            Step::Augment(ref change) => recipe.augment(change.augment()?),
            Step::CropAroundBoxes => recipe.fit(Fit::AroundBoxes),
            Step::RandomIouCrop { scale, ratio } => recipe.fit(Fit::OverlapBoxes { scale, ratio }),
            Step::KeepBoxes { visible, side } => recipe.keep_boxes(visible, side),
            // These are about several pictures.
            Step::Mosaic { .. } | Step::MixUp { .. } | Step::CutMix { .. } | Step::MixUpOrCutMix { .. } => recipe,
            Step::Stretch => recipe.fit(Fit::Stretch),
            Step::Letterbox => recipe.fit(Fit::Letterbox),
            Step::Pad => recipe.fit(Fit::CenterCrop { short: None }),
            Step::CenterCrop { short } => recipe.center_crop(short.unwrap_or(width.max(height))),
            Step::RandomCrop { padding } => recipe.random_crop(padding),
            Step::RandomResizedCrop { scale, ratio } => recipe.fit(Fit::RandomResizedCrop { scale, ratio }),
            Step::HorizontalFlip { p } => recipe.hflip_chance(p),
            Step::VerticalFlip { p } => recipe.vflip_chance(p),
            Step::ColorJitter { brightness, contrast, saturation, hue } => {
                recipe.jitter(Jitter { brightness, contrast, saturation, hue })
            }
            Step::Grayscale { p } => recipe.grayscale(p),
            Step::GaussianBlur { p, sigma } => recipe.blur(Blur { probability: p, sigma }),
            Step::RandomErasing { p, scale, ratio, color } => {
                recipe.erase(Erase { probability: p, scale, ratio, color })
            }
        })
    }
}

impl Change {
    fn augment(&self) -> Result<Augment> {
        let named = |name: &String| Resampling::named(name);
        Ok(match *self {
            Change::RandAugment { num_ops, magnitude, num_magnitude_bins, ref interpolation } => Augment::RandAugment {
                operations: num_ops,
                magnitude,
                bins: num_magnitude_bins,
                resampling: named(interpolation)?,
            },
            Change::TrivialAugmentWide { num_magnitude_bins, ref interpolation } => {
                Augment::TrivialAugmentWide { bins: num_magnitude_bins, resampling: named(interpolation)? }
            }
            Change::AutoAugment { ref policy, ref interpolation } => {
                Augment::AutoAugment { policy: found_for(policy)?, resampling: named(interpolation)? }
            }
            Change::RandomRotation { degrees, p, ref interpolation } => {
                Augment::Rotation { probability: p, degrees, resampling: named(interpolation)? }
            }
            Change::RandomAffine { degrees, translate, scale, shear: [a, b, c, d], p, ref interpolation } => {
                Augment::Affine {
                    probability: p,
                    degrees,
                    translate,
                    scale,
                    shear_x: (a, b),
                    shear_y: (c, d),
                    resampling: named(interpolation)?,
                }
            }
            Change::RandomPerspective { distortion_scale, p, ref interpolation } => {
                Augment::Perspective { probability: p, distortion: distortion_scale, resampling: named(interpolation)? }
            }
            Change::RandomPosterize { bits, p } => Augment::Posterize { probability: p, bits },
            Change::RandomSolarize { threshold, p } => Augment::Solarize { probability: p, threshold },
            Change::RandomEqualize { p } => Augment::Equalize { probability: p },
            Change::RandomAutocontrast { p } => Augment::AutoContrast { probability: p },
            Change::RandomAdjustSharpness { sharpness_factor, p } => {
                Augment::Sharpness { probability: p, factor: sharpness_factor }
            }
            Change::RandomInvert { p } => Augment::Invert { probability: p },
        })
    }
}

fn found_for(policy: &str) -> Result<Policy> {
    Ok(match policy {
        "imagenet" => Policy::ImageNet,
        "cifar10" => Policy::Cifar10,
        "svhn" => Policy::Svhn,
        other => {
            return Err(Error::new(&ARGUMENT, format!("policy is one of imagenet, cifar10, svhn, not {other:?}")));
        }
    })
}
