//! Memory for columns, files and batches of pictures, on large pages where the kernel lends them to whoever asks.
//!
//! A table of a million rows is made in memory that is touched once, and without this half of the time goes into handing over
//! its pages of 4 kB. NumPy asks for large pages in the same way. What is shorter than [`LONG`] is the system's business as ever,
//! and where the kernel has no such pages nothing is different. What is returned is kept for a while, as [`kept`] says.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr::{copy_nonoverlapping, null_mut},
};

use crate::kept::{self, Found, PAGE};

/// Memory of this length or more begins at a large page.
const LONG: usize = PAGE;

/// What the C library aligns to without being asked.
const ALIGNED: usize = 16;

pub(crate) struct LargePages;

/// Whether memory is taken from the C library here: it depends on the layout alone, so that whoever returns it knows too.
fn long(layout: Layout) -> bool {
    layout.size() >= LONG && layout.align() <= ALIGNED
}

/// The length that long memory has: whole pages, so that what was returned fits whoever wants nearly as much. What lies behind
/// the end is touched by nobody. A layout is shorter than `isize::MAX`, so that this is no overflow.
fn whole(size: usize) -> usize {
    size.next_multiple_of(PAGE)
}

/// Asks for large pages. A refusal is no fault: the memory is there all the same.
#[allow(unsafe_code)]
fn advised(memory: *mut libc::c_void, size: usize) -> *mut u8 {
    let skipped = memory.align_offset(PAGE);
    if !memory.is_null() && skipped < size {
        // SAFETY: pages within memory that was just handed out; advice changes nothing in them.
        unsafe { libc::madvise(memory.byte_add(skipped), (size - skipped) / PAGE * PAGE, libc::MADV_HUGEPAGE) };
    }
    memory.cast()
}

// SAFETY: short memory is the system's, long memory that of the C library, and each returns to where it came from: `long` gives
// the same answer whenever the same layout is shown.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for LargePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !long(layout) {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc(layout) };
        }
        let size = whole(layout.size());
        match kept::take(size) {
            Found::Fits(memory) => return memory,
            // SAFETY: `dealloc` had it from the C library.
            Found::TooMuch(memory) => unsafe { libc::free(memory.cast()) },
            Found::Nothing => {}
        }
        let mut memory = null_mut();
        // SAFETY: the alignment is a power of two, and a multiple of a pointer's length.
        match unsafe { libc::posix_memalign(&mut memory, PAGE, size) } {
            0 => advised(memory, layout.size()),
            _ => null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !long(layout) {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // Where it begins does not matter as much as that zeros which nobody touches take no memory.
        // SAFETY: any size may be asked for.
        advised(unsafe { libc::calloc(1, whole(layout.size())) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !long(layout) {
            // SAFETY: the caller's promise.
            unsafe { System.dealloc(memory, layout) };
        } else if !kept::keep(memory, whole(layout.size())) {
            // SAFETY: `alloc`, `alloc_zeroed` and `realloc` had it from the C library.
            unsafe { libc::free(memory.cast()) };
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size, rounded up to the alignment, is not too large for a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (long(layout), long(wanted)) {
            // SAFETY: the caller's promise.
            (false, false) => unsafe { System.realloc(memory, layout, size) },
            // SAFETY: it came from the C library.
            (true, true) => advised(unsafe { libc::realloc(memory.cast(), whole(size)) }, size),
            _ => {
                // SAFETY: both are as long as the shorter of the two, and apart; the old one came with its layout.
                unsafe {
                    let new = self.alloc(wanted);
                    if !new.is_null() {
                        copy_nonoverlapping(memory, new, layout.size().min(size));
                        self.dealloc(memory, layout);
                    }
                    new
                }
            }
        }
    }
}
