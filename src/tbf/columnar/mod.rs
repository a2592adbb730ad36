//! Layout C: named columns over one dictionary.

mod open;

pub use open::ColumnarWriter;
pub(super) use open::read;
