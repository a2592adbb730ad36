//! Checks a file: every fault with its code and place, not the first one only.
//!
//! ```text
//! $ cargo run --example check_file
//! jpeg20_lz4.tbl: 20 samples, 0 faults
//! hostile/read30_lz4_bitflip.tbl: 5 samples, 1 faults
//!   tbl.payload_crc (sample Some(0), byte Some(184))
//! hostile/read22_two_entries_same_bytes.tbl: 5 samples, 2 faults
//!   tbl.payload_overlap (sample Some(1), byte Some(184))
//!   tbl.gap (sample None, byte Some(12268))
//! ```
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a host: it reads files")]

use std::{error::Error, fs};

use bytes::Bytes;
use forebay::{
    samples::{Dataset, Opener},
    step::drive,
    tbl::Checker,
};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    for name in ["jpeg20_lz4.tbl", "hostile/read30_lz4_bitflip.tbl", "hostile/read22_two_entries_same_bytes.tbl"] {
        let file = Bytes::from(fs::read(format!("tests/corpus/tbl/{name}"))?);
        // `drive` does the steps over bytes that are all in memory.
        let Dataset::Tbl(tbl) = drive(Opener::new(file.len() as u64), &file)? else {
            return Err("not a TBL".into());
        };
        let report = drive(Checker::new(&tbl), &file)?;
        println!("{name}: {} samples, {} faults", report.samples, report.fault_count);
        for fault in &report.faults {
            println!("  {} (sample {:?}, byte {:?})", fault.code, fault.sample, fault.offset);
        }
    }
    Ok(())
}
