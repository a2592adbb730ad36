//! `forebay serve`: look at it in a browser.

use std::{net::IpAddr, path::PathBuf, sync::Arc};

use forebay::{Error, Result};
use forebay_native::input::{display, io_error};
use serde::Serialize;

use crate::serve::{Options, Server, codes};
use crate::{exit::Outcome, output::Output, signals};

/// The usual port: the browser keeps what it remembers by address, port included.
const PORT: u16 = 8750;

/// Where a token may stand.
const VARIABLE: &str = "FOREBAY_TOKEN";

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Dataset file, folder of such files, or an address: s3://bucket/.
    path: PathBuf,
    /// Port to listen on; 0 for a free one. Default: 8750.
    ///
    /// Without this option, a free port is used if 8750 is taken.
    #[arg(long, short, value_name = "N")]
    port: Option<u16>,
    /// Address to listen on.
    ///
    /// Visitors need the token in the printed address.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    host: IpAddr,
    /// Token that visitors need; by default, a random one.
    ///
    /// Other users can see it in the list of processes; --token-file and the variable FOREBAY_TOKEN keep it private.
    #[arg(long, conflicts_with_all = ["token_file", "no_token"])]
    token: Option<String>,
    /// Read the token from the first line of this file.
    #[arg(long, value_name = "FILE", conflicts_with = "no_token")]
    token_file: Option<PathBuf>,
    /// Require no token; only on loopback.
    ///
    /// Every user of this machine can then read the data.
    #[arg(long)]
    no_token: bool,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
}

impl Args {
    /// Opens one file of this machine in the browser.
    pub(super) fn open(path: PathBuf, port: Option<u16>) -> Args {
        let host = Options::default().host;
        Args { path, port, host, token: None, token_file: None, no_token: false, open: true }
    }
}

/// The token that was asked for: by an option, in a file, or in the environment.
fn token(args: &Args) -> Result<Option<String>> {
    if args.no_token {
        return Ok(None);
    }
    if let Some(path) = &args.token_file {
        let text = std::fs::read_to_string(path).map_err(|e| io_error(&display(path), "read the token in", e))?;
        return Ok(Some(text.lines().next().unwrap_or_default().trim().to_owned()));
    }
    let variable = || std::env::var(VARIABLE).ok().filter(|token| !token.is_empty());
    Ok(args.token.clone().or_else(variable))
}

/// A server that runs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Serve"))]
pub(super) struct Serving<'a> {
    /// The address of the viewer, with the token.
    url: &'a str,
    /// The address and port that it listens on.
    address: String,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if !Server::has_viewer() {
        let message = "this forebay was built without the viewer; build both with: npm run build";
        return Err(Error::new(&codes::NO_VIEWER, message));
    }
    let mut options = Options::default();
    (options.host, options.port) = (args.host, args.port.unwrap_or(PORT));
    (options.token, options.anyone) = (token(args)?, args.no_token);
    let server = match Server::bind(&args.path, &options) {
        Err(e) if args.port.is_none() && e.code() == &codes::ADDRESS => {
            options.port = 0;
            Server::bind(&args.path, &options)?
        }
        other => other?,
    };
    let server = Arc::new(server);
    let stopper = server.clone();
    // Before anybody is told where it is.
    signals::instead(move || stopper.stop());
    let url = server.url();
    match out.json() {
        true => out.value(&Serving { url: &url, address: server.address().to_string() }),
        false => out.line(&url),
    }
    server.unread().iter().for_each(|unread| out.note(format!("left out: {unread}")));
    out.note(format!("serving {}; press Ctrl-C to stop", display(&args.path)));
    if args.open
        && let Err(e) = open::that_detached(&url)
    {
        out.note(format!("no browser could be started ({e}); open the address above"));
    }
    server.run_saying(|fault| out.error(fault));
    Ok(Outcome::Fine)
}
