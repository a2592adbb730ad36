//! Who looks at the first bytes of an object has opened it: it waits here for the one who reads it, as a pipe does, so
//! that finding out what it is costs no request of its own.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use forebay::{Error, Result};

use super::{Settings, address::Address, shown, source::Remote};
use crate::input::{Input, Source};

/// How long it waits: what is opened later is opened anew, and seen as it is then.
const LONGEST: Duration = Duration::from_secs(10);
/// How many wait, at most.
const MOST: usize = 32;

struct Waiting {
    address: String,
    since: Instant,
    remote: Remote,
}

static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());

/// The address that a path is.
fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::new(&super::codes::ADDRESS, "an address is UTF-8").file(shown(path)))
}

fn take(address: &str) -> Option<Remote> {
    let mut all = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|one| one.since.elapsed() < LONGEST);
    let at = all.iter().position(|one| one.address == address)?;
    Some(all.swap_remove(at).remote)
}

fn take_or_open(address: &str) -> Result<Remote> {
    match take(address) {
        Some(remote) => Ok(remote),
        None => {
            let remote = Remote::open(Address::parse(address)?, &Settings::new())?;
            remember(address, remote.len());
            Ok(remote)
        }
    }
}

/// The lengths of what was opened by path lately, for those who only tell of it.
static LENGTHS: Mutex<VecDeque<(String, u64)>> = Mutex::new(VecDeque::new());

/// How many bytes an address had that was opened lately.
pub(crate) fn known_len(path: &Path) -> Option<u64> {
    let lengths = LENGTHS.lock().unwrap_or_else(PoisonError::into_inner);
    lengths.iter().rev().find(|(address, _)| Some(address.as_str()) == path.to_str()).map(|(_, len)| *len)
}

fn remember(address: &str, len: u64) {
    let mut lengths = LENGTHS.lock().unwrap_or_else(PoisonError::into_inner);
    lengths.retain(|(known, _)| known != address);
    if lengths.len() >= MOST {
        lengths.pop_front();
    }
    lengths.push_back((address.to_owned(), len));
}

/// Opens a path that is an address, as the environment says.
pub(crate) fn open_path(path: &Path) -> Result<Input> {
    let name = shown(path);
    take_or_open(text(path)?).map(|remote| Input::over(&name, remote)).map_err(|e| e.file(name))
}

/// The first bytes of an address, at most as many as opening brings.
pub(crate) fn first_bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let address = text(path)?;
    let remote = take_or_open(address).map_err(|e| e.file(shown(path)))?;
    let head = remote.head(most).to_vec();
    let mut all = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MOST {
        all.remove(0);
    }
    all.push(Waiting { address: address.to_owned(), since: Instant::now(), remote });
    Ok(head)
}
