//! Every program of `examples/` runs, and prints what its head says; `training` has a test of its own.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

#[path = "../../tests/common/cookbook.rs"]
mod cookbook;

/// In the example below, instead of the standard library's.
macro_rules! println {
    ($($text:tt)*) => { crate::cookbook::print(&format!($($text)*)) };
}

#[path = "../examples/resume.rs"]
mod resume;

#[test]
fn a_resumed_run_goes_on_with_the_next_batch() {
    cookbook::run(&[("resume", include_str!("../examples/resume.rs"), resume::main)]);
}
