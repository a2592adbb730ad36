//! How fast a COCO file is read, and in how much memory, against `serde_json` into structs:
//!
//!     cargo run --profile dist --example coco_speed -- make boxes.json 10000000
//!     cargo run --profile dist --example coco_speed -- read boxes.json
//!     cargo run --profile dist --example coco_speed -- serde boxes.json
//!
//! It prints what it found, and then seconds, those of the processor, and the most memory (on Linux). `npm run bench:labels`
//! runs it.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it measures with files and a clock")]

use std::{
    env,
    fs::File,
    io::{BufWriter, Read, Write},
    time::Instant,
};

use forebay::annotations::{ReadOptions, Tally, coco::Reader};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Whole {
    images: Vec<Image>,
    annotations: Vec<Annotation>,
    categories: Vec<Category>,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "parsed, as a reader would")]
struct Image {
    id: i64,
    file_name: String,
    width: u32,
    height: u32,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "parsed, as a reader would")]
struct Annotation {
    id: i64,
    image_id: i64,
    category_id: i64,
    bbox: [f64; 4],
    area: f64,
    iscrowd: u8,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "parsed, as a reader would")]
struct Category {
    id: i64,
    name: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "make", path, count] => make(path, count.parse()?),
        [_, "read", path] => read(path),
        [_, "serde", path] => serde(path),
        _ => Err("see the head of this program".into()),
    }
}

/// Writes a file of this many boxes, ten a picture.
fn make(path: &str, count: u64) -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(File::create(path)?);
    write!(out, "{{\"images\":[")?;
    for i in 0..count / 10 {
        let comma = if i > 0 { "," } else { "" };
        write!(out, "{comma}{{\"id\":{i},\"file_name\":\"train/{i:012}.jpg\",\"width\":640,\"height\":480}}")?;
    }
    write!(out, "],\"categories\":[")?;
    for i in 1..=90 {
        write!(out, "{}{{\"id\":{i},\"name\":\"class {i}\"}}", if i > 1 { "," } else { "" })?;
    }
    write!(out, "],\"annotations\":[")?;
    for i in 0..count {
        let (x, y, w, h) = (i % 511, i % 379, 12.0 + (i % 97) as f64 * 1.07, 9.0 + (i % 61) as f64 * 1.13);
        let comma = if i > 0 { "," } else { "" };
        let (picture, class) = (i / 10, i % 90 + 1);
        write!(
            out,
            "{comma}{{\"id\":{i},\"image_id\":{picture},\"category_id\":{class},\"bbox\":[{x}.25,{y}.5,{w:.2},{h:.2}],\
             \"area\":{:.4},\"iscrowd\":0}}",
            w * h
        )?;
    }
    write!(out, "]}}")?;
    Ok(out.flush()?)
}

fn read(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut file = File::open(path)?;
    let (mut reader, mut tally) = (Reader::new(&ReadOptions::default()), Tally::default());
    let mut piece = vec![0; 1 << 20];
    loop {
        let n = file.read(&mut piece)?;
        if n == 0 {
            break;
        }
        reader.feed(&piece[..n], &mut tally)?;
    }
    let notes = reader.finish(&mut tally)?;
    let stats = tally.stats(notes, true);
    println!("{} images, {} boxes", stats.pictures, stats.annotations);
    told(start);
    Ok(())
}

fn serde(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let text = std::fs::read(path)?;
    let file: Whole = serde_json::from_slice(&text)?;
    println!("{} images, {} boxes, {} classes", file.images.len(), file.annotations.len(), file.categories.len());
    told(start);
    Ok(())
}

/// What it took, as JSON. The processor's time and the memory are known on Linux.
fn told(start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    // User and system time, in hundredths of a second, are the 14th and 15th field; the second is in parentheses.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, behind)| behind).split(' ').skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    let (peak, cpu) = (most.unwrap_or(0) * 1024, ticks as f64 / 100.0);
    println!("{{\"seconds\": {seconds:.3}, \"cpu_seconds\": {cpu:.2}, \"peak_bytes\": {peak}}}");
}
