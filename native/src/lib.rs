//! Forebay on a machine: files in and out, memory maps, parallel conversion, and the loader.
//!
//! The formats themselves are the crate `forebay`; this crate gives it bytes and takes bytes from it.
//!
//! ```no_run
//! use forebay_native::Dataset;
//! let dataset = Dataset::open("train.tbl")?;
//! let info = dataset.info(17)?;
//! let payload = dataset.payload(17)?;
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`dataset`] | a TBL, a TAR or a folder, opened |
//! | [`convert`] | any of these into a TBL or TAR, on all cores |
//! | [`edits`] | journals of changes, written and applied |
//! | [`sharding`] | many of these into many shards, each on its own |
//! | [`loader`] | batches of tensors for training, of pictures or of a warehouse |
//! | [`labels`] | label files and folders of them: COCO, YOLO, Pascal VOC, CVAT, Label Studio and others |
//! | [`shards`] | a tensor warehouse, opened |
//! | [`warehouse`](mod@warehouse) | tensor warehouses, built |
//! | [`check`](mod@check) | every fault of a file, on all cores |
//! | [`input`] | files in, read or mapped |
//! | [`cache`] | bytes of files elsewhere, kept on this machine's disk |
//! | [`remote`] | files in stores of objects and behind HTTP, by address |
//! | [`tables`] | CSV, JSON lines, Parquet, Arrow, TBF and IDV, in and out |

// The clock, threads and files that the core must not touch are this crate's work.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(unsafe_code)]
// They panic where nobody listens, and what is said is for the host to say.
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

#[doc(hidden)]
pub mod ahead;
pub mod cache;
pub mod check;
pub mod convert;
#[doc(hidden)]
pub mod cost;
#[doc(hidden)]
pub mod curate;
pub mod dataset;
#[doc(hidden)]
pub mod difference;
mod doors;
pub mod edits;
#[doc(hidden)]
pub mod extract;
#[doc(hidden)]
pub mod folder;
mod half_written;
mod identity;
pub mod input;
pub mod labels;
pub mod loader;
#[doc(hidden)]
pub mod map;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod parallel;
mod parquets;
#[doc(hidden)]
pub mod plan;
pub mod select;
pub mod sharding;
pub mod shards;
pub mod simulate;
pub mod tables;
#[doc(hidden)]
pub mod thumbs;
pub mod warehouse;

pub use dataset::{Dataset, OpenOptions};
pub use input::{Input, remote};

/// The error codes of this crate, beside those of [`forebay::catalog`].
pub fn codes() -> impl Iterator<Item = &'static forebay::error::Code> {
    [
        parallel::codes::ALL,
        convert::codes::ALL,
        input::codes::ALL,
        loader::codes::ALL,
        input::remote::codes::ALL,
        sharding::codes::ALL,
        thumbs::codes::ALL,
        warehouse::codes::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The Rust code of the README, so that it compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The Rust code of `docs/loader.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/loader.md")]
struct LoaderGuide;

/// The Rust code of `docs/remote.md`.
#[cfg(all(doctest, feature = "remote"))]
#[doc = include_str!("../../docs/remote.md")]
struct RemoteGuide;

/// The Rust code of `docs/tables.md`.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tables.md")]
struct TablesGuide;
