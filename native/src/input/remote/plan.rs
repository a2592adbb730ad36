//! Which requests are made for the ranges that are wanted: near ones together, long ones in parts.

use std::ops::Range;

/// Bytes between two wanted ranges that are read along. One of 16 connections that share a link of 1 Gb/s carries as
/// much in the 50 ms that another request would take.
pub(super) const GAP: u64 = 512 << 10;

/// The most bytes of a request for several ranges: enough that its latency matters little (64 ms at 1 Gb/s), few enough
/// that several such go on at once and a broken one costs little.
pub(super) const TOGETHER: u64 = 8 << 20;

/// The most bytes of a request for one range. The index of 1.3 million samples fits, so that opening is two requests.
pub(super) const ALONE: u64 = 32 << 20;

/// The requests, in rising order and apart from each other, that together hold every wanted range. Ranges may overlap and
/// come in any order; empty ones need nothing.
pub(super) fn requests(wanted: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut sorted: Vec<Range<u64>> = wanted.iter().filter(|range| range.start < range.end).cloned().collect();
    sorted.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            // What overlaps is never read twice.
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            Some(last) if range.start - last.end <= GAP && range.end - last.start <= TOGETHER => last.end = range.end,
            _ => joined.push(range),
        }
    }
    joined.into_iter().flat_map(parts).collect()
}

/// A range in parts that one request may have.
pub(super) fn parts(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = range.end;
    let count = (range.end - range.start).div_ceil(ALONE);
    (0..count).map(move |i| {
        let start = range.start + i * ALONE;
        start..end.min(start + ALONE)
    })
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a list of one range is meant")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn near_ranges_are_one_request_and_far_ones_are_not() {
        let near = [0..100, 100 + GAP..200 + GAP];
        assert_eq!(requests(&near), [0..200 + GAP]);
        let far = [0..100, 101 + GAP..200 + GAP];
        assert_eq!(requests(&far), far);
        let many: Vec<_> = (0..100).map(|i| i * 200_000..i * 200_000 + 100_000).collect();
        let made = requests(&many);
        assert!(made.len() == 3 && made.iter().all(|r| r.end - r.start <= TOGETHER), "{made:?}");
    }

    #[test]
    fn a_long_range_is_cut() {
        assert_eq!(requests(&[5..5 + ALONE]), [5..5 + ALONE]);
        assert_eq!(requests(&[5..6 + ALONE]), [5..5 + ALONE, 5 + ALONE..6 + ALONE]);
    }

    proptest! {
        #[test]
        fn every_wanted_byte_is_asked_for_once(starts in prop::collection::vec((0u64..200 << 20, 0u64..40 << 20), 0..40)) {
            let wanted: Vec<_> = starts.into_iter().map(|(start, len)| start..start + len).collect();
            let made = requests(&wanted);
            for pair in made.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start);
            }
            for request in &made {
                prop_assert!(request.start < request.end && request.end - request.start <= ALONE);
                // None begins or ends in what nobody wants.
                prop_assert!(wanted.iter().any(|w| w.start <= request.start && request.start < w.end));
                prop_assert!(wanted.iter().any(|w| w.start < request.end && request.end <= w.end));
            }
            for range in wanted.iter().filter(|range| range.start < range.end) {
                let held: u64 = made.iter().map(|m| m.end.min(range.end).saturating_sub(m.start.max(range.start))).sum();
                prop_assert_eq!(held, range.end - range.start);
            }
        }
    }
}
