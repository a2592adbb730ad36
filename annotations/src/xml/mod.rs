//! XML for label files: bytes in, elements out, with the line of each.
//!
//! What label tools write needs no document type and no entities of its own, and both are how XML is made to explode or
//! to reach for other files: a declaration inside of the file, or of another file, is refused. Attributes and escapes are
//! read by the crate `quick-xml`; what stands here cuts the text into tags, however the bytes arrive.
//!
//! | file | what it holds |
//! |---|---|
//! | `decode.rs` | bytes to text: UTF-8, UTF-16 and Latin-1, as the file declares |
//! | `tokens.rs` | the text cut into tags and what stands between them |
//! | `node.rs` | elements as small trees, one at a time |
//! | `write.rs` | elements written, with their escapes |

mod decode;
mod node;
mod tokens;
mod write;

pub(super) use node::{Elements, Node, document};
pub(super) use write::{Writer, is_held};
