//! What the integration tests share.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};

/// A file or folder of the shared material beside the checkout (or under `FOREBAY_SHARED`); `None`, with a
/// word on stderr, where there is none.
#[allow(clippy::disallowed_methods, reason = "tests are hosts: they read files and the environment")]
pub fn shared(rel: &str) -> Option<PathBuf> {
    let root = match std::env::var("FOREBAY_SHARED") {
        Ok(root) => PathBuf::from(root),
        Err(_) => Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).to_path_buf(),
    };
    let path = root.join(rel);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not here", path.display());
    None
}
