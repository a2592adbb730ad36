//! Labels, in a module of their own that a page loads when it reads or writes some.
//!
//! | file | what it holds |
//! |---|---|
//! | `read.rs` | a file or a folder of labels of any format |
//! | `set.rs` | labels as JavaScript has them: taken in, handed out, written |
//! | `model.rs` | the fields of pictures, annotations and classes in JSON |

pub(crate) mod model;
mod read;
mod set;

pub use read::{LabelReader, detect_labels, match_labels, read_project};
pub use set::LabelSet;
