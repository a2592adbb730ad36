//! Hostile IDV: every truncation, every flipped bit, and numbers that lie. Alone in its binary, because it watches
//! what is allocated.
#![allow(clippy::disallowed_methods, missing_docs)]

use bytes::Bytes;
use forebay::{
    Error, Limits,
    codec::deflate::Inflater,
    idv::Opener,
    step::{Step, Stepper},
    tables::{TableChecker, TableKind, TableOpener},
};

use crate::{MEMORY, alone, common};

/// No file here has more than this.
const MOST: usize = 2 << 20;

/// Drives a stepper over a file that may be shorter than it says.
fn run<S: Stepper>(mut work: S, file: &Bytes) -> Result<S::Output, Error> {
    for _ in 0..1000 {
        match work.step()? {
            Step::Done(out) => return Ok(out),
            Step::Need(ranges) => {
                assert!(!ranges.is_empty());
                for r in ranges {
                    assert!(r.start < r.end && r.end <= file.len() as u64, "{r:?} of {}", file.len());
                    work.push(r.start, file.slice(r.start as usize..r.end as usize));
                }
            }
        }
    }
    panic!("no end of asking");
}

fn read_all(bytes: &Bytes) -> Result<(), Error> {
    let limits = Limits::default().with_item_bytes(1 << 20).with_metadata_bytes(1 << 20).with_index_bytes(1 << 20);
    let file = run(Opener::new(bytes.len() as u64).with_limits(limits.clone()), bytes)?;
    let mut inflater = Inflater::default();
    let mut first = Ok(());
    for column in (0..file.columns.len()).filter(|&c| file.live(c).is_ok()) {
        for block in 0..file.blocks().min(1000) {
            let one = file.entry(column, block).and_then(|e| {
                let stored = bytes.slice(e.offset as usize..e.range().end as usize);
                file.decode_block(column, block, &stored, &mut inflater)
            });
            first = first.and(one.map(drop));
        }
    }
    let report =
        run(TableChecker::new(TableOpener::new(TableKind::Idv, bytes.len() as u64).with_limits(limits)), bytes)?;
    assert!(first.is_ok() || !report.ok);
    first
}

/// Reads, holding the memory and the error to what was promised.
fn survive(name: &str, bytes: Vec<u8>) -> bool {
    let bytes = Bytes::from(bytes);
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = read_all(&bytes);
    let peak = MEMORY.peak_usage() - before;
    assert!(peak < MOST, "{name}: {peak} bytes");
    if let Err(e) = &result {
        let known = ["idv.", "limit."].iter().any(|p| e.code().id().starts_with(p));
        assert!(known && e.place().section.is_some(), "{name}: {e}");
    }
    result.is_ok()
}

#[test]
fn every_truncation_and_every_flipped_bit_is_survived() {
    let _alone = alone();
    let dir = common::corpus("idv");
    let mut flips = 0;
    for name in [
        "handmade/v_vec_mixed",
        "handmade/v_var_lens",
        "handmade/v_dvbool_11_unused",
        "handmade/v_key2_of_key2",
        "handmade/v_key_old",
        "handmade/v_text_na_first",
        "handmade/v_deflate",
        "handmade/v_dvdatetimezone_na_off",
        "handmade/v_meta_size_too_long",
        "handmade/v_vec_text_na",
        "repo/datatypes",
        "slot_names",
        "blocks_rpb_gt_rows",
    ] {
        let bytes = std::fs::read(dir.join(name).with_extension("idv")).unwrap();
        assert!(survive(name, bytes.clone()), "{name}");
        for end in 0..bytes.len() {
            // Bytes after the tail signature are not part of the file.
            assert!(!survive(name, bytes[..end].to_vec()) || end >= bytes.len() - 8, "{name} cut at {end}");
        }
        // A flipped bit in a value is another value; only the structure can tell.
        for bit in (0..bytes.len() * 8).filter(|bit| !(53 * 8..256 * 8).contains(bit)) {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            survive(&format!("{name}, bit {bit}"), bytes);
            flips += 1;
        }
    }
    println!("{flips} flips");
}

#[test]
fn every_four_bytes_of_a_file_may_lie() {
    let _alone = alone();
    let dir = common::corpus("idv");
    for name in ["handmade/v_vec_mixed", "handmade/v_var_lens", "handmade/v_deflate", "metadata_all_types"] {
        let bytes = std::fs::read(dir.join(name).with_extension("idv")).unwrap();
        for at in (0..bytes.len() - 4).filter(|at| !(53..253).contains(at)) {
            for lie in [u32::MAX, i32::MAX as u32, 1 << 30, 1 << 20, 0] {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&lie.to_le_bytes());
                survive(&format!("{name}, {lie} at {at}"), bytes);
            }
        }
    }
}
