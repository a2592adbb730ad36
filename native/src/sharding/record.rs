//! What says of a shard which plan made it, and that it is whole.
//!
//! A file for each shard, in a hidden folder beside the shards, and nothing in the shards themselves: so they are byte for
//! byte what a conversion writes, in every format and layout; a TAR has no place for it. It also keeps the report of a
//! shard that an earlier run made. It is written twice: before the shard appears, which says whose the file in that place
//! will be, and afterwards, with the digest of the file. A process that dies in between leaves a shard that is made again.

use std::{
    fs,
    io::{self, IoSlice},
    path::{Path, PathBuf},
};

use forebay::Result;
use serde::{Deserialize, Serialize};

use super::Made;
use crate::{
    input::{Input, display, io_error},
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
    sha256: String,
    made: Made,
}

/// Where the record of a shard lies.
pub(super) fn place(folder: &Path, name: &str) -> PathBuf {
    folder.join(FOLDER).join(format!("{name}.json"))
}

impl Record {
    /// Says that a shard is being made.
    pub(super) fn begun(key: &str) -> Record {
        Record { forebay_shard: VERSION, key: key.to_owned(), whole: None }
    }

    /// Says that a shard is in its place.
    pub(super) fn of(key: &str, path: &Path, made: &Made) -> Result<Record> {
        let shard = Input::pieces(path)?;
        let whole = Whole { bytes: shard.len(), sha256: sha256_of(&shard)?, made: made.clone() };
        Ok(Record { whole: Some(whole), ..Record::begun(key) })
    }

    /// The record that is there. One that does not read is none.
    pub(super) fn read(path: &Path) -> Option<Record> {
        let record: Record = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (record.forebay_shard == VERSION).then_some(record)
    }

    /// What was made, if the file is still that.
    pub(super) fn made(&self, path: &Path) -> Result<Option<Made>> {
        let Some(whole) = &self.whole else { return Ok(None) };
        match fs::metadata(path) {
            Ok(found) if found.is_file() && found.len() == whole.bytes => {}
            _ => return Ok(None),
        }
        Ok((sha256_of(&Input::pieces(path)?)? == whole.sha256).then(|| whole.made.clone()))
    }

    /// Writes it, whole or not at all. `sync` makes it durable.
    pub(super) fn write(&self, path: &Path, sync: bool) -> Result<()> {
        if let Some(folder) = path.parent() {
            match fs::create_dir_all(folder) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(io_error(&display(folder), "make the folder", e));
                }
                _ => {}
            }
        }
        let text = serde_json::to_vec(self).unwrap_or_default();
        let mut file = AtomicFile::create(path, true)?;
        file.append(&mut [IoSlice::new(&text)])?;
        file.commit(sync)
    }
}
