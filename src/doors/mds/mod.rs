//! MDS, the shards of MosaicML Streaming.
//!
//! A shard begins with how many samples it has and where each begins; then comes its description as JSON, and then the samples:
//! the sizes of those columns that vary, and the columns. So a shard says all about itself, and the file `index.json` beside
//! the shards, which is easily lost, is not needed: where it is, it is compared with them.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | from the first bytes of each shard to its samples |
//! | `shard.rs` | what a shard says of itself |
//! | `file.rs` | the samples of all shards |
//! | `value.rs` | the encodings of columns |
//! | `array.rs` | arrays |

mod array;
mod file;
mod open;
mod shard;
mod value;

pub use file::Mds;
pub use open::{Opener, Part};

/// The most bytes of a shard's description.
pub(crate) const LONGEST: u64 = 1 << 20;

/// Whether a file that begins with `head` may be a shard. There is no magic number, but the first sample begins behind as
/// many places as are announced, and behind a description.
pub(crate) fn is_shard(head: &[u8]) -> bool {
    let number = |k: usize| head.get(k * 4..)?.first_chunk::<4>().map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
    let (Some(samples), Some(first)) = (number(0), number(1)) else { return false };
    let places = 4 * (samples + 2);
    if first <= places + 2 || first > places + LONGEST {
        return false;
    }
    // The description, if it is in sight.
    if let Some(text) = usize::try_from(places).ok().and_then(|at| head.get(at..)).filter(|text| !text.is_empty()) {
        return text.starts_with(b"{\"");
    }
    let places: Vec<_> = (1..head.len() / 4).filter_map(number).collect();
    places.is_sorted() && places.len() > 8
}
