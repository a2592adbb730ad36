//! Frames to shards: made on all cores, handed on in order, written and hashed beside that.
//!
//! Frames are cut into chunks beforehand, of as many as a shard can have; a shard has those of its chunk that can be
//! stored. So what a shard holds does not depend on threads, nor on whether the build was ended in between, and several
//! can be written side by side. Its header says how many there are, and its digest begins with the header: a shard of
//! which frames were left out is read once more for its digest, on its own thread.

use std::{
    collections::{BTreeMap, VecDeque, btree_map},
    ops::Range,
    thread,
    time::Instant,
};

use forebay::{
    Error, Result,
    error::codes as common,
    warehouse::{BoxCounts, Cause, SampleRecord, Shape},
    words::Word as _,
};

use super::{
    Progress, Settings,
    chunk::{Chunk, Entry, Kept},
    frames::{Frame, Survey},
    make::{Became, Made, Maker, Times},
    stage::Stage,
    trace::Trace,
    writing::{Destination, Told, Writing},
};
use crate::parallel::{all_cores, ordered};

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

/// Makes every chunk, or only one, or takes those that a build before has left whole.
pub(super) fn make_all(
    survey: &Survey,
    settings: &Settings,
    stage: &Stage,
    shape: Shape,
    only: Option<usize>,
    progress: &mut dyn FnMut(&Progress),
) -> Result<(Vec<Chunk>, u64)> {
    let workers = settings.workers.unwrap_or_else(all_cores).max(1);
    let maker = Maker::new(survey, settings, workers);
    let ranges = chunks(survey.frames.len(), &shape, settings.shard_bytes)?;
    let wanted = only.map_or(0..ranges.len(), |chunk| chunk..chunk + 1);
    let mut made: BTreeMap<usize, Chunk> = left_whole(survey, stage, &maker, &ranges, wanted.clone(), workers)?;
    let resumed: u64 = made.values().map(|chunk| chunk.frames.len() as u64).sum();
    let mut trace = Trace::begin(settings.trace.as_deref())?;
    let total = ranges.get(wanted.clone()).unwrap_or_default().iter().map(|frames| frames.len() as u64).sum();
    let mut state = Progress { frames: resumed, total, ..Progress::default() };
    let todo: Vec<usize> = wanted.filter(|chunk| !made.contains_key(chunk)).collect();
    let items = in_turns(&todo, &ranges, side_by_side(workers)).map(Ok);
    let weight = shape.image_len().unwrap_or(1);
    let work = |(chunk, frame): (usize, usize)| (chunk, frame, survey.frames.get(frame).map(|frame| maker.make(frame)));
    let (side_by_side, sync) = (side_by_side(workers), settings.sync);
    let destination = Destination { stage, maker: &maker, shape, sync };
    thread::scope(|scope| {
        let mut open = BTreeMap::<usize, Open<'_>>::new();
        // Those whose frames have all been handed on.
        let mut closed = VecDeque::new();
        let mut end = |one: Open<'_>| {
            let Open { number, times, begun, writing, .. } = one;
            let written = writing.wait()?;
            trace.line(number, &times, begun, &written)?;
            made.insert(number, written.chunk);
            Ok::<_, Error>(())
        };
        let sink = |results: Vec<(usize, usize, Option<Result<Made>>)>| {
            for (chunk, frame, made_frame) in results {
                let (Some(made_frame), Some(range)) = (made_frame, ranges.get(chunk)) else { continue };
                let current = match open.entry(chunk) {
                    btree_map::Entry::Occupied(open) => open.into_mut(),
                    btree_map::Entry::Vacant(none) => {
                        let frames = survey.frames.get(range.clone()).unwrap_or_default();
                        let expected = frames.iter().filter(|frame| is_expected(frame, settings)).count() as u64;
                        none.insert(Open::new(chunk, Writing::begin(scope, &destination, chunk, expected)))
                    }
                };
                current.take(survey, settings, frame, made_frame?, &mut state)?;
                state.frames += 1;
                if frame + 1 == range.end
                    && let Some(mut last) = open.remove(&chunk)
                {
                    last.writing.tell(Told::Closed(std::mem::take(&mut last.frames)))?;
                    closed.push_back(last);
                    if closed.len() > side_by_side {
                        closed.pop_front().map_or(Ok(()), &mut end)?;
                    }
                }
            }
            progress(&state);
            Ok(())
        };
        ordered(items, |_| weight, workers, work, sink)?;
        closed.into_iter().try_for_each(&mut end)
    })?;
    Ok((made.into_values().collect(), resumed))
}

/// How many shards are written at the same time. Hashing and writing an image of f32 takes as long as making it of a small
/// picture, and a shard's digest is one chain, so that one thread for all would be what they wait for.
fn side_by_side(workers: usize) -> usize {
    (workers / 2 + 1).min(16)
}

/// Frames by their chunks, in the order in which they are made: as many chunks as are written side by side take turns.
fn in_turns<'a>(
    chunks: &'a [usize],
    ranges: &'a [Range<usize>],
    side_by_side: usize,
) -> impl Iterator<Item = (usize, usize)> + Send + 'a {
    chunks.chunks(side_by_side.max(1)).flat_map(move |group| {
        let range = move |chunk: usize| ranges.get(chunk).cloned().unwrap_or_default();
        let longest = group.iter().map(|&chunk| range(chunk).len()).max().unwrap_or(0);
        (0..longest)
            .flat_map(move |k| group.iter().filter_map(move |&chunk| range(chunk).nth(k).map(|frame| (chunk, frame))))
    })
}

/// Whether a frame will be stored if nothing is wrong with it.
fn is_expected(frame: &Frame, settings: &Settings) -> bool {
    !(settings.skip_empty && frame.boxes.is_empty())
}

/// A chunk that is being made.
struct Open<'scope> {
    number: usize,
    writing: Writing<'scope>,
    frames: Vec<Entry>,
    times: Times,
    begun: Instant,
}

impl<'scope> Open<'scope> {
    fn new(number: usize, writing: Writing<'scope>) -> Self {
        Open { number, writing, frames: Vec::new(), times: Times::default(), begun: Instant::now() }
    }

    /// Takes the next frame of it.
    fn take(
        &mut self,
        survey: &Survey,
        settings: &Settings,
        frame: usize,
        made: Made,
        progress: &mut Progress,
    ) -> Result<()> {
        self.times.read += made.times.read;
        self.times.decode += made.times.decode;
        self.times.resize += made.times.resize;
        let frame = survey.frames.get(frame);
        let became = match made.became {
            Became::Empty(boxes) => Kept::Empty { boxes: counts(&boxes) },
            Became::Refused(cause, reason) => Kept::Refused { cause: cause.word().into(), reason },
            Became::Stored(mut image) => {
                let mut record = SampleRecord::new();
                if let Some(frame) = frame {
                    record.frame_id = frame.frame_id;
                    record.run = survey.runs.get(frame.run).cloned();
                    record.source = Some(frame.source.clone());
                }
                if image.classes.iter().any(Option::is_some) {
                    record.classes = std::mem::take(&mut image.classes);
                }
                progress.bytes += image.bytes.len() as u64;
                let became = Kept::Stored { boxes: counts(&image.counts), turned: image.turned };
                self.writing.tell(Told::Image(image, Box::new(record)))?;
                became
            }
        };
        if !matches!(became, Kept::Stored { .. }) && frame.is_some_and(|frame| is_expected(frame, settings)) {
            self.writing.tell(Told::LeftOut)?;
        }
        self.frames.push(Entry { digest: made.digest, became });
        Ok(())
    }
}

/// The chunks that a build before has left whole: their shards are what they were, and so is every picture in them.
fn left_whole(
    survey: &Survey,
    stage: &Stage,
    maker: &Maker<'_>,
    ranges: &[Range<usize>],
    wanted: Range<usize>,
    workers: usize,
) -> Result<BTreeMap<usize, Chunk>> {
    let mut kept = BTreeMap::new();
    for (number, range) in ranges.iter().enumerate().filter(|(number, _)| wanted.contains(number)) {
        let journal = stage.journal(number).and_then(|text| serde_json::from_slice::<Chunk>(&text).ok());
        let Some(chunk) = journal else { continue };
        let frames = survey.frames.get(range.clone()).unwrap_or_default();
        let whole = chunk.frames.len() == frames.len()
            && match &chunk.shard {
                Some(entry) => stage.has(number, entry.checksum_sha256.as_deref()),
                None => true,
            };
        let mut same = whole;
        if whole {
            let items = frames.iter().zip(&chunk.frames).map(Ok);
            let work = |(frame, entry): (&Frame, &Entry)| {
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
    let work = |frame: &Frame| match maker.digest(frame) {
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
