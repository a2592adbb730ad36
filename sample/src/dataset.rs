//! Many pictures as a WebDataset tar: `000000.jpg`, `000000.cls` and `000000.json` for each sample, the same bytes
//! on every run and with any number of threads.

use std::{io::Write, thread};

use serde_json::json;

use crate::{
    encode::{Format, encode},
    picture::{CLASSES, Picture, Random, draw},
};

/// What goes wrong here is for people to read.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Which formats a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formats {
    /// JPEG only.
    Jpeg,
    /// JPEG mostly; PNG, WebP and BMP now and then.
    Mixed,
    /// JPEG; now and then progressive or without color, of many sizes and of about 100 kB.
    Bench,
}

/// A set of pictures.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// How many.
    pub count: u64,
    /// Which.
    pub seed: u64,
    /// Width and height of all; `None` for many sizes.
    pub size: Option<(u32, u32)>,
    /// The quality of JPEG.
    pub quality: u8,
    /// The formats.
    pub formats: Formats,
}

/// Writes the set as a tar; `progress` hears how many are done.
pub fn write(set: &Set, to: impl Write, mut progress: impl FnMut(u64)) -> Result<(), Error> {
    let mut tar = tar::Builder::new(to);
    let workers = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let batch = workers * 8;
    for start in (0..set.count).step_by(batch as usize) {
        let end = (start + batch).min(set.count);
        for sample in samples(set, start..end, workers)? {
            for (name, bytes) in sample {
                let mut header = tar::Header::new_ustar();
                header.set_size(bytes.len() as u64);
                header.set_mode(0o644);
                tar.append_data(&mut header, name, &bytes[..])?;
            }
        }
        progress(end);
    }
    tar.into_inner()?.flush()?;
    Ok(())
}

type Members = Vec<(String, Vec<u8>)>;

/// A batch in order; every worker makes each so-manieth.
fn samples(set: &Set, range: std::ops::Range<u64>, workers: u64) -> Result<Vec<Members>, Error> {
    let parts: Vec<Result<Vec<Members>, Error>> = thread::scope(|scope| {
        let spawn = |k| {
            let mine = range.clone().skip(k as usize).step_by(workers as usize);
            scope.spawn(move || mine.map(|i| sample(set, i)).collect::<Result<Vec<Members>, Error>>())
        };
        let threads: Vec<_> = (0..workers).map(spawn).collect();
        threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err("drawing failed".into()))).collect()
    });
    let mut parts = parts.into_iter().map(|p| p.map(Vec::into_iter)).collect::<Result<Vec<_>, Error>>()?;
    let mut ordered = Vec::new();
    for i in 0..range.end - range.start {
        ordered.extend(parts[(i % workers) as usize].next());
    }
    Ok(ordered)
}

fn sample(set: &Set, i: u64) -> Result<Members, Error> {
    let mut random = Random::new(set.seed ^ 0x5e7, i);
    let (width, height) = set.size.unwrap_or_else(|| size(&mut random));
    let format = format(set, i, &mut random);
    let picture = draw(set.seed, i, width, height);
    let key = format!("{i:06}");
    Ok(vec![
        (format!("{key}.{}", format.extension()), encode(&picture.canvas, format)?),
        (format!("{key}.cls"), picture.class.to_string().into_bytes()),
        (format!("{key}.json"), serde_json::to_vec(&sidecar(&picture))?),
    ])
}

fn sidecar(picture: &Picture) -> serde_json::Value {
    let boxes: Vec<_> =
        picture.things.iter().map(|t| json!({"label": CLASSES[t.class], "bbox": t.bbox, "iscrowd": 0})).collect();
    json!({
        "label": CLASSES[picture.class],
        "caption": picture.caption,
        "boxes": boxes,
        "weather": picture.light.weather.name(),
        "hour": picture.light.hour.name(),
    })
}

/// Most are 500 pixels wide or high, as photographs in datasets are; some are not.
fn size(random: &mut Random) -> (u32, u32) {
    let (long, short) = match random.below(10) {
        0..5 => (500, random.pick(&[375, 375, 333, 334, 400])),
        5..7 => (500, 320 + random.below(181) as u32),
        7 => (640, 480),
        8 => (300 + random.below(200) as u32, 300),
        _ => (600 + random.below(201) as u32, 450 + random.below(151) as u32),
    };
    if random.once_in(4) { (short, long) } else { (long, short) }
}

fn format(set: &Set, i: u64, random: &mut Random) -> Format {
    let plain = Format::Jpeg { quality: set.quality, progressive: false, gray: false };
    match set.formats {
        Formats::Jpeg => plain,
        Formats::Mixed if i % 24 == 11 => Format::Png,
        Formats::Mixed if i % 24 == 17 => Format::WebP,
        Formats::Mixed if i % 80 == 39 => Format::Bmp,
        Formats::Mixed => plain,
        Formats::Bench => Format::Jpeg {
            quality: set.quality - random.below(4) as u8,
            progressive: random.once_in(8),
            gray: random.once_in(16),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_set_has_the_same_bytes() {
        let set = Set { count: 26, seed: 3, size: Some((96, 72)), quality: 80, formats: Formats::Mixed };
        let bytes = || {
            let mut out = Vec::new();
            write(&set, &mut out, |_| {}).unwrap();
            out
        };
        let first = bytes();
        assert_eq!(first, bytes());
        let whole = samples(&set, 0..26, 1).unwrap();
        assert_eq!(samples(&set, 0..26, 3).unwrap(), whole, "the number of threads changes nothing");
        assert_eq!(tar::Archive::new(&first[..]).entries().unwrap().count(), 26 * 3);
    }

    #[test]
    fn boxes_lie_inside_and_show_the_label() {
        for i in 0..40 {
            let picture = draw(1, i, 120, 90);
            assert!(picture.things.iter().any(|t| t.class == picture.class), "image {i}");
            for thing in &picture.things {
                let [x, y, w, h] = thing.bbox;
                assert!(w > 0 && h > 0 && x + w <= 120 && y + h <= 90, "image {i}: {thing:?}");
            }
        }
    }

    #[test]
    fn every_format_is_what_it_says() {
        let canvas = draw(1, 1, 33, 21).canvas;
        let jpeg = Format::Jpeg { quality: 80, progressive: true, gray: true };
        for (format, magic) in
            [(jpeg, &b"\xff\xd8\xff"[..]), (Format::Png, b"\x89PNG"), (Format::WebP, b"RIFF"), (Format::Bmp, b"BM")]
        {
            let bytes = encode(&canvas, format).unwrap();
            assert!(bytes.starts_with(magic), "{format:?}");
        }
    }
}
