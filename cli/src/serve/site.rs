//! The viewer's site: as it was when the command was built, or as a host gives it.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use bytes::Bytes;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/site.rs"));
}

/// The site of a host that has it apart, by the names of its files.
static GIVEN: RwLock<Option<Arc<BTreeMap<String, Bytes>>>> = RwLock::new(None);

/// Gives the files of the viewer's site, by their names, to servers that begin from now on.
pub fn give_site(files: BTreeMap<String, Bytes>) {
    *GIVEN.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(files));
}

/// The site that a server has.
#[derive(Clone, Debug)]
pub(super) struct Site(Option<Arc<BTreeMap<String, Bytes>>>);

impl Site {
    pub fn now() -> Site {
        Site(GIVEN.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
    /// The bytes of the file of this name; `None` if there is none.
    pub fn file(&self, name: &str) -> Option<Bytes> {
        if let Some(given) = &self.0 {
            return given.get(name).cloned();
        }
        let at = embedded::FILES.binary_search_by_key(&name, |&(name, _)| name).ok()?;
        embedded::FILES.get(at).map(|&(_, bytes)| Bytes::from_static(bytes))
    }
    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        self.0.is_some() || !embedded::FILES.is_empty()
    }
}

/// The media type of a file of the site, or of a dataset.
pub(super) fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" | "webmanifest" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
