//! A server that speaks enough of S3, and of HTTP, to be read from; and that misbehaves when it is told to.
//!
//! Objects are served under `/bucket/name`: GET with a range, HEAD, and the list of a bucket; and they are written, at once
//! or in parts, under conditions. It counts what it is asked.
#![allow(dead_code, reason = "each test file uses its own part")]

#[path = "server_writes.rs"]
mod writes;

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// How an answer goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// This status, with an error of this code.
    Status(u16, &'static str),
    /// As [`Status`](Self::Status), with further headers.
    Redirect(u16, Vec<(&'static str, String)>),
    /// The connection ends after that many bytes of the body.
    Reset(usize),
    /// The connection ends before anything is said.
    Silence,
    /// The body has that many bytes fewer than the range, and its length says so.
    Short(usize),
    /// The body has that many bytes more than the range, and its length says so.
    Long(usize),
    /// Bytes from elsewhere, said to be from there.
    WrongRange,
    /// The whole object, as if no range had been asked for.
    Whole,
    /// The right bytes in chunks, without a word on how long they are.
    Chunked,
    /// Nothing is said for so long.
    Late(Duration),
    /// The body comes byte by byte, with a pause of so long before each.
    Drip(Duration),
    /// What was asked for is done, and the connection ends before anything is said of it.
    Lost,
    /// A list that is not XML.
    NoXml,
    /// A list whose every page says that there is another.
    Endless,
}

/// What was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    pub range: Option<(u64, u64)>,
    pub headers: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<String, (Vec<u8>, String)>,
    asked: Vec<Asked>,
    /// Faults by a part of the path, each once, in order.
    faults: Vec<(String, Fault)>,
    /// One request of that many goes wrong in this way.
    now_and_then: Vec<(usize, Fault)>,
    /// All requests behind so many.
    after: Option<(usize, Fault)>,
    latency: Duration,
    /// Bytes a second, over all connections.
    tags: usize,
    no_tags: bool,
    /// Requests without a signature are turned away.
    signed_only: bool,
    /// The only key that is not said to have expired.
    only_key: Option<String>,
    page: usize,
    /// Paths that begin so are led to another server.
    leads: Option<(String, String)>,
    /// What of an object follows elsewhere, by its path: a header `Link`.
    links: BTreeMap<String, String>,
    /// Requests without this token are turned away.
    token: Option<String>,
    writes: writes::Writes,
}

/// A server on loopback that ends with this.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    ended: Arc<AtomicBool>,
    /// Requests that are being answered, and the most that were at once.
    at_once: Arc<(AtomicUsize, AtomicUsize)>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            address: listener.local_addr().unwrap(),
            state: Arc::new(Mutex::new(State { page: 1000, ..State::default() })),
            ended: Arc::default(),
            at_once: Arc::default(),
        };
        let (state, ended, at_once) = (server.state.clone(), server.ended.clone(), server.at_once.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let (state, at_once) = (state.clone(), at_once.clone());
                thread::spawn(move || drop(talk(stream.unwrap(), &state, &at_once)));
            }
        });
        server
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
    /// Where it is, as the endpoint of a store.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
    /// The port alone.
    pub fn port(&self) -> u16 {
        self.address.port()
    }
    /// Puts an object there, or another in its place.
    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        let mut state = self.state();
        state.tags += 1;
        let tag = if state.no_tags { String::new() } else { format!("\"tag-{}\"", state.tags) };
        state.objects.insert(path.into(), (bytes.into(), tag));
    }
    /// As [`put`](Self::put), with a tag of one's own.
    pub fn put_tagged(&self, path: &str, bytes: impl Into<Vec<u8>>, tag: &str) {
        self.state().objects.insert(path.into(), (bytes.into(), tag.into()));
    }
    /// What is under a path.
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.state().objects.get(path).map(|(bytes, _)| bytes.clone())
    }
    /// Takes an object away.
    pub fn remove(&self, path: &str) {
        self.state().objects.remove(path);
    }
    /// The paths of all objects.
    pub fn paths(&self) -> Vec<String> {
        self.state().objects.keys().cloned().collect()
    }
    /// How many uploads have begun and not ended.
    pub fn uploads(&self) -> usize {
        self.state().writes.uploads()
    }
    /// When uploads are said to have begun from now on.
    pub fn uploads_begin(&self, when: &str) {
        self.state().writes.when = Some(when.into());
    }
    /// Conditions are answered with 501, or not looked at.
    pub fn without_conditions(&self, said: bool) {
        self.state().writes.without_conditions(said);
    }
    /// The next answer goes wrong to a request of which `METHOD /path?query` has this in it.
    pub fn fail(&self, path: &str, fault: Fault) {
        self.state().faults.push((path.into(), fault));
    }
    /// All answers but the next `n` go wrong.
    pub fn fail_after(&self, n: usize, fault: Fault) {
        let mut state = self.state();
        state.after = Some((state.asked.len() + n, fault));
    }
    /// From now on nothing goes wrong.
    pub fn forgive(&self) {
        let mut state = self.state();
        state.after = None;
        state.faults.clear();
        state.now_and_then.clear();
    }
    /// Whether something was asked of which `METHOD /path?query` has this in it.
    pub fn has_asked(&self, part: &str) -> bool {
        self.state().asked.iter().any(|one| format!("{} {}?{}", one.method, one.path, one.query).contains(part))
    }
    /// Every `n`th answer goes wrong.
    pub fn fail_every(&self, n: usize, fault: Fault) {
        self.state().now_and_then.push((n, fault));
    }
    pub fn latency(&self, latency: Duration) {
        self.state().latency = latency;
    }
    pub fn without_tags(&self) {
        self.state().no_tags = true;
    }
    pub fn signed_only(&self) {
        self.state().signed_only = true;
    }
    /// From now on all keys but this one have expired.
    pub fn only_key(&self, key: &str) {
        self.state().only_key = Some(key.into());
    }
    /// How many names a page of a list has.
    pub fn page(&self, names: usize) {
        self.state().page = names;
    }
    /// Leads all who ask for what begins so to another server, with a signature.
    pub fn lead(&self, prefix: &str, to: &Server) {
        self.state().leads = Some((prefix.into(), to.url()));
    }
    /// Says with an object where the next page of it is.
    pub fn link(&self, path: &str, next: &str) {
        self.state().links.insert(path.into(), format!("<{next}>; rel=\"next\""));
    }
    /// Turns away who does not have this token.
    pub fn token(&self, token: &str) {
        self.state().token = Some(format!("Bearer {token}"));
    }
    /// All that was asked since the last time.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.state().asked)
    }
    /// The most requests that were being answered at once.
    pub fn most_at_once(&self) -> usize {
        self.at_once.1.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
    }
}

/// Answers one connection's requests until it ends.
fn talk(stream: TcpStream, state: &Mutex<State>, at_once: &(AtomicUsize, AtomicUsize)) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim().split_once(':') else { break };
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let body = headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
        let mut content = Vec::new();
        if reader.by_ref().take(body).read_to_end(&mut content)? as u64 != body {
            // What was not sent to its end never came.
            return Ok(());
        }
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let range = headers.get("range").and_then(|range| {
            let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
            Some((start.parse().ok()?, end.parse::<u64>().ok()? + 1))
        });
        let asked = Asked { method, path: decoded(path), query: decoded(query), range, headers };
        at_once.1.fetch_max(at_once.0.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        let goes_on = answer(&stream, state, asked, content);
        at_once.0.fetch_sub(1, Ordering::Relaxed);
        if !goes_on? {
            return stream.shutdown(Shutdown::Both);
        }
    }
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let hex: String = rest.by_ref().take(2).map(char::from).collect();
                bytes.push(u8::from_str_radix(&hex, 16).unwrap());
            }
            b'+' => bytes.push(b' '),
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Sends an answer; false if the connection ends with it.
fn answer(stream: &TcpStream, state: &Mutex<State>, asked: Asked, content: Vec<u8>) -> std::io::Result<bool> {
    let (fault, latency, object, listing, signed_only, only_key, marks, hub) = {
        let mut state = state.lock().unwrap();
        state.asked.push(asked.clone());
        let number = state.asked.len();
        let line = format!("{} {}?{}", asked.method, asked.path, asked.query);
        let at = state.faults.iter().position(|(part, _)| line.contains(part.as_str()));
        let fault = at.map(|at| state.faults.remove(at).1);
        let regular =
            || state.now_and_then.iter().find(|(n, _)| number.is_multiple_of(*n)).map(|(_, fault)| fault.clone());
        let late = || state.after.as_ref().filter(|(n, _)| number > *n).map(|(_, fault)| fault.clone());
        let fault = fault.or_else(regular).or_else(late);
        let object = state.objects.get(asked.path.trim_start_matches('/')).cloned();
        let listing =
            (asked.query.contains("list-type=2")).then(|| list(&state, &asked, fault == Some(Fault::Endless)));
        let marks = state.writes.marks(&asked.path);
        let path = asked.path.trim_start_matches('/');
        let stranger = state.token.as_ref().is_some_and(|token| asked.headers.get("authorization") != Some(token));
        let led = state.leads.as_ref().filter(|(prefix, _)| path.starts_with(prefix.as_str()));
        let led = led.map(|(_, to)| format!("{to}/{}?X-Amz-Signature=hidden-secret", path.replace(' ', "%20")));
        let hub = (stranger, led, state.links.get(path).cloned());
        (fault, state.latency, object, listing, state.signed_only, state.only_key.clone(), marks, hub)
    };
    thread::sleep(latency);
    let mut stream = stream;
    let mut send = |status: u16, headers: &[(&str, String)], body: &[u8]| -> std::io::Result<()> {
        let mut head = format!("HTTP/1.1 {status} X\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !headers.iter().any(|(name, _)| ["content-length", "transfer-encoding"].contains(name)) {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        if asked.method != "HEAD" { stream.write_all(body) } else { Ok(()) }
    };
    let error =
        |code: &str| format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>It is so.</Message></Error>");
    match &fault {
        Some(Fault::Status(status, code)) => return send(*status, &[], error(code).as_bytes()).map(|()| true),
        Some(Fault::Redirect(status, headers)) => {
            return send(*status, headers, error("PermanentRedirect").as_bytes()).map(|()| true);
        }
        Some(Fault::Silence) => return Ok(false),
        Some(Fault::Late(time)) => thread::sleep(*time),
        Some(Fault::NoXml) => return send(200, &[], b"<html>").map(|()| true),
        _ => {}
    }
    match &hub {
        (true, ..) => return send(401, &[], b"{\"error\":\"Access to this dataset is restricted\"}").map(|()| true),
        (_, Some(to), _) => return send(302, &[("location", to.clone())], b"").map(|()| true),
        _ => {}
    }
    if signed_only && !asked.headers.contains_key("authorization") {
        return send(403, &[], error("AccessDenied").as_bytes()).map(|()| true);
    }
    let signed_by = |key: &str| {
        asked.headers.get("authorization").is_some_and(|words| words.contains(&format!("Credential={key}/")))
    };
    if only_key.is_some_and(|key| !signed_by(&key)) {
        return send(400, &[], error("ExpiredToken").as_bytes()).map(|()| true);
    }
    let written = writes::answer(&mut state.lock().unwrap(), &asked, content);
    if fault == Some(Fault::Lost) {
        return Ok(false);
    }
    if let Some((status, headers, body)) = written {
        return send(status, &headers, body.as_bytes()).map(|()| true);
    }
    if let Some(listing) = listing {
        return send(200, &[], listing.as_bytes()).map(|()| true);
    }
    let Some((bytes, tag)) = object else {
        return send(404, &[], error("NoSuchKey").as_bytes()).map(|()| true);
    };
    if asked.headers.get("if-match").is_some_and(|wanted| *wanted != tag) {
        return send(412, &[], error("PreconditionFailed").as_bytes()).map(|()| true);
    }
    let len = bytes.len() as u64;
    let mut headers = vec![("accept-ranges", "bytes".to_owned())];
    headers.extend(hub.2.map(|link| ("link", link)));
    headers.extend(marks.iter().map(|(name, value)| (name.as_str(), value.clone())));
    if !tag.is_empty() {
        headers.push(("etag", tag));
        headers.push(("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT".to_owned()));
    }
    let range = asked.range.filter(|_| fault != Some(Fault::Whole));
    let Some((start, end)) = range else {
        headers.push(("content-length", len.to_string()));
        return send(200, &headers, &bytes).map(|()| true);
    };
    if start >= len {
        return send(416, &[("content-range", format!("bytes */{len}"))], b"").map(|()| true);
    }
    let end = end.min(len);
    let (start, end) = if fault == Some(Fault::WrongRange) { (start + 1, end) } else { (start, end) };
    headers.push(("content-range", format!("bytes {start}-{}/{len}", end - 1)));
    let mut body = bytes[start as usize..end as usize].to_vec();
    match fault {
        Some(Fault::Short(n)) => body.truncate(body.len().saturating_sub(n)),
        Some(Fault::Long(n)) => body.extend(vec![0; n]),
        Some(Fault::Chunked) => {
            headers.push(("transfer-encoding", "chunked".into()));
            body = [format!("{:x}\r\n", body.len()).as_bytes(), &body, b"\r\n0\r\n\r\n"].concat();
        }
        Some(Fault::Drip(pause)) => {
            headers.push(("content-length", body.len().to_string()));
            send(206, &headers, &[])?;
            for byte in body {
                thread::sleep(pause);
                (&mut &*stream).write_all(&[byte])?;
            }
            return Ok(true);
        }
        Some(Fault::Reset(n)) => {
            headers.push(("content-length", body.len().to_string()));
            body.truncate(n);
            send(206, &headers, &body)?;
            return Ok(false);
        }
        _ => {}
    }
    send(206, &headers, &body).map(|()| true)
}

/// A page of the list of a bucket.
fn list(state: &State, asked: &Asked, endless: bool) -> String {
    let bucket = asked.path.trim_matches('/');
    let of = |name: &str| {
        let found = asked.query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_default().to_owned()
    };
    let (prefix, delimiter, token) = (of("prefix"), of("delimiter"), of("continuation-token"));
    let names = state.objects.iter().filter_map(|(path, (bytes, tag))| {
        let name = path.strip_prefix(bucket)?.strip_prefix('/')?;
        let below = name.strip_prefix(prefix.as_str())?;
        (delimiter.is_empty() || !below.contains(&delimiter)).then_some((name, bytes.len(), tag))
    });
    let names: Vec<_> = names.filter(|(name, ..)| token.is_empty() || *name > token.as_str()).collect();
    let page = &names[..names.len().min(state.page)];
    let more = names.len() > page.len() || endless;
    let mut text =
        format!("<?xml version=\"1.0\"?><ListBucketResult><Name>{bucket}</Name><IsTruncated>{more}</IsTruncated>");
    for (name, len, tag) in page {
        let tag = tag.replace('"', "&quot;");
        text.push_str(&format!(
            "<Contents><Key>{name}</Key><Size>{len}</Size><ETag>{tag}</ETag>\
             <LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
        ));
    }
    if more {
        let last = page.last().map_or(token.as_str(), |(name, ..)| name);
        text.push_str(&format!("<NextContinuationToken>{last}</NextContinuationToken>"));
    }
    text + "</ListBucketResult>"
}
