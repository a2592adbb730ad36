//! `forebay labels skeleton`.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    annotations::{Classes, Skeleton},
    error::codes,
    words::Word,
};
use forebay_native::{
    input::display,
    labels::{class_names, skeleton},
};
use serde::Serialize;

use super::super::filtering::{LimitArgs, open};
use crate::{exit::Outcome, human, output::Output, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// TBL, TAR or folder of images.
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Output file; - for standard output.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Output format.
    #[arg(long, value_parser = word::<Skeleton>(), value_name = "FORMAT")]
    to: Skeleton,
    /// Prefix of image addresses, such as https://host/images/.
    #[arg(long, value_name = "URL")]
    url_prefix: Option<String>,
    /// COCO: file of class names, one per line.
    ///
    /// Default: the classes that a TBL lists.
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Labels without annotations.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LabelSkeleton"))]
pub(in crate::command) struct Made {
    /// The dataset.
    input: String,
    /// The labels.
    output: String,
    /// Their format.
    to: &'static str,
    /// Images in them.
    pictures: u64,
    /// Those of them whose size nobody knows.
    without_size: u64,
    /// Bytes of the labels.
    bytes: u64,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let useless = [
        ("--url-prefix", args.url_prefix.is_some() && args.to == Skeleton::CvatManifest),
        ("--classes", args.classes.is_some() && args.to != Skeleton::Coco),
    ];
    if let Some((written, _)) = useless.iter().find(|(_, useless)| *useless) {
        let message = format!("{written} changes nothing in a skeleton of the format {}", args.to.word());
        return Err(Error::new(&codes::ARGUMENT, message));
    }
    let classes = match &args.classes {
        Some(path) => Some(class_names(path)?.into_iter().collect::<Classes>()),
        None => None,
    };
    let dataset = open(&args.input, &args.limits.limits(), false)?;
    let prefix = args.url_prefix.as_deref();
    let done = skeleton(&dataset, args.to, prefix, classes.as_ref(), &args.output, args.force)?;
    if args.output.as_os_str() == "-" {
        return Ok(Outcome::Fine);
    }
    if out.json() {
        out.value(&Made {
            input: display(&args.input),
            output: display(&args.output),
            to: args.to.word(),
            pictures: done.pictures,
            without_size: done.without_size,
            bytes: done.bytes,
        });
        return Ok(Outcome::Fine);
    }
    let (name, pictures) = (display(&args.output), human::count(done.pictures));
    out.line(format!("{name}: {pictures} images, {}", human::bytes(done.bytes)));
    if done.without_size > 0 {
        out.line(format!("  {:>12}  images without a size", human::count(done.without_size)));
    }
    Ok(Outcome::Fine)
}
