//! Tables through every format and back.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

#[path = "../../../tests/common/mod.rs"]
mod common;
mod conversion;
mod corpus;
#[path = "../../../tests/common/dice.rs"]
mod dice;
mod every_pair;
mod generate;
mod hostile;
mod long;
mod round_trip;
mod same;
mod threads;
mod whole;
