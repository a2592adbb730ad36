//! What a loader shall do.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    Error, Limits, Result,
    error::codes as common,
    filter::Filter,
    image::{
        decode::Options as DecodeOptions,
        transform::{Mixing, Mosaic, Out, Together},
    },
    order::{Mix, Settings, Shuffle, Tail},
    warehouse::Transform,
};

use super::{
    Annotations, Balance, DecodedCache, Dtype, Groups, Image, Labels, Loader, Mode, OnBroken, Padding, Split, State,
    Target, Weights,
    content::{Content, Sample},
};
use crate::{
    Dataset, OpenOptions,
    cache::Cache,
    input::{Io, display, expand, is_pipe, remote::is_remote},
    parallel::all_cores,
};

/// Settings of a [`Loader`]. Each setter takes and gives the builder; the last one called counts.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    pub(super) paths: Vec<PathBuf>,
    /// What was open already.
    pub(super) datasets: Vec<Dataset>,
    pub(super) settings: Settings,
    pub(super) rank: u64,
    pub(super) filter: Option<Filter>,
    pub(super) samples: Option<Vec<u64>>,
    pub(super) split: Option<Split>,
    pub(super) weights: Option<Weights>,
    pub(super) balance: Option<Balance>,
    pub(super) workers: usize,
    pub(super) prefetch: Option<usize>,
    pub(super) content: Content,
    pub(super) dtype: Dtype,
    pub(super) labels: Option<Labels>,
    pub(super) annotations: Option<Annotations>,
    pub(super) max_boxes: Option<u32>,
    pub(super) targets: Vec<(String, Target)>,
    pub(super) together: Together,
    pub(super) padding: Option<Padding>,
    pub(super) on_broken: OnBroken,
    pub(super) decode: DecodeOptions,
    pub(super) orient: Option<bool>,
    pub(super) verify: bool,
    pub(super) open: OpenOptions,
    pub(super) resume: Option<State>,
    pub(super) groups: Option<Groups>,
    pub(super) read_ahead: bool,
    pub(super) read_ahead_bytes: Option<u64>,
    pub(super) decoded_bytes: Option<u64>,
    pub(super) decoded_cache: Option<DecodedCache>,
    pub(super) timeline: Option<usize>,
    pub(super) allow_empty: bool,
    pub(super) mode: Option<Mode>,
    pub(super) version: Option<String>,
    pub(super) allow_violations: bool,
    pub(super) allow_unproven: bool,
    pub(super) fresh: bool,
    /// Settings that were given and mean something for pictures alone, or for warehouses alone.
    pub(super) of_pictures: Vec<&'static str>,
    pub(super) of_warehouses: Vec<&'static str>,
}

impl Loader {
    /// Settings for a loader over a TBL, a TAR, a folder of pictures, a tensor warehouse (its manifest, or the folder that
    /// has it), or all that a pattern such as `shards/*.tbl` finds, in the order of their names: samples in stored order,
    /// in batches of 32 on as many threads as there are cores. They may lie [elsewhere](crate::remote), as in
    /// `s3://bucket/train-*.tbl`.
    pub fn open(path: impl AsRef<Path>) -> Result<Builder> {
        Self::open_all([path])
    }

    /// Settings for a loader over several files as one, in this order.
    pub fn open_all(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Builder> {
        let mut all = Vec::new();
        for path in paths {
            let path = path.as_ref();
            match path.to_str() {
                Some(text) => all.extend(expand(&[text.to_owned()])?),
                None => all.push(path.to_owned()),
            }
        }
        if all.is_empty() {
            return Err(Error::new(&common::ARGUMENT, "a loader needs at least one file"));
        }
        // What is a pipe says so when it is opened.
        if let Some(absent) = all.iter().find(|path| !is_remote(path) && !path.exists() && !is_pipe(path)) {
            return Err(Error::new(&common::IO, "there is no such file").file(display(absent)));
        }
        Ok(Self::settings(all))
    }

    /// Settings for a loader over datasets that are open already, such as those of a [`Source`](crate::input::Source) of
    /// one's own. What is found by the names of files, or decides how they are opened, is refused: with
    /// [`build`](Builder::build) [`annotations`](Builder::annotations), targets of objects, [`io`](Builder::io) and
    /// [`class_level`](Builder::class_level), and warehouses at once; give their paths to [`open`](Self::open).
    pub fn over(datasets: impl IntoIterator<Item = Dataset>) -> Result<Builder> {
        let datasets: Vec<Dataset> = datasets.into_iter().collect();
        if datasets.is_empty() {
            return Err(Error::new(&common::ARGUMENT, "a loader needs at least one dataset"));
        }
        if let Some(warehouse) = datasets.iter().find(|dataset| dataset.warehouse().is_some()) {
            let message = "a tensor warehouse is proven when it is opened: give its path to Loader::open";
            return Err(Error::new(&common::ARGUMENT, message).file(warehouse.name()));
        }
        Ok(Builder { datasets, ..Self::settings(Vec::new()) })
    }

    fn settings(paths: Vec<PathBuf>) -> Builder {
        Builder {
            paths,
            datasets: Vec::new(),
            settings: Settings::default().with_shuffle(Shuffle::None).with_batch(32),
            rank: 0,
            filter: None,
            samples: None,
            split: None,
            weights: None,
            balance: None,
            workers: all_cores(),
            prefetch: None,
            content: Content::default(),
            dtype: Dtype::default(),
            labels: None,
            annotations: None,
            max_boxes: None,
            targets: Vec::new(),
            together: Together::default(),
            padding: None,
            on_broken: OnBroken::default(),
            decode: DecodeOptions::default(),
            orient: None,
            verify: true,
            open: OpenOptions { io: Io::Read, ..OpenOptions::default() },
            resume: None,
            groups: None,
            read_ahead: true,
            read_ahead_bytes: None,
            decoded_bytes: None,
            decoded_cache: None,
            timeline: None,
            allow_empty: false,
            mode: None,
            version: None,
            allow_violations: false,
            allow_unproven: false,
            fresh: false,
            of_pictures: Vec::new(),
            of_warehouses: Vec::new(),
        }
    }
}

impl Builder {
    /// Notes a setting that means nothing for a warehouse.
    fn of_pictures(self, setting: &'static str) -> Self {
        self.of_pictures_if(true, setting)
    }
    /// The same where it says anything at all. The last time that it is given counts.
    fn of_pictures_if(mut self, says: bool, setting: &'static str) -> Self {
        note(&mut self.of_pictures, says, setting);
        self
    }
    /// Notes a setting that means nothing for what is not a warehouse.
    fn of_warehouses(self, setting: &'static str) -> Self {
        self.of_warehouses_if(true, setting)
    }
    fn of_warehouses_if(mut self, says: bool, setting: &'static str) -> Self {
        note(&mut self.of_warehouses, says, setting);
        self
    }
    /// What samples become, and the setting that says so if it means nothing for a warehouse: the last one of them counts.
    fn content(mut self, content: Content, setting: Option<&'static str>) -> Self {
        self.content = content;
        self.of_pictures.retain(|noted| !["image", "payloads", "made_by"].contains(noted));
        self.of_pictures.extend(setting);
        self
    }

    /// Takes only the samples that a filter accepts, such as `width >= 224 && height >= 224`. Building is refused if
    /// no sample has a field that it names, and if it selects none at all, unless [`allow_empty`](Self::allow_empty)
    /// says otherwise.
    pub fn filter(mut self, text: &str) -> Result<Self> {
        self.filter = Some(Filter::parse(text)?);
        self.settings.filter = Some(text.to_owned());
        Ok(self)
    }
    /// Takes only these samples, by their numbers among all samples of all files, in rising order.
    pub fn samples(mut self, samples: impl Into<Vec<u64>>) -> Self {
        self.samples = Some(samples.into());
        self
    }
    /// Takes only one of two parts: that to train on, or that to validate with.
    pub fn split(mut self, split: Split) -> Self {
        self.split = Some(split);
        self
    }

    /// Whether epochs may have no batches, as a filter selects no sample or those that there are fill no batch; they may
    /// not otherwise, since training on nothing runs without a word.
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.allow_empty = allow;
        self
    }
    /// At which level of a folder of pictures the classes are, from 1; 0 for none. They are looked for otherwise.
    pub fn class_level(mut self, level: u32) -> Self {
        self.open.class_level = Some(level);
        self.of_pictures("class_level")
    }

    /// Samples in a batch of this rank.
    pub fn batch(mut self, samples: u64) -> Self {
        self.settings.batch = samples;
        self
    }
    /// Threads that make samples. A warehouse that is mapped or in memory needs none unless batches are made ahead.
    pub fn workers(mut self, threads: usize) -> Self {
        self.workers = threads;
        self
    }
    /// Batches that are made ahead, the next one included; 2 otherwise. Memory is bounded by one more than this.
    ///
    /// Of a warehouse that is mapped or in memory none are made ahead unless this says so: with 0 its samples are lent
    /// where they lie, and become a tensor when that is asked for.
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.prefetch = Some(batches);
        self
    }

    /// Shuffles fully, another way in every epoch.
    pub fn shuffle(self, seed: u64) -> Self {
        self.seed(seed).shuffle_as(Shuffle::Full)
    }
    /// Shuffles blocks of `block` neighbors, and the samples inside each window of `window` blocks, so that reads stay
    /// local: for disks that seek.
    pub fn shuffle_blocks(self, seed: u64, block: u64, window: u64) -> Self {
        self.seed(seed).shuffle_as(Shuffle::Blocks { block, window })
    }
    fn shuffle_as(mut self, shuffle: Shuffle) -> Self {
        self.settings.shuffle = shuffle;
        self
    }
    /// Decides what is random about samples where their order is not shuffled.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }
    /// Which share of every step this process takes: `rank` of `world`, from 0.
    pub fn shard(mut self, rank: u64, world: u64) -> Self {
        (self.rank, self.settings.world) = (rank, world);
        self
    }
    /// Sets the rule for samples that do not fill a batch on every rank; they are dropped otherwise.
    pub fn tail(mut self, tail: Tail) -> Self {
        self.settings.tail = tail;
        self
    }
    /// Draws from the files in fixed proportions instead of one after the other: one weight a file.
    pub fn mix(mut self, weights: impl Into<Vec<u32>>, epoch_samples: u64) -> Self {
        self.settings.mix = Some(Mix { weights: weights.into(), epoch_samples });
        self
    }

    /// Draws samples with replacement, each as often as it weighs in proportion: a field such as `"json.weight"`, a list of
    /// numbers, or [`Weights`] that change with the epochs. A sample without a weight is an error here, and never drawn where
    /// [`on_broken`](Self::on_broken) forgives it. What is drawn follows from the seed, whether it shuffles or not.
    pub fn weights(mut self, weights: impl Into<Weights>) -> Self {
        self.weights = Some(weights.into());
        self
    }
    /// Takes samples of all classes equally often: of a field such as `"cls"`, of [`Labels`], or in the proportions of a
    /// [`Balance`]. Of a class each sample comes before any comes again. A sample without a label is an error here, and never
    /// drawn where [`on_broken`](Self::on_broken) forgives it.
    pub fn balanced(mut self, classes: impl Into<Balance>) -> Self {
        self.balance = Some(classes.into());
        self
    }
    /// How many samples an epoch has, of all ranks: otherwise as many as are selected. Where each comes once, an epoch goes
    /// on where the one before it ended.
    pub fn draws(mut self, samples: u64) -> Self {
        self.settings.draws = Some(samples);
        self
    }
    /// Lets each sample that is drawn come this often in its step, each time with another crop, and on another rank where
    /// there are as many. An epoch is as much longer, unless [`draws`](Self::draws) says how long it is.
    pub fn repeated(mut self, times: u64) -> Self {
        self.settings.repeats = times;
        self
    }

    /// Decodes pictures and makes them tensors.
    pub fn image(self, image: Image) -> Self {
        self.content(Content::Images(Box::new(image)), Some("image"))
    }
    /// Brings four pictures together around a point, or nine in three rows: a sample's own, and others of its epoch. Boxes, masks, key points
    /// and [labels](super::Batch::soft_labels) come along; [`Batch::pieces`](super::Batch::pieces) says which pictures these are. It takes the place of the
    /// fit of [`image`](Self::image), and each picture of it is read and decoded.
    pub fn mosaic(mut self, mosaic: Mosaic) -> Self {
        self.together.mosaic = Some(mosaic);
        self.of_pictures("mosaic")
    }
    /// Mixes a sample with another of its epoch, by MixUp or CutMix and with this chance: pictures, boxes, masks, key points and
    /// [labels](super::Batch::soft_labels).
    pub fn mixed(mut self, mixing: Mixing, probability: f64) -> Self {
        self.together.mixing = Some((mixing, probability));
        self.of_pictures("mixed")
    }
    /// Pictures of many sizes in one batch, each undistorted and in the upper left of its place, which is as large as the largest of
    /// the batch and no larger than [`image`](Self::image) says. [`Batch::sizes`](super::Batch::sizes) says which part of its
    /// place a picture has. A picture's numbers follow from itself alone: they are those of an `image` of its own size. Boxes and key
    /// points are shares of the picture, and not of the batch.
    pub fn padded(mut self, padding: Padding) -> Self {
        self.padding = Some(padding);
        self.of_pictures("padded")
    }
    /// Makes of pictures and their boxes what the builder of a warehouse makes of them, to the last bit: decoded in full,
    /// turned as EXIF says unless [`orient`](Self::orient) says otherwise, resized as this says, with places for
    /// `max_boxes` boxes. Where no [`annotations`](Self::annotations) are given they are those that are with the samples.
    ///
    /// A warehouse that was made with another transform is refused, so that a trainer can be told one path or the other.
    pub fn warehouse_transform(self, transform: Transform) -> Self {
        self.content(Content::Prepared(Box::new(transform)), None)
    }
    /// Gives payloads as they are: for raw pixels without a copy, or to decode them oneself. This is the default.
    pub fn payloads(self) -> Self {
        self.content(Content::Payloads, Some("payloads"))
    }
    /// Makes each sample's numbers, of this shape, by a function, on the workers. Memory holds anything before.
    pub fn made_by<F>(self, shape: impl Into<Vec<usize>>, make: F) -> Self
    where
        F: Fn(Sample<'_>, Out<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.content(Content::Made { shape: shape.into(), make: Arc::new(make) }, Some("made_by"))
    }
    /// The type of the numbers: floats otherwise. A warehouse gives floats, or what it holds.
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.dtype = dtype;
        self
    }
    /// Gives every sample a label: a metadata field by its path, or one of [`Labels`].
    pub fn labels(mut self, labels: impl Into<Labels>) -> Self {
        self.labels = Some(labels.into());
        self
    }
    /// Gives every sample its boxes, with a mask and classes: of a label file, by its path, or one of [`Annotations`]. They
    /// follow the picture onto its tensor. Samples are then those that have labels; what is refused for its labels is an
    /// error here unless [`on_broken`](Self::on_broken) lets it be left out, and then [`Loader::refused`] lists it.
    pub fn annotations(mut self, annotations: impl Into<Annotations>) -> Self {
        self.annotations = Some(annotations.into());
        self
    }
    /// How many places for boxes each sample has: 16 otherwise, or what the transform of a warehouse says. More boxes than
    /// that are left out.
    pub fn max_boxes(mut self, most: u32) -> Self {
        self.max_boxes = Some(most);
        self
    }

    /// Gives every sample a target of this name too, as often as it is called: a [`Target`], or its
    /// [text](Target#impl-FromStr-for-Target), such as `"float:json.speed"`. Building is refused if no sample has it; a sample
    /// without it is a broken one.
    pub fn target(mut self, name: impl Into<String>, target: impl Into<Target>) -> Self {
        self.targets.push((name.into(), target.into()));
        self
    }

    /// Sets the rule for samples that cannot be read.
    pub fn on_broken(mut self, policy: OnBroken) -> Self {
        self.on_broken = policy;
        self
    }
    /// Whether pictures are turned as their EXIF orientation says; they are not otherwise, except by
    /// [`warehouse_transform`](Self::warehouse_transform).
    pub fn orient(mut self, orient: bool) -> Self {
        self.orient = Some(orient);
        self.of_pictures_if(orient, "orient")
    }
    /// Decodes at full size even where a smaller version would do, which is several times as fast for large pictures: for
    /// pixels that do not depend on how much larger than the tensor a picture is.
    pub fn exact(mut self, exact: bool) -> Self {
        self.decode.exact = exact;
        self.of_pictures_if(exact, "exact")
    }
    /// Bounds on what files may cost.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.decode.limits = limits.clone();
        self.open.limits = limits;
        self
    }
    /// About how many bytes all workers together may hold for decoding at once: pixels, and what decoders need beside
    /// them. A worker waits until there is room for its picture, and one that needs more than all of it is decoded
    /// while no other is; so giant pictures cost time and not memory. Otherwise 64 MiB for each worker, and at least
    /// 512 MiB.
    pub fn decoded_bytes(mut self, bytes: u64) -> Self {
        self.decoded_bytes = Some(bytes);
        self.of_pictures("decoded_bytes")
    }
    /// Keeps decoded pictures for later epochs, as far as nothing about them is random: at the tensor's size where pictures
    /// are placed the same way in every epoch, and whole where they are cut out by chance. No number of any batch changes.
    pub fn decoded_cache(mut self, cache: DecodedCache) -> Self {
        self.decoded_cache = Some(cache);
        self.of_pictures("decoded_cache")
    }
    /// Takes down when what happened, up to that many events (about six a sample, of 72 bytes each, whose memory is taken at
    /// once), for [`Loader::timeline`]. It costs a lock for each event.
    pub fn timeline(mut self, events: usize) -> Self {
        self.timeline = Some(events);
        self
    }
    /// How bytes come in: mapped, or read piece by piece. For warehouses [`mode`](Self::mode) says so.
    pub fn io(mut self, io: Io) -> Self {
        self.open.io = io;
        self.of_pictures("io")
    }
    /// Whether payloads are checked against their checksums; they are by default. Shards of warehouses are proven as a
    /// whole; see [`allow_unproven`](Self::allow_unproven).
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self.of_pictures_if(!verify, "verify")
    }
    /// Whether what comes next is read ahead; it is otherwise. Of files on this machine the system is told so; of others the
    /// ranges of the next batches are fetched, many at once, and those that lie near together as one.
    pub fn read_ahead(mut self, ahead: bool) -> Self {
        self.read_ahead = ahead;
        self
    }
    /// About how many bytes of files elsewhere may be fetched and not used yet: 256 MiB otherwise. A shuffle of blocks is
    /// cheap where this is twice what its windows hold.
    pub fn read_ahead_bytes(mut self, bytes: u64) -> Self {
        self.read_ahead_bytes = Some(bytes);
        self
    }
    /// Keeps bytes of files elsewhere in a cache on this machine, so that later epochs do not fetch them.
    pub fn cache(mut self, cache: &Cache) -> Self {
        self.open.cache = Some(cache.clone());
        self.datasets = self.datasets.iter().map(|dataset| dataset.by(|input| input.cached(cache))).collect();
        self
    }
    /// Brings pictures of alike shape together in batches, each of the size that fits them best.
    pub fn groups(mut self, groups: Groups) -> Self {
        self.groups = Some(groups);
        self.of_pictures("groups")
    }
    /// Goes on where a saved run stood. Building is refused, by name, if anything differs that decides which
    /// sample comes when; batch and world may change as long as their product does not.
    pub fn resume(mut self, state: State) -> Self {
        self.resume = Some(state);
        self
    }

    /// How the shards of a warehouse are held. Otherwise the environment's `WAREHOUSE_STORE_MODE` or `WAREHOUSE_STORE` says
    /// so, or else they are read as they are needed.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self.of_warehouses("mode")
    }
    /// Refuses a warehouse of another version.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self.of_warehouses("version")
    }
    /// Goes on where the summary of a warehouse breaks its thresholds; [`Loader::notes`] say so.
    pub fn allow_violations(mut self, allow: bool) -> Self {
        self.allow_violations = allow;
        self.of_warehouses_if(allow, "allow_violations")
    }
    /// Goes on without proving the shards of a warehouse by their checksums; [`Loader::notes`] say so.
    pub fn allow_unproven(mut self, allow: bool) -> Self {
        self.allow_unproven = allow;
        self.of_warehouses_if(allow, "allow_unproven")
    }
    /// Refuses a warehouse if a source was changed after it was built, as far as the sources are on this machine; else
    /// [`Loader::notes`] say so.
    pub fn fresh(mut self, fresh: bool) -> Self {
        self.fresh = fresh;
        self.of_warehouses_if(fresh, "fresh")
    }
}

/// Notes a setting in place of what was noted of it before.
fn note(noted: &mut Vec<&'static str>, says: bool, setting: &'static str) {
    noted.retain(|before| *before != setting);
    if says {
        noted.push(setting);
    }
}
