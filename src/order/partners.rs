//! Other samples of an epoch that a sample is brought together with: by arithmetic as well.

use super::{Epoch, Item};
use crate::random::{Purpose, scale_wide};

#[doc(hidden)]
impl Epoch<'_> {
    /// The key for what is random about bringing a sample together with others, and for parts of that, which these words
    /// number from 1.
    pub(crate) fn key_of_partners(&self, item: &Item, words: &[u64]) -> u64 {
        let n = self.order.epoch_samples;
        let position = item.position.checked_rem(n).unwrap_or(item.position);
        Purpose::Partners.key_of(self.order.settings.seed, [self.epoch, position], words)
    }

    /// The sample to which 64 random bits take: any of the epoch, also the one that it is for.
    pub fn partner(&self, bits: u64) -> Option<Item> {
        self.item(scale_wide(bits, self.order.epoch_samples))
    }

    /// The key for everything random about a sample; see [`Order::key_of`](super::Order::key_of).
    pub fn key_of(&self, item: &Item) -> u64 {
        self.order.key_of(self.epoch, item)
    }
}
