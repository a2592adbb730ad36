//! Addresses as outputs: what a command writes there is what it writes into a file, whole or not at all.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files, sockets and processes")]
#![cfg(feature = "remote")]

mod place;

mod commands;
mod conditions;
mod faults;
mod kills;
mod parts;
mod same;
