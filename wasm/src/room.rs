//! Room in the memory of a module for work that keeps what it finds.

/// What memory grows by at least, and at most, before it is needed.
const LEAST: usize = 8 << 20;
const MOST: usize = 64 << 20;
/// Bytes of a page.
const PAGE: usize = 64 << 10;

/// Lets memory grow in few large steps.
///
/// An allocator asks for a page whenever it has none left, and every time a browser may look for garbage in all of what it
/// holds: of an export of 100,000 pictures that was a fifth of the time.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// Pages that there were when room was made last.
    pages: usize,
}

impl Room {
    /// Makes room if memory grew since the last time: then there is none left.
    pub(crate) fn make(&mut self) {
        let pages = pages();
        if self.pages == pages {
            return;
        }
        // Work that ends at once needs none.
        if self.pages > 0 {
            let mut room: Vec<u8> = Vec::new();
            // Without it memory grows as it did; what is not written to takes none from the system.
            let _ = room.try_reserve_exact((pages * PAGE / 4).clamp(LEAST, MOST));
            // Else it would not be made, since nobody uses it.
            std::hint::black_box(&mut room);
        }
        self.pages = self::pages();
    }
}

/// Pages of memory.
fn pages() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>();
    #[cfg(not(target_arch = "wasm32"))]
    return 0;
}
