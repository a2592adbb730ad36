//! How many requests were made, and what they brought.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use serde::Serialize;

/// Requests of this process to stores and servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Traffic {
    /// Requests of every kind, each try of its own counted.
    pub requests: u64,
    /// Those of them that were made again after a failure.
    pub retries: u64,
    /// Bytes that came.
    pub bytes: u64,
    /// Bytes of them that nobody has asked for: between wanted ranges, or ahead of who stopped reading.
    pub over_read: u64,
    /// Bytes that were sent to be written, as often as they were.
    pub sent: u64,
    /// Objects that were written without a condition, since their store knows none: what somebody else writes there at the
    /// same moment is replaced.
    pub unconditional: u64,
    /// Microseconds from a request to its first byte, on average.
    pub first_byte_micros: u64,
}

static REQUESTS: AtomicU64 = AtomicU64::new(0);
static RETRIES: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static USED: AtomicU64 = AtomicU64::new(0);
static SENT: AtomicU64 = AtomicU64::new(0);
static UNCONDITIONAL: AtomicU64 = AtomicU64::new(0);
static ANSWERS: AtomicU64 = AtomicU64::new(0);
static WAITED: AtomicU64 = AtomicU64::new(0);

/// Returns the requests of this process so far. All are zero until an address is opened.
pub fn traffic() -> Traffic {
    let (bytes, answers) = (BYTES.load(Relaxed), ANSWERS.load(Relaxed));
    Traffic {
        requests: REQUESTS.load(Relaxed),
        retries: RETRIES.load(Relaxed),
        bytes,
        over_read: bytes.saturating_sub(USED.load(Relaxed)),
        sent: SENT.load(Relaxed),
        unconditional: UNCONDITIONAL.load(Relaxed),
        first_byte_micros: WAITED.load(Relaxed).checked_div(answers).unwrap_or(0),
    }
}

/// A request was made.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) fn request() {
    REQUESTS.fetch_add(1, Relaxed);
}
/// Another will be made, since one failed.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) fn retry() {
    RETRIES.fetch_add(1, Relaxed);
}
/// Its first byte came.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) fn answer(after: Duration) {
    ANSWERS.fetch_add(1, Relaxed);
    WAITED.fetch_add(u64::try_from(after.as_micros()).unwrap_or(0), Relaxed);
}
/// Bytes came.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) fn came(bytes: u64) {
    BYTES.fetch_add(bytes, Relaxed);
}
/// Bytes went out, and were answered.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) fn sent(bytes: u64) {
    SENT.fetch_add(bytes, Relaxed);
}
/// An object was written without a condition.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) fn unconditional() {
    UNCONDITIONAL.fetch_add(1, Relaxed);
}
/// Bytes were handed to who asked for them.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(super) fn used(bytes: u64) {
    USED.fetch_add(bytes, Relaxed);
}
