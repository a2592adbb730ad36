//! Groups of samples that are alike, each with its best.
//!
//! The best sample of all becomes the first of a group and takes all that are near to it; then the best of those that are
//! left, and so on. So whatever is in a group is near to its best, and not merely near to something that is near to it.

use std::cmp::Reverse;

use super::{look::Look, near::Index};
use crate::error::{Error, Result, codes::ARGUMENT};

/// The largest distance of hashes: of 63 bits, more than this many say nothing.
pub const MOST_DISTANCE: u32 = 15;
/// Groups that one turn looks for.
const TURN: usize = 1024;

/// What is known of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// Its number.
    pub sample: u64,
    /// Bytes of its payload.
    pub bytes: u64,
    /// The first half of the payload's SHA-256.
    pub digest: u128,
    /// What it looks like, if it is a picture that was looked at.
    pub look: Option<Look>,
}

impl Seen {
    /// Of a payload that was not read: only its length is known.
    pub fn unread(sample: u64, bytes: u64) -> Seen {
        Seen { sample, bytes, digest: 0, look: None }
    }

    /// Of a payload that was not looked at.
    pub fn of(sample: u64, payload: &[u8]) -> Seen {
        use sha2::{Digest as _, Sha256};
        let digest = Sha256::digest(payload);
        let digest = digest.iter().take(16).fold(0, |so_far, byte| so_far << 8 | u128::from(*byte));
        Seen { sample, bytes: payload.len() as u64, digest, look: None }
    }

    /// The better it is, the earlier: more pixels, then more bytes, then the lower number.
    fn rank(&self) -> (Reverse<u64>, Reverse<u64>, u64) {
        let pixels = self.look.map_or(0, |look| u64::from(look.width) * u64::from(look.height));
        (Reverse(pixels), Reverse(self.bytes), self.sample)
    }
}

/// One of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The sample's number.
    pub sample: u64,
    /// In how many bits its hash differs from that of the best.
    pub distance: u32,
    /// Whether its bytes are those of the best.
    pub exact: bool,
}

/// Samples that are alike, the best first: at least two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    best: Member,
    others: Vec<Member>,
}

impl Group {
    /// The one to keep.
    pub fn best(&self) -> Member {
        self.best
    }
    /// The others, the best of them first.
    pub fn others(&self) -> &[Member] {
        &self.others
    }
    /// All of them, the best first.
    pub fn members(&self) -> impl Iterator<Item = Member> + '_ {
        std::iter::once(self.best).chain(self.others.iter().copied())
    }
}

/// Collects what is known of samples.
#[derive(Debug)]
pub struct Duplicates {
    distance: Option<u32>,
    seen: Vec<Seen>,
}

impl Duplicates {
    /// Samples whose bytes are the same are alike, and if there is a distance, at most [`MOST_DISTANCE`], pictures whose
    /// hashes differ in at most that many bits.
    pub fn new(distance: Option<u32>) -> Result<Duplicates> {
        if let Some(distance) = distance.filter(|distance| *distance > MOST_DISTANCE) {
            let message =
                format!("hashes that differ in {distance} bits say nothing; the distance is at most {MOST_DISTANCE}");
            return Err(Error::new(&ARGUMENT, message).with_options(&["distance"]));
        }
        Ok(Duplicates { distance, seen: Vec::new() })
    }

    /// Adds a sample; no number comes twice.
    pub fn add(&mut self, seen: Seen) {
        self.seen.push(seen);
    }

    /// Begins to group what was added.
    pub fn grouping(self) -> Grouping {
        let mut seen = self.seen;
        // Same bytes beside each other, of those the best first.
        seen.sort_unstable_by_key(|one| (one.digest, one.bytes, one.rank()));
        let mut copies: Vec<Vec<u64>> = Vec::new();
        let mut firsts: Vec<(Seen, usize)> = Vec::new();
        for one in seen {
            match (firsts.last(), copies.last_mut()) {
                (Some((first, _)), Some(more)) if (first.digest, first.bytes) == (one.digest, one.bytes) => {
                    more.push(one.sample);
                }
                _ => {
                    firsts.push((one, copies.len()));
                    copies.push(Vec::new());
                }
            }
        }
        firsts.sort_unstable_by_key(|(first, _)| first.rank());
        let hash = |first: &Seen| self.distance.and(first.look).and_then(|look| look.hash);
        // Of each hash, whose it is, the best first.
        let mut by_hash: Vec<(u64, u32)> =
            firsts.iter().zip(0..).filter_map(|((first, _), at)| Some((hash(first)?, at))).collect();
        by_hash.sort_unstable();
        let mut hashes: Vec<u64> = by_hash.iter().map(|(hash, _)| *hash).collect();
        hashes.dedup();
        let firsts = firsts.into_iter();
        let firsts = firsts.map(|(first, at)| First {
            sample: first.sample,
            hash: hash(&first),
            copies: copies.get_mut(at).map(std::mem::take).unwrap_or_default(),
        });
        let mut starts: Vec<u32> = vec![0];
        let runs = by_hash.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len);
        starts.extend(runs.scan(0, |so_far, run| {
            *so_far += run as u32;
            Some(*so_far)
        }));
        Grouping {
            firsts: firsts.collect(),
            next: 0,
            taken: vec![false; hashes.len()],
            numbers: hashes.clone(),
            index: Index::new(hashes, self.distance.unwrap_or(0)),
            of_hash: by_hash.into_iter().map(|(_, at)| at).collect(),
            starts,
            groups: Vec::new(),
        }
    }
}

/// The best of all samples of the same bytes.
#[derive(Debug)]
struct First {
    sample: u64,
    hash: Option<u64>,
    copies: Vec<u64>,
}

/// Groups what was added, turn by turn.
#[derive(Debug)]
pub struct Grouping {
    /// The best first.
    firsts: Vec<First>,
    next: usize,
    /// Distinct hashes in order, by which their numbers are found.
    numbers: Vec<u64>,
    index: Index,
    /// Whether those of a hash are in a group.
    taken: Vec<bool>,
    /// The firsts of each hash: those of number `n` from `starts[n]` to `starts[n + 1]`.
    of_hash: Vec<u32>,
    starts: Vec<u32>,
    groups: Vec<Group>,
}

impl Grouping {
    /// Works for a moment; false when it is done.
    pub fn step(&mut self) -> Result<bool> {
        for _ in 0..TURN {
            if self.next >= self.firsts.len() {
                return Ok(false);
            }
            self.group(self.next)?;
            self.next += 1;
        }
        Ok(true)
    }

    /// How far it is, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.next, self.firsts.len())
    }

    /// Works to the end.
    pub fn run(mut self) -> Result<Vec<Group>> {
        while self.step()? {}
        Ok(self.finish())
    }

    /// The groups so far, by the numbers of their best.
    pub fn finish(mut self) -> Vec<Group> {
        self.groups.sort_unstable_by_key(|group| group.best.sample);
        self.groups
    }

    fn group(&mut self, at: usize) -> Result<()> {
        // By rank: where it stands among the firsts.
        let mut near: Vec<(u32, u32)> = Vec::new();
        if let Some(hash) = self.firsts.get(at).and_then(|first| first.hash) {
            let Ok(own) = self.numbers.binary_search(&hash) else { return Ok(()) };
            if self.taken.get(own).copied().unwrap_or(true) {
                return Ok(());
            }
            let (taken, starts, of_hash) = (&self.taken, &self.starts, &self.of_hash);
            let is_taken = |number: u32| taken.get(number as usize).copied().unwrap_or(true);
            let start = |number: usize| starts.get(number).map_or(0, |start| *start as usize);
            let mut numbers = Vec::new();
            self.index.near(hash, is_taken, |number, distance| {
                let whose = of_hash.get(start(number as usize)..start(number as usize + 1)).unwrap_or_default();
                near.extend(whose.iter().filter(|other| **other as usize != at).map(|other| (*other, distance)));
                numbers.push(number);
            })?;
            for number in numbers {
                self.taken.get_mut(number as usize).into_iter().for_each(|taken| *taken = true);
            }
            near.sort_unstable();
        }
        let member = |sample, distance, exact| Member { sample, distance, exact };
        let Some(first) = self.firsts.get(at) else { return Ok(()) };
        let mut others: Vec<Member> = first.copies.iter().map(|copy| member(*copy, 0, true)).collect();
        for (other, distance) in near {
            let Some(other) = self.firsts.get(other as usize) else { continue };
            others.push(member(other.sample, distance, false));
            others.extend(other.copies.iter().map(|copy| member(*copy, distance, false)));
        }
        if !others.is_empty() {
            self.groups.push(Group { best: member(first.sample, 0, true), others });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen(sample: u64, digest: u128, hash: Option<u64>, side: u32) -> Seen {
        let look = hash.map(|hash| Look { width: side, height: side, hash: Some(hash), ..Look::default() });
        Seen { sample, bytes: 100, digest, look }
    }

    fn groups(all: &[Seen], distance: Option<u32>) -> Vec<Vec<u64>> {
        let mut duplicates = Duplicates::new(distance).unwrap();
        all.iter().for_each(|one| duplicates.add(one.clone()));
        let groups = duplicates.grouping().run().unwrap();
        groups.iter().map(|group| group.members().map(|member| member.sample).collect()).collect()
    }

    #[test]
    fn the_largest_is_the_best_and_chains_do_not_grow() {
        // Each differs from the next in two bits.
        let all = [
            seen(0, 1, Some(0b0000), 10),
            seen(1, 2, Some(0b0011), 30),
            seen(2, 3, Some(0b1111), 20),
            seen(3, 3, Some(0b1111), 20),
        ];
        assert_eq!(groups(&all, Some(2)), [vec![1, 2, 3, 0]]);
        let chain = [seen(0, 1, Some(0b0000), 30), seen(1, 2, Some(0b0011), 20), seen(2, 3, Some(0b1111), 10)];
        assert_eq!(groups(&chain, Some(2)), [[0, 1]]);
        assert_eq!(groups(&all, Some(0)), [[2, 3]]);
        assert_eq!(groups(&all, None), [[2, 3]]);
        assert_eq!(groups(&[], Some(6)), Vec::<Vec<u64>>::new());
    }

    #[test]
    fn pictures_with_nothing_to_see_are_alike_only_by_their_bytes() {
        let flat = |sample, digest| Seen { look: Some(Look::default()), ..seen(sample, digest, None, 1) };
        assert_eq!(groups(&[flat(0, 1), flat(1, 2), flat(2, 1)], Some(6)), [[0, 2]]);
    }

    #[test]
    fn a_distance_that_says_nothing_is_refused() {
        assert!(Duplicates::new(Some(MOST_DISTANCE)).is_ok());
        assert_eq!(Duplicates::new(Some(16)).unwrap_err().code().id(), "usage.argument");
    }

    proptest! {
        #[test]
        fn groups_are_what_trying_everything_makes(
            all in proptest::collection::vec((0_u128..30, proptest::option::of(0_u64..64), 1_u32..4), 0..40),
            distance in 0_u32..4,
        ) {
            // The same bytes look the same.
            let mut known = std::collections::HashMap::new();
            let all: Vec<Seen> = all.into_iter().zip(0..).map(|((digest, hash, side), sample)| {
                let (hash, side) = *known.entry(digest).or_insert((hash.map(|hash| hash << 20), side));
                seen(sample, digest, hash, side)
            }).collect();
            let mut left = all.clone();
            left.sort_by_key(Seen::rank);
            let mut expected = Vec::new();
            while !left.is_empty() {
                let best = left.remove(0);
                let alike = |one: &Seen| {
                    let hash = |one: &Seen| one.look.and_then(|look| look.hash);
                    one.digest == best.digest
                        || hash(one).zip(hash(&best)).is_some_and(|(a, b)| (a ^ b).count_ones() <= distance)
                };
                let (others, rest): (Vec<Seen>, Vec<Seen>) = left.into_iter().partition(alike);
                left = rest;
                if !others.is_empty() {
                    let mut group = vec![best.sample];
                    let mut others: Vec<u64> = others.iter().map(|one| one.sample).collect();
                    others.sort_unstable();
                    group.extend(others);
                    expected.push(group);
                }
            }
            expected.sort();
            let mut found = groups(&all, Some(distance));
            found.iter_mut().for_each(|group| group[1..].sort_unstable());
            prop_assert_eq!(found, expected);
        }
    }
}
