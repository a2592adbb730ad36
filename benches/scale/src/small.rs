//! Small cases whose outcome is known by other means, and the same outcome twice.

use crate::{
    job::{Job, Ordering},
    outcome::Outcome,
    parameters::Parameters,
    run::{Sample, run},
};

const ORDERS: [Ordering; 3] = [Ordering::Stored, Ordering::Full, Ordering::Blocks(64, 16)];

/// 500 MB in one shard, as the real runs have it.
fn small(order: Ordering) -> Job {
    Job { shards: 1, order, ..Job::new(1, 500_000_000) }
}

fn one(job: &Job, parameters: &Parameters, sample: Sample) -> Outcome {
    run(job, parameters, sample).unwrap().pop().unwrap()
}

fn near(what: &str, one: f64, other: f64, share: f64) {
    assert!((one / other - 1.0).abs() <= share, "{what}: {one} and {other}");
}

#[test]
fn the_link_or_the_latency_decides_and_both_are_met() {
    // 5,000 samples, 64 a batch: 78 batches, and the two behind them.
    let samples = 78.0 * 64.0;
    for order in ORDERS {
        let slow_link = one(&small(order), &Parameters::plain(0.005, 1e9).unwrap(), Sample::ALL);
        let least = samples * 100_000.0 / 125e6;
        assert!(slow_link.seconds > least, "{order:?} {}", slow_link.seconds);
        near("link", slow_link.seconds, least, 0.06);
    }
    // A request a sample, 64 at once, over a link that carries them in no time.
    let far = one(&small(Ordering::Full), &Parameters::plain(0.05, 1e14).unwrap(), Sample::ALL);
    near("latency", far.seconds, far.requests as f64 / 64.0 * 0.05, 0.06);
}

#[test]
fn the_same_job_has_the_same_outcome() {
    let mut job = Job { cache_bytes: Some(1 << 30), prefixes: 2, ..Job::new(20, 2_000_000_000) };
    let mut parameters = Parameters::usual().unwrap();
    for text in ["failing_share=0.02", "reset_share=0.01", "deaths_per_worker_hour=300", "restart_seconds=1"] {
        parameters.set(text).unwrap();
    }
    let first = run(&job, &parameters, Sample::ALL).unwrap();
    assert_eq!(first, run(&job, &parameters, Sample::ALL).unwrap());
    assert!(first[0].retries > 0 && first[0].given_up == 0, "{first:?}");
    job.seed = 2;
    assert_ne!(first, run(&job, &parameters, Sample::ALL).unwrap());
}

#[test]
fn a_part_says_what_the_whole_says() {
    // Of stragglers a part has more or fewer by chance, and each is a long wait: they are left out here.
    let mut parameters = Parameters::usual().unwrap();
    parameters.set("tail_share=0").unwrap();
    // Nor is any turned away: who comes back when is chance too, and a burst at first counts in an epoch of seconds.
    parameters.set("prefix_requests_per_second=100000").unwrap();
    for own_shards in [false, true] {
        for order in [Ordering::Stored, Ordering::Full, Ordering::Blocks(64, 4)] {
            // What is read ahead is small beside a window, as it is where windows are needed.
            let read_ahead_bytes = 32 << 20;
            let job = Job {
                shards: 32,
                prefixes: 8,
                order,
                own_shards,
                read_ahead_bytes,
                ..Job::new(32, 32 * 1_920_000_000)
            };
            let part = Sample { workers: 16, steps: 200, warm: 40 };
            let (part, whole) = (one(&job, &parameters, part), one(&job, &parameters, Sample::ALL));
            assert!(part.window.is_some() && whole.window.is_none());
            let what = format!("{own_shards} {order:?}");
            near(&what, part.mean_seconds, whole.mean_seconds, 0.02);
            // The first batch of each worker comes by itself, by a request a sample at most; a part begins behind it.
            let (found, most) = (part.requests as f64, whole.requests as f64 * 1.02);
            let least = (whole.requests as f64 - 32.0 * 64.0) * 0.98;
            assert!((least..=most).contains(&found), "{what}: {found} and {}", whole.requests);
            near(&what, part.bytes as f64, whole.bytes as f64, 0.02);
        }
    }
}

#[test]
fn a_full_prefix_turns_away_and_more_of_them_help() {
    let mut parameters = Parameters::usual().unwrap();
    parameters.set("prefix_requests_per_second=500").unwrap();
    let job = |prefixes| Job { prefixes, shards: 16, ..Job::new(8, 4_000_000_000) };
    let few = one(&job(1), &parameters, Sample::ALL);
    // No more than the rate and the burst, whoever waits.
    assert!(few.refused > 0 && few.seconds >= (few.requests - few.refused - 500) as f64 / 500.0 * 0.99, "{few:?}");
    let many = one(&job(16), &parameters, Sample::ALL);
    assert!(many.seconds < few.seconds / 4.0 && many.refused < few.refused, "{many:?}");
}

#[test]
fn a_cache_that_holds_all_asks_for_nothing_again() {
    for order in ORDERS {
        let job = Job { cache_bytes: Some(4 << 30), epochs: 2, ..small(order) };
        let both = run(&job, &Parameters::plain(0.02, 1e9).unwrap(), Sample::ALL).unwrap();
        // Without the last samples, which no batch takes, all of it once.
        near("bytes", both[0].bytes as f64, 500e6, 0.01);
        assert!(both[1].bytes < 4 << 20 && both[1].seconds < both[0].seconds / 5.0, "{order:?} {both:?}");
        // The same where the epoch in front is not timed.
        let later = Job { before: 1, epochs: 1, ..job };
        let later = one(&later, &Parameters::plain(0.02, 1e9).unwrap(), Sample::ALL);
        assert!(later.bytes < 4 << 20, "{order:?} {later:?}");
    }
}

#[test]
fn a_worker_that_dies_goes_on_where_it_was() {
    let mut parameters = Parameters::plain(0.02, 1e9).unwrap();
    let calm = one(&small(Ordering::Full), &parameters, Sample::ALL);
    parameters.set("deaths_per_worker_hour=3600").unwrap();
    parameters.set("restart_seconds=2").unwrap();
    let hard = one(&small(Ordering::Full), &parameters, Sample::ALL);
    assert!(hard.deaths > 0 && hard.seconds > calm.seconds + 1.9 * hard.deaths as f64, "{hard:?}");
    // What was fetched ahead is fetched again, and no more.
    let most = calm.bytes + hard.deaths * (256 << 20);
    assert!(hard.bytes > calm.bytes && hard.bytes <= most, "{hard:?}");
}

#[test]
fn the_slowest_of_those_who_go_together_decides() {
    let parameters = Parameters::usual().unwrap();
    let alone = Job { order: Ordering::Full, step_seconds: 0.05, ..Job::new(16, 5_000_000_000) };
    let together = Job { together: true, ..alone.clone() };
    let (alone, together) = (one(&alone, &parameters, Sample::ALL), one(&together, &parameters, Sample::ALL));
    assert!(together.mean_seconds >= alone.mean_seconds, "{alone:?} {together:?}");
    let many = Job { together: true, ..Job::new(1000, 1_000_000_000_000) };
    let part = Sample { workers: 16, steps: 10, warm: 2 };
    assert!(run(&many, &parameters, part).unwrap_err().contains("slowest"));
}

#[test]
fn a_second_request_after_a_while_shortens_the_longest_waits() {
    let mut parameters = Parameters::usual().unwrap();
    parameters.set("tail_share=0.01").unwrap();
    let job = Job { read_ahead_bytes: 16 << 20, step_seconds: 0.1, ..small(Ordering::Full) };
    let without = one(&job, &parameters, Sample::ALL);
    let with = one(&Job { hedge_seconds: Some(0.2), ..job }, &parameters, Sample::ALL);
    assert!(with.requests > without.requests && with.waits.share < without.waits.share, "{without:?} {with:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let parameters = Parameters::usual().unwrap();
    let usual = Job::new(4, 1_000_000_000);
    for job in [
        Job { workers: 0, ..usual.clone() },
        Job { own_shards: true, shards: 3, ..usual.clone() },
        Job { sample_bytes: 2_000_000_000, ..usual.clone() },
        Job { workers: 1000, ..usual.clone() },
        Job { step_seconds: -1.0, ..usual },
    ] {
        assert!(run(&job, &parameters, Sample::ALL).is_err(), "{job:?}");
    }
}

/// The cases of `docs/scale.md` in which real loaders read without a cache: of 5,000 samples those of whole batches come once,
/// but for those of a first batch that later fetches read over.
#[test]
fn an_epoch_takes_the_requests_and_bytes_that_loaders_take() {
    let rows = [
        (Ordering::Stored, 1, 67, 499_200_000),
        (Ordering::Stored, 2, 90, 499_200_000),
        (Ordering::Full, 1, 2278, 502_600_000),
        (Ordering::Full, 2, 2940, 501_800_000),
        (Ordering::Blocks(64, 16), 1, 148, 505_600_000),
        (Ordering::Blocks(64, 16), 2, 2553, 502_300_000),
    ];
    for (order, workers, requests, bytes) in rows {
        let mut parameters = Parameters::plain(0.005, 1e9).unwrap();
        parameters.host_workers = workers as f64;
        let said = one(&Job { workers, ..small(order) }, &parameters, Sample::ALL);
        assert_eq!((said.requests, said.bytes), (requests, bytes), "{order:?} {workers}");
        near("link", said.seconds, said.bytes as f64 / 125e6, 0.06);
    }
}

/// Two loaders of one process fetch each block of a cache once, in whichever order; two processes fetch what is not there yet.
#[test]
fn loaders_of_one_process_bring_a_cache_its_blocks_once() {
    let mut parameters = Parameters::plain(0.005, 1e9).unwrap();
    parameters.host_workers = 2.0;
    for order in ORDERS {
        let job = Job { workers: 2, cache_bytes: Some(4 << 30), one_process: true, ..small(order) };
        let together = one(&job, &parameters, Sample::ALL);
        near("bytes", together.bytes as f64, 500e6, 0.005);
        let apart = one(&Job { one_process: false, ..job }, &parameters, Sample::ALL);
        assert!(apart.bytes > together.bytes, "{order:?} {apart:?} {together:?}");
    }
}
