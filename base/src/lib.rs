//! What Forebay's core and its label formats stand on: one error with a stable code and a place, bounds on what a file may
//! cost, and how bytes come in.
//!
//! The crate `forebay` hands all of it on, under the paths that its documentation promises: depend on that one.

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// A file can never make this panic on purpose; tests may.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

pub mod error;
pub mod image;
pub mod limits;
#[doc(hidden)]
pub mod path;
pub mod sample;
pub mod step;
#[doc(hidden)]
pub mod words;

pub use error::{Error, Result};
pub use limits::Limits;
