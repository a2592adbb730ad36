//! Several shards, one after another or side by side.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    thread,
};

use crossbeam_channel::{Sender, unbounded};
use forebay::{Error, Result};

use super::{Made, MakeOptions, Report, Shards, record};
use crate::{convert::Progress, parallel::codes::WORKER};

/// What a thread tells the one that waits.
enum Told {
    /// This many more samples of its shard are done.
    More(u64),
    Done(Result<Made>),
}

/// What ends work that nobody waits for any more.
struct Stopped;

impl Shards {
    /// Makes the shards of these numbers in `folder`, as [`make`](Self::make) does, `jobs` at a time, and merges what came
    /// of them. The first error ends it; what is whole by then stays, and is found by the next run.
    pub fn make_all(
        &self,
        shards: &[u64],
        folder: &Path,
        how: &MakeOptions,
        jobs: usize,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Report> {
        let len = |shard: &u64| {
            let range = self.plan().range(*shard);
            range.end - range.start
        };
        super::make_folder(folder)?;
        let _claim = record::claim(folder, self.plan())?;
        let total = shards.iter().map(len).sum();
        let mut made = Vec::with_capacity(shards.len());
        if jobs.min(shards.len()) <= 1 {
            let mut before = 0;
            for shard in shards {
                made.push(self.make_with(*shard, folder, how, &mut |now| {
                    progress(&Progress::of_samples(before + now.samples, total));
                })?);
                before += len(shard);
            }
            return Ok(Report::of(self.plan(), made));
        }
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (tell, hear) = unbounded();
        let work = |tell: Sender<Told>| {
            while let Some(shard) = shards.get(next.fetch_add(1, Relaxed)) {
                if stop.load(Relaxed) || !self.make_telling(*shard, folder, how, (&stop, &tell)) {
                    return;
                }
            }
        };
        let work = &work;
        thread::scope(|scope| {
            // Also where `progress` unwinds.
            let _stop = StopAtEnd(&stop);
            let mut threads = 0;
            for number in 0..jobs.min(shards.len()) {
                let tell = tell.clone();
                let spawned = thread::Builder::new()
                    .name(format!("forebay-shard-{number}"))
                    .spawn_scoped(scope, move || work(tell));
                threads += usize::from(spawned.is_ok());
            }
            if threads == 0 {
                let message = "the system gives no thread; make one shard at a time";
                return Err(Error::new(&forebay::error::codes::IO, message));
            }
            drop(tell);
            let mut done = 0;
            for told in hear {
                match told {
                    Told::More(samples) => {
                        done += samples;
                        progress(&Progress::of_samples(done, total));
                    }
                    Told::Done(one) => made.push(one?),
                }
            }
            Ok(())
        })?;
        Ok(Report::of(self.plan(), made))
    }

    /// Makes a shard and tells how far it is; false if nothing more is wanted.
    fn make_telling(
        &self,
        shard: u64,
        folder: &Path,
        how: &MakeOptions,
        (stop, tell): (&AtomicBool, &Sender<Told>),
    ) -> bool {
        let mut told = 0;
        let mut progress = |now: &Progress| {
            if stop.load(Relaxed) {
                // The stack unwinds, and what is half written is removed on the way.
                resume_unwind(Box::new(Stopped));
            }
            let _ = tell.send(Told::More(now.samples.saturating_sub(told)));
            told = now.samples;
        };
        let made = catch_unwind(AssertUnwindSafe(|| self.make_with(shard, folder, how, &mut progress)));
        let made = made.unwrap_or_else(|_| Err(Error::new(&WORKER, "a shard was not made to its end")));
        let failed = made.is_err();
        tell.send(Told::Done(made)).is_ok() && !failed
    }
}

/// Has the threads end at their next word.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
