//! Components, scans, and the error of what is damaged.

use crate::{error::Error, image::codes};

/// Components of a picture, at most.
pub(super) const MOST_PARTS: usize = 4;

/// One color, as the frame and the scan describe it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Component {
    pub(super) id: u8,
    /// Blocks across and down in each unit.
    pub(super) across: usize,
    pub(super) down: usize,
    /// Lines of blocks in a unit as the file says, which for a single component says nothing but where smoothing ends.
    pub(super) stated: usize,
    pub(super) quant: usize,
    pub(super) dc: usize,
    pub(super) ac: usize,
}

/// What a scan has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spec {
    /// The places of its components.
    pub(super) parts: [usize; MOST_PARTS],
    pub(super) count: usize,
    /// The first and the last coefficient in the order in which they are stored.
    pub(super) first: usize,
    pub(super) last: usize,
    /// The bits below those that this scan gives, and whether the ones above came before.
    pub(super) low: u32,
    pub(super) refines: bool,
    /// Where its bytes begin.
    pub(super) at: usize,
}

impl Spec {
    pub(super) fn parts(&self) -> &[usize] {
        &self.parts[..self.count]
    }
}

pub(super) fn damaged(message: impl Into<String>) -> Error {
    Error::new(&codes::DAMAGED, message.into()).section("payload")
}

/// What a segment ends with that has more than its pixels.
pub(super) fn left_over() -> Error {
    damaged("bytes of the JPEG are left over after the pixels of a scan or a restart interval")
}

pub(super) fn word(body: &[u8], at: usize) -> Option<u16> {
    body.get(at..at + 2).map(|b| u16::from_be_bytes([b[0], b[1]]))
}
