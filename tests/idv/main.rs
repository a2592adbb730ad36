//! IDV against real files, hostile bytes, its own writer and ML.NET itself.
#![allow(clippy::disallowed_methods, missing_docs)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/dice.rs"]
mod dice;

mod as_json;
mod faults;
mod generate;
mod ml_net;
mod requests;
mod round_trip;
mod twins;
