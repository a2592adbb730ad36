//! Which objects there are: those that a pattern matches, and those of a folder.

use std::path::{Path, PathBuf};

use forebay::{Error, Result};
use object_store::{ObjectMeta, list::PaginatedListOptions};

use super::{
    Settings,
    address::{Address, Scheme},
    client::watched,
    codes,
    fault::{Failure, failure},
    fetch::Tries,
    runtime, shown,
    store::{Store, store},
};

/// The most objects that are listed: beyond, the names alone take a gigabyte.
const MOST: usize = 10_000_000;

/// How long a page of a list may take to come whole, beside what a server may say nothing.
const PAGE: std::time::Duration = std::time::Duration::from_secs(60);

/// What is known of an object that was listed.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its address.
    pub path: PathBuf,
    /// Its name below the folder.
    pub name: String,
    /// How many bytes it has.
    pub len: u64,
}

/// The addresses that a pattern such as `s3://bucket/train-*.tbl` stands for, in the order of their names. A star stands
/// for no slash, two stars do. An object that is called so is meant by itself, as a file is.
pub(crate) fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let address = parsed(pattern)?;
    let bad =
        |why: String| Error::new(&codes::ADDRESS, format!("the pattern cannot be read: {why}")).file(shown(pattern));
    let wanted = glob::Pattern::new(&address.key);
    let plain = address.key.split(['*', '?', '[']).next().unwrap_or_default();
    let one_folder = !address.key[plain.len()..].contains('/') && !address.key.contains("**");
    let mut options = glob::MatchOptions::new();
    (options.require_literal_separator, options.require_literal_leading_dot) = (true, true);
    let found = all(&address, plain, one_folder).map_err(|e| e.file(shown(pattern)))?;
    if found.iter().any(|meta| meta.location.as_ref() == address.key) {
        return Ok(vec![PathBuf::from(address.shown())]);
    }
    let wanted = wanted.map_err(|e| bad(e.to_string()))?;
    let names = found.iter().map(|meta| meta.location.as_ref());
    let mut names: Vec<&str> = names.filter(|name| wanted.matches_with(name, options)).collect();
    names.sort_unstable();
    match names.is_empty() {
        true => {
            let message = "no object has this name, and none matches it as a pattern (it has a *, ? or [)";
            Err(Error::new(&codes::NOT_FOUND, message).file(shown(pattern)))
        }
        false => Ok(names.into_iter().map(|name| PathBuf::from(address.with_key(name).shown())).collect()),
    }
}

/// All objects below a folder, in the order of their names; hidden ones, and what marks a folder, are left out.
pub fn below(folder: &Path) -> Result<Vec<Listed>> {
    let mut address = parsed(folder)?;
    if !address.key.is_empty() && !address.key.ends_with('/') {
        address.key.push('/');
    }
    let found = all(&address, &address.key, false).map_err(|e| e.file(shown(folder)))?;
    let of = |meta: &ObjectMeta| {
        let name = meta.location.as_ref().strip_prefix(address.key.as_str())?;
        let hidden = name.split('/').any(|part| part.starts_with('.') || part.is_empty());
        let path = PathBuf::from(address.with_key(meta.location.as_ref()).shown());
        (!hidden).then(|| Listed { path, name: name.to_owned(), len: meta.size })
    };
    let mut listed: Vec<Listed> = found.iter().filter_map(of).collect();
    listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(listed)
}

fn parsed(path: &Path) -> Result<Address> {
    let text = path.to_str().ok_or_else(|| Error::new(&codes::ADDRESS, "an address is UTF-8").file(shown(path)))?;
    Address::parse(text)
}

/// All objects whose names begin so; of one folder alone, if that is all that is wanted.
fn all(address: &Address, prefix: &str, one_folder: bool) -> Result<Vec<ObjectMeta>> {
    let store = store(address, &Settings::new())?;
    if store.lists.is_none() {
        let message = "a server of files does not say which there are; name each, or ask a store (s3://, gs://, az://)";
        return Err(Error::new(&codes::LIST, message));
    }
    let prefix = prefix.to_owned();
    runtime::wait(async move {
        let (mut found, mut token) = (Vec::new(), None);
        loop {
            let mut tries = Tries::new(&store);
            let (objects, next) = loop {
                match page(&store, &prefix, one_folder, token.clone()).await {
                    Ok(page) => break page,
                    Err(failure) => tries.again(failure, 0).await?,
                }
            };
            let nothing = objects.is_empty();
            found.extend(objects);
            if found.len() > MOST {
                let message = format!("there are more than {MOST} objects of such names; say more of the name");
                return Err(Error::new(&codes::ADDRESS, message));
            }
            // A server whose list has no end says the same again.
            if next.is_some() && (next == token || nothing && !one_folder) {
                return Err(Error::new(&codes::ANSWER, "the server's list goes on and brings nothing"));
            }
            match next {
                Some(_) => token = next,
                None => return Ok(found),
            }
        }
    })
}

type Page = (Vec<ObjectMeta>, Option<String>);

async fn page(store: &Store, prefix: &str, one_folder: bool, token: Option<String>) -> Result<Page, Failure> {
    let Some(lists) = &store.lists else { return Ok((Vec::new(), None)) };
    let _permit = store.at_once.acquire().await;
    let delimiter = one_folder.then(|| "/".into());
    let options = PaginatedListOptions { page_token: token, delimiter, ..PaginatedListOptions::default() };
    let prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
    let asked = tokio::time::timeout(PAGE + store.patience, watched(lists.list_paginated(prefix, options)));
    let Ok((page, seen)) = asked.await else {
        return Err(Failure::passing(&codes::TIMEOUT, "the list of objects took too long"));
    };
    match page {
        Ok(page) => Ok((page.result.objects, page.page_token)),
        // Of a bucket there is nothing else that could be missing.
        Err(object_store::Error::NotFound { .. }) => Err(match store.scheme {
            Scheme::Hub => Failure::last(&codes::NOT_FOUND, "there is no such dataset, revision or folder on the Hub"),
            _ => Failure::last(&codes::BUCKET, format!("there is no bucket {}", store.place)),
        }),
        Err(e) => {
            let status = seen.status.filter(|status| (200..300).contains(status));
            Err(match (&seen.broken, status) {
                (None, Some(_)) => {
                    Failure::last(&codes::ANSWER, "the list of objects that the server sent cannot be read")
                }
                _ => failure(&e, &seen, store.scheme, &store.place),
            })
        }
    }
}
