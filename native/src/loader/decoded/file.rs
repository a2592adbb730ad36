//! The file of a decoded cache: a head that says of what it is, records of its entries, and their pixels.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `FBDECOD1` |
//! | 16 | what tells the dataset and what is made of it from others |
//! | 8 | how many records there is room for |
//! | 4 | the CRC-32 of all of that |
//! | 28 | zeros |
//! | 64 a record | the source, the variant, the sample, the picture's size and turning, where the pixels begin, how many bytes they are, their CRC-32, and the record's own |
//! | the rest | pixels |
//!
//! Numbers are little-endian. A record is written behind its pixels, and each is held to its checksum, so that whatever ends
//! a process or a machine leaves a file in which every entry is sound or none. The records are read up to the first that is
//! none.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use forebay::{
    Error, Result,
    codec::checksum::crc32,
    error::codes as common,
    image::decode::{Foreseen, Orientation},
};

use super::key::Key;
use crate::{
    input::display,
    loader::codes,
    output::at::{read_exact_at, write_all_at},
};

const MAGIC: &[u8; 8] = b"FBDECOD1";
const HEAD: usize = 64;
const RECORD: usize = 64;
/// Pictures are larger than that, or of small ones fewer are kept than would fit.
const LEAST_PICTURE: u64 = 1 << 10;

/// Where the pixels of an entry lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    at: u64,
    pub len: usize,
    sum: u32,
}

/// The file.
#[derive(Debug)]
pub(super) struct CacheFile {
    /// Locked as long as it is open.
    file: File,
    /// The record that is written next, and how many there is room for.
    next: AtomicU64,
    records: u64,
    /// Where the next pixels go, and where the file ends at most.
    end: AtomicU64,
    most: u64,
}

impl CacheFile {
    /// Opens the file and gives what it has; one of another identity is emptied, and any other file is refused.
    pub fn open(
        path: &Path,
        most: u64,
        identity: [u64; 2],
        entries: u64,
        mut take: impl FnMut(Key, Foreseen, Place),
    ) -> Result<CacheFile> {
        let failed = |e: io::Error| {
            Error::caused(&common::IO, format!("cannot keep decoded images there: {e}"), e).file(display(path))
        };
        let refuse = |message: &str| Error::new(&codes::SETTINGS, message).file(display(path));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(refuse(
                    "another loader keeps other decoded images in this file, or another process has it: give each its own",
                ));
            }
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
        let records = entries.min(most / LEAST_PICTURE);
        let head = head(identity, records);
        let begin = (HEAD as u64).saturating_add(records.saturating_mul(RECORD as u64));
        let mut found = Vec::new();
        (&file).take(HEAD as u64).read_to_end(&mut found).map_err(failed)?;
        if !found.is_empty() && !found.starts_with(MAGIC) {
            return Err(refuse("this file does not hold decoded images; give a name that is free"));
        }
        let (mut next, mut end) = (0, begin);
        if found == head {
            let len = file.metadata().map_err(failed)?.len();
            let mut lines = io::BufReader::with_capacity(1 << 16, &file);
            let mut line = [0; RECORD];
            while next < records && lines.read_exact(&mut line).is_ok() {
                let Some((key, foreseen, place)) = read_record(&line) else { break };
                let Some(behind) = place.at.checked_add(place.len as u64).filter(|behind| *behind <= len) else {
                    break;
                };
                if place.at < begin {
                    break;
                }
                take(key, foreseen, place);
                (next, end) = (next + 1, end.max(behind));
            }
            // What was written behind a gap is not to come back once the gap is filled.
            let rest = usize::try_from((records - next).min(1024)).unwrap_or(0) * RECORD;
            write_all_at(&file, &vec![0; rest], HEAD as u64 + next * RECORD as u64).map_err(failed)?;
        } else {
            file.set_len(0).map_err(failed)?;
            (&file).seek(SeekFrom::Start(0)).map_err(failed)?;
            write_all_at(&file, &head, 0).map_err(failed)?;
            file.set_len(begin).map_err(failed)?;
        }
        Ok(CacheFile { file, next: AtomicU64::new(next), records, end: AtomicU64::new(end), most: most.max(begin) })
    }

    /// Reads pixels; false if they are not there, or, if it is `checked`, not what was written.
    pub fn read(&self, place: &Place, checked: bool, buffer: &mut Vec<u8>) -> bool {
        buffer.resize(place.len, 0);
        read_exact_at(&self.file, buffer, place.at).is_ok() && (!checked || crc32(buffer) == place.sum)
    }

    /// Writes an entry; none if there is no room for it.
    pub fn write(&self, key: &Key, foreseen: &Foreseen, pixels: &[u8]) -> io::Result<Option<Place>> {
        let behind = |at: u64| at.checked_add(pixels.len() as u64).filter(|behind| *behind <= self.most);
        let Ok(at) = self.end.try_update(Relaxed, Relaxed, behind) else { return Ok(None) };
        let number = self.next.try_update(Relaxed, Relaxed, |n| (n < self.records).then_some(n + 1));
        let Ok(number) = number else { return Ok(None) };
        let place = Place { at, len: pixels.len(), sum: crc32(pixels) };
        write_all_at(&self.file, pixels, at)?;
        write_all_at(&self.file, &record(key, foreseen, &place), HEAD as u64 + number * RECORD as u64)?;
        Ok(Some(place))
    }
}

fn head(identity: [u64; 2], records: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..16].copy_from_slice(&identity[0].to_le_bytes());
    head[16..24].copy_from_slice(&identity[1].to_le_bytes());
    head[24..32].copy_from_slice(&records.to_le_bytes());
    let sum = crc32(&head[..32]);
    head[32..36].copy_from_slice(&sum.to_le_bytes());
    head
}

fn record(key: &Key, foreseen: &Foreseen, place: &Place) -> [u8; RECORD] {
    let mut line = [0; RECORD];
    line[..4].copy_from_slice(&key.source.to_le_bytes());
    line[4..8].copy_from_slice(&key.variant.to_le_bytes());
    line[8..16].copy_from_slice(&key.sample.to_le_bytes());
    line[16..20].copy_from_slice(&foreseen.width.to_le_bytes());
    line[20..24].copy_from_slice(&foreseen.height.to_le_bytes());
    (line[24], line[25]) = (foreseen.orientation as u8, u8::from(foreseen.in_parts));
    line[32..40].copy_from_slice(&place.at.to_le_bytes());
    line[40..48].copy_from_slice(&(place.len as u64).to_le_bytes());
    line[48..52].copy_from_slice(&place.sum.to_le_bytes());
    let sum = crc32(&line[..60]);
    line[60..].copy_from_slice(&sum.to_le_bytes());
    line
}

fn read_record(line: &[u8; RECORD]) -> Option<(Key, Foreseen, Place)> {
    let four = |at: usize| line.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let eight = |at: usize| line.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    // Zeros do not count as a record, though their checksum may be right.
    if four(60)? != crc32(&line[..60]) || line[24] == 0 {
        return None;
    }
    let foreseen = Foreseen {
        width: four(16)?,
        height: four(20)?,
        orientation: Orientation::from_exif(line[24].into()),
        in_parts: line[25] == 1,
    };
    let key = Key { source: four(0)?, variant: four(4)?, sample: eight(8)? };
    Some((key, foreseen, Place { at: eight(32)?, len: usize::try_from(eight(40)?).ok()?, sum: four(48)? }))
}
