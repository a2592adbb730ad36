//! Files that are not whole yet: how they are called, whose they are, and how they go away.
//!
//! A half-written output is a hidden sibling, `.NAME.forebay-XXXXXX.part`. Who writes it holds a lock on it, and the
//! system releases that lock when the process ends, however it ends. So a sibling without a lock is a dead run's,
//! and the next run that writes the same output removes it.
//!
//! This is true only if one kernel sees every lock: on the file systems of this machine. On a network another
//! machine's lock may not be seen here, so there nothing is removed.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use forebay::codec::checksum::crc32;
use tempfile::{NamedTempFile, TempPath};

use crate::half_written::{LONGEST, MARK, RANDOM, SUFFIX, is_part};

/// Folders of which is remembered what dead runs left in them.
const FOLDERS: usize = 256;
/// Attempts to make a file that nobody takes away at once.
pub(super) const TRIES: usize = 16;

/// Paths that are half written by this process. While the lock is held none is added, put in place or removed.
pub(super) fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Folders that this process made for outputs, those inside of others last.
fn made() -> MutexGuard<'static, Vec<PathBuf>> {
    static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    MADE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a folder for outputs, and those that it is in, if it does not exist. If a signal ends the process before anything is in
/// it, it goes again.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    make_folder_of(folder, &mut made())
}

fn make_folder_of(folder: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    fs::create_dir_all(folder)?;
    made.extend(missing.into_iter().rev());
    Ok(())
}

/// Removes every half-written output of this process. From then on whoever begins or finishes one waits, so the
/// process must end next: this is for the thread that hears the signals of a host, as the command has one. The library
/// itself installs no handler.
pub fn remove_half_written() {
    let mut live = live();
    for path in live.drain(..) {
        // What is gone already needs no removing, and there is nobody to tell of the rest.
        let _ = remove(&path);
    }
    remove_empty(&made());
    // An output that was begun or put in place now would be nobody's to remove.
    std::mem::forget(live);
    crate::input::remote::abandon_all();
}

fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // One with something in it stays.
        let _ = fs::remove_dir(folder);
    }
}

/// A hidden sibling that is being written. Dropping it removes it.
#[derive(Debug)]
pub(super) struct Part {
    temp: Option<NamedTempFile>,
}

impl Part {
    /// Makes a sibling for the output `name` in `folder`, first clearing away those of dead runs. `mode`, less what the
    /// process's mask takes, is who may read and write it.
    pub fn create(folder: &Path, name: &OsStr, mode: u32) -> io::Result<Part> {
        clear(folder, name);
        let prefix = prefix(name);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        #[cfg(not(unix))]
        let _ = mode;
        let mut live = live();
        for _ in 0..TRIES {
            let temp = builder.tempfile_in(folder).map_err(plain)?;
            if claim(temp.as_file()) {
                live.push(temp.path().to_owned());
                return Ok(Part { temp: Some(temp) });
            }
        }
        Err(io::Error::other("another run removes every temporary file"))
    }

    pub fn path(&self) -> Option<&Path> {
        self.temp.as_ref().map(NamedTempFile::path)
    }
    pub fn file(&self) -> Option<&File> {
        self.temp.as_ref().map(NamedTempFile::as_file)
    }

    /// Gives the sibling its name. Without `force` nothing is ever replaced, however it came there.
    pub fn place(mut self, target: &Path, force: bool) -> io::Result<()> {
        let Some(temp) = self.temp.take() else { return Ok(()) };
        let mut live = live();
        let path = temp.path().to_owned();
        // The file, and with it the lock, is let go when the name is there.
        let (_file, temp) = temp.into_parts();
        let outcome = place(temp, target, force);
        live.retain(|p| *p != path);
        outcome
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(temp) = self.temp.take() {
            let mut live = live();
            live.retain(|p| p != temp.path());
            drop(temp);
        }
    }
}

/// Renames; what cannot be renamed is removed.
pub(super) fn place(temp: TempPath, target: &Path, force: bool) -> io::Result<()> {
    if force {
        return temp.persist(target).map_err(|e| plain(e.error));
    }
    // By renameat2, or if there is none, by a second link.
    let Err(refused) = temp.persist_noclobber(target) else { return Ok(()) };
    let error = plain(refused.error);
    if !matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported) {
        return Err(error);
    }
    // A file system with neither: a name that is made here and now is ours to replace.
    OpenOptions::new().write(true).create_new(true).open(target)?;
    refused.path.persist(target).map_err(|e| {
        let _ = fs::remove_file(target);
        plain(e.error)
    })
}

/// The error of the system without the temporary path, which says nothing to who reads it.
pub(super) fn plain(e: io::Error) -> io::Error {
    match e.to_string().split_once(" at path \"") {
        Some((said, _)) => io::Error::new(e.kind(), said.to_owned()),
        None => e,
    }
}

/// What the siblings of an output begin with. A name that leaves no room for the rest stands there as its checksum.
pub(super) fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    match name.len() + 1 + MARK.len() + RANDOM + SUFFIX.len() <= LONGEST {
        true => prefix.push(name),
        false => prefix.push(format!("{:08x}", crc32(name.as_encoded_bytes()))),
    }
    prefix.push(MARK);
    prefix
}

/// Whether a file of that name is a sibling of the output whose siblings begin with `prefix`.
fn belongs(name: &OsStr, prefix: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
    let random = rest.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    random.is_some_and(|random| random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric))
}

/// Where a file that is written into this folder will be, as it is shown: what is staged in a folder of ours has its
/// place beside that.
pub(super) fn shown(path: &Path) -> PathBuf {
    let staged = |folder: &&Path| folder.file_name().is_some_and(is_part);
    match (path.parent().filter(staged).and_then(Path::parent), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// Takes a new file for this process. False where somebody is just clearing it away as a dead run's: between making a
/// file and locking it there is a moment.
pub(super) fn claim(file: &File) -> bool {
    if cfg!(windows) {
        // A lock there keeps even this process from reading back what it wrote.
        return true;
    }
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => false,
        // If there are no locks nobody clears away either.
        _ => has_name(file),
    }
}

#[cfg(unix)]
fn has_name(file: &File) -> bool {
    file.metadata().is_ok_and(|m| m.is_dir() || std::os::unix::fs::MetadataExt::nlink(&m) > 0)
}

#[cfg(not(unix))]
fn has_name(_: &File) -> bool {
    true
}

/// Removes what dead runs left of the output `name`. A folder is looked through once a process, for there may be
/// millions of files in it, and as many outputs go there.
pub(super) fn clear(folder: &Path, name: &OsStr) {
    static SEEN: Mutex<Option<HashMap<PathBuf, Vec<OsString>>>> = Mutex::new(None);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = seen.get_or_insert_default();
    let Ok(folder) = std::path::absolute(folder) else { return };
    if seen.len() >= FOLDERS && !seen.contains_key(&folder) {
        seen.clear();
    }
    let left = seen.entry(folder.clone()).or_insert_with(|| siblings(&folder));
    if left.is_empty() {
        return;
    }
    let prefix = prefix(name);
    for dead in left.extract_if(.., |name| belongs(name, &prefix)) {
        // What cannot be removed is in nobody's way.
        let _ = remove_dead(&folder.join(dead));
    }
}

/// The names in a folder that look like half-written outputs, of whatever output.
fn siblings(folder: &Path) -> Vec<OsString> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let hidden = |name: &OsString| {
        let name = name.as_encoded_bytes();
        name.starts_with(b".") && name.ends_with(SUFFIX.as_bytes())
    };
    entries.filter_map(|entry| entry.ok().map(|e| e.file_name())).filter(hidden).collect()
}

/// Removes a sibling that nobody holds. Only on a file system that no other machine can write is a free lock proof.
#[cfg(target_os = "linux")]
fn remove_dead(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

    use rustix::fs::OFlags;

    let kind = fs::symlink_metadata(path)?;
    if !kind.is_file() && !kind.is_dir() {
        return Ok(());
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !is_local(&file) || file.try_lock().is_err() {
        return Ok(());
    }
    // Its writer may have finished and gone between our look at the folder and our lock.
    let (held, named) = (file.metadata()?, fs::symlink_metadata(path)?);
    if (held.dev(), held.ino()) == (named.dev(), named.ino()) { remove(path) } else { Ok(()) }
}

/// Elsewhere is not known which file systems are this machine's alone.
#[cfg(not(target_os = "linux"))]
fn remove_dead(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether this kernel alone writes the file system, by its number in linux/magic.h.
#[cfg(target_os = "linux")]
fn is_local(file: &File) -> bool {
    const LOCAL: [u32; 12] = [
        0xef53,      // ext2, ext3, ext4
        0x5846_5342, // XFS
        0x9123_683e, // Btrfs
        0x0102_1994, // tmpfs
        0x8584_58f6, // ramfs
        0x794c_7630, // overlayfs
        0xf2f5_2010, // F2FS
        0x2fc1_2fc1, // ZFS
        0xca45_1a4e, // bcachefs
        0x3153_464a, // JFS
        0x2011_bab0, // exFAT
        0x4d44,      // FAT
    ];
    rustix::fs::fstatfs(file).is_ok_and(|s| LOCAL.contains(&(s.f_type as u32)))
}

/// Removes a file, or a folder of ours with what is in it.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_were_made_and_stayed_empty_go_and_no_others() {
        let place = tempfile::tempdir().unwrap();
        let (there, mut made) = (place.path().join("there"), Vec::new());
        fs::create_dir(&there).unwrap();
        for folder in ["there", "there/a/b", "a/b/c", "a/d"] {
            make_folder_of(&place.path().join(folder), &mut made).unwrap();
        }
        fs::write(place.path().join("a/d/file"), "").unwrap();
        remove_empty(&made);
        let names = |folder: &str| fs::read_dir(place.path().join(folder)).unwrap().count();
        assert_eq!((names("there"), names("a"), names("a/d")), (0, 1, 1));
        assert!(make_folder_of(&place.path().join("a/d/file"), &mut made).is_err());
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_siblings_of_the_same_output_are_taken_for_its_own() {
        let prefix = prefix("a.tbl".as_ref());
        assert!(belongs(".a.tbl.forebay-aB3dE9.part".as_ref(), &prefix));
        for other in [
            "a.tbl",
            ".a.tbl.forebay-aB3dE.part",
            ".a.tbl.forebay-aB3dE9x.part",
            ".a.tbl.forebay-aB3/E9.part",
            ".a.tbl.forebay-aB3dE9.part2",
            ".a.tbl.backup.part",
            ".b.tbl.forebay-aB3dE9.part",
            ".xa.tbl.forebay-aB3dE9.part",
        ] {
            assert!(!belongs(other.as_ref(), &prefix), "{other}");
        }
    }

    #[test]
    fn a_name_of_any_length_leaves_room_for_its_sibling() {
        let folder = tempfile::tempdir().unwrap();
        for len in [1, 200, 233, 234, 235, 236, 254, 255] {
            let name = "n".repeat(len);
            let part = Part::create(folder.path(), name.as_ref(), 0o666).unwrap();
            part.place(&folder.path().join(&name), false).unwrap();
            assert_eq!(names(folder.path()), [name.as_str()]);
            fs::remove_file(folder.path().join(name)).unwrap();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_dead_run_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let living = Part::create(folder.path(), "a.tbl".as_ref(), 0o666).unwrap();
        fs::write(at(".a.tbl.forebay-dead01.part"), "dead").unwrap();
        fs::create_dir(at(".a.tbl.forebay-dead02.part")).unwrap();
        fs::write(at(".a.tbl.forebay-dead02.part/a"), "dead").unwrap();
        fs::write(at(".b.tbl.forebay-dead03.part"), "another output's").unwrap();
        std::os::unix::fs::symlink("gone", at(".a.tbl.forebay-link04.part")).unwrap();
        // A folder is looked through once; this is what a new process would do.
        for name in siblings(folder.path()) {
            if belongs(&name, &prefix("a.tbl".as_ref())) {
                let _ = remove_dead(&folder.path().join(name));
            }
        }
        let own = living.path().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let mut left = vec![own, ".a.tbl.forebay-link04.part".into(), ".b.tbl.forebay-dead03.part".into()];
        left.sort();
        assert_eq!(names(folder.path()), left);
    }

    #[test]
    fn what_exists_is_replaced_only_by_force() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        fs::write(&target, "precious").unwrap();
        let part = || Part::create(folder.path(), "a".as_ref(), 0o666).unwrap();
        assert_eq!(part().place(&target, false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&target).unwrap(), b"precious");
        part().place(&target, true).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_staged_output_is_shown_where_it_will_be() {
        let shown = |path: &str| shown(path.as_ref()).display().to_string();
        assert_eq!(shown("d/.a.forebay-aB3dE9.part/a-0.tbl"), "d/a-0.tbl");
        assert_eq!(shown("d/a-0.tbl"), "d/a-0.tbl");
        assert_eq!(shown("d/a.part/a-0.tbl"), "d/a.part/a-0.tbl");
        assert_eq!(shown("a"), "a");
    }
}
