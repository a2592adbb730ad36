//! Pictures through the core's public interface: probed, decoded, made into tensors. What counts memory has a program of its own
//! beside this folder: there it must be alone.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

#[path = "../common/mod.rs"]
mod common;
#[cfg(any(feature = "decode", feature = "transform"))]
#[path = "../common/images.rs"]
mod images;
#[cfg(feature = "jpeg")]
#[path = "../jpeg_made/mod.rs"]
mod jpeg_made;

mod augment;
mod decode;
mod image_probe;
mod jpeg;
mod jpeg_scans;
mod jpeg_structures;
mod mix;
mod together;
mod transform;
