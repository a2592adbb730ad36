//! JSON with places: every value knows where it lies, so that an error names line, character and path.
//!
//! | file | what it holds |
//! |---|---|
//! | `cursor.rs` | reads values one after the other, and says where it needs more bytes |
//! | `fault.rs` | why it stopped |
//! | `number.rs` | numbers |
//! | `text.rs` | texts and their escapes |
//! | `feed.rs` | the bytes of a text of any length, and the lines of it |
//! | `node.rs` | a document as a tree, for files of one picture |
//! | `write.rs` | the same, outwards |

mod cursor;
mod fault;
mod feed;
mod node;
mod number;
mod text;
mod write;

pub(crate) use cursor::Cursor;
pub(crate) use fault::{Got, Stop, within};
pub(crate) use feed::Feed;
pub(crate) use node::{Lines, Node, Object, Value, document};
pub(crate) use number::Number;
pub(crate) use write::{Pieces, number, string, whole};
