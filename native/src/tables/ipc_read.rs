//! The messages of Arrow IPC. What a message claims is checked against the bytes that exist, and against the limits,
//! before Arrow's crate acts on it: that crate allocates what a compressed buffer says it becomes, and panics over
//! places that lie outside of the message.

use std::{
    collections::{BTreeMap, HashMap},
    io::Read,
    sync::Arc,
};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::{
    Block, Message, MessageHeader, convert::try_fb_to_schema, reader::RecordBatchDecoder, reader::read_dictionary,
    root_as_footer, root_as_message,
};
use arrow_schema::{DataType as Arrow, Field as ArrowField, Schema as ArrowSchema};
use bytes::Bytes;
use forebay::{Error, Limits, Result};

use super::{
    arrow::{field_of, not_arrow},
    codes,
    guard::guarded,
};
use crate::input::{Input, unread};

/// What stands at both ends of a file.
const MAGIC: &[u8; 6] = b"ARROW1";
/// What stands before the length of a message.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Rows that a message may have without a byte for each eight of them: columns of nothing but nulls take none.
const FREE_ROWS: u64 = 1 << 24;

/// What every message of a file or stream is decoded with.
pub(super) struct Decoder {
    schema: Arc<ArrowSchema>,
    dictionaries: HashMap<i64, ArrayRef>,
    limits: Limits,
    /// The columns that are decoded, in the file's order; all of them where none are named.
    pub columns: Option<Vec<usize>>,
    /// Columns of types that Arrow's crates do not know, and which: their bytes can only be gone past.
    pub opaque: BTreeMap<usize, String>,
}

impl Decoder {
    fn new(schema: arrow_ipc::Schema<'_>, limits: &Limits) -> Result<Decoder> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(Error::new(&codes::ROUTE, "numbers of the other byte order are not read"));
        }
        let (schema, opaque) = match guarded(|| try_fb_to_schema(schema).map_err(not_arrow)) {
            Ok(schema) => (schema, BTreeMap::new()),
            Err(e) => without_unknown_types(schema).ok_or(e)??,
        };
        let (schema, dictionaries) = (Arc::new(schema), HashMap::new());
        Ok(Decoder { schema, dictionaries, limits: limits.clone(), columns: None, opaque })
    }

    /// A message's rows; `None` for a dictionary, which is kept. `at` is where the message begins.
    fn take(&mut self, message: Message<'_>, body: &Buffer, at: u64) -> Result<Option<RecordBatch>> {
        let version = message.version();
        if let Some(batch) = message.header_as_record_batch() {
            check_claims(&batch, body, &self.limits).map_err(|e| e.section("record batch").offset(at))?;
            let decoder = RecordBatchDecoder::try_new(body, batch, self.schema.clone(), &self.dictionaries, &version)
                .map_err(not_arrow)?;
            return decoder.with_projection(self.columns.as_deref()).read_record_batch().map_err(not_arrow).map(Some);
        }
        let Some(dictionary) = message.header_as_dictionary_batch() else {
            let message = format!("a message of kind {:?}, where rows are expected", message.header_type());
            return Err(damaged(message).section("record batch").offset(at));
        };
        if let Some(batch) = dictionary.data() {
            check_claims(&batch, body, &self.limits).map_err(|e| e.section("dictionary").offset(at))?;
        }
        read_dictionary(body, dictionary, &self.schema, &mut self.dictionaries, &version).map_err(not_arrow)?;
        Ok(None)
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
            let message = format!("a column with Arrow's type {name}, and columns behind it, are not read");
            return Some(Err(Error::new(&codes::ROUTE, message).section("schema").column(column)));
        };
        let name_of_column = field.name().unwrap_or_default();
        known.push(ArrowField::new(name_of_column, Arrow::FixedSizeBinary(width / 8), field.nullable()));
        opaque.insert(i, format!("Arrow's type {name}"));
    }
    (!opaque.is_empty()).then(|| Ok((ArrowSchema::new(known), opaque)))
}

fn damaged(message: impl Into<String>) -> Error {
    Error::new(&codes::ARROW, message)
}

/// Checks the sizes in a batch's description against its body.
fn check_claims(batch: &arrow_ipc::RecordBatch<'_>, body: &Buffer, limits: &Limits) -> Result<()> {
    let packed = batch.compression().is_some();
    let mut held = 0u64;
    for (i, buffer) in batch.buffers().into_iter().flatten().enumerate() {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = place.and_then(|(from, length)| body.as_slice().get(from..from.checked_add(length)?));
        let Some(bytes) = bytes else {
            let (from, length) = (buffer.offset(), buffer.length());
            let message = format!("buffer {i} is said to have {length} bytes at {from} of {}", body.len());
            return Err(damaged(message));
        };
        held += match bytes.first_chunk::<8>() {
            Some(prefix) if packed => match i64::from_le_bytes(*prefix) {
                -1 => bytes.len() as u64,
                n => match u64::try_from(n) {
                    Ok(n) => limits.item(n)? as u64,
                    Err(_) => return Err(damaged(format!("buffer {i} is said to unpack to {n} bytes"))),
                },
            },
            None if packed && !bytes.is_empty() => {
                return Err(damaged(format!("buffer {i} is packed and has {} bytes", bytes.len())));
            }
            _ => bytes.len() as u64,
        };
    }
    let most = held.saturating_mul(8).max(FREE_ROWS);
    let lengths = batch.nodes().into_iter().flatten().map(arrow_ipc::FieldNode::length);
    match lengths.chain([batch.length()]).find(|&n| u64::try_from(n).is_ok_and(|n| n <= most).eq(&false)) {
        Some(n) => Err(damaged(format!("{n} rows are announced in {held} bytes"))),
        None => Ok(()),
    }
}

/// An Arrow file, whose batches are found through its footer.
pub(super) struct Blocks {
    input: Input,
    decoder: Decoder,
    blocks: Vec<Block>,
    next: usize,
}

impl Blocks {
    pub fn open(input: &Input, limits: &Limits) -> Result<Blocks> {
        let footer = footer(input).map_err(|e| e.section("footer"))?;
        let footer = root_as_footer(&footer).map_err(|e| damaged(e.to_string()).section("footer"))?;
        let schema = footer.schema().ok_or_else(|| damaged("there is no schema").section("footer"))?;
        let mut decoder = Decoder::new(schema, limits)?;
        for block in footer.dictionaries().into_iter().flatten() {
            let (message, body, at) = message(input, block)?;
            let message = parse(&message).map_err(|e| e.offset(at))?;
            if message.header_type() != MessageHeader::DictionaryBatch {
                return Err(damaged("the footer says that a dictionary is here").section("dictionary").offset(at));
            }
            decoder.take(message, &body, at)?;
        }
        let blocks = footer.recordBatches().into_iter().flatten().copied().collect();
        Ok(Blocks { input: input.clone(), decoder, blocks, next: 0 })
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        let Some(block) = self.blocks.get(self.next) else { return Ok(None) };
        self.next += 1;
        let (message, body, at) = message(&self.input, block)?;
        let batch = self.decoder.take(parse(&message).map_err(|e| e.offset(at))?, &body, at)?;
        batch.map(Some).ok_or_else(|| damaged("the footer says that rows are here").section("record batch").offset(at))
    }
}

fn footer(input: &Input) -> Result<Bytes> {
    let len = input.len();
    let end = len.saturating_sub(10);
    let cut = || damaged("the file does not end as an Arrow file does; it may be cut");
    let tail = input.slice(end..len)?;
    let tail = Some(tail).filter(|tail| tail.ends_with(MAGIC)).ok_or_else(cut)?;
    let length = tail.first_chunk::<4>().map(|n| u64::from(u32::from_le_bytes(*n))).ok_or_else(cut)?;
    match end.checked_sub(length).filter(|&from| from >= MAGIC.len() as u64 + 2 && length > 0) {
        Some(from) => input.slice(from..end),
        None => Err(damaged(format!("the footer is said to have {length} of {len} bytes"))),
    }
}

/// The description and the body of the message in a block, and where it begins. Each is read by itself, so that the
/// body begins where memory does and numbers in it lie as they must.
fn message(input: &Input, block: &Block) -> Result<(Bytes, Buffer, u64)> {
    let place = || {
        let from = u64::try_from(block.offset()).ok()?;
        let middle = from.checked_add(u64::try_from(block.metaDataLength()).ok()?)?;
        let end = middle.checked_add(u64::try_from(block.bodyLength()).ok()?)?;
        (end <= input.len()).then_some((from, middle, end))
    };
    let Some((at, middle, end)) = place() else {
        let (at, head, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
        let message = format!("a message is said to lie at {at} with {head} and {body} of {} bytes", input.len());
        return Err(damaged(message).section("footer"));
    };
    let head = input.slice(at..middle)?;
    let prefix = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
    if head.len() < prefix {
        return Err(damaged("a message has no description").section("footer").offset(at));
    }
    Ok((head.slice(prefix..), Buffer::from(input.slice(middle..end)?), at))
}

fn parse(description: &[u8]) -> Result<Message<'_>> {
    root_as_message(description).map_err(|e| damaged(format!("a message's description: {e}")))
}

/// An Arrow stream, read from front to back.
pub(super) struct Stream {
    input: Box<dyn Read + Send>,
    decoder: Decoder,
    position: u64,
    /// Messages begin with the continuation mark, as all have since Arrow 0.15.
    marked: bool,
    /// How the stream ended, if that is worth a word.
    pub odd_end: Option<&'static str>,
}

impl Stream {
    pub fn open(mut input: Box<dyn Read + Send>, limits: &Limits) -> Result<Stream> {
        let (mut position, mut marked) = (0, None);
        let Next::Message(description) = description(&mut input, &mut position, &mut marked, limits)? else {
            return Err(damaged("the stream has no schema").section("schema").offset(0));
        };
        let schema = parse(&description)?.header_as_schema();
        let schema = schema.ok_or_else(|| damaged("the stream does not begin with its schema").section("schema"))?;
        let decoder = Decoder::new(schema, limits)?;
        let mut stream = Stream { input, decoder, position, marked: marked == Some(true), odd_end: None };
        stream.body(parse(&description)?.bodyLength())?;
        Ok(stream)
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let at = self.position;
            let mut marked = Some(self.marked);
            let next = description(&mut self.input, &mut self.position, &mut marked, &self.decoder.limits)?;
            let description = match next {
                Next::Message(description) => description,
                Next::End { marked: false } => {
                    self.odd_end = Some("the stream has no mark at its end; what wrote it may have been interrupted");
                    return Ok(None);
                }
                Next::End { marked: true } => {
                    if self.input.read(&mut [0]).map_err(unreadable)? > 0 {
                        self.odd_end = Some("bytes follow the end of the stream, and are not read");
                    }
                    return Ok(None);
                }
            };
            let message = parse(&description).map_err(|e| e.offset(at))?;
            let body = self.body(message.bodyLength())?;
            if let Some(batch) = self.decoder.take(message, &body, at)? {
                return Ok(Some(batch));
            }
        }
    }

    /// The bytes that follow a description. Memory grows with what comes, not with what is announced.
    fn body(&mut self, length: i64) -> Result<Buffer> {
        let length = u64::try_from(length)
            .map_err(|_| damaged(format!("a message is said to have {length} bytes")).offset(self.position))?;
        read(&mut self.input, length, &mut self.position).map(Buffer::from)
    }
}

/// What follows in a stream.
enum Next {
    Message(Vec<u8>),
    End { marked: bool },
}

/// The next message's description. Whether messages are marked shows in the first one; `marked` says it.
fn description(input: &mut dyn Read, position: &mut u64, marked: &mut Option<bool>, limits: &Limits) -> Result<Next> {
    let mut word = Vec::new();
    input.take(4).read_to_end(&mut word).map_err(unreadable)?;
    if word.is_empty() {
        return Ok(Next::End { marked: false });
    }
    *position += word.len() as u64;
    if *marked.get_or_insert(word == CONTINUATION) {
        if !CONTINUATION.starts_with(&word) {
            return Err(damaged("a message does not begin here").section("record batch").offset(*position - 4));
        }
        word = read(input, 4, position)?;
    }
    let Ok(word) = <[u8; 4]>::try_from(word) else { return Err(cut(*position)) };
    match u32::from_le_bytes(word) {
        0 => Ok(Next::End { marked: true }),
        length => {
            limits.metadata(length.into())?;
            read(input, length.into(), position).map(Next::Message)
        }
    }
}

fn read(input: &mut dyn Read, length: u64, position: &mut u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes).map_err(unreadable)?;
    *position += bytes.len() as u64;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(cut(*position)) }
}

fn cut(at: u64) -> Error {
    damaged("the stream ends in the middle of a message").offset(at)
}

fn unreadable(e: std::io::Error) -> Error {
    unread("the stream", e)
}

/// Batches of either kind.
pub(super) enum Messages {
    File(Blocks),
    Stream(Stream),
}

impl Messages {
    pub fn schema(&self) -> &Arc<ArrowSchema> {
        match self {
            Messages::File(file) => &file.decoder.schema,
            Messages::Stream(stream) => &stream.decoder.schema,
        }
    }
    /// Columns of types that Arrow's crates do not know, and which.
    pub fn opaque(&self) -> &BTreeMap<usize, String> {
        match self {
            Messages::File(file) => &file.decoder.opaque,
            Messages::Stream(stream) => &stream.decoder.opaque,
        }
    }
    /// The columns that are decoded; all of them where none are named.
    pub fn columns(&self) -> Option<&[usize]> {
        match self {
            Messages::File(file) => file.decoder.columns.as_deref(),
            Messages::Stream(stream) => stream.decoder.columns.as_deref(),
        }
    }
    /// Decodes only these columns, in this order.
    pub fn select(&mut self, columns: &[usize]) {
        let decoder = match self {
            Messages::File(file) => &mut file.decoder,
            Messages::Stream(stream) => &mut stream.decoder,
        };
        decoder.columns = Some(columns.to_vec());
    }
    pub fn next(&mut self) -> Result<Option<RecordBatch>> {
        match self {
            Messages::File(file) => file.next(),
            Messages::Stream(stream) => stream.next(),
        }
    }
}
