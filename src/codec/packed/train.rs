//! Tables out of a sample of pictures: which contexts are alike, and a code for each lot of them.

use std::collections::BTreeMap;

use super::{
    Kept,
    channel::Channel,
    encode::read,
    picture::{Picture, part},
    planes::{CELLS, ESCAPE, Kind, PLANES},
    tables::{LOOK, Lengths, MOST_CODES, MOST_SHARED, Map, Tables},
    visit::visit,
};
use crate::error::Result;

/// Codes of a plane before those of all planes are put together.
const OF_PLANE: usize = 10;
/// Symbols after which no more are counted.
const ENOUGH: usize = 12 << 20;
/// Symbols that are counted in one go.
const PACK: usize = 1 << 20;
/// Bytes of a header's part that is shared.
const SHARED_BYTES: usize = 1 << 12;

/// How often each symbol was seen, by symbol.
type Counts = Vec<(u16, u32)>;

/// Learns from pictures.
#[derive(Debug, Default)]
pub struct Trainer {
    channels: [Channel; 2],
    seen: Seen,
    pictures: usize,
    parts: BTreeMap<Vec<u8>, usize>,
}

/// The symbols that were seen.
#[derive(Debug, Default)]
struct Seen {
    /// Those that were not counted yet: context above symbol.
    symbols: Vec<u32>,
    counts: BTreeMap<u32, Counts>,
    total: usize,
}

impl Seen {
    fn count(&mut self) {
        self.total += self.symbols.len();
        self.symbols.sort_unstable();
        for context in self.symbols.chunk_by(|a, b| a >> 12 == b >> 12) {
            let counts: Counts =
                context.chunk_by(|a, b| a == b).map(|same| ((same[0] & 0xfff) as u16, same.len() as u32)).collect();
            let of = self.counts.entry(context[0] >> 12).or_default();
            *of = sum(of, &counts);
        }
        self.symbols.clear();
    }
}

impl Trainer {
    /// Learns from one picture; or says why it would not be packed.
    pub fn add(&mut self, jpeg: &[u8]) -> Result<(), Kept> {
        let picture = Picture::read(jpeg)?;
        let seen = &mut self.seen;
        read(&picture, jpeg, &mut self.channels, |channels| {
            for (c, channel) in channels.iter_mut().enumerate().filter(|(_, channel)| channel.shape.parts > 0) {
                visit(channel, |item| {
                    let context = (c * PLANES + item.plane) * CELLS + item.context;
                    seen.symbols.push((context as u32) << 12 | u32::from(item.symbol));
                })?;
            }
            if seen.symbols.len() >= PACK {
                seen.count();
            }
            Ok(())
        })?;
        self.pictures += 1;
        let mut at = 2;
        while at < picture.scan
            && let Some(part) = part(jpeg, at)
        {
            at += part.len();
            if part.len() <= SHARED_BYTES {
                *self.parts.entry(part.to_vec()).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Whether more pictures would hardly change anything.
    pub fn is_enough(&self) -> bool {
        self.seen.total + self.seen.symbols.len() >= ENOUGH
    }

    /// Pictures that it learned from.
    pub fn pictures(&self) -> usize {
        self.pictures
    }

    /// The tables.
    pub fn finish(mut self) -> Result<Tables> {
        self.seen.count();
        let logs = Logs::new();
        let mut groups = Vec::new();
        for plane in 0..2 * PLANES {
            let from = (plane * CELLS) as u32;
            let cells = self.seen.counts.range(from..from + CELLS as u32);
            let cells =
                cells.map(|(context, counts)| Group::new(plane % PLANES, vec![*context], counts.clone(), &logs));
            groups.extend(merged(cells.collect(), OF_PLANE, &logs));
        }
        // Each kind has a code, whatever was seen.
        for kind in Kind::ALL {
            if !groups.iter().any(|group| group.kind == kind) {
                let counts = kind.needed().map(|symbol| (symbol, 1)).collect();
                let plane = (0..PLANES).find(|plane| Kind::of(*plane) == kind).unwrap_or_default();
                groups.push(Group::new(plane, Vec::new(), counts, &logs));
            }
        }
        let groups = merged(groups, MOST_CODES, &logs);
        let map = map(&groups);
        let codes: Vec<Lengths> = groups.iter().map(|group| lengths(group.kind, &group.counts)).collect();
        let often = (self.pictures / 64).max(2);
        let mut shared: Vec<(Vec<u8>, usize)> = self.parts.into_iter().filter(|(_, n)| *n >= often).collect();
        shared.sort_by_key(|(part, count)| std::cmp::Reverse(count * part.len()));
        shared.truncate(MOST_SHARED);
        // The numbers of those that are used most have one byte.
        shared.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Tables::new(shared.into_iter().map(|(part, _)| part).collect(), &map, &codes)
    }
}

/// Contexts that share a code.
struct Group {
    kind: Kind,
    contexts: Vec<u32>,
    counts: Counts,
    cost: u64,
}

impl Group {
    fn new(plane: usize, contexts: Vec<u32>, counts: Counts, logs: &Logs) -> Group {
        let cost = logs.cost(counts.iter().map(|(_, count)| *count));
        Group { kind: Kind::of(plane), contexts, counts, cost }
    }
}

/// Puts the two groups together that lose least by it, until there are no more than `most`.
fn merged(mut groups: Vec<Group>, most: usize, logs: &Logs) -> Vec<Group> {
    let loss = |a: &Group, b: &Group| {
        if a.kind == b.kind {
            logs.cost_of_both(&a.counts, &b.counts).saturating_sub(a.cost + b.cost)
        } else {
            u64::MAX
        }
    };
    let mut losses: Vec<Vec<u64>> =
        groups.iter().enumerate().map(|(i, a)| groups[..i].iter().map(|b| loss(a, b)).collect()).collect();
    while groups.len() > most {
        let all =
            losses.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, loss)| (*loss, i, j)));
        let Some((least, i, j)) = all.min() else { break };
        if least == u64::MAX {
            break;
        }
        let gone = groups.remove(i);
        losses.remove(i);
        losses.iter_mut().skip(i).for_each(|row| {
            row.remove(i);
        });
        let own = &mut groups[j];
        own.counts = sum(&own.counts, &gone.counts);
        own.contexts.extend(gone.contexts);
        own.cost = logs.cost(own.counts.iter().map(|(_, count)| *count));
        for k in 0..groups.len() {
            match k.cmp(&j) {
                std::cmp::Ordering::Less => losses[j][k] = loss(&groups[j], &groups[k]),
                std::cmp::Ordering::Equal => {}
                std::cmp::Ordering::Greater => losses[k][j] = loss(&groups[k], &groups[j]),
            }
        }
    }
    groups
}

/// Which code each context has: one that was never seen has that of the nearest that was, in its plane or another.
fn map(groups: &[Group]) -> Map {
    let mut map: Map = [[[u8::MAX; CELLS]; PLANES]; 2];
    for (n, group) in groups.iter().enumerate() {
        let cells = map.as_flattened_mut().as_flattened_mut();
        group.contexts.iter().for_each(|context| cells[*context as usize] = n as u8);
    }
    for c in 0..2 {
        let others = map[1 - c];
        for (plane, (cells, other)) in map[c].iter_mut().zip(others).enumerate() {
            // Nearest in the plane; then as in the other channel; then any of its kind.
            let any = groups.iter().position(|group| group.kind == Kind::of(plane)).unwrap_or_default() as u8;
            let known = *cells;
            for (i, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| **cell == u8::MAX) {
                let near = (0..CELLS).filter(|j| known[*j] != u8::MAX).min_by_key(|j| (j.abs_diff(i), *j));
                *cell = near.map_or(if other[i] == u8::MAX { any } else { other[i] }, |j| known[j]);
            }
        }
    }
    map
}

/// Two counts as one.
fn sum(a: &Counts, b: &Counts) -> Counts {
    let mut out = Vec::with_capacity(a.len() + b.len());
    both(a, b, |symbol, count| out.push((symbol, count)));
    out
}

#[inline(always)]
fn both(a: &Counts, b: &Counts, mut each: impl FnMut(u16, u32)) {
    let (mut i, mut j) = (0, 0);
    while let (Some((x, m)), Some((y, n))) = (a.get(i), b.get(j)) {
        if x < y {
            each(*x, *m);
            i += 1;
        } else if y < x {
            each(*y, *n);
            j += 1;
        } else {
            each(*x, m.saturating_add(*n));
            (i, j) = (i + 1, j + 1);
        }
    }
    a[i..].iter().chain(&b[j..]).for_each(|(symbol, count)| each(*symbol, *count));
}

/// Logarithms in whole numbers, so that every machine makes the same tables.
struct Logs(Vec<u32>);

/// Fractional bits of a logarithm.
const FRACTION: u32 = 16;
/// Bits of a number that its logarithm is found by.
const KNOWN: u32 = 12;

impl Logs {
    fn new() -> Logs {
        // Of 1 to 2, in steps: by squaring, bit by bit.
        let log = |i: u64| {
            let mut x = (i << (31 - KNOWN)) + (1 << 31);
            (0..FRACTION).fold(0, |log, _| {
                x = (x * x) >> 31;
                let over = x >> 32;
                x >>= over;
                log << 1 | over as u32
            })
        };
        Logs((0..1 << KNOWN).map(log).collect())
    }

    /// A count times its logarithm to the base of two.
    #[inline(always)]
    fn times(&self, count: u32) -> u64 {
        if count == 0 {
            return 0;
        }
        let whole = count.ilog2();
        let index = (count << (31 - whole)) >> (31 - KNOWN) & ((1 << KNOWN) - 1);
        u64::from(count) * u64::from(whole << FRACTION | self.0[index as usize])
    }

    /// What symbols cost that are seen this often.
    fn cost(&self, counts: impl Iterator<Item = u32>) -> u64 {
        let (mut total, mut less) = (0, 0);
        counts.for_each(|count| (total, less) = (total + count, less + self.times(count)));
        self.times(total).saturating_sub(less)
    }

    fn cost_of_both(&self, a: &Counts, b: &Counts) -> u64 {
        let (mut total, mut less) = (0, 0);
        both(a, b, |_, count| (total, less) = (total + count, less + self.times(count)));
        self.times(total).saturating_sub(less)
    }
}

/// The lengths of a code for symbols that are seen this often; those that hardly ever are have none.
fn lengths(kind: Kind, counts: &Counts) -> Lengths {
    let total: u64 = counts.iter().map(|(_, count)| u64::from(*count)).sum();
    let needed = kind.needed();
    let escapes = needed.contains(&ESCAPE);
    let mut kept: BTreeMap<u16, u64> = needed.map(|symbol| (symbol, 1)).collect();
    for (symbol, count) in counts {
        let count = u64::from(*count);
        // Less than half of what the longest code is for.
        if !escapes || count >= 4 && count * (1 << LOOK) * 20 >= total * 9 {
            kept.insert(*symbol, count.max(1));
        } else {
            *kept.entry(ESCAPE).or_default() += count;
        }
    }
    if kept.len() < 2 {
        kept.insert(0, 1);
    }
    let mut sorted: Vec<(u64, u16)> = kept.into_iter().map(|(symbol, count)| (count, symbol)).collect();
    sorted.sort_unstable();
    let lengths = limited(&sorted.iter().map(|(count, _)| *count).collect::<Vec<_>>());
    let mut symbols: Vec<(u16, u8)> =
        sorted.iter().zip(lengths).map(|((_, symbol), length)| (*symbol, length)).collect();
    symbols.sort_unstable();
    Lengths { kind, symbols }
}

/// The best lengths of at most [`LOOK`] bits for these weights, the smallest first: by packages of two, again and again.
fn limited(weights: &[u64]) -> Vec<u8> {
    let mut levels: Vec<Vec<bool>> = Vec::new();
    let mut before: Vec<u64> = Vec::new();
    for _ in 0..LOOK {
        let packages: Vec<u64> = before.chunks_exact(2).map(|two| two[0] + two[1]).collect();
        let (mut leaves, mut packages) = (weights.iter().peekable(), packages.iter().peekable());
        let (mut merged, mut own) = (Vec::new(), Vec::new());
        loop {
            let is_leaf = match (leaves.peek(), packages.peek()) {
                (Some(leaf), Some(package)) => leaf <= package,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            let next = if is_leaf { leaves.next() } else { packages.next() };
            merged.extend(next);
            own.push(is_leaf);
        }
        before = merged;
        levels.push(own);
    }
    let (mut lengths, mut take) = (vec![0; weights.len()], 2 * weights.len() - 2);
    for level in levels.iter().rev() {
        let leaves = level.iter().take(take).filter(|leaf| **leaf).count();
        lengths.iter_mut().take(leaves).for_each(|length| *length += 1);
        take = 2 * (take - leaves);
    }
    lengths
}
