//! Every way of drawing and of showing samples, from outside: which position is in whose batch is worked out here, and what is there
//! has to be the same on every number of ranks, with every tail, and from every step on, on other ranks, behind an interruption.
//!
//! `FOREBAY_OUTSIDE=all` takes every number of samples to 40, and all worlds behind each step.

use forebay::order::Tail;
use forebay_native::loader::{Balance, Batch, Builder, Image, Loader, Mixing, Mosaic, Padding, State, Target, Weights};

use crate::{
    common::Folder,
    loader::{
        outside::{TAILS, positions, steps, worlds},
        support::table,
    },
};

const MOST: u64 = 40;
/// Of which epoch: one behind a change of weights.
const EPOCH: u64 = 1;

/// Of a sample: which it is, and all numbers that there are of it.
type Seen = (u64, Vec<u8>);

/// A way of drawing and showing samples.
struct Way {
    name: &'static str,
    /// How often each draw comes in its step.
    times: u64,
    /// Samples of an epoch, of so many that are selected.
    length: fn(u64) -> u64,
    ask: fn(Builder, u64) -> Builder,
}

fn crops(builder: Builder) -> Builder {
    builder.image(Image::new(4, 3).random_resized_crop().hflip())
}

const fn way(name: &'static str, times: u64, length: fn(u64) -> u64, ask: fn(Builder, u64) -> Builder) -> Way {
    Way { name, times, length, ask }
}

const WAYS: [Way; 12] = [
    way("shuffled", 1, |n| n, |b, _| crops(b)),
    way("in blocks", 1, |n| n, |b, n| crops(b).shuffle_blocks(n, 3, 2)),
    way("repeated twice", 2, |n| 2 * n, |b, _| crops(b).repeated(2)),
    way("repeated three times", 3, |n| 3 * n, |b, _| crops(b).repeated(3)),
    way("fewer draws", 1, |n| n / 2 + 1, |b, n| crops(b).draws(n / 2 + 1)),
    way("by weight", 1, |n| n + 3, |b, n| crops(b).weights("width").draws(n + 3)),
    way(
        "by a curriculum",
        1,
        |n| n + 1,
        |b, n| {
            let late: Vec<f64> = (0..MOST).map(|i| i as f64 + 1.0).collect();
            crops(b).weights(Weights::field("width").since(EPOCH, late)).draws(n + 1)
        },
    ),
    way("balanced, twice", 2, |n| 4 * n, |b, n| crops(b).balanced(Balance::by("cls")).repeated(2).draws(4 * n)),
    way("mosaics of nine", 1, |n| n, |b, _| b.image(Image::new(6, 5).hflip()).mosaic(Mosaic::nine())),
    way(
        "mosaics of nine, repeated and cut",
        2,
        |n| 2 * n,
        |b, _| {
            let mosaics = b.image(Image::new(6, 5).hflip()).mosaic(Mosaic::nine().chance(0.6));
            mosaics.mixed(Mixing::CutMix { alpha: 1.0 }, 0.5).repeated(2)
        },
    ),
    way("padded", 1, |n| n, |b, _| b.image(Image::new(12, 12).hflip()).padded(Padding::new().multiple(4))),
    way(
        "in two views",
        1,
        |n| n,
        |b, _| crops(b).target("second", Target::view(Image::new(3, 3).random_resized_crop().hflip())),
    ),
];

/// All numbers of sample `k`, without what lies around it in this batch.
fn numbers(batch: &Batch, k: usize) -> Vec<u8> {
    let view = batch.view(k).unwrap().bytes();
    let mut all = match (batch.sizes().get(k), batch.shape()) {
        (Some(&(width, height)), [_, planes, rows, columns]) => {
            let row = |at: usize| &view[4 * at * columns..4 * (at * columns + width as usize)];
            let rows = (0..planes * rows).filter(|at| at % rows < height as usize).flat_map(row);
            rows.copied().chain([width as u8, height as u8]).collect()
        }
        _ => view.to_vec(),
    };
    for piece in batch.pieces(k) {
        all.extend(piece.item.index.to_le_bytes());
        all.extend(piece.share.to_le_bytes());
    }
    if let Some(second) = batch.target("second") {
        let bytes = second.values().bytes();
        let each = bytes.len() / batch.len();
        all.extend(&bytes[k * each..(k + 1) * each]);
    }
    all
}

fn seen(loader: &mut Loader) -> Vec<Vec<Seen>> {
    let batches = loader.epoch(EPOCH).unwrap().map(|batch| {
        let batch = batch.unwrap();
        (0..batch.len()).map(|k| (batch.indices()[k], numbers(&batch, k))).collect()
    });
    batches.collect()
}

/// Whether the draws of each step come one after the other, and then all of them again: as the document says of repeats.
fn come_again(way: &Way, all: &[Seen], global: u64, drawn: &[u64]) -> bool {
    let length = all.len() as u64;
    (0..length).all(|k| {
        let first = k - k % global;
        let here = global.min(length - first) / way.times;
        all[k as usize].0 == drawn[(first / way.times + (k - first) % here) as usize]
    })
}

#[test]
fn every_rank_gets_its_part_of_every_step_however_samples_are_drawn_and_shown() {
    let whole = std::env::var("FOREBAY_OUTSIDE").is_ok_and(|how| how == "all");
    let numbers: Vec<u64> = if whole { (1..=MOST).collect() } else { vec![1, 4, 5, 9] };
    let folder = Folder::new();
    let path = table(&folder, MOST);
    let (mut orders, mut resumes, mut refused) = (0, 0, 0);
    for (way, &n) in WAYS.iter().flat_map(|way| numbers.iter().map(move |n| (way, n))) {
        let (name, length) = (way.name, (way.length)(n));
        let open = |(batch, rank, world): (u64, u64, u64), tail: Tail, state: Option<State>| {
            let samples: Vec<u64> = (0..n).collect();
            let loader = Loader::open(&path).unwrap().samples(samples).shuffle(n).workers(1).tail(tail);
            let loader = (way.ask)(loader, n).batch(batch).shard(rank, world).allow_empty(true);
            state.into_iter().fold(loader, Builder::resume).build()
        };
        // What is at each position of the epoch, seen by one rank.
        let alone = |global: u64| -> Vec<Seen> {
            seen(&mut open((global, 0, 1), Tail::Uneven, None).unwrap()).into_iter().flatten().collect()
        };
        // In steps as small as can be each draw comes at once as often as it does.
        let each = alone(way.times);
        let drawn: Vec<u64> = each.iter().step_by(way.times as usize).map(|(index, _)| *index).collect();
        assert_eq!(each.len() as u64, length, "{name}: {n}");
        let batch = 1 + n % 3;
        for world in 1..=5 {
            let global = batch * world;
            if !global.is_multiple_of(way.times) {
                assert_eq!(open((batch, 0, world), Tail::Drop, None).unwrap_err().code().id(), "order.settings");
                refused += 1;
                continue;
            }
            // Which draw is at a position depends on the size of a step only where draws are repeated.
            let all = if way.times == 1 { each.clone() } else { alone(global) };
            assert!(all.len() == each.len() && come_again(way, &all, global, &drawn), "{name}: {n} by {global}");
            for tail in TAILS {
                let every = steps(length, global, tail);
                let wanted = |who: (u64, u64, u64), from: u64| -> Vec<Vec<Seen>> {
                    let batches = (from..every).map(|step| positions(length, who, step, tail));
                    let full = batches.filter(|positions| !positions.is_empty());
                    full.map(|positions| positions.into_iter().map(|k| all[k as usize].clone()).collect()).collect()
                };
                for rank in 0..world {
                    let who = (batch, rank, world);
                    let found = seen(&mut open(who, tail, None).unwrap());
                    assert!(found == wanted(who, 0), "{name}: {n} {who:?} {tail:?}");
                    orders += 1;
                }
                let mut first = open((batch, 0, world), tail, None).unwrap();
                for done in 1..every {
                    let state = {
                        let mut batches = first.epoch(EPOCH).unwrap();
                        (0..done).for_each(|_| drop(batches.next().unwrap().unwrap()));
                        batches.loader().state()
                    };
                    let worlds = worlds(batch, world);
                    let chosen = if whole { worlds.to_vec() } else { vec![worlds[(done % 3) as usize]] };
                    for (batch, world) in chosen {
                        let who = (batch, done % world, world);
                        let found = seen(&mut open(who, tail, Some(state.clone())).unwrap());
                        assert!(found == wanted(who, done), "{name}: {n} {who:?} {tail:?} from {done}");
                        resumes += 1;
                    }
                }
            }
        }
    }
    println!("{orders} orders, {resumes} resumes and {refused} refused");
    assert!(orders > 1500 && resumes > 600 && refused > 20, "{orders} {resumes} {refused}");
}
