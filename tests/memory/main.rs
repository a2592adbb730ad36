//! Tests that count what this process allocates. One runs at a time: each takes its turn by [`alone`].
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests are hosts: they read files, by the clock"
)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use peak_alloc::PeakAlloc;

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/warehouses.rs"]
mod warehouses;

// The fuzz targets of the core, as pages and small builds have it: see `FUZZ` in scripts/lib/forebay.mjs.
#[cfg(all(not(feature = "zstd"), feature = "curate", feature = "decode", feature = "transform"))]
mod fuzz;
mod idv_hostile;
mod picture_memory;
mod tables_at_scale;
mod warehouse_hostile;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

static ALONE: Mutex<()> = Mutex::new(());

/// The turn of a test, which ends when this is dropped.
fn alone() -> MutexGuard<'static, ()> {
    // A test that failed is not a reason for the others to.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
