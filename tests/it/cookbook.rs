//! Every program of `examples/` runs, and prints what its head says.
#![cfg(all(feature = "decode", feature = "transform"))]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

#[path = "../common/cookbook.rs"]
mod runner;

use std::{fs, path::Path};

/// In the examples below, instead of the standard library's.
macro_rules! println {
    ($($text:tt)*) => { crate::cookbook::runner::print(&format!($($text)*)) };
}

#[path = "../../examples/check_file.rs"]
mod check_file;
#[path = "../../examples/csv_to_tbf.rs"]
mod csv_to_tbf;
#[path = "../../examples/filter_samples.rs"]
mod filter_samples;
#[path = "../../examples/jpeg_to_tensor.rs"]
mod jpeg_to_tensor;
#[path = "../../examples/read_sample.rs"]
mod read_sample;
#[path = "../../examples/walk_tar.rs"]
mod walk_tar;
#[path = "../../examples/write_tbl.rs"]
mod write_tbl;

macro_rules! examples {
    ($($name:ident),*) => {
        [$((stringify!($name), include_str!(concat!("../../examples/", stringify!($name), ".rs")), $name::main as _)),*]
    };
}

/// The names of the programs in a folder.
fn programs(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let mut names: Vec<_> = sources.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_example_prints_what_its_head_says() {
    let examples: [runner::Example; 7] =
        examples![check_file, csv_to_tbf, filter_samples, jpeg_to_tensor, read_sample, walk_tar, write_tbl];
    assert_eq!(programs("examples"), examples.map(|(name, ..)| name));
    runner::run(&examples);
}
