//! Forebay's core for JavaScript: one handle per concept, no knowledge of formats.
//!
//! Work that needs bytes of a file has `step` and `push`: `step` returns pairs of positions (start and end of each
//! range that is needed) or nothing when it is done, and the host pushes what it fetched. What fails throws a JSON
//! text with the fields of a `ForebayError`; the TypeScript of the package makes the error of it.
//!
//! The crate is built once for each module of the package, with one feature: the first one is small, and the others are
//! loaded when they are used.
//!
//! | feature | files |
//! |---|---|
//! | each | `fail.rs`: errors and panics as JavaScript sees them; `limits.rs`, `words.rs`, `ranges.rs` |
//! | `reader` | `open.rs`, `dataset.rs`, `record.rs`, `select.rs`, `check.rs`: opening, reading, filtering, checking |
//! | `samples` | the same, and `convert.rs`, `warehouse.rs` |
//! | `labels` | the same as `reader`, and `labels/`, `edits.rs`, `export.rs`: labels, and journals of edits |
//! | `tables` | `tables/`; with `columns` also Parquet and Arrow |
//! | `pixels` | `tensor.rs`, `curate.rs`: images as tensors; duplicates, outliers and splits |
//! | `schema` | `schema.rs`: JSON Schemas of reports and options, from which the types of the package are made |
//! | `threads` | `threads.rs`: `samples` on several threads; one after another elsewhere |

mod fail;
#[cfg(any(feature = "reader", feature = "tables"))]
mod limits;
#[cfg(any(feature = "reader", feature = "tables"))]
mod ranges;
#[cfg(any(feature = "samples", feature = "labels", feature = "tables", feature = "pixels"))]
mod words;

#[cfg(feature = "reader")]
mod check;
#[cfg(feature = "reader")]
mod dataset;
#[cfg(feature = "reader")]
mod open;
#[cfg(feature = "reader")]
mod record;
#[cfg(feature = "reader")]
mod select;
#[cfg(feature = "reader")]
mod threads;

#[cfg(feature = "schema")]
pub mod schema;

#[cfg(any(feature = "samples", feature = "labels"))]
mod convert;
#[cfg(feature = "samples")]
mod warehouse;

#[cfg(feature = "labels")]
mod edits;
#[cfg(feature = "labels")]
mod export;
#[cfg(feature = "labels")]
mod labeling;
#[cfg(feature = "labels")]
mod labels;
#[cfg(feature = "labels")]
mod room;

#[cfg(feature = "pixels")]
mod curate;
#[cfg(feature = "pixels")]
mod tensor;

#[cfg(feature = "tables")]
mod tables;

#[cfg(any(feature = "samples", feature = "labels"))]
pub use convert::Converter;
pub use fail::last_panic;
#[cfg(feature = "tables")]
pub use tables::{Table, TableChecker, TableConverter, TableOpener, TableReader, TableStats};
#[cfg(feature = "threads")]
pub use threads::{init_thread_pool, wbg_rayon_start_worker};
#[cfg(feature = "samples")]
pub use warehouse::{WarehouseManifest, WarehouseOpener, WarehouseSurveyor, warehouse_drift};
#[cfg(feature = "reader")]
pub use {
    check::Checker,
    dataset::Dataset,
    open::Opener,
    record::{DocumentReader, RecordReader},
    select::Selector,
};
#[cfg(feature = "pixels")]
pub use {
    curate::{Looker, divide_units, duplicate_groups, find_outliers},
    tensor::Tensors,
};
#[cfg(feature = "labels")]
pub use {
    edits::{Applier, Edits},
    export::LabelExporter,
    labels::{LabelReader, LabelSet, detect_labels, match_labels, read_project},
};

/// Bytes of WebAssembly memory in use by this module: it only ever grows.
#[wasm_bindgen::prelude::wasm_bindgen(js_name = memoryBytes)]
pub fn memory_bytes() -> f64 {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>() as f64 * 65536.0;
    #[cfg(not(target_arch = "wasm32"))]
    return 0.0;
}
