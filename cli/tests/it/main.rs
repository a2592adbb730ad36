//! The commands. Everything is one program, which is linked once; only the fuzz targets are another, `tests/fuzz.rs`, for they
//! count memory.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests of files, sockets and processes")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../tests/common/mod.rs"]
mod core_common;
#[path = "../../../tests/common/dice.rs"]
mod dice;
#[cfg(feature = "remote")]
#[path = "../../../native/tests/it/remote/secured.rs"]
mod secured;
#[cfg(feature = "remote")]
#[path = "../../../native/tests/it/remote/server.rs"]
mod server;
#[path = "../../../tests/common/warehouses.rs"]
mod warehouses;
#[path = "../../../tests/zip_made/mod.rs"]
mod zip_made;

mod cli;
mod drift;
mod edits;
mod errors_doc;
mod faults;
mod labels;
mod large;
mod reading;
mod releases;
mod remote;
mod samples;
mod schemas;
mod serve;
mod tables;
mod terminal;
mod turboloader;
mod warehouse;
mod writing;
