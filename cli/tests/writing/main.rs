//! Addresses as outputs: what a command writes there is what it writes into a file, whole or not at all.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files, sockets and processes")]
#![cfg(feature = "remote")]

#[path = "../common/mod.rs"]
mod common;
mod place;
#[path = "../../../native/tests/remote/server.rs"]
mod server;

mod commands;
mod conditions;
mod faults;
mod kills;
mod parts;
mod same;
