//! Arguments that several commands share: the files, the filter, the limits.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    path::{Path, PathBuf},
};

use forebay::{Error, Limits, Result, check::Fault, error::codes, filter::Filter, samples::is_of_sample};
use forebay_native::{
    convert::StreamInput,
    dataset::{Dataset, OpenOptions},
    input, remote,
    tables::table_format,
};

use crate::{
    exit::Outcome,
    output::{Output, describe},
};

/// Bounds on what a file may cost.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Largest sample after decompression, in bytes.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = Limits::host().item_bytes)]
    max_sample_bytes: u64,
}

impl LimitArgs {
    pub fn limits(&self) -> Limits {
        Limits::host().with_item_bytes(self.max_sample_bytes)
    }
}

/// Bounds on what an image may cost, for commands that decode.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PixelLimitArgs {
    /// Largest image to decode, in pixels.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = Limits::host().pixels)]
    max_pixels: u64,
}

impl PixelLimitArgs {
    pub fn limits(&self, limits: Limits) -> Limits {
        limits.with_pixels(self.max_pixels)
    }
}

/// Faults that are named for people, and with JSON; more are only counted.
const NAMED: usize = 20;

/// Samples that could not be read as they should, while the work went on with the others.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub all: Vec<Fault>,
    pub count: u64,
}

impl Faults {
    /// Takes in what is wrong with one sample; what is wrong with the system is an error.
    pub fn forgive<T>(&mut self, i: u64, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(e) if is_of_sample(&e) => {
                self.add(&e.sample(i));
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    pub fn add(&mut self, e: &Error) {
        self.count += 1;
        if self.all.len() < NAMED {
            self.all.push(Fault::from(e));
        }
    }

    /// Names them on standard error, and says how the command ends.
    pub fn tell(&self, out: &Output) -> Outcome {
        for fault in &self.all {
            out.note(format!("fault: {}", describe(fault)));
        }
        if self.count > self.all.len() as u64 {
            out.note(format!("and {} more; forebay check lists them", self.count - self.all.len() as u64));
        }
        if self.count == 0 { Outcome::Fine } else { Outcome::Damaged }
    }
}

/// How a folder of images is read.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct FolderArgs {
    /// Folders: level whose names are the classes; 0 for none.
    ///
    /// Level 1 is the first. By default, it is the first, or the one inside a single folder or inside train, val and
    /// test.
    #[arg(long, hide_short_help = true, value_name = "N")]
    class_level: Option<u32>,
}

impl FolderArgs {
    /// Opens a dataset that is asked at random.
    pub fn open(&self, path: &Path, limits: &Limits, keep_going: bool) -> Result<Dataset> {
        self.check(path)?;
        open_with(path, limits, keep_going, self.class_level, None)
    }
    /// Opens a dataset; with a number, only that many samples from its beginning are needed.
    pub fn open_first(&self, path: &Path, limits: &Limits, first: Option<u64>) -> Result<Dataset> {
        self.check(path)?;
        open_with(path, limits, false, self.class_level, first)
    }
    /// Refuses a level for a file.
    pub fn check(&self, path: &Path) -> Result<()> {
        if self.class_level.is_some() && !path.is_dir() && !remote::is_folder(path) {
            let message = "--class-level is for folders of images, but this is a file";
            return Err(Error::new(&codes::ARGUMENT, message).file(input::display(path)));
        }
        Ok(())
    }
    /// The level, if it is given.
    pub fn level(&self) -> Option<u32> {
        self.class_level
    }
    /// Whether the level is given.
    pub fn given(&self) -> bool {
        self.class_level.is_some()
    }
}

/// Opens a dataset that is asked at random. What can only be read in order is refused with advice.
pub(crate) fn open(path: &Path, limits: &Limits, keep_going: bool) -> Result<Dataset> {
    open_with(path, limits, keep_going, None, None)
}

fn open_with(
    path: &Path,
    limits: &Limits,
    keep_going: bool,
    class_level: Option<u32>,
    first: Option<u64>,
) -> Result<Dataset> {
    let mut options = OpenOptions::default();
    (options.limits, options.keep_going, options.class_level) = (limits.clone(), keep_going, class_level);
    options.first_samples = first;
    Dataset::open_with(path, &options).map_err(|e| advised(e, path, limits))
}

/// What to do with a file that does not hold samples, or cannot be asked at random.
pub(crate) fn advised(e: Error, path: &Path, limits: &Limits) -> Error {
    // Looking into a pipe once more would wait for bytes that nobody sends.
    if e.code() == &input::codes::PIPE {
        return e.more("of tables, text is read from a pipe with --from csv, tsv or jsonl");
    }
    if e.code() == &codes::NOT_SAMPLES {
        match StreamInput::open(path, limits) {
            Ok(Some(_)) => {
                let message = "a compressed archive can only be read in order; convert it first: forebay convert";
                return Error::new(&codes::NOT_SAMPLES, format!("{message} {} out.tbl", input::display(path)))
                    .file(input::display(path));
            }
            // What is compressed is not an archive, and named.
            Err(inside) if inside.code() == &codes::UNKNOWN_FORMAT => return inside,
            _ => {}
        }
    }
    if matches!(table_format(path), Ok(Some(_))) {
        let message =
            "this is a table, and this command needs samples; tables go with inspect, head, stats, check and convert";
        return Error::caused(&codes::NOT_SAMPLES, message, e).file(input::display(path));
    }
    e
}

/// The files that patterns such as `shards/*.tbl` stand for.
pub(crate) fn paths(names: &[PathBuf]) -> Result<Vec<PathBuf>> {
    input::expand(names)
}

/// As [`paths`], for what is to become one. A pattern that finds shards, `NAME-00001-of-00004.tbl`, must find all of
/// the set and none of another: where `split` was ended in the middle, or wrote fewer shards before, it does not.
pub(crate) fn whole_sets(names: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for name in names {
        let found = input::expand(std::slice::from_ref(name))?;
        if found.as_slice() != std::slice::from_ref(name) {
            check_sets(&found).map_err(|e| e.file(input::display(name)))?;
        }
        all.extend(found);
    }
    Ok(all)
}

fn check_sets(found: &[PathBuf]) -> Result<()> {
    // By folder, name and extension; of how many; which.
    type Sets<'a> = BTreeMap<(Option<&'a Path>, &'a str, &'a str), BTreeMap<u64, BTreeSet<u64>>>;
    let mut sets = Sets::new();
    for path in found {
        if let Some((name, number, count, extension)) = path.file_name().and_then(OsStr::to_str).and_then(shard) {
            let set = sets.entry((path.parent(), name, extension)).or_default();
            set.entry(count).or_default().insert(number);
        }
    }
    let wrong = |message: String| {
        let message = format!("{message}; write the set again, or name its files one by one to join just these");
        Err(Error::new(&codes::ARGUMENT, message))
    };
    for ((_, name, _), counts) in sets {
        let mut counts = counts.into_iter();
        let Some((count, numbers)) = counts.next() else { continue };
        if let Some((other, _)) = counts.next() {
            return wrong(format!("the pattern finds shards of two sets of {name}, of {count} and of {other}"));
        }
        if let Some(missing) = (0..count).find(|number| !numbers.contains(number)) {
            let has = numbers.len();
            return wrong(format!("the pattern finds {has} of {count} shards of {name}, and not number {missing}"));
        }
    }
    Ok(())
}

/// A shard's name in parts: the dataset, its number, how many there are, the extension.
fn shard(file: &str) -> Option<(&str, u64, u64, &str)> {
    let (rest, extension) = file.rsplit_once('.')?;
    let (rest, count) = rest.rsplit_once("-of-")?;
    let (name, number) = rest.rsplit_once('-')?;
    let digits = |text: &str| (text.len() >= 5 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok());
    let (number, count) = (digits(number)??, digits(count)??);
    (number < count).then_some((name, number, count, extension))
}

/// Parses `--where`.
pub(crate) fn filter(text: Option<&str>) -> Result<Option<Filter>> {
    text.map(Filter::parse).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_shards_is_whole_or_refused() {
        let check = |names: &[&str]| check_sets(&names.iter().map(PathBuf::from).collect::<Vec<_>>());
        let all = ["d/a-00000-of-00002.tbl", "d/a-00001-of-00002.tbl"];
        check(&all).unwrap();
        check(&[]).unwrap();
        check(&[all.as_slice(), &["d/b-00000-of-00001.tbl", "d/c.tbl", "e/a-00000-of-00001.tbl"]].concat()).unwrap();
        check(&["d/a-00002-of-00002.tbl", "d/a-1-of-4.tbl", "a-of-00002.tbl"]).unwrap();
        let e = check(&all[1..]).unwrap_err();
        assert!(e.message().contains("1 of 2 shards of a, and not number 0"), "{e}");
        let e = check(&[all.as_slice(), &["d/a-00000-of-00001.tbl"]].concat()).unwrap_err();
        assert!(e.message().contains("of 1 and of 2"), "{e}");
    }
}
