//! Files that lie elsewhere: in a store of objects, or behind HTTP. Their addresses stand wherever a path does.
//!
//! An object becomes one more [`Source`](crate::input::Source), so nothing above knows that its bytes come from afar:
//!
//! | module | what it holds |
//! |---|---|
//! | `address` | what an address says |
//! | `settings`, `profile` | credentials and endpoints: the environment, files, and what the caller gives |
//! | `sense` | whether what is set can mean anything |
//! | `store` | which client speaks to which bucket |
//! | `hub` | datasets on Hugging Face's Hub |
//! | `client` | one HTTP client for all, which watches what is answered |
//! | `runtime` | the only place that is asynchronous for others |
//! | `fetch`, `patience`, `fault` | one range: asked for, tried again, compared with what is known; what went wrong |
//! | `plan`, `runs` | which requests are made: near ranges together, and ahead of who reads on |
//! | `source`, `waiting` | the object as a source |
//! | `list` | patterns and folders |
//! | `objects` | whether one is there, and its removal |
//! | `upload`, `placing` | an object that is written: its parts, and the moment in which it appears |
//! | `parts` | uploads that nobody came to the end of |
//! | `traffic` | how many requests and bytes |

mod address;
#[cfg(feature = "remote")]
mod client;
#[doc(hidden)]
pub mod codes;
#[cfg(feature = "remote")]
mod fault;
#[cfg(feature = "remote")]
mod fetch;
#[cfg(feature = "remote")]
mod hub;
#[cfg(feature = "remote")]
mod list;
#[cfg(not(feature = "remote"))]
mod none;
#[cfg(feature = "remote")]
mod objects;
#[cfg(feature = "remote")]
mod parts;
mod patience;
#[cfg(feature = "remote")]
mod placing;
#[cfg(feature = "remote")]
mod plan;
#[cfg(feature = "remote")]
mod profile;
#[cfg(feature = "remote")]
mod runs;
#[cfg(feature = "remote")]
mod runtime;
#[cfg(feature = "remote")]
mod sense;
mod settings;
#[cfg(feature = "remote")]
mod source;
#[cfg(feature = "remote")]
mod store;
mod traffic;
#[cfg(feature = "remote")]
mod upload;
#[cfg(feature = "remote")]
mod waiting;

use std::path::{Path, PathBuf};

/// Files elsewhere that are opened at once, at most.
const SIDE_BY_SIDE: usize = 16;

use forebay::{
    Error, Result,
    formats::{Format, Holds},
};

use address::Address;
pub(crate) use address::unsigned;
#[doc(hidden)]
pub use address::{beneath, decoded, is_remote, local, shown};
#[cfg(feature = "remote")]
pub(crate) use list::matching;
#[cfg(feature = "remote")]
#[doc(hidden)]
pub use list::{Listed, below};
#[cfg(not(feature = "remote"))]
pub use none::open;
#[cfg(not(feature = "remote"))]
#[doc(hidden)]
pub use none::{Listed, Unfinished, below, end_unfinished, unfinished};
#[cfg(not(feature = "remote"))]
pub(crate) use none::{Placed, Upload, abandon_all, copy, first_bytes, found, known_len, matching, open_path, remove};
#[cfg(feature = "remote")]
pub(crate) use objects::{copy, found, remove};
#[cfg(feature = "remote")]
#[doc(hidden)]
pub use parts::{Unfinished, end_unfinished, unfinished};
#[doc(hidden)]
pub use patience::{FORGIVES, TRIES, wait};
#[cfg(feature = "remote")]
pub(crate) use placing::Placed;
pub use settings::Settings;
#[cfg(feature = "remote")]
pub use source::open;
pub use traffic::{Traffic, traffic};
#[cfg(feature = "remote")]
pub(crate) use upload::{Upload, abandon_all};
#[cfg(feature = "remote")]
pub(crate) use waiting::{first_bytes, known_len, open_path};

/// What an address stands for: itself, all that a pattern matches, or what a folder of datasets has.
pub(crate) fn expand(path: &Path) -> Result<Vec<PathBuf>> {
    let text = path.to_str().unwrap_or_default();
    let address = Address::parse(text)?;
    // The question mark of an HTTP address begins its query.
    if address.scheme != address::Scheme::Http && address.key.contains(['*', '?', '[']) {
        return matching(path);
    }
    if !is_folder(path) {
        return Ok(vec![path.to_owned()]);
    }
    let listed = below(path)?;
    // A warehouse is opened by its manifest, and pictures are one dataset; shards are several that become one.
    let shards: Vec<PathBuf> = listed.iter().filter(|one| is_shard(&one.name)).map(|one| one.path.clone()).collect();
    let warehouse = listed.iter().any(|one| one.name == forebay::warehouse::MANIFEST_NAME);
    Ok(if shards.is_empty() || warehouse { vec![path.to_owned()] } else { shards })
}

/// Whether an address is that of a folder: it ends in a slash, or names a bucket alone.
#[doc(hidden)]
pub fn is_folder(path: &Path) -> bool {
    let address = path.to_str().filter(|_| is_remote(path)).and_then(|text| Address::parse(text).ok());
    address.is_some_and(|a| a.scheme != address::Scheme::Http && (a.key.is_empty() || a.key.ends_with('/')))
}

/// Whether a name in a folder is that of a dataset.
fn is_shard(name: &str) -> bool {
    let is = |format: &Format| {
        format.holds() == Holds::Samples
            && format
                .extensions()
                .iter()
                .any(|e| name.rsplit_once('.').is_some_and(|(_, of)| of.eq_ignore_ascii_case(e)))
    };
    Format::ALL.iter().any(is)
}

/// Does the same with each, in their order; with what lies elsewhere several at once, since all that takes long is to wait.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    is_far: impl Fn(&T) -> bool,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    if items.len() < 2 || !items.iter().any(is_far) {
        return items.iter().map(work).collect();
    }
    let each = items.len().div_ceil(SIDE_BY_SIDE);
    std::thread::scope(|scope| {
        let work = &work;
        let parts: Vec<_> = items
            .chunks(each)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Result<Vec<R>>>()))
            .collect();
        let ended = |_| Error::new(&forebay::error::codes::IO, "a thread of the opening ended");
        parts.into_iter().map(|part| part.join().map_err(ended)?).collect::<Result<Vec<_>>>()
    })
    .map(|parts| parts.into_iter().flatten().collect())
}

/// Refuses the address of a server of files where an output is meant.
pub(crate) fn refuse_writing(path: &Path) -> Result<()> {
    let address = path.to_str().filter(|_| is_remote(path)).map(Address::parse).transpose()?;
    match address {
        Some(address) if matches!(address.scheme, address::Scheme::Http | address::Scheme::Hub) => {
            let message = "a server of files takes no uploads that appear whole or not at all; write to a store (s3://, \
                           gs://, az://), or write a file and copy it there";
            Err(Error::new(&codes::WRITE, message).file(address.shown()))
        }
        _ => Ok(()),
    }
}
