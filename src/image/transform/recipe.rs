//! What is wanted of every picture.

#[cfg(feature = "augment")]
use super::Augment;
use super::{Fit, Layout, Resampling};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// Random changes of color, each drawn from `1 - amount` to `1 + amount` (hue from `-amount` to `amount` of the
/// circle), in random order: torchvision's ColorJitter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jitter {
    /// How much the brightness may change.
    pub brightness: f64,
    /// How much the contrast may change.
    pub contrast: f64,
    /// How much the saturation may change.
    pub saturation: f64,
    /// How much the hue may turn; at most 0.5.
    pub hue: f64,
}

/// A Gaussian blur.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blur {
    /// How likely it is.
    pub probability: f64,
    /// The least and the largest deviation, in pixels of the output.
    pub sigma: (f64, f64),
}

/// A rectangle that is painted over: torchvision's RandomErasing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erase {
    /// How likely it is.
    pub probability: f64,
    /// The least and the largest share of the area.
    pub scale: (f64, f64),
    /// The least and the largest width divided by height.
    pub ratio: (f64, f64),
    /// Its color.
    pub color: [u8; 3],
}

/// `(value / 255 - mean) / std`, for each channel. For `u8` outputs it is not applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normalize {
    /// Subtracted.
    pub mean: [f32; 3],
    /// Divided by.
    pub std: [f32; 3],
}

impl Normalize {
    /// The means and deviations of ImageNet.
    pub const IMAGENET: Normalize = Normalize { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };
    /// To 0 to 1.
    pub const UNIT: Normalize = Normalize { mean: [0.0; 3], std: [1.0; 3] };
}

/// The way of each image to its tensor: the part that is taken, how it is changed, and its numbers.
///
/// ```
/// use forebay::image::transform::{Blur, Erase, Fit, Jitter, Layout, Normalize, Recipe, Resampling};
/// // For training.
/// let train = Recipe::new(224, 224)
///     .random_resized_crop()
///     .hflip()
///     .vflip_chance(0.1)
///     .jitter(Jitter { brightness: 0.4, contrast: 0.4, saturation: 0.4, hue: 0.1 })
///     .grayscale(0.2)
///     .blur(Blur { probability: 0.5, sigma: (0.1, 2.0) })
///     .erase(Erase { probability: 0.25, scale: (0.02, 0.33), ratio: (0.3, 3.3), color: [0; 3] })
///     .normalize(Normalize::IMAGENET);
/// // For validation, a detector, and small pictures.
/// let validate = Recipe::new(224, 224).center_crop(256).resampling(Resampling::Bicubic).normalize(Normalize::UNIT);
/// let detect = Recipe::new(640, 640).letterbox([114; 3]).layout(Layout::Nhwc);
/// let small = Recipe::new(32, 32).random_crop(4).vflip();
/// // For boxes: those are kept of which a quarter is seen, and two pixels each way.
/// let boxed = Recipe::new(640, 640).random_resized_crop().keep_boxes(0.25, 2.0);
/// assert_eq!(small.vflip, 0.5);
/// assert_eq!(Recipe::new(8, 8).fit(Fit::Stretch).fit, Recipe::new(8, 8).fit);
/// # let _ = (train, validate, detect, boxed);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recipe {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Which part of the picture becomes the output.
    pub fit: Fit,
    /// How it is resized.
    pub resampling: Resampling,
    /// The color where there is no picture.
    pub fill: [u8; 3],
    /// How likely it is mirrored left to right.
    pub hflip: f64,
    /// How likely it is mirrored top to bottom.
    pub vflip: f64,
    /// Random changes of geometry and color, one after the other.
    #[cfg(feature = "augment")]
    pub augments: Vec<Augment>,
    /// Of these, only pixels are moved, each from its nearest: for pictures whose colors are classes.
    #[cfg(feature = "augment")]
    #[doc(hidden)]
    pub only_moves: bool,
    /// Changes of color.
    pub jitter: Option<Jitter>,
    /// How likely it becomes gray.
    pub grayscale: f64,
    /// A blur.
    pub blur: Option<Blur>,
    /// A rectangle that is painted over.
    pub erase: Option<Erase>,
    /// The least share of its area that is left of a box that is kept.
    pub visible: f64,
    /// The least width and height of a box that is kept, in pixels of the output.
    pub least_side: f64,
    /// How numbers are normalized; `None` is 0 to 1.
    pub normalize: Option<Normalize>,
    /// The order of the axes.
    pub layout: Layout,
}

impl Recipe {
    /// The whole picture, stretched to this size, as 0 to 1 in planes.
    pub fn new(width: u32, height: u32) -> Self {
        Recipe {
            width,
            height,
            fit: Fit::Stretch,
            resampling: Resampling::Bilinear,
            fill: [0; 3],
            hflip: 0.0,
            vflip: 0.0,
            #[cfg(feature = "augment")]
            augments: Vec::new(),
            #[cfg(feature = "augment")]
            only_moves: false,
            jitter: None,
            grayscale: 0.0,
            blur: None,
            erase: None,
            visible: 0.0,
            least_side: 0.0,
            normalize: None,
            layout: Layout::Nchw,
        }
    }

    /// Resizes the shorter side to `short`, then takes the middle.
    #[must_use]
    pub fn center_crop(mut self, short: u32) -> Self {
        self.fit = Fit::CenterCrop { short: Some(short) };
        self
    }
    /// Takes a random rectangle of 8 to 100 % of the area and 3:4 to 4:3.
    #[must_use]
    pub fn random_resized_crop(mut self) -> Self {
        self.fit = Fit::RandomResizedCrop { scale: (0.08, 1.0), ratio: (3.0 / 4.0, 4.0 / 3.0) };
        self
    }
    /// Takes a random part of the picture's own size, after adding `padding` of the fill color on all sides.
    #[must_use]
    pub fn random_crop(mut self, padding: u32) -> Self {
        self.fit = Fit::RandomCrop { padding };
        self
    }
    /// Shows the whole picture undistorted, on the given color.
    #[must_use]
    pub fn letterbox(mut self, fill: [u8; 3]) -> Self {
        (self.fit, self.fill) = (Fit::Letterbox, fill);
        self
    }
    /// Takes the middle without resizing, on the given color where the picture is smaller.
    #[must_use]
    pub fn pad(mut self, fill: [u8; 3]) -> Self {
        (self.fit, self.fill) = (Fit::CenterCrop { short: None }, fill);
        self
    }
    /// Sets which part of the picture becomes the output.
    #[must_use]
    pub fn fit(mut self, fit: Fit) -> Self {
        self.fit = fit;
        self
    }
    /// Sets how it is resized.
    #[must_use]
    pub fn resampling(mut self, resampling: Resampling) -> Self {
        self.resampling = resampling;
        self
    }
    /// Mirrors every other picture left to right, by chance.
    #[must_use]
    pub fn hflip(self) -> Self {
        self.hflip_chance(0.5)
    }
    /// Mirrors left to right with this chance.
    #[must_use]
    pub fn hflip_chance(mut self, probability: f64) -> Self {
        self.hflip = probability;
        self
    }
    /// Mirrors every other picture top to bottom, by chance.
    #[must_use]
    pub fn vflip(self) -> Self {
        self.vflip_chance(0.5)
    }
    /// Mirrors top to bottom with this chance.
    #[must_use]
    pub fn vflip_chance(mut self, probability: f64) -> Self {
        self.vflip = probability;
        self
    }
    /// Adds a random change, which comes after those that were added before, and after the mirroring.
    #[cfg(feature = "augment")]
    #[must_use]
    pub fn augment(mut self, augment: Augment) -> Self {
        self.augments.push(augment);
        self
    }
    /// Leaves out boxes of which the output shows less than this share of their area, or less than this many pixels
    /// across or down.
    #[must_use]
    pub fn keep_boxes(mut self, visible: f64, least_side: f64) -> Self {
        (self.visible, self.least_side) = (visible, least_side);
        self
    }
    /// Changes brightness, contrast, saturation and hue.
    #[must_use]
    pub fn jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = Some(jitter);
        self
    }
    /// Makes it gray with this chance.
    #[must_use]
    pub fn grayscale(mut self, probability: f64) -> Self {
        self.grayscale = probability;
        self
    }
    /// Blurs it.
    #[must_use]
    pub fn blur(mut self, blur: Blur) -> Self {
        self.blur = Some(blur);
        self
    }
    /// Paints over a rectangle.
    #[must_use]
    pub fn erase(mut self, erase: Erase) -> Self {
        self.erase = Some(erase);
        self
    }
    /// Normalizes by means and deviations.
    #[must_use]
    pub fn normalize(mut self, normalize: Normalize) -> Self {
        self.normalize = Some(normalize);
        self
    }
    /// Normalizes as is usual for ImageNet.
    #[must_use]
    pub fn imagenet(self) -> Self {
        self.normalize(Normalize::IMAGENET)
    }
    /// Sets the order of the axes.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Whether its fit looks at the boxes of a picture.
    #[cfg(feature = "augment")]
    #[doc(hidden)]
    pub fn looks_at_boxes(&self) -> bool {
        matches!(self.fit, Fit::AroundBoxes | Fit::OverlapBoxes { .. })
    }

    /// Whether the canvas is changed behind its crop.
    pub(super) fn changes_canvas(&self) -> bool {
        self.is_augmented()
            || self.jitter.is_some()
            || self.grayscale > 0.0
            || self.blur.is_some()
            || self.erase.is_some()
    }

    pub(super) fn is_augmented(&self) -> bool {
        #[cfg(feature = "augment")]
        return !self.augments.is_empty();
        #[cfg(not(feature = "augment"))]
        false
    }

    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::new(&codes::RECIPE, what));
        let pixels = u64::from(self.width) * u64::from(self.height);
        if pixels == 0 || pixels > 1 << 29 {
            return wrong(format!("an output of {} × {} is invalid", self.width, self.height));
        }
        let chances = [self.hflip, self.vflip, self.grayscale]
            .into_iter()
            .chain(self.blur.map(|b| b.probability))
            .chain(self.erase.map(|e| e.probability));
        if let Some(p) = chances.into_iter().find(|p| !(0.0..=1.0).contains(p)) {
            return wrong(format!("a chance of {p} is not between 0 and 1"));
        }
        let range = |(from, to): (f64, f64)| from.is_finite() && to.is_finite() && from > 0.0 && from <= to;
        let ranges = match self.fit {
            Fit::RandomResizedCrop { scale, ratio } => vec![scale, ratio],
            #[cfg(feature = "augment")]
            Fit::OverlapBoxes { scale: (_, most), .. } if most > 1.0 => {
                return wrong(format!("a share of {most} of a side is more than all of it"));
            }
            #[cfg(feature = "augment")]
            Fit::OverlapBoxes { scale, ratio } => vec![scale, ratio],
            Fit::CenterCrop { short: Some(0) } => return wrong("a shorter side of 0 is invalid".into()),
            _ => Vec::new(),
        };
        let ranges = ranges.into_iter().chain(self.erase.into_iter().flat_map(|e| [e.scale, e.ratio]));
        if let Some(r) = ranges.chain(self.blur.map(|b| b.sigma)).find(|r| !range(*r)) {
            return wrong(format!("a range of {} to {} is invalid", r.0, r.1));
        }
        if let Some(j) = self.jitter {
            let amounts = [j.brightness, j.contrast, j.saturation, j.hue];
            if amounts.iter().any(|a| !a.is_finite() || *a < 0.0) || j.hue > 0.5 {
                return wrong(format!("a jitter of {amounts:?} is invalid; hue is at most 0.5"));
            }
        }
        let keeps = (0.0..=1.0).contains(&self.visible) && (0.0..f64::INFINITY).contains(&self.least_side);
        if !keeps {
            let (visible, side) = (self.visible, self.least_side);
            return wrong(format!("keeping boxes from a share of {visible} and {side} pixels on is invalid"));
        }
        #[cfg(feature = "augment")]
        super::augment::check(&self.augments, self.width.max(self.height))?;
        let n = self.normalize.unwrap_or(Normalize::UNIT);
        if n.std.iter().any(|s| !s.is_finite() || *s == 0.0) || n.mean.iter().any(|m| !m.is_finite()) {
            return wrong(format!("normalizing by mean {:?} and deviation {:?} is invalid", n.mean, n.std));
        }
        Ok(())
    }
}
