//! Which queue carries tasks to the loader's workers: one producer, many consumers, bounded, parking when idle.
//!
//! `cargo run --profile dist -p forebay-native --example loader_queue [-- TASKS]`, of which a run has a million otherwise.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a program that measures")]

use std::{
    hint::black_box,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use crossbeam_queue::ArrayQueue;

/// The loader's room for batches of 64 with two ahead.
const ROOM: usize = 128;
const ROUNDS: usize = 5;

type Task = (Arc<u64>, usize);

/// Work of about this many nanoseconds.
fn work(task: &Task, nanos: u64) {
    if nanos > 0 {
        let begun = Instant::now();
        while (begun.elapsed().as_nanos() as u64) < nanos {
            std::hint::spin_loop();
        }
    }
    black_box(task);
}

fn channel(consumers: usize, tasks: usize, nanos: u64) -> f64 {
    let (give, take) = crossbeam_channel::bounded::<Task>(ROOM);
    let flight = Arc::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..consumers {
            let take = take.clone();
            scope.spawn(move || take.iter().for_each(|task| work(&task, nanos)));
        }
        (0..tasks).for_each(|i| give.send((flight.clone(), i)).unwrap());
        drop(give);
    });
    tasks as f64 / begun.elapsed().as_secs_f64()
}

/// A lock-free queue; who finds it empty (or full) spins a little and then waits for a signal.
struct Parking {
    queue: ArrayQueue<Task>,
    sleeping: AtomicUsize,
    ended: AtomicBool,
    lock: Mutex<()>,
    signal: Condvar,
}

impl Parking {
    fn push(&self, mut task: Task) {
        while let Err(back) = self.queue.push(task) {
            task = back;
            thread::yield_now();
        }
        self.wake();
    }
    fn wake(&self) {
        std::sync::atomic::fence(Ordering::SeqCst);
        if self.sleeping.load(Ordering::Relaxed) > 0 {
            drop(self.lock.lock().unwrap());
            self.signal.notify_one();
        }
    }
    fn pop(&self) -> Option<Task> {
        for _ in 0..64 {
            if let Some(task) = self.queue.pop() {
                return Some(task);
            }
            std::hint::spin_loop();
        }
        let mut guard = self.lock.lock().unwrap();
        self.sleeping.fetch_add(1, Ordering::Relaxed);
        std::sync::atomic::fence(Ordering::SeqCst);
        let task = loop {
            if let Some(task) = self.queue.pop() {
                break Some(task);
            }
            if self.ended.load(Ordering::Acquire) {
                break None;
            }
            guard = self.signal.wait(guard).unwrap();
        };
        self.sleeping.fetch_sub(1, Ordering::Relaxed);
        task
    }
}

fn array_queue(consumers: usize, tasks: usize, nanos: u64) -> f64 {
    let queue = Parking {
        queue: ArrayQueue::new(ROOM),
        sleeping: AtomicUsize::new(0),
        ended: AtomicBool::new(false),
        lock: Mutex::new(()),
        signal: Condvar::new(),
    };
    let flight = Arc::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..consumers {
            let queue = &queue;
            scope.spawn(move || {
                while let Some(task) = queue.pop() {
                    work(&task, nanos);
                }
            });
        }
        (0..tasks).for_each(|i| queue.push((flight.clone(), i)));
        queue.ended.store(true, Ordering::Release);
        drop(queue.lock.lock().unwrap());
        queue.signal.notify_all();
    });
    tasks as f64 / begun.elapsed().as_secs_f64()
}

fn standard(consumers: usize, tasks: usize, nanos: u64) -> f64 {
    let (give, take) = std::sync::mpsc::sync_channel::<Task>(ROOM);
    let take = Mutex::new(take);
    let flight = Arc::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..consumers {
            let take = &take;
            scope.spawn(move || {
                loop {
                    let task = take.lock().unwrap().recv();
                    let Ok(task) = task else { break };
                    work(&task, nanos);
                }
            });
        }
        (0..tasks).for_each(|i| give.send((flight.clone(), i)).unwrap());
        drop(give);
    });
    tasks as f64 / begun.elapsed().as_secs_f64()
}

type Run = fn(usize, usize, u64) -> f64;

fn main() {
    let queues: [(&str, Run); 3] = [
        ("crossbeam-channel, bounded", channel),
        ("ArrayQueue with parking", array_queue),
        ("std sync_channel behind a lock", standard),
    ];
    let all = std::env::args().nth(1).map_or(1_000_000, |n| n.parse().unwrap());
    println!("million tasks a second, median of {ROUNDS} interleaved runs");
    for (consumers, nanos) in [(1, 0), (2, 0), (8, 0), (2, 30_000)] {
        let tasks = if nanos > 0 { all / 50 } else { all };
        let mut results = queues.map(|_| Vec::new());
        for _ in 0..ROUNDS {
            queues.iter().zip(&mut results).for_each(|((_, run), all)| all.push(run(consumers, tasks, nanos)));
        }
        for ((name, _), mut all) in queues.iter().zip(results) {
            all.sort_by(f64::total_cmp);
            println!("{consumers} consumers, {nanos:6} ns of work: {name:31} {:8.3}", all[ROUNDS / 2] / 1e6);
        }
    }
}
