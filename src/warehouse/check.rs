//! Every fault of a warehouse: manifest, headers, blocks, checksums, pixels, boxes, masks, thresholds.

use std::{collections::HashSet, ops::Range};

use bytes::Bytes;

use serde_json::Value;

use super::{
    Warehouse, codes,
    manifest::Manifest,
    pass::Pass,
    raw::{SHARD_VERSION, Shape},
    version::{Transform, key_of},
};
use crate::{
    check::Report,
    error::{self, Error, Result},
    step::{Pieces, Step, Stepper},
};

/// Bytes that a [`Checker`] asks for at a time, if it is not told otherwise.
const WINDOW: u64 = 8 << 20;

impl Manifest {
    /// Whether the version follows from the key that the manifest gives; true where it gives none.
    pub fn has_own_version(&self) -> bool {
        self.version_key.as_ref().is_none_or(|text| key_of(text) == self.version)
    }

    /// Where the manifest says one thing and another, in words. What the first builder does not say contradicts nothing.
    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for shard in self.shards.iter().filter(|shard| !seen.insert(shard.relative_path.as_str())) {
            found.push(format!("the shard {:?} is listed twice", shard.relative_path));
        }
        if let Some(stored) = self.summary.totals.other.get("stored").and_then(Value::as_u64)
            && stored != self.samples()
        {
            found
                .push(format!("the summary says that {stored} samples are stored, the shards have {}", self.samples()));
        }
        let key = self.version_key.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let transform = serde_json::to_value(&self.transform).unwrap_or_default();
        let fields = [
            ("dataset_root", Value::from(self.dataset_root.as_str())),
            ("code_version", self.code_version.as_str().into()),
        ];
        let fields = fields.into_iter().chain(
            ["target_size", "resize_mode", "max_boxes"]
                .map(|name| (name, transform.get(name).cloned().unwrap_or_default())),
        );
        for (name, said) in fields {
            if let Some(keyed) = key.as_ref().and_then(|key| key.get(name)).filter(|keyed| **keyed != said) {
                found.push(format!("`{name}` is {said}, and {keyed} in `version_key`"));
            }
        }
        found
    }

    /// What the transform says of images that are of another size, or have places for another number of boxes.
    fn contradicted_by(&self, shape: &Shape) -> Vec<String> {
        let Transform { target_size, max_boxes, .. } = &self.transform;
        let mut found = Vec::new();
        if let Some([width, height]) = target_size.filter(|size| *size != [shape.width, shape.height]) {
            let message = format!("`target_size` is {width} x {height}, images are {} x {}", shape.width, shape.height);
            found.push(message);
        }
        if *max_boxes != u64::from(shape.max_boxes) {
            found.push(format!(
                "`max_boxes` of `transform` is {max_boxes}, samples have places for {}",
                shape.max_boxes
            ));
        }
        found
    }

    /// Everything that is wrong with what the manifest says of itself. Its shards are the opener's matter.
    pub fn check(&self, report: &mut Report) {
        let place = |e: Error| e.section("manifest");
        if self.version.len() != 64 || !self.version.bytes().all(|b| b.is_ascii_hexdigit()) {
            let message = format!("the version {:?} is not of 64 hexadecimal digits", self.version);
            report.fault(&place(Error::new(&codes::VERSION_KEY, message)));
        } else if !self.has_own_version() {
            let message = "the version is not the SHA-256 of `version_key`";
            report.fault(&place(Error::new(&codes::VERSION_KEY, message)));
        }
        for said in self.contradictions() {
            report.fault(&place(Error::new(&codes::CONTRADICTION, said)));
        }
        if self.default_shard_version != SHARD_VERSION {
            let message = format!("shards are of version {}", self.default_shard_version);
            report.fault(&place(Error::new(&codes::VERSION, message)));
        }
        for broken in self.thresholds.broken_by(&self.summary.totals) {
            report.fault(&place(Error::new(&codes::THRESHOLD, broken)));
        }
        let mut note = |message: String| report.note(&place(Error::new(&error::codes::NOTE, message)));
        if !self.summary.adds_up() {
            note("the totals of the summary are not the sum of its runs".into());
        }
        if self.shards.is_empty() {
            note("there are no shards, so no samples".into());
        }
        for shard in self.shards.iter().filter(|shard| shard.checksum_sha256.is_none()) {
            note(format!("the manifest has no checksum of {:?}, so nothing proves it", shard.relative_path));
        }
    }
}

/// The whole check as one stepper.
#[derive(Debug)]
pub struct Checker {
    warehouse: Warehouse,
    shards: Range<usize>,
    pass: Option<Pass>,
    pieces: Pieces,
    report: Report,
    window: u64,
    checked: u64,
    begun: bool,
}

impl Checker {
    /// Checks all of a warehouse, which was best opened with [`keep_going`](super::Opener::keep_going).
    pub fn new(warehouse: &Warehouse) -> Self {
        Self::part(warehouse, 0..warehouse.shards().len())
    }

    /// Checks some shards, so that several workers may share the work: with the first of them also the manifest. The
    /// reports of all parts, one [merged](Report::merge) behind the other, are that of the whole.
    pub fn part(warehouse: &Warehouse, shards: Range<usize>) -> Self {
        let begun = shards.start > 0;
        Checker {
            warehouse: warehouse.clone(),
            shards: shards.start..shards.end.min(warehouse.shards().len()),
            pass: None,
            pieces: Pieces::default(),
            report: Report::new(warehouse.len()),
            window: WINDOW,
            checked: 0,
            begun,
        }
    }

    /// With another size of the pieces that are read at a time.
    #[must_use]
    pub fn with_window(mut self, bytes: u64) -> Self {
        self.window = bytes;
        self
    }

    /// Samples that were checked so far.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// What the step after the next will need.
    pub fn ahead(&self) -> Vec<Range<u64>> {
        let Some(range) = self.pass.as_ref().and_then(|pass| pass.wants(self.window)) else { return Vec::new() };
        let end = self.pass.as_ref().map_or(range.end, Pass::end);
        let next = range.end..end.min(range.end.saturating_add(self.window));
        if next.is_empty() { Vec::new() } else { vec![next] }
    }
}

impl Stepper for Checker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        if !std::mem::replace(&mut self.begun, true) {
            self.warehouse.faults().iter().for_each(|e| self.report.fault(e));
            let manifest = self.warehouse.manifest();
            manifest.check(&mut self.report);
            for said in self.warehouse.shape().map(|shape| manifest.contradicted_by(&shape)).unwrap_or_default() {
                self.report.fault(&Error::new(&codes::CONTRADICTION, said).section("manifest"));
            }
        }
        loop {
            if self.pass.is_none() {
                let Some(k) = self.shards.next() else {
                    return Ok(Step::Done(std::mem::take(&mut self.report)));
                };
                let Some(shard) = self.warehouse.shards().get(k) else { continue };
                self.pass = Some(Pass::new(&self.warehouse, shard, &mut self.report));
            }
            let Some(pass) = &mut self.pass else { continue };
            match pass.wants(self.window) {
                Some(range) => {
                    let Some(bytes) = self.pieces.get(range.clone()) else {
                        return Ok(Step::Need(self.pieces.lacking(range)));
                    };
                    pass.take(&bytes, &mut self.report);
                    self.pieces.forget_before(range.end);
                }
                None => {
                    if let Some(pass) = self.pass.take() {
                        self.checked += pass.finish(&mut self.report);
                    }
                }
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
