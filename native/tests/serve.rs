//! `forebay serve` over real connections.

// Tests speak to the server as a client on a machine does.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::Arc,
};

use forebay_native::serve::{Options, Server};

/// Sends raw bytes, so that no client tidies the path, and gives the head and the body of the answer.
fn exchange(server: &Server, request: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let body = answer.split_off(end + 4);
    (String::from_utf8(answer).unwrap(), body)
}

fn get(server: &Server, target: &str, more: &str) -> (String, Vec<u8>) {
    exchange(server, &format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{more}\r\n"))
}

fn serving(options: &Options, test: impl FnOnce(&Server)) {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    std::fs::write(folder.path().join("a.tbl"), bytes).unwrap();
    let server = Arc::new(Server::bind(&folder.path().join("a.tbl"), options).unwrap());
    let runner = std::thread::spawn({
        let server = server.clone();
        move || server.run()
    });
    test(&server);
    server.stop();
    runner.join().unwrap();
}

#[test]
fn parts_of_a_file_arrive_with_their_length_and_place() {
    serving(&Options::default(), |server| {
        let (head, body) = get(server, "/data/a.tbl", "Range: bytes=100-70099\r\n");
        assert!(head.starts_with("HTTP/1.1 206"), "{head}");
        assert!(head.contains("Content-Range: bytes 100-70099/200000"), "{head}");
        assert!(head.contains("Content-Length: 70000") && !head.contains("chunked"), "{head}");
        assert!(body.iter().enumerate().all(|(i, b)| usize::from(*b) == (i + 100) % 251));
        let (head, body) =
            exchange(server, "HEAD /data/a.tbl HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert!(head.contains("Content-Length: 200000") && body.is_empty(), "{head}");
        assert_eq!(server.url(), format!("http://{}/#file=data/a.tbl", server.address()));
    });
}

#[test]
fn raw_paths_that_climb_find_nothing() {
    serving(&Options::default(), |server| {
        for target in
            ["/data/../../../../etc/passwd", "/../../etc/passwd", "/data/%2e%2e%2fetc%2fpasswd", "/data/a.tbl/"]
        {
            let (head, _) = get(server, target, "");
            assert!(head.starts_with("HTTP/1.1 404"), "{target}: {head}");
        }
    });
}

#[test]
fn wider_than_loopback_needs_a_token_even_when_none_was_given() {
    let mut options = Options::default();
    options.host = "0.0.0.0".parse().unwrap();
    serving(&options, |server| {
        assert!(get(server, "/data/a.tbl", "").0.starts_with("HTTP/1.1 401"));
        let url = server.url();
        let token = url.split_once("?token=").unwrap().1.split('#').next().unwrap();
        assert_eq!(token.len(), 32);
        let (head, _) = get(server, &format!("/?token={token}"), "");
        assert!(head.starts_with("HTTP/1.1 303"), "{head}");
        let cookie = head.lines().find_map(|l| l.strip_prefix("Set-Cookie: ")).unwrap().split(';').next().unwrap();
        assert!(get(server, "/data/a.tbl", &format!("Cookie: {cookie}\r\n")).0.starts_with("HTTP/1.1 200"));
    });
}

#[test]
fn odd_options_are_refused_in_words() {
    let mut options = Options::default();
    options.token = Some("a b".into());
    let file = tempfile::NamedTempFile::new().unwrap();
    let e = Server::bind(file.path(), &options).unwrap_err();
    assert_eq!(e.code().id(), "serve.token");
    options.token = None;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    options.port = taken.local_addr().unwrap().port();
    assert_eq!(Server::bind(file.path(), &options).unwrap_err().code().id(), "serve.address");
    assert!(Server::bind(std::path::Path::new("/nowhere/at/all"), &options).is_err());
}
