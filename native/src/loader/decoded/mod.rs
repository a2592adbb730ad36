//! Decoded pictures that are kept for later epochs. What comes out of a loader is the same with and without, to the last bit.
//!
//! A picture is kept as far as nothing about it is random: at the tensor's size where the recipe places every picture the
//! same way in each epoch (or a warehouse's transform does), and otherwise decoded in full, or at the reduced size that a
//! crop asked for, each of which is an entry of its own. Of a whole picture the very part is taken that the decoder would
//! have made. What came first stays, since the order of an epoch gives no sample a better chance of coming soon than any
//! other: a cache of a tenth of the samples then answers a tenth of the time; one that makes room would hardly ever
//! answer.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | what is wanted; what of a recipe is kept, and what tells it from another |
//! | `store.rs`, `file.rs` | entries in memory; the same in a file |
//! | `find.rs` | a worker that looks for a sample's picture, or keeps it |

mod file;
mod find;
mod key;
mod store;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::UNIX_EPOCH,
};

use forebay::{
    Error, Result,
    codec::checksum::fnv1a,
    image::{
        decode::Options as DecodeOptions,
        transform::{Fit, Layout},
    },
    order::{Item, Order},
    warehouse::Transform,
};

pub(super) use find::{Found, Lookup, Query};
use key::Key;
pub use store::DecodedStats;
use store::Store;

use super::{Image, codes, content::Content, sources::Sources};
use crate::Dataset;

/// Where a loader keeps decoded pictures, and how many bytes of them.
///
/// ```no_run
/// use forebay_native::loader::{DecodedCache, Image, Loader};
/// let mut loader = Loader::open("train.tbl")?
///     .image(Image::new(224, 224).hflip())
///     .decoded_cache(DecodedCache::memory(8 << 30))
///     .build()?;
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedCache {
    bytes: u64,
    path: Option<PathBuf>,
}

impl DecodedCache {
    /// In memory: as long as the loader.
    pub fn memory(bytes: u64) -> DecodedCache {
        DecodedCache { bytes, path: None }
    }
    /// In a file, which later runs find again as long as the dataset and what is made of it are the same. One process at a
    /// time has it, whose loaders share it if all of that is the same for them.
    pub fn file(path: impl Into<PathBuf>, bytes: u64) -> DecodedCache {
        DecodedCache { bytes, path: Some(path.into()) }
    }
    /// How many bytes, and where.
    pub(super) fn parts(self) -> (Option<u64>, Option<PathBuf>) {
        (Some(self.bytes), self.path)
    }
}

/// What is kept of the pictures of one content.
#[derive(Clone, Debug)]
enum Prefix {
    /// Pixels at the tensor's size, made by this recipe, which has nothing random in it.
    Canvas(Box<Image>),
    /// The picture at the size to which it is decoded.
    Whole,
    /// What a warehouse would hold, made by this transform.
    Prepared(Box<Transform>),
}

impl Prefix {
    /// What tells it from another.
    fn words(&self) -> String {
        match self {
            Prefix::Canvas(recipe) => format!("canvas {recipe:?}"),
            Prefix::Whole => "whole".into(),
            Prefix::Prepared(transform) => format!("prepared {transform:?}"),
        }
    }
}

/// The cache of one loader.
#[derive(Debug)]
pub(super) struct Decoded {
    store: Arc<Store>,
    /// What is kept, for each of the loader's contents.
    prefixes: Vec<Prefix>,
    /// Samples of an epoch.
    samples: u64,
}

impl Decoded {
    /// Opens or makes the cache; refused where nothing is decoded, or what is decoded cannot be said beforehand. With tensors
    /// that several pictures share, each picture lands elsewhere every time.
    pub(super) fn new(
        wanted: &DecodedCache,
        (contents, (decode, verify), is_shared): (&[Content], (&DecodeOptions, bool), bool),
        (sources, order): (&Sources, &Order),
    ) -> Result<Decoded> {
        let of = |content| prefix(content, is_shared);
        let prefixes = contents.iter().map(of).collect::<Result<Vec<_>>>()?;
        let sets = if prefixes.iter().any(|p| matches!(p, Prefix::Whole)) { 8 } else { prefixes.len() as u64 };
        // Selected or not: parts of a dataset, such as those to train on and to validate with, share one file.
        let all: u64 = (0..sources.len()).map(|source| sources.samples(source)).sum();
        let store = match &wanted.path {
            None => Arc::new(Store::in_memory(wanted.bytes)),
            Some(path) => {
                let who = identity(&prefixes, (decode, verify), sources, order);
                Store::in_file(path, wanted.bytes, who, all.saturating_mul(sets))?
            }
        };
        Ok(Decoded { store, prefixes, samples: order.epoch_samples() })
    }

    pub(super) fn stats(&self) -> DecodedStats {
        self.store.stats(self.samples)
    }

    /// Whether the payload of an item, with its number in its file, will likely not be read.
    pub(super) fn has(&self, item: &Item, kind: usize) -> bool {
        match self.prefixes.get(kind) {
            Some(Prefix::Whole) => self.store.known(item.source, item.sample).is_some(),
            _ => self.store.has(&Key::new(item, kind as u32)),
        }
    }
}

fn prefix(content: &Content, is_shared: bool) -> Result<Prefix> {
    match content {
        Content::Images(image) => match image.fit {
            Fit::Stretch | Fit::CenterCrop { .. } | Fit::Letterbox if !is_shared => {
                Ok(Prefix::Canvas(Box::new(plain(image))))
            }
            _ => Ok(Prefix::Whole),
        },
        Content::Prepared(transform) => Ok(Prefix::Prepared(transform.clone())),
        _ => Err(Error::new(&codes::SETTINGS, "`decoded_cache`: no images are decoded here")),
    }
}

/// A recipe up to where chance begins: its pixels at the tensor's size.
fn plain(image: &Image) -> Image {
    let mut plain = Image::new(image.width, image.height).fit(image.fit).resampling(image.resampling);
    (plain.fill, plain.layout) = (image.fill, Layout::Nhwc);
    plain
}

/// What must be the same for a file to be used again.
fn identity(
    prefixes: &[Prefix],
    (decode, verify): (&DecodeOptions, bool),
    sources: &Sources,
    order: &Order,
) -> [u64; 2] {
    let how = (decode.orient, decode.exact);
    // What is an error without a cache, as it is too large or breaks its checksum, is one with it too.
    let bounds = (decode.limits.pixels, decode.limits.item_bytes, verify);
    // The version too: decoders may learn.
    let mut text = format!("{} {how:?} {bounds:?}", env!("CARGO_PKG_VERSION"));
    prefixes.iter().for_each(|prefix| text.push_str(&format!("\n{}", prefix.words())));
    for (dataset, source) in sources.datasets().iter().zip(&order.state(0, 0).sources) {
        text.push_str(&format!("\n{} {} {:x}", source.samples, source.identity, written(dataset)));
    }
    [fnv1a(text.bytes()), fnv1a(text.bytes().rev())]
}

/// When the files of a dataset were written, as one number.
fn written(dataset: &Dataset) -> u64 {
    let root = Path::new(dataset.name());
    let time = |path: &Path| {
        let time = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        since.map_or(0, |since| since.as_nanos() as u64)
    };
    match dataset.folder() {
        None => time(root),
        Some(folder) => {
            let times = (0..folder.len()).filter_map(|i| folder.sample_name(i)).map(|name| time(&root.join(name)));
            fnv1a(times.flat_map(u64::to_le_bytes))
        }
    }
}
