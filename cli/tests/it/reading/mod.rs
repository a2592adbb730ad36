//! How files are read: what disks and other people do meanwhile, pipes, and damaged compression. Every command is held to
//! it; one that is new is missing from the table in `commands.rs`, which a test says.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files and processes")]
#![cfg(target_os = "linux")]

mod commands;
mod compressed;
mod faults;
mod pipes;
mod place;
mod serving;
mod sources;
