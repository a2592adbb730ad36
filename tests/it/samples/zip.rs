//! ZIP archives: opened by their end alone, the samples of the folder that they unpack to, and lies refused by name.
#![allow(clippy::disallowed_methods, missing_docs)]

use crate::zip_made;

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{
    Limits, Step, Stepper,
    check::Report,
    codec::Codec,
    error::Kind,
    filter::Filter,
    formats::Format,
    samples::{Checker, Conversion, ConversionOptions, Dataset, Form, Opened, Opener, Part, RecordReader, Selector},
    step::{Turn, drive},
    tar,
    zip::Zip,
};
use zip_made::archive;

const TEXT: &[u8] = b"the same words again and again, the same words again and again";

/// A picture's first bytes, of which readers tell its size.
fn png(width: u32) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    file.extend(width.to_be_bytes());
    file.extend([0, 0, 0, 2, 8, 2, 0, 0, 0, 0, 0, 0, 0]);
    file.resize(file.len() + 200, 7);
    file
}

fn open(file: &Bytes) -> forebay::Result<Zip> {
    match drive(Opener::new(file.len() as u64), file)? {
        Dataset::Zip(zip) => Ok(zip),
        other => panic!("{other:?}"),
    }
}

fn opened(file: &Bytes) -> Arc<Opened> {
    Arc::new(Opened::new(Dataset::Zip(open(file).unwrap()), Limits::default(), None))
}

fn slice(file: &Bytes, range: Range<u64>) -> Bytes {
    file.slice(range.start as usize..range.end as usize)
}

fn payload(file: &Bytes, zip: &Zip, i: u64) -> forebay::Result<Bytes> {
    let plan = zip.plan(i)?;
    plan.decode(&slice(file, plan.range()), &Limits::default())
}

fn code(e: forebay::Result<Zip>) -> &'static str {
    e.expect_err("it is refused").code().id()
}

fn check(file: &Bytes) -> Report {
    let opened = opened(file);
    let mut checker = Checker::new(&opened, 0..opened.dataset.len(), 1, Some(64));
    loop {
        checker.parts().iter_mut().try_for_each(Part::step).unwrap();
        let needs = checker.needs();
        if needs.is_empty() {
            return checker.finish();
        }
        needs.into_iter().for_each(|range| checker.push(range.start, slice(file, range)));
    }
}

#[test]
fn an_archive_opens_by_its_end_and_a_sample_is_one_range() {
    for wide in [false, true] {
        let picture = png(3);
        let mut filler = vec![b'x'; 300_000];
        filler[..8].copy_from_slice(&picture[..8]);
        let members = [("b.png", &picture[..], true), ("a.png", &filler, false), ("b.json", b"{\"n\":1}", true)];
        let file = Bytes::from(archive(&members, wide));
        let (mut opener, mut asked) = (Opener::new(file.len() as u64), Vec::new());
        let dataset = loop {
            match opener.step().unwrap() {
                Step::Done(dataset) => break dataset,
                Step::Need(ranges) => ranges.into_iter().for_each(|range| {
                    asked.push(range.clone());
                    opener.push(range.start, slice(&file, range));
                }),
            }
        };
        let read: u64 = asked.iter().map(|range| range.end - range.start).sum();
        assert!(asked.len() <= 3 && read < 70_000, "{asked:?}");
        let Dataset::Zip(zip) = dataset else { panic!("{dataset:?}") };
        assert_eq!((zip.len(), zip.members(), zip.name(0), zip.name(1)), (2, 3, Some("a.png"), Some("b.png")));
        assert_eq!(payload(&file, &zip, 0).unwrap(), filler);
        assert_eq!(payload(&file, &zip, 1).unwrap(), picture);
        assert_eq!(zip.plan(1).unwrap().info.codec, Codec::Deflate);
        assert_eq!(zip.plan(2).unwrap_err().code().id(), "usage.out_of_range");
        let record = zip.record(1, |range| Ok(slice(&file, range))).unwrap().unwrap();
        assert_eq!(record, r#"{"id":1,"name":"b.png","json":{"n":1},"members":["json","png"]}"#);
    }
}

#[test]
fn sidecars_find_their_pictures_wherever_they_lie() {
    let members: &[(&str, &[u8], bool)] = &[
        ("train/2.jpg", b"two", false),
        ("train/1.jpg", b"one", false),
        ("train/2.cls", b"7", false),
        ("train/", b"", false),
        ("__MACOSX/train/._1.jpg", b"fork", false),
        ("train/.DS_Store", b"junk", false),
        ("train/1.cls", b"5", true),
    ];
    let file = Bytes::from(archive(members, false));
    let zip = open(&file).unwrap();
    let left = zip.left_out();
    assert_eq!((zip.len(), left.directories, left.hidden, left.total()), (2, 1, 2, 3));
    let record = |i| zip.record(i, |range| Ok(slice(&file, range))).unwrap().unwrap();
    assert_eq!(record(0), r#"{"id":0,"name":"train/1.jpg","cls":5,"members":["cls","jpg"]}"#);
    assert_eq!(record(1), r#"{"id":1,"name":"train/2.jpg","cls":7,"members":["cls","jpg"]}"#);
}

#[test]
fn an_archive_becomes_the_tar_of_the_folder_that_it_unpacks_to() {
    let mut members: Vec<(&str, &[u8], bool)> =
        vec![("b.png", b"\x89PNG", true), ("a.cls", b"1", false), ("a.png", TEXT, true), ("b.json", b"{}", true)];
    let convert = |file: &Bytes| {
        let form = ConversionOptions::new(Form::Tar);
        let mut work = Conversion::new(opened(file), form, None).unwrap();
        let mut out = Vec::new();
        loop {
            match work.step().unwrap() {
                Turn::Need(ranges) => ranges.into_iter().for_each(|r| work.push(r.start, slice(file, r))),
                Turn::Item(batch) => work.write(batch.places().map(|k| batch.make(k))).unwrap(),
                Turn::Done => break,
            }
            work.pieces().for_each(|piece| out.extend_from_slice(piece));
            work.written();
        }
        out
    };
    let written = convert(&Bytes::from(archive(&members, false)));
    let found = tar::scan(&Bytes::from(written.clone()), &Limits::default()).unwrap();
    assert_eq!(found.members.names().collect::<Vec<_>>(), ["a.cls", "a.png", "b.json", "b.png"]);
    // In whatever order, and whatever is compressed.
    members.reverse();
    members.iter_mut().for_each(|member| member.2 = false);
    assert_eq!(convert(&Bytes::from(archive(&members, true))), written);
}

#[test]
fn sizes_are_found_in_packed_pictures_without_unpacking_them_whole() {
    let wide = png(640);
    let file = Bytes::from(archive(&[("a.png", &wide, true), ("b.png", &png(3), false)], false));
    let opened = opened(&file);
    let mut work = Selector::new(opened.clone(), &Filter::parse("width > 100").unwrap()).unwrap();
    loop {
        match work.step().unwrap() {
            Turn::Need(ranges) => ranges.into_iter().for_each(|r| work.push(r.start, slice(&file, r))),
            Turn::Item(()) => {}
            Turn::Done => break,
        }
    }
    assert_eq!(work.take_matches(), [0]);
    assert_eq!(opened.info(0).unwrap().width, 640);
    let record = drive(RecordReader::new(opened, 1), &file).unwrap().unwrap();
    assert_eq!(record, r#"{"id":1,"name":"b.png"}"#);
}

#[test]
fn a_check_unpacks_everything_and_names_what_is_damaged() {
    let members = [("a.jpg", TEXT, false), ("a.json", &b"{\"a\": \"a\"}"[..], true), ("b.jpg", TEXT, true)];
    let good = archive(&members, false);
    assert!(check(&Bytes::from(good.clone())).ok);
    let at = good.windows(8).position(|bytes| bytes == &TEXT[..8]).unwrap();
    let mut bad = good.clone();
    bad[at] ^= 1;
    let report = check(&Bytes::from(bad));
    let [fault] = &report.faults[..] else { panic!("{report:?}") };
    assert_eq!((fault.code, fault.member.as_deref(), fault.sample), ("zip.crc", Some("a.jpg"), Some(0)));
    // The sidecar, in its stream.
    let at = good.windows(6).position(|bytes| bytes == b"a.json").unwrap();
    let mut bad = good;
    bad[at + 8] ^= 0xff;
    let report = check(&Bytes::from(bad));
    assert_eq!(report.fault_count, 1, "{report:?}");
    assert!(matches!(report.faults[0].code, "zip.packed" | "zip.crc"));
    assert_eq!(report.faults[0].member.as_deref(), Some("a.json"));
}

/// The directory's first entry, and the end, of an archive of one member.
fn parts(file: &[u8]) -> (usize, usize) {
    let find = |magic: &[u8]| file.windows(4).rposition(|bytes| bytes == magic).unwrap();
    (find(b"PK\x01\x02"), find(b"PK\x05\x06"))
}

#[test]
fn lies_are_refused_by_name() {
    let file = archive(&[("a.jpg", TEXT, true)], false);
    let (entry, end) = parts(&file);
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = file.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        Bytes::from(changed)
    };
    let refused = |at: usize, bytes: &[u8]| code(open(&with(at, bytes)));
    // Flags: encrypted, with its header masked.
    assert_eq!(refused(entry + 8, &[1]), "zip.encrypted");
    assert_eq!(refused(entry + 9, &[0x28]), "zip.encrypted");
    let e = open(&with(entry + 8, &[1])).unwrap_err();
    assert_eq!((e.kind(), e.place().member.as_deref()), (Kind::Unsupported, Some("a.jpg")));
    // bzip2; a place behind the directory; a size that reaches over it; a name that is cut; another disk.
    assert_eq!(refused(entry + 10, &[12]), "zip.unsupported");
    assert_eq!(refused(entry + 42, &(end as u32).to_le_bytes()), "zip.overlap");
    assert_eq!(refused(entry + 20, &(file.len() as u32).to_le_bytes()), "zip.overlap");
    assert_eq!(refused(entry + 28, &[200]), "zip.directory");
    assert_eq!(refused(entry + 46, &[0xff]), "zip.name");
    assert_eq!(refused(end + 4, &[1]), "zip.unsupported");
    // More entries, a directory elsewhere, a comment that is not there.
    assert_eq!(refused(end + 8, &[2, 0, 2, 0]), "zip.directory");
    assert_eq!(refused(end + 16, &[1]), "zip.end");
    assert_eq!(refused(end + 20, &[1]), "zip.end");
    assert_eq!(code(open(&Bytes::from(file[..file.len() - 30].to_vec()))), "zip.end");
    // The member's own header: its signature, method and size.
    for at in [0, 8, 18] {
        let changed = with(at, &[9]);
        if at == 0 {
            assert!(drive(Opener::new(changed.len() as u64), &changed).is_err());
            continue;
        }
        let e = payload(&changed, &open(&changed).unwrap(), 0).unwrap_err();
        assert_eq!(e.code().id(), "zip.member");
    }
    // It unpacks to another size, or to other bytes.
    for (at, bytes) in [(entry + 24, [TEXT.len() as u8 - 1]), (entry + 24, [TEXT.len() as u8 + 1]), (entry + 16, [0])] {
        let changed = with(at, &bytes);
        let e = payload(&changed, &open(&changed).unwrap(), 0).unwrap_err();
        assert!(matches!(e.code().id(), "zip.packed" | "zip.crc"), "{e}");
    }
}

#[test]
fn members_that_share_bytes_are_refused() {
    let file = archive(&[("a.jpg", TEXT, false), ("b.jpg", TEXT, false)], false);
    let second = file.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    let mut shared = file.clone();
    // Both are said to lie where the first does.
    shared[second + 42..second + 46].copy_from_slice(&[0; 4]);
    assert_eq!(code(open(&shared.into())), "zip.overlap");
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let zeros = vec![0; 4 << 20];
    let file = Bytes::from(archive(&[("a.bin", &zeros, true)], false));
    let limits = Limits::default().with_item_bytes(1 << 20);
    let zip = open(&file).unwrap();
    let plan = zip.plan(0).unwrap();
    let e = plan.decode(&slice(&file, plan.range()), &limits).unwrap_err();
    assert_eq!(e.code().id(), "limit.item");
    let small = Limits::default().with_index_bytes(100);
    let e = drive(Opener::new(file.len() as u64).with_limits(small), &file).unwrap_err();
    assert_eq!(e.code().id(), "limit.index");
}

#[test]
fn no_cut_and_no_flip_panics() {
    let file = archive(&[("a.jpg", TEXT, true), ("a.cls", b"7", false), ("b/", b"", false)], true);
    for n in 0..file.len() {
        let cut = Bytes::from(file[..n].to_vec());
        assert!(drive(Opener::new(n as u64), &cut).is_err(), "cut at {n}");
        let mut flipped = file.clone();
        flipped[n] ^= 0xff;
        let flipped = Bytes::from(flipped);
        if let Ok(dataset) = drive(Opener::new(flipped.len() as u64), &flipped) {
            for i in 0..dataset.len() {
                let _ = dataset.plan(i).map(|plan| plan.decode(&slice(&flipped, plan.range()), &Limits::default()));
                let _ = dataset.record(i, None, |range| Ok(slice(&flipped, range)));
            }
        }
    }
}

#[test]
fn an_empty_archive_has_no_samples() {
    let file = Bytes::from(archive(&[], false));
    let dataset = drive(Opener::new(file.len() as u64), &file).unwrap();
    assert_eq!((dataset.format(), dataset.len(), dataset.has_index()), (Format::Zip, 0, false));
}
