//! Forebay's core: opens, checks, converts and feeds machine-learning dataset files.
//!
//! The core knows no files, threads, clock, network or browser. It says which bytes it needs
//! ([`step`]), a host fetches them, and pure functions do the rest; so one code base serves a memory map, a
//! browser's `Blob` and an HTTP range. The crate `forebay-native` is the host for files.
//!
//! # Where things are
//!
//! | module | what it holds |
//! |---|---|
//! | [`error`], [`catalog`] | one error with a stable code and a place; every code there is |
//! | [`limits`] | bounds on what a file may cost |
//! | [`step`] | how bytes come in |
//! | [`formats`], [`detect`] | the table of formats; which of them a file has |
//! | [`codec`] | LZ4 and Zstandard |
//! | [`tar`] | TAR archives and WebDataset groups, read and written |
//! | [`tbl`] | TBL v2, both layouts: open, read, write, check |
//! | [`sample`] | what one sample is: media formats, planned reads, records, statistics |
//! | [`samples`] | containers of samples of any format: opened, selected, checked, converted |
//! | [`check`] | what a check reports |
//! | [`filter`] | the expression language that selects samples and rows |
//! | [`order`] | which sample comes when, for every epoch, rank and worker |
//! | [`image`] | size and format of pictures without decoding them |
//! | [`table`] | the table model: schema, typed columns, batches, cells |
//! | [`tbf`] | TBF, all six layouts that have the name |
//! | [`idv`] | ML.NET's binary data view |
//! | [`text`] | CSV and JSON lines |
//! | [`tables`] | a table of any of these formats, opened, read and converted |
//!
//! # What is promised
//!
//! What this documentation shows follows semantic versioning. Items that it does not show are what Forebay's own crates
//! share; any release may change them.
//!
//! The modules `annotations` (label formats), `curate` (duplicates, outliers, splits), `doors` (records that other programs
//! write), `edits` (journals of changes), `warehouse` (shards of tensors) and `zip` (archives, by their directory) are new and
//! still among the latter: what they can do is in `docs/labels.md`, `docs/curating.md`, `docs/formats/doors.md`,
//! `docs/edits.md`, `docs/warehouse.md` and `docs/formats/zip.md`.

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// A file can never make the core panic on purpose; tests may.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

pub mod catalog;
pub mod check;
pub mod codec;
#[cfg(feature = "curate")]
#[doc(hidden)]
pub mod curate;
#[doc(hidden)]
pub mod cursor;
pub mod detect;
#[cfg(feature = "doors")]
#[doc(hidden)]
pub mod doors;
#[doc(hidden)]
pub mod edits;
pub mod filter;
mod foreign;
pub mod formats;
#[doc(hidden)]
pub mod guard;
pub mod idv;
pub mod image;
#[doc(hidden)]
pub mod msgpack;
pub mod order;
#[doc(hidden)]
pub mod random;
pub mod sample;
pub mod samples;
pub mod table;
pub mod tables;
pub mod tar;
pub mod tbf;
pub mod tbl;
pub mod text;
#[cfg(feature = "warehouse")]
#[doc(hidden)]
pub mod warehouse;
#[cfg(feature = "zip")]
#[doc(hidden)]
pub mod zip;

#[doc(hidden)]
pub use forebay_annotations as annotations;
#[doc(inline)]
pub use forebay_base::step::{Step, Stepper, Turn};
#[doc(hidden)]
pub use forebay_base::words;
#[doc(inline)]
pub use forebay_base::{Error, Limits, Result, error, limits, step};
