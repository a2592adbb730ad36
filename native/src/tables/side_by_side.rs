//! A few pieces of work at once, for as long as it takes.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use forebay::{Error, Result};

use crate::parallel::codes;

/// What `work` makes of each task, in their order, on at most this many threads, the caller's one of them. The heaviest
/// tasks begin first. Where tasks fail, the first of them says why, whatever the threads did.
pub(super) fn side_by_side<T: Send, R: Send>(
    tasks: Vec<T>,
    workers: usize,
    weight: impl Fn(&T) -> usize,
    work: impl Fn(T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let count = tasks.len();
    if workers.min(count) < 2 {
        return tasks.into_iter().map(work).collect();
    }
    let mut waiting: Vec<(usize, T)> = tasks.into_iter().enumerate().collect();
    waiting.sort_by_key(|(_, task)| weight(task));
    let (waiting, done) = (Mutex::new(waiting), Mutex::new(Vec::with_capacity(count)));
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let turns = || {
        while let Some((number, task)) = next() {
            let outcome = work(task);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, outcome));
        }
    };
    thread::scope(|scope| {
        // If the system has no thread to give, those that there are do all of it.
        let begin = |_| thread::Builder::new().name("forebay-encode".into()).spawn_scoped(scope, turns).ok();
        let others: Vec<_> = (1..workers.min(count)).map_while(begin).collect();
        turns();
        for other in others {
            // What a thread that panicked had not done is missing below.
            let _ = other.join();
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    if done.len() < count {
        return Err(Error::new(&codes::WORKER, "a worker stopped before its work was done"));
    }
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_the_first_fault_is_the_one_that_is_told() {
        for workers in [0, 1, 2, 5, 100] {
            let tasks: Vec<usize> = (0..50).collect();
            let doubled = side_by_side(tasks.clone(), workers, |n| n * 7 % 13, |n| Ok(2 * n)).unwrap();
            assert!(doubled.iter().enumerate().all(|(i, n)| *n == 2 * i), "{workers}");
            let fail = |n: usize| match n % 20 {
                7 => Err(Error::new(&codes::WORKER, "no").row(n as u64)),
                _ => Ok(()),
            };
            let e = side_by_side(tasks, workers, |n| *n, fail).unwrap_err();
            assert_eq!(e.place().row, Some(7), "{workers}");
        }
        assert!(side_by_side(Vec::<u8>::new(), 4, |_| 0, Ok).unwrap().is_empty());
    }
}
