//! `forebay serve`: look at it in a browser.

use std::{net::IpAddr, path::PathBuf, sync::Arc};

use forebay::{Error, Result};
use serde_json::json;

use super::{Outcome, Output};
use crate::serve::{Options, Server, codes};

/// The usual port: the browser keeps what it remembers by address, port included.
const PORT: u16 = 8750;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A dataset file, or a folder of such files.
    path: PathBuf,
    /// The port to listen on; 0 takes a free one. Without it, 8750, or a free one where that is taken.
    #[arg(long, short)]
    port: Option<u16>,
    /// The address to listen on. Another than loopback needs a token, which is made up where none is given.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    host: IpAddr,
    /// What visitors must bring; the printed address carries it.
    #[arg(long)]
    token: Option<String>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if !Server::has_viewer() {
        let message = "this forebay was built without the viewer; build both with: npm run build";
        return Err(Error::new(&codes::NO_VIEWER, message));
    }
    let mut options = Options::default();
    (options.host, options.port, options.token) = (args.host, args.port.unwrap_or(PORT), args.token.clone());
    let server = match Server::bind(&args.path, &options) {
        Err(e) if args.port.is_none() && e.code() == &codes::ADDRESS => {
            options.port = 0;
            Server::bind(&args.path, &options)?
        }
        other => other?,
    };
    let server = Arc::new(server);
    let url = server.url();
    match out.json() {
        true => out.value(&json!({ "url": url, "address": server.address().to_string() })),
        false => out.line(&url),
    }
    server.unread().iter().for_each(|unread| out.note(format!("left out: {unread}")));
    out.note(format!("serving {}; press Ctrl-C to stop", args.path.display()));
    if args.open
        && let Err(e) = open::that_detached(&url)
    {
        out.note(format!("no browser could be started ({e}); open the address above"));
    }
    let stopper = server.clone();
    // Where the handler is taken already, Ctrl-C ends the process as it always does.
    let _ = ctrlc::set_handler(move || stopper.stop());
    server.run();
    Ok(Outcome::Fine)
}
