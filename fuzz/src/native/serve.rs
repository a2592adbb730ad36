//! Any bytes as requests to `forebay serve`: the same answers however they arrive, each of them whole, and nothing of the
//! served file for those who do not bring the token.

use std::sync::OnceLock;

use forebay_cli::serve::Counter;

const TOKEN: &str = "a-token-of-mine";
/// What stands in the served file, and nowhere else.
const SECRET: &[u8] = b"the bytes of a dataset";

fn counter() -> &'static (tempfile::TempDir, Counter) {
    static COUNTER: OnceLock<(tempfile::TempDir, Counter)> = OnceLock::new();
    COUNTER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("in")).expect("a folder");
        std::fs::write(folder.path().join("a.tbl"), SECRET).expect("a file");
        std::fs::write(folder.path().join("in/b é.csv"), SECRET.repeat(40)).expect("a file");
        std::fs::write(folder.path().join("notes.txt"), b"not on the list").expect("a file");
        let counter = Counter::new(folder.path(), TOKEN).expect("a folder with datasets");
        (folder, counter)
    })
}

/// The answers without the time of day.
fn answers(data: &[u8], piece: usize) -> Vec<u8> {
    let mut sent = counter().1.answers(data.chunks(piece)).expect("the file is there");
    let mut at = 0;
    while let Some(found) = find(&sent[at..], b"\r\nDate: ") {
        let from = at + found;
        let to = from + 2 + find(&sent[from + 2..], b"\r\n").expect("the end of a line");
        sent.drain(from..to);
        at = from;
    }
    sent
}

fn find(all: &[u8], part: &[u8]) -> Option<usize> {
    all.windows(part.len()).position(|window| window == part)
}

pub(crate) fn body(data: &[u8]) {
    // Longer ones are refused once they do not fit, and the place of that depends on how they come.
    let data = data.get(..8192).unwrap_or(data);
    let sent = answers(data, data.len().max(1));
    assert_eq!(answers(data, 1 + data.len() / 3), sent);
    if data.len() < 512 {
        assert_eq!(answers(data, 1), sent);
    }
    if find(data, TOKEN.as_bytes()).is_none() {
        assert_eq!(find(&sent, SECRET), None, "{}", String::from_utf8_lossy(&sent));
    }
    assert_eq!(find(&sent, b"not on the list"), None);
    let mut rest = &sent[..];
    while !rest.is_empty() {
        rest = one(rest, data);
    }
}

/// Takes one answer off: its head is nothing but headers of ours, and its body as long as that says.
fn one<'a>(rest: &'a [u8], asked: &[u8]) -> &'a [u8] {
    const KNOWN: [&str; 16] = [
        "Content-Length",
        "Content-Type",
        "Content-Range",
        "Accept-Ranges",
        "ETag",
        "Cache-Control",
        "Location",
        "Set-Cookie",
        "Allow",
        "Connection",
        "Content-Security-Policy",
        "X-Content-Type-Options",
        "Referrer-Policy",
        "Cross-Origin-Resource-Policy",
        "Cross-Origin-Opener-Policy",
        "Cross-Origin-Embedder-Policy",
    ];
    let end = find(rest, b"\r\n\r\n").expect("the end of a head") + 4;
    let head = std::str::from_utf8(&rest[..end]).expect("heads are text");
    let mut lines = head.trim_end().split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")).expect("a status");
    let mut length = None;
    for line in lines {
        let (name, value) = line.split_once(": ").expect("a header");
        assert!(KNOWN.contains(&name), "{line:?}");
        match name {
            "Content-Length" => length = Some(value.parse::<usize>().expect("a number")),
            // It would lead to another server.
            "Location" => assert!(value.starts_with('/') && !value.starts_with("//") && !value.starts_with("/\\")),
            _ => {}
        }
    }
    let rest = &rest[end..];
    // Which answers are to HEAD only the requests know; they alone have a head and nothing behind it.
    let none = status.starts_with("304") || find(asked, b"HEAD").is_some() && rest.starts_with(b"HTTP/1.1 ");
    match length {
        Some(length) if !none && find(asked, b"HEAD").is_none() => rest.get(length..).expect("a whole body"),
        Some(length) if !none => rest.get(length..).unwrap_or_default(),
        _ => rest,
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let cookie = format!("Cookie: a=b; forebay-80={TOKEN}\r\n");
    let get = |target: &str, more: &str| format!("GET {target} HTTP/1.1\r\nHost: x\r\n{more}\r\n");
    [
        get("/data/a.tbl", &format!("{cookie}Range: bytes=4-8\r\n")),
        get("/data/in/b%20%C3%A9.csv", &format!("{cookie}If-Range: \"x\"\r\nRange: bytes=-9\r\n"))
            + &get("/data/a.tbl", &format!("{cookie}Connection: close\r\n")),
        get("/files.json", &cookie),
        get("/", &cookie),
        get(&format!("//x/y?a=b&token={TOKEN}"), ""),
        get("/data/../../etc/passwd", &format!("{cookie}If-None-Match: *, W/\"a\"\r\n")),
        get("/data/a.tbl", "Range: bytes=0-\r\n"),
        format!("HEAD /data/a.tbl HTTP/1.1\r\nHost: [::1]:80\r\n{cookie}\r\n"),
        format!("POST /data/a.tbl HTTP/1.1\r\nHost: localhost\r\n{cookie}Content-Length: 4\r\n\r\nGET "),
        format!("GET /data/a.tbl HTTP/1.0\r\n{cookie}\r\n"),
    ]
    .map(String::into_bytes)
    .to_vec()
}
