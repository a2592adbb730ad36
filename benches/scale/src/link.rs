//! A host's network: all transfers get the same share of it, and none more than a connection carries.

use std::{cmp::Reverse, collections::BinaryHeap};

/// Bytes that are less than the clock can tell.
const LEAST: f64 = 1.0;

/// A transfer: which request it is, and of which of its tries.
pub type Flow = (u32, u32);

/// A network that transfers share.
#[derive(Debug)]
pub struct Link {
    /// Bytes a second, of all and of each.
    rate: f64,
    most: f64,
    /// Bytes that each transfer got since the beginning that is under way now.
    given: f64,
    /// When that was.
    at: f64,
    flows: BinaryHeap<Reverse<(Bytes, Flow)>>,
    /// Told with each announced end, so that those that are no longer true are known.
    pub version: u64,
}

/// Bytes given at which a transfer ends; never not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bytes(f64);

impl Eq for Bytes {}
impl PartialOrd for Bytes {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Bytes {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Link {
    /// A network of this many bits a second, and as many for each connection.
    pub fn new(bits_per_second: f64, connection_bits_per_second: f64) -> Link {
        let rate = (bits_per_second / 8.0).max(1.0);
        let most = (connection_bits_per_second / 8.0).max(1.0);
        Link { rate, most, given: 0.0, at: 0.0, flows: BinaryHeap::new(), version: 0 }
    }

    fn each(&self) -> f64 {
        self.most.min(self.rate / self.flows.len().max(1) as f64)
    }

    fn go_to(&mut self, now: f64) {
        self.given += self.each() * (now - self.at).max(0.0);
        self.at = now;
        if self.flows.is_empty() {
            // So that numbers stay small, and exact.
            self.given = 0.0;
        }
    }

    /// Begins a transfer.
    pub fn add(&mut self, now: f64, flow: Flow, bytes: f64) {
        self.go_to(now);
        self.flows.push(Reverse((Bytes(self.given + bytes), flow)));
        self.version += 1;
    }

    /// When the next transfer ends, if nothing changes.
    pub fn next_end(&self) -> Option<f64> {
        let Reverse((Bytes(end), _)) = self.flows.peek()?;
        Some(self.at + (end - self.given).max(0.0) / self.each())
    }

    /// The transfers that have ended now.
    pub fn ended(&mut self, now: f64) -> Vec<Flow> {
        self.go_to(now);
        let mut ended = Vec::new();
        // What rounding leaves of a transfer is nothing.
        while let Some(Reverse((Bytes(end), flow))) = self.flows.peek().copied()
            && end <= self.given + LEAST
        {
            self.flows.pop();
            ended.push(flow);
        }
        self.version += 1;
        ended
    }

    /// Ends transfers before their time. Gives the bytes that each still lacked.
    pub fn cut(&mut self, now: f64, which: impl Fn(Flow) -> bool) -> Vec<(Flow, f64)> {
        self.go_to(now);
        let (gone, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.flows).into_iter().partition(|Reverse((_, flow))| which(*flow));
        self.flows = left.into();
        self.version += 1;
        gone.into_iter().map(|Reverse((Bytes(end), flow))| (flow, (end - self.given).max(0.0))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_share_and_a_connection_has_a_bound() {
        let mut link = Link::new(800.0, 480.0);
        link.add(0.0, (0, 0), 60.0);
        assert_eq!(link.next_end(), Some(1.0));
        // From half a second on two have 50 bytes a second each.
        link.add(0.5, (1, 0), 100.0);
        assert!((link.next_end().unwrap() - 1.1).abs() < 1e-9);
        assert_eq!(link.ended(1.1), [(0, 0)]);
        // The other has 70 bytes to go, at 60 a second.
        assert!((link.next_end().unwrap() - (1.1 + 70.0 / 60.0)).abs() < 1e-9);
        let cut = link.cut(1.1, |_| true);
        assert!(cut.len() == 1 && (cut[0].1 - 70.0).abs() < 1e-9);
        assert_eq!(link.next_end(), None);
    }
}
