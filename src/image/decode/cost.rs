//! How much memory decoding a picture takes, from its first bytes: for hosts that decode many at once.

use super::Options;
#[cfg(feature = "jpeg")]
use super::jpeg;
use crate::{image::probe, sample::MediaFormat};

/// About how many bytes a [`Decoder`](super::Decoder) holds while it decodes this payload, its pixels included. Told by
/// the size that the payload claims, the part and the reduced size that are asked for; nothing is decoded. 0 for what
/// is not a picture, which is refused before anything is allocated.
pub fn cost(payload: &[u8], options: &Options) -> u64 {
    let probed = probe(payload);
    let pixels = u64::from(probed.width) * u64::from(probed.height);
    match probed.format {
        #[cfg(feature = "jpeg")]
        MediaFormat::Jpeg => of_jpeg(payload, (probed.width, probed.height), options),
        // What comes out, and four bytes a pixel that the format's decoder holds meanwhile.
        MediaFormat::Png | MediaFormat::WebP | MediaFormat::Tiff => pixels.saturating_mul(7),
        MediaFormat::Bmp => pixels.saturating_mul(if options.orient { 6 } else { 3 }),
        _ => 0,
    }
}

#[cfg(feature = "jpeg")]
fn of_jpeg(payload: &[u8], full: (u32, u32), options: &Options) -> u64 {
    let all = u64::from(full.0) * u64::from(full.1);
    let turned = if options.orient { 2 } else { 1 };
    // The bits without stuffing; then the coefficients, of up to four components, two bytes each.
    let kept =
        payload.len() as u64 + if forebay_base::image::jpeg_in_scans(payload) { all.saturating_mul(8) } else { 0 };
    let eighths = options.least().map_or(8, |least| jpeg::eighths(full, least));
    let side = |full: u32, part: Option<(u32, u32)>| {
        let (from, length) = part.unwrap_or((0, full));
        (u64::from(length.min(full.saturating_sub(from))) * u64::from(eighths)).div_ceil(8)
    };
    let part = options.region;
    let (width, height) = (side(full.0, part.map(|r| (r.x, r.width))), side(full.1, part.map(|r| (r.y, r.height))));
    (width * height).saturating_mul(3 * turned).saturating_add(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::decode::Region;

    /// A JPEG's header: a frame of this kind and three components, then a scan of this many.
    #[cfg(feature = "jpeg")]
    fn jpeg_of(kind: u8, width: u16, height: u16, scanned: u8) -> Vec<u8> {
        let mut bytes = vec![0xff, 0xd8, 0xff, kind, 0, 17, 8];
        bytes.extend(height.to_be_bytes());
        bytes.extend(width.to_be_bytes());
        bytes.extend([3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xda, 0, 6 + 2 * scanned, scanned]);
        bytes
    }

    #[cfg(feature = "jpeg")]
    #[test]
    fn parts_and_reduced_sizes_cost_less_and_several_scans_more() {
        let payload = jpeg_of(0xc0, 4000, 3000, 3);
        let length = payload.len() as u64;
        let whole = Options::default();
        assert_eq!(cost(&payload, &whole), 4000 * 3000 * 3 + length);
        assert_eq!(cost(&payload, &whole.clone().with_at_least(1000, 700)), 1000 * 750 * 3 + length);
        let region = Region { x: 3900, y: 0, width: 500, height: 30 };
        assert_eq!(cost(&payload, &whole.clone().with_region(region)), 100 * 30 * 3 + length);
        for several in [jpeg_of(0xc2, 4000, 3000, 3), jpeg_of(0xc0, 4000, 3000, 1)] {
            assert!(cost(&several, &whole) >= 4000 * 3000 * 9);
        }
    }

    #[test]
    fn claims_are_counted_and_nonsense_costs_nothing() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\0\0\xff\xff\x08\x02\0\0\0";
        assert_eq!(cost(png, &Options::default()), 0, "a size that no file has is not known");
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\0\0\0\x01\0\0\x08\x02\0\0\0";
        assert_eq!(cost(png, &Options::default()), 7 << 32);
        assert_eq!(cost(b"no picture", &Options::default()), 0);
    }
}
