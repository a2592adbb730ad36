//! Building tensor warehouses: pictures decoded, resized and written once, with their boxes, for training without decoding.
//!
//! ```no_run
//! use forebay_native::warehouse::{self, Settings};
//! let settings = Settings::default().with_size(384, 384).with_max_boxes(16);
//! let built = warehouse::build(&["captures".into()], "warehouse".as_ref(), &settings)?;
//! println!("{} samples in {}", built.samples, built.manifest.display());
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `settings.rs` | what is asked for |
//! | `sources.rs`, `recorder.rs`, `labels.rs`, `frames.rs` | what there is to be stored |
//! | `marked.rs` | the same labels for a loader: outlines, masks and key points too |
//! | `image.rs`, `make.rs`, `shards.rs` | pictures to images, images to shards |
//! | `stage.rs`, `shared_folder.rs` | where they are until all is whole; where parts meet that go to a store |
//! | `parts.rs` | builds that several processes share |
//! | `kept.rs` | the warehouses of a folder |
//! | `export.rs`, `samples.rs` | the summary as a table; the samples as one |
//! | `difference.rs`, `drift.rs` | two warehouses beside each other: sample by sample, and as counts |

mod chunk;
pub mod codes;
mod difference;
mod drift;
#[cfg(feature = "arrow")]
mod export;
mod frames;
mod image;
mod kept;
mod labels;
mod make;
mod marked;
mod parts;
mod progress;
mod recorder;
mod samples;
mod settings;
mod shards;
mod shared_folder;
mod sources;
mod stage;
mod trace;
mod writing;

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use forebay::{
    Error, Limits, Result,
    error::codes as common,
    warehouse::{
        MANIFEST_NAME, Manifest, RunTally, ShardEntry, Summary, Transform,
        codes::THRESHOLD,
        summary,
        version::{self, Recipe, Version},
    },
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

#[doc(hidden)]
pub use crate::difference::{Changed, Only};
use crate::{
    input::{codes::CHANGED, display, remote},
    shards::{OpenWarehouse, WarehouseOptions},
};
use chunk::{Chunk, Kept as Became};
pub use difference::{Difference, Setting, difference};
pub use drift::{drift, statistics};
#[cfg(feature = "arrow")]
pub use export::export;
pub use frames::Refused;
pub(crate) use frames::{Frame, GivenBox, Place, Survey};
pub(crate) use image::{How, Imager, decode_options, place};
pub use kept::{Kept, KeptReport, Removed, gc, list, read_manifest};
pub(crate) use marked::{Marked, marked};
pub use parts::{begin_parts, make_part};
pub use progress::Progress;
pub use samples::export_samples;
pub use settings::{Existing, Settings};
pub(crate) use sources::survey_with;
use stage::{Stage, exists};

/// The result of a build.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseBuilt"))]
#[non_exhaustive]
pub struct Built {
    /// The manifest's path.
    #[serde(serialize_with = "shown")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub manifest: PathBuf,
    /// The version key.
    pub version: String,
    /// Samples that are stored.
    pub samples: u64,
    /// Shards.
    pub shards: u64,
    /// Bytes of all shards.
    pub bytes: u64,
    /// Counts of the frames of each run.
    pub summary: Summary,
    /// Every frame that was refused.
    pub refused: Vec<Refused>,
    /// Thresholds that are broken, and were allowed to be.
    pub violations: Vec<String>,
    /// Remarks about the sources.
    pub notes: Vec<String>,
    /// Frames that an earlier build, which was ended in the middle, had done.
    pub resumed: u64,
    /// It was there already, and still is what the sources make.
    pub reused: bool,
}

fn shown<S: Serializer>(path: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&display(path))
}

/// Builds a warehouse of sources in the folder `out`, in a folder of its own that is named by its version.
pub fn build(sources: &[PathBuf], out: &Path, settings: &Settings) -> Result<Built> {
    build_with(sources, out, settings, &mut |_| {})
}

/// As [`build`], telling how far it is.
pub fn build_with(
    sources: &[PathBuf],
    out: &Path,
    settings: &Settings,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Built> {
    let shape = settings.shape()?;
    if let Some(path) = &settings.trace {
        // Now, and not when all pictures were looked at.
        trace::refuse_other(path, &display(path))?;
    }
    let mut survey = sources::survey(sources, settings)?;
    if survey.frames.is_empty() && survey.refused.is_empty() {
        return Err(Error::new(&codes::NO_FRAMES, "there is no frame to store in the sources").file(&survey.root));
    }
    // Frames that are refused for their labels stay refused, so that a build that must fail fails now.
    let tallies = tally(&survey, &[]);
    judge(settings, &tallies, survey.frames.len() as u64)?;
    let looked = match any_version(out) {
        false => None,
        true => match before(&mut survey, out, settings)? {
            Before::Same(built) => return Ok(*built),
            Before::Other(content) => Some(content),
        },
    };
    let stage = Stage::begin(out, &plan_of(&survey, settings))?;
    let work = || {
        let (chunks, resumed) = shards::make_all(&survey, settings, &stage, shape, None, progress)?;
        survey.unchanged()?;
        let digests = chunks.iter().flat_map(|chunk| &chunk.frames).map(|frame| frame.digest.as_str());
        let content = survey.content(digests);
        match looked.is_some_and(|before| before != content) {
            true => Err(frames::changed().file(&survey.root)),
            false => Ok((chunks, resumed, content)),
        }
    };
    let (chunks, resumed, content) = work().inspect_err(|e| {
        // Nobody goes on from sources that are not there any more.
        if e.code() == &CHANGED {
            stage.discard();
        }
    })?;
    let tallies = tally(&survey, &chunks);
    let violations = judge(settings, &tallies, 0)?;
    let refused = refused(&survey, &chunks);
    let stored: u64 = tallies.iter().map(RunTally::stored).sum();
    if stored == 0 {
        stage.discard();
        let first = refused.first().map(|refused| format!("; the first: {}: {}", refused.file, refused.reason));
        let all = survey.frames.len() + survey.refused.len();
        let message = format!("no frame of {all} can be stored{}", first.unwrap_or_default());
        return Err(Error::new(&codes::NO_FRAMES, message).file(&survey.root));
    }
    let version = version_of(&survey, settings, &content);
    let target = target(out, &version);
    let mut manifest = manifest_for(&survey, settings, sources, version);
    manifest.summary = summary(&tallies);
    if !violations.is_empty() {
        manifest.other.insert("violations_allowed".into(), json!(violations));
    }
    let (names, bytes) = list_shards(&mut manifest, &chunks);
    let text = manifest.to_bytes()?;
    let replace = settings.existing != Existing::Refuse;
    stage.place(&target, &names, (MANIFEST_NAME, &text), replace, settings.sync)?;
    Ok(Built {
        manifest: remote::beneath(&target, MANIFEST_NAME),
        version: manifest.version,
        samples: stored,
        shards: names.len() as u64,
        bytes,
        summary: manifest.summary,
        refused,
        violations,
        notes: survey.notes,
        resumed,
        reused: false,
    })
}

/// A warehouse of some version is there already.
enum Before {
    /// It is what the sources make, and may stay.
    Same(Box<Built>),
    /// It goes, or is another one; what the sources hold.
    Other(String),
}

fn before(survey: &mut Survey, out: &Path, settings: &Settings) -> Result<Before> {
    let content = content_before(survey, settings)?;
    let target = target(out, &version_of(survey, settings, &content));
    if is_there(&target)? {
        match settings.existing {
            Existing::Refuse => return Err(exists(&target)),
            Existing::Reuse => {
                if let Some(built) = reuse(&target, survey, settings)? {
                    return Ok(Before::Same(Box::new(built)));
                }
                survey.notes.push(format!("{} was damaged, and is built again", display(&target)));
            }
            Existing::Replace => {}
        }
    }
    Ok(Before::Other(content))
}

/// The manifest before its shards are listed.
fn manifest_for(survey: &Survey, settings: &Settings, sources: &[PathBuf], version: Version) -> Manifest {
    let transform = recipe(survey, settings).transform;
    let mut manifest = Manifest::new(survey.root.clone(), transform, version, settings.dtype);
    manifest.created_at_ms = settings.created_at_ms.unwrap_or_else(now);
    manifest.thresholds = settings.thresholds.clone();
    manifest.classes = (!survey.classes.is_empty()).then(|| survey.classes.clone());
    if sources.len() > 1 || settings.labels.is_some() {
        let all = sources.iter().chain(&settings.labels).map(|path| display(path));
        manifest.other.insert(crate::shards::SOURCES.into(), all.collect::<Vec<_>>().into());
    }
    manifest
}

/// Lists the shards: the chunk of each with its name, and the bytes of all.
fn list_shards(manifest: &mut Manifest, chunks: &[Chunk]) -> (Vec<(usize, String)>, u64) {
    let (mut names, mut bytes) = (Vec::new(), 0);
    for (number, chunk) in chunks.iter().enumerate() {
        if let Some(shard) = &chunk.shard {
            let entry = ShardEntry::new(names.len(), &shard.shape(), shard.samples, shard.checksum_sha256.clone());
            names.push((number, entry.relative_path.clone()));
            manifest.shards.push(entry);
            bytes += chunk.bytes;
        }
    }
    (names, bytes)
}

/// Opens the warehouse of a manifest, or of the folder that has it. Nothing is proven by checksums.
fn open(path: &Path, limits: &Limits) -> Result<OpenWarehouse> {
    let manifest = match crate::shards::manifest_of(path) {
        Some(manifest) => manifest,
        None => manifest_named(path)?,
    };
    let how = WarehouseOptions { limits: limits.clone(), ..WarehouseOptions::default() };
    crate::shards::open(&manifest, &how)
}

/// Where the manifest is that is meant by its own path, or by that of the folder that has it. A folder without one is not a
/// warehouse; perhaps it holds some.
fn manifest_named(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() && !remote::is_folder(path) {
        return Ok(path.to_owned());
    }
    let manifest = remote::beneath(path, MANIFEST_NAME);
    if remote::is_remote(path) || manifest.exists() {
        return Ok(manifest);
    }
    crate::folder::Folder::open(path)?.refuse_without_pictures()?;
    let message = format!("the folder has no {MANIFEST_NAME}, so it is not a warehouse");
    Err(Error::new(&common::NOT_SAMPLES, message).file(display(path)))
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// What builds that go on from each other have in common: all that their version follows from but the pictures, which are
/// not read yet.
fn plan_of(survey: &Survey, settings: &Settings) -> String {
    let version = version_of(survey, settings, "");
    survey.plan(&json!([version.text, version_words()]).to_string())
}

fn version_words() -> &'static str {
    concat!("forebay ", env!("CARGO_PKG_VERSION"))
}

fn target(out: &Path, version: &Version) -> PathBuf {
    remote::beneath(out, format!("v{}", version.key))
}

/// Whether something is there; of a store, whether it is a warehouse.
fn is_there(target: &Path) -> Result<bool> {
    match remote::is_remote(target) {
        true => Ok(remote::found(&remote::beneath(target, MANIFEST_NAME))?.is_some()),
        false => Ok(target.symlink_metadata().is_ok()),
    }
}

/// Whether there is any warehouse in the folder.
fn any_version(out: &Path) -> bool {
    kept::versions(out).is_ok_and(|found| !found.is_empty())
}

/// What the first builder's key follows from.
fn recipe(survey: &Survey, settings: &Settings) -> Recipe {
    Recipe {
        dataset_root: survey.root.clone(),
        transform: Transform::new(Some(settings.size), settings.resize, u64::from(settings.max_boxes)),
        skip_empty: settings.skip_empty,
        code_version: settings.code_version.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").into()),
    }
}

/// What else decides about the bytes.
fn more(settings: &Settings, content: &str) -> Vec<(&'static str, Value)> {
    use forebay::words::Word as _;
    let boxes = if settings.f32_boxes { "f32" } else { "default" };
    vec![
        ("dtype", settings.dtype.name().into()),
        ("boxes", boxes.into()),
        ("exif", settings.exif.word().into()),
        ("jpeg", "forebay".into()),
        ("filter", "triangle-f32".into()),
        ("shard_bytes", settings.shard_bytes.into()),
        ("content", content.into()),
    ]
}

fn version_of(survey: &Survey, settings: &Settings, content: &str) -> Version {
    version::key(&recipe(survey, settings), &more(settings, content))
}

fn content_before(survey: &Survey, settings: &Settings) -> Result<String> {
    Ok(survey.content(shards::digests(survey, settings)?.iter().map(String::as_str)))
}

/// What became of the frames of each run, as far as is known.
fn tally(survey: &Survey, chunks: &[Chunk]) -> Vec<RunTally> {
    let mut tallies: Vec<RunTally> = survey.runs.iter().map(RunTally::new).collect();
    for refused in &survey.refused {
        if let Some(run) = tallies.get_mut(refused.run) {
            run.refuse(refused.cause);
        }
    }
    for (frame, entry) in survey.frames.iter().zip(chunks.iter().flat_map(|chunk| &chunk.frames)) {
        let Some(run) = tallies.get_mut(frame.run) else { continue };
        match &entry.became {
            Became::Stored { boxes, turned } => run.take(&shards::counted(*boxes), true, *turned),
            Became::Empty { boxes } => run.take(&shards::counted(*boxes), false, false),
            Became::Refused { cause, .. } => run.refuse(shards::cause(cause)),
        }
    }
    tallies
}

/// The thresholds that are broken; refused unless that is allowed. `open` frames may still turn out well.
fn judge(settings: &Settings, tallies: &[RunTally], open: u64) -> Result<Vec<String>> {
    let mut totals = summary(tallies).totals;
    totals.total = totals.total.saturating_add(open);
    let mut broken = settings.thresholds.broken_by(&totals);
    if open > 0 {
        broken.iter_mut().for_each(|one| one.insert_str(0, "at least "));
    }
    permit(settings, broken)
}

/// Thresholds that are broken, if they may be.
fn permit(settings: &Settings, broken: Vec<String>) -> Result<Vec<String>> {
    if broken.is_empty() || settings.allow_violations {
        return Ok(broken);
    }
    let message = format!("thresholds are broken: {}", broken.join("; "));
    Err(Error::new(&THRESHOLD, message).with_options(&["allow_violations"]))
}

/// Every frame that is refused, in the order of the runs.
fn refused(survey: &Survey, chunks: &[Chunk]) -> Vec<Refused> {
    let mut all = survey.refused.clone();
    for (frame, entry) in survey.frames.iter().zip(chunks.iter().flat_map(|chunk| &chunk.frames)) {
        if let Became::Refused { cause, reason } = &entry.became {
            let cause = shards::cause(cause);
            all.push(Refused { cause, file: frame.source.clone(), reason: reason.clone(), run: frame.run });
        }
    }
    all.sort_by_key(|refused| refused.run);
    all
}

/// The warehouse that is there, if it is still what its manifest says. It has to hold the thresholds of now, which may be
/// others than those that it was built with.
fn reuse(target: &Path, survey: &Survey, settings: &Settings) -> Result<Option<Built>> {
    let Some((manifest, bytes)) = kept::whole(target)? else { return Ok(None) };
    let violations = permit(settings, settings.thresholds.broken_by(&manifest.summary.totals))?;
    Ok(Some(Built {
        manifest: remote::beneath(target, MANIFEST_NAME),
        samples: manifest.samples(),
        shards: manifest.shards.len() as u64,
        bytes,
        version: manifest.version,
        summary: manifest.summary,
        refused: survey.refused.clone(),
        violations,
        notes: survey.notes.clone(),
        resumed: 0,
        reused: true,
    }))
}
