//! Reports over the boundary to JavaScript: as JSON text, as the wasm modules have it, and as objects that
//! `serde-wasm-bindgen` makes; and bytes of a `Blob` through `web-sys`.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// As in the report of a check.
#[derive(Serialize)]
struct Fault {
    code: &'static str,
    kind: &'static str,
    section: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<String>,
    sample: Option<u64>,
    offset: Option<u64>,
    message: String,
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    samples: u64,
    fault_count: u64,
    faults: Vec<Fault>,
}

/// As in the options of a conversion.
#[derive(Deserialize)]
struct Options {
    to: String,
    level: Option<i32>,
    columns: Vec<String>,
    verify: bool,
}

/// A report with many faults, kept on this side.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Kept(Report);

impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} faults", self.fault_count)
    }
}

#[wasm_bindgen]
impl Kept {
    /// Makes it.
    #[wasm_bindgen(constructor)]
    pub fn new(faults: u32) -> Kept {
        let fault = |i: u32| Fault {
            code: "tbl.payload_crc",
            kind: "damaged",
            section: Some("payloads"),
            member: (i % 2 == 0).then(|| format!("train/{i:08}.jpg")),
            sample: Some(u64::from(i)),
            offset: Some(4096 + 91_000 * u64::from(i)),
            message: format!("the payload of sample {i} has CRC-32 {:08x}, and its entry says another", i * 77_777),
        };
        let faults: Vec<Fault> = (0..faults).map(fault).collect();
        Kept(Report { ok: faults.is_empty(), samples: 50_000, fault_count: faults.len() as u64, faults })
    }

    /// As JSON text.
    #[cfg(feature = "text")]
    pub fn text(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// As an object with the same fields as the text's.
    #[cfg(feature = "objects")]
    pub fn object(&self) -> Result<JsValue, JsValue> {
        Ok(self.0.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
    }
}

fn weight(options: &Options) -> usize {
    let words = options.to.len() + options.columns.iter().map(String::len).sum::<usize>();
    words + options.level.unwrap_or(0).unsigned_abs() as usize + usize::from(options.verify)
}

/// Options as JSON text.
#[cfg(feature = "text")]
#[wasm_bindgen(js_name = takeText)]
pub fn take_text(options: &str) -> Option<usize> {
    serde_json::from_str(options).ok().map(|options| weight(&options))
}

/// Options as an object.
#[cfg(feature = "objects")]
#[wasm_bindgen(js_name = takeObject)]
pub fn take_object(options: JsValue) -> Option<usize> {
    serde_wasm_bindgen::from_value(options).ok().map(|options| weight(&options))
}

/// Bytes that JavaScript read.
#[wasm_bindgen]
pub fn push(bytes: Vec<u8>) -> usize {
    bytes.len()
}

/// Bytes that Rust reads.
#[cfg(feature = "blob")]
#[wasm_bindgen(js_name = readBlob)]
pub async fn read_blob(blob: web_sys::Blob, start: f64, end: f64) -> Result<usize, JsValue> {
    let part = blob.slice_with_f64_and_f64(start, end)?;
    let buffer = wasm_bindgen_futures::JsFuture::from(part.array_buffer()).await?;
    Ok(push(js_sys::Uint8Array::new(&buffer).to_vec()))
}
