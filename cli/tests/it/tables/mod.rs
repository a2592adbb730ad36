//! The command over tables.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

mod command;
mod foreign;
#[path = "../../../../native/tests/it/tables/long.rs"]
mod long;
mod losses;
mod packed;
mod pruning;
mod threads;
mod unread;
mod wide;
