//! FFCV's `.beton`: a table with a row for each sample, and the images that it points to.
//!
//! The size of an image's file stands only in a table at the end, which says of every place how many bytes are there. Both
//! tables are read to open a file, and of the rest only what is wanted.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | from the head to both tables |
//! | `file.rs` | the samples |

mod file;
mod open;

pub use file::Beton;
pub use open::Opener;

/// Bytes of the head, and of what it says of each field.
const HEAD: u64 = 24;
const FIELD: u64 = 1 + 16 + 1024;

/// Whether a file begins as one of FFCV. There is no magic number: the version, how many fields, the size of pages, samples,
/// and where the table of places lies.
pub(crate) fn is_beton(head: &[u8]) -> bool {
    let [2, 0, 1..=64, 0, p0, p1, p2, p3, rest @ ..] = head else { return false };
    let page = u32::from_le_bytes([*p0, *p1, *p2, *p3]);
    let number = |at: usize| rest.get(at..).and_then(|rest| rest.first_chunk::<8>()).map(|n| u64::from_le_bytes(*n));
    let sound = |n: Option<u64>| n.is_some_and(|n| (1..1 << 48).contains(&n));
    page.is_power_of_two() && page >= 1 << 10 && sound(number(0)) && sound(number(8))
}
