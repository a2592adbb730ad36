//! What was unpacked last, kept up to a number of bytes.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use forebay::{Limits, Result, table::Batch};

use super::values::Values;

/// What is kept of one file or of several: the values of columns of bytes, and rows of the others. Cloning shares it.
#[derive(Clone)]
pub struct Shared {
    pub(super) values: Arc<Kept<(u64, usize, usize), Values>>,
    pub(super) rows: Arc<Kept<(u64, usize, u64), Batch>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    /// As many bytes as an item may have.
    pub fn new(limits: &Limits) -> Shared {
        let rows = limits.item_bytes / 4;
        Shared { values: Arc::new(Kept::new(limits.item_bytes)), rows: Arc::new(Kept::new(rows)) }
    }

    /// A number that tells one thing that is kept from those of others.
    pub(super) fn number() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }
}

/// Things by their keys; those that were asked for longest ago go first. While one is made, others that want it wait, and all
/// else goes on.
pub(super) struct Kept<K, T> {
    /// The most bytes that they may take together.
    most: u64,
    all: Mutex<All<K, T>>,
}

struct All<K, T> {
    entries: HashMap<K, Entry<T>>,
    memory: u64,
    /// Counts what was asked for.
    clock: u64,
}

struct Entry<T> {
    /// Held by whoever makes it.
    made: Arc<Mutex<Option<Arc<T>>>>,
    memory: u64,
    asked: u64,
}

impl<K: Copy + Eq + Hash, T> Kept<K, T> {
    /// Keeps so many bytes.
    pub fn new(most: u64) -> Kept<K, T> {
        Kept { most, all: Mutex::new(All { entries: HashMap::new(), memory: 0, clock: 0 }) }
    }

    /// One that is here.
    pub fn get(&self, key: K) -> Option<Arc<T>> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let made = if all.entries.contains_key(&key) { all.entry(key).made.clone() } else { return None };
        drop(all);
        let made = made.lock().unwrap_or_else(PoisonError::into_inner);
        made.clone()
    }

    /// One that is here, or is made.
    pub fn get_or(&self, key: K, memory: impl Fn(&T) -> u64, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let made = self.all.lock().unwrap_or_else(PoisonError::into_inner).entry(key).made.clone();
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thing) = &*made {
            return Ok(thing.clone());
        }
        let thing = match make() {
            Ok(thing) => Arc::new(thing),
            Err(e) => {
                self.all.lock().unwrap_or_else(PoisonError::into_inner).entries.remove(&key);
                return Err(e);
            }
        };
        *made = Some(thing.clone());
        drop(made);
        self.all.lock().unwrap_or_else(PoisonError::into_inner).weigh(key, memory(&thing), self.most);
        Ok(thing)
    }
}

impl<K: Copy + Eq + Hash, T> All<K, T> {
    fn entry(&mut self, key: K) -> &mut Entry<T> {
        self.clock += 1;
        let entry = self.entries.entry(key).or_insert_with(|| Entry { made: Arc::default(), memory: 0, asked: 0 });
        entry.asked = self.clock;
        entry
    }

    /// Counts one that was made, and lets others go.
    fn weigh(&mut self, key: K, memory: u64, most: u64) {
        let Some(entry) = self.entries.get_mut(&key) else { return };
        self.memory = self.memory.saturating_sub(entry.memory).saturating_add(memory);
        entry.memory = memory;
        while self.memory > most {
            // Those without memory are being made.
            let old = self.entries.iter().filter(|(other, entry)| **other != key && entry.memory > 0);
            let Some(oldest) = old.min_by_key(|(_, entry)| entry.asked).map(|(other, _)| *other) else { return };
            if let Some(gone) = self.entries.remove(&oldest) {
                self.memory = self.memory.saturating_sub(gone.memory);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use forebay::Error;

    use super::*;
    use crate::codes;

    #[test]
    fn what_was_asked_for_longest_ago_goes_first() {
        let kept = Kept::<u32, u64>::new(10);
        let put = |key, memory| kept.get_or(key, |n| *n, || Ok(memory)).unwrap();
        for key in 0..3 {
            put(key, 4);
        }
        assert_eq!([0, 1, 2].map(|key| kept.get(key).is_some()), [false, true, true]);
        put(1, 99);
        assert_eq!(*put(1, 99), 4, "it was here");
        put(3, 4);
        assert_eq!([1, 2, 3].map(|key| kept.get(key).is_some()), [true, false, true]);
        put(4, 100);
        assert_eq!([1, 3, 4].map(|key| kept.get(key).is_some()), [false, false, true], "too large, and the last");
        assert!(kept.get_or(5, |n| *n, || Err(Error::new(&codes::ARROW, "no"))).is_err());
        assert_eq!(*put(5, 1), 1, "what failed is made the next time");
    }
}
