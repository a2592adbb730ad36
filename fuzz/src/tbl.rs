//! Opening, checking and reading agree: what the check finds sound can be read in full.

use bytes::Bytes;
use forebay::{
    codec::Compression,
    image::probe,
    model::MediaFormat,
    step::drive,
    tbl::{Checker, Encoder, Layout, Open, PackOptions, Patch, pack},
};

use crate::limits;

pub(crate) fn body(data: &[u8]) {
    let file = Bytes::copy_from_slice(data);
    let Ok(tbl) = drive(Open::new(data.len() as u64, limits()), &file) else { return };
    let report = drive(Checker::new(&tbl), &file);
    let sound = report.is_ok_and(|r| r.ok);
    for i in 0..tbl.len() {
        let read = tbl.info(i).and_then(|_| tbl.plan(i)).and_then(|plan| {
            let range = plan.range();
            assert!(range.end <= data.len() as u64, "{range:?} of {}", data.len());
            plan.decode(&file.slice(range.start as usize..range.end as usize), &limits())
        });
        assert!(!sound || read.is_ok(), "sample {i} of a file that passed its check: {read:?}");
    }
}

/// A file of each layout, stored and compressed.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let lz4 = Compression::Lz4 { level: 1 };
    [
        (Layout::Guide, Compression::None),
        (Layout::Guide, lz4),
        (Layout::Turboloader, Compression::None),
        (Layout::Turboloader, lz4),
    ]
    .map(|(layout, compression)| file(PackOptions { layout, compression }))
    .to_vec()
}

fn file(options: PackOptions) -> Vec<u8> {
    let payloads = crate::image::seeds().into_iter().chain([Vec::new(), b"words and words and words ".repeat(12)]);
    let payloads: Vec<_> = payloads.map(Bytes::from).collect();
    let mut encoder = Encoder::new(options, Some(payloads.len() as u64)).expect("options that fit");
    let mut file = Vec::new();
    for payload in payloads {
        let known = probe(&payload);
        let format = if payload.first() == Some(&b'w') { MediaFormat::Unknown } else { known.format };
        let packed = pack(payload, format, known.width, known.height, &options).expect("a small payload");
        let at = encoder.place(&packed, false).expect("a small file");
        write_at(&mut file, at, &packed.stored);
        write_at(&mut file, at + packed.stored.len() as u64, packed.trailer());
    }
    for patch in encoder.finish(None).expect("a small file") {
        match patch {
            Patch::Bytes { at, bytes } => write_at(&mut file, at, &bytes),
            Patch::End { len } => file.resize(len as usize, 0),
            other => assert!(matches!(other, Patch::Zero { .. }), "nothing moves where the count was known: {other:?}"),
        }
    }
    let bytes = Bytes::copy_from_slice(&file);
    let tbl = drive(Open::new(bytes.len() as u64, limits()), &bytes).expect("a sound file");
    assert!(drive(Checker::new(&tbl), &bytes).expect("a sound file").ok);
    file
}

fn write_at(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let (at, end) = (at as usize, at as usize + bytes.len());
    file.resize(file.len().max(end), 0);
    file[at..end].copy_from_slice(bytes);
}
