//! Orders checked from outside, for rows and for mosaics: which sample stands where is worked out here by what docs/formats/order.md says
//! of ranks, batches and tails, for every number of samples, every tail, and after every step on other ranks.

use forebay::order::{Order, Settings, Shuffle, Source, Tail};
use forebay_native::loader::{Builder, Image, Loader, Mixing, Mosaic, Rows, State};

use crate::{common::Folder, loader::support::table};

pub const TAILS: [Tail; 3] = [Tail::Drop, Tail::Pad, Tail::Uneven];

/// How many steps an epoch of n samples has.
pub fn steps(n: u64, global: u64, tail: Tail) -> u64 {
    if tail == Tail::Drop { n / global } else { n.div_ceil(global) }
}

/// Positions of a rank's batch.
pub fn positions(n: u64, (batch, rank, world): (u64, u64, u64), step: u64, tail: Tail) -> Vec<u64> {
    let (global, left) = (batch * world, n.saturating_sub(step * batch * world));
    if tail == Tail::Uneven && left < global {
        let share = |rank: u64| left / world + u64::from(rank < left % world);
        let begin = step * global + (0..rank).map(share).sum::<u64>();
        return (begin..begin + share(rank)).collect();
    }
    let begin = step * global + rank * batch;
    (begin..begin + batch).map(|k| k % n).collect()
}

/// The ranks that a step may be split among: as many of one, or one alone, or one for each sample.
pub fn worlds(batch: u64, world: u64) -> [(u64, u64); 3] {
    [(batch, world), (batch * world, 1), (1, batch * world)]
}

#[test]
fn rows_stand_where_the_document_says_on_any_ranks_and_from_any_step_on() {
    let folder = Folder::new();
    let (mut orders, mut resumes) = (0, 0);
    for n in 1..=40_u64 {
        let path = folder.at("rows.jsonl");
        std::fs::write(&path, (0..n).map(|i| format!("{{\"n\":{i}}}\n")).collect::<String>()).unwrap();
        let settings = Settings::default().with_seed(n).with_shuffle(Shuffle::Full);
        let order = Order::new(vec![Source::new("rows.jsonl", n)], settings).unwrap();
        let epoch = order.epoch(3).unwrap();
        for (world, tail) in (1..=5).flat_map(|world| TAILS.map(|tail| (world, tail))) {
            let batch = 1 + n % 3;
            let open = |(batch, rank, world): (u64, u64, u64), state: Option<State>| {
                let rows = Rows::open(&path).unwrap().batch(batch).shuffle(n).shard(rank, world).tail(tail);
                state.into_iter().fold(rows, |rows, state| rows.resume(state)).build()
            };
            let all = steps(n, batch * world, tail);
            if all == 0 {
                assert_eq!(open((batch, 0, world), None).unwrap_err().code().id(), "loader.settings");
                continue;
            }
            let check = |rows: &mut Rows, who: (u64, u64, u64), from: u64| {
                let mut batches = rows.epoch(3).unwrap();
                for step in from..all {
                    let wanted: Vec<i64> = positions(n, who, step, tail)
                        .into_iter()
                        .map(|position| epoch.item(position).unwrap().sample as i64)
                        .collect();
                    if wanted.is_empty() {
                        continue;
                    }
                    let found = batches.next().unwrap();
                    assert_eq!(
                        found.column("n").unwrap().values().i64().unwrap(),
                        wanted,
                        "{n} {who:?} {tail:?} {step}"
                    );
                }
                assert!(batches.next().is_none());
            };
            let mut states = Vec::new();
            for rank in 0..world {
                check(&mut open((batch, rank, world), None).unwrap(), (batch, rank, world), 0);
                orders += 1;
            }
            let mut first = open((batch, 0, world), None).unwrap();
            let mut batches = first.epoch(3).unwrap();
            while batches.next().is_some() {
                states.push(batches.rows().state());
            }
            for state in states {
                let done = state.order.step;
                // Behind the last step there is nothing to go on with.
                for (batch, world) in worlds(batch, world).into_iter().filter(|_| done < all) {
                    let rank = done % world;
                    let mut rows = open((batch, rank, world), Some(state.clone())).unwrap();
                    check(&mut rows, (batch, rank, world), done);
                    resumes += 1;
                }
            }
        }
    }
    assert!(orders > 1000 && resumes > 3000, "{orders} {resumes}");
}

/// Of each sample of an epoch: where it stands, what is on its tensor, and that.
type Seen = (u64, Vec<(u64, u64)>, Vec<f32>);

fn seen(loader: &mut Loader, n: u64) -> Vec<Vec<Seen>> {
    let batches = loader.epoch(1).unwrap().map(|batch| {
        let batch = batch.unwrap();
        let each = batch.images().len() / batch.len();
        let images = batch.images().f32().unwrap().chunks(each);
        let of = |(k, image): (usize, &[f32])| {
            let pieces = batch.pieces(k).iter().map(|piece| (piece.item.index, piece.share.to_bits())).collect();
            (batch.items()[k].position % n, pieces, image.to_vec())
        };
        images.enumerate().map(of).collect()
    });
    batches.collect()
}

#[test]
fn mosaics_are_the_same_on_any_ranks_and_from_any_step_on() {
    let folder = Folder::new();
    let path = table(&folder, 40);
    let (mut orders, mut resumes) = (0, 0);
    for n in [1, 2, 3, 5, 8, 13, 21, 31, 40_u64] {
        let open = |(batch, rank, world): (u64, u64, u64), tail: Tail| -> Builder {
            Loader::open(&path)
                .unwrap()
                .samples((0..n).collect::<Vec<_>>())
                .batch(batch)
                .shuffle(n)
                .shard(rank, world)
                .tail(tail)
                .workers(1)
                .image(Image::new(6, 5).hflip())
                .mosaic(Mosaic::new().chance(0.7))
                .mixed(Mixing::MixUp { alpha: 1.0 }, 0.5)
        };
        // All of them as one batch, in the order of their positions.
        let all = seen(&mut open((n, 0, 1), Tail::Drop).build().unwrap(), n).concat();
        for (world, tail) in (1..=5).flat_map(|world| TAILS.map(|tail| (world, tail))) {
            let batch = 1 + n % 3;
            let every = steps(n, batch * world, tail);
            if every == 0 {
                let mut empty = open((batch, 0, world), tail).build().unwrap();
                assert_eq!(empty.epoch(1).unwrap_err().code().id(), "loader.settings");
                continue;
            }
            let wanted = |who: (u64, u64, u64), from: u64| -> Vec<Vec<Seen>> {
                let batches = (from..every).map(|step| positions(n, who, step, tail));
                let full = batches.filter(|positions| !positions.is_empty());
                full.map(|positions| positions.into_iter().map(|k| all[k as usize].clone()).collect()).collect()
            };
            for rank in 0..world {
                let who = (batch, rank, world);
                assert_eq!(seen(&mut open(who, tail).build().unwrap(), n), wanted(who, 0), "{n} {who:?} {tail:?}");
                orders += 1;
            }
            let mut first = open((batch, 0, world), tail).build().unwrap();
            for done in 1..every {
                let state = {
                    let mut batches = first.epoch(1).unwrap();
                    (0..done).for_each(|_| drop(batches.next().unwrap().unwrap()));
                    batches.loader().state()
                };
                let (batch, world) = worlds(batch, world)[(done % 3) as usize];
                let who = (batch, done % world, world);
                let mut resumed = open(who, tail).resume(state).build().unwrap();
                assert_eq!(seen(&mut resumed, n), wanted(who, done), "{n} {who:?} {tail:?} from {done}");
                resumes += 1;
            }
        }
    }
    assert!(orders > 200 && resumes > 200, "{orders} {resumes}");
}
