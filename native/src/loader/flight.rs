//! A batch while workers fill it.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use bytes::{Bytes, BytesMut};
use forebay::{Error, image::transform::Placement, order::Item};

use super::{
    pieces::Piece,
    pool::{Pool, join, lock},
    target::{Cell, Filled, TargetMemory},
};

/// What one sample became.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) item: Item,
    /// Where its numbers go: a part of the batch's memory.
    pub(super) memory: BytesMut,
    /// Where its boxes go.
    pub(super) targets: BytesMut,
    /// Where its named targets go, if there are any.
    pub(super) cells: Vec<Cell>,
    /// Its frame, if frames are known.
    pub(super) frame: Option<u64>,
    pub(super) label: i64,
    /// The batch's width and height, where pictures are padded, and what of it the picture has.
    pub(super) cell: Option<(u32, u32)>,
    pub(super) size: (u32, u32),
    /// Where its picture was placed.
    pub(super) placement: Placement,
    /// The payload itself, if that is what is wanted.
    pub(super) payload: Bytes,
    /// All pictures of its tensor, where several are brought together.
    pub(super) pieces: Vec<Piece>,
    pub(super) error: Option<Error>,
    /// Who stands in for a sample with an error.
    pub(super) stand_in: Option<Item>,
}

impl Slot {
    pub(super) fn new(item: Item, memory: BytesMut, targets: BytesMut, cells: Vec<Cell>) -> Self {
        let (placement, payload) = (Placement::default(), Bytes::new());
        let (pieces, frame, label) = (Vec::new(), None, 0);
        let (cell, size, error, stand_in) = (None, (0, 0), None, None);
        Slot { item, memory, targets, cells, frame, label, cell, size, placement, payload, pieces, error, stand_in }
    }

    /// Whether the batch goes without it: it is broken, and none stands in for it.
    pub(super) fn is_left_out(&self) -> bool {
        self.error.is_some() && self.stand_in.is_none()
    }
}

/// What a sample on its way takes beside its numbers: its slot, and what its batch says of it.
pub(super) const SLOT_BYTES: usize = size_of::<Mutex<Option<Slot>>>() + 2 * size_of::<Item>() + size_of::<Bytes>();

/// Memory for batches: for their numbers, for their boxes, and for their named targets.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) numbers: Pool,
    pub(super) targets: Pool,
    pub(super) named: TargetMemory,
}

/// What a flight's slots have of its memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotBytes {
    /// None where its samples stay where they are.
    pub(super) numbers: usize,
    pub(super) targets: usize,
    /// Width and height of each, where pictures are padded to the largest of the batch.
    pub(super) cell: Option<(u32, u32)>,
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
    pub(super) bytes: SlotBytes,
    slots: Vec<Mutex<Option<Slot>>>,
    /// How many slots are not done.
    left: AtomicUsize,
    /// Memory behind the last slot, if the batch is not full.
    rest: Mutex<(BytesMut, BytesMut, Vec<BytesMut>)>,
    pools: Arc<Pools>,
}

impl Flight {
    pub(super) fn new(
        (epoch, step, generation): (u64, u64, u64),
        items: impl IntoIterator<Item = Item>,
        (kind, bytes): (usize, SlotBytes),
        pools: &Arc<Pools>,
    ) -> Self {
        let mut memory = if bytes.numbers == 0 { BytesMut::new() } else { pools.numbers.take() };
        let (mut targets, mut named) = (pools.targets.take(), pools.named.take());
        let slots: Vec<_> = items
            .into_iter()
            .map(|item| {
                let memory = memory.split_to(bytes.numbers.min(memory.len()));
                let targets = targets.split_to(bytes.targets.min(targets.len()));
                let slot = Slot::new(item, memory, targets, pools.named.cells(&mut named));
                Mutex::new(Some(Slot { cell: bytes.cell, ..slot }))
            })
            .collect();
        let (left, rest) = (AtomicUsize::new(slots.len()), Mutex::new((memory, targets, named)));
        Flight { epoch, step, generation, kind, bytes, slots, left, rest, pools: pools.clone() }
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

    /// The slots with what they became, which `look` sees before their boxes' memory is used again, the whole memory
    /// of their numbers, joined, and their named targets.
    pub(super) fn land(&self, look: impl FnOnce(&[Slot])) -> (Vec<Slot>, BytesMut, Vec<Filled>) {
        let mut slots: Vec<Slot> = self.slots.iter().filter_map(|s| lock(s).take()).collect();
        look(&slots);
        let (rest, targets, named) = std::mem::take(&mut *lock(&self.rest));
        let named = self.pools.take_back(&mut slots, targets, named);
        let pieces = slots.iter_mut().map(|slot| std::mem::take(&mut slot.memory));
        let memory = join(pieces.chain([rest]).filter(|piece| !piece.is_empty()));
        (slots, memory, named)
    }
}

impl Pools {
    /// Slots for samples that are lent where they lie, and what is left of the memory for their boxes and targets.
    pub(super) fn slots(&self, items: &[Item], bytes: SlotBytes) -> (Vec<Slot>, BytesMut, Vec<BytesMut>) {
        let (mut targets, mut named) = (self.targets.take(), self.named.take());
        let mut part = || targets.split_to(bytes.targets.min(targets.len()));
        let mut slot = |item: &Item| Slot::new(*item, BytesMut::new(), part(), self.named.cells(&mut named));
        let slots = items.iter().map(&mut slot).collect();
        (slots, targets, named)
    }

    /// Takes back the memory of boxes, and brings together the named targets of samples that are not left out.
    pub(super) fn take_back(&self, slots: &mut [Slot], rest: BytesMut, named: Vec<BytesMut>) -> Vec<Filled> {
        let pieces = slots.iter_mut().map(|slot| std::mem::take(&mut slot.targets));
        self.targets.give(join(pieces.chain([rest]).filter(|piece| !piece.is_empty())));
        self.named.land(slots.iter_mut().map(|slot| (!slot.is_left_out(), std::mem::take(&mut slot.cells))), named)
    }
}

/// The memory of a flight that nobody landed is used again.
impl Drop for Flight {
    fn drop(&mut self) {
        let (_, memory, named) = self.land(|_| ());
        self.pools.numbers.give(memory);
        self.pools.named.give(named);
    }
}

/// One sample to be made.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) flight: Arc<Flight>,
    pub(super) slot: usize,
}
