//! `tar_to_tbl INPUT OUTPUT`: the format guide's own command, which keeps its spelling.

use std::{ffi::OsString, path::PathBuf};

use clap::Parser;
use forebay::{
    Limits,
    codec::{Codec, Compression},
};
use forebay_native::{
    convert::{Options, To},
    parallel::all_cores,
};

use crate::command::convert::{job, report};
use crate::{
    exit::{finish, usage},
    output::{Output, Talk},
    signals,
};

/// Convert a TAR to a TBL v2 in the guide layout, compressed with LZ4.
#[derive(Debug, Parser)]
#[command(name = "tar_to_tbl", version)]
struct Args {
    /// Archive: .tar, .tar.gz, .tar.zst, or - for standard input.
    input: PathBuf,
    /// Output file.
    output: PathBuf,
    /// Number of threads.
    #[arg(long, default_value_t = all_cores())]
    workers: usize,
    /// Store payloads uncompressed.
    #[arg(long)]
    no_compression: bool,
    /// Overwrite an existing output.
    #[arg(long)]
    force: bool,
    /// Report progress line by line.
    #[arg(long, short)]
    verbose: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command with these words, its name first; returns the exit code.
pub fn main(words: impl Iterator<Item = OsString>) -> u8 {
    signals::make_writes_fail();
    let words: Vec<OsString> = words.collect();
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(e) => return usage(&e, &words),
    };
    signals::watch();
    let out = Output::new(Talk { json: args.json, quiet: false, verbose: args.verbose });
    let run = || {
        let mut options = Options::new(To::Tbl);
        options.workers = args.workers;
        options.force = args.force;
        if !args.no_compression {
            options.compression = Compression::new(Codec::Lz4, None)?;
        }
        report(job(&args.input, options, &Limits::host())?, &args.output, &out)
    };
    finish(run(), &out)
}
