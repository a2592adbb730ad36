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

/// Errors of files in stores and behind HTTP.
#[doc(hidden)]
pub mod codes {
    use forebay::error::Code;
    /// An address that cannot be read as one.
    pub const ADDRESS: Code = Code::usage("remote.address", "An address is written wrongly; the message says how.");
    /// What the server sends contradicts itself or the request.
    pub const ANSWER: Code = Code::io(
        "remote.answer",
        "The server's answer does not fit the request or itself: other bytes, or another number of them.",
    );
    /// No bucket of that name.
    pub const BUCKET: Code = Code::usage("remote.bucket", "There is no bucket or container of that name.");
    /// The connection broke again and again.
    pub const BROKEN: Code = Code::io("remote.broken", "The connection broke again and again before all bytes came.");
    /// The store turned everybody away.
    pub const BUSY: Code =
        Code::io("remote.busy", "The store asked to slow down, or was not there, until nobody would wait any longer.");
    /// This machine's clock is wrong.
    pub const CLOCK: Code = Code::io(
        "remote.clock",
        "The store refuses signatures of a clock that is minutes away from its own; set this machine's clock.",
    );
    /// Nobody answers.
    pub const CONNECT: Code = Code::io("remote.connect", "No connection to the server could be made.");
    /// Nothing to sign requests with.
    pub const CREDENTIALS: Code =
        Code::usage("remote.credentials", "There are no credentials for the store, or they have expired.");
    /// The store knows who asks, and does not let them.
    pub const DENIED: Code = Code::usage("remote.denied", "The store does not let these credentials read that.");
    /// The store cannot say what there is.
    pub const LIST: Code = Code::unsupported(
        "remote.list",
        "A server of files does not say which there are, so patterns and folders are for stores of objects.",
    );
    /// Not in this build.
    pub const NOT_BUILT: Code =
        Code::unsupported("remote.not_built", "This build of Forebay opens no addresses: its feature `remote` is off.");
    /// Nothing of that name.
    pub const NOT_FOUND: Code = Code::usage("remote.not_found", "There is no object of that name.");
    /// The store does not say which uploads are unfinished.
    pub const PARTS: Code = Code::unsupported(
        "remote.parts",
        "Such a store is not asked for unfinished uploads; the message says how to clear them there.",
    );
    /// A server that gives whole files only.
    pub const RANGES: Code = Code::io(
        "remote.ranges",
        "The server gives whole files and no ranges of them; fetch the file, and open it here.",
    );
    /// A redirect that is not followed.
    pub const REDIRECT: Code = Code::io(
        "remote.redirect",
        "The server redirects to where nobody follows it: in circles, away from https, or to a private host from a public one.",
    );
    /// The bucket is elsewhere.
    pub const REGION: Code =
        Code::usage("remote.region", "The bucket lies in another region than the one that was asked.");
    /// Any other refusal.
    pub const SERVER: Code = Code::io("remote.server", "The server refused, for a reason that the message repeats.");
    /// A setting that means nothing.
    pub const SETTING: Code = Code::usage("remote.setting", "A setting for a store is invalid; the message says why.");
    /// It took too long.
    pub const TIMEOUT: Code = Code::io("remote.timeout", "The server said nothing for too long.");
    /// The server cannot prove who it is.
    pub const TLS: Code = Code::io("remote.tls", "The connection could not be made safe; the message says why.");
    /// Nothing can be written there.
    pub const WRITE: Code = Code::unsupported(
        "remote.write",
        "Forebay writes to stores of objects; a server of files takes nothing that appears whole or not at all.",
    );
    /// Every code of this module.
    pub const ALL: &[&Code] = &[
        &ADDRESS,
        &ANSWER,
        &BUCKET,
        &BROKEN,
        &BUSY,
        &CLOCK,
        &CONNECT,
        &CREDENTIALS,
        &DENIED,
        &LIST,
        &NOT_BUILT,
        &NOT_FOUND,
        &PARTS,
        &RANGES,
        &REDIRECT,
        &REGION,
        &SERVER,
        &SETTING,
        &TIMEOUT,
        &TLS,
        &WRITE,
    ];
}

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
