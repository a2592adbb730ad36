//! Pixels as a PNG that nothing compresses: every reader of pictures takes it, and it costs little more than a copy.

use bytes::Bytes;

use crate::{
    codec::checksum::Crc32,
    error::{Error, Result},
    image::codes,
    limits::Limits,
};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The most bytes of a block of deflate that is stored.
const BLOCK: usize = 0xffff;

/// Pixels, line after line, the channels of each beside each other; 16-bit ones with the high byte first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// 1 for gray, 2 with opacity, 3 for colors, 4 with opacity.
    pub channels: u8,
    /// Bits of a channel: 8 or 16.
    pub bits: u8,
    /// The bytes.
    pub data: Bytes,
}

/// The PNG of these pixels.
pub(super) fn written(pixels: &Pixels, limits: &Limits) -> Result<Bytes> {
    let Pixels { width, height, channels, bits, data } = pixels;
    let wrong = |message: String| Error::new(&codes::RAW_SIZE, message);
    let color = match channels {
        1 => 0,
        2 => 4,
        3 => 2,
        4 => 6,
        other => return Err(wrong(format!("pixels of {other} channels are no image"))),
    };
    let line = u64::from(*width) * u64::from(*channels) * u64::from(bits / 8);
    let size = line.checked_mul(u64::from(*height)).filter(|&size| size > 0 && size == data.len() as u64);
    let Some(size) = size else {
        return Err(wrong(format!(
            "an image of {width} x {height} pixels and {channels} channels of {bits} bits does not have {} bytes",
            data.len()
        )));
    };
    let all = limits.item(size.saturating_add(u64::from(*height)))?;
    let mut out = Vec::with_capacity(all + all / BLOCK * 5 + 100);
    out.extend_from_slice(SIGNATURE);
    let mut head = [0; 13];
    head[..4].copy_from_slice(&width.to_be_bytes());
    head[4..8].copy_from_slice(&height.to_be_bytes());
    (head[8], head[9]) = (*bits, color);
    chunk(&mut out, b"IHDR", |out| out.extend_from_slice(&head));
    let mut lines = Vec::with_capacity(all);
    // A line has a first byte of zero: no filter.
    for line in data.chunks(usize::try_from(line).unwrap_or(usize::MAX)) {
        lines.push(0);
        lines.extend_from_slice(line);
    }
    chunk(&mut out, b"IDAT", |out| stored(out, &lines));
    chunk(&mut out, b"IEND", |_| {});
    Ok(out.into())
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(kind);
    body(out);
    // A limit far below 4 GiB was kept.
    let len = u32::try_from(out.len() - at - 8).unwrap_or(u32::MAX);
    out[at..at + 4].copy_from_slice(&len.to_be_bytes());
    let mut crc = Crc32::default();
    crc.update(&out[at + 4..]);
    out.extend_from_slice(&crc.finish().to_be_bytes());
}

/// A stream of zlib whose blocks are stored.
fn stored(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&[0x78, 0x01]);
    let blocks = bytes.chunks(BLOCK);
    let last = blocks.len().saturating_sub(1);
    for (k, block) in blocks.enumerate() {
        let len = block.len() as u16;
        out.push(u8::from(k == last));
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&(!len).to_le_bytes());
        out.extend_from_slice(block);
    }
    out.extend_from_slice(&adler(bytes).to_be_bytes());
}

fn adler(bytes: &[u8]) -> u32 {
    /// The most bytes whose sums fit 32 bits.
    const RUN: usize = 5552;
    let (mut a, mut b) = (1_u32, 0_u32);
    for run in bytes.chunks(RUN) {
        for &byte in run {
            a += u32::from(byte);
            b += a;
        }
        (a, b) = (a % 65_521, b % 65_521);
    }
    b << 16 | a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{image::probe, sample::MediaFormat};

    #[test]
    fn a_png_says_its_size_and_sums() {
        assert_eq!(adler(b"Wikipedia"), 0x11e6_0398);
        let data = Bytes::from(vec![7; 300 * 200 * 3]);
        let pixels = Pixels { width: 300, height: 200, channels: 3, bits: 8, data };
        let png = written(&pixels, &Limits::default()).unwrap();
        let seen = probe(&png);
        assert_eq!((seen.format, seen.width, seen.height), (MediaFormat::Png, 300, 200));
        for wrong in [
            Pixels { width: 299, ..pixels.clone() },
            Pixels { channels: 5, ..pixels.clone() },
            Pixels { width: u32::MAX, height: u32::MAX, ..pixels.clone() },
        ] {
            assert!(written(&wrong, &Limits::default()).is_err());
        }
        assert_eq!(written(&pixels, &Limits::default().with_item_bytes(1000)).unwrap_err().code().id(), "limit.item");
    }
}
