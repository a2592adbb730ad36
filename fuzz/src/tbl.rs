//! Opening, checking and reading agree: what the check finds sound can be read in full, with the header's checksum as it
//! is and put right.

use bytes::Bytes;
use forebay::{
    codec::{
        Compression,
        checksum::{crc32, crc32_parts},
    },
    image::probe,
    sample::MediaFormat,
    step::drive,
    tbl::{Checker, Encoder, Layout, Opener, PackOptions, Patch, pack},
};

use super::limits;

pub(crate) fn body(data: &[u8]) {
    look(Bytes::copy_from_slice(data));
    let mut mended = data.to_vec();
    put_right(&mut mended);
    if mended != data {
        look(mended.into());
    }
}

/// Gives the header the checksum of its layout, by the flag that says which that is.
pub(crate) fn put_right(file: &mut [u8]) {
    let Some(header) = file.first_chunk_mut::<64>() else { return };
    if header[..3] != *b"TBL" {
        return;
    }
    if header[34] & 1 != 0 {
        let sum = crc32(&header[..60]);
        header[60..].copy_from_slice(&sum.to_le_bytes());
    } else {
        let sum = crc32_parts(&[&header[..44], &[0; 4], &header[48..]]);
        header[44..48].copy_from_slice(&sum.to_le_bytes());
    }
}

fn look(file: Bytes) {
    let len = file.len();
    let Ok(tbl) = drive(Opener::new(len as u64).with_limits(limits()), &file) else { return };
    let report = drive(Checker::new(&tbl), &file);
    let sound = report.is_ok_and(|r| r.ok);
    for i in 0..tbl.len() {
        let read = tbl.info(i).and_then(|_| tbl.plan(i)).and_then(|plan| {
            let range = plan.range();
            assert!(range.end <= len as u64, "{range:?} of {len}");
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
    .map(|(layout, compression)| file(PackOptions::new(layout, compression)))
    .to_vec()
}

fn file(options: PackOptions) -> Vec<u8> {
    let payloads = super::image::seeds().into_iter().chain([Vec::new(), b"words and words and words ".repeat(12)]);
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
    let tbl = drive(Opener::new(bytes.len() as u64).with_limits(limits()), &bytes).expect("a sound file");
    assert!(drive(Checker::new(&tbl), &bytes).expect("a sound file").ok);
    file
}

pub(crate) fn write_at(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let (at, end) = (at as usize, at as usize + bytes.len());
    file.resize(file.len().max(end), 0);
    file[at..end].copy_from_slice(bytes);
}
