//! A picture's bytes in a format that users have.

use jpeg_encoder::{ColorType, SamplingFactor};

use crate::picture::Canvas;

/// How to write one picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JPEG.
    Jpeg {
        /// 1 to 100.
        quality: u8,
        /// In several passes, coarse to fine.
        progressive: bool,
        /// Without color.
        gray: bool,
    },
    /// PNG.
    Png,
    /// Lossless WebP.
    WebP,
    /// Windows bitmap, 24 bits.
    Bmp,
}

impl Format {
    /// The extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Jpeg { .. } => "jpg",
            Format::Png => "png",
            Format::WebP => "webp",
            Format::Bmp => "bmp",
        }
    }
}

/// Encodes; the same bytes for the same pixels. An error says what the encoder refused.
pub fn encode(canvas: &Canvas, format: Format) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let rgb = canvas.to_rgb8();
    let (width, height) = (canvas.width as u32, canvas.height as u32);
    let mut out = Vec::new();
    match format {
        Format::Jpeg { quality, progressive, gray } => {
            let mut encoder = jpeg_encoder::Encoder::new(&mut out, quality);
            encoder.set_sampling_factor(SamplingFactor::F_2_2);
            encoder.set_progressive(progressive);
            let (width, height) = (u16::try_from(width)?, u16::try_from(height)?);
            if gray {
                encoder.encode(&luma(&rgb), width, height, ColorType::Luma)?;
            } else {
                encoder.encode(&rgb, width, height, ColorType::Rgb)?;
            }
        }
        Format::Png => {
            let mut encoder = png::Encoder::new(&mut out, width, height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_compression(png::Compression::Fast);
            encoder.write_header()?.write_image_data(&rgb)?;
        }
        Format::WebP => {
            image_webp::WebPEncoder::new(&mut out).encode(&rgb, width, height, image_webp::ColorType::Rgb8)?;
        }
        Format::Bmp => bmp(&rgb, width, height, &mut out),
    }
    Ok(out)
}

fn luma(rgb: &[u8]) -> Vec<u8> {
    let weigh = |[r, g, b]: [u8; 3]| ((u32::from(r) * 77 + u32::from(g) * 150 + u32::from(b) * 29) >> 8) as u8;
    rgb.as_chunks().0.iter().copied().map(weigh).collect()
}

fn bmp(rgb: &[u8], width: u32, height: u32, out: &mut Vec<u8>) {
    let row = width as usize * 3;
    let padding = row.next_multiple_of(4) - row;
    let size = (row + padding) as u32 * height;
    out.extend(b"BM");
    for field in [54 + size, 0, 54, 40, width, height, 24 << 16 | 1, 0, size, 2835, 2835, 0, 0] {
        out.extend(field.to_le_bytes());
    }
    // Rows run from the bottom up, colors from blue to red.
    for line in rgb.chunks_exact(row).rev() {
        line.as_chunks::<3>().0.iter().for_each(|[r, g, b]| out.extend([b, g, r]));
        out.extend(std::iter::repeat_n(0, padding));
    }
}
