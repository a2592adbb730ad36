//! The folder on disk: how its files are called, what is in it, and what must go.
//!
//! ```text
//! DIR/forebay-cache-1/CACHEDIR.TAG             what tells programs that back up to leave it out
//! DIR/forebay-cache-1/KEY/source.json          whose bytes these are
//! DIR/forebay-cache-1/KEY/000000000000002a.block
//! DIR/forebay-cache-1/KEY/.000000000000002a.block.forebay-a1B2c3.part
//! ```
//!
//! Every file comes by renaming one that is whole, and goes by being removed: nobody waits for anybody, and nothing is
//! left locked by a process that died. What it left half written has a name that no reader looks for, and is removed once
//! it is old. Nothing in a folder that is not called like this is ever touched.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use super::{block::Name, key::Key};
use crate::half_written::{MARK, RANDOM, SUFFIX, is_part};

/// The folder inside of the user's. Another layout would have another name.
const HOME: &str = "forebay-cache-1";
const SOURCE: &str = "source.json";
const BLOCK: &str = ".block";
const TAG: &str = "CACHEDIR.TAG";
const TAGGED: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# Bytes of files elsewhere, kept by Forebay.\n";
/// What is half written for longer than this is a dead process's.
const DEAD: Duration = Duration::from_secs(3600);
/// How exactly is known when a block was last used: not every read writes a time.
const GRAIN: Duration = Duration::from_secs(60);

/// Whose bytes a folder holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Whose {
    pub identity: String,
    pub bytes: u64,
}

/// A block that lies in the folder.
#[derive(Debug)]
pub(super) struct Kept {
    pub path: PathBuf,
    pub bytes: u64,
    pub used: SystemTime,
}

/// A source's blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    pub key: Key,
    pub path: PathBuf,
    pub kept: Vec<Kept>,
    /// Files that are half written, and since when.
    parts: Vec<(PathBuf, SystemTime)>,
}

/// The folder of a cache.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

fn block_name(number: u64) -> String {
    format!("{number:016x}{BLOCK}")
}

fn is_block(name: &str) -> bool {
    name.strip_suffix(BLOCK).is_some_and(|number| number.len() == 16 && u64::from_str_radix(number, 16).is_ok())
}

/// An error that is none if what it is about is gone, as another process may have removed it.
fn unless_gone<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound) => Ok(None),
        Err(e) => Err(e),
    }
}

impl Folder {
    /// The folder inside of the user's, which need not be there.
    pub fn within(path: &Path) -> Folder {
        Folder(path.join(HOME))
    }

    #[cfg(test)]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Makes it.
    pub fn make(&self) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        let tag = self.0.join(TAG);
        if !tag.exists() {
            write_whole(&self.0, TAG, |file| file.write_all(TAGGED.as_bytes()))?;
        }
        Ok(())
    }

    fn of(&self, key: &Key) -> PathBuf {
        self.0.join(key.as_str())
    }

    /// Fills `out` with a block's bytes from `at` on; false if it is not there. One that is damaged is removed.
    pub fn read(&self, name: &Name<'_>, at: usize, out: &mut [u8]) -> Found {
        let path = self.of(name.key).join(block_name(name.number));
        let Ok(file) = File::open(&path) else { return Found::Nothing };
        match name.read(&file, at, out) {
            Ok(true) => {
                let now = SystemTime::now();
                let used = file.metadata().and_then(|m| m.modified()).unwrap_or(now);
                // A time that comes to be seems long ago or still to come does no harm: it is a hint of what to remove.
                if now.duration_since(used).is_ok_and(|since| since > GRAIN) {
                    let _ = file.set_modified(now);
                }
                Found::Block
            }
            _ => {
                let _ = fs::remove_file(&path);
                Found::Damage
            }
        }
    }

    /// Puts a block in place, over what is there.
    pub fn write(&self, name: &Name<'_>, whose: &Whose, bytes: &[u8]) -> io::Result<()> {
        let folder = self.of(name.key);
        let put = || write_whole(&folder, &block_name(name.number), |file| name.write(file, bytes));
        // The first of its source, or somebody cleared the folder.
        match unless_gone(put())? {
            Some(()) => Ok(()),
            None => {
                self.make()?;
                fs::create_dir_all(&folder)?;
                let text = serde_json::to_vec(whose).map_err(io::Error::other)?;
                write_whole(&folder, SOURCE, |file| file.write_all(&text))?;
                put()
            }
        }
    }

    /// Whose bytes these are; nothing where that cannot be read.
    pub fn whose(&self, key: &Key) -> Whose {
        let text = fs::read(self.of(key).join(SOURCE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Every source's blocks.
    pub fn list(&self) -> io::Result<Vec<Blocks>> {
        let mut all = Vec::new();
        let Some(found) = unless_gone(fs::read_dir(&self.0))? else { return Ok(all) };
        for entry in found {
            let entry = entry?;
            let Some(key) = entry.file_name().to_str().and_then(Key::parse) else { continue };
            let mut blocks = Blocks { key, path: entry.path(), kept: Vec::new(), parts: Vec::new() };
            let Some(files) = unless_gone(fs::read_dir(&blocks.path))? else { continue };
            for file in files {
                let file = file?;
                let name = file.file_name();
                let (block, part) = (name.to_str().is_some_and(is_block), is_part(&name));
                if !block && !part {
                    continue;
                }
                let Some(metadata) = unless_gone(file.metadata())? else { continue };
                let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                match block {
                    true => blocks.kept.push(Kept { path: file.path(), bytes: metadata.len(), used }),
                    false => blocks.parts.push((file.path(), used)),
                }
            }
            all.push(blocks);
        }
        Ok(all)
    }

    /// Removes what was used longest ago until no more than `most` bytes are left, and what dead processes left half
    /// written. Gives the bytes that are left, and how many blocks went.
    pub fn shrink(&self, above: u64, most: u64) -> io::Result<(u64, u64)> {
        let all = self.list()?;
        let now = SystemTime::now();
        for (part, since) in all.iter().flat_map(|blocks| &blocks.parts) {
            if now.duration_since(*since).is_ok_and(|age| age > DEAD) {
                let _ = fs::remove_file(part);
            }
        }
        let mut kept: Vec<Kept> = all.into_iter().flat_map(|blocks| blocks.kept).collect();
        let mut sum: u64 = kept.iter().map(|block| block.bytes).sum();
        let mut gone = 0;
        if sum > above {
            kept.sort_by_key(|block| block.used);
            for block in kept {
                if sum <= most {
                    break;
                }
                // Gone is gone, whoever removed it.
                if unless_gone(fs::remove_file(&block.path)).is_ok() {
                    sum -= block.bytes;
                    gone += 1;
                }
            }
        }
        Ok((sum, gone))
    }

    /// Removes all that is the cache's. Gives how many blocks that were, and their bytes.
    pub fn clear(&self) -> io::Result<(u64, u64)> {
        let (mut blocks, mut bytes) = (0, 0);
        for source in self.list()? {
            for block in &source.kept {
                if unless_gone(fs::remove_file(&block.path))?.is_some() {
                    (blocks, bytes) = (blocks + 1, bytes + block.bytes);
                }
            }
            for (part, _) in &source.parts {
                unless_gone(fs::remove_file(part))?;
            }
            unless_gone(fs::remove_file(source.path.join(SOURCE)))?;
            // Another process may be writing into it, or somebody put something of his own there.
            let _ = fs::remove_dir(&source.path);
        }
        unless_gone(fs::remove_file(self.0.join(TAG)))?;
        let _ = fs::remove_dir(&self.0);
        Ok((blocks, bytes))
    }
}

/// What was found of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Block,
    Damage,
    Nothing,
}

/// Writes a file under another name and then gives it its own. It is not made to last: what a crash leaves of it is found
/// out by its checksums.
fn write_whole(folder: &Path, name: &str, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let prefix = format!(".{name}{MARK}");
    let mut part = tempfile::Builder::new().prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM).tempfile_in(folder)?;
    write(part.as_file_mut())?;
    part.persist(folder.join(name)).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(key: &Key, number: u64) -> Name<'_> {
        Name { key, number, len: 1000 }
    }

    #[test]
    fn what_was_used_longest_ago_goes_first_and_strangers_stay() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, key) = (Folder::within(dir.path()), Key::of("a", 4000));
        for number in 0..4 {
            folder.write(&name(&key, number), &Whose::default(), &[number as u8; 1000]).unwrap();
        }
        let at = |number| folder.of(&key).join(block_name(number));
        let age = |path: &Path, hours: u64| {
            let then = SystemTime::now() - Duration::from_secs(3600 * hours);
            File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
        };
        for number in 0..4 {
            age(&at(number), 10 - number);
        }
        let in_key = |name: &str| folder.of(&key).join(name);
        for stranger in ["mine.txt", ".a.forebay-aB3dE9.part", ".b.forebay-aB3dE9.part"] {
            fs::write(in_key(stranger), "x").unwrap();
        }
        age(&in_key(".a.forebay-aB3dE9.part"), 2);
        fs::write(folder.path().join("mine.txt"), "x").unwrap();
        // The oldest is read, and so is the newest.
        assert_eq!(folder.read(&name(&key, 0), 0, &mut [0; 1000]), Found::Block);
        let one = fs::metadata(at(0)).unwrap().len();
        assert_eq!(folder.shrink(4 * one, 0).unwrap(), (4 * one, 0));
        assert_eq!(folder.shrink(3 * one, 2 * one).unwrap(), (2 * one, 2));
        assert_eq!([0, 1, 2, 3].map(|number| at(number).exists()), [true, false, false, true]);
        assert!(in_key("mine.txt").exists() && !in_key(".a.forebay-aB3dE9.part").exists());
        assert!(in_key(".b.forebay-aB3dE9.part").exists(), "somebody may be writing it");
        assert_eq!(folder.clear().unwrap(), (2, 2 * one));
        assert!(in_key("mine.txt").exists() && !in_key(".b.forebay-aB3dE9.part").exists());
        assert!(folder.path().join("mine.txt").exists() && !folder.path().join(TAG).exists());
    }

    #[test]
    fn a_folder_that_is_gone_is_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, key) = (Folder::within(&dir.path().join("deep/er")), Key::of("a", 4000));
        let whose = Whose { identity: "a".into(), bytes: 4000 };
        for _ in 0..2 {
            folder.write(&name(&key, 1), &whose, &[7; 1000]).unwrap();
            let mut out = [0; 10];
            assert_eq!(folder.read(&name(&key, 1), 5, &mut out), Found::Block);
            assert_eq!((out, folder.whose(&key).identity.as_str()), ([7; 10], "a"));
            fs::remove_dir_all(folder.path()).unwrap();
        }
        assert_eq!(folder.list().unwrap().len(), 0);
    }
}
