//! What came of an epoch.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    job::Job,
    parameters::Parameters,
    worker::{FOLLOWED, Worker},
};

/// How much was simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Window {
    /// Workers that were, of all of them.
    pub workers: u64,
    /// Batches of each that were, of those of an epoch.
    pub steps: u64,
    /// Batches before these numbers were taken.
    pub warm: u64,
}

/// How long training waited for a batch, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Waits {
    /// Half of the batches came within this.
    pub p50: f64,
    /// Nine of ten.
    pub p90: f64,
    /// Of a hundred all but one.
    pub p99: f64,
    /// The longest.
    pub most: f64,
    /// The share of the time that was waited.
    pub share: f64,
}

/// What an epoch costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cents {
    /// For requests that were answered.
    pub requests: f64,
    /// For bytes that left the store.
    pub bytes: f64,
    /// For the disks of caches while it lasts.
    pub cache: f64,
    /// All of it.
    pub total: f64,
}

/// An epoch of all workers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Until the last worker had its last batch; of a window, until the workers of the slowest host had theirs on average.
    pub seconds: f64,
    /// The same for a worker on average.
    pub mean_seconds: f64,
    /// Requests, each try of its own.
    pub requests: u64,
    /// Those of them that the store turned away.
    pub refused: u64,
    /// Tries behind a first one.
    pub retries: u64,
    /// Ranges that were given up, each of which ends a real run with an error.
    pub given_up: u64,
    /// Bytes that came.
    pub bytes: u64,
    /// Bytes of the samples.
    pub wanted_bytes: u64,
    /// Bytes that came for each that was wanted.
    pub bytes_per_wanted: f64,
    /// Samples a second.
    pub samples_per_second: f64,
    /// The samples' bytes a second, as a share of what the hosts' networks carry.
    pub link_share: f64,
    /// How long training waited.
    pub waits: Waits,
    /// What it costs.
    pub cents: Cents,
    /// Times that workers died.
    pub deaths: u64,
    /// What was simulated, if it was not everything.
    pub window: Option<Window>,
}

impl Outcome {
    /// What the workers that were simulated say of all.
    pub fn of(
        (job, parameters): (&Job, &Parameters),
        workers: &[Worker<'_>],
        (steps, window): (u64, Option<Window>),
        waits: &mut [f32],
    ) -> Outcome {
        let count = workers.len().max(1) as f64;
        let all = job.workers as f64 / count;
        let (mut seconds, mut sums) = (0.0_f64, [0.0; FOLLOWED]);
        let mut hosts_seconds: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for worker in workers {
            let [begin, end] = worker.marks;
            // What the window's batches took is what those behind it take.
            let left = steps.saturating_sub(end.steps) as f64;
            let (before, now) = (begin.asked.followed(begin.at), end.asked.followed(end.at));
            let slopes = worker.slope.of();
            for (i, sum) in sums.iter_mut().enumerate() {
                let [before, now, slope] = [before, now, slopes].map(|all| all.get(i).copied().unwrap_or(0.0));
                // What is read ahead at the end of a window is not asked for a second time behind it.
                let is_ahead = left > 0.0 && matches!(i, 1..=5);
                *sum += if is_ahead { slope * steps as f64 } else { now - before + slope * left };
            }
            let took = end.at - begin.at + slopes.first().copied().unwrap_or(0.0) * left;
            seconds = seconds.max(took);
            let of_host = hosts_seconds.entry(worker.host).or_default();
            *of_host = (of_host.0 + took, of_host.1 + 1.0);
        }
        if window.is_some_and(|window| window.steps < steps) {
            // The bad luck of a worker in a window does not last; that of its host does.
            seconds = hosts_seconds.values().fold(0.0, |most, (sum, workers)| most.max(sum / workers));
        }
        let mean = sums.first().copied().unwrap_or(0.0) / count;
        let [_, requests, refused, retries, given_up, bytes, waited, deaths] = sums.map(|sum| sum * all);
        let wanted = steps as f64 * job.batch as f64 * job.sample_bytes as f64 * job.workers as f64;
        let hosts = (job.workers as f64 / parameters.host_workers.max(1.0)).ceil();
        let rate = hosts * parameters.host_bits_per_second / 8.0;
        let mut cents = Cents {
            requests: (requests - refused) / 1000.0 * parameters.cents_per_1000_requests,
            bytes: bytes / 1e9 * parameters.cents_per_gb_out,
            cache: match job.cache_bytes {
                Some(cache) => {
                    let months = seconds / (730.0 * 3600.0);
                    hosts * cache as f64 / 1e9 * parameters.cents_per_cache_gb_month * months
                }
                None => 0.0,
            },
            total: 0.0,
        };
        cents.total = cents.requests + cents.bytes + cents.cache;
        waits.sort_by(f32::total_cmp);
        let at = |share: f64| waits.get((waits.len() as f64 * share) as usize).or(waits.last()).copied().unwrap_or(0.0);
        let per = |amount: f64, of: f64| if of > 0.0 { amount / of } else { 0.0 };
        Outcome {
            seconds,
            mean_seconds: mean,
            requests: requests.round() as u64,
            refused: refused.round() as u64,
            retries: retries.round() as u64,
            given_up: given_up.round() as u64,
            bytes: bytes.round() as u64,
            wanted_bytes: wanted as u64,
            bytes_per_wanted: per(bytes, wanted),
            samples_per_second: per(wanted / job.sample_bytes as f64, seconds),
            link_share: per(wanted, seconds * rate),
            waits: Waits {
                p50: f64::from(at(0.5)),
                p90: f64::from(at(0.9)),
                p99: f64::from(at(0.99)),
                most: f64::from(waits.last().copied().unwrap_or(0.0)),
                share: per(waited, mean * job.workers as f64),
            },
            cents,
            deaths: deaths.round() as u64,
            window,
        }
    }
}
