//! Opens a TBL and reads one sample: as many bytes as that takes, however large the file is.
//!
//! ```text
//! $ cargo run --example read_sample
//! 20 samples; sample 7 is a jpeg of 77 x 373
//! 13848 bytes, verified and decompressed; 14260 of 268958 bytes were read
//! ```
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a host: it reads files")]

use std::{
    error::Error,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
};

use bytes::Bytes;
use forebay::{Limits, Step, Stepper, samples::Opener};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let mut file = File::open("tests/corpus/tbl/jpeg20_lz4.tbl")?;
    let len = file.metadata()?.len();
    let mut fetched = 0;
    let mut fetch = |range: Range<u64>| -> io::Result<Bytes> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        fetched += bytes.len();
        Ok(bytes.into())
    };

    // The core reads nothing itself: it says which bytes it needs, and goes on when it has them.
    let mut opener = Opener::new(len);
    let dataset = loop {
        match opener.step()? {
            Step::Done(dataset) => break dataset,
            Step::Need(ranges) => {
                for range in ranges {
                    opener.push(range.start, fetch(range)?);
                }
            }
        }
    };
    let info = dataset.info(7)?;
    println!("{} samples; sample 7 is a {} of {} x {}", dataset.len(), info.format.name(), info.width, info.height);

    let plan = dataset.plan(7)?;
    let payload = plan.decode(&fetch(plan.range())?, &Limits::default())?;
    println!("{} bytes, verified and decompressed; {fetched} of {len} bytes were read", payload.len());
    Ok(())
}
