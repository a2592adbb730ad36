//! Memory maps, and what the system is told about memory: the only `unsafe` of the project.
//!
//! A map is shared as [`Bytes`], so slices of it travel without copying and keep it alive.
//!
//! What a map cannot do: report an error. If another process *shortens* the file while it is mapped, or the disk or the
//! network fails, touching the lost pages kills this process with SIGBUS. So files are read unless
//! [`Io::Map`](crate::input::Io::Map) is asked for.

use std::{fs::File, io, ops::Range, sync::Arc};

use bytes::Bytes;
use memmap2::Mmap;
#[cfg(unix)]
use memmap2::{Advice, UncheckedAdvice};

/// The kernel maps pages around the one that was touched, so letting go begins this much earlier: what was mapped
/// anew behind an earlier release goes too, and a long pass does not gather such pages.
#[cfg(unix)]
const AROUND: u64 = 1 << 20;

/// A file mapped for reading.
#[derive(Clone, Debug)]
pub struct Map {
    #[cfg(unix)]
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
        Ok(Map {
            #[cfg(unix)]
            mmap,
            bytes,
        })
    }

    /// The mapped bytes; slices share the map.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

#[cfg(unix)]
impl Map {
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

    /// Frees pages that were used, so that a long pass over a large file keeps little in memory. They can
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

/// Other systems have no such advice to take.
#[cfg(not(unix))]
#[allow(missing_docs)]
impl Map {
    pub fn sequential(&self) {}
    pub fn will_need(&self, _: Range<u64>) {}
    pub fn release(&self, _: Range<u64>) {}
}

/// Asks the system for large pages behind memory that nobody has touched yet and that will be written to all over. A
/// batch of the loader has thousands of small ones, and each costs a fault when it is touched first; for large ones
/// there are some dozens, and writing is quicker from then on. If there are none, nothing changes.
pub(crate) fn large_pages(memory: &mut [u8]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 2 << 20;
        let lead = memory.as_ptr().align_offset(PAGE);
        let whole = memory.get_mut(lead..).unwrap_or_default();
        let length = whole.len() / PAGE * PAGE;
        if length > 0 {
            // SAFETY: the range lies inside of memory that is borrowed for this call alone, at multiples of every size
            // of page; this advice changes neither what the memory holds nor who may use it, and is only a hint.
            #[allow(unsafe_code)]
            let _ = unsafe { libc::madvise(whole.as_mut_ptr().cast(), length, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
