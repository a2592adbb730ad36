//! The bounds that a page sets.

use forebay::Limits;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An object of the package's type `Limits`.
    #[wasm_bindgen(typescript_type = "{ itemBytes?: number; indexBytes?: number; metadataBytes?: number }")]
    #[derive(Debug)]
    pub type GivenLimits;

    // What is not there is NaN here.
    #[wasm_bindgen(method, getter, structural, js_name = itemBytes)]
    fn item_bytes(this: &GivenLimits) -> f64;
    #[wasm_bindgen(method, getter, structural, js_name = indexBytes)]
    fn index_bytes(this: &GivenLimits) -> f64;
    #[wasm_bindgen(method, getter, structural, js_name = metadataBytes)]
    fn metadata_bytes(this: &GivenLimits) -> f64;
}

impl From<&GivenLimits> for Limits {
    /// The usual limits, but for those that are given.
    fn from(given: &GivenLimits) -> Self {
        let mut limits = Limits::default();
        let set = |to: &mut u64, bytes: f64| {
            if bytes > 0.0 {
                *to = bytes as u64;
            }
        };
        set(&mut limits.item_bytes, given.item_bytes());
        set(&mut limits.index_bytes, given.index_bytes());
        set(&mut limits.metadata_bytes, given.metadata_bytes());
        limits
    }
}
