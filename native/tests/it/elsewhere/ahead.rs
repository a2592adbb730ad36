//! The loader over files elsewhere: which ranges it asks for, and when.

use std::{
    ops::Range,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use forebay_native::{
    Dataset, OpenOptions,
    cache::Cache,
    convert::{Job, Options, To},
    cost::{Link, cost},
    loader::{Builder, Labels, Loader},
    plan::{Plan, Run},
};

use crate::{
    common::{Folder, tar},
    elsewhere::fake::{Fake, noise},
};

const SAMPLES: u64 = 96;
const BYTES: usize = 100_000;

/// A TBL of samples that nothing shrinks, with a class for each.
fn table(folder: &Folder, name: &str, seed: u64) -> Bytes {
    let members: Vec<(String, Vec<u8>)> = (0..SAMPLES)
        .flat_map(|i| {
            let class = (i % 3).to_string().into_bytes();
            [(format!("{i:04}.bin"), noise(BYTES, seed + i)), (format!("{i:04}.cls"), class)]
        })
        .collect();
    let (archive, path) = (folder.at("a.tar"), folder.at(name));
    std::fs::write(&archive, tar(&members)).unwrap();
    let mut options = Options::new(To::Tbl);
    options.force = true;
    Job::new(vec![Dataset::open(&archive).unwrap()], options).run(&path).unwrap();
    std::fs::read(path).unwrap().into()
}

fn open(fake: &Arc<Fake>) -> Dataset {
    Dataset::from_input(fake.input(), &OpenOptions::default()).unwrap()
}

fn over(fakes: &[Arc<Fake>]) -> Builder {
    Loader::over(fakes.iter().map(open)).unwrap().batch(8).workers(2)
}

/// The samples' numbers and payloads of an epoch.
fn epoch(loader: &mut Loader, number: u64) -> Vec<(u64, Bytes)> {
    let batches = loader.epoch(number).unwrap().map(Result::unwrap);
    batches
        .flat_map(|batch| batch.indices().iter().copied().zip(batch.payloads().to_vec()).collect::<Vec<_>>())
        .collect()
}

fn bytes(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

#[test]
fn neighbors_are_one_request_and_the_samples_are_the_same() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    let right = epoch(&mut Loader::open(folder.at("a.tbl")).unwrap().batch(8).build().unwrap(), 0);
    let fake = Fake::new(whole.clone(), "a");
    let mut loader = over(std::slice::from_ref(&fake)).build().unwrap();
    fake.asked();
    assert!(epoch(&mut loader, 0) == right);
    loader.stop();
    let asked = fake.asked();
    // 9.6 MB, and nothing of the epoch behind it.
    let most = whole.len() as u64;
    assert!(asked.len() <= 5 && bytes(&asked) <= most, "{asked:?}");
}

#[test]
fn a_full_shuffle_asks_for_each_sample_once_and_for_many_at_a_time() {
    let folder = Folder::new();
    // Samples that do not lie together, as only every other one is wanted.
    let wanted: Vec<u64> = (0..SAMPLES).filter(|i| i % 2 == 0).collect();
    let fakes: Vec<_> = (0..3)
        .map(|k| {
            let bytes = table(&folder, "a.tbl", 1000 * k);
            Arc::new(Fake { bytes, delay: Duration::from_millis(20), ..Fake::default() })
        })
        .collect();
    let all: Vec<u64> = (0..3).flat_map(|k| wanted.iter().map(move |i| k * SAMPLES + i)).collect();
    let mut loader = over(&fakes).samples(all.clone()).shuffle(7).build().unwrap();
    fakes.iter().for_each(|fake| drop(fake.asked()));
    let mut seen: Vec<u64> = epoch(&mut loader, 0).into_iter().map(|(index, _)| index).collect();
    loader.stop();
    seen.sort_unstable();
    assert_eq!(seen, all);
    for fake in &fakes {
        let asked = fake.asked();
        // One each, and none of the epoch behind, which nobody asked for.
        assert_eq!(asked.len(), 48);
        assert!(fake.most_at_once() > 8, "{}", fake.most_at_once());
    }
}

#[test]
fn what_waits_is_bounded_and_too_small_a_bound_only_costs_requests() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    let right = epoch(&mut Loader::open(folder.at("a.tbl")).unwrap().batch(8).shuffle(3).build().unwrap(), 0);
    for bound in [0, 1, 50_000, 1 << 20] {
        let fake = Fake::new(whole.clone(), "a");
        let mut loader = over(std::slice::from_ref(&fake)).shuffle(3).read_ahead_bytes(bound).build().unwrap();
        fake.asked();
        let mut batches = loader.epoch(0).unwrap();
        let first = batches.next().unwrap().unwrap();
        assert_eq!(first.indices()[0], right[0].0);
        // Nobody takes more: what is made ahead and what may wait is all that is asked for.
        std::thread::sleep(Duration::from_millis(50));
        let most = 3 * 8 * (BYTES as u64 + 100) + bound.max(BYTES as u64) + (64 << 10) * 24;
        let asked = fake.asked();
        assert!(bytes(&asked) <= most, "{bound}: {} > {most}", bytes(&asked));
        assert!(epoch(&mut loader, 0) == right, "{bound}");
    }
}

#[test]
fn labels_from_metadata_cost_one_request_for_all() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    let fake = Fake::new(whole, "a");
    let wanted: Vec<u64> = (0..SAMPLES).filter(|i| i % 2 == 0).collect();
    let mut loader =
        over(std::slice::from_ref(&fake)).samples(wanted).shuffle(3).labels(Labels::field("cls")).build().unwrap();
    fake.asked();
    for batch in loader.epoch(0).unwrap() {
        let batch = batch.unwrap();
        assert!(batch.indices().iter().zip(batch.labels()).all(|(index, label)| *label == (index % 3) as i64));
    }
    loader.stop();
    let asked = fake.asked();
    assert!(asked.len() <= 48 + 16 + 1, "{}", asked.len());
}

#[test]
fn the_second_epoch_reads_the_cache_alone() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    let right = epoch(&mut Loader::open(folder.at("a.tbl")).unwrap().batch(8).shuffle(3).build().unwrap(), 1);
    let fake = Fake::new(whole.clone(), "s3://b/a v1");
    let cache = Cache::open(folder.at("cache")).unwrap();
    let mut loader = over(std::slice::from_ref(&fake)).shuffle(3).cache(&cache).build().unwrap();
    epoch(&mut loader, 0);
    let asked = fake.asked();
    assert!(bytes(&asked) < whole.len() as u64 * 11 / 10, "{} of {}", bytes(&asked), whole.len());
    fake.down.store(true, Ordering::SeqCst);
    assert!(epoch(&mut loader, 1) == right);
    assert_eq!(fake.asked(), []);
    // Another run, which opens it too.
    let mut options = OpenOptions::default();
    options.cache = Some(cache);
    let dataset = Dataset::from_input(fake.input(), &options).unwrap();
    let mut loader = Loader::over([dataset]).unwrap().batch(8).shuffle(3).build().unwrap();
    assert!(epoch(&mut loader, 1) == right);
    assert_eq!(fake.asked(), []);
}

#[test]
fn a_store_that_stops_to_answer_is_an_error_and_a_loader_ends_at_any_moment() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    let fake = Arc::new(Fake { bytes: whole, delay: Duration::from_millis(5), ..Fake::default() });
    for taken in 0..6 {
        let mut loader = over(std::slice::from_ref(&fake)).shuffle(taken).build().unwrap();
        let mut batches = loader.epoch(0).unwrap();
        for _ in 0..taken {
            batches.next().unwrap().unwrap();
        }
        if taken == 3 {
            loader.reset();
            assert_eq!(epoch(&mut loader, 0).len(), SAMPLES as usize);
        }
    }
    let mut loader = over(std::slice::from_ref(&fake)).build().unwrap();
    fake.down.store(true, Ordering::SeqCst);
    let e = loader.epoch(0).unwrap().next().unwrap().unwrap_err();
    assert_eq!((e.code().id(), e.place().file.as_deref()), ("io", Some("elsewhere")));
}

#[test]
fn what_a_plan_says_is_what_the_loader_asks_for() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    for (shuffle, blocks) in [(None, None), (Some(5), None), (Some(5), Some((8, 4)))] {
        for cached in [false, true] {
            let mut run = Run::new(1, 8);
            (run.shuffle, run.blocks) = (shuffle, blocks);
            let plan = Plan::new(vec![Dataset::open(folder.at("a.tbl")).unwrap()], None, &run).unwrap();
            let said = cost(&plan, (0, 0), &Link::default(), cached.then_some(64 << 20)).unwrap();
            let fake = Fake::new(whole.clone(), "s3://b/a v1");
            let mut loader = over(std::slice::from_ref(&fake));
            loader = match (shuffle, blocks) {
                (Some(seed), Some((block, window))) => loader.shuffle_blocks(seed, block, window),
                (Some(seed), None) => loader.shuffle(seed),
                _ => loader,
            };
            let place = Folder::new();
            let cache = Cache::open(place.path()).unwrap();
            if cached {
                loader = loader.cache(&cache);
            }
            let mut loader = loader.build().unwrap();
            // What building looked into would be there already.
            cache.clear().unwrap();
            fake.asked();
            for (number, said) in said.iter().enumerate() {
                epoch(&mut loader, number as u64);
                let asked = fake.asked();
                // The first batches of the epoch behind it are made before anybody knows that there is none.
                let more = if cached { 1 } else { 16 };
                let (requests, least) = (asked.len() as u64, said.requests.saturating_sub(more));
                assert!((least..=said.requests + more).contains(&requests), "{run:?} {cached}: {said:?}, {requests}");
                let slack = 17 * (BYTES as u64 + 100);
                assert!(bytes(&asked).abs_diff(said.bytes) <= slack, "{run:?} {cached}: {said:?} {}", bytes(&asked));
            }
            loader.stop();
        }
    }
}

#[test]
fn files_on_this_machine_are_read_sample_by_sample_as_ever() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    let fake = Arc::new(Fake { bytes: whole, local: true, ..Fake::default() });
    let mut loader = over(std::slice::from_ref(&fake)).samples(vec![3, 4, 5, 20, 50, 51, 52, 95]).build().unwrap();
    fake.asked();
    let mut batches = loader.epoch(0).unwrap();
    batches.next().unwrap().unwrap();
    loader.stop();
    let mut asked: Vec<u64> = fake.asked().iter().map(|range| range.end - range.start).collect();
    asked.dedup();
    // One read a sample, of its bytes and checksum and nothing else.
    assert_eq!(asked, [BYTES as u64 + 4]);
}

#[test]
fn a_loader_over_files_elsewhere_is_built_in_a_few_rounds() {
    let folder = Folder::new();
    let whole = table(&folder, "a.tbl", 1);
    let right = Loader::open(folder.at("a.tbl")).unwrap().build().unwrap();
    let fake = Arc::new(Fake { bytes: whole, delay: Duration::from_millis(20), ..Fake::default() });
    let dataset = open(&fake);
    fake.asked();
    let loader = Loader::over([dataset.clone()]).unwrap().build().unwrap();
    assert_eq!(fake.asked(), [], "opening it was all");
    let state = loader.state();
    // Both ends and the record of 16 samples, and the header, many at once.
    assert!((1..=3 * 16 + 4).contains(&fake.asked().len()) && fake.most_at_once() > 8);
    assert_eq!((loader.state(), fake.asked()), (state.clone(), Vec::new()), "once is enough");
    let resume = |state| Loader::over([dataset.clone()]).unwrap().resume(state).build();
    resume(state.clone()).unwrap();
    assert!(!fake.asked().is_empty(), "it must be the same file");
    let other = state.order.sources[0].identity.rsplit_once(' ').unwrap().0.to_owned();
    let mut wrong = state.clone();
    wrong.order.sources[0].identity = format!("{other} 0123456789abcdef");
    assert_eq!(resume(wrong).unwrap_err().code().id(), "order.state_file");
    // Where these bytes did not come, what is known without them is compared.
    let mut outline = state.clone();
    outline.order.sources[0].identity = other.strip_suffix(", samples").unwrap().to_owned();
    resume(outline.clone()).unwrap();
    outline.order.sources[0].identity.push('0');
    assert_eq!(resume(outline).unwrap_err().code().id(), "order.state_file");
    fake.down.store(true, Ordering::SeqCst);
    let blind = Loader::over([dataset]).unwrap().build().unwrap();
    assert!(state.order.sources[0].identity.starts_with(&blind.state().order.sources[0].identity));
    fake.down.store(false, Ordering::SeqCst);
    assert_eq!(blind.state(), state);
    // The file is the same, wherever it is.
    let identity = |loader: &Loader| {
        let state = serde_json::to_string(&loader.state()).unwrap();
        state.split_once("\"identity\":\"").unwrap().1.split('"').next().unwrap().to_owned()
    };
    assert!(identity(&right).contains("layout"), "{}", identity(&right));
    assert_eq!(identity(&right), identity(&loader));
}
