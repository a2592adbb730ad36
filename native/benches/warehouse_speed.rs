//! How fast a warehouse is built, and what the same tensors cost that are not stored. `npm run bench:warehouse` runs it.
//!
//!     cargo bench -p forebay-native --bench warehouse_speed -- WHAT SOURCE DTYPE SIDE WORKERS [OUT]
//!
//! | what | measured |
//! |---|---|
//! | `loader` | the loader's fastest letterbox into batches, which nobody takes |
//! | `live` | the loader making a warehouse's tensors into batches, which nobody takes |
//! | `made` | every picture decoded, resized as for a warehouse and converted, and forgotten |
//! | `hash` | the SHA-256 of every picture, and for each of as many bytes as its image has: what the format asks of a builder |
//! | `write` | as many bytes as all images have into a file in OUT, image by image |
//! | `build` | a warehouse in the folder OUT, which stays |
//! | `same` | nothing: whether the warehouse in OUT holds what `made` makes, to the bit |
//! | `dump` | nothing: the images of the warehouse in OUT go to the file `images` in it, one after the other |
//!
//! One line of JSON comes out. Processor time tells more than time where other programs run.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a program that measures")]

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

use bytes::Bytes;
use forebay::{
    Error, Result,
    error::codes,
    image::decode::{Decoder, Options},
    order::Tail,
    warehouse::{Dtype, Endianness, Placement, ResizeMode, Resizer, Transform, from_pixels, sha256},
    words::Word as _,
};
use forebay_native::{
    Dataset,
    loader::{Builder, Dtype as Numbers, Image, Loader},
    shards::{self, OpenWarehouse, WarehouseOptions},
    warehouse::{Settings, build, list},
};
use serde_json::json;

struct Given {
    source: PathBuf,
    dtype: Dtype,
    side: u32,
    workers: usize,
    out: PathBuf,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, source, dtype, side, workers, rest @ ..] = &args[..] else {
        return Err(Error::new(&codes::ARGUMENT, "warehouse_speed WHAT SOURCE DTYPE SIDE WORKERS [OUT]"));
    };
    let wrong = |what: &str| Error::new(&codes::ARGUMENT, format!("{what:?} is not what is asked for"));
    let given = Given {
        source: source.into(),
        dtype: Dtype::from_word(&dtype.to_lowercase()).ok_or_else(|| wrong(dtype))?,
        side: side.parse().map_err(|_| wrong(side))?,
        workers: workers.parse().map_err(|_| wrong(workers))?,
        out: rest.first().map_or_else(|| Path::new(source).with_extension("warehouse"), PathBuf::from),
    };
    let (begun, used) = (Instant::now(), processor_seconds());
    let images = match what.as_str() {
        "loader" => {
            loader(&given, |loader| loader.image(Image::new(given.side, given.side).letterbox([0; 3])).exact(true))?
        }
        "live" => {
            let transform = Transform::new(Some([given.side; 2]), ResizeMode::Letterbox, 16);
            let numbers = match given.dtype {
                Dtype::F32 => Numbers::F32,
                Dtype::F16 => Numbers::F16,
                _ => Numbers::U8,
            };
            loader(&given, |loader| loader.warehouse_transform(transform).dtype(numbers))?
        }
        "made" => made(&given, &|_, _| {})?,
        "hash" => hashed(&given)?,
        "write" => written(&given)?,
        "build" => built(&given)?,
        "same" => return same(&given),
        "dump" => return dump(&given),
        other => return Err(wrong(other)),
    };
    let seconds = begun.elapsed().as_secs_f64();
    let line = json!({
        "images": images,
        "seconds": seconds,
        "cpu_seconds": processor_seconds() - used,
        "peak_bytes": peak("VmHWM:"),
    });
    println!("{line}");
    Ok(())
}

fn loader(given: &Given, transform: impl FnOnce(Builder) -> Builder) -> Result<u64> {
    let mut loader =
        transform(Loader::open(&given.source)?).batch(32).tail(Tail::Uneven).workers(given.workers).build()?;
    let mut made = 0;
    for batch in loader.epoch(0)? {
        made += batch?.len() as u64;
    }
    Ok(made)
}

/// Makes every image and shows it to `see`.
fn made(given: &Given, see: &(impl Fn(u64, &[u8]) + Sync)) -> Result<u64> {
    let dataset = Dataset::open(&given.source)?;
    let (next, options) = (AtomicU64::new(0), Options::default().with_exact(true).with_orient(true));
    let turns = || -> Result<()> {
        let (mut decoder, mut resizer, mut bytes) = (Decoder::default(), Resizer::default(), Vec::new());
        let mut planes = vec![0; 3 * given.side as usize * given.side as usize];
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= dataset.len() {
                return Ok(());
            }
            let payload = dataset.payload(i)?;
            let picture = decoder.decode(&payload, None, &options)?;
            let size = [picture.width, picture.height];
            let placement = Placement::new(ResizeMode::Letterbox, size, [given.side; 2]);
            resizer.image(&picture, &placement, &mut planes)?;
            bytes.clear();
            from_pixels(given.dtype, Endianness::Little, &planes, &mut bytes);
            see(i, std::hint::black_box(&bytes));
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..given.workers).map(|_| scope.spawn(turns)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a worker panics on nothing"))
    })?;
    Ok(dataset.len())
}

/// The bytes of an image that is not all zeros.
fn image(given: &Given) -> Vec<u8> {
    let levels: Vec<u8> = (0..3 * given.side * given.side).map(|i| (i * 37 % 251) as u8).collect();
    let mut bytes = Vec::new();
    from_pixels(given.dtype, Endianness::Little, &levels, &mut bytes);
    bytes
}

fn hashed(given: &Given) -> Result<u64> {
    let (dataset, image) = (Dataset::open(&given.source)?, image(given));
    for i in 0..dataset.len() {
        std::hint::black_box((sha256(&dataset.payload(i)?), sha256(std::hint::black_box(&image))));
    }
    Ok(dataset.len())
}

fn written(given: &Given) -> Result<u64> {
    let (dataset, image) = (Dataset::open(&given.source)?, image(given));
    std::fs::create_dir_all(&given.out).expect("the folder is ours");
    let mut file = File::create(given.out.join("images")).expect("the folder is ours");
    (0..dataset.len()).for_each(|_| file.write_all(&image).expect("there is room"));
    Ok(dataset.len())
}

fn built(given: &Given) -> Result<u64> {
    let mut settings = Settings::default().with_size(given.side, given.side).with_dtype(given.dtype);
    (settings.workers, settings.sync) = (Some(given.workers), false);
    settings.label_options.boxes = Some("none".parse()?);
    Ok(build(std::slice::from_ref(&given.source), &given.out, &settings)?.samples)
}

fn open(given: &Given) -> Result<OpenWarehouse> {
    let kept = list(&given.out)?.into_iter().next();
    let kept = kept.ok_or_else(|| Error::new(&codes::ARGUMENT, "there is not a warehouse"))?;
    shards::open(&kept.folder.join("manifest.json"), &WarehouseOptions::default())
}

fn same(given: &Given) -> Result<()> {
    let opened = open(given)?;
    let differ = AtomicU64::new(0);
    let count = made(given, &|i, bytes| {
        let equal = stored(&opened, i).is_ok_and(|stored| stored == bytes);
        differ.fetch_add(u64::from(!equal), Ordering::Relaxed);
    })?;
    let differ = differ.into_inner() + count.abs_diff(opened.warehouse.len());
    println!("{}", json!({ "images": count, "differ": differ }));
    Ok(())
}

fn dump(given: &Given) -> Result<()> {
    let opened = open(given)?;
    let path = given.out.join("images");
    let mut file = BufWriter::new(File::create(&path).expect("the folder is ours"));
    for i in 0..opened.warehouse.len() {
        file.write_all(&stored(&opened, i)?).expect("there is room");
    }
    file.flush().expect("there is room");
    println!("{}", json!({ "images": opened.warehouse.len() }));
    Ok(())
}

fn stored(opened: &OpenWarehouse, i: u64) -> Result<Bytes> {
    let (shard, k) = opened.warehouse.locate(i)?;
    let (at, image) = (shard.range().start, shard.image(k));
    opened.joined.slice(at + image.start..at + image.end)
}

/// What the system counts for this process, of all its threads.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name, which may have spaces in it: the 14th and 15th field, in hundredths.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |k: usize| fields.get(k).and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}

/// A line of what the system says of this process's memory, in bytes.
fn peak(line: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|text| text.strip_prefix(line))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
