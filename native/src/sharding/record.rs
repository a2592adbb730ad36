//! What says of a shard which plan made it, and that it is whole.
//!
//! A file for each shard, in a hidden folder beside the shards, and nothing in the shards themselves: so they are byte for
//! byte what a conversion writes, in every format and layout; a TAR has no place for it. It also keeps the report of a
//! shard that an earlier run made. It is written twice: before the shard appears, which says whose the file in that place
//! will be, and afterwards, with the digest of the file. A process that dies in between leaves a shard that is made again.

use std::{
    fs,
    io::IoSlice,
    path::{Path, PathBuf},
};

use forebay::{Limits, Result};
use serde::{Deserialize, Serialize};

use super::Made;
use crate::{
    input::{Input, remote},
    output::AtomicFile,
    shards::sha256_of,
};

/// Where the records of a folder lie.
const FOLDER: &str = ".forebay-shards";
/// The version of what a record says.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    forebay_shard: u32,
    /// What the shard's bytes follow from.
    pub(super) key: String,
    /// What was made, once it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<Whole>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Whole {
    bytes: u64,
    /// Of a file; empty for an object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    sha256: String,
    /// Of an object: the state that its store gave it, which no other content gets. To read all of it again would cost what
    /// making it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    made: Made,
}

/// Where the record of a shard lies.
pub(super) fn place(folder: &Path, name: &str) -> PathBuf {
    remote::beneath(folder, Path::new(FOLDER).join(format!("{name}.json")))
}

impl Record {
    /// Says that a shard is being made.
    pub(super) fn begun(key: &str) -> Record {
        Record { forebay_shard: VERSION, key: key.to_owned(), whole: None }
    }

    /// Says that a shard is in its place.
    pub(super) fn of(key: &str, path: &Path, made: &Made) -> Result<Record> {
        let shard = Input::pieces(path)?;
        let (sha256, state) = match remote::is_remote(path) {
            true => (String::new(), shard.identity()),
            false => (sha256_of(&shard)?, None),
        };
        let whole = Whole { bytes: shard.len(), sha256, state, made: made.clone() };
        Ok(Record { whole: Some(whole), ..Record::begun(key) })
    }

    /// The record that is there. One that does not read is none.
    pub(super) fn read(path: &Path) -> Option<Record> {
        let text = match remote::is_remote(path) {
            true => {
                let object = remote::found(path).ok()??;
                Limits::default().metadata(object.len()).ok()?;
                object.slice(0..object.len()).ok()?
            }
            false => fs::read(path).ok()?.into(),
        };
        let record: Record = serde_json::from_slice(&text).ok()?;
        (record.forebay_shard == VERSION).then_some(record)
    }

    /// What was made, if the file is still that.
    pub(super) fn made(&self, path: &Path) -> Result<Option<Made>> {
        let Some(whole) = &self.whole else { return Ok(None) };
        if remote::is_remote(path) {
            let found = remote::found(path)?.filter(|shard| shard.len() == whole.bytes && whole.state.is_some());
            return Ok(found.filter(|shard| shard.identity() == whole.state).map(|_| whole.made.clone()));
        }
        match fs::metadata(path) {
            Ok(found) if found.is_file() && found.len() == whole.bytes => {}
            _ => return Ok(None),
        }
        Ok((sha256_of(&Input::pieces(path)?)? == whole.sha256).then(|| whole.made.clone()))
    }

    /// Writes it, whole or not at all. `sync` makes it durable.
    pub(super) fn write(&self, path: &Path, sync: bool) -> Result<()> {
        if let Some(folder) = path.parent() {
            super::make_folder(folder)?;
        }
        let text = serde_json::to_vec(self).unwrap_or_default();
        let mut file = AtomicFile::create(path, true)?;
        file.append(&mut [IoSlice::new(&text)])?;
        file.commit(sync)
    }
}
