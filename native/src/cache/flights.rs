//! Blocks that are fetched now: each by one thread of this process, whichever of its sources asked first.
//!
//! Two loaders of a process that read one object through one cache are two sources of the same bytes. What one of them
//! fetches, the other waits for, and takes out of the cache.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak},
    thread,
    time::Duration,
};

use super::key::Key;

/// How often the list of all is asked for, a millisecond apart. A thread holds it for less, unless this process was forked
/// while one did: then nobody ever gives it back.
const TRIES: usize = 500;

/// A process, the folder of a cache, and a source. In a forked child nobody brings what threads of its parent were fetching.
type Name = (u32, PathBuf, Key);

/// The blocks of one source in one folder.
#[derive(Debug)]
pub(super) struct Flights {
    name: Name,
    now: Mutex<BTreeSet<u64>>,
    arrived: Condvar,
}

type All = HashMap<Name, Weak<Flights>>;

/// Those of this process, as long as somebody reads.
fn all() -> Option<MutexGuard<'static, All>> {
    static ALL: OnceLock<Mutex<All>> = OnceLock::new();
    let all = ALL.get_or_init(Mutex::default);
    for _ in 0..TRIES {
        match all.try_lock() {
            Ok(all) => return Some(all),
            Err(TryLockError::Poisoned(e)) => return Some(e.into_inner()),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

impl Flights {
    /// Those of a source, which all who read it through this folder share.
    pub fn of(folder: &Path, key: &Key) -> Arc<Flights> {
        let name = (std::process::id(), folder.to_owned(), key.clone());
        let fresh =
            |name: &Name| Arc::new(Flights { name: name.clone(), now: Mutex::default(), arrived: Condvar::new() });
        let Some(mut all) = all() else { return fresh(&name) };
        match all.get(&name).and_then(Weak::upgrade) {
            Some(held) => held,
            None => {
                let made = fresh(&name);
                all.insert(name, Arc::downgrade(&made));
                made
            }
        }
    }

    fn now(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether they are of another process, which this one was forked from.
    fn is_foreign(&self) -> bool {
        self.name.0 != std::process::id()
    }

    /// Of missing blocks, those that nobody fetches yet, which are the caller's to fetch, and the others.
    pub fn claim(&self, missing: BTreeSet<u64>) -> (Claim<'_>, Vec<u64>) {
        if self.is_foreign() {
            return (Claim { flights: self, numbers: missing }, Vec::new());
        }
        let mut now = self.now();
        let (mine, others): (Vec<u64>, Vec<u64>) = missing.into_iter().partition(|number| now.insert(*number));
        (Claim { flights: self, numbers: mine.into_iter().collect() }, others)
    }

    /// Waits until nobody fetches a block.
    pub fn wait(&self, number: u64) {
        if self.is_foreign() {
            return;
        }
        let mut now = self.now();
        while now.contains(&number) {
            now = self.arrived.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Flights {
    fn drop(&mut self) {
        let Some(mut all) = all() else { return };
        // Another may have begun to read meanwhile.
        if all.get(&self.name).is_some_and(|held| held.strong_count() == 0) {
            all.remove(&self.name);
        }
    }
}

/// Blocks that a thread fetches. Whatever becomes of it, nobody waits for it longer than it lives.
#[derive(Debug)]
pub(super) struct Claim<'a> {
    flights: &'a Flights,
    pub numbers: BTreeSet<u64>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if self.flights.is_foreign() {
            return;
        }
        let mut now = self.flights.now();
        self.numbers.iter().for_each(|number| {
            now.remove(number);
        });
        drop(now);
        self.flights.arrived.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_fetched_by_one_of_all_who_read_it() {
        let (key, folder) = (Key::of("somewhere", 5), Path::new("one"));
        let (first, second) = (Flights::of(folder, &key), Flights::of(folder, &key));
        let (claim, others) = first.claim(BTreeSet::from([1, 2]));
        assert_eq!((claim.numbers.len(), others.len()), (2, 0));
        let (rest, others) = second.claim(BTreeSet::from([2, 3]));
        assert_eq!((rest.numbers.iter().copied().collect::<Vec<_>>(), others), (vec![3], vec![2]));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| second.wait(2));
            drop(claim);
            waiting.join().unwrap();
        });
        // Another folder is another cache.
        let elsewhere = Flights::of(Path::new("two"), &key);
        assert_eq!(elsewhere.claim(BTreeSet::from([3])).1, Vec::<u64>::new());
    }

    #[test]
    fn what_nobody_reads_is_forgotten() {
        let (key, folder) = (Key::of("somewhere else", 5), Path::new("three"));
        let name = (std::process::id(), folder.to_owned(), key.clone());
        let both = (Flights::of(folder, &key), Flights::of(folder, &key));
        drop(both.0);
        assert!(all().unwrap().contains_key(&name));
        drop(both.1);
        assert!(!all().unwrap().contains_key(&name));
    }
}
