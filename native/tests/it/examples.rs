//! The programs that measure, run on next to nothing: that they run, not what they say. Few tests need all examples, and so these
//! are not among those that always run:
//!
//! ```text
//! cargo build -p forebay-native --all-features --examples
//! cargo test -p forebay-native --all-features --test it -- --ignored examples::
//! ```
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files")]

use std::{fs, path::Path, process::Command};

use forebay_native::{
    Dataset,
    convert::{Job, Options, Pixels, To},
};

use crate::common::{Folder, bmp, tar};

/// What an example prints; one that was not built fails the test.
fn example(name: &str, arguments: &[&Path]) -> String {
    // This test is `target/PROFILE/deps/it-HASH`.
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("examples").join(name);
    assert!(program.exists(), "build the example {name} first: cargo build --examples");
    let output = Command::new(program).args(arguments).env("PICTURES", "64").env("ROUNDS", "1").output().unwrap();
    let (said, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name}: {said}\n{complaint}");
    said.into_owned()
}

#[test]
#[ignore = "needs the examples built"]
fn the_loader_is_measured_on_pictures_and_on_raw_pixels() {
    let folder = Folder::new();
    let (archive, pictures, raw) = (folder.at("a.tar"), folder.at("a.tbl"), folder.at("raw.tbl"));
    let members: Vec<_> = (0..200).map(|i| (format!("{i:03}.bmp"), bmp(4 + i % 3, i))).collect();
    fs::write(&archive, tar(&members)).unwrap();
    for (to, decoded) in [(&pictures, None), (&raw, Some(Pixels::new(224, 224)))] {
        let mut options = Options::new(To::Tbl);
        options.pixels = decoded;
        Job::new(vec![Dataset::open(&archive).unwrap()], options).run(to).unwrap();
    }
    let said = example("loader_speed", &[&pictures, &raw]);
    for line in ["random crop, 2 workers", "raw as views of the map", "to the first batch"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
#[ignore = "needs the examples built"]
fn every_queue_hands_out_all_tasks() {
    let said = example("loader_queue", &[Path::new("500")]);
    assert_eq!(said.lines().filter(|line| line.contains("consumers")).count(), 12, "{said}");
}

#[test]
#[ignore = "needs the examples built"]
fn a_csv_becomes_every_other_table() {
    let said = example("table_speed", &[Path::new("1")]);
    assert!(["tbf", "parquet", "arrow", "idv", "jsonl"].iter().all(|name| said.contains(name)), "{said}");
}
