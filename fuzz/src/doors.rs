//! Files of records open or are refused, whatever they say; every record lies in the file, a payload is the same twice, and its
//! metadata is JSON.

use bytes::Bytes;
use forebay::{
    doors::{self, Door, litdata::Spec, mds::Part},
    formats::Format,
    samples::{Dataset, Opener},
    step::drive,
};

use super::{doors_made, zip_made::archive};

/// The most samples that are looked at.
const MOST: u64 = 500;

/// An index of items with leaves of every kind.
const INDEX: &str =
    r#"{"chunks":[],"config":{"data_format":["jpeg","int","pil","tensor","numpy","json","no_header_numpy:9"]}}"#;

pub(crate) fn body(data: &[u8]) {
    let file = Bytes::copy_from_slice(data);
    let (len, limits) = (file.len() as u64, super::limits());
    for keep_going in [false, true] {
        let opener = Opener::new(len).with_limits(limits.clone());
        let opener = if keep_going { opener.keep_going() } else { opener };
        let Ok(Dataset::Door(door)) = drive(opener, &file) else { continue };
        assert!(!matches!(door.format(), Format::Tbl | Format::Tar | Format::Zip));
        look(&door, &file);
    }
    // The index of LitData, and a chunk of which it says nothing wrong.
    let _ = Spec::of(data);
    let spec = Spec::of(INDEX.as_bytes()).expect("it is readable").expect("it is one of LitData");
    let opener = doors::open::Opener::of_chunks(vec![Part::new("a", 0..len)], &spec, &limits, false);
    if let Ok(door) = drive(opener, &file) {
        look(&door, &file);
    }
}

fn look(door: &Door, file: &Bytes) {
    let (len, limits) = (file.len() as u64, super::limits());
    let slice = |range: std::ops::Range<u64>| file.slice(range.start as usize..range.end as usize);
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

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<_> = doors_made::each().into_iter().map(|(_, file)| file).collect();
    let images = doors_made::npy("|u1", "(2, 8, 8)", true, &[7; 128]);
    let labels = doors_made::npy("<i4", "(2,)", false, &[1, 0, 0, 0, 2, 0, 0, 0]);
    seeds.push(archive(&[("images.npy", &images, true), ("labels.npy", &labels, false)], false));
    let head = |numbers: [u32; 3]| numbers.iter().flat_map(|n| n.to_be_bytes()).collect::<Vec<u8>>();
    let little = [9_u32, 1, 0].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let pil = [&1_u32.to_le_bytes()[..], &1_u32.to_le_bytes(), &1_u32.to_le_bytes(), b"L\x07"].concat();
    let json = b"\0\x02\0\0\0{}".to_vec();
    let item = vec![vec![0xff, 0xd8], vec![1; 8], pil, [head([11, 1, 1]), vec![9]].concat(), little, json, vec![0; 8]];
    seeds.push(doors_made::litdata(&[item.clone(), item]));
    seeds.push(INDEX.as_bytes().to_vec());
    let message = doors_made::datum([3, 2, 2], &[9; 12], 3);
    seeds.push(doors_made::lmdb(&[(b"image-1", &message), (b"label-1", b"a"), (b"num-samples", b"1")], 1));
    seeds
}
