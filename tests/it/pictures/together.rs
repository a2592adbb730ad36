//! Several samples on one tensor: which ones and where, against the vectors that other languages are held to; and pixels,
//! boxes and masks against the same done plainly.
#![cfg(all(feature = "augment", feature = "decode"))]
#![allow(clippy::disallowed_methods, reason = "tests are hosts: they read files")]

use std::fs;

use forebay::{
    image::{
        decode::{Decoder, Options},
        transform::{
            Mixed, Mixing, Mosaic, Out, Piece, Placement, Recipe, Rect, Resampling, Shown, Together, Transformer,
        },
    },
    order::{Order, Sampling, Settings, Shuffle, Source, Tail},
};
use serde_json::Value;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn pair(value: &Value) -> (f64, f64) {
    (value[0].as_f64().unwrap(), value[1].as_f64().unwrap())
}

fn size(value: &Value) -> (u32, u32) {
    (number(&value[0]) as u32, number(&value[1]) as u32)
}

fn text(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

fn order(row: &Value) -> Order {
    let samples = row["samples"].as_array().unwrap();
    let sources = samples.iter().enumerate().map(|(i, n)| Source::new(format!("{i}.tbl"), number(n))).collect();
    let shuffle = match &row["shuffle"]["blocks"] {
        Value::Null => Shuffle::Full,
        blocks => Shuffle::Blocks { block: number(&blocks["block"]), window: number(&blocks["window"]) },
    };
    let mut settings = Settings::default()
        .with_seed(text(&row["seed"]))
        .with_batch(number(&row["batch"]))
        .with_tail(Tail::Pad)
        .with_shuffle(shuffle)
        .with_repeats(number(&row["repeats"]));
    settings.draws = row["draws"].as_u64();
    if let Some(stage) = row["weights"].get(0) {
        let weights: Vec<f64> = stage[1].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
        settings.sampling = Some(Sampling::weighted(&weights).unwrap());
    }
    Order::new(sources, settings).unwrap()
}

fn together(row: &Value) -> Together {
    let mosaic = row["mosaic"].as_object().map(|m| {
        let (center, scale) = (pair(&m["center"]), pair(&m["scale"]));
        let mosaic = if m.get("pictures").is_some_and(|n| number(n) == 9) { Mosaic::nine() } else { Mosaic::new() };
        mosaic.chance(m["p"].as_f64().unwrap()).center(center.0, center.1).scale(scale.0, scale.1)
    });
    let mixing = row["mixing"].as_object().map(|m| {
        let alpha = || m["alpha"].as_f64().unwrap();
        let mixing = match m["kind"].as_str().unwrap() {
            "mixup" => Mixing::MixUp { alpha: alpha() },
            "cutmix" => Mixing::CutMix { alpha: alpha() },
            _ => Mixing::Either { mixup: pair(&m["alpha"]).0, cutmix: pair(&m["alpha"]).1 },
        };
        (mixing, m["p"].as_f64().unwrap())
    });
    Together { mosaic, mixing }
}

fn assert_placed(placement: &Placement, wanted: &Value) {
    let (x, y) = (pair(&wanted["source"][0]), pair(&wanted["source"][1]));
    assert_eq!(placement.source, Rect { x: x.0, y: y.0, width: x.1, height: y.1 });
    let part = [(placement.x, placement.width), (placement.y, placement.height)];
    assert_eq!(part, [size(&wanted["part"][0]), size(&wanted["part"][1])]);
    assert_eq!(Value::from(vec![placement.mirrored, placement.flipped]), wanted["turned"]);
}

#[test]
fn samples_come_together_as_in_other_languages() {
    let read = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/together.json")).unwrap();
    let all: Value = serde_json::from_str(&read).unwrap();
    let (mut mosaics, mut cuts) = (0, 0);
    for row in all["together"].as_array().unwrap() {
        let (order, together, output, full) = (order(row), together(row), size(&row["size"]), size(&row["full"]));
        together.check().unwrap();
        let epoch = order.epoch(number(&row["epoch"])).unwrap();
        let flips = pair(&row["flips"]);
        let recipe = Recipe::new(output.0, output.1).hflip_chance(flips.0).vflip_chance(flips.1);
        for wanted in row["positions"].as_array().unwrap() {
            let item = epoch.item(number(&wanted["position"])).unwrap();
            let pieces = together.pieces(&epoch, (item, item), output);
            let expected = wanted["pieces"].as_array().unwrap();
            assert_eq!(pieces.all().len(), expected.len());
            for (piece, wanted) in pieces.all().iter().zip(expected) {
                assert_eq!(piece.item.index, number(&wanted["sample"]));
                assert_eq!(piece.key, text(&wanted["key"]));
                assert_eq!(u64::from(piece.layer) + 1, number(&wanted["layer"]));
                assert_eq!(piece.tile.map(|tile| u64::from(tile.corner)), wanted["corner"].as_u64());
                let Some(tile) = piece.tile else { continue };
                mosaics += 1;
                assert_eq!((tile.center, Some(tile.scale)), (size(&wanted["center"]), wanted["scale"].as_f64()));
                assert_placed(&pieces.place(piece, &recipe, (full, &[])), wanted);
            }
            let shares: f64 = pieces.all().iter().map(|piece| pieces.share(piece, output)).sum();
            assert!((shares - 1.0).abs() < 1e-9, "{shares}");
            assert_eq!(pieces.mixed.is_some(), wanted["mixed"].is_object());
            let Some(mixed) = pieces.mixed else { continue };
            let keep = wanted["mixed"]["keep"].as_f64().unwrap();
            assert!((mixed.keep() - keep).abs() < 1e-9, "{mixed:?} {keep}");
            let cut = match mixed {
                Mixed::Cut { cut } => Value::from(vec![cut.left, cut.top, cut.right, cut.bottom]),
                _ => Value::Null,
            };
            cuts += usize::from(!cut.is_null());
            assert_eq!(cut, wanted["mixed"].get("cut").cloned().unwrap_or_default());
        }
    }
    assert!(mosaics > 240 && cuts > 10, "{mosaics} {cuts}");
}

#[test]
fn partners_depend_neither_on_ranks_nor_on_batches() {
    let together = Together { mosaic: Some(Mosaic::nine()), mixing: Some((Mixing::CutMix { alpha: 1.0 }, 0.5)) };
    let all = |batch, world| -> Vec<(u64, Vec<Piece>)> {
        let settings = Settings::default().with_seed(9).with_batch(batch).with_world(world).with_tail(Tail::Uneven);
        let order = Order::new(vec![Source::new("a.tbl", 23)], settings).unwrap();
        let epoch = order.epoch(4).unwrap();
        let mut found = Vec::new();
        for (step, rank) in (0..order.steps()).flat_map(|step| (0..world).map(move |rank| (step, rank))) {
            for item in epoch.batch(step, rank) {
                found.push((item.position, together.pieces(&epoch, (item, item), (32, 32)).all().to_vec()));
            }
        }
        found.sort_by_key(|(position, _)| *position);
        found
    };
    let alone = all(1, 1);
    assert_eq!(alone.len(), 23);
    for (batch, world) in [(4, 1), (2, 3), (5, 5), (23, 1)] {
        assert_eq!(all(batch, world), alone);
    }
}

/// A picture of which every pixel says where it is and whose it is.
fn picture(width: usize, height: usize, whose: u8) -> Vec<u8> {
    (0..width * height).flat_map(|i| [(i % width * 8) as u8, (i / width * 8) as u8, whose]).collect()
}

#[test]
fn pixels_points_and_boxes_go_the_same_way() {
    let (full, output) = ((16, 12), (24, 20));
    let raw: Vec<Vec<u8>> = (0..6).map(|i| picture(16, 12, 40 + i)).collect();
    let order = Order::new(vec![Source::new("a.tbl", 6)], Settings::default().with_seed(3).with_batch(1)).unwrap();
    let recipe = Recipe::new(output.0, output.1).resampling(Resampling::Nearest).letterbox([1, 2, 3]).hflip().vflip();
    let (mut fills, mut shows) = (0, 0);
    for (epoch, together) in (0..50).zip(
        [
            Together { mosaic: Some(Mosaic::new().scale(0.6, 1.3)), mixing: None },
            Together {
                mosaic: Some(Mosaic::new().scale(0.6, 1.3)),
                mixing: Some((Mixing::CutMix { alpha: 1.0 }, 1.0)),
            },
            Together { mosaic: None, mixing: Some((Mixing::CutMix { alpha: 1.0 }, 1.0)) },
            Together { mosaic: Some(Mosaic::nine()), mixing: None },
            Together { mosaic: Some(Mosaic::nine()), mixing: Some((Mixing::CutMix { alpha: 1.0 }, 1.0)) },
        ]
        .into_iter()
        .cycle(),
    ) {
        let epoch = order.epoch(epoch).unwrap();
        let item = epoch.item(2).unwrap();
        let pieces = together.pieces(&epoch, (item, item), output);
        let mut transformer = Transformer::new(recipe.clone()).unwrap();
        let mut out = vec![0_u8; transformer.values()];
        let placements = lay(&mut transformer, &pieces, &raw, full, &mut out);
        for (y, x) in (0..20_usize).flat_map(|y| (0..24_usize).map(move |x| (y, x))) {
            let at = |c: usize| out[(c * 20 + y) * 24 + x];
            let (u, v) = (x as f64 + 0.5, y as f64 + 0.5);
            let whose: Vec<&(u8, Placement)> = placements
                .iter()
                .filter(|(_, p)| p.shown.has(u, v))
                .filter(|(_, p)| {
                    let inside = |at: f64, from: u32, n: u32| at > f64::from(from) && at < f64::from(from + n);
                    inside(u, p.x, p.width) && inside(v, p.y, p.height)
                })
                .collect();
            match whose[..] {
                [] => {
                    fills += 1;
                    assert_eq!([at(0), at(1), at(2)], [1, 2, 3], "{x} {y}");
                }
                [(number, placement)] => {
                    shows += 1;
                    assert_eq!(at(2), *number);
                    // The pixel's middle, taken along, lies in the output's pixel or beside it.
                    let (px, py) = (f64::from(at(0)) / 8.0 + 0.5, f64::from(at(1)) / 8.0 + 0.5);
                    let (tx, ty) = placement.point(px, py);
                    let reach = placement.map().rows()[0][0].abs().max(1.0) / 2.0 + 0.51;
                    assert!((tx - u).abs() <= reach && (ty - v).abs() <= reach, "{tx} {u} {ty} {v}");
                }
                _ => panic!("two images at one pixel"),
            }
        }
        for (_, placement) in &placements {
            let whole = Rect { x: 0.0, y: 0.0, width: 16.0, height: 12.0 };
            if let Some(seen) = placement.rect(&whole) {
                let count = (0..20).flat_map(|y| {
                    let columns = placement.x as usize..(placement.x + placement.width) as usize;
                    let here = (placement.y..placement.y + placement.height).contains(&(y as u32));
                    placement.shown.columns(y, if here { columns } else { 0..0 })
                });
                assert!(count.map(|part| part.len()).sum::<usize>() > 0, "{placement:?} {seen:?}");
            }
        }
    }
    assert!(fills > 100 && shows > 5000, "{fills} {shows}");
}

/// Lays all pieces down; gives whose they are, with their placements.
fn lay(
    transformer: &mut Transformer,
    pieces: &forebay::image::transform::Pieces,
    raw: &[Vec<u8>],
    full: (u32, u32),
    out: &mut [u8],
) -> Vec<(u8, Placement)> {
    let (mut decoder, options) = (Decoder::default(), Options::default());
    let mut placed = Vec::new();
    transformer.begin_layer();
    let mut layer = 0;
    for piece in pieces.all() {
        if piece.layer != layer {
            transformer.end_layer(pieces.layer_key(layer));
            transformer.keep_layer();
            transformer.begin_layer();
            layer = piece.layer;
        }
        let payload = &raw[piece.item.index as usize];
        let needs = transformer.needs_for((pieces, piece), (payload, Some(full)), &options, |_| &[]);
        let placement = transformer.lay((pieces, piece), (&needs, &mut decoder, payload), || Ok(())).unwrap();
        placed.push((40 + piece.item.index as u8, placement));
    }
    transformer.end_layer(pieces.layer_key(layer));
    if let Some(mixed) = &pieces.mixed {
        transformer.mix_layers(mixed);
    }
    transformer.write_layers(Out::U8(out)).unwrap();
    placed
}

#[test]
fn mixed_bytes_are_the_mean_by_their_shares() {
    let order = Order::new(vec![Source::new("a.tbl", 2)], Settings::default().with_seed(1).with_batch(1)).unwrap();
    let raw = [vec![200_u8; 12 * 3], vec![10_u8; 12 * 3]];
    let together = Together { mosaic: None, mixing: Some((Mixing::MixUp { alpha: 1.0 }, 1.0)) };
    let mut seen = 0;
    for number in 0..20 {
        let epoch = order.epoch(number).unwrap();
        let item = epoch.item(0).unwrap();
        let pieces = together.pieces(&epoch, (item, item), (4, 3));
        let mut out = vec![0_u8; 36];
        lay(&mut Transformer::new(Recipe::new(4, 3)).unwrap(), &pieces, &raw, (4, 3), &mut out);
        let level = |piece: &Piece| f64::from(raw[piece.item.index as usize][0]);
        let wanted: f64 = pieces.all().iter().map(|piece| level(piece) * pieces.share(piece, (4, 3))).sum();
        assert!(out.iter().all(|&v| (f64::from(v) - wanted).abs() <= 0.51), "{out:?} {wanted}");
        assert!(pieces.all().iter().all(|piece| pieces.shown(piece.layer) == Shown::All));
        seen += usize::from(pieces.all()[0].item != pieces.all()[1].item);
    }
    assert!(seen > 3);
}

#[test]
fn what_is_invalid_is_refused() {
    let refused = |together: Together| together.check().unwrap_err().code().id();
    let mosaic = |mosaic| refused(Together { mosaic: Some(mosaic), mixing: None });
    let mut odd = Mosaic::new();
    odd.pictures = 5;
    for wrong in [
        Mosaic::new().chance(1.5),
        Mosaic::new().chance(f64::NAN),
        Mosaic::new().center(-0.1, 0.5),
        Mosaic::new().center(0.6, 0.5),
        Mosaic::new().scale(0.0, 1.0),
        Mosaic::new().scale(1.0, f64::INFINITY),
        odd,
    ] {
        assert_eq!(mosaic(wrong), "image.recipe");
    }
    for (mixing, chance) in [(Mixing::MixUp { alpha: 0.0 }, 0.5), (Mixing::MixUp { alpha: 1.0 }, -0.5)] {
        assert_eq!(refused(Together { mosaic: None, mixing: Some((mixing, chance)) }), "image.recipe");
    }
}
