//! Panics of the crates that read Parquet and Arrow, as errors.

use crate::codes;

/// The core's guard, for panics of those crates.
pub fn guarded<T>(work: impl FnOnce() -> forebay::Result<T>) -> forebay::Result<T> {
    forebay::guard::guarded(&codes::ARROW, work)
}
