//! What all threads of a loader share.

use std::sync::atomic::AtomicU64;

use forebay::{
    image::{decode::Options as DecodeOptions, transform::Together},
    order::Order,
};

use super::{
    Dtype,
    content::Content,
    decoded::Decoded,
    labels::Resolver,
    padding::{Around, Padding},
    pieces::Lists,
    policy::OnBroken,
    sources::Sources,
    stats::Clock,
    target::Ready,
};
use crate::parallel::budget::Budget;

/// What all threads of a loader share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) sources: Sources,
    pub(super) order: Order,
    /// What samples become: one content for every size that batches may have, at least one.
    pub(super) contents: Vec<Content>,
    /// Bytes of a sample's slot, for each content; 0 if there is no tensor.
    pub(super) slot_bytes: Vec<usize>,
    /// Places for boxes; 0 if none were asked for.
    pub(super) places: usize,
    /// Samples are taken by the caller's thread, and lent where they lie.
    pub(super) by_caller: bool,
    pub(super) read_ahead: bool,
    pub(super) dtype: Dtype,
    pub(super) labels: Resolver,
    pub(super) labeled: bool,
    /// Named targets.
    pub(super) ready: Ready,
    /// Several pictures on one tensor, and lists for what they are.
    pub(super) together: Together,
    /// Pictures of many sizes in one batch, and the numbers around them.
    pub(super) padding: Option<(Padding, Around)>,
    pub(super) lists: Lists,
    pub(super) on_broken: OnBroken,
    /// How many of them an epoch may have on this rank.
    pub(super) max_broken: Option<u64>,
    pub(super) allow_empty: bool,
    pub(super) decode: DecodeOptions,
    pub(super) verify: bool,
    /// What decoding may hold.
    pub(super) budget: Budget,
    pub(super) workers: usize,
    pub(super) clock: Clock,
    /// Decoded pictures that are kept.
    pub(super) decoded: Option<Decoded>,
    /// Counts up when what is on its way is no longer wanted.
    pub(super) generation: AtomicU64,
}
