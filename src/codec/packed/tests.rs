//! Pictures of every shape, made of coefficients that look like those of photographs.

use std::collections::BTreeSet;

use super::{
    Kept, Packer, Tables, Trainer, Unpacker,
    channel::Channel,
    layout::shapes,
    picture::{ORDER, Picture},
    scan::Writer,
};
use crate::random::Draws;

/// A JPEG of this size whose components have these blocks across and down, with a restart marker after so many units.
fn jpeg((width, height): (u16, u16), sampling: &[(u8, u8)], restart: u16, seed: u64) -> Vec<u8> {
    let mut out = vec![0xff, 0xd8];
    let mut part = |marker: u8, body: &[u8]| {
        out.extend([0xff, marker]);
        out.extend((body.len() as u16 + 2).to_be_bytes());
        out.extend(body);
    };
    part(0xdb, &[&[0][..], &[3; 64]].concat());
    let (h, w) = (height.to_be_bytes(), width.to_be_bytes());
    let components = sampling.iter().zip(1..).flat_map(|((across, down), id)| [id, across << 4 | down, 0]);
    part(0xc0, &[8, h[0], h[1], w[0], w[1], sampling.len() as u8].into_iter().chain(components).collect::<Vec<_>>());
    let counts = |length: usize, count: u8| (1..17).map(move |n| if n == length { count } else { 0 });
    part(0xc4, &std::iter::once(0).chain(counts(4, 12)).chain(0..12).collect::<Vec<_>>());
    let others = (0..16).flat_map(|run| (1..11).map(move |size| run << 4 | size)).chain([0, 0xf0]);
    part(0xc4, &std::iter::once(0x10).chain(counts(8, 162)).chain(others).collect::<Vec<_>>());
    if restart > 0 {
        part(0xdd, &restart.to_be_bytes());
    }
    let ids = (1..=sampling.len() as u8).flat_map(|id| [id, 0]);
    part(0xda, &std::iter::once(sampling.len() as u8).chain(ids).chain([0, 63, 0]).collect::<Vec<_>>());
    let picture = Picture::read(&out).unwrap();
    let (mut writer, mut channels) = (Writer::new(&picture, usize::MAX), [Channel::default(), Channel::default()]);
    let mut draws = Draws::new(seed);
    for _ in 0..picture.units().1 {
        for (channel, shape) in channels.iter_mut().zip(shapes(&picture, 1)) {
            channel.begin(shape);
            let mut before = 0_i32;
            for place in channel.raster.clone() {
                before = (before + draws.below(81) as i32 - 40).clamp(-1000, 1000);
                channel.first[place as usize] = before as i16;
                let block = &mut channel.blocks[place as usize];
                *block = [0; 64];
                // Few and small ones far behind, now and then a large one.
                let most = 1 + draws.below(40) as usize;
                for at in ORDER.iter().take(most).skip(1) {
                    let size = if draws.below(200) == 0 { 10 } else { draws.below(5) };
                    block[usize::from(*at)] =
                        (draws.below(1 << size) as i16) * if draws.below(2) == 0 { 1 } else { -1 };
                }
            }
            channel.measure();
        }
        writer.row(0, &channels, &mut out).unwrap();
    }
    writer.end(&mut out);
    out.extend([0xff, 0xd9]);
    out
}

const SAMPLINGS: [&[(u8, u8)]; 10] = [
    &[(1, 1)],
    &[(2, 2)],
    &[(1, 1), (1, 1), (1, 1)],
    &[(2, 1), (1, 1), (1, 1)],
    &[(2, 2), (1, 1), (1, 1)],
    &[(1, 2), (1, 1), (1, 1)],
    &[(4, 1), (1, 1), (1, 1)],
    &[(4, 2), (1, 1), (1, 1)],
    &[(1, 1), (2, 1), (2, 1)],
    &[(2, 2), (2, 1), (2, 1)],
];

fn pictures() -> impl Iterator<Item = Vec<u8>> {
    let sizes = [(1, 1), (8, 9), (17, 33), (40, 24), (131, 97), (250, 16), (16, 250), (700, 30)];
    let all = SAMPLINGS.iter().enumerate().flat_map(move |(i, sampling)| sizes.map(|size| (i, *sampling, size)));
    all.enumerate().map(|(n, (i, sampling, size))| jpeg(size, sampling, [0, 0, 1, 3, 7][(n + i) % 5], n as u64))
}

#[test]
fn pictures_of_every_shape_come_back_byte_for_byte() {
    let tables = Tables::standard().unwrap();
    let (mut packer, mut unpacker) = (Packer::default(), Unpacker::default());
    let mut seen = 0;
    for picture in pictures() {
        let packed = packer.pack_anyway(&picture, &tables).unwrap();
        assert_eq!(unpacker.restore(&packed, picture.len(), &tables).unwrap(), picture);
        seen += 1;
    }
    assert_eq!(seen, 80);
}

#[test]
fn tables_of_the_pictures_themselves_are_the_same_each_time_and_make_them_smaller() {
    let train = || {
        let mut trainer = Trainer::default();
        pictures().for_each(|picture| trainer.add(&picture).unwrap());
        trainer.finish().unwrap()
    };
    let (own, standard) = (train(), Tables::standard().unwrap());
    assert_eq!(own.bytes(), train().bytes());
    assert_eq!(Tables::read(own.bytes()).unwrap(), own);
    let mut packer = Packer::default();
    let mut sum = |tables: &Tables| pictures().map(|p| packer.pack_anyway(&p, tables).unwrap().len()).sum::<usize>();
    assert!(sum(&own) < sum(&standard));
}

#[test]
fn whatever_is_not_packed_says_why() {
    let tables = Tables::standard().unwrap();
    let good = jpeg((40, 24), SAMPLINGS[4], 0, 1);
    let frame = good.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        tables.pack(&bad)
    };
    assert_eq!(with(frame + 1, 0xc2), Err(Kept::Progressive));
    assert_eq!(with(frame + 1, 0xc9), Err(Kept::Arithmetic));
    assert_eq!(with(frame + 4, 12), Err(Kept::Depth));
    assert_eq!(with(frame + 9, 4), Err(Kept::Colors));
    assert_eq!(with(0, 0), Err(Kept::Damaged));
    assert_eq!(tables.pack(&good[..good.len() - 9]), Err(Kept::Damaged));
    let scan = good.windows(2).position(|w| w == [0xff, 0xda]).unwrap();
    let one = [&good[..scan], &[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0], &good[scan + 14..]].concat();
    assert_eq!(tables.pack(&one), Err(Kept::Scans));
    assert!(Packer::default().pack_anyway(&good, &tables).is_ok());
}

#[test]
fn damage_is_an_error_or_gives_the_same_picture() {
    let tables = Tables::standard().unwrap();
    let (mut packer, mut unpacker, mut draws) = (Packer::default(), Unpacker::default(), Draws::new(5));
    let mut codes = BTreeSet::new();
    for sampling in SAMPLINGS {
        let picture = jpeg((131, 97), sampling, 3, 9);
        let packed = packer.pack_anyway(&picture, &tables).unwrap();
        for n in 0..300 {
            let mut bad = packed.clone();
            let at = draws.below(bad.len() as u32) as usize;
            match n % 3 {
                0 => bad.truncate(at),
                1 => bad[at] ^= 1 << draws.below(8),
                _ => bad[at] = draws.below(256) as u8,
            }
            match unpacker.restore(&bad, picture.len(), &tables) {
                Ok(restored) => assert_eq!(restored, picture),
                Err(e) => drop(codes.insert(e.code().id())),
            }
            let _ = unpacker.coefficients(&bad, picture.len(), &tables, [n % 4, (n + 1) % 4]);
        }
    }
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), ["codec.corrupt"]);
}

#[test]
fn damaged_tables_are_refused() {
    let tables = Tables::standard().unwrap();
    let mut draws = Draws::new(3);
    for n in 0..200 {
        let mut bad = tables.bytes().to_vec();
        let at = draws.below(bad.len() as u32) as usize;
        match n % 2 {
            0 => bad.truncate(at),
            _ => bad[at] ^= 1 << draws.below(8),
        }
        assert_eq!(Tables::read(&bad).unwrap_err().code().id(), "codec.corrupt");
        // The same with a digest that fits.
        if bad.len() > 5 {
            let digest = crate::codec::checksum::crc32(&bad[5..]).to_le_bytes();
            bad[1..5].copy_from_slice(&digest);
            let _ = Tables::read(&bad);
        }
    }
    let picture = jpeg((40, 24), SAMPLINGS[4], 0, 1);
    let packed = Packer::default().pack_anyway(&picture, &tables).unwrap();
    let mut trainer = Trainer::default();
    trainer.add(&picture).unwrap();
    let other = trainer.finish().unwrap();
    let e = Unpacker::default().restore(&packed, picture.len(), &other).unwrap_err();
    assert!(e.message().contains("other tables"), "{e}");
}
