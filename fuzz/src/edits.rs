//! Any bytes as a journal of edits: what is read comes out as it was, and applying it ends in a file that opens, or in an
//! error with a place. So that the fuzzer gets past them, the checksums of lines are put right.

use std::sync::Arc;

use bytes::Bytes;
use forebay::{
    codec::{Compression, checksum::crc32},
    edits::{Apply, Change, Edited, Identity, Journal, Piece, merge},
    samples::{Dataset, Opener},
    step::{Turn, drive},
    tbl::{Document, Encoder, Layout, MetadataFormat, MetadataWriter, PackOptions, Patch, pack},
};

/// Three samples with records.
fn file() -> Bytes {
    let options = PackOptions::new(Layout::Guide, Compression::None);
    let mut encoder = Encoder::new(options, Some(3)).expect("an encoder");
    let mut metadata =
        MetadataWriter::new(Layout::Guide, MetadataFormat::Json, Document::default()).expect("a writer of metadata");
    let (mut file, mut spool) = (Vec::new(), Vec::new());
    for i in 0..3u8 {
        let packed = pack(vec![i; 5].into(), Default::default(), 0, 0, &options).expect("a payload");
        let at = encoder.place(&packed, true).expect("a place");
        put(&mut file, at, &[&packed.stored[..], packed.trailer()].concat());
        let record = format!(r#"{{"id":{i},"name":"{i}.bin","json":{{"a":[1,{{"b":2}}]}}}}"#);
        metadata.add(Some(&record), &mut spool).expect("a record");
    }
    for patch in encoder.finish(metadata.finish()).expect("an end") {
        patched(&mut file, &spool, &patch);
    }
    file.into()
}

fn put(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let end = at as usize + bytes.len();
    file.resize(file.len().max(end), 0);
    file[at as usize..end].copy_from_slice(bytes);
}

fn patched(file: &mut Vec<u8>, spool: &[u8], patch: &Patch) {
    match patch {
        Patch::Bytes { at, bytes } => put(file, *at, bytes),
        Patch::Spool { at, .. } => put(file, *at, spool),
        Patch::Zero { at, len } => put(file, *at, &vec![0; *len as usize]),
        Patch::End { len } => file.resize(*len as usize, 0),
        other => panic!("{other:?}"),
    }
}

fn open(file: &Bytes) -> Dataset {
    drive(Opener::new(file.len() as u64).with_limits(super::limits()), file).expect("the file is sound")
}

fn apply(file: &Bytes, journal: Journal, in_place: bool) {
    let blobs = [7; 64];
    let edited = Arc::new(Edited::new(journal));
    let Ok(mut work) = Apply::new(&open(file), "a.tbl", edited.clone(), blobs.len() as u64, in_place) else { return };
    let whole = Bytes::from([&file[..], &blobs].concat());
    let slice = |range: std::ops::Range<u64>| whole.slice(range.start as usize..range.end as usize);
    let (mut out, mut spool) = (if in_place { file.to_vec() } else { Vec::new() }, Vec::new());
    loop {
        match work.step() {
            Ok(Turn::Need(ranges)) => ranges.into_iter().for_each(|range| work.push(range.start, slice(range))),
            Ok(Turn::Item(Piece::Copy { from, to })) => put(&mut out, to, &slice(from)),
            Ok(Turn::Item(Piece::Bytes { at, bytes })) => put(&mut out, at, &bytes.concat()),
            Ok(Turn::Item(Piece::Spool(bytes))) => spool.extend(bytes),
            Ok(Turn::Done) => break,
            Err(_) => return,
        }
    }
    let Ok(landing) = work.finish() else { return };
    for patch in [landing.first, landing.header, landing.last].into_iter().flatten() {
        patched(&mut out, &spool, &patch);
    }
    assert_eq!(open(&out.into()).len(), edited.len());
}

pub(crate) fn body(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = Change::parse(text);
    }
    let _ = Journal::parse(data, &super::limits());
    let file = file();
    let of = Identity::of(&open(&file), "a.tbl").expect("a TBL has an identity");
    // Every line as the members of a change.
    let mut text = Journal::new(of).text().into_bytes();
    for (n, line) in (1..).zip(data.split(|&byte| byte == b'\n')) {
        let line = [format!("{{\"n\":{n},").as_bytes(), line].concat();
        let crc = crc32(&line);
        text.extend(line);
        text.extend(format!(",\"crc\":\"{crc:08x}\"}}\n").bytes());
    }
    let Ok(journal) = Journal::parse(&text, &super::limits()) else { return };
    let again = Journal::parse(journal.text().as_bytes(), &super::limits()).expect("what was written reads");
    assert_eq!(again.changes(), journal.changes());
    let merged = merge(&journal, &again, [0; 2], None).expect("a journal and itself have no conflict");
    assert!(merged.conflicts.is_empty());
    apply(&file, journal.clone(), false);
    apply(&file, journal, true);
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let blob = crc32(&[7; 5]);
    vec![
        br#""do":"set","sample":0,"fields":{"json.a[1].b":1.50,"x":null},"unset":["cls"]
"do":"tag","sample":1,"add":["a","b"],"remove":["c"]
"do":"undo"
"do":"redo"
"do":"document","fields":{"classes":["a"]}"#
            .to_vec(),
        format!(
            r#""do":"add","name":"n.jpg","at":3,"bytes":5,"blob":"{blob:08x}","fields":{{"l":[]}}
"do":"move","sample":3,"before":0
"do":"remove","sample":1
"do":"rename","sample":2,"name":"d/x.png"
"do":"review","sample":0,"state":"accepted"
"do":"set","sample":3,"annotations":[{{"class":"x","xmin":1,"ymin":1,"xmax":2,"ymax":2}}]"#
        )
        .into_bytes(),
    ]
}
