//! What a loader shall do: every setting once, with its name, its default and what it means.
//!
//! The struct that documents and bindings fill, most methods of the [`Builder`], the table of `docs/loader.md`, the signature
//! of Python's `Loader` and the help of `forebay bench` and `forebay plan` follow from this list.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | the list, and the builder that holds it |
//! | `define.rs` | what follows from it |
//! | `resolve.rs` | what several settings say together; which mean nothing somewhere |
//! | `image.rs` | what becomes of images, as documents say it |
//! | `written.rs` | values as documents write them |

mod define;
mod image;
mod resolve;
mod written;

use std::path::PathBuf;

use forebay::{
    Limits,
    annotations::{BoxField, Format},
    image::transform::{Mixing, Mosaic},
    order::Tail,
    warehouse::Transform,
};
use serde::Deserialize;

#[doc(hidden)]
pub use define::Setting;
use define::{method, settings};
#[doc(hidden)]
pub use image::ImageSettings;
use image::Step;
pub(super) use resolve::There;
pub(super) use written::{Shuffled, or_text};

use super::{
    Annotations, Balance, Dtype, Groups, Labels, Mode, OnBroken, Padding, Split, State, Target, Weights,
    content::Content,
};
use crate::{Dataset, cache::Cache, input::Io, parallel::all_cores};

/// Settings of a [`Loader`](super::Loader). Each setter takes and gives the builder; the last one called counts.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    pub(in crate::loader) paths: Vec<PathBuf>,
    /// What was open already.
    pub(in crate::loader) datasets: Vec<Dataset>,
    pub(in crate::loader) settings: LoaderSettings,
    /// What samples become, if it is no setting that a document has.
    pub(in crate::loader) content: Option<Content>,
    pub(in crate::loader) limits: Limits,
    pub(in crate::loader) cache: Option<Cache>,
    pub(in crate::loader) resume: Option<State>,
}

settings! {
    /// Samples per batch of one rank.
    batch: u64 = 32, {fn batch(samples: u64) => samples};
    /// Width and height of the tensors that images become.
    size: Option<(u32, u32)> = None, {"image(Image::new(width, height)...)"}, see "#what-samples-become", idle Warehouse;
    /// Changes of images on their way into a batch, most of them random.
    augment: Vec<Step> = Vec::new(), {"image(Image...)"}, see "augment.md";
    /// Means and deviations that the numbers of images are normalized by.
    normalize: Option<([f32; 3], [f32; 3])> = None, {"image(Image...normalize(IMAGENET))"};
    /// Where each sample's label comes from: a metadata field, the folder, or a table.
    #[serde(deserialize_with = "written::some_or_text")]
    labels: Option<Labels> = None, {fn labels(labels: impl Into<Labels>) => Some(labels.into())}, see "#labels";
    /// Shuffle with this seed; by default, stored order. Every epoch has another order. Blocks of neighbors keep reads local.
    shuffle: Option<Shuffled> = None, {"shuffle(seed)"};
    /// Seed of augmentation where nothing is shuffled.
    seed: Option<u64> = None, {"seed(seed)"};
    /// Use only samples that match, such as 'width >= 224'. It is refused if it selects nothing.
    r#where: Option<String> = None, {"filter(text)?"}, see "filters.md";
    /// Use only these samples, by their numbers among those of all files.
    ///
    /// They are in rising order.
    indices: Option<Vec<u64>> = None, {fn samples(samples: impl Into<Vec<u64>>) => Some(samples.into())};
    /// One of two parts of the samples: to train on, or to validate with.
    split: Option<Split> = None, {fn split(split: Split) => Some(split)}, see "warehouse.md#training";
    /// Number of loader threads. A warehouse that is mapped or in memory needs none unless batches are made ahead.
    workers: usize = all_cores(), {fn workers(threads: usize) => threads};
    /// Batches in flight, the next one included; by default 2, and none of a warehouse that is mapped or in memory.
    ///
    /// Memory is bounded by one more than this. With 0 the samples of such a warehouse are lent where they lie, and become a
    /// tensor when that is asked for.
    prefetch: Option<usize> = None, {fn prefetch(batches: usize) => Some(batches)};
    /// This process among the ranks, from 0.
    rank: u64 = 0, {"shard(rank, world)"};
    /// Ranks (processes) that share an epoch.
    world: u64 = 1, {"shard(rank, world)"};
    /// Samples that do not fill a batch on every rank.
    #[serde(deserialize_with = "written::word")]
    tail: Tail = Tail::Drop, {fn tail(tail: Tail) => tail};
    /// Mix the files in these proportions. Without it, each file follows the one before.
    mix: Option<Vec<u32>> = None, {"mix(proportions, epoch_samples)"};
    /// Samples per epoch, with a mix.
    epoch_samples: Option<u64> = None, {"mix(proportions, epoch_samples)"};
    /// Draw samples with replacement, as often as they weigh: a field or a list of numbers, which may change with the epochs.
    ///
    /// A sample without a weight is an error, and never drawn where [`on_broken`](Builder::on_broken) forgives it. What is
    /// drawn follows from the seed, whether it shuffles or not.
    #[serde(deserialize_with = "written::some_or_text")]
    weights: Option<Weights> = None, {fn weights(weights: impl Into<Weights>) => Some(weights.into())},
        see "#imbalanced-sets-and-curricula";
    /// Draw every class equally often, by this field. Labels and proportions of classes are possible too.
    ///
    /// Of a class each sample comes before any comes again. A sample without a label is an error, and never drawn where
    /// [`on_broken`](Builder::on_broken) forgives it.
    #[serde(deserialize_with = "written::some_or_text")]
    balanced: Option<Balance> = None, {fn balanced(classes: impl Into<Balance>) => Some(classes.into())},
        see "#imbalanced-sets-and-curricula";
    /// Samples per epoch of all ranks; by default, as many as are selected.
    ///
    /// Where each comes once, an epoch goes on where the one before it ended.
    draws: Option<u64> = None, {fn draws(samples: u64) => Some(samples)}, see "#imbalanced-sets-and-curricula";
    /// Copies of each drawn sample in its step. Each has a crop of its own, and is on a rank of its own where there are as many.
    ///
    /// An epoch is as much longer, unless [`draws`](Builder::draws) says how long it is.
    repeated: u64 = 1, {fn repeated(times: u64) => times}, see "#imbalanced-sets-and-curricula";
    /// Number type of the tensors. A warehouse gives floats, or what it holds.
    #[serde(deserialize_with = "written::word")]
    dtype: Dtype = Dtype::F32, {fn dtype(dtype: Dtype) => dtype}, idle Payloads;
    /// Order of the dimensions of a tensor of images: `nchw` or `nhwc`.
    layout: String = String::from("nchw"), {"image(Image...layout(Layout::Nhwc))"};
    /// Resampling filter; by default bilinear. All but `nearest` and `bilinear-plain` are antialiased.
    resampling: Option<String> = None, {"image(Image...resampling(Resampling::Bicubic))"};
    /// Color around images that do not fill their tensor.
    fill: Option<[u8; 3]> = None, {"image(Image...letterbox(color))"};
    /// Bring images of similar shape together in batches, each of the listed size that fits best.
    groups: Option<Groups> = None, {fn groups(groups: Groups) => Some(groups)}, see "#images-of-many-sizes", idle Warehouse Padded;
    /// Make each batch as large as its largest image, instead of giving all images one size.
    ///
    /// Pictures are undistorted, each in the upper left of its place, and none is larger than [`image`](Builder::image) says.
    /// [`Batch::sizes`](super::Batch::sizes) says which part of its place a picture has. A picture's numbers follow from itself
    /// alone: they are those of an `image` of its own size. Boxes and key points are shares of the picture, and not of the batch.
    padded: Option<Padding> = None, {fn padded(padding: Padding) => Some(padding)}, see "#images-of-many-sizes",
        idle Warehouse;
    /// What happens with samples that cannot be read: an error, left out, or replaced by the next one.
    #[serde(deserialize_with = "written::word")]
    on_error: OnBroken = OnBroken::Raise, {fn on_broken(policy: OnBroken) => policy}, see "#broken-samples";
    /// Broken samples that this rank leaves out or replaces in an epoch; the next one is an error.
    ///
    /// It counts from where the epoch was begun or continued.
    max_broken: Option<u64> = None, {fn max_broken(most: u64) => Some(most)}, see "#broken-samples", idle Raising;
    /// Turn images as their EXIF orientation says.
    ///
    /// Without it [`warehouse_transform`](Builder::warehouse_transform) turns them, and nothing else does.
    orient: Option<bool> = None, {fn orient(orient: bool) => Some(orient)}, idle Warehouse Payloads Made Padded;
    /// Decode at full size even where a reduced one would do, which is several times as fast for large images.
    ///
    /// For pixels that do not depend on how much larger than the tensor a picture is.
    exact: bool = false, {fn exact(exact: bool) => exact}, see "decoders.md#reduced-sizes", idle Warehouse Payloads Made;
    /// Read files piece by piece or map them. Map only files that nothing shortens in the meantime.
    ///
    /// For warehouses [`mode`](Builder::mode) says so.
    #[serde(deserialize_with = "written::some_word")]
    io: Option<Io> = None, {fn io(io: Io) => Some(io)}, idle Warehouse Opened;
    /// Verify the checksums of payloads.
    ///
    /// Shards of warehouses are proven as a whole; see [`allow_unproven`](Builder::allow_unproven).
    verify: bool = true, {fn verify(verify: bool) => verify}, idle Warehouse;
    /// Folder level of the classes, from 1; 0 for none. By default it is guessed.
    class_level: Option<u32> = None, {fn class_level(level: u32) => Some(level)}, see "cli.md#convert",
        idle Warehouse Opened;
    /// Epochs may have no batches, as a filter selects nothing or the samples fill no batch; refused otherwise.
    allow_empty: bool = false, {fn allow_empty(allow: bool) => allow};
    /// Bytes that all workers together may hold for decoding; by default 64 MiB for each, and at least 512 MiB.
    ///
    /// It counts pixels, and what decoders need besides. A worker waits until there is room for its picture, and one that
    /// needs more than all of it is decoded while no other is; so giant pictures cost time and not memory.
    decoded_bytes: Option<u64> = None, {fn decoded_bytes(bytes: u64) => Some(bytes)}, see "#how-it-works",
        idle Warehouse Payloads Made;
    /// Bytes of decoded images that are kept for later epochs. No number of any batch changes.
    decoded_cache: Option<u64> = None, {"decoded_cache(DecodedCache::memory(bytes))"}, see "#decoded-images",
        idle Warehouse Padded;
    /// File that keeps them for later runs too.
    decoded_cache_file: Option<PathBuf> = None, {"decoded_cache(DecodedCache::file(path, bytes))"}, see "#decoded-images";
    /// Events of the timeline that are kept at most: when what happened.
    ///
    /// There are about six a sample, of 72 bytes each, whose memory is taken at once, for
    /// [`Loader::timeline`](super::Loader::timeline). It costs a lock for each event.
    timeline: Option<usize> = None, {fn timeline(events: usize) => Some(events)}, see "#where-the-time-goes";
    /// Folder of this machine that keeps what is read of files elsewhere, so that later epochs do not fetch it.
    cache: Option<PathBuf> = None, {"cache(&Cache)"}, see "cache.md";
    /// Bytes that it holds at most; by default 64 GiB.
    cache_bytes: Option<u64> = None, {"cache(&Cache)"}, see "cache.md";
    /// Read ahead: advise the system, and fetch what the next batches need of files elsewhere.
    ///
    /// Of those, ranges that lie near together are fetched as one.
    read_ahead: bool = true, {fn read_ahead(ahead: bool) => ahead};
    /// Bytes of files elsewhere that may be fetched and not used yet; by default 256 MiB.
    ///
    /// A shuffle of blocks is cheap where this is twice what its windows hold.
    read_ahead_bytes: Option<u64> = None, {fn read_ahead_bytes(bytes: u64) => Some(bytes)}, see "cache.md";
    /// Where each sample's boxes come from: a label file or a folder of them, or the samples themselves.
    ///
    /// Boxes come with a mask and classes, and follow the picture onto its tensor. Samples are then those that have labels;
    /// what is refused for its labels is an error unless [`on_broken`](Builder::on_broken) lets it be left out, and then
    /// [`Loader::refused`](super::Loader::refused) lists it.
    #[serde(deserialize_with = "written::some_or_text")]
    annotations: Option<Annotations> = None, {fn annotations(annotations: impl Into<Annotations>) => Some(annotations.into())},
        see "#boxes-and-points";
    /// Format of the label file; by default it is found out.
    #[serde(deserialize_with = "written::some_word")]
    annotation_format: Option<Format> = None, {"annotations(Annotations...format(Format))"}, see "labels.md";
    /// Field of the metadata that has boxes, and what four numbers mean: `json.boxes:xywh`.
    #[serde(deserialize_with = "written::some_text")]
    annotation_boxes: Option<BoxField> = None, {"annotations(Annotations...options(ReadOptions))"}, see "labels.md";
    /// Places for boxes of each sample; by default 16, or as a warehouse has them. More boxes are left out.
    max_boxes: Option<u32> = None, {fn max_boxes(most: u32) => Some(most)}, see "#boxes-and-points";
    /// Make of images and boxes what a warehouse would hold of them, to the last bit.
    ///
    /// Pictures are decoded in full, turned as EXIF says unless [`orient`](Builder::orient) says otherwise, and resized as this
    /// says, with places for `max_boxes` boxes. Where no [`annotations`](Builder::annotations) are given they are those that
    /// are with the samples. A warehouse that was made with another transform is refused, so that a trainer can be told one
    /// path or the other.
    #[serde(deserialize_with = "written::transform")]
    warehouse_transform: Option<Transform> = None, {"warehouse_transform(Transform)"}, see "warehouse.md";
    /// Further targets of each sample, by name.
    targets: Vec<(String, Target)> = Vec::new(), {"target(name, Target)"}, see "#targets";
    /// How the shards of a warehouse are held.
    ///
    /// Otherwise the environment's `WAREHOUSE_STORE_MODE` or `WAREHOUSE_STORE` says so, or else they are read as they are
    /// needed.
    #[serde(deserialize_with = "written::some_word")]
    mode: Option<Mode> = None, {fn mode(mode: Mode) => Some(mode)}, see "warehouse.md#training", idle Samples;
    /// Refuse a warehouse of another version.
    version: Option<String> = None, {fn version(version: impl Into<String>) => Some(version.into())},
        see "warehouse.md#what-opening-refuses", idle Samples;
    /// Use a warehouse whose summary breaks its thresholds.
    ///
    /// [`Loader::notes`](super::Loader::notes) say so.
    allow_violations: bool = false, {fn allow_violations(allow: bool) => allow},
        see "warehouse.md#what-opening-refuses", idle Samples;
    /// Use a warehouse without proving its shards by their checksums.
    ///
    /// [`Loader::notes`](super::Loader::notes) say so.
    allow_unproven: bool = false, {fn allow_unproven(allow: bool) => allow},
        see "warehouse.md#what-opening-refuses", idle Samples;
    /// Refuse a warehouse if a source was changed after it was built.
    ///
    /// This looks at sources on this machine. Without it [`Loader::notes`](super::Loader::notes) say so.
    fresh: bool = false, {fn fresh(fresh: bool) => fresh}, see "warehouse.md#what-opening-refuses", idle Samples;
    /// Bring four images together around a point, or nine in three rows: a sample's own, and others of its epoch.
    ///
    /// Boxes, masks, key points and [labels](super::Batch::soft_labels) come along; [`Batch::pieces`](super::Batch::pieces) says
    /// which pictures these are. It takes the place of the fit of [`image`](Builder::image), and each picture of it is read and
    /// decoded.
    #[serde(skip)]
    mosaic: Option<Mosaic> = None, {fn mosaic(mosaic: Mosaic) => Some(mosaic)}, see "augment.md#several-samples-on-one-tensor",
        idle Warehouse Padded;
    /// Mix a sample with another of its epoch, by MixUp or CutMix and with this chance.
    ///
    /// Images, boxes, masks, key points and [labels](super::Batch::soft_labels) are mixed.
    #[serde(skip)]
    mixed: Option<(Mixing, f64)> = None, {"mixed(mixing, chance)"}, see "augment.md#several-samples-on-one-tensor",
        idle Warehouse Padded;
}
