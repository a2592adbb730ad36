//! Small neighboring ranges are read together.
//!
//! A thread that asks for one small range behind the other gets them out of larger pieces, which grow as long as it
//! goes on; one that asks here and there gets what it asks for and no more. Each thread remembers its own few places, so
//! threads do not wait for each other.

use std::{cell::RefCell, ops::Range};

use bytes::Bytes;
use forebay::Result;

/// Ranges up to this are small. The system's answer to a larger one costs less than its bytes.
pub(super) const SMALL: u64 = 32 << 10;
/// Bytes between two ranges over which reading goes on.
const GAP: u64 = 16 << 10;
/// The first piece, and the largest.
const FIRST: u64 = 64 << 10;
const MOST: u64 = 256 << 10;
/// Places that a thread remembers: payloads and metadata of two files.
const PLACES: usize = 4;

#[derive(Default)]
struct Place {
    file: u64,
    start: u64,
    bytes: Bytes,
    /// Where the last range ended.
    next: u64,
    size: u64,
}

#[derive(Default)]
struct Places {
    places: [Place; PLACES],
    oldest: usize,
}

thread_local! {
    static PLACES_OF_THREAD: RefCell<Places> = RefCell::default();
}

/// A small range of a file of `len` bytes, by `read` where it is not there. Files are told apart by their numbers, which
/// begin at 1.
pub(super) fn small(
    file: u64,
    len: u64,
    range: Range<u64>,
    read: impl Fn(Range<u64>) -> Result<Bytes>,
) -> Result<Bytes> {
    PLACES_OF_THREAD.with(|all| {
        // A source that reads another file does so while its own place is in use.
        let Ok(mut all) = all.try_borrow_mut() else { return read(range) };
        let all = &mut *all;
        let of_file = |place: &&mut Place| place.file == file && place.next <= range.end;
        let mut near = all.places.iter_mut().filter(of_file);
        if let Some(place) = near.find(|p| p.start <= range.start && range.start <= p.next.saturating_add(GAP)) {
            let end = place.start + place.bytes.len() as u64;
            if range.end > end || place.bytes.is_empty() {
                let size = (place.size * 2).clamp(FIRST, MOST);
                let ahead = range.start..range.end.max(range.start.saturating_add(size).min(len));
                place.bytes = Bytes::new();
                let Ok(bytes) = read(ahead) else {
                    // What nobody asked for may be what cannot be read.
                    place.next = range.end;
                    return read(range);
                };
                (place.bytes, place.start, place.size) = (bytes, range.start, size);
            }
            place.next = range.end;
            let skip = (range.start - place.start) as usize;
            return Ok(place.bytes.slice(skip..skip + (range.end - range.start) as usize));
        }
        let i = all.oldest;
        all.oldest = (i + 1) % PLACES;
        if let Some(place) = all.places.get_mut(i) {
            *place = Place { file, start: range.start, next: range.end, ..Place::default() };
        }
        read(range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read from the file for these ranges, each of which must come out right.
    fn reads(file: u64, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let len = 1 << 20;
        let content = |at: u64| (at % 251) as u8;
        let reads = RefCell::new(Vec::new());
        for range in ranges {
            let got = small(file, len, range.clone(), |wanted| {
                reads.borrow_mut().push(wanted.clone());
                Ok(wanted.map(content).collect::<Vec<_>>().into())
            });
            assert!(got.unwrap().iter().copied().eq(range.clone().map(content)), "{range:?}");
        }
        reads.into_inner()
    }

    #[test]
    fn neighbors_are_read_together_and_others_alone() {
        let run: Vec<_> = (0..200).map(|i| i * 1000..i * 1000 + 900).collect();
        let sizes: Vec<u64> = reads(1, &run).iter().map(|r| r.end - r.start).collect();
        assert_eq!(sizes, [900, 64 << 10, 128 << 10, 256 << 10]);
        let apart: Vec<_> = (0..50).map(|i| (i * 7919 % 50) * 20_000).map(|at| at..at + 10).collect();
        assert_eq!(reads(2, &apart), apart);
    }

    #[test]
    fn the_end_of_the_file_is_not_passed() {
        let len = 1 << 20;
        let last: Vec<_> = (len - 3000..len).step_by(1000).map(|at| at..len.min(at + 1000)).collect();
        assert!(reads(3, &last).iter().all(|r| r.end <= len));
    }

    #[test]
    fn two_files_that_are_read_in_turn_keep_their_places() {
        let turns: Vec<_> =
            (0..100).flat_map(|i| [i * 500..i * 500 + 500, 500_000 + i * 100..500_100 + i * 100]).collect();
        assert!(reads(4, &turns).len() < 10);
    }

    #[test]
    fn what_could_not_be_read_is_asked_for_again() {
        let good = |range: Range<u64>| Ok::<Bytes, forebay::Error>(vec![1; (range.end - range.start) as usize].into());
        let fail = |_: Range<u64>| Err(forebay::Error::new(&forebay::error::codes::IO, "no"));
        let bad_from = |bad: u64| move |range: Range<u64>| if range.end > bad { fail(range) } else { good(range) };
        small(5, 1000, 0..10, good).unwrap();
        small(5, 1000, 10..20, fail).unwrap_err();
        assert_eq!(small(5, 1000, 20..30, good).unwrap(), [1; 10][..]);
        assert_eq!(small(5, 1000, 5..15, good).unwrap(), [1; 10][..]);
        // Bytes before the bad ones can be read, though not together with those.
        small(6, 1000, 0..10, good).unwrap();
        assert_eq!(small(6, 1000, 10..20, bad_from(500)).unwrap(), [1; 10][..]);
        small(6, 1000, 20..30, bad_from(25)).unwrap_err();
    }
}
