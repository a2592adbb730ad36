//! Beyond 4 GiB: positions that do not fit 32 bits. The files are sparse, so they take little room and time.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files")]
#![cfg(unix)]

use std::{
    fs::{self, File},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::Path,
};

use bytes::Bytes;
use forebay::{
    codec::Compression,
    sample::MediaFormat,
    tar::{END, header_for, padding},
    tbl::{Document, Encoder, Layout, MetadataFormat, MetadataWriter, PackOptions, Patch, pack},
};
use forebay_native::{Dataset, check::check};

use crate::common::{self, FOREBAY, Folder, bmp, forebay, tar};

const GIB: u64 = 1 << 30;

/// Writes pieces of a file, nothing between them; false, with a word on stderr, if the disk cannot.
fn sparse(path: &Path, len: u64, pieces: &[(u64, Vec<u8>)]) -> bool {
    let write = || -> io::Result<u64> {
        let file = File::create(path)?;
        file.set_len(len)?;
        for (at, bytes) in pieces {
            file.write_all_at(bytes, *at)?;
        }
        Ok(file.metadata()?.blocks() * 512)
    };
    match write() {
        Ok(on_disk) if on_disk < GIB => true,
        Ok(_) => {
            eprintln!("skipped: this disk has no sparse files");
            false
        }
        Err(e) => {
            eprintln!("skipped: a sparse file of {len} bytes: {e}");
            false
        }
    }
}

/// An archive of a member of 5 GiB and, behind it, four small pictures, the last with a sidecar.
fn large_tar(path: &Path) -> bool {
    let big = 5 * GIB + 700;
    let head = header_for("big.bin", big).unwrap();
    let behind = head.len() as u64 + big + padding(big) as u64;
    let mut members: Vec<(String, Vec<u8>)> = (0..4).map(|i| (format!("{i}.bmp"), bmp(30 + i, i))).collect();
    members.push(("3.txt".into(), b"the last".to_vec()));
    let tail = tar(&members);
    assert!(tail.ends_with(&END));
    sparse(path, behind + tail.len() as u64, &[(0, head), (behind, tail)])
}

#[test]
fn members_behind_4_gib_are_converted() {
    let folder = Folder::new();
    if !large_tar(&folder.at("large.tar")) {
        return;
    }
    let dataset = Dataset::open(folder.at("large.tar")).unwrap();
    assert_eq!(dataset.len(), 5);
    assert!(dataset.info(4).unwrap().offset > 5 * GIB);
    // The member of 5 GiB fits no TBL: without a filter that is an error which says so, and not a wrong size.
    let done = std::process::Command::new(FOREBAY)
        .args(["convert", "--json", "--no-sync", "large.tar", "all.tbl"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let error = common::error_of(&done);
    assert_eq!(error["sample"], 0, "{error}");
    assert_eq!(folder.names(), ["large.tar"]);
    let done = forebay([
        "convert",
        "--quiet",
        "--no-sync",
        "--verify",
        folder.at("large.tar").to_str().unwrap(),
        folder.at("small.tbl").to_str().unwrap(),
        "--where",
        "bytes < 1000000",
    ]);
    assert!(done.status.success(), "{done:?}");
    let small = Dataset::open(folder.at("small.tbl")).unwrap();
    assert_eq!(small.len(), 4);
    for i in 0..4 {
        assert_eq!(small.payload(i).unwrap(), bmp(30 + i as u32, i as u32));
        assert_eq!(small.info(i).unwrap().width, 30 + i as u32);
    }
    assert_eq!(small.metadata_value(3).unwrap().unwrap()["txt"], "the last");
}

/// Writes a TBL as the encoder says, but of payloads that are zeros only the checksums.
fn large_tbl(path: &Path, layout: Layout) -> Option<u64> {
    let options = PackOptions::new(layout, Compression::None);
    let zeros = pack(Bytes::from(vec![0; 100 << 20]), MediaFormat::Unknown, 0, 0, &options).unwrap();
    let last = pack(bmp(33, 7).into(), MediaFormat::Bmp, 33, 2, &options).unwrap();
    let mut encoder = Encoder::new(options, Some(60)).unwrap();
    let mut metadata = MetadataWriter::new(layout, MetadataFormat::Json, Document::default()).unwrap();
    let (mut pieces, mut spool) = (Vec::new(), Vec::new());
    for i in 0..59 {
        let at = encoder.place(&zeros, true).unwrap();
        pieces.push((at + zeros.stored.len() as u64, zeros.trailer().to_vec()));
        metadata.add(Some(&format!("{{\"id\":{i}}}")), &mut spool).unwrap();
    }
    let at = encoder.place(&last, true).unwrap();
    pieces.push((at, [&last.stored[..], last.trailer()].concat()));
    metadata.add(Some("{\"id\":59,\"name\":\"last.bmp\"}"), &mut spool).unwrap();
    let mut end = 0;
    for patch in encoder.finish(metadata.finish()).unwrap() {
        match patch {
            Patch::Bytes { at, bytes } => pieces.push((at, bytes)),
            Patch::Spool { at, len } => {
                assert_eq!(len, spool.len() as u64);
                pieces.push((at, std::mem::take(&mut spool)));
            }
            Patch::End { len } => end = len,
            // What was never written is zero.
            Patch::Zero { .. } => {}
            other => panic!("nothing has to move: {other:?}"),
        }
    }
    sparse(path, end, &pieces).then_some(at)
}

#[test]
fn payloads_and_metadata_behind_4_gib_are_read() {
    for layout in [Layout::Guide, Layout::Turboloader] {
        let folder = Folder::new();
        let path = folder.at("large.tbl");
        let Some(at) = large_tbl(&path, layout) else { return };
        assert!(at > 5 * GIB);
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(dataset.tbl().unwrap().layout(), layout);
        assert_eq!(dataset.info(59).unwrap().offset, at);
        assert_eq!(dataset.payload(59).unwrap(), bmp(33, 7));
        assert_eq!(dataset.sample_name(59).unwrap().as_deref(), Some("last.bmp"));
        // One payload of zeros in the middle, beyond 2^32, with its checksum.
        assert!(dataset.info(50).unwrap().offset > u64::from(u32::MAX));
        assert_eq!(dataset.payload(50).unwrap().len(), 100 << 20);
        // Only the small sample goes into another file, by the command, and back out.
        let done = forebay([
            "convert",
            "--quiet",
            "--no-sync",
            path.to_str().unwrap(),
            folder.at("small.tar").to_str().unwrap(),
            "--where",
            "bytes < 1000000",
        ]);
        assert!(done.status.success(), "{done:?}");
        assert_eq!(fs::read(folder.at("small.tar")).unwrap(), tar(&[("last.bmp", bmp(33, 7))]));
        // A flipped bit behind 4 GiB is found and placed.
        File::options().write(true).open(&path).unwrap().write_all_at(&[0xff], at + 60).unwrap();
        let e = Dataset::open(&path).unwrap().payload(59).unwrap_err();
        assert_eq!((e.code().id(), e.place().offset), ("tbl.payload_crc", Some(at)));
    }
}

#[test]
fn a_report_on_a_large_archive_says_what_it_holds() {
    let folder = Folder::new();
    if !large_tar(&folder.at("large.tar")) {
        return;
    }
    let dataset = Dataset::open(folder.at("large.tar")).unwrap();
    let report = check(&dataset, 1, &mut |_| {}).unwrap();
    assert!(report.faults.is_empty(), "{report:?}");
}
