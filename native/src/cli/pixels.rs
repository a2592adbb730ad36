//! Arguments that say which pixels of a picture are wanted: the size, what becomes of its shape, how it is resized.

use clap::ValueEnum;
use forebay::{
    Error, Result,
    error::codes,
    image::{
        decode,
        transform::{Fit, Resampling},
    },
};

use crate::convert::Pixels;

/// Decoding while converting.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct DecodeArgs {
    /// TBL: decode every picture and store its pixels, raw RGB of this size, for training that need not decode.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    decode: Option<(u32, u32)>,
    /// With --decode: what becomes of a picture of another shape. `stretch` distorts it, `center-crop` resizes the
    /// shorter side and takes the middle, `letterbox` shows all of it amid the fill color, `pad` takes the middle
    /// without resizing.
    #[arg(long, value_enum, requires = "decode")]
    fit: Option<FitArg>,
    /// With --fit center-crop: the shorter side before the crop; by default the larger side of SIZE.
    #[arg(long, value_name = "PIXELS", requires = "fit")]
    short: Option<u32>,
    /// With --decode: the filter, by default bilinear. All but `nearest` and `bilinear-plain` are antialiased.
    #[arg(long, value_enum, requires = "decode")]
    resample: Option<ResampleArg>,
    /// With --decode: the color where there is no picture, as RRGGBB.
    #[arg(long, value_name = "COLOR", value_parser = color, requires = "decode")]
    fill: Option<[u8; 3]>,
    /// With --decode: turn pictures as their EXIF orientation says.
    #[arg(long, requires = "decode")]
    orient: bool,
}

impl DecodeArgs {
    /// Whether decoding is wanted.
    pub fn wanted(&self) -> bool {
        self.decode.is_some()
    }

    /// What is wanted of every picture, where decoding is.
    pub fn pixels(&self) -> Result<Option<Pixels>> {
        let Some((width, height)) = self.decode else { return Ok(None) };
        let fit = fit(self.fit.unwrap_or_default(), self.short, (width, height))?;
        Ok(Some(
            Pixels::new(width, height)
                .with_fit(fit)
                .with_resampling(self.resample.unwrap_or_default().into())
                .with_fill(self.fill.unwrap_or_default())
                .with_decode(decode::Options::default().with_orient(self.orient)),
        ))
    }
}

/// What becomes of a picture of another shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FitArg {
    #[default]
    Stretch,
    CenterCrop,
    Letterbox,
    Pad,
}

/// How pictures are resized.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum ResampleArg {
    #[default]
    Bilinear,
    BilinearPlain,
    Bicubic,
    Lanczos,
    Nearest,
}

impl From<ResampleArg> for Resampling {
    fn from(arg: ResampleArg) -> Resampling {
        match arg {
            ResampleArg::Bilinear => Resampling::Bilinear,
            ResampleArg::BilinearPlain => Resampling::BilinearPlain,
            ResampleArg::Bicubic => Resampling::Bicubic,
            ResampleArg::Lanczos => Resampling::Lanczos,
            ResampleArg::Nearest => Resampling::Nearest,
        }
    }
}

fn fit(arg: FitArg, short: Option<u32>, (width, height): (u32, u32)) -> Result<Fit> {
    if short.is_some() && arg != FitArg::CenterCrop {
        return Err(Error::new(&codes::ARGUMENT, "--short is the shorter side of --fit center-crop"));
    }
    Ok(match arg {
        FitArg::Stretch => Fit::Stretch,
        FitArg::CenterCrop => Fit::CenterCrop { short: Some(short.unwrap_or(width.max(height))) },
        FitArg::Letterbox => Fit::Letterbox,
        FitArg::Pad => Fit::CenterCrop { short: None },
    })
}

/// `224` or `320x240`: width, then height.
pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
    let side = |s: &str| s.parse::<u32>().ok().filter(|n| (1..=u32::from(u16::MAX)).contains(n));
    let (width, height) = text.split_once(['x', '×']).unwrap_or((text, text));
    match (side(width), side(height)) {
        (Some(width), Some(height)) => Ok((width, height)),
        _ => Err("a size is a side such as 224, or width and height such as 320x240, to 65535".into()),
    }
}

fn color(text: &str) -> Result<[u8; 3], String> {
    let wrong = || "a color is six digits such as 7f7f7f".to_owned();
    let digits = text.trim_start_matches('#');
    if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
    let [_, red, green, blue] = number.to_be_bytes();
    Ok([red, green, blue])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_colors_are_read_as_people_write_them() {
        assert_eq!((size("224"), size("320x240")), (Ok((224, 224)), Ok((320, 240))));
        for wrong in ["", "0", "x", "3x", "-1", "65536", "1x2x3"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!((color("ff8000"), color("#00000a")), (Ok([255, 128, 0]), Ok([0, 0, 10])));
        for wrong in ["", "fff", "ff80zz", "+f8000"] {
            assert!(color(wrong).is_err(), "{wrong}");
        }
    }
}
