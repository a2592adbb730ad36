//! Where everything goes: the encoder decides positions, the host writes bytes there.
//!
//! The index stands in front of the payloads, so its size must be known or guessed. With the number of samples
//! known, payloads go where they stay. Without it, the guide layout reserves room for some entries and, should
//! that prove too small, moves the few payloads in the way to the end; the turboloader layout, whose
//! payloads must be contiguous, moves them all once.

use std::sync::Arc;

use super::{
    codes,
    metadata_write::MetadataTail,
    pack::{PackOptions, Packed},
    patch::Patch,
    raw::{ENTRY_LEN, Entry, HEADER_LEN, Header, Layout, entry_flag},
};
use crate::{
    codec::{Codec, packed::Tables},
    error::{Error, Result},
};

/// Entries for which room is reserved when the number of samples is not known: 6 KiB. Too few cost a copy of as many
/// payload bytes as the index has, too many a hole in a small file.
const RESERVED: u64 = 256;
/// Entries in one piece of memory, so that a growing index is never copied.
const CHUNK: usize = 1 << 15;

/// Assigns positions and keeps the index: 24 bytes a sample, and nothing of the payloads.
#[derive(Debug)]
pub struct Encoder {
    layout: Layout,
    codec: Codec,
    /// Where the first payload went.
    base: u64,
    next: u64,
    entries: Vec<Vec<Entry>>,
    count: u64,
    /// Payloads follow the index at once, in both layouts: they all move when its size is known.
    moves: bool,
    /// What packed payloads are read with.
    tables: Option<Arc<Tables>>,
}

impl Encoder {
    /// `count` is the number of samples, if it is known. Being wrong about it costs time, not correctness.
    pub fn new(options: PackOptions, count: Option<u64>) -> Result<Self> {
        options.validate()?;
        Self::of(options.layout, options.compression.codec(), count)
    }

    /// For payloads that are compressed already, with this codec.
    pub(crate) fn of(layout: Layout, codec: Codec, count: Option<u64>) -> Result<Self> {
        let reserved = match (count, layout) {
            (Some(n), _) => n,
            (None, Layout::Guide) => RESERVED,
            (None, Layout::Turboloader) => 0,
        };
        let base = reserved
            .checked_mul(ENTRY_LEN)
            .and_then(|n| n.checked_add(HEADER_LEN))
            .ok_or_else(|| Error::new(&codes::TOO_LARGE, format!("an index of {reserved} samples is too large")))?;
        let moves = layout == Layout::Turboloader;
        let tables = match codec {
            Codec::Packed => Some(Tables::standard()?),
            _ => None,
        };
        Ok(Encoder { layout, codec, base, next: base, entries: Vec::new(), count: 0, moves, tables })
    }

    /// For a host to which it costs nothing to put the index in front of all payloads at the end: they are placed without
    /// room for it, and [`finish`](Self::finish) moves them as one. The file is the same as with the count known.
    #[doc(hidden)]
    pub fn moving(options: PackOptions) -> Result<Self> {
        Ok(Encoder { base: HEADER_LEN, next: HEADER_LEN, moves: true, ..Encoder::new(options, None)? })
    }

    /// Says what the payloads are packed with, if it is not the tables that the library brings.
    pub(crate) fn with_tables(self, tables: Option<Arc<Tables>>) -> Self {
        let tables = tables.filter(|_| self.codec == Codec::Packed).or(self.tables);
        Encoder { tables, ..self }
    }

    /// How many samples were placed.
    #[doc(hidden)]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes the next sample in and says where its bytes go: `stored`, directly followed by `trailer`.
    /// `has_metadata` says whether the metadata writer gets something for this sample.
    pub fn place(&mut self, packed: &Packed, has_metadata: bool) -> Result<u64> {
        self.place_stored(packed.entry, packed.len(), has_metadata)
    }

    /// As [`place`](Self::place), of a payload that takes `len` bytes in another file of the same layout and codec.
    pub(crate) fn place_stored(&mut self, entry: Entry, len: u64, has_metadata: bool) -> Result<u64> {
        let at = self.next;
        self.next = at
            .checked_add(len)
            .ok_or_else(|| Error::new(&codes::TOO_LARGE, "the file would be larger than 2^64 bytes"))?;
        let mut entry = Entry { offset: at, ..entry };
        if self.layout == Layout::Turboloader {
            entry.flags &= !entry_flag::METADATA;
            if has_metadata {
                entry.flags |= entry_flag::METADATA;
            }
        }
        if self.entries.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.entries.push(Vec::with_capacity(CHUNK));
        }
        if let Some(chunk) = self.entries.last_mut() {
            chunk.push(entry);
        }
        self.count += 1;
        Ok(at)
    }

    /// The patches that make the file whole.
    pub fn finish(mut self, metadata: Option<MetadataTail>) -> Result<Vec<Patch>> {
        let mut patches = Vec::new();
        let index_end = HEADER_LEN + self.count * ENTRY_LEN;
        match self.moves {
            false => self.clear_the_way(index_end, &mut patches),
            true => self.shift(index_end, &mut patches),
        }
        let layout = self.layout;
        let mut header = Header {
            layout,
            samples: self.count,
            codec: self.codec,
            entry_len: ENTRY_LEN as u32,
            metadata: None,
            metadata_format: None,
            metadata_crc: None,
            sample_index: None,
            metadata_fault: None,
            has_crc: true,
            payload_checksums: true,
            tables: None,
        };
        if layout == Layout::Turboloader && header.codec == Codec::Zstd {
            return Err(Error::new(&codes::LAYOUT_CANNOT, "the turboloader layout holds no Zstandard"));
        }
        let mut end = self.next.max(index_end);
        if let Some(tables) = self.tables {
            let bytes = tables.bytes().to_vec();
            let range = end..end + bytes.len() as u64;
            patches.push(Patch::Bytes { at: range.start, bytes });
            end = range.end;
            header.tables = Some(range);
        }
        if let Some(tail) = metadata {
            end = tail.patch(end, &mut header, &mut patches)?;
        }
        let mut at = HEADER_LEN;
        for chunk in self.entries {
            let bytes: Vec<u8> = chunk.iter().flat_map(|e| e.encode(layout)).collect();
            let len = bytes.len() as u64;
            patches.push(Patch::Bytes { at, bytes });
            at += len;
        }
        // The header comes last: until it is there, the file is not a TBL.
        patches.push(Patch::Bytes { at: 0, bytes: header.encode().to_vec() });
        patches.push(Patch::End { len: end });
        Ok(patches)
    }

    /// Guide: payloads that lie where the index must go move to the end.
    fn clear_the_way(&mut self, index_end: u64, patches: &mut Vec<Patch>) {
        let trailer = 4;
        let mut first_kept = self.next;
        if self.base < index_end {
            // The end may itself lie where the index goes.
            self.next = self.next.max(index_end);
            first_kept = self.next;
        }
        for entry in self.entries.iter_mut().flatten() {
            // Payloads lie in order, so the first that is clear ends the search.
            if entry.offset >= index_end {
                first_kept = entry.offset;
                break;
            }
            let len = u64::from(entry.stored) + trailer;
            patches.push(Patch::Move { from: entry.offset, to: self.next, len });
            entry.offset = self.next;
            self.next += len;
        }
        if self.count == 0 {
            self.next = index_end;
        } else if first_kept > index_end {
            patches.push(Patch::Zero { at: index_end, len: first_kept - index_end });
        }
    }

    /// All payloads move as one, so that the first follows the index.
    fn shift(&mut self, index_end: u64, patches: &mut Vec<Patch>) {
        if self.base == index_end {
            return;
        }
        let len = self.next - self.base;
        if len > 0 {
            patches.push(Patch::Move { from: self.base, to: index_end, len });
        }
        for entry in self.entries.iter_mut().flatten() {
            entry.offset = entry.offset - self.base + index_end;
        }
        self.next = index_end + len;
        self.base = index_end;
    }
}
