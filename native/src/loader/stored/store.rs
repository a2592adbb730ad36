//! The ways in which shards are held: in memory, mapped, or read piece by piece.

use std::ops::Range;

use bytes::Bytes;
use forebay::{Error, Result, error::codes, words::Word};

use crate::{
    input::{Input, Io},
    shards::OpenWarehouse,
};

/// How shards are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// All of them are read into memory at the beginning.
    Memory,
    /// They are mapped: views cost nothing, and the system keeps what fits. A disk that fails, or a process that shortens
    /// a shard meanwhile, ends this process; see [`Io::Map`].
    Mmap,
    /// Every sample is read when it is needed, ahead of the batches that are taken. No file can end the process, so it is
    /// what is done unless another is asked for.
    #[default]
    Stream,
}

impl Word for Mode {
    const ALL: &'static [Self] = &[Mode::Memory, Mode::Mmap, Mode::Stream];

    fn word(self) -> &'static str {
        match self {
            Mode::Memory => "memory",
            Mode::Mmap => "mmap",
            Mode::Stream => "stream",
        }
    }
}

impl Mode {
    /// The mode that an environment names, in `WAREHOUSE_STORE_MODE` or else `WAREHOUSE_STORE`; none where neither is
    /// set. Both the words of the first builder's code and those of its documents are understood; another word is an
    /// error.
    pub fn from_env(get: impl Fn(&str) -> Option<String>) -> Result<Option<Mode>> {
        for name in ["WAREHOUSE_STORE_MODE", "WAREHOUSE_STORE"] {
            let Some(word) = get(name).filter(|word| !word.trim().is_empty()) else { continue };
            return match word.trim() {
                "memory" | "inmemory" => Ok(Some(Mode::Memory)),
                "mmap" | "mapped" => Ok(Some(Mode::Mmap)),
                "stream" | "streaming" => Ok(Some(Mode::Stream)),
                _ => {
                    let message = format!("{name} is {word:?}, and may be memory, mmap or stream");
                    Err(Error::new(&codes::ARGUMENT, message))
                }
            };
        }
        Ok(None)
    }

    /// How files are opened for it.
    pub(super) fn io(self) -> Io {
        match self {
            Mode::Mmap => Io::Map,
            Mode::Memory | Mode::Stream => Io::Read,
        }
    }
}

/// The batches that an environment asks to be made ahead, in `WAREHOUSE_PREFETCH`; none where it is not set.
pub(in crate::loader) fn prefetch_from_env(get: impl Fn(&str) -> Option<String>) -> Result<Option<usize>> {
    let Some(text) = get("WAREHOUSE_PREFETCH").filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let number = text.trim().parse().map_err(|e| {
        let message = format!("WAREHOUSE_PREFETCH is {text:?}, and must be a number of batches");
        Error::caused(&codes::ARGUMENT, message, e)
    });
    number.map(Some)
}

/// The shards as they are held.
#[derive(Debug)]
pub(super) struct Store {
    shards: Vec<Option<Input>>,
}

impl Store {
    /// Holds the shards of a warehouse that was opened for this mode.
    pub fn new(opened: &OpenWarehouse, mode: Mode) -> Result<Store> {
        let hold = |shard: &Option<Input>| match (shard, mode) {
            (Some(shard), Mode::Memory) => Ok(Some(Input::memory(shard.name(), shard.slice(0..shard.len())?))),
            (shard, _) => Ok(shard.clone()),
        };
        Ok(Store { shards: opened.shards.iter().map(hold).collect::<Result<_>>()? })
    }

    /// The shards, to be replaced by other ways to the same bytes.
    pub fn shards(&mut self) -> &mut [Option<Input>] {
        &mut self.shards
    }

    fn shard(&self, number: usize) -> Result<&Input> {
        let shard = self.shards.get(number).and_then(Option::as_ref);
        shard.ok_or_else(|| Error::new(&codes::MISSING_BYTES, format!("shard {number} is not open")))
    }

    /// Whether all of them lie on this machine.
    pub fn are_local(&self) -> bool {
        self.shards.iter().flatten().all(Input::is_local)
    }

    /// A part of a shard.
    pub fn read(&self, shard: usize, range: Range<u64>) -> Result<Bytes> {
        self.shard(shard)?.lend(range)
    }
    /// Refuses shards that are no longer what they were when they were opened.
    pub fn unchanged(&self) -> Result<()> {
        self.shards.iter().flatten().try_for_each(Input::unchanged)
    }
    /// A part of a shard, into memory of its length.
    pub fn read_into(&self, shard: usize, range: Range<u64>, out: &mut [u8]) -> Result<()> {
        self.shard(shard)?.read_into(range, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_and_all_spellings_of_the_mode_are_understood() {
        let mode = |pairs: &[(&str, &str)]| {
            Mode::from_env(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(mode(&[]).unwrap(), None);
        assert_eq!(mode(&[("WAREHOUSE_STORE", "memory")]).unwrap(), Some(Mode::Memory));
        assert_eq!(mode(&[("WAREHOUSE_STORE_MODE", "streaming")]).unwrap(), Some(Mode::Stream));
        let both = [("WAREHOUSE_STORE", "memory"), ("WAREHOUSE_STORE_MODE", "mmap")];
        assert_eq!(mode(&both).unwrap(), Some(Mode::Mmap));
        assert!(mode(&[("WAREHOUSE_STORE", "ram")]).is_err());
        let prefetch = |text: &str| prefetch_from_env(|_| Some(text.to_owned()));
        assert_eq!((prefetch("8").unwrap(), prefetch(" ").unwrap()), (Some(8), None));
        assert!(prefetch("-1").is_err());
    }
}
