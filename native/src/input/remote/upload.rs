//! An object that is being written: in parts, of which nothing is to be seen until it is whole.
//!
//! What is small is one request. Else parts go out while the next are filled, in any order; the last request puts them
//! together, and only then is there an object. Google's store has no condition for that request, so there the object first
//! gets a hidden name beside its own, and then its own by a copy, for which there is one.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use forebay::{Error, Result};
use object_store::{
    ObjectStoreExt, PutMultipartOptions, PutPayload,
    multipart::{MultipartStore, PartId},
    path::Path as Key,
};
use tokio::task::JoinHandle;

use super::{
    Settings,
    address::{Address, Scheme},
    client::{Seen, watched},
    codes,
    fault::Failure,
    fetch::{Object, Tries},
    placing::{Goal, How, Place, Placed},
    refuse_writing, runtime, shown,
};
use crate::half_written::{MARK, SUFFIX};

/// Parts that are on their way at once, at most. Four of 8 MiB keep a link of 1 Gb/s busy while one of them waits 200 ms
/// for its answer.
const AT_ONCE: usize = 4;

/// How long ending an upload may take, when nobody wants it any more: who presses Ctrl-C waits for it.
const ENDING: Duration = Duration::from_secs(5);

/// What to say of parts that could not be removed.
const LEFT: &str = "parts of it may lie in the store until a rule of the bucket removes them, or somebody does: \
                    'aws s3api list-multipart-uploads' and 'aws s3api abort-multipart-upload' do, for example";

/// Uploads of this process that are not whole. While the lock is held none is begun, and none forgotten.
fn live() -> MutexGuard<'static, Vec<Arc<Begun>>> {
    static LIVE: Mutex<Vec<Arc<Begun>>> = Mutex::new(Vec::new());
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every upload of this process, as far as that succeeds in seconds; the process ends next.
pub(crate) fn abandon_all() {
    let mut live = live();
    let all: Vec<_> = live.drain(..).collect();
    if !all.is_empty() {
        let work = async move {
            let mut ends = tokio::task::JoinSet::new();
            all.into_iter().for_each(|begun| drop(ends.spawn(async move { begun.abandon().await })));
            // What cannot be ended in time, a rule of the bucket removes, or somebody.
            let _ = tokio::time::timeout(ENDING, ends.join_all()).await;
            Ok(())
        };
        let _ = runtime::wait(work);
    }
    // An upload that is begun or comes to its end now would be nobody's.
    std::mem::forget(live);
}

/// An upload that has an identity in its store.
#[derive(Debug)]
struct Begun {
    place: Arc<Place>,
    /// The object that it becomes, which may be hidden at first.
    key: Key,
    upload: String,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Begun {
    fn store(&self) -> Result<&Arc<dyn MultipartStore>> {
        self.place.object.store.parts.as_ref().ok_or_else(no_parts)
    }

    fn tasks(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it; false if its parts may still be there. A part that is on its way would be kept, so those end first.
    async fn abandon(&self) -> bool {
        let tasks = std::mem::take(&mut *self.tasks());
        tasks.iter().for_each(JoinHandle::abort);
        for task in tasks {
            let _ = task.await;
        }
        let Ok(store) = self.store() else { return true };
        for _ in 0..3 {
            let (ended, seen) = watched(store.abort_multipart(&self.key, &self.upload)).await;
            if ended.is_ok() || seen.status == Some(404) {
                return true;
            }
        }
        false
    }

    /// Sends a part.
    async fn send(&self, number: usize, bytes: Bytes) -> Result<PartId> {
        let store = self.store()?;
        let mut tries = Tries::new(&self.place.object.store);
        loop {
            let _permit = self.place.object.store.at_once.acquire().await;
            let payload = PutPayload::from(bytes.clone());
            let (sent, seen) = watched(store.put_part(&self.key, &self.upload, number, payload)).await;
            match sent {
                Ok(part) => return Ok(part),
                Err(e) => tries.again(self.failure(&e, &seen), 0).await?,
            }
        }
    }

    fn failure(&self, e: &object_store::Error, seen: &Seen) -> Failure {
        match seen.code.as_str() {
            "NoSuchUpload" => {
                let message =
                    "the store knows nothing of the upload any more: somebody ended it, or a rule of the bucket";
                Failure::last(&codes::SERVER, message)
            }
            _ => self.place.failure(e, seen),
        }
    }
}

/// What became of the parts so far.
#[derive(Debug, Default)]
struct Sent {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    on_way: usize,
    parts: BTreeMap<usize, PartId>,
    failed: Option<Error>,
}

impl Sent {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until at most that many parts are on their way, or one has failed.
    fn wait(&self, most: usize) -> Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        loop {
            match state.failed.take() {
                Some(e) => return Err(e),
                None if state.on_way <= most => return Ok(state),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// A part on its way, until it is there or is ended.
struct OnWay(Arc<Sent>);

impl Drop for OnWay {
    fn drop(&mut self) {
        self.0.state().on_way -= 1;
        self.0.changed.notify_all();
    }
}

fn no_parts() -> Error {
    Error::new(&codes::WRITE, "the server takes no parts")
}

/// An object on its way. Dropping it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Upload {
    place: Arc<Place>,
    name: String,
    goal: Goal,
    begun: Option<Arc<Begun>>,
    sent: Arc<Sent>,
}

impl Upload {
    /// Looks at what is there; nothing is sent yet.
    pub fn begin(path: &Path) -> Result<Upload> {
        let name = shown(path);
        Self::of(path).map_err(|e| e.file(name))
    }

    fn of(path: &Path) -> Result<Upload> {
        let text = path.to_str().ok_or_else(|| Error::new(&codes::ADDRESS, "an address is UTF-8"))?;
        let address = Address::parse(text)?;
        refuse_writing(path)?;
        let object = Object::new(&address, &Settings::new())?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|e| Error::new(&codes::SETTING, format!("no random numbers: {e}")))?;
        let place = Arc::new(Place { object, mark: format!("{:032x}", u128::from_le_bytes(random)) });
        let asked = place.clone();
        let found = runtime::wait(async move { asked.look(&asked.object.key).await });
        let goal = match found {
            Ok(None) => Goal::Nothing,
            Ok(Some((pin, _))) => Goal::Seen(pin),
            // Who may write and not read is told by the condition whether something is there.
            Err(e) if e.code() == &codes::DENIED => Goal::Anything,
            Err(e) => return Err(e),
        };
        Ok(Upload { place, name: address.shown(), goal, begun: None, sent: Arc::default() })
    }

    /// The address as people are shown it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether something is there that would be replaced.
    pub fn is_there(&self) -> bool {
        matches!(self.goal, Goal::Seen(_))
    }

    /// Replaces nothing: what could not be seen is not to be there.
    pub fn keep_all(&mut self) {
        self.goal = Goal::Nothing;
    }

    /// Has a part on its way. All but the last of an object have 5 MiB at least, as stores ask.
    pub fn part(&mut self, number: usize, bytes: Bytes) -> Result<()> {
        self.send(number, bytes).map_err(|e| self.ended(e))
    }

    fn send(&mut self, number: usize, bytes: Bytes) -> Result<()> {
        let begun = match &self.begun {
            Some(begun) => begun.clone(),
            None => self.begun.insert(begin(&self.place)?).clone(),
        };
        self.sent.wait(AT_ONCE - 1)?.on_way += 1;
        let (on_way, sender) = (OnWay(self.sent.clone()), begun.clone());
        let task = runtime::spawn(async move {
            let came = sender.send(number, bytes).await;
            let mut state = on_way.0.state();
            match came {
                Ok(part) => drop(state.parts.insert(number, part)),
                Err(e) => state.failed = Some(e),
            }
        })?;
        let mut tasks = begun.tasks();
        tasks.retain(|task| !task.is_finished());
        tasks.push(task);
        Ok(())
    }

    /// The object, of these bytes alone.
    pub fn whole(self, bytes: Bytes) -> Result<Placed> {
        let (place, goal) = (self.place.clone(), self.goal.clone());
        runtime::wait(async move { place.put(&How::Whole(bytes), goal).await }).map_err(|e| self.ended(e))
    }

    /// The object, of all parts.
    pub fn complete(self) -> Result<Placed> {
        let placed = self.put_together().map_err(|e| self.ended(e))?;
        if let (Placed::Here, Some(begun)) = (placed, &self.begun) {
            live().retain(|other| !Arc::ptr_eq(other, begun));
        }
        Ok(placed)
    }

    fn put_together(&self) -> Result<Placed> {
        let parts = std::mem::take(&mut self.sent.wait(0)?.parts);
        let Some(begun) = self.begun.clone() else { return Err(Error::new(&codes::SERVER, "no part was sent")) };
        let goal = self.goal.clone();
        runtime::wait(async move {
            let (place, key) = (&begun.place, begun.key.clone());
            let hidden = key != place.object.key;
            let whole = How::Parts { key, upload: begun.upload.clone(), parts: parts.into_values().collect() };
            if !hidden {
                return place.put(&whole, goal).await;
            }
            place.put(&whole, Goal::Anything).await?;
            let placed = place.put(&How::Copy(begun.key.clone()), goal).await;
            // Whatever came of it, the hidden one has done its work.
            let _ = watched(place.object.store.objects.delete(&begun.key)).await;
            placed
        })
    }

    /// What failed, once nothing of it is left.
    fn ended(&self, e: Error) -> Error {
        let e = if self.abandon() { e } else { e.more(LEFT) };
        e.file(&self.name)
    }

    /// Ends the upload, if there is one; false if parts of it may be left.
    fn abandon(&self) -> bool {
        let Some(begun) = &self.begun else { return true };
        let mut live = live();
        let before = live.len();
        live.retain(|other| !Arc::ptr_eq(other, begun));
        if live.len() == before {
            return true;
        }
        drop(live);
        let begun = begun.clone();
        let work = async move { Ok(tokio::time::timeout(ENDING, begun.abandon()).await.unwrap_or(false)) };
        runtime::wait(work).unwrap_or(false)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Begins an upload in its store.
fn begin(place: &Arc<Place>) -> Result<Arc<Begun>> {
    let key = match place.object.store.scheme {
        Scheme::Google => hidden(&place.object.key, &place.mark)?,
        _ => place.object.key.clone(),
    };
    let (asked, wanted) = (place.clone(), key.clone());
    let upload = runtime::wait(async move {
        let store = &asked.object.store;
        let Some(parts) = &store.parts else { return Err(no_parts()) };
        // Azure marks the object when it is put together.
        let marked = store.scheme != Scheme::Azure;
        let attributes = if marked { asked.attributes() } else { Default::default() };
        let mut tries = Tries::new(store);
        loop {
            let options = PutMultipartOptions { attributes: attributes.clone(), ..PutMultipartOptions::default() };
            let _permit = store.at_once.acquire().await;
            match watched(parts.create_multipart_opts(&wanted, options)).await {
                (Ok(upload), _) => return Ok(upload),
                (Err(e), seen) => tries.again(asked.failure(&e, &seen), 0).await?,
            }
        }
    })?;
    let begun = Arc::new(Begun { place: place.clone(), key, upload, tasks: Mutex::default() });
    live().push(begun.clone());
    Ok(begun)
}

/// A name beside an object's own that no list of a folder shows.
fn hidden(key: &Key, mark: &str) -> Result<Key> {
    let (folder, name) = key.as_ref().rsplit_once('/').map_or(("", key.as_ref()), |(folder, name)| (folder, name));
    let random = mark.get(..6).unwrap_or_default();
    let slash = if folder.is_empty() { "" } else { "/" };
    Key::parse(format!("{folder}{slash}.{name}{MARK}{random}{SUFFIX}"))
        .map_err(|_| Error::new(&codes::ADDRESS, "the name cannot be written under"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_whole_has_a_name_that_no_list_shows() {
        let of = |key: &str| hidden(&Key::parse(key).unwrap(), "abcdef0123").unwrap().to_string();
        assert_eq!(of("a/b/c.tbl"), "a/b/.c.tbl.forebay-abcdef.part");
        assert_eq!(of("c.tbl"), ".c.tbl.forebay-abcdef.part");
        assert!(crate::half_written::is_part(".c.tbl.forebay-abcdef.part".as_ref()));
    }
}
