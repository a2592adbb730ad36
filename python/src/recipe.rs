//! What becomes of every picture, as Python says it.

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    image::transform::{Blur, Erase, Fit, Jitter, Layout, Normalize, Recipe, Resampling},
};
use serde::Deserialize;

/// A picture's way into a tensor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Image {
    width: u32,
    height: u32,
    #[serde(default)]
    steps: Vec<Step>,
    resampling: Option<String>,
    fill: Option<[u8; 3]>,
    normalize: Option<([f32; 3], [f32; 3])>,
    /// `nchw` or `nhwc`.
    layout: Option<String>,
}

/// One augmentation.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    Stretch,
    Letterbox,
    Pad,
    CenterCrop { short: Option<u32> },
    RandomCrop { padding: u32 },
    RandomResizedCrop { scale: (f64, f64), ratio: (f64, f64) },
    HorizontalFlip { p: f64 },
    VerticalFlip { p: f64 },
    ColorJitter { brightness: f64, contrast: f64, saturation: f64, hue: f64 },
    Grayscale { p: f64 },
    GaussianBlur { p: f64, sigma: (f64, f64) },
    RandomErasing { p: f64, scale: (f64, f64), ratio: (f64, f64), color: [u8; 3] },
}

impl Image {
    /// The recipe. Each kind of step comes at most once, since the engine does each at most once, in an order of its own.
    pub(crate) fn recipe(&self) -> Result<Recipe> {
        let mut recipe = Recipe::new(self.width, self.height);
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
        for step in &self.steps {
            let kind = step.kind();
            if seen.contains(&kind) {
                return Err(Error::new(&ARGUMENT, format!("`augment` has two steps that decide {kind}")));
            }
            seen.push(kind);
            recipe = step.add_to(recipe, (self.width, self.height));
        }
        Ok(recipe)
    }
}

impl Step {
    /// What it decides.
    fn kind(&self) -> &'static str {
        match self {
            Step::HorizontalFlip { .. } => "the horizontal flip",
            Step::VerticalFlip { .. } => "the vertical flip",
            Step::ColorJitter { .. } => "the color jitter",
            Step::Grayscale { .. } => "the grayscale",
            Step::GaussianBlur { .. } => "the blur",
            Step::RandomErasing { .. } => "the erasing",
            _ => "which part of the picture is taken",
        }
    }

    fn add_to(&self, recipe: Recipe, (width, height): (u32, u32)) -> Recipe {
        match *self {
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
        }
    }
}
