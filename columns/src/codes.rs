//! The codes of Parquet and Arrow, and which words of their crates are not about the file.

#[cfg(feature = "samples")]
pub use forebay::doors::codes::NO_PAYLOAD;
pub use forebay::{
    table::codes::TARGET,
    tables::codes::{ARROW, ROUTE},
};

/// True for words of the Arrow crates that are about themselves and not about the file.
pub fn says_unsupported(text: &str) -> bool {
    ["NYI: ", "Not yet implemented: ", "Disabled feature at compile time", "not enabled", "requires the zstd feature"]
        .into_iter()
        .any(|words| text.contains(words))
}
