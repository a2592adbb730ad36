//! Files elsewhere: what they cost, that they give the bytes that they have, and what is said when they do not.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files, sockets and threads")]
#![cfg(feature = "remote")]

mod secured;
mod server;

mod costs;
mod faults;
mod hub;
mod reading;
mod redirects;
mod sharing;

use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    remote::Settings,
};

use server::Server;

use crate::common::{Folder, bmp, tar};

/// How a store on loopback is asked: by path, with keys, and without waiting for long.
fn settings(server: &Server) -> Settings {
    Settings::new()
        .with("AWS_ENDPOINT_URL", server.url())
        .with("AWS_ACCESS_KEY_ID", "KEY")
        .with("AWS_SECRET_ACCESS_KEY", "hidden-secret")
        .with("AWS_REGION", "us-east-1")
        .with("AWS_SHARED_CREDENTIALS_FILE", "none")
        .with("AWS_CONFIG_FILE", "none")
        .with("FOREBAY_REMOTE_TIMEOUT", "20")
}

/// Small pictures: a tar of `n`, and the TBL of them.
fn files(n: u64) -> (Vec<u8>, Vec<u8>) {
    let folder = Folder::new();
    let members: Vec<_> = (0..n).map(|i| (format!("{i:05}.bmp"), bmp(8 + (i % 5) as u32, i as u32))).collect();
    let archive = tar(&members);
    std::fs::write(folder.at("a.tar"), &archive).unwrap();
    Job::new(vec![Dataset::open(folder.at("a.tar")).unwrap()], Options::new(To::Tbl)).run(&folder.at("a.tbl")).unwrap();
    (archive, std::fs::read(folder.at("a.tbl")).unwrap())
}

/// Bytes that say where they are.
fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).take(len).collect()
}
