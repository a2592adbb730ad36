//! The messages of Arrow IPC from files and pipes, in order.

use std::{collections::BTreeMap, io::Read, ops::Range, sync::Arc};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::{Block, MessageHeader, root_as_footer};
use arrow_schema::Schema as ArrowSchema;
use bytes::Bytes;
use forebay::{Error, Limits, Result};
use forebay_columns::{
    ipc::{CONTINUATION, Decoder, apart, damaged, description as description_of, footer, message, parse, places},
    ranges::{Coming, Ranges},
};

use crate::input::{Input, cleared, unread};

/// An Arrow file, whose batches are found through its footer.
pub(super) struct Blocks {
    input: Input,
    decoder: Decoder,
    blocks: Vec<Block>,
    next: usize,
    /// Of a file elsewhere the descriptions of the batches, once columns were chosen.
    heads: Vec<Bytes>,
    /// The next batch, which is on its way.
    coming: Option<Part>,
}

/// A batch of which some buffers are read.
struct Part {
    description: Bytes,
    ranges: Vec<Range<u64>>,
    body: Range<u64>,
    came: Coming,
}

impl Blocks {
    pub fn open(input: &Input, limits: &Limits) -> Result<Blocks> {
        let footer = input.slice(footer(input)?)?;
        let footer = root_as_footer(&footer).map_err(|e| damaged(e.to_string()).section("footer"))?;
        let schema = footer.schema().ok_or_else(|| damaged("there is no schema").section("footer"))?;
        let mut decoder = Decoder::new(schema, limits)?;
        let blocks: Vec<_> = footer.recordBatches().into_iter().flatten().copied().collect();
        apart(footer.dictionaries().into_iter().flatten().chain(&blocks), input.len())?;
        for block in footer.dictionaries().into_iter().flatten() {
            let (message, body, at) = message(input, block)?;
            let message = parse(&message).map_err(|e| e.offset(at))?;
            if message.header_type() != MessageHeader::DictionaryBatch {
                return Err(damaged("the footer says that a dictionary is here").section("dictionary").offset(at));
            }
            decoder.take(message, &body, at)?;
        }
        Ok(Blocks { input: input.clone(), decoder, blocks, next: 0, heads: Vec::new(), coming: None })
    }

    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Begins to fetch the chosen columns of a batch; `None` where all of it is read, as on this machine.
    fn begin(&mut self, number: usize) -> Result<Option<Part>> {
        let Some(block) = self.blocks.get(number).filter(|_| self.decoder.columns.is_some() && !self.input.is_local())
        else {
            return Ok(None);
        };
        let len = self.input.len();
        if self.heads.is_empty() {
            let heads = self.blocks.iter().map(|block| places(block, len).map(|(head, _)| head));
            let heads = heads.collect::<Result<Vec<_>>>()?;
            heads.iter().try_for_each(|head| self.decoder.limits.metadata(head.end - head.start).map(drop))?;
            self.heads = self.input.lend_many(&heads)?;
        }
        let (head, body) = places(block, len)?;
        let description = description_of(self.heads.get(number).unwrap_or(&Bytes::new()), head.start)?;
        let Some(parts) = self.decoder.part_of(parse(&description).map_err(|e| e.offset(head.start))?) else {
            return Ok(None);
        };
        let ranges: Vec<_> = parts.iter().map(|part| body.start + part.start..body.start + part.end).collect();
        if ranges.iter().any(|range| range.end > body.end) {
            return Ok(None);
        }
        let came = self.input.begin(ranges.clone());
        Ok(came.map(|came| Part { description, ranges, body, came }))
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        let Some(block) = self.blocks.get(self.next).copied() else { return Ok(None) };
        let block = &block;
        let at = places(block, self.input.len())?.0.start;
        let coming = match self.coming.take() {
            Some(part) => Some(part),
            None => self.begin(self.next)?,
        };
        self.next += 1;
        let (message, body, at) = match coming {
            Some(part) => {
                self.coming = self.begin(self.next)?;
                (part.description.clone(), part.wait()?, at)
            }
            None => message(&self.input, block)?,
        };
        let batch = self.decoder.take(parse(&message).map_err(|e| e.offset(at))?, &body, at)?;
        batch.map(Some).ok_or_else(|| damaged("the footer says that rows are here").section("record batch").offset(at))
    }
}

impl Part {
    /// The body, with zeros for what is not read.
    fn wait(self) -> Result<Buffer> {
        let mut whole = cleared(&self.body)?;
        for (range, bytes) in self.ranges.iter().zip((self.came)()?) {
            let from = (range.start - self.body.start) as usize;
            if let Some(place) = whole.get_mut(from..from + bytes.len()) {
                place.copy_from_slice(&bytes);
            }
        }
        Ok(Buffer::from_vec(whole))
    }
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
                    self.odd_end = Some("the stream has no mark at its end; its writer may have been interrupted");
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
            .map_err(|_| damaged(format!("a message declares {length} bytes")).offset(self.position))?;
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
            Messages::File(file) => {
                // It may lack a column of these.
                file.coming = None;
                &mut file.decoder
            }
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
