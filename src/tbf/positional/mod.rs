//! Layout S: columns without names and types, read by the caller's list of them.

mod open;

pub(super) use open::read;
