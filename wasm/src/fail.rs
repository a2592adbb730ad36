//! Errors and panics as JavaScript sees them.

use std::sync::{Mutex, PoisonError};

use forebay::Error;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// What bindings return.
pub(crate) type Outcome<T> = Result<T, JsValue>;

#[derive(Serialize)]
struct Thrown<'a> {
    code: &'static str,
    kind: &'static str,
    message: &'a str,
    file: Option<&'a str>,
    section: Option<&'static str>,
    member: Option<&'a str>,
    sample: Option<u64>,
    column: Option<&'a str>,
    row: Option<u64>,
    block: Option<u64>,
    offset: Option<u64>,
    // Only texts that people write have lines, and only their errors name options.
    #[cfg(feature = "labels")]
    line: Option<u64>,
    #[cfg(feature = "labels")]
    character: Option<u64>,
    #[cfg(feature = "labels")]
    path: Option<&'a str>,
    #[cfg(feature = "labels")]
    options: &'static [&'static str],
}

/// An error as JSON text.
pub(crate) fn json(e: &Error) -> String {
    let place = e.place();
    let thrown = Thrown {
        code: e.code().id(),
        kind: e.kind().name(),
        message: e.message(),
        file: place.file.as_deref(),
        section: place.section,
        member: place.member.as_deref(),
        sample: place.sample,
        column: place.column.as_deref(),
        row: place.row,
        block: place.block,
        offset: place.offset,
        #[cfg(feature = "labels")]
        line: place.line,
        #[cfg(feature = "labels")]
        character: place.character,
        #[cfg(feature = "labels")]
        path: place.path.as_deref(),
        #[cfg(feature = "labels")]
        options: e.options(),
    };
    serde_json::to_string(&thrown).unwrap_or_default()
}

/// What is thrown.
pub(crate) fn thrown(e: Error) -> JsValue {
    JsValue::from_str(&json(&e))
}

/// Anything as JSON text.
#[cfg(any(feature = "reader", feature = "tables"))]
pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps a panic's message for [`last_panic`]: the trap that follows has none.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| {
        let said = info.to_string();
        // Other crates panic over what a file claims: that is the file's fault, and said as such.
        #[cfg(any(feature = "columns", feature = "pixels"))]
        let said = forebay::guard::error_of(info.payload()).map_or(said, |e| json(&e));
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = said;
    }));
}

/// The message of the panic that trapped this module, or the JSON of an error if a file is to blame; empty if it trapped without
/// one. The module must not be used for anything else after a trap.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> String {
    LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
