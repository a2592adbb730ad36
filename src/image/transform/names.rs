//! What fits and filters are called: in the command's arguments, in a browser, in what a file's document says of them.

use super::{Fit, Resampling};
use crate::error::{Error, Result, codes::ARGUMENT};

#[doc(hidden)]
impl Fit {
    /// The fits that are chosen by name.
    pub const NAMES: &[&str] = &["stretch", "center-crop", "letterbox", "pad"];

    /// The fit of this name for an output of this size. `short` is for `center-crop` alone: the shorter side before the
    /// crop. Without it that is the larger side of the output, the least with which the crop is full of picture whatever
    /// the picture's shape; for a square, torchvision's `Resize(n)` and `CenterCrop(n)`.
    pub fn named(name: &str, short: Option<u32>, (width, height): (u32, u32)) -> Result<Fit> {
        let fit = match name {
            "stretch" => Fit::Stretch,
            "center-crop" => return Ok(Fit::CenterCrop { short: Some(short.unwrap_or(width.max(height))) }),
            "letterbox" => Fit::Letterbox,
            "pad" => Fit::CenterCrop { short: None },
            _ => return Err(unknown("fit", name, Fit::NAMES)),
        };
        match short {
            Some(_) => Err(Error::new(&ARGUMENT, format!("a shorter side is for the fit center-crop, not for {name}"))),
            None => Ok(fit),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Fit::Stretch => "stretch",
            Fit::CenterCrop { short: Some(_) } => "center-crop",
            Fit::CenterCrop { short: None } => "pad",
            Fit::Letterbox => "letterbox",
            Fit::RandomCrop { .. } => "random-crop",
            Fit::RandomResizedCrop { .. } => "random-resized-crop",
            #[cfg(feature = "augment")]
            Fit::AroundBoxes => "around-boxes",
            #[cfg(feature = "augment")]
            Fit::OverlapBoxes { .. } => "overlap-boxes",
        }
    }
}

#[doc(hidden)]
impl Resampling {
    /// The names of all filters, the default first.
    pub const NAMES: &[&str] = &["bilinear", "bilinear-plain", "bicubic", "lanczos", "nearest"];

    /// The filter of this name.
    pub fn named(name: &str) -> Result<Resampling> {
        Ok(match name {
            "bilinear" => Resampling::Bilinear,
            "bilinear-plain" => Resampling::BilinearPlain,
            "bicubic" => Resampling::Bicubic,
            "lanczos" => Resampling::Lanczos,
            "nearest" => Resampling::Nearest,
            _ => return Err(unknown("resampling", name, Resampling::NAMES)),
        })
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Resampling::Bilinear => "bilinear",
            Resampling::BilinearPlain => "bilinear-plain",
            Resampling::Bicubic => "bicubic",
            Resampling::Lanczos => "lanczos",
            Resampling::Nearest => "nearest",
        }
    }
}

fn unknown(what: &str, name: &str, names: &[&str]) -> Error {
    Error::new(&ARGUMENT, format!("there is no {what} {name:?}; there are {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_name_is_found_by_it() {
        for name in Resampling::NAMES {
            assert_eq!(Resampling::named(name).unwrap().name(), *name);
        }
        for name in Fit::NAMES {
            assert_eq!(Fit::named(name, None, (3, 2)).unwrap().name(), *name);
        }
        assert!(Fit::named("center", None, (3, 2)).unwrap_err().message().contains("center-crop"));
        assert!(Resampling::named("cubic").is_err());
    }

    #[test]
    fn a_center_crop_is_full_of_picture_unless_told_otherwise_and_only_it_has_a_shorter_side() {
        assert_eq!(Fit::named("center-crop", None, (320, 240)).unwrap(), Fit::CenterCrop { short: Some(320) });
        assert_eq!(Fit::named("center-crop", Some(256), (224, 224)).unwrap(), Fit::CenterCrop { short: Some(256) });
        for name in ["stretch", "letterbox", "pad"] {
            assert_eq!(Fit::named(name, Some(256), (224, 224)).unwrap_err().code().id(), "usage.argument");
        }
    }
}
