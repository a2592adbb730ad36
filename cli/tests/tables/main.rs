//! The command over tables.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

mod command;
#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/common/dice.rs"]
mod dice;
mod foreign;
#[path = "../../../native/tests/tables/long.rs"]
mod long;
mod losses;
mod packed;
mod pruning;
mod threads;
mod unread;
mod wide;
