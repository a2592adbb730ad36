//! A source that looks into the cache first.

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::{Arc, atomic::Ordering},
};

use bytes::Bytes;
use forebay::{Error, Result};

use super::{
    Cache,
    block::Name,
    flights::Flights,
    folder::{Found, Whose},
    key::Key,
    spans::{Spans, blocks, of_block},
};
use crate::input::{Advice, Source};

/// Bytes that are fetched before those that came are kept and let go, so that a large read takes no second memory of its
/// size.
const AT_ONCE: u64 = 64 << 20;

/// A source whose bytes are kept in a [`Cache`], in blocks, each of which is fetched once by whoever of this process needs it
/// first. A source without an [identity](Source::identity) is read as it is.
#[derive(Debug)]
pub struct Cached<S: Source> {
    source: S,
    kept: Option<Keeper>,
}

/// Where the bytes of one source are kept.
#[derive(Debug)]
struct Keeper {
    cache: Cache,
    key: Key,
    whose: Whose,
    /// Blocks that a thread of this process fetches now.
    flights: Arc<Flights>,
}

/// A range that is wanted, and where.
type Part<'a> = (u64, &'a mut [u8]);

/// The bytes of a part that lie in a range: where in the part, and where in the range.
fn overlap(at: u64, len: usize, range: &Range<u64>) -> Option<(Range<usize>, Range<usize>)> {
    let (start, end) = (range.start.max(at), range.end.min(at.saturating_add(len as u64)));
    let within = |from: u64| Some(usize::try_from(start - from).ok()?..usize::try_from(end - from).ok()?);
    if start < end { Some((within(at)?, within(range.start)?)) } else { None }
}

impl<S: Source> Cached<S> {
    /// A source whose bytes are kept in this cache.
    pub fn new(source: S, cache: &Cache) -> Cached<S> {
        let kept = source.identity().map(|identity| {
            let bytes = source.len();
            cache.shared.wanted.fetch_add(bytes, Ordering::Relaxed);
            let (key, whose) = (Key::of(&identity, bytes), Whose { identity, bytes });
            let flights = Flights::of(cache.folder(), &key);
            Keeper { cache: cache.clone(), key, whose, flights }
        });
        Cached { source, kept }
    }

    /// Fills the parts. With `goes_on` the source may read ahead, as for whoever reads on from where the last read ended.
    fn fill(&self, keeper: &Keeper, parts: &mut [Part<'_>], goes_on: bool) -> Result<()> {
        for (at, out) in &mut *parts {
            if at.checked_add(out.len() as u64).is_none_or(|end| end > self.source.len()) {
                // The source says what is wrong with that.
                return self.source.read_at(*at, out);
            }
        }
        let mut missing = BTreeSet::new();
        for (at, out) in parts.iter_mut() {
            for number in blocks(&(*at..*at + out.len() as u64)) {
                if !keeper.find(number, self.source.len(), *at, out) {
                    missing.insert(number);
                }
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let (claim, others) = keeper.flights.claim(missing);
        // Another may have fetched some between the look and the claim.
        let len = self.source.len();
        let mut found = |number: &u64| parts.iter_mut().all(|(at, out)| keeper.find(*number, len, *at, out));
        let mine: BTreeSet<u64> = claim.numbers.iter().copied().filter(|number| !found(number)).collect();
        self.fetch(keeper, &mine, parts, goes_on)?;
        drop(claim);
        // Those that others fetch are waited for only now, so that no two wait for each other.
        for number in others {
            keeper.flights.wait(number);
            for (at, out) in parts.iter_mut() {
                let Some((to, from)) = overlap(*at, out.len(), &of_block(number, self.source.len())) else { continue };
                if !keeper.find(number, self.source.len(), *at, out) {
                    let start = of_block(number, self.source.len()).start + from.start as u64;
                    keeper.count(to.len());
                    self.source.read_at(start, &mut out[to])?;
                    self.source.unchanged()?;
                }
            }
        }
        Ok(())
    }

    /// Fetches blocks, gives the parts what they want of them, and keeps them.
    fn fetch(&self, keeper: &Keeper, mine: &BTreeSet<u64>, parts: &mut [Part<'_>], goes_on: bool) -> Result<()> {
        let len = self.source.len();
        let whole = keeper.cache.takes() && keeper.cache.is_roomy();
        // Of several parts, each is asked for by itself: what lies between them is nobody's wish.
        let mut requests = Vec::new();
        let mut asked = BTreeSet::new();
        for (at, out) in parts.iter() {
            let range = *at..*at + out.len() as u64;
            let numbers = blocks(&range).filter(|number| mine.contains(number));
            // A block that two parts share is fetched for each, unless it is fetched as a whole.
            let numbers: Vec<u64> = numbers.filter(|number| !whole || asked.insert(*number)).collect();
            requests.extend(Spans::of(numbers, len, &range, whole).requests);
        }
        let mut rest = requests.as_slice();
        while !rest.is_empty() {
            let mut sum = 0;
            let fits = |request: &&Range<u64>| {
                sum += request.end - request.start;
                sum <= AT_ONCE
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            let got = match self.ask(keeper, now, goes_on) {
                Ok(got) => got,
                // What nobody asked for may be what cannot be read.
                Err(_) if whole => return self.exactly(keeper, parts),
                Err(e) => return Err(e),
            };
            for (request, bytes) in now.iter().zip(&got) {
                for (at, out) in parts.iter_mut() {
                    if let Some((to, from)) = overlap(*at, out.len(), request) {
                        out[to].copy_from_slice(&bytes[from]);
                    }
                }
                for number in blocks(request) {
                    let block = of_block(number, len);
                    if request.start <= block.start && block.end <= request.end {
                        let from = (block.start - request.start) as usize..(block.end - request.start) as usize;
                        let name = keeper.name(number, len);
                        keeper.cache.put(&name, &keeper.whose, &bytes[from]);
                    }
                }
            }
            rest = later;
        }
        Ok(())
    }

    fn ask(&self, keeper: &Keeper, ranges: &[Range<u64>], goes_on: bool) -> Result<Vec<Bytes>> {
        ranges.iter().for_each(|range| keeper.count((range.end - range.start) as usize));
        let got = match ranges {
            [only] if goes_on => {
                let mut bytes = crate::input::cleared(only)?;
                self.source.read_at(only.start, &mut bytes)?;
                vec![bytes.into()]
            }
            _ => self.source.read_many(ranges)?,
        };
        self.source.unchanged()?;
        let fits = |(range, bytes): (&Range<u64>, &Bytes)| range.end - range.start == bytes.len() as u64;
        match got.len() == ranges.len() && ranges.iter().zip(&got).all(fits) {
            true => Ok(got),
            false => {
                Err(Error::new(&forebay::error::codes::MISSING_BYTES, "the source gave fewer bytes than requested"))
            }
        }
    }

    /// Reads just what is wanted, as if there were no cache.
    fn exactly(&self, keeper: &Keeper, parts: &mut [Part<'_>]) -> Result<()> {
        for (at, out) in parts {
            keeper.count(out.len());
            self.source.read_at(*at, out)?;
        }
        self.source.unchanged()
    }
}

impl Keeper {
    fn name(&self, number: u64, len: u64) -> Name<'_> {
        let block = of_block(number, len);
        Name { key: &self.key, number, len: (block.end - block.start) as usize }
    }

    fn count(&self, bytes: usize) {
        let counts = &self.cache.shared.counts;
        counts.fetched.fetch_add(bytes as u64, Ordering::Relaxed);
        counts.requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Fills what a part wants of a block, if that is in the cache.
    fn find(&self, number: u64, len: u64, at: u64, out: &mut [u8]) -> bool {
        let Some((to, from)) = overlap(at, out.len(), &of_block(number, len)) else { return true };
        let (shared, bytes) = (&self.cache.shared, to.len());
        let found = shared.folder.read(&self.name(number, len), from.start, &mut out[to]);
        match found {
            Found::Block => shared.counts.hit.fetch_add(bytes as u64, Ordering::Relaxed),
            Found::Damage => shared.counts.damaged.fetch_add(1, Ordering::Relaxed),
            Found::Nothing => 0,
        };
        found == Found::Block
    }
}

impl<S: Source> Drop for Cached<S> {
    fn drop(&mut self) {
        if let Some(keeper) = &self.kept {
            keeper.cache.shared.wanted.fetch_sub(keeper.whose.bytes, Ordering::Relaxed);
        }
    }
}

impl<S: Source> Source for Cached<S> {
    fn len(&self) -> u64 {
        self.source.len()
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        match &self.kept {
            Some(keeper) => self.fill(keeper, &mut [(at, out)], true),
            None => self.source.read_at(at, out),
        }
    }
    fn read_many(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let Some(keeper) = &self.kept else { return self.source.read_many(ranges) };
        let mut all = Vec::with_capacity(ranges.len());
        for range in ranges {
            all.push(crate::input::cleared(range)?);
        }
        let mut parts: Vec<Part<'_>> =
            ranges.iter().zip(&mut all).map(|(range, out)| (range.start, out.as_mut_slice())).collect();
        self.fill(keeper, &mut parts, false)?;
        Ok(all.into_iter().map(Bytes::from).collect())
    }
    fn identity(&self) -> Option<String> {
        self.source.identity()
    }
    fn is_kept(&self) -> bool {
        self.kept.is_some()
    }
    fn is_local(&self) -> bool {
        self.source.is_local()
    }
    fn at_hand(&self, range: Range<u64>) -> Option<Bytes> {
        self.source.at_hand(range)
    }
    fn advise(&self, range: Range<u64>, advice: Advice) {
        self.source.advise(range, advice);
    }
    /// The identity says which bytes these are, so those that are kept stay true; what is fetched is looked at then.
    fn unchanged(&self) -> Result<()> {
        match self.kept {
            Some(_) => Ok(()),
            None => self.source.unchanged(),
        }
    }
}
