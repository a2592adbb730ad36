//! Any bytes as what was kept of an archive's scan: a file opens with them as it does without, or they are not used.
//! So that the fuzzer gets past it, their checksum is put right.

use bytes::Bytes;
use forebay::{
    codec::checksum::crc32,
    samples::{Dataset, Opener},
    step::drive,
    tar::{self, Archive},
};

/// Two samples of two files each.
fn file() -> Bytes {
    let mut out = Vec::new();
    for (name, payload) in [("a.jpg", &b"\xff\xd8\xff"[..]), ("a.cls", b"7"), ("b/c.png", b""), ("b/c.txt", b"words")] {
        out.extend(tar::header_for(name, payload.len() as u64).expect("a header"));
        out.extend_from_slice(payload);
        out.resize(out.len() + tar::padding(payload.len() as u64), 0);
    }
    out.extend_from_slice(&tar::END);
    out.into()
}

fn open(file: &Bytes, kept: &[u8]) -> Dataset {
    let opener = Opener::new(file.len() as u64).with_limits(super::limits()).with_kept(kept);
    drive(opener, file).expect("the file is sound, whatever was kept of it")
}

pub(crate) fn body(data: &[u8]) {
    let file = file();
    let len = file.len() as u64;
    let kept = [data, &crc32(data).to_le_bytes()].concat();
    if let Some(archive) = Archive::from_kept(&kept, len, &super::limits()) {
        assert!(archive.members.iter().all(|m| m.header_offset < m.offset && m.range().end <= len));
        let again = archive.to_kept(len).expect("an archive whose scan came to its end");
        assert_eq!(Archive::from_kept(&again, len, &super::limits()), Some(archive));
    }
    let dataset = open(&file, &kept);
    for i in 0..dataset.len() {
        let (info, plan) = (dataset.info(i).expect("an entry"), dataset.plan(i).expect("a plan"));
        assert!(plan.range().end <= len, "{info:?}");
        dataset
            .record(i, None, |range| Ok(file.slice(range.start as usize..range.end as usize)))
            .expect("a record of what is there");
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let kept = |file: &Bytes| {
        let archive = tar::scan(file, &super::limits()).expect("a sound file");
        let mut kept = archive.to_kept(file.len() as u64).expect("a whole scan");
        kept.truncate(kept.len() - 4);
        kept
    };
    let whole = file();
    vec![kept(&whole), kept(&whole.slice(..whole.len() - 1024)), kept(&[&whole[..], b"behind"].concat().into())]
}
