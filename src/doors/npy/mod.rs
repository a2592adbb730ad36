//! Arrays of NumPy: `.npy`, one array, and `.npz`, a ZIP of several.
//!
//! An array of images has three dimensions or four; its labels are an array as long as it is. Both are found by shape and
//! name. Pixels of 8 or 16 bits come as PNG, and rows of other numbers as arrays of their own. Arrays of objects are pickles:
//! to read them is to run what they say, so they are refused.
//!
//! | file | what it holds |
//! |---|---|
//! | `header.rs` | the type and shape of an array |
//! | `array.rs` | an array, and one row of it |
//! | `open.rs` | from the first bytes to the arrays |
//! | `fit.rs` | which arrays are images, and which their labels |
//! | `file.rs` | the samples |

mod array;
mod file;
mod fit;
mod header;
mod open;

pub use file::Arrays;
pub use open::Opener;

/// The first bytes of an array's file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
