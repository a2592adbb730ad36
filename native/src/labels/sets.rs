//! Formats with a file for each picture, which files of a folder belong together, and where their pictures are.

use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Path, PathBuf},
};

use forebay::{
    Error, Result,
    annotations::{Cause, Exif, Labels, Listing, ReadOptions, Seen, codes, cvat, open_images, yolo},
};

use super::{
    Files, PIECE, bytes,
    shelf::{Place, Shelf, relative},
};
use crate::{Input, input::display};

/// Folders that label files lie in by custom: what their names begin with from there on is what pictures are called.
const LABEL_FOLDERS: [&str; 5] = ["annotations", "labels", "label_2", "labeltxt", "labels_xml"];

/// Reads files by their names in the folder of the labels.
pub(super) fn each(
    files: &Files,
    read: impl Fn(&[(String, bytes::Bytes)]) -> Result<Labels>,
    pictures: Option<&Shelf>,
) -> Result<Labels> {
    let one = |path: &PathBuf| Ok((inside(&files.root, path), bytes(path)?));
    let texts = files.list.iter().map(one).collect::<Result<Vec<_>>>()?;
    let mut labels = read(&texts)?;
    if let Some(shelf) = pictures {
        labels.find_pictures(&shelf.places()?.into_keys().collect());
    }
    labels.count();
    Ok(labels)
}

/// Reads a CVAT file piece by piece.
pub(super) fn cvat_file(path: &Path, options: &ReadOptions) -> Result<Labels> {
    let input = Input::pieces(path)?;
    let named = |e: Error| e.file(input.name());
    let mut labels = Labels::default();
    let mut reader = cvat::Reader::new(options);
    let mut sink = |picture| {
        labels.pictures.push(picture);
        Ok(())
    };
    input.sequential();
    let mut at = 0;
    while at < input.len() {
        let end = (at + PIECE).min(input.len());
        reader.feed(&input.slice(at..end)?, &mut sink).map_err(named)?;
        input.release(at..end);
        at = end;
    }
    let (classes, notes) = reader.finish(&mut sink).map_err(named)?;
    input.unchanged()?;
    (labels.classes, labels.notes) = (classes, notes);
    labels.count();
    Ok(labels)
}

/// Reads a YOLO set: the folder of the file that was named, or the folder that was. Pictures that lie elsewhere count as
/// if they were in its folder `images`.
pub(super) fn yolo_set(root: &Path, pictures: Option<&Shelf>, options: &ReadOptions) -> Result<Labels> {
    let folder = if root.is_dir() { root } else { root.parent().unwrap_or(Path::new("")) };
    let own = Shelf::Folder(folder.to_owned());
    let mut places = own.places()?;
    let elsewhere = pictures.filter(|shelf| !matches!(shelf, Shelf::Folder(other) if other == folder));
    for (name, place) in elsewhere.map(Shelf::places).transpose()?.into_iter().flatten() {
        places.entry(format!("images/{name}")).or_insert(place);
    }
    let listing: Listing = places.keys().cloned().collect();
    let path = |name: &str| match places.get(name) {
        Some(Place::File(path)) => path.clone(),
        _ => folder.join(name),
    };
    let turned = RefCell::new(HashMap::new());
    let mut size = |name: &str| {
        let Some(place) = places.get(name) else { return Ok(None) };
        let Some(Seen { width, height, turn }) = elsewhere.unwrap_or(&own).seen(place)? else { return Ok(None) };
        if !turn.is_none() {
            turned.borrow_mut().insert(name.to_owned(), turn);
        }
        // The fractions are of the picture as it is seen, or as it is stored.
        let shown = options.exif == Some(Exif::Apply);
        Ok(Some(if shown { turn.size(width, height) } else { (width, height) }))
    };
    let mut read = |name: &str| bytes(&path(name)).map(|bytes| bytes.to_vec());
    let mut labels = yolo::read_folder(&listing, options, &mut read, &mut size)?;
    let turned = turned.into_inner();
    for picture in labels.pictures.iter().filter(|picture| turned.contains_key(&picture.name)) {
        labels.notes.add(Cause::Turned);
        let name = display(&path(&picture.name));
        match options.exif {
            _ if picture.annotations.is_empty() => {}
            Some(Exif::Refuse) => return Err(Error::new(&codes::SIZE, "EXIF turns the picture").file(name)),
            Some(_) => {}
            None => {
                let message = "EXIF turns the picture, and nothing says in which raster its boxes are";
                return Err(Error::new(&codes::AMBIGUOUS, message).with_options(&["exif"]).file(name));
            }
        }
    }
    labels.count();
    Ok(labels)
}

/// Reads Open Images' boxes. Their pictures give the sizes that fractions need.
pub(super) fn open_images_set(files: &Files, pictures: Option<&Shelf>, options: &ReadOptions) -> Result<Labels> {
    // Other tables of the set begin with the same column.
    let boxes = |path: &PathBuf| {
        let input = Input::pieces(path)?;
        let head = input.slice(0..input.len().min(4096))?;
        Ok(head.split(|byte| *byte == b'\n').next().is_some_and(|line| line.windows(4).any(|word| word == b"XMin")))
    };
    let mut list = Vec::new();
    for path in &files.list {
        if boxes(path)? {
            list.push(path.clone());
        }
    }
    let files = Files { list, ..files.clone() };
    let file = files.only()?;
    let name = display(file);
    let Some(shelf) = pictures else {
        let message = "boxes are fractions of their pictures, and nothing says where these are";
        return Err(Error::new(&codes::AMBIGUOUS, message).with_options(&["pictures"]).file(name));
    };
    let beside = file.parent().unwrap_or(Path::new(""));
    let names = ["class-descriptions-boxable.csv", "class-descriptions.csv"].map(|name| beside.join(name));
    let names = names.iter().find(|path| path.is_file()).map(|path| bytes(path)).transpose()?;
    let places = shelf.places()?;
    let listing: Listing = places.keys().cloned().collect();
    let mut failed = None;
    let mut size = |id: &str| {
        let found = shelf.seen(places.get(listing.picture(id)?)?);
        found.map_err(|e| failed = Some(e)).ok().flatten().map(|seen| (seen.width, seen.height))
    };
    let read = open_images::read(&bytes(file)?, names.as_deref(), &mut size, options).map_err(|e| e.file(name));
    if let Some(e) = failed {
        return Err(e);
    }
    let mut labels = read?;
    labels.find_pictures(&listing);
    labels.count();
    Ok(labels)
}

/// A label file's name in the folder of the labels.
fn inside(root: &Path, file: &Path) -> String {
    let name = if root.is_dir() { relative(root, file) } else { relative(file.parent().unwrap_or(file), file) };
    let parts: Vec<&str> = name.split('/').collect();
    let (folders, _) = parts.split_at(parts.len() - 1);
    let known = |part: &&str| LABEL_FOLDERS.contains(&part.to_ascii_lowercase().as_str());
    folders.iter().position(known).map_or(name.clone(), |at| parts[at + 1..].join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use forebay::annotations::{Format, Rect};

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
        assert!(e.starts_with("labels/train/a.txt: line 1: "), "{e}");
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
