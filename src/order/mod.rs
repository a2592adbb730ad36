//! Which sample comes when, for every epoch, rank and worker: arithmetic, no lists.
//!
//! Every rank computes the same order from the settings alone, so ranks never talk, a position is one number,
//! and a run continues exactly where it stopped, also on another number of ranks. Item `k` costs the same
//! wherever it stands, and memory does not grow with the dataset (a filter's selection aside). `docs/formats/order.md`
//! specifies the arithmetic; `tests/fixtures/order.json` holds results for other languages.
//!
//! ```
//! use forebay::order::{Order, Settings, Source};
//! let settings = Settings::default().with_seed(42).with_batch(4).with_world(2);
//! let order = Order::new(vec![Source::new("train.tbl", 100)], settings)?;
//! let epoch = order.epoch(3)?;
//! assert_eq!(epoch.steps(), 12); // 100 / (4 × 2); the tail of 4 is dropped
//! let batch: Vec<u64> = epoch.batch(0, 1).map(|item| item.sample).collect();
//! assert_eq!(batch.len(), 4);
//!
//! let state = order.state(3, 7); // serde; after seven steps of epoch 3
//! let elsewhere = Settings::default().with_seed(42).with_batch(8).with_world(1);
//! let order = Order::new(vec![Source::new("train.tbl", 100)], elsewhere)?;
//! let at = order.resume(&state)?;
//! assert_eq!((at.epoch, at.step), (3, 7));
//! # Ok::<(), forebay::Error>(())
//! ```

mod arrangement;
mod classes;
#[doc(hidden)]
pub mod codes;
mod counting;
mod epoch;
mod epochs;
mod partners;
mod permutation;
mod sampling;
mod settings;
mod source;
mod state;
mod walk;
mod weights;

pub use arrangement::Shuffle;
#[doc(hidden)]
pub use counting::MOST_SAMPLES;
pub use epoch::{Epoch, Item};
pub use epochs::Order;
#[doc(hidden)]
pub use permutation::Permutation;
pub use sampling::Sampling;
pub use settings::{Mix, Settings, Tail};
pub use source::Source;
pub use state::{Position, SourceState, State};

use crate::random::Purpose;

/// The key for everything random about one sample in one epoch, such as its crop: a function of these three
/// numbers alone. `index` is [`Item::index`].
#[doc(hidden)]
pub fn sample_key(seed: u64, epoch: u64, index: u64) -> u64 {
    Purpose::Sample.key(seed, &[epoch, index])
}

/// The key for everything random about one batch in one epoch, such as how its pictures are mixed. `position` is
/// where it begins, [`Epoch::positions`]'s start: so every rank draws for itself.
#[doc(hidden)]
pub fn batch_key(seed: u64, epoch: u64, position: u64) -> u64 {
    Purpose::Batch.key(seed, &[epoch, position])
}
