//! Work on many threads, results in order, memory bounded.
//!
//! One thread feeds, the workers work, the caller's thread takes the results in the order of the items. If the system
//! cannot give that many threads, those that there are do the work; at worst the caller's alone.
//! Items travel in chunks; a chunk is fed only when a ticket is free, and its ticket is free again when its
//! results were taken. So what is in flight is bounded, however uneven the work is.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    thread::{self, Builder},
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use forebay::{Error, Result};

use super::{
    MOST_THREADS, codes,
    cores::{Core, Cores},
};

/// A chunk holds at most this many bytes (by `weigh`) and items, unless one item alone is larger.
pub(crate) const CHUNK_BYTES: u64 = 1 << 20;
const CHUNK_ITEMS: usize = 256;

/// Feeds `items` through `work` on `workers` threads and hands chunks of results to `sink`, in order. The first
/// error in that order ends it.
pub fn ordered<T: Send, R: Send>(
    items: impl Iterator<Item = Result<T>> + Send,
    weigh: impl Fn(&T) -> u64 + Send,
    workers: usize,
    work: impl Fn(T) -> R + Sync,
    mut sink: impl FnMut(Vec<R>) -> Result<()>,
) -> Result<()> {
    let workers = workers.clamp(1, MOST_THREADS);
    let (ticket_give, ticket_take) = unbounded();
    for _ in 0..2 * workers + 2 {
        // The other end is in scope, so this cannot fail.
        let _ = ticket_give.send(());
    }
    let (task_give, task_take) = bounded::<(u64, Vec<T>)>(workers);
    let (done_give, done_take) = unbounded::<(u64, Result<Vec<R>>)>();
    // Taken by the thread that feeds, and left here where there is none.
    let feeding = Mutex::new(Some((items, weigh, ticket_take, task_give, done_give.clone())));
    let take_feeding = || feeding.lock().unwrap_or_else(PoisonError::into_inner).take();
    thread::scope(|scope| {
        let work = &work;
        let (mut threads, cores) = (Vec::new(), Cores::new(workers));
        for number in 0..workers {
            let (tasks, done) = (task_take.clone(), done_give.clone());
            let mut core = Core::new(cores.clone(), number);
            let turns = move || {
                loop {
                    let waiting = tasks.try_recv().or_else(|_| {
                        core.rise();
                        tasks.recv()
                    });
                    let Ok((number, chunk)) = waiting else { break };
                    core.sit();
                    if done.send((number, Ok(chunk.into_iter().map(work).collect()))).is_err() {
                        break;
                    }
                }
            };
            match Builder::new().name(format!("forebay-{number}")).spawn_scoped(scope, turns) {
                Ok(thread) => threads.push(thread),
                Err(_) => break,
            }
        }
        drop((task_take, done_give));
        let turn = || {
            take_feeding().map_or(0, |(items, weigh, tickets, tasks, done)| feed(items, weigh, tickets, tasks, done))
        };
        let feeder = match threads.is_empty() {
            true => None,
            false => Builder::new().name("forebay-feed".into()).spawn_scoped(scope, turn).ok(),
        };
        let Some(feeder) = feeder else {
            let left = take_feeding();
            return left.map_or(Ok(()), |(items, _, _, tasks, done)| {
                // The workers that there are come to their end.
                drop((tasks, done));
                alone(items, work, &mut sink)
            });
        };
        let (next, outcome) = in_order(&done_take, &ticket_give, &mut sink);
        // Without tickets and receivers the other threads come to their end.
        drop((ticket_give, done_take));
        let fed = feeder.join().unwrap_or(u64::MAX);
        // Joined one by one, for the scope would pass on the panic of a thread that is not.
        let mut whole = true;
        for thread in threads {
            whole &= thread.join().is_ok();
        }
        if outcome.is_ok() && !(whole && next == fed) {
            return Err(Error::new(&codes::WORKER, "a worker stopped before its work was done"));
        }
        outcome
    })
}

/// Hands chunks of results on in their order, and how many that were.
fn in_order<R>(
    done: &Receiver<(u64, Result<Vec<R>>)>,
    tickets: &Sender<()>,
    mut sink: impl FnMut(Vec<R>) -> Result<()>,
) -> (u64, Result<()>) {
    let (mut early, mut next) = (BTreeMap::new(), 0);
    for (number, chunk) in done {
        early.insert(number, chunk);
        while let Some(chunk) = early.remove(&next) {
            next += 1;
            let outcome = chunk.and_then(&mut sink);
            if outcome.is_err() {
                return (next, outcome);
            }
            // A feeder that is done takes no more tickets.
            let _ = tickets.send(());
        }
    }
    (next, Ok(()))
}

/// All of it on the caller's thread.
fn alone<T, R>(
    mut items: impl Iterator<Item = Result<T>>,
    work: impl Fn(T) -> R,
    mut sink: impl FnMut(Vec<R>) -> Result<()>,
) -> Result<()> {
    items.try_for_each(|item| sink(vec![work(item?)]))
}

/// Groups items into chunks; returns how many chunks, the one with an error included, were sent.
fn feed<T, R>(
    items: impl Iterator<Item = Result<T>>,
    weigh: impl Fn(&T) -> u64,
    tickets: crossbeam_channel::Receiver<()>,
    tasks: crossbeam_channel::Sender<(u64, Vec<T>)>,
    done: crossbeam_channel::Sender<(u64, Result<Vec<R>>)>,
) -> u64 {
    let (mut number, mut chunk, mut weight) = (0, Vec::new(), 0);
    let send = |chunk: Vec<T>, number: u64| tickets.recv().is_ok() && tasks.send((number, chunk)).is_ok();
    for item in items {
        match item {
            Ok(item) => {
                weight += weigh(&item);
                chunk.push(item);
                if weight >= CHUNK_BYTES || chunk.len() >= CHUNK_ITEMS {
                    if !send(std::mem::take(&mut chunk), number) {
                        return number;
                    }
                    (number, weight) = (number + 1, 0);
                }
            }
            Err(e) => {
                if !chunk.is_empty() && send(std::mem::take(&mut chunk), number) {
                    number += 1;
                }
                let _ = done.send((number, Err(e)));
                return number + 1;
            }
        }
    }
    if !chunk.is_empty() && send(chunk, number) {
        number += 1;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_work_costs() {
        for workers in [1, 2, 8] {
            let mut out = Vec::new();
            let items = (0..10_000u64).map(Ok);
            let work = |n: u64| {
                if n.is_multiple_of(997) {
                    thread::sleep(std::time::Duration::from_millis(2));
                }
                n * 2
            };
            ordered(
                items,
                |_| 40_000,
                workers,
                work,
                |chunk| {
                    out.extend(chunk);
                    Ok(())
                },
            )
            .unwrap();
            assert_eq!(out, (0..10_000).map(|n| n * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_it_after_what_came_before() {
        let items = (0..100u64).map(|n| if n == 70 { Err(Error::new(&codes::WORKER, "seventy")) } else { Ok(n) });
        let mut out = Vec::new();
        let e = ordered(
            items,
            |_| 1 << 20,
            4,
            |n| n,
            |chunk| {
                out.extend(chunk);
                Ok(())
            },
        );
        assert_eq!(e.unwrap_err().message(), "seventy");
        assert_eq!(out, (0..70).collect::<Vec<_>>());
        let e = ordered(
            (0..1000u64).map(Ok),
            |_| 1 << 20,
            4,
            |n| n,
            |c| match c[0] {
                500 => Err(Error::new(&codes::WORKER, "full")),
                _ => Ok(()),
            },
        );
        assert_eq!(e.unwrap_err().message(), "full");
    }

    #[test]
    fn what_is_in_flight_is_bounded() {
        use std::sync::atomic::{AtomicI64, Ordering};
        let (flying, most) = (AtomicI64::new(0), AtomicI64::new(0));
        let items = (0..500u64).map(|n| {
            most.fetch_max(flying.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            Ok(n)
        });
        ordered(
            items,
            |_| 1 << 20,
            2,
            |n| n,
            |chunk| {
                thread::sleep(std::time::Duration::from_micros(200));
                flying.fetch_sub(chunk.len() as i64, Ordering::SeqCst);
                Ok(())
            },
        )
        .unwrap();
        assert!(most.load(Ordering::SeqCst) <= 8, "{most:?}");
    }
}
