//! Selects samples by a filter: the index answers, and no payload is read.
//!
//! ```text
//! $ cargo run --example filter_samples
//! width >= 64 && format in ["png", "webp"]: [2, 3]
//! bytes > 5000: [1, 2, 4, 5]
//! aspect > 1.4: [1, 3]
//! width > > 64: filter.syntax
//! ```
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a host: it reads files")]

use std::{error::Error, fs};

use bytes::Bytes;
use forebay::{
    filter::{Filter, SampleRecord},
    samples::Opener,
    step::drive,
};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let file = Bytes::from(fs::read("tests/corpus/tbl/every_format_raw.tbl")?);
    let dataset = drive(Opener::new(file.len() as u64), &file)?;
    for text in ["width >= 64 && format in [\"png\", \"webp\"]", "bytes > 5000", "aspect > 1.4"] {
        let filter = Filter::parse(text)?;
        let mut selected = Vec::new();
        for i in 0..dataset.len() {
            if filter.matches(&SampleRecord::new(&dataset.info(i)?)) {
                selected.push(i);
            }
        }
        println!("{filter}: {selected:?}");
    }
    let mistake = Filter::parse("width > > 64").err().ok_or("a mistake must be refused")?;
    println!("width > > 64: {}", mistake.code().id());
    Ok(())
}
