//! JSON lines, and arrays of objects.
//!
//! | file | what it holds |
//! |---|---|
//! | `values.rs` | one object after the other, as they lie in the text |
//! | `wide.rs` | numbers that no type holds |
//! | `rows.rs` | objects into columns |
//! | `write.rs` | the same, outwards |

mod rows;
mod values;
mod wide;
mod write;

pub(super) use rows::JsonRows;
pub use values::{is_json, same_json};
pub use write::JsonWriter;
