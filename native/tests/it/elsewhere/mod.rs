//! Files that do not lie on this machine: kept in a cache, and read ahead.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files, threads and processes")]
#![allow(clippy::single_range_in_vec_init, reason = "one request is compared with a list of one")]

mod fake;

mod ahead;
mod cache;
mod shared;
