//! Samples of any kind, odd ones too: what is written is sound, what is asked for is found or refused by name, and one
//! bad record hides no other.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

mod command;
mod curating;
mod filters;
mod inputs;
mod odd;
mod piped;
mod sound;
mod thumbs;
#[path = "../../../../native/tests/common/whole.rs"]
mod whole;
mod zip;
