//! One range of one object: asked for, tried again if that may help, and compared with what is known of the object.

use std::{
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use forebay::{Error, Result};
use futures_util::StreamExt;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt, path::Path as Key};

use super::{
    Settings,
    address::{Address, Scheme},
    client::{Broken, Kind, Seen, watched},
    codes,
    fault::{Failure, changed, failure},
    patience::{FORGIVES, wait},
    store::{GivenUp, Store, store},
    traffic,
};

/// Bytes that opening reads from the front: a TBL's header with the index of a small one, the first header of an archive,
/// and what tells formats apart. Ten thousand open shards keep 160 MB of them.
pub(super) const FIRST: u64 = 16 << 10;

/// How long a store that was given up is not asked again.
const RESTS: Duration = Duration::from_secs(10);

/// The most bytes that are set aside before they come: how many come is the server's word.
const ASIDE: u64 = 8 << 20;

/// The fewest bytes a second that are waited for. A server that sends one now and then is not there.
const LEAST: f64 = 1024.0;

/// An object in its store.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub store: Arc<Store>,
    pub key: Key,
}

/// What an object was when it was opened. All its bytes are of that, or reading is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pin {
    pub len: u64,
    tag: Option<String>,
    pub version: Option<String>,
    /// In nanoseconds, if the server says it.
    modified: Option<i64>,
}

impl Pin {
    pub fn new(meta: &ObjectMeta) -> Pin {
        let modified = meta.last_modified.timestamp_nanos_opt().filter(|nanos| *nanos != 0);
        Pin { len: meta.size, tag: meta.e_tag.clone(), version: meta.version.clone(), modified }
    }

    /// What tells one state of the object from another, if the server gives anything that does.
    pub fn state(&self) -> Option<String> {
        let modified = || self.modified.map(|nanos| format!("modified {nanos}"));
        let said = self.tag.clone().or_else(|| self.version.clone()).or_else(modified)?;
        Some(format!("{said} {}", self.len))
    }

    /// A tag that the server may compare: a weak one never counts as the same.
    pub fn strong(&self) -> Option<&str> {
        self.tag.as_deref().filter(|tag| !tag.starts_with("W/"))
    }
}

impl Object {
    pub fn new(address: &Address, settings: &Settings) -> Result<Object> {
        let wrong = |why: &str| Error::new(&codes::ADDRESS, why).file(address.shown());
        let key = match address.scheme {
            Scheme::Http => Key::from_url_path(&address.key),
            _ => Key::parse(&address.key),
        };
        let key = key
            .map_err(|_| wrong("the name has parts that cannot be asked for, such as '..', or broken percent signs"))?;
        if key.as_ref().is_empty() || address.key.ends_with('/') {
            return Err(wrong("this is a folder, and an object is expected"));
        }
        Ok(Object { store: store(address, settings).map_err(|e| e.file(address.shown()))?, key })
    }

    pub fn failure(&self, e: &object_store::Error, seen: &Seen) -> Failure {
        let mut failure = failure(e, seen, self.store.scheme, &self.store.place);
        if self.store.scheme == Scheme::Http
            && failure.error.code() == &codes::NOT_FOUND
            && self.key.as_ref().contains(['*', '['])
        {
            let words =
                "a server of files does not say which there are, so that a pattern is taken for a name: name each file";
            failure.error = failure.error.more(words);
        }
        failure
    }

    /// Opens it: what it is, and its first bytes.
    pub async fn first(&self) -> Result<(Pin, Bytes)> {
        let mut tries = Tries::of_reading(&self.store)?;
        loop {
            match self.first_once().await {
                Ok(opened) => {
                    self.store.given_up(|known| *known = None);
                    return Ok(opened);
                }
                Err(failure) => tries.again(failure, 0).await?,
            }
        }
    }

    async fn first_once(&self) -> Result<(Pin, Bytes), Failure> {
        let _permit = self.store.at_once.acquire().await;
        let (result, seen) = watched(self.get(0..FIRST, None)).await;
        let result = match (result, seen.status) {
            (Ok(result), _) => result,
            // An object without bytes has no range; some servers then send the nothing that there is.
            (Err(e), Some(416 | 200)) if !seen.for_credentials => {
                let packed = seen.packed;
                let (found, seen) = watched(self.objects().head(&self.key)).await;
                let found = found.map_err(|e| self.failure(&e, &seen))?;
                return match found.size {
                    0 => Ok((Pin::new(&found), Bytes::new())),
                    _ => Err(self.failure(&e, &Seen { status: Some(200), packed, ..Seen::default() })),
                };
            }
            (Err(e), _) => return Err(self.failure(&e, &seen)),
        };
        let pin = Pin::new(&result.meta);
        let mut head = BytesMut::new();
        self.take(result, &seen.host, 0..FIRST.min(pin.len), &mut head).await?;
        Ok((pin, head.freeze()))
    }

    /// The bytes of a range, of the object as it was.
    pub async fn range(&self, pin: &Pin, range: Range<u64>) -> Result<Bytes> {
        let mut got = BytesMut::with_capacity((range.end - range.start).min(ASIDE) as usize);
        let mut tries = Tries::of_reading(&self.store).map_err(|e| e.offset(range.start))?;
        loop {
            let before = got.len() as u64;
            match self.rest(pin, range.start + before..range.end, &mut got).await {
                Ok(()) => {
                    self.store.given_up(|known| *known = None);
                    return Ok(got.freeze());
                }
                Err(failure) => {
                    tries.again(failure, got.len() as u64 - before).await.map_err(|e| e.offset(range.start))?
                }
            }
        }
    }

    async fn rest(&self, pin: &Pin, range: Range<u64>, got: &mut BytesMut) -> Result<(), Failure> {
        if range.is_empty() {
            return Ok(());
        }
        let _permit = self.store.at_once.acquire().await;
        let (result, seen) = watched(self.get(range.clone(), Some(pin))).await;
        let result = match (result, seen.status) {
            (Ok(result), _) => result,
            // There were such bytes when it was opened.
            (Err(_), Some(416)) => return Err(Failure::last(&crate::input::codes::CHANGED, changed())),
            (Err(e), _) => return Err(self.failure(&e, &seen)),
        };
        if Pin::new(&result.meta) != *pin {
            return Err(Failure::last(&crate::input::codes::CHANGED, changed()));
        }
        self.take(result, &seen.host, range, got).await
    }

    async fn get(&self, range: Range<u64>, pin: Option<&Pin>) -> object_store::Result<GetResult> {
        let if_match = pin.and_then(Pin::strong).map(str::to_owned);
        let options = GetOptions { range: Some(GetRange::Bounded(range)), if_match, ..GetOptions::default() };
        self.objects().get_opts(&self.key, options).await
    }

    pub fn objects(&self) -> &dyn ObjectStore {
        self.store.objects.as_ref()
    }

    /// Takes the bytes of an answer, which are these and no others.
    async fn take(&self, result: GetResult, host: &str, range: Range<u64>, got: &mut BytesMut) -> Result<(), Failure> {
        let lies = |message: String| Failure::last(&codes::ANSWER, message);
        if result.range != range {
            let (asked, sent) = (shown(&range), shown(&result.range));
            return Err(lies(format!("the server was asked for the bytes {asked} and sent {sent}")));
        }
        let promised = range.end - range.start;
        let (mut body, mut came, begun) = (result.into_stream(), 0, Instant::now());
        while came <= promised {
            let next = tokio::time::timeout(self.store.patience, watched(body.next())).await;
            let bytes = match next {
                Ok((None, _)) => break,
                Ok((Some(Ok(bytes)), _)) => bytes,
                Ok((Some(Err(e)), seen)) => return Err(self.failure(&e, &broken_body(seen, host))),
                Err(_) => {
                    let message = format!("the server sent nothing more for {} s", self.store.patience.as_secs_f32());
                    return Err(Failure::passing(&codes::TIMEOUT, message));
                }
            };
            came += bytes.len() as u64;
            traffic::came(bytes.len() as u64);
            let waited = begun.elapsed();
            if waited > self.store.patience && came < promised && (came as f64) < LEAST * waited.as_secs_f64() {
                let message = format!("the server sent {came} bytes in {:.0} s", waited.as_secs_f64());
                return Err(Failure::passing(&codes::TIMEOUT, message));
            }
            if came <= promised {
                got.extend_from_slice(&bytes);
            }
        }
        match came.cmp(&promised) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Less => Err(lies(format!("the server promised {promised} bytes and sent {came}"))),
            std::cmp::Ordering::Greater => Err(lies(format!("the server promised {promised} bytes and sent more"))),
        }
    }
}

fn shown(range: &Range<u64>) -> String {
    format!("{}..{}", range.start, range.end)
}

/// What is known of a body that broke off, at the least that it did.
fn broken_body(mut seen: Seen, host: &str) -> Seen {
    host.clone_into(&mut seen.host);
    seen.broken.get_or_insert_with(|| Broken { kind: Kind::Other, words: "in the middle of an answer".into() });
    seen
}

/// What is left of trying again.
pub(super) struct Tries<'a> {
    /// The store, if others that read from it are to hear that there is no use in it.
    reading: Option<&'a Store>,
    most: u32,
    done: u32,
    begun: Instant,
    /// Bytes that came since a try was made up for.
    came: u64,
}

impl<'a> Tries<'a> {
    pub fn new(store: &Store) -> Tries<'a> {
        Tries { reading: None, most: store.tries, done: 0, begun: Instant::now(), came: 0 }
    }

    /// For reading. A store that was given up fails at once for a while, and then after one try until it answers again: else
    /// every sample of a file would take as long as the first.
    pub fn of_reading(store: &'a Store) -> Result<Tries<'a>> {
        let most = store.given_up(|known| match known {
            Some(known) if known.since.elapsed() < RESTS => Err(known.error()),
            Some(_) => Ok(1),
            None => Ok(store.tries),
        })?;
        Ok(Tries { reading: Some(store), most, ..Tries::new(store) })
    }

    /// Waits until it is time to try again, or says why there is no use in it. `came` bytes came before it failed.
    pub async fn again(&mut self, failure: Failure, came: u64) -> Result<()> {
        self.came += came;
        if self.came >= FORGIVES {
            (self.done, self.came) = (0, 0);
        }
        self.done += 1;
        if !failure.again {
            return Err(failure.error);
        }
        if let Some(known) = self.reading.and_then(|store| store.given_up(|known| known.as_ref().map(GivenUp::error)))
            && self.most > 1
        {
            return Err(known);
        }
        if self.done >= self.most {
            let words = format!("tried {} times in {:.0} s", self.done, self.begun.elapsed().as_secs_f64());
            let error = if self.done > 1 { failure.error.more(&words) } else { failure.error };
            if let Some(store) = self.reading.filter(|store| store.tries > 1) {
                store.given_up(|known| *known = Some(GivenUp::new(&error)));
            }
            return Err(error);
        }
        traffic::retry();
        let mut chance = [0; 8];
        let half = [128; 8];
        let chance = if getrandom::fill(&mut chance).is_ok() { chance } else { half };
        tokio::time::sleep(wait(self.done, u64::from_le_bytes(chance)).max(Duration::from_millis(1))).await;
        Ok(())
    }
}
