//! An opened TBL: asking its index, planning payload reads.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    codes,
    raw::{Entry, HEADER_LEN, Header, Layout, entry_flag},
};
use crate::{
    codec::{Codec, packed::Tables},
    error::{self, Error, Result},
    limits::Limits,
    sample::{MediaFormat, Proof, SampleInfo, SamplePlan},
};

/// An opened TBL: header and index, no payloads. The index is the host's bytes, shared: over a memory map it
/// costs nothing. Cloning is cheap.
///
/// An entry is checked when it is asked for, so that one damaged entry does not hide a million sound ones;
/// [`check`](crate::check) asks for all.
#[derive(Clone, Debug)]
pub struct Tbl {
    pub(super) header: Header,
    pub(super) head: Bytes,
    pub(super) index: Bytes,
    /// What packed payloads are read with.
    pub(super) tables: Option<Arc<Tables>>,
    pub(super) file_len: u64,
    pub(super) limits: Limits,
}

#[doc(hidden)]
impl Tbl {
    /// The header.
    #[doc(hidden)]
    pub fn header(&self) -> &Header {
        &self.header
    }
    /// Which layout the file has.
    pub fn layout(&self) -> Layout {
        self.header.layout
    }
    /// How many samples there are.
    #[doc(hidden)]
    pub fn len(&self) -> u64 {
        self.header.samples
    }
    /// True when there are none.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The file's length in bytes.
    #[doc(hidden)]
    pub fn file_len(&self) -> u64 {
        self.file_len
    }
    /// What packed payloads are read with, if there are such.
    pub(crate) fn tables(&self) -> Option<&Arc<Tables>> {
        self.tables.as_ref()
    }
    /// The bounds that readers of this file keep.
    #[doc(hidden)]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }
    /// Where payloads may begin.
    pub(super) fn index_end(&self) -> u64 {
        HEADER_LEN + self.index.len() as u64
    }
    /// The bytes of header and index.
    pub(crate) fn raw_parts(&self) -> (&[u8], &[u8]) {
        (&self.head, &self.index)
    }
    /// Where index, payloads and their tables end, as far as they lie in the file.
    pub(crate) fn payloads_end(&self) -> u64 {
        let end = |entry: Entry| entry.offset.checked_add(u64::from(entry.stored) + self.trailer_len());
        let ends = (0..self.len()).filter_map(|i| end(self.raw_entry(i).ok()?.1)).filter(|end| *end <= self.file_len);
        let tables = self.header.tables.as_ref().map_or(0, |range| range.end);
        ends.max().unwrap_or(0).max(self.index_end()).max(tables)
    }
    /// Where the last byte ends that belongs to something.
    pub(crate) fn used_end(&self) -> u64 {
        self.sections().map(|range| range.end).fold(self.payloads_end(), u64::max)
    }
    pub(super) fn entry_offset(&self, i: u64) -> u64 {
        HEADER_LEN + i * u64::from(self.header.entry_len)
    }
    /// Bytes of checksum that follow every payload.
    pub(super) fn trailer_len(&self) -> u64 {
        match self.layout() {
            Layout::Guide => 4,
            Layout::Turboloader => 0,
        }
    }

    /// The raw bytes of entry `i` and what they say, not yet believed.
    pub(super) fn raw_entry(&self, i: u64) -> Result<(&[u8], Entry)> {
        let out_of_range = || {
            Error::new(
                &error::codes::OUT_OF_RANGE,
                format!("there are {} samples, the last is {}", self.len(), self.len().wrapping_sub(1)),
            )
            .sample(i)
        };
        let len = self.header.entry_len as usize;
        if i >= self.len() {
            return Err(out_of_range());
        }
        // The index was read whole, so a sample that exists has its bytes.
        let start = i as usize * len;
        let raw = self.index.get(start..start + len).ok_or_else(out_of_range)?;
        let entry = Entry::parse(raw, self.layout()).ok_or_else(out_of_range)?;
        Ok((raw, entry))
    }

    /// Entry `i`, with its checksum and its claims verified.
    #[doc(hidden)]
    pub fn entry(&self, i: u64) -> Result<Entry> {
        let (raw, entry) = self.raw_entry(i)?;
        self.believe(raw, &entry).map_err(|e| e.section("index").sample(i).offset(self.entry_offset(i)))?;
        Ok(entry)
    }

    fn believe(&self, raw: &[u8], entry: &Entry) -> Result<()> {
        if self.layout() == Layout::Guide && Entry::guide_crc(raw) != entry.crc16 {
            return Err(Error::new(&codes::ENTRY_CRC, "the index entry does not match its checksum"));
        }
        let stored = u64::from(entry.stored) + self.trailer_len();
        let end = entry.offset.checked_add(stored).filter(|end| *end <= self.file_len);
        match end {
            Some(end) if entry.offset >= self.index_end() => {
                if let Some(section) = self.sections().find(|s| entry.offset < s.end && s.start < end) {
                    let message = format!(
                        "the payload {}..{end} lies over the section {}..{}",
                        entry.offset, section.start, section.end
                    );
                    return Err(Error::new(&codes::PAYLOAD_RANGE, message));
                }
            }
            Some(_) => {
                let message = format!(
                    "the payload begins at {}, inside the header or the index (end: {})",
                    entry.offset,
                    self.index_end()
                );
                return Err(Error::new(&codes::PAYLOAD_RANGE, message));
            }
            None => {
                let message = format!("{stored} bytes at {} do not fit a file of {}", entry.offset, self.file_len);
                return Err(Error::new(&codes::PAYLOAD_RANGE, message));
            }
        }
        if entry.stored != entry.bytes && self.entry_codec(entry) == Codec::None {
            let message =
                format!("{} bytes are stored without compression, but {} are announced", entry.stored, entry.bytes);
            return Err(Error::new(&codes::ENTRY, message));
        }
        Ok(())
    }

    /// The sections after the index that no payload may touch.
    pub(super) fn sections(&self) -> impl Iterator<Item = &Range<u64>> {
        let Header { metadata, sample_index, tables, .. } = &self.header;
        metadata.iter().chain(sample_index).chain(tables).filter(|r| !r.is_empty())
    }

    fn entry_codec(&self, entry: &Entry) -> Codec {
        match self.layout() {
            Layout::Guide if entry.stored == entry.bytes => Codec::None,
            Layout::Guide => self.header.codec,
            Layout::Turboloader if entry.flags & entry_flag::LZ4 != 0 => Codec::Lz4,
            Layout::Turboloader => Codec::None,
        }
    }

    /// What the index says about sample `i`. No I/O.
    #[doc(hidden)]
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        self.entry(i).map(|e| self.entry_info(i, &e))
    }

    fn entry_info(&self, i: u64, entry: &Entry) -> SampleInfo {
        SampleInfo {
            index: i,
            format: MediaFormat::from_code(entry.format).unwrap_or_default(),
            width: entry.width.into(),
            height: entry.height.into(),
            bytes: entry.bytes.into(),
            stored_bytes: entry.stored.into(),
            offset: entry.offset,
            codec: self.entry_codec(entry),
        }
    }

    /// Plans the read of sample `i`'s payload, verified.
    ///
    /// ```
    /// # fn demo(tbl: &forebay::tbl::Tbl, file: &bytes::Bytes) -> forebay::Result<bytes::Bytes> {
    /// let plan = tbl.plan(17)?;
    /// let range = plan.range();
    /// plan.decode(&file.slice(range.start as usize..range.end as usize), tbl.limits())
    /// # }
    /// ```
    #[doc(hidden)]
    pub fn plan(&self, i: u64) -> Result<SamplePlan> {
        let entry = self.entry(i)?;
        let proof = match self.layout() {
            Layout::Guide => Proof::Crc32After,
            Layout::Turboloader if self.header.payload_checksums => Proof::Crc16(entry.crc16),
            Layout::Turboloader => Proof::None,
        };
        let plan = SamplePlan::new(self.entry_info(i, &entry), proof, &codes::PAYLOAD_CRC, &codes::PAYLOAD);
        Ok(match (&self.tables, plan.info.codec) {
            (Some(tables), Codec::Packed) => plan.packed(tables.clone()),
            _ => plan,
        })
    }
}
