//! The viewer's site, as it was when the command was built.

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/site.rs"));
}

/// The bytes of the site's file of this name; `None` if there is none.
pub(super) fn file(name: &str) -> Option<&'static [u8]> {
    let at = embedded::FILES.binary_search_by_key(&name, |&(name, _)| name).ok()?;
    embedded::FILES.get(at).map(|&(_, bytes)| bytes)
}

/// Whether the site was there when the command was built.
pub(super) fn is_embedded() -> bool {
    !embedded::FILES.is_empty()
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
