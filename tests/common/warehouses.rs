//! A warehouse whose files are in memory.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::{collections::BTreeMap, path::Path};

use bytes::Bytes;
use forebay::{
    Limits, Result,
    check::Report,
    step::drive,
    warehouse::{Checker, Manifest, Opener, Warehouse},
};

/// Files by name; `manifest.json` among them.
#[derive(Clone, Debug, Default)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// The files of a folder.
    #[allow(clippy::disallowed_methods, reason = "tests read files")]
    pub fn read(folder: &Path) -> Files {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files =
            entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap()));
        Files(files.collect())
    }

    pub fn manifest_bytes(&self) -> &[u8] {
        &self.0["manifest.json"]
    }
    pub fn manifest(&self) -> Result<Manifest> {
        Manifest::parse(self.manifest_bytes(), &Limits::default())
    }

    /// All of it as one file, and its opener.
    pub fn joined(&self) -> Result<(Opener, Bytes)> {
        let manifest = self.manifest()?;
        let files = manifest.shards.iter().map(|shard| self.0.get(&shard.relative_path));
        let files: Vec<Option<&Vec<u8>>> = files.collect();
        let lens: Vec<Option<u64>> = files.iter().map(|file| file.map(|file| file.len() as u64)).collect();
        let parts = std::iter::once(self.manifest_bytes()).chain(files.iter().flatten().map(|file| &file[..]));
        let joined = parts.collect::<Vec<_>>().concat();
        Ok((Opener::new(manifest, self.manifest_bytes().len() as u64, &lens), joined.into()))
    }

    /// Opened as for use.
    pub fn open(&self) -> Result<(Warehouse, Bytes)> {
        let (opener, file) = self.joined()?;
        Ok((drive(opener, &file)?, file))
    }

    /// Checked to the end, with pieces of this size.
    pub fn check(&self, window: u64) -> Report {
        let done = || {
            let (opener, file) = self.joined()?;
            let warehouse = drive(opener.keep_going(), &file)?;
            drive(Checker::new(&warehouse).with_window(window), &file)
        };
        done().unwrap_or_else(|e| Report::unopened(&e))
    }
}
