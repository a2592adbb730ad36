//! Randomness as arithmetic: the same numbers on every machine, in every language, from any thread.
//!
//! Nothing here has a hidden state or a clock. What a sample looks like in an epoch is a function of (seed,
//! epoch, sample) and of nothing else, least of all of which worker came first. All of it is arithmetic on
//! 64-bit unsigned integers that wraps; `docs/formats/order.md` specifies it and `tests/fixtures/order.json` holds
//! numbers to check another implementation by.
//!
//! ```
//! use forebay::random::{Draws, Purpose};
//! let mut a = Draws::new(Purpose::Sample.key(42, &[3, 17]));
//! let mut b = Draws::new(Purpose::Sample.key(42, &[3, 17]));
//! assert_eq!(a.unit(), b.unit());
//! assert!(a.below(6) < 6);
//! ```
//!
//! Two uses of randomness never share a stream, because each is a [`Purpose`] or, within one sample, a [`Stream`]: all of
//! them are listed here, and the compiler refuses a number that is taken.

/// The odd number nearest 2^64 divided by the golden ratio: steps of it visit all 64-bit numbers evenly.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Scrambles 64 bits, one to one: each bit of the result depends on every bit of `z` (Stafford's mixer 13, as in
/// SplitMix64).
pub const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What the keys of a run are for: the first word of a key. Everything that derives a key from a run's seed takes its
/// number here, also outside of this crate. Saved runs depend on the numbers, so they are only added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u64)]
pub enum Purpose {
    /// The order of an epoch; then the epoch.
    Epoch = 1,
    /// Which source comes next in a mix; then the number of the period.
    Mix = 2,
    /// The order of one source of a mix; then the source and how often it was used up.
    MixPass = 3,
    /// Everything random about a sample; then the epoch and the sample's index, and for another view of it the view's
    /// number, from 1.
    Sample = 4,
    /// Everything random about a batch; then the epoch and the position at which it begins.
    Batch = 5,
    /// The order of the steps in a window of groups; then the epoch and the window.
    Groups = 6,
    /// Everything random about a sample whose pixels are stored once; then the sample's number.
    Stored = 7,
    /// Which sample comes next by weights; then the epoch and the draw.
    Weights = 8,
    /// Which class comes next; then the epoch from which on these classes' weights hold, and the number of the period.
    Classes = 9,
    /// The order of the samples of a class; then the class and how often it was used up.
    ClassPass = 10,
    /// Everything random about a sample where one may come more than once in an epoch; then the epoch and the position.
    Place = 11,
    /// Which other samples are brought together with a sample, and how; then the epoch, the position and what it is about.
    Partners = 12,
    /// Which part of a split a sample or a group goes to; then the lowest number of its samples.
    Part = 13,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: &[Purpose] = &[
        Purpose::Epoch,
        Purpose::Mix,
        Purpose::MixPass,
        Purpose::Sample,
        Purpose::Batch,
        Purpose::Groups,
        Purpose::Stored,
        Purpose::Weights,
        Purpose::Classes,
        Purpose::ClassPass,
        Purpose::Place,
        Purpose::Partners,
        Purpose::Part,
    ];

    /// The key for this purpose, from a run's seed and the words that this purpose takes.
    pub fn key(self, seed: u64, words: &[u64]) -> u64 {
        extend(key(seed, &[self as u64]), words)
    }

    /// The same where more words follow, which say what of it the key is about.
    pub(crate) fn key_of(self, seed: u64, place: [u64; 2], words: &[u64]) -> u64 {
        extend(self.key(seed, &place), words)
    }
}

/// The streams of one sample: the one word after a sample's key. Each has a stream of its own, so that adding one
/// change to a recipe does not move the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u64)]
pub enum Stream {
    /// Which part of the picture is taken.
    Crop = 0,
    /// Whether it is mirrored left to right, then whether top to bottom.
    Flip = 1,
    /// Changes of color, and the blur.
    Color = 2,
    /// The rectangle that is painted over.
    Erase = 3,
    /// What policies and single augmentations draw; then the kind, and how many of that kind came before.
    Augment = 4,
}

impl Stream {
    /// Every stream.
    pub const ALL: &[Stream] = &[Stream::Crop, Stream::Flip, Stream::Color, Stream::Erase, Stream::Augment];
    /// From this number on streams are the caller's: `key(sample_key, &[Stream::OWN + 1])`. None below is ever theirs.
    pub const OWN: u64 = 1 << 32;

    /// The draws of this stream for the sample of this key.
    pub fn draws(self, sample_key: u64) -> Draws {
        self.draws_of(sample_key, &[])
    }

    /// The draws of a part of this stream, which these words name.
    pub(crate) fn draws_of(self, sample_key: u64, words: &[u64]) -> Draws {
        Draws::new(extend(key(sample_key, &[self as u64]), words))
    }
}

/// A key from a seed and the words that say what it is for. What comes from a run's seed has a [`Purpose`].
pub fn key(seed: u64, words: &[u64]) -> u64 {
    extend(mix(seed.wrapping_add(GOLDEN)), words)
}

fn extend(key: u64, words: &[u64]) -> u64 {
    words.iter().fold(key, |h, &word| mix((h ^ word).wrapping_add(GOLDEN)))
}

/// Takes the upper 32 of 64 random bits to a number below `n`, which is at most 2^32.
pub(crate) const fn scale(random: u64, n: u64) -> u64 {
    ((random >> 32) * n) >> 32
}

/// Takes 64 random bits to a number below `n`.
pub(crate) const fn scale_wide(random: u64, n: u64) -> u64 {
    ((random as u128 * n as u128) >> 64) as u64
}

/// A stream of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Draws {
    state: u64,
}

impl Draws {
    /// The stream that begins at `key`.
    pub const fn new(key: u64) -> Self {
        Draws { state: key }
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// The next number of at least 0 and below 1, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.bits() >> 11) as f64 * STEP
    }

    /// The next number of at least `from` and below `to` (or `from`, where `to` is not more).
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from).max(0.0) * self.unit()
    }

    /// The next number below `n`; 0 for an `n` of 0 or 1.
    pub const fn below(&mut self, n: u32) -> u32 {
        scale(self.bits(), n as u64) as u32
    }

    /// True with the given chance.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The published first numbers for the seed 1234567.
        let mut draws = Draws::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423_u64];
        assert_eq!([draws.bits(), draws.bits(), draws.bits()], expected);
    }

    #[test]
    fn numbers_stay_in_their_range_and_fill_it() {
        let mut draws = Draws::new(key(1, &[2, 3]));
        let mut seen = [0_u32; 7];
        for _ in 0..7000 {
            seen[draws.below(7) as usize] += 1;
            assert!((0.0..1.0).contains(&draws.unit()));
            assert!((-2.0..5.0).contains(&draws.between(-2.0, 5.0)));
        }
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
        assert_eq!((draws.below(0), draws.below(1), draws.between(3.0, 1.0)), (0, 0, 3.0));
        assert!(!draws.chance(0.0) && draws.chance(1.0));
    }

    #[test]
    fn no_two_purposes_and_no_two_streams_share_a_key() {
        let purposes: Vec<u64> = Purpose::ALL.iter().map(|p| p.key(42, &[0, 0])).collect();
        let streams: Vec<u64> = Stream::ALL.iter().map(|s| s.draws(42).bits()).collect();
        for keys in [&purposes, &streams] {
            let distinct: std::collections::HashSet<_> = keys.iter().collect();
            assert_eq!(distinct.len(), keys.len());
        }
        // The lists are whole: numbers are given out one after the other.
        assert!(Purpose::ALL.iter().map(|p| *p as u64).eq(1..=Purpose::ALL.len() as u64));
        assert!(Stream::ALL.iter().map(|s| *s as u64).eq(0..Stream::ALL.len() as u64));
        assert!(Stream::ALL.iter().all(|s| (*s as u64) < Stream::OWN));
        assert_eq!(Purpose::Sample.key(7, &[8, 9]), key(7, &[4, 8, 9]));
    }

    #[test]
    fn keys_differ_in_every_word_and_its_place() {
        let keys = [key(0, &[]), key(0, &[0]), key(0, &[0, 0]), key(1, &[]), key(0, &[1, 2]), key(0, &[2, 1])];
        let distinct: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
