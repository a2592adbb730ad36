//! Names of pictures from the URLs of tasks.

use crate::{codes, error::Error};

/// The name of a picture by the URL that a task gives, relative to the folder of the pictures: an upload without its
/// folder and its prefix, a local file as `?d=` says, an object's key without the bucket. Escapes are decoded once; a
/// query or fragment is not a part of the name. It is not checked yet.
///
/// ```
/// use forebay_annotations::labelstudio::name_from_url;
/// for (url, name) in [
///     ("/data/upload/1/00c0ffee-name%20with%20space.jpg", "name with space.jpg"),
///     ("/data/local-files/?d=sub/dir/deep.jpg", "sub/dir/deep.jpg"),
///     ("s3://bucket/a/same.png", "a/same.png"),
///     ("https://example.org/x/a.jpg?Expires=60#t", "x/a.jpg"),
///     ("a/b.jpg", "a/b.jpg"),
/// ] {
///     assert_eq!(name_from_url(url)?, name);
/// }
/// assert!(name_from_url("data:image/png;base64,iVBORw0KGgo=").is_err());
/// assert!(name_from_url("/data/upload/1/00c0ffee-%252e%252e%252fa.jpg").is_err());
/// # Ok::<(), forebay_base::Error>(())
/// ```
pub fn name_from_url(url: &str) -> Result<String, Error> {
    if url.starts_with("data:") {
        return Err(Error::new(&codes::UNSUPPORTED, "the image is inside the task, as a data: URL"));
    }
    if let Some((_, path)) = url.split_once("://") {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let key = path.split_once('/').map(|(_, key)| key).unwrap_or_default();
        return decoded(key);
    }
    if let Some((_, query)) = url.split_once('?').filter(|(before, _)| before.ends_with("/local-files/")) {
        let path = query.split('&').find_map(|pair| pair.strip_prefix("d="));
        let path = path.ok_or_else(|| Error::new(&codes::NAME, "the URL of a local file does not say ?d=PATH"))?;
        return decoded(path);
    }
    let uploaded = url.strip_prefix('/').unwrap_or(url).strip_prefix("data/").unwrap_or(url).strip_prefix("upload/");
    let Some(uploaded) = uploaded else { return Ok(url.to_owned()) };
    let path = uploaded.split(['?', '#']).next().unwrap_or_default();
    let name = decoded(path.rsplit('/').next().unwrap_or_default())?;
    // What is uploaded gets eight hexadecimal digits in front: one such prefix is taken away.
    let prefix = name.split_once('-').filter(|(prefix, _)| prefix.len() == 8 && is_hex(prefix));
    Ok(prefix.map_or(name.as_str(), |(_, rest)| rest).to_owned())
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Percent escapes decoded, once: a name that then has some was encoded twice.
fn decoded(text: &str) -> Result<String, Error> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let escape = behind.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.filter(|digits| is_hex(digits)).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    let name = String::from_utf8(bytes);
    let name = name.map_err(|_| Error::new(&codes::ENCODING, "the escapes of a URL are not UTF-8"))?;
    let is_escape =
        |at: usize| name.as_bytes().get(at + 1..at + 3).is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit));
    if name.len() < text.len() && name.match_indices('%').any(|(at, _)| is_escape(at)) {
        return Err(Error::new(&codes::NAME, "the URL was encoded twice, so nobody knows what it names"));
    }
    Ok(name)
}

/// What names a picture in a task: the URL of a local file, or the name itself if it has escapes of its own, which a URL
/// would have twice.
pub(super) fn url_of(name: &str) -> Result<String, Error> {
    let found = [local_file(name), name.to_owned()].into_iter().find(|url| name_from_url(url).is_ok_and(|n| n == name));
    found
        .ok_or_else(|| Error::new(&codes::NAME, format!("no task can name the image {name:?}: it has escapes of URLs")))
}

fn local_file(name: &str) -> String {
    let mut url = String::from("/data/local-files/?d=");
    for byte in name.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => url.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => url.push(byte.into()),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_picture_is_read_as_its_name_or_refused() {
        for name in ["a b.jpg", "upload/1/a%20b.jpg?", "a%20b.jpg", "%2e.png", "50%.jpg", "a/%/b.jpg"] {
            match url_of(name) {
                Ok(url) => assert_eq!(name_from_url(&url).unwrap(), name),
                Err(e) => assert_eq!((e.code().id(), name), ("label.name", "upload/1/a%20b.jpg?")),
            }
        }
        assert_eq!(url_of("a b.jpg").unwrap(), "/data/local-files/?d=a%20b.jpg");
        assert_eq!(url_of("a%20b.jpg").unwrap(), "a%20b.jpg");
    }
}
