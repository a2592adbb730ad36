//! A store of objects on loopback, for benchmarks and tests: the files of a folder, served and written as S3 serves and takes
//! objects, behind a link of which latency and rate are set.
//!
//! | module | what it holds |
//! |---|---|
//! | `link` | how long bytes take, and which answers fail |
//! | `request` | what was asked |
//! | `answer` | what is sent |
//! | `write` | what is written |

mod answer;
mod link;
mod request;
mod write;

use std::{
    io::{BufReader, Read},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{Arc, Mutex},
};

use link::Link;
use request::Request;
use write::Writes;

/// What all connections share.
#[derive(Debug)]
struct Store {
    folder: PathBuf,
    link: Link,
    writes: Mutex<Writes>,
}

/// Serves a folder until the process ends.
pub fn serve(folder: PathBuf, listener: &TcpListener) -> std::io::Result<()> {
    let store = Arc::new(Store { folder, link: Link::default(), writes: Mutex::default() });
    for stream in listener.incoming() {
        let (stream, store) = (stream?, store.clone());
        std::thread::spawn(move || drop(talk(&stream, &store)));
    }
    Ok(())
}

/// Answers one connection's requests until it ends.
fn talk(stream: &TcpStream, store: &Store) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = Request::read(&mut reader)? {
        let mut body = reader.by_ref().take(request.body);
        if !answer::answer(stream, store, &request, &mut body)? {
            break;
        }
        // What nobody took is not the next request.
        std::io::copy(&mut body, &mut std::io::sink())?;
    }
    stream.shutdown(std::net::Shutdown::Both)
}
