//! Layout U: values without tags, read by the Rust type that the caller names.

mod open;

pub(super) use open::read;
