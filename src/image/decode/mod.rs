//! Pixels: 8-bit RGB from every picture format.
//!
//! A [`Decoder`] belongs to one thread and keeps its buffers, so that decoding many pictures of about one size
//! allocates nothing once warm (JPEG; the other formats allocate). Alpha is dropped, gray is spread to three
//! channels, 16 bits are rounded to 8, CMYK and YCCK (as Adobe writes them) are converted as Pillow does.
//!
//! The number of pixels is checked against [`Limits`] before anything is allocated: a JPEG of 3 kB may claim
//! 65,500 × 65,500. Truncated and damaged pictures are errors unless [`Options::with_damaged`] asks for what
//! can be had of them.
//!
//! ```
//! # #[cfg(feature = "bmp")] {
//! use forebay::image::decode::{Decoder, Options};
//! let bmp = b"BM\x3e\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\x18\0\0\0\0\0\x08\0\0\0\
//!     \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x02\x03\x04\x05\x06\0\0";
//! let mut decoder = Decoder::default();
//! let picture = decoder.decode(bmp, None, &Options::default())?;
//! assert_eq!((picture.width, picture.height, picture.pixels), (2, 1, &[3, 2, 1, 6, 5, 4][..]));
//! # }
//! # Ok::<(), forebay::Error>(())
//! ```

#[cfg(feature = "bmp")]
mod bmp;
mod cost;
mod foreseen;
#[cfg(feature = "jpeg")]
mod jpeg;
mod orient;
#[cfg(any(feature = "png", feature = "webp", feature = "tiff"))]
mod other;
#[cfg(feature = "tiff")]
mod tiff;

use std::hint::black_box;

use forebay_base::image::{ORIENTATION, exif_turn, tiff_value};

#[cfg(feature = "jpeg")]
use super::jpeg::Jpeg;
use super::{Picture, codes, probe};
use crate::{
    Limits,
    error::{Error, Result},
    guard::guarded,
    sample::MediaFormat,
};
#[doc(hidden)]
pub use cost::cost;
#[doc(hidden)]
pub use foreseen::Foreseen;
pub use orient::Orientation;

/// How a picture's stored pixels are to be turned, by its EXIF block. Whatever is wrong with that, the picture is upright. A
/// TIFF is: what its own field says is how it is stored, and every decoder follows it. Looks at no pixel.
///
/// ```
/// use forebay::image::decode::{Orientation, orientation};
/// assert_eq!(orientation(b"no picture"), Orientation::Upright);
/// ```
#[doc(hidden)]
pub fn orientation(payload: &[u8]) -> Orientation {
    exif_turn(payload).map(Orientation::from_exif).unwrap_or_default()
}

/// How to decode.
///
/// ```
/// use forebay::image::decode::{Options, Region};
/// // For a crop: upright, at the smallest size that is at least 224 × 224, and only the part that is needed.
/// let crop = Options::default()
///     .with_at_least(224, 224)
///     .with_region(Region { x: 0, y: 0, width: 512, height: 512 });
/// // For looking at whatever is left of a file.
/// let rescue = Options::default().with_damaged(true).with_orient(true).with_exact(true);
/// assert_eq!(rescue.at_least, None);
/// # let _ = crop;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Bounds on pixels.
    pub limits: Limits,
    /// Turns the picture as its EXIF orientation says. Most training code does not, so this is off.
    pub orient: bool,
    /// Takes what can be decoded of truncated and damaged JPEGs.
    pub damaged: bool,
    /// A smaller version is welcome, of at least this width and height (of the stored picture, before it is
    /// turned), if a decoder can make one more cheaply than the whole.
    pub at_least: Option<(u32, u32)>,
    /// Asks for no smaller version where one would do: what is made of the picture is then made of the very pixels that it
    /// has in full. [`Transformer`](crate::image::transform::Transformer) asks for none either.
    pub exact: bool,
    /// Only this part is needed, if a decoder can leave out the rest; [`Picture::left`] and [`Picture::top`] say
    /// what came. Nothing behind it may be looked at, so damage there is not seen: checks ask for no part.
    pub region: Option<Region>,
}

/// A part of the stored picture, before it is turned, in pixels of its full size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Options {
    /// Sets the bounds.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Sets whether to turn pictures as their EXIF orientation says.
    #[must_use]
    pub fn with_orient(mut self, orient: bool) -> Self {
        self.orient = orient;
        self
    }
    /// Sets whether to take what can be decoded of damaged JPEGs.
    #[must_use]
    pub fn with_damaged(mut self, damaged: bool) -> Self {
        self.damaged = damaged;
        self
    }
    /// Sets the size that a smaller version must have at least.
    #[must_use]
    pub fn with_at_least(mut self, width: u32, height: u32) -> Self {
        self.at_least = Some((width, height));
        self
    }
    /// Sets whether smaller versions are left alone.
    #[must_use]
    pub fn with_exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }
    /// Sets the part that is needed.
    #[must_use]
    pub fn with_region(mut self, region: Region) -> Self {
        self.region = Some(region);
        self
    }
}

/// Decodes pictures, one after the other, into buffers that it keeps.
#[derive(Debug, Default)]
pub struct Decoder {
    pixels: Vec<u8>,
    turned: Vec<u8>,
    /// Made for the first JPEG.
    #[cfg(feature = "jpeg")]
    jpeg: Option<Box<Jpeg>>,
}

/// What a format's decoder has left in the buffer.
#[derive(Clone, Copy, Debug)]
struct Decoded {
    width: u32,
    height: u32,
    full: (u32, u32),
    eighths: u32,
    /// What lies left of it and above, if it is only a part.
    corner: (u32, u32),
}

#[cfg(any(feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
impl Decoded {
    fn whole(width: u32, height: u32, full: (u32, u32)) -> Self {
        Decoded { width, height, full, eighths: 8, corner: (0, 0) }
    }
}

impl Decoder {
    /// Says what the coefficients of the next pictures were packed with, where their header is followed by those
    /// ([`SamplePlan::half`](crate::sample::SamplePlan::half)).
    #[cfg(all(feature = "jpeg", feature = "packed"))]
    #[doc(hidden)]
    pub fn packed_with(&mut self, tables: Option<std::sync::Arc<crate::codec::packed::Tables>>) {
        if tables.is_some() || self.jpeg.is_some() {
            self.jpeg.get_or_insert_default().packed_with(tables);
        }
    }

    /// Decodes a payload. Its format is told by its content; raw RGB has none, so for that the caller gives
    /// `raw`, the width and height that the index says.
    pub fn decode<'a>(
        &'a mut self,
        payload: &'a [u8],
        raw: Option<(u32, u32)>,
        options: &Options,
    ) -> Result<Picture<'a>> {
        if let Some((width, height)) = raw {
            return raw_picture(payload, width, height, options);
        }
        let mut is_whole = false;
        let decoded = guarded(&codes::DAMAGED, || {
            let decoded = self.decoded(payload, options);
            is_whole = true;
            decoded
        });
        if !is_whole {
            // Whatever panicked has left its buffers half done.
            *self = Decoder::default();
        }
        let decoded = decoded.map_err(|e| e.section("payload"))?;
        let Decoded { width, height, full, eighths, corner } = decoded;
        let bytes = width as usize * height as usize * 3;
        let stored = self.pixels.get(..bytes).unwrap_or_default();
        let orientation = options.turn(payload);
        let picture = |((width, height), full, (left, top), pixels): (_, (u32, u32), _, _)| Picture {
            width,
            height,
            pixels,
            full_width: full.0,
            full_height: full.1,
            eighths,
            left,
            top,
        };
        if orientation == Orientation::Upright {
            return Ok(picture(((width, height), full, corner, stored)));
        }
        orientation.turn(stored, width, height, &mut self.turned);
        let side = |full: u32| (u64::from(full) * u64::from(eighths)).div_ceil(8) as u32;
        let part = Region { x: corner.0, y: corner.1, width, height };
        let part = orientation.turned(part, (side(full.0), side(full.1)));
        let pixels = self.turned.get(..bytes).unwrap_or_default();
        let full = orientation.size(full.0, full.1);
        Ok(picture(((part.width, part.height), full, (part.x, part.y), pixels)))
    }

    /// What the format's decoder has left in the buffer.
    fn decoded(&mut self, payload: &[u8], options: &Options) -> Result<Decoded> {
        let probed = probe(payload);
        check_pixels(probed.width, probed.height, &options.limits)?;
        ask_for(cost(payload, options))?;
        self.let_go(probed.pixel_bytes());
        Ok(match probed.format {
            #[cfg(feature = "jpeg")]
            MediaFormat::Jpeg => jpeg::decode(payload, options, &mut self.pixels, self.jpeg.get_or_insert_default())?,
            #[cfg(feature = "png")]
            MediaFormat::Png => other::png(payload, options, &mut self.pixels)?,
            #[cfg(feature = "webp")]
            MediaFormat::WebP => other::webp(payload, options, &mut self.pixels)?,
            #[cfg(feature = "bmp")]
            MediaFormat::Bmp => bmp::decode(payload, options, &mut self.pixels)?,
            #[cfg(feature = "tiff")]
            MediaFormat::Tiff => tiff::decode(payload, options, &mut self.pixels)?,
            MediaFormat::Unknown => {
                let message = "the bytes are of no image format that is known";
                return Err(Error::new(&codes::UNSUPPORTED, message).section("payload"));
            }
            format => {
                let message = format!("this build does not decode {}", format.name());
                return Err(Error::new(&codes::UNSUPPORTED, message).section("payload"));
            }
        })
    }

    /// Gives back the room of a picture that was much larger than the next one.
    fn let_go(&mut self, next: u64) {
        for buffer in [&mut self.pixels, &mut self.turned] {
            if buffer.capacity() > KEPT && buffer.capacity() as u64 / 4 > next {
                *buffer = Vec::new();
            }
        }
        #[cfg(feature = "jpeg")]
        if let Some(jpeg) = &mut self.jpeg
            && jpeg.kept() > KEPT
            && jpeg.kept() as u64 / 8 > next
        {
            self.jpeg = None;
        }
    }
}

impl Options {
    /// How the decoded pixels are to be turned.
    fn turn(&self, payload: &[u8]) -> Orientation {
        match probe(payload).format {
            MediaFormat::Tiff => tiff_value(payload, ORIENTATION).map(Orientation::from_exif).unwrap_or_default(),
            _ if self.orient => orientation(payload),
            _ => Orientation::Upright,
        }
    }

    /// The size that a smaller version must have at least, if one is welcome.
    #[cfg(feature = "jpeg")]
    fn least(&self) -> Option<(u32, u32)> {
        self.at_least.filter(|_| !self.exact)
    }
}

/// Bytes that a buffer keeps whatever comes next.
const KEPT: usize = 64 << 20;

fn raw_picture<'a>(payload: &'a [u8], width: u32, height: u32, options: &Options) -> Result<Picture<'a>> {
    check_pixels(width, height, &options.limits)?;
    Picture::new(width, height, payload)
}

/// Checks a claimed size against the limits; gives the number of pixels.
fn check_pixels(width: u32, height: u32, limits: &Limits) -> Result<u64> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > limits.pixels {
        let message = format!("{width} × {height} pixels are over the limit of {} (pixels)", limits.pixels);
        return Err(Error::new(&codes::PIXELS, message).section("payload"));
    }
    Ok(pixels)
}

/// Refuses what there is no memory for, which would end the process once it is used.
fn ask_for(bytes: u64) -> Result<()> {
    /// What every machine has.
    const DOUBTFUL: u64 = 1 << 28;
    let asked = || black_box(&mut Vec::<u8>::new()).try_reserve_exact(usize::try_from(bytes).unwrap_or(usize::MAX));
    if bytes > DOUBTFUL
        && let Err(e) = asked()
    {
        let message = format!("decoding takes {bytes} bytes, for which there is no memory");
        return Err(Error::caused(&codes::PIXELS, message, e).section("payload"));
    }
    Ok(())
}

/// Makes room for a picture and gives its bytes. The buffer only grows, so a warm decoder does not clear it.
#[cfg(any(feature = "jpeg", feature = "bmp"))]
fn room(buffer: &mut Vec<u8>, width: u32, height: u32, limits: &Limits) -> Result<usize> {
    let bytes = check_pixels(width, height, limits)?.saturating_mul(3);
    let bytes = usize::try_from(bytes)
        .map_err(|_| Error::new(&codes::PIXELS, format!("{bytes} bytes do not fit this machine")).section("payload"))?;
    make_room(buffer, bytes);
    Ok(bytes)
}

/// New memory is zero without being written, so it costs nothing before a decoder writes into it.
fn make_room(buffer: &mut Vec<u8>, bytes: usize) {
    if buffer.len() < bytes {
        *buffer = Vec::new();
        *buffer = vec![0; bytes];
    }
}

#[cfg(any(feature = "png", feature = "webp", feature = "tiff"))]
fn damaged(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    let message = error.to_string();
    Error::caused(&codes::DAMAGED, message.trim_end(), error).section("payload")
}
