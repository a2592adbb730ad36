//! The fuzz targets of this crate and of `forebay-native` on the stable toolchain: `fuzz/README.md`. Here and not in the
//! fuzz crate, in which all that these depend on would be built once more.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files")]
#![cfg(all(unix, feature = "arrow"))]

#[path = "../../fuzz/src/codec.rs"]
mod codec;
#[path = "../../fuzz/harness/mod.rs"]
mod harness;
#[path = "../../fuzz/src/native/mod.rs"]
mod native;

use std::{fs, path::Path};

use harness::Target;

#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

const HOME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz");

/// As in the fuzz crate, whose bodies these are.
fn limits() -> forebay::Limits {
    forebay::Limits::browser().with_item_bytes(4 << 20).with_index_bytes(4 << 20).with_metadata_bytes(4 << 20)
}

/// As the fuzz crate's, with its feature `native`.
const TARGETS: &[Target] = &[
    Target { name: "arrow_file", body: native::arrow::file, seeds: native::arrow::file_seeds },
    Target { name: "arrow_stream", body: native::arrow::stream, seeds: native::arrow::stream_seeds },
    Target { name: "codecs_c", body: codec::body, seeds: codec::seeds },
    Target { name: "command", body: native::command::body, seeds: native::command::seeds },
    Target { name: "extract_names", body: native::extract::body, seeds: native::extract::seeds },
    Target { name: "packed_text", body: native::packed::body, seeds: native::packed::seeds },
    Target { name: "parquet", body: native::arrow::parquet, seeds: native::arrow::parquet_seeds },
    Target { name: "serve", body: native::serve::body, seeds: native::serve::seeds },
];

#[test]
fn no_bytes_break_a_reader() {
    harness::run(TARGETS, HOME);
}

#[test]
fn every_target_has_its_file_for_cargo_fuzz() {
    harness::has_programs(TARGETS, HOME);
}

/// Where coverage-guided runs begin: `npm run fuzz` asks for them.
#[test]
fn seeds_are_written_where_they_are_asked_for() {
    let Some(folder) = std::env::var_os("FOREBAY_FUZZ_SEEDS") else { return };
    for target in TARGETS {
        let folder = Path::new(&folder).join(target.name);
        fs::create_dir_all(&folder).unwrap();
        for (i, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{i:03}")), seed).unwrap();
        }
    }
}
