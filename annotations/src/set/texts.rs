//! What the texts of a set say, once they are all there.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ops::Range,
};

use bytes::Bytes;

use super::{
    super::{
        Cause, Exif, Format, Labels, Listing, ReadOptions, Seen, Turn, codes, createml, datumaro, dota, kitti, labelme,
        labelstudio, listing, open_images, recorder, via, voc, yolo,
    },
    DESCRIPTIONS, SetReader, beneath,
};
use crate::{
    error::{Error, Result},
    words::Word,
};

/// Folders that label files lie in by custom: what their names begin with from there on is what pictures are called.
const LABEL_FOLDERS: [&str; 5] = ["annotations", "labels", "label_2", "labeltxt", "labels_xml"];

impl SetReader {
    /// The pictures whose sizes the labels need to be read: what they ask for when each is said to be one pixel.
    pub(super) fn sized(&self, format: Format, list: &[usize]) -> Vec<usize> {
        let mut asked = BTreeSet::new();
        let mut look = |file| {
            asked.insert(file);
            Some(Seen { width: 1, height: 1, turn: Turn::NONE })
        };
        let read = match format {
            Format::Yolo => self.yolo(&mut look),
            _ => self.open_images(list, &mut look),
        };
        match read {
            Ok(_) => asked.into_iter().collect(),
            // Where reading ended early, more could be asked for than was.
            Err(_) => (0..self.files.len()).filter(|k| listing::is_picture(self.name(*k))).collect(),
        }
    }

    /// What the texts say, for formats that need no sizes.
    pub(super) fn parsed(&self, format: Format, list: &[usize]) -> Result<Labels> {
        let options = &self.options;
        let texts: Vec<(String, Bytes)> = match format {
            Format::Voc | Format::Kitti | Format::Dota => {
                list.iter().map(|k| (inside(self.name(*k), self.entry.is_some()), self.text(*k))).collect()
            }
            _ => list.iter().map(|k| (self.name(*k).to_owned(), self.text(*k))).collect(),
        };
        let named = || texts.iter().map(|(name, text)| (name.as_str(), &text[..]));
        // Errors have the name that the file has here.
        let blamed =
            |e: Error| match e.place().file.as_ref().and_then(|it| texts.iter().position(|(name, _)| name == it)) {
                Some(at) => e.renamed(list.get(at).map_or("", |k| self.name(*k))),
                None => e,
            };
        let whole = |read: fn(&[u8], &ReadOptions) -> Result<Labels>| {
            let (name, text) = texts.first().map_or(("", &[][..]), |(name, text)| (name.as_str(), &text[..]));
            read(text, options).map_err(|e| e.file(name))
        };
        let mut labels = match format {
            Format::LabelStudio => return whole(labelstudio::read),
            Format::Via => return whole(via::read),
            Format::CreateMl => return whole(createml::read),
            Format::Datumaro => return whole(datumaro::read),
            Format::LabelMe => return labelme::read_all(named(), options),
            Format::Voc => voc::read_all(named(), options).map_err(blamed)?,
            Format::Kitti => kitti::read_all(named(), options).map_err(blamed)?,
            Format::Dota => dota::read_all(named(), options).map_err(blamed)?,
            other => {
                let message = format!("labels of the format {} are not read from files yet", other.word());
                return Err(Error::new(&codes::UNSUPPORTED, message));
            }
        };
        if self.pictures.is_some() {
            labels.find_pictures(&self.listing());
        }
        refuse_repeated(&labels)?;
        labels.count();
        Ok(labels)
    }

    /// The names of the pictures' folder.
    pub(super) fn listing(&self) -> Listing {
        self.shelf().map(|k| self.name(k)).collect()
    }

    /// The files of the pictures' folder.
    pub(super) fn shelf(&self) -> Range<usize> {
        self.pictures.clone().unwrap_or_default()
    }

    /// The recorder's frames: their pictures lie beside the folder of the labels, and give the sizes for fractions.
    pub(super) fn frames(&self, list: &[usize]) -> Result<Vec<(recorder::Frame, usize, String)>> {
        let read = |file: &usize| {
            let name = self.name(*file);
            let frame = recorder::read(&self.text(*file), &self.options).map_err(|e| e.file(name))?;
            let mut parts: Vec<&str> = name.split('/').collect();
            parts.truncate(parts.len().saturating_sub(2));
            Ok((frame, *file, parts.join("/")))
        };
        list.iter().map(read).collect()
    }

    pub(super) fn recorded(&self, list: &[usize]) -> Result<Labels> {
        let mut labels = Labels::default();
        let by_name = self.by_name(0..self.own);
        for (frame, file, run) in self.frames(list)? {
            let place = beneath(&run, &frame.image);
            let seen = by_name.get(place.as_str()).and_then(|k| self.seen(*k));
            let (width, height) = match seen {
                Some(seen) => (seen.width, seen.height),
                None if frame.boxes.iter().all(|one| one.pixels.is_some()) => (0, 0),
                None => {
                    let message = format!("there is not an image {:?}, whose size its boxes need", frame.image);
                    return Err(Error::new(&codes::PICTURE, message).file(self.name(file)));
                }
            };
            let mut picture = frame.picture(width, height, &mut labels.notes);
            if width == 0 {
                (picture.width, picture.height) = (None, None);
            }
            // Frames of several runs have the same names.
            picture.name = beneath(&run, &picture.name);
            labels.pictures.push(picture);
        }
        refuse_repeated(&labels)?;
        labels.count();
        Ok(labels)
    }

    /// A set of YOLO. Pictures that lie elsewhere count as if they were in its folder `images`.
    pub(super) fn yolo(&self, look: &mut dyn FnMut(usize) -> Option<Seen>) -> Result<Labels> {
        let mut places: HashMap<String, usize> =
            (self.own..self.files.len()).map(|k| (format!("images/{}", self.name(k)), k)).collect();
        places.extend((0..self.own).map(|k| (self.name(k).to_owned(), k)));
        let listing: Listing = places.keys().cloned().collect();
        let file = |name: &str| places.get(name).copied();
        let mut turned = HashSet::new();
        let mut size = |name: &str| {
            let seen = file(name).and_then(&mut *look);
            let Some(Seen { width, height, turn }) = seen else { return Ok(None) };
            if !turn.is_none() {
                turned.insert(name.to_owned());
            }
            // The fractions are of the picture as it is seen, or as it is stored.
            let shown = self.options.exif == Some(Exif::Apply);
            Ok(Some(if shown { turn.size(width, height) } else { (width, height) }))
        };
        let mut read = |name: &str| Ok(file(name).map(|k| self.text(k).to_vec()).unwrap_or_default());
        let mut labels = yolo::read_folder(&listing, &self.options, &mut read, &mut size)?;
        check_turned(&mut labels, &turned, &self.options)?;
        labels.count();
        Ok(labels)
    }

    /// Open Images' boxes. Their pictures give the sizes that fractions need.
    pub(super) fn open_images(&self, list: &[usize], look: &mut dyn FnMut(usize) -> Option<Seen>) -> Result<Labels> {
        // Other tables of the set begin with the same column.
        let has_boxes = |file: &&usize| {
            let text = self.text(**file);
            let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
            line.windows(4).any(|word| word == b"XMin")
        };
        let boxes: Vec<usize> = list.iter().filter(has_boxes).copied().collect();
        let file = self.only(Format::OpenImages, &boxes)?;
        let name = self.name(file);
        if self.pictures.is_none() {
            let message = "boxes are fractions of their images, and nothing says where these are";
            return Err(Error::new(&codes::AMBIGUOUS, message).with_options(&["pictures"]).file(name));
        }
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let by_name = self.by_name(0..self.own);
        let beside = |name: &str| by_name.get(beneath(folder, name).as_str()).map(|k| self.text(*k));
        let names = DESCRIPTIONS.iter().find_map(|name| beside(name));
        let listing = self.listing();
        let pictures = self.by_name(self.shelf());
        let size = |id: &str| {
            let found = listing.pictures(id);
            if let [first, second, ..] = found[..] {
                let message = format!("{id:?} could be several images: {first:?}, {second:?}");
                return Err(Error::new(&codes::AMBIGUOUS, message));
            }
            let seen = found.first().and_then(|name| look(*pictures.get(*name)?));
            // One that has to be there is refused once its line is known, and until then it has any size.
            Ok(seen.map(|seen| (seen.width, seen.height)).or(self.strict.then_some((1, 1))))
        };
        let read = open_images::read(&self.text(file), names.as_deref(), size, &self.options);
        let mut labels = read.map_err(|e| e.file(name))?;
        labels.find_pictures(&listing);
        refuse_repeated(&labels)?;
        labels.count();
        Ok(labels)
    }
}

/// Refuses two pictures of one name: nobody knows which of them has the name's labels.
fn refuse_repeated(labels: &Labels) -> Result<()> {
    let mut seen = HashSet::new();
    match labels.pictures.iter().find(|picture| !seen.insert(picture.name.as_str())) {
        None => Ok(()),
        Some(picture) => {
            let message = format!("two images have the name {:?}; read their labels folder by folder", picture.name);
            Err(Error::new(&codes::REPEATED, message))
        }
    }
}

/// Counts pictures that EXIF turns. Fractions say nothing of the raster that they are of.
fn check_turned(labels: &mut Labels, turned: &HashSet<String>, options: &ReadOptions) -> Result<()> {
    for picture in labels.pictures.iter().filter(|picture| turned.contains(&picture.name)) {
        labels.notes.add(Cause::Turned);
        match options.exif {
            _ if picture.annotations.is_empty() => {}
            Some(Exif::Refuse) => {
                return Err(Error::new(&codes::SIZE, "EXIF turns the image").file(&picture.name));
            }
            Some(_) => {}
            None => {
                let message = "EXIF turns the image, and nothing says in which raster its boxes are";
                return Err(Error::new(&codes::AMBIGUOUS, message).with_options(&["exif"]).file(&picture.name));
            }
        }
    }
    Ok(())
}

/// A label file's name in the folder of the labels.
fn inside(name: &str, alone: bool) -> String {
    let parts: Vec<&str> = name.split('/').collect();
    let (folders, own) = parts.split_at(parts.len() - 1);
    let known = |part: &&str| LABEL_FOLDERS.contains(&part.to_ascii_lowercase().as_str());
    match folders.iter().position(known) {
        _ if alone => own.concat(),
        Some(at) => parts[at + 1..].join("/"),
        None => name.to_owned(),
    }
}
