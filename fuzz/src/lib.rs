//! What every decoder promises about bytes from a stranger: no panic, no hang, no memory over the limits, and
//! the same answer however it is asked.
//!
//! A [`Target`] is a body and the valid inputs that mutation starts from. `fuzz_targets/NAME.rs` hands bodies to
//! libFuzzer; the core's `tests/memory/fuzz.rs` runs all of them for a few seconds on the stable toolchain. README.md says how to
//! add one.
// Only the C library needs it.
#![cfg_attr(not(feature = "libjpeg"), forbid(unsafe_code))]
// The targets of the core have no part in a build for those of the machine's own crates.
#![cfg_attr(feature = "native", allow(dead_code))]

use forebay::Limits;

mod codec;
mod convert;
mod doors;
#[path = "../../tests/doors_made/mod.rs"]
mod doors_made;
mod edits;
mod filter;
mod idv;
mod image;
#[path = "../../tests/jpeg_made/mod.rs"]
mod jpeg_made;
#[cfg(feature = "libjpeg")]
mod jpeg_peer;
mod kept;
mod label_files;
mod labels;
mod msgpack;
#[cfg(feature = "native")]
mod native;
mod order;
mod packed_jpeg;
mod pixels;
mod record;
mod samples;
mod tar;
mod tbf;
mod tbf_peer;
mod tbl;
mod text;
mod warehouse;
mod words;
mod zip;
#[path = "../../tests/zip_made/mod.rs"]
mod zip_made;

/// One thing to fuzz.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the file in `fuzz_targets/`.
    pub name: &'static str,
    /// Panics where a promise is broken, and returns otherwise.
    pub body: fn(&[u8]),
    /// Valid inputs, made by code.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target, by name.
#[cfg(not(feature = "native"))]
pub const TARGETS: &[Target] = &[
    Target { name: "codecs", body: codec::body, seeds: codec::seeds },
    Target { name: "convert", body: convert::body, seeds: convert::seeds },
    Target { name: "csv", body: text::csv, seeds: text::csv_seeds },
    Target { name: "doors", body: doors::body, seeds: doors::seeds },
    Target { name: "edits", body: edits::body, seeds: edits::seeds },
    Target { name: "filter", body: filter::body, seeds: filter::seeds },
    Target { name: "idv", body: idv::body, seeds: idv::seeds },
    Target { name: "image_decode", body: pixels::body, seeds: pixels::seeds },
    Target { name: "image_probe", body: image::body, seeds: image::seeds },
    #[cfg(feature = "libjpeg")]
    Target { name: "jpeg_peer", body: jpeg_peer::body, seeds: jpeg_peer::seeds },
    Target { name: "jsonl", body: text::jsonl, seeds: text::jsonl_seeds },
    Target { name: "label_coco", body: labels::coco, seeds: labels::coco_seeds },
    Target { name: "label_createml", body: labels::create, seeds: labels::create_seeds },
    Target { name: "label_cvat", body: label_files::cvat, seeds: label_files::cvat_seeds },
    Target { name: "label_datumaro", body: labels::items, seeds: labels::items_seeds },
    Target { name: "label_me", body: labels::me, seeds: labels::me_seeds },
    Target { name: "label_record", body: labels::metadata, seeds: labels::metadata_seeds },
    Target { name: "label_recorder", body: labels::frames, seeds: labels::frames_seeds },
    Target { name: "label_studio", body: labels::studio, seeds: labels::studio_seeds },
    Target { name: "label_via", body: labels::annotator, seeds: labels::annotator_seeds },
    Target { name: "label_voc", body: label_files::voc, seeds: label_files::voc_seeds },
    Target { name: "label_yolo", body: label_files::yolo, seeds: label_files::yolo_seeds },
    Target { name: "msgpack", body: msgpack::body, seeds: msgpack::seeds },
    Target { name: "order_state", body: order::body, seeds: order::seeds },
    Target { name: "packed_jpeg", body: packed_jpeg::body, seeds: packed_jpeg::seeds },
    Target { name: "record", body: record::body, seeds: record::seeds },
    Target { name: "samples", body: samples::body, seeds: samples::seeds },
    Target { name: "spec", body: words::specs, seeds: words::specs_seeds },
    Target { name: "tar_kept", body: kept::body, seeds: kept::seeds },
    Target { name: "tar_scan", body: tar::body, seeds: tar::seeds },
    Target { name: "tbf", body: tbf::body, seeds: tbf::seeds },
    Target { name: "tbf_peer", body: tbf_peer::body, seeds: tbf_peer::seeds },
    Target { name: "tbl_check", body: tbl::body, seeds: tbl::seeds },
    Target { name: "times", body: words::times, seeds: words::times_seeds },
    Target { name: "warehouse_manifest", body: warehouse::manifest, seeds: warehouse::manifest_seeds },
    Target { name: "warehouse_shard", body: warehouse::shard, seeds: warehouse::shard_seeds },
    Target { name: "zip", body: zip::body, seeds: zip::seeds },
];

/// Every target of the machine's own crates, which bring the C libraries of the codecs with it: those of the core that
/// unpack bytes are here once more.
#[cfg(feature = "native")]
pub const TARGETS: &[Target] = &[
    Target { name: "arrow_file", body: native::arrow::file, seeds: native::arrow::file_seeds },
    Target { name: "arrow_stream", body: native::arrow::stream, seeds: native::arrow::stream_seeds },
    Target { name: "codecs_c", body: codec::body, seeds: codec::seeds },
    Target { name: "command", body: native::command::body, seeds: native::command::seeds },
    Target { name: "extract_names", body: native::extract::body, seeds: native::extract::seeds },
    Target { name: "packed_text", body: native::packed::body, seeds: native::packed::seeds },
    Target { name: "parquet", body: native::arrow::parquet, seeds: native::arrow::parquet_seeds },
    Target { name: "serve", body: native::serve::body, seeds: native::serve::seeds },
];

/// Small limits: what goes past them is seen at once.
pub(crate) fn limits() -> Limits {
    Limits::browser().with_item_bytes(4 << 20).with_index_bytes(4 << 20).with_metadata_bytes(4 << 20)
}

/// Runs the body of that name: all that a file in `fuzz_targets/` does.
///
/// # Panics
/// If the body does, and if there is no target of that name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|t| t.name == name).expect("a target of that name");
    (target.body)(data);
}
