//! What is sent.

use std::{
    fmt::Write as _,
    fs::{File, Metadata},
    io::{Read, Seek, SeekFrom, Write},
    net::TcpStream,
    path::{Component, Path, PathBuf},
    sync::{PoisonError, atomic::Ordering::Relaxed},
    time::{Duration, UNIX_EPOCH},
};

use super::{
    Store,
    link::{Fault, Link, Set},
    request::{Range, Request},
    write,
};

/// Bytes that are sent at once: 0.5 ms of a link of 1 Gb/s.
pub(super) const PIECE: usize = 64 << 10;

/// Sends an answer; false if the connection ends with it.
pub(super) fn answer(
    stream: &TcpStream,
    store: &Store,
    request: &Request,
    content: &mut dyn Read,
) -> std::io::Result<bool> {
    let link = &store.link;
    match request.path.as_str() {
        "/_set" => {
            link.set(set(request));
            return send(stream, request, 200, &[], b"").map(|()| true);
        }
        "/_counts" => return send(stream, request, 200, &[], counts(link).as_bytes()).map(|()| true),
        _ => {}
    }
    let fault = link.begin();
    let done = object(stream, store, request, (fault, content));
    link.end();
    done
}

/// `/_set?latency_ms=50&bits=1000000000&fail=20&reset=100`; what is not named is nothing.
fn set(request: &Request) -> Set {
    let number = |name: &str| request.asks(name).and_then(|text| text.parse::<f64>().ok()).filter(|n| *n > 0.0);
    Set {
        latency: Duration::from_secs_f64(number("latency_ms").unwrap_or(0.0) / 1000.0),
        bits: number("bits"),
        fail: number("fail").map(|n| n as u64),
        reset: number("reset").map(|n| n as u64),
    }
}

fn counts(link: &Link) -> String {
    let counts = &link.counts;
    let of = [&counts.requests, &counts.bytes, &counts.received, &counts.failed, &counts.reset, &counts.most];
    let [requests, bytes, received, failed, reset, most] = of.map(|n| n.load(Relaxed));
    format!(
        r#"{{"requests":{requests},"bytes":{bytes},"received":{received},"failed":{failed},"reset":{reset},"most_at_once":{most}}}"#
    )
}

fn object(
    stream: &TcpStream,
    store: &Store,
    request: &Request,
    (fault, content): (Option<Fault>, &mut dyn Read),
) -> std::io::Result<bool> {
    let link = &store.link;
    let tell = |answer: write::Answer| {
        send(stream, request, answer.status, &answer.headers, answer.body.as_bytes()).map(|()| true)
    };
    let refuse = |status: u16, code: &str| tell(write::refusal(status, code));
    if fault == Some(Fault::SlowDown) {
        link.counts.failed.fetch_add(1, Relaxed);
        return refuse(503, "SlowDown");
    }
    let breaks = fault == Some(Fault::Reset);
    link.counts.reset.fetch_add(u64::from(breaks), Relaxed);
    let Some(path) = below(&store.folder, &request.path) else { return refuse(404, "NoSuchKey") };
    if !bucket(&store.folder, &path).is_dir() {
        return refuse(404, "NoSuchBucket");
    }
    let is_read = ["GET", "HEAD"].contains(&request.method.as_str());
    if breaks && !is_read {
        return Ok(false);
    }
    if let Some(answer) = write::answer(store, request, &path, content)? {
        return tell(answer);
    }
    if !is_read {
        return refuse(405, "MethodNotAllowed");
    }
    if request.asks("list-type").is_some() {
        return send(stream, request, 200, &[], list(&path, request).as_bytes()).map(|()| true);
    }
    let file = File::open(&path).ok().and_then(|file| Some((tagged(&file.metadata().ok()?)?, file)));
    let Some(((len, tag), mut file)) = file else { return refuse(404, "NoSuchKey") };
    if request.if_match.as_ref().is_some_and(|wanted| *wanted != tag) {
        return refuse(412, "PreconditionFailed");
    }
    let marks = store.writes.lock().unwrap_or_else(PoisonError::into_inner).marks(&path);
    let mut headers = vec![
        ("accept-ranges", "bytes".to_owned()),
        ("etag", tag),
        ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT".to_owned()),
    ];
    headers.extend(marks.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let (status, start, end) = match request.range {
        None => (200, 0, len),
        Some(Range::Between(start, end)) => (206, start, end.min(len)),
        Some(Range::From(start)) => (206, start, len),
        Some(Range::Last(n)) => (206, len.saturating_sub(n), len),
    };
    if status == 206 {
        if start >= end {
            return refuse(416, "InvalidRange");
        }
        headers.push(("content-range", format!("bytes {start}-{}/{len}", end - 1)));
    }
    headers.push(("content-length", (end - start).to_string()));
    send(stream, request, status, &headers, b"")?;
    if request.method == "HEAD" {
        return Ok(true);
    }
    let sent = if breaks { (end - start) / 2 } else { end - start };
    file.seek(SeekFrom::Start(start))?;
    body(stream, &mut file, link, sent)?;
    Ok(!breaks)
}

fn body(mut stream: &TcpStream, file: &mut File, link: &Link, len: u64) -> std::io::Result<()> {
    let (mut piece, mut rest) = (vec![0; PIECE], len);
    while rest > 0 {
        let now = rest.min(PIECE as u64) as usize;
        file.read_exact(&mut piece[..now])?;
        link.carry(now as u64);
        stream.write_all(&piece[..now])?;
        rest -= now as u64;
    }
    Ok(())
}

/// The file of an address, which is in one of the folder's buckets.
pub(super) fn below(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = Path::new(path.trim_matches('/'));
    let is_plain = !path.as_os_str().is_empty() && !path.to_str()?.starts_with('.');
    (is_plain && path.components().all(|part| matches!(part, Component::Normal(_)))).then(|| folder.join(path))
}

/// The bucket that a file lies in.
fn bucket(folder: &Path, path: &Path) -> PathBuf {
    let name = path.strip_prefix(folder).ok().and_then(|path| path.components().next());
    name.map_or_else(|| path.to_owned(), |name| folder.join(name))
}

/// The length of a file, and a tag that it has as long as it stays.
fn tagged(metadata: &Metadata) -> Option<(u64, String)> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
    metadata.is_file().then(|| (metadata.len(), format!("\"{:x}-{modified:x}\"", metadata.len())))
}

/// The same of a path.
pub(super) fn state(path: &Path) -> Option<(u64, String)> {
    tagged(&path.metadata().ok()?)
}

/// Text as XML has it.
pub(super) fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => all.push_str("&amp;"),
            '<' => all.push_str("&lt;"),
            '>' => all.push_str("&gt;"),
            '"' => all.push_str("&quot;"),
            _ => all.push(c),
        }
    }
    all
}

fn send(
    mut stream: &TcpStream,
    request: &Request,
    status: u16,
    headers: &[(&str, String)],
    body: &[u8],
) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} X\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if !headers.iter().any(|(name, _)| *name == "content-length") {
        let _ = write!(head, "content-length: {}\r\n", body.len());
    }
    head.push_str("\r\n");
    let mut all = head.into_bytes();
    if request.method != "HEAD" {
        all.extend_from_slice(body);
    }
    stream.write_all(&all)
}

/// The list of a bucket, on one page.
fn list(bucket: &Path, request: &Request) -> String {
    let (prefix, delimiter) = (request.asks("prefix").unwrap_or(""), request.asks("delimiter").unwrap_or(""));
    let mut found = Vec::new();
    walk(bucket, "", &mut found);
    found.sort();
    let mut text = "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>".to_owned();
    for (name, len) in found {
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        if delimiter.is_empty() || !rest.contains(delimiter) {
            let _ = write!(
                text,
                "<Contents><Key>{}</Key><Size>{len}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>",
                escaped(&name)
            );
        }
    }
    text + "</ListBucketResult>"
}

/// All files below a folder, with their lengths.
fn walk(folder: &Path, prefix: &str, found: &mut Vec<(String, u64)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(metadata), Ok(name)) = (entry.metadata(), entry.file_name().into_string()) else { continue };
        match metadata.is_dir() {
            true => walk(&entry.path(), &format!("{prefix}{name}/"), found),
            false => found.push((format!("{prefix}{name}"), metadata.len())),
        }
    }
}
