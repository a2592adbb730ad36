//! The threads that fetch. They do nothing but wait for answers, so there are more of them than cores.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
};

use super::{Store, store::Ahead};
use crate::input::Input;

/// Threads that fetch what a store is asked for. They end when this is dropped, once their reads have ended.
#[derive(Debug)]
pub(crate) struct Threads {
    store: Arc<Store>,
    threads: Vec<JoinHandle<()>>,
}

/// What is fetched, by its number.
pub(crate) type Inputs = Arc<Vec<Option<Input>>>;

impl Threads {
    /// Starts up to `most` threads; fewer where the system gives no more.
    pub(crate) fn start(store: &Arc<Store>, inputs: &Inputs, most: usize) -> Threads {
        store.close(false);
        let mut all = Threads { store: store.clone(), threads: Vec::new() };
        for number in 0..most {
            let (store, inputs) = (store.clone(), inputs.clone());
            let run = move || {
                store.work(|source, range| {
                    let input = inputs.get(source)?.as_ref()?;
                    // What is wrong is found again, and said, by who needs the bytes.
                    catch_unwind(AssertUnwindSafe(|| input.whole(range).ok())).unwrap_or(None)
                });
            };
            match thread::Builder::new().name(format!("forebay-ahead-{number}")).spawn(run) {
                Ok(thread) => all.threads.push(thread),
                Err(_) => break,
            }
        }
        if all.threads.is_empty() {
            store.close(true);
        }
        all
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.store.close(true);
        self.store.clear();
        for thread in self.threads.drain(..) {
            // A thread catches panics; one that ended by one has nothing more to say.
            let _ = thread.join();
        }
    }
}

impl Input {
    /// The same file, of which bytes are fetched ahead into a store, which knows it by this number.
    pub(crate) fn ahead(&self, number: usize, store: &Arc<Store>) -> Input {
        self.by(|source| Arc::new(Ahead { source, number, store: store.clone() }))
    }
}
