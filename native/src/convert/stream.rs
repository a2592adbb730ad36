//! An archive that is read once, from front to back: `.tar.gz`, `.tar.zst`, a pipe.

use std::{
    io::{self, BufReader, Cursor, Read},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    detect::{HEAD_LEN, detect, foreign},
    error::codes::UNKNOWN_FORMAT,
    filter::Filter,
    formats::Format,
    image::probe_named,
    sample::{
        SampleInfo,
        record::{self, Sidecar},
    },
    samples::Watch,
    tar::{
        Event, StreamReader,
        webdataset::{Boundary, Tally, group},
    },
};

use crate::{
    doors::is_records,
    input::{Reading, codes::PIPE, display, file_len, first_bytes, gzip::Gzip, is_pipe, remote, unread},
};

/// Bytes read at a time.
const READ: usize = 256 << 10;

/// A sequential archive, decompressed as it is read.
pub struct StreamInput {
    name: String,
    file_len: u64,
    reader: Box<dyn Read + Send>,
    limits: Limits,
    filter: Option<Filter>,
    tally: Arc<Mutex<Tally>>,
}

impl std::fmt::Debug for StreamInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamInput").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A sample of a stream: its files are in memory.
#[derive(Debug)]
pub(crate) struct Streamed {
    pub name: String,
    pub payload: Bytes,
    pub sidecars: Vec<(String, Bytes)>,
    /// How many sidecars stood before the payload.
    pub before: usize,
}

impl Streamed {
    pub fn sidecars(&self) -> Vec<Sidecar<'_>> {
        self.sidecars.iter().map(|(extension, bytes)| Sidecar { extension, bytes }).collect()
    }
}

impl StreamInput {
    /// Opens a file that must be read in order, or a pipe such as standard input (`-`); `None` for a file that can be
    /// asked at random.
    pub fn open(path: &Path, limits: &Limits) -> Result<Option<StreamInput>> {
        if path.is_dir() || remote::is_folder(path) {
            return Ok(None);
        }
        let piped = is_pipe(path);
        let format = detect(&first_bytes(path, HEAD_LEN)?);
        let name = display(path);
        let reader: Box<dyn Read + Send> = match format {
            Some(packed @ Format::Gzip) => match of_tar(Gzip::new(BufReader::new(Reading::open(path)?)), path, packed)?
            {
                Some(reader) => reader,
                None => return Ok(None),
            },
            Some(packed @ Format::Zstd) => {
                let raw = Reading::open(path)?;
                let unpacked = zstd::stream::read::Decoder::new(raw).map_err(|e| unread(&name, e))?;
                match of_tar(unpacked, path, packed)? {
                    Some(reader) => reader,
                    None => return Ok(None),
                }
            }
            Some(Format::Tar) | None if piped => Box::new(Reading::open(path)?),
            Some(other) if piped => {
                let message = format!(
                    "this pipe gives {}; of samples only a tar archive can be read from a pipe: write it to a file \
                     first, as in: cat > FILE",
                    other.name()
                );
                return Err(Error::new(&PIPE, message).file(name));
            }
            _ => return Ok(None),
        };
        let file_len = file_len(path).unwrap_or(0);
        Ok(Some(Self::of(name, file_len, reader, limits)))
    }

    fn of(name: String, file_len: u64, reader: Box<dyn Read + Send>, limits: &Limits) -> StreamInput {
        StreamInput { name, file_len, reader, limits: limits.clone(), filter: None, tally: Arc::default() }
    }

    /// Opens an archive elsewhere that nobody reads but once: where small files lie close together, looking for their names
    /// brings all of it, and reading them would bring it again. `None` for everything else.
    pub fn elsewhere(path: &Path, limits: &Limits) -> Result<Option<StreamInput>> {
        if !remote::is_remote(path)
            || remote::is_folder(path)
            || detect(&first_bytes(path, HEAD_LEN)?) != Some(Format::Tar)
        {
            return Ok(None);
        }
        let reader = Box::new(Reading::open(path)?);
        let (name, file_len) = (display(path), reader.file_len());
        Ok(Some(Self::of(name, file_len, reader, limits)))
    }

    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Bytes on disk; 0 for a pipe.
    pub fn file_len(&self) -> u64 {
        self.file_len
    }
    /// What is known of the samples once they were read.
    pub(crate) fn tally(&self) -> Arc<Mutex<Tally>> {
        self.tally.clone()
    }
    pub(crate) fn set_filter(&mut self, filter: Filter) {
        self.filter = Some(filter);
    }

    /// The samples in the order of the archive; with `keep_going` among them what was passed over.
    pub(crate) fn samples(self, keep_going: bool) -> impl Iterator<Item = Result<Result<Streamed>>> + Send {
        let tar = StreamReader::new(self.limits.clone());
        Samples {
            tar: Some(if keep_going { tar.keep_going() } else { tar }),
            passed: Vec::new().into_iter(),
            name: self.name,
            reader: self.reader,
            limits: self.limits,
            watch: self.filter.as_ref().map(Watch::new),
            tally: self.tally,
            buffer: vec![0; READ],
            boundary: Boundary::default(),
            files: Vec::new(),
            ready: Vec::new().into_iter(),
        }
    }
}

/// The same bytes, if they are those of a TAR, or of nothing that is known in a file that is called one; else what they are.
/// Nothing of records, which are unpacked and then read at random.
fn of_tar(
    mut unpacked: impl Read + Send + 'static,
    path: &Path,
    packed: Format,
) -> Result<Option<Box<dyn Read + Send>>> {
    let name = display(path);
    let mut head = vec![0; HEAD_LEN as usize];
    let read = fill(&mut unpacked, &mut head).map_err(|e| unread(&name, e).file(&name))?;
    head.truncate(read);
    let found = detect(&head);
    if is_records(&mut &head[..]) && !is_pipe(path) {
        return Ok(None);
    }
    let kind = match found {
        Some(format) => Some(format!("this is {}, compressed", format.name())),
        None => foreign(&head),
    };
    let called_tar = || {
        let name = name.to_ascii_lowercase();
        [".tar.gz", ".tgz", ".tar.zst", ".tzst"].iter().any(|end| name.ends_with(end))
    };
    if head.is_empty() || found == Some(Format::Tar) || kind.is_none() && (is_pipe(path) || called_tar()) {
        return Ok(Some(Box::new(Cursor::new(head).chain(unpacked))));
    }
    let unpack = if packed == Format::Gzip { "gunzip -k" } else { "unzstd" };
    let message = match kind {
        Some(kind) => format!("unpacked, {kind}; {unpack} {name} unpacks it"),
        None => format!(
            "unpacked, this is no TAR; a table says so by its name, as in x.csv.{}, and other files are unpacked first: \
             {unpack} {name}",
            if packed == Format::Gzip { "gz" } else { "zst" }
        ),
    };
    Err(Error::new(&UNKNOWN_FORMAT, message).file(name))
}

/// Reads until the buffer is full or the stream ends.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < buffer.len() {
        match reader.read(&mut buffer[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(n)
}

struct Samples {
    name: String,
    reader: Box<dyn Read + Send>,
    /// Gone when the archive came to its end or failed.
    tar: Option<StreamReader>,
    /// What it passed over and nobody heard of yet.
    passed: std::vec::IntoIter<Error>,
    limits: Limits,
    watch: Option<Watch>,
    tally: Arc<Mutex<Tally>>,
    buffer: Vec<u8>,
    boundary: Boundary,
    /// The files of the group that is coming in.
    files: Vec<(String, Vec<u8>)>,
    ready: std::vec::IntoIter<Streamed>,
}

impl Samples {
    /// Reads on until a group is whole; false at the end.
    fn read_group(&mut self) -> Result<bool> {
        let Some(mut tar) = self.tar.take() else { return Ok(false) };
        let before = self.ready.len();
        while self.ready.len() == before && self.passed.len() == 0 {
            let n = fill(&mut self.reader, &mut self.buffer).map_err(|e| unread(&self.name, e))?;
            let mut input = &self.buffer[..n];
            let mut whole = Vec::new();
            while let Some(event) = tar.next(&mut input)? {
                match event {
                    Event::Member(member) => {
                        self.limits.item(member.size).map_err(|e| e.member(member.name))?;
                        if self.boundary.begins(member.name) && !self.files.is_empty() {
                            whole.push(std::mem::take(&mut self.files));
                        }
                        self.files.push((member.name.to_owned(), Vec::new()));
                    }
                    Event::Data(bytes) => {
                        if let Some((_, content)) = self.files.last_mut() {
                            content.extend_from_slice(bytes);
                        }
                    }
                    _ => {}
                }
            }
            if n == 0 {
                let ended = tar.end();
                self.passed = tar.take_passed().into_iter();
                ended?;
                whole.push(std::mem::take(&mut self.files));
                self.add(whole)?;
                self.watch.as_ref().map_or(Ok(()), Watch::judge)?;
                return Ok(self.ready.len() > 0 || self.passed.len() > 0);
            }
            self.add(whole)?;
            self.passed = tar.take_passed().into_iter();
        }
        self.tar = Some(tar);
        Ok(true)
    }

    fn add(&mut self, groups: Vec<Vec<(String, Vec<u8>)>>) -> Result<()> {
        let mut ready = Vec::new();
        for files in groups {
            let grouped = group(files.iter().map(|(name, content)| (name.as_str(), content.len() as u64)))?;
            let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
            tally.add(&grouped, |file| files.get(file).map(|(name, _)| name.as_str()));
            drop(tally);
            let mut contents: Vec<Bytes> = Vec::with_capacity(files.len());
            let mut names = Vec::with_capacity(files.len());
            for (name, content) in files {
                names.push(name);
                contents.push(content.into());
            }
            let file =
                |i: usize| (names.get(i).cloned().unwrap_or_default(), contents.get(i).cloned().unwrap_or_default());
            for sample in grouped.iter() {
                let (name, payload) = file(sample.primary);
                let sidecars = sample.sidecars.iter().map(|&i| file(i as usize));
                let sidecars = sidecars
                    .map(|(name, bytes)| (record::split(&name).1.unwrap_or_default().to_owned(), bytes))
                    .collect();
                let sample = Streamed { name, payload, sidecars, before: sample.before };
                if self.wanted(&sample).map_err(|e| e.member(&sample.name))? {
                    ready.push(sample);
                }
            }
        }
        if !ready.is_empty() {
            self.ready = ready.into_iter();
        }
        Ok(())
    }

    fn wanted(&mut self, sample: &Streamed) -> Result<bool> {
        let Some(watch) = &mut self.watch else { return Ok(true) };
        let seen = probe_named(&sample.name, &sample.payload);
        let info = SampleInfo::unread(0, 0, sample.payload.len() as u64, seen.format).probed(seen);
        let metadata = match watch.needs_record(false) {
            true => {
                let record = record::compose(0, &sample.name, &sample.sidecars(), sample.before, &[]);
                serde_json::from_str(&record).ok()
            }
            false => None,
        };
        Ok(watch.accepts(&info, Some(&sample.name), metadata.as_ref())?.is_some())
    }
}

impl Iterator for Samples {
    type Item = Result<Result<Streamed>>;

    fn next(&mut self) -> Option<Result<Result<Streamed>>> {
        loop {
            if let Some(sample) = self.ready.next() {
                return Some(Ok(Ok(sample)));
            }
            if let Some(e) = self.passed.next() {
                return Some(Ok(Err(e.file(&self.name))));
            }
            match self.read_group() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(e) => return Some(Err(e.file(&self.name))),
            }
        }
    }
}
