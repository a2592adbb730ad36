//! A dataset on this machine: a TBL or TAR, or a folder of files, with all of its bytes in reach.

use std::{
    ops::Range,
    path::Path,
    sync::{Arc, OnceLock},
};

use bytes::{Bytes, BytesMut};
use forebay::{
    Error, Limits, Result, Step, Stepper,
    codec::{checksum::fnv1a, packed::Tables},
    doors::Door,
    error::codes,
    formats::Format,
    image::{HEAD_BYTES, Probe, probe_named},
    sample::{MediaFormat, SampleInfo, SamplePlan, classes_document, record},
    samples::{Dataset as Container, FoundRecord, Loaded, Opener, Watch, is_of_sample, parse_record},
    tar::Tar,
    tbl::{Metadata, MetadataFormat, OpenMetadata, SampleMetadata, Tbl},
    warehouse::Warehouse,
    zip::Zip,
};
use serde_json::Value;

mod used;

pub(crate) use used::{Used, release};

use crate::{
    ahead::AT_ONCE,
    cache::Cache,
    doors,
    folder::Folder,
    input::{Input, Io, WINDOW, is_of_source, remote},
    parallel::{
        CHUNK_BYTES,
        blocks::{in_blocks, in_blocks_of},
    },
    parquets,
    shards::{self, OpenWarehouse, Proven, WarehouseOptions},
};

/// Bytes of each end of a sample that are looked at to tell files apart.
const EDGE: u64 = 256;

/// An opened dataset. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Dataset {
    source: Source,
    limits: Limits,
    /// Found out when it is first asked for: many uses never ask.
    metadata: Arc<OnceLock<Metadata>>,
    damage: Option<Arc<Error>>,
    /// What proves the bytes of a warehouse.
    proven: Option<Arc<Proven>>,
}

/// Where samples come from. What a container is, the core knows; here are its bytes.
#[derive(Clone, Debug)]
enum Source {
    File(Arc<Input>, Arc<Container>),
    Folder(Arc<Folder>),
}

/// How to open.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Bounds on what the file may cost.
    pub limits: Limits,
    /// Pass over what is damaged in a TAR, and over members that are not read.
    pub keep_going: bool,
    /// How the bytes of a TBL or TAR come in; the files of a folder are always read.
    pub io: Io,
    /// At which level of a folder the classes are, from 1; 0 for none. Without it they are
    /// [looked for](Folder::open).
    pub class_level: Option<u32>,
    /// Where bytes of files elsewhere are kept.
    pub cache: Option<Cache>,
    /// Of a TAR elsewhere only the first samples are needed, this many at least: its scan stops behind them.
    #[doc(hidden)]
    pub first_samples: Option<u64>,
}

impl OpenOptions {
    /// The part of it that files of records are opened by.
    fn how(&self) -> doors::How {
        let (limits, cache) = (self.limits.clone(), self.cache.clone());
        doors::How { limits, io: self.io, keep_going: self.keep_going, cache }
    }
}

/// A payload as a worker takes it.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) payload: Bytes,
    /// Width and height of raw pixels, if the index says that the payload is that.
    pub(crate) raw: Option<(u32, u32)>,
    /// What its coefficients are packed with, if they are.
    pub(crate) tables: Option<Arc<Tables>>,
}

/// A record as text, of which a TBL's own is not copied.
#[derive(Debug)]
pub(crate) enum RecordText {
    Stored(SampleMetadata),
    Made(String),
}

impl RecordText {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            RecordText::Stored(metadata) => metadata.json_text().unwrap_or_default(),
            RecordText::Made(text) => text,
        }
    }
}

/// Opens a file; of a TAR no more than its first samples, if so many are enough.
struct First<'a> {
    opener: &'a mut Opener,
    samples: Option<u64>,
    /// The next time to count them is at so many members.
    look: u64,
}

impl First<'_> {
    fn ahead(&self) -> u64 {
        if self.opener.walks() { WINDOW } else { 0 }
    }
}

impl Stepper for First<'_> {
    type Output = Container;

    fn step(&mut self) -> Result<Step<Container>> {
        if let (Some(samples), Some(scanner)) = (self.samples, self.opener.scanner())
            && scanner.members().len() as u64 > self.look
        {
            let tar = Tar::growing(scanner.so_far())?;
            if tar.len() >= samples {
                return Ok(Step::Done(Container::Tar(tar)));
            }
            self.look = self.look.saturating_mul(2).max(1);
        }
        self.opener.step()
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.opener.push(start, bytes);
    }
}

impl Dataset {
    /// Opens a TBL, a TAR, a ZIP, a Parquet file of images, a folder, or a tensor warehouse: its manifest or the folder that has
    /// it. A folder of Parquet files, and a pattern such as `data/train-*.parquet`, are one dataset. It may lie elsewhere:
    /// [addresses](crate::remote) are opened as paths are. A folder without images is an error, and no dataset of 0 samples.
    pub fn open(path: impl AsRef<Path>) -> Result<Dataset> {
        Self::open_with(path.as_ref(), &OpenOptions::default())
    }

    /// Opens with options.
    pub fn open_with(path: &Path, options: &OpenOptions) -> Result<Dataset> {
        let path = &*remote::local(path)?;
        if path.is_dir() || remote::is_folder(path) {
            if let Some(manifest) = shards::manifest_of(path) {
                return Self::open_warehouse(&manifest, options);
            }
            let folder = Folder::open_at(path, options.class_level)?;
            if folder.is_empty() {
                if let Some(found) = doors::of_folder(&folder, path, &options.how())? {
                    return Self::from_opener(found.input, Opener::of_records(found.opener), options);
                }
                if let Some(dataset) = Self::joined(parquets::of_folder(&folder, path, &options.how())?, options) {
                    return Ok(dataset);
                }
            }
            folder.refuse_without_pictures()?;
            return Ok(Self::new(Source::Folder(Arc::new(folder)), options, None));
        }
        if let Some(dataset) = Self::joined(parquets::of_pattern(path, &options.how())?, options) {
            return Ok(dataset);
        }
        match Self::from_input(Input::open(path, options.io)?, options) {
            // A manifest is several files.
            Err(e) if e.code() == &codes::NOT_SAMPLES => match shards::manifest_of(path) {
                Some(manifest) => Self::open_warehouse(&manifest, options),
                None => Err(e),
            },
            other => other,
        }
    }

    /// Files of records as one.
    fn joined(found: Option<(Input, Door)>, options: &OpenOptions) -> Option<Dataset> {
        let (input, door) = found?;
        Some(Self::new(Source::File(Arc::new(input), Arc::new(Container::Door(door))), options, None))
    }

    fn open_warehouse(manifest: &Path, options: &OpenOptions) -> Result<Dataset> {
        let mut how = WarehouseOptions::default();
        (how.limits, how.io, how.keep_going) = (options.limits.clone(), options.io, options.keep_going);
        how.cache = options.cache.clone();
        Ok(Self::of_warehouse(&shards::open(manifest, &how)?, options))
    }

    /// A warehouse that is open already.
    pub(crate) fn of_warehouse(opened: &OpenWarehouse, options: &OpenOptions) -> Dataset {
        let container = Container::Warehouse(opened.warehouse.clone());
        Self::new(Source::File(Arc::new(opened.joined.clone()), Arc::new(container)), options, None)
    }

    /// Opens bytes that are in memory.
    pub fn from_input(input: Input, options: &OpenOptions) -> Result<Dataset> {
        let input = match &options.cache {
            Some(cache) => input.cached(cache),
            None => input,
        };
        match Self::from_plain(input.clone(), options) {
            // Records may be packed as a whole.
            Err(e) if [&codes::UNKNOWN_FORMAT, &codes::NOT_SAMPLES].contains(&e.code()) => {
                match doors::unpacked(&input, &options.limits)? {
                    Some(unpacked) => Self::from_plain(unpacked, options),
                    None => Err(e),
                }
            }
            other => other,
        }
    }

    fn from_plain(input: Input, options: &OpenOptions) -> Result<Dataset> {
        let mut opener = Opener::new(input.len()).with_limits(options.limits.clone());
        if options.keep_going {
            opener = opener.keep_going();
        }
        Self::from_opener(input, opener, options)
    }

    fn from_opener(input: Input, mut opener: Opener, options: &OpenOptions) -> Result<Dataset> {
        let named = |e: Error| e.file(input.name());
        let first = options.first_samples.filter(|_| !input.is_local());
        let mut opening = First { opener: &mut opener, samples: first, look: first.unwrap_or(0) };
        let (container, damage) = match input.drive(&mut opening, First::ahead) {
            Ok(container) => (container, None),
            Err(e) if e.code() == &codes::NOT_SAMPLES && parquets::is_one(&input) => {
                (Container::Door(parquets::open(&input, &options.limits).map_err(named)?), None)
            }
            Err(e) => match opener.into_partial() {
                // What could not be read is not damage.
                Some(partial) if options.keep_going && !is_of_source(&e) => {
                    (partial.map_err(named)?, Some(Arc::new(named(e))))
                }
                _ => return Err(named(e)),
            },
        };
        Ok(Self::new(Source::File(Arc::new(input), Arc::new(container)), options, damage))
    }

    fn new(source: Source, options: &OpenOptions, damage: Option<Arc<Error>>) -> Dataset {
        let warehouse = match &source {
            Source::File(_, container) => container.warehouse(),
            Source::Folder(_) => None,
        };
        let proven = warehouse.map(|warehouse| Arc::new(Proven::new(warehouse)));
        Dataset { source, limits: options.limits.clone(), metadata: Arc::default(), damage, proven }
    }

    /// The format; `None` for a folder.
    pub fn format(&self) -> Option<Format> {
        self.container().map(Container::format)
    }
    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        match &self.source {
            Source::File(input, _) => input.name(),
            Source::Folder(folder) => folder.name(),
        }
    }
    /// Bytes on disk.
    pub fn file_len(&self) -> u64 {
        match &self.source {
            Source::File(input, _) => input.len(),
            Source::Folder(folder) => folder.bytes(),
        }
    }
    /// The container, if the dataset is one file.
    pub fn container(&self) -> Option<&Container> {
        match &self.source {
            Source::File(_, container) => Some(container),
            Source::Folder(_) => None,
        }
    }
    /// The opened TBL, if it is one.
    pub fn tbl(&self) -> Option<&Tbl> {
        self.container()?.tbl()
    }
    /// The scanned TAR, if it is one.
    pub fn tar(&self) -> Option<&Tar> {
        self.container()?.tar()
    }
    /// The opened ZIP, if it is one.
    #[doc(hidden)]
    pub fn zip(&self) -> Option<&Zip> {
        self.container()?.zip()
    }
    /// The opened warehouse, if it is one.
    pub fn warehouse(&self) -> Option<&Warehouse> {
        self.container()?.warehouse()
    }
    /// Whether the index says the size of pictures, and the metadata their names.
    pub(crate) fn has_index(&self) -> bool {
        self.container().is_some_and(Container::has_index)
    }
    /// The records of another program's format, if they are some.
    #[doc(hidden)]
    pub fn door(&self) -> Option<&Door> {
        self.container()?.door()
    }
    /// Whether the names of samples stand in their metadata.
    pub(crate) fn names_in_metadata(&self) -> bool {
        self.container().is_some_and(Container::names_in_metadata)
    }
    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&Folder> {
        match &self.source {
            Source::Folder(folder) => Some(folder),
            Source::File(..) => None,
        }
    }
    /// The file's bytes, if it is one file.
    pub fn input(&self) -> Option<&Arc<Input>> {
        match &self.source {
            Source::File(input, _) => Some(input),
            Source::Folder(_) => None,
        }
    }
    /// Returns the first fault of a TAR whose scan was told to keep going.
    pub fn damage(&self) -> Option<&Error> {
        self.damages().next()
    }
    /// All that such a scan passed over, and what stopped it.
    fn damages(&self) -> impl Iterator<Item = &Error> {
        let passed = self.container().map_or(&[][..], Container::passed);
        passed.iter().chain(&self.damage).map(|e| &**e)
    }
    /// What stopped such a scan.
    pub(crate) fn stopped(&self) -> Option<&Error> {
        self.damage.as_deref()
    }
    /// Returns remarks about the file as a whole: where a folder's classes were found, sidecars of an archive that
    /// lie apart from their pictures, how an archive ends.
    pub fn notes(&self) -> Vec<String> {
        let of_container = self.container().map(Container::notes).unwrap_or_default();
        self.notes_on_samples().into_iter().chain(of_container).collect()
    }
    /// Those that the container itself has not.
    pub(crate) fn notes_on_samples(&self) -> Vec<String> {
        match (self.tar(), self.folder()) {
            (Some(tar), _) => tar.stray().map(|stray| stray.note()).into_iter().collect(),
            (_, Some(folder)) => folder.notes(),
            _ => Vec::new(),
        }
    }
    /// What is not there of a file that was opened nevertheless: what the scan of a TAR passed over or was stopped by, and
    /// shards of a warehouse and lists of a folder that cannot be read.
    #[doc(hidden)]
    pub fn losses(&self) -> impl Iterator<Item = &Error> {
        let lists = self.folder().map(Folder::faults).unwrap_or_default();
        self.damages().chain(self.warehouse().map(Warehouse::faults).unwrap_or_default()).chain(lists)
    }
    /// The bounds that reading keeps.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
    /// How many samples there are.
    pub fn len(&self) -> u64 {
        match &self.source {
            Source::File(_, container) => container.len(),
            Source::Folder(folder) => folder.len(),
        }
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the description of sample `i`. In a TBL the index has it; elsewhere the payload is read.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        match &self.source {
            Source::File(input, container) => {
                let named = |e: Error| e.file(self.name());
                if self.has_index() {
                    return container.info_with(i, &[]).map_err(named);
                }
                let plan = container.plan(i).map_err(named)?;
                let name = container.name(i, None).unwrap_or_default();
                // Many rows share a page, whose size says nothing of one of them.
                if plan.info.bytes > 0 && self.format() == Some(Format::Parquet) {
                    return self.info_in_page(i, plan.info, name);
                }
                let look = |most: u64| {
                    let whole = most >= plan.info.bytes;
                    let bytes = input.lend(if whole { plan.range() } else { plan.front_range(most) })?;
                    Ok(plan.front(&bytes, usize::try_from(most).unwrap_or(usize::MAX)))
                };
                let seen = self.probed(name, plan.info.bytes, look)?;
                Ok(plan.info.probed(seen))
            }
            Source::Folder(folder) => {
                let info = folder.info(i)?;
                let name = folder.sample_name(i).unwrap_or_default();
                let seen = self.probed(name, info.bytes, |most| folder.first(i, most))?;
                Ok(info.probed(seen))
            }
        }
    }

    /// The description of a sample of which only the page that holds it is known. One without a payload has no bytes.
    fn info_in_page(&self, i: u64, info: SampleInfo, name: &str) -> Result<SampleInfo> {
        let payload = match self.lend(i) {
            Err(e) if is_of_sample(&e) => Bytes::new(),
            payload => payload?,
        };
        let mut info = info.probed(probe_named(name, &payload));
        (info.bytes, info.stored_bytes) = (payload.len() as u64, payload.len() as u64);
        Ok(info)
    }

    /// What a payload's first bytes say, of which `look` reads as many as it is told: all of them where the usual
    /// part does not tell a picture's size.
    fn probed(&self, name: &str, bytes: u64, look: impl Fn(u64) -> Result<Bytes>) -> Result<Probe> {
        let seen = probe_named(name, &look(HEAD_BYTES as u64)?);
        let more = seen.is_undecided() && bytes > HEAD_BYTES as u64 && self.limits.item(bytes).is_ok();
        if more { Ok(probe_named(name, &look(bytes)?)) } else { Ok(seen) }
    }

    /// Sample `i`'s payload, verified and decompressed. Of a mapped file, what is stored as it is comes without copying.
    pub fn payload(&self, i: u64) -> Result<Bytes> {
        self.payload_by(i, Input::slice)
    }

    /// As [`payload`](Self::payload), for bytes that are freed soon: small ones may keep their neighbors in memory.
    pub(crate) fn lend(&self, i: u64) -> Result<Bytes> {
        self.payload_by(i, Input::lend)
    }

    fn payload_by(&self, i: u64, read: impl Fn(&Input, Range<u64>) -> Result<Bytes>) -> Result<Bytes> {
        match &self.source {
            Source::File(input, container) => {
                let named = |e: Error| e.file(self.name());
                if let Some(payload) = self.kept(i) {
                    return payload;
                }
                let plan = self.plan(i, input, container).map_err(named)?;
                plan.decode(&read(input, plan.range())?, &self.limits).map_err(named)
            }
            Source::Folder(folder) => folder.payload(i),
        }
    }

    /// The payload of sample `i`, if it was unpacked together with another.
    fn kept(&self, i: u64) -> Option<Result<Bytes>> {
        Some(self.door()?.kept(i)?.map_err(|e| e.file(self.name())))
    }

    /// Plans the read of sample `i`, with all that there is to prove it.
    fn plan(&self, i: u64, input: &Input, container: &Container) -> Result<SamplePlan> {
        match (&self.proven, container.warehouse()) {
            (Some(proven), Some(warehouse)) => proven.plan(warehouse, input, i),
            _ => container.plan(i),
        }
    }

    /// Refuses sample `i` of a warehouse if its boxes, mask or metadata are not what was written. Others are proven as they
    /// are read.
    fn prove_record(&self, i: u64, input: &Input, container: &Container) -> Result<()> {
        match (&self.proven, container.warehouse()) {
            (Some(proven), Some(warehouse)) => proven.labels(warehouse, input, i),
            _ => Ok(()),
        }
    }

    /// As [`payload`](Self::payload), for a worker that reads many: into `buffer` where the file is not mapped, and
    /// unverified where `verify` says so.
    pub(crate) fn stored(&self, i: u64, verify: bool, buffer: &mut BytesMut) -> Result<Stored> {
        self.stored_then(i, verify, (buffer, false), || ())
    }

    /// The same; `is_read` is called between reading, and verifying and decompressing. With `half` the coefficients of packed
    /// JPEGs stay packed, for decoders to which they are as good.
    pub(crate) fn stored_then(
        &self,
        i: u64,
        verify: bool,
        (buffer, half): (&mut BytesMut, bool),
        is_read: impl FnOnce(),
    ) -> Result<Stored> {
        let named = |e: Error| e.file(self.name());
        let (input, container) = match &self.source {
            Source::File(input, container) => (input, container),
            Source::Folder(folder) => return Ok(Stored { payload: folder.payload(i)?, ..Stored::default() }),
        };
        if let Some(payload) = self.kept(i) {
            is_read();
            return Ok(Stored { payload: payload?, ..Stored::default() });
        }
        let plan = if verify { self.plan(i, input, container) } else { container.plan(i) }.map_err(named)?;
        let bytes = input.slice_in(plan.range(), buffer)?;
        is_read();
        let raw = (plan.info.format == MediaFormat::RawU8).then_some((plan.info.width, plan.info.height));
        if half {
            let (payload, tables) = plan.half(&bytes, verify, &self.limits).map_err(named)?;
            return Ok(Stored { payload, raw, tables });
        }
        let payload = match verify {
            true => plan.decode(&bytes, &self.limits),
            false => plan.decode_unverified(&bytes, &self.limits),
        };
        Ok(Stored { payload: payload.map_err(named)?, raw, tables: None })
    }

    /// Sample `i`'s file name, if it has one.
    pub fn sample_name(&self, i: u64) -> Result<Option<String>> {
        match &self.source {
            Source::File(_, container) => {
                let metadata = if self.names_in_metadata() { self.metadata_value(i)? } else { None };
                Ok(container.name(i, metadata.as_ref()).map(str::to_owned))
            }
            Source::Folder(folder) => Ok(folder.sample_name(i).map(str::to_owned)),
        }
    }

    /// As [`sample_name`](Self::sample_name), if the sample's metadata is known.
    pub(crate) fn name_in(&self, i: u64, metadata: &Value) -> Option<String> {
        match &self.source {
            Source::File(_, container) => container.name(i, Some(metadata)).map(str::to_owned),
            Source::Folder(folder) => folder.sample_name(i).map(str::to_owned),
        }
    }

    /// Sample `i`'s metadata as JSON text: the record that a TBL of it would hold.
    pub fn record(&self, i: u64) -> Result<Option<String>> {
        match &self.source {
            Source::File(input, container) => self
                .prove_record(i, input, container)
                .and_then(|()| container.record(i, self.open_metadata(input, container)?, |range| input.lend(range)))
                .map_err(|e| e.file(self.name())),
            Source::Folder(folder) => folder.record(i).map(Some),
        }
    }

    /// As [`record`](Self::record), for one that is to be changed: metadata that does not read is kept by whoever leaves it
    /// alone, and not changed.
    pub(crate) fn changeable_record(&self, i: u64) -> Result<Option<String>> {
        let Source::File(input, container) = &self.source else { return self.record(i) };
        let found = self.prove_record(i, input, container).and_then(|()| {
            let metadata = self.open_metadata(input, container)?;
            container.find_record_as(i, i, metadata, |range| input.lend(range))
        });
        found.and_then(|found| found.map(FoundRecord::changeable).transpose()).map_err(|e| e.file(self.name()))
    }

    /// As [`record`](Self::record), without copying what lies in the file as text; read into `buffer` where the file
    /// is not mapped.
    pub(crate) fn record_text(&self, i: u64, buffer: &mut BytesMut) -> Result<Option<RecordText>> {
        let Source::File(input, container) = &self.source else { return Ok(self.record(i)?.map(RecordText::Made)) };
        let Some(metadata) = self.open_metadata(input, container)? else {
            return Ok(self.record(i)?.map(RecordText::Made));
        };
        let named = |e: Error| e.file(self.name()).sample(i);
        let Some(range) = metadata.range(i).map_err(named)? else { return Ok(None) };
        // Elsewhere than here, records that follow each other are asked for together.
        let bytes = if input.is_local() { input.slice_in(range, buffer)? } else { input.lend(range)? };
        let found = metadata.decode(i, bytes).map_err(named)?;
        match found {
            Some(found) if found.bytes.is_empty() => Ok(None),
            Some(found) if found.json_text().is_some() => Ok(Some(RecordText::Stored(found))),
            _ => Ok(self.record(i)?.map(RecordText::Made)),
        }
    }

    /// Sample `i` with all that belongs to it, under the number that it has elsewhere.
    pub(crate) fn load_as(&self, i: u64, id: u64) -> Result<Loaded> {
        let named = |e: Error| e.file(self.name());
        match &self.source {
            Source::File(input, container) => {
                self.prove_record(i, input, container).map_err(named)?;
                let (payload, metadata) = (self.lend(i)?, self.open_metadata(input, container)?);
                let mut sample = container.load(i, id, payload, metadata, |range| input.lend(range)).map_err(named)?;
                sample.kept = sample.kept.map(named);
                Ok(sample)
            }
            Source::Folder(folder) => {
                let (payload, record) = (folder.payload(i)?, folder.record(i)?);
                // A folder's record carries the sample's own number.
                let record = if id == i { record } else { record::renumber(&record, id) };
                Ok(Loaded::from_file(id, folder.sample_name(i).unwrap_or_default(), payload, record))
            }
        }
    }

    /// Whether a filter accepts sample `i`. What it does not ask for is not read.
    pub fn accepts(&self, i: u64, watch: &mut Watch) -> Result<bool> {
        let info = self.info(i)?;
        let metadata = if watch.needs_record(self.names_in_metadata()) { self.find_metadata(i)? } else { None };
        let metadata = metadata.map(|(value, kept)| {
            kept.iter().for_each(|e| watch.kept(e));
            value
        });
        let name = match (watch.filter().needs_name(), &self.source) {
            (false, _) => None,
            (true, Source::File(_, container)) => container.name(i, metadata.as_ref()),
            (true, Source::Folder(folder)) => folder.sample_name(i),
        };
        Ok(watch.accepts(&info, name, metadata.as_ref())?.is_some())
    }

    /// Where and how long sample `i` is, by what is known without reading it; for files with names, a hash of its
    /// name too.
    pub(crate) fn layout_of(&self, i: u64) -> Option<[u64; 4]> {
        let (info, name) = match &self.source {
            Source::File(_, container) => (container.info(i), container.file_name(i)),
            Source::Folder(folder) => (folder.info(i), folder.sample_name(i)),
        };
        let info = info.ok()?;
        Some([info.offset, info.stored_bytes, info.bytes, name.map_or(0, |name| fnv1a(name.bytes()))])
    }

    /// Bytes from both ends of sample `i` as it is stored, a checksum behind it included, and its record: what tells
    /// a file that was written again from one that was not, where both have the same layout.
    pub(crate) fn traits_of(&self, i: u64) -> Option<[Bytes; 3]> {
        let record = self.record(i).ok().flatten().unwrap_or_default().into();
        let (input, container) = match &self.source {
            Source::File(input, container) => (input, container),
            Source::Folder(folder) => return Some([folder.payload(i).ok()?, Bytes::new(), record]),
        };
        let [head, last] = ends(&container.plan(i).ok()?.range());
        Some([input.slice(head).ok()?, input.slice(last).ok()?, record])
    }

    /// The ranges that [`traits_of`](Self::traits_of) reads of one file.
    pub(crate) fn ranges_of_traits(&self, i: u64) -> Vec<Range<u64>> {
        let Some(range) = self.taken_range(i) else { return Vec::new() };
        let [head, last] = ends(&range);
        [Some(head), Some(last), self.record_range(i)].into_iter().flatten().collect()
    }

    /// Where sample `i` lies in the mapped file; for a folder, in its own.
    pub fn stored_range(&self, i: u64) -> Option<std::ops::Range<u64>> {
        match &self.source {
            Source::File(_, container) => container.info(i).ok().map(|info| info.range()),
            Source::Folder(folder) => folder.info(i).ok().map(|info| 0..info.bytes),
        }
    }

    /// The weight of sample `i` in a chunk of work. A remote image is a request, so it is a chunk of its own and threads wait
    /// for several at once.
    #[doc(hidden)]
    pub fn weight(&self, i: u64) -> u64 {
        let bytes = self.stored_range(i).map_or(0, |range| range.end - range.start);
        if self.is_far_folder() { bytes.max(CHUNK_BYTES) } else { bytes }
    }

    /// How many threads read samples: of a folder elsewhere as many as requests may be on their way.
    #[doc(hidden)]
    pub fn threads(&self, workers: usize) -> usize {
        if self.is_far_folder() { workers.max(AT_ONCE) } else { workers }
    }

    /// What `work` makes of the samples, block by block in their order, on as many threads as that takes.
    pub(crate) fn in_blocks<T: Send>(&self, work: impl Fn(Range<u64>) -> Result<T> + Sync) -> Result<Vec<T>> {
        match self.is_far_folder() {
            true => in_blocks_of(1, AT_ONCE, self.len(), work),
            false => in_blocks(self.len(), work),
        }
    }

    fn is_far_folder(&self) -> bool {
        self.folder().is_some_and(|folder| remote::is_remote(folder.name().as_ref()))
    }

    /// The bytes that taking sample `i` reads of the file.
    #[doc(hidden)]
    pub fn taken_range(&self, i: u64) -> Option<Range<u64>> {
        self.container()?.plan(i).ok().map(|plan| plan.range())
    }

    /// The bytes of sample `i`'s record in a TBL.
    pub(crate) fn record_range(&self, i: u64) -> Option<Range<u64>> {
        let Source::File(input, container) = &self.source else { return None };
        self.open_metadata(input, container).ok()??.range(i).ok()?
    }

    /// The same dataset by another way to its bytes, if it is one file.
    pub(crate) fn by(&self, way: impl FnOnce(&Input) -> Input) -> Dataset {
        let source = match &self.source {
            Source::File(input, container) => Source::File(Arc::new(way(input)), container.clone()),
            Source::Folder(folder) => Source::Folder(folder.clone()),
        };
        Dataset { source, ..self.clone() }
    }

    /// Says that sample `i` will be read soon.
    pub(crate) fn will_need(&self, i: u64) {
        if let (Some(input), Some(range)) = (self.input(), self.stored_range(i)) {
            input.will_need(range);
        }
    }

    /// Frees mapped pages that were used.
    pub(crate) fn release(&self, range: std::ops::Range<u64>) {
        if let Some(input) = self.input() {
            input.release(range);
        }
    }

    /// Sample `i`'s metadata as a value. What does not read is in there as text or bytes.
    pub fn metadata_value(&self, i: u64) -> Result<Option<Value>> {
        Ok(self.find_metadata(i)?.map(|(value, _)| value))
    }

    /// As [`metadata_value`](Self::metadata_value), and why it is in there as text, if it is.
    pub fn find_metadata(&self, i: u64) -> Result<Option<(Value, Option<Error>)>> {
        let named = |e: Error| e.file(self.name());
        match &self.source {
            Source::File(input, container) => {
                self.prove_record(i, input, container).map_err(named)?;
                let metadata = self.open_metadata(input, container)?;
                let found = container.find_value(i, metadata, |range| input.slice(range)).map_err(named)?;
                Ok(found.map(|(value, kept)| (value, kept.map(named))))
            }
            Source::Folder(folder) => Ok(Some((parse_record(i, &folder.record(i)?).map_err(named)?, None))),
        }
    }

    /// Where a TBL's records lie; nothing for a TAR.
    fn open_metadata(&self, input: &Input, container: &Container) -> Result<Option<&Metadata>> {
        let Some(tbl) = container.tbl() else { return Ok(None) };
        if let Some(metadata) = self.metadata.get() {
            return Ok(Some(metadata));
        }
        let found = input.drive(&mut OpenMetadata::new(tbl), |_| 0).map_err(|e| e.file(self.name()))?;
        Ok(Some(self.metadata.get_or_init(|| found)))
    }

    /// The document beside the samples' metadata, if there is one.
    pub fn document(&self) -> Result<serde_json::Map<String, Value>> {
        match &self.source {
            Source::File(input, container) => {
                let place = container.tbl().and_then(|tbl| Some((tbl, tbl.header().metadata.clone()?)));
                match place {
                    Some((tbl, range)) => tbl.document(&input.slice(range)?).map_err(|e| e.file(self.name())),
                    None => Ok(match container.door() {
                        Some(door) => door.document(),
                        None => classes_document(container.zip().map_or(&[], Zip::classes)),
                    }),
                }
            }
            Source::Folder(folder) => Ok(classes_document(folder.classes())),
        }
    }

    /// A guide file's Protobuf document, which is the user's own bytes.
    pub(crate) fn protobuf(&self) -> Result<Option<Vec<u8>>> {
        let (Some(input), Some(header)) = (self.input(), self.tbl().map(Tbl::header)) else { return Ok(None) };
        match &header.metadata {
            Some(range) if header.metadata_format == Some(MetadataFormat::Protobuf) => {
                Ok(Some(input.slice(range.clone())?.to_vec()))
            }
            _ => Ok(None),
        }
    }
}

/// Both ends of a sample.
fn ends(range: &Range<u64>) -> [Range<u64>; 2] {
    let (head, tail) = (range.start.saturating_add(EDGE).min(range.end), range.end.saturating_sub(EDGE));
    [range.start..head, tail.max(range.start)..range.end]
}
