//! What the commands that look at every picture have in common.

use std::{io::IoSlice, path::PathBuf};

use forebay::{Error, Result, check::Fault, error::codes::ARGUMENT, filter::Path, samples::field};
use forebay_native::{
    curate::SurveyOptions,
    dataset::Dataset,
    input::{PIPE, display},
    output::{AtomicFile, refuse_inputs},
    parallel::all_cores,
};

use super::filtering::{FolderArgs, LimitArgs, PixelLimitArgs, filter, paths};
use crate::{
    exit::Outcome,
    human,
    output::{Output, describe},
    words::threads,
};

/// Which samples are looked at, and how.
#[derive(Debug, clap::Args)]
pub(super) struct SurveyArgs {
    /// Use only samples that match, such as 'width >= 224'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    /// Number of threads.
    #[arg(long, value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pixel_limit: PixelLimitArgs,
    #[command(flatten)]
    folder: FolderArgs,
}

impl SurveyArgs {
    /// Opens all of them; one that cannot be ends the work before it begins.
    pub(super) fn open(&self, files: &[PathBuf]) -> Result<Vec<Dataset>> {
        let limits = self.limits.limits();
        paths(files)?.iter().map(|file| self.folder.open(file, &limits, false)).collect()
    }

    /// How to look; `label` is the field of the class, if classes are wanted.
    pub(super) fn options(&self, label: Option<Option<&str>>) -> Result<SurveyOptions> {
        let mut options = SurveyOptions::default();
        options.workers = self.workers;
        options.filter = filter(self.filter.as_deref())?;
        options.limits = self.pixel_limit.limits(self.limits.limits());
        options.labels = label.map_or(Ok(Vec::new()), class_fields)?;
        Ok(options)
    }
}

/// The fields that may hold the class.
pub(super) fn class_fields(label: Option<&str>) -> Result<Vec<Path>> {
    match label {
        Some(label) => Ok(vec![field(label)?]),
        None => Ok(vec![field("class")?, field("cls")?]),
    }
}

/// A file for what is found, begun before anything is looked at: one that cannot be written is refused at once.
#[derive(Debug)]
pub(super) struct Sheet(AtomicFile);

/// Begins the files that were asked for; none of them is one of the inputs.
pub(super) fn begin_sheets<'a, const N: usize>(
    paths: [Option<&PathBuf>; N],
    inputs: impl IntoIterator<Item = &'a std::path::Path>,
    force: bool,
) -> Result<[Option<Sheet>; N]> {
    let inputs: Vec<_> = inputs.into_iter().collect();
    let mut seen = Vec::new();
    let mut sheets = [const { None }; N];
    for (sheet, path) in sheets.iter_mut().zip(paths) {
        let Some(path) = path else { continue };
        if seen.contains(&path) {
            let message = "two output files have this name";
            return Err(Error::new(&ARGUMENT, message).file(display(path)));
        }
        seen.push(path);
        refuse_inputs(path, inputs.iter().copied())?;
        *sheet = Some(Sheet(AtomicFile::create(path, force)?));
    }
    Ok(sheets)
}

/// Whether a file that was asked for is standard output: nothing else is printed there then.
pub(super) fn to_stdout<const N: usize>(paths: [Option<&PathBuf>; N]) -> bool {
    paths.into_iter().flatten().any(|path| path.as_os_str() == PIPE)
}

impl Sheet {
    /// Fills it; it appears.
    pub(super) fn write(self, text: &str) -> Result<()> {
        let Sheet(mut file) = self;
        file.append(&mut [IoSlice::new(text.as_bytes())])?;
        file.commit(true)
    }
}

/// Names faults on standard error, and says how the command ends.
pub(super) fn tell_faults(count: u64, faults: &[Fault], out: &Output) -> Outcome {
    for fault in faults {
        out.note(format!("fault: {}", describe(fault)));
    }
    if count > faults.len() as u64 {
        let more = human::count(count - faults.len() as u64);
        out.note(format!("and {more} more; forebay check --decode lists them"));
    }
    if count == 0 { Outcome::Fine } else { Outcome::Damaged }
}
