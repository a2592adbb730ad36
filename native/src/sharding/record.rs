//! What says of a shard which plan made it, and that it is whole.
//!
//! A file for each shard, in a hidden folder beside the shards, and nothing in the shards themselves: so they are byte for
//! byte what a conversion writes, in every format and layout; a TAR has no place for it. It also keeps the report of a
//! shard that an earlier run made. It is written with the digest of the shard before that takes its place, so that a process
//! that dies in between leaves a record of a shard that is not there yet. An object is known to its store only when it is
//! there: its record is written once before, without a digest, and once more afterwards.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::IoSlice,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use forebay::{Error, Limits, Result};
use serde::{Deserialize, Serialize};

use super::{Made, Plan, codes};
use crate::{
    input::{Input, display, io_error, remote},
    output::{AtomicFile, write_all_at},
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

/// Attempts to be the one who says which plan is being made, and the time between them.
const TRIES: usize = 100;
const WAIT: Duration = Duration::from_millis(10);

/// Keeps other plans away whose shards have the same names, as long as the file is open: as many processes as like make
/// one plan side by side, and of two plans the shards would be a mixture. Without locks, a shard that is there is
/// all that keeps others away.
pub(super) fn claim(folder: &Path, plan: &Plan) -> Result<Option<File>> {
    if remote::is_remote(folder) {
        return Ok(None);
    }
    let path = folder.join(FOLDER).join(format!("{}-of-{:05}.lock", plan.settings().name, plan.shards()));
    super::make_folder(&folder.join(FOLDER))?;
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|e| io_error(&display(&path), "open", e))?;
    let (mark, failed) = (plan.mark(), |e| io_error(&display(&path), "write", e));
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => {
                // Nobody makes any.
                write_all_at(&file, mark.as_bytes(), 0).map_err(failed)?;
                file.unlock().map_err(failed)?;
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => return Ok(None),
        }
        if file.try_lock_shared().is_ok() {
            if fs::read(&path).is_ok_and(|text| text == mark.as_bytes()) {
                return Ok(Some(file));
            }
            break;
        }
        thread::sleep(WAIT);
    }
    let message = "another plan is being made here, whose shards have the same names; wait for it, or write elsewhere";
    Err(Error::new(&codes::FOREIGN, message).file(display(folder)).with_options(&["name"]))
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

    /// Whether it says what was made.
    pub(super) fn is_whole(&self) -> bool {
        self.whole.is_some()
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
