//! `forebay demo`: the sample dataset, drawn and opened in the viewer.

use std::{
    fs,
    io::{self, BufWriter, IoSlice, Write},
    path::{Path, PathBuf},
};

use forebay::{Error, Result, error::codes};
use forebay_native::{
    Dataset,
    convert::{Job, Options, To},
    input::{display, io_error},
    output::AtomicFile,
};
use forebay_sample::dataset::{Formats, Set, write};
use serde::Serialize;

use super::serve;
use crate::{exit::Outcome, output::Output, progress::Meter};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder for the dataset.
    ///
    /// Files that exist there are used as they are.
    #[arg(default_value = "forebay-demo")]
    folder: PathBuf,
    /// Number of images to draw.
    #[arg(long, value_name = "N", default_value_t = 240, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    images: u64,
    /// Port to listen on; 0 for a free one. Default: 8750.
    #[arg(long, short, value_name = "N")]
    port: Option<u16>,
    /// Only draw the dataset.
    #[arg(long, conflicts_with = "port")]
    no_open: bool,
}

/// The sample dataset.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Demo"))]
pub(super) struct Drawn {
    /// The dataset as a TAR.
    tar: String,
    /// The same as a TBL.
    tbl: String,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    fs::create_dir_all(&args.folder).map_err(|e| io_error(&display(&args.folder), "make", e))?;
    let [tar, tbl] = ["sample.tar", "sample.tbl"].map(|name| args.folder.join(name));
    if !tar.exists() {
        draw(args.images, &tar, out)?;
    }
    if !tbl.exists() {
        Job::new(vec![Dataset::open(&tar)?], Options::new(To::Tbl)).run(&tbl)?;
    }
    if args.no_open {
        match out.json() {
            true => out.value(&Drawn { tar: display(&tar), tbl: display(&tbl) }),
            false => [&tar, &tbl].iter().for_each(|path| out.line(display(path))),
        }
        return Ok(Outcome::Fine);
    }
    out.note(format!("try: forebay stats {} --label json.label", display(&tbl)));
    serve::run(&serve::Args::open(tbl, args.port), out)
}

/// Draws so many labeled images into a TAR.
fn draw(count: u64, path: &Path, out: &Output) -> Result<()> {
    let set = Set { count, seed: 1, size: None, quality: 90, formats: Formats::Mixed };
    let mut meter = Meter::new(out, "drawing");
    let mut file = AtomicFile::create(path, false)?;
    let failed = |e: String| Error::new(&codes::IO, format!("cannot draw the dataset: {e}")).file(display(path));
    let mut appended = BufWriter::with_capacity(1 << 20, Appended(&mut file));
    write(&set, &mut appended, |done| meter.count(done, count)).map_err(|e| failed(e.to_string()))?;
    appended.flush().map_err(|e| failed(e.to_string()))?;
    drop(appended);
    file.commit(true)
}

/// A file as a writer that only appends.
struct Appended<'a>(&'a mut AtomicFile);

impl Write for Appended<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(&mut [IoSlice::new(bytes)]).map_err(io::Error::other)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
