//! Frames to shards: made on all cores, written in order, each shard finished before the next.
//!
//! Frames are cut into chunks beforehand, of as many as a shard can have; a shard has those of its chunk that can be
//! stored. So what a shard holds does not depend on threads, nor on whether the build was ended in between.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read as _, Write as _},
    ops::Range,
    path::Path,
    time::{Duration, Instant},
};

use forebay::{
    Error, Result,
    error::codes as common,
    warehouse::{BoxCounts, Cause, Digest, SampleRecord, Shape, ShardEntry, ShardWriter},
    words::Word as _,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Progress, Settings,
    frames::Survey,
    make::{Became, Made, Maker, Times},
    stage::Stage,
};
use crate::{
    input::{display, io_error},
    output::write_all_at,
    parallel::{all_cores, ordered},
};

/// What became of a frame, as a journal says it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The digest of the picture; empty where it could not be read.
    pub digest: String,
    pub became: Kept,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Kept {
    Stored { boxes: [u64; 4], turned: bool },
    Empty { boxes: [u64; 4] },
    Refused { cause: String, reason: String },
}

/// A chunk that is whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chunk {
    /// Its shard, without the number that it gets; none where nothing of it could be stored.
    pub shard: Option<ShardEntry>,
    pub bytes: u64,
    pub frames: Vec<Entry>,
}

fn counts(boxes: &BoxCounts) -> [u64; 4] {
    [boxes.stored, boxes.dropped, boxes.truncated, boxes.disagreeing]
}

/// The counts that a journal has.
pub(super) fn counted([stored, dropped, truncated, disagreeing]: [u64; 4]) -> BoxCounts {
    let mut counts = BoxCounts::default();
    (counts.stored, counts.dropped, counts.truncated, counts.disagreeing) = (stored, dropped, truncated, disagreeing);
    counts
}

pub(super) fn cause(word: &str) -> Cause {
    Cause::from_word(word).unwrap_or(Cause::PictureDamaged)
}

/// The chunks of that many frames.
pub(super) fn chunks(frames: usize, shape: &Shape, shard_bytes: u64) -> Result<Vec<Range<usize>>> {
    let too_large = || Error::new(&common::ARGUMENT, "an image of this size has more bytes than a file can have");
    let image = shape.image_len().ok_or_else(too_large)?;
    let each = image.checked_add(shape.boxes_len() + shape.mask_len()).ok_or_else(too_large)?.max(1);
    let per = usize::try_from((shard_bytes / each).max(1)).unwrap_or(usize::MAX);
    Ok((0..frames.div_ceil(per)).map(|k| k * per..frames.min((k + 1) * per)).collect())
}

/// Makes every chunk, or takes those that a build before has left whole.
pub(super) fn make_all(
    survey: &Survey,
    settings: &Settings,
    stage: &Stage,
    shape: Shape,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(Vec<Chunk>, u64)> {
    let workers = settings.workers.unwrap_or_else(all_cores).max(1);
    let maker = Maker::new(survey, settings, workers);
    let ranges = chunks(survey.frames.len(), &shape, settings.shard_bytes)?;
    let mut made: BTreeMap<usize, Chunk> = left_whole(survey, stage, &maker, &ranges, workers)?;
    let resumed: u64 = made.values().map(|chunk| chunk.frames.len() as u64).sum();
    let mut trace = Trace::begin(settings.trace.as_deref())?;
    let mut state = Progress { frames: resumed, total: survey.frames.len() as u64, ..Progress::default() };
    let todo: Vec<usize> = (0..ranges.len()).filter(|chunk| !made.contains_key(chunk)).collect();
    let items = todo.iter().flat_map(|&chunk| {
        let range = ranges.get(chunk).cloned().unwrap_or_default();
        let last = range.end;
        range.map(move |frame| Ok((chunk, frame, frame + 1 == last)))
    });
    let weight = shape.image_len().unwrap_or(1);
    let work = |(chunk, frame, last): (usize, usize, bool)| {
        let made = survey.frames.get(frame).map(|frame| maker.make(frame));
        (chunk, frame, last, made)
    };
    let mut open: Option<Open> = None;
    ordered(
        items,
        |_| weight,
        workers,
        work,
        |results| {
            for (chunk, frame, last, made_frame) in results {
                let Some(made_frame) = made_frame else { continue };
                let expected = ranges.get(chunk).map_or(0, |range| range.len() as u64);
                let current = match &mut open {
                    Some(current) => current,
                    none => none.insert(Open::new(chunk, shape, expected)),
                };
                current.take(survey, frame, made_frame?, stage, &maker, &mut state)?;
                state.frames += 1;
                if last && let Some(done) = open.take() {
                    made.insert(chunk, done.finish(stage, settings.sync, &mut trace)?);
                }
            }
            progress(&state);
            Ok(())
        },
    )?;
    Ok((made.into_values().collect(), resumed))
}

/// A chunk that is being made.
struct Open {
    number: usize,
    shape: Shape,
    writer: Option<ShardWriter>,
    expected: u64,
    file: Option<File>,
    frames: Vec<Entry>,
    times: Times,
    write: Duration,
    begun: Instant,
}

impl Open {
    fn new(number: usize, shape: Shape, expected: u64) -> Open {
        Open {
            number,
            shape,
            writer: None,
            expected,
            file: None,
            frames: Vec::new(),
            times: Times::default(),
            write: Duration::ZERO,
            begun: Instant::now(),
        }
    }

    fn take(
        &mut self,
        survey: &Survey,
        frame: usize,
        made: Made,
        stage: &Stage,
        maker: &Maker<'_>,
        progress: &mut Progress,
    ) -> Result<()> {
        self.times.read += made.times.read;
        self.times.decode += made.times.decode;
        self.times.resize += made.times.resize;
        let became = match made.became {
            Became::Empty(boxes) => Kept::Empty { boxes: counts(&boxes) },
            Became::Refused(cause, reason) => Kept::Refused { cause: cause.word().into(), reason },
            Became::Stored(image) => {
                let begun = Instant::now();
                let path = stage.shard(self.number);
                let failed = |e| io_error(stage.name(), "write a shard", e);
                if self.file.is_none() {
                    self.file = Some(File::create(&path).map_err(failed)?);
                }
                let writer = match &mut self.writer {
                    Some(writer) => writer,
                    none => none.insert(ShardWriter::new(self.shape, self.expected)?),
                };
                let mut record = SampleRecord::new();
                if let Some(frame) = survey.frames.get(frame) {
                    record.frame_id = frame.frame_id;
                    record.run = survey.runs.get(frame.run).cloned();
                    record.source = Some(frame.source.clone());
                }
                if image.classes.iter().any(Option::is_some) {
                    record.classes = image.classes;
                }
                let at = writer.add(&image.bytes, &image.boxes, Some(&record))?;
                if let Some(file) = &self.file {
                    write_all_at(file, &image.bytes, at).map_err(failed)?;
                }
                progress.bytes += image.bytes.len() as u64;
                self.write += begun.elapsed();
                maker.give_back(image.bytes);
                Kept::Stored { boxes: counts(&image.counts), turned: image.turned }
            }
        };
        self.frames.push(Entry { digest: made.digest, became });
        Ok(())
    }

    /// Writes what is left, and says that the chunk is whole.
    fn finish(mut self, stage: &Stage, sync: bool, trace: &mut Trace) -> Result<Chunk> {
        let begun = Instant::now();
        let (mut shard, mut bytes) = (None, 0);
        if let (Some(writer), Some(file)) = (self.writer.take(), self.file.take()) {
            let path = stage.shard(self.number);
            let failed = |e| io_error(stage.name(), "write a shard", e);
            let done = writer.finish()?;
            write_all_at(&file, &done.header, 0).map_err(failed)?;
            write_all_at(&file, &done.tail, done.tail_at).map_err(failed)?;
            let mut entry = done.entry(0);
            if entry.checksum_sha256.is_none() {
                entry.checksum_sha256 = Some(digest_of(&path)?);
            }
            if sync {
                file.sync_all().map_err(failed)?;
            }
            (shard, bytes) = (Some(entry), done.len);
        }
        self.write += begun.elapsed();
        trace.line(&self, bytes)?;
        let chunk = Chunk { shard, bytes, frames: std::mem::take(&mut self.frames) };
        let text = serde_json::to_vec(&chunk)
            .map_err(|e| Error::caused(&common::IO, format!("the journal cannot be written: {e}"), e))?;
        stage.write_journal(self.number, &text)?;
        Ok(chunk)
    }
}

/// The SHA-256 of a file.
pub(super) fn digest_of(path: &Path) -> Result<String> {
    let failed = |e| io_error(&display(path), "read back", e);
    let mut file = File::open(path).map_err(failed)?;
    let (mut digest, mut buffer) = (Digest::default(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(digest.finish()),
            n => digest.add(&buffer[..n]),
        }
    }
}

/// The chunks that a build before has left whole: their shards are what they were, and so is every picture in them.
fn left_whole(
    survey: &Survey,
    stage: &Stage,
    maker: &Maker<'_>,
    ranges: &[Range<usize>],
    workers: usize,
) -> Result<BTreeMap<usize, Chunk>> {
    let mut kept = BTreeMap::new();
    for (number, range) in ranges.iter().enumerate() {
        let journal = stage.journal(number).and_then(|text| serde_json::from_slice::<Chunk>(&text).ok());
        let Some(chunk) = journal else { continue };
        let frames = survey.frames.get(range.clone()).unwrap_or_default();
        let whole = chunk.frames.len() == frames.len()
            && match &chunk.shard {
                Some(entry) => digest_of(&stage.shard(number)).ok() == entry.checksum_sha256,
                None => true,
            };
        let mut same = whole;
        if whole {
            let items = frames.iter().zip(&chunk.frames).map(Ok);
            let work = |(frame, entry): (&super::frames::Frame, &Entry)| {
                // What could not be read is tried anew.
                maker.digest(frame).is_ok_and(|digest| digest == entry.digest)
            };
            ordered(
                items,
                |_| 1 << 16,
                workers,
                work,
                |results| {
                    same &= results.into_iter().all(|same| same);
                    Ok(())
                },
            )?;
        }
        if same {
            kept.insert(number, chunk);
        } else {
            stage.forget(number);
        }
    }
    Ok(kept)
}

/// The digests of all pictures, in order.
pub(super) fn digests(survey: &Survey, settings: &Settings) -> Result<Vec<String>> {
    let workers = settings.workers.unwrap_or_else(all_cores).max(1);
    let maker = Maker::new(survey, settings, workers);
    let mut all = Vec::with_capacity(survey.frames.len());
    // A sample that cannot be read has none, as in a build.
    let work = |frame: &super::frames::Frame| match maker.digest(frame) {
        Err(e) if super::recorder::cause_of(&e).is_some() => Ok(String::new()),
        other => other,
    };
    ordered(
        survey.frames.iter().map(Ok),
        |_| 1 << 16,
        workers,
        work,
        |results| {
            results.into_iter().try_for_each(|digest| {
                all.push(digest?);
                Ok(())
            })
        },
    )?;
    Ok(all)
}

/// A line of JSON for each shard: how long what took, and what was refused.
struct Trace {
    file: Option<(File, String)>,
}

impl Trace {
    fn begin(path: Option<&Path>) -> Result<Trace> {
        let Some(path) = path else { return Ok(Trace { file: None }) };
        let name = display(path);
        let file = File::create(path).map_err(|e| io_error(&name, "write the trace", e))?;
        Ok(Trace { file: Some((file, name)) })
    }

    fn line(&mut self, open: &Open, bytes: u64) -> Result<()> {
        let Some((file, name)) = &mut self.file else { return Ok(()) };
        let mut refused = BTreeMap::<&str, u64>::new();
        let mut samples = 0_u64;
        for entry in &open.frames {
            match &entry.became {
                Kept::Stored { .. } => samples += 1,
                Kept::Empty { .. } => *refused.entry("empty").or_default() += 1,
                Kept::Refused { cause, .. } => *refused.entry(cause).or_default() += 1,
            }
        }
        let seconds = open.begun.elapsed().as_secs_f64().max(1e-9);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let line = json!({
            "shard": format!("{:05}", open.number),
            "samples": samples,
            "read_ms": ms(open.times.read),
            "decode_ms": ms(open.times.decode),
            "resize_ms": ms(open.times.resize),
            "write_ms": ms(open.write),
            "wall_ms": seconds * 1e3,
            "samples_per_s": samples as f64 / seconds,
            "mb_per_s": bytes as f64 / 1e6 / seconds,
            "refused": refused,
        });
        writeln!(file, "{line}").map_err(|e| io_error(name, "write the trace", e))
    }
}
