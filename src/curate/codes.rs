//! What can be wrong with curating.

use crate::error::Code;

/// Too many comparisons.
pub const MANY: Code = Code::limit(
    "curate.many",
    "The hashes of too many images resemble each other, and comparing them would take too long; a smaller distance asks for less.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[&MANY];
