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
//! | `samples` | the same, and `convert.rs`, `edits.rs`, `export.rs`, `labels/`, `warehouse.rs` |
//! | `tables` | `tables/`; with `columns` also Parquet and Arrow |
//! | `pixels` | `tensor.rs`, `curate.rs`: images as tensors; duplicates, outliers and splits |
//! | `threads` | `threads.rs`: `samples` on several threads; one after another elsewhere |

mod fail;
#[cfg(any(feature = "reader", feature = "tables"))]
mod limits;
#[cfg(any(feature = "reader", feature = "tables"))]
mod ranges;
#[cfg(any(feature = "samples", feature = "tables", feature = "pixels"))]
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

#[cfg(feature = "samples")]
mod convert;
#[cfg(feature = "samples")]
mod edits;
#[cfg(feature = "samples")]
mod export;
#[cfg(feature = "samples")]
mod labeling;
#[cfg(feature = "samples")]
mod labels;
#[cfg(feature = "samples")]
mod room;
#[cfg(feature = "samples")]
mod warehouse;

#[cfg(feature = "pixels")]
mod curate;
#[cfg(feature = "pixels")]
mod tensor;

#[cfg(feature = "tables")]
mod tables;

pub use fail::last_panic;
#[cfg(feature = "tables")]
pub use tables::{Table, TableChecker, TableConverter, TableOpener, TableReader, TableStats};
#[cfg(feature = "threads")]
pub use threads::{init_thread_pool, wbg_rayon_start_worker};
#[cfg(feature = "reader")]
pub use {
    check::Checker,
    dataset::Dataset,
    open::Opener,
    record::{DocumentReader, RecordReader},
    select::Selector,
};
#[cfg(feature = "samples")]
pub use {
    convert::Converter,
    edits::{Applier, Edits},
    export::LabelExporter,
    labels::{LabelReader, LabelSet, detect_labels},
    warehouse::{WarehouseManifest, WarehouseOpener, WarehouseSurveyor, warehouse_drift},
};
#[cfg(feature = "pixels")]
pub use {
    curate::{Looker, divide_units, duplicate_groups, find_outliers},
    tensor::Tensors,
};

/// Bytes of WebAssembly memory in use by this module: it only ever grows.
#[wasm_bindgen::prelude::wasm_bindgen(js_name = memoryBytes)]
pub fn memory_bytes() -> f64 {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>() as f64 * 65536.0;
    #[cfg(not(target_arch = "wasm32"))]
    return 0.0;
}
