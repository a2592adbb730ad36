//! What the command does where the machine, the caller or another process does not play along: no panic, no half
//! output, no lost file, and an exit code that says what became of the work. docs/cli.md, "When something goes wrong",
//! is what is held here.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files and processes")]
#![cfg(unix)]

#[cfg(feature = "remote")]
mod caching;
mod crash;
mod extracting;
mod folders;
mod outputs;
mod printing;
mod random;
mod sharding;
mod shards;
mod shim;
mod signals;
mod stock;
mod threads;
