//! The core's reader of a set, given the files of folders and the samples of datasets that it asks for.

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
};

use forebay::{
    Error, Result,
    annotations::{Format, ReadOptions, Set, SetReader},
    step::{Step, Stepper},
    zip::Zip,
};

use super::images::{Images, told};
use crate::{
    Dataset, Input,
    input::{self, display, io_error, remote},
};

/// How deep folders are looked at.
const DEEPEST: usize = 16;

/// Where a file of the set is.
#[derive(Debug)]
enum Place {
    File(PathBuf),
    /// The number of a file in the archive.
    Member(usize),
    /// The dataset and the sample in it.
    Sample(usize, u64),
}

/// A set of labels that is being read.
pub(super) struct Driver<'a> {
    root: &'a Path,
    reader: SetReader,
    places: Vec<Place>,
    datasets: &'a [Dataset],
    /// The archive that holds the files.
    archive: Option<&'a Dataset>,
    /// The file that was read last: the next bytes are likely to be of it too.
    open: Option<(usize, Input)>,
}

impl<'a> Driver<'a> {
    /// For a label file, or a folder of them.
    pub fn new(
        root: &'a Path,
        asked: Option<Format>,
        pictures: Option<&'a Images>,
        options: &ReadOptions,
    ) -> Result<Driver<'a>> {
        let driver = |files: Listed, reader: SetReader, open| {
            let places = files.into_iter().map(|(_, path, _)| Place::File(path)).collect();
            Driver { root, reader, places, datasets: &[], archive: None, open }
        };
        if is_folder(root) {
            let files = listed(root)?;
            let reader = SetReader::folder(sizes(&files), options).with_format(asked);
            return driver(files, reader, None).with(root, pictures);
        }
        let input = Input::pieces(root)?;
        let name = input::file_name(root).unwrap_or_default();
        let alone = vec![(name, root.to_owned(), input.len())];
        let reader = SetReader::file(&alone[0].0, input.len(), options).with_format(asked);
        let mut one = driver(alone, reader, Some((0, input)));
        // Sets of these formats are more than the file that was named.
        let folder = match one.find()? {
            Format::Yolo | Format::OpenImages => root.parent(),
            Format::Recorder => root.parent().and_then(Path::parent),
            _ => return one.with(Path::new(""), pictures),
        };
        let format = Some(one.find()?);
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let files = listed(folder)?;
        let entry = files.iter().position(|(_, path, _)| path.file_name() == root.file_name() && same(path, root));
        let reader = SetReader::folder(sizes(&files), options).with_entry(entry.unwrap_or(usize::MAX));
        driver(files, reader.with_format(format), None).with(folder, pictures)
    }

    /// For the files in a ZIP archive, which are the images too. One folder around all of them is passed over.
    pub fn archive(root: &'a Path, archive: &'a Dataset, asked: Option<Format>, options: &ReadOptions) -> Driver<'a> {
        let members = archive.zip().map_or(0, Zip::members) as usize;
        let file = |n: usize| archive.zip().and_then(|zip| zip.file(n));
        let names = || (0..members).filter_map(file).map(|(name, _)| name);
        let top = names().next().and_then(|name| name.find('/').map(|at| &name[..=at])).unwrap_or("");
        let around = if names().all(|name| name.starts_with(top)) { top.len() } else { 0 };
        let files = (0..members).filter_map(file).map(|(name, plan)| (&name[around..], plan.info.bytes));
        let reader = SetReader::folder(files, options).with_format(asked);
        let places = (0..members).map(Place::Member).collect();
        Driver { root, reader, places, datasets: &[], archive: Some(archive), open: None }
    }

    /// Reads only this file of several.
    pub fn entry(mut self, file: usize) -> Driver<'a> {
        self.reader = self.reader.with_entry(file);
        self
    }

    /// The files of a set of which each lies with the images of a part, as in `train`, `valid` and `test`, and the folders of
    /// these; nothing for a set of one file.
    pub fn parts(&self) -> Vec<(usize, String)> {
        let folder = |file: usize| self.reader.name(file).rfind('/').map_or("", |at| &self.reader.name(file)[..=at]);
        let parts: Vec<(usize, String)> =
            self.reader.chosen().iter().map(|&file| (file, folder(file).to_owned())).collect();
        let apart = parts.iter().map(|(_, folder)| folder).collect::<HashSet<_>>().len() == parts.len();
        if parts.len() > 1 && apart { parts } else { Vec::new() }
    }

    /// The same with pictures that the labels are of; those in `folder` are among the files already.
    fn with(mut self, folder: &Path, pictures: Option<&'a Images>) -> Result<Driver<'a>> {
        match pictures {
            None => {}
            Some(Images::Folder(other)) if same(other, folder) => self.reader = self.reader.with_pictures_among(),
            Some(Images::Folder(other)) => {
                let files = listed(other)?;
                self.reader = self.reader.with_pictures(sizes(&files));
                self.places.extend(files.into_iter().map(|(_, path, _)| Place::File(path)));
            }
            Some(Images::Samples(datasets)) => {
                let mut names = Vec::new();
                for (of, dataset) in datasets.iter().enumerate() {
                    for i in 0..dataset.len() {
                        if let Some(name) = dataset.sample_name(i)? {
                            names.push(name);
                            self.places.push(Place::Sample(of, i));
                        }
                    }
                }
                self.reader = self.reader.with_samples(names);
                self.datasets = datasets;
            }
        }
        Ok(self)
    }

    /// Counts what there is, and holds no annotations that need not be held.
    pub fn only_counts(mut self) -> Driver<'a> {
        self.reader = self.reader.only_counts();
        self
    }

    /// The format of the set.
    pub fn find(&mut self) -> Result<Format> {
        loop {
            let step = self.reader.find();
            match step.map_err(|e| self.named(e))? {
                Step::Done(format) => return Ok(format),
                Step::Need(ranges) => self.give(ranges)?,
            }
        }
    }

    /// The same, once it was found.
    pub fn format(&self) -> Option<Format> {
        self.reader.format()
    }

    /// The files that have the format, once it was found.
    pub fn chosen(&self) -> Vec<PathBuf> {
        let path = |file: &usize| match self.places.get(*file) {
            Some(Place::File(path)) => Some(path.clone()),
            _ => None,
        };
        match self.archive {
            Some(_) => vec![self.root.to_owned()],
            None => self.reader.chosen().iter().filter_map(path).collect(),
        }
    }

    /// Reads the set.
    pub fn read(mut self) -> Result<Set> {
        loop {
            let step = self.reader.step();
            match step.map_err(|e| self.named(e))? {
                Step::Done(set) => {
                    self.close()?;
                    return Ok(set);
                }
                Step::Need(ranges) => self.give(ranges)?,
            }
        }
    }

    fn give(&mut self, ranges: Vec<Range<u64>>) -> Result<()> {
        for range in ranges {
            let at = self.reader.locate(range.start);
            match at.and_then(|(file, offset)| Some((file, offset, self.places.get(file)?))) {
                Some((file, _, Place::Sample(of, i))) => {
                    let seen = match self.datasets.get(*of) {
                        Some(dataset) => {
                            let info = dataset.info(*i)?;
                            told(info.format, info.width, info.height, &dataset.lend(*i)?)
                        }
                        None => None,
                    };
                    self.reader.show(file, seen);
                }
                Some((file, offset, Place::File(_) | Place::Member(_))) => {
                    let input = self.opened(file)?;
                    let bytes = input.slice(offset..offset.saturating_add(range.end - range.start))?;
                    self.reader.push(range.start, bytes);
                }
                None => return Err(Error::new(&forebay::error::codes::MISSING_BYTES, "the set has no such file")),
            }
        }
        Ok(())
    }

    fn opened(&mut self, file: usize) -> Result<&Input> {
        if self.open.as_ref().is_some_and(|(of, _)| *of != file) {
            self.close()?;
        }
        let (_, input) = match self.open.take() {
            Some(one) => self.open.insert(one),
            None => self.open.insert((file, self.input(file)?)),
        };
        Ok(input)
    }

    fn input(&self, file: usize) -> Result<Input> {
        let missing = || Error::new(&forebay::error::codes::MISSING_BYTES, "the set has no such file");
        match (self.places.get(file), self.archive) {
            (Some(Place::File(path)), _) => Input::pieces(path),
            (Some(Place::Member(member)), Some(archive)) => {
                let zip = archive.zip().ok_or_else(missing)?;
                let (name, plan) = zip.file(*member).ok_or_else(missing)?;
                let input = archive.input().ok_or_else(missing)?;
                let bytes = plan.decode(&input.lend(plan.range())?, archive.limits());
                let name = format!("{}/{name}", display(self.root));
                Ok(Input::memory(name.clone(), bytes.map_err(|e| e.file(name))?))
            }
            _ => Err(missing()),
        }
    }

    fn close(&mut self) -> Result<()> {
        self.open.take().map_or(Ok(()), |(_, input)| input.unchanged())
    }

    /// An error with the name that the file has for the user.
    fn named(&self, e: Error) -> Error {
        let Some(name) = e.place().file.clone() else { return e.file(display(self.root)) };
        match self.reader.number(&name).and_then(|file| self.places.get(file)) {
            Some(Place::File(path)) => e.renamed(display(path)),
            Some(Place::Member(_)) => e.renamed(format!("{}/{name}", display(self.root))),
            _ => e,
        }
    }
}

/// Files by their names in a folder, with their lengths.
type Listed = Vec<(String, PathBuf, u64)>;

fn sizes(files: &Listed) -> impl Iterator<Item = (String, u64)> + use<'_> {
    files.iter().map(|(name, _, len)| (name.clone(), *len))
}

/// Whether two paths are of one file or folder.
fn same(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Whether it is a folder, here or in a store.
pub(super) fn is_folder(path: &Path) -> bool {
    path.is_dir() || remote::is_folder(path)
}

/// Every file of a folder and the folders in it, by name.
fn listed(root: &Path) -> Result<Listed> {
    if remote::is_remote(root) {
        return Ok(remote::below(root)?.into_iter().map(|one| (one.name, one.path, one.len)).collect());
    }
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root).max_depth(DEEPEST).sort_by_file_name() {
        let failed = |e: walkdir::Error| {
            let name = e.path().map(display).unwrap_or_else(|| display(root));
            let cause = e.into_io_error().unwrap_or_else(|| std::io::Error::other("folders lead in a circle"));
            io_error(&name, "look into the folder", cause)
        };
        let entry = entry.map_err(failed)?;
        if entry.file_type().is_file() {
            let len = entry.metadata().map_err(failed)?.len();
            files.push((relative(root, entry.path()), entry.into_path(), len));
        }
    }
    Ok(files)
}

/// A file's name in a folder, with `/` between its parts.
fn relative(folder: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(folder).unwrap_or(file);
    let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use forebay::annotations::{ReadOptions, Rect};

    use super::*;
    use crate::labels::{Open, write};

    /// A bitmap of 4 x 2 pixels, as far as its size needs.
    fn picture(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut bmp = b"BM".to_vec();
        bmp.extend([0; 12]);
        for value in [40u32, 4, 2, 1 | 24 << 16, 0, 24, 0, 0, 0, 0] {
            bmp.extend(value.to_le_bytes());
        }
        bmp.resize(54 + 24, 0);
        fs::write(path, bmp).unwrap();
    }

    fn put(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_set_of_yolo_is_walked_and_pictures_may_lie_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        picture(&root.join("elsewhere/train/a.bmp"));
        put(root.join("set/data.yaml"), "train: images/train\nnames: [x, car]\n");
        put(root.join("set/labels/train/a.txt"), "1 0.5 0.5 0.5 1\n");
        let open = Open::new(ReadOptions::default()).pictures(root.join("elsewhere"));
        for path in ["set", "set/data.yaml"] {
            let set = open.read(&root.join(path)).unwrap();
            assert_eq!((set.format, set.labels.pictures[0].name.as_str()), (Format::Yolo, "images/train/a.bmp"));
            assert_eq!(set.labels.pictures[0].annotations[0].rect, Rect::new(1.0, 0.0, 3.0, 2.0));
        }
        put(root.join("set/labels/train/a.txt"), "1 0.5 0.5 0.5\n");
        let e = open.read(&root.join("set")).unwrap_err().to_string();
        assert!(e.starts_with(&display(&root.join("set/labels/train/a.txt"))) && e.contains(": line 1: "), "{e}");
    }

    #[test]
    fn labels_of_each_picture_find_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        picture(&root.join("JPEGImages/sub/a.bmp"));
        let object = "<object><name>car</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>3</xmax><ymax>2</ymax></bndbox></object>";
        put(root.join("Annotations/sub/a.xml"), &format!("<annotation><filename>a</filename>{object}</annotation>"));
        let mut options = ReadOptions::default();
        options.voc_base = Some(1);
        let open = Open::new(options).pictures(root.join("JPEGImages"));
        let set = open.read(root).unwrap();
        assert_eq!((set.labels.pictures[0].name.as_str(), set.labels.pictures[0].size()), ("sub/a.bmp", Some((4, 2))));
        // Written as every other format with a file a picture, and read back.
        for format in [Format::Yolo, Format::Voc, Format::Cvat] {
            let path = root.join(format!("{format:?}"));
            write(&set.labels, format, &path, false).unwrap();
            let back = open.read(&path).unwrap();
            assert_eq!(back.labels.pictures[0].annotations[0].rect, Rect::new(0.0, 0.0, 3.0, 2.0), "{format:?}");
        }
    }
}
