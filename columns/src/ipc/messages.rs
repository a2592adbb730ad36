//! The messages of Arrow IPC. What a message claims is checked against the bytes that exist, and against the limits,
//! before Arrow's crate acts on it: that crate allocates what a compressed buffer says it becomes, and panics over
//! places that lie outside of the message.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::{
    Block, Message, convert::try_fb_to_schema, reader::RecordBatchDecoder, reader::read_dictionary, root_as_message,
};
use arrow_schema::{DataType as Arrow, Field as ArrowField, Schema as ArrowSchema};
use arrow_select::concat::concat;
use bytes::Bytes;
use forebay::{Error, Limits, Result, limits::codes::ITEM};

use super::{
    damaged,
    unpack::{Plain, of_columns},
};
use crate::{
    arrow::{field_of, not_arrow},
    codes,
    guard::guarded,
    ranges::Ranges,
};

/// What stands at both ends of a file.
pub const MAGIC: &[u8; 6] = b"ARROW1";
/// What stands before the length of a message.
pub const CONTINUATION: [u8; 4] = [0xff; 4];
/// Rows that a message may have without a byte for each eight of them: columns of nothing but nulls take none.
const FREE_ROWS: u64 = 1 << 24;
/// As many values may all of its columns have together without a byte for each 64: here they take memory.
const FREE_VALUES: u64 = 1 << 26;
/// A batch may unpack to so many times what one of its buffers may.
const PACKED_ITEMS: u64 = 16;
/// So many bytes may lie between buffers that follow each other.
const ALIGNED: u64 = 64;
/// The end of a file: the length of its footer, and the magic.
pub const TAIL: u64 = 10;

/// What every message of a file or stream is decoded with.
pub struct Decoder {
    /// Names and types of all columns.
    pub schema: Arc<ArrowSchema>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// What is to be joined to dictionaries before rows are read. Each join copies the whole, and some writers add to a
    /// dictionary with every batch.
    parts: HashMap<i64, Vec<ArrayRef>>,
    /// Bytes that were copied so.
    joined: u64,
    /// The bounds that reading keeps.
    pub limits: Limits,
    /// The columns that are decoded, in the file's order; all of them where none are named.
    pub columns: Option<Vec<usize>>,
    /// Columns of types that Arrow's crates do not know, and which: their bytes can only be gone past.
    pub opaque: BTreeMap<usize, String>,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Decoder {
    /// Of a file or stream with this schema.
    pub fn new(schema: arrow_ipc::Schema<'_>, limits: &Limits) -> Result<Decoder> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(Error::new(&codes::ROUTE, "numbers of the other byte order are not read"));
        }
        let (schema, opaque) = match guarded(|| try_fb_to_schema(schema).map_err(not_arrow)) {
            Ok(schema) => (schema, BTreeMap::new()),
            Err(e) => without_unknown_types(schema).ok_or(e)??,
        };
        let (schema, dictionaries, parts) = (Arc::new(schema), HashMap::new(), HashMap::new());
        Ok(Decoder { schema, dictionaries, parts, joined: 0, limits: limits.clone(), columns: None, opaque })
    }

    /// The rows of a message that has some, of these columns; [`settle`](Self::settle) comes first.
    pub fn rows(&self, message: Message<'_>, body: &Buffer, at: u64, columns: Option<&[usize]>) -> Result<RecordBatch> {
        let place = |e: Error| e.section("record batch").offset(at);
        let none = || damaged("there are no rows where the file says").section("record batch").offset(at);
        let version = message.version();
        let batch = message.header_as_record_batch().ok_or_else(none)?;
        check_claims(&batch, body, &self.limits).map_err(place)?;
        let shown = columns.map(|columns| (&*self.schema, columns));
        let plain = Plain::of(&message, &batch, body, shown).map_err(place)?;
        let (batch, body) = match &plain {
            Some(plain) => (parse(&plain.description)?.header_as_record_batch().ok_or_else(none)?, &plain.body),
            None => (batch, body),
        };
        let decoder = RecordBatchDecoder::try_new(body, batch, self.schema.clone(), &self.dictionaries, &version);
        decoder.map_err(not_arrow)?.with_projection(columns).read_record_batch().map_err(not_arrow)
    }

    /// Where in a message's body the chosen columns are, neighbors as one; `None` where that is not known, or is all of it.
    pub fn part_of(&self, message: Message<'_>) -> Option<Vec<Range<u64>>> {
        let (columns, batch) = (self.columns.as_ref()?, message.header_as_record_batch()?);
        let wanted = of_columns(&self.schema, columns, message.version(), &batch)?;
        if !wanted.contains(&false) {
            return None;
        }
        let mut parts: Vec<Range<u64>> = Vec::new();
        for (buffer, _) in batch.buffers()?.iter().zip(wanted).filter(|(buffer, wanted)| *wanted && buffer.length() > 0)
        {
            let (from, length) = (u64::try_from(buffer.offset()).ok()?, u64::try_from(buffer.length()).ok()?);
            let end =
                from.checked_add(length).filter(|end| i64::try_from(*end).is_ok_and(|n| n <= message.bodyLength()))?;
            match parts.last_mut().filter(|part| (part.end..=part.end + ALIGNED).contains(&from)) {
                Some(part) => part.end = end.max(part.end),
                None => parts.push(from..end),
            }
        }
        Some(parts)
    }

    /// A message's rows; `None` for a dictionary, which is kept. `at` is where the message begins.
    pub fn take(&mut self, message: Message<'_>, body: &Buffer, at: u64) -> Result<Option<RecordBatch>> {
        let version = message.version();
        if message.header_as_record_batch().is_some() {
            self.settle()?;
            return self.rows(message, body, at, self.columns.as_deref()).map(Some);
        }
        let Some(dictionary) = message.header_as_dictionary_batch() else {
            let message = format!("a message of kind {:?}, where rows are expected", message.header_type());
            return Err(damaged(message).section("record batch").offset(at));
        };
        let plain = dictionary.data().map_or(Ok(None), |batch| {
            check_claims(&batch, body, &self.limits)?;
            Plain::of(&message, &batch, body, None)
        });
        let plain = plain.map_err(|e| e.section("dictionary").offset(at))?;
        let (dictionary, body) = match &plain {
            Some(plain) => (parse(&plain.description)?.header_as_dictionary_batch().unwrap_or(dictionary), &plain.body),
            None => (dictionary, body),
        };
        let id = dictionary.id();
        // A dictionary of nested values may need the others.
        if dictionary.data().and_then(|batch| batch.nodes()).is_none_or(|nodes| nodes.len() != 1) {
            self.settle()?;
        }
        let mut known = self.dictionaries.clone();
        if let Some(whole) = known.get_mut(&id).filter(|_| dictionary.isDelta()) {
            *whole = whole.slice(0, 0);
        }
        guarded(|| read_dictionary(body, dictionary, &self.schema, &mut known, &version).map_err(not_arrow))
            .map_err(|e| e.section("dictionary").offset(at))?;
        let Some(read) = known.remove(&id) else { return Ok(None) };
        if dictionary.isDelta() {
            self.parts.entry(id).or_default().push(read);
        } else {
            self.parts.remove(&id);
            self.dictionaries.insert(id, read);
        }
        Ok(None)
    }

    /// Joins what was added to dictionaries.
    pub fn settle(&mut self) -> Result<()> {
        for (id, parts) in std::mem::take(&mut self.parts) {
            let Some(whole) = self.dictionaries.get(&id) else { continue };
            let all: Vec<&dyn Array> = std::iter::once(whole).chain(&parts).map(|part| &**part).collect();
            let bytes = all.iter().map(|part| memory(*part));
            self.joined = bytes.fold(self.joined, u64::saturating_add);
            self.limits.index(self.joined).map_err(|e| e.section("dictionary"))?;
            let joined = guarded(|| concat(&all).map_err(not_arrow)).map_err(|e| e.section("dictionary"))?;
            self.dictionaries.insert(id, joined);
        }
        Ok(())
    }
}

/// The bytes that values take.
fn memory(values: &dyn Array) -> u64 {
    values.to_data().get_slice_memory_size().map_or(u64::MAX, |n| n as u64)
}

/// Refuses a footer whose messages would lie over each other: many times the same one is more work than the file has bytes.
pub fn apart<'a>(blocks: impl Iterator<Item = &'a Block>, len: u64) -> Result<()> {
    let bytes = |block: &Block| {
        let body = u64::try_from(block.bodyLength()).unwrap_or(u64::MAX);
        body.saturating_add(u64::try_from(block.metaDataLength()).unwrap_or(u64::MAX))
    };
    let said = blocks.map(bytes).fold(0, u64::saturating_add);
    match said > len {
        true => Err(damaged(format!("messages declare {said} bytes in a file of {len}")).section("footer")),
        false => Ok(()),
    }
}

/// The schema with wide integers as plain bytes, which lie in the file as these do, so that the columns behind them
/// are found; any other type that is not known is an error. `None` if that is not what is wrong.
fn without_unknown_types(schema: arrow_ipc::Schema<'_>) -> Option<Result<(ArrowSchema, BTreeMap<usize, String>)>> {
    let (mut known, mut opaque) = (Vec::new(), BTreeMap::new());
    for (i, field) in schema.fields()?.iter().enumerate() {
        let name = match field_of(field) {
            Ok(field) => {
                known.push(field);
                continue;
            }
            Err(name) => name,
        };
        let width = field.type_as_int().map(|int| int.bitWidth()).filter(|bits| matches!(bits, 128 | 256));
        let Some(width) = width.filter(|_| field.dictionary().is_none()) else {
            let column = field.name().unwrap_or_default();
            let message = format!("a column with Arrow's type {name}, and columns after it, are not read");
            return Some(Err(Error::new(&codes::ROUTE, message).section("schema").column(column)));
        };
        let name_of_column = field.name().unwrap_or_default();
        known.push(ArrowField::new(name_of_column, Arrow::FixedSizeBinary(width / 8), field.nullable()));
        opaque.insert(i, format!("Arrow's type {name}"));
    }
    (!opaque.is_empty()).then(|| Ok((ArrowSchema::new(known), opaque)))
}

/// Checks the sizes in a batch's description against its body.
fn check_claims(batch: &arrow_ipc::RecordBatch<'_>, body: &Buffer, limits: &Limits) -> Result<()> {
    let packed = batch.compression().is_some();
    let (mut held, mut stored) = (0u64, 0u64);
    for (i, buffer) in batch.buffers().into_iter().flatten().enumerate() {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = place.and_then(|(from, length)| body.as_slice().get(from..from.checked_add(length)?));
        let Some(bytes) = bytes else {
            let (from, length) = (buffer.offset(), buffer.length());
            let message = format!("buffer {i} declares {length} bytes at {from} of {}", body.len());
            return Err(damaged(message));
        };
        stored += bytes.len() as u64;
        held += match bytes.first_chunk::<8>() {
            Some(prefix) if packed => match i64::from_le_bytes(*prefix) {
                // One that was not asked for is zeros.
                -1 | 0 => bytes.len() as u64,
                n => match u64::try_from(n) {
                    Ok(n) => limits.item(n)? as u64,
                    Err(_) => return Err(damaged(format!("buffer {i} declares {n} unpacked bytes"))),
                },
            },
            None if packed && !bytes.is_empty() => {
                return Err(damaged(format!("buffer {i} is packed and has {} bytes", bytes.len())));
            }
            _ => bytes.len() as u64,
        };
    }
    if stored > body.len() as u64 {
        return Err(damaged(format!("buffers declare {stored} bytes together, of {}", body.len())));
    }
    if packed && held / PACKED_ITEMS > limits.item_bytes {
        let message = format!("a batch unpacks to {held} bytes; the limit is {PACKED_ITEMS} times that of an item");
        return Err(Error::new(&ITEM, message));
    }
    let most = held.saturating_mul(8).max(FREE_ROWS);
    let lengths = batch.nodes().into_iter().flatten().map(arrow_ipc::FieldNode::length);
    let values = lengths.clone().map(|n| u64::try_from(n).unwrap_or(u64::MAX)).fold(0, u64::saturating_add);
    if values > held.saturating_mul(64).max(FREE_VALUES) {
        return Err(damaged(format!("{values} values are announced in {held} bytes")));
    }
    match lengths.chain([batch.length()]).find(|&n| u64::try_from(n).is_ok_and(|n| n <= most).eq(&false)) {
        Some(n) => Err(damaged(format!("{n} rows are announced in {held} bytes"))),
        None => Ok(()),
    }
}

/// Returns where a file's footer lies, from its last bytes.
pub fn footer(input: &impl Ranges) -> Result<Range<u64>> {
    let len = input.len();
    let end = len.saturating_sub(TAIL);
    let cut = || damaged("the file does not end as an Arrow file does; it may be cut").section("footer");
    let tail = input.slice(end..len)?;
    let tail = Some(tail).filter(|tail| tail.ends_with(MAGIC)).ok_or_else(cut)?;
    let length = tail.first_chunk::<4>().map(|n| u64::from(u32::from_le_bytes(*n))).ok_or_else(cut)?;
    match end.checked_sub(length).filter(|&from| from >= MAGIC.len() as u64 + 2 && length > 0) {
        Some(from) => Ok(from..end),
        None => Err(damaged(format!("the footer declares {length} of {len} bytes")).section("footer")),
    }
}

/// Where the description and the body of the message in a block lie.
pub fn places(block: &Block, len: u64) -> Result<(Range<u64>, Range<u64>)> {
    let place = || {
        let from = u64::try_from(block.offset()).ok()?;
        let middle = from.checked_add(u64::try_from(block.metaDataLength()).ok()?)?;
        let end = middle.checked_add(u64::try_from(block.bodyLength()).ok()?)?;
        (end <= len).then_some((from..middle, middle..end))
    };
    place().ok_or_else(|| {
        let (at, head, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
        let message = format!("a message is declared at {at} with {head} and {body} of {len} bytes");
        damaged(message).section("footer")
    })
}

/// The description in what stands before a body.
pub fn description(head: &Bytes, at: u64) -> Result<Bytes> {
    let prefix = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
    if head.len() < prefix {
        return Err(damaged("a message has no description").section("footer").offset(at));
    }
    Ok(head.slice(prefix..))
}

/// The description and the body of the message in a block, and where it begins. Each is read by itself, so that the
/// body begins where memory does and numbers in it lie as they must.
pub fn message(input: &impl Ranges, block: &Block) -> Result<(Bytes, Buffer, u64)> {
    let (head, body) = places(block, input.len())?;
    let at = head.start;
    Ok((description(&input.slice(head)?, at)?, Buffer::from(input.slice(body)?), at))
}

/// A message's description.
pub fn parse(description: &[u8]) -> Result<Message<'_>> {
    root_as_message(description).map_err(|e| damaged(format!("a message's description: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_take_no_more_than_the_file_has() {
        let block = Block::new(8, 100, 1000);
        assert!(apart([block; 3].iter(), 3300).is_ok());
        assert_eq!(apart([block; 3].iter(), 3299).unwrap_err().code().id(), "table.arrow");
        assert!(apart([Block::new(0, -1, 0), Block::new(0, 0, i64::MAX)].iter(), 1 << 40).is_err());
    }
}
