//! The bytes that wait to be used, and the source that gives them out.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use forebay::Result;

use super::{Fetch, Turn, USUAL_BYTES, Window};
use crate::input::{Advice, Source};

/// Ranges up to this are copied where they are asked for, so that who keeps one keeps no more.
const SMALL: u64 = 32 << 10;
/// Fetches that a range is looked for in: of those that begin before it, the nearest.
const NEAREST: usize = 16;

/// The last batch that needs what every batch needs.
pub(crate) const ALWAYS: Turn = (u64::MAX, u64::MAX);

/// Source, start, and a number that tells fetches from each other.
type Place = (usize, u64, u64);

#[derive(Debug)]
struct Part {
    end: u64,
    last: Turn,
    is: State,
}

#[derive(Clone, Debug)]
enum State {
    /// It is fetched, or will be.
    Coming,
    Here(Bytes),
    /// It could not be fetched; who needs it reads it, and is told why.
    Failed,
}

#[derive(Debug)]
struct Inside {
    parts: BTreeMap<Place, Part>,
    queue: VecDeque<(Place, Range<u64>)>,
    window: Window,
    number: u64,
    closed: bool,
}

/// Bytes that were fetched ahead.
#[derive(Debug)]
pub(crate) struct Store {
    inside: Mutex<Inside>,
    /// Something is to be fetched.
    work: Condvar,
    /// Something was fetched, or is no longer to be.
    news: Condvar,
}

impl Default for Store {
    fn default() -> Store {
        Store::new(USUAL_BYTES)
    }
}

impl Store {
    /// An empty one, where at most this many bytes may wait.
    pub(crate) fn new(bound: u64) -> Store {
        let (parts, queue, window) = (BTreeMap::new(), VecDeque::new(), Window::new(bound));
        let inside = Mutex::new(Inside { parts, queue, window, number: 0, closed: false });
        Store { inside, work: Condvar::new(), news: Condvar::new() }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for bytes.
    pub(crate) fn ask(&self, fetch: Fetch) {
        let mut inside = self.inside();
        inside.number += 1;
        let place = (fetch.source, fetch.range.start, inside.number);
        inside.parts.insert(place, Part { end: fetch.range.end, last: fetch.last, is: State::Coming });
        inside.queue.push_back((place, fetch.range));
        drop(inside);
        self.work.notify_one();
    }

    /// Lets go what no batch behind this one needs.
    pub(crate) fn done(&self, turn: Turn) {
        let mut inside = self.inside();
        inside.parts.retain(|_, part| part.last > turn);
        drop(inside);
        self.news.notify_all();
    }

    /// Lets everything go but what every batch needs.
    pub(crate) fn clear(&self) {
        let mut inside = self.inside();
        inside.parts.retain(|_, part| part.last == ALWAYS);
        drop(inside);
        self.news.notify_all();
    }

    /// Whether fetches wait for a thread.
    pub(super) fn close(&self, closed: bool) {
        self.inside().closed = closed;
        self.work.notify_all();
    }

    /// Fetches by `read` until it is closed.
    pub(super) fn work(&self, read: impl Fn(usize, Range<u64>) -> Option<Bytes>) {
        loop {
            let mut inside = self.inside();
            let (place, range) = loop {
                if inside.closed {
                    return;
                }
                // What was let go meanwhile is not fetched.
                while inside.queue.front().is_some_and(|(place, _)| !inside.parts.contains_key(place)) {
                    inside.queue.pop_front();
                }
                let window = &inside.window;
                let fits = inside.queue.front().is_some_and(|(_, range)| window.has_room(range.end - range.start));
                match inside.queue.pop_front_if(|_| fits) {
                    Some(next) => break next,
                    None => inside = self.work.wait(inside).unwrap_or_else(PoisonError::into_inner),
                }
            };
            let bytes = range.end - range.start;
            inside.window.ask(bytes);
            drop(inside);
            // There may be room for the next one too.
            self.work.notify_one();
            let read = read(place.0, range);
            let mut inside = self.inside();
            inside.window.end(bytes);
            if let Some(part) = inside.parts.get_mut(&place) {
                part.is = read.map_or(State::Failed, State::Here);
            }
            drop(inside);
            self.work.notify_one();
            self.news.notify_all();
        }
    }

    /// The bytes of a range, once they are here; none if they were not asked for.
    fn find(&self, source: usize, range: &Range<u64>) -> Option<Bytes> {
        let mut inside = self.inside();
        loop {
            let before = inside.parts.range((source, 0, 0)..=(source, range.start, u64::MAX)).rev().take(NEAREST);
            let mut found = before.filter(|(_, part)| range.end <= part.end && !matches!(part.is, State::Failed));
            let ((_, start, _), part) = found.next()?;
            match &part.is {
                State::Here(bytes) => {
                    let from = usize::try_from(range.start - start).ok()?;
                    let to = usize::try_from(range.end - start).ok()?;
                    return (to <= bytes.len()).then(|| bytes.slice(from..to));
                }
                _ if inside.closed => return None,
                _ => inside = self.news.wait(inside).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// A source of which bytes are fetched ahead.
#[derive(Debug)]
pub(crate) struct Ahead {
    pub(crate) source: Arc<dyn Source>,
    /// Its number among those of the store.
    pub(crate) number: usize,
    pub(crate) store: Arc<Store>,
}

impl Source for Ahead {
    fn len(&self) -> u64 {
        self.source.len()
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        match self.store.find(self.number, &(at..at.saturating_add(out.len() as u64))) {
            Some(bytes) if bytes.len() == out.len() => out.copy_from_slice(&bytes),
            _ => self.source.read_at(at, out)?,
        }
        Ok(())
    }
    fn read_many(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        self.source.read_many(ranges)
    }
    fn identity(&self) -> Option<String> {
        self.source.identity()
    }
    fn is_kept(&self) -> bool {
        self.source.is_kept()
    }
    fn is_local(&self) -> bool {
        self.source.is_local()
    }
    /// Small ones, so that they are not read together with what is not needed.
    fn at_hand(&self, range: Range<u64>) -> Option<Bytes> {
        match range.end.checked_sub(range.start) {
            None | Some(0) => None,
            Some(len) if len > SMALL => None,
            Some(_) => self.store.find(self.number, &range).map(|bytes| Bytes::copy_from_slice(&bytes)),
        }
    }
    fn advise(&self, range: Range<u64>, advice: Advice) {
        self.source.advise(range, advice);
    }
    fn unchanged(&self) -> Result<()> {
        self.source.unchanged()
    }
}
