//! A source that is slow and counts what is asked of it, as an object in a store would be.

use std::{
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use forebay::{Error, Result, error::codes};
use forebay_native::{Input, input::Source};

#[derive(Debug, Default)]
pub struct Fake {
    pub bytes: Bytes,
    pub identity: Option<String>,
    pub delay: Duration,
    /// It says that its bytes are here.
    pub local: bool,
    /// It gives nothing any more.
    pub down: AtomicBool,
    /// It is another object now.
    pub replaced: AtomicBool,
    pub asked: Mutex<Vec<Range<u64>>>,
    pub now: AtomicUsize,
    pub most: AtomicUsize,
}

impl Fake {
    pub fn new(bytes: impl Into<Bytes>, identity: &str) -> Arc<Fake> {
        Arc::new(Fake { bytes: bytes.into(), identity: Some(identity.into()), ..Fake::default() })
    }
    pub fn input(self: &Arc<Self>) -> Input {
        Input::over("elsewhere", self.clone())
    }
    /// The ranges that were asked for since this was last asked.
    pub fn asked(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
    /// The most reads that were under way at once.
    pub fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl Source for Fake {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let end = at + out.len() as u64;
        self.asked.lock().unwrap().push(at..end);
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(self.delay);
        self.now.fetch_sub(1, Ordering::SeqCst);
        if self.down.load(Ordering::SeqCst) {
            return Err(Error::new(&codes::IO, "the store does not answer"));
        }
        match self.bytes.get(at as usize..end as usize) {
            Some(bytes) => out.copy_from_slice(bytes),
            None => return Err(Error::new(&codes::MISSING_BYTES, "the object has no such bytes").offset(at)),
        }
        Ok(())
    }
    fn identity(&self) -> Option<String> {
        self.identity.clone()
    }
    fn is_local(&self) -> bool {
        self.local
    }
    fn unchanged(&self) -> Result<()> {
        match self.replaced.load(Ordering::SeqCst) {
            true => Err(Error::new(&codes::IO, "another version is there now")),
            false => Ok(()),
        }
    }
}

/// Bytes of no meaning, which no two places share.
pub fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = (0..len.div_ceil(8)).flat_map(|_| next()).collect();
    bytes.truncate(len);
    bytes
}
