//! An object of a store that others wrote, against the file that it is a copy of. `npm run test:remote` starts the stores.

#![allow(clippy::disallowed_methods, reason = "a test is told where by the environment")]
#![cfg(feature = "remote")]

use forebay_native::{
    Dataset,
    loader::Loader,
    remote::{Settings, open, traffic},
};

fn said(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} says where; npm run test:remote sets it"))
}

fn batches(path: &str) -> Vec<Vec<bytes::Bytes>> {
    let builder = Loader::open(path).unwrap().batch(32).shuffle_blocks(7, 8, 4).workers(2).payloads();
    let mut loader = builder.build().unwrap();
    loader.epoch(0).unwrap().map(|batch| batch.unwrap().payloads().to_vec()).collect()
}

#[test]
#[ignore = "npm run test:remote starts a store for it"]
fn an_object_of_another_hands_store_is_the_file() {
    let (file, address) = (said("FOREBAY_STORE_FILE"), said("FOREBAY_STORE_ADDRESS"));
    let input = open(&address, &Settings::new()).unwrap();
    assert!(input.identity().is_some(), "the store says what tells one state from another");
    let bytes = std::fs::read(&file).unwrap();
    assert!(input.slice(0..bytes.len() as u64).unwrap() == bytes);
    let (right, found) = (Dataset::open(&file).unwrap(), Dataset::open(&address).unwrap());
    assert_eq!(right.len(), found.len());
    for i in 0..right.len() {
        assert_eq!(right.payload(i).unwrap(), found.payload(i).unwrap());
        assert_eq!(right.record(i).unwrap(), found.record(i).unwrap());
    }
    assert_eq!(batches(&file), batches(&address));
    assert_eq!(traffic().retries, 0);
}
