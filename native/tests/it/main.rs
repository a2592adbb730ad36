//! The library on a machine. Everything is one program, which is linked once; only what counts memory is another,
//! `tests/memory.rs`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of files, sockets, threads and processes"
)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../tests/common/mod.rs"]
mod core_common;
#[path = "../../../tests/common/dice.rs"]
mod dice;
#[path = "../../../tests/doors_made/mod.rs"]
mod doors_made;
#[path = "../../../tests/common/warehouses.rs"]
mod warehouses;
#[path = "../common/whole.rs"]
mod whole;
#[path = "../../../tests/zip_made/mod.rs"]
mod zip_made;

mod burn;
mod cookbook;
mod doors;
mod elsewhere;
mod examples;
mod layouts;
mod lists;
mod loader;
mod messages;
mod pairing;
mod parity;
#[cfg(feature = "arrow")]
mod parquets;
mod remote;
mod roundtrip;
mod sharding;
mod stores;
mod tables;
mod tar_peers;
mod tensors;
