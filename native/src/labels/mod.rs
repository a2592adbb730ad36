//! Label files and folders of them, opened: what format they have is found out, pictures are looked at for their sizes,
//! and what comes out are the core's [`Labels`].
//!
//! ```no_run
//! use forebay::annotations::ReadOptions;
//! use forebay_native::labels::Open;
//! let set = Open::new(ReadOptions::default()).pictures("train2017").read("instances_train2017.json".as_ref())?;
//! println!("{} pictures, {} boxes", set.labels.pictures.len(), set.labels.annotations());
//! # Ok::<(), forebay::Error>(())
//! ```

mod beside;
mod files;
mod records;
mod sets;
mod shelf;
mod write;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    Error, Result,
    annotations::{
        Format, LabelStats, Labels, Notes, Picture, ReadOptions, Tally, coco, codes, createml, dota, kitti, labelme,
        labelstudio, recorder, via, voc,
    },
    words::Word,
};

pub use beside::{Attached, Beside};
pub use files::Files;
pub use records::of_samples;
pub use write::{Written, write};

use crate::{Dataset, Input, dataset::OpenOptions};
use shelf::Shelf;

/// Bytes of a file that are read at once where it is not read whole.
const PIECE: u64 = 1 << 20;

/// What was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Set {
    /// The format that it had.
    pub format: Format,
    /// What it holds.
    pub labels: Labels,
}

/// What is asked once the format is known.
type Check = Arc<dyn Fn(Format) -> Result<()> + Send + Sync>;

/// How label files are opened.
#[derive(Clone, Default)]
pub struct Open {
    check: Option<Check>,
    options: ReadOptions,
    format: Option<Format>,
    pictures: Option<Shelf>,
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

    /// Which files make the set.
    fn find(&self, path: &Path) -> Result<Files> {
        let files = Files::find(path, self.format)?;
        let name = || crate::input::display(path);
        self.check.as_ref().map_or(Ok(()), |check| check(files.format)).map_err(|e| e.file(name()))?;
        Ok(files)
    }

    /// Looks at the pictures in this folder: their sizes count, and one that is not there is a fault.
    #[must_use]
    pub fn pictures(mut self, folder: impl Into<PathBuf>) -> Open {
        self.pictures = Some(Shelf::Folder(folder.into()));
        self
    }

    /// Takes the samples of these datasets to be the pictures, where the labels alone do not say enough. That they are all
    /// there is not asked for, and their sizes count when the labels are laid [beside](Beside) them.
    #[must_use]
    pub fn samples(mut self, datasets: Vec<Dataset>) -> Open {
        self.pictures = Some(Shelf::Samples(datasets));
        self
    }

    /// The options by which it reads.
    pub fn options(&self) -> &ReadOptions {
        &self.options
    }

    /// Reads a label file, or a folder of them.
    pub fn read(&self, path: &Path) -> Result<Set> {
        let files = self.find(path)?;
        let mut labels = self.gathered(&files)?;
        let name = crate::input::display(path);
        // A set of YOLO has looked at its pictures.
        if let Some(folder) = self.folder().filter(|_| files.format != Format::Yolo) {
            let look = |name: &str| shelf::seen(&folder.join(name));
            labels.told(files.format, &self.options, look).map_err(|e| e.file(&name))?;
            labels = recounted(labels);
        }
        Ok(Set { format: files.format, labels })
    }

    /// Counts what there is. A COCO file is counted as it comes: its annotations are not held.
    pub fn stats(&self, path: &Path) -> Result<(Format, LabelStats)> {
        let files = self.find(path)?;
        if files.format != Format::Coco || self.pictures.is_some() {
            let set = self.read(path)?;
            return Ok((set.format, LabelStats::of(&set.labels)));
        }
        let input = Input::pieces(files.only()?)?;
        let mut tally = Tally::default();
        let (mut notes, mut labelled) = stream(&input, &self.options, &mut tally)?;
        if tally.is_late() {
            tally = tally.again();
            (notes, labelled) = stream(&input, &self.options, &mut tally)?;
        }
        Ok((Format::Coco, tally.stats(notes, labelled)))
    }

    fn gathered(&self, files: &Files) -> Result<Labels> {
        match files.format {
            Format::Coco => {
                let input = Input::pieces(files.only()?)?;
                let mut gather = coco::Gather::default();
                let (notes, labelled) = stream(&input, &self.options, &mut gather)?;
                gather.labels(notes, labelled, &self.options).map_err(|e| e.file(input.name()))
            }
            Format::LabelStudio => self.whole(files, labelstudio::read),
            Format::Via => self.whole(files, via::read),
            Format::CreateMl => self.whole(files, createml::read),
            Format::LabelMe => {
                let read = |file: &PathBuf| Ok((crate::input::display(file), bytes(file)?));
                let texts = files.list.iter().map(read).collect::<Result<Vec<_>>>()?;
                labelme::read_all(texts.iter().map(|(name, text)| (name.as_str(), &text[..])), &self.options)
            }
            Format::Recorder => self.frames(files),
            Format::Cvat => sets::cvat_file(files.only()?, &self.options),
            Format::Yolo => sets::yolo_set(&files.root, self.pictures.as_ref(), &self.options),
            Format::OpenImages => sets::open_images_set(files, self.pictures.as_ref(), &self.options),
            Format::Records => {
                let mut options = OpenOptions::default();
                options.limits = self.options.limits.clone();
                of_samples(&Dataset::open_with(files.only()?, &options)?, &self.options)
            }
            Format::Voc => {
                sets::each(files, |texts| voc::read_all(named(texts), &self.options), self.pictures.as_ref())
            }
            Format::Kitti => {
                sets::each(files, |texts| kitti::read_all(named(texts), &self.options), self.pictures.as_ref())
            }
            Format::Dota => {
                sets::each(files, |texts| dota::read_all(named(texts), &self.options), self.pictures.as_ref())
            }
            other => {
                let message = format!("labels of the format {} are not read from files yet", other.word());
                Err(Error::new(&codes::UNSUPPORTED, message).file(crate::input::display(&files.root)))
            }
        }
    }

    /// The folder of the pictures.
    fn folder(&self) -> Option<&Path> {
        match &self.pictures {
            Some(Shelf::Folder(folder)) => Some(folder),
            _ => None,
        }
    }

    /// A file that is read whole.
    fn whole(&self, files: &Files, read: impl Fn(&[u8], &ReadOptions) -> Result<Labels>) -> Result<Labels> {
        let file = files.only()?;
        read(&bytes(file)?, &self.options).map_err(|e| e.file(crate::input::display(file)))
    }

    /// The recorder's frames: their pictures lie beside the folder of the labels, and give the sizes for fractions.
    fn frames(&self, files: &Files) -> Result<Labels> {
        let mut labels = Labels::default();
        for file in &files.list {
            let name = crate::input::display(file);
            let frame = recorder::read(&bytes(file)?, &self.options).map_err(|e| e.file(&name))?;
            let run = file.parent().and_then(Path::parent).unwrap_or(Path::new(""));
            let seen = shelf::seen(&run.join(&frame.image))?;
            let run = run.strip_prefix(&files.root).unwrap_or(Path::new(""));
            let (width, height) = match seen {
                Some(seen) => (seen.width, seen.height),
                None if frame.boxes.iter().all(|one| one.pixels.is_some()) => (0, 0),
                None => {
                    let message = format!("there is not a picture {:?}, whose size its boxes need", frame.image);
                    return Err(Error::new(&codes::PICTURE, message).file(&name));
                }
            };
            let mut picture: Picture = frame.picture(width, height, &mut labels.notes);
            if width == 0 {
                (picture.width, picture.height) = (None, None);
            }
            // Frames of several runs have the same names.
            if let Some(run) = run.to_str().filter(|run| !run.is_empty()) {
                picture.name = format!("{}/{}", run.replace('\\', "/"), picture.name);
            }
            labels.pictures.push(picture);
        }
        labels.count();
        Ok(labels)
    }
}

/// Labels whose annotations are counted anew, since sizes are known now.
fn recounted(mut labels: Labels) -> Labels {
    labels.notes.forget_annotations();
    labels.count();
    labels
}

/// Reads a COCO file piece by piece.
fn stream(input: &Input, options: &ReadOptions, sink: &mut impl coco::Sink) -> Result<(Notes, bool)> {
    let named = |e: Error| e.file(input.name());
    let mut reader = coco::Reader::new(options);
    input.sequential();
    let mut at = 0;
    while at < input.len() {
        let end = (at + PIECE).min(input.len());
        reader.feed(&input.slice(at..end)?, sink).map_err(named)?;
        input.release(at..end);
        at = end;
    }
    let labelled = reader.has_annotations();
    let notes = reader.finish(sink).map_err(named)?;
    input.unchanged()?;
    Ok((notes, labelled))
}

/// Texts with their names.
fn named(texts: &[(String, bytes::Bytes)]) -> impl Iterator<Item = (&str, &[u8])> {
    texts.iter().map(|(name, text)| (name.as_str(), &text[..]))
}

/// The bytes of a file.
fn bytes(path: &Path) -> Result<bytes::Bytes> {
    let input = Input::read(path)?;
    input.slice(0..input.len())
}
