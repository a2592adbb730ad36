//! Other crates' panics about a file are damage, and no reason to stop the process: [`forebay::guard`] for those that read
//! Parquet and Arrow.

use forebay::Result;

use crate::codes;

/// Does work that may panic over what a file claims.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    forebay::guard::guarded(&codes::ARROW, work)
}
