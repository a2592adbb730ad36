//! Tables through every format and back, and the command over them.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

mod command;
#[path = "../../../tests/common/mod.rs"]
mod common;
mod conversion;
mod corpus;
#[path = "../../../tests/common/dice.rs"]
mod dice;
mod every_pair;
mod foreign;
mod generate;
mod hostile;
mod losses;
mod packed;
mod pruning;
mod round_trip;
mod same;
mod threads;
mod unread;
mod whole;
mod wide;
