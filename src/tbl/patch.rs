//! The last touches that make bytes already written into a file.

/// A step of the host at the end, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Patch {
    /// Copy bytes inside the file. Source and target may overlap: the result is as if copied through memory.
    Move {
        /// Where they are.
        from: u64,
        /// Where they go.
        to: u64,
        /// How many.
        len: u64,
    },
    /// Write these bytes.
    Bytes {
        /// Where.
        at: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// Write zeros.
    Zero {
        /// Where.
        at: u64,
        /// How many.
        len: u64,
    },
    /// Write what the metadata writer gave out, in order.
    Spool {
        /// Where.
        at: u64,
        /// How many bytes that must be.
        len: u64,
    },
    /// The file ends here.
    End {
        /// Its length.
        len: u64,
    },
}
