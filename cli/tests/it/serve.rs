//! `forebay serve` over real connections.

// Tests speak to the server as a client on a machine does.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use forebay_cli::serve::{Options, Server};

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

/// Without a token, as these tests need none.
fn anyone() -> Options {
    let mut options = Options::default();
    options.anyone = true;
    options
}

fn serving(options: &Options, test: impl FnOnce(&Server)) {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    std::fs::write(folder.path().join("a.tbl"), bytes).unwrap();
    serving_file(&folder.path().join("a.tbl"), options, test);
}

fn serving_file(file: &Path, options: &Options, test: impl FnOnce(&Server)) {
    let server = Arc::new(Server::bind(file, options).unwrap());
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
    serving(&anyone(), |server| {
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

/// Reads one answer from a connection that stays: the head and as many bytes as it promises.
fn answer(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let len = head.lines().find_map(|l| l.strip_prefix("Content-Length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; len];
    stream.read_exact(&mut body).unwrap();
    (head, body)
}

#[test]
fn a_file_that_becomes_shorter_while_it_is_sent_ends_the_connection() {
    const LEN: u64 = 256 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tbl");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(LEN).unwrap();
    serving_file(&path, &anyone(), |server| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // The connection would be kept: nothing but the server ends it.
        stream.write_all(b"GET /data/a.tbl HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut first = vec![0; 100_000];
        stream.read_exact(&mut first).unwrap();
        assert!(String::from_utf8_lossy(&first).contains(&format!("Content-Length: {LEN}\r\n")));
        file.set_len(9 << 20).unwrap();
        let rest = std::io::copy(&mut stream, &mut std::io::sink()).expect("the end comes before the patience ends");
        assert!(rest < LEN - 100_000, "{rest} more bytes came of a file that has no more than 9 MiB");
    });
}

#[test]
fn nobody_keeps_the_server_from_ending() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tbl");
    std::fs::File::create(&path).unwrap().set_len(256 << 20).unwrap();
    let (mut idle, mut visitors) = (None, Vec::new());
    let mut stopping = Instant::now();
    serving_file(&path, &anyone(), |server| {
        let ask = b"GET /data/a.tbl HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let mut takes_nothing = TcpStream::connect(server.address()).unwrap();
        takes_nothing.write_all(ask).unwrap();
        takes_nothing.read_exact(&mut [0; 100]).unwrap();
        let mut never_has_enough = TcpStream::connect(server.address()).unwrap();
        let mut answers = never_has_enough.try_clone().unwrap();
        let many = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
        visitors.push(std::thread::spawn(move || while never_has_enough.write_all(&many).is_ok() {}));
        visitors.push(std::thread::spawn(move || drop(std::io::copy(&mut answers, &mut std::io::sink()))));
        idle = Some(takes_nothing);
        stopping = Instant::now();
    });
    let waited = stopping.elapsed();
    drop(idle);
    assert!(waited < Duration::from_secs(30), "{waited:?}");
    visitors.into_iter().for_each(|visitor| visitor.join().unwrap());
}

#[test]
fn one_connection_takes_many_requests_however_their_bytes_come() {
    serving(&anyone(), |server| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let ask = |range: &str| format!("GET /data/a.tbl HTTP/1.1\r\nhost: localhost\r\nrange: bytes={range}\r\n\r\n");
        for byte in ask("0-2").bytes() {
            stream.write_all(&[byte]).unwrap();
        }
        let (head, body) = answer(&mut stream);
        assert!(head.starts_with("HTTP/1.1 206 Partial Content\r\n") && !head.contains("close"), "{head}");
        assert!(head.contains("\r\nDate: "), "{head}");
        assert_eq!(body, [0, 1, 2]);
        stream.write_all([ask("3-4"), ask("5-6")].concat().as_bytes()).unwrap();
        assert_eq!((answer(&mut stream).1, answer(&mut stream).1), (vec![3, 4], vec![5, 6]));
        // Another waits meanwhile without a word, and keeps nobody, not the server's end either.
        let _idle = TcpStream::connect(server.address()).unwrap();
        stream.write_all(ask("7-7").as_bytes()).unwrap();
        assert_eq!(answer(&mut stream).1, [7]);
    });
}

#[test]
fn what_is_no_request_is_refused_and_ends_the_connection() {
    serving(&anyone(), |server| {
        let long = format!("GET / HTTP/1.1\r\nHost: localhost\r\nCookie: {}\r\n\r\n", "x".repeat(100_000));
        let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(100));
        let body = "POST /data/a.tbl HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nGET ";
        let twice = "GET /data/a.tbl HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 4\r\n\r\nGET ";
        for (request, status) in [
            ("nonsense\r\n\r\n", 400),
            ("GET /data/a.tbl HTTP/2.0\r\n\r\n", 400),
            ("GET /data/a.tbl HTTP/1.1\nHost: localhost\n\n", 400),
            ("GET /data/a.tbl HTTP/1.1\r\nHost: localhost\nCookie: a\r\n\r\n", 400),
            ("GET /data/a.tbl HTTP/1.1\r\n\r\n", 400),
            ("GET /data/a.tbl HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
            (long.as_str(), 431),
            (many.as_str(), 431),
            (body, 405),
            (twice, 200),
            ("GET /data/a.tbl HTTP/1.0\r\nHost: localhost\r\n\r\n", 200),
        ] {
            let (head, _) = exchange(server, request);
            assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
            assert!(head.contains("Connection: close") && head.contains("Content-Security-Policy"), "{head}");
        }
    });
}

#[test]
fn raw_paths_that_climb_find_nothing() {
    serving(&anyone(), |server| {
        for target in
            ["/data/../../../../etc/passwd", "/../../etc/passwd", "/data/%2e%2e%2fetc%2fpasswd", "/data/a.tbl/"]
        {
            let (head, _) = get(server, target, "");
            assert!(head.starts_with("HTTP/1.1 404"), "{target}: {head}");
        }
    });
}

#[test]
fn visitors_need_a_token_even_when_none_was_given_on_loopback_too() {
    for host in ["127.0.0.1", "0.0.0.0"] {
        let mut options = Options::default();
        options.host = host.parse().unwrap();
        needs_a_token(&options);
    }
    let mut options = anyone();
    options.host = "0.0.0.0".parse().unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    assert_eq!(Server::bind(file.path(), &options).unwrap_err().code().id(), "serve.token");
}

fn needs_a_token(options: &Options) {
    serving(options, |server| {
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

#[test]
fn half_sent_requests_keep_nobody_out() {
    serving(&anyone(), |server| {
        let half = || {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.write_all(b"GET /data/a.tbl HTTP/1.1\r\nHost: loc").unwrap();
            stream
        };
        let held: Vec<TcpStream> = (0..300).map(|_| half()).collect();
        let began = Instant::now();
        for _ in 0..20 {
            let (head, _) = get(server, "/data/a.tbl", "Range: bytes=0-9\r\n");
            assert!(head.starts_with("HTTP/1.1 206"), "{head}");
        }
        // Half a request is waited for 10 s: nobody waited for one to be given up.
        assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
        drop(held);
    });
}

#[test]
fn slow_readers_keep_nobody_out_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tbl");
    std::fs::File::create(&file).unwrap().set_len(64 << 20).unwrap();
    serving_file(&file, &anyone(), |server| {
        let ask = |more: &str| {
            let mut stream = TcpStream::connect(server.address())?;
            let request = format!("GET /data/a.tbl HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{more}\r\n");
            stream.write_all(request.as_bytes())?;
            Ok::<_, std::io::Error>(stream)
        };
        let slow: Vec<_> = (0..140).map(|_| ask("")).collect();
        let began = Instant::now();
        let served = || {
            let mut answer = Vec::new();
            ask("Range: bytes=0-9\r\n").and_then(|mut stream| stream.read_to_end(&mut answer)).is_ok()
                && answer.starts_with(b"HTTP/1.1 206")
        };
        while !served() {
            assert!(began.elapsed() < Duration::from_secs(16), "slow readers have every place");
            std::thread::sleep(Duration::from_millis(200));
        }
        drop(slow);
    });
}

#[test]
fn who_was_admitted_keeps_its_connection_while_strangers_come() {
    let mut options = Options::default();
    options.token = Some("a-token-of-mine".into());
    serving(&options, |server| {
        let mut known = TcpStream::connect(server.address()).unwrap();
        let cookie = format!("forebay-{}=a-token-of-mine", server.address().port());
        let ask = format!("GET /data/a.tbl HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\nRange: bytes=0-2\r\n\r\n");
        known.write_all(ask.as_bytes()).unwrap();
        assert_eq!(answer(&mut known).1, [0, 1, 2]);
        let strangers: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
        // Who does not bring the token gets an answer, and no connection to keep.
        let (head, _) = exchange(server, "GET /data/a.tbl HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 401") && head.contains("Connection: close"), "{head}");
        known.write_all(ask.as_bytes()).unwrap();
        assert_eq!(answer(&mut known).1, [0, 1, 2], "the connection was given to a stranger");
        drop(strangers);
    });
}

#[test]
fn what_was_not_changed_is_not_sent_again_and_what_was_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tbl");
    std::fs::write(&path, b"0123456789").unwrap();
    serving_file(&path, &anyone(), |server| {
        let tag = |head: &str| head.lines().find_map(|l| l.strip_prefix("ETag: ")).unwrap().to_owned();
        let first = tag(&get(server, "/data/a.tbl", "").0);
        for known in [first.clone(), format!("\"x\", W/{first}"), "*".into()] {
            let (head, body) = get(server, "/data/a.tbl", &format!("If-None-Match: {known}\r\n"));
            assert!(head.starts_with("HTTP/1.1 304 Not Modified") && body.is_empty(), "{known}: {head}");
            assert!(!head.contains("Content-Length"), "{head}");
        }
        assert!(get(server, "/data/a.tbl", "If-None-Match: \"x\"\r\n").0.starts_with("HTTP/1.1 200"));
        // Other bytes of the same length and the same time, moved into place.
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, b"abcdefghij").unwrap();
        std::fs::OpenOptions::new().write(true).open(&other).unwrap().set_modified(time).unwrap();
        std::fs::rename(&other, &path).unwrap();
        let more = format!("If-None-Match: {first}\r\nIf-Range: {first}\r\nRange: bytes=0-1\r\n");
        let (head, body) = get(server, "/data/a.tbl", &more);
        assert!(head.starts_with("HTTP/1.1 200") && tag(&head) != first, "{head}");
        assert_eq!(body, b"abcdefghij");
    });
}

#[cfg(unix)]
#[test]
fn what_took_the_place_of_a_served_file_is_not_followed_and_holds_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("data/in")).unwrap();
    std::fs::create_dir_all(at("outside")).unwrap();
    for name in ["data/link.tbl", "data/pipe.tbl", "data/dir.tbl", "data/in/a.tbl", "outside/a.tbl"] {
        std::fs::write(at(name), name).unwrap();
    }
    std::os::unix::fs::symlink(at("data"), at("behind a link")).unwrap();
    serving_file(&at("behind a link"), &anyone(), |server| {
        assert_eq!(get(server, "/data/in/a.tbl", "").1, b"data/in/a.tbl", "a link that was named is followed");
        for name in ["data/link.tbl", "data/pipe.tbl", "data/dir.tbl"] {
            std::fs::remove_file(at(name)).unwrap();
        }
        std::os::unix::fs::symlink(at("outside/a.tbl"), at("data/link.tbl")).unwrap();
        std::fs::create_dir(at("data/dir.tbl")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("data/pipe.tbl")).status().unwrap().success());
        std::fs::rename(at("data/in"), at("data/was")).unwrap();
        std::os::unix::fs::symlink(at("outside"), at("data/in")).unwrap();
        for name in ["link.tbl", "pipe.tbl", "dir.tbl", "in/a.tbl"] {
            let (head, body) = get(server, &format!("/data/{name}"), "");
            assert!(head.starts_with("HTTP/1.1 404"), "{name}: {head} {body:?}");
        }
    });
}
