//! The moment in which an object appears: under a condition, and known for ours even where the answer was lost.

use std::time::Duration;

use bytes::Bytes;
use forebay::Result;
use object_store::{
    Attribute, Attributes, CopyOptions, GetOptions, PutOptions, PutPayload, multipart::PartId, path::Path as Key,
};

use super::{
    address::Scheme,
    client::{Added, Seen, adding, watched},
    codes,
    fault::Failure,
    fetch::{Object, Pin, Tries},
    traffic,
};

/// How long a store may take to put thousands of parts together, beside what a server may say nothing.
const PLACING: Duration = Duration::from_secs(600);

/// The metadata of an object that says which write it is of: of all names, one that every store takes.
pub(super) const MARK: &str = "forebaywrite";

/// What may stand under the name until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Nothing,
    /// The object that was seen, and no other.
    Seen(Pin),
    /// Whatever there is: nobody could say.
    Anything,
}

/// What a write comes down to in the end.
#[derive(Debug)]
pub(super) enum How {
    /// One request with all of it.
    Whole(Bytes),
    /// Parts of an upload become an object of this key.
    Parts { key: Key, upload: String, parts: Vec<PartId> },
    /// An object that is whole gets its name.
    Copy(Key),
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    /// It is there.
    Here,
    /// Something else is, which was not there before.
    Taken,
}

/// An object that is to be.
#[derive(Debug)]
pub(super) struct Place {
    pub object: Object,
    /// What no other write has.
    pub mark: String,
}

/// What an answer means that is not yes.
enum No {
    /// The condition does not hold.
    Taken,
    /// The upload is not there: somebody ended it, or it has come to its end.
    Gone,
    /// The store knows no conditions.
    Unconditional,
    Failed(Failure),
}

impl Place {
    /// What is under the name now, and whose write it is of.
    pub async fn look(&self, key: &Key) -> Result<Option<(Pin, Option<String>)>> {
        let mut tries = Tries::new(&self.object.store);
        loop {
            let _permit = self.object.store.at_once.acquire().await;
            let options = GetOptions { head: true, ..GetOptions::default() };
            let (found, seen) = watched(self.object.objects().get_opts(key, options)).await;
            match found {
                Ok(found) => {
                    let mark = found.attributes.get(&Attribute::Metadata(MARK.into()));
                    return Ok(Some((Pin::new(&found.meta), mark.map(|mark| mark.as_ref().to_owned()))));
                }
                Err(_) if seen.broken.is_none() && seen.status == Some(404) && seen.code.is_empty() => return Ok(None),
                Err(e) => match self.object.failure(&e, &seen) {
                    failure if failure.error.code() == &codes::NOT_FOUND => return Ok(None),
                    failure => tries.again(failure, 0).await?,
                },
            }
        }
    }

    async fn is_ours(&self, key: &Key) -> bool {
        let found = self.look(key).await;
        found.is_ok_and(|found| found.is_some_and(|(_, mark)| mark.as_ref() == Some(&self.mark)))
    }

    /// Puts it there, if what is there is what may be. A try whose answer did not come may have done it, so every refusal
    /// is compared with what there is.
    pub async fn put(&self, how: &How, mut goal: Goal) -> Result<Placed> {
        let key = match how {
            How::Parts { key, .. } => key,
            How::Whole(_) | How::Copy(_) => &self.object.key,
        };
        let mut tries = Tries::new(&self.object.store);
        loop {
            let (done, seen) = self.once(how, &goal).await;
            let Err(e) = done else { return Ok(Placed::Here) };
            match self.judge(&e, &seen, &goal) {
                No::Unconditional => {
                    // The next best thing: nobody else came in between, until a moment before.
                    let now = self.look(key).await?.map(|(pin, _)| pin);
                    match (&goal, now) {
                        (Goal::Nothing, None) | (Goal::Anything, _) => {}
                        (Goal::Seen(seen), Some(now)) if *seen == now => {}
                        _ => return Ok(Placed::Taken),
                    }
                    traffic::unconditional();
                    goal = Goal::Anything;
                }
                No::Failed(failure) => {
                    if let Err(e) = tries.again(failure, 0).await {
                        return if self.is_ours(key).await { Ok(Placed::Here) } else { Err(e) };
                    }
                }
                _ if self.is_ours(key).await => return Ok(Placed::Here),
                No::Taken => return Ok(Placed::Taken),
                No::Gone => {
                    let message =
                        "the store knows nothing of the upload any more: somebody ended it, or a rule of the bucket";
                    return Err(forebay::Error::new(&codes::SERVER, message));
                }
            }
        }
    }

    fn judge(&self, e: &object_store::Error, seen: &Seen, goal: &Goal) -> No {
        let conditional = *goal != Goal::Anything;
        let answered = seen.broken.is_none() && !seen.for_credentials;
        match (seen.status.filter(|_| answered), seen.code.as_str()) {
            (Some(404), "NoSuchUpload") | (Some(400), "InvalidBlockList") => No::Gone,
            (Some(304 | 412), _) | (Some(409), "BlobAlreadyExists") | (Some(404), "NoSuchKey") if conditional => {
                No::Taken
            }
            (Some(501), _) | (Some(400), "NotImplemented") if conditional => No::Unconditional,
            // Two writers at the same moment.
            (Some(409), code) => No::Failed(Failure::passing(&codes::BUSY, format!("the store is at odds: {code}"))),
            _ => No::Failed(self.failure(e, seen)),
        }
    }

    /// What a request that writes came to.
    pub fn failure(&self, e: &object_store::Error, seen: &Seen) -> Failure {
        let answered = seen.broken.is_none() && !seen.for_credentials;
        match seen.status.filter(|_| answered) {
            Some(200..=299) => {
                Failure::passing(&codes::ANSWER, "the store's answer does not say that the bytes are there")
            }
            Some(405) => Failure::last(&codes::WRITE, "the server takes nothing"),
            _ => match self.object.failure(e, seen) {
                failure if failure.error.code() == &codes::DENIED => {
                    let said = [seen.code.as_str(), seen.message.as_str()].join(" ");
                    let message = format!("the store does not let these credentials write this: {}", said.trim());
                    Failure::last(&codes::DENIED, message)
                }
                failure => failure,
            },
        }
    }

    async fn once(&self, how: &How, goal: &Goal) -> (object_store::Result<()>, Seen) {
        let store = &self.object.store;
        let _permit = store.at_once.acquire().await;
        let work = async {
            let added = self.added(how, goal).await?;
            adding(added, async {
                match how {
                    How::Whole(bytes) => {
                        let options = PutOptions { attributes: self.attributes(), ..PutOptions::default() };
                        let payload = PutPayload::from(bytes.clone());
                        store.objects.put_opts(&self.object.key, payload, options).await.map(drop)
                    }
                    How::Parts { key, upload, parts } => match &store.parts {
                        Some(into) => into.complete_multipart(key, upload, parts.clone()).await.map(drop),
                        None => Err(object_store::Error::NotSupported { source: "no parts".into() }),
                    },
                    How::Copy(from) => store.objects.copy_opts(from, &self.object.key, CopyOptions::default()).await,
                }
            })
            .await
        };
        let limited = async {
            let ended = tokio::time::timeout(PLACING + store.patience, work).await;
            ended.unwrap_or_else(|e| Err(object_store::Error::Generic { store: "store", source: e.into() }))
        };
        watched(limited).await
    }

    /// What the object is marked with, where its first request says that.
    pub fn attributes(&self) -> Attributes {
        Attributes::from_iter([(Attribute::Metadata(MARK.into()), self.mark.clone())])
    }

    /// The condition, as this kind of store understands it.
    async fn added(&self, how: &How, goal: &Goal) -> object_store::Result<Added> {
        let store = &self.object.store;
        let condition = match (store.scheme, goal) {
            (_, Goal::Anything) => None,
            (Scheme::Google, Goal::Nothing) => Some(("x-goog-if-generation-match", "0".to_owned())),
            (Scheme::Google, Goal::Seen(pin)) => pin.version.clone().map(|seen| ("x-goog-if-generation-match", seen)),
            (_, Goal::Nothing) => Some(("if-none-match", "*".to_owned())),
            (_, Goal::Seen(pin)) => pin.strong().map(|tag| ("if-match", tag.to_owned())),
        };
        let mut headers: Vec<_> = condition.into_iter().collect();
        let sign = match &store.signs {
            Some((credentials, account)) => {
                if let How::Parts { .. } = how {
                    headers.push(("x-ms-meta-forebaywrite", self.mark.clone()));
                }
                let credential = credentials.get_credential().await?;
                let signs_headers = matches!(*credential, object_store::azure::AzureCredential::AccessKey(_));
                signs_headers.then(|| (credential, account.clone()))
            }
            None => None,
        };
        Ok(Added { headers, sign })
    }
}
