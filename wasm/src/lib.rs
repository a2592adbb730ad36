//! Forebay's core for JavaScript: one handle per concept, no knowledge of formats.
//!
//! Work that needs bytes of a file has `step` and `push`: `step` returns pairs of positions (start and end of each
//! range that is needed) or nothing when it is done, and the host pushes what it fetched. What fails throws a JSON
//! text with the fields of a `ForebayError`; the TypeScript of the package makes the error of it.
//!
//! The crate is built several times, each time with one feature: what a page needs first is small, and the rest is
//! loaded when it is used.
//!
//! | file | what it holds |
//! |---|---|
//! | `fail.rs` | errors and panics as JavaScript sees them |
//! | `limits.rs` | the bounds that a page sets |
//! | `open.rs` | opening a file |
//! | `dataset.rs` | an opened file as JavaScript has it: index, payloads, metadata |
//! | `tables/` | tables: a module of its own |
//! | `labels/` | labels: a module of its own |
//! | `curate.rs` | duplicates, outliers and splits: a module of its own |
//! | `edits.rs`, `export.rs` | journals of changes, and the labels of samples as files: a module of its own |
//! | `labeling.rs` | what the modules share that know labels |
//! | `tensor.rs` | pixels to tensors: a module of its own |
//! | `warehouse.rs` | tensor warehouses: a module of its own |
//! | `threads.rs` | work on several threads, in a module of its own; one after the other elsewhere |
//! | `room.rs` | memory that grows in few steps |
//! | `words.rs` | choices by a word |
//! | `record.rs`, `select.rs`, `check.rs`, `convert.rs` | the work: one record; filters and statistics; checks; conversion |

#[cfg(feature = "reader")]
mod check;
#[cfg(any(feature = "convert", feature = "edits", feature = "warehouse"))]
mod convert;
#[cfg(feature = "curate")]
mod curate;
#[cfg(feature = "reader")]
mod dataset;
#[cfg(feature = "edits")]
mod edits;
#[cfg(feature = "edits")]
mod export;
mod fail;
#[cfg(any(feature = "labels", feature = "edits"))]
mod labeling;
#[cfg(feature = "labels")]
mod labels;
#[cfg(any(feature = "reader", feature = "tables", feature = "labels"))]
mod limits;
#[cfg(feature = "reader")]
mod open;
#[cfg(any(feature = "reader", feature = "tables", feature = "labels"))]
mod ranges;
#[cfg(feature = "reader")]
mod record;
#[cfg(feature = "edits")]
mod room;
#[cfg(feature = "reader")]
mod select;
#[cfg(feature = "tables")]
mod tables;
#[cfg(feature = "tensor")]
mod tensor;
#[cfg(feature = "reader")]
mod threads;
#[cfg(feature = "warehouse")]
mod warehouse;
#[cfg(any(
    feature = "convert",
    feature = "tables",
    feature = "tensor",
    feature = "labels",
    feature = "edits",
    feature = "warehouse"
))]
mod words;

#[cfg(any(feature = "convert", feature = "edits", feature = "warehouse"))]
pub use convert::Converter;
#[cfg(feature = "curate")]
pub use curate::{Looker, divide_units, duplicate_groups, find_outliers};
#[cfg(feature = "edits")]
pub use edits::{Applier, Edits};
#[cfg(feature = "edits")]
pub use export::LabelExporter;
pub use fail::last_panic;
#[cfg(feature = "labels")]
pub use labels::{LabelReader, LabelSet, detect_labels};
#[cfg(feature = "tables")]
pub use tables::{Table, TableChecker, TableConverter, TableOpener, TableReader, TableStats};
#[cfg(feature = "tensor")]
pub use tensor::Tensors;
#[cfg(feature = "threads")]
pub use threads::{init_thread_pool, wbg_rayon_start_worker};
#[cfg(feature = "warehouse")]
pub use warehouse::{WarehouseManifest, WarehouseOpener, WarehouseSurveyor, warehouse_drift};
#[cfg(feature = "reader")]
pub use {
    check::Checker,
    dataset::Dataset,
    open::Opener,
    record::{DocumentReader, RecordReader},
    select::Selector,
};

/// Bytes of WebAssembly memory in use by this module: it only ever grows.
#[wasm_bindgen::prelude::wasm_bindgen(js_name = memoryBytes)]
pub fn memory_bytes() -> f64 {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>() as f64 * 65536.0;
    #[cfg(not(target_arch = "wasm32"))]
    return 0.0;
}
