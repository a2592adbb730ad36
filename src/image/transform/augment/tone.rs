//! Changes of levels, by torchvision's arithmetic: 32-bit floats, cut off to whole levels.

use super::Canvas;

/// A level for each level.
fn table(level: impl Fn(f32) -> f32) -> [u8; 256] {
    // A cast keeps numbers within a byte.
    std::array::from_fn(|k| level(k as f32) as u8)
}

fn by_table(pixels: &mut [u8], table: &[u8; 256]) {
    pixels.iter_mut().for_each(|level| *level = table[usize::from(*level)]);
}

fn by_tables(pixels: &mut [u8], tables: &[[u8; 256]; 3]) {
    let [red, green, blue] = tables;
    for [r, g, b] in pixels.as_chunks_mut::<3>().0 {
        (*r, *g, *b) = (red[usize::from(*r)], green[usize::from(*g)], blue[usize::from(*b)]);
    }
}

/// Gray by torchvision's weights, cut off.
fn gray(&[r, g, b]: &[u8; 3]) -> u32 {
    // A conversion cuts off; a function that rounds is a call where the processor is not known to have it.
    (f32::from(r) * 0.2989 + f32::from(g) * 0.587 + f32::from(b) * 0.114) as u32
}

pub(super) fn brightness(pixels: &mut [u8], factor: f64) {
    by_table(pixels, &table(|level| level * factor as f32));
}

pub(super) fn contrast(pixels: &mut [u8], factor: f64) {
    let (all, count) = (pixels.as_chunks::<3>().0, (pixels.len() / 3).max(1));
    // Whole numbers: exact, however many there are.
    let sum: u64 = all.iter().map(|pixel| u64::from(gray(pixel))).sum();
    let (mean, factor, rest) = ((sum as f64 / count as f64) as f32, factor as f32, (1.0 - factor) as f32);
    by_table(pixels, &table(|level| level * factor + mean * rest));
}

pub(super) fn saturation(pixels: &mut [u8], factor: f64) {
    let (factor, rest) = (factor as f32, (1.0 - factor) as f32);
    // What each product can be: looked up instead of calculated for every pixel.
    let by = |factor: f32| -> [f32; 256] { std::array::from_fn(|level| level as f32 * factor) };
    let (red, green, blue, own, gray) = (by(0.2989), by(0.587), by(0.114), by(factor), by(rest));
    for pixel in pixels.as_chunks_mut::<3>().0 {
        let [r, g, b] = pixel.map(usize::from);
        let gray = gray[usize::from((red[r] + green[g] + blue[b]) as u8)];
        *pixel = [r, g, b].map(|level| (own[level] + gray) as u8);
    }
}

pub(super) fn posterize(pixels: &mut [u8], bits: u32) {
    let mask = (0xff00_u32 >> bits.min(8)) as u8;
    pixels.iter_mut().for_each(|level| *level &= mask);
}

pub(super) fn solarize(pixels: &mut [u8], threshold: f64) {
    // Compared as 32-bit floats: 255 × a strength in 64 bits lies a little above the level that is meant.
    let threshold = (threshold as f32).ceil() as u8;
    pixels.iter_mut().for_each(|level| *level = if *level >= threshold { !*level } else { *level });
}

pub(super) fn invert(pixels: &mut [u8]) {
    pixels.iter_mut().for_each(|level| *level = !*level);
}

pub(super) fn autocontrast(pixels: &mut [u8]) {
    let mut ranges = [(u8::MAX, u8::MIN); 3];
    for pixel in pixels.as_chunks::<3>().0 {
        for ((least, most), level) in ranges.iter_mut().zip(pixel) {
            (*least, *most) = ((*least).min(*level), (*most).max(*level));
        }
    }
    let tables = ranges.map(|(least, most)| {
        // A channel of one level stays as it is.
        let (least, scale) = match most > least {
            true => (f32::from(least), f32::from(most - least) * (1.0 / 255.0_f64) as f32),
            false => (0.0, 1.0),
        };
        table(|level| (level - least) / scale)
    });
    by_tables(pixels, &tables);
}

pub(super) fn equalize(pixels: &mut [u8]) {
    let mut counts = [[0_u32; 256]; 3];
    for pixel in pixels.as_chunks::<3>().0 {
        for (counts, level) in counts.iter_mut().zip(pixel) {
            counts[usize::from(*level)] += 1;
        }
    }
    let tables = counts.map(|counts| {
        let lightest = counts.iter().rposition(|&count| count > 0).unwrap_or(0);
        let step = counts.iter().take(lightest).sum::<u32>() / 255;
        let mut below = step / 2;
        std::array::from_fn(|level| {
            if step == 0 {
                return level as u8;
            }
            let to = (below / step).min(255) as u8;
            below += counts[level];
            to
        })
    });
    by_tables(pixels, &tables);
}

pub(super) fn sharpness(canvas: &mut Canvas<'_>, factor: f64) {
    let (width, height) = (canvas.size.0 as usize, canvas.size.1 as usize);
    let long = width * 3;
    // The outermost pixels have no neighbors all around and stay.
    if width < 3 || height < 3 {
        return;
    }
    canvas.scratch.clear();
    canvas.scratch.extend_from_slice(canvas.pixels);
    let rest = (1.0 - factor) as f32;
    for (lines, to) in canvas.scratch.windows(3 * long).step_by(long).zip(canvas.pixels.chunks_exact_mut(long).skip(1))
    {
        let (above, others) = lines.split_at(long);
        let (own, beneath) = others.split_at(long);
        // Three levels of one channel next to each other.
        let three = |line: &[u8], i: usize| u32::from(line[i]) + u32::from(line[i + 3]) + u32::from(line[i + 6]);
        for (i, to) in to[3..long - 3].iter_mut().enumerate() {
            let level = u32::from(own[i + 3]);
            let sum = three(above, i) + three(own, i) + three(beneath, i) + 4 * level;
            // Rounded; a 13th never lies in the middle.
            let blurred = (2 * sum + 13) / 26;
            *to = (level as f32 + (blurred as f32 - level as f32) * rest) as u8;
        }
    }
}
