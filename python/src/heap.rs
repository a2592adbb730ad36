//! Where the memory of this module comes from: the system, of which large pieces are kept for a while.
//!
//! A table of a million rows has columns of 8 and 16 MB. The system clears each page of such memory when it is touched first and takes
//! all of it back when it is freed: that costs several times as much as writing the numbers. So some of the memory in pieces of 4 MiB
//! and more waits here for the next who asks for as much, as in the allocators that other data frames bring. What waits is lent to the
//! system: it takes that before it takes anything else, should it need memory. Large pages are not asked for: where memory is in
//! pieces, as on a machine that has run for days, the system moves others to make one, which takes longer than all the small ones.
//!
//! Nothing is locked, so that nobody waits behind a `fork` for a thread that is not there: what waits is a few words, each taken or
//! put by one exchange.

use std::alloc::{GlobalAlloc, Layout, System};

/// What this module allocates by.
#[global_allocator]
static HEAP: Heap = Heap;

struct Heap;

#[cfg(not(target_os = "linux"))]
// SAFETY: all of it is the system's.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[cfg(target_os = "linux")]
// SAFETY: a piece is the system's or large, by its size and alignment alone, which its owner gives back as they were. A large one is a
// mapping of its own of `length` bytes: no two pieces share one, it is as large as was asked for or larger, and it begins at a
// multiple of the alignment, as `is_large` asks for no more than a small page has.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if large::is_large(layout.size(), layout.align()) {
            return large::take(layout.size()).unwrap_or_else(|| large::map(layout.size()));
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if large::is_large(layout.size(), layout.align()) {
            // SAFETY: a large piece, which nobody uses any more.
            return unsafe { large::give_back(at, layout.size()) };
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if large::is_large(layout.size(), layout.align()) {
            // What is new the system clears when it is touched; to clear what waited costs no more, and no faults.
            let Some(waited) = large::take(layout.size()) else { return large::map(layout.size()) };
            // SAFETY: a piece of at least that size, which nobody else has.
            unsafe { waited.write_bytes(0, layout.size()) };
            return waited;
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (large::is_large(layout.size(), layout.align()), large::is_large(size, layout.align())) {
            // SAFETY: as the caller promises.
            (false, false) => unsafe { System.realloc(at, layout, size) },
            // SAFETY: a large piece of that size, and its owner's.
            (true, true) => unsafe { large::resize(at, layout.size(), size) },
            // SAFETY: the caller promises a piece of `layout` and that `size` with this alignment is one too; the new piece is another.
            _ => unsafe {
                let made = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                if !made.is_null() {
                    made.copy_from_nonoverlapping(at, layout.size().min(size));
                    self.dealloc(at, layout);
                }
                made
            },
        }
    }
}

/// Pieces that are mappings of their own.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod large {
    use std::{
        ptr::{self, null_mut},
        sync::atomic::{AtomicUsize, Ordering},
    };

    /// Pieces are multiples of this, and begin at one, so that a word holds where one begins and how long it is.
    const PAGE: usize = 2 << 20;
    /// Pieces of at least this much are large: of less, what is added to make a multiple would be much.
    const LEAST: usize = 4 << 20;
    /// A page as the system maps it at least, by which every mapping is aligned.
    const SMALL_PAGE: usize = 4096;
    /// What waits at most, in `PAGE`s, all of it and in one piece.
    const KEPT: usize = 32;
    const LONGEST: usize = 16;

    /// Pieces that wait: a multiple of `PAGE` where one begins, and how many pages it has; 0 where none is.
    static WAITING: [AtomicUsize; 16] = [const { AtomicUsize::new(0) }; 16];
    /// How many pages wait, or are about to.
    static PAGES: AtomicUsize = AtomicUsize::new(0);
    /// Whose turn it is to make room.
    static TURN: AtomicUsize = AtomicUsize::new(0);

    #[inline]
    pub(super) fn is_large(size: usize, align: usize) -> bool {
        size >= LEAST && align <= SMALL_PAGE
    }

    /// How much is mapped. A size is at most `isize::MAX`, so this is at most a page more.
    fn length(size: usize) -> usize {
        size.next_multiple_of(PAGE)
    }

    /// A piece that waited, with what was written into it before, or zeros in places.
    #[cold]
    pub(super) fn take(size: usize) -> Option<*mut u8> {
        let pages = length(size) / PAGE;
        if pages > LONGEST {
            return None;
        }
        WAITING.iter().find_map(|place| {
            let piece = place.load(Ordering::Relaxed);
            let fits = piece % PAGE == pages;
            (fits && place.compare_exchange(piece, 0, Ordering::Acquire, Ordering::Relaxed).is_ok()).then(|| {
                PAGES.fetch_sub(pages, Ordering::Relaxed);
                ptr::with_exposed_provenance_mut(piece - pages)
            })
        })
    }

    /// A new piece, all zeros, at a multiple of `PAGE`; null where the system has none.
    #[cold]
    pub(super) fn map(size: usize) -> *mut u8 {
        let length = length(size);
        // So much that a multiple of it lies inside, with what is wanted behind it.
        let Some(asked) = length.checked_add(PAGE) else { return null_mut() };
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, which replaces none.
        let mapped = unsafe { libc::mmap(null_mut(), asked, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return null_mut();
        }
        let mapped = mapped.cast::<u8>();
        let front = mapped.addr().next_multiple_of(PAGE) - mapped.addr();
        // SAFETY: `front` and what is behind `front + length` lie inside of the mapping and outside of the piece, so that nobody uses
        // them; in all that is one `PAGE`, in parts that are multiples of what the system maps.
        unsafe {
            let piece = mapped.add(front);
            for (at, over) in [(mapped, front), (piece.add(length), PAGE - front)] {
                if over > 0 {
                    libc::munmap(at.cast(), over);
                }
            }
            piece
        }
    }

    /// Keeps a piece for the next, or gives it back to the system.
    ///
    /// # Safety
    /// `at` is a piece of `size`, and nobody uses it.
    #[cold]
    pub(super) unsafe fn give_back(at: *mut u8, size: usize) {
        let pages = length(size) / PAGE;
        // One that was moved may begin elsewhere.
        if pages > LONGEST || !at.addr().is_multiple_of(PAGE) {
            // SAFETY: the caller's.
            return unsafe { unmap(at, pages) };
        }
        PAGES.fetch_add(pages, Ordering::Relaxed);
        for _ in 0..WAITING.len() {
            if PAGES.load(Ordering::Relaxed) <= KEPT {
                break;
            }
            // Those that nobody took for long are of a size that nobody wants.
            let turn = TURN.fetch_add(1, Ordering::Relaxed) % WAITING.len();
            let piece = WAITING.get(turn).map_or(0, |place| place.swap(0, Ordering::Acquire));
            if piece != 0 {
                let old = piece % PAGE;
                PAGES.fetch_sub(old, Ordering::Relaxed);
                // SAFETY: whoever takes a piece out of its place has it alone.
                unsafe { unmap(ptr::with_exposed_provenance_mut(piece - old), old) };
            }
        }
        // The system may take it back when it needs memory; until then it costs nothing to use it again.
        // SAFETY: what a piece holds that nobody uses does not matter.
        let lent = unsafe { libc::madvise(at.cast(), pages * PAGE, libc::MADV_FREE) } == 0;
        let piece = at.expose_provenance() + pages;
        let put = |place: &AtomicUsize| place.compare_exchange(0, piece, Ordering::Release, Ordering::Relaxed).is_ok();
        if !(lent && PAGES.load(Ordering::Relaxed) <= KEPT && WAITING.iter().any(put)) {
            PAGES.fetch_sub(pages, Ordering::Relaxed);
            // SAFETY: the caller's; it was put nowhere.
            unsafe { unmap(at, pages) };
        }
    }

    /// The same piece with another size, moved where that takes it; null, and the piece as it was, where there is no memory.
    ///
    /// # Safety
    /// `at` is a piece of `old`.
    #[cold]
    pub(super) unsafe fn resize(at: *mut u8, old: usize, size: usize) -> *mut u8 {
        let (old, new) = (length(old), length(size));
        if old == new {
            return at;
        }
        // SAFETY: the caller's; pages are moved, and not copied.
        let moved = unsafe { libc::mremap(at.cast(), old, new, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED { null_mut() } else { moved.cast() }
    }

    /// # Safety
    /// `at` is a piece of that many pages, and nobody uses it.
    unsafe fn unmap(at: *mut u8, pages: usize) {
        // SAFETY: the caller's.
        unsafe { libc::munmap(at.cast(), pages * PAGE) };
    }
}
