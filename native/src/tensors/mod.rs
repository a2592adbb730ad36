//! Batches for training from a tensor warehouse: nothing is decoded.
//!
//! ```no_run
//! use forebay_native::tensors::Loader;
//! # let (rank, world) = (0, 1);
//! let loader = Loader::open("warehouse/manifest.json")?.batch(64).shuffle(42).shard(rank, world).build()?;
//! for epoch in 0..90 {
//!     for batch in loader.epoch(epoch)? {
//!         let batch = batch?;
//!         assert_eq!(batch.shape(), [64, 3, 384, 384]);
//!         let (images, boxes, mask, frames) = (batch.images(), batch.boxes(), batch.mask(), batch.frame_ids());
//!     }
//! }
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! Opening refuses a warehouse that does not hold: a version that does not follow from its key or is not the one that
//! was asked for, a summary that breaks its thresholds, a shard that does not match its checksum. A shard that was
//! proven is not read again by this process as long as its file is the same. What is let through nevertheless stands in
//! [`Loader::notes`].
//!
//! | file | what it holds |
//! |---|---|
//! | `builder.rs` | the settings, and what opening refuses |
//! | `mod.rs` | the loader and its epochs |
//! | `batch.rs` | a batch, its numbers, its views |
//! | `store.rs` | the ways in which shards are held |
//! | `split.rs` | samples to train on, and to validate with |
//! | `proof.rs` | checksums of shards, remembered |

mod batch;
mod builder;
mod proof;
mod split;
mod store;

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
};

use crossbeam_channel::{Receiver, bounded};
use forebay::{
    Error, Result,
    order::{Order, Position, State},
    warehouse::{Shape, Warehouse},
};

pub use batch::Batch;
pub use builder::Builder;
pub use split::{SplitBy, split};
pub use store::Mode;

use batch::Spare;
use store::Store;

/// What all batches have in common.
#[derive(Debug)]
struct Shared {
    warehouse: Warehouse,
    shape: Shape,
    store: Store,
    order: Order,
    rank: u64,
    /// The frame of each sample; its number where the warehouse knows none.
    frames: Vec<u64>,
    spare: Arc<Spare>,
}

/// Makes batches from a warehouse.
#[derive(Debug)]
pub struct Loader {
    shared: Arc<Shared>,
    prefetch: usize,
    notes: Vec<String>,
    begin: Position,
}

impl Loader {
    /// A warehouse by its manifest, or by the folder that has it; the settings follow.
    pub fn open(path: impl Into<std::path::PathBuf>) -> Result<Builder> {
        Builder::open(path.into())
    }

    /// The warehouse.
    pub fn warehouse(&self) -> &Warehouse {
        &self.shared.warehouse
    }
    /// How shards are held.
    pub fn mode(&self) -> Mode {
        self.shared.store.mode()
    }
    /// Samples in an epoch, of all ranks.
    pub fn epoch_samples(&self) -> u64 {
        self.shared.order.epoch_samples()
    }
    /// Batches in an epoch, of this rank.
    pub fn steps(&self) -> u64 {
        self.shared.order.steps()
    }
    /// What was let through, what could not be proven, and how long shards took to be opened.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
    /// Where to begin: the start, or what [`Builder::resume`] was given.
    pub fn position(&self) -> Position {
        self.begin
    }
    /// A position to be saved: this many steps of an epoch are done.
    pub fn state(&self, epoch: u64, step: u64) -> State {
        self.shared.order.state(epoch, step)
    }

    /// The batches of an epoch; of the one that was resumed, those that are left.
    pub fn epoch(&self, epoch: u64) -> Result<Epoch> {
        let shared = self.shared.clone();
        shared.store.unchanged()?;
        let steps = shared.order.epoch(epoch)?.steps();
        let next = if epoch == self.begin.epoch { self.begin.step } else { 0 };
        if self.prefetch == 0 {
            return Ok(Epoch { shared, epoch, next, steps, ahead: None });
        }
        let (give, take) = bounded(self.prefetch);
        let work = {
            let shared = shared.clone();
            move || {
                for step in next..steps {
                    let batch = shared.batch(epoch, step).map(Batch::gathered);
                    let failed = batch.is_err();
                    // Nobody listens any more when the epoch was dropped.
                    if give.send(batch).is_err() || failed {
                        break;
                    }
                }
            }
        };
        let thread = thread::Builder::new()
            .name("forebay-tensors".into())
            .spawn(work)
            .map_err(|e| Error::caused(&forebay::error::codes::IO, format!("cannot start a thread: {e}"), e))?;
        Ok(Epoch { shared, epoch, next, steps, ahead: Some((take, thread)) })
    }
}

/// The batches of an epoch.
#[derive(Debug)]
pub struct Epoch {
    shared: Arc<Shared>,
    epoch: u64,
    next: u64,
    steps: u64,
    ahead: Option<(Receiver<Result<Batch>>, JoinHandle<()>)>,
}

impl Iterator for Epoch {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        if self.next >= self.steps {
            return None;
        }
        let batch = match &self.ahead {
            Some((take, _)) => take.recv().unwrap_or_else(|_| {
                let message = "the thread that reads ahead has ended";
                Err(Error::new(&crate::parallel::codes::WORKER, message))
            }),
            None => self.shared.batch(self.epoch, self.next),
        };
        // Behind an error there is nothing: an epoch with a hole in it would pass for a whole one.
        self.next = if batch.is_ok() { self.next + 1 } else { self.steps };
        Some(batch)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.steps - self.next).unwrap_or(usize::MAX);
        (0, Some(left))
    }
}

impl Drop for Epoch {
    fn drop(&mut self) {
        if let Some((take, thread)) = self.ahead.take() {
            // Without a listener it ends with the batch that it is at.
            drop(take);
            let _ = thread.join();
        }
    }
}
