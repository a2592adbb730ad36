//! Entries of a decoded cache, in memory or in a file.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use forebay::{Result, image::decode::Foreseen};

use super::{
    file::{CacheFile, Place},
    key::Key,
};

/// What an entry takes beside its pixels, about.
const ENTRY: u64 = 128;

/// Counts of a decoded cache so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodedStats {
    /// Pictures that were there.
    pub hits: u64,
    /// Pictures that had to be decoded.
    pub misses: u64,
    /// Of those, such as found no room.
    pub without_room: u64,
    /// Entries that are kept.
    pub entries: u64,
    /// Bytes that they take.
    pub bytes: u64,
    /// The most that they may take.
    pub most_bytes: u64,
    /// Entries that were taken out: such as turned out to be damaged in their file. None makes room for another.
    pub evictions: u64,
    /// Entries that could not be written to the file.
    pub unwritten: u64,
    /// Samples of an epoch.
    pub samples: u64,
}

impl DecodedStats {
    /// The share of pictures that were there.
    pub fn hit_rate(&self) -> f64 {
        self.hits as f64 / (self.hits + self.misses).max(1) as f64
    }

    /// The share that will be there once the cache has what it can keep: its bound divided by what all samples of an epoch
    /// would take, at most 1. None while nothing is kept. With random crops of pictures that are decoded at reduced sizes a
    /// sample may have several entries, and it is less.
    pub fn expected_hit_rate(&self) -> Option<f64> {
        let all = self.bytes as f64 / self.entries as f64 * self.samples as f64;
        (self.entries > 0 && all > 0.0).then(|| (self.most_bytes as f64 / all).min(1.0))
    }
}

/// A picture.
#[derive(Debug)]
pub(super) struct Entry {
    pub foreseen: Foreseen,
    held: Held,
}

#[derive(Debug)]
enum Held {
    Memory(Box<[u8]>),
    File { place: Place, checked: AtomicBool },
}

impl Entry {
    /// Its pixels, if they are in memory.
    pub fn pixels(&self) -> Option<&[u8]> {
        if let Held::Memory(pixels) = &self.held { Some(pixels) } else { None }
    }
}

#[derive(Debug, Default)]
struct Index {
    entries: HashMap<Key, Arc<Entry>>,
    /// What is known of the pictures of which there are entries.
    known: HashMap<(u32, u64), Foreseen>,
    /// The entries that a worker is writing.
    writing: HashSet<Key>,
}

/// A file that is open in this process.
#[derive(Debug)]
struct Open {
    path: PathBuf,
    most: u64,
    identity: [u64; 2],
    store: Weak<Store>,
}

static OPEN: Mutex<Vec<Open>> = Mutex::new(Vec::new());

#[derive(Debug)]
pub(super) struct Store {
    most: u64,
    used: AtomicU64,
    index: RwLock<Index>,
    file: Option<CacheFile>,
    hits: AtomicU64,
    misses: AtomicU64,
    without_room: AtomicU64,
    evictions: AtomicU64,
    unwritten: AtomicU64,
}

impl Store {
    pub fn in_memory(most: u64) -> Store {
        Store {
            most,
            used: AtomicU64::new(0),
            index: RwLock::default(),
            file: None,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            without_room: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
            unwritten: AtomicU64::new(0),
        }
    }

    /// Opens the file if it is of this identity, and begins it anew otherwise. Loaders of one process for which all of that
    /// is the same share it.
    pub fn in_file(path: &Path, most: u64, identity: [u64; 2], entries: u64) -> Result<Arc<Store>> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|one| one.store.strong_count() > 0);
        // One that is not there yet is nobody's.
        if let Ok(path) = path.canonicalize() {
            let same = |one: &&Open| one.path == path && (one.most, one.identity) == (most, identity);
            if let Some(store) = open.iter().find(same).and_then(|one| one.store.upgrade()) {
                return Ok(store);
            }
        }
        let store = Arc::new(Store::of_file(path, most, identity, entries)?);
        if let Ok(path) = path.canonicalize() {
            open.push(Open { path, most, identity, store: Arc::downgrade(&store) });
        }
        Ok(store)
    }

    fn of_file(path: &Path, most: u64, identity: [u64; 2], entries: u64) -> Result<Store> {
        let store = Store::in_memory(most);
        let mut index = Index::default();
        let mut sum = 0_u64;
        let file = CacheFile::open(path, most, identity, entries, |key, foreseen, place| {
            index.known.insert((key.source, key.sample), foreseen);
            let held = Held::File { place, checked: AtomicBool::new(false) };
            let before = index.entries.insert(key, Arc::new(Entry { foreseen, held }));
            sum += if before.is_none() { place.len as u64 + ENTRY } else { 0 };
        })?;
        Ok(Store { index: RwLock::new(index), file: Some(file), used: AtomicU64::new(sum), ..store })
    }

    pub fn has(&self, key: &Key) -> bool {
        self.read().entries.contains_key(key)
    }
    /// What is known of a picture, if there is an entry of it.
    pub fn known(&self, source: usize, sample: u64) -> Option<Foreseen> {
        self.read().known.get(&(source as u32, sample)).copied()
    }
    pub fn get(&self, key: &Key) -> Option<Arc<Entry>> {
        self.read().entries.get(key).cloned()
    }

    /// Reads an entry of a file into `buffer`; false, and it is none from then on, if it is damaged. Its checksum is held
    /// against all of it once.
    pub fn fetch(&self, key: &Key, entry: &Entry, buffer: &mut Vec<u8>) -> bool {
        let (Held::File { place, checked }, Some(file)) = (&entry.held, &self.file) else { return false };
        if file.read(place, !checked.load(Relaxed), buffer) {
            checked.store(true, Relaxed);
            return true;
        }
        if self.write().entries.remove(key).is_some() {
            self.evictions.fetch_add(1, Relaxed);
            self.give_back(place.len);
        }
        false
    }

    /// Takes room for an entry of this size, which is then [put](Self::put) or [given back](Self::give_back).
    pub fn take_room(&self, bytes: usize) -> bool {
        let more = (bytes as u64).saturating_add(ENTRY);
        let fits = |used: u64| used.checked_add(more).filter(|sum| *sum <= self.most);
        let is_there = self.used.try_update(Relaxed, Relaxed, fits).is_ok();
        if !is_there {
            self.without_room.fetch_add(1, Relaxed);
        }
        is_there
    }
    pub fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes as u64 + ENTRY, Relaxed);
    }

    /// Keeps what room was taken for.
    pub fn put(&self, key: Key, foreseen: Foreseen, pixels: &[u8]) {
        // Two workers may have decoded the same sample. The second writes nothing: a file has one record for each.
        let is_first = {
            let mut index = self.write();
            !index.entries.contains_key(&key) && index.writing.insert(key)
        };
        let held = if is_first { self.hold(&key, &foreseen, pixels) } else { None };
        let mut index = self.write();
        if is_first {
            index.writing.remove(&key);
        }
        let Some(held) = held else { return self.give_back(pixels.len()) };
        index.known.insert((key.source, key.sample), foreseen);
        index.entries.insert(key, Arc::new(Entry { foreseen, held }));
    }

    fn hold(&self, key: &Key, foreseen: &Foreseen, pixels: &[u8]) -> Option<Held> {
        let Some(file) = &self.file else { return Some(Held::Memory(pixels.into())) };
        match file.write(key, foreseen, pixels) {
            Ok(Some(place)) => Some(Held::File { place, checked: AtomicBool::new(false) }),
            failed => {
                let count = if failed.is_ok() { &self.without_room } else { &self.unwritten };
                count.fetch_add(1, Relaxed);
                None
            }
        }
    }

    pub fn count(&self, hit: bool) {
        if hit { &self.hits } else { &self.misses }.fetch_add(1, Relaxed);
    }

    pub fn stats(&self, samples: u64) -> DecodedStats {
        DecodedStats {
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            without_room: self.without_room.load(Relaxed),
            entries: self.read().entries.len() as u64,
            bytes: self.used.load(Relaxed),
            most_bytes: self.most,
            evictions: self.evictions.load(Relaxed),
            unwritten: self.unwritten.load(Relaxed),
            samples,
        }
    }

    // Nothing panics while these are held, but for want of memory.
    fn read(&self) -> std::sync::RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use forebay::image::decode::Orientation;

    use super::*;

    #[test]
    fn workers_that_decode_the_same_samples_write_one_record_for_each() {
        let folder = tempfile::tempdir().unwrap();
        let samples = 200;
        let store = Store::in_file(&folder.path().join("kept"), 1 << 20, [1, 2], samples).unwrap();
        let foreseen = Foreseen { width: 8, height: 8, orientation: Orientation::Upright, in_parts: false };
        let barrier = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for sample in 0..samples {
                        barrier.wait();
                        assert!(store.take_room(192));
                        store.put(Key { source: 0, variant: 0, sample }, foreseen, &[7; 192]);
                    }
                });
            }
        });
        let stats = store.stats(samples);
        assert_eq!((stats.entries, stats.without_room, stats.bytes), (samples, 0, samples * (192 + ENTRY)));
    }
}
