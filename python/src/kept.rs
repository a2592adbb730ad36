//! Long memory that was returned, kept for whoever asks for as much next.
//!
//! What is read table by table, or batch by batch, asks for the same lengths again and again; from the kernel each comes as zeros,
//! which costs as much as filling it. What is kept here was said to be free: the kernel takes its pages when it needs them.
//! Nobody waits for anybody here, so that a process that forks while another thread is at work is not held up.

use std::{
    ptr::null_mut,
    sync::atomic::{AtomicPtr, AtomicUsize, Ordering},
};

/// How long a large page is on x86-64, and on aarch64 where the others are 4 kB long.
pub(crate) const PAGE: usize = 2 << 20;

/// How much is kept in all. More is returned at once.
const MOST: usize = 32 * PAGE;

/// How many pieces at most.
const PLACES: usize = 24;

/// Pieces that begin at a large page; how many pages they have stands in the bits of the address that are free for it.
static KEPT: [AtomicPtr<u8>; PLACES] = [const { AtomicPtr::new(null_mut()) }; PLACES];

/// How many bytes they have, or are about to have.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Keeps memory of `size` bytes, a multiple of [`PAGE`], that nobody uses any more; `false` if it is to be returned.
pub(crate) fn keep(memory: *mut u8, size: usize) -> bool {
    let pages = size / PAGE;
    if size > MOST || !memory.addr().is_multiple_of(PAGE) {
        return false;
    }
    if BYTES.fetch_add(size, Ordering::Relaxed) + size <= MOST {
        // SAFETY: pages within memory that is free. Whoever gets it must expect any content.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(memory.cast(), size, libc::MADV_FREE)
        };
        if put(memory.map_addr(|at| at | pages)) {
            return true;
        }
    }
    BYTES.fetch_sub(size, Ordering::Relaxed);
    false
}

/// Memory of exactly `size` bytes, with any content, or null; or memory of another length that has to be returned now.
pub(crate) fn take(size: usize) -> Found {
    for place in &KEPT {
        if place.load(Ordering::Relaxed).addr() % PAGE != size / PAGE {
            continue;
        }
        // Another one may have come or gone meanwhile.
        let marked = place.swap(null_mut(), Ordering::Acquire);
        let pages = marked.addr() % PAGE;
        if pages == 0 {
            continue;
        }
        if pages == size / PAGE {
            BYTES.fetch_sub(size, Ordering::Relaxed);
            return Found::Fits(plain(marked));
        }
        if !put(marked) {
            BYTES.fetch_sub(pages * PAGE, Ordering::Relaxed);
            return Found::TooMuch(plain(marked));
        }
    }
    Found::Nothing
}

/// What [`take`] found.
pub(crate) enum Found {
    /// What was asked for.
    Fits(*mut u8),
    /// Memory that found no place again.
    TooMuch(*mut u8),
    Nothing,
}

/// Whether there was a place.
fn put(marked: *mut u8) -> bool {
    KEPT.iter().any(|place| place.compare_exchange(null_mut(), marked, Ordering::Release, Ordering::Relaxed).is_ok())
}

fn plain(marked: *mut u8) -> *mut u8 {
    marked.map_addr(|at| at / PAGE * PAGE)
}
