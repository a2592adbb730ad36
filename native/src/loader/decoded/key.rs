//! What a kept picture is called.

use forebay::order::Item;

/// Which entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub source: u32,
    /// The number of the content, or the eighths of a whole picture.
    pub variant: u32,
    pub sample: u64,
}

impl Key {
    /// Of an item with its number in its file.
    pub fn new(item: &Item, variant: u32) -> Key {
        Key { source: item.source as u32, variant, sample: item.sample }
    }
}
