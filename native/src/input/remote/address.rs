//! What a name says that is an address: which kind of store, which bucket, which object.

use std::path::{Path, PathBuf};

use forebay::{Error, Result};

use super::codes;

/// What an address is spoken to in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scheme {
    /// S3 and what speaks it.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
    /// Datasets on Hugging Face's Hub.
    Hub,
    /// Any server of files.
    Http,
}

/// An address in its parts.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub scheme: Scheme,
    /// The bucket; of the Hub the dataset and its revision, as in `org/name@v1`; of HTTP the server with its scheme, as in
    /// `https://host:port`.
    pub place: String,
    /// The name in there. Of HTTP it is still percent-encoded.
    pub key: String,
    /// What follows the `?` of an HTTP address. It may be a signature, so nobody is shown it.
    pub query: Option<String>,
}

/// The query may be a secret, and so may what stands before an `@`.
impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

/// The scheme of a name, in front of `://`; one letter is a drive.
fn scheme_of(name: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = name.split_once("://")?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    (scheme.len() > 1 && scheme.bytes().all(plain)).then_some((scheme, rest))
}

/// Whether a path is an address of something elsewhere. A `file://` address does not count: it is [a path](local).
pub fn is_remote(path: &Path) -> bool {
    path.to_str().and_then(scheme_of).is_some_and(|(scheme, _)| !scheme.eq_ignore_ascii_case("file"))
}

/// A name in a folder, whether that is a path or an address: in an address a slash stands between names, whatever this
/// system has.
pub fn beneath(folder: &Path, name: impl AsRef<Path>) -> PathBuf {
    let name = name.as_ref();
    match folder.to_str().filter(|_| is_remote(folder)) {
        Some(address) => {
            let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            PathBuf::from(format!("{}/{}", address.trim_end_matches('/'), parts.join("/")))
        }
        None => folder.join(name),
    }
}

/// A path as it is shown to people: of an address neither its query nor who asks for it.
pub fn shown(path: &Path) -> String {
    let whole = path.display().to_string();
    match is_remote(path) {
        true => Address::parse(&whole).map_or_else(|_| without_secrets(&whole), |address| address.shown()),
        false => whole,
    }
}

/// An address as texts have it that travel: a bare `?` stands for a query, which may be a signature.
pub(crate) fn unsigned(text: &str) -> String {
    let signed = Address::parse(text).ok().filter(|address| address.query.is_some());
    signed.map_or_else(|| text.to_owned(), |address| address.shown() + "?")
}

/// What of an address is not a secret, if it cannot be read as one.
fn without_secrets(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match (text.split_once("://"), text.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://{rest}"),
        _ => text.to_owned(),
    }
}

/// The path of a `file://` address; anything else as it is.
pub fn local(path: &Path) -> Result<PathBuf> {
    let Some((scheme, rest)) = path.to_str().and_then(scheme_of) else { return Ok(path.to_owned()) };
    if !scheme.eq_ignore_ascii_case("file") {
        return Ok(path.to_owned());
    }
    let wrong = |why: &str| Err(Error::new(&codes::ADDRESS, why).file(path.display().to_string()));
    // Behind the host, which is this machine or nothing.
    let Some(name) = rest.strip_prefix("localhost").unwrap_or(rest).strip_prefix('/') else {
        return wrong("a file:// address names a file of this machine, as in file:///data/train.tbl");
    };
    match decoded(name) {
        Some(name) => Ok(PathBuf::from(format!("/{name}"))),
        None => wrong("the percent signs of the address are not followed by two hexadecimal digits, or hide no UTF-8"),
    }
}

/// Text without its percent-encoding; `None` if that is broken.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|b| char::from(b).to_digit(16));
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// A path with its percent-encoding, part by part.
#[cfg(feature = "remote")]
pub(super) fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

impl Address {
    /// Reads an address. A `?` begins a query in HTTP addresses only; elsewhere it belongs to the name.
    pub fn parse(text: &str) -> Result<Address> {
        let wrong = |why: String| Error::new(&codes::ADDRESS, why).file(without_secrets(text));
        let Some((scheme, rest)) = scheme_of(text) else {
            return Err(wrong(
                "this is not an address, which begins with s3://, gs://, az://, hf:// or https://".into(),
            ));
        };
        if text.contains(|c: char| c.is_control()) {
            return Err(wrong("an address has no control characters".into()));
        }
        let lower = scheme.to_ascii_lowercase();
        let kind = match lower.as_str() {
            "s3" | "s3a" => Scheme::S3,
            "gs" | "gcs" => Scheme::Google,
            "az" | "azure" | "abfs" | "abfss" => Scheme::Azure,
            "hf" => return Self::hub(rest).map_err(wrong),
            "http" | "https" => return Self::http(&lower, rest).map_err(wrong),
            other => {
                return Err(wrong(format!(
                    "addresses begin with s3://, gs://, az://, hf://, https://, http:// or file://, and not with {other}://"
                )));
            }
        };
        if let Some((_, query)) = rest.split_once('?')
            && query.to_ascii_lowercase().contains("sig")
            && query.contains('=')
        {
            let why = "a signature belongs to an https:// address; of a store it is a setting, such as AZURE_STORAGE_SAS_TOKEN";
            return Err(wrong(why.into()));
        }
        let (place, key) = rest.split_once('/').unwrap_or((rest, ""));
        // abfss://container@account.dfs.core.windows.net/name: the account is a setting like all others.
        let place = if kind == Scheme::Azure { place.split_once('@').map_or(place, |(name, _)| name) } else { place };
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._$".contains(&b);
        if place.is_empty() || !place.bytes().all(plain) {
            return Err(wrong(format!("{:?} is not the name of a bucket", place.chars().take(80).collect::<String>())));
        }
        let address = Address { scheme: kind, place: place.to_owned(), key: key.to_owned(), query: None };
        match address.key.contains("//") || address.key.starts_with('/') {
            true => Err(wrong("names with an empty part, between two slashes, cannot be asked for".into())),
            false => Ok(address),
        }
    }

    /// The server of the Hub, unless `HF_ENDPOINT` names another.
    pub const HUB: &str = "https://huggingface.co";

    /// What follows `hf://`: `datasets/ORG/NAME@REVISION/PATH`.
    fn hub(rest: &str) -> Result<Address, String> {
        let Some(rest) = rest.strip_prefix("datasets/") else {
            return Err(
                "an address of the Hub begins with hf://datasets/, for models and spaces hold no datasets".into()
            );
        };
        let (org, rest) = rest.split_once('/').unwrap_or((rest, ""));
        // Revisions such as refs/convert/parquet have slashes of their own.
        let (dataset, revision) = rest.split_once('@').filter(|(name, _)| !name.contains('/')).unwrap_or((rest, ""));
        let (name, revision, key) = match (revision.is_empty(), revision.starts_with("refs/")) {
            (true, _) => {
                let (name, key) = dataset.split_once('/').unwrap_or((dataset, ""));
                (name, String::new(), key)
            }
            (false, is_ref) => {
                let end =
                    revision.match_indices('/').nth(if is_ref { 2 } else { 0 }).map_or(revision.len(), |(at, _)| at);
                let (revision, key) = revision.split_at(end);
                (dataset, revision.replace("%2F", "/"), key.strip_prefix('/').unwrap_or(key))
            }
        };
        let plain =
            |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
        if !plain(org) || !plain(name) || !revision.split('/').all(|part| revision.is_empty() || plain(part)) {
            return Err("an address of the Hub is hf://datasets/ORG/NAME/PATH, or with a revision NAME@REVISION".into());
        }
        if key.contains("//") || key.starts_with('/') {
            return Err("names with an empty part, between two slashes, cannot be asked for".into());
        }
        let revision = Some(revision).filter(|revision| !revision.is_empty() && revision != "main");
        let place = format!("{org}/{name}{}", revision.map(|revision| format!("@{revision}")).unwrap_or_default());
        Ok(Address { scheme: Scheme::Hub, place, key: key.to_owned(), query: None })
    }

    /// The Hub's own page of a file or folder: `datasets/ORG/NAME/resolve/REVISION/PATH`, or `blob`, `raw` or `tree`.
    fn page_of_hub(key: &str) -> Option<Address> {
        let parts: Vec<&str> = key.splitn(6, '/').collect();
        let (org, name, revision, path) = match *parts.as_slice() {
            ["datasets", org, name] | ["datasets", org, name, ""] => (org, name, "main", String::new()),
            ["datasets", org, name, "resolve" | "blob" | "raw", revision, path] => {
                (org, name, revision, decoded(path)?)
            }
            ["datasets", org, name, "tree", revision] => (org, name, revision, String::new()),
            ["datasets", org, name, "tree", revision, path] => {
                (org, name, revision, format!("{}/", decoded(path)?.trim_end_matches('/')))
            }
            _ => return None,
        };
        Self::hub(&format!("datasets/{org}/{name}@{revision}/{path}")).ok()
    }

    fn http(scheme: &str, rest: &str) -> Result<Address, String> {
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let of_hub = Self::HUB.strip_prefix("https://").and_then(|host| rest.strip_prefix(host)?.strip_prefix('/'));
        if let Some(address) = of_hub.and_then(Self::page_of_hub) {
            return Ok(address);
        }
        let (place, key) = rest.split_once('/').unwrap_or((rest, ""));
        if place.contains('@') {
            let why =
                "a name and password in an address are seen by everybody who sees the address, so they are not taken";
            return Err(why.into());
        }
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._:[]".contains(&b);
        if place.is_empty() || !place.bytes().all(plain) {
            return Err("the address names no server".into());
        }
        let place = format!("{scheme}://{}", place.to_ascii_lowercase());
        Ok(Address { scheme: Scheme::Http, place, key: key.to_owned(), query: query.map(str::to_owned) })
    }

    /// What people are shown: all but the query.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.root(), self.key)
    }
    /// The address of the bucket or server.
    pub fn root(&self) -> String {
        match self.scheme {
            Scheme::S3 => format!("s3://{}", self.place),
            Scheme::Google => format!("gs://{}", self.place),
            Scheme::Azure => format!("az://{}", self.place),
            Scheme::Hub => format!("hf://datasets/{}", self.place),
            Scheme::Http => self.place.clone(),
        }
    }
    /// The address of another name in the same place.
    #[cfg(feature = "remote")]
    pub fn with_key(&self, key: impl Into<String>) -> Address {
        Address { key: key.into(), query: None, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Scheme, String, String) {
        let address = Address::parse(text).unwrap();
        (address.scheme, address.place, address.key)
    }

    #[test]
    fn addresses_come_apart() {
        assert_eq!(parts("s3://bucket/a/b c%20.tbl"), (Scheme::S3, "bucket".into(), "a/b c%20.tbl".into()));
        assert_eq!(parts("S3A://b.c/x?y#z"), (Scheme::S3, "b.c".into(), "x?y#z".into()));
        assert_eq!(parts("gs://b"), (Scheme::Google, "b".into(), String::new()));
        let azure = "abfss://box@account.dfs.core.windows.net/in/a.tbl";
        assert_eq!(parts(azure), (Scheme::Azure, "box".into(), "in/a.tbl".into()));
        let http = Address::parse("https://Host:81/a%20b?X-Amz-Signature=secret#part").unwrap();
        assert_eq!((http.place.as_str(), http.key.as_str()), ("https://host:81", "a%20b"));
        assert_eq!(http.query.as_deref(), Some("X-Amz-Signature=secret"));
    }

    #[test]
    fn the_hub_has_its_own_addresses_and_pages() {
        let hub = |place: &str, key: &str| (Scheme::Hub, place.to_owned(), key.to_owned());
        for (text, place, key) in [
            ("hf://datasets/org/name/data/a b.parquet", "org/name", "data/a b.parquet"),
            ("hf://datasets/org/name", "org/name", ""),
            ("hf://datasets/org/name@main/", "org/name", ""),
            ("hf://datasets/org/name@v1.0/data/", "org/name@v1.0", "data/"),
            ("hf://datasets/org/name@refs/convert/parquet/all/a", "org/name@refs/convert/parquet", "all/a"),
            ("hf://datasets/org/name@refs%2Fpr%2F3/a@b", "org/name@refs/pr/3", "a@b"),
            ("https://huggingface.co/datasets/org/name", "org/name", ""),
            ("https://huggingface.co/datasets/org/name/blob/main/a%20b.tar", "org/name", "a b.tar"),
            ("https://huggingface.co/datasets/org/name/resolve/v1/x/a.tar?download=true", "org/name@v1", "x/a.tar"),
            ("https://huggingface.co/datasets/org/name/tree/main/data", "org/name", "data/"),
        ] {
            assert_eq!(parts(text), hub(place, key), "{text}");
            let shown = Address::parse(text).unwrap().shown();
            assert_eq!(parts(&shown), hub(place, key), "{shown}");
        }
        assert_eq!(parts("https://huggingface.co/org/model/a.bin").0, Scheme::Http);
        for wrong in ["hf://org/name/a", "hf://datasets/name", "hf://datasets//a/b", "hf://datasets/o/n//a"] {
            assert_eq!(Address::parse(wrong).unwrap_err().code().id(), "remote.address", "{wrong}");
        }
    }

    #[test]
    fn nobody_is_shown_a_secret() {
        for text in [
            "https://h/a.tbl?sig=secret",
            "https://u:secret@h/a.tbl",
            "foo://u:secret@h/a?sig=secret",
            "az://c/x?sv=1&sig=secret",
            "s3://b/x?X-Amz-Signature=secret",
        ] {
            let message = match Address::parse(text) {
                Ok(address) => format!("{address:?} {}", address.shown()),
                Err(e) => format!("{e} {e:?}"),
            };
            assert!(!message.contains("secret"), "{message}");
            assert!(!shown(Path::new(text)).contains("secret"), "{text}");
        }
    }

    #[test]
    fn what_is_not_an_address_says_why() {
        for text in [
            "a.tbl",
            "s3://",
            "s3:///a",
            "s3://b//a",
            "s3://b/a//c",
            "ftp://h/a",
            "https:///a",
            "s3://b/a\nb",
            "gs://a b/c",
        ] {
            let e = Address::parse(text).unwrap_err();
            assert_eq!(e.code().id(), "remote.address", "{text}: {e}");
        }
    }

    #[test]
    fn names_lie_beneath_folders_of_either_kind() {
        let at = |folder: &str| beneath(folder.as_ref(), "a/b.tbl").display().to_string();
        assert_eq!(at("s3://bucket/x/"), "s3://bucket/x/a/b.tbl");
        assert_eq!(at("s3://bucket"), "s3://bucket/a/b.tbl");
        assert_eq!(Path::new(&at("x")), Path::new("x").join("a/b.tbl"));
    }

    #[test]
    fn addresses_are_told_from_paths() {
        for remote in ["s3://b/a", "https://h/a", "what://x"] {
            assert!(is_remote(Path::new(remote)), "{remote}");
        }
        for path in ["a.tbl", "/a/b", "c://x", "file:///a", "://x", "-", "a b://c"] {
            assert!(!is_remote(Path::new(path)), "{path}");
        }
        assert_eq!(local(Path::new("file:///data/a%20b.tbl")).unwrap(), Path::new("/data/a b.tbl"));
        assert_eq!(local(Path::new("file://localhost/a")).unwrap(), Path::new("/a"));
        assert_eq!(local(Path::new("a%20b")).unwrap(), Path::new("a%20b"));
        for wrong in ["file://host/a", "file://a", "file:///a%2", "file:///%ff"] {
            assert!(local(Path::new(wrong)).is_err(), "{wrong}");
        }
    }
}
