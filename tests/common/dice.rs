//! Random numbers that are the same on every run, and how many of them a test tries.

/// All of them if FOREBAY_ALL is set, as by `npm test -- --all`; a fifth every day.
pub fn rounds(all: u64) -> u64 {
    if std::env::var_os("FOREBAY_ALL").is_some() { all } else { all.div_ceil(5) }
}

/// SplitMix64.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.roll() % n
    }
}
