//! The files of a split, which appear together.

use std::{ffi::OsStr, path::Path, time::Instant};

use forebay::{Error, Result, error::codes::ARGUMENT};

use super::division::Part;
use crate::{
    convert::{Job, Options, Progress, Summary, To},
    dataset::Dataset,
    input::{display, remote},
    output::{Stage, refuse_inputs},
};

/// The files of parts that are called so.
fn names_of<'a>(parts: impl Iterator<Item = &'a str>, options: &Options) -> Result<Vec<String>> {
    let extension = if options.to == To::Tar { "tar" } else { "tbl" };
    let name = |part: &str| match part.is_empty() || part.contains(['/', '\\', '\0', '.']) {
        true => {
            let message = format!("a part cannot be called {part:?}: it becomes the name of a file");
            Err(Error::new(&ARGUMENT, message))
        }
        false => Ok(format!("{part}.{extension}")),
    };
    parts.map(name).collect()
}

/// Refuses at once what [`write_parts`] would refuse when all is known: a part that is there already.
#[doc(hidden)]
pub fn refuse_parts<'a>(parts: impl Iterator<Item = &'a str>, folder: &Path, options: &Options) -> Result<()> {
    let names = names_of(parts, options)?;
    match folder.is_dir() || remote::is_remote(folder) {
        true => Stage::begin(folder, OsStr::new("split"), names.into_iter(), options.force).map(drop),
        false => Ok(()),
    }
}

/// Writes each part as a file of its name into `folder`, which is made if it is not there. They wait in a hidden folder until
/// all are whole. With each summary comes how many seconds it took.
pub fn write_parts(
    dataset: &Dataset,
    parts: &[Part],
    folder: &Path,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Vec<(Summary, f64)>> {
    let names = names_of(parts.iter().map(|part| part.part.as_str()), options)?;
    for name in &names {
        refuse_inputs(&remote::beneath(folder, name), [Path::new(dataset.name())])?;
    }
    crate::sharding::make_folder(folder)?;
    let stage = Stage::begin(folder, OsStr::new("split"), names.iter().cloned(), options.force)?;
    let total = parts.iter().map(|part| part.samples).sum();
    let (mut before, mut written) = (0, Vec::with_capacity(parts.len()));
    for (part, name) in parts.iter().zip(&names) {
        let begun = Instant::now();
        let mut options = options.clone();
        (options.force, options.allow_empty) = (stage.forces(), true);
        let job = Job::new(vec![dataset.clone()], options).select(part.numbers.iter().map(|i| (0, *i)).collect());
        let mut told = |now: &Progress| progress(&Progress::of_samples(before + now.samples, total));
        let mut summary = job.run_with(&stage.at(name), &mut told)?;
        summary.output = display(&remote::beneath(folder, name));
        before += part.samples;
        written.push((summary, begun.elapsed().as_secs_f64()));
    }
    stage.commit(&names, options.sync)?;
    Ok(written)
}
