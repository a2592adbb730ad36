//! The sample dataset: images drawn by code, with labels and boxes, the same bytes on every machine.
//!
//! | module | content |
//! |---|---|
//! | [`picture`] | a labeled image from a number |
//! | [`encode`] | its bytes as JPEG, PNG, WebP or BMP |
//! | [`dataset`] | many of them as a WebDataset TAR, the same bytes on every run |

#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a host: files and threads are its own")]

pub mod dataset;
pub mod encode;
pub mod picture;
