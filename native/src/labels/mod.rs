//! Label files and folders of them, opened: what format they have is found out, pictures are looked at for their sizes,
//! and what comes out are the core's [`Labels`](forebay::annotations::Labels).
//!
//! ```no_run
//! use forebay::annotations::ReadOptions;
//! use forebay_native::labels::Open;
//! let set = Open::new(ReadOptions::default()).pictures("train2017").read("instances_train2017.json".as_ref())?;
//! println!("{} pictures, {} boxes", set.labels.pictures.len(), set.labels.annotations());
//! # Ok::<(), forebay::Error>(())
//! ```

mod beside;
mod drive;
mod images;
mod records;
mod skeleton;
mod write;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    Limits, Result,
    annotations::{Format, LabelStats, Project, ReadOptions, yolo},
    detect::HEAD_LEN,
    formats::{Format as Container, Holds},
};

pub use beside::{Attached, Beside};
pub use forebay::annotations::Set;
pub use records::of_samples;
pub use skeleton::{Sketched, skeleton};
pub use write::{Written, write};

use crate::{Dataset, Input, dataset::OpenOptions, input::display, output::refuse_inputs};
use drive::Driver;
use images::Images;

/// The names in a file that lists classes, one a line, as the files of YOLO's sets do.
#[doc(hidden)]
pub fn class_names(path: &Path) -> Result<Vec<String>> {
    let file = Input::read(path)?;
    let mut data = yolo::Data::default();
    data.take_names(&file.slice(0..file.len())?).map_err(|e| e.file(file.name()))?;
    Ok(data.classes.iter().map(|class| class.name.clone()).collect())
}

/// The project in a file: one of Forebay's, a COCO file, a `data.yaml`, or a list of names.
pub fn read_project(path: &Path, limits: &Limits) -> Result<Project> {
    let file = Input::read(path)?;
    limits
        .item(file.len())
        .and_then(|_| Project::read(&file.slice(0..file.len())?, limits))
        .map_err(|e| e.file(file.name()))
}

/// What is asked once the format is known.
type Check = Arc<dyn Fn(Format) -> Result<()> + Send + Sync>;

/// How label files are opened.
#[derive(Clone, Default)]
pub struct Open {
    check: Option<Check>,
    options: ReadOptions,
    format: Option<Format>,
    pictures: Option<Images>,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Open { options, format, pictures, .. } = self;
        f.debug_struct("Open").field("options", options).field("format", format).field("pictures", pictures).finish()
    }
}

impl Open {
    /// Reads by these options.
    pub fn new(options: ReadOptions) -> Open {
        Open { options, ..Open::default() }
    }

    /// Takes the files to have this format, whatever they look like.
    #[must_use]
    pub fn format(mut self, format: Option<Format>) -> Open {
        self.format = format;
        self
    }

    /// Asks `check` once the format of the files is known, before they are read: whether it goes with the options.
    #[must_use]
    pub fn when_found(mut self, check: impl Fn(Format) -> Result<()> + Send + Sync + 'static) -> Open {
        self.check = Some(Arc::new(check));
        self
    }

    /// Looks at the pictures in this folder: their sizes count, and one that is not there is a fault.
    #[must_use]
    pub fn pictures(mut self, folder: impl Into<PathBuf>) -> Open {
        self.pictures = Some(Images::Folder(folder.into()));
        self
    }

    /// Takes the samples of these datasets to be the pictures, where the labels alone do not say enough. That they are all
    /// there is not asked for, and their sizes count when the labels are laid [beside](Beside) them.
    #[must_use]
    pub fn samples(mut self, datasets: Vec<Dataset>) -> Open {
        self.pictures = Some(Images::Samples(datasets));
        self
    }

    /// The options by which it reads.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Reads a label file, or a folder of them.
    pub fn read(&self, path: &Path) -> Result<Set> {
        self.read_after(path, |_| Ok(()))
    }

    /// The same for what becomes `output`, which is not to take the place of a file that is read.
    pub fn read_for(&self, path: &Path, output: &Path) -> Result<Set> {
        refuse_inputs(output, [path])?;
        self.read_after(path, |files| refuse_inputs(output, files.iter().map(PathBuf::as_path)))
    }

    /// The same; `first` hears, before they are read, which files say what is labeled: the one of that name, or those of a
    /// folder that have its format.
    pub(crate) fn read_after(&self, path: &Path, first: impl FnOnce(&[PathBuf]) -> Result<()>) -> Result<Set> {
        if self.are_records(path)? {
            first(&[path.to_owned()])?;
            return self.records(path);
        }
        let driver = self.found(path)?;
        first(&driver.chosen())?;
        driver.read()
    }

    /// Counts what there is. A COCO file is counted as it comes: its annotations are not held.
    pub fn stats(&self, path: &Path) -> Result<(Format, LabelStats)> {
        let set = match self.are_records(path)? {
            true => self.records(path)?,
            false => self.found(path)?.only_counts().read()?,
        };
        let stats = set.stats.unwrap_or_else(|| LabelStats::of(&set.labels));
        Ok((set.format, stats))
    }

    /// Only finds out which format the files have, and whether that goes with the options.
    #[doc(hidden)]
    pub fn look(&self, path: &Path) -> Result<()> {
        match self.are_records(path)? {
            true => self.go(Format::Records, path),
            false => self.found(path).map(drop),
        }
    }

    /// A set whose format is known, and goes with the options.
    fn found<'a>(&'a self, path: &'a Path) -> Result<Driver<'a>> {
        let mut driver = Driver::new(path, self.format, self.pictures.as_ref(), &self.options)?;
        let format = driver.find()?;
        self.go(format, path)?;
        Ok(driver)
    }

    fn go(&self, format: Format, path: &Path) -> Result<()> {
        self.check.as_ref().map_or(Ok(()), |check| check(format)).map_err(|e| e.file(display(path)))
    }

    /// Whether it is a file of samples, which may carry their annotations.
    fn are_records(&self, path: &Path) -> Result<bool> {
        if self.format.is_some() || drive::is_folder(path) {
            return Ok(self.format == Some(Format::Records));
        }
        let input = Input::pieces(path)?;
        let head = input.slice(0..input.len().min(HEAD_LEN))?;
        let found = forebay::detect::detect(&head);
        Ok(found.is_some_and(|found| found.holds() == Holds::Samples && found != Container::Warehouse))
    }

    fn records(&self, path: &Path) -> Result<Set> {
        self.go(Format::Records, path)?;
        let mut options = OpenOptions::default();
        options.limits = self.options.limits.clone();
        let mut labels = of_samples(&Dataset::open_with(path, &options)?, &self.options)?;
        if let Some(Images::Folder(folder)) = &self.pictures {
            let look = |name: &str| images::seen(&folder.join(name));
            labels.told(Format::Records, &self.options, look).map_err(|e| e.file(display(path)))?;
            labels.notes.forget_annotations();
            labels.count();
        }
        Ok(Set::new(Format::Records, labels))
    }
}
