//! What the tests of files, programs and conversions share.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use forebay::tar::{END, header_for, padding};

/// A folder of one test's own, gone when it ends.
#[derive(Debug)]
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::Builder::new().prefix("forebay-test-").tempdir().unwrap())
    }
    /// A file or folder in it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    pub fn path(&self) -> &Path {
        self.0.path()
    }
    /// The names of everything in it, hidden files too.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(self.path()).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// A tar archive in memory, of members in this order.
pub fn tar<N: AsRef<str>, B: AsRef<[u8]>>(members: &[(N, B)]) -> Vec<u8> {
    let mut file = Vec::new();
    for (name, content) in members {
        let content = content.as_ref();
        file.extend(header_for(name.as_ref(), content.len() as u64).unwrap());
        file.extend_from_slice(content);
        file.extend_from_slice(&END[..padding(content.len() as u64)]);
    }
    file.extend_from_slice(&END);
    file
}

/// Pictures of no meaning: a BMP of `width` x 2 pixels, so that format and size are found, and bytes that LZ4
/// shrinks.
pub fn bmp(width: u32, seed: u32) -> Vec<u8> {
    let row = (width * 3).next_multiple_of(4);
    let mut file = b"BM".to_vec();
    file.extend((54 + row * 2).to_le_bytes());
    file.extend([0; 4]);
    file.extend(54u32.to_le_bytes());
    file.extend(40u32.to_le_bytes());
    file.extend(width.to_le_bytes());
    file.extend(2u32.to_le_bytes());
    file.extend([1, 0, 24, 0]);
    file.extend([0; 24]);
    file.extend((0..row * 2).map(|i| ((i / 8).wrapping_mul(seed | 1) >> 3) as u8));
    file
}
