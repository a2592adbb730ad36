//! The order over every small shape, its saved states, and the vectors that other languages are held to.
#![allow(clippy::disallowed_methods, reason = "tests are hosts: they read files")]

use std::collections::{BTreeMap, BTreeSet};

use forebay::{
    error::Kind,
    order::{Item, Mix, Order, Permutation, Settings, Shuffle, Source, State, Tail, sample_key},
    random::{Draws, Purpose, Stream, key, mix},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const TAILS: [Tail; 3] = [Tail::Drop, Tail::Pad, Tail::Uneven];

fn order(n: u64, settings: Settings) -> Order {
    Order::new(vec![Source::new("a", n)], settings).unwrap()
}

/// All items of an epoch by step, over ranks.
fn by_step(order: &Order, epoch: u64) -> Vec<Vec<Item>> {
    let world = order.settings().world;
    let epoch = order.epoch(epoch).unwrap();
    (0..epoch.steps())
        .map(|step| (0..world).flat_map(|rank| epoch.batch(step, rank).collect::<Vec<_>>()).collect())
        .collect()
}

#[test]
fn every_small_shape_covers_its_samples_once_in_equal_batches() {
    for n in 0..30 {
        for world in 1..5 {
            for batch in 1..6 {
                for tail in TAILS {
                    let settings = Settings::default().with_seed(n).with_world(world).with_batch(batch).with_tail(tail);
                    let order = order(n, settings);
                    let epoch = order.epoch(1).unwrap();
                    let what = format!("n {n}, world {world}, batch {batch}, {tail:?}");
                    let mut seen = BTreeMap::new();
                    let mut padded = 0;
                    for step in 0..epoch.steps() {
                        let sizes: Vec<usize> = (0..world).map(|r| epoch.batch(step, r).count()).collect();
                        let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
                        match tail {
                            Tail::Uneven => assert!(most - least <= 1 && *most <= batch as usize, "{what}: {sizes:?}"),
                            _ => assert_eq!((*least, *most), (batch as usize, batch as usize), "{what}"),
                        }
                        for item in (0..world).flat_map(|r| epoch.batch(step, r)) {
                            padded += u64::from(item.padded);
                            if !item.padded {
                                *seen.entry(item.sample).or_insert(0) += 1;
                            }
                        }
                    }
                    assert!(seen.values().all(|&times| times == 1), "{what}: overlap");
                    let global = world * batch;
                    let expected = if tail == Tail::Drop { n / global * global } else { n };
                    assert_eq!(seen.len() as u64, expected, "{what}: union");
                    let fill = if tail == Tail::Pad && n % global > 0 { global - n % global } else { 0 };
                    assert_eq!(padded, fill, "{what}: padding");
                    assert_eq!(
                        epoch.batch(epoch.steps(), 0).count() + epoch.batch(0, world).count(),
                        0,
                        "{what}: ends"
                    );
                }
            }
        }
    }
}

#[test]
fn workers_share_the_steps_that_are_left() {
    let order = order(103, Settings::default().with_batch(2));
    let epoch = order.epoch(0).unwrap();
    for workers in 1..6 {
        for from in [0, 1, 7, 50, 51, 60] {
            let each: Vec<Vec<u64>> = (0..workers).map(|w| epoch.worker_steps(from, w, workers).collect()).collect();
            // Taking turns gives back the order of one process.
            let longest = each.iter().map(Vec::len).max().unwrap();
            let turns: Vec<u64> =
                (0..longest).flat_map(|i| each.iter().filter_map(move |e| e.get(i).copied())).collect();
            assert_eq!(turns, (from..epoch.steps()).collect::<Vec<_>>(), "{workers} from {from}");
        }
    }
    assert_eq!(epoch.worker_steps(0, 3, 3).count(), 0);
}

#[test]
fn a_run_continued_on_another_world_is_the_run_that_was_not_interrupted() {
    let settings = |world, batch, tail, shuffle| {
        Settings::default().with_seed(9).with_world(world).with_batch(batch).with_tail(tail).with_shuffle(shuffle)
    };
    for shuffle in [Shuffle::None, Shuffle::Full, Shuffle::Blocks { block: 5, window: 2 }] {
        for tail in TAILS {
            let first = order(61, settings(4, 3, tail, shuffle));
            let whole = by_step(&first, 2);
            for (world, batch) in [(1, 12), (2, 6), (3, 4), (12, 1), (4, 3)] {
                for step in 0..=first.steps() {
                    let text = serde_json::to_string(&first.state(2, step)).unwrap();
                    let state: State = serde_json::from_str(&text).unwrap();
                    let second = order(61, settings(world, batch, tail, shuffle));
                    let at = second.resume(&state).unwrap();
                    let rest = &by_step(&second, at.epoch)[at.step as usize..];
                    assert_eq!(rest, &whole[step as usize..], "{shuffle:?} {tail:?} {world}x{batch} at {step}");
                }
            }
        }
    }
}

#[test]
fn several_files_and_selections_are_one_sequence() {
    let sources = vec![
        Source::new("a", 10).select(vec![1, 3, 9]).unwrap(),
        Source::new("empty", 0),
        Source::new("b", 4),
        Source::new("c", 100).select(vec![]).unwrap(),
        Source::new("d", 5).select(vec![4]).unwrap(),
    ];
    let order = Order::new(sources, Settings::default().with_shuffle(Shuffle::None)).unwrap();
    let epoch = order.epoch(0).unwrap();
    let items: Vec<(usize, u64, u64)> =
        (0..epoch.steps()).flat_map(|s| epoch.batch(s, 0)).map(|i| (i.source, i.sample, i.index)).collect();
    let expected = [(0, 1, 1), (0, 3, 3), (0, 9, 9), (2, 0, 10), (2, 1, 11), (2, 2, 12), (2, 3, 13), (4, 4, 118)];
    assert_eq!(items, expected);
    for bad in [vec![3, 3], vec![5, 2], vec![10]] {
        assert_eq!(Source::new("a", 10).select(bad).unwrap_err().code().id(), "order.settings");
    }
}

#[test]
fn a_mix_keeps_its_proportions_and_uses_up_each_source_before_repeating() {
    let sources = || vec![Source::new("a", 7), Source::new("b", 20), Source::new("c", 3)];
    for shuffle in [Shuffle::None, Shuffle::Full, Shuffle::Blocks { block: 3, window: 2 }] {
        let settings = Settings::default()
            .with_seed(5)
            .with_batch(4)
            .with_world(2)
            .with_shuffle(shuffle)
            .with_mix(Mix { weights: vec![3, 2, 0], epoch_samples: 40 });
        let order = Order::new(sources(), settings).unwrap();
        let all: Vec<Item> = (0..20).flat_map(|e| by_step(&order, e).concat()).collect();
        for period in all.chunks(5) {
            let from_a = period.iter().filter(|i| i.source == 0).count();
            assert_eq!((from_a, period.iter().filter(|i| i.source == 1).count()), (3, 2), "{shuffle:?}");
        }
        for (source, size) in [(0, 7), (1, 20)] {
            let mut times = BTreeMap::new();
            all.iter().filter(|i| i.source == source).for_each(|i| *times.entry(i.sample).or_insert(0) += 1);
            // Draws of one period may change places with each other, so counts differ by at most one.
            let (least, most) = (times.values().min().unwrap(), times.values().max().unwrap());
            assert!(times.len() == size && most - least <= 1, "{shuffle:?}: {times:?}");
        }
    }
    for (weights, epoch_samples) in [(vec![1, 2], 1), (vec![0, 0, 0], 1), (vec![1, 1, 1], u64::MAX)] {
        let settings = Settings::default().with_mix(Mix { weights, epoch_samples });
        assert_eq!(Order::new(sources(), settings).unwrap_err().code().id(), "order.settings");
    }
    let settings = Settings::default().with_mix(Mix { weights: vec![1], epoch_samples: 1 });
    assert!(Order::new(vec![Source::new("empty", 0)], settings).is_err());
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let blocks = |block, window| Settings::default().with_shuffle(Shuffle::Blocks { block, window });
    for settings in [
        Settings::default().with_batch(0),
        Settings::default().with_world(0),
        Settings::default().with_batch(u64::MAX).with_world(2),
        blocks(0, 1),
        blocks(1, 0),
        blocks(u64::MAX, 2),
    ] {
        let e = Order::new(vec![Source::new("a", 5)], settings).unwrap_err();
        assert_eq!((e.code().id(), e.kind()), ("order.settings", Kind::Usage));
    }
    let huge = vec![Source::new("a", u64::MAX), Source::new("b", u64::MAX)];
    assert!(Order::new(huge, Settings::default()).is_err());
    let far = Settings::default().with_mix(Mix { weights: vec![1], epoch_samples: 1 << 50 });
    assert!(Order::new(vec![Source::new("a", 5)], far).unwrap().epoch(8).is_err());
}

#[test]
fn epochs_and_seeds_differ_and_nothing_else_does() {
    let samples = |seed, epoch| -> Vec<u64> {
        by_step(&order(50, Settings::default().with_seed(seed)), epoch).concat().iter().map(|i| i.sample).collect()
    };
    let all: BTreeSet<Vec<u64>> =
        [(0, 0), (0, 1), (1, 0), (1, 1), (u64::MAX, 0)].into_iter().map(|(s, e)| samples(s, e)).collect();
    assert_eq!(all.len(), 5);
    assert_eq!(samples(3, 4), samples(3, 4));
}

#[test]
fn a_state_is_refused_by_the_name_of_what_changed() {
    let base = || Settings::default().with_seed(1).with_batch(2).with_world(2).with_filter("width >= 2");
    let make = |source: Source, settings: Settings| Order::new(vec![source], settings).unwrap();
    let file = || Source::new("train.tbl", 20).identity("crc 1").select((0..10).collect::<Vec<_>>()).unwrap();
    let saved = make(file(), base()).state(4, 1);
    assert!(make(file(), base().with_batch(4).with_world(1)).resume(&saved).is_ok());
    let renamed = Source::new("moved.tbl", 20).identity("crc 1").select((0..10).collect::<Vec<_>>()).unwrap();
    assert!(make(renamed, base()).resume(&saved).is_ok());
    let other_file =
        |n, id: &str| Source::new("train.tbl", n).identity(id).select((0..10).collect::<Vec<_>>()).unwrap();
    let other_choice = Source::new("train.tbl", 20).identity("crc 1").select((1..11).collect::<Vec<_>>()).unwrap();
    for (order, code, words) in [
        (
            make(other_file(21, "crc 1"), base()),
            "order.state_file",
            "the number of samples of train.tbl is 21 now and was 20",
        ),
        (make(other_file(20, "crc 2"), base()), "order.state_file", "the identity of train.tbl"),
        (make(file(), base().with_filter("width >= 3")), "order.state_filter", "width >= 3"),
        (make(other_choice, base()), "order.state_filter", "the selection of train.tbl"),
        (make(file(), base().with_seed(2)), "order.state_setting", "the seed is 2 now and was 1"),
        (make(file(), base().with_tail(Tail::Pad)), "order.state_setting", r#"the tail is "pad" now and was "drop""#),
        (make(file(), base().with_shuffle(Shuffle::None)), "order.state_setting", "the shuffle"),
        (
            make(file(), base().with_batch(3)),
            "order.state_setting",
            "the global batch (batch × world) is 6 now and was 4",
        ),
        (Order::new(vec![file(), file()], base()).unwrap(), "order.state_setting", "the number of files"),
    ] {
        let e = order.resume(&saved).unwrap_err();
        assert_eq!((e.code().id(), e.kind()), (code, Kind::Usage), "{e}");
        assert!(e.to_string().contains(words), "{e}");
    }
    let order = make(file(), base());
    let mut wrong = saved.clone();
    wrong.step = 3;
    assert_eq!(order.resume(&wrong).unwrap_err().code().id(), "order.state_position");
    wrong.version = 2;
    assert_eq!(order.resume(&wrong).unwrap_err().code().id(), "order.state_version");
    let mut text = serde_json::to_value(&saved).unwrap();
    assert_eq!(text["seed"], "1");
    text["surprise"] = 1.into();
    assert!(serde_json::from_value::<State>(text).is_err());
}

#[test]
fn the_crop_of_a_sample_depends_on_seed_epoch_and_sample_only() {
    let keys: BTreeSet<u64> =
        [(1, 2, 3), (2, 1, 3), (1, 3, 2), (3, 2, 1)].into_iter().map(|(s, e, i)| sample_key(s, e, i)).collect();
    assert_eq!(keys.len(), 4);
}

proptest! {
    #[test]
    fn large_orders_are_one_to_one_where_one_looks(
        n in 1_u64..1 << 40, seed: u64, epoch: u64, block in 1_u64..5000, window in 1_u64..50,
        positions in proptest::collection::btree_set(any::<u64>(), 1..50),
    ) {
        let order = order(n, Settings::default().with_seed(seed).with_shuffle(Shuffle::Blocks { block, window }));
        let epoch = order.epoch(epoch).unwrap();
        let positions: BTreeSet<u64> = positions.into_iter().map(|k| k % n).collect();
        let samples: BTreeSet<u64> = positions.iter().map(|&k| epoch.item(k).unwrap().sample).collect();
        prop_assert_eq!(samples.len(), positions.len());
        prop_assert!(samples.iter().all(|&s| s < n));
    }
}

/// Numbers as text: they may need all 64 bits.
fn text(n: u64) -> Value {
    n.to_string().into()
}

fn vectors() -> Value {
    let seeds = [0, 42, u64::MAX];
    let mut draws = Draws::new(key(7, &[1]));
    let permutations: Vec<Value> = [(1_u64, 0_u64), (2, 1), (9, 2), (10, 3), (17, u64::MAX), (100, 42)]
        .into_iter()
        .map(|(n, k)| {
            let p = Permutation::new(n, k);
            json!({ "n": n, "key": text(k), "at": (0..n).map(|i| p.at(i)).collect::<Vec<_>>() })
        })
        .collect();
    let large: Vec<Value> = [(1_281_167_u64, 42_u64), (1 << 32, 1), (1 << 53, 2)]
        .into_iter()
        .map(|(n, k)| {
            let p = Permutation::new(n, k);
            json!({ "n": n, "key": text(k), "at": [[0, p.at(0)], [1, p.at(1)], [n / 2, p.at(n / 2)], [n - 1, p.at(n - 1)]] })
        })
        .collect();
    let shuffles = [
        Shuffle::None,
        Shuffle::Full,
        Shuffle::Blocks { block: 4, window: 1 },
        Shuffle::Blocks { block: 3, window: 2 },
    ];
    let mut epochs = Vec::new();
    for (shuffle, tail) in shuffles.into_iter().flat_map(|s| TAILS.map(|t| (s, t))) {
        for (n, world, batch, seed, epoch) in [(23, 2, 3, 42, 0), (10, 3, 4, u64::MAX, 5), (7, 1, 7, 1, 1)] {
            let settings = Settings::default()
                .with_seed(seed)
                .with_world(world)
                .with_batch(batch)
                .with_tail(tail)
                .with_shuffle(shuffle);
            let order = order(n, settings);
            let e = order.epoch(epoch).unwrap();
            let steps: Vec<Vec<Vec<u64>>> = (0..e.steps())
                .map(|s| (0..world).map(|r| e.batch(s, r).map(|i| i.sample).collect()).collect())
                .collect();
            epochs.push(json!({
                "samples": n, "seed": text(seed), "shuffle": shuffle, "tail": tail, "world": world, "batch": batch,
                "epoch": epoch, "steps": steps,
            }));
        }
    }
    let mixes: Vec<Value> = shuffles
        .into_iter()
        .map(|shuffle| {
            let mix = Mix { weights: vec![3, 2, 1], epoch_samples: 30 };
            let settings = Settings::default().with_seed(11).with_shuffle(shuffle).with_mix(mix.clone());
            let sources =
                vec![Source::new("a", 7), Source::new("b", 20), Source::new("c", 9).select(vec![2, 5, 8]).unwrap()];
            let order = Order::new(sources, settings).unwrap();
            let e = order.epoch(2).unwrap();
            let items: Vec<_> = (0..30).filter_map(|k| e.item(k)).map(|i| [i.source as u64, i.sample]).collect();
            json!({
                "sources": [{ "samples": 7 }, { "samples": 20 }, { "samples": 9, "selection": [2, 5, 8] }],
                "seed": "11", "shuffle": shuffle, "mix": mix, "epoch": 2, "items": items,
            })
        })
        .collect();
    let state =
        order(100, Settings::default().with_seed(u64::MAX).with_batch(8).with_filter("width >= 224")).state(3, 7);
    let purposes: BTreeMap<String, u64> = Purpose::ALL.iter().map(|p| (format!("{p:?}"), *p as u64)).collect();
    let streams: BTreeMap<String, u64> = Stream::ALL.iter().map(|s| (format!("{s:?}"), *s as u64)).collect();
    let mut all = json!({
        "mix": seeds.map(|z| [text(z), text(mix(z))]),
        "key": [
            json!({ "seed": "42", "words": [], "key": text(key(42, &[])) }),
            json!({ "seed": "42", "words": [1, 2, 3], "key": text(key(42, &[1, 2, 3])) }),
        ],
        "draws": {
            "seed": "7", "words": [1], "bits": [text(draws.bits()), text(draws.bits())],
            "unit": [draws.unit(), draws.unit()], "below_10": [draws.below(10), draws.below(10), draws.below(10)],
        },
        "permutations": permutations,
        "large_permutations": large,
        "epochs": epochs,
        "mixes": mixes,
        "state": state,
        "purposes": purposes,
        "streams": streams,
    });
    all["placements"] = placements();
    all
}

#[cfg(not(feature = "transform"))]
fn placements() -> Value {
    Value::Null
}

/// Where pictures land by the draws of their samples.
#[cfg(feature = "transform")]
fn placements() -> Value {
    use forebay::image::transform::Recipe;
    let mut all = Vec::new();
    for (width, height) in [(500_u32, 375_u32), (64, 200), (2000, 90), (31, 31)] {
        for index in 0..4_u64 {
            let sample = sample_key(42, 3, index);
            for (fit, recipe) in [
                (json!({ "random_crop": { "padding": 4 } }), Recipe::new(32, 24).random_crop(4)),
                (
                    json!({ "random_resized_crop": { "scale": [0.08, 1.0], "ratio": [3.0 / 4.0, 4.0 / 3.0] } }),
                    Recipe::new(32, 24).random_resized_crop(),
                ),
            ] {
                let p = recipe.hflip_chance(0.5).vflip_chance(0.25).place(width, height, sample);
                all.push(json!({
                    "sample_key": text(sample), "picture": [width, height], "output": [32, 24], "fit": fit,
                    "hflip": 0.5, "vflip": 0.25, "source": [p.source.x, p.source.y, p.source.width, p.source.height],
                    "at": [p.x, p.y, p.width, p.height], "mirrored": p.mirrored, "flipped": p.flipped,
                }));
            }
        }
    }
    Value::Array(all)
}

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/order.json");

/// Saved states and other languages depend on these numbers: they must never change.
#[test]
fn the_vectors_are_what_they_always_were() {
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(VECTORS).unwrap()).unwrap();
    let now = vectors();
    for (name, value) in now.as_object().unwrap() {
        if !value.is_null() {
            assert_eq!(value, &kept[name], "{name}");
        }
    }
}

/// The registry is worth something only if nobody makes keys past it.
#[test]
fn nothing_derives_a_key_from_a_seed_without_a_purpose() {
    // The definition, and the words behind a pass's own key.
    const ALLOWED: [&str; 2] = ["src/order/arrangement.rs", "src/random.rs"];
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut waiting: Vec<_> = ["src", "native/src", "cli/src", "wasm/src"].map(|folder| root.join(folder)).into();
    let (mut seen, mut found) = (0, BTreeSet::new());
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            // As this workspace is formatted, one `use` or path names it.
            let names = |line: &str| {
                let line = line.trim_start();
                !line.starts_with("//")
                    && (line.contains("random::key") || (line.contains("random::{") && line.contains("key")))
            };
            seen += 1;
            if text.lines().any(names) || path.ends_with("src/random.rs") {
                found.insert(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
            }
        }
    }
    assert!(seen > 100, "{seen} files");
    assert!(found.iter().map(String::as_str).eq(ALLOWED), "{found:?}");
}

#[cfg(feature = "transform")]
#[test]
#[ignore = "writes tests/fixtures/order.json: only for new vectors, never to make a changed order pass"]
fn write_the_vectors() {
    let mut text = String::from("{\n");
    let all = vectors();
    for (i, (name, value)) in all.as_object().unwrap().iter().enumerate() {
        let rows = match value {
            Value::Array(rows) => {
                format!("[\n{}\n ]", rows.iter().map(|r| format!("  {r}")).collect::<Vec<_>>().join(",\n"))
            }
            other => other.to_string(),
        };
        text += &format!("{} \"{name}\": {rows}", if i > 0 { ",\n" } else { "" });
    }
    std::fs::write(VECTORS, text + "\n}\n").unwrap();
}
