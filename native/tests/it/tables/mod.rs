//! Tables through every format and back.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

mod conversion;
mod corpus;
mod every_pair;
mod generate;
mod hostile;
mod long;
mod round_trip;
mod same;
mod threads;
mod whole;
