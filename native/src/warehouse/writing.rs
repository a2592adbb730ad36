//! A shard on its way into its file: on a thread of its own, which hashes what it writes, so that the next pictures are
//! made meanwhile.

use std::{
    fs::File,
    thread::{Builder, Scope, ScopedJoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::{Sender, bounded};
use forebay::{
    Error, Result,
    error::codes as common,
    warehouse::{SampleRecord, Shape, ShardWriter},
};

use super::{
    chunk::{Chunk, Entry},
    make::{Image, Maker},
    stage::Stage,
};
use crate::{
    input::{Input, io_error},
    output::write_all_at,
    parallel::codes::WORKER,
    shards::sha256_of,
};

/// Bytes of images that wait for a shard's thread.
const WAITING: u64 = 8 << 20;

/// What all shards of a build have in common.
pub(super) struct Destination<'a> {
    pub stage: &'a Stage,
    pub maker: &'a Maker<'a>,
    pub shape: Shape,
    /// Whether a shard is made durable as soon as it is whole.
    pub sync: bool,
}

impl Destination<'_> {
    /// How many images may wait: one at least, or a thread would stand still between two.
    fn waiting(&self) -> usize {
        let image = self.shape.image_len().unwrap_or(WAITING).max(1);
        usize::try_from(WAITING / image).unwrap_or(1).clamp(1, 1024)
    }
}

/// A chunk whose shard is whole.
pub(super) struct Written {
    pub chunk: Chunk,
    /// How long hashing and writing took.
    pub write: Duration,
    pub ended: Instant,
}

/// What a shard is told, in the order of its frames.
pub(super) enum Told {
    Image(Image, Box<SampleRecord>),
    /// A frame that was expected is not stored.
    LeftOut,
    /// That was all; this became of the frames.
    Closed(Vec<Entry>),
}

/// A shard that is being written.
struct Shard<'a> {
    to: &'a Destination<'a>,
    number: usize,
    /// How many samples are expected.
    expected: u64,
    /// Whether there will be fewer.
    fewer: bool,
    /// From the first image on.
    open: Option<(File, ShardWriter)>,
    write: Duration,
}

impl Shard<'_> {
    /// The whole chunk, once that is told.
    fn hear(&mut self, told: Told) -> Result<Option<Written>> {
        match told {
            Told::Image(image, record) => self.take(image, &record)?,
            Told::LeftOut => {
                self.fewer = true;
                self.open.iter_mut().for_each(|(_, writer)| writer.expect_fewer());
            }
            Told::Closed(frames) => return self.finish(frames).map(Some),
        }
        Ok(None)
    }

    fn take(&mut self, image: Image, record: &SampleRecord) -> Result<()> {
        let begun = Instant::now();
        let Destination { stage, maker, .. } = self.to;
        let failed = |e| io_error(stage.name(), "write a shard", e);
        let (file, writer) = match &mut self.open {
            Some(open) => open,
            none => {
                let mut writer = ShardWriter::new(self.to.shape, self.expected)?;
                if self.fewer {
                    writer.expect_fewer();
                }
                none.insert((File::create(stage.shard(self.number)).map_err(failed)?, writer))
            }
        };
        let at = writer.add(&image.bytes, &image.boxes, Some(record))?;
        write_all_at(file, &image.bytes, at).map_err(failed)?;
        maker.give_back(image.bytes);
        self.write += begun.elapsed();
        Ok(())
    }

    /// Writes what is left, and says that the chunk is whole.
    fn finish(&mut self, frames: Vec<Entry>) -> Result<Written> {
        let begun = Instant::now();
        let stage = self.to.stage;
        let (mut shard, mut bytes) = (None, 0);
        if let Some((file, writer)) = self.open.take() {
            let failed = |e| io_error(stage.name(), "write a shard", e);
            let done = writer.finish()?;
            write_all_at(&file, &done.header, 0).map_err(failed)?;
            write_all_at(&file, &done.tail, done.tail_at).map_err(failed)?;
            let mut entry = done.entry(0);
            if entry.checksum_sha256.is_none() {
                entry.checksum_sha256 = Some(sha256_of(&Input::pieces(&stage.shard(self.number))?)?);
            }
            if self.to.sync {
                file.sync_all().map_err(failed)?;
            }
            (shard, bytes) = (Some(entry), done.len);
        }
        let chunk = Chunk { shard, bytes, frames };
        let text = serde_json::to_vec(&chunk)
            .map_err(|e| Error::caused(&common::IO, format!("the journal cannot be written: {e}"), e))?;
        stage.write_journal(self.number, &text)?;
        self.write += begun.elapsed();
        Ok(Written { chunk, write: self.write, ended: Instant::now() })
    }
}

/// What a shard's thread ends with: nothing where the build ended before the shard was whole.
type Ended = Result<Option<Written>>;

/// A shard, and the thread that writes it. If the system has none to give, it is written by who tells it.
pub(super) struct Writing<'scope> {
    told: Option<Sender<Told>>,
    thread: Option<ScopedJoinHandle<'scope, Ended>>,
    here: Option<Shard<'scope>>,
    whole: Option<Written>,
}

impl<'scope> Writing<'scope> {
    /// Begins the shard of a chunk of which this many frames are expected to be stored.
    pub fn begin(
        scope: &'scope Scope<'scope, '_>,
        to: &'scope Destination<'scope>,
        number: usize,
        expected: u64,
    ) -> Self {
        let begin = || Shard { to, number, expected, fewer: false, open: None, write: Duration::ZERO };
        let mut shard = begin();
        let (give, take) = bounded::<Told>(to.waiting());
        let turns = move || {
            for told in take {
                if let Some(whole) = shard.hear(told)? {
                    return Ok(Some(whole));
                }
            }
            Ok(None)
        };
        match Builder::new().name("forebay-write".into()).spawn_scoped(scope, turns) {
            Ok(thread) => Writing { told: Some(give), thread: Some(thread), here: None, whole: None },
            Err(_) => Writing { told: None, thread: None, here: Some(begin()), whole: None },
        }
    }

    /// Tells it what comes next; waits while much is waiting.
    pub fn tell(&mut self, told: Told) -> Result<()> {
        if let Some(shard) = &mut self.here {
            self.whole = shard.hear(told)?;
            return Ok(());
        }
        match &self.told {
            Some(way) if way.send(told).is_ok() => Ok(()),
            // Its thread has ended: it says why.
            _ => self.join().and(Err(stopped())),
        }
    }

    fn join(&mut self) -> Ended {
        self.told = None;
        match self.thread.take().map(ScopedJoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(_)) => Err(stopped()),
            None => Ok(self.whole.take()),
        }
    }

    /// Waits for the end of one that was told everything.
    pub fn wait(mut self) -> Result<Written> {
        self.join()?.ok_or_else(stopped)
    }
}

fn stopped() -> Error {
    Error::new(&WORKER, "the thread of a shard stopped before its work was done")
}
