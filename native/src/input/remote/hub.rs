//! Hugging Face's Hub: the addresses under which its server gives the files of a dataset, and which files there are.

use std::{collections::BTreeMap, future::Future, pin::Pin};

use forebay::{Error, Result};
use http_body_util::BodyExt;
use object_store::{
    ListResult, ObjectMeta,
    client::{HttpClient, HttpConnector, HttpRequest, HttpRequestBody},
    list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore},
    path::Path as Key,
};
use serde::Deserialize;

use super::{
    address::{Address, Scheme, encoded},
    client::Connector,
    codes,
};

/// What is set, by its name in lower case.
pub(super) type Said = BTreeMap<String, String>;

/// The most bytes of a page of a list.
const PAGE: usize = 32 << 20;

/// A dataset on the Hub.
#[derive(Debug)]
pub(super) struct Hub {
    client: HttpClient,
    /// The server, without a slash at its end.
    endpoint: String,
    /// The name of the dataset.
    id: String,
    /// The branch, tag or commit, as it stands in an address.
    revision: String,
}

/// A file or folder in a list.
#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    size: u64,
}

impl Hub {
    /// A dataset, and how it is asked: with `HF_TOKEN`, if there is one, which goes to no other server.
    pub fn new(address: &Address, said: &Said, connector: Connector) -> Result<(Hub, Connector)> {
        let endpoint = said.get("hf_endpoint").map_or(Address::HUB, String::as_str).trim_end_matches('/');
        if Address::parse(endpoint).ok().is_none_or(|address| address.scheme != Scheme::Http || !address.key.is_empty())
        {
            let message = "HF_ENDPOINT must be the address of a server, such as https://hub.example.org";
            return Err(Error::new(&codes::SETTING, message));
        }
        let connector = match said.get("hf_token") {
            Some(token) => connector.with_token(endpoint, token),
            None => connector,
        };
        let (id, revision) = address.place.split_once('@').unwrap_or((&address.place, "main"));
        let client =
            connector.connect(&Default::default()).map_err(|e| Error::caused(&codes::SETTING, e.to_string(), e))?;
        let (endpoint, id) = (endpoint.to_owned(), id.to_owned());
        Ok((Hub { client, endpoint, id, revision: revision.replace('/', "%2F") }, connector))
    }

    /// The address of all files.
    pub fn files(&self) -> String {
        format!("{}/datasets/{}/resolve/{}", self.endpoint, self.id, self.revision)
    }

    async fn page(&self, prefix: &str, options: PaginatedListOptions) -> object_store::Result<PaginatedListResult> {
        let wrong = |words: String| object_store::Error::Generic { store: "the Hub", source: words.into() };
        let folder = prefix.rfind('/').map_or("", |at| &prefix[..at]);
        let url = options.page_token.unwrap_or_else(|| {
            let recursive = options.delimiter.is_none();
            let below = if folder.is_empty() { String::new() } else { format!("/{}", encoded(folder)) };
            let Hub { endpoint, id, revision, .. } = self;
            format!("{endpoint}/api/datasets/{id}/tree/{revision}{below}?recursive={recursive}")
        });
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = url.parse().map_err(|_| wrong("the list has no address".into()))?;
        let response = self.client.execute(request).await.map_err(|e| wrong(e.to_string()))?;
        if response.status() == 404 {
            return Err(object_store::Error::NotFound { path: prefix.into(), source: "no such dataset".into() });
        }
        if !response.status().is_success() {
            return Err(wrong(format!("status {}", response.status())));
        }
        let next = response.headers().get("link").and_then(|link| next(link.to_str().ok()?));
        if let Some(next) = &next
            && !next.starts_with(&format!("{}/", self.endpoint))
        {
            return Err(wrong("the list goes on at another server".into()));
        }
        let body = http_body_util::Limited::new(response.into_body(), PAGE).collect().await;
        let body = body.map_err(|e| wrong(e.to_string()))?.to_bytes();
        let entries: Vec<Entry> = serde_json::from_slice(&body).map_err(|e| wrong(e.to_string()))?;
        let files = entries.into_iter().filter(|entry| entry.kind == "file" && entry.path.starts_with(prefix));
        let object = |entry: Entry| {
            let location = Key::parse(&entry.path).map_err(|e| wrong(e.to_string()))?;
            Ok(ObjectMeta { location, last_modified: Default::default(), size: entry.size, e_tag: None, version: None })
        };
        let objects = files.map(object).collect::<object_store::Result<Vec<_>>>()?;
        let result = ListResult { common_prefixes: Vec::new(), objects, extensions: Default::default() };
        Ok(PaginatedListResult { result, page_token: next })
    }
}

/// The address of the next page, of those in a header `Link`.
fn next(link: &str) -> Option<String> {
    link.split(',').find_map(|one| {
        let (address, rest) = one.trim().strip_prefix('<')?.split_once('>')?;
        rest.contains("rel=\"next\"").then(|| address.to_owned())
    })
}

impl PaginatedListStore for Hub {
    fn list_paginated<'life0, 'life1, 'async_trait>(
        &'life0 self,
        prefix: Option<&'life1 str>,
        options: PaginatedListOptions,
    ) -> Pin<Box<dyn Future<Output = object_store::Result<PaginatedListResult>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.page(prefix.unwrap_or_default(), options))
    }
}
