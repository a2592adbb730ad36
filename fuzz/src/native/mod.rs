//! What is read with the help of the machine's own crates: Parquet and Arrow, compressed text, requests, names of files.

pub(crate) mod arrow;
pub(crate) mod command;
pub(crate) mod extract;
pub(crate) mod packed;
pub(crate) mod serve;
