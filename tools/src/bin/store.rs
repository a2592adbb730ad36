//! `forebay-store`: serves a folder as a store of objects, for benchmarks and tests.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a command is a host: sockets are its own")]

use std::{net::TcpListener, path::PathBuf, process::ExitCode};

use clap::Parser;

/// Serves the files of a folder on loopback as S3 serves objects, by path: FOLDER/bucket/name. It prints its address.
/// What `GET /_set?latency_ms=50&bits=1000000000&fail=20&reset=100` says of the link holds from then on, and what was
/// answered since then is said by `GET /_counts`.
#[derive(Debug, Parser)]
struct Options {
    /// What is served.
    folder: PathBuf,
    /// Where; any free port if not given.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let served = TcpListener::bind(("127.0.0.1", options.port)).and_then(|listener| {
        println!("http://{}", listener.local_addr()?);
        forebay_tools::store::serve(options.folder, &listener)
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
