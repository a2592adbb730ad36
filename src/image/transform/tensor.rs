//! Bytes to numbers, and the order in which they stand: one pass over the pixels.

use half::f16;

use super::{Layout, Normalize, Recipe};

/// Where a tensor goes: a batch's slot.
#[derive(Debug)]
pub enum Out<'a> {
    /// The pixels themselves, not normalised.
    U8(&'a mut [u8]),
    /// Half-precision floats.
    F16(&'a mut [f16]),
    /// Floats.
    F32(&'a mut [f32]),
}

impl Out<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Out::U8(out) => out.len(),
            Out::F16(out) => out.len(),
            Out::F32(out) => out.len(),
        }
    }
}

/// What each byte of each channel becomes: exact, and quicker than the arithmetic.
#[derive(Debug)]
pub(super) struct Tables {
    f32: [[f32; 256]; 3],
    f16: [[f16; 256]; 3],
}

impl Tables {
    pub(super) fn new(normalize: Option<&Normalize>) -> Self {
        let n = normalize.copied().unwrap_or(Normalize::UNIT);
        let f32: [[f32; 256]; 3] = std::array::from_fn(|c| {
            // In this order and precision, since that is what torchvision does.
            std::array::from_fn(|v| (v as f32 / 255.0 - n.mean[c]) / n.std[c])
        });
        Tables { f32, f16: f32.map(|channel| channel.map(f16::from_f32)) }
    }
}

/// The pixels to write: lines of `stride` bytes, the first of which begins at `start`.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) data: &'a [u8],
    pub(super) start: usize,
    pub(super) stride: usize,
}

impl View<'_> {
    fn line(&self, y: usize, width: usize) -> &[u8] {
        let at = self.start + y * self.stride;
        self.data.get(at..at + width * 3).unwrap_or_default()
    }
}

/// Writes the pixels, mirrored as wanted. `out` has exactly the values of `size`.
pub(super) fn write(
    view: &View<'_>,
    size: (usize, usize),
    flips: (bool, bool),
    recipe: &Recipe,
    tables: &Tables,
    out: Out<'_>,
) {
    match out {
        Out::U8(out) => lines(view, size, flips, recipe.layout, out, |_, v| v),
        Out::F16(out) => lines(view, size, flips, recipe.layout, out, |c, v| tables.f16[c][usize::from(v)]),
        Out::F32(out) => lines(view, size, flips, recipe.layout, out, |c, v| tables.f32[c][usize::from(v)]),
    }
}

fn lines<T: Copy>(
    view: &View<'_>,
    (width, height): (usize, usize),
    (mirror, flip): (bool, bool),
    layout: Layout,
    out: &mut [T],
    value: impl Fn(usize, u8) -> T + Copy,
) {
    let source = |y: usize| view.line(if flip { height - 1 - y } else { y }, width);
    match layout {
        Layout::Nhwc => {
            for (y, line) in out.chunks_exact_mut(width * 3).enumerate() {
                let pixels = source(y).as_chunks::<3>().0;
                let to = line.as_chunks_mut::<3>().0;
                let put = |(to, from): (&mut [T; 3], &[u8; 3])| *to = std::array::from_fn(|c| value(c, from[c]));
                if mirror {
                    to.iter_mut().zip(pixels.iter().rev()).for_each(put)
                } else {
                    to.iter_mut().zip(pixels).for_each(put)
                }
            }
        }
        Layout::Nchw => {
            let (red, rest) = out.split_at_mut(width * height);
            let (green, blue) = rest.split_at_mut(width * height);
            let planes =
                red.chunks_exact_mut(width).zip(green.chunks_exact_mut(width)).zip(blue.chunks_exact_mut(width));
            for (y, ((r, g), b)) in planes.enumerate() {
                let pixels = source(y).as_chunks::<3>().0;
                let to = r.iter_mut().zip(g).zip(b);
                let put = |(((r, g), b), from): (((&mut T, &mut T), &mut T), &[u8; 3])| {
                    *r = value(0, from[0]);
                    *g = value(1, from[1]);
                    *b = value(2, from[2]);
                };
                if mirror { to.zip(pixels.iter().rev()).for_each(put) } else { to.zip(pixels).for_each(put) }
            }
        }
    }
}
