//! Tools of the project: a store of objects on loopback, slow as a far one; types of other languages, made from Rust's.

#![forbid(unsafe_code)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tools are hosts: files and threads are theirs"
)]

pub mod store;
#[cfg(feature = "types")]
pub mod types;
