//! Which scans a picture is stored in: every partition and order that the standard allows.

use super::random::Random;

/// What one scan has.
#[derive(Clone, Debug)]
pub struct Scan {
    pub parts: Vec<usize>,
    pub progressive: bool,
    /// The first and the last coefficient in the order in which they are stored.
    pub first: usize,
    pub last: usize,
    /// The bit down to which they came before, 0 for none; and down to which they come now.
    pub high: u32,
    pub low: u32,
}

/// A coefficient without its lowest bits, rounded towards zero.
pub fn least(value: i16, low: u32) -> i32 {
    i32::from(value) / (1 << low)
}

/// The scans of a sequential picture whose components have this many blocks a unit.
pub fn sequential(blocks: &[usize], random: &mut Random) -> Vec<Scan> {
    let mut scans: Vec<Scan> = groups(blocks, random).into_iter().map(|parts| scan(parts, false)).collect();
    random.shuffle(&mut scans);
    scans
}

/// Those of a progressive one; now and then without its last ones.
pub fn progressive(blocks: &[usize], random: &mut Random) -> Vec<Scan> {
    // Scans that must come one after the other; what they wait for is what stands before them.
    let mut chains: Vec<Vec<Scan>> = Vec::new();
    // First coefficients: each step of all components in groups of its own.
    let deepest = random.below(4) as u32;
    let mut firsts = Vec::new();
    for low in (0..=deepest).rev() {
        let high = if low == deepest { 0 } else { low + 1 };
        let mut step: Vec<Scan> = groups(blocks, random)
            .into_iter()
            .map(|parts| Scan { first: 0, last: 0, high, low, ..scan(parts, true) })
            .collect();
        random.shuffle(&mut step);
        firsts.append(&mut step);
    }
    // The others: each component in bands, each band in steps.
    for part in 0..blocks.len() {
        let mut from = 1;
        while from < 64 {
            let to = match random.below(3) {
                0 => 63,
                1 => (from + random.below(8)).min(63),
                _ => from + random.below(64 - from),
            };
            chains.push(band(part, (from, to), random));
            from = to + 1;
        }
    }
    // Others may come as soon as the first ones of their component do: here as soon as all components have some.
    let begun = firsts.iter().position(|s| s.high > 0).unwrap_or(firsts.len());
    let rest = firsts.split_off(begun);
    chains.push(rest);
    let mut all = firsts;
    for chain in &mut chains {
        chain.reverse();
    }
    while chains.iter().any(|c| !c.is_empty()) {
        let at = random.below(chains.len());
        all.extend(chains[at].pop());
    }
    if random.once_in(6) {
        all.truncate(begun + random.below(all.len() - begun + 1));
    }
    all
}

/// A band of coefficients in steps; bands may be split from one step to the next.
fn band(part: usize, (first, last): (usize, usize), random: &mut Random) -> Vec<Scan> {
    let deepest = random.below(4) as u32;
    let mut scans = Vec::new();
    for low in (0..=deepest).rev() {
        let high = if low == deepest { 0 } else { low + 1 };
        let of = |first, last| Scan { first, last, high, low, ..scan(vec![part], true) };
        if last > first && random.once_in(4) {
            let middle = first + random.below(last - first);
            scans.push(of(first, middle));
            scans.push(of(middle + 1, last));
        } else {
            scans.push(of(first, last));
        }
    }
    scans
}

fn scan(parts: Vec<usize>, progressive: bool) -> Scan {
    Scan { parts, progressive, first: 0, last: 63, high: 0, low: 0 }
}

/// Components in groups of at most ten blocks a unit.
fn groups(blocks: &[usize], random: &mut Random) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let together = random.below(3);
    for part in 0..blocks.len() {
        let fits = |group: &Vec<usize>| group.iter().map(|p| blocks[*p]).sum::<usize>() + blocks[part] <= 10;
        match groups.iter().position(fits) {
            Some(at) if together > 0 && (together == 2 || random.once_in(2)) => groups[at].push(part),
            _ => groups.push(vec![part]),
        }
    }
    groups
}
