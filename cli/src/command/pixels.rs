//! Arguments that say which pixels of a picture are wanted: the size, what becomes of its shape, how it is resized.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use forebay::{
    Error, Limits, Result,
    error::codes,
    image::{
        decode,
        transform::{Fit, Resampling},
    },
};
use forebay_native::convert::Pixels;

use super::filtering::PixelLimitArgs;

/// Decoding while converting.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Decoding")]
pub(super) struct DecodeArgs {
    /// TBL: decode every image and store raw RGB of this size.
    ///
    /// Training then does not have to decode.
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    decode: Option<(u32, u32)>,
    /// Fit images of another shape by this method; default stretch.
    ///
    /// `stretch` distorts them, `center-crop` resizes the shorter side and takes the middle, `letterbox` shows all of the
    /// image on the fill color, `pad` takes the middle without resizing.
    #[arg(long, value_name = "METHOD", hide_short_help = true, value_parser = PossibleValuesParser::new(Fit::NAMES), requires = "decode")]
    fit: Option<String>,
    /// Shorter side before --fit center-crop; default is the larger of SIZE.
    #[arg(long, hide_short_help = true, value_name = "PIXELS", requires = "fit")]
    short: Option<u32>,
    /// Resampling filter; default bilinear.
    ///
    /// All but `nearest` and `bilinear-plain` are antialiased.
    #[arg(long, value_name = "FILTER", hide_short_help = true, value_parser = resampling(), requires = "decode")]
    resample: Option<Resampling>,
    /// Color outside the image, as RRGGBB.
    #[arg(long, hide_short_help = true, value_name = "COLOR", value_parser = color, requires = "decode")]
    fill: Option<[u8; 3]>,
    /// Rotate images by their EXIF orientation.
    #[arg(long, hide_short_help = true, requires = "decode")]
    orient: bool,
    /// Decode JPEGs at full size even if a smaller size would do.
    ///
    /// Slower for large images.
    #[arg(long, hide_short_help = true, requires = "decode")]
    exact: bool,
    #[command(flatten)]
    limit: PixelLimitArgs,
}

impl DecodeArgs {
    /// Whether decoding is wanted.
    pub fn wanted(&self) -> bool {
        self.decode.is_some()
    }

    /// The settings of decoding, if images are decoded.
    pub fn pixels(&self, limits: &Limits) -> Result<Option<Pixels>> {
        let Some((width, height)) = self.decode else { return Ok(None) };
        let name = self.fit.as_deref().unwrap_or("stretch");
        if self.short.is_some() && name != "center-crop" {
            return Err(Error::new(&codes::ARGUMENT, "--short is the shorter side of --fit center-crop"));
        }
        let fit = Fit::named(name, self.short, (width, height))?;
        Ok(Some(
            Pixels::new(width, height)
                .with_fit(fit)
                .with_resampling(self.resample.unwrap_or_default())
                .with_fill(self.fill.unwrap_or_default())
                .with_decode(
                    decode::Options::default()
                        .with_orient(self.orient)
                        .with_exact(self.exact)
                        .with_limits(self.limit.limits(limits.clone())),
                ),
        ))
    }
}

/// Filters by their names.
pub(super) fn resampling() -> impl TypedValueParser<Value = Resampling> {
    PossibleValuesParser::new(Resampling::NAMES).try_map(|name| Resampling::named(&name))
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
