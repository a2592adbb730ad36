//! The command `forebay`, and `tar_to_tbl`: arguments, what is printed, exit codes, signals, and the server.
//!
//! What they do to files is the crate `forebay_native`. This crate is for its two binaries, and a library only for them
//! and for tests.
//!
//! | module | what it holds |
//! |---|---|
//! | [`command`], [`tar_to_tbl`] | the two commands |
//! | [`serve`] | the viewer over HTTP, on files of this machine |
//! | `schema` | with the feature `schema`: JSON Schemas of what `--json` prints |

// The clock, threads and files that the core must not touch are this crate's work.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]
#![forbid(unsafe_code)]
// They panic where nobody listens; `output` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)]

pub mod command;
mod exit;
mod hints;
mod human;
mod output;
mod progress;
pub mod serve;
mod signals;
pub mod tar_to_tbl;
mod words;

#[cfg(feature = "schema")]
pub use command::schema;
pub use exit::exit_code;

/// The error codes of this crate, beside those of [`forebay_native::codes`].
pub fn codes() -> impl Iterator<Item = &'static forebay::error::Code> {
    serve::codes::ALL.iter().copied()
}
