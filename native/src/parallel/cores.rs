//! Places for the workers of a pool: each works on a processor of its own, as far as there are enough.
//!
//! A system may begin two threads on one processor and leave another idle for as long as 300 ms, which is all the time that
//! some work takes. So a worker notes on which processor it begins a piece of work. If it finds another there that is at
//! work, it moves to one where none is, by allowing itself only that and then again what it was allowed before. Nothing
//! is pinned: from then on the system does as it likes. What the system refuses is left as it is.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

/// Processors that are known apart; workers on others stay where they are.
const MOST: usize = 1024;

/// How long a worker stays before it looks for another processor again: where other programs work, there may be none
/// that is better, and the system's own plans are not to be upset all the time.
const STAY: Duration = Duration::from_millis(20);

/// Which worker is at work on which processor, as far as they have said.
#[derive(Debug)]
pub(crate) struct Cores {
    /// The number of a worker and one; 0 where none is.
    taken: Box<[AtomicU32]>,
}

impl Cores {
    /// For that many workers. None where they can never have one each, or nothing is to be gained.
    pub(crate) fn new(workers: usize) -> Option<Arc<Cores>> {
        let useful = cfg!(target_os = "linux") && (2..=super::all_cores()).contains(&workers);
        useful.then(|| Arc::new(Cores { taken: (0..MOST).map(|_| AtomicU32::new(0)).collect() }))
    }

    fn take(&self, processor: usize, who: u32) -> bool {
        let taken = self.taken.get(processor);
        taken.is_some_and(|taken| match taken.compare_exchange(0, who, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(other) => other == who,
        })
    }

    fn leave(&self, processor: Option<usize>, who: u32) {
        if let Some(taken) = processor.and_then(|processor| self.taken.get(processor)) {
            // Who is there now, if it is another, stays.
            let _ = taken.compare_exchange(who, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// Where one worker is.
#[derive(Debug)]
pub(crate) struct Core {
    cores: Option<Arc<Cores>>,
    who: u32,
    at: Option<usize>,
    /// When it last looked for another.
    looked: Option<Instant>,
}

impl Core {
    pub(crate) fn new(cores: Option<Arc<Cores>>, worker: usize) -> Core {
        let who = u32::try_from(worker).unwrap_or(u32::MAX).saturating_add(1);
        Core { cores, who, at: None, looked: None }
    }

    /// Before a piece of work: notes where this thread is, and moves if another is at work there.
    pub(crate) fn sit(&mut self) {
        if let Some(cores) = self.cores.take() {
            self.sit_by(&cores, &mut system::This);
            self.cores = Some(cores);
        }
    }

    /// Before a time without work: its processor is free for others.
    pub(crate) fn rise(&mut self) {
        if let Some(cores) = &self.cores {
            cores.leave(self.at.take(), self.who);
        }
    }

    fn sit_by<S: System>(&mut self, cores: &Cores, system: &mut S) {
        let Some(here) = system.processor() else { return };
        if self.at == Some(here) {
            return;
        }
        cores.leave(self.at.take(), self.who);
        if cores.take(here, self.who) {
            self.at = Some(here);
            return;
        }
        if self.looked.is_some_and(|looked| looked.elapsed() < STAY) {
            return;
        }
        self.looked = Some(Instant::now());
        let Some(allowed) = system.allowed() else { return };
        // Neighbors first: they share most with this one.
        let others = (here + 1..MOST).chain(0..here);
        let free = others.filter(|processor| S::has(&allowed, *processor)).find(|free| cores.take(*free, self.who));
        let Some(free) = free else { return };
        self.at = Some(free);
        if !system.move_to(free, &allowed) {
            cores.leave(self.at.take(), self.who);
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.rise();
    }
}

/// What this needs of a system, for the calling thread.
trait System {
    /// Processors.
    type Set: PartialEq;
    /// Where the thread runs now.
    fn processor(&self) -> Option<usize>;
    /// Where it may run.
    fn allowed(&self) -> Option<Self::Set>;
    fn allow(&mut self, set: &Self::Set) -> bool;
    fn has(set: &Self::Set, processor: usize) -> bool;
    fn only(processor: usize) -> Self::Set;
    /// Every processor that could be.
    fn every() -> Self::Set;

    /// Makes the thread run there, and allows it again what it was allowed. False if it was not moved.
    fn move_to(&mut self, processor: usize, allowed: &Self::Set) -> bool {
        if !self.allow(&Self::only(processor)) {
            return false;
        }
        // A system keeps what a thread asked for apart from what its group of processes is given, which may grow later.
        // A thread that never asked has to be so again, and whoever asked for less has to have less again.
        let all = self.allow(&Self::every());
        if !all || self.allowed().is_none_or(|now| now != *allowed) {
            // If even this is refused, what it may is what its group was given meanwhile, or else where it is now.
            let _ = self.allow(allowed);
        }
        true
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    use super::MOST;

    /// The calling thread.
    pub(super) struct This;

    impl super::System for This {
        type Set = CpuSet;
        fn processor(&self) -> Option<usize> {
            Some(sched_getcpu())
        }
        fn allowed(&self) -> Option<CpuSet> {
            sched_getaffinity(None).ok()
        }
        fn allow(&mut self, set: &CpuSet) -> bool {
            sched_setaffinity(None, set).is_ok()
        }
        fn has(set: &CpuSet, processor: usize) -> bool {
            processor < CpuSet::MAX_CPU && set.is_set(processor)
        }
        fn only(processor: usize) -> CpuSet {
            let mut set = CpuSet::new();
            if processor < CpuSet::MAX_CPU {
                set.set(processor);
            }
            set
        }
        fn every() -> CpuSet {
            let mut set = CpuSet::new();
            (0..MOST.min(CpuSet::MAX_CPU)).for_each(|processor| set.set(processor));
            set
        }
    }
}

/// Other systems are not asked: there are no cores on them.
#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) struct This;

    impl super::System for This {
        type Set = ();
        fn processor(&self) -> Option<usize> {
            None
        }
        fn allowed(&self) -> Option<()> {
            None
        }
        fn allow(&mut self, (): &()) -> bool {
            false
        }
        fn has((): &(), _: usize) -> bool {
            false
        }
        fn only(_: usize) {}
        fn every() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine of eight processors, by bits: what the group has, what the thread asked for, and the place it runs on.
    struct Fake {
        group: u8,
        asked: u8,
        at: usize,
        moves: Vec<usize>,
        /// Calls that are refused, counted from the first.
        refused: Vec<usize>,
        calls: usize,
    }

    impl Fake {
        fn new(group: u8, asked: u8, at: usize) -> Fake {
            Fake { group, asked, at, moves: Vec::new(), refused: Vec::new(), calls: 0 }
        }
    }

    impl System for Fake {
        type Set = u8;
        fn processor(&self) -> Option<usize> {
            Some(self.at)
        }
        fn allowed(&self) -> Option<u8> {
            Some(self.group & self.asked)
        }
        fn allow(&mut self, set: &u8) -> bool {
            self.calls += 1;
            if self.refused.contains(&(self.calls - 1)) || self.group & set == 0 {
                return false;
            }
            self.asked = *set;
            if self.group & self.asked & (1 << self.at) == 0 {
                self.at = (self.group & self.asked).trailing_zeros() as usize;
                self.moves.push(self.at);
            }
            true
        }
        fn has(set: &u8, processor: usize) -> bool {
            processor < 8 && set & (1 << processor) != 0
        }
        fn only(processor: usize) -> u8 {
            1 << processor
        }
        fn every() -> u8 {
            0xff
        }
    }

    fn cores() -> Arc<Cores> {
        Arc::new(Cores { taken: (0..MOST).map(|_| AtomicU32::new(0)).collect() })
    }

    fn two(cores: &Arc<Cores>) -> (Core, Core) {
        (Core::new(Some(cores.clone()), 0), Core::new(Some(cores.clone()), 1))
    }

    #[test]
    fn who_meets_another_at_work_moves_to_a_processor_that_it_may_use() {
        // The group has 1, 2, 4 and 6; the thread asked for nothing, or not for 2.
        for (asked, to) in [(0xff, 2), (0b1111_1011, 4)] {
            let cores = cores();
            let (mut first, mut second) = two(&cores);
            let (mut one, mut other) = (Fake::new(0b101_0110, 0xff, 1), Fake::new(0b101_0110, asked, 1));
            first.sit_by(&cores, &mut one);
            second.sit_by(&cores, &mut other);
            assert_eq!((one.calls, other.moves.clone()), (0, vec![to]));
            // A thread that asked for nothing gets what its group may be given later.
            assert_eq!(other.asked, if asked == 0xff { 0xff } else { other.group & asked });
            // From now on neither has to move.
            first.sit_by(&cores, &mut one);
            second.sit_by(&cores, &mut other);
            assert_eq!((one.moves.len(), other.moves.len()), (0, 1));
        }
    }

    #[test]
    fn who_is_alone_or_meets_one_that_rests_stays() {
        let cores = cores();
        let (mut first, mut second) = two(&cores);
        let mut here = Fake::new(0b11, 0xff, 0);
        first.sit_by(&cores, &mut here);
        first.rise();
        second.sit_by(&cores, &mut here);
        assert_eq!((here.calls, second.at), (0, Some(0)));
        drop(second);
        first.sit_by(&cores, &mut here);
        assert_eq!((here.calls, first.at), (0, Some(0)), "the place of one that ended is free");
    }

    #[test]
    fn where_none_is_free_nobody_moves_nor_looks_again_at_once() {
        let cores = cores();
        let (mut first, mut second) = two(&cores);
        let (mut one, mut other) = (Fake::new(0b11, 0xff, 0), Fake::new(0b11, 0b01, 0));
        first.sit_by(&cores, &mut one);
        second.sit_by(&cores, &mut other);
        assert_eq!((other.calls, second.at), (0, None));
        // It may go there now, and would; but it has looked a moment ago.
        other.asked = 0xff;
        second.looked = Some(Instant::now() + STAY);
        second.sit_by(&cores, &mut other);
        assert_eq!(other.calls, 0);
        second.looked = None;
        second.sit_by(&cores, &mut other);
        assert_eq!(other.moves, [1]);
    }

    #[test]
    fn what_is_refused_leaves_the_thread_what_it_was_allowed() {
        for asked in [0xff, 0b0111] {
            for refused in [vec![0], vec![1], vec![2]] {
                let cores = cores();
                let (mut first, mut second) = two(&cores);
                let (mut one, mut other) = (Fake::new(0b1111, 0xff, 0), Fake::new(0b1111, asked, 0));
                other.refused = refused.clone();
                first.sit_by(&cores, &mut one);
                second.sit_by(&cores, &mut other);
                let may = other.group & other.asked;
                // The last step alone cannot be undone; what the group has is allowed then.
                let wanted = if refused == [2] { 0b1111 } else { 0b1111 & asked };
                assert_eq!(may, wanted, "{asked:b} {refused:?}");
                assert_eq!(second.at, (refused != [0]).then_some(1));
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_of_this_machine_moves_and_may_run_where_it_might_before() {
        let mut this = system::This;
        let allowed = this.allowed().unwrap();
        let at = this.processor().unwrap();
        let Some(other) = (0..MOST).find(|n| *n != at && system::This::has(&allowed, *n)) else {
            assert_eq!(allowed.count(), 1, "there is no other to move to");
            return;
        };
        assert!(this.allow(&system::This::only(other)));
        assert_eq!(this.processor(), Some(other));
        assert!(this.allow(&allowed));
        // Here another is at work, wherever the system may have put this thread meanwhile.
        let cores = cores();
        let mut mine = Core::new(Some(cores.clone()), 1);
        let here = loop {
            let here = this.processor().unwrap();
            cores.taken[here].store(1, Ordering::Relaxed);
            mine.sit();
            if mine.at.is_some_and(|at| at != here) {
                break here;
            }
            cores.taken[here].store(0, Ordering::Relaxed);
            mine.rise();
            mine.looked = None;
        };
        assert_ne!(mine.at, Some(here));
        assert_eq!(this.allowed().unwrap(), allowed);
    }
}
