//! Archives that lie, that were cut or flipped, and that come in pieces: never a panic, a loop or a wrong answer,
//! and the same answer from both readers.

use crate::common;

use bytes::Bytes;
use forebay::{
    Error, Limits, Step, Stepper,
    step::drive_mut,
    tar::{Archive, END, Ending, Event, Opener, StreamReader, Tar, header_for, padding, scan, webdataset},
};
use proptest::prelude::*;

type Found = (String, u64, u64, u64);

/// Everything that a reader says, in a form to compare.
#[derive(Debug, PartialEq)]
struct Told {
    members: Vec<Found>,
    end: Result<(Ending, u64, forebay::tar::Skipped), String>,
}

fn found(archive: &Archive) -> Vec<Found> {
    archive.members.iter().map(|m| (m.name.to_owned(), m.header_offset, m.offset, m.size)).collect()
}

fn by_scanner(file: &Bytes, read_ahead: u64) -> Told {
    let mut scanner = Opener::new(file.len() as u64).with_limits(Limits::default()).with_read_ahead(read_ahead);
    match drive_mut(&mut scanner, file) {
        Ok(archive) => Told { members: found(&archive), end: Ok((archive.ending, archive.archives, archive.skipped)) },
        Err(e) => {
            check_place(&e);
            assert!(scanner.step().is_err(), "a failed scan must not go on");
            Told { members: found(&scanner.into_partial()), end: Err(e.to_string()) }
        }
    }
}

/// The members that came whole; `cuts` says how long the pieces are, in turn.
fn by_stream(file: &[u8], cuts: &[usize]) -> Told {
    let mut reader = StreamReader::new(Limits::default());
    let (mut members, mut left): (Vec<Found>, u64) = (Vec::new(), 0);
    let mut cuts = cuts.iter().cycle();
    let mut rest = file;
    let mut failed = None;
    while !rest.is_empty() && failed.is_none() {
        let (mut piece, after) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
        rest = after;
        loop {
            match reader.next(&mut piece) {
                Ok(Some(Event::Member(m))) => {
                    assert_eq!(left, 0);
                    members.push((m.name.to_owned(), m.header_offset, m.offset, m.size));
                    left = m.size;
                }
                Ok(Some(Event::Data(bytes))) => left -= bytes.len() as u64,
                Ok(Some(_)) => unreachable!(),
                Ok(None) => break,
                Err(e) => {
                    failed = Some(e);
                    break;
                }
            }
        }
    }
    if left > 0 {
        members.pop();
    }
    let end = match failed {
        Some(e) => {
            assert_eq!(reader.next(&mut &b""[..]).unwrap_err().to_string(), e.to_string());
            Err(e)
        }
        None => reader.finish().map(|s| (s.ending, s.archives, s.skipped)),
    };
    Told {
        members,
        end: end.map_err(|e| {
            check_place(&e);
            e.to_string()
        }),
    }
}

fn check_place(e: &Error) {
    assert!(e.place().offset.is_some(), "{e}");
    assert!(e.place().section.is_some() || e.code().id() == "format.empty", "{e}");
}

fn both(file: &Bytes) -> Told {
    let told = by_scanner(file, 0);
    assert_eq!(by_stream(file, &[512]), told);
    told
}

fn file(parts: &[&[u8]]) -> Bytes {
    parts.concat().into()
}

fn member(name: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = header_for(name, payload.len() as u64).unwrap();
    out.extend_from_slice(payload);
    out.resize(out.len() + padding(payload.len() as u64), 0);
    out
}

/// A member whose header block was changed and summed anew.
fn changed(name: &str, payload: &[u8], change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut out = member(name, payload);
    change(&mut out[..512]);
    let sum: u32 =
        out[..512].iter().enumerate().map(|(i, &b)| if (148..156).contains(&i) { 32 } else { b as u32 }).sum();
    out[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out
}

fn pax(kind: u8, records: &[u8]) -> Vec<u8> {
    changed("PaxHeaders/x", records, |block| block[156] = kind)
}

fn small() -> Bytes {
    let long = format!("{}/long.jpg", "d".repeat(180));
    file(&[
        &member("a.jpg", b"aaa"),
        &member(&long, &[7; 600]),
        &member("empty.txt", b""),
        &member("b.cls", b"1"),
        &END,
    ])
}

#[test]
#[allow(clippy::disallowed_methods, reason = "tests read files")]
fn the_corpus_reads_the_same_as_a_file_and_as_a_stream() {
    let folder = common::corpus("tar");
    let mut archives = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "tar") {
            let bytes = Bytes::from(std::fs::read(&path).unwrap());
            let told = both(&bytes);
            assert_eq!(by_stream(&bytes, &[7, 1000, 65_536]), told, "{}", path.display());
            archives += 1;
        }
    }
    assert!(archives >= 19, "{archives}");
}

#[test]
fn every_cut_gives_the_whole_members_before_it_and_tells_of_a_broken_one() {
    let whole = small();
    let all = both(&whole).members;
    assert_eq!(all.len(), 4);
    for cut in 0..whole.len() {
        let told = both(&whole.slice(..cut));
        assert!(all.starts_with(&told.members), "cut at {cut}");
        let expected = all.iter().filter(|(_, _, offset, size)| offset + size <= cut as u64).count();
        assert_eq!(told.members.len(), expected, "cut at {cut}");
        // An end without a word is allowed only where a member, its padding or the end blocks end.
        let last = told.members.last().map_or(0, |(_, _, offset, size)| offset + size);
        let behind = last + padding(last) as u64;
        if told.end.is_ok() {
            assert!(cut as u64 <= behind || told.members.len() == all.len(), "cut at {cut}: {told:?}");
        }
    }
}

#[test]
fn every_flipped_bit_of_a_header_is_found_or_changes_nothing() {
    let whole = small();
    let truth = both(&whole);
    // Header blocks and end blocks; PAX bodies and payloads have no checksum in a TAR.
    let mut blocks: Vec<u64> = truth.members.iter().map(|(_, _, offset, _)| offset - 512).collect();
    blocks.extend([1024, whole.len() as u64 - 1024, whole.len() as u64 - 512]);
    let mut harmless = 0;
    for block in blocks {
        for bit in 0..512 * 8 {
            let mut bytes = whole.to_vec();
            bytes[block as usize + bit / 8] ^= 1 << (bit % 8);
            let told = both(&bytes.into());
            if told.end.is_ok() {
                assert_eq!(told, truth, "block {block}, bit {bit}");
                harmless += 1;
            }
        }
    }
    // Blanks instead of leading zeros in the checksum, and what follows its number.
    assert!(harmless < 100, "{harmless}");
}

#[test]
fn every_flipped_bit_anywhere_is_survived() {
    let whole = small();
    for bit in (0..whole.len() * 8).step_by(3) {
        let mut bytes = whole.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        both(&bytes.into());
    }
}

#[test]
fn sizes_near_two_to_the_64_are_sizes_past_the_end() {
    for size in [u64::MAX, u64::MAX - 511, u64::MAX - 512, u64::MAX - 1023, 1 << 63, (1 << 33) - 1, 1 << 33, 4] {
        let base_256 = changed("a.jpg", b"", |block| {
            block[124..136].fill(0);
            block[124] = 0x80;
            block[128..136].copy_from_slice(&size.to_be_bytes());
        });
        let record = format!("{} size={size}\n", 9 + size.to_string().len() - usize::from(size < 10));
        let by_pax = [pax(b'x', record.as_bytes()), member("a.jpg", b"")].concat();
        for bytes in [base_256, by_pax, header_for("a.jpg", size).unwrap()] {
            let bytes = [member("first.jpg", b"1"), bytes, vec![1, 2, 3]].concat();
            let told = both(&bytes.into());
            assert_eq!(told.members.len(), 1);
            let e = told.end.unwrap_err();
            assert!(e.contains("[tar.truncated]") && e.contains("a.jpg") && e.contains(&size.to_string()), "{e}");
        }
    }
}

#[test]
fn sizes_that_are_no_numbers_are_errors() {
    for field in [
        &b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        b"\x80\0\0\x01",
        b"0000000009\0 ",
        b"-1",
        b"            ",
        b"\0",
    ] {
        let bytes = changed("a.jpg", b"", |block| {
            block[124..136].fill(0);
            block[124..124 + field.len()].copy_from_slice(field);
        });
        let e = both(&bytes.into()).end.unwrap_err();
        assert!(e.contains("[tar.number]") && e.contains("a.jpg"), "{e}");
    }
    let blanks = changed("a.jpg", b"12", |block| block[124..136].copy_from_slice(b"         2 \0"));
    assert_eq!(both(&blanks.into()).members[0].3, 2);
}

#[test]
fn what_cannot_be_read_is_named() {
    for (bytes, code) in [
        (changed("s.jpg", b"", |b| b[156] = b'S'), "tar.unsupported"),
        (changed("s.jpg", b"", |b| b[156] = b'M'), "tar.unsupported"),
        ([pax(b'x', b"22 GNU.sparse.major=1\n"), member("s.jpg", b"")].concat(), "tar.unsupported"),
        (changed("s.jpg", b"", |b| b[0] = 0xe9), "tar.name"),
        ([pax(b'x', b"99 path=\xff\xff\n"), member("s.jpg", b"")].concat(), "tar.extension"),
        ([pax(b'x', b"10 path=\xff\xff"), member("s.jpg", b"")].concat(), "tar.extension"),
        ([pax(b'x', b"10 path=\xff\n"), member("s.jpg", b"")].concat(), "tar.name"),
        ([pax(b'x', b"12 path=a\0b\n"), member("s.jpg", b"")].concat(), "tar.extension"),
        (pax(b'x', b"10 path=a\n"), "tar.extension"),
        ([pax(b'x', b"10 path=a\n"), END.to_vec()].concat(), "tar.extension"),
        (pax(b'L', b"").to_vec(), "tar.extension"),
        (vec![0; 100], "tar.truncated"),
        (vec![b'x'; 512], "tar.checksum"),
        ([member("a", b""), vec![0; 512], vec![b'x'; 512]].concat(), "tar.checksum"),
    ] {
        let e = both(&bytes.into()).end.unwrap_err();
        assert!(e.ends_with(&format!("[{code}]")), "{code}: {e}");
    }
}

#[test]
fn extended_headers_count_for_one_member_and_global_ones_for_all() {
    let name = |bytes: Vec<u8>| both(&bytes.into()).members.into_iter().map(|m| m.0).collect::<Vec<_>>();
    let local = pax(b'x', b"14 path=local\n");
    let global = pax(b'g', b"15 path=global\n");
    let cleared = pax(b'x', b"8 path=\n");
    let plain = member("plain", b"x");
    assert_eq!(name([&local[..], &plain, &plain].concat()), ["local", "plain"]);
    assert_eq!(name([&global[..], &local, &plain, &plain, &cleared, &plain].concat()), ["local", "global", "plain"]);
    // A new archive knows nothing of the last one's global header.
    assert_eq!(name([&global[..], &plain, &END, &plain].concat()), ["global", "plain"]);
    // The later record wins; a PAX path wins over a GNU name; link targets are read past.
    let gnu = changed("././@LongLink", b"gnu\0", |b| b[156] = b'L');
    let link = changed("././@LongLink", b"target\0", |b| b[156] = b'K');
    assert_eq!(name([&gnu[..], &link, &plain].concat()), ["gnu"]);
    assert_eq!(name([&local[..], &gnu, &plain].concat()), ["local"]);
    assert_eq!(name([&pax(b'x', b"9 path=1\n11 path=22\n")[..], &plain].concat()), ["22"]);
}

#[test]
fn kinds_without_payload_have_none_whatever_their_size_says() {
    let with_size = |kind: u8| {
        changed("n", b"", |block| {
            block[156] = kind;
            block[124..136].copy_from_slice(b"00000001000\0");
        })
    };
    let parts: Vec<Vec<u8>> = b"123456V".iter().map(|&kind| with_size(kind)).collect();
    let dump = changed("dump", &[1; 700], |block| block[156] = b'D');
    let slash = changed("x", b"", |block| {
        block[..4].copy_from_slice(b"old/");
        block[156] = 0;
    });
    let unknown = changed("seven.jpg", b"7", |block| block[156] = b'7');
    let told = both(&[parts.concat(), dump, slash, unknown].concat().into());
    assert_eq!(told.members.iter().map(|m| &m.0[..]).collect::<Vec<_>>(), ["seven.jpg"]);
    let (ending, _, skipped) = told.end.unwrap();
    assert_eq!((skipped.directories, skipped.links, skipped.specials), (3, 2, 4));
    assert_eq!(ending, Ending::Unclosed);
}

/// `header_for` refuses names with a slash at the end, which only folders have.
fn changed_name(name: &str) -> Vec<u8> {
    changed("x", b"", |block| block[..name.len()].copy_from_slice(name.as_bytes()))
}

#[test]
fn what_follows_the_end_is_another_archive_or_a_note() {
    let a = member("a", b"1");
    let told = both(&file(&[&a, &END, &[0; 9 * 512], &a, &END, b"garbage"]));
    assert_eq!(told.members.len(), 2);
    let offset = (2 * a.len() + 2 * END.len() + 9 * 512) as u64;
    assert_eq!(told.end.unwrap(), (Ending::Trailing { offset, bytes: 7 }, 2, Default::default()));
    let told = both(&file(&[&a, &END, &[9; 2000]]));
    assert_eq!(told.end.unwrap().0, Ending::Trailing { offset: 2048, bytes: 2000 });
    assert_eq!(both(&file(&[&a, &END[..512]])).end.unwrap().0, Ending::Unclosed);
    assert_eq!(both(&file(&[&a, &END[..512], &a])).members.len(), 2);
    assert_eq!(both(&file(&[&a, &END, &[0; 100]])).end.unwrap().0, Ending::Closed);
    assert_eq!(both(&file(&[&changed_name("folder/"), &END])).end.unwrap().2.directories, 1);
}

#[test]
fn an_extended_header_is_held_against_the_limits() {
    let bytes = Bytes::from([pax(b'x', &[0; 5000]), member("a", b"")].concat());
    let limits = Limits::default().with_item_bytes(4096);
    assert_eq!(scan(&bytes, &limits).unwrap_err().code().id(), "limit.item");
    let e = StreamReader::new(limits).next(&mut &bytes[..]).unwrap_err();
    assert_eq!((e.code().id(), e.place().offset), ("limit.item", Some(0)));
    let many = Bytes::from(member("a", b"").repeat(100));
    let e = scan(&many, &Limits::default().with_index_bytes(1000)).unwrap_err();
    assert_eq!((e.code().id(), e.place().offset), ("limit.index", Some(40 * 512)));
}

#[test]
fn zeros_to_the_end_of_a_huge_file_are_asked_for_in_large_pieces() {
    let len = 64 << 20;
    let a = member("a", b"1");
    let mut scanner = Opener::new(len).with_limits(Limits::default());
    let mut steps = 0;
    let archive = loop {
        match scanner.step().unwrap() {
            Step::Done(archive) => break archive,
            Step::Need(ranges) => {
                for r in ranges {
                    let mut bytes = vec![0; (r.end - r.start) as usize];
                    if r.start < a.len() as u64 {
                        bytes.copy_from_slice(&a[r.start as usize..r.end as usize]);
                    }
                    scanner.push(r.start, bytes.into());
                    steps += 1;
                }
            }
        }
    };
    assert_eq!((archive.members.len(), archive.ending), (1, Ending::Closed));
    assert!(steps < 1100, "{steps}");
}

#[test]
fn a_million_members_are_scanned_from_a_file_that_never_exists_as_a_whole() {
    const MEMBERS: u64 = 1_000_000;
    const STRIDE: u64 = 512 + 512 * 200; // payloads of 100 kB
    let header = |i: u64| header_for(&format!("train/{i:07}.jpg"), STRIDE - 512).unwrap();
    let mut scanner = Opener::new(MEMBERS * STRIDE + 1024).with_limits(Limits::default());
    let archive = loop {
        match scanner.step().unwrap() {
            Step::Done(archive) => break archive,
            Step::Need(ranges) => {
                for r in ranges {
                    let i = r.start / STRIDE;
                    let bytes = if i < MEMBERS { header(i) } else { vec![0; (r.end - r.start) as usize] };
                    scanner.push(r.start, bytes.into());
                }
            }
        }
    };
    assert_eq!(archive.members.len() as u64, MEMBERS);
    let last = archive.members.iter().last().unwrap();
    assert_eq!((last.name, last.header_offset), ("train/0999999.jpg", (MEMBERS - 1) * STRIDE));
    let tar = Tar::new(archive).unwrap();
    assert_eq!(tar.len(), MEMBERS);
    assert_eq!(tar.info(999_999, None).unwrap().offset, last_offset(STRIDE, MEMBERS));
    assert_eq!(tar.info(MEMBERS, None).unwrap_err().code().id(), "usage.out_of_range");
}

fn last_offset(stride: u64, members: u64) -> u64 {
    (members - 1) * stride + 512
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{1,2}(\\.(jpg|png|json|cls|seg\\.png)){0,2}",
        "[a-z./]{0,220}[a-z]",
        "[é-ü日 a/\\\\\n=.]{1,60}x",
        (90..170usize, 90..110usize).prop_map(|(a, b)| format!("{}/{}", "p".repeat(a), "n".repeat(b))),
    ]
}

fn any_archive() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    prop::collection::vec((any_name(), prop::collection::vec(any::<u8>(), 0..1500)), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_found_again(files in any_archive(), cuts in prop::collection::vec(1..3000usize, 1..8), ahead in 0..5000u64) {
        let mut bytes: Vec<u8> = files.iter().flat_map(|(name, payload)| member(name, payload)).collect();
        bytes.extend_from_slice(&END);
        let bytes = Bytes::from(bytes);
        let archive = scan(&bytes, &Limits::default()).unwrap();
        prop_assert_eq!(archive.members.len(), files.len());
        for (m, (name, payload)) in archive.members.iter().zip(&files) {
            prop_assert_eq!(m.name, name);
            prop_assert_eq!(&bytes[m.range().start as usize..m.range().end as usize], &payload[..]);
        }
        let truth = by_scanner(&bytes, u64::MAX);
        prop_assert_eq!(&by_scanner(&bytes, ahead), &truth);
        prop_assert_eq!(&by_stream(&bytes, &cuts), &truth);
        prop_assert_eq!(truth.end.unwrap().0, Ending::Closed);
        // Every member is exactly once a sample or a sidecar, in the order of the archive where it can be.
        let groups = webdataset::group(archive.members.iter().map(|member| (member.name, member.size))).unwrap();
        let mut order: Vec<usize> = groups.file_order().collect();
        prop_assert_eq!(groups.is_in_order(), order.is_sorted());
        order.sort_unstable();
        prop_assert!(order.into_iter().eq(0..files.len()));
    }

    #[test]
    fn damaged_archives_give_the_same_answer_however_they_are_read(
        files in any_archive(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cuts in prop::collection::vec(1..2000usize, 1..8),
        pieces in prop::collection::vec(1..2000usize, 1..8),
        ahead in 0..5000u64,
    ) {
        let mut bytes: Vec<u8> = files.iter().flat_map(|(name, payload)| member(name, payload)).collect();
        bytes.extend_from_slice(&END);
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let bytes = Bytes::from(bytes);
        let truth = by_scanner(&bytes, 0);
        prop_assert_eq!(&by_scanner(&bytes, ahead), &truth);
        prop_assert_eq!(&by_stream(&bytes, &cuts), &truth);
        // Pushed in pieces that nobody asked for, before the first step.
        let mut scanner = Opener::new(bytes.len() as u64).with_limits(Limits::default());
        let (mut at, mut sizes) = (0, pieces.iter().cycle());
        while at < bytes.len() {
            let end = (at + sizes.next().unwrap()).min(bytes.len());
            scanner.push(at as u64, bytes.slice(at..end));
            at = end;
        }
        match scanner.step() {
            Ok(Step::Done(archive)) => prop_assert_eq!(found(&archive), truth.members),
            Ok(Step::Need(ranges)) => prop_assert!(false, "{ranges:?} were here already"),
            Err(e) => prop_assert_eq!(Err(e.to_string()), truth.end),
        }
    }
}

/// What a scan that keeps going finds: names, and the faults with their places.
fn going_on(file: &Bytes) -> (Vec<String>, Vec<(String, u64, String)>, Ending) {
    let scanner = Opener::new(file.len() as u64).keep_going();
    let archive = forebay::step::drive(scanner, file).unwrap();
    let said = |e: &Error| (e.code().id().to_owned(), e.place().offset.unwrap(), e.message().to_owned());
    let passed: Vec<_> = archive.passed.iter().map(|e| said(e)).collect();
    let names: Vec<_> = archive.members.names().map(str::to_owned).collect();
    for cut in [1, 511, 512, 700, 5000] {
        let mut reader = StreamReader::new(Limits::default()).keep_going();
        let mut streamed = Vec::new();
        for mut piece in file.chunks(cut) {
            while let Some(event) = reader.next(&mut piece).unwrap() {
                if let Event::Member(member) = event {
                    streamed.push(member.name.to_owned());
                }
            }
        }
        assert_eq!(reader.end().unwrap().ending, archive.ending);
        assert_eq!(reader.take_passed().iter().map(said).collect::<Vec<_>>(), passed);
        assert_eq!(streamed, names);
    }
    (names, passed, archive.ending)
}

#[test]
fn a_scan_that_keeps_going_finds_the_next_sound_header() {
    let (a, b, c) = (member("a.jpg", &[1; 700]), member("b.jpg", &[2; 1500]), member("c.jpg", b"ccc"));
    let mut bad = b.clone();
    bad[3] ^= 1;
    let (names, passed, ending) = going_on(&file(&[&a, &bad, &c, &bad, &a, &END]));
    assert_eq!((names, ending), (["a.jpg", "c.jpg", "a.jpg"].map(str::to_owned).to_vec(), Ending::Closed));
    assert_eq!(
        passed.iter().map(|(code, at, _)| (&**code, *at)).collect::<Vec<_>>(),
        [("tar.checksum", 1536), ("tar.checksum", 1536 + 2048 + 1024)]
    );
    assert!(
        passed[0]
            .2
            .ends_with("the 2048 bytes from byte 1536 up to the next sound header at byte 3584 were passed over"),
        "{passed:?}"
    );
    // Nothing sound follows: how the file ends is seen all the same.
    let (names, passed, ending) = going_on(&file(&[&a, &bad, &END]));
    assert_eq!((names.len(), passed.len(), ending), (1, 1, Ending::Closed));
    assert!(passed[0].2.contains("the 3072 bytes from byte 1536 up to the end of the file"), "{passed:?}");
    let (_, passed, ending) = going_on(&file(&[&a, &bad]));
    assert_eq!((passed.len(), ending), (1, Ending::Stopped { offset: 1536 }));
    // Without a word nothing is passed over.
    assert!(scan(&file(&[&a, &bad, &c, &END]), &Limits::default()).is_err());
}

#[test]
fn a_member_that_is_not_read_is_passed_over_by_its_size() {
    let (a, c) = (member("a.jpg", b"a"), member("c.jpg", b"c"));
    // An archive inside does not belong to this one where the size is known.
    let inner = file(&[&member("inner.jpg", b"x"), &END]);
    let sparse = changed("s.bin", &inner, |block| block[156] = b'S');
    let part = changed("m.bin", &inner, |block| block[156] = b'M');
    let latin = changed("l.jpg", &inner, |block| block[0] = 0xe9);
    let parsed = file(&[&pax(b'x', b"22 GNU.sparse.major=1\n"), &member("p.bin", &inner)]);
    for (odd, code) in [(&sparse, "tar.unsupported"), (&part, "tar.unsupported"), (&latin, "tar.name")] {
        let (names, passed, ending) = going_on(&file(&[&a, odd, &c, &END]));
        assert_eq!((names, ending), (["a.jpg", "c.jpg"].map(str::to_owned).to_vec(), Ending::Closed), "{passed:?}");
        assert_eq!((passed.len(), &*passed[0].0, passed[0].1), (1, code, 1024));
    }
    let (names, passed, _) = going_on(&file(&[&a, &parsed, &c, &END]));
    assert_eq!((names.len(), passed.len()), (2, 1), "{passed:?}");
    // GNU's further headers of a sparse file are not in its size.
    let more = changed("s.bin", b"data", |block| (block[156], block[482]) = (b'S', 1));
    let (names, passed, _) = going_on(&file(&[&a, &more[..512], &[0; 512], &more[512..], &c, &END]));
    assert_eq!((names.len(), passed.len()), (2, 1), "{passed:?}");
}

#[test]
fn the_member_of_a_damaged_extended_header_has_no_name_to_believe() {
    let (a, c) = (member("a.jpg", b"a"), member("c.jpg", b"c"));
    let (names, passed, ending) = going_on(&file(&[&a, &pax(b'x', b"99 path=y\n"), &member("cut", b"12"), &c, &END]));
    assert_eq!((names, ending), (["a.jpg", "c.jpg"].map(str::to_owned).to_vec(), Ending::Closed), "{passed:?}");
    assert_eq!(passed.iter().map(|(code, ..)| &**code).collect::<Vec<_>>(), ["tar.extension"]);
    // One whose own header is damaged: the short name behind it is none.
    let mut bad = pax(b'x', b"12 path=y/z\n");
    bad[0] ^= 1;
    let (names, passed, _) = going_on(&file(&[&a, &bad, &member("cut", b"12"), &c, &END]));
    assert_eq!((names.len(), passed.len()), (2, 1), "{passed:?}");
    // One that is followed by the end of the archive.
    let (names, passed, ending) = going_on(&file(&[&a, &pax(b'x', b"9 path=y\n"), &END]));
    assert_eq!((names.len(), passed.len(), ending), (1, 1, Ending::Closed), "{passed:?}");
}

#[test]
fn the_places_that_are_passed_over_are_not_without_number() {
    let mut bad = member("b.jpg", b"");
    bad[3] ^= 1;
    let bytes = file(&[&[bad, member("a.jpg", b"")].concat().repeat(1200), &END]);
    let mut scanner = Opener::new(bytes.len() as u64).keep_going();
    assert_eq!(drive_mut(&mut scanner, &bytes).unwrap_err().code().id(), "tar.checksum");
    let archive = scanner.into_partial();
    assert_eq!((archive.members.len(), archive.passed.len()), (1000, 1000));
}

proptest! {
    #[test]
    fn keeping_going_ends_whatever_the_bytes_are(at in 0usize..4000, with in any::<u8>(), cut in 1usize..4000) {
        let mut bytes = small().to_vec();
        let at = at % bytes.len();
        bytes[at] = with;
        bytes.truncate(cut.max(at + 1).min(bytes.len()));
        let bytes = Bytes::from(bytes);
        let mut scanner = Opener::new(bytes.len() as u64).keep_going();
        let by_scan = drive_mut(&mut scanner, &bytes).map_err(|e| e.to_string());
        let mut reader = StreamReader::new(Limits::default()).keep_going();
        let mut rest = &bytes[..];
        while reader.next(&mut rest).unwrap().is_some() {}
        let by_stream = reader.end().map_err(|e| e.to_string());
        // Only a scan knows at once that a header announces more than there is, and looks for another one then.
        if let (Ok(scanned), Ok(streamed)) = (&by_scan, &by_stream) {
            let longer = matches!((scanned.ending, streamed.ending), (Ending::Stopped { .. }, Ending::Unclosed));
            prop_assert!(longer || scanned.ending == streamed.ending, "{:?}, {:?}", scanned.ending, streamed.ending);
        }
    }
}
