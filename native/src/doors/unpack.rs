//! Files that are packed as a whole, with gzip, zlib or Zstandard. Records are read at random, so such a file is unpacked
//! once, into a file that nobody sees and that goes when the dataset does.

use std::io::{self, BufRead, BufReader, Read, Write};

use bytes::Bytes;
use flate2::bufread::ZlibDecoder;
use forebay::{
    Error, Limits, Result,
    doors::{codes, tfrecord},
    limits,
};
use tempfile::NamedTempFile;

use crate::input::{Advice, Input, Source, gzip::Gzip, unread};

/// Bytes that are unpacked at a time.
const CHUNK: usize = 256 << 10;
/// The most that a packed file may become: this many times its size, or the second where that is more.
const TIMES: u64 = 200;
const LEAST: u64 = 1 << 30;

/// Reads a file from front to back.
#[derive(Debug)]
struct InOrder {
    input: Input,
    at: u64,
}

impl Read for InOrder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = (self.input.len() - self.at).min(out.len() as u64);
        let bytes = self.input.lend(self.at..self.at + n).map_err(io::Error::other)?;
        out[..bytes.len()].copy_from_slice(&bytes);
        self.at += n;
        Ok(bytes.len())
    }
}

/// The unpacker of bytes that begin like this; `None` if they are not packed.
fn unpacker<'r>(head: &[u8], raw: impl BufRead + Send + 'r) -> io::Result<Option<Box<dyn Read + Send + 'r>>> {
    Ok(match head {
        [0x1f, 0x8b, 8, ..] => Some(Box::new(Gzip::new(raw))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Box::new(zstd::stream::read::Decoder::with_buffer(raw)?)),
        // Zlib has no magic number: a method and a window, no dictionary, and both bytes a multiple of 31.
        [a, b, ..]
            if a & 0x0f == 8 && a >> 4 <= 7 && b & 0x20 == 0 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0 =>
        {
            Some(Box::new(ZlibDecoder::new(raw)))
        }
        _ => None,
    })
}

fn reader(input: &Input) -> io::Result<Option<Box<dyn Read + Send>>> {
    let head = input.lend(0..input.len().min(4)).map_err(io::Error::other)?;
    let raw = BufReader::with_capacity(CHUNK, InOrder { input: input.clone(), at: 0 });
    unpacker(&head, raw)
}

/// Whether what is packed begins as records do.
pub(crate) fn is_records(unpacked: &mut impl Read) -> bool {
    let mut head = [0; tfrecord::HEAD as usize];
    unpacked.read_exact(&mut head).is_ok() && tfrecord::length(&head).is_some()
}

/// The records that are packed as a whole, unpacked; `None` of a file that is something else.
pub(crate) fn unpacked(input: &Input, limits: &Limits) -> Result<Option<Input>> {
    // The reader reports a file that cannot be read.
    let Ok(Some(mut look)) = reader(input) else { return Ok(None) };
    if !is_records(&mut look) {
        return Ok(None);
    }
    whole(input, limits)
}

/// A packed file, unpacked, whatever is in it; `None` if it is not packed.
pub(crate) fn whole(input: &Input, limits: &Limits) -> Result<Option<Input>> {
    let failed = |e: io::Error| unread(input.name(), e).file(input.name());
    let Some(mut reader) = reader(input).map_err(failed)? else { return Ok(None) };
    let most = input.len().saturating_mul(TIMES).max(LEAST).max(limits.item_bytes);
    let mut file = NamedTempFile::new().map_err(failed)?;
    let (mut buffer, mut all) = (vec![0; CHUNK], 0_u64);
    loop {
        let n = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(failed(e)),
        };
        all += n as u64;
        if all > most {
            let message = format!("the file unpacks to more than {most} bytes, {TIMES} times its size");
            return Err(Error::new(&limits::codes::ITEM, message).file(input.name()));
        }
        file.write_all(&buffer[..n]).map_err(failed)?;
    }
    file.flush().map_err(failed)?;
    let inner = Input::pieces(file.path())?;
    Ok(Some(Input::over(input.name(), Unpacked { inner, _file: file })))
}

/// A file that is packed with Snappy, as one block.
pub(crate) fn snappy(input: &Input, limits: &Limits) -> Result<Input> {
    let packed = input.lend(0..input.len())?;
    let wrong = |e: snap::Error| {
        Error::caused(&forebay::codec::codes::CORRUPT, format!("the file cannot be unpacked: {e}"), e)
            .file(input.name())
    };
    let len = snap::raw::decompress_len(&packed).map_err(wrong)?;
    limits.item(len as u64).map_err(|e| e.file(input.name()))?;
    let unpacked = snap::raw::Decoder::new().decompress_vec(&packed).map_err(wrong)?;
    Ok(Input::memory(input.name(), unpacked))
}

/// A file that is packed with Brotli.
pub(crate) fn brotli(input: &Input, limits: &Limits) -> Result<Input> {
    let failed = |e: io::Error| unread(input.name(), e).file(input.name());
    let raw = InOrder { input: input.clone(), at: 0 };
    let mut unpacked = Vec::new();
    let mut reader = brotli_decompressor::Decompressor::new(raw, CHUNK).take(limits.item_bytes.saturating_add(1));
    reader.read_to_end(&mut unpacked).map_err(failed)?;
    limits.item(unpacked.len() as u64).map_err(|e| e.file(input.name()))?;
    Ok(Input::memory(input.name(), unpacked))
}

/// A chunk of LitData whose items are packed in batches, as the chunk without packing.
///
/// After eight bytes of magic come version, items, batches' size and batches; where each item begins in all unpacked bytes,
/// and where the last ends; and of each batch its first item, its items, its place (64 bits), and its packed and unpacked bytes.
pub(crate) fn batches(input: &Input, limits: &Limits) -> Result<Input> {
    let file = input.lend(0..input.len())?;
    let wrong = |message: &str| Error::new(&codes::LITDATA_CHUNK, message.to_owned()).file(input.name());
    let short = || wrong("the chunk ends inside the places of its batches");
    let number = |at: usize| file.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let head = |k: usize| number(8 + 4 * k).ok_or_else(short);
    if !file.starts_with(b"LDFZ01\0\0") || head(0)? != 1 {
        let message = "the chunk is packed in a version that is not known; write it again without compression";
        return Err(Error::new(&codes::LITDATA_UNSUPPORTED, message).file(input.name()));
    }
    let (items, batches) = (head(1)? as usize, head(3)? as usize);
    let table = 24 + 4 * (items + 1);
    let places = file.get(24..table).ok_or_else(short)?.as_chunks::<4>().0;
    let entries = file.get(table..table.saturating_add(batches.saturating_mul(24))).ok_or_else(short)?;
    let shift = 4 * (items as u64 + 2);
    let moved = places.iter().map(|place| u32::try_from(u64::from(u32::from_le_bytes(*place)) + shift).ok());
    let moved: Option<Vec<u32>> = moved.collect();
    let moved = moved.ok_or_else(|| wrong("the unpacked chunk would have more than 4 GiB"))?;
    let mut out = (items as u32).to_le_bytes().to_vec();
    out.extend(moved.iter().flat_map(|place| place.to_le_bytes()));
    for entry in entries.as_chunks::<24>().0 {
        let [.., a, b, c, d, e, f, g, h, p0, p1, p2, p3, u0, u1, u2, u3] = *entry;
        let place = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let (packed, unpacked) = (u32::from_le_bytes([p0, p1, p2, p3]), u32::from_le_bytes([u0, u1, u2, u3]));
        limits.item(out.len() as u64 + u64::from(unpacked)).map_err(|e| e.file(input.name()))?;
        let range = usize::try_from(place).ok().and_then(|at| Some(at..at.checked_add(packed as usize)?));
        let bytes =
            range.and_then(|range| file.get(range)).ok_or_else(|| wrong("a batch lies after the chunk's end"))?;
        let before = out.len();
        let failed = |e: io::Error| {
            Error::caused(&forebay::codec::codes::CORRUPT, format!("the batch cannot be unpacked: {e}"), e)
                .file(input.name())
        };
        let mut reader = zstd::stream::read::Decoder::with_buffer(bytes).map_err(failed)?.take(u64::from(unpacked) + 1);
        reader.read_to_end(&mut out).map_err(failed)?;
        if out.len() - before != unpacked as usize {
            return Err(wrong("a batch unpacks to another number of bytes than declared"));
        }
    }
    Ok(Input::memory(input.name(), out))
}

/// Bytes in a file that goes when they do.
#[derive(Debug)]
struct Unpacked {
    inner: Input,
    _file: NamedTempFile,
}

impl Source for Unpacked {
    fn len(&self) -> u64 {
        self.inner.len()
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        self.inner.read_into(at..at.saturating_add(out.len() as u64), out)
    }
    fn is_local(&self) -> bool {
        true
    }
    fn at_hand(&self, range: std::ops::Range<u64>) -> Option<Bytes> {
        self.inner.source().at_hand(range)
    }
    fn advise(&self, range: std::ops::Range<u64>, advice: Advice) {
        self.inner.source().advise(range, advice);
    }
    fn unchanged(&self) -> Result<()> {
        Ok(())
    }
}
