//! `forebay serve`: the viewer, embedded in the command, on files of this machine.
//!
//! The browser does the reading: the server hands out byte ranges of the files on its list and the viewer's own
//! files, and knows nothing of formats. So a training host needs nothing installed but this one binary.
//!
//! What keeps strangers out:
//! - It listens on loopback unless told otherwise.
//! - It asks for a token, which the printed address carries; a cookie keeps it from then on. Loopback is not an
//!   exception: every user of the machine can reach it. Only on loopback can the token be waived, and then only
//!   requests addressed to loopback are answered, so that no web page can reach it under a name of its own (DNS
//!   rebinding).
//! - Files are looked up in a list made at the start; a request's path is never joined to a folder's, and a served
//!   file that was swapped for a link since is not followed.
//! - Connections are bounded, in all and for each address; who waits gives way to who comes, strangers first, and an
//!   answer that is taken too slowly ends.
//! - The page runs under a strict Content-Security-Policy, and no other site may embed or read what is served.
//!
//! It speaks HTTP without encryption: across a network, put it behind a tunnel (`ssh -L`).

mod answer;
mod file;
mod files;
mod listen;
mod range;
mod site;
mod talk;

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
};

use forebay::{Error, Result};

use answer::Responder;
use forebay_native::input::io_error;
use listen::Listening;
pub use site::give_site;

/// How many random bytes the token is made of.
const TOKEN_BYTES: usize = 16;

/// Where to listen and whom to admit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// What visitors must bring. One is made up where there is none.
    pub token: Option<String>,
    /// Request for no token: everybody on this machine may read what is served. Only on loopback.
    pub anyone: bool,
    /// For a frame in another page, such as a notebook's, where cookies do not go: every path begins with the token.
    /// Requests by other names than loopback's are refused.
    pub framed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { host: Ipv4Addr::LOCALHOST.into(), port: 0, token: None, anyone: false, framed: false }
    }
}

/// A server that listens, and answers while [`run`](Self::run) runs.
#[derive(Debug)]
pub struct Server {
    listening: Listening,
    responder: Responder,
}

impl Server {
    /// Listens, with a dataset file or the datasets of a folder to serve.
    pub fn bind(path: &Path, options: &Options) -> Result<Server> {
        let files = files::ServedFiles::new(path)?;
        let token = match &options.token {
            Some(token) => Some(checked(token)?),
            None if !options.anyone => Some(make_token()?),
            None if options.host.is_loopback() => None,
            None => {
                let message = "only on loopback can visitors come without a token";
                return Err(Error::new(&codes::TOKEN, message));
            }
        };
        let wanted = SocketAddr::new(options.host, options.port);
        let listening = Listening::bind(wanted)
            .map_err(|e| Error::caused(&codes::ADDRESS, format!("cannot listen on {wanted}: {e}"), e))?;
        let port = listening.address().port();
        let (site, framed) = (site::Site::now(), options.framed);
        Ok(Server { listening, responder: Responder { files, site, token, port, framed } })
    }

    /// Whether the command was built with the viewer in it. Without, only the data can be asked for.
    pub fn has_viewer() -> bool {
        site::Site::now().is_there()
    }

    /// Folders that could not be read, and why; what is in them is not served.
    pub fn unread(&self) -> &[String] {
        self.responder.files.unread()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listening.address()
    }

    /// The address to open in a browser: it carries the token, and opens the file where there is only one.
    pub fn url(&self) -> String {
        let address = self.address();
        let host = match address.ip() {
            ip if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            ip => ip,
        };
        let address = SocketAddr::new(host, address.port());
        let token = match &self.responder.token {
            Some(token) if self.responder.framed => format!("{token}/"),
            Some(token) => format!("?token={token}"),
            None => String::new(),
        };
        let mut names = self.responder.files.names();
        let file = match (names.next(), names.next()) {
            (Some(name), None) => format!("#file=data/{}", files::to_url(name)),
            _ => String::new(),
        };
        format!("http://{address}/{token}{file}")
    }

    /// Answers requests until [`stop`](Self::stop) is called.
    pub fn run(self: &Arc<Self>) {
        self.run_saying(|_| {});
    }

    /// As [`run`](Self::run); `say` hears of every file whose bytes could not be sent, with the place.
    pub fn run_saying(self: &Arc<Self>, say: impl Fn(Error) + Sync) {
        self.listening.run(|stream, state| {
            // Visitors hang up, and files end early; both end the connection. Only of files is there anybody to be told.
            if let Err(e) = talk::talk(stream, state, &self.responder, &say)
                && let Ok(fault) = e.downcast::<Error>()
            {
                say(fault);
            }
        });
    }

    /// Ends [`run`](Self::run) once the requests in work are answered, or have taken some seconds more.
    pub fn stop(&self) {
        self.listening.stop();
    }
}

/// A server without connections: what came in becomes what goes out. Fuzzing has no sockets.
#[doc(hidden)]
#[derive(Debug)]
pub struct Counter(Responder);

impl Counter {
    /// Serves what [`Server::bind`] would, to who brings the token.
    pub fn new(path: &Path, token: &str) -> Result<Counter> {
        let (files, site) = (files::ServedFiles::new(path)?, site::Site::now());
        Ok(Counter(Responder { files, site, token: Some(checked(token)?), port: 80, framed: false }))
    }

    /// All that a visitor gets who sends these pieces and then hangs up.
    pub fn answers<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> std::io::Result<Vec<u8>> {
        talk::exchange(&self.0, pieces)
    }
}

/// A token travels in a URL, a header and a cookie: letters and digits do everywhere.
fn checked(token: &str) -> Result<String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    match token.len() >= 8 && token.bytes().all(plain) {
        true => Ok(token.to_owned()),
        false => Err(Error::new(&codes::TOKEN, "a token has at least 8 characters out of a-z A-Z 0-9 - _ .")),
    }
}

fn make_token() -> Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|e| io_error("the system", "make random numbers", e.into()))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// What can go wrong with serving.
pub mod codes {
    use forebay::error::Code;
    /// The address is taken or not this machine's.
    pub const ADDRESS: Code = Code::io("serve.address", "The server cannot listen on the requested address.");
    /// The token would not survive a URL, or was waived where it is needed.
    pub const TOKEN: Code = Code::usage(
        "serve.token",
        "A token is too short, holds characters that a URL changes, or is missing where one is needed.",
    );
    /// The binary has no viewer in it.
    pub const NO_VIEWER: Code =
        Code::unsupported("serve.no_viewer", "The command was built before the viewer, so it has none to serve.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&ADDRESS, &TOKEN, &NO_VIEWER];
}
