//! Work on many threads.
//!
//! | file | what it holds |
//! |---|---|
//! | `ordered.rs` | items of any weight, their results in order |
//! | `blocks.rs` | blocks of a range of numbers |
//! | `budget.rs` | bytes that all threads share |

use std::{num::NonZero, thread};

pub(crate) mod blocks;
pub(crate) mod budget;
pub(crate) mod cores;
mod ordered;

pub(crate) use ordered::CHUNK_BYTES;
pub use ordered::ordered;

/// All cores that this process may use.
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// The most threads that work is done on. Beyond, the system ends a process instead of refusing it another thread.
#[doc(hidden)]
pub const MOST_THREADS: usize = 1024;

/// The codes of parallel work.
#[doc(hidden)]
pub mod codes {
    use forebay::error::Code;
    /// A worker thread failed.
    pub const WORKER: Code =
        Code::io("convert.worker", "A worker thread stopped before its work was done; this is a bug of Forebay.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&WORKER];
}
