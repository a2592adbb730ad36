//! Layout L: typed columns without names.

mod open;

pub(super) use open::read;
