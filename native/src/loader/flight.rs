//! A batch while workers fill it.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use bytes::{Bytes, BytesMut};
use forebay::{Error, image::transform::Placement, order::Item};

use super::pool::{Pool, join, lock};

/// What one sample became.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) item: Item,
    /// Where its numbers go: a part of the batch's memory.
    pub(super) memory: BytesMut,
    pub(super) label: i64,
    /// Where its picture was placed.
    pub(super) placement: Placement,
    /// The payload itself, if that is what is wanted.
    pub(super) payload: Bytes,
    pub(super) error: Option<Error>,
    /// Who stands in for a sample with an error.
    pub(super) stand_in: Option<Item>,
}

impl Slot {
    pub(super) fn new(item: Item, memory: BytesMut) -> Self {
        let placement = Placement::default();
        Slot { item, memory, label: 0, placement, payload: Bytes::new(), error: None, stand_in: None }
    }
}

/// A batch on its way.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) epoch: u64,
    pub(super) step: u64,
    /// Workers pass over flights of an earlier generation than the loader's.
    pub(super) generation: u64,
    /// Which of the loader's contents its samples become.
    pub(super) kind: usize,
    slots: Vec<Mutex<Option<Slot>>>,
    /// How many slots are not done.
    left: AtomicUsize,
    /// Memory behind the last slot, if the batch is not full.
    rest: Mutex<BytesMut>,
    pool: Arc<Pool>,
}

impl Flight {
    pub(super) fn new(
        (epoch, step, generation): (u64, u64, u64),
        items: impl IntoIterator<Item = Item>,
        (kind, slot_bytes): (usize, usize),
        pool: &Arc<Pool>,
    ) -> Self {
        let mut memory = pool.take();
        let slots: Vec<_> = items
            .into_iter()
            .map(|item| {
                let memory = memory.split_to(slot_bytes.min(memory.len()));
                Mutex::new(Some(Slot::new(item, memory)))
            })
            .collect();
        let (left, rest) = (AtomicUsize::new(slots.len()), Mutex::new(memory));
        Flight { epoch, step, generation, kind, slots, left, rest, pool: pool.clone() }
    }

    /// How many samples.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }
    /// True once every slot is done.
    pub(super) fn is_done(&self) -> bool {
        self.left.load(Ordering::Acquire) == 0
    }

    /// Takes a slot to work on, which no one else can then see.
    pub(super) fn take(&self, slot: usize) -> Option<Slot> {
        self.slots.get(slot).and_then(|s| lock(s).take())
    }
    /// Gives a slot back; true if it was the last.
    pub(super) fn give(&self, number: usize, slot: Option<Slot>) -> bool {
        if let Some(place) = self.slots.get(number) {
            *lock(place) = slot;
        }
        self.left.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// The slots with what they became, and the whole memory, joined.
    pub(super) fn land(&self) -> (Vec<Slot>, BytesMut) {
        let mut slots: Vec<Slot> = self.slots.iter().filter_map(|s| lock(s).take()).collect();
        let rest = std::mem::take(&mut *lock(&self.rest));
        let pieces = slots.iter_mut().map(|slot| std::mem::take(&mut slot.memory));
        let memory = join(pieces.chain([rest]).filter(|piece| !piece.is_empty()));
        (slots, memory)
    }
}

/// The memory of a flight that nobody landed is used again.
impl Drop for Flight {
    fn drop(&mut self) {
        let (_, memory) = self.land();
        if !memory.is_empty() {
            self.pool.give(memory);
        }
    }
}

/// One sample to be made.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) flight: Arc<Flight>,
    pub(super) slot: usize,
}
