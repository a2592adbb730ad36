//! Proves shards by their SHA-256, once for each file as long as it is the same.

use std::{
    collections::HashSet,
    fs::Metadata,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use forebay::{Error, Result, warehouse::codes};

use crate::{
    input::{Input, io_error, remote::is_remote},
    parallel::{all_cores, ordered},
    shards::{OpenWarehouse, sha256_of},
};

/// What tells a file from others and from what it was before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    file: (u64, u64),
    path: PathBuf,
    len: u64,
    written: Option<SystemTime>,
    /// The checksum that it was compared with.
    sha256: String,
}

static PROVEN: Mutex<Option<HashSet<Identity>>> = Mutex::new(None);

fn identity(input: &Input, path: &Path, sha256: &str) -> Result<Identity> {
    if is_remote(path) {
        // What nothing tells from what was there before is proven again.
        let path = input.identity().map_or_else(|| path.to_owned(), PathBuf::from);
        let since = Some(SystemTime::now()).filter(|_| input.identity().is_none());
        let sha256 = sha256.to_ascii_lowercase();
        return Ok(Identity { file: (0, 0), path, len: input.len(), written: since, sha256 });
    }
    let name = path.display().to_string();
    let real = std::fs::canonicalize(path).map_err(|e| io_error(&name, "open", e))?;
    let metadata = std::fs::metadata(&real).map_err(|e| io_error(&name, "open", e))?;
    let written = metadata.modified().ok();
    let sha256 = sha256.to_ascii_lowercase();
    Ok(Identity { file: number(&metadata), path: real, len: metadata.len(), written, sha256 })
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Proves every shard that the manifest has a checksum of, on all cores. Gives the shards that were read for it and
/// those that nothing proves, by their numbers.
pub(super) fn prove(opened: &OpenWarehouse) -> Result<(Vec<usize>, Vec<usize>)> {
    let (mut work, mut without) = (Vec::new(), Vec::new());
    let files = opened.shards.iter().zip(&opened.paths).zip(&opened.warehouse.manifest().shards);
    for (number, ((input, path), entry)) in files.enumerate() {
        let (Some(input), Some(path)) = (input, path) else { continue };
        let Some(sha256) = &entry.checksum_sha256 else {
            without.push(number);
            continue;
        };
        let identity = identity(input, path, sha256)?;
        let proven = PROVEN.lock().unwrap_or_else(PoisonError::into_inner);
        if !proven.as_ref().is_some_and(|proven| proven.contains(&identity)) {
            work.push((number, input.clone(), identity));
        }
    }
    let read = work.iter().map(|(number, ..)| *number).collect();
    let weigh = |(_, input, _): &(usize, Input, Identity)| input.len();
    let digest = |(_, input, identity): (usize, Input, Identity)| Ok((sha256_of(&input)?, input, identity));
    ordered(work.into_iter().map(Ok), weigh, all_cores(), digest, |chunk: Vec<Result<_>>| {
        for done in chunk {
            let (found, input, identity): (String, Input, Identity) = done?;
            input.unchanged()?;
            if found != identity.sha256 {
                let message = format!("SHA-256 of the shard is {found}, the manifest says {}", identity.sha256);
                return Err(Error::new(&codes::CHECKSUM, message).section("shard").file(input.name()));
            }
            let mut proven = PROVEN.lock().unwrap_or_else(PoisonError::into_inner);
            proven.get_or_insert_default().insert(identity);
        }
        Ok(())
    })?;
    Ok((read, without))
}
