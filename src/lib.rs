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
//! | [`step`], [`cursor`] | how bytes come in; how fields are read from them |
//! | [`formats`], [`detect`] | the table of formats; which of them a file has |
//! | [`codec`] | LZ4, Zstandard and the checksums |
//! | [`tar`] | TAR archives and WebDataset groups, read and written |
//! | [`tbl`] | TBL v2, both layouts: open, read, write, check |
//! | [`sample`] | what one sample is: media formats, planned reads, records, statistics |
//! | [`samples`] | containers of samples of any format: opened, selected, checked, converted |
//! | [`check`] | what a check reports |
//! | [`filter`] | the expression language that selects samples and rows |
//! | [`order`] | which sample comes when, for every epoch, rank and worker |
//! | [`random`] | random numbers as arithmetic |
//! | [`image`] | size and format of pictures without decoding them |
//! | [`table`] | the table model: schema, typed columns, batches, cells |
//! | [`tbf`] | TBF, all six layouts that have the name |
//! | [`idv`] | ML.NET's binary data view |
//! | [`warehouse`] | tensor warehouses: shards of tensors with boxes, and their manifest |
//! | [`text`] | CSV and JSON lines |
//! | [`annotations`] | boxes, masks and classes: one model, and the label formats |
//! | [`tables`] | a table of any of these formats, opened, read and converted |

#![forbid(unsafe_code)]
// A file can never make the core panic on purpose; tests may.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

pub mod annotations;
pub mod catalog;
pub mod check;
pub mod codec;
#[doc(hidden)]
pub mod cursor;
pub mod detect;
pub mod error;
pub mod filter;
mod foreign;
pub mod formats;
pub mod idv;
pub mod image;
pub mod limits;
#[doc(hidden)]
pub mod msgpack;
pub mod order;
pub mod random;
pub mod sample;
pub mod samples;
pub mod step;
pub mod table;
pub mod tables;
pub mod tar;
pub mod tbf;
pub mod tbl;
pub mod text;
pub mod warehouse;
pub mod words;

pub use error::{Error, Result};
pub use limits::Limits;
// Under the names by which they are known.
pub use sample::{model, plan, record, stats};
pub use samples::open as dataset;
pub use step::{Step, Stepper, Turn};
