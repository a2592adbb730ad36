//! Samples by weight and class, fixed numbers of draws, and repeats: as the order says, and resumed anywhere.

use std::collections::{BTreeMap, BTreeSet};

use forebay::order::Tail;
use forebay_native::loader::{Balance, Builder, Groups, Image, Labels, Loader, OnBroken, State, Weights};

use crate::{
    common::{Folder, bmp},
    loader::support::{table, write},
};

/// How often each sample comes in some epochs.
fn counts(builder: Builder, epochs: std::ops::Range<u64>) -> BTreeMap<u64, u64> {
    let mut loader = builder.build().unwrap();
    let mut counts = BTreeMap::new();
    for epoch in epochs {
        for batch in loader.epoch(epoch).unwrap() {
            batch.unwrap().indices().iter().for_each(|&i| *counts.entry(i).or_insert(0) += 1);
        }
    }
    counts
}

/// Of 20 samples, sample `i` has the class `i % 3` by number and by name.
fn open(folder: &Folder) -> Builder {
    let path = folder.at("train.tbl");
    if !path.exists() {
        table(folder, 20);
    }
    Loader::open(path).unwrap().batch(4).shuffle(7).workers(2)
}

#[test]
fn classes_come_equally_often_or_as_a_curriculum_says() {
    let folder = Folder::new();
    let of = |builder: Builder, epochs| {
        let mut classes = [0_u64; 3];
        counts(builder, epochs).iter().for_each(|(i, n)| classes[(i % 3) as usize] += n);
        classes
    };
    assert_eq!(of(open(&folder).draws(60).balanced("cls"), 0..1), [20; 3]);
    assert_eq!(of(open(&folder).draws(60).balanced(Labels::field("json.class")), 3..5), [40; 3]);
    // Class 2 has 6 samples of 20, and each comes before any comes again.
    let twos: Vec<u64> =
        counts(open(&folder).draws(60).balanced("cls"), 0..6).into_values().skip(2).step_by(3).collect();
    assert_eq!(twos, [20; 6]);
    let only = open(&folder).filter("json.number < 4").unwrap().draws(60).balanced("cls");
    assert_eq!(counts(only, 0..1), BTreeMap::from([(0, 10), (1, 20), (2, 20), (3, 10)]));
    let staged = || {
        let named = Balance::by("json.class").since(0, [("cat", 3.0), ("bee", 1.0)]);
        open(&folder).draws(60).balanced(named.since(2, [("ant", 1.0)]))
    };
    assert_eq!((of(staged(), 1..2), of(staged(), 2..3)), ([45, 0, 15], [0, 60, 0]));
    let numbered = open(&folder).draws(60).balanced(Balance::by("cls").since(0, [("2", 1.0), ("0", 2.0)]));
    assert_eq!(of(numbered, 0..1), [40, 0, 20]);
}

#[test]
fn weights_are_those_of_a_field_of_the_index_or_of_the_caller_and_change_with_epochs() {
    let folder = Folder::new();
    let of_class: BTreeSet<u64> =
        counts(open(&folder).draws(400).weights("cls"), 0..1).into_keys().map(|i| i % 3).collect();
    assert_eq!(of_class, BTreeSet::from([1, 2]));
    let wide = counts(open(&folder).draws(4000).weights("width"), 0..1);
    assert!(wide.len() == 20 && wide.values().all(|n| (100..300).contains(n)), "{wide:?}");
    let mut numbers = vec![0.0; 20];
    (numbers[3], numbers[11]) = (1.0, 3.0);
    let drawn = counts(open(&folder).draws(4000).weights(numbers.clone()), 0..1);
    assert!(drawn.len() == 2 && (2800..3200).contains(&drawn[&11]), "{drawn:?}");
    // Of the selected ones only.
    let some = open(&folder).filter("json.number > 3").unwrap().draws(40).weights(numbers.clone());
    assert_eq!(counts(some, 0..1), BTreeMap::from([(11, 40)]));
    let later = Weights::numbers(numbers).since(2, "cls");
    let drawn = counts(open(&folder).draws(400).weights(later), 2..3);
    assert!(drawn.len() == 13 && !drawn.contains_key(&3), "{drawn:?}");
}

#[test]
fn a_sample_that_comes_again_looks_different_and_all_of_it_resumes_anywhere() {
    let folder = Folder::new();
    let crops = |builder: Builder| builder.image(Image::new(4, 2).random_resized_crop().hflip());
    let ways: [&dyn Fn(Builder) -> Builder; 5] = [
        &|b| b.repeated(2),
        &|b| b.weights("width").draws(28),
        &|b| b.balanced("cls").draws(16),
        &|b| b.draws(12),
        &|b| b.balanced("cls").repeated(2).draws(24).tail(Tail::Uneven),
    ];
    for (way, ask) in ways.into_iter().enumerate() {
        let make = |batch, rank, world| ask(crops(open(&folder)).batch(batch).shard(rank, world));
        let whole = |loader: &mut Loader| {
            let mut all = Vec::new();
            while all.len() < 12 {
                let Some(batch) = loader.next_batch().unwrap() else { continue };
                let bytes = batch.images().bytes();
                let size = bytes.len() / batch.len();
                all.push(
                    batch.indices().iter().copied().zip(bytes.chunks(size).map(<[u8]>::to_vec)).collect::<Vec<_>>(),
                );
            }
            all
        };
        let mut loader = make(8, 0, 1).build().unwrap();
        let expected = whole(&mut loader);
        if way == 0 {
            for batch in &expected {
                let mut looks: BTreeMap<u64, BTreeSet<&[u8]>> = BTreeMap::new();
                batch.iter().for_each(|(i, look)| {
                    looks.entry(*i).or_default().insert(look);
                });
                assert!(looks.len() == 4 && looks.values().filter(|looks| looks.len() == 2).count() >= 2, "{looks:?}");
            }
        }
        for stop in [1, 2, 5] {
            let mut first = make(8, 0, 1).build().unwrap();
            let mut given = 0;
            while given < stop {
                given += usize::from(first.next_batch().unwrap().is_some());
            }
            let state: State = serde_json::from_str(&serde_json::to_string(&first.state()).unwrap()).unwrap();
            // On two ranks, whose halves of each step are the whole.
            let halves = [0, 1].map(|rank| {
                let mut loader = make(4, rank, 2).resume(state.clone()).build().unwrap();
                whole(&mut loader)
            });
            for (step, expected) in expected.iter().enumerate().skip(stop) {
                let both: Vec<_> = halves.iter().flat_map(|half| half[step - stop].clone()).collect();
                assert_eq!(&both, expected, "{way}: step {step} behind {stop}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused_by_name() {
    let folder = Folder::new();
    let pictures = open(&folder).image(Image::new(4, 4));
    let cases: [(Builder, &str, &str); 9] = [
        (open(&folder).weights("cls").balanced("cls"), "loader.settings", "give one of them"),
        (open(&folder).weights(vec![1.0; 19]), "loader.settings", "one for each of 20 samples"),
        (open(&folder).weights("json.class"), "loader.weight", "no number json.class"),
        (open(&folder).weights("json.nothing"), "loader.weight", "no number json.nothing"),
        (open(&folder).weights("width > 3"), "loader.settings", "not the path of a field"),
        (open(&folder).balanced(Balance::by("json.class").since(0, [("cow", 1.0)])), "loader.settings", "\"cow\""),
        (open(&folder).repeated(3), "order.settings", "cannot hold each sample 3 times"),
        (pictures.repeated(2).groups(Groups::new(2, [(4, 4)])), "loader.settings", "repeated"),
        (open(&folder).weights("cls").shuffle_blocks(1, 2, 2), "order.settings", "no blocks"),
    ];
    for (builder, code, words) in cases {
        let e = builder.build().unwrap_err();
        assert!(e.code().id() == code && e.to_string().contains(words), "{e}");
    }
    let state = open(&folder).weights("width").build().unwrap().state();
    assert!(open(&folder).weights("width").resume(state.clone()).build().is_ok());
    let e = open(&folder).weights("cls").resume(state).build().unwrap_err();
    assert_eq!(e.code().id(), "order.state_sampling", "{e}");
}

#[test]
fn a_sample_without_a_weight_or_class_is_an_error_or_never_drawn() {
    let folder = Folder::new();
    let mut members = Vec::new();
    for i in 0..12_u32 {
        members.push((format!("{i:04}.bmp"), bmp(8, i)));
        if i != 5 {
            members.push((format!("{i:04}.cls"), (1 + i % 2).to_string().into_bytes()));
        }
    }
    for path in <[_; 2]>::from(write(&folder, "some", &members)) {
        let open = || Loader::open(&path).unwrap().batch(4).draws(240).shuffle(1);
        for (builder, code) in [(open().weights("cls"), "loader.weight"), (open().balanced("cls"), "loader.label")] {
            let e = builder.build().unwrap_err();
            assert_eq!((e.code().id(), e.place().sample), (code, Some(5)), "{e}");
        }
        for builder in [open().weights("cls"), open().balanced("cls")] {
            let drawn = counts(builder.on_broken(OnBroken::Skip), 0..1);
            assert!(drawn.len() == 11 && !drawn.contains_key(&5), "{drawn:?}");
        }
    }
}
