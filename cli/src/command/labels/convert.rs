//! `forebay labels convert`.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use forebay::{
    Error, Result,
    annotations::{Format, Labels, Loss, Losses, write::written},
    error::codes::ARGUMENT,
    words::Word,
};
use forebay_native::{
    convert::{Job, Options, To},
    input::display,
    labels::{Beside, Set, read_project, write},
    output::refuse_inputs,
};
use serde::Serialize;

use super::{
    super::effect::Given,
    ReadArgs,
    look::{notes, print_notes},
};
use crate::{exit::Outcome, human, output::Output, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Label file or folder of label files.
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Output file or folder; - for standard output.
    ///
    /// Formats with one file per image write a folder.
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,
    /// Output format; tbl and tar include the images of --pictures.
    #[arg(long, value_parser = word::<Target>(), value_name = "FORMAT")]
    to: Target,
    /// Project file: number the classes as it does.
    ///
    /// Also a COCO file, a data.yaml or a list of names. An annotation of another class is refused.
    #[arg(long, value_name = "FILE")]
    project: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// What labels become.
#[derive(Clone, Copy, Debug)]
enum Target {
    Labels(Format),
    /// Samples that carry them.
    Samples(To),
}

impl Word for Target {
    const ALL: &'static [Self] = &ALL;

    fn word(self) -> &'static str {
        match self {
            Target::Labels(format) => format.word(),
            Target::Samples(to) => to.word(),
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Target::Labels(format) => format.meaning(),
            Target::Samples(To::Tbl) => "a TBL of the images with their annotations as metadata",
            Target::Samples(_) => "a TAR of the images with JSON files of their annotations",
        }
    }
}

/// Formats of labels, then those of samples.
const ALL: [Target; Format::ALL.len() + To::ALL.len()] = {
    let mut all = [Target::Samples(To::Tbl); _];
    let mut i = 0;
    while i < all.len() {
        all[i] = match i < Format::ALL.len() {
            true => Target::Labels(Format::ALL[i]),
            false => Target::Samples(To::ALL[i - Format::ALL.len()]),
        };
        i += 1;
    }
    all
};

/// The result of converting labels.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ConvertLabels"))]
pub(in crate::command) struct Converted {
    /// The labels that were read.
    input: String,
    /// Their format.
    from: &'static str,
    /// The labels that were written.
    output: String,
    /// Their format.
    to: &'static str,
    /// How many files.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Images in them.
    pictures: u64,
    /// Annotations in them.
    annotations: u64,
    /// What the format cannot express, by cause.
    losses: BTreeMap<&'static str, u64>,
    /// Remarks of reading, by cause.
    notes: BTreeMap<&'static str, u64>,
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let to = match args.to {
        Target::Labels(format) if written().any(|written| written == format) => format,
        Target::Labels(format) => {
            let words: Vec<_> = written().map(|format| format.word()).collect();
            let words = format!("{}, tbl, tar", words.join(", "));
            let message = format!("labels cannot be written as {}; expected one of {words}", format.word());
            return Err(Error::new(&ARGUMENT, message));
        }
        Target::Samples(to) => return samples(args, to, given, out),
    };
    let set = following(args, || args.read.open(given)?.read_for(&args.input, &args.output))?;
    let done = write(&set.labels, to, &args.output, args.force)?;
    let [pictures, annotations] = counts(&set.labels, &done.losses);
    let to_stdout = args.output.as_os_str() == "-";
    if out.json() && !to_stdout {
        out.value(&Converted {
            input: display(&args.input),
            from: set.format.word(),
            output: display(&args.output),
            to: to.word(),
            files: done.files,
            bytes: done.bytes,
            pictures,
            annotations,
            losses: done.losses.iter().map(|(loss, n)| (loss.word(), n)).collect(),
            notes: notes(&set.labels.notes),
        });
        return Ok(Outcome::Fine);
    }
    let lost = |text: String| if to_stdout { out.note(text) } else { out.line(text) };
    if !to_stdout {
        let (pictures, annotations) = (human::count(pictures), human::count(annotations));
        let name = display(&args.output);
        out.line(format!("{name}: {pictures} images, {annotations} annotations, {}", human::bytes(done.bytes)));
    }
    print_notes(&set.labels.notes, out, lost);
    for (loss, n) in done.losses.iter() {
        lost(format!("  lost {:>7}  {}", human::count(n), loss.meaning()));
    }
    Ok(Outcome::Fine)
}

/// What `read` reads, with the numbers of the project. An output that is an input is refused before anything is read.
fn following(args: &Args, read: impl FnOnce() -> Result<Set>) -> Result<Set> {
    args.read.refuse_beside(&args.output)?;
    refuse_inputs(&args.output, args.project.as_deref())?;
    let mut set = read()?;
    if let Some(path) = &args.project {
        set.labels.follow(&read_project(path, &args.read.limits.limits())?)?;
    }
    Ok(set)
}

/// Images and annotations that were written: those that were read, without those that were left out.
fn counts(labels: &Labels, losses: &Losses) -> [u64; 2] {
    let left_out = |causes: &[Loss]| causes.iter().map(|loss| losses.of(*loss)).sum::<u64>();
    let pictures = left_out(&[Loss::SizeMissing, Loss::Unlabelled, Loss::Empty]);
    let without_size = labels.pictures.iter().filter(|picture| picture.size().is_none());
    let theirs = match losses.of(Loss::SizeMissing) {
        0 => 0,
        _ => without_size.map(|picture| picture.annotations.len() as u64).sum(),
    };
    let annotations = theirs + left_out(&[Loss::NoClass, Loss::Outside, Loss::Points]);
    let read = [labels.pictures.len() as u64, labels.annotations() as u64];
    [read[0].saturating_sub(pictures), read[1].saturating_sub(annotations)]
}

/// The images with their annotations: the same as `forebay convert --labels`.
fn samples(args: &Args, to: To, given: &Given, out: &Output) -> Result<Outcome> {
    let Some(pictures) = &args.read.pictures else {
        let message = format!("a {} includes the images; give their folder with --pictures", to.word());
        return Err(Error::new(&ARGUMENT, message));
    };
    let limits = args.read.limits.limits();
    let mut options = Options::new(to);
    (options.limits, options.force) = (limits.clone(), args.force);
    let source = super::super::filtering::open(pictures, &limits, false)?;
    let open = args.read.meaning.open(args.read.from, &limits, given)?.samples(vec![source.clone()]);
    let set = following(args, || open.read_for(&args.input, &args.output))?;
    options.labels = Some(Arc::new(Beside::new(set, open.options().clone())));
    super::super::convert::report(Job::new(vec![source], options), &args.output, out)
}
