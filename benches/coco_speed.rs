//! How fast a COCO file is read, and in how much memory, against `serde_json` into structs:
//!
//!     cargo run --release --example coco_speed -- make boxes.json 10000000
//!     cargo run --release --example coco_speed -- read boxes.json
//!     cargo run --release --example coco_speed -- serde boxes.json
//!
//! The numbers that it prints are bytes, seconds, and the most memory that the process had (on Linux).
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

/// Writes a file of that many boxes, ten a picture.
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
    let (mut piece, mut bytes) = (vec![0; 1 << 20], 0u64);
    loop {
        let n = file.read(&mut piece)?;
        if n == 0 {
            break;
        }
        bytes += n as u64;
        reader.feed(&piece[..n], &mut tally)?;
    }
    let notes = reader.finish(&mut tally)?;
    let stats = tally.stats(notes, true);
    println!("{} pictures, {} boxes", stats.pictures, stats.annotations);
    told(bytes, start);
    Ok(())
}

fn serde(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let text = std::fs::read(path)?;
    let file: Whole = serde_json::from_slice(&text)?;
    println!("{} pictures, {} boxes, {} classes", file.images.len(), file.annotations.len(), file.categories.len());
    told(text.len() as u64, start);
    Ok(())
}

fn told(bytes: u64, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: not known");
    println!("{bytes} bytes, {seconds:.2} s, {:.0} MB/s, {most}", bytes as f64 / seconds / 1e6);
}
