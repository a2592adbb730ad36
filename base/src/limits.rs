//! How much a file may make Forebay allocate.
//!
//! Every number in a file is a claim. Before a number sizes an allocation it is checked against the bytes that
//! exist and against these limits.
//!
//! ```
//! # use forebay_base as forebay;
//! use forebay::Limits;
//! let limits = Limits::browser().with_item_bytes(1 << 20);
//! assert!(limits.item(2 << 20).is_err());
//! ```

use crate::error::{Error, Result};

/// The bounds that every reader keeps.
///
/// ```
/// # use forebay_base as forebay;
/// use forebay::Limits;
/// let limits = Limits::host().with_index_bytes(1 << 30).with_metadata_bytes(64 << 20).with_pixels(20_000_000);
/// assert_eq!((limits.index_bytes, limits.pixels), (1 << 30, 20_000_000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest decompressed sample, column chunk or block. Stored payloads are borrowed and not charged.
    pub item_bytes: u64,
    /// The largest index.
    pub index_bytes: u64,
    /// The largest metadata section that is parsed as a whole.
    pub metadata_bytes: u64,
    /// How deep values may nest.
    pub nesting: u32,
    /// The most pixels an image may have to be decoded. Decoded they are three bytes each, and a decoder may hold as much
    /// again and more meanwhile: coefficients of progressive JPEGs, four bytes a pixel of lossless WebP.
    pub pixels: u64,
}

impl Limits {
    /// For a server or workstation: items to 256 MiB, an index to 16 GiB, metadata to 1 GiB, 89,478,485 pixels, which
    /// decoded are 256 MiB as well (the number from which Pillow warns of a bomb).
    pub const fn host() -> Self {
        Limits {
            item_bytes: 256 << 20,
            index_bytes: 16 << 30,
            metadata_bytes: 1 << 30,
            nesting: 128,
            pixels: (256 << 20) / 3,
        }
    }
    /// For a browser tab: items to 64 MiB, an index to 512 MiB, metadata to 128 MiB, 2^26 pixels, which decoded are
    /// 192 MiB: cameras and telephones take pictures of 50 million.
    pub const fn browser() -> Self {
        Limits {
            item_bytes: 64 << 20,
            index_bytes: 512 << 20,
            metadata_bytes: 128 << 20,
            nesting: 128,
            pixels: 1 << 26,
        }
    }
    /// Sets the largest decompressed item.
    #[must_use]
    pub const fn with_item_bytes(mut self, n: u64) -> Self {
        self.item_bytes = n;
        self
    }
    /// Sets the largest index.
    #[must_use]
    pub const fn with_index_bytes(mut self, n: u64) -> Self {
        self.index_bytes = n;
        self
    }
    /// Sets the largest metadata section that is parsed as a whole.
    #[must_use]
    pub const fn with_metadata_bytes(mut self, n: u64) -> Self {
        self.metadata_bytes = n;
        self
    }
    /// Sets the most pixels an image may have to be decoded.
    #[must_use]
    pub const fn with_pixels(mut self, n: u64) -> Self {
        self.pixels = n;
        self
    }

    /// Refuses an item of more than [`item_bytes`](Self::item_bytes); returns the size as `usize`.
    #[doc(hidden)]
    pub fn item(&self, bytes: u64) -> Result<usize> {
        charge(&codes::ITEM, "an item", "bytes", bytes, (self.item_bytes, "item_bytes"))
    }
    /// Refuses an index of more than [`index_bytes`](Self::index_bytes).
    #[doc(hidden)]
    pub fn index(&self, bytes: u64) -> Result<usize> {
        charge(&codes::INDEX, "the index", "bytes", bytes, (self.index_bytes, "index_bytes"))
    }
    /// Refuses metadata of more than [`metadata_bytes`](Self::metadata_bytes).
    #[doc(hidden)]
    pub fn metadata(&self, bytes: u64) -> Result<usize> {
        charge(&codes::METADATA, "the metadata", "bytes", bytes, (self.metadata_bytes, "metadata_bytes"))
    }
    /// Refuses a table whose columns take more than [`metadata_bytes`](Self::metadata_bytes) in whatever is made of it: few bytes
    /// of text name very many.
    #[doc(hidden)]
    pub fn columns(&self, columns: u64) -> Result<usize> {
        /// About what a column takes of memory before it has a value, in the formats that take most.
        const COLUMN: u64 = 8 << 10;
        charge(&codes::COLUMNS, "a table", "columns", columns, (self.metadata_bytes / COLUMN, "metadata_bytes / 8192"))
    }
    /// Refuses values nested deeper than [`nesting`](Self::nesting).
    #[doc(hidden)]
    pub fn depth(&self, depth: u32) -> Result<()> {
        if depth > self.nesting {
            return Err(Error::new(&codes::NESTING, format!("values nest deeper than {} levels", self.nesting)));
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        if cfg!(target_arch = "wasm32") { Self::browser() } else { Self::host() }
    }
}

fn charge(
    code: &'static crate::error::Code,
    what: &str,
    unit: &str,
    asked: u64,
    (limit, name): (u64, &str),
) -> Result<usize> {
    match usize::try_from(asked) {
        Ok(n) if asked <= limit => Ok(n),
        _ => Err(Error::new(code, format!("{what} of {asked} {unit} is over the limit of {limit} ({name})"))),
    }
}

/// The codes of limits.
#[doc(hidden)]
pub mod codes {
    use crate::error::Code;
    /// A decompressed item is too large.
    pub const ITEM: Code =
        Code::limit("limit.item", "One decompressed sample, block or column is larger than `item_bytes`.");
    /// The index is too large.
    pub const INDEX: Code = Code::limit("limit.index", "The index is larger than `index_bytes`.");
    /// The metadata is too large to parse as a whole.
    pub const METADATA: Code = Code::limit("limit.metadata", "The metadata section is larger than `metadata_bytes`.");
    /// A text has too many columns.
    pub const COLUMNS: Code =
        Code::limit("limit.columns", "A table of text has more columns than there are 8 KiB of `metadata_bytes` for.");
    /// Values nest too deeply.
    pub const NESTING: Code = Code::limit("limit.nesting", "Values nest deeper than `nesting` levels.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&ITEM, &INDEX, &METADATA, &COLUMNS, &NESTING];
}
