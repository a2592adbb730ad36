//! Numbers that look random and are the same everywhere: a generator for choices, and smooth noise for surfaces.

use std::sync::LazyLock;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every pair of numbers.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.word();
        random
    }
    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 40) as f32 / (1u64 << 24) as f32
    }
    /// From `low` to `high`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }
    /// Less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n.max(1) as u64) as usize
    }
    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// One of a list.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const SIDE: usize = 256;
static LATTICE: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let mut random = Random::new(7, 7);
    (0..SIDE * SIDE).map(|_| random.unit()).collect()
});

/// Smooth noise over the plane, from 0 to 1, with one hill or hollow per unit.
pub fn noise(x: f32, y: f32) -> f32 {
    let (fx, fy) = (x.floor(), y.floor());
    let (tx, ty) = (x - fx, y - fy);
    let (sx, sy) = (tx * tx * (3.0 - 2.0 * tx), ty * ty * (3.0 - 2.0 * ty));
    let (x0, y0) = ((fx as i64 as usize) & (SIDE - 1), (fy as i64 as usize) & (SIDE - 1));
    let (x1, y1) = ((x0 + 1) & (SIDE - 1), (y0 + 1) & (SIDE - 1));
    let lattice = &*LATTICE;
    let (a, b) = (lattice[y0 * SIDE + x0], lattice[y0 * SIDE + x1]);
    let (c, d) = (lattice[y1 * SIDE + x0], lattice[y1 * SIDE + x1]);
    let (top, bottom) = (a + (b - a) * sx, c + (d - c) * sx);
    top + (bottom - top) * sy
}

/// Noise with finer and finer detail on top, from 0 to 1.
pub fn rough(x: f32, y: f32, octaves: u32) -> f32 {
    let (mut sum, mut size, mut scale, mut total) = (0.0, 0.5, 1.0, 0.0);
    for i in 0..octaves {
        let shift = i as f32 * 17.3;
        sum += size * noise(x * scale + shift, y * scale + shift);
        total += size;
        size *= 0.5;
        scale *= 2.03;
    }
    sum / total
}

/// A number from 0 to 1 for a pixel, without any likeness to its neighbors.
pub fn grain(x: usize, y: usize, seed: u64) -> f32 {
    let mut h = (x as u64).wrapping_mul(0x9e37_79b1) ^ (y as u64).wrapping_mul(0x85eb_ca77) ^ seed;
    h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d_d168_9a35);
    h ^= h >> 29;
    (h & 0xffff) as f32 / 65536.0
}
