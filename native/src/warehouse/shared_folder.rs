//! Where the parts of a build meet that several machines share and that goes to a store: objects in a hidden folder
//! beside the warehouse that they become.
//!
//! A shard comes first, and then what says of it that it is whole, with the state that the store gave it. So whoever
//! puts the parts together knows one that is there by asking for its state, and needs none of its bytes.

use std::{
    io::IoSlice,
    path::{Path, PathBuf},
};

use forebay::{Limits, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    input::{Input, remote},
    output::{AtomicFile, is_overtaken},
};

/// What a store copies by itself, at most; more is read and written.
const MOST_COPIED: u64 = 5 << 30;
/// How often a part is said to be whole where others say the same of it.
const TRIES: u32 = 8;
/// Bytes that are read at once where it does not.
const PIECE: u64 = 8 << 20;

/// The folder of one build.
#[derive(Debug)]
pub(super) struct SharedFolder {
    folder: PathBuf,
}

/// What says of a part that it is whole.
#[derive(Serialize, Deserialize)]
struct Done {
    /// The state of its shard, which no other content gets; none where nothing of it could be stored.
    state: Option<String>,
    journal: Value,
}

impl SharedFolder {
    /// The one in this folder of a store.
    pub fn of(folder: PathBuf) -> SharedFolder {
        SharedFolder { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        remote::beneath(&self.folder, name)
    }
    /// The shard of a chunk.
    pub fn shard(&self, chunk: usize) -> PathBuf {
        self.at(&format!("chunk-{chunk:05}"))
    }
    fn done(&self, chunk: usize) -> PathBuf {
        self.at(&format!("done-{chunk:05}"))
    }

    /// Whether it is of this plan.
    pub fn is_of(&self, plan: &str) -> Result<bool> {
        Ok(read(&self.at("plan"))?.is_some_and(|known| known == plan.as_bytes()))
    }

    /// Begins it, or goes on with one of the same plan.
    pub fn begin(&self, plan: &str) -> Result<()> {
        if self.is_of(plan)? {
            return Ok(());
        }
        self.clear()?;
        write(&self.at("plan"), plan.as_bytes())
    }

    /// What a chunk became, if it is whole and its shard is still what it was.
    pub fn journal(&self, chunk: usize) -> Option<Vec<u8>> {
        let done: Done = serde_json::from_slice(&read(&self.done(chunk)).ok()??).ok()?;
        let state = || remote::found(&self.shard(chunk)).ok()??.identity();
        (done.state.is_none() || done.state == state()).then(|| done.journal.to_string().into_bytes())
    }

    /// Brings a part that is whole: its shard, if it has one, and what became of it.
    pub fn bring(&self, chunk: usize, shard: Option<&Path>, journal: &[u8]) -> Result<()> {
        let there = self.shard(chunk);
        if let Some(shard) = shard {
            match send(&Input::pieces(shard)?, &there, true) {
                // Somebody else has made the same at the same moment, and says so.
                Err(e) if is_overtaken(&e) => return Ok(()),
                other => other?,
            }
        }
        let journal: Value = serde_json::from_slice(journal).unwrap_or_default();
        for left in (0..TRIES).rev() {
            let state = shard.map(|_| Input::pieces(&there)).transpose()?.and_then(|there| there.identity());
            let done = serde_json::to_vec(&Done { state, journal: journal.clone() }).unwrap_or_default();
            match write(&self.done(chunk), &done) {
                // Whoever was quicker may have seen another state of the shard, so this is said again.
                Err(e) if is_overtaken(&e) && left > 0 => {}
                other => return other,
            }
        }
        Ok(())
    }

    /// Gives a chunk's shard its name, by a copy that the store makes.
    pub fn place(&self, chunk: usize, target: &Path) -> Result<()> {
        let from = self.shard(chunk);
        let shard = Input::pieces(&from)?;
        match shard.len() <= MOST_COPIED {
            true => remote::copy(&from, target),
            false => send(&shard, target, true),
        }
    }

    /// Removes all of it.
    pub fn clear(&self) -> Result<()> {
        let all = remote::below(&self.folder)?;
        // What names the build goes last, so that one that dies here is still known as one.
        let (plan, parts): (Vec<_>, Vec<_>) =
            all.into_iter().map(|one| one.path).partition(|path| path.ends_with("plan"));
        remote::remove(&parts)?;
        remote::remove(&plan)
    }
}

/// A small object; none if nothing is there.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    let Some(object) = remote::found(path)? else { return Ok(None) };
    Limits::default().metadata(object.len())?;
    Ok(Some(object.slice(0..object.len())?.to_vec()))
}

fn write(path: &Path, text: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path, true)?;
    file.append(&mut [IoSlice::new(text)])?;
    file.commit(false)
}

/// Sends bytes to where they are to be in a store.
pub(super) fn send(from: &Input, to: &Path, force: bool) -> Result<()> {
    let mut out = AtomicFile::create_streaming(to, force)?;
    let mut at = 0;
    while at < from.len() {
        let end = from.len().min(at + PIECE);
        out.append(&mut [IoSlice::new(&from.lend(at..end)?)])?;
        at = end;
    }
    out.commit(false)
}
