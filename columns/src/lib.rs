//! Parquet and Arrow for Forebay, without I/O.
//!
//! Other crates decode these formats; what stands here is around them: what a file claims is checked before those crates act
//! on it, their types become ours and back, and a file is read by ranges that somebody else fetches. So the command, which has
//! files, and a page, which has none, read and write the same.
//!
//! | file | what it holds |
//! |---|---|
//! | `arrow/` | tables and columns as Arrow's, and back |
//! | `codes.rs` | what their errors are |
//! | `guard.rs` | panics of those crates as errors |
//! | `hugging.rs` | what Hugging Face's `datasets` says of pictures and classes |
//! | `ranges.rs` | the file as those crates ask for it |
//! | `sink.rs` | what writing needs of its host |
//! | `thrift.rs` | Thrift's compact protocol, as far as claims are looked for |
//! | `parquet/` | footers, pages and statistics of Parquet; a file as the core's table; a table written |
//! | `zstd.rs` | Zstandard unpacked without the C library |
//! | `ipc/` | messages of Arrow IPC; a file or stream as the core's table; a table written |
//!
//! Nothing here is promised beside [`arrow`].

pub mod arrow;
#[doc(hidden)]
pub mod codes;
#[doc(hidden)]
pub mod guard;
#[doc(hidden)]
pub mod hugging;
#[doc(hidden)]
pub mod ipc;
#[doc(hidden)]
pub mod parquet;
#[doc(hidden)]
pub mod ranges;
#[doc(hidden)]
pub mod sink;
mod thrift;
mod zstd;
