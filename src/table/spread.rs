//! A histogram whose range is not known beforehand.

use serde::Serialize;

/// Buckets that are told, at most.
const BUCKETS: usize = 20;
/// Buckets that numbers are counted in: finer ones, so that a range that grows still has enough of them.
const FINE: i64 = 80;
/// Numbers that a range is chosen from.
const FIRST: usize = 1024;

/// Numbers from (and with) one to (and without) the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NumberBucket"))]
pub struct Bucket {
    /// Its lower edge, which is in it.
    pub from: f64,
    /// Its upper edge.
    pub to: f64,
    /// How many numbers are in it.
    pub count: u64,
}

/// How numbers are spread: buckets whose edges are round numbers, and that double in width until every number fits.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    /// No bucket is narrower than 1.
    whole: bool,
    /// The first numbers, until there are enough to choose a range.
    first: Vec<f64>,
    width: Width,
    /// Where the first bucket begins, counted in widths.
    from: i64,
    counts: Vec<u64>,
}

/// A width of one, two or five (or twice these, again and again) times a power of ten, so that its multiples are exact
/// as far as they can be.
#[derive(Clone, Copy, Debug, Default)]
struct Width {
    digits: f64,
    /// The power of ten, or what divides where `small` says so: a tenth is not an exact number, ten is.
    power: f64,
    small: bool,
}

impl Width {
    /// The narrowest that is at least so wide.
    fn at_least(wide: f64) -> Width {
        let small = wide < 1.0;
        let mut power = 1.0;
        while power < 1e307 && if small { 1.0 / power > wide } else { power * 10.0 <= wide } {
            power *= 10.0;
        }
        let width = |digits| Width { digits, power, small };
        [1.0, 2.0, 5.0].map(width).into_iter().find(|w| w.times(1) >= wide).unwrap_or(width(10.0))
    }

    fn doubled(self) -> Width {
        Width { digits: self.digits * 2.0, ..self }
    }

    fn times(self, n: i64) -> f64 {
        let n = n as f64 * self.digits;
        let edge = if self.small { n / self.power } else { n * self.power };
        edge.clamp(f64::MIN, f64::MAX)
    }

    /// How many times it fits into a number, rounded down: the bucket of that number.
    fn into(self, x: f64) -> i64 {
        let times = if self.small { x * self.power / self.digits } else { x / self.power / self.digits };
        let n = times.floor() as i64;
        let next = self.times(n.saturating_add(1));
        // The edges decide, not how the division was rounded.
        if x < self.times(n) {
            n.saturating_sub(1)
        } else if x >= next && next < f64::MAX {
            n.saturating_add(1)
        } else {
            n
        }
    }
}

impl Spread {
    /// Of integers, or of any numbers.
    pub fn new(whole: bool) -> Spread {
        Spread { whole, ..Spread::default() }
    }

    pub fn add(&mut self, x: f64) {
        if !x.is_finite() {
            return;
        }
        if !self.counts.is_empty() {
            return self.place(x);
        }
        self.first.push(x);
        if self.first.len() >= FIRST {
            self.settle();
        }
    }

    /// Chooses a range from the first numbers.
    fn settle(&mut self) {
        let (min, max) = self.first.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
        // Numbers that are equal still need a width, and one that parts them at their size.
        let least = (min.abs().max(max.abs()) * 1e-14).max(f64::MIN_POSITIVE).max(if self.whole { 1.0 } else { 0.0 });
        let parts = (FINE / 2 - 1) as f64;
        self.width = Width::at_least((max / parts - min / parts).max(least));
        self.from = self.width.into(min);
        self.counts = vec![0; FINE as usize];
        std::mem::take(&mut self.first).into_iter().for_each(|x| self.place(x));
    }

    #[inline(never)] // called from two places
    fn place(&mut self, x: f64) {
        loop {
            let at = self.width.into(x).saturating_sub(self.from);
            if let Some(count) = usize::try_from(at).ok().and_then(|at| self.counts.get_mut(at)) {
                *count += 1;
                return;
            }
            if !self.widen(at < 0) {
                // Nothing wider can be said: the number goes to the bucket at its end.
                let end = if at < 0 { self.counts.first_mut() } else { self.counts.last_mut() };
                end.into_iter().for_each(|count| *count += 1);
                return;
            }
        }
    }

    /// Twice the width, with room below or above.
    #[inline(never)] // seldom
    fn widen(&mut self, below: bool) -> bool {
        let width = self.width.doubled();
        if width.times(4) >= f64::MAX {
            return false;
        }
        let half = |n: i64| n.div_euclid(2);
        let last = half(self.from.saturating_add(FINE - 1));
        let from = if below { last.saturating_sub(FINE - 1) } else { half(self.from) };
        let mut merged = vec![0; FINE as usize];
        for (i, n) in (self.from..).zip(&self.counts) {
            let place = usize::try_from(half(i).saturating_sub(from)).ok().and_then(|at| merged.get_mut(at));
            place.into_iter().for_each(|count| *count += n);
        }
        (self.width, self.from, self.counts) = (width, from, merged);
        true
    }

    /// The buckets from the first that holds a number to the last.
    pub fn report(&self) -> Vec<Bucket> {
        let mut own = self.clone();
        if own.counts.is_empty() {
            if own.first.is_empty() {
                return Vec::new();
            }
            own.settle();
        }
        loop {
            let used = |count: &u64| *count > 0;
            let (first, last) = (own.counts.iter().position(used), own.counts.iter().rposition(used));
            let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
            if last - first >= BUCKETS && own.widen(false) {
                continue;
            }
            let bucket = |(i, &count): (i64, &u64)| {
                let (from, to) = (own.width.times(i), own.width.times(i.saturating_add(1)));
                Bucket { from, to, count }
            };
            let buckets = (own.from..).zip(&own.counts).map(bucket);
            return buckets.take(last + 1).skip(first).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(whole: bool, numbers: impl IntoIterator<Item = f64>) -> Vec<Bucket> {
        let mut spread = Spread::new(whole);
        numbers.into_iter().for_each(|x| spread.add(x));
        spread.report()
    }

    #[test]
    fn edges_are_round_numbers_and_part_the_numbers_as_they_say() {
        let numbers: Vec<f64> = (0..5000).map(|i| f64::from(i * 7919 % 5000) / 7.0).collect();
        let buckets = spread(false, numbers.iter().copied());
        assert!((10..=20).contains(&buckets.len()), "{buckets:?}");
        for b in &buckets {
            assert_eq!(b.count, numbers.iter().filter(|x| (b.from..b.to).contains(x)).count() as u64, "{b:?}");
            assert!(b.from.to_string().len() <= 4, "{b:?}");
        }
        let tenths = spread(false, (0..2000).map(|i| f64::from(i % 10) / 10.0));
        let edges: Vec<String> = tenths.iter().map(|b| b.from.to_string()).collect();
        assert_eq!(edges[..4], ["0", "0.05", "0.1", "0.15"]);
    }

    #[test]
    fn integers_have_a_bucket_each_where_there_are_few() {
        let buckets = spread(true, (0..3000).map(|i| f64::from(i % 10)));
        assert_eq!(
            buckets.iter().map(|b| (b.from, b.to, b.count)).collect::<Vec<_>>()[..2],
            [(0.0, 1.0, 300), (1.0, 2.0, 300)]
        );
        assert_eq!(buckets.len(), 10);
    }

    #[test]
    fn every_number_is_counted_wherever_the_range_grows() {
        let near = (0..5000).map(|i| f64::from(i % 100));
        let far = [1e6, -1e9, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, 5e-324, -1e300];
        for reverse in [false, true] {
            let mut all: Vec<f64> = near.clone().chain(far).collect();
            if reverse {
                all.reverse();
            }
            let buckets = spread(false, all);
            assert_eq!(buckets.iter().map(|b| b.count).sum::<u64>(), 5006);
            assert!(buckets.iter().all(|b| b.from.is_finite() && b.to.is_finite() && b.from < b.to), "{buckets:?}");
        }
        for one in [0.0, -7.25, 1e-310, f64::MAX, f64::MIN, 9e15] {
            let buckets = spread(false, [one; 3]);
            assert_eq!(buckets.iter().map(|b| b.count).collect::<Vec<_>>(), [3], "{one}");
        }
    }
}
