//! Work that takes long: on a thread of its own and without Python's lock, so that other threads of Python go on, progress
//! is told, and Ctrl-C is heard.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{RecvTimeoutError, bounded};
use forebay::{Error, Result, error::codes};
use forebay_native::output::remove_half_written;
use pyo3::prelude::*;

use crate::errors::Raise;

/// How long nobody listens for a signal.
const TURN: Duration = Duration::from_millis(20);
/// How long work that was told to stop may take until its caller goes on without it.
const PATIENCE: Duration = Duration::from_millis(40);
/// How long the end of the process waits for it before it removes what is half written.
const LAST: Duration = Duration::from_secs(1);

/// Work that goes on without its caller.
static LEFT: Mutex<Vec<Weak<Wire>>> = Mutex::new(Vec::new());

/// What the thread that works and the one that waits tell each other.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    done: AtomicU64,
    /// 0 where it is not known.
    total: AtomicU64,
    stopped: AtomicBool,
}

/// What unwinds the stack of work that was stopped.
struct Stopped;

impl Wire {
    /// Says how far the work is. Where it was stopped, it ends here: the stack unwinds and what was half written is
    /// removed on the way, as libraries offer no other way out of their callbacks.
    pub(crate) fn tell(&self, done: u64, total: Option<u64>) {
        self.done.store(done, Relaxed);
        self.total.store(total.unwrap_or(0), Relaxed);
        if self.stopped.load(Relaxed) {
            // Without the hook for panics, which would print.
            resume_unwind(Box::new(Stopped));
        }
    }
}

/// Does `work` without Python's lock and waits for it. `hear` is told how far it is (done, total or 0), some times a
/// second. A signal, or an exception of `hear`, stops the work at its next word.
pub(crate) fn long<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Wire) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let wire = Arc::new(Wire::default());
    let (send, receive) = bounded(1);
    let theirs = wire.clone();
    let started = thread::Builder::new().name("forebay".into()).spawn(move || {
        // Nobody waits for the answer where the caller was interrupted.
        let _ = send.send(catch_unwind(AssertUnwindSafe(|| work(&theirs))));
    });
    started.map_err(|e| Error::caused(&codes::IO, format!("no thread could be started: {e}"), e)).raise(py)?;
    let mut told = (0, 0);
    loop {
        let answer = py.detach(|| receive.recv_timeout(TURN));
        match answer {
            Ok(Ok(result)) => {
                tell(progress, &wire, &mut told)?;
                return result.raise(py);
            }
            Ok(Err(panic)) => return Err(panicked(panic)),
            Err(RecvTimeoutError::Timeout) => {
                let heard = py.check_signals().and_then(|()| tell(progress, &wire, &mut told));
                if let Err(e) = heard {
                    wire.stopped.store(true, Relaxed);
                    // Usually it ends within moments; otherwise it goes on until its next word, and nobody waits.
                    if let Err(RecvTimeoutError::Timeout) = py.detach(|| receive.recv_timeout(PATIENCE)) {
                        leave(py, &wire)?;
                    }
                    return Err(e);
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(panicked(Box::new("a thread ended without a word"))),
        }
    }
}

/// Goes on without work that was stopped. Where it is not done when Python ends, its half-written files are removed then.
fn leave(py: Python<'_>, wire: &Arc<Wire>) -> PyResult<()> {
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    if left.is_empty() {
        py.import("atexit")?.call_method1("register", (wrap_pyfunction!(end_left, py)?,))?;
    }
    left.push(Arc::downgrade(wire));
    Ok(())
}

#[pyfunction]
fn end_left(py: Python<'_>) {
    py.detach(|| {
        let begun = Instant::now();
        let goes_on = || LEFT.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|wire| wire.strong_count() > 0);
        while goes_on() && begun.elapsed() < LAST {
            thread::sleep(TURN);
        }
        if goes_on() {
            remove_half_written();
        }
    });
}

fn tell(progress: Option<&Bound<'_, PyAny>>, wire: &Wire, told: &mut (u64, u64)) -> PyResult<()> {
    let now = (wire.done.load(Relaxed), wire.total.load(Relaxed));
    if let (Some(progress), true) = (progress, now != *told) {
        *told = now;
        progress.call1(now)?;
    }
    Ok(())
}

fn panicked(panic: Box<dyn Any + Send>) -> PyErr {
    let words =
        panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
    let words = words.unwrap_or_else(|| "no words".into());
    pyo3::exceptions::PyRuntimeError::new_err(format!("a bug of Forebay: {words}"))
}
