//! How often something is tried again, and how long is waited before.

use std::time::Duration;

/// Tries in all of what may be tried again. The waits between them add up to about 15 s, in which a store that asks
/// callers to slow down has forgotten them.
pub const TRIES: u32 = 8;

/// The longest first wait, and the longest of all. Each is twice the one before.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(8);

/// Bytes that came before a connection broke make up for one try: a long range over a bad line comes to its end, and a
/// server that gives a byte at a time does not keep anybody forever.
pub const FORGIVES: u64 = 1 << 20;

/// How long is waited before try `tries` (1 is the second): anything between nothing and the bound, so that many callers
/// who were turned away together do not come back together. `chance` is of 2^64.
pub fn wait(tries: u32, chance: u64) -> Duration {
    let bound = FIRST.saturating_mul(1 << tries.saturating_sub(1).min(16)).min(LONGEST);
    let micros = u64::try_from(bound.as_micros()).unwrap_or(u64::MAX);
    Duration::from_micros(((u128::from(micros) * u128::from(chance)) >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound_and_are_spread_over_all_of_it() {
        assert_eq!(wait(1, 0), Duration::ZERO);
        let longest = |tries| wait(tries, u64::MAX).as_millis();
        assert_eq!([1, 2, 3, 7, 8, 1000].map(longest), [99, 199, 399, 6399, 7999, 7999]);
        assert_eq!(wait(3, 1 << 63), Duration::from_millis(200));
    }
}
