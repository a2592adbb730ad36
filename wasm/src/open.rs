//! Opening a file of any format that holds samples.

use bytes::Bytes;
use forebay::{
    Error, Limits, Step, Stepper,
    codec::{Codec, codes::UNAVAILABLE},
    detect::{HEAD_LEN, detect},
    error::codes,
    formats::Format,
    samples::{Dataset as Core, Opened, Opener as CoreOpener},
    tar::Tar,
    tbl::raw::Header,
};
use wasm_bindgen::prelude::*;

use crate::{
    dataset::Dataset,
    fail::{Outcome, thrown},
    limits::GivenLimits,
    ranges::pairs,
};

/// Opens a file: `step` and `push` until `step` returns nothing, then `finish`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Opener {
    work: Option<CoreOpener>,
    done: Option<Opened>,
    limits: Limits,
    keep_going: bool,
    /// The first bytes, which tell the format.
    head: Bytes,
    file_len: u64,
}

impl Opener {
    /// The module `samples` reads Zstandard and packed JPEGs, and that of labels decompresses nothing: the reader says so before more than the
    /// header is read.
    fn refuse_packed(&self) -> forebay::Result<()> {
        let parsed = || Header::parse(&self.head, self.file_len);
        let packed = || parsed().is_ok_and(|header| matches!(header.codec, Codec::Zstd | Codec::Packed));
        if cfg!(not(any(feature = "samples", feature = "labels")))
            && detect(&self.head) == Some(Format::Tbl)
            && packed()
        {
            return Err(Error::new(
                &UNAVAILABLE,
                "this module reads neither Zstandard nor packed JPEGs; another one does",
            ));
        }
        Ok(())
    }
}

#[wasm_bindgen]
impl Opener {
    /// For a file of `file_len` bytes. With `keep_going`, what is damaged in a TAR is passed over.
    #[wasm_bindgen(constructor)]
    pub fn new(file_len: f64, limits: &GivenLimits, keep_going: bool) -> Opener {
        let limits = Limits::from(limits);
        let work = CoreOpener::new(file_len as u64).with_limits(limits.clone());
        let work = if keep_going { work.keep_going() } else { work };
        Opener { work: Some(work), done: None, limits, keep_going, head: Bytes::new(), file_len: file_len as u64 }
    }

    /// The ranges that are needed; nothing when the file is open.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        self.refuse_packed().map_err(thrown)?;
        let Some(work) = &mut self.work else { return Ok(None) };
        let (core, damage) = match work.step() {
            Ok(Step::Need(ranges)) => return Ok(pairs(ranges)),
            Ok(Step::Done(core)) => (core, None),
            Err(e) => match self.work.take().and_then(CoreOpener::into_partial) {
                Some(partial) if self.keep_going => (partial.map_err(thrown)?, Some(e)),
                _ => return Err(thrown(e)),
            },
        };
        self.work = None;
        self.done = Some(Opened::new(core, self.limits.clone(), damage));
        Ok(None)
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        let bytes = Bytes::from(bytes);
        if start == 0.0 && bytes.len() > self.head.len() {
            self.head = bytes.slice(..bytes.len().min(HEAD_LEN as usize));
        }
        if let Some(work) = &mut self.work {
            work.push(start as u64, bytes);
        }
    }

    /// The format by the first bytes, even if it holds no samples.
    pub fn format(&self) -> Option<String> {
        detect(&self.head).map(|format| format.name().to_owned())
    }

    /// Where the scan of a TAR stands.
    #[wasm_bindgen(getter)]
    pub fn position(&self) -> f64 {
        self.work.as_ref().and_then(CoreOpener::scanner).map_or(0.0, |s| s.position() as f64)
    }

    /// Members of a TAR so far.
    #[wasm_bindgen(getter)]
    pub fn found(&self) -> f64 {
        self.work.as_ref().and_then(CoreOpener::scanner).map_or(0.0, |s| s.members().len() as f64)
    }

    /// Puts what an earlier scan of the same TAR found in place of a scan; if it does not fit, the file is scanned.
    #[wasm_bindgen(js_name = useKept)]
    pub fn use_kept(&mut self, kept: Vec<u8>) {
        self.work = self.work.take().map(|work| work.with_kept(&kept));
    }

    /// The samples of a TAR so far, while its headers are still being read; nothing if there are none yet. The
    /// last group of members is left out: it may go on.
    #[wasm_bindgen(js_name = soFar)]
    pub fn so_far(&self) -> Outcome<Option<Dataset>> {
        let Some(scanner) = self.work.as_ref().and_then(CoreOpener::scanner) else { return Ok(None) };
        let tar = Tar::growing(scanner.so_far()).map_err(thrown)?;
        let growing = |tar| Opened::new(Core::Tar(tar), self.limits.clone(), None).growing();
        Ok((!tar.is_empty()).then(|| Dataset::new(growing(tar))))
    }

    /// The opened file.
    pub fn finish(&mut self) -> Outcome<Dataset> {
        let opened = self.done.take();
        opened
            .map(Dataset::new)
            .ok_or_else(|| thrown(Error::new(&codes::MISSING_BYTES, "the file was not opened to its end")))
    }
}
