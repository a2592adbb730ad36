//! The store: how long it takes to answer, and whom it turns away.

use forebay::random::{Draws, key};

use crate::parameters::Parameters;

/// What is drawn, each from a stream of its own.
#[derive(Clone, Copy, Debug)]
enum Drawn {
    Latency = 1,
    Fault = 2,
    Wait = 3,
}

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The bytes begin to come after so long, all of them or a share.
    Bytes {
        /// When the first comes.
        after: f64,
        /// How many of them come before it breaks off.
        share: f64,
        /// Requests that it took.
        requests: u64,
    },
    /// The store turns it away.
    Refused {
        /// When it says so.
        after: f64,
    },
    /// The store failed.
    Failed {
        /// When it says so.
        after: f64,
    },
}

/// A bucket.
#[derive(Debug)]
pub struct Store<'a> {
    parameters: &'a Parameters,
    hedge: Option<f64>,
    seed: u64,
    /// Requests that each prefix takes now, and when that was.
    prefixes: Vec<(f64, f64)>,
    rate: f64,
    burst: f64,
}

impl<'a> Store<'a> {
    /// A bucket with this many prefixes, each of which takes this share of the usual rate.
    /// With `rested` none was asked for a while, and all take a burst at first.
    pub fn new(
        parameters: &'a Parameters,
        (prefixes, share, rested): (u64, f64, bool),
        (seed, hedge): (u64, Option<f64>),
    ) -> Store<'a> {
        let rate = parameters.prefix_requests_per_second * share;
        let burst = (rate * parameters.prefix_burst_seconds).max(1.0);
        let prefixes = vec![(if rested { burst } else { 0.0 }, 0.0); usize::try_from(prefixes).unwrap_or(usize::MAX)];
        Store { parameters, hedge, seed, prefixes, rate, burst }
    }

    fn draws(&self, request: u64, what: Drawn) -> Draws {
        Draws::new(key(self.seed, &[what as u64, request]))
    }

    /// Whether a prefix takes a request now.
    fn takes(&mut self, now: f64, prefix: u64) -> bool {
        let at = (prefix % self.prefixes.len().max(1) as u64) as usize;
        let Some((tokens, since)) = self.prefixes.get_mut(at) else { return true };
        *tokens = (*tokens + (now - *since) * self.rate).min(self.burst);
        *since = now;
        let takes = *tokens >= 1.0;
        *tokens -= if takes { 1.0 } else { 0.0 };
        takes
    }

    /// What becomes of a request, which has a number of its own.
    pub fn ask(&mut self, now: f64, prefix: u64, request: u64) -> Answer {
        if !self.takes(now, prefix) {
            return Answer::Refused { after: self.parameters.refused_seconds };
        }
        let mut latency = self.draws(request, Drawn::Latency);
        let mut after = self.first_byte(&mut latency);
        let mut requests = 1;
        if let Some(hedge) = self.hedge
            && after > hedge
            && self.takes(now + hedge, prefix)
        {
            requests = 2;
            after = after.min(hedge + self.first_byte(&mut latency));
        }
        let mut fault = self.draws(request, Drawn::Fault);
        if fault.chance(self.parameters.failing_share) {
            return Answer::Failed { after };
        }
        let share = if fault.chance(self.parameters.reset_share) { fault.unit() } else { 1.0 };
        Answer::Bytes { after, share, requests }
    }

    /// A chance of 2^64 for how long is waited before another try.
    pub fn chance(&self, request: u64) -> u64 {
        self.draws(request, Drawn::Wait).bits()
    }

    fn first_byte(&self, draws: &mut Draws) -> f64 {
        let parameters = self.parameters;
        if draws.chance(parameters.tail_share) {
            let long = parameters.tail_seconds / (1.0 - draws.unit()).powf(1.0 / parameters.tail_shape.max(0.1));
            return long.min(parameters.tail_most_seconds);
        }
        if parameters.first_byte_sigma == 0.0 {
            return parameters.first_byte_seconds;
        }
        // Two even numbers become a normal one (Box and Muller).
        let radius = (-2.0 * (1.0 - draws.unit()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * draws.unit()).cos();
        parameters.first_byte_seconds * (parameters.first_byte_sigma * normal).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_takes_its_rate_and_a_burst() {
        let mut parameters = Parameters::plain(0.05, 1e9).unwrap();
        (parameters.prefix_requests_per_second, parameters.prefix_burst_seconds) = (100.0, 0.5);
        let mut store = Store::new(&parameters, (1, 1.0, true), (1, None));
        let taken = |store: &mut Store<'_>, from: f64| {
            let asked = (0..1000).map(|i| store.ask(from + f64::from(i) / 1000.0, 7, i as u64));
            asked.filter(|answer| matches!(answer, Answer::Bytes { after: 0.05, .. })).count()
        };
        assert!((149..=150).contains(&taken(&mut store, 0.0)));
        assert!((99..=101).contains(&taken(&mut store, 1.0)));
    }

    #[test]
    fn the_first_byte_comes_as_the_parameters_say() {
        let parameters = Parameters::usual().unwrap();
        let mut store = Store::new(&parameters, (1, 1e6, true), (1, None));
        let mut all: Vec<f64> = (0..20_000)
            .filter_map(|i| match store.ask(0.0, 0, i) {
                Answer::Bytes { after, .. } => Some(after),
                _ => None,
            })
            .collect();
        all.sort_by(f64::total_cmp);
        let at = |share: f64| all[(all.len() as f64 * share) as usize];
        assert!((at(0.5) / 0.03 - 1.0).abs() < 0.03, "{}", at(0.5));
        assert!((at(0.95) / (0.03 * (0.5_f64 * 1.645).exp()) - 1.0).abs() < 0.05, "{}", at(0.95));
        assert!(at(0.9998) > 0.3 && all.iter().all(|after| *after <= 30.0));
    }
}
