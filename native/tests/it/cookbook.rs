//! Every program of `examples/` runs, and prints what its head says; `training` has a test of its own.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

#[path = "../../../tests/common/cookbook.rs"]
mod runner;

/// In the example below, instead of the standard library's.
macro_rules! println {
    ($($text:tt)*) => { crate::cookbook::runner::print(&format!($($text)*)) };
}

#[path = "../../examples/resume.rs"]
mod resume;
// Its test is in it.
#[allow(dead_code, reason = "the test begins below `main`")]
#[path = "../../examples/training.rs"]
mod training;

#[test]
fn a_resumed_run_goes_on_with_the_next_batch() {
    runner::run(&[("resume", include_str!("../../examples/resume.rs"), resume::main)]);
}
