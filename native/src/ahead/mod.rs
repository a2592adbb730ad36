//! Reading ahead along a known order, for sources whose bytes do not lie on this machine.
//!
//! Who knows which samples come when says so, and bytes are fetched before they are asked for: many at once, in the order
//! in which they are needed, what lies near together as one, and no more than fit a bound. What is asked for and was not
//! fetched is read as always.
//!
//! | file | what it holds |
//! |---|---|
//! | `plan.rs` | which bytes are fetched together, and when: arithmetic |
//! | `store.rs` | the bytes that wait, and the source that gives them out |
//! | `threads.rs` | who fetches |
//! | `walk.rs` | what a loader fetches and when, without a loader |
//! | `window.rs` | how many bytes are on their way at once |

mod plan;
mod store;
mod threads;
mod walk;
mod window;

pub use plan::{Fetch, Planner, Turn};
pub(crate) use store::{ALWAYS, Store};
pub(crate) use threads::{Inputs, Threads};
pub use walk::{Asked, Lies, Reads, Walk};
pub use window::Window;

/// Requests that are under way at once. An object's store answers each in some 50 ms; with that many of 100 kB, a link of
/// 1 Gb/s is full.
pub const AT_ONCE: usize = 64;
/// Bytes that are fetched and not used yet, unless the loader is told otherwise: two windows of 16 blocks of 64 samples of
/// 100 kB.
pub const USUAL_BYTES: u64 = 256 << 20;
