//! `forebay split`: one dataset becomes shards of almost equal length, in order, or parts for training, validation and test.

pub(super) mod parts;

use std::path::PathBuf;

use forebay::{Error, Result, error::codes::ARGUMENT, tbl::MetadataFormat};
use forebay_native::{convert::To, input, sharding};

use super::{
    convert::{WriteArgs, print},
    effect::{Given, Route, Uses},
    filtering::{LimitArgs, open},
};
use crate::{exit::Outcome, output::Output, progress::Meter, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Dataset to split.
    file: PathBuf,
    /// Number of shards.
    #[arg(long, value_name = "N")]
    shards: Option<u64>,
    /// Output folder; created if it does not exist.
    ///
    /// Shards are named NAME-00000-of-00008.tbl and so on; parts are named train.tbl and so on.
    #[arg(short, long, value_name = "FOLDER", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// Output format; by default, the input's.
    #[arg(long, value_name = "FORMAT", value_parser = word::<To>())]
    to: Option<To>,
    #[command(flatten)]
    parts: parts::PartArgs,
    #[command(flatten)]
    write: WriteArgs,
    /// Format of the metadata.
    #[arg(long, value_name = "NAME", hide_short_help = true, value_parser = word::<MetadataFormat>(), default_value = "json")]
    metadata_format: MetadataFormat,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Which options have an effect on what.
pub(super) const USES: Uses = &[(&["layout", "compression", "level", "metadata_format"], &[Route::Tbl])];

/// Options of the parts that are written, which a list alone has not.
const PARTS: [&str; 7] = ["to", "layout", "compression", "level", "metadata_format", "verify", "no_sync"];

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let limits = args.limits.limits();
    if args.shards.is_none() && !args.parts.any() {
        let file = input::display(&args.file);
        let message = format!(
            "choose shards, as in: forebay split {file} --shards 8 -o shards, or parts, as in: forebay split {file} \
             --train 0.8 --val 0.2 -o parts"
        );
        return Err(Error::new(&ARGUMENT, message));
    }
    let dataset = open(&args.file, &limits, false)?;
    let to = args.to.unwrap_or(if dataset.tar().is_some() { To::Tar } else { To::Tbl });
    given.check(USES, if to == To::Tar { Route::Tar } else { Route::Tbl })?;
    if args.output.is_none()
        && let Some(written) = PARTS.iter().find_map(|id| given.written(id))
    {
        let message = format!("{written} has no effect without --output");
        return Err(Error::new(&ARGUMENT, message));
    }
    let (Some(shards), Some(output)) = (args.shards, &args.output) else {
        return parts::run(args, &dataset, to, out);
    };
    if args.parts.list() {
        return Err(Error::new(&ARGUMENT, "--list is for parts, not for shards").with_options(&["list"]));
    }
    let mut settings = args.write.shards(shards, to, &limits, args.metadata_format)?;
    settings.name = args.file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut meter = Meter::new(out, "splitting");
    let how = args.write.making();
    let written = sharding::split(dataset, output, settings, &how, &mut |now| meter.update(now))?;
    drop(meter);
    // Said when it is true.
    written.iter().for_each(|(summary, seconds)| print(summary, *seconds, out));
    Ok(Outcome::Fine)
}
