//! The blocks of one channel of a segment, and what is known of those around each.

use super::planes::{ACROSS, AROUND, AT, BELOW, CELLS, FIRST, LANES, LAST, PARENTS, QUAD, RIGHT, SUMS};

/// How many blocks a channel has, and how they lie. Around them lie places that are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// Blocks across, and down in each part; parts are below each other.
    pub(super) wide: usize,
    pub(super) high: usize,
    pub(super) parts: usize,
}

impl Shape {
    /// Places from a block to the one below.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        self.wide + 1
    }

    #[inline(always)]
    pub(super) fn places(&self) -> usize {
        self.stride() * (1 + self.parts * (self.high + 1)) + 1
    }

    pub(super) fn blocks(&self) -> usize {
        self.wide * self.high * self.parts
    }

    #[inline(always)]
    pub(super) fn place(&self, part: usize, x: usize, y: usize) -> usize {
        self.stride() * (1 + part * (self.high + 1) + y) + 1 + x
    }

    /// Blocks of a lane.
    #[inline(always)]
    pub(super) fn lane(count: usize) -> usize {
        count.div_ceil(LANES).max(1)
    }
}

/// Of the number of the last quad, which blocks around are known when a block is read.
pub(super) const LEFT: u8 = 1;
pub(super) const ABOVE: u8 = 2;

/// One channel.
#[derive(Debug, Default)]
pub(super) struct Channel {
    pub(super) shape: Shape,
    /// By place: the first coefficients.
    pub(super) first: Vec<i16>,
    /// By place: the others, of blocks that have some.
    pub(super) blocks: Vec<[i16; 64]>,
    /// By kind of sum, then by place.
    pub(super) sums: Vec<u8>,
    /// The places of the blocks, line by line.
    pub(super) raster: Vec<u32>,
    /// In that order, which of those around are known.
    pub(super) known: Vec<u8>,
    /// The places of the blocks, those with most quads first.
    pub(super) sorted: Vec<u32>,
    /// How many blocks have more quads than this.
    pub(super) more: [usize; 24],
    /// Of a plane, by place: the parents' sum, and what stands around.
    both: Vec<u8>,
    around: Vec<u8>,
    /// Of a plane, block by block: the context, or what a map makes of that; above it, from bit 8 on, the place.
    pub(super) contexts: Vec<u32>,
}

impl Channel {
    /// Gives it this shape. What a block or a sum of a block was before, it still is.
    pub(super) fn begin(&mut self, shape: Shape) {
        if self.shape == shape {
            return;
        }
        let (places, blocks) = (shape.places(), shape.blocks());
        self.shape = shape;
        self.order();
        // The places around the blocks are zeros, and stay so.
        self.first.clear();
        self.first.resize(places, 0);
        self.sums.clear();
        self.sums.resize(places * SUMS, 0);
        self.blocks.resize(places, [0; 64]);
        self.both.resize(places, 0);
        self.around.resize(places, 0);
        self.contexts.resize(blocks, 0);
        self.sorted.resize(blocks, 0);
    }

    /// What depends on the shape alone.
    fn order(&mut self) {
        let shape = self.shape;
        let (lane, wide) = (Shape::lane(shape.blocks()), shape.wide);
        self.raster.clear();
        self.known.clear();
        // The lane of a block and its place there, from one block to the next; and those of the block above.
        let step = |(l, i): &mut (usize, usize)| {
            *i = i.wrapping_add(1);
            if *i == lane {
                (*l, *i) = (*l + 1, 0);
            }
        };
        let mut own = (0, usize::MAX);
        for part in 0..shape.parts {
            let mut up = own;
            for y in 0..shape.high {
                for x in 0..wide {
                    if y > 0 {
                        step(&mut up);
                    }
                    step(&mut own);
                    let left = x > 0 && own.1 > 0;
                    let above = y > 0 && (own.0 == up.0 || up.1 <= own.1);
                    self.known.push((u8::from(left) * LEFT) | (u8::from(above) * ABOVE));
                    self.raster.push(shape.place(part, x, y) as u32);
                }
            }
        }
    }

    /// A block: its first coefficient, the number of its last quad, and the others, if that is not 0.
    #[inline(always)]
    pub(super) fn block(&self, part: usize, x: usize, y: usize) -> Option<(i16, u8, &[i16; 64])> {
        let place = self.shape.place(part, x, y);
        let last = *self.sums.get(LAST * self.shape.places() + place)?;
        Some((*self.first.get(place)?, last, self.blocks.get(place)?))
    }

    /// The first coefficient of a block, and the others.
    pub(super) fn block_mut(&mut self, part: usize, x: usize, y: usize) -> Option<(&mut i16, &mut [i16; 64])> {
        let place = self.shape.place(part, x, y);
        Some((self.first.get_mut(place)?, self.blocks.get_mut(place)?))
    }

    /// All places' sums of one kind.
    pub(super) fn sum(&self, kind: usize) -> &[u8] {
        let places = self.shape.places();
        self.sums.get(kind * places..(kind + 1) * places).unwrap_or_default()
    }

    /// Calls with each first coefficient and what is expected of it, line by line, and takes what it is.
    #[inline(always)]
    pub(super) fn firsts(&mut self, mut each: impl FnMut(i32, i16) -> i16) {
        let (shape, stride) = (self.shape, self.shape.stride());
        for part in 0..shape.parts {
            for y in 0..shape.high {
                let from = shape.place(part, 0, y);
                let (above, row) = self.first.split_at_mut(from);
                let above = above.get(from - stride..).unwrap_or_default();
                let (mut left, mut corner) = (0, 0);
                for (x, (first, up)) in row.iter_mut().zip(above).take(shape.wide).enumerate() {
                    let up = i32::from(*up);
                    let expected = match (x, y) {
                        (_, 0) => left,
                        (0, _) => up,
                        _ => median(left, up, corner),
                    };
                    *first = each(expected, *first);
                    left = i32::from(*first);
                    corner = up;
                }
            }
        }
    }

    /// Sorts the blocks by their numbers of the last quad.
    #[inline(always)]
    pub(super) fn sort(&mut self) {
        let last = self.sums.get(LAST * self.shape.places()..).unwrap_or_default();
        let mut counts = [0_usize; 17];
        for place in &self.raster {
            counts[usize::from(last[*place as usize].min(16))] += 1;
        }
        let mut next = [0; 17];
        let mut at = 0;
        for n in (0..17).rev() {
            self.more[n] = at;
            next[n] = at;
            at += counts[n];
        }
        self.more[17..].fill(0);
        for place in &self.raster {
            let at = &mut next[usize::from(last[*place as usize].min(16))];
            self.sorted[*at] = *place;
            *at += 1;
        }
    }

    /// Blocks of a plane from the third on: the first so many of those that are sorted.
    #[inline(always)]
    pub(super) fn count(&self, plane: usize) -> usize {
        self.more[plane.saturating_sub(QUAD)]
    }

    /// Finds the contexts of a plane from the third on, and what `map` makes of them.
    #[inline(always)]
    pub(super) fn find_contexts(&mut self, plane: usize, map: &[u8; CELLS]) {
        let (places, stride, quad) = (self.shape.places(), self.shape.stride(), plane.saturating_sub(QUAD));
        let count = self.count(plane);
        let (a, b) = PARENTS[plane - 2];
        let (Some(a), Some(b)) =
            (self.sums.get(a * places..(a + 1) * places), self.sums.get(b * places..(b + 1) * places))
        else {
            return;
        };
        for ((both, a), b) in self.both.iter_mut().zip(a).zip(b) {
            *both = a + b;
        }
        let (both, inner) = (&self.both[..places], places - 2 * stride);
        let shifted = |by: usize| both[by..][..inner].iter();
        let sides = shifted(stride - 1).zip(shifted(stride + 1)).zip(shifted(0)).zip(shifted(2 * stride));
        for ((to, own), (((left, right), up), down)) in
            self.around[stride..][..inner].iter_mut().zip(shifted(stride)).zip(sides)
        {
            let near = u16::from(*left) + u16::from(*right) + u16::from(*up) + u16::from(*down);
            let a = ((2 * u16::from(*own) + near) >> 1).min(79);
            *to = if a < 16 { a } else { 12 + (a >> 2) } as u8;
        }
        // The blocks are sorted by how many quads are left, so that each number of those is a run.
        let ends = [self.more[quad + 4], self.more[quad + 2], self.more[quad + 1], count];
        let mut from = 0;
        for (n, end) in ends.into_iter().enumerate() {
            let map: &[u8; AROUND] = map[(3 - n) * AROUND..].first_chunk().unwrap_or(&[0; AROUND]);
            let end = end.max(from);
            for (context, place) in self.contexts[from..end].iter_mut().zip(&self.sorted[from..end]) {
                *context = place << 8 | u32::from(map[usize::from(self.around[*place as usize]) % AROUND]);
            }
            from = end;
        }
    }

    /// Finds all sums from the coefficients, but that of the first one's difference. Gives the largest size of the others.
    #[inline(always)]
    pub(super) fn measure(&mut self) -> u8 {
        let places = self.shape.places();
        let mut most = 0;
        for place in &self.raster {
            let place = *place as usize;
            let sizes = self.blocks[place].map(|value| size(value.into()) as u8);
            let mut put = |kind: usize, sum: u8| self.sums[kind * places + place] = sum;
            most = sizes[1..].iter().fold(most, |most, size| most.max(*size));
            put(RIGHT, sizes[1]);
            put(BELOW, sizes[8]);
            put(ACROSS, sizes[9]);
            let mut last = u8::from(sizes[1] | sizes[8] | sizes[9] != 0);
            for (quad, at) in AT.iter().enumerate().skip(1) {
                let sum = sizes[*at] + sizes[at + 1] + sizes[at + 8] + sizes[at + 9];
                put(ACROSS + quad, sum);
                if sum > 0 {
                    last = quad as u8 + 1;
                }
            }
            put(LAST, last);
        }
        most
    }
}

/// The context of the number of a block's last quad.
#[inline(always)]
pub(super) fn last_context(first: u8, known: u8, left: u8, above: u8) -> usize {
    let d = u8::from(first >= 2) + u8::from(first >= 4) + u8::from(first >= 6);
    let v = match known {
        0 => 31,
        LEFT => (2 * left).min(30),
        ABOVE => (2 * above).min(30),
        _ => (left + above).min(30),
    };
    usize::from(AROUND as u8 * d + v)
}

/// What is expected of a coefficient between those: the one in the middle of the two, and of them as a slope.
#[inline(always)]
fn median(left: i32, above: i32, corner: i32) -> i32 {
    (left + above - corner).clamp(left.min(above), left.max(above))
}

const _: () = assert!(FIRST == 0 && ACROSS + 16 == SUMS);

/// How many bits a coefficient takes.
#[inline(always)]
pub(super) fn size(value: i32) -> u32 {
    32 - value.unsigned_abs().leading_zeros()
}
