//! `forebay bench`: how fast the loader is on this machine and these files, and against the bare decoder.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use forebay::{
    Error, Result,
    error::codes,
    image::{
        decode::{self, Decoder},
        probe,
        transform::{Out, Resampling, Transformer, f16},
    },
    order::{Item, sample_key},
    sample::MediaFormat,
    words::Word,
};
use forebay_native::{
    dataset::Dataset,
    input::{self, Io},
    loader::{Builder, DecodedCache, Dtype, IMAGENET, Image, Loader, Mosaic, OnBroken, Stats, Target},
    output::{AtomicFile, refuse_inputs},
    parallel::all_cores,
    shards::manifest_of,
    warehouse::read_manifest,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    filtering::{LimitArgs, PixelLimitArgs, open, paths},
    pixels,
};
use crate::{
    exit::Outcome,
    human,
    output::Output,
    words::{setting, threads, whole_setting, word},
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns, read as one dataset.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[arg(long, help = setting("batch"), value_name = "N", default_value_t = 64)]
    batch: u64,
    /// Tensor size, such as 224 or 320x240.
    #[arg(long, value_name = "SIZE", value_parser = pixels::size, default_value = "224")]
    image: (u32, u32),
    #[arg(long, help = setting("workers"), value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    /// Number of epochs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    epochs: u64,
    #[arg(long, help = setting("shuffle"), value_name = "SEED")]
    shuffle: Option<u64>,
    /// Use resized random crops and flip half of them.
    ///
    /// Without it, whole images are resized.
    #[arg(long)]
    augment: bool,
    /// Combine 4 or 9 images on each tensor, as for detectors.
    ///
    /// 4 images around a point (default), or 9 in three rows. Boxes, masks and key points of --target follow.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "4", value_parser = pictures)]
    mosaic: Option<u8>,
    #[arg(long, help = setting("resampling"), long_help = whole_setting("resampling"), value_name = "FILTER", hide_short_help = true, value_parser = pixels::resampling())]
    resample: Option<Resampling>,
    #[arg(long, help = setting("dtype"), value_name = "TYPE", value_parser = word::<Dtype>(), default_value = "f32")]
    dtype: Dtype,
    /// Read labels from this metadata field.
    #[arg(long, value_name = "FIELD")]
    labels: Option<String>,
    /// Add a target, such as speed=float:json.speed.
    ///
    /// Written as NAME=KIND:FROM, such as boxes=boxes/32:instances.json. May be repeated. docs/loader.md lists the kinds.
    #[arg(long = "target", value_name = "TARGET", value_parser = target)]
    targets: Vec<(String, Target)>,
    #[arg(long = "where", help = setting("where"), alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    #[arg(long, help = setting("io"), long_help = whole_setting("io"), value_name = "MODE", value_parser = word::<Io>(), default_value = "read")]
    io: Io,
    /// Do not verify the checksums of payloads.
    #[arg(long)]
    no_verify: bool,
    /// Skip damaged samples.
    #[arg(long)]
    keep_going: bool,
    /// Cache decoded images for later epochs, up to a size such as 4G.
    ///
    /// In memory, or with BYTES=PATH in a file.
    #[arg(long, hide_short_help = true, value_name = "BYTES[=PATH]", value_parser = decoded_cache)]
    decoded_cache: Option<DecodedCache>,
    /// Write a timeline for Perfetto or Chrome's viewer.
    #[arg(long, value_name = "FILE")]
    timeline: Option<PathBuf>,
    /// Overwrite an existing timeline.
    #[arg(long, short, alias = "overwrite", requires = "timeline")]
    force: bool,
    /// Images to measure the bare decoder with; 0 for none.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 500)]
    decode_alone: u64,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pixel_limit: PixelLimitArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if args.epochs == 0 {
        return Err(Error::new(&codes::ARGUMENT, "the number of epochs must be at least 1"));
    }
    let run = load(args)?;
    let alone = match args.decode_alone {
        0 => None,
        _ if run.stored.is_some() => None,
        most => alone(args, &run, most)?,
    };
    let value = facts(args, &run, alone.as_ref());
    if out.json() {
        out.value(&value)
    } else {
        print(&serde_json::to_value(&value).unwrap_or_default(), out)
    }
    Ok(if run.skipped == 0 { Outcome::Fine } else { Outcome::Damaged })
}

/// Events that a timeline has at most: 72 MiB of memory, and about 150 MB of JSON.
const EVENTS: usize = 1 << 20;

/// How many images a mosaic has.
fn pictures(text: &str) -> Result<u8, String> {
    match text {
        "4" => Ok(4),
        "9" => Ok(9),
        _ => Err("a mosaic has 4 or 9 images; put files before --mosaic, or after its number".into()),
    }
}

/// How much is kept decoded, and where.
fn decoded_cache(text: &str) -> Result<DecodedCache, String> {
    let (bytes, path) = text.split_once('=').map_or((text, None), |(bytes, path)| (bytes, Some(path)));
    // 4G is what everybody writes.
    let bytes = match bytes.trim_end().strip_suffix(['K', 'M', 'G', 'T']) {
        Some(_) => human::parse_bytes(&format!("{}iB", bytes.trim_end())),
        None => human::parse_bytes(bytes),
    }?;
    Ok(match path {
        Some("") => return Err("it is written as BYTES=PATH, such as 40G=images.cache".into()),
        Some(path) => DecodedCache::file(path, bytes),
        None => DecodedCache::memory(bytes),
    })
}

/// A target with its name.
fn target(text: &str) -> Result<(String, Target), String> {
    let (name, target) = text.split_once('=').ok_or("it is written as NAME=KIND:FROM, such as age=int:json.age")?;
    Ok((name.to_owned(), target.parse().map_err(|e: Error| e.message().to_owned())?))
}

fn recipe(args: &Args) -> Image {
    let image = Image::new(args.image.0, args.image.1).resampling(args.resample.unwrap_or_default());
    // Bytes are the pixels themselves.
    let image = if matches!(args.dtype, Dtype::U8) { image } else { image.normalize(IMAGENET) };
    if args.augment { image.random_resized_crop().hflip() } else { image }
}

/// The size of the tensors of a warehouse: its samples are not made anew.
fn stored_size(args: &Args) -> Result<Option<[u32; 2]>> {
    let files = paths(&args.files)?;
    let manifest = files.first().and_then(|path| manifest_of(path));
    Ok(manifest.map(|path| read_manifest(&path)).transpose()?.map(|it| it.transform.target_size.unwrap_or_default()))
}

fn builder(args: &Args) -> Result<Builder> {
    let mut builder = Loader::open_all(paths(&args.files)?)?
        .batch(args.batch)
        .workers(args.workers)
        .dtype(args.dtype)
        .tail(forebay::order::Tail::Uneven)
        .limits(args.pixel_limit.limits(args.limits.limits()));
    if stored_size(args)?.is_none() {
        builder = builder.image(recipe(args)).verify(!args.no_verify).io(args.io);
    }
    if let Some(pictures) = args.mosaic {
        builder = builder.mosaic(if pictures == 9 { Mosaic::nine() } else { Mosaic::new() });
    }
    if let Some(seed) = args.shuffle {
        builder = builder.shuffle(seed);
    }
    if let Some(filter) = &args.filter {
        builder = builder.filter(filter)?;
    }
    if let Some(field) = &args.labels {
        builder = builder.labels(field.as_str());
    }
    for (name, target) in &args.targets {
        builder = builder.target(name, target.clone());
    }
    if args.keep_going {
        builder = builder.on_broken(OnBroken::Skip);
    }
    if let Some(cache) = &args.decoded_cache {
        builder = builder.decoded_cache(cache.clone());
    }
    if args.timeline.is_some() {
        builder = builder.timeline(EVENTS);
    }
    Ok(builder)
}

/// What the loader did.
struct Run {
    /// Width and height, if nothing was decoded.
    stored: Option<[u32; 2]>,
    samples: u64,
    images: u64,
    skipped: u64,
    seconds: f64,
    /// From before opening the files to the first batch.
    first_batch: f64,
    /// The usual time from one batch to the next.
    batch: f64,
    stats: Stats,
    /// Images and seconds of every epoch.
    epochs: Vec<(u64, f64)>,
    /// Events of the timeline, and such as there was no room for.
    events: Option<(usize, u64)>,
    /// Memory of its own, files that are mapped left out, at most.
    peak_bytes: Option<u64>,
    /// The first epoch's first items, for the bare decoder.
    items: Vec<Item>,
}

fn load(args: &Args) -> Result<Run> {
    // What is there is refused before all the work.
    if let Some(timeline) = &args.timeline {
        refuse_inputs(timeline, paths(&args.files)?.iter().map(PathBuf::as_path))?;
    }
    let timeline_file = args.timeline.as_ref().map(|path| AtomicFile::create(path, args.force)).transpose()?;
    let begun = Instant::now();
    let mut loader = builder(args)?.build()?;
    let mut images = 0;
    let (mut first_batch, mut gaps, mut last) = (None, Vec::new(), begun);
    let mut peak_bytes = None;
    let mut epochs = Vec::new();
    for epoch in 0..args.epochs {
        let (before, since) = (images, Instant::now());
        for batch in loader.epoch(epoch)? {
            images += batch?.len() as u64;
            let now = Instant::now();
            match first_batch {
                None => first_batch = Some(now - begun),
                Some(_) => gaps.push(now - last),
            }
            last = now;
            peak_bytes = peak_bytes.max(anonymous());
        }
        epochs.push((images - before, since.elapsed().as_secs_f64()));
    }
    let seconds = begun.elapsed().as_secs_f64();
    let first = loader.order().epoch(0)?;
    let wanted = args.decode_alone.min(loader.order().epoch_samples());
    let items = (0..wanted).filter_map(|position| first.item(position)).collect();
    gaps.sort_unstable();
    let batch = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
    let stats = loader.stats();
    let mut events = None;
    if let (Some(file), Some(timeline)) = (timeline_file, loader.timeline()) {
        timeline.save(file)?;
        events = Some((timeline.events.len(), timeline.left_out));
    }
    Ok(Run {
        stored: stored_size(args)?,
        samples: loader.order().epoch_samples(),
        images,
        skipped: loader.skipped(),
        seconds,
        first_batch: first_batch.unwrap_or_default().as_secs_f64(),
        batch: batch.as_secs_f64(),
        stats,
        epochs,
        events,
        peak_bytes,
        items,
    })
}

/// Decodes images one after another on one thread, without the loader.
#[derive(Default)]
struct Alone {
    pictures: u64,
    read: Duration,
    decode: Duration,
    resize: Duration,
}

/// The same images with the same decoder into buffers that are kept; `None` if there is nothing to decode.
fn alone(args: &Args, run: &Run, most: u64) -> Result<Option<Alone>> {
    let limits = args.limits.limits();
    let datasets: Vec<Dataset> =
        paths(&args.files)?.iter().map(|path| open(path, &limits, false)).collect::<Result<_>>()?;
    let mut transformer = Transformer::new(recipe(args))?;
    let options = decode::Options::default().with_limits(limits);
    let mut decoder = Decoder::default();
    let mut room = Room::new(args.dtype, transformer.values());
    let mut sums = Alone::default();
    for item in run.items.iter().take(usize::try_from(most).unwrap_or(usize::MAX)) {
        let Some(dataset) = datasets.get(item.source) else { continue };
        if dataset.info(item.sample)?.format == MediaFormat::RawU8 {
            continue;
        }
        let begun = Instant::now();
        let payload = dataset.payload(item.sample)?;
        let read = Instant::now();
        // If the loader lets a decoder make less than the whole picture, so does this.
        let seen = probe(&payload);
        let key = sample_key(args.shuffle.unwrap_or(0), 0, item.index);
        let placement = transformer.recipe().place(seen.width.max(1), seen.height.max(1), key);
        let enough = transformer.enough(&placement, (seen.width, seen.height), &options);
        let picture = match decoder.decode(&payload, None, &enough) {
            Ok(picture) => picture,
            Err(_) if args.keep_going => continue,
            Err(e) => return Err(e.sample(item.sample).file(dataset.name())),
        };
        let decoded = Instant::now();
        transformer.apply_placed(&picture, &placement, key, room.out())?;
        sums.pictures += 1;
        sums.read += read - begun;
        sums.decode += decoded - read;
        sums.resize += decoded.elapsed();
    }
    Ok((sums.pictures > 0).then_some(sums))
}

/// Room for one tensor.
enum Room {
    F32(Vec<f32>),
    F16(Vec<f16>),
    U8(Vec<u8>),
}

impl Room {
    fn new(dtype: Dtype, values: usize) -> Room {
        match dtype {
            Dtype::F16 => Room::F16(vec![f16::ZERO; values]),
            Dtype::U8 => Room::U8(vec![0; values]),
            _ => Room::F32(vec![0.0; values]),
        }
    }
    fn out(&mut self) -> Out<'_> {
        match self {
            Room::F32(v) => Out::F32(v),
            Room::F16(v) => Out::F16(v),
            Room::U8(v) => Out::U8(v),
        }
    }
}

/// Bytes of this process that are not a file's; `None` if the system does not say.
fn anonymous() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()?.saturating_mul(1024))
}

/// What the loader did, and how fast.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Bench"))]
pub(super) struct Measured {
    /// The files.
    files: Vec<String>,
    /// Samples of an epoch.
    samples: u64,
    /// Samples of a batch.
    batch: u64,
    /// Channels, height and width of a tensor.
    shape: [u32; 3],
    /// Whether images are mosaics.
    mosaic: bool,
    /// The type of the numbers.
    dtype: &'static str,
    /// Whether checksums are verified.
    verified: bool,
    /// How files are read.
    io: &'static str,
    /// Threads that make samples.
    workers: usize,
    /// Images that were made.
    images: u64,
    /// Samples that were left out.
    skipped: u64,
    /// How long it took.
    seconds: f64,
    /// Images in a second.
    images_per_second: f64,
    /// From before opening the files to the first batch.
    first_batch_seconds: f64,
    /// The usual time from one batch to the next.
    batch_seconds: f64,
    /// The workers' time by stages, as shares of all.
    share: Stages,
    /// The same in seconds.
    stage_seconds: Stages,
    /// How long the caller waited for data.
    waiting_seconds: f64,
    /// Epoch by epoch.
    epochs: Vec<EpochRate>,
    /// The decoded cache, if there is one.
    decoded_cache: Option<Kept>,
    /// The timeline, if one was written.
    timeline: Option<Events>,
    /// Memory besides mapped files, at most; null if the system does not say.
    own_peak_bytes: Option<u64>,
    /// The decoder alone, if it was measured.
    decoder: Option<Bare>,
    /// Images of a mosaic.
    mosaic_pictures: Option<u8>,
}

/// The workers' time by stages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BenchStages"))]
struct Stages {
    /// Reading.
    read: f64,
    /// Verifying checksums.
    verify: f64,
    /// Decoding; a share is null where nothing is decoded.
    decode: Option<f64>,
    /// Resizing and augmenting.
    resize: f64,
    /// Labels and targets.
    targets: f64,
    /// Waiting for the trainer.
    idle: f64,
}

/// An epoch of a measurement.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BenchEpoch"))]
struct EpochRate {
    /// Images that were made.
    images: u64,
    /// How long it took.
    seconds: f64,
}

/// What a decoded cache did.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DecodedCache"))]
struct Kept {
    /// Images that were there.
    hits: u64,
    /// Images that were not.
    misses: u64,
    /// Images that there was no room for.
    without_room: u64,
    /// Images that it holds.
    entries: u64,
    /// Their bytes.
    bytes: u64,
    /// Bytes that it holds at most.
    most_bytes: u64,
    /// Images that made room for others.
    evictions: u64,
    /// Images that could not be written.
    unwritten: u64,
    /// Hits of all that was asked for.
    hit_rate: f64,
    /// The rate to expect of a cache of this size, if it is known.
    expected_hit_rate: Option<f64>,
}

/// A timeline that was written.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Events {
    /// Its events.
    events: usize,
    /// Events that there was no room for.
    left_out: u64,
}

/// The decoder alone, on one thread.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BareDecoder"))]
struct Bare {
    /// Images that it decoded.
    pictures: u64,
    /// Images in a second.
    images_per_second: f64,
    /// Milliseconds that reading an image takes.
    read_ms: f64,
    /// Milliseconds that decoding an image takes.
    decode_ms: f64,
    /// Milliseconds that resizing an image takes.
    resize_ms: f64,
    /// The loader's rate, of what the decoder alone would do on as many threads as can run at once.
    share_reached: f64,
}

/// The workers' time as parts of `whole`.
fn of_time(stats: &Stats, whole: f64) -> Stages {
    let part = |time: Duration| time.as_secs_f64() / whole;
    let [read, verify, decode, resize, targets, idle] = [
        part(stats.reading),
        part(stats.verifying),
        part(stats.decoding),
        part(stats.making),
        part(stats.targets),
        part(stats.idle),
    ];
    Stages { read, verify, decode: Some(decode), resize, targets, idle }
}

fn kept(stats: &Stats) -> Kept {
    let kept = &stats.decoded;
    Kept {
        hits: kept.hits,
        misses: kept.misses,
        without_room: kept.without_room,
        entries: kept.entries,
        bytes: kept.bytes,
        most_bytes: kept.most_bytes,
        evictions: kept.evictions,
        unwritten: kept.unwritten,
        hit_rate: kept.hit_rate(),
        expected_hit_rate: kept.expected_hit_rate(),
    }
}

fn bare(args: &Args, alone: &Alone, rate: f64) -> Bare {
    let each = |sum: Duration| 1000.0 * sum.as_secs_f64() / alone.pictures.max(1) as f64;
    let bare = alone.pictures as f64 / alone.decode.as_secs_f64().max(1e-9);
    let threads = args.workers.min(all_cores()).max(1) as f64;
    Bare {
        pictures: alone.pictures,
        images_per_second: bare,
        read_ms: each(alone.read),
        decode_ms: each(alone.decode),
        resize_ms: each(alone.resize),
        share_reached: rate / (bare * threads),
    }
}

fn facts(args: &Args, run: &Run, alone: Option<&Alone>) -> Measured {
    let rate = run.images as f64 / run.seconds.max(1e-9);
    let stats = &run.stats;
    let seconds = of_time(stats, 1.0);
    let decode = seconds.decode.unwrap_or_default();
    let all = (seconds.read + seconds.verify + decode + seconds.resize + seconds.targets + seconds.idle).max(1e-9);
    let share = of_time(stats, all);
    Measured {
        files: args.files.iter().map(|path| input::display(path)).collect(),
        samples: run.samples,
        batch: args.batch,
        shape: run.stored.map_or([3, args.image.1, args.image.0], |[width, height]| [3, height, width]),
        mosaic: args.mosaic.is_some(),
        dtype: args.dtype.word(),
        verified: !args.no_verify,
        io: args.io.word(),
        workers: args.workers,
        images: run.images,
        skipped: run.skipped,
        seconds: run.seconds,
        images_per_second: rate,
        first_batch_seconds: run.first_batch,
        batch_seconds: run.batch,
        share: Stages { decode: share.decode.filter(|share| *share > 0.0), ..share },
        stage_seconds: seconds,
        waiting_seconds: stats.waiting.as_secs_f64(),
        epochs: run.epochs.iter().map(|&(images, seconds)| EpochRate { images, seconds }).collect(),
        decoded_cache: args.decoded_cache.as_ref().map(|_| kept(stats)),
        timeline: run.events.map(|(events, left_out)| Events { events, left_out }),
        own_peak_bytes: run.peak_bytes,
        decoder: alone.map(|alone| bare(args, alone, rate)),
        mosaic_pictures: args.mosaic,
    }
}

fn print(facts: &Value, out: &Output) {
    let row = |label: &str, value: String| out.line(format!("{label:<14}{value}"));
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let percent = |value: &Value| format!("{:.0} %", 100.0 * number(value));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let count = |value: &Value| human::count(value.as_u64().unwrap_or(0));
    row(
        "samples",
        format!(
            "{} as {} of {}, batches of {}",
            count(&facts["samples"]),
            text(&facts["dtype"]),
            facts["shape"],
            facts["batch"]
        ),
    );
    let rate = number(&facts["images_per_second"]);
    row("loader", format!("{rate:.0} images/s, {} workers", facts["workers"]));
    row("", format!("{} images in {:.2} s", count(&facts["images"]), number(&facts["seconds"])));
    if facts["skipped"].as_u64().is_some_and(|n| n > 0) {
        row("", format!("{} left out", count(&facts["skipped"])));
    }
    let (first, batch) = (number(&facts["first_batch_seconds"]), number(&facts["batch_seconds"]));
    row("first batch", format!("after {:.0} ms, then one in {:.0} ms", 1000.0 * first, 1000.0 * batch));
    let epochs = facts["epochs"].as_array().map(Vec::as_slice).unwrap_or_default();
    if epochs.len() > 1 {
        let rate = |epoch: &Value| number(&epoch["images"]) / number(&epoch["seconds"]).max(1e-9);
        let rates: Vec<String> = epochs.iter().map(|epoch| format!("{:.0}", rate(epoch))).collect();
        row("epochs", format!("{} images/s", rates.join(", ")));
    }
    stage_table(facts, out);
    row("caller", format!("waited {:.2} s for data", number(&facts["waiting_seconds"])));
    let kept = &facts["decoded_cache"];
    if !kept.is_null() {
        let [bytes, most] = ["bytes", "most_bytes"].map(|key| human::bytes(kept[key].as_u64().unwrap_or(0)));
        let expected = match kept["expected_hit_rate"].as_f64() {
            Some(_) => format!(", {} to be expected", percent(&kept["expected_hit_rate"])),
            None => String::new(),
        };
        row("decoded", format!("{} were there{expected}", percent(&kept["hit_rate"])));
        row("", format!("{} entries of {bytes}, {most} at most", count(&kept["entries"])));
        if let Some(n) = kept["unwritten"].as_u64().filter(|n| *n > 0) {
            row("", format!("{} could not be written", human::count(n)));
        }
    }
    let timeline = &facts["timeline"];
    if !timeline.is_null() {
        let left_out = match timeline["left_out"].as_u64().unwrap_or(0) {
            0 => String::new(),
            n => format!(", {} more left out", human::count(n)),
        };
        row("timeline", format!("{} events{left_out}", count(&timeline["events"])));
    }
    if let Some(bytes) = facts["own_peak_bytes"].as_u64() {
        row("memory", format!("{} besides mapped files", human::bytes(bytes)));
    }
    let decoder = &facts["decoder"];
    if !decoder.is_null() {
        let [read, decode, resize] = ["read_ms", "decode_ms", "resize_ms"].map(|key| number(&decoder[key]));
        row("bare decoder", format!("{:.0} images/s on one thread", number(&decoder["images_per_second"])));
        row("", format!("the loader reaches {} of it", percent(&decoder["share_reached"])));
        row("one image", format!("read {read:.2} ms, decode {decode:.2} ms, resize {resize:.2} ms"));
    }
}

/// Where the workers' time went.
fn stage_table(facts: &Value, out: &Output) {
    const STAGES: [(&str, &str); 6] = [
        ("read", "reading"),
        ("verify", "verifying"),
        ("decode", "decoding"),
        ("resize", "transforming"),
        ("targets", "labels and targets"),
        ("idle", "waiting for trainer"),
    ];
    let images = facts["images"].as_f64().unwrap_or(0.0).max(1.0);
    out.line("workers                       share  seconds  ms an image");
    for (key, words) in STAGES {
        let (share, seconds) = (facts["share"][key].as_f64(), facts["stage_seconds"][key].as_f64().unwrap_or(0.0));
        if let Some(share) = share {
            let each = 1000.0 * seconds / images;
            out.line(format!("  {words:<24}{:>7.1} % {seconds:>8.2} {each:>12.3}", 100.0 * share));
        }
    }
}
