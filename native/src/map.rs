//! Memory maps: the only `unsafe` of the project.
//!
//! A map is shared as [`Bytes`], so slices of it travel without copying and keep it alive.
//!
//! What a map cannot do: if another process *shortens* the file while it is mapped, touching the lost pages
//! kills this process with SIGBUS. Files that others may truncate (network disks, files still being written) are
//! read instead of mapped with [`Input::read`](crate::Input::read).

use std::{fs::File, io, ops::Range, sync::Arc};

use bytes::Bytes;
use memmap2::{Advice, Mmap, UncheckedAdvice};

/// The kernel maps pages around the one that was touched, so letting go begins this much earlier: what was mapped
/// anew behind an earlier release goes too, and a long pass does not gather such pages.
const AROUND: u64 = 1 << 20;

/// A file mapped for reading.
#[derive(Clone, Debug)]
pub struct Map {
    mmap: Arc<Mmap>,
    bytes: Bytes,
}

struct Owner(Arc<Mmap>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Map {
    /// Maps a whole file.
    pub fn new(file: &File) -> io::Result<Map> {
        // SAFETY: the map is read-only and lives as long as every `Bytes` that refers to it. Rust asks that nobody
        // changes the bytes meanwhile; other processes can, which is why everything read from a map is checked
        // before it is believed, and why the module's documentation says what truncation does.
        #[allow(unsafe_code)]
        let mmap = Arc::new(unsafe { Mmap::map(file)? });
        let bytes = Bytes::from_owner(Owner(mmap.clone()));
        Ok(Map { mmap, bytes })
    }

    /// The mapped bytes; slices share the map.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Says that the file will be read from front to back.
    pub fn sequential(&self) {
        // Advice is a hint: where it is refused, nothing is lost.
        let _ = self.mmap.advise(Advice::Sequential);
    }

    /// Says that a range will be read soon, so that the system fetches it meanwhile.
    pub fn will_need(&self, range: Range<u64>) {
        let end = (range.end as usize).min(self.bytes.len());
        let start = range.start as usize;
        if start < end {
            let _ = self.mmap.advise_range(Advice::WillNeed, start, end - start);
        }
    }

    /// Lets go of pages that were used, so that a long pass over a large file keeps little in memory. They can
    /// be read again; that only costs another fault.
    pub fn release(&self, range: Range<u64>) {
        let end = (range.end as usize).min(self.bytes.len());
        let start = range.start.saturating_sub(AROUND) as usize;
        if start < end {
            // SAFETY: for a read-only map of a file, dropped pages come back from the file with the same bytes.
            #[allow(unsafe_code)]
            let _ = unsafe { self.mmap.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start) };
        }
    }
}
