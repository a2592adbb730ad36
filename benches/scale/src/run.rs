//! A job from its beginning to its end: all of it, or a part that stands for it.

use forebay::{Error, order::Position};
use forebay_native::{ahead, cost::Kept};

use crate::{
    job::Job,
    link::Link,
    outcome::{Outcome, Window},
    parameters::Parameters,
    sim::Sim,
    store::Store,
    worker::Worker,
};

/// How much is simulated. What is left out is taken to be like what is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Workers, at most.
    pub workers: u64,
    /// Batches of each, at most.
    pub steps: u64,
    /// Batches of these before numbers are taken.
    pub warm: u64,
}

impl Sample {
    /// Everything.
    pub const ALL: Sample = Sample { workers: u64::MAX, steps: u64::MAX, warm: 0 };
}

/// Simulates the epochs of a job. The same for the same arguments.
pub fn run(job: &Job, parameters: &Parameters, sample: Sample) -> Result<Vec<Outcome>, String> {
    job.check()?;
    let said = |e: Error| e.to_string();
    let a_host = (parameters.host_workers as u64).max(1);
    // Whole hosts, so that each worker has the share of a network that it would have.
    let whole_hosts = |workers: u64| workers.div_ceil(a_host).saturating_mul(a_host);
    let count = match sample.workers < job.workers {
        true => whole_hosts(sample.workers.max(1)).min(job.workers),
        false => job.workers,
    };
    if job.together && count < job.workers {
        return Err(
            "where all go together, the slowest of all decides, and a part of the workers does not tell it".into()
        );
    }
    if job.together && parameters.deaths_per_worker_hour > 0.0 {
        return Err("where all go together, a worker's death ends the run of all: there is nothing to simulate".into());
    }
    let numbers: Vec<u64> = (0..count).map(|i| i * (job.workers / count)).collect();
    let orders = match job.own_shards {
        true => numbers.iter().map(|&worker| job.order_of(worker)).collect::<Result<Vec<_>, _>>().map_err(said)?,
        false => vec![job.order_of(0).map_err(said)?],
    };
    let epoch_steps = orders.first().map_or(0, |(order, _)| order.steps());
    let steps = epoch_steps.min(sample.steps);
    if steps == 0 {
        return Err("there are fewer samples than a batch of every worker takes".into());
    }
    let warm = if steps < epoch_steps { sample.warm.min(steps - 1) } else { 0 };
    let is_part = steps < epoch_steps || count < job.workers;
    let window = is_part.then_some(Window { workers: count, steps, warm });
    if is_part && job.epochs > 1 {
        return Err("of several epochs, all must be simulated".into());
    }
    // As many workers for each prefix as there are.
    let share = count as f64 / job.workers as f64;
    let prefixes = ((job.prefixes as f64 * share).round() as u64).max(1);
    let prefix_share = share * job.prefixes as f64 / prefixes as f64;
    let hosts = count.div_ceil(a_host) as usize;
    let every = if parameters.slow_host_share > 0.0 { (1.0 / parameters.slow_host_share).round() as usize } else { 0 };
    let slower = |host: usize| match every > 0 && host % every == every / 2 {
        true => parameters.slow_host_factor.max(1.0),
        false => 1.0,
    };
    let network = |host: usize| {
        Link::new(parameters.host_bits_per_second / slower(host), parameters.connection_bits_per_second / slower(host))
    };
    let disk = |_| Link::new(parameters.cache_read_bits_per_second, parameters.cache_read_bits_per_second);
    let of_worker = |i: usize| orders.get(if job.own_shards { i } else { 0 });
    let caches =
        job.cache_bytes.into_iter().flat_map(|most| (0..hosts).map(move |_| Kept::new(most, job.opened_bytes())));
    let store = Store::new(parameters, (prefixes, prefix_share, !is_part), (job.seed, job.hedge_seconds));
    let links = (0..hosts).map(network).chain((0..hosts).map(disk)).collect();
    let mut sim = Sim::new((job, parameters), &orders, store, (links, caches.collect()), (steps, warm));
    for (i, &number) in numbers.iter().enumerate() {
        let Some((order, _)) = of_worker(i) else { continue };
        let walk = sim.walk(order, number, Position { epoch: job.before, step: 0 });
        sim.workers.push(Worker::new(number, i / a_host as usize, walk, ahead::Window::new(job.read_ahead_bytes)));
    }
    sim.fill_caches().map_err(said)?;
    let mut outcomes = Vec::new();
    for _ in 0..job.epochs {
        sim.epoch().map_err(said)?;
        let workers = &sim.workers;
        outcomes.push(Outcome::of((job, parameters), workers, (epoch_steps, window), &mut sim.waits));
    }
    Ok(outcomes)
}
