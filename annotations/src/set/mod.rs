//! A set of labels that lies in one file or in the files of a folder: what format it has, which of the files belong to it,
//! and its labels, sans-IO.
//!
//! To the reader all files are one, one after the other in the order in which they were named: those of the labels, then
//! those of the pictures' folder if there is one. It asks for no more than it needs: the first bytes of pictures, and a file
//! that may be large comes in pieces.
//!
//! ```
//! use forebay_annotations::{Format, ReadOptions, SetReader};
//! use forebay_base::step::drive;
//! let xml = b"<annotation><filename>a.jpg</filename><size><width>8</width><height>8</height></size>\
//!     <object><name>car</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>4</xmax><ymax>4</ymax></bndbox></object></annotation>";
//! let mut options = ReadOptions::default();
//! options.voc_base = Some(1);
//! let reader = SetReader::folder([("Annotations/a.xml", xml.len() as u64)], &options);
//! let set = drive(reader, &xml.to_vec().into())?;
//! assert_eq!((set.format, set.labels.pictures[0].name.as_str()), (Format::Voc, "a.jpg"));
//! # Ok::<(), forebay_base::Error>(())
//! ```

mod texts;

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use bytes::Bytes;

use super::{
    Format, HEAD_BYTES, LabelStats, Labels, ReadOptions, Seen, Tally, Turn, base_name, coco, codes, cvat, detect,
    listing,
};
use crate::{
    error::{Error, Result},
    image::{exif_turn, probe},
    step::{Pieces, Step, Stepper},
    words::Word,
};

/// Extensions of files that may hold labels.
const EXTENSIONS: [&str; 8] = ["json", "xml", "txt", "csv", "yaml", "yml", "names", "data"];
/// Texts that lie beside label files and are none.
const ASIDE: [&str; 9] = [
    "classes.txt",
    "labels.txt",
    "license.txt",
    "names.txt",
    "readme.txt",
    "test.txt",
    "train.txt",
    "trainval.txt",
    "val.txt",
];
/// Files that say what Open Images' classes are called.
const DESCRIPTIONS: [&str; 2] = ["class-descriptions-boxable.csv", "class-descriptions.csv"];
/// Bytes of a file that are read at once where it is not read whole.
const PIECE: u64 = 1 << 20;
/// Bytes of a picture that normally give its size.
const PICTURE_HEAD: u64 = 64 << 10;
/// Files that are asked for at once.
const BATCH: usize = 64;

/// The labels read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Set {
    /// The format that it had.
    pub format: Format,
    /// What it holds. Where only [counts](SetReader::only_counts) were asked for, this may be empty.
    pub labels: Labels,
    /// The counts, if they were asked for.
    pub stats: Option<LabelStats>,
}

impl Set {
    /// Labels that had this format.
    pub fn new(format: Format, labels: Labels) -> Set {
        Set { format, labels, stats: None }
    }
}

/// A file, and where it lies behind the others.
#[derive(Clone, Debug)]
struct File {
    name: String,
    start: u64,
    len: u64,
}

impl File {
    fn range(&self) -> Range<u64> {
        self.start..self.start + self.len
    }
    fn head(&self, most: u64) -> Range<u64> {
        self.start..self.start + self.len.min(most)
    }
}

/// Reads a set of labels.
#[derive(Debug)]
pub struct SetReader {
    files: Vec<File>,
    /// How many of the files are labels' own; the rest are those of the pictures' folder.
    own: usize,
    /// Where the pictures are, if that was said.
    pictures: Option<Range<usize>>,
    /// Whether every picture has to be there, and its size counts.
    strict: bool,
    /// One file that was named by itself, whatever it is called.
    entry: Option<usize>,
    asked: Option<Format>,
    /// The format that was found, and the files that have it.
    chosen: Option<(Format, Vec<usize>)>,
    counts: bool,
    options: ReadOptions,
    /// What the candidates look like, so far.
    known: Vec<Option<Format>>,
    pieces: Pieces,
    /// First bytes of pictures, forgotten once they were looked at.
    heads: Pieces,
    work: Work,
    /// What pictures say of themselves, by the file.
    seen: HashMap<usize, Option<Seen>>,
    found: u64,
}

/// What it is at.
#[derive(Debug)]
enum Work {
    /// Which format the files have.
    Look,
    /// A file that comes in pieces, up to the position.
    Stream {
        file: usize,
        at: u64,
        stream: Box<Stream>,
        format: Format,
    },
    /// Files that are read whole.
    Texts {
        format: Format,
        list: Vec<usize>,
    },
    /// The sizes of pictures, for labels that need them to be read.
    Sizes {
        format: Format,
        list: Vec<usize>,
        pictures: Vec<usize>,
    },
    /// The sizes of the pictures of labels that were read.
    Told {
        set: Box<Set>,
        pictures: Vec<usize>,
    },
    Done,
}

#[derive(Debug)]
enum Stream {
    Coco(coco::Reader, coco::Gather),
    Counts(coco::Reader, Tally),
    Cvat(cvat::Reader, Labels),
}

/// A place in a folder.
fn beneath(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Counts pictures on their way.
struct Counted<'a, S>(&'a mut S, &'a mut u64);

impl<S: coco::Sink> coco::Sink for Counted<'_, S> {
    fn class(&mut self, number: u32, class: super::Class) -> Result<()> {
        self.0.class(number, class)
    }
    fn picture(&mut self, number: u32, picture: super::Picture) -> Result<()> {
        *self.1 += 1;
        self.0.picture(number, picture)
    }
    fn annotation(&mut self, marked: coco::Marked<'_>) -> Result<()> {
        self.0.annotation(marked)
    }
}

impl SetReader {
    /// Reads a file of this name and length.
    pub fn file(name: impl Into<String>, len: u64, options: &ReadOptions) -> SetReader {
        SetReader::folder([(name, len)], options).with_entry(0)
    }

    /// Reads the files of a folder, each by its place in it, with `/` between the parts, and its length.
    pub fn folder<S: Into<String>>(files: impl IntoIterator<Item = (S, u64)>, options: &ReadOptions) -> SetReader {
        let mut reader = SetReader {
            files: Vec::new(),
            own: 0,
            pictures: None,
            strict: false,
            entry: None,
            asked: None,
            chosen: None,
            counts: false,
            options: options.clone(),
            known: Vec::new(),
            pieces: Pieces::default(),
            heads: Pieces::default(),
            work: Work::Look,
            seen: HashMap::new(),
            found: 0,
        };
        reader.add(files);
        reader.own = reader.files.len();
        reader
    }

    /// One of the folder's files, by its number, was named: it alone says what the format is, and the others are what lies
    /// beside it.
    #[must_use]
    pub fn with_entry(mut self, file: usize) -> SetReader {
        self.entry = Some(file);
        self
    }

    /// Takes the files to have this format, whatever they look like.
    #[must_use]
    pub fn with_format(mut self, format: Option<Format>) -> SetReader {
        self.asked = format;
        self
    }

    /// Looks at the pictures of this folder, each by its place in it: their sizes count, and one that is not there is a
    /// fault.
    #[must_use]
    pub fn with_pictures<S: Into<String>>(mut self, files: impl IntoIterator<Item = (S, u64)>) -> SetReader {
        self.files.truncate(self.own);
        self.add(files);
        (self.pictures, self.strict) = (Some(self.own..self.files.len()), true);
        self
    }

    /// As [`with_pictures`](Self::with_pictures), where the pictures lie among the labels' own files.
    #[must_use]
    pub fn with_pictures_among(mut self) -> SetReader {
        (self.pictures, self.strict) = (Some(0..self.own), true);
        self
    }

    /// Takes these to be the pictures, where the labels alone do not say enough. That they are all there is not asked for.
    /// Each counts as one byte, and is [shown](Self::show) where that is asked for.
    #[must_use]
    pub fn with_samples<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> SetReader {
        let reader = self.with_pictures(names.into_iter().map(|name| (name, 1)));
        SetReader { strict: false, ..reader }
    }

    /// Counts what there is. The annotations of a COCO file are then not held, however many there are.
    #[must_use]
    pub fn only_counts(mut self) -> SetReader {
        self.counts = true;
        self
    }

    /// Says what a picture says of itself, instead of handing over its bytes.
    pub fn show(&mut self, file: usize, seen: Option<Seen>) {
        self.seen.insert(file, seen);
    }

    /// The file that a byte is in, by its number, and the byte's place in it.
    pub fn locate(&self, at: u64) -> Option<(usize, u64)> {
        let file = self.files.partition_point(|file| file.range().end <= at);
        Some((file, at.checked_sub(self.files.get(file)?.start)?))
    }

    /// The number of the file of this name, as errors call it.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name == name)
    }

    /// The format, once it was [found](Self::find).
    pub fn format(&self) -> Option<Format> {
        self.chosen.as_ref().map(|(format, _)| *format)
    }

    /// The files that have the format, by their numbers, once it was [found](Self::find).
    pub fn chosen(&self) -> &[usize] {
        self.chosen.as_ref().map_or(&[], |(_, list)| list)
    }

    /// The steps up to where the format is known. It may be left out: [`step`](Stepper::step) begins with them.
    pub fn find(&mut self) -> Result<Step<Format>> {
        if let Some((format, _)) = self.chosen {
            return Ok(Step::Done(format));
        }
        let mine = |k: &usize| self.entry.map_or_else(|| may_hold(self.name(*k)), |entry| entry == *k);
        let candidates: Vec<usize> = (0..self.own).filter(mine).collect();
        while let Some(file) = candidates.get(self.known.len()) {
            let found = match self.asked.filter(|_| self.entry.is_some()) {
                Some(asked) => Some(asked),
                None => match self.pieces.get(self.head(*file, HEAD_BYTES as u64)) {
                    Some(head) => detect(self.name(*file), &head).or_else(|| self.nothing(&head)),
                    None => break,
                },
            };
            self.known.push(found);
        }
        let next = candidates.iter().skip(self.known.len()).take(BATCH);
        if let Some(need) = self.lacking(next.map(|k| self.head(*k, HEAD_BYTES as u64))) {
            return Ok(Step::Need(need));
        }
        let (format, list) = self.choose(&candidates)?;
        self.chosen = Some((format, list));
        Ok(Step::Done(format))
    }

    /// Pictures found so far in a file that comes in pieces.
    pub fn found(&self) -> u64 {
        self.found
    }

    fn add<S: Into<String>>(&mut self, files: impl IntoIterator<Item = (S, u64)>) {
        let mut start = self.files.last().map_or(0, |last| last.range().end);
        for (name, len) in files {
            // No file system holds more.
            let end = start.saturating_add(len);
            self.files.push(File { name: name.into(), start, len: end - start });
            start = end;
        }
    }

    /// The name of a file, by its number.
    pub fn name(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |file| &file.name)
    }
    fn range(&self, file: usize) -> Range<u64> {
        self.files.get(file).map_or(0..0, File::range)
    }
    fn head(&self, file: usize, most: u64) -> Range<u64> {
        self.files.get(file).map_or(0..0, |file| file.head(most))
    }
    fn text(&self, file: usize) -> Bytes {
        self.pieces.get(self.range(file)).unwrap_or_default()
    }

    /// What of some ranges is not there yet.
    fn lacking(&self, ranges: impl Iterator<Item = Range<u64>>) -> Option<Vec<Range<u64>>> {
        let lacking: Vec<_> = ranges.flat_map(|range| self.pieces.lacking(range)).collect();
        (!lacking.is_empty()).then_some(lacking)
    }

    /// What a file without a picture is, if it was named: some formats are then nothing but brackets.
    fn nothing(&self, head: &[u8]) -> Option<Format> {
        let text: Vec<u8> = head.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(3).collect();
        match &text[..] {
            _ if self.entry.is_none() => None,
            b"[]" => Some(Format::LabelStudio),
            b"{}" => Some(Format::Via),
            _ => None,
        }
    }

    /// Whether a file begins as JSON of any kind does.
    fn begins_as_json(&self, file: usize) -> bool {
        let head = self.pieces.get(self.head(file, HEAD_BYTES as u64));
        head.is_some_and(|text| matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')))
    }

    /// What pictures of the set are called, without folders and endings.
    fn pictures_by_stem(&self) -> HashSet<&str> {
        let names = self.files.iter().map(|file| file.name.as_str());
        names.filter(|name| listing::is_picture(name)).map(|name| listing::stem(base_name(name))).collect()
    }

    /// The format of the files, and those that have it.
    fn choose(&self, candidates: &[usize]) -> Result<(Format, Vec<usize>)> {
        let mut formats: Vec<Format> = self.known.iter().copied().flatten().collect();
        formats.sort_unstable();
        formats.dedup();
        let format = match (self.asked, &formats[..]) {
            (Some(asked), _) => asked,
            (None, [one]) => *one,
            (None, []) => {
                let empty = self.entry.is_some_and(|entry| self.range(entry).is_empty());
                let message = if empty {
                    "the file is empty"
                } else {
                    "no labels of a known format are here; COCO, YOLO, Pascal VOC and others are read, and of CSV that of \
                     Open Images: ImageID,LabelName,XMin,XMax,YMin,YMax"
                };
                return Err(Error::new(&codes::FORMAT, message));
            }
            (None, several) => {
                let words: Vec<_> = several.iter().map(|format| format.word()).collect();
                let message = format!("labels of several formats are here: {}", words.join(", "));
                return Err(Error::new(&codes::AMBIGUOUS, message).with_options(&["format"]));
            }
        };
        let has = |(file, found): (&usize, &Option<Format>)| (*found == Some(format)).then_some(*file);
        let mut list: Vec<usize> = candidates.iter().zip(&self.known).filter_map(has).collect();
        let ending = match format {
            Format::Voc => "xml",
            Format::LabelMe | Format::Recorder => "json",
            Format::Kitti | Format::Dota => "txt",
            _ => "",
        };
        if !ending.is_empty() && self.entry.is_none() {
            // What lies beside label files and is called as one is one too: its reader says that nothing is in the picture,
            // or what is wrong with it.
            let folder = |file: &usize| self.name(*file).rsplit_once('/').map_or("", |(folder, _)| folder);
            let folders: HashSet<&str> = list.iter().map(folder).collect();
            let pictures: HashSet<&str> = match format {
                Format::LabelMe | Format::Recorder => self.pictures_by_stem(),
                _ => HashSet::new(),
            };
            let is_lost = |file: &usize| {
                let name = self.name(*file);
                let is_named = match format {
                    Format::LabelMe | Format::Recorder => {
                        !self.begins_as_json(*file) || pictures.contains(listing::stem(base_name(name)))
                    }
                    Format::Kitti | Format::Dota => !ASIDE.contains(&base_name(name).to_ascii_lowercase().as_str()),
                    _ => true,
                };
                is_named && listing::ending(name) == ending && folders.contains(folder(file))
            };
            let others = candidates.iter().zip(&self.known).filter(|(_, found)| **found != Some(format));
            let lost: Vec<usize> = others.map(|(file, _)| *file).filter(is_lost).collect();
            list.extend(lost);
            list.sort_unstable();
        }
        if list.is_empty() {
            let message = format!("no labels of the format {} are here", format.word());
            return Err(Error::new(&codes::FORMAT, message));
        }
        Ok((format, list))
    }

    /// How files of this format are read.
    fn begin(&self, format: Format, list: Vec<usize>) -> Result<Work> {
        Ok(match format {
            Format::Coco | Format::Cvat => {
                let file = self.only(format, &list)?;
                let stream = match format {
                    Format::Cvat => Stream::Cvat(cvat::Reader::new(&self.options), Labels::default()),
                    _ if self.counts && self.pictures.is_none() => Stream::Counts(self.coco(), Tally::default()),
                    _ => Stream::Coco(self.coco(), coco::Gather::default()),
                };
                Work::Stream { file, at: self.range(file).start, stream: Box::new(stream), format }
            }
            Format::LabelStudio | Format::Via | Format::CreateMl | Format::Datumaro => {
                Work::Texts { format, list: vec![self.only(format, &list)?] }
            }
            // Every file that may belong to the set, whatever it looks like by itself.
            Format::Yolo => {
                Work::Texts { format, list: (0..self.own).filter(|k| may_be_yolo(self.name(*k))).collect() }
            }
            _ => Work::Texts { format, list },
        })
    }

    fn coco(&self) -> coco::Reader {
        coco::Reader::new(&self.options)
    }

    /// The only file, for formats that have one.
    fn only(&self, format: Format, list: &[usize]) -> Result<usize> {
        match list {
            [one] => Ok(*one),
            several => {
                let message = format!("{} files of the format {} are here; name one", several.len(), format.word());
                Err(Error::new(&codes::AMBIGUOUS, message))
            }
        }
    }

    /// Takes in what pictures say of themselves; ranges that are needed for it.
    fn look(&mut self, pictures: &[usize]) -> Option<Vec<Range<u64>>> {
        for batch in pictures.chunks(BATCH) {
            let need: Vec<_> = batch.iter().flat_map(|file| self.glance(*file)).collect();
            if !need.is_empty() {
                return Some(need);
            }
            self.heads = Pieces::default();
        }
        None
    }

    /// The same of one; what is lacking for it.
    fn glance(&mut self, file: usize) -> Vec<Range<u64>> {
        if self.seen.contains_key(&file) {
            return Vec::new();
        }
        for range in [self.head(file, PICTURE_HEAD), self.range(file)] {
            let Some(bytes) = self.heads.get(range.clone()) else { return self.heads.lacking(range) };
            if probe(&bytes).is_undecided() && range != self.range(file) {
                continue;
            }
            let probed = probe(&bytes);
            let seen = (probed.width > 0).then(|| {
                let turn = exif_turn(&bytes).map_or(Turn::NONE, Turn::from_exif);
                Seen { width: probed.width, height: probed.height, turn }
            });
            self.seen.insert(file, seen);
            break;
        }
        Vec::new()
    }

    fn seen(&self, file: usize) -> Option<Seen> {
        self.seen.get(&file).copied().flatten()
    }

    /// The numbers of files by their names.
    fn by_name(&self, files: Range<usize>) -> HashMap<&str, usize> {
        files.map(|k| (self.name(k), k)).collect()
    }

    /// What is next once labels were read: the sizes of their pictures, if those are in a folder that was named.
    fn gathered(&mut self, format: Format, labels: Labels) {
        let mut pictures = Vec::new();
        if self.strict && format != Format::Yolo {
            let by_name = self.by_name(self.shelf());
            pictures = labels.pictures.iter().filter_map(|it| by_name.get(it.name.as_str()).copied()).collect();
        }
        self.work = Work::Told { set: Box::new(Set::new(format, labels)), pictures };
    }

    /// Takes in what the pictures say of themselves.
    fn told(&self, mut set: Set) -> Result<Set> {
        if self.strict && set.format != Format::Yolo {
            let by_name = self.by_name(self.shelf());
            let look = |name: &str| Ok(by_name.get(name).and_then(|k| self.seen(*k)));
            let told = set.labels.told(set.format, &self.options, look);
            told.map_err(|e| if self.own == 1 { e.file(self.name(0)) } else { e })?;
            set.labels.notes.forget_annotations();
            set.labels.count();
        }
        if self.counts {
            set.stats = Some(LabelStats::of(&set.labels));
        }
        Ok(set)
    }

    /// Reads on in a file that comes in pieces; the range that is needed, or nothing when it ended.
    fn stream(&mut self, file: usize, at: &mut u64, stream: &mut Stream) -> Result<Option<Range<u64>>> {
        let end = self.range(file).end;
        let name = self.name(file).to_owned();
        while *at < end {
            let next = *at..end.min(at.saturating_add(PIECE));
            let Some(bytes) = self.pieces.get(next.clone()) else { return Ok(Some(next)) };
            let fed = match stream {
                Stream::Coco(reader, gather) => reader.feed(&bytes, &mut Counted(gather, &mut self.found)),
                Stream::Counts(reader, tally) => reader.feed(&bytes, &mut Counted(tally, &mut self.found)),
                Stream::Cvat(reader, labels) => {
                    let found = &mut self.found;
                    reader.feed(&bytes, &mut |picture| {
                        *found += 1;
                        labels.pictures.push(picture);
                        Ok(())
                    })
                }
            };
            fed.map_err(|e| e.file(&name))?;
            *at = next.end;
            self.pieces.forget_before(next.end);
        }
        Ok(None)
    }

    /// What came of a file that ended; none where it has to be read once more.
    fn streamed(&mut self, file: usize, stream: Stream, format: Format) -> Result<Option<Set>> {
        let named = |e: Error| e.file(self.name(file));
        match stream {
            Stream::Coco(reader, mut gather) => {
                let labelled = reader.has_annotations();
                let notes = reader.finish(&mut gather).map_err(named)?;
                let labels = gather.labels(notes, labelled, &self.options).map_err(named)?;
                self.gathered(format, labels);
                Ok(None)
            }
            Stream::Cvat(reader, mut labels) => {
                let mut sink = |picture| {
                    labels.pictures.push(picture);
                    Ok(())
                };
                let (classes, notes) = reader.finish(&mut sink).map_err(named)?;
                (labels.classes, labels.notes) = (classes, notes);
                labels.count();
                self.gathered(format, labels);
                Ok(None)
            }
            Stream::Counts(reader, mut tally) => {
                let labelled = reader.has_annotations();
                let notes = reader.finish(&mut tally).map_err(named)?;
                if tally.is_late() {
                    // Annotations that came before their pictures count only now.
                    let stream = Box::new(Stream::Counts(self.coco(), tally.again()));
                    self.found = 0;
                    self.work = Work::Stream { file, at: self.range(file).start, stream, format };
                    return Ok(None);
                }
                let stats = Some(tally.stats(notes, labelled));
                Ok(Some(Set { format, labels: Labels::default(), stats }))
            }
        }
    }
}

/// Whether a file may belong to a set of YOLO, by its name.
fn may_be_yolo(name: &str) -> bool {
    may_hold(name) && !matches!(listing::ending(name).as_str(), "json" | "xml" | "csv")
}

/// Whether a file may hold labels, by its name.
fn may_hold(name: &str) -> bool {
    EXTENSIONS.contains(&listing::ending(name).as_str())
}

impl Stepper for SetReader {
    type Output = Set;

    fn step(&mut self) -> Result<Step<Set>> {
        loop {
            match std::mem::replace(&mut self.work, Work::Done) {
                Work::Look => match self.find()? {
                    Step::Need(need) => {
                        self.work = Work::Look;
                        return Ok(Step::Need(need));
                    }
                    Step::Done(format) => self.work = self.begin(format, self.chosen().to_vec())?,
                },
                Work::Stream { file, mut at, mut stream, format } => {
                    if let Some(next) = self.stream(file, &mut at, &mut stream)? {
                        let need = self.pieces.lacking(next);
                        self.work = Work::Stream { file, at, stream, format };
                        return Ok(Step::Need(need));
                    }
                    if let Some(set) = self.streamed(file, *stream, format)? {
                        return Ok(Step::Done(set));
                    }
                }
                Work::Texts { format, list } => {
                    let mut whole = list.clone();
                    if format == Format::OpenImages {
                        whole.extend(
                            (0..self.own).filter(|k| DESCRIPTIONS.iter().any(|it| self.name(*k).ends_with(it))),
                        );
                    }
                    for file in &whole {
                        let range = self.range(*file);
                        self.options.limits.metadata(range.end - range.start).map_err(|e| e.file(self.name(*file)))?;
                    }
                    if let Some(need) = self.lacking(whole.iter().map(|k| self.range(*k))) {
                        self.work = Work::Texts { format, list };
                        return Ok(Step::Need(need));
                    }
                    let pictures = match format {
                        Format::Yolo | Format::OpenImages => Some(self.sized(format, &list)),
                        Format::Recorder => {
                            let by_name = self.by_name(0..self.own);
                            let frames = self.frames(&list)?;
                            let places = frames.iter().map(|(frame, _, run)| beneath(run, &frame.image));
                            Some(places.filter_map(|place| by_name.get(place.as_str()).copied()).collect())
                        }
                        _ => None,
                    };
                    match pictures {
                        Some(pictures) => self.work = Work::Sizes { format, list, pictures },
                        None => {
                            let labels = self.parsed(format, &list)?;
                            self.gathered(format, labels);
                        }
                    }
                }
                Work::Sizes { format, list, pictures } => {
                    if let Some(need) = self.look(&pictures) {
                        self.work = Work::Sizes { format, list, pictures };
                        return Ok(Step::Need(need));
                    }
                    let labels = match format {
                        Format::Yolo => self.yolo(&mut |file| self.seen(file))?,
                        Format::OpenImages => self.open_images(&list, &mut |file| self.seen(file))?,
                        _ => self.recorded(&list)?,
                    };
                    self.gathered(format, labels);
                }
                Work::Told { set, pictures } => {
                    if let Some(need) = self.look(&pictures) {
                        self.work = Work::Told { set, pictures };
                        return Ok(Step::Need(need));
                    }
                    return Ok(Step::Done(self.told(*set)?));
                }
                Work::Done => {
                    return Err(Error::new(&crate::error::codes::MISSING_BYTES, "the labels were read already"));
                }
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match self.work {
            Work::Sizes { .. } | Work::Told { .. } => self.heads.push(start, bytes),
            _ => self.pieces.push(start, bytes),
        }
    }
}
