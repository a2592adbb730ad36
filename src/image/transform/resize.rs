//! Resizing a part of a picture.
//!
//! As Pillow does it: lines first, to whole levels, then columns, in whole numbers throughout; so every processor, and
//! WebAssembly, has the same pixels, and nearly always Pillow's. Lines are made narrower when the first column needs them
//! and kept until the last one has: what is worked on stays near, and lines outside are never looked at. Mirroring is
//! a matter of which weights come first, so it costs nothing. Nothing is allocated once the buffers have their sizes.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x16};

use super::{
    Rect, Resampling,
    across::{self, LINES},
    down,
    tensor::Normalizer,
    weights::{Filter, Recent, Span},
};
use crate::{
    error::{Error, Result},
    image::{Picture, codes, lanes},
};

/// The buffers of a resizer.
#[derive(Debug)]
pub(super) struct Resizing {
    level: Level,
    across: Recent,
    down: Recent,
    /// Lines that were resized across, in planes, in turns.
    lines: Vec<u8>,
    /// The picture's last lines, with room behind them.
    tail: [Vec<u8>; LINES],
    /// Sums of columns that are added up in several goes.
    sums: Vec<i32>,
}

/// Where pixels go.
pub(super) enum Target<'a> {
    /// Side by side.
    Pixels(&'a mut [u8]),
    /// Normalized, each channel by itself.
    Planes(&'a mut [f32], &'a Normalizer),
}

/// What is wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) resampling: Resampling,
    /// Left to right, top to bottom.
    pub(super) mirrored: (bool, bool),
}

impl Default for Resizing {
    fn default() -> Self {
        Resizing {
            level: Level::new(),
            across: Recent::default(),
            down: Recent::default(),
            lines: Vec::new(),
            tail: Default::default(),
            sums: Vec::new(),
        }
    }
}

impl Resizing {
    /// Resizes a part of a picture to what the target holds.
    pub(super) fn resize(
        &mut self,
        picture: &Picture<'_>,
        source: &Rect,
        wanted: &Wanted,
        target: Target<'_>,
    ) -> Result<()> {
        let (width, height) = (wanted.width as usize, wanted.height as usize);
        let room = match &target {
            Target::Pixels(out) => out.len(),
            Target::Planes(out, _) => out.len(),
        };
        if picture.pixels.len() < picture.width as usize * 3 * picture.height as usize || room < width * height * 3 {
            return Err(Error::new(&codes::RECIPE, "the image or the target is smaller than it says"));
        }
        // Whether sums leave the range of a byte.
        let (filter, overshoots) = match wanted.resampling {
            Resampling::Nearest | Resampling::Bilinear => (Filter::Bilinear, false),
            Resampling::BilinearPlain => (Filter::BilinearPlain, false),
            Resampling::Bicubic => (Filter::Bicubic, true),
            Resampling::Lanczos => (Filter::Lanczos, true),
        };
        self.across.take(Span {
            size: picture.width,
            from: source.x,
            length: source.width,
            out: wanted.width,
            filter,
            mirrored: wanted.mirrored.0,
            multiple: across::ABREAST,
        });
        self.down.take(Span {
            size: picture.height,
            from: source.y,
            length: source.height,
            out: wanted.height,
            filter,
            mirrored: false,
            multiple: 1,
        });
        let level = self.level;
        dispatch!(level, simd => simd.vectorize(
            #[inline(always)]
            || self.run(simd, picture, wanted, overshoots, target)
        ));
        Ok(())
    }

    #[inline(always)]
    fn run<S: Simd>(
        &mut self,
        simd: S,
        picture: &Picture<'_>,
        wanted: &Wanted,
        overshoots: bool,
        mut target: Target<'_>,
    ) {
        let (across, down) = (self.across.current(), self.down.current());
        let (columns, rows) = (across.reach(), down.reach());
        let (width, height) = (wanted.width as usize, wanted.height as usize);
        let long = 3 * across.first.len();
        // Room for the lines of one column's sum, and as many more as are made at a time.
        let ring = (down.pairs * 2 + LINES - 1).next_multiple_of(LINES);
        grow(&mut self.lines, ring * long);
        grow(&mut self.sums, long);
        let mut made = rows.start;
        for y in 0..height {
            let (first, weights) = down.of(y);
            // Lines that no column needs are not made.
            made = made.max(rows.start + (first - rows.start) / LINES * LINES);
            while made < (first + down.taps).min(rows.end) {
                let sources = sources(picture, &columns, made..rows.end, &mut self.tail);
                let at = (made - rows.start) % ring * long;
                let to = self.lines.get_mut(at..at + LINES * long).unwrap_or_default();
                across::lines(simd, sources, across, columns.start, overshoots, to);
                made += LINES;
            }
            let line = |k: usize| {
                let row = (first + k).min(rows.end - 1) - rows.start;
                self.lines.get(row % ring * long..).and_then(|rest| rest.get(..long)).unwrap_or_default()
            };
            let row = if wanted.mirrored.1 { height - 1 - y } else { y };
            let summing = down::Summing { weights, bits: down.bits, overshoots };
            let mut line_of = match &mut target {
                Target::Pixels(out) => {
                    Line::Pixels(out.get_mut(row * width * 3..(row + 1) * width * 3).unwrap_or_default())
                }
                Target::Planes(out, normalizer) => {
                    let mut planes = out.chunks_exact_mut(width * height);
                    let mut plane = || {
                        let plane = planes.next().unwrap_or_default();
                        plane.get_mut(row * width..(row + 1) * width).unwrap_or_default()
                    };
                    Line::Planes([plane(), plane(), plane()], normalizer)
                }
            };
            summing.run(
                simd,
                line,
                &mut self.sums,
                #[inline(always)]
                |x, sums| line_of.put(simd, x, sums),
            );
        }
    }
}

/// A line of the target.
enum Line<'a> {
    Pixels(&'a mut [u8]),
    Planes([&'a mut [f32]; 3], &'a Normalizer),
}

impl Line<'_> {
    /// Takes sixteen pixels from pixel `x` on, or as many as there is room for.
    #[inline(always)]
    fn put<S: Simd>(&mut self, simd: S, x: usize, sums: [down::Sixteen<S>; 3]) {
        match self {
            Line::Pixels(out) => pixels(simd, out, x, sums),
            Line::Planes([r, g, b], normalizer) => {
                normalizer.put(simd, 0, sums[0], r.get_mut(x..).unwrap_or_default());
                normalizer.put(simd, 1, sums[1], g.get_mut(x..).unwrap_or_default());
                normalizer.put(simd, 2, sums[2], b.get_mut(x..).unwrap_or_default());
            }
        }
    }
}

/// Sixteen pixels from pixel `x` on, or as many as there is room for.
#[inline(always)]
fn pixels<S: Simd>(simd: S, out: &mut [u8], x: usize, sums: [down::Sixteen<S>; 3]) {
    let planes = [down::bytes(sums[0]), down::bytes(sums[1]), down::bytes(sums[2])];
    let order = u8x16::from_slice(simd, &lanes::ORDER);
    let rest = out.get_mut(x * 3..).unwrap_or_default();
    if let Some(to) = rest.first_chunk_mut::<{ lanes::INTERLEAVED }>() {
        lanes::interleave(planes, order, to);
    } else {
        let mut last = [0; lanes::INTERLEAVED];
        lanes::interleave(planes, order, &mut last);
        let count = rest.len().min(48);
        rest[..count].copy_from_slice(&last[..count]);
    }
}

/// The next lines of the picture, from the first column on, each with room behind it; the last one again where there
/// are no more.
#[inline(always)]
fn sources<'a>(
    picture: &Picture<'a>,
    columns: &std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
    tail: &'a mut [Vec<u8>; LINES],
) -> [&'a [u8]; LINES] {
    let stride = picture.width as usize * 3;
    let count = columns.len() * 3;
    let mut lines: [&[u8]; LINES] = [&[]; LINES];
    for (i, (line, tail)) in lines.iter_mut().zip(tail).enumerate() {
        let at = (rows.start + i).min(rows.end - 1) * stride + columns.start * 3;
        *line = match picture.pixels.get(at..at + count + across::BEHIND) {
            Some(line) => line,
            None => {
                tail.clear();
                tail.extend_from_slice(picture.pixels.get(at..at + count).unwrap_or_default());
                tail.resize(count + across::BEHIND, 0);
                tail
            }
        };
    }
    lines
}

fn grow<T: Clone + Default>(buffer: &mut Vec<T>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
}

/// Each pixel is the one that lies under its middle.
pub(super) fn nearest(picture: &Picture<'_>, source: &Rect, (target, w, h): (&mut [u8], u32, u32)) {
    let under = |from: f64, span: f64, i: usize, n: u32, size: u32| {
        let at = from + span / f64::from(n) * (i as f64 + 0.5);
        (at.max(0.0) as usize).min(size.saturating_sub(1) as usize)
    };
    for (y, line) in target.chunks_exact_mut(w as usize * 3).take(h as usize).enumerate() {
        let row = under(source.y, source.height, y, h, picture.height) * picture.width as usize;
        for (x, to) in line.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let at = (row + under(source.x, source.width, x, w, picture.width)) * 3;
            if let Some(from) = picture.pixels.get(at..at + 3) {
                to.copy_from_slice(from);
            }
        }
    }
}
