//! How fast the loader is: against the bare decoder, with more workers, and for raw pixels against a copy.
//!
//! `cargo run --profile dist -p forebay-native --example loader_speed -- bench.tbl [raw.tbl]`, where `bench.tbl` holds
//! pictures (`forebay-sample --bench`, converted) and `raw.tbl` the same as raw pixels (`forebay convert --decode 224
//! --compression none`). `PICTURES=256` looks at that many in each run instead of 512, and `ROUNDS=1` runs each once instead of
//! five times.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a program that measures")]

use std::time::Instant;

use forebay::image::{
    decode::{Decoder, Options},
    transform::Layout,
};
use forebay_native::{
    Dataset,
    input::Io,
    loader::{Builder, Dtype, IMAGENET, Image, Loader},
};

const BATCH: u64 = 64;

/// The process's processor time so far, in seconds: what a machine busy with other work cannot distort so much. 0 where
/// the system does not say.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// When something began, by the clock and by processor time.
struct Since(Instant, f64);

impl Since {
    fn now() -> Since {
        Since(Instant::now(), processor())
    }
    /// How much was done in a second, and in a second of processor time.
    fn rate(&self, n: f64) -> Rate {
        (n / self.0.elapsed().as_secs_f64(), n / (processor() - self.1).max(0.01))
    }
}

type Rate = (f64, f64);

/// Pictures per second of the decoder alone, into a buffer that is used again.
fn bare(path: &str, most: u64) -> Rate {
    let dataset = Dataset::open(path).unwrap();
    let (mut decoder, options) = (Decoder::default(), Options::default());
    let n = dataset.len().min(most);
    let begun = Since::now();
    for i in 0..n {
        decoder.decode(&dataset.payload(i).unwrap(), None, &options).unwrap();
    }
    begun.rate(n as f64)
}

/// Pictures per second of a loader that is warm: its first two batches are not counted.
fn loader(builder: Builder, most: u64) -> Rate {
    let mut loader = builder.build().unwrap();
    let mut batches = loader.epoch(0).unwrap();
    (0..2).for_each(|_| drop(batches.next().unwrap().unwrap()));
    let begun = Since::now();
    let mut n = 0;
    for batch in batches {
        n += batch.unwrap().len() as u64;
        if n >= most {
            break;
        }
    }
    begun.rate(n as f64)
}

/// Gigabytes per second of copying a batch of floats.
fn copy() -> Rate {
    let from = vec![1.0_f32; BATCH as usize * 3 * 224 * 224];
    let mut to = vec![0.0_f32; from.len()];
    to.copy_from_slice(&from);
    let begun = Since::now();
    for _ in 0..100 {
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
    }
    begun.rate((100 * from.len() * 4) as f64 / 1e9)
}

type Measure<'a> = (&'static str, &'static str, Box<dyn Fn() -> Rate + 'a>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().expect("a TBL of images");
    let number = |name: &str, otherwise| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let most: u64 = number("PICTURES", 512);
    // Each figure is the median of this many runs, interleaved with the others.
    let rounds = number("ROUNDS", 5).max(1);
    let open = |workers| Loader::open(path).unwrap().batch(BATCH).workers(workers).shuffle(1);
    let resize = || Image::new(224, 224).normalize(IMAGENET);
    let crop = || Image::new(224, 224).random_resized_crop().hflip().normalize(IMAGENET);
    let gigabytes = |(wall, cpu): Rate, bytes: usize| {
        let one = (3 * 224 * 224 * bytes) as f64 / 1e9;
        (wall * one, cpu * one)
    };

    let mut measures: Vec<Measure<'_>> = vec![
        ("bare decoder, 1 thread", "pictures/s", Box::new(|| bare(path, most))),
        ("resize, 1 worker", "pictures/s", Box::new(|| loader(open(1).image(resize()), most))),
        ("resize, 2 workers", "pictures/s", Box::new(|| loader(open(2).image(resize()), most))),
        ("resize, 1 worker, mapped", "pictures/s", Box::new(|| loader(open(1).io(Io::Map).image(resize()), most))),
        ("resize, 2 workers, mapped", "pictures/s", Box::new(|| loader(open(2).io(Io::Map).image(resize()), most))),
        ("random crop, 1 worker", "pictures/s", Box::new(|| loader(open(1).image(crop()), most))),
        ("random crop, 2 workers", "pictures/s", Box::new(|| loader(open(2).image(crop()), most))),
    ];
    if let Some(raw) = arguments.get(1) {
        let raw = move |workers| Loader::open(raw).unwrap().batch(BATCH).workers(workers).shuffle(1);
        let u8s = || Image::new(224, 224).layout(Layout::Nhwc);
        measures.push(("copy of floats, 1 thread", "GB/s", Box::new(copy)));
        let of = move |builder: Builder| gigabytes(loader(builder.image(resize()), 8 * most), 4);
        let run = move |workers, verify| of(raw(workers).verify(verify));
        measures.push(("raw to floats, 1 worker, mapped", "GB/s", Box::new(move || of(raw(1).io(Io::Map)))));
        measures.push(("raw to floats, 2 workers, mapped", "GB/s", Box::new(move || of(raw(2).io(Io::Map)))));
        measures.push(("raw to floats, 1 worker", "GB/s", Box::new(move || run(1, true))));
        measures.push(("raw to floats, 2 workers", "GB/s", Box::new(move || run(2, true))));
        measures.push(("raw to floats, 1 worker, unverified", "GB/s", Box::new(move || run(1, false))));
        let run = move || gigabytes(loader(raw(1).image(u8s()).dtype(Dtype::U8), 8 * most), 1);
        measures.push(("raw to bytes, 1 worker", "GB/s", Box::new(run)));
        measures.push(("raw, copied", "pictures/s", Box::new(move || loader(raw(1).payloads(), 8 * most))));
        let run = move || loader(raw(1).io(Io::Map).payloads(), 8 * most);
        measures.push(("raw as views of the map", "pictures/s", Box::new(run)));
    }

    let mut results = vec![Vec::new(); measures.len()];
    for _ in 0..rounds {
        for ((_, _, run), results) in measures.iter().zip(&mut results) {
            results.push(run());
        }
    }
    for ((name, unit, _), mut results) in measures.into_iter().zip(results) {
        let mut median = |of: fn(&Rate) -> f64| {
            results.sort_by(|a, b| of(a).total_cmp(&of(b)));
            of(&results[results.len() / 2])
        };
        let (wall, cpu) = (median(|r| r.0), median(|r| r.1));
        println!("{name:38} {wall:10.2} {unit}, {cpu:10.2} by processor time");
    }

    let begun = Instant::now();
    let mut first = Loader::open(path).unwrap().batch(BATCH).workers(2).image(resize()).build().unwrap();
    let built = begun.elapsed();
    let begun = Instant::now();
    drop(first.next_batch().unwrap());
    println!("{:38} {built:10.2?} to build, {:.2?} to the first batch", "2 workers", begun.elapsed());
}
