//! A store of objects on loopback, for benchmarks: the files of a folder, served as S3 serves objects to who reads, behind a
//! link of which latency and rate are set.
//!
//! | module | what it holds |
//! |---|---|
//! | `link` | how long bytes take, and which answers fail |
//! | `request` | what was asked |
//! | `answer` | what is sent |

mod answer;
mod link;
mod request;

use std::{
    io::BufReader,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
};

use link::Link;
use request::Request;

/// Serves a folder until the process ends.
pub fn serve(folder: PathBuf, listener: &TcpListener) -> std::io::Result<()> {
    let (folder, link) = (Arc::new(folder), Arc::<Link>::default());
    for stream in listener.incoming() {
        let (stream, folder, link) = (stream?, folder.clone(), link.clone());
        std::thread::spawn(move || drop(talk(&stream, &folder, &link)));
    }
    Ok(())
}

/// Answers one connection's requests until it ends.
fn talk(stream: &TcpStream, folder: &Path, link: &Link) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = Request::read(&mut reader)? {
        if !answer::answer(stream, folder, link, &request)? {
            break;
        }
    }
    stream.shutdown(std::net::Shutdown::Both)
}
