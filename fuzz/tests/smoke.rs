//! The core's targets on the stable toolchain. Those of the machine's own crates have the same in `cli/tests/fuzz.rs`.

mod harness;

use harness::Target;

const HOME: &str = env!("CARGO_MANIFEST_DIR");

fn targets() -> Vec<Target> {
    let all = forebay_fuzz::TARGETS.iter();
    all.map(|target| Target { name: target.name, body: target.body, seeds: target.seeds }).collect()
}

#[test]
fn no_bytes_break_a_decoder() {
    harness::run(&targets(), HOME);
}

#[test]
fn every_target_has_its_file_for_cargo_fuzz() {
    harness::has_programs(&targets(), HOME);
}
