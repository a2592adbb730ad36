//! Samples through the core's public interface: their files, the engine over them, orders, filters, labels, changes. What counts
//! memory has programs of its own beside this folder: there it must be alone.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/warehouses.rs"]
mod warehouses;
#[path = "../zip_made/mod.rs"]
mod zip_made;

mod annotations;
mod curate;
mod edits;
mod engine;
mod filter;
mod formats;
mod order;
mod sampling;
mod tar;
mod tar_hostile;
mod tbl;
mod warehouse;
mod warehouse_drift;
mod zip;
