//! Edits: a journal of changes to a dataset that stays as it is, and what comes of applying it.
//!
//! A [`Journal`] is a file of lines, described to the byte in `docs/edits.md`: what it is of ([`Identity`]), then one
//! [`Change`] a line. [`Edited`] is what they come to; [`Apply`] makes a TBL of it, in which payloads are ranges of the
//! old file and are copied as they are, or changes the metadata of the old one in place.
//!
//! ```
//! use forebay::edits::{Change, Identity, Journal};
//! # let of = Identity::of_folder([("a.jpg", 3)].into_iter(), 1, "pictures");
//! let mut journal = Journal::new(of);
//! let line = journal.push(Change::parse(r#"{"do":"tag","sample":0,"add":["night"]}"#)?)?;
//! assert_eq!(line, "{\"n\":1,\"do\":\"tag\",\"sample\":0,\"add\":[\"night\"],\"remove\":[],\"crc\":\"b0732e0f\"}\n");
//! let back = Journal::parse(journal.text().as_bytes(), &forebay::Limits::default())?;
//! assert_eq!(back.changes(), journal.changes());
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `identity.rs` | which file a journal is of |
//! | `change.rs`, `journal.rs` | a change, a line, the lines |
//! | `edited.rs`, `draft.rs`, `tree.rs` | what they come to: the order of samples, their records |
//! | `apply.rs` | a TBL with the changes |
//! | `over.rs` | the samples as they would be |
//! | `merge.rs` | two journals with a common beginning |
//! | `codes.rs` | what can be wrong |

mod apply;
mod change;
#[doc(hidden)]
pub mod codes;
mod draft;
mod edited;
mod identity;
mod journal;
mod merge;
mod over;
mod tree;

pub use apply::{Apply, Landing, Piece};
pub use change::{Blob, Change, Field, Given, STATES};
pub use edited::{Added, Edited};
pub use identity::Identity;
pub use journal::Journal;
pub use merge::{Conflict, Merged, Side, merge};
#[doc(hidden)]
pub use over::Over;
