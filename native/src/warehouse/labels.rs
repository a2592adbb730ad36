//! Labels of other tools, laid beside the pictures that they are of.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use forebay::{
    Result,
    annotations::{Annotation, Classes, Exif, Format, Labels, Picture, ReadOptions, Seen, Turn, record},
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
    labels::{
        Open,
        names::{Names, with_and_without_ending},
        of_samples,
    },
    parallel::{blocks::in_blocks, ordered},
};

/// Bytes of a picture that normally give its size.
const HEAD_BYTES: u64 = 64 << 10;

/// Label files that were read, before they are laid beside pictures.
pub(super) struct Read {
    name: String,
    format: Format,
    labels: Labels,
    options: ReadOptions,
    /// Which of the pictures were found.
    found: Vec<bool>,
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
        let found = vec![false; set.labels.pictures.len()];
        Ok(Read { name: display(path), format: set.format, labels: set.labels, options, found })
    }

    /// What the samples of a dataset carry in their metadata; nothing if none carries what is said to be ours.
    pub fn of_samples(dataset: &Dataset, settings: &Settings) -> Result<Option<Read>> {
        let options = options(settings);
        let is_marked = |i: u64| {
            let metadata = dataset.metadata_value(i).ok().flatten();
            let find = |metadata| record::find(&metadata, Some((1, 1)), &options, &mut Classes::default());
            let said = metadata.map_or(Ok(None), find);
            // What is wrong is refused below, with its place.
            said.map_or(true, |found| found.is_some())
        };
        if !in_blocks(dataset.len(), |mut range| Ok(range.any(is_marked)))?.contains(&true) {
            return Ok(None);
        }
        let labels = of_samples(dataset, &options)?;
        let found = vec![false; labels.pictures.len()];
        Ok(Some(Read { name: dataset.name().into(), format: Format::Records, labels, options, found }))
    }

    /// Gives the frames of `survey` from number `first` on their boxes, by the names of their pictures. A picture that the
    /// labels do not name, or that nobody has labeled, is refused.
    pub fn join(&mut self, survey: &mut Survey, first: usize, workers: usize) -> Result<()> {
        let names = self.names();
        self.lay(survey, first, workers, |_, frame| find(&names, &frame.source))
    }

    /// As [`join`](Self::join), where the first frame is the first of the pictures, and so on.
    pub fn join_in_order(&mut self, survey: &mut Survey, first: usize, workers: usize) -> Result<()> {
        self.lay(survey, first, workers, |i, _| Some(i))
    }

    fn lay(
        &mut self,
        survey: &mut Survey,
        first: usize,
        workers: usize,
        entry_of: impl Fn(usize, &Frame) -> Option<usize>,
    ) -> Result<()> {
        let frames = survey.frames.split_off(first);
        let mut matched = Vec::new();
        for (i, frame) in frames.into_iter().enumerate() {
            let entry = entry_of(i, &frame).and_then(|k| Some((k, self.labels.pictures.get(k)?)));
            match entry {
                Some((k, picture)) if !picture.unlabelled => {
                    self.found[k] = true;
                    matched.push((frame, k));
                }
                _ => survey.refused.push(Refused {
                    cause: Cause::Unlabeled,
                    reason: match entry {
                        Some(_) => "nobody has labeled the picture".into(),
                        None => format!("{} says nothing of the picture", self.name),
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
                "{}: {left_out} annotations mark a crowd, or an object outside of the picture, and are left out",
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
        let mut next = seen.iter().flatten();
        labels.told(self.format, &self.options, |_| Ok(next.next().copied())).map_err(|e| e.file(&self.name))?;
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
        let (names, n) = (self.names(), frames.len());
        let entry = |i: usize, frame: &Frame| if in_order { Some(i) } else { find(&names, &frame.source) };
        let labeled = |k: &usize| self.labels.pictures.get(*k).is_some_and(|picture| !picture.unlabelled);
        let (mut matched, mut numbers) = (Vec::new(), Vec::new());
        for (i, frame) in frames.into_iter().enumerate() {
            if let Some(k) = entry(i, &frame).filter(labeled) {
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
        for (picture, found) in self.labels.pictures.iter().zip(&self.found) {
            if !found {
                survey.refused.push(Refused {
                    cause: Cause::PictureMissing,
                    file: picture.name.clone(),
                    reason: format!("{} names it, and no source has it", self.name),
                    run,
                });
            }
        }
    }

    fn names(&self) -> Names {
        Names::of(self.labels.pictures.iter().map(|picture| picture.name.as_str()))
    }
}

fn options(settings: &Settings) -> ReadOptions {
    let mut options = settings.label_options.clone();
    options.limits = settings.limits.clone();
    // What is turned is refused for its picture, and not with all labels.
    options.exif = Some(if settings.exif == Exif::Apply { Exif::Apply } else { Exif::Ignore });
    options
}

/// The entry of a picture: by its name, by what is behind the folders around it, or by the last part of its name where only
/// one has that.
fn find(names: &Names, source: &str) -> Option<usize> {
    for name in with_and_without_ending(source) {
        if let Some(found) = names.longest_in(name) {
            return Some(found);
        }
        let mut alike = names.ending_with(name.rsplit('/').next().unwrap_or(name));
        match (alike.next(), alike.next()) {
            (None, _) => {}
            (found, None) => return found,
            _ => return None,
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_as_a_whole_before_their_last_part_does() {
        let mut labels = Labels::default();
        let names = ["a/1.jpg", "b/1.jpg", "c/2.jpg", "3.jpg", "d\\5.jpg", "train/6", "7"];
        labels.pictures = names.map(forebay::annotations::Picture::named).to_vec();
        let found = vec![false; 7];
        let read = Read { name: String::new(), format: Format::Coco, labels, options: ReadOptions::default(), found };
        let names = read.names();
        let find = |source: &str| find(&names, source);
        assert_eq!([find("a/1.jpg"), find("train/b/1.jpg"), find("1.jpg")], [Some(0), Some(1), None]);
        assert_eq!([find("2.jpg"), find("x/2.jpg"), find("x/3.jpg"), find("4.jpg")], [Some(2), Some(2), Some(3), None]);
        // As other systems part folders, and as formats that name no endings say it: the same as beside samples.
        assert_eq!([find("x/d/5.jpg"), find("train/6.png"), find("val/7.png")], [Some(4), Some(5), Some(6)]);
    }
}
