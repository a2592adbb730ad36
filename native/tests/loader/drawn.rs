//! Every way of drawing and of showing samples, from outside: what each rank gets of each step, in every world and with every tail, is
//! a part of what one rank alone gets; and so it is from every step on, on other ranks, behind an interruption.
//!
//! `FOREBAY_OUTSIDE=all` takes every number of samples to 40, and all worlds behind each step.

use forebay::order::Tail;
use forebay_native::loader::{Balance, Batch, Builder, Image, Loader, Mixing, Mosaic, Padding, State, Target, Weights};

use crate::{common::Folder, support::table};

const TAILS: [Tail; 3] = [Tail::Drop, Tail::Pad, Tail::Uneven];
const MOST: u64 = 40;
/// Of which epoch: one behind a change of weights.
const EPOCH: u64 = 1;

/// Of a sample: which it is, and all numbers that there are of it.
type Seen = (u64, Vec<u8>);
type Way = (&'static str, fn(Builder, u64) -> Builder);

fn crops(builder: Builder) -> Builder {
    builder.image(Image::new(4, 3).random_resized_crop().hflip())
}

/// The ways, each with the number of selected samples.
const WAYS: [Way; 12] = [
    ("shuffled", |b, _| crops(b)),
    ("in blocks", |b, n| crops(b).shuffle_blocks(n, 3, 2)),
    ("repeated twice", |b, _| crops(b).repeated(2)),
    ("repeated three times", |b, _| crops(b).repeated(3)),
    ("fewer draws", |b, n| crops(b).draws(n / 2 + 1)),
    ("by weight", |b, n| crops(b).weights("width").draws(n + 3)),
    ("by a curriculum", |b, n| {
        let late: Vec<f64> = (0..MOST).map(|i| i as f64 + 1.0).collect();
        crops(b).weights(Weights::field("width").since(EPOCH, late)).draws(n + 1)
    }),
    ("balanced, twice", |b, n| crops(b).balanced(Balance::by("cls")).repeated(2).draws(2 * n)),
    ("mosaics of nine", |b, _| b.image(Image::new(6, 5).hflip()).mosaic(Mosaic::nine())),
    ("mosaics of nine, repeated and cut", |b, _| {
        let mosaics = b.image(Image::new(6, 5).hflip()).mosaic(Mosaic::nine().chance(0.6));
        mosaics.mixed(Mixing::CutMix { alpha: 1.0 }, 0.5).repeated(2)
    }),
    ("padded", |b, _| b.image(Image::new(12, 12).hflip()).padded(Padding::new().multiple(4))),
    ("in two views", |b, _| crops(b).target("second", Target::view(Image::new(3, 3).random_resized_crop().hflip()))),
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

/// What a rank gets of the steps, of which these are all samples.
fn part((batch, rank, world): (u64, u64, u64), steps: &[Vec<Seen>]) -> Vec<Vec<Seen>> {
    let of = |all: &Vec<Seen>| {
        let left = all.len() as u64;
        let range = if left < batch * world {
            let share = |rank: u64| left / world + u64::from(rank < left % world);
            let begin: u64 = (0..rank).map(share).sum();
            begin..begin + share(rank)
        } else {
            rank * batch..(rank + 1) * batch
        };
        all[range.start as usize..range.end as usize].to_vec()
    };
    steps.iter().map(of).filter(|part| !part.is_empty()).collect()
}

#[test]
fn every_rank_gets_its_part_of_every_step_however_samples_are_drawn_and_shown() {
    let whole = std::env::var("FOREBAY_OUTSIDE").is_ok_and(|how| how == "all");
    let numbers: Vec<u64> = if whole { (1..=MOST).collect() } else { vec![1, 4, 11] };
    let folder = Folder::new();
    let path = table(&folder, MOST);
    let (mut orders, mut resumes) = (0, 0);
    for (name, way) in WAYS {
        for &n in &numbers {
            for (world, tail) in (1..=5).flat_map(|world| TAILS.map(|tail| (world, tail))) {
                let batch = 1 + n % 3;
                let open = |(batch, rank, world): (u64, u64, u64), state: Option<State>| {
                    let samples: Vec<u64> = (0..n).collect();
                    let loader = Loader::open(&path).unwrap().samples(samples).shuffle(n).workers(1).tail(tail);
                    let loader = way(loader, n).batch(batch).shard(rank, world).allow_empty(true);
                    state.into_iter().fold(loader, Builder::resume).build().unwrap()
                };
                let all = seen(&mut open((batch * world, 0, 1), None));
                for rank in 0..world {
                    let who = (batch, rank, world);
                    assert!(seen(&mut open(who, None)) == part(who, &all), "{name}: {n} {who:?} {tail:?}");
                    orders += 1;
                }
                let mut first = open((batch, 0, world), None);
                for done in 1..all.len() {
                    let state = {
                        let mut batches = first.epoch(EPOCH).unwrap();
                        (0..done).for_each(|_| drop(batches.next().unwrap().unwrap()));
                        batches.loader().state()
                    };
                    let worlds = [(batch, world), (batch * world, 1), (1, batch * world)];
                    let chosen = if whole { worlds.to_vec() } else { vec![worlds[done % 3]] };
                    for (batch, world) in chosen {
                        let who = (batch, done as u64 % world, world);
                        let found = seen(&mut open(who, Some(state.clone())));
                        assert!(found == part(who, &all[done..]), "{name}: {n} {who:?} {tail:?} from {done}");
                        resumes += 1;
                    }
                }
            }
        }
    }
    println!("{orders} orders and {resumes} resumes");
    assert!(orders > 1500 && resumes > 600, "{orders} {resumes}");
}
