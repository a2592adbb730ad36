//! Tables through the core's public interface: IDV, the layouts of TBF, texts in pieces. What counts memory has programs of its own
//! beside this folder: there it must be alone.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/dice.rs"]
mod dice;

mod idv;
mod tbf;
mod tbf_round_trip;
mod text_pieces;
