//! Changes of color on the canvas: 8-bit RGB, all of it, at the size of the output.

use super::{Erase, Jitter, Recipe, fit::turned};
use crate::random::{Draws, Stream};

/// Does what the recipe says, by the draws of one sample. What is drawn is meant for a picture that is not mirrored yet;
/// `mirrored` says which ways it was already.
pub(super) fn change(
    recipe: &Recipe,
    canvas: &mut [u8],
    scratch: &mut Vec<u8>,
    mirrored: (bool, bool),
    sample_key: u64,
) {
    let mut draw = Stream::Color.draws(sample_key);
    if let Some(amounts) = recipe.jitter {
        jitter(canvas, &amounts, &mut draw);
    }
    // Drawn whether or not it is used, so that one chance does not move what is drawn after it.
    if draw.chance(recipe.grayscale) {
        pixels(canvas).for_each(|p| *p = [luma(p); 3]);
    }
    if let Some(b) = recipe.blur {
        let (yes, sigma) = (draw.chance(b.probability), draw.between(b.sigma.0, b.sigma.1));
        if yes {
            blur(canvas, recipe.width as usize, sigma, scratch);
        }
    }
    if let Some(e) = recipe.erase {
        erase(canvas, (recipe.width, recipe.height), mirrored, &e, &mut Stream::Erase.draws(sample_key));
    }
}

fn pixels(canvas: &mut [u8]) -> impl Iterator<Item = &mut [u8; 3]> {
    canvas.as_chunks_mut::<3>().0.iter_mut()
}

/// Gray by the weights of ITU-R 601, rounded as Pillow does.
fn luma(p: &[u8; 3]) -> u8 {
    ((u32::from(p[0]) * 19_595 + u32::from(p[1]) * 38_470 + u32::from(p[2]) * 7_471 + 0x8000) >> 16) as u8
}

/// `from + (value - from) × amount`, kept within a byte: for an amount of 0 all `from`, of 1 unchanged.
fn blend(from: u8, value: u8, amount: f32) -> u8 {
    let (from, value) = (f32::from(from), f32::from(value));
    (from + (value - from) * amount).clamp(0.0, 255.0) as u8
}

fn jitter(canvas: &mut [u8], amounts: &Jitter, draw: &mut Draws) {
    let mut order = [0, 1, 2, 3];
    for i in (1..4_usize).rev() {
        order.swap(i, draw.below(i as u32 + 1) as usize);
    }
    let around = |amount: f64, draw: &mut Draws| draw.between((1.0 - amount).max(0.0), 1.0 + amount) as f32;
    let brightness = around(amounts.brightness, draw);
    let contrast = around(amounts.contrast, draw);
    let saturation = around(amounts.saturation, draw);
    let hue = draw.between(-amounts.hue, amounts.hue) as f32;
    for step in order {
        match step {
            0 if amounts.brightness > 0.0 => canvas.iter_mut().for_each(|v| *v = blend(0, *v, brightness)),
            1 if amounts.contrast > 0.0 => {
                let sum: u64 = pixels(canvas).map(|p| u64::from(luma(p))).sum();
                let count = (canvas.len() as u64 / 3).max(1);
                let mean = ((sum + count / 2) / count) as u8;
                canvas.iter_mut().for_each(|v| *v = blend(mean, *v, contrast));
            }
            2 if amounts.saturation > 0.0 => pixels(canvas).for_each(|p| {
                let gray = luma(p);
                p.iter_mut().for_each(|v| *v = blend(gray, *v, saturation));
            }),
            3 if amounts.hue > 0.0 => pixels(canvas).for_each(|p| *p = turn_hue(*p, hue)),
            _ => {}
        }
    }
}

/// Turns the hue by a share of the circle, keeping the largest and the smallest channel.
fn turn_hue(p: [u8; 3], by: f32) -> [u8; 3] {
    let [r, g, b] = p.map(f32::from);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = most - least;
    if range == 0.0 {
        return p;
    }
    let sixth = if most == r {
        (g - b) / range
    } else if most == g {
        2.0 + (b - r) / range
    } else {
        4.0 + (r - g) / range
    };
    let hue = (sixth / 6.0 + by).rem_euclid(1.0) * 6.0;
    // Each channel is a trapezium over the circle: at its most for two sixths, at its least for two.
    [5.0, 3.0, 1.0].map(|n| {
        let k = (n + hue).rem_euclid(6.0);
        let down = k.min(4.0 - k).clamp(0.0, 1.0);
        (most - range * down).round().clamp(0.0, 255.0) as u8
    })
}

/// Blurs along the lines, then down the columns; edges repeat their last pixel's neighbors, mirrored.
fn blur(canvas: &mut [u8], width: usize, sigma: f64, scratch: &mut Vec<u8>) {
    // Three deviations hold all but a 300th; a kernel longer than the picture would only repeat it.
    let radius = ((sigma * 3.0).ceil() as usize).clamp(1, 64);
    let mut kernel = [0.0_f32; 65];
    for (i, weight) in kernel.iter_mut().enumerate().take(radius + 1) {
        *weight = (-(i as f64).powi(2) / (2.0 * sigma * sigma)).exp() as f32;
    }
    let total = kernel[0] + 2.0 * kernel[1..=radius].iter().sum::<f32>();
    kernel.iter_mut().for_each(|w| *w /= total);
    scratch.resize(canvas.len(), 0);
    let height = canvas.len() / (width * 3);
    along(canvas, scratch, (width, height), (3, width * 3), &kernel[..=radius]);
    along(scratch, canvas, (height, width), (width * 3, 3), &kernel[..=radius]);
}

/// One pass: `count` lines of `n` pixels, pixels `step` and lines `stride` bytes apart.
fn along(from: &[u8], to: &mut [u8], (n, count): (usize, usize), (step, stride): (usize, usize), kernel: &[f32]) {
    let mirrored = |i: isize| {
        let period = (2 * n as isize - 2).max(1);
        let i = i.rem_euclid(period);
        (if i < n as isize { i } else { period - i }).min(n as isize - 1) as usize
    };
    for line in 0..count {
        for i in 0..n {
            for c in 0..3 {
                let at = |j: isize| f32::from(from[line * stride + mirrored(j) * step + c]);
                let here = i as isize;
                let sum: f32 =
                    (1..kernel.len() as isize).map(|k| kernel[k as usize] * (at(here - k) + at(here + k))).sum::<f32>()
                        + kernel[0] * at(here);
                to[line * stride + i * step + c] = sum.round().clamp(0.0, 255.0) as u8;
            }
        }
    }
}

fn erase(canvas: &mut [u8], (width, height): (u32, u32), mirrored: (bool, bool), e: &Erase, draw: &mut Draws) {
    if !draw.chance(e.probability) {
        return;
    }
    let (w, h) = (f64::from(width), f64::from(height));
    for _ in 0..10 {
        let area = w * h * draw.between(e.scale.0, e.scale.1);
        let aspect = draw.between(e.ratio.0.ln(), e.ratio.1.ln()).exp();
        let (cut_w, cut_h) = ((area * aspect).sqrt().round(), (area / aspect).sqrt().round());
        if cut_w >= 1.0 && cut_h >= 1.0 && cut_w < w && cut_h < h {
            let y = turned(draw.below((h - cut_h) as u32 + 1), cut_h as u32, height, mirrored.1) as usize;
            let x = turned(draw.below((w - cut_w) as u32 + 1), cut_w as u32, width, mirrored.0) as usize;
            for line in canvas.chunks_exact_mut(width as usize * 3).skip(y).take(cut_h as usize) {
                pixels(line).skip(x).take(cut_w as usize).for_each(|p| *p = e.color);
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hues_turn_and_grays_stay() {
        assert_eq!(turn_hue([255, 0, 0], 1.0 / 3.0), [0, 255, 0]);
        assert_eq!(turn_hue([255, 0, 0], -1.0 / 3.0), [0, 0, 255]);
        assert_eq!(turn_hue([200, 100, 50], 0.5), [50, 150, 200]);
        assert_eq!(turn_hue([9, 9, 9], 0.3), [9, 9, 9]);
        for p in [[1, 2, 3], [250, 3, 77], [0, 255, 254]] {
            assert_eq!(turn_hue(p, 0.0), p);
            assert_eq!(turn_hue(p, 1.0), p);
        }
    }

    #[test]
    fn a_blur_keeps_flat_colors_and_the_mean() {
        let mut scratch = Vec::new();
        let mut flat = [40_u8, 90, 200].repeat(20 * 9);
        blur(&mut flat, 20, 2.5, &mut scratch);
        assert_eq!(flat, [40_u8, 90, 200].repeat(20 * 9));
        let mut dot = vec![0_u8; 21 * 21 * 3];
        dot[(10 * 21 + 10) * 3] = 255;
        blur(&mut dot, 21, 1.0, &mut scratch);
        assert_eq!(dot[(10 * 21 + 10) * 3], 41); // 255 / (2π)
        assert_eq!(dot[(10 * 21 + 9) * 3], dot[(11 * 21 + 10) * 3]);
        let mut tiny = vec![7_u8; 3];
        blur(&mut tiny, 1, 20.0, &mut scratch);
        assert_eq!(tiny, [7, 7, 7]);
    }

    #[test]
    fn blending_reaches_both_ends() {
        assert_eq!((blend(10, 200, 0.0), blend(10, 200, 1.0), blend(10, 200, 2.0)), (10, 200, 255));
        assert_eq!(luma(&[255, 255, 255]), 255);
    }
}
