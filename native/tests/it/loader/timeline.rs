//! Where the time went, when, and what more workers would do.

use std::{collections::BTreeMap, time::Duration};

use forebay::order::Tail;
use forebay_native::{
    Dataset,
    loader::{IMAGENET, Image, Loader},
    plan::{Plan, Run},
    simulate::{Machine, Measured, measure},
};
use serde_json::Value;

use crate::{common::Folder, loader::support::table};

#[test]
fn a_timeline_is_what_trace_viewers_read_and_adds_up_to_the_sums() {
    let folder = Folder::new();
    let path = table(&folder, 100);
    let build = |events| {
        let image = Image::new(20, 20).random_resized_crop().normalize(IMAGENET);
        Loader::open(&path).unwrap().batch(8).workers(3).shuffle(1).labels("cls").image(image).timeline(events)
    };
    let mut loader = build(10_000).build().unwrap();
    for epoch in 0..2 {
        loader.epoch(epoch).unwrap().for_each(|batch| drop(batch.unwrap()));
    }
    loader.stop();
    let (stats, timeline) = (loader.stats(), loader.timeline().unwrap());
    assert_eq!(timeline.left_out, 0);
    let mut bytes = Vec::new();
    timeline.write(&mut bytes).unwrap();
    let trace: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&trace["displayTimeUnit"], &trace["otherData"]["left_out"]), (&Value::from("ms"), &Value::from(0)));
    let events = trace["traceEvents"].as_array().unwrap();
    let (mut sums, mut ends, mut names) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for event in events {
        let text = |key: &str| event[key].as_str().unwrap_or_else(|| panic!("{key}: {event}"));
        let number = |key: &str| event[key].as_f64().unwrap_or_else(|| panic!("{key}: {event}"));
        assert_eq!(event["pid"], 1);
        let thread = event["tid"].as_u64().unwrap();
        match text("ph") {
            "M" => {
                let name = event["args"]["name"].as_str().unwrap().to_owned();
                names.insert((text("name").to_owned(), thread), name);
            }
            "X" => {
                assert!(number("ts") >= 0.0 && number("dur") >= 0.0, "{event}");
                assert_eq!(text("cat") == "wait", text("name").starts_with("wait "), "{event}");
                *sums.entry(text("name").to_owned()).or_insert(0.0) += number("dur");
                // Nothing of a thread lies over what it did before, but for rounding.
                let end = ends.insert(thread, number("ts") + number("dur")).unwrap_or(0.0);
                assert!(number("ts") > end - 0.01, "{event} begins before {end}");
                if thread > 0 && text("cat") == "work" {
                    assert!(event["args"]["sample"].as_u64().unwrap() < 100 && event["args"]["epoch"].is_u64());
                }
            }
            other => panic!("{other}: {event}"),
        }
    }
    assert_eq!(names[&("process_name".to_owned(), 0)], "forebay");
    assert_eq!(names[&("thread_name".to_owned(), 0)], "caller");
    for thread in ends.keys() {
        assert!(names.contains_key(&("thread_name".to_owned(), *thread)) && *thread <= 3);
    }
    for (name, sum) in [
        ("read", stats.reading),
        ("verify", stats.verifying),
        ("decode", stats.decoding),
        ("transform", stats.making),
        ("targets", stats.targets),
        ("wait for trainer", stats.idle),
        ("wait for data", stats.waiting),
    ] {
        let micros = sum.as_nanos() as f64 / 1e3;
        assert!((sums.remove(name).unwrap() - micros).abs() < 1.0 && micros > 0.0, "{name}");
    }
    assert!(sums.is_empty(), "{sums:?}");
    // It is bounded, and there is none where none was asked for.
    let mut few = build(50).build().unwrap();
    few.epoch(0).unwrap().for_each(|batch| drop(batch.unwrap()));
    let few = few.timeline().unwrap();
    assert!(few.events.len() == 50 && few.left_out > 0);
    assert!(Loader::open(&path).unwrap().build().unwrap().timeline().is_none());
}

#[test]
fn a_few_samples_are_measured_by_one_worker() {
    let folder = Folder::new();
    let path = table(&folder, 60);
    let build = || Loader::open(&path).unwrap().shuffle(1).image(Image::new(20, 20).normalize(IMAGENET));
    let measured = measure(build().batch(8), 30).unwrap();
    assert!(measured.samples.len() >= 30 && measured.batch == 8 && measured.bytes > 20, "{measured:?}");
    let [read, _, decode, transform, targets] = measured.stages();
    assert!(read + decode + transform > Duration::ZERO && targets == Duration::ZERO);
    // Beyond an epoch too.
    assert!(measure(build().batch(8), 200).unwrap().samples.len() >= 200);
    // What one worker made, and what all cores made together, is what is predicted for them.
    let cores = measured.together.map_or(1, |(cores, _)| cores);
    let mut real = vec![(1, measured.alone.unwrap())];
    real.extend(measured.together.filter(|_| (0.6..12.0).contains(&measured.slower(cores))));
    for (workers, real) in real {
        let told = measured.simulate(workers, &Machine::new(cores)).images_per_second;
        // One worker alone may have been faster than the sum of its stages says, by what the clock takes.
        assert!((told / real - 1.0).abs() < 0.02 || workers == 1 && told < real, "{workers}: {told} {real}");
    }
    assert!(measure(build().batch(0), 30).is_err() && measure(build(), 0).is_err());
    // Samples that come twice in a row are two.
    let measured = measure(build().batch(8).repeated(2).seed(1), 60).unwrap();
    let together: u64 = measured.stages().iter().map(|stage| stage.as_nanos() as u64).sum();
    assert!(together as f64 * measured.alone.unwrap() < 1.05e9, "{measured:?}");
}

#[test]
fn one_rank_is_measured_with_its_own_share_and_order() {
    let folder = Folder::new();
    let path = table(&folder, 60);
    let mut run = Run::new(4, 8);
    (run.shuffle, run.tail) = (Some(3), Tail::Uneven);
    let build = |run: &Run, rank| run.loader(Loader::open(&path).unwrap().image(Image::new(20, 20)), rank);
    // The second step has 28 samples for four ranks.
    for rank in 0..4 {
        let mut loader = build(&run, rank).unwrap().build().unwrap();
        let plan = Plan::new(vec![Dataset::open(&path).unwrap()], None, &run).unwrap();
        let told: Vec<Vec<u64>> = plan.batches(0, rank, 0..9).unwrap().map(|batch| batch.indices).collect();
        let real: Vec<Vec<u64>> = loader.epoch(0).unwrap().map(|batch| batch.unwrap().indices().to_vec()).collect();
        assert_eq!(told, real);
        assert!(measure(build(&run, rank).unwrap(), 10).unwrap().batch <= 8);
    }
    assert!(build(&run, 4).is_err());
    // Of a run whose ranks get nothing there is nothing to measure.
    (run.world, run.tail) = (8, Tail::Drop);
    assert_eq!(measure(build(&run, 0).unwrap(), 10).unwrap_err().code().id(), "loader.settings");
}

fn of(nanos: u64, batch: usize, taking: u64) -> Measured {
    let samples = vec![[nanos / 10, 0, nanos * 8 / 10, nanos / 10, 0]; 100];
    let mut measured = Measured::new(samples, batch, Duration::from_nanos(taking));
    measured.bytes = 100_000;
    measured
}

#[test]
fn workers_slow_each_other_down_as_they_did_together() {
    let measured = of(1_000_000, 64, 0).together(4, 2000.0);
    assert!((measured.slower(4) - 2.0).abs() < 0.01 && measured.slower(1) == 1.0, "{}", measured.slower(4));
    let rate = |workers, cores| measured.simulate(workers, &Machine::new(cores)).images_per_second;
    for (workers, cores, wanted) in [(1, 4, 1000.0), (4, 4, 2000.0), (2, 4, 1500.0), (8, 8, 4000.0), (8, 4, 2000.0)] {
        assert!((rate(workers, cores) / wanted - 1.0).abs() < 0.02, "{workers} on {cores}: {}", rate(workers, cores));
    }
    assert_eq!(of(1_000_000, 64, 0).together(1, 2000.0).slower(8), 1.0);
    assert_eq!(of(1_000_000, 64, 0).together(2, 0.0).slower(8), 1.0);
}

#[test]
fn what_lies_between_samples_is_told_by_one_worker_alone() {
    // Samples of a millisecond, of which one worker makes only 800 a second.
    let measured = of(1_000_000, 64, 0).alone(800.0).together(4, 2000.0);
    assert!((measured.between().as_secs_f64() - 250e-6).abs() < 5e-6, "{:?}", measured.between());
    assert!((measured.slower(4) - 1.6).abs() < 0.01, "{}", measured.slower(4));
    for (workers, wanted) in [(1, 800.0), (4, 2000.0)] {
        let told = measured.simulate(workers, &Machine::new(4)).images_per_second;
        assert!((told / wanted - 1.0).abs() < 0.02, "{workers}: {told}");
    }
    // A worker that is faster than its stages say needs nothing between them.
    assert_eq!(of(1_000_000, 64, 0).alone(1100.0).between(), Duration::ZERO);
    assert_eq!(of(1_000_000, 64, 0).between(), Duration::ZERO);
}

#[test]
fn workers_add_up_until_the_cores_are_used_or_nothing_more_can_be_read() {
    let measured = of(1_000_000, 64, 0);
    let rate = |workers, machine: Machine| {
        let predicted = measured.simulate(workers, &machine);
        (predicted.images_per_second.round(), predicted.bound)
    };
    let four = Machine::new(4);
    assert_eq!(rate(1, four), (1000.0, "workers"));
    assert_eq!(rate(2, four), (2000.0, "workers"));
    assert_eq!(rate(4, four), (4000.0, "workers"));
    assert_eq!(rate(8, four), (4000.0, "cores"));
    assert_eq!(rate(8, four.read_bytes(Some(150_000_000))), (1500.0, "read"));
    assert_eq!(rate(1, four.read_bytes(Some(150_000_000))), (1000.0, "workers"));
}

#[test]
fn small_batches_leave_workers_without_work_and_taking_takes_its_time() {
    // Two batches of two are on their way, for eight workers.
    let few = of(1_000_000, 2, 0).simulate(8, &Machine::new(8));
    assert!((few.images_per_second - 4000.0).abs() < 40.0 && (few.busy - 0.5).abs() < 0.01, "{few:?}");
    // Whoever takes a batch needs as long as all workers for it.
    let slow = of(1_000_000, 8, 8_000_000).simulate(8, &Machine::new(9));
    assert!((slow.images_per_second - 1000.0).abs() < 130.0, "{slow:?}");
    // It needs a core too.
    let shared = of(1_000_000, 8, 4_000_000).simulate(1, &Machine::new(1));
    assert!((shared.images_per_second - 8.0 / 0.012).abs() < 7.0 && shared.bound == "cores", "{shared:?}");
}
