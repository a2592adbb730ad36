//! A door with TLS in front of a server that has none, and a proxy in front of either.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

/// Whom one has to trust to come in.
pub const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/tls/authority.pem");
const CHAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/tls/server.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/tls/server.key");

/// Starts a door to a port of this machine, for `store.test`, `localhost` and `127.0.0.1`; its own port.
pub fn door(to: u16) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = CertificateDer::pem_file_iter(CHAIN).unwrap().map(Result::unwrap).collect();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(chain, PrivateKeyDer::from_pem_file(KEY).unwrap());
    let config = Arc::new(config.unwrap());
    each(move |stream| {
        let outer = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
        turns(BufReader::new(outer), to)
    })
}

/// One request and its answer after the other: who speaks HTTP/1.1 says no two things at once.
fn turns(mut outer: BufReader<StreamOwned<ServerConnection, TcpStream>>, to: u16) -> std::io::Result<()> {
    let mut inner = BufReader::new(TcpStream::connect(("127.0.0.1", to))?);
    loop {
        let Some((head, body)) = message(&mut outer)? else { return Ok(()) };
        inner.get_mut().write_all(&[head, body].concat())?;
        let Some((head, body)) = message(&mut inner)? else { return Ok(()) };
        outer.get_mut().write_all(&[head, body].concat())?;
        outer.get_mut().flush()?;
    }
}

/// A head, and as many bytes as it says; none at the end.
fn message(from: &mut impl BufRead) -> std::io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let (mut head, mut len) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        head.extend_from_slice(line.as_bytes());
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => len = value.trim().parse().unwrap(),
            None if line.trim().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; len];
    from.read_exact(&mut body)?;
    Ok(Some((head, body)))
}

/// A proxy: whatever is asked of it, one port answers.
#[derive(Debug)]
pub struct Proxy {
    pub port: u16,
    /// The first lines of what came, with who asks.
    pub asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// With a word that who asks must know, if there is one.
    pub fn start(to: u16, word: Option<&'static str>) -> Proxy {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let noted = asked.clone();
        let port = each(move |stream| {
            let mut outer = BufReader::new(stream);
            let Some((head, _)) = message(&mut outer)? else { return Ok(()) };
            let head = String::from_utf8(head).unwrap();
            let (first, rest) = head.split_once("\r\n").unwrap();
            noted.lock().unwrap().push(first.to_owned());
            let knows =
                |word| rest.lines().any(|line| line.to_lowercase().starts_with("proxy-auth") && line.ends_with(word));
            if !word.is_none_or(knows) {
                let answer =
                    "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                return outer.get_mut().write_all(answer.as_bytes());
            }
            let mut inner = TcpStream::connect(("127.0.0.1", to))?;
            if first.starts_with("CONNECT ") {
                outer.get_mut().write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?;
            } else {
                // The whole address becomes a path again; who asks first says all that this connection will carry.
                let (method, address) = first.split_once(' ').unwrap();
                let path = address.splitn(4, '/').nth(3).unwrap();
                let rest = rest.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                inner.write_all(format!("{method} /{path}\r\n{rest}").as_bytes())?;
            }
            let (mut from, mut back) = (inner.try_clone()?, outer.get_mut().try_clone()?);
            let answers = thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut back);
                let _ = back.shutdown(std::net::Shutdown::Both);
            });
            let _ = std::io::copy(&mut outer, &mut inner);
            let _ = inner.shutdown(std::net::Shutdown::Both);
            answers.join().unwrap();
            Ok(())
        });
        Proxy { port, asked }
    }
    /// What came since the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

/// Does the same with each connection to a new port, as long as the process lives.
fn each(work: impl Fn(TcpStream) -> std::io::Result<()> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let work = Arc::new(work);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let work = work.clone();
            thread::spawn(move || drop(work(stream.unwrap())));
        }
    });
    port
}
