//! Parquet and Arrow without I/O.

mod claims;
mod ranges;
#[cfg(feature = "samples")]
mod samples;
