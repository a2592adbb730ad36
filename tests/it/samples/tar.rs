//! Archives as they are met in the wild, and as nobody should meet them.

use crate::common;

use bytes::Bytes;
use forebay::{
    Limits, Step, Stepper,
    codec::checksum::crc32,
    tar::{Archive, END, Ending, Member, Opener, header_for, padding, scan, webdataset},
};

fn limits() -> Limits {
    Limits::default()
}

#[allow(clippy::disallowed_methods, reason = "tests read files")]
fn corpus(name: &str) -> Bytes {
    std::fs::read(common::corpus("tar").join(name)).unwrap().into()
}

/// That a file of the corpus was read as it should be.
fn read(name: &str) {
    common::conformance::read(&common::corpus("tar").join(name));
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, payload) in files {
        out.extend(header_for(name, payload.len() as u64).unwrap());
        out.extend_from_slice(payload);
        out.resize(out.len() + padding(payload.len() as u64), 0);
    }
    out.extend_from_slice(&END);
    out
}

fn names(archive: &Archive) -> Vec<&str> {
    archive.members.names().collect()
}

/// What was found before the error, and the error.
fn stopped(file: &Bytes) -> (Archive, forebay::Error) {
    let mut scanner = Opener::new(file.len() as u64).with_limits(limits()).with_read_ahead(4096);
    let error = forebay::step::drive_mut(&mut scanner, file).unwrap_err();
    (scanner.into_partial(), error)
}

/// Name, size and CRC-32 of the 15 images that most archives of the corpus hold, as Python's `tarfile` sees them.
const FIFTEEN: [(&str, u64, u32); 15] = [
    ("000870.jpg", 3072, 0x3af94a2e),
    ("001260.jpg", 13894, 0xa10a7f48),
    ("000565.jpg", 9826, 0xa58aca73),
    ("001166.jpg", 13823, 0x638061a1),
    ("000411.jpg", 17888, 0x98600977),
    ("000368.jpg", 37161, 0xd0ae0959),
    ("000172.jpg", 7316, 0x5f10811a),
    ("000227.jpg", 20803, 0xb7076374),
    ("001062.jpg", 24504, 0xa13501d8),
    ("000870.jpg", 3072, 0x3af94a2e),
    ("001647.jpg", 3756, 0x664f38f3),
    ("001187.jpg", 3830, 0x5cba651d),
    ("001196.jpg", 5060, 0x4dff61a5),
    ("000593.jpg", 6871, 0x24ba7606),
    ("000172.jpg", 7316, 0x5f10811a),
];

#[test]
fn every_dialect_of_the_corpus_gives_all_its_members() {
    for file in ["ustar.tar", "v7.tar", "space_size.tar", "base256_size.tar", "no_eof_blocks.tar", "concatenated.tar"] {
        let bytes = corpus(file);
        let found = scan(&bytes, &limits()).unwrap_or_else(|e| panic!("{file}: {e}"));
        let times = if file == "concatenated.tar" { 2 } else { 1 };
        let crc = |m: Member<'_>| crc32(&bytes[m.range().start as usize..m.range().end as usize]);
        let seen: Vec<_> = found.members.iter().map(|m| (m.name, m.size, crc(m))).collect();
        assert_eq!(seen, FIFTEEN.repeat(times), "{file}");
        assert_eq!(found.archives, times as u64, "{file}");
        let unclosed = file == "no_eof_blocks.tar";
        assert_eq!(found.ending, if unclosed { Ending::Unclosed } else { Ending::Closed }, "{file}");
        assert_eq!(found.ending.note().is_some(), unclosed);
        read(file);
    }
}

#[test]
fn long_names_are_whole_in_every_dialect() {
    for (file, lengths) in [
        ("pax_long.tar", &[181, 10, 181, 17, 181, 10][..]),
        ("gnu_long.tar", &[181, 10, 181, 10, 181, 10]),
        ("ustar_prefix.tar", &[152, 152, 152, 152, 100, 99, 161]),
    ] {
        let bytes = corpus(file);
        let found = scan(&bytes, &limits()).unwrap();
        assert_eq!(found.members.names().map(str::len).collect::<Vec<_>>(), lengths, "{file}");
        // A global header stands before the first member and is not its own.
        let first = if file == "pax_long.tar" { 1024 } else { 0 };
        assert_eq!(found.members.get(0).unwrap().header_offset, first, "{file}");
        // Every payload is where a JPEG begins.
        assert!(found.members.iter().all(|m| bytes[m.offset as usize..].starts_with(&[0xff, 0xd8])), "{file}");
        read(file);
    }
}

#[test]
fn folders_links_and_pipes_are_counted_and_empty_files_are_members() {
    let bytes = corpus("dirs_links_empty.tar");
    let found = scan(&bytes, &limits()).unwrap();
    assert_eq!(names(&found), ["train/a.jpg", "empty.jpg", "tiny.jpg", "train/b.jpg", "exact512.jpg"]);
    assert_eq!(found.members.iter().map(|m| m.size).collect::<Vec<_>>(), [3072, 0, 2, 13894, 9728]);
    assert_eq!((found.skipped.directories, found.skipped.links, found.skipped.specials), (2, 2, 1));
    let bytes = corpus("allformats.tar");
    let found = scan(&bytes, &limits()).unwrap();
    assert_eq!(found.members.len(), 43);
    let bytes = corpus("corrupt_jpegs.tar");
    assert_eq!(scan(&bytes, &limits()).unwrap().members.len(), 12, "what a payload holds does not matter here");
    let bytes = corpus("empty.tar");
    let found = scan(&bytes, &limits()).unwrap();
    assert_eq!((found.members.len(), found.archives, found.ending), (0, 1, Ending::Closed));
    ["dirs_links_empty.tar", "allformats.tar", "corrupt_jpegs.tar", "empty.tar"].into_iter().for_each(read);
}

#[test]
fn damage_names_its_place_and_keeps_what_came_before() {
    for (file, code, section, before) in [
        ("bad_checksum.tar", "tar.checksum", "header", 2),
        ("huge_size.tar", "tar.truncated", "payload", 2),
        ("truncated_data.tar", "tar.truncated", "payload", 14),
        ("truncated_header.tar", "tar.truncated", "header", 14),
        ("zero_bytes.tar", "format.empty", "", 0),
    ] {
        let bytes = corpus(file);
        let (kept, error) = stopped(&bytes);
        assert_eq!(error.code().id(), code, "{file}: {error}");
        assert_eq!(error.place().section.unwrap_or_default(), section, "{file}: {error}");
        assert!(error.place().offset.is_some(), "{file}: {error}");
        assert_eq!(kept.members.len(), before, "{file}: {error}");
        assert_eq!(error.place().member.is_some(), section == "payload", "{file}: {error}");
        eprintln!("{file}: {error} {:?}", kept.ending);
        common::conformance::refused(&common::corpus("tar").join(file));
    }
}

#[test]
fn webdataset_members_become_samples_with_their_sidecars() {
    let bytes = corpus("wds.tar");
    let found = scan(&bytes, &limits()).unwrap();
    let groups = webdataset::group(found.members.iter().map(|member| (member.name, member.size))).unwrap();
    assert_eq!((found.members.len(), groups.len()), (45, 15));
    assert!(groups.is_in_order());
    for sample in groups.iter() {
        assert!(found.members.name(sample.primary).unwrap().ends_with(".jpg"));
        assert_eq!(sample.sidecars.len(), 2);
    }
    read("wds.tar");
}

#[test]
#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files")]
fn every_sound_archive_of_the_corpus_is_written_again() {
    let mut written = 0;
    for entry in std::fs::read_dir(common::corpus("tar")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = Bytes::from(std::fs::read(&path).unwrap());
        let Some(found) = path.extension().filter(|e| *e == "tar").and_then(|_| scan(&bytes, &limits()).ok()) else {
            continue;
        };
        let payload = |m: Member<'_>| bytes.slice(m.range().start as usize..m.range().end as usize);
        let files: Vec<_> = found.members.iter().map(|m| (m.name, payload(m))).collect();
        let again: Vec<_> = files.iter().map(|(name, payload)| (*name, &payload[..])).collect();
        let again = Bytes::from(archive(&again));
        let same = scan(&again, &limits()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(
            same.members
                .iter()
                .map(|m| (m.name, again.slice(m.range().start as usize..m.range().end as usize)))
                .eq(files.iter().cloned()),
            "{}",
            path.display()
        );
        common::conformance::written(&path);
        written += 1;
    }
    assert_eq!(written, 14);
}

#[test]
fn a_scan_asks_for_headers_only() {
    let payload = vec![7; 100_000];
    let file = Bytes::from(archive(&[("a.jpg", &payload), ("b.jpg", &payload), ("c.jpg", &payload)]));
    let mut scanner = Opener::new(file.len() as u64).with_limits(limits());
    let (mut asked, mut steps) = (0, 0);
    let found = loop {
        match scanner.step().unwrap() {
            Step::Done(found) => break found,
            Step::Need(ranges) => {
                for r in ranges {
                    asked += r.end - r.start;
                    steps += 1;
                    scanner.push(r.start, file.slice(r.start as usize..r.end as usize));
                }
            }
        }
    };
    assert_eq!(names(&found), ["a.jpg", "b.jpg", "c.jpg"]);
    assert_eq!((asked, steps), (5 * 512, 5));
}

#[test]
fn a_read_ahead_brings_many_small_members_with_one_request() {
    let names: Vec<String> = (0..1000).map(|i| format!("{i}.cls")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&name[..], &b"1"[..])).collect();
    let file = Bytes::from(archive(&files));
    let mut scanner = Opener::new(file.len() as u64).with_limits(limits()).with_read_ahead(256 << 10);
    let mut requests = 0;
    while let Step::Need(ranges) = scanner.step().unwrap() {
        for r in ranges {
            scanner.push(r.start, file.slice(r.start as usize..r.end as usize));
            requests += 1;
        }
        assert_eq!(scanner.members().len() as u64, scanner.position() / 1024);
    }
    assert_eq!(requests, file.len().div_ceil(256 << 10));
}

/// How often a host was asked, and what it gave, while a file was opened.
fn opened_with(file: &Bytes, kept: Option<&[u8]>) -> (u64, forebay::samples::Dataset) {
    let mut opener = forebay::samples::Opener::new(file.len() as u64);
    if let Some(kept) = kept {
        opener = opener.with_kept(kept);
    }
    let mut asked = 0;
    loop {
        match opener.step().unwrap() {
            Step::Need(ranges) => {
                asked += 1;
                for r in ranges {
                    opener.push(r.start, file.slice(r.start as usize..r.end as usize));
                }
            }
            Step::Done(dataset) => return (asked, dataset),
        }
    }
}

#[test]
fn a_kept_scan_opens_an_archive_with_one_look_and_another_file_is_scanned_instead() {
    let names: Vec<String> = (0..40).map(|i| format!("{i:04}.jpg")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"some bytes"[..])).collect();
    let file = Bytes::from(archive(&files));
    let kept = scan(&file, &limits()).unwrap().to_kept(file.len() as u64).unwrap();

    let (asked, dataset) = opened_with(&file, Some(&kept));
    assert_eq!((asked, dataset.len()), (1, 40));
    let (scanned, same) = opened_with(&file, None);
    assert!(scanned > 40);
    assert_eq!(
        (0..40).map(|i| dataset.info(i).unwrap()).collect::<Vec<_>>(),
        (0..40).map(|i| same.info(i).unwrap()).collect::<Vec<_>>()
    );

    // As long as the first one, with other files in it.
    let other: Vec<String> = (0..40).map(|i| format!("{:04}.png", i + 7)).collect();
    let files: Vec<(&str, &[u8])> = other.iter().map(|name| (name.as_str(), &b"some bytes"[..])).collect();
    let other = Bytes::from(archive(&files));
    assert_eq!(other.len(), file.len());
    let (_, dataset) = opened_with(&other, Some(&kept));
    assert!(matches!(&dataset, forebay::samples::Dataset::Tar(tar) if tar.name(0) == Some("0007.png")));
    let (_, dataset) = opened_with(&file, Some(b"nonsense"));
    assert_eq!(dataset.len(), 40);
}
