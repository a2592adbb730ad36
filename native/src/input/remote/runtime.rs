//! The one place where threads that wait meet work that does not: everybody else calls a function and gets its answer.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError, mpsc},
};

use forebay::{Error, Result, error::codes::IO};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
};

/// Threads that move bytes from sockets, and undo their encryption, at most.
const THREADS: usize = 4;

/// A runtime, and the process whose threads it has: in a child that was forked they are not there.
static RUNTIME: Mutex<Option<(u32, Arc<Runtime>)>> = Mutex::new(None);

fn runtime() -> Result<Arc<Runtime>> {
    let mut held = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((of, runtime)) = &*held
        && *of == process
    {
        return Ok(runtime.clone());
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    let made = Builder::new_multi_thread().worker_threads(threads).thread_name("forebay-net").enable_all().build();
    let made = made.map_err(|e| Error::caused(&IO, format!("cannot start the threads of the network: {e}"), e))?;
    let made = Arc::new(made);
    // The parent's, if this is a child, is never let go: that would wait for threads that are not there.
    std::mem::forget(held.replace((process, made.clone())));
    Ok(made)
}

/// Does work, and waits for what comes of it.
pub(super) fn wait<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let (send, answer) = mpsc::sync_channel(1);
    start(async move {
        let _ = send.send(work.await);
    })?;
    answer.recv().map_err(|e| Error::caused(&IO, "the work of the network ended without an answer", e))?
}

/// Does work that nobody waits for here.
pub(super) fn start(work: impl Future<Output = ()> + Send + 'static) -> Result<()> {
    drop(spawn(work)?);
    Ok(())
}

/// Does work that can be ended.
pub(super) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Result<JoinHandle<()>> {
    Ok(runtime()?.spawn(work))
}
