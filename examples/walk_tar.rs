//! Walks a TAR: its members, and the samples that they make, grouped as WebDataset does.
//!
//! ```text
//! $ cargo run --example walk_tar
//! 45 members, 178445 bytes of payload
//! 15 samples
//! 0: 000001.jpg
//!    .json {"label": 675}
//!    .cls 675
//! 1: 000002.jpg
//!    .json {"label": 407}
//!    .cls 407
//! 2: 000003.jpg
//!    .json {"label": 608}
//!    .cls 608
//! ```
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a host: it reads files")]

use std::{error::Error, fs};

use bytes::Bytes;
use forebay::{
    Limits,
    tar::{Tar, scan},
};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let file = Bytes::from(fs::read("tests/corpus/tar/wds.tar")?);
    let archive = scan(&file, &Limits::default())?;
    println!("{} members, {} bytes of payload", archive.members.len(), archive.members.payload_bytes());

    // Members that differ in their extension only are one sample.
    let tar = Tar::new(archive)?;
    println!("{} samples", tar.len());
    for i in 0..3 {
        println!("{i}: {}", tar.name(i).unwrap_or_default());
        for (extension, member) in tar.sidecars(i) {
            let range = member.range();
            let bytes = &file[range.start as usize..range.end as usize];
            println!("   .{extension} {}", String::from_utf8_lossy(bytes).trim_end());
        }
    }
    Ok(())
}
