//! From a request to what is sent: a function of the request alone, apart from the files' bytes.

use std::{
    io::{Cursor, ErrorKind, Read},
    ops::Range,
    path::Path,
};

use forebay::{Error, codec::checksum::fnv1a};

use super::{
    file::{self, Part},
    files::{ServedFiles, from_url, to_url},
    range::{Asked, asked},
    site::{self, Site},
};
use forebay_native::{
    Input,
    input::{codes::CHANGED, display, io_error},
    remote,
};

/// Only what the viewer is made of runs; it may fetch files that the user names by URL, and nothing may frame it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; connect-src 'self' http: https: blob:; \
     worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const LOCAL_ONLY: &str = "this server answers to localhost only";

/// Parts up to this size are read before they are promised, so that a file that becomes shorter meanwhile is told in
/// words; in longer ones all that can be done is to end the connection. It is the most that the npm package asks for
/// at once.
const HELD: u64 = 8 << 20;

/// What of a request matters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestParts<'a> {
    /// `GET` and `HEAD` are answered.
    pub method: &'a str,
    /// Path and query, as they were sent.
    pub target: &'a str,
    pub host: Option<&'a str>,
    pub range: Option<&'a str>,
    pub if_range: Option<&'a str>,
    pub if_none_match: Option<&'a str>,
    pub cookie: Option<&'a str>,
}

/// What is sent back.
pub(super) struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Box<dyn Read + Send>,
    pub len: u64,
    /// What is wrong with the file that was asked for, for whoever runs the server.
    pub fault: Option<Box<Error>>,
}

impl Answer {
    fn bytes(status: u16, media_type: &str, bytes: impl AsRef<[u8]> + Send + 'static) -> Answer {
        let len = bytes.as_ref().len() as u64;
        Answer { status, headers: Vec::new(), body: Box::new(Cursor::new(bytes)), len, fault: None }
            .with("Content-Type", media_type)
    }
    /// The answer where a file is there and its bytes are not. The visitor knows it by another name.
    fn failed(e: Error) -> Answer {
        let at = e.place().offset.map(|at| format!(" at byte {at}")).unwrap_or_default();
        let answer = Self::text(500, &format!("the file cannot be sent{at}: {}", e.message()));
        Answer { fault: Some(Box::new(e)), ..answer }
    }
    fn text(status: u16, text: &str) -> Answer {
        Self::bytes(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }
}

/// What is served, and to whom.
#[derive(Debug)]
pub(super) struct Responder {
    pub files: ServedFiles,
    pub site: Site,
    /// Who does not bring this is sent away.
    pub token: Option<String>,
    /// Cookies do not tell ports apart; their names must.
    pub port: u16,
    /// The token is the first part of every path, and other pages may have this one in a frame.
    pub framed: bool,
}

impl Responder {
    /// Answers a request.
    pub fn answer(&self, request: &RequestParts<'_>) -> Answer {
        self.guarded(match self.framed {
            true => self.answer_framed(request),
            false => self.admit(request).unwrap_or_else(|| self.route(request)),
        })
    }

    fn answer_framed(&self, request: &RequestParts<'_>) -> Answer {
        let (token, rest) = request.target.trim_start_matches('/').split_once('/').unwrap_or_default();
        let admitted = self.token.as_ref().is_some_and(|wanted| same(token, wanted));
        match request.method {
            "GET" | "HEAD" if !request.host.is_some_and(is_loopback) => Answer::text(403, LOCAL_ONLY),
            "GET" | "HEAD" if !admitted => Answer::text(401, "the address has another token"),
            "GET" | "HEAD" => self.route(&RequestParts { target: &format!("/{rest}"), ..*request }),
            _ => refuse_method(),
        }
    }

    /// The answer to what is not a request.
    pub fn refuse(&self, status: u16, why: &str) -> Answer {
        self.guarded(Answer::text(status, why))
    }

    fn guarded(&self, answer: Answer) -> Answer {
        let answer = answer
            .with("X-Content-Type-Options", "nosniff")
            .with("Referrer-Policy", "no-referrer")
            .with("Cross-Origin-Resource-Policy", "same-origin");
        if self.framed {
            let policy = CONTENT_SECURITY_POLICY
                .replace("frame-ancestors 'none'", "frame-ancestors http: https: vscode-webview:");
            return answer.with("Content-Security-Policy", policy);
        }
        answer
            .with("Content-Security-Policy", CONTENT_SECURITY_POLICY)
            .with("Cross-Origin-Opener-Policy", "same-origin")
            .with("Cross-Origin-Embedder-Policy", "require-corp")
    }

    /// The answer to who may not come in, or must bring the token another way.
    fn admit(&self, request: &RequestParts<'_>) -> Option<Answer> {
        if !matches!(request.method, "GET" | "HEAD") {
            return Some(refuse_method());
        }
        let Some(token) = &self.token else {
            // A web page can make its own name point at this machine; the Host header gives it away.
            let loopback = request.host.is_some_and(is_loopback);
            return (!loopback).then(|| Answer::text(403, LOCAL_ONLY));
        };
        let name = format!("forebay-{}=", self.port);
        let cookie = request.cookie.unwrap_or_default().split(';').find_map(|c| c.trim().strip_prefix(name.as_str()));
        if cookie.is_some_and(|cookie| same(cookie, token)) {
            return None;
        }
        let (path, query) = request.target.split_once('?').unwrap_or((request.target, ""));
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        if given.is_some_and(|given| same(given, token)) {
            let cookie = format!("{name}{token}; Path=/; HttpOnly; SameSite=Strict");
            // The redirect takes the token out of the address bar. It stays on this server: what begins with
            // two slashes would name another.
            let home = format!("/{}", path.trim_start_matches(['/', '\\']));
            return Some(Answer::text(303, "welcome").with("Location", home).with("Set-Cookie", cookie));
        }
        Some(Answer::text(401, "this server asks for a token: open the address that forebay serve printed"))
    }

    fn route(&self, request: &RequestParts<'_>) -> Answer {
        let path = request.target.split(['?', '#']).next().unwrap_or_default();
        let missing = || Answer::text(404, "there is nothing of that name here");
        let Some(name) = path.strip_prefix('/').and_then(from_url) else { return missing() };
        if name == "files.json" {
            return Answer::bytes(200, "application/json", self.list()).with("Cache-Control", "no-store");
        }
        if let Some(file) = name.strip_prefix("data/") {
            return match self.files.path(file) {
                Some(path) if remote::is_remote(path) => elsewhere(&self.files, path, request),
                Some(path) => dataset(path, request),
                None => missing(),
            };
        }
        let name = if name.is_empty() { "index.html" } else { name.as_str() };
        let Some(bytes) = self.site.file(name) else { return missing() };
        // The build names assets by their content, so they never change.
        let fresh = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        // The page asks for the list of files only if it is told that there is one.
        let answer = match name {
            "index.html" => Answer::bytes(200, site::media_type(name), announce(&bytes)),
            _ => Answer::bytes(200, site::media_type(name), bytes),
        };
        answer.with("Cache-Control", fresh)
    }

    /// What there is to open, as JSON.
    fn list(&self) -> String {
        let files = self.files.names().map(|name| {
            let bytes = self.files.len(name);
            serde_json::json!({ "name": name, "url": format!("data/{}", to_url(name)), "bytes": bytes })
        });
        serde_json::json!({ "files": files.collect::<Vec<_>>() }).to_string()
    }
}

fn refuse_method() -> Answer {
    Answer::text(405, "only GET and HEAD are answered").with("Allow", "GET, HEAD")
}

/// The page, with a word in its head that this server offers files.
fn announce(page: &[u8]) -> Vec<u8> {
    let page = String::from_utf8_lossy(page);
    page.replacen("</head>", "<link rel=\"forebay-files\" href=\"files.json\" /></head>", 1).into_bytes()
}

/// A dataset's file, or the part of it that was asked for.
fn dataset(path: &Path, request: &RequestParts<'_>) -> Answer {
    let name = display(path);
    let (file, metadata) = match file::open(path) {
        Ok(opened) => opened,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Answer::text(404, "the file is no longer there");
        }
        Err(e) => return Answer::failed(io_error(&name, "open", e)),
    };
    let len = metadata.len();
    let tag = file::tag(&metadata);
    let (status, part) = match part(request, &tag, len) {
        Ok(part) => part,
        Err(answer) => return *answer,
    };
    let bytes = part.end - part.start;
    let mut sent = match Part::new(file, name.clone(), part.clone()) {
        Ok(sent) => sent,
        Err(e) => return Answer::failed(e),
    };
    let body: Box<dyn Read + Send> = if bytes > HELD {
        Box::new(sent)
    } else {
        let mut held = Vec::new();
        if let Err(e) = sent.read_to_end(&mut held) {
            return Answer::failed(e.downcast::<Error>().unwrap_or_else(|e| io_error(&name, "read", e)));
        }
        // What was written meanwhile would go out under the old tag.
        if !sent.file.metadata().is_ok_and(|now| file::tag(&now) == tag) {
            return Answer::failed(Error::new(&CHANGED, "the file was written while it was read").file(&name));
        }
        Box::new(Cursor::new(held))
    };
    sends(status, body, part, len, tag)
}

/// An object of a store, or the part of it that was asked for.
fn elsewhere(files: &ServedFiles, path: &Path, request: &RequestParts<'_>) -> Answer {
    let failed = |e: Error| {
        files.close(path);
        Answer::failed(e)
    };
    let input = match files.opened(path) {
        Ok(input) => input,
        Err(e) => return failed(e),
    };
    // Where nothing tells its states apart, nothing that a visitor has is taken for the same.
    let tag = input.identity().map(|identity| format!("\"{:016x}\"", fnv1a(identity.bytes())));
    let (tag, len) = (tag.unwrap_or_else(|| "\"\"".into()), input.len());
    let (status, part) = match part(request, &tag, len) {
        Ok(part) => part,
        Err(answer) => return *answer,
    };
    let body: Box<dyn Read + Send> = if part.end - part.start > HELD {
        Box::new(FromAfar { input, at: part.start, end: part.end })
    } else {
        match input.lend(part.clone()) {
            Ok(bytes) => Box::new(Cursor::new(bytes)),
            Err(e) => return failed(e),
        }
    };
    sends(status, body, part, len, tag)
}

/// What a visitor asks for: the status and the bytes, or an answer without any.
fn part(request: &RequestParts<'_>, tag: &str, len: u64) -> Result<(u16, Range<u64>), Box<Answer>> {
    let known = |known: &str| known.split(',').any(|one| matches!(one.trim(), "*") || is_tag(one, tag));
    if request.if_none_match.is_some_and(known) {
        let body = Box::new(std::io::empty());
        let nothing = Answer { status: 304, headers: Vec::new(), body, len: 0, fault: None };
        return Err(Box::new(nothing.with("ETag", tag).with("Cache-Control", "no-cache")));
    }
    let range = if request.if_range.is_some_and(|wanted| wanted != tag) { None } else { request.range };
    match asked(range, len) {
        Asked::All => Ok((200, 0..len)),
        Asked::Part(part) => Ok((206, part)),
        Asked::Nothing => {
            let none = Answer::text(416, "the file has no such bytes");
            Err(Box::new(none.with("Content-Range", format!("bytes */{len}"))))
        }
    }
}

/// An answer with a file's bytes.
fn sends(status: u16, body: Box<dyn Read + Send>, part: Range<u64>, len: u64, tag: String) -> Answer {
    let answer = Answer { status, headers: Vec::new(), body, len: part.end - part.start, fault: None }
        .with("Content-Type", "application/octet-stream")
        .with("Accept-Ranges", "bytes")
        .with("ETag", tag)
        .with("Cache-Control", "no-cache");
    match status {
        206 => answer.with("Content-Range", format!("bytes {}-{}/{len}", part.start, part.end - 1)),
        _ => answer,
    }
}

/// A long part of an object on its way to a visitor.
struct FromAfar {
    input: Input,
    at: u64,
    end: u64,
}

impl Read for FromAfar {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let end = self.end.min(self.at.saturating_add(out.len() as u64));
        let bytes = self.input.lend(self.at..end).map_err(std::io::Error::other)?;
        out[..bytes.len()].copy_from_slice(&bytes);
        self.at = end;
        Ok(bytes.len())
    }
}

/// Whether an entry of `If-None-Match` is this tag; a weak one says the same here.
fn is_tag(one: &str, tag: &str) -> bool {
    one.trim().trim_start_matches("W/") == tag
}

/// Whether a Host header names this machine itself.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || address.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

/// Compares in a time that does not tell how much of it was right.
fn same(given: &str, wanted: &str) -> bool {
    let differs = given.bytes().zip(wanted.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b));
    given.len() == wanted.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn responder(folder: &Path, token: Option<&str>) -> Responder {
        std::fs::write(folder.join("a b.tbl"), b"0123456789").unwrap();
        let (files, site) = (ServedFiles::new(folder).unwrap(), Site::now());
        Responder { files, site, token: token.map(str::to_owned), port: 8750, framed: false }
    }
    fn get<'a>(target: &'a str) -> RequestParts<'a> {
        RequestParts { method: "GET", target, host: Some("127.0.0.1:8750"), ..RequestParts::default() }
    }
    fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
        answer.headers.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }
    fn body(mut answer: Answer) -> String {
        let mut text = String::new();
        answer.body.read_to_string(&mut text).unwrap();
        assert_eq!(text.len() as u64, answer.len);
        text
    }

    #[test]
    fn ranges_of_a_dataset_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let responder = responder(folder.path(), None);
        let whole = responder.answer(&get("/data/a%20b.tbl"));
        assert_eq!((whole.status, whole.len), (200, 10));
        let tag = header(&whole, "ETag").unwrap().to_owned();
        let part = responder.answer(&RequestParts {
            range: Some("bytes=2-5"),
            if_range: Some(&tag),
            ..get("/data/a%20b.tbl")
        });
        assert_eq!((part.status, header(&part, "Content-Range")), (206, Some("bytes 2-5/10")));
        assert_eq!(body(part), "2345");
        let stale = responder.answer(&RequestParts {
            range: Some("bytes=2-5"),
            if_range: Some("\"x\""),
            ..get("/data/a%20b.tbl")
        });
        assert_eq!(stale.status, 200);
        let beyond = responder.answer(&RequestParts { range: Some("bytes=10-"), ..get("/data/a%20b.tbl") });
        assert_eq!((beyond.status, header(&beyond, "Content-Range")), (416, Some("bytes */10")));
        assert_eq!(
            body(responder.answer(&get("/files.json"))),
            r#"{"files":[{"name":"a b.tbl","url":"data/a%20b.tbl","bytes":10}]}"#
        );
    }

    #[test]
    fn a_file_that_is_gone_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let responder = responder(folder.path(), None);
        std::fs::remove_file(folder.path().join("a b.tbl")).unwrap();
        assert_eq!(responder.answer(&get("/data/a%20b.tbl")).status, 404);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_a_files_place_keeps_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let responder = responder(folder.path(), None);
        std::fs::remove_file(folder.path().join("a b.tbl")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.path().join("a b.tbl")).status();
        assert!(made.unwrap().success());
        assert_eq!(responder.answer(&get("/data/a%20b.tbl")).status, 404);
    }

    #[test]
    fn what_was_promised_is_there_however_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let responder = responder(folder.path(), None);
        let part = responder.answer(&RequestParts { range: Some("bytes=2-5"), ..get("/data/a%20b.tbl") });
        std::fs::OpenOptions::new().write(true).open(folder.path().join("a b.tbl")).unwrap().set_len(0).unwrap();
        assert_eq!(body(part), "2345");
    }

    #[test]
    fn no_path_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        let responder = responder(&folder.path().join("in"), None);
        std::fs::write(folder.path().join("secret.tbl"), b"x").unwrap();
        for target in [
            "/data/../secret.tbl",
            "/data/%2e%2e/secret.tbl",
            "/data/..%2fsecret.tbl",
            "/data/in/../../secret.tbl",
            "/data//etc/passwd",
            "/data/%00",
            "/../Cargo.toml",
            "//etc/passwd",
            "/data/",
            "/data",
            "data/a%20b.tbl",
            "http://127.0.0.1/data/a%20b.tbl",
            "/%zz",
            "",
        ] {
            assert_eq!(responder.answer(&get(target)).status, 404, "{target}");
        }
    }

    #[test]
    fn loopback_answers_to_its_own_name_only() {
        let folder = tempfile::tempdir().unwrap();
        let responder = responder(folder.path(), None);
        let as_host = |host| responder.answer(&RequestParts { host, ..get("/files.json") }).status;
        for host in ["localhost", "LOCALHOST:8750", "127.0.0.1:1", "127.9.9.9", "[::1]:8750", "[::1]"] {
            assert_eq!(as_host(Some(host)), 200, "{host}");
        }
        for host in ["evil.example", "evil.example:8750", "localhost.evil.example", "10.0.0.1", ""] {
            assert_eq!(as_host(Some(host)), 403, "{host}");
        }
        assert_eq!(as_host(None), 403);
        let post = responder.answer(&RequestParts { method: "POST", ..get("/files.json") });
        assert_eq!(post.status, 405);
        let policy = header(&post, "Content-Security-Policy").unwrap();
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
    }

    #[test]
    fn a_token_opens_the_door_once_and_a_cookie_keeps_it_open() {
        let folder = tempfile::tempdir().unwrap();
        let responder = responder(folder.path(), Some("s3cret"));
        for target in ["/files.json", "/data/a%20b.tbl", "/", "/?token=s3cre", "/?token=s3cret2", "/?token="] {
            assert_eq!(responder.answer(&get(target)).status, 401, "{target}");
        }
        let welcome = responder.answer(&get("//evil.example/?token=s3cret"));
        assert_eq!((welcome.status, header(&welcome, "Location")), (303, Some("/evil.example/")));
        let cookie = header(&welcome, "Set-Cookie").unwrap().split(';').next().unwrap();
        let with =
            |cookie: &str| responder.answer(&RequestParts { cookie: Some(cookie), ..get("/data/a%20b.tbl") }).status;
        assert_eq!(with(&format!("other=1; {cookie}")), 200);
        assert_eq!(with("forebay-8750=wrong"), 401);
        assert_eq!(with("forebay-1=s3cret"), 401);
    }
}
