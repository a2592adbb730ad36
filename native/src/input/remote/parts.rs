//! Uploads in parts that nobody came to the end of: which there are below an address, and their end.
//!
//! A process that is killed leaves its parts in the store, where nobody sees them and somebody pays. S3 lists such
//! uploads, by a request that its client has no function for; so it is signed there, sent here, and its answer is read.

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use forebay::{Error, Result};
use object_store::{
    client::{HttpClient, HttpRequest, HttpRequestBody},
    path::Path as Key,
    signer::SignedUrlOptions,
};
use serde::Deserialize;

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

/// The most uploads that are listed.
const MOST: usize = 1_000_000;
/// Uploads that are ended at the same time.
const AT_ONCE: usize = 16;
/// How long what a request is signed with holds.
const HOLDS: std::time::Duration = std::time::Duration::from_secs(300);
/// The most bytes of a page of the list: a thousand uploads whose names have a thousand bytes, and more.
const PAGE: usize = 16 << 20;

/// An upload that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// The object that it was to become.
    pub path: PathBuf,
    /// What the store calls it.
    pub upload: String,
    /// When it was begun, if the store says so.
    pub begun: Option<SystemTime>,
}

/// What a store says there is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct List {
    #[serde(default)]
    is_truncated: bool,
    #[serde(default)]
    next_key_marker: String,
    #[serde(default)]
    next_upload_id_marker: String,
    #[serde(default, rename = "Upload")]
    uploads: Vec<Listed>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    key: String,
    upload_id: String,
    #[serde(default)]
    initiated: String,
}

/// Uploads in parts that have not ended, of an object, or of those below a folder or in a bucket.
pub fn unfinished(path: &Path) -> Result<Vec<Unfinished>> {
    let address = parsed(path)?;
    let found = list(&address).map_err(|e| e.file(shown(path)))?;
    let key = address.key.as_str();
    let is_folder = key.is_empty() || key.ends_with('/');
    let is_wanted = |name: &str| {
        let rest = name.strip_prefix(key);
        rest.is_some_and(|rest| is_folder || rest.is_empty() || rest.starts_with('/'))
    };
    let of = |one: Listed| Unfinished {
        path: PathBuf::from(address.with_key(one.key).shown()),
        upload: one.upload_id,
        begun: chrono::DateTime::parse_from_rfc3339(&one.initiated).ok().map(SystemTime::from),
    };
    Ok(found.into_iter().filter(|one| is_wanted(&one.key)).map(of).collect())
}

/// Ends uploads, with the parts that came. One that is not there any more is as good as ended.
pub fn end_unfinished(uploads: &[Unfinished]) -> Result<()> {
    for some in uploads.chunks(AT_ONCE) {
        let one = |upload: &Unfinished| {
            let address = parsed(&upload.path)?;
            let named = |e: Error| e.file(shown(&upload.path));
            let key = Key::parse(&address.key).map_err(|e| named(Error::caused(&codes::ADDRESS, "a bad name", e)))?;
            Ok((store(&address, &Settings::new()).map_err(named)?, key, upload.upload.clone(), shown(&upload.path)))
        };
        let some = some.iter().map(one).collect::<Result<Vec<_>>>()?;
        runtime::wait(async move {
            let mut all = tokio::task::JoinSet::new();
            some.into_iter().for_each(|(store, key, upload, name)| {
                all.spawn(async move { end(&store, &key, upload).await.map_err(|e| e.file(name)) });
            });
            while let Some(ended) = all.join_next().await {
                ended.map_err(|e| Error::caused(&forebay::error::codes::IO, "a request was ended", e))??;
            }
            Ok(())
        })?;
    }
    Ok(())
}

async fn end(store: &Store, key: &Key, upload: String) -> Result<()> {
    let Some(parts) = &store.parts else { return Ok(()) };
    let mut tries = Tries::new(store);
    loop {
        let _permit = store.at_once.acquire().await;
        let (ended, seen) = watched(parts.abort_multipart(key, &upload)).await;
        match ended {
            Ok(()) => return Ok(()),
            Err(_) if seen.status == Some(404) => return Ok(()),
            Err(e) => tries.again(failure(&e, &seen, store.scheme, &store.place), 0).await?,
        }
    }
}

fn parsed(path: &Path) -> Result<Address> {
    let text = path.to_str().ok_or_else(|| Error::new(&codes::ADDRESS, "an address is UTF-8").file(shown(path)))?;
    let address = Address::parse(text)?;
    if address.key.contains(['*', '?', '[']) {
        let message = "uploads are looked for by a folder or by one name, and not by a pattern";
        return Err(Error::new(&codes::ADDRESS, message).file(address.shown()));
    }
    let message = match address.scheme {
        Scheme::S3 => return Ok(address),
        Scheme::Google => {
            "Google's store is not asked for unfinished uploads: a rule of the bucket ends them \
             (AbortIncompleteMultipartUpload); an object called .NAME.forebay-XXXXXX.part is left by a killed write"
        }
        Scheme::Azure => "Azure forgets what was uploaded and not put together after a week, and has no list of it",
        Scheme::Hub | Scheme::Http => "a server of files takes no uploads in parts",
    };
    Err(Error::new(&codes::PARTS, message).file(address.shown()))
}

fn list(address: &Address) -> Result<Vec<Listed>> {
    let store = store(address, &Settings::new())?;
    let prefix = address.key.clone();
    runtime::wait(async move {
        let (mut found, mut from) = (Vec::new(), (String::new(), String::new()));
        loop {
            let mut tries = Tries::new(&store);
            let page = loop {
                match page(&store, &prefix, &from).await {
                    Ok(page) => break page,
                    Err(failure) => tries.again(failure, 0).await?,
                }
            };
            found.extend(page.uploads);
            let next = (page.next_key_marker, page.next_upload_id_marker);
            if !page.is_truncated {
                return Ok(found);
            }
            if next.0.is_empty() || next == from {
                return Err(Error::new(&codes::ANSWER, "the server's list goes on and brings nothing"));
            }
            if found.len() > MOST {
                let message = format!("there are more than {MOST} unfinished uploads; say more of the name");
                return Err(Error::new(&codes::ADDRESS, message));
            }
            from = next;
        }
    })
}

async fn page(store: &Store, prefix: &str, (key, upload): &(String, String)) -> Result<List, Failure> {
    let Some((signer, client)) = &store.lists_uploads else {
        return Err(Failure::last(&codes::PARTS, "such a store is not asked for unfinished uploads"));
    };
    let mut query = vec![("uploads", ""), ("prefix", prefix)];
    if !key.is_empty() {
        query.extend([("key-marker", key.as_str()), ("upload-id-marker", upload.as_str())]);
    }
    let _permit = store.at_once.acquire().await;
    let work = async {
        let options = SignedUrlOptions::new().with_query(query);
        let url = signer.signed_url_opts(reqwest::Method::GET, &Key::default(), HOLDS, &options).await?;
        ask(client, url.as_str()).await.map_err(|e| object_store::Error::Generic { store: "S3", source: e })
    };
    let (body, seen) = watched(work).await;
    let body = body.map_err(|e| failure(&e, &seen, store.scheme, &store.place))?;
    if seen.status.is_none_or(|status| !(200..300).contains(&status)) {
        let e = object_store::Error::Generic { store: "S3", source: "refused".into() };
        return Err(failure(&e, &seen, store.scheme, &store.place));
    }
    let unread = || Failure::last(&codes::ANSWER, "the list of uploads that the server sent cannot be read");
    quick_xml::de::from_reader(body.as_slice()).map_err(|_| unread())
}

/// What is answered, unless it is longer than any list.
async fn ask(client: &HttpClient, url: &str) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    use futures_util::StreamExt;
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    *request.uri_mut() = url.parse()?;
    let mut body = client.execute(request).await?.into_body().bytes_stream();
    let mut bytes = Vec::new();
    while let Some(more) = body.next().await {
        let more = more?;
        if bytes.len() + more.len() > PAGE {
            return Err("the list has no end".into());
        }
        bytes.extend_from_slice(&more);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_with_what_their_names_escape() {
        let text = "<?xml version=\"1.0\"?><ListMultipartUploadsResult xmlns=\"x\"><Bucket>b</Bucket><IsTruncated>true\
                    </IsTruncated><NextKeyMarker>a&amp;b</NextKeyMarker><NextUploadIdMarker>2</NextUploadIdMarker>\
                    <Upload><Key>a&amp;b &lt;</Key><UploadId>1</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated>\
                    </Upload><Prefix></Prefix><Upload><Key>c</Key><UploadId>2</UploadId></Upload>\
                    </ListMultipartUploadsResult>";
        let list: List = quick_xml::de::from_reader(text.as_bytes()).unwrap();
        let names: Vec<_> = list.uploads.iter().map(|one| (one.key.as_str(), one.upload_id.as_str())).collect();
        assert_eq!(names, [("a&b <", "1"), ("c", "2")]);
        assert_eq!((list.is_truncated, list.next_key_marker.as_str()), (true, "a&b"));
        let none: List = quick_xml::de::from_reader(&b"<ListMultipartUploadsResult/>"[..]).unwrap();
        assert!(none.uploads.is_empty() && !none.is_truncated);
        for odd in [&b""[..], b"<html>", b"<a><Upload/></a>", b"\xff"] {
            assert!(quick_xml::de::from_reader::<_, List>(odd).is_err(), "{odd:?}");
        }
    }

    #[test]
    fn other_stores_and_patterns_are_refused_in_words() {
        for (address, word) in [
            ("gs://b/x", "AbortIncompleteMultipartUpload"),
            ("az://b/x", "after a week"),
            ("https://h/x", "server of files"),
            ("s3://b/*.tbl", "pattern"),
        ] {
            let e = unfinished(Path::new(address)).unwrap_err();
            assert!(e.to_string().contains(word), "{e}");
        }
    }
}
