//! Metadata of a TBL changed in its file.
//!
//! What is new goes where no reader looks, and is durable before the header is written; the header, 64 bytes that no disk
//! writes in two parts, makes it count. So a process that is killed, and a machine that dies, leave the old file or the
//! new one, with at most some bytes behind it that belong to nothing; the next change clears them away.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

use forebay::{Error, Result, edits::codes::LOCKED, error::codes::ARGUMENT, tbl::Patch};

use super::{
    Applied, ApplyOptions,
    apply::{Copied, drive, plan_tbl},
    opened::{Opened, open},
};
use crate::{
    convert::Progress,
    input::{display, io_error, remote},
    output::write_all_at,
};

/// Zeros that are written at a time where a file system knows no holes.
const ZEROS: usize = 1 << 20;

/// Changes the metadata of a TBL of the guide layout in its file. Journals that do more are refused.
pub fn apply_in_place(
    dataset: &Path,
    journal: &Path,
    options: &ApplyOptions,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Applied> {
    let path = &*remote::local(dataset)?;
    let name = display(path);
    let failed = |e| io_error(&name, "write", e);
    if path.is_dir() || remote::is_remote(path) {
        let what = if remote::is_remote(path) { "an object elsewhere" } else { "a folder" };
        let message = format!("{what} is not changed in place; write a new file");
        return Err(Error::new(&forebay::edits::codes::CANNOT, message).file(&name));
    }
    let file =
        OpenOptions::new().read(true).write(true).open(path).map_err(|e| io_error(&name, "open for writing", e))?;
    lock(&file, &name)?;
    let Opened { dataset, edited, blobs, mut applied } = open(path, journal, options)?;
    let work = plan_tbl(&dataset, &edited, &blobs, true)?;
    let mut spool = Vec::new();
    let landing = drive(&dataset, &blobs, work, progress, |piece| {
        match piece {
            Copied::Spool(bytes) => spool.extend(bytes),
            Copied::Bytes { bytes, .. } if bytes.is_empty() => {}
            Copied::Bytes { .. } => {
                return Err(Error::new(&ARGUMENT, "payloads have no place in a change of metadata"));
            }
        }
        Ok(())
    })?;
    // From here on nothing is read.
    let before = file.metadata().map_err(failed)?.len();
    let begun: Vec<_> = landing.first.iter().map(|patch| place(patch, &spool)).collect();
    let mut written = land(&file, landing.first, &spool, true).map_err(|e| {
        // The header is still the old one, so the file becomes what it was: a full disk leaves no bytes that belong to nothing.
        forget(&file, &begun, before);
        failed(e)
    })?;
    written += land(&file, landing.header, &spool, true).map_err(failed)?;
    written += land(&file, landing.last, &spool, false).map_err(failed)?;
    applied.output = name.clone();
    applied.output_bytes = file.metadata().map_err(failed)?.len();
    applied.written_bytes = written;
    Ok(applied)
}

/// Keeps others who would change the file away.
pub(super) fn lock(file: &File, name: &str) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(Error::new(&LOCKED, "another program has this file open for changing").file(name))
        }
        // A file system that knows no locks keeps nobody away.
        Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(e)) => Err(io_error(name, "lock", e)),
    }
}

/// Does all of it, and says how many bytes were written.
fn land(file: &File, part: Vec<Patch>, spool: &[u8], durable: bool) -> std::io::Result<u64> {
    let written = part.into_iter().map(|patch| put(file, patch, spool)).sum::<std::io::Result<u64>>()?;
    if durable {
        file.sync_data()?;
    }
    Ok(written)
}

/// Where the bytes of a change go, and how many they are.
fn place(patch: &Patch, spool: &[u8]) -> (u64, u64) {
    match patch {
        Patch::Bytes { at, bytes } => (*at, bytes.len() as u64),
        Patch::Spool { at, .. } => (*at, spool.len() as u64),
        Patch::Zero { at, len } => (*at, *len),
        _ => (0, 0),
    }
}

/// Takes back what was written where no reader looks, as far as the system lets it: the error that led here is told.
fn forget(file: &File, begun: &[(u64, u64)], before: u64) {
    let _ = file.set_len(before);
    for (at, len) in begun {
        let len = before.saturating_sub(*at).min(*len);
        if len > 0 {
            let _ = zero(file, *at, len);
        }
    }
    let _ = file.sync_data();
}

/// Does it, and says how many bytes were written.
fn put(file: &File, patch: Patch, spool: &[u8]) -> std::io::Result<u64> {
    match patch {
        Patch::Bytes { at, bytes } => write_all_at(file, &bytes, at).map(|()| bytes.len() as u64),
        Patch::Spool { at, .. } => write_all_at(file, spool, at).map(|()| spool.len() as u64),
        Patch::Zero { at, len } => zero(file, at, len),
        other => Err(std::io::Error::other(format!("nothing is {other:?} in place"))),
    }
}

/// Makes a range zero, as a hole where the file system has holes: then it takes no room and nothing is written.
fn zero(file: &File, at: u64, len: u64) -> std::io::Result<u64> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        if fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, at, len).is_ok() {
            return Ok(0);
        }
    }
    let zeros = vec![0; ZEROS.min(usize::try_from(len).unwrap_or(ZEROS))];
    let mut done = 0;
    while done < len {
        let part = &zeros[..zeros.len().min(usize::try_from(len - done).unwrap_or(ZEROS))];
        write_all_at(file, part, at + done)?;
        done += part.len() as u64;
    }
    Ok(len)
}
