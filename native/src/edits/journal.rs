//! A journal that is written to, and two that become one.

use std::{
    fs::{File, OpenOptions},
    io::{IoSlice, Write},
    ops::Range,
    path::{Path, PathBuf},
};

use forebay::{
    Error, Limits, Result,
    codec::checksum::crc32,
    edits::{Change, Conflict, Journal, Side, codes::CANNOT, merge as merged},
    error::codes::{ARGUMENT, IO},
};
use serde_json::{Map, Value};

use super::{blobs_of, check_added, identity, in_place::lock, read};
use crate::{
    dataset::Dataset,
    input::{Input, PIPE, WINDOW, display, io_error, remote},
    output::{AtomicFile, refuse_promise, write_all_at},
};

/// A journal of edits that is open for more. Only one is at a time.
///
/// Every change is handed to the system before it counts, so that a process that ends has lost none;
/// [`save`](Self::save) makes them last through a machine that dies.
#[derive(Debug)]
pub struct Edits {
    name: String,
    file: File,
    blobs: PathBuf,
    journal: Journal,
    /// A write failed: what the file has is not known.
    failed: bool,
}

impl Edits {
    /// Opens the journal of a dataset, or begins one. One of another file is refused, and one that somebody else has open.
    pub fn open(dataset: &Dataset, path: &Path) -> Result<Edits> {
        let path = &*remote::local(path)?;
        refuse_promise(path, "a journal")?;
        let name = display(path);
        if remote::is_remote(path) {
            let message = "a journal grows line by line, which no store allows; name a file of this machine";
            return Err(Error::new(&CANNOT, message).file(name));
        }
        let failed = |tried: &str, e| io_error(&name, tried, e);
        let of = identity(dataset)?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|e| failed("open for writing", e))?;
        lock(&file, &name)?;
        let len = file.metadata().map_err(|e| failed("read", e))?.len();
        let limits = dataset.limits();
        let empty = len == 0 || (len < FIRST && is_begun(&std::fs::read(path).map_err(|e| failed("read", e))?));
        let journal = if empty { Journal::new(of.clone()).within(limits) } else { read(path, limits)? };
        journal.of().expect(&of).map_err(|e| e.file(&name))?;
        if empty {
            write_all_at(&file, journal.first_line().as_bytes(), 0).map_err(|e| failed("write", e))?;
        }
        file.set_len(journal.whole()).map_err(|e| failed("write", e))?;
        Ok(Edits { name, file, blobs: blobs_of(path), journal, failed: false })
    }

    /// The journal so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Makes a change: an object of JSON, as a line of a journal has it, without its number and its checksum.
    pub fn change(&mut self, text: &str) -> Result<()> {
        let change = Change::parse(text)?;
        if matches!(change, Change::Add { .. }) {
            return Err(Error::new(&ARGUMENT, "a sample is added with its bytes"));
        }
        self.push(change)
    }

    /// Adds a sample of this name with its metadata, the members `fields` and `annotations` of a change; its number.
    pub fn add(&mut self, name: &str, payload: &[u8], mut given: Map<String, Value>) -> Result<u64> {
        let shown = display(&self.blobs);
        let failed = |e| io_error(&shown, "write", e);
        let mut blobs = OpenOptions::new().create(true).append(true).open(&self.blobs).map_err(failed)?;
        let at = blobs.metadata().map_err(failed)?.len();
        given.insert("do".into(), "add".into());
        given.insert("name".into(), name.into());
        given.insert("at".into(), at.into());
        given.insert("bytes".into(), payload.len().into());
        given.insert("blob".into(), format!("{:08x}", crc32(payload)).into());
        let change = Change::parse(&Value::Object(given).to_string())?;
        // The bytes are there before the line that names them.
        blobs.write_all(payload).map_err(failed)?;
        blobs.sync_data().map_err(failed)?;
        let number = self.journal.of().samples + self.journal.added();
        self.push(change)?;
        Ok(number)
    }

    fn push(&mut self, change: Change) -> Result<()> {
        if self.failed {
            let message = "an earlier change could not be written; open the journal again";
            return Err(Error::new(&IO, message).file(&self.name));
        }
        let at = self.journal.whole();
        let line = self.journal.push(change)?;
        write_all_at(&self.file, line.as_bytes(), at).map_err(|e| {
            self.failed = true;
            // Half a line does not count; without it the file is as it was.
            let _ = self.file.set_len(at);
            io_error(&self.name, "write", e)
        })
    }

    /// Makes all changes durable.
    pub fn save(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|e| io_error(&self.name, "write", e))
    }
}

/// Bytes in which a first line ends, if there is one.
const FIRST: u64 = 64 << 10;

/// Whether this is a first line that was cut off, of a journal that never was. Whatever else has no line is not ours to
/// write over.
fn is_begun(text: &[u8]) -> bool {
    const BEGINS: &[u8] = b"{\"forebay_edits\":";
    let len = text.len().min(BEGINS.len());
    text.get(..len) == BEGINS.get(..len) && !text.contains(&b'\n')
}

/// Makes two journals of one dataset one: what both changed differently is refused, unless `side` says whose counts, and
/// then returned. `output` may not be one of them.
pub fn merge(
    ours: &Path,
    theirs: &Path,
    output: &Path,
    side: Option<Side>,
    force: bool,
    limits: &Limits,
) -> Result<(Journal, Vec<Conflict>)> {
    let same = |input: &&Path| {
        output == *input || output.canonicalize().is_ok_and(|at| input.canonicalize().is_ok_and(|input| input == at))
    };
    if let Some(input) = [ours, theirs].into_iter().find(same) {
        let message =
            "the output is one of the journals, which would be lost if this ended in the middle; name another";
        return Err(Error::new(&ARGUMENT, message).file(display(input)));
    }
    let (first, second) = (read(ours, limits)?, read(theirs, limits)?);
    if output.as_os_str() == PIPE && first.added() + second.added() > 0 {
        let message =
            "journals that add samples have a file of bytes next to them, so they cannot go to standard output";
        return Err(Error::new(&ARGUMENT, message));
    }
    let blobs = [ours, theirs].map(blobs_of);
    let length = |path: &Path, journal: &Journal| {
        check_added(journal, path)?;
        match journal.added() {
            0 => Ok(0),
            _ => Ok(length_of(path)?.unwrap_or(0)),
        }
    };
    let lens = [length(&blobs[0], &first)?, length(&blobs[1], &second)?];
    let (beside, with_blobs) = (blobs_of(output), lens != [0; 2]);
    // An older journal in the output's place needs its bytes where they are until the new one is there.
    let old = if force && with_blobs { needed(output, limits)? } else { 0..0 };
    let at = if lens[0].saturating_add(lens[1]) <= old.start { 0 } else { old.end };
    let done = merged(&first, &second, [at, at + lens[0]], side).map_err(|e| e.file(display(theirs)))?;
    // Both are begun before either appears: one that cannot be written leaves none of them.
    let mut out = AtomicFile::create(output, force)?;
    let file = with_blobs.then(|| AtomicFile::create(&beside, force)).transpose()?;
    out.append(&mut [IoSlice::new(done.journal.text().as_bytes())])?;
    if let Some(mut file) = file {
        let mut parts = vec![(at, &blobs[0], 0..lens[0]), (at + lens[0], &blobs[1], 0..lens[1])];
        parts.insert(if at == 0 { 2 } else { 0 }, (old.start, &beside, old));
        for (to, path, range) in parts.into_iter().filter(|(.., range)| !range.is_empty()) {
            file.seek(to)?;
            copy(path, range, &mut file)?;
        }
        // The bytes are there before the lines that name them.
        file.commit(true)?;
    }
    out.commit(true)?;
    if force && !with_blobs && output.as_os_str() != PIPE {
        // Bytes of an older journal, which nothing names any more.
        match remote::is_remote(&beside) {
            true if remote::found(&beside)?.is_some() => remote::remove(&[beside])?,
            true => {}
            false => drop(std::fs::remove_file(&beside)),
        }
    }
    Ok((done.journal, done.conflicts))
}

/// Where the bytes lie that the journal at this path names; all that there are where it does not read.
fn needed(path: &Path, limits: &Limits) -> Result<Range<u64>> {
    let len = length_of(&blobs_of(path))?.unwrap_or(0);
    let Ok(journal) = read(path, limits) else { return Ok(0..len) };
    let all = journal.blobs().map(|(_, blob)| (blob.at.min(len), blob.at.saturating_add(blob.bytes).min(len)));
    let ends = all.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    Ok(ends.map_or(0..0, |(start, end)| start..end))
}

/// How many bytes are there, if it is.
fn length_of(path: &Path) -> Result<Option<u64>> {
    match remote::is_remote(path) {
        true => Ok(remote::found(path)?.map(|file| file.len())),
        false => Ok(path.metadata().ok().map(|meta| meta.len())),
    }
}

fn copy(path: &Path, range: Range<u64>, out: &mut AtomicFile) -> Result<()> {
    let input = Input::read(path)?;
    let mut at = range.start;
    while at < range.end {
        let end = range.end.min(at + WINDOW);
        let bytes = input.lend(at..end)?;
        out.append(&mut [IoSlice::new(&bytes)])?;
        at = end;
    }
    Ok(())
}
