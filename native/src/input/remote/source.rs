//! An object as a source of bytes.

use std::{
    ops::Range,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use bytes::Bytes;
use forebay::{Error, Result};

use super::{
    Settings,
    address::Address,
    fetch::{Object, Pin},
    plan,
    runs::Runs,
    runtime, traffic,
};
use crate::input::{Input, Source};

/// A read that begins so near the end gets the rest along, and keeps it: a footer is read there in several steps.
const TAIL: u64 = 64 << 10;

/// An object, as it was when it was opened.
#[derive(Debug)]
pub(super) struct Remote {
    /// By the credentials that were there when it was opened, or that had to be looked for since.
    object: Mutex<Object>,
    pin: Pin,
    name: String,
    head: Bytes,
    tail: OnceLock<(u64, Bytes)>,
    ahead: Mutex<Runs>,
    /// In a forked child the connections of its parent lead nowhere, so it makes its own.
    process: u32,
    address: Address,
    settings: Settings,
}

/// Opens an address: `s3://`, `gs://`, `az://`, `hf://datasets/`, `https://` or `http://`.
///
/// This makes one request, which also brings the first bytes. What is read later must be of the same object: if it was
/// written meanwhile, that is an error.
pub fn open(address: &str, settings: &Settings) -> Result<Input> {
    let address = Address::parse(address)?;
    let name = address.shown();
    Remote::open(address, settings).map(|remote| Input::over(&name, remote)).map_err(|e| e.file(&name))
}

impl Remote {
    pub fn open(address: Address, settings: &Settings) -> Result<Remote> {
        let object = Object::new(&address, settings)?;
        let asked = object.clone();
        let (pin, head) = runtime::wait(async move { asked.first().await })?;
        Ok(Remote {
            object: Mutex::new(object),
            pin,
            name: address.shown(),
            head,
            tail: OnceLock::new(),
            ahead: Mutex::default(),
            process: std::process::id(),
            address,
            settings: settings.clone(),
        })
    }

    /// The first bytes, as many as opening brought of these.
    pub fn head(&self, most: u64) -> &[u8] {
        &self.head[..self.head.len().min(usize::try_from(most).unwrap_or(usize::MAX))]
    }

    /// The object by a connection of this process.
    fn object(&self) -> Result<Object> {
        match self.process == std::process::id() {
            true => Ok(self.object.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            false => Object::new(&self.address, &self.settings),
        }
    }

    /// The object by other credentials, if others than these are set by now.
    fn renewed(&self, refused: &Object) -> Result<Option<Object>> {
        let anew = Object::new(&self.address, &self.settings)?;
        if Arc::ptr_eq(&anew.store, &refused.store) {
            return Ok(None);
        }
        if self.process == std::process::id() {
            *self.object.lock().unwrap_or_else(PoisonError::into_inner) = anew.clone();
        }
        Ok(Some(anew))
    }

    fn end_of(&self, at: u64, len: usize) -> Result<u64> {
        at.checked_add(len as u64).filter(|end| *end <= self.pin.len).ok_or_else(|| {
            let message = format!("bytes beyond the end, which is at {}", self.pin.len);
            Error::new(&forebay::error::codes::MISSING_BYTES, message).offset(at)
        })
    }

    /// What is kept of a range, if all of it is.
    fn kept(&self, range: &Range<u64>) -> Option<Bytes> {
        let part = |start: u64, bytes: &Bytes| {
            let (from, to) = (range.start.checked_sub(start)? as usize, range.end.checked_sub(start)? as usize);
            (to <= bytes.len()).then(|| bytes.slice(from..to))
        };
        part(0, &self.head).or_else(|| self.tail.get().and_then(|(start, bytes)| part(*start, bytes)))
    }

    /// Several requests at once; what came, in their order. Credentials that have expired since may have been set anew.
    fn fetch(&self, requests: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let object = self.object()?;
        match self.fetch_by(object.clone(), requests.to_vec()) {
            Err(e) if e.code() == &super::codes::CREDENTIALS => match self.renewed(&object)? {
                Some(anew) => self.fetch_by(anew, requests.to_vec()),
                None => Err(e),
            },
            done => done,
        }
    }

    fn fetch_by(&self, object: Object, requests: Vec<Range<u64>>) -> Result<Vec<Bytes>> {
        let pin = self.pin.clone();
        runtime::wait(async move {
            if let [only] = requests.as_slice() {
                return Ok(vec![object.range(&pin, only.clone()).await?]);
            }
            let mut asked = tokio::task::JoinSet::new();
            let mut came = vec![Bytes::new(); requests.len()];
            for (number, range) in requests.into_iter().enumerate() {
                let (object, pin) = (object.clone(), pin.clone());
                asked.spawn(async move { (number, object.range(&pin, range).await) });
            }
            // The first that fails ends the others.
            while let Some(done) = asked.join_next().await {
                let (number, bytes) =
                    done.map_err(|e| Error::caused(&forebay::error::codes::IO, "a request was ended", e))?;
                if let Some(place) = came.get_mut(number) {
                    *place = bytes?;
                }
            }
            Ok(came)
        })
    }

    /// A range that belongs to no run.
    fn alone(&self, range: Range<u64>, out: &mut [u8]) -> Result<()> {
        let tail = self.pin.len.saturating_sub(TAIL);
        if range.start >= tail {
            let bytes = self.fetch(std::slice::from_ref(&(tail..self.pin.len)))?.pop().unwrap_or_default();
            let (start, bytes) = self.tail.get_or_init(|| (tail, bytes));
            let from = (range.start - start) as usize;
            return copy(bytes.get(from..from + out.len()), out, range.start);
        }
        // As many parts at once as a long one is cut into, few enough to be held beside what is filled.
        let parts: Vec<_> = plan::parts(range).collect();
        let mut rest = out;
        for some in parts.chunks(4) {
            for (part, bytes) in some.iter().zip(self.fetch(some)?) {
                let (these, behind) = rest.split_at_mut(((part.end - part.start) as usize).min(rest.len()));
                copy(Some(&bytes), these, part.start)?;
                rest = behind;
            }
        }
        Ok(())
    }

    /// What is in pieces that were or are being fetched; false if one of them did not come.
    fn by_run(&self, range: &Range<u64>, out: &mut [u8]) -> Result<bool> {
        if self.process != std::process::id() {
            // Nobody brings here what the parent asked for.
            return Ok(false);
        }
        let look = self.ahead.lock().unwrap_or_else(PoisonError::into_inner).look(range, self.pin.len);
        for piece in look.begin {
            let (object, pin) = (self.object()?, self.pin.clone());
            runtime::start(async move {
                let came = object.range(&pin, piece.range.clone()).await;
                piece.fill(came.ok());
            })?;
        }
        if look.pieces.is_empty() {
            return Ok(false);
        }
        let mut at = range.start;
        for piece in &look.pieces {
            let Some(bytes) = piece.wait() else { return Ok(false) };
            let from = (at - piece.range.start) as usize;
            let end = range.end.min(piece.range.end);
            let to = out.get_mut((at - range.start) as usize..(end - range.start) as usize);
            copy(bytes.get(from..(end - piece.range.start) as usize), to.unwrap_or_default(), at)?;
            at = end;
        }
        Ok(at == range.end)
    }
}

/// Copies bytes that are as many as there is room for.
fn copy(from: Option<&[u8]>, out: &mut [u8], at: u64) -> Result<()> {
    match from.filter(|from| from.len() == out.len()) {
        Some(from) => {
            out.copy_from_slice(from);
            Ok(())
        }
        None => Err(Error::new(&super::codes::ANSWER, "other bytes came than were requested").offset(at)),
    }
}

impl Source for Remote {
    fn len(&self) -> u64 {
        self.pin.len
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let range = at..self.end_of(at, out.len())?;
        if range.is_empty() {
            return Ok(());
        }
        if let Some(kept) = self.kept(&range) {
            traffic::used(kept.len() as u64);
            return copy(Some(&kept), out, at);
        }
        if !self.by_run(&range, out)? {
            self.alone(range, out)?;
        }
        traffic::used(out.len() as u64);
        Ok(())
    }

    fn read_many(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        for range in ranges {
            let len = range.end.checked_sub(range.start).and_then(|len| usize::try_from(len).ok());
            self.end_of(range.start, len.unwrap_or(usize::MAX))?;
        }
        let lacking: Vec<_> = ranges.iter().filter(|range| self.kept(range).is_none()).cloned().collect();
        let requests = plan::requests(&lacking);
        let came = self.fetch(&requests)?;
        let held = |range: &Range<u64>| -> Result<Bytes> {
            if range.is_empty() {
                return Ok(Bytes::new());
            }
            traffic::used(range.end - range.start);
            if let Some(kept) = self.kept(range) {
                return Ok(kept);
            }
            let first = requests.partition_point(|request| request.end <= range.start);
            if let (Some(request), Some(bytes)) = (requests.get(first), came.get(first))
                && range.end <= request.end
            {
                let (from, to) = ((range.start - request.start) as usize, (range.end - request.start) as usize);
                return Ok(bytes.slice(from..to));
            }
            // A long one, in parts.
            let mut whole = Vec::new();
            for (request, bytes) in requests.iter().zip(&came).skip(first).take_while(|(r, _)| r.start < range.end) {
                let from = range.start.saturating_sub(request.start) as usize;
                let to = (range.end.min(request.end) - request.start) as usize;
                whole.extend_from_slice(bytes.get(from..to).unwrap_or_default());
            }
            Ok(whole.into())
        };
        ranges.iter().map(held).collect()
    }

    /// The first bytes and the last ones, once they came: whoever reads small ranges of these is not read ahead for. Not all
    /// of it is here, which is what no bytes at all are asked for to find out.
    fn at_hand(&self, range: Range<u64>) -> Option<Bytes> {
        let kept = self.kept(&range).filter(|kept| !kept.is_empty())?;
        traffic::used(kept.len() as u64);
        Some(kept)
    }

    fn identity(&self) -> Option<String> {
        Some(format!("{} {}", self.name, self.pin.state()?))
    }

    /// Every answer is compared with what the object was, so there is nothing to ask for.
    fn unchanged(&self) -> Result<()> {
        Ok(())
    }
}
