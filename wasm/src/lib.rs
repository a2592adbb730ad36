//! Forebay's core for JavaScript: one handle per concept, no knowledge of formats.
//!
//! Work that needs bytes of a file has `step` and `push`: `step` returns pairs of positions (start and end of each
//! range that is needed) or nothing when it is done, and the host pushes what it fetched. What fails throws a JSON
//! text with the fields of a `ForebayError`; the TypeScript of the package makes the error of it.
//!
//! | file | what it holds |
//! |---|---|
//! | `fail.rs` | errors and panics as JavaScript sees them |
//! | `open.rs` | opening a file |
//! | `dataset.rs` | an opened file: index, payloads, metadata |
//! | `window.rs` | a run of samples with the bytes that they need |
//! | `record.rs`, `select.rs`, `check.rs`, `convert.rs` | the work: one record; filters and statistics; checks; conversion |

mod check;
mod convert;
mod dataset;
mod fail;
mod open;
mod record;
mod select;
mod window;

pub use check::Checker;
pub use convert::Converter;
pub use dataset::Dataset;
pub use fail::last_panic;
pub use open::Opener;
pub use record::{DocumentReader, RecordReader};
pub use select::Selector;

use std::ops::Range;

/// Ranges as pairs of numbers.
fn pairs(ranges: Vec<Range<u64>>) -> Option<Vec<f64>> {
    Some(ranges.into_iter().flat_map(|r| [r.start as f64, r.end as f64]).collect())
}

/// Bytes of WebAssembly memory in use by this module: it only ever grows.
#[wasm_bindgen::prelude::wasm_bindgen(js_name = memoryBytes)]
pub fn memory_bytes() -> f64 {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>() as f64 * 65536.0;
    #[cfg(not(target_arch = "wasm32"))]
    return 0.0;
}
