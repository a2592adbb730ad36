//! What the integration tests share.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};

pub mod conformance;

/// A file or folder of `tests/corpus`: what other programs wrote, with twins that say what it holds. One that is not
/// there fails the test.
pub fn corpus(rel: &str) -> PathBuf {
    // The native crate's tests share this file; they stand one folder deeper.
    let roots = ["tests/corpus", "../tests/corpus"].map(|at| Path::new(env!("CARGO_MANIFEST_DIR")).join(at));
    let found = roots.iter().map(|root| root.join(rel)).find(|path| path.exists());
    found.unwrap_or_else(|| panic!("tests/corpus/{rel} is missing from the checkout"))
}

/// A TBL in memory: every sample's bytes, format, size and record.
pub fn build_tbl(
    options: forebay::tbl::PackOptions,
    format: forebay::tbl::MetadataFormat,
    document: forebay::tbl::Document,
    samples: &[Sample<'_>],
    count: Option<u64>,
) -> Vec<u8> {
    use forebay::tbl::{Encoder, MetadataWriter, pack};
    let mut encoder = Encoder::new(options, count).unwrap();
    let mut metadata = MetadataWriter::new(options.layout, format, document).unwrap();
    let (mut file, mut spool) = (Vec::new(), Vec::new());
    for sample in samples {
        let payload = bytes::Bytes::copy_from_slice(sample.payload);
        let packed = pack(payload, sample.format, sample.width, sample.height, &options).unwrap();
        let at = encoder.place(&packed, sample.record.is_some()).unwrap();
        put(&mut file, at, &packed.stored);
        put(&mut file, at + packed.stored.len() as u64, packed.trailer());
        metadata.add(sample.record, &mut spool).unwrap();
    }
    apply(&mut file, &spool, encoder.finish(metadata.finish()).unwrap());
    file
}

/// A sample for [`build_tbl`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample<'a> {
    pub payload: &'a [u8],
    pub format: forebay::sample::MediaFormat,
    pub width: u32,
    pub height: u32,
    pub record: Option<&'a str>,
}

/// Does in memory what the encoder asks of a file.
fn apply(file: &mut Vec<u8>, spool: &[u8], patches: Vec<forebay::tbl::Patch>) {
    use forebay::tbl::Patch;
    for patch in patches {
        match patch {
            Patch::Move { from, to, len } => {
                let moved = file[from as usize..(from + len) as usize].to_vec();
                put(file, to, &moved);
            }
            Patch::Bytes { at, bytes } => put(file, at, &bytes),
            Patch::Zero { at, len } => put(file, at, &vec![0; len as usize]),
            Patch::Spool { at, len } => {
                assert_eq!(len, spool.len() as u64);
                put(file, at, spool);
            }
            Patch::End { len } => file.resize(len as usize, 0),
            other => panic!("the test does not know {other:?}"),
        }
    }
}

fn put(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let end = at as usize + bytes.len();
    if file.len() < end {
        file.resize(end, 0);
    }
    file[at as usize..end].copy_from_slice(bytes);
}
