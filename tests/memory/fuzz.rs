//! The core's fuzz targets on the stable toolchain: `fuzz/README.md`. Here and not in the fuzz crate, in which all that these
//! depend on would be built once more; and only with the codecs in Rust, which pages and small builds use.

#![allow(unexpected_cfgs, reason = "features of the fuzz crate, whose files these are")]

#[path = "../../fuzz/harness/mod.rs"]
mod harness;
#[allow(dead_code, reason = "the door for cargo-fuzz")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use harness::Target;

use crate::alone;

const HOME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");

fn targets() -> Vec<Target> {
    let all = targets::TARGETS.iter();
    all.map(|target| Target { name: target.name, body: target.body, seeds: target.seeds }).collect()
}

#[test]
fn no_bytes_break_a_decoder() {
    let _alone = alone();
    harness::run(&targets(), HOME);
}

#[test]
fn every_target_has_its_file_for_cargo_fuzz() {
    let _alone = alone();
    harness::has_programs(&targets(), HOME);
}
