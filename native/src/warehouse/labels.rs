//! Labels of other tools, laid beside the pictures that they are of.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use forebay::{
    Error, Result,
    annotations::{
        Annotation, Classes, Exif, Format, Labels, Matcher, Picture, ReadOptions, Seen, Turn, codes, record,
    },
    image::{decode::orientation, probe},
    warehouse::Cause,
};

use super::{
    Settings,
    frames::{Frame, GivenBox, Place, Refused, Stamp, Survey},
};
use crate::{
    Dataset,
    input::{Input, display, io_error, remote::is_remote},
    labels::{Open, of_samples},
    parallel::ordered,
};

/// Bytes of a picture that normally give its size.
const HEAD_BYTES: u64 = 64 << 10;

/// Label files that were read, before they are laid beside pictures.
pub(super) struct Read {
    name: String,
    format: Format,
    labels: Labels,
    options: ReadOptions,
    /// The names of the pictures, and which of them were found.
    names: Matcher,
}

impl Read {
    /// Reads the label file, or the folder of them.
    pub fn open(path: &Path, survey: &mut Survey, settings: &Settings) -> Result<Read> {
        let options = options(settings);
        let stamped = |files: &[PathBuf]| {
            for file in files {
                if is_remote(file) {
                    survey.stamps.push(Stamp::elsewhere(file.clone(), &Input::pieces(file)?));
                    continue;
                }
                let found = std::fs::metadata(file).map_err(|e| io_error(&display(file), "look at the labels", e))?;
                survey.stamps.push(Stamp::of(file.clone(), &found));
            }
            Ok(())
        };
        let set = Open::new(options.clone()).format(settings.label_format).read_after(path, stamped)?;
        Ok(Read::new(display(path), set.format, set.labels, options))
    }

    /// What the samples of a dataset carry in their metadata; nothing if none carries any. If a field was named, that is
    /// refused: frames without boxes are not what was meant.
    pub fn of_samples(dataset: &Dataset, settings: &Settings) -> Result<Option<Read>> {
        let options = options(settings);
        let is_marked = |i: u64| {
            let metadata = dataset.metadata_value(i).ok().flatten();
            let find = |metadata| record::find(&metadata, Some((1, 1)), &options, &mut Classes::default());
            let said = metadata.map_or(Ok(None), find);
            // What is wrong is refused below, with its place.
            said.map_or(true, |found| found.is_some())
        };
        if !dataset.in_blocks(|mut range| Ok(range.any(is_marked)))?.contains(&true) {
            let field = options.boxes.as_ref().map(ToString::to_string).filter(|field| field != "none");
            return field.map_or(Ok(None), |field| {
                let message = format!("no sample has boxes in its metadata as {field} says");
                Err(Error::new(&codes::FORMAT, message).with_options(&["boxes"]).file(dataset.name()))
            });
        }
        let labels = of_samples(dataset, &options)?;
        Ok(Some(Read::new(dataset.name().into(), Format::Records, labels, options)))
    }

    fn new(name: String, format: Format, labels: Labels, options: ReadOptions) -> Read {
        let names = Matcher::of(labels.pictures.iter().map(|picture| picture.name.as_str()));
        Read { name, format, labels, options, names }
    }

    /// Gives the frames of `survey` from number `first` on their boxes, by the names of their pictures. A picture that the
    /// labels do not name, or that nobody has labeled, is refused.
    pub fn join(&self, survey: &mut Survey, first: usize, workers: usize) -> Result<()> {
        self.lay(survey, first, workers, false)
    }

    /// As [`join`](Self::join), where the first frame is the first of the pictures, and so on.
    pub fn join_in_order(&self, survey: &mut Survey, first: usize, workers: usize) -> Result<()> {
        self.lay(survey, first, workers, true)
    }

    /// The number of the entry of a frame.
    fn entry(&self, survey: &Survey, frame: &Frame) -> Result<Option<usize>> {
        let place = match &frame.place {
            Place::File(stamp) => display(&stamp.path),
            Place::Sample { .. } => {
                let run = survey.runs.get(frame.run).map(String::as_str).unwrap_or_default();
                format!("{run}: {}", frame.source)
            }
        };
        self.names.take(&frame.source, &place).map_err(|e| e.file(&self.name))
    }

    fn lay(&self, survey: &mut Survey, first: usize, workers: usize, in_order: bool) -> Result<()> {
        let frames = survey.frames.split_off(first);
        let mut matched = Vec::new();
        for (i, frame) in frames.into_iter().enumerate() {
            let entry = if in_order { Some(i) } else { self.entry(survey, &frame)? };
            let entry = entry.and_then(|k| Some((k, self.labels.pictures.get(k)?)));
            match entry {
                Some((k, picture)) if !picture.unlabelled => matched.push((frame, k)),
                _ => survey.refused.push(Refused {
                    cause: Cause::Unlabeled,
                    reason: match entry {
                        Some(_) => "nobody has labeled the image".into(),
                        None => format!("{} does not mention the image", self.name),
                    },
                    file: frame.source,
                    run: frame.run,
                }),
            }
        }
        let mut told = self.told(survey, &matched, workers)?.into_iter();
        let classes = class_numbers(survey, &self.labels.classes);
        let mut left_out = 0_u64;
        for (mut frame, _) in matched {
            let picture = told.next().flatten();
            for annotation in picture.iter().flat_map(|picture| &picture.annotations) {
                if annotation.flags.crowd || annotation.flags.outside {
                    left_out += 1;
                    continue;
                }
                let rect = annotation.rect;
                let class = annotation.class.and_then(|class| classes.get(class as usize).copied());
                let pixels = Some([rect.x0, rect.y0, rect.x1, rect.y1]);
                frame.boxes.push(GivenBox { pixels, shares: None, class });
            }
            survey.frames.push(frame);
        }
        if left_out > 0 {
            survey.notes.push(format!(
                "{}: {left_out} annotations mark a crowd, or an object outside of the image, and are left out",
                self.name
            ));
        }
        Ok(())
    }

    /// The entries of frames, with their annotations where they are in the pictures as these say it themselves; nothing
    /// for a picture that does not say its size, since that does not decode either.
    fn told(&self, survey: &Survey, matched: &[(Frame, usize)], workers: usize) -> Result<Vec<Option<Picture>>> {
        let mut seen = Vec::with_capacity(matched.len());
        let look = |(frame, _): &(Frame, usize)| look(survey, frame);
        ordered(
            matched.iter().map(Ok),
            |_| HEAD_BYTES,
            workers,
            look,
            |found| {
                found.into_iter().try_for_each(|one| {
                    seen.push(one?);
                    Ok(())
                })
            },
        )?;
        let known = matched.iter().zip(&seen).filter(|(_, seen)| seen.is_some()).map(|((_, k), _)| *k);
        let mut labels = Labels::default();
        labels.pictures = known.filter_map(|k| self.labels.pictures.get(k).cloned()).collect();
        let mut options = self.options.clone();
        if options.exif.is_none() {
            // Turned pictures are stored as they are seen, and nobody said that of their boxes.
            for (picture, seen) in labels.pictures.iter().zip(seen.iter().flatten()) {
                picture.refuse_unknown_raster(*seen, self.format).map_err(|e| e.file(&self.name))?;
            }
            options.exif = Some(Exif::Apply);
        }
        let mut next = seen.iter().flatten();
        labels.told(self.format, &options, |_| Ok(next.next().copied())).map_err(|e| e.file(&self.name))?;
        let mut pictures = labels.pictures.into_iter();
        Ok(seen.iter().map(|seen| seen.and_then(|_| pictures.next())).collect())
    }

    /// The entries of the pictures of frames, nothing where there is none or nobody has labeled it.
    pub fn entries(
        &self,
        survey: &mut Survey,
        frames: Vec<Frame>,
        workers: usize,
        in_order: bool,
    ) -> Result<Vec<Option<Vec<Annotation>>>> {
        let n = frames.len();
        let labeled = |k: &usize| self.labels.pictures.get(*k).is_some_and(|picture| !picture.unlabelled);
        let (mut matched, mut numbers) = (Vec::new(), Vec::new());
        for (i, frame) in frames.into_iter().enumerate() {
            let entry = if in_order { Some(i) } else { self.entry(survey, &frame)? };
            if let Some(k) = entry.filter(labeled) {
                matched.push((frame, k));
                numbers.push(i);
            }
        }
        let classes = class_numbers(survey, &self.labels.classes);
        let mut all = vec![None; n];
        for (i, picture) in numbers.into_iter().zip(self.told(survey, &matched, workers)?) {
            let Some(mut picture) = picture else { continue };
            for annotation in &mut picture.annotations {
                annotation.class = annotation.class.and_then(|class| classes.get(class as usize).copied());
            }
            if let Some(to) = all.get_mut(i) {
                *to = Some(picture.annotations);
            }
        }
        Ok(all)
    }

    /// The classes.
    pub fn classes(&self) -> &Classes {
        &self.labels.classes
    }

    /// Refuses the pictures that no source has, as frames of run `run`.
    pub fn end(self, survey: &mut Survey, run: usize) {
        for (k, picture) in self.labels.pictures.iter().enumerate() {
            if !self.names.is_taken(k) {
                survey.refused.push(Refused {
                    cause: Cause::PictureMissing,
                    file: picture.name.clone(),
                    reason: format!("{} names it, and no source has it", self.name),
                    run,
                });
            }
        }
    }
}

fn options(settings: &Settings) -> ReadOptions {
    let mut options = settings.label_options.clone();
    options.limits = settings.limits.clone();
    options.exif = match settings.exif {
        Exif::Apply => options.exif.map(|_| Exif::Apply),
        // What is turned is refused for its picture, and not with all labels.
        _ => Some(Exif::Ignore),
    };
    options
}

/// The numbers that classes have among the warehouse's.
fn class_numbers(survey: &mut Survey, classes: &Classes) -> Vec<u32> {
    let known = survey.classes.iter().cloned().zip(0_u32..);
    let mut known: HashMap<String, u32> = known.collect();
    let mut numbers = Vec::with_capacity(classes.len());
    for class in classes {
        numbers.push(*known.entry(class.name.clone()).or_insert_with(|| {
            survey.classes.push(class.name.clone());
            u32::try_from(survey.classes.len() - 1).unwrap_or(u32::MAX)
        }));
    }
    numbers
}

/// What a picture says of its size, and how EXIF turns it; `None` where it says nothing.
fn look(survey: &Survey, frame: &Frame) -> Result<Option<Seen>> {
    let bytes = match &frame.place {
        Place::File(stamp) => {
            let input = Input::pieces(&stamp.path)?;
            let head = input.slice(0..input.len().min(HEAD_BYTES))?;
            if probe(&head).is_undecided() { input.slice(0..input.len())? } else { head }
        }
        Place::Sample { dataset, number } => match survey.datasets.get(*dataset).map(|d| (d.info(*number), d)) {
            // Raw pixels have no head; the index knows their size.
            Some((Ok(info), _)) if info.format == forebay::sample::MediaFormat::RawU8 => {
                return Ok(Some(Seen { width: info.width, height: info.height, turn: Turn::NONE }));
            }
            Some((Ok(_), dataset)) => match dataset.lend(*number) {
                Ok(bytes) => bytes,
                Err(e) if super::recorder::cause_of(&e).is_some() => return Ok(None),
                Err(e) => return Err(e),
            },
            _ => return Ok(None),
        },
    };
    let probed = probe(&bytes);
    if probed.width == 0 || probed.height == 0 {
        return Ok(None);
    }
    let turn = Turn::from_exif(orientation(&bytes) as u32);
    Ok(Some(Seen { width: probed.width, height: probed.height, turn }))
}
