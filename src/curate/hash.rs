//! A perceptual hash: which of the 63 lowest waves of a picture are stronger than the middle one.

use super::gray::Gray;

/// Pixels of a side that are looked at.
const SIDE: usize = 32;
/// Waves along a side that count.
const WAVES: usize = 8;
/// 4096 × cos(k × π / 64), rounded, for k from 0 to 32.
const COSINES: [i32; 33] = [
    4096, 4091, 4076, 4052, 4017, 3973, 3920, 3857, 3784, 3703, 3612, 3513, 3406, 3290, 3166, 3035, 2896, 2751, 2598,
    2440, 2276, 2106, 1931, 1751, 1567, 1380, 1189, 995, 799, 601, 401, 201, 0,
];
/// Without a wave this strong there is nothing to tell a picture by: about one level of 255.
const FAINT: i64 = 1 << 32;

/// 4096 × cos(k × π / 64), for every k.
fn cosine(k: usize) -> i64 {
    let k = k % 128;
    let k = if k > 64 { 128 - k } else { k };
    let of = |k: usize| i64::from(COSINES.get(k).copied().unwrap_or_default());
    if k > 32 { -of(64 - k) } else { of(k) }
}

/// The hash of a gray picture; none of one in which nothing is to be seen. Bit `8 v + u` is set if the wave that goes `u`
/// half turns across and `v` down is stronger than the median of all but the first, whose bit 0 stays clear.
pub(super) fn hash(gray: &Gray) -> Option<u64> {
    let small = gray.resized(SIDE as u32, SIDE as u32);
    let mut waves = [[0_i64; WAVES]; WAVES];
    for (y, line) in small.pixels.chunks_exact(SIDE).enumerate() {
        let mut across = [0_i64; WAVES];
        for (x, level) in line.iter().enumerate() {
            for (u, sum) in across.iter_mut().enumerate() {
                *sum += i64::from(*level) * cosine((2 * x + 1) * u);
            }
        }
        for (v, row) in waves.iter_mut().enumerate() {
            let down = cosine((2 * y + 1) * v);
            row.iter_mut().zip(across).for_each(|(sum, wave)| *sum += down * wave);
        }
    }
    let waves: Vec<i64> = waves.into_iter().flatten().collect();
    let mut sorted = waves.get(1..)?.to_vec();
    sorted.sort_unstable();
    if sorted.first()?.abs().max(sorted.last()?.abs()) < FAINT {
        return None;
    }
    let middle = *sorted.get(sorted.len() / 2)?;
    let bits = waves.iter().enumerate().skip(1).filter(|(_, wave)| **wave > middle);
    Some(bits.fold(0, |hash, (at, _)| hash | 1 << at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_cosine() {
        for k in 0..1000 {
            let exact = 4096.0 * (k as f64 * std::f64::consts::PI / 64.0).cos();
            assert_eq!(cosine(k), exact.round() as i64, "{k}");
        }
    }

    fn scene(width: u32, height: u32, level: impl Fn(f64, f64) -> f64) -> Gray {
        let at = |i: u32| {
            level(f64::from(i % width) / f64::from(width), f64::from(i / width) / f64::from(height)).clamp(0.0, 255.0)
        };
        Gray { width, height, pixels: (0..width * height).map(|i| at(i) as u8).collect() }
    }

    #[test]
    fn other_sizes_and_lights_stay_near_and_other_scenes_are_far() {
        let hill = |x: f64, y: f64| 120.0 + 60.0 * (9.0 * x + 3.0 * y * y).sin() + 40.0 * (7.0 * y - 2.0 * x * y).cos();
        let other = |x: f64, y: f64| 120.0 + 70.0 * (5.0 * x * x - 8.0 * y).sin() + 30.0 * (11.0 * x + y).cos();
        let first = hash(&scene(256, 192, hill)).unwrap();
        let apart = |gray: &Gray| (hash(gray).unwrap() ^ first).count_ones();
        assert!(apart(&scene(120, 90, hill)) <= 4);
        assert!(apart(&scene(256, 192, |x, y| 0.8 * hill(x, y) + 20.0)) <= 4);
        assert!(apart(&scene(256, 192, other)) > 15);
        assert_eq!(first & 1, 0);
    }

    #[test]
    fn nothing_to_see_has_no_hash() {
        assert_eq!(hash(&scene(50, 50, |_, _| 130.0)), None);
        assert!(hash(&scene(50, 50, |x, _| 255.0 * x)).is_some());
    }
}
