//! Parquet and Arrow without I/O.

mod claims;
mod ranges;
