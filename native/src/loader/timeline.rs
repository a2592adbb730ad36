//! What happened when: for a trace others, and for telling how fast more workers would be.

use std::{
    io::{self, BufWriter, IoSlice, Write},
    sync::Mutex,
    time::Instant,
};

use forebay::{Error, Result};
use serde_json::json;

use super::{codes, pool::lock};
use crate::{input::io_error, output::AtomicFile};

/// What a worker does for a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Reading,
    Verifying,
    Decoding,
    Making,
    Targets,
}

impl Stage {
    pub const ALL: [Stage; 5] = [Stage::Reading, Stage::Verifying, Stage::Decoding, Stage::Making, Stage::Targets];
}

/// The thread that asks for batches.
pub(super) const CALLER: u16 = u16::MAX;

/// Something that took time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The kind: `read`, `verify`, `decode`, `transform`, `targets`, or waiting: `wait for trainer` of a worker, `wait for
    /// data` of the caller.
    pub name: &'static str,
    /// Which worker, from 0; none is the thread that asks for batches.
    pub worker: Option<u16>,
    /// The epoch, if it is known.
    pub epoch: Option<u64>,
    /// The sample, by its number among all samples of all sources; of the caller the step.
    pub number: Option<u64>,
    /// Nanoseconds since the loader was built.
    pub begin: u64,
    /// Nanoseconds that it took.
    pub nanos: u64,
}

/// The events of a loader until now, as far as there was room for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeline {
    /// The events, each thread's in order.
    pub events: Vec<Event>,
    /// Events that came when there was no room left.
    pub left_out: u64,
}

/// A file that is written to, and what it said of that.
struct Taking<'a> {
    file: &'a mut AtomicFile,
    failed: Option<Error>,
}

impl Write for Taking<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.file.append(&mut [IoSlice::new(bytes)]) {
            Ok(()) => Ok(bytes.len()),
            Err(e) => {
                self.failed = Some(e);
                Err(io::Error::other("the file takes no more"))
            }
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Timeline {
    /// Writes it into a file, which appears when it is whole.
    pub fn save(&self, mut file: AtomicFile) -> Result<()> {
        let mut taking = Taking { file: &mut file, failed: None };
        let mut to = BufWriter::new(&mut taking);
        let written = self.write(&mut to).and_then(|()| to.flush());
        drop(to);
        match (taking.failed, written) {
            (Some(e), _) => Err(e),
            (None, Err(e)) => Err(io_error(file.name(), "write the timeline", e)),
            (None, Ok(())) => file.commit(false),
        }
    }

    /// Writes it as Chrome's trace events, in JSON, which Perfetto and `chrome://tracing` open.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        // A number for each thread: the caller is 0.
        let thread = |worker: Option<u16>| worker.map_or(0, |worker| u64::from(worker) + 1);
        let mut threads: Vec<Option<u16>> = self.events.iter().map(|event| event.worker).collect();
        threads.sort_unstable();
        threads.dedup();
        write!(to, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{},", json!({ "left_out": self.left_out }))?;
        write!(to, "\"traceEvents\":[")?;
        let process = json!({ "name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": { "name": "forebay" } });
        write!(to, "\n{process}")?;
        for worker in threads {
            let name = worker.map_or("caller".to_owned(), |worker| format!("worker {worker}"));
            let tid = thread(worker);
            let line = json!({ "name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "args": { "name": name } });
            write!(to, ",\n{line}")?;
        }
        for event in &self.events {
            let number = if event.worker.is_some() { "sample" } else { "step" };
            // Microseconds.
            let [begin, time] = [event.begin, event.nanos].map(|nanos| nanos as f64 / 1e3);
            let mut line = json!({
                "name": event.name,
                "cat": if event.name.starts_with("wait") { "wait" } else { "work" },
                "ph": "X", "pid": 1, "tid": thread(event.worker), "ts": begin, "dur": time,
            });
            if let (Some(epoch), Some(of)) = (event.epoch, event.number) {
                line["args"] = json!({ "epoch": epoch, number: of });
            }
            write!(to, ",\n{line}")?;
        }
        writeln!(to, "\n]}}")
    }
}

/// Takes down what happens, until it has as much as it was made for. Its memory is there from the start.
#[derive(Debug)]
pub(super) struct Recorder {
    begun: Instant,
    most: usize,
    taken: Mutex<Timeline>,
}

impl Recorder {
    pub(super) fn new(most: usize) -> Result<Recorder> {
        let mut events = Vec::new();
        if let Err(e) = events.try_reserve_exact(most) {
            let message = format!("there is no memory for a timeline of {most} events");
            return Err(Error::caused(&codes::SETTINGS, message, e));
        }
        Ok(Recorder { begun: Instant::now(), most, taken: Mutex::new(Timeline { events, left_out: 0 }) })
    }

    /// What was taken down so far.
    pub(super) fn timeline(&self) -> Timeline {
        lock(&self.taken).clone()
    }
    /// How many events that is.
    pub(super) fn events(&self) -> usize {
        lock(&self.taken).events.len()
    }

    pub(super) fn sample(&self, (worker, epoch, sample): (u16, u64, u64), stage: Stage, time: (Instant, u64)) {
        let name = match stage {
            Stage::Reading => "read",
            Stage::Verifying => "verify",
            Stage::Decoding => "decode",
            Stage::Making => "transform",
            Stage::Targets => "targets",
        };
        self.take((name, worker), Some((epoch, sample)), time);
    }

    pub(super) fn wait(&self, worker: u16, time: (Instant, u64), at: Option<(u64, u64)>) {
        let name = if worker == CALLER { "wait for data" } else { "wait for trainer" };
        self.take((name, worker), at, time);
    }

    fn take(&self, (name, worker): (&'static str, u16), at: Option<(u64, u64)>, (since, nanos): (Instant, u64)) {
        let begin = since.saturating_duration_since(self.begun).as_nanos();
        let event = Event {
            name,
            worker: (worker != CALLER).then_some(worker),
            epoch: at.map(|at| at.0),
            number: at.map(|at| at.1),
            begin: u64::try_from(begin).unwrap_or(u64::MAX),
            nanos,
        };
        let mut taken = lock(&self.taken);
        if taken.events.len() < self.most {
            taken.events.push(event);
        } else {
            taken.left_out += 1;
        }
    }
}
