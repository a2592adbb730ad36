//! Bytes of files elsewhere, kept in a folder of this machine's disk.
//!
//! ```no_run
//! use forebay_native::{cache::Cache, loader::Loader};
//! let cache = Cache::open("/nvme/forebay")?.bytes(200 << 30);
//! let mut loader = Loader::open("train.tbl")?.cache(&cache).shuffle(42).build()?;
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! What is kept has the name of the [identity](crate::input::Source::identity) that a source gives itself, so another
//! version of an object is another thing; a source without one is read as if there were no cache. Any number of processes
//! may use a folder at once. `docs/cache.md` says what is promised.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | the cache as its users see it |
//! | `cached.rs` | a source that looks into the cache first |
//! | `flights.rs` | what is fetched now, once for all who need it |
//! | `folder.rs` | the files: their names, what is removed and when |
//! | `block.rs` | the bytes of one file |
//! | `spans.rs` | which bytes are fetched for those that are asked for |

mod block;
mod cached;
mod flights;
mod folder;
mod key;
mod spans;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use forebay::{Error, Result, error::codes as common};

pub use cached::Cached;
#[doc(hidden)]
pub use spans::{BLOCK, Spans, room};

use crate::input::{Input, display, io_error, keep_by};
use folder::{Folder, Whose};

/// What a cache may hold unless it is told otherwise.
const USUAL: u64 = 64 << 30;
/// For how long nothing is written after writing failed.
const PAUSE: Duration = Duration::from_secs(60);

/// A folder that keeps blocks of sources. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Cache {
    shared: Arc<Shared>,
    most: u64,
}

#[derive(Debug)]
struct Shared {
    /// As the user named it.
    path: PathBuf,
    folder: Folder,
    /// The bytes of all sources that are read through it now.
    wanted: AtomicU64,
    /// Bytes that may be written before the folder must be looked at again.
    room: Mutex<Option<u64>>,
    trouble: Mutex<Trouble>,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Trouble {
    first: Option<String>,
    until: Option<Instant>,
}

#[derive(Debug, Default)]
struct Counts {
    hit: AtomicU64,
    fetched: AtomicU64,
    requests: AtomicU64,
    written: AtomicU64,
    damaged: AtomicU64,
    removed: AtomicU64,
}

/// Counts of a [`Cache`] in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheStats {
    /// Bytes that were there.
    pub hit_bytes: u64,
    /// Bytes that were fetched from sources.
    pub fetched_bytes: u64,
    /// Ranges in which these were asked for.
    pub requests: u64,
    /// Blocks that were written.
    pub written: u64,
    /// Blocks that were damaged, and so fetched again.
    pub damaged: u64,
    /// Blocks that were removed to make room.
    pub removed: u64,
}

/// One source in a cache.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CacheEntry {
    /// The source's own identity; empty if the file that holds it is damaged.
    pub identity: String,
    /// How many bytes the source has.
    pub source_bytes: u64,
    /// How many blocks are there.
    pub blocks: u64,
    /// Their bytes on disk.
    pub bytes: u64,
    /// When one of them was last used, to the minute.
    pub used: SystemTime,
}

impl Cache {
    /// The cache in this folder, which is made if it is not there. It holds at most 64 GiB, unless [`bytes`](Self::bytes)
    /// says otherwise.
    pub fn open(folder: impl AsRef<Path>) -> Result<Cache> {
        let path = folder.as_ref();
        let cache = Self::at(path);
        cache.shared.folder.make().map_err(|e| io_error(&display(path), "make a cache of this folder", e))?;
        Ok(cache)
    }

    /// The cache of a folder that must be there, to look at it or clear it away.
    pub fn existing(folder: impl AsRef<Path>) -> Result<Cache> {
        let path = folder.as_ref();
        let name = display(path);
        let metadata = std::fs::metadata(path).map_err(|e| io_error(&name, "open", e))?;
        match metadata.is_dir() {
            true => Ok(Self::at(path)),
            false => Err(Error::new(&common::ARGUMENT, "this is a file, and a cache is a folder").file(name)),
        }
    }

    fn at(path: &Path) -> Cache {
        let shared = Shared {
            path: path.to_owned(),
            folder: Folder::within(path),
            wanted: AtomicU64::new(0),
            room: Mutex::default(),
            trouble: Mutex::default(),
            counts: Counts::default(),
        };
        Cache { shared: Arc::new(shared), most: USUAL }
    }

    /// The most bytes that it holds: what was used longest ago goes first. Processes that fill it at once may pass this for
    /// a moment, by 1/32 for each beyond the fourth.
    #[must_use]
    pub fn bytes(mut self, most: u64) -> Cache {
        self.most = most;
        self
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.shared.path
    }
    /// The most bytes that it holds.
    pub fn most_bytes(&self) -> u64 {
        self.most
    }

    /// Returns the counts so far, of all users in this process.
    pub fn stats(&self) -> CacheStats {
        let counts = &self.shared.counts;
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheStats {
            hit_bytes: of(&counts.hit),
            fetched_bytes: of(&counts.fetched),
            requests: of(&counts.requests),
            written: of(&counts.written),
            damaged: of(&counts.damaged),
            removed: of(&counts.removed),
        }
    }

    /// Why nothing could be written into it, the first time that this was so. Bytes then come from their sources alone.
    pub fn trouble(&self) -> Option<String> {
        self.trouble_now().first.clone()
    }

    /// Lists its sources, the most recently used first.
    pub fn list(&self) -> Result<Vec<CacheEntry>> {
        let folder = &self.shared.folder;
        let mut entries = Vec::new();
        for blocks in folder.list().map_err(|e| self.failed("read", e))? {
            let Whose { identity, bytes: source_bytes } = folder.whose(&blocks.key);
            let used = blocks.kept.iter().map(|block| block.used).max().unwrap_or(SystemTime::UNIX_EPOCH);
            let bytes = blocks.kept.iter().map(|block| block.bytes).sum();
            entries.push(CacheEntry { identity, source_bytes, blocks: blocks.kept.len() as u64, bytes, used });
        }
        entries.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.identity.cmp(&b.identity)));
        Ok(entries)
    }

    /// Removes all that it holds, and nothing else that lies in the folder. Gives how many blocks that were, and their
    /// bytes. Who uses it meanwhile fetches what is missing.
    pub fn clear(&self) -> Result<(u64, u64)> {
        self.shared.folder.clear().map_err(|e| self.failed("clear", e))
    }

    /// Reads every source of this process that has an identity through this cache. False if another cache has that part
    /// already. For a host that has an option for it.
    #[doc(hidden)]
    pub fn use_for_all(&self) -> bool {
        let cache = self.clone();
        keep_by(Box::new(move |source| Arc::new(Cached::new(source, &cache))))
    }

    fn failed(&self, tried: &str, e: std::io::Error) -> Error {
        io_error(&display(&self.shared.path), tried, e)
    }

    fn trouble_now(&self) -> std::sync::MutexGuard<'_, Trouble> {
        self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something can be written, as far as is known.
    fn takes(&self) -> bool {
        let mut trouble = self.trouble_now();
        if trouble.until.is_some_and(|until| Instant::now() >= until) {
            trouble.until = None;
        }
        trouble.until.is_none() && self.most >= BLOCK
    }

    /// Whether all sources that are read now have room in it. If not, no more of them is fetched than is asked for.
    fn is_roomy(&self) -> bool {
        self.shared.wanted.load(Ordering::Relaxed) <= self.most
    }

    /// Puts a block into it. That this fails is nobody's error.
    fn put(&self, name: &block::Name<'_>, whose: &Whose, bytes: &[u8]) {
        if !self.takes() {
            return;
        }
        let put = self.make_room(bytes.len() as u64).and_then(|()| self.shared.folder.write(name, whose, bytes));
        match put {
            Ok(()) => {
                self.shared.counts.written.fetch_add(1, Ordering::Relaxed);
            }
            Err(e) => {
                let mut trouble = self.trouble_now();
                trouble.until = Instant::now().checked_add(PAUSE);
                trouble.first.get_or_insert_with(|| {
                    format!(
                        "the cache {} cannot be written: {e}; missing bytes are read from their source",
                        display(&self.shared.path)
                    )
                });
            }
        }
    }

    /// Sees to it that there is room for a block, as far as processes that write at once leave any.
    fn make_room(&self, bytes: u64) -> std::io::Result<()> {
        let mut free = self.shared.room.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = free.and_then(|free| free.checked_sub(bytes)) {
            *free = Some(left);
            return Ok(());
        }
        let (above, to) = spans::room(self.most);
        let (held, gone) = self.shared.folder.shrink(above, to)?;
        self.shared.counts.removed.fetch_add(gone, Ordering::Relaxed);
        // Others write as well, and look when they have written a part of what there is room for.
        let part = (self.most.saturating_sub(held) / 4).min(self.most / 32);
        *free = Some(part.saturating_sub(bytes));
        Ok(())
    }
}

impl Input {
    /// The same file, read through a cache if it has an identity and does not lie on this machine.
    #[must_use]
    pub fn cached(&self, cache: &Cache) -> Input {
        match self.is_local() || self.identity().is_none() || self.is_kept() {
            true => self.clone(),
            false => self.by(|source| Arc::new(Cached::new(source, cache))),
        }
    }
}
