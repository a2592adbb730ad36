//! Objects one by one: whether they are there, copies of them, and their removal.

use std::path::Path;

use forebay::{Error, Result};
use object_store::{CopyOptions, ObjectStoreExt};

use super::{
    Settings,
    address::Address,
    client::watched,
    codes,
    fetch::{Object, Tries},
    runtime, shown,
};
use crate::input::{Input, Io};

/// Objects that are removed at the same time.
const AT_ONCE: usize = 16;

/// What is under an address; nothing if nothing is.
pub(crate) fn found(path: &Path) -> Result<Option<Input>> {
    match Input::open(path, Io::Read) {
        Ok(input) => Ok(Some(input)),
        Err(e) if e.code() == &codes::NOT_FOUND => Ok(None),
        Err(e) => Err(e),
    }
}

/// Copies an object to another name of its store, and replaces what is there. The store does it by itself.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let object = |path: &Path| {
        let address = Address::parse(path.to_str().unwrap_or_default()).map_err(|e| e.file(shown(path)))?;
        Object::new(&address, &Settings::new())
    };
    let (from, target) = (object(from)?, object(to)?);
    let copied = runtime::wait(async move {
        let mut tries = Tries::new(&from.store);
        loop {
            let _permit = from.store.at_once.acquire().await;
            let options = CopyOptions::default();
            let (done, seen) = watched(from.objects().copy_opts(&from.key, &target.key, options)).await;
            match done {
                Ok(()) => return Ok(()),
                Err(e) => tries.again(from.failure(&e, &seen), 0).await?,
            }
        }
    });
    copied.map_err(|e| e.file(shown(to)))
}

/// Removes objects, all of which go at the same time. What is not there is gone.
pub(crate) fn remove<P: AsRef<Path>>(paths: &[P]) -> Result<()> {
    for some in paths.chunks(AT_ONCE) {
        let object = |path: &P| {
            let path = path.as_ref();
            let address = Address::parse(path.to_str().unwrap_or_default()).map_err(|e| e.file(shown(path)))?;
            Ok((Object::new(&address, &Settings::new())?, address.shown()))
        };
        let objects = some.iter().map(object).collect::<Result<Vec<_>>>()?;
        runtime::wait(async move {
            let mut all = tokio::task::JoinSet::new();
            objects.into_iter().for_each(|(object, name)| {
                all.spawn(async move { gone(&object).await.map_err(|e| e.file(name)) });
            });
            while let Some(ended) = all.join_next().await {
                ended.map_err(|e| Error::caused(&forebay::error::codes::IO, "a request was ended", e))??;
            }
            Ok(())
        })?;
    }
    Ok(())
}

async fn gone(object: &Object) -> Result<()> {
    let mut tries = Tries::new(&object.store);
    loop {
        let _permit = object.store.at_once.acquire().await;
        let (done, seen) = watched(object.store.objects.delete(&object.key)).await;
        let Err(e) = done else { return Ok(()) };
        match object.failure(&e, &seen) {
            failure if failure.error.code() == &codes::NOT_FOUND => return Ok(()),
            failure => tries.again(failure, 0).await?,
        }
    }
}
