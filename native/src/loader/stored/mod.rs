//! Samples of tensor warehouses: opened, proven, held, and taken into a batch. Nothing is decoded.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | what opening refuses, and a sample on its way into a batch |
//! | `store.rs` | the ways in which shards are held |
//! | `proof.rs` | checksums of shards, remembered |

mod proof;
mod store;

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    codec::checksum::fnv1a,
    image::transform::Out,
    order::Item,
    warehouse::{self, Shape, Warehouse, codes as held_to, is_native, to_f32},
};

pub use store::Mode;
pub(super) use store::prefetch_from_env;

use super::{
    Dtype, codes,
    flight::Slot,
    targets::{Parts, Targets},
};
use crate::{
    Dataset, Input, OpenOptions,
    ahead::Store as Ahead,
    cache::Cache,
    input::display,
    shards::{self, GLANCE, OpenWarehouse, WarehouseOptions, stale},
    warehouse::codes as built,
};
use store::Store;

/// What is asked of warehouses.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    pub(super) mode: Mode,
    pub(super) limits: Limits,
    pub(super) cache: Option<Cache>,
    pub(super) version: Option<String>,
    pub(super) allow_violations: bool,
    pub(super) allow_unproven: bool,
    pub(super) fresh: bool,
}

/// The warehouses of a loader, which all have the same shape.
#[derive(Debug)]
pub(super) struct Stored {
    held: Vec<Held>,
    pub(super) shape: Shape,
    mode: Mode,
    /// What was let through, what could not be proven, and how long shards took to be opened.
    pub(super) notes: Vec<String>,
    /// How long opening, proving and reading shards took.
    pub(super) opening: Duration,
}

#[derive(Debug)]
struct Held {
    warehouse: Warehouse,
    store: Store,
    /// The number of its first shard among those that are fetched ahead.
    first: usize,
    known: Known,
}

/// What is known of every sample of a warehouse.
#[derive(Debug, Default)]
struct Known {
    /// Its frame; its number where the warehouse knows none.
    frames: Vec<u64>,
    /// The classes of all boxes, one sample behind the other, and where those of each sample end. Both are empty where the
    /// warehouse knows no classes.
    classes: Vec<i32>,
    ends: Vec<usize>,
}

impl Stored {
    /// Opens the warehouses of these manifests and refuses what does not hold.
    pub(super) fn open(manifests: &[PathBuf], terms: &Terms) -> Result<(Stored, Vec<Dataset>)> {
        let (mut held, mut datasets, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut shape: Option<Shape> = None;
        let begun = Instant::now();
        for path in manifests {
            let (opened, one) = Held::open(path, terms, &mut notes)?;
            if let Some(found) = opened.warehouse.shape() {
                let first = *shape.get_or_insert(found);
                if found != first {
                    let message = "the warehouse has samples of another shape or type than the one before it";
                    return Err(Error::new(&codes::SETTINGS, message).file(display(path)));
                }
            }
            held.push(opened);
            datasets.push(one);
        }
        let shape = shape.unwrap_or(Shape::new(1, 1, 0, warehouse::Dtype::default()));
        Ok((Stored { held, shape, mode: terms.mode, notes, opening: begun.elapsed() }, datasets))
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }
    pub(super) fn places(&self) -> usize {
        self.shape.max_boxes as usize
    }
    /// The warehouses.
    pub(super) fn warehouses(&self) -> impl Iterator<Item = &Warehouse> {
        self.held.iter().map(|held| &held.warehouse)
    }

    /// As that of [`Sources`](super::sources::Sources): shards are numbered through all warehouses.
    pub(super) fn fetched_ahead(&mut self, ahead: &Arc<Ahead>) -> Vec<Option<Input>> {
        let mut all = Vec::new();
        for held in &mut self.held {
            held.first = all.len();
            for shard in held.store.shards() {
                let elsewhere = shard.as_ref().filter(|shard| !shard.is_local()).cloned();
                if let Some(input) = &elsewhere {
                    *shard = Some(input.ahead(all.len(), ahead));
                }
                all.push(elsewhere);
            }
        }
        all
    }

    /// Whether all shards lie on this machine.
    pub(super) fn are_local(&self) -> bool {
        self.held.iter().all(|held| held.store.are_local())
    }

    /// The bytes that taking an item reads.
    pub(super) fn ranges(&self, item: &Item) -> Vec<(usize, Range<u64>)> {
        let Some(held) = self.held.get(item.source) else { return Vec::new() };
        let Ok((shard, k)) = held.warehouse.locate(item.sample) else { return Vec::new() };
        let number = held.first + shard.number();
        let boxes = (self.shape.max_boxes > 0).then(|| [shard.boxes(k), shard.mask(k)]);
        std::iter::once(shard.image(k)).chain(boxes.into_iter().flatten()).map(|range| (number, range)).collect()
    }

    /// Refuses shards that are no longer what they were when they were opened.
    pub(super) fn unchanged(&self) -> Result<()> {
        self.held.iter().try_for_each(|held| held.store.unchanged())
    }

    /// Refuses a type that would have to be made of another one with a loss, or none.
    pub(super) fn check(&self, dtype: Dtype) -> Result<()> {
        if dtype == Dtype::F32 || self.is_as_stored_type(dtype) {
            return Ok(());
        }
        let message = format!(
            "the warehouse holds {}, which Dtype::F32 or its own type can be taken of, and not {}",
            self.shape.dtype.name(),
            dtype.name()
        );
        Err(Error::new(&codes::SETTINGS, message))
    }

    fn is_as_stored_type(&self, dtype: Dtype) -> bool {
        matches!(
            (self.shape.dtype, dtype),
            (warehouse::Dtype::F32, Dtype::F32)
                | (warehouse::Dtype::F16, Dtype::F16)
                | (warehouse::Dtype::U8, Dtype::U8)
        )
    }
    /// Whether the bytes of a shard are the numbers of a batch.
    pub(super) fn is_as_stored(&self, dtype: Dtype) -> bool {
        self.is_as_stored_type(dtype) && (dtype == Dtype::U8 || is_native(self.shape.endianness))
    }

    /// Lends a sample's image where it lies, and takes its boxes and its frame behind those of the samples before.
    pub(super) fn lend(&self, item: &Item, places: usize, targets: &mut Targets) -> Result<Bytes> {
        let held = self.held_of(item)?;
        let (shard, k) = held.warehouse.locate(item.sample)?;
        let number = shard.number();
        let named = |e: Error| e.sample(item.sample);
        let image = held.store.read(number, shard.image(k)).map_err(named)?;
        if places > 0 {
            let (boxes, mask, classes) = targets.room(places);
            self.numbers(&held.store, number, shard.boxes(k), boxes).map_err(named)?;
            self.numbers(&held.store, number, shard.mask(k), mask).map_err(named)?;
            let known = held.known.classes_of(item.sample);
            classes.iter_mut().zip(known).for_each(|(to, class)| *to = i64::from(*class));
        }
        targets.frames.push(held.known.frame_of(item.sample));
        Ok(image)
    }

    fn held_of(&self, item: &Item) -> Result<&Held> {
        self.held.get(item.source).ok_or_else(|| {
            let message = format!("there are {} warehouses", self.held.len());
            Error::new(&forebay::error::codes::OUT_OF_RANGE, message)
        })
    }

    /// Takes a sample into its slot. If the slot has no memory for its image, that is lent.
    pub(super) fn take(&self, item: &Item, dtype: Dtype, slot: &mut Slot) -> Result<()> {
        let held = self.held_of(item)?;
        let (shard, k) = held.warehouse.locate(item.sample)?;
        let number = shard.number();
        let named = |e: Error| e.sample(item.sample);
        if slot.memory.is_empty() {
            slot.payload = held.store.read(number, shard.image(k)).map_err(named)?;
        } else if self.is_as_stored(dtype) {
            held.store.read_into(number, shard.image(k), &mut slot.memory).map_err(named)?;
        } else {
            self.convert(&held.store.read(number, shard.image(k)).map_err(named)?, dtype.out(&mut slot.memory));
        }
        let parts = Parts::new(&mut slot.targets);
        if parts.places() > 0 {
            self.numbers(&held.store, number, shard.boxes(k), parts.boxes).map_err(named)?;
            self.numbers(&held.store, number, shard.mask(k), parts.mask).map_err(named)?;
            let classes = held.known.classes_of(item.sample);
            parts.classes.iter_mut().zip(classes).for_each(|(to, class)| *to = *class);
        }
        slot.frame = Some(held.known.frame_of(item.sample));
        Ok(())
    }

    /// Boxes or masks, from the part of a shard where they lie.
    fn numbers(&self, store: &Store, shard: usize, range: Range<u64>, out: &mut [f32]) -> Result<()> {
        let (dtype, order) = (self.shape.boxes_dtype, self.shape.endianness);
        match dtype == warehouse::Dtype::F32 && is_native(order) {
            true => store.read_into(shard, range, bytemuck::cast_slice_mut(out))?,
            false => to_f32(dtype, order, &store.read(shard, range)?, out),
        }
        Ok(())
    }

    /// The bytes of an image as numbers.
    pub(super) fn convert(&self, bytes: &[u8], out: Out<'_>) {
        match out {
            Out::F32(out) => to_f32(self.shape.dtype, self.shape.endianness, bytes, out),
            Out::U8(out) => out.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte),
            // Of the other byte order, or else they were copied.
            Out::F16(out) => out.iter_mut().zip(bytes.as_chunks::<2>().0).for_each(|(to, pair)| {
                *to = half::f16::from_bits(match self.shape.endianness {
                    warehouse::Endianness::Little => u16::from_le_bytes(*pair),
                    warehouse::Endianness::Big => u16::from_be_bytes(*pair),
                });
            }),
            _ => {}
        }
    }

    /// The image of a sample as the batch's numbers, where it lies.
    pub(super) fn view<'a>(&self, bytes: &'a Bytes, dtype: Dtype) -> Option<super::Tensor<'a>> {
        if self.is_as_stored(dtype) { dtype.try_view(bytes) } else { None }
    }
}

impl Known {
    fn read(warehouse: &Warehouse) -> Result<Known> {
        let mut known = Known::default();
        let mut any = false;
        for shard in warehouse.shards() {
            for (k, i) in shard.samples().enumerate() {
                let record = shard.record(k as u64).map_err(|e| e.sample(i))?.unwrap_or_default();
                known.frames.push(record.frame_id.unwrap_or(i));
                any |= !record.classes.is_empty();
                let class = |class: Option<u32>| class.and_then(|class| i32::try_from(class).ok());
                known.classes.extend(record.classes.into_iter().map(|c| class(c).unwrap_or(super::targets::NO_CLASS)));
                known.ends.push(known.classes.len());
            }
        }
        if !any {
            (known.classes, known.ends) = Default::default();
        }
        Ok(known)
    }

    fn frame_of(&self, i: u64) -> u64 {
        usize::try_from(i).ok().and_then(|i| self.frames.get(i)).copied().unwrap_or(i)
    }
    fn classes_of(&self, i: u64) -> &[i32] {
        let at = |i: u64| usize::try_from(i).ok().and_then(|i| self.ends.get(i)).copied();
        let begin = i.checked_sub(1).map_or(Some(0), at);
        let range = begin.zip(at(i)).map(|(begin, end)| begin..end);
        range.and_then(|range| self.classes.get(range)).unwrap_or_default()
    }
}

impl Held {
    fn open(path: &Path, terms: &Terms, notes: &mut Vec<String>) -> Result<(Held, Dataset)> {
        let name = display(path);
        let named = |e: Error| e.file(&name);
        let begun = Instant::now();
        let mut how = WarehouseOptions::default();
        (how.limits, how.io, how.cache) = (terms.limits.clone(), terms.mode.io(), terms.cache.clone());
        let opened = shards::open(path, &how)?;
        notes.push(format!("{} shards opened in {} ms", opened.shards.len(), begun.elapsed().as_millis()));
        hold(&opened.warehouse, terms, notes).map_err(named)?;
        let most = if terms.fresh { usize::MAX } else { GLANCE };
        match path.parent().and_then(|folder| stale(folder, opened.warehouse.manifest(), most)) {
            Some(said) if terms.fresh => return Err(named(Error::new(&built::STALE, said).with_options(&["fresh"]))),
            said => notes.extend(said),
        }
        prove(&opened, terms, notes)?;
        let warehouse = opened.warehouse.clone();
        let begun = Instant::now();
        let store = Store::new(&opened, terms.mode)?;
        if terms.mode == Mode::Memory {
            let bytes = warehouse.file_len();
            notes.push(format!("{bytes} bytes read into memory in {} ms", begun.elapsed().as_millis()));
        }
        let known = Known::read(&warehouse).map_err(named)?;
        let options = OpenOptions { limits: terms.limits.clone(), ..OpenOptions::default() };
        let dataset = Dataset::of_warehouse(&opened, &options);
        Ok((Held { warehouse, store, first: 0, known }, dataset))
    }
}

/// Version and thresholds.
fn hold(warehouse: &Warehouse, terms: &Terms, notes: &mut Vec<String>) -> Result<()> {
    let manifest = warehouse.manifest();
    if let Some(wanted) = terms.version.as_ref().filter(|wanted| **wanted != manifest.version) {
        let message = format!("the warehouse is of version {}, and {wanted} was asked for", manifest.version);
        return Err(Error::new(&held_to::VERSION_KEY, message).section("manifest"));
    }
    if !manifest.has_own_version() {
        let message = "the version is not the SHA-256 of `version_key`";
        return Err(Error::new(&held_to::VERSION_KEY, message).section("manifest"));
    }
    let broken = manifest.thresholds.broken_by(&manifest.summary.totals);
    if broken.is_empty() {
        return Ok(());
    }
    if terms.allow_violations {
        notes.extend(broken.into_iter().map(|broken| format!("allowed: {broken}")));
        return Ok(());
    }
    let e = Error::new(&held_to::THRESHOLD, broken.join("; ")).section("manifest");
    Err(e.with_options(&["allow_violations"]))
}

fn prove(opened: &OpenWarehouse, terms: &Terms, notes: &mut Vec<String>) -> Result<()> {
    if terms.allow_unproven {
        notes.push("allowed: the shards were not proven by their checksums".into());
        return Ok(());
    }
    let begun = Instant::now();
    let (read, without) = proof::prove(opened)?;
    if !read.is_empty() {
        notes.push(format!("{} shards proven in {} ms", read.len(), begun.elapsed().as_millis()));
    }
    if !without.is_empty() {
        notes.push(format!("{} shards have no checksum in the manifest, so nothing proves them", without.len()));
    }
    Ok(())
}

/// What tells a warehouse from another: its version, and the checksums of its shards.
pub(super) fn identity(warehouse: &Warehouse) -> String {
    let manifest = warehouse.manifest();
    let sums = manifest.shards.iter().map(|shard| shard.checksum_sha256.as_deref().unwrap_or_default());
    format!("{} {:016x}", manifest.version, fnv1a(sums.flat_map(str::bytes)))
}
