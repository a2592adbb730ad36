//! TBL against files that the real package wrote, and against itself.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]
#![allow(clippy::single_range_in_vec_init, reason = "lists of ranges are what is meant")]

use crate::common;

use std::{fs, ops::Range};

use bytes::Bytes;
use forebay::{
    Limits, Step, Stepper,
    codec::Compression,
    samples::{Dataset, Opener},
    step::drive,
    tbl::{Checker, Document, Layout, MetadataFormat, OpenMetadata, PackOptions, Tbl},
};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn open(file: &Bytes) -> forebay::Result<Tbl> {
    match drive(Opener::new(file.len() as u64), file)? {
        Dataset::Tbl(tbl) => Ok(tbl),
        other => panic!("{other:?} is not a TBL"),
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn payload(tbl: &Tbl, file: &Bytes, i: u64) -> forebay::Result<Bytes> {
    let plan = tbl.plan(i)?;
    let range = plan.range();
    plan.decode(&file.slice(range.start as usize..range.end as usize), &Limits::host())
}

/// The metadata of every sample, as bytes.
fn metadata(tbl: &Tbl, file: &Bytes) -> Vec<Option<(MetadataFormat, Bytes)>> {
    let metadata = drive(OpenMetadata::new(tbl), file).unwrap();
    (0..tbl.len())
        .map(|i| {
            let range = metadata.range(i).unwrap()?;
            let bytes = file.slice(range.start as usize..range.end as usize);
            metadata.decode(i, bytes).unwrap().map(|m| (m.format, m.bytes))
        })
        .collect()
}

#[test]
fn every_file_of_the_real_package_reads_as_its_twin_says() {
    let folder = common::corpus("tbl");
    let mut seen = 0;
    for path in
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "tbl"))
    {
        let name = path.display().to_string();
        let twin: Value = serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
        let file = Bytes::from(fs::read(&path).unwrap());
        let tbl = open(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(tbl.layout(), Layout::Turboloader, "{name}");
        let samples = twin["samples"].as_array().unwrap();
        assert_eq!(tbl.len(), samples.len() as u64, "{name}");
        for (i, sample) in samples.iter().enumerate() {
            let info = tbl.info(i as u64).unwrap();
            let number = |key: &str| sample[key].as_u64().unwrap();
            assert_eq!(
                [
                    info.offset,
                    info.stored_bytes,
                    info.bytes,
                    info.width.into(),
                    info.height.into(),
                    info.format.code().into()
                ],
                ["offset", "size", "uncompressed_size", "width", "height", "format"].map(number),
                "{name}, sample {i}"
            );
            let bytes = payload(&tbl, &file, i as u64).unwrap();
            assert_eq!(sha256(&bytes), sample["payload_sha256"].as_str().unwrap(), "{name}, sample {i}");
        }
        let blocks = twin["metadata_blocks"].as_array().cloned().unwrap_or_default();
        for (i, found) in metadata(&tbl, &file).into_iter().enumerate() {
            let first = blocks.iter().find(|b| b["sample_index"] == i && b["type"] != 0);
            let said = first.map(|b| (b["type"].as_u64().unwrap(), b["data_hex"].as_str().unwrap().to_owned()));
            let found = found.map(|(f, bytes)| (f as u64, bytes.iter().map(|b| format!("{b:02x}")).collect()));
            assert_eq!(found, said, "{name}, sample {i}");
        }
        let report = drive(Checker::new(&tbl), &file).unwrap();
        assert!(report.ok, "{name}: {:?}", report.faults);
        common::conformance::read(&path);
        written_again(&name, &tbl, &file);
        common::conformance::written(&path);
        seen += 1;
    }
    assert!(seen > 30, "{seen} files");
}

/// Writes what a file of the package holds in its own layout, and reads that again.
fn written_again(name: &str, tbl: &Tbl, file: &Bytes) {
    let all: Vec<_> = (0..tbl.len()).map(|i| (tbl.info(i).unwrap(), payload(tbl, file, i).unwrap())).collect();
    let samples: Vec<_> = all
        .iter()
        .map(|(info, payload)| common::Sample {
            payload,
            format: info.format,
            width: info.width,
            height: info.height,
            record: None,
        })
        .collect();
    let options = PackOptions::new(Layout::Turboloader, LZ4);
    let again =
        Bytes::from(common::build_tbl(options, MetadataFormat::Json, Document::default(), &samples, Some(tbl.len())));
    let opened = open(&again).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!((opened.layout(), opened.len()), (Layout::Turboloader, tbl.len()), "{name}");
    for (i, (info, bytes)) in all.iter().enumerate() {
        let found = opened.info(i as u64).unwrap();
        assert_eq!(
            (found.bytes, found.width, found.height, found.format),
            (info.bytes, info.width, info.height, info.format),
            "{name}, sample {i}"
        );
        assert_eq!(&payload(&opened, &again, i as u64).unwrap(), bytes, "{name}, sample {i}");
    }
}

#[test]
fn every_hostile_file_is_refused_at_the_place_of_its_lie() {
    let folder = common::corpus("tbl/hostile");
    // What the layout has no checksum for cannot be seen: metadata, and sizes in the index (a note, below).
    let sound = [
        "raw00_raw_ok",
        "raw11_lz4_raw_tbl_to_DataLoader",
        "raw12_empty_tbl_to_DataLoader",
        "read33_index_dims_bitflip",
        "read46_meta_payload_bitflip_no_checksum",
    ];
    for path in
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "tbl"))
    {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let file = Bytes::from(fs::read(&path).unwrap());
        let place = match open(&file) {
            Err(e) => Some((e.code().id(), e.place().offset)),
            Ok(tbl) => {
                let report = drive(Checker::new(&tbl), &file).unwrap();
                for cut in 0..=tbl.len().min(3) {
                    let parts = [0..cut, cut..tbl.len()].into_iter().filter(|p| !p.is_empty() || tbl.is_empty());
                    let reports = parts.map(|part| drive(Checker::part(&tbl, part), &file).unwrap());
                    let merged = reports.reduce(|mut all, next| {
                        all.merge(next);
                        all
                    });
                    assert!(tbl.is_empty() || merged.as_ref() == Some(&report), "{stem}, in two at {cut}");
                }
                assert_eq!(report.notes.is_empty(), stem != "read33_index_dims_bitflip", "{stem}: {:?}", report.notes);
                report.faults.first().map(|f| (f.code, f.offset))
            }
        };
        assert_eq!(place.is_none(), sound.contains(&stem.as_str()), "{stem}: {place:?}");
        assert!(place.is_none_or(|(_, offset)| offset.is_some()), "{stem}: {place:?} has no offset");
        if place.is_some() { common::conformance::refused(&path) } else { common::conformance::read(&path) }
    }
}

/// Four samples of different kinds, small enough for a test of every bit.
fn small(layout: Layout, format: MetadataFormat, compression: Compression) -> Vec<u8> {
    let text = "the same words, the same words, the same words, the same words".repeat(3);
    let samples = [
        common::Sample {
            payload: text.as_bytes(),
            record: Some(r#"{"id":0,"name":"a.txt","cls":3}"#),
            ..Default::default()
        },
        common::Sample { payload: b"", ..Default::default() },
        common::Sample {
            payload: b"\x01\x02\x03",
            width: 1,
            height: 1,
            record: Some(r#"{"id":2,"x":[1,2.5,null]}"#),
            ..Default::default()
        },
        common::Sample { payload: &[7; 90], record: Some("{}"), ..Default::default() },
    ];
    let document = match layout {
        Layout::Guide => Document::Fields(json!({"source": "x"}).as_object().unwrap().clone()),
        _ => Document::default(),
    };
    common::build_tbl(PackOptions::new(layout, compression), format, document, &samples, Some(4))
}

const LZ4: Compression = Compression::Lz4 { level: 1 };

/// The first fault of a file, by opening and by checking it.
fn fault(file: &Bytes) -> Option<&'static str> {
    match drive(Opener::new(file.len() as u64), file) {
        Err(e) => Some(e.code().id()),
        Ok(Dataset::Tbl(tbl)) => match drive(Checker::new(&tbl), file) {
            Err(e) => Some(e.code().id()),
            Ok(report) => report.faults.first().map(|f| f.code),
        },
        Ok(_) => Some("another format"),
    }
}

#[test]
fn every_flipped_bit_of_a_guide_file_is_reported() {
    for format in [MetadataFormat::Json, MetadataFormat::Msgpack] {
        for compression in [Compression::None, LZ4] {
            let file = small(Layout::Guide, format, compression);
            assert_eq!(fault(&file.clone().into()), None);
            for bit in 0..file.len() * 8 {
                let mut flipped = file.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(fault(&flipped.into()).is_some(), "{format:?} {compression:?}: bit {bit} of byte {}", bit / 8);
            }
        }
    }
}

#[test]
fn every_flipped_bit_of_a_turboloader_file_is_reported_where_it_has_a_checksum() {
    let file = small(Layout::Turboloader, MetadataFormat::Json, LZ4);
    assert_eq!(fault(&file.clone().into()), None);
    let tbl = open(&file.clone().into()).unwrap();
    let metadata = tbl.header().metadata.clone().unwrap();
    let mut unseen = Vec::new();
    for bit in 0..file.len() * 8 {
        let mut flipped = file.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let flipped = Bytes::from(flipped);
        // An LZ4 block can say the same in other words: then nothing was lost.
        let same = |i| payload(&tbl, &flipped, i).ok() == payload(&tbl, &file.clone().into(), i).ok();
        let in_payload = bit / 8 >= 64 + 4 * 24 && (bit / 8) < metadata.start as usize;
        if fault(&flipped).is_none() && !(in_payload && (0..4).all(same)) {
            unseen.push((bit / 8) as u64);
        }
    }
    unseen.dedup();
    for at in unseen {
        let in_entry = (64..64 + 4 * 24).contains(&at).then(|| (at - 64) % 24);
        // Width, height, a format that is another valid one, and the flag that says that somebody looked.
        let known = matches!(in_entry, Some(16..=21)) || metadata.contains(&at);
        // An empty payload's place is nowhere, so its offset says nothing.
        let empty = (64 + 24..64 + 32).contains(&at);
        assert!(known || empty, "byte {at} can change unseen");
    }
}

#[test]
fn every_truncation_is_reported() {
    for (layout, format) in [
        (Layout::Guide, MetadataFormat::Json),
        (Layout::Guide, MetadataFormat::Msgpack),
        (Layout::Turboloader, MetadataFormat::Json),
    ] {
        let file = Bytes::from(small(layout, format, LZ4));
        for len in 0..file.len() {
            assert!(fault(&file.slice(..len)).is_some(), "{layout:?} cut at {len}");
        }
    }
}

#[test]
fn counts_and_offsets_near_the_end_of_numbers_are_refused() {
    for layout in [Layout::Guide, Layout::Turboloader] {
        let file = small(layout, MetadataFormat::Json, LZ4);
        for lie in [u64::MAX, u64::MAX / 24, u64::MAX / 24 + 1, 1 << 61, 1 << 32, 1 << 40, u64::MAX - 15, 0, 63] {
            for at in [8, 21, 24, 32, 40, 64, 64 + 24] {
                let mut lying = file.clone();
                lying[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                // Where the header's checksum would give it away, it lies as well.
                let mut honest_crc = lying.clone();
                reseal(&mut honest_crc, layout);
                for file in [lying, honest_crc] {
                    if file != small(layout, MetadataFormat::Json, LZ4) {
                        assert!(fault(&file.into()).is_some(), "{layout:?}: {lie} at {at}");
                    }
                }
            }
        }
    }
}

/// Makes the checksums of header and entries right again.
fn reseal(file: &mut [u8], layout: Layout) {
    use forebay::codec::checksum::{crc16_parts, crc32};
    match layout {
        Layout::Guide => {
            let crc = crc32(&file[..60]);
            file[60..64].copy_from_slice(&crc.to_le_bytes());
            for e in (64..64 + 4 * 24).step_by(24) {
                let crc = crc16_parts(&[&file[e..e + 21], &file[e + 23..e + 24]]);
                file[e + 21..e + 23].copy_from_slice(&crc.to_le_bytes());
            }
        }
        Layout::Turboloader => {
            file[44..48].fill(0);
            let crc = crc32(&file[..64]);
            file[44..48].copy_from_slice(&crc.to_le_bytes());
        }
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn opening_reads_the_header_and_the_index_and_nothing_else() {
    let record = format!("{{\"pad\":\"{}\"}}", "x".repeat(500));
    let payload = vec![3; 10_000];
    let samples = vec![common::Sample { payload: &payload, record: Some(&record), ..Default::default() }; 1000];
    for layout in [Layout::Guide, Layout::Turboloader] {
        let options = PackOptions::new(layout, Compression::None);
        let file =
            Bytes::from(common::build_tbl(options, MetadataFormat::Json, Document::default(), &samples, Some(1000)));
        let mut opener = Opener::new(file.len() as u64);
        let (dataset, asked) = traced(&mut opener, &file, 1 << 30);
        assert_eq!(asked, [vec![0..64], vec![64..64 + 24_000]], "{layout:?}");
        let Dataset::Tbl(tbl) = dataset.unwrap() else { panic!() };
        // The first five samples: their payloads, and of the metadata only their part.
        let plans: Vec<_> = (0..5).map(|i| tbl.plan(i).unwrap().range()).collect();
        assert!(plans.iter().all(|r| r.end - r.start <= 10_004));
        if layout == Layout::Guide {
            let (metadata, asked) = traced(&mut OpenMetadata::new(&tbl).only(0..5), &file, 1 << 30);
            let index = tbl.header().sample_index.clone().unwrap();
            assert_eq!(asked, [vec![index.start..index.start + 40]]);
            let metadata = metadata.unwrap();
            let range = metadata.range(4).unwrap().unwrap();
            assert_eq!(range.end - range.start, record.len() as u64);
        }
    }
}

/// Drives a stepper, giving at most `most` bytes of each range at a time; returns what it asked for.
fn traced<S: Stepper>(work: &mut S, file: &Bytes, most: u64) -> (forebay::Result<S::Output>, Vec<Vec<Range<u64>>>) {
    let mut asked = Vec::new();
    loop {
        match work.step() {
            Err(e) => return (Err(e), asked),
            Ok(Step::Done(output)) => return (Ok(output), asked),
            Ok(Step::Need(ranges)) => {
                assert!(
                    !ranges.is_empty() && ranges.iter().all(|r| r.start < r.end && r.end <= file.len() as u64),
                    "{ranges:?}"
                );
                for r in &ranges {
                    let end = r.end.min(r.start + most);
                    work.push(r.start, file.slice(r.start as usize..end as usize));
                }
                asked.push(ranges);
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_how_the_bytes_were_split() {
    for layout in [Layout::Guide, Layout::Turboloader] {
        let file = Bytes::from(small(layout, MetadataFormat::Json, LZ4));
        let whole = drive(Checker::new(&open(&file).unwrap()), &file).unwrap();
        for most in [1, 2, 3, 7, 64, 100] {
            let Dataset::Tbl(tbl) = traced(&mut Opener::new(file.len() as u64), &file, most).0.unwrap() else {
                panic!()
            };
            assert_eq!(tbl.header(), open(&file).unwrap().header());
            assert_eq!(traced(&mut Checker::new(&tbl), &file, most).0.unwrap(), whole);
            let split = traced(&mut OpenMetadata::new(&tbl), &file, most).0.unwrap();
            let at_once = drive(OpenMetadata::new(&tbl), &file).unwrap();
            assert_eq!(
                (0..4).map(|i| split.range(i).unwrap()).collect::<Vec<_>>(),
                (0..4).map(|i| at_once.range(i).unwrap()).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn a_check_says_beforehand_what_it_will_ask_for() {
    let payload = vec![7; 3 << 20];
    let samples: Vec<_> = (0..8).map(|_| common::Sample { payload: &payload, ..Default::default() }).collect();
    let pack = PackOptions::new(Layout::Guide, Compression::None);
    let file = Bytes::from(common::build_tbl(pack, MetadataFormat::Json, Document::default(), &samples, Some(8)));
    let mut work = Checker::new(&open(&file).unwrap());
    let (mut asked, mut said) = (Vec::new(), Vec::new());
    while let Step::Need(ranges) = work.step().unwrap() {
        ranges.iter().for_each(|r| work.push(r.start, file.slice(r.start as usize..r.end as usize)));
        asked.push(ranges);
        said.push(work.ahead());
    }
    assert!(asked.len() >= 3, "{asked:?}");
    // What comes behind the payloads is small, and asked for when they are done.
    let (last, before) = said.split_last().unwrap();
    assert_eq!(before, &asked[1..]);
    assert_eq!(*last, []);
}

#[test]
fn a_check_asks_for_as_much_at_a_time_as_it_is_told() {
    let payload = vec![7; 1 << 20];
    let samples: Vec<_> = (0..8).map(|_| common::Sample { payload: &payload, ..Default::default() }).collect();
    let pack = PackOptions::new(Layout::Guide, Compression::None);
    let file = Bytes::from(common::build_tbl(pack, MetadataFormat::Json, Document::default(), &samples, Some(8)));
    let tbl = open(&file).unwrap();
    let whole = drive(Checker::new(&tbl), &file).unwrap();
    for (window, at_once) in [(0, 1), (1 << 20, 1), (3 << 20, 3), (u64::MAX, 8)] {
        let (report, asked) = traced(&mut Checker::new(&tbl).with_window(window), &file, u64::MAX >> 1);
        assert_eq!(report.unwrap(), whole);
        let most = asked.iter().map(|ranges| ranges.iter().map(|r| r.end - r.start).sum::<u64>()).max().unwrap();
        assert_eq!(most, at_once * ((1 << 20) + 4), "{window}");
    }
}

#[test]
fn a_longer_index_entry_is_a_longer_tail() {
    use forebay::codec::checksum::{crc16_parts, crc32};
    // The guide's literal 26-byte entry, by hand: one sample of three bytes.
    let mut file = vec![0; 64 + 26];
    file[..4].copy_from_slice(b"TBL\x02");
    file[4] = 2;
    file[8] = 1;
    file[17] = 26;
    let entry = &mut file[64..];
    entry[0] = 90;
    (entry[8], entry[12]) = (3, 3);
    entry[24] = 0xAB;
    let crc = crc16_parts(&[&entry[..21], &entry[23..]]);
    entry[21..23].copy_from_slice(&crc.to_le_bytes());
    file.extend(b"abc");
    file.extend(crc32(b"abc").to_le_bytes());
    let file = Bytes::from(file);
    let tbl = open(&file).unwrap();
    assert_eq!(payload(&tbl, &file, 0).unwrap(), "abc");
    for len in [23u32, 4097] {
        let mut short = file.to_vec();
        short[17..21].copy_from_slice(&len.to_le_bytes());
        assert_eq!(open(&short.into()).unwrap_err().code().id(), "tbl.layout");
    }
}

#[test]
fn a_count_that_was_guessed_wrongly_costs_nothing_but_room() {
    // More small samples than any reserve, none, and one.
    for (layout, n) in [
        (Layout::Guide, 9000),
        (Layout::Guide, 5),
        (Layout::Guide, 0),
        (Layout::Turboloader, 300),
        (Layout::Turboloader, 0),
    ] {
        let payloads: Vec<Vec<u8>> = (0..n).map(|i: u32| i.to_le_bytes().repeat(1 + i as usize % 5)).collect();
        let samples: Vec<_> = payloads
            .iter()
            .map(|p| common::Sample { payload: p, record: Some("{\"a\":1}"), ..Default::default() })
            .collect();
        for count in [None, Some(u64::from(n)), Some(u64::from(n) + 7), Some(u64::from(n) / 2)] {
            let options = PackOptions::new(layout, Compression::None);
            let file =
                Bytes::from(common::build_tbl(options, MetadataFormat::Json, Document::default(), &samples, count));
            let tbl = open(&file).unwrap();
            assert_eq!(fault(&file), None, "{layout:?} {n} {count:?}");
            for (i, p) in payloads.iter().enumerate() {
                assert_eq!(payload(&tbl, &file, i as u64).unwrap(), p[..], "{layout:?} {n} {count:?} {i}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read(
        payloads in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            (any::<u8>(), 0usize..3000).prop_map(|(b, n)| vec![b; n]),
        ], 0..20),
        records in prop::collection::vec(prop::option::of(prop_oneof![Just("{}"), Just(r#"{"name":"é\n","v":[1,-2,3.25,true,null,{"w":""}]}"#)]), 20),
        turboloader: bool, msgpack: bool, level in 0u8..3,
    ) {
        let layout = if turboloader { Layout::Turboloader } else { Layout::Guide };
        let compression = match level {
            0 => Compression::None,
            #[cfg(feature = "zstd")]
            2 if !turboloader => Compression::Zstd { level: 3 },
            _ => LZ4,
        };
        let format = if msgpack { MetadataFormat::Msgpack } else { MetadataFormat::Json };
        let samples: Vec<_> = payloads.iter().zip(&records).map(|(payload, record)| common::Sample { payload, record: *record, ..Default::default() }).collect();
        let file = Bytes::from(common::build_tbl(PackOptions::new(layout, compression), format, Document::default(), &samples, None));
        prop_assert_eq!(fault(&file), None);
        let tbl = open(&file).unwrap();
        for (i, p) in payloads.iter().enumerate() {
            prop_assert_eq!(&payload(&tbl, &file, i as u64).unwrap()[..], &p[..]);
        }
        let limits = Limits::host();
        for (found, said) in metadata(&tbl, &file).into_iter().zip(&records) {
            let found = found.map(|(format, bytes)| {
                match format {
                    MetadataFormat::Json => serde_json::from_slice::<Value>(&bytes).unwrap(),
                    _ => forebay::msgpack::Reader::new(
                        forebay::cursor::Cursor::new(&bytes, 0, "metadata", &forebay::tbl::codes::METADATA),
                        &forebay::tbl::codes::METADATA,
                        &limits,
                    ).value(0).unwrap(),
                }
            });
            prop_assert_eq!(found, said.map(|s| serde_json::from_str::<Value>(s).unwrap()));
        }
    }
}
