//! The core through its public interface. Everything is one program, which is linked once; only what counts memory is another,
//! `tests/memory`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/dice.rs"]
mod dice;
#[cfg(any(feature = "decode", feature = "transform"))]
#[path = "../common/images.rs"]
mod images;
#[cfg(feature = "jpeg")]
#[path = "../jpeg_made/mod.rs"]
mod jpeg_made;
#[path = "../common/warehouses.rs"]
mod warehouses;
#[path = "../zip_made/mod.rs"]
mod zip_made;

mod cookbook;
mod pictures;
mod samples;
mod tables;
