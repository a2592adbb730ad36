//! Arrow IPC: what is checked before its crate acts on it, and a file or stream as the core's table.

mod messages;
mod table;
mod unpack;
mod write;

pub use messages::{CONTINUATION, Decoder, apart, description, footer, message, parse, places};
pub use table::{IpcOpener, IpcTable};
pub use write::IpcSink;

use forebay::Error;

use crate::codes;

/// The bytes contradict the format.
pub fn damaged(message: impl Into<String>) -> Error {
    Error::new(&codes::ARROW, message)
}

/// How buffers are packed by the word of it, where it needs no C library.
pub fn compression(word: &str) -> Option<Option<arrow_ipc::CompressionType>> {
    match word {
        "none" => Some(None),
        "lz4" => Some(Some(arrow_ipc::CompressionType::LZ4_FRAME)),
        _ => None,
    }
}
