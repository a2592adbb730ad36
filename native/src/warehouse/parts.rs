//! A build that several processes share: each makes a part, which is a shard, and [`build`](super::build) puts together
//! what they made.
//!
//! Parts lie where a build that was ended in the middle leaves its shards, so the build that follows finds them, proves
//! each by its content, makes what is missing, and gives the whole its place. A part that is there and sound is not made
//! again, and a process that dies costs its own part. What goes to a store may be made on machines that share nothing else:
//! parts are objects then, which a copy gives their names in the end.

use std::path::{Path, PathBuf};

use forebay::{Error, Result, error::codes as common};

use super::{Existing, Progress, Settings, any_version, codes, content_before, judge, kept, shards, sources};
use super::{frames::Survey, plan_of, stage::Stage, tally, target, version_of};

/// Begins a build that processes share; how many parts it has. There are none where the warehouse is there already, whole
/// and made of the same, and [`Settings::existing`] keeps it.
pub fn begin_parts(sources: &[PathBuf], out: &Path, settings: &Settings) -> Result<u64> {
    let survey = surveyed(sources, settings)?;
    judge(settings, &tally(&survey, &[]), survey.frames.len() as u64)?;
    if settings.existing != Existing::Replace && any_version(out) {
        let version = version_of(&survey, settings, &content_before(&survey, settings)?);
        if kept::whole(&target(out, &version))?.is_some() {
            return Ok(0);
        }
    }
    let parts = shards::chunks(survey.frames.len(), &settings.shape()?, settings.shard_bytes)?.len();
    let plan = plan_of(&survey, settings);
    Stage::begin(out, &plan)?.leave(out, &plan)?;
    Ok(parts as u64)
}

/// Makes one part of a build that was [begun](begin_parts) with the same sources and settings; how many frames it has.
/// Other processes may make others, or the same, at the same time.
pub fn make_part(
    sources: &[PathBuf],
    out: &Path,
    settings: &Settings,
    part: u64,
    progress: &mut dyn FnMut(&Progress),
) -> Result<u64> {
    let (survey, shape) = (surveyed(sources, settings)?, settings.shape()?);
    let parts = shards::chunks(survey.frames.len(), &shape, settings.shard_bytes)?;
    let number = usize::try_from(part).unwrap_or(usize::MAX);
    let Some(frames) = parts.get(number) else {
        let message = format!("the build has {} parts, so none has the number {part}", parts.len());
        return Err(Error::new(&common::ARGUMENT, message));
    };
    let stage = Stage::share(out, &plan_of(&survey, settings))?;
    shards::make_all(&survey, settings, &stage, shape, Some(number), progress)?;
    survey.unchanged()?;
    stage.bring(number)?;
    Ok(frames.len() as u64)
}

fn surveyed(sources: &[PathBuf], settings: &Settings) -> Result<Survey> {
    let survey = sources::survey(sources, settings)?;
    if survey.frames.is_empty() {
        return Err(Error::new(&codes::NO_FRAMES, "there is no frame to store in the sources").file(&survey.root));
    }
    Ok(survey)
}
