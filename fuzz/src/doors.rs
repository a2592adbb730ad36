//! Files of records open or are refused, whatever they say; every record lies in the file, a payload is the same twice, and its
//! metadata is JSON.

use bytes::Bytes;
use forebay::{
    formats::Format,
    samples::{Dataset, Opener},
    step::drive,
};

use super::{doors_made, zip_made::archive};

/// The most samples that are looked at.
const MOST: u64 = 500;

pub(crate) fn body(data: &[u8]) {
    let file = Bytes::copy_from_slice(data);
    let (len, limits) = (file.len() as u64, super::limits());
    let slice = |range: std::ops::Range<u64>| file.slice(range.start as usize..range.end as usize);
    for keep_going in [false, true] {
        let opener = Opener::new(len).with_limits(limits.clone());
        let opener = if keep_going { opener.keep_going() } else { opener };
        let Ok(Dataset::Door(door)) = drive(opener, &file) else { continue };
        assert!(!matches!(door.format(), Format::Tbl | Format::Tar | Format::Zip));
        for i in 0..door.len().min(MOST) {
            let Ok(plan) = door.plan(i) else { continue };
            let range = plan.range();
            assert!(range.start <= range.end && range.end <= len, "{range:?}");
            let bytes = slice(range);
            if let Ok(payload) = plan.decode(&bytes, &limits) {
                assert_eq!(plan.decode_unverified(&bytes, &limits).ok(), Some(payload));
            }
            let fetch = |range: std::ops::Range<u64>| {
                assert!(range.start <= range.end && range.end <= len, "{range:?}");
                Ok(slice(range))
            };
            if let Ok(record) = door.record(i, fetch) {
                serde_json::from_str::<serde_json::Value>(&record).expect("metadata is JSON");
            }
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<_> = doors_made::each().into_iter().map(|(_, file)| file).collect();
    let images = doors_made::npy("|u1", "(2, 8, 8)", true, &[7; 128]);
    let labels = doors_made::npy("<i4", "(2,)", false, &[1, 0, 0, 0, 2, 0, 0, 0]);
    seeds.push(archive(&[("images.npy", &images, true), ("labels.npy", &labels, false)], false));
    let message = doors_made::datum([3, 2, 2], &[9; 12], 3);
    seeds.push(doors_made::lmdb(&[(b"image-1", &message), (b"label-1", b"a"), (b"num-samples", b"1")], 1));
    seeds
}
