//! Which files of a folder belong together: pure functions of their names and of what the set says of itself.

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result};

use super::super::listing::{Found, Listing, ending, is_picture};
use super::super::plain::lines;
use super::super::{Cause, Notes, base_name, codes};
use super::data::{Data, Place};

/// Texts that are not labels of a picture.
const NO_LABELS: [&str; 10] = [
    "classes.txt",
    "train.txt",
    "val.txt",
    "valid.txt",
    "test.txt",
    "images.txt",
    "readme.txt",
    "notes.txt",
    "labels.txt",
    "requirements.txt",
];

/// The file of a folder that says what the set is, if one does.
pub fn entry(listing: &Listing) -> Option<&str> {
    let named = |names: &[&str]| names.iter().find_map(|name| listing.get(name));
    let any_yaml = || {
        let mut found = listing.iter().filter(|file| !file.contains('/') && is_yaml(file));
        found.next().filter(|_| found.next().is_none())
    };
    named(&["data.yaml", "dataset.yaml", "data.yml", "dataset.yml", "obj.data"])
        .or_else(any_yaml)
        .or_else(|| named(&["classes.txt", "obj.names"]))
}

fn is_yaml(file: &str) -> bool {
    matches!(ending(file).as_str(), "yaml" | "yml")
}

/// A picture and the file with its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The picture.
    pub picture: String,
    /// Its labels; `None` where nothing is in it.
    pub labels: Option<String>,
    /// The part of the set, such as `train`; empty where there are no parts.
    pub split: String,
}

/// The pictures of a set with their labels.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Set {
    /// The pictures: part by part, in the order of the lists or of their names. None is there twice.
    pub members: Vec<Member>,
    /// What was found.
    pub notes: Notes,
}

impl Set {
    /// The files that list pictures: the caller reads them for [`Set::find`].
    pub fn lists(data: &Data, listing: &Listing) -> Result<Vec<String>> {
        let mut lists = Vec::new();
        for place in &data.places {
            if let Some((Found::File(file), _)) = resolved(data, place, listing, &mut Notes::default())? {
                lists.push(file);
            }
        }
        Ok(lists)
    }

    /// Finds the pictures of a set and their labels. `lists` has the bytes of the files that [`Set::lists`] names.
    ///
    /// ```
    /// use forebay_annotations::{Listing, yolo::{Data, Set}};
    /// use forebay_base::Limits;
    /// let data = Data::from_yaml(b"train: images/train\nnames: [car]\n", &Limits::default()).unwrap();
    /// let listing: Listing = ["data.yaml", "images/train/a.JPG", "labels/train/a.txt"].into_iter().collect();
    /// let set = Set::find(&data, &listing, &Default::default()).unwrap();
    /// assert_eq!(set.members[0].labels.as_deref(), Some("labels/train/a.txt"));
    /// ```
    pub fn find(data: &Data, listing: &Listing, lists: &HashMap<String, Vec<u8>>) -> Result<Set> {
        let mut set = Set::default();
        let mut seen = HashSet::new();
        let mut taken = HashSet::new();
        let mut add = |set: &mut Set, picture: &str, split: &str| {
            if !seen.insert(picture.to_owned()) {
                return;
            }
            let labels = labels_of(picture).into_iter().find(|name| listing.has(name));
            match &labels {
                Some(labels) => drop(taken.insert(labels.clone())),
                None => set.notes.add(Cause::Background),
            }
            set.members.push(Member { picture: picture.to_owned(), labels, split: split.to_owned() });
        };
        for place in &data.places {
            match resolved(data, place, listing, &mut set.notes)? {
                Some((Found::Folder(folder), _)) => {
                    for picture in listing.under(&folder).filter(|file| is_picture(file)) {
                        add(&mut set, picture, &place.split);
                    }
                }
                Some((Found::File(file), _)) => {
                    let bytes = lists.get(&file).map_or(&[][..], Vec::as_slice);
                    listed(bytes, &file, listing, &mut set, |set, picture| add(set, picture, &place.split))?;
                }
                None => set.notes.say(format!("{}: {} is not there", place.split, place.path)),
            }
        }
        if data.places.is_empty() {
            for picture in listing.iter().filter(|file| is_picture(file)) {
                add(&mut set, picture, "");
            }
        }
        let orphans: Vec<&str> = listing.iter().filter(|file| is_labels(file) && !taken.contains(*file)).collect();
        if let (true, Some(first)) = (taken.is_empty(), orphans.first()) {
            // Any text may lie beside pictures; in a folder of labels, or without a picture, it holds labels.
            if set.members.is_empty() || orphans.iter().any(|file| file.split('/').rev().skip(1).any(|f| f == "labels"))
            {
                return Err(none_found(orphans.len(), first, &set.notes));
            }
        }
        set.notes.add_many(Cause::NoPicture, orphans.len() as u64);
        Ok(set)
    }
}

/// Labels without a picture are not read, for their numbers are shares of its size. If that is all of them, the
/// set is refused: it would look like pictures with nothing in them.
fn none_found(orphans: usize, first: &str, notes: &Notes) -> Error {
    let mut message = match orphans {
        1 => format!("the image of the only label file, {first:?}, is missing"),
        n => format!("the images of all {n} label files are missing, first that of {first:?}"),
    };
    for text in notes.texts().iter().take(3) {
        message += &format!("; {text}");
    }
    message += "; boxes are shares of their images";
    Error::new(&codes::PICTURE, message).with_options(&["pictures"])
}

/// The pictures that a list names.
fn listed(
    bytes: &[u8],
    list: &str,
    listing: &Listing,
    set: &mut Set,
    mut add: impl FnMut(&mut Set, &str),
) -> Result<()> {
    for (number, line) in lines(bytes) {
        let line = line.map_err(|e| e.file(list))?;
        if line.is_empty() {
            continue;
        }
        let path = line.replace('\\', "/");
        let spot = super::super::Spot::line(number);
        if path.split('/').any(|part| part == "..") {
            let message = format!("the image {:?} leaves the set's folder", super::super::plain::short(line));
            return Err(spot.fault(&codes::NAME, message).file(list));
        }
        match listing.find(&path) {
            Some((Found::File(file), guessed)) => {
                if guessed || path != line {
                    set.notes.add(Cause::PathGuessed);
                }
                add(set, &file);
            }
            _ => {
                let message = format!("the image {:?} is not there", super::super::plain::short(line));
                return Err(spot.fault(&codes::PICTURE, message).file(list));
            }
        }
    }
    Ok(())
}

/// What a place means in the folder of the file that names it. That file says where the set was when it was made, which is
/// often not where it is.
fn resolved(data: &Data, place: &Place, listing: &Listing, notes: &mut Notes) -> Result<Option<(Found, bool)>> {
    let path = place.path.replace('\\', "/");
    let mut rest = path.as_str();
    while let Some(tail) = rest.strip_prefix("./") {
        rest = tail;
    }
    // A way out of the folder and back in is a habit of one exporter, whose file lies beside what it names.
    let stays = rest.strip_prefix("../").filter(|tail| !tail.is_empty()).unwrap_or(rest);
    if stays.split('/').any(|part| part == "..") {
        let message =
            format!("{} is {:?}, which leaves the set's folder", place.split, super::super::plain::short(&path));
        return Err(place.spot.fault(&codes::NAME, message));
    }
    // The root is where the set was, so only its end can help.
    let root = data.root.as_deref().unwrap_or(".").replace('\\', "/");
    let root: Vec<&str> = root.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let joined = if root.is_empty() || stays.starts_with('/') {
        stays.to_owned()
    } else {
        format!("{}/{stays}", root.join("/"))
    };
    let found = listing.find(&joined);
    if found.as_ref().is_some_and(|(_, guessed)| *guessed) || stays != rest || path != place.path {
        notes.add(Cause::PathGuessed);
    }
    Ok(found)
}

/// Where the labels of a picture may be: in a folder `labels` beside the last one called `images`, or beside the picture.
fn labels_of(picture: &str) -> Vec<String> {
    let stem = picture.strip_suffix(&format!(".{}", picture.rsplit('.').next().unwrap_or_default())).unwrap_or(picture);
    let mut names = Vec::new();
    let parts: Vec<&str> = stem.split('/').collect();
    let (folders, _) = parts.split_at(parts.len() - 1);
    if let Some(at) = folders.iter().rposition(|part| *part == "images") {
        let mut parts = parts.clone();
        parts[at] = "labels";
        names.push(parts.join("/") + ".txt");
    }
    names.push(format!("{stem}.txt"));
    names.push(format!("labels/{stem}.txt"));
    names
}

fn is_labels(file: &str) -> bool {
    ending(file) == "txt" && !NO_LABELS.contains(&base_name(file).to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    fn find(yaml: &str, files: &[&str], lists: &[(&str, &str)]) -> Result<Set> {
        let data = Data::from_yaml(format!("names: [a]\n{yaml}").as_bytes(), &Limits::default()).unwrap();
        let listing: Listing = files.iter().copied().collect();
        let lists = lists.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
        Set::find(&data, &listing, &lists)
    }

    fn shown(set: &Set) -> Vec<String> {
        let one = |m: &Member| format!("{} {} {}", m.split, m.picture, m.labels.as_deref().unwrap_or("-"));
        set.members.iter().map(one).collect()
    }

    const FILES: [&str; 5] =
        ["data.yaml", "images/train/a.jpg", "images/val/b.c.PNG", "labels/train/a.txt", "labels/val/b.c.txt"];

    #[test]
    fn folders_and_lists_give_pictures_with_their_labels() {
        let both = ["train images/train/a.jpg labels/train/a.txt", "val images/val/b.c.PNG labels/val/b.c.txt"];
        for yaml in [
            "path: .\ntrain: images/train\nval: ./images/val/",
            "path: /datasets/x\ntrain: images/train\nval: images/val",
            "path: ../datasets/x\ntrain: images/train\nval: [images/val]",
            "train: /datasets/x/images/train\nval: C:\\x\\images\\val",
            "train: ../images/train\nval: ../images/val",
        ] {
            assert_eq!(shown(&find(yaml, &FILES, &[]).unwrap()), both, "{yaml}");
        }
        let files = [FILES.as_slice(), &["train.txt", "val.txt"]].concat();
        let lists = [("train.txt", "./images/train/a.jpg\r\n\n"), ("val.txt", ".\\images\\val\\b.c.PNG")];
        let set = find("train: train.txt\nval: data/val.txt", &files, &lists).unwrap();
        assert_eq!(shown(&set), both);
        assert_eq!((set.notes.of(Cause::PathGuessed), set.notes.of(Cause::NoPicture)), (2, 0));
        let data = Data { places: Vec::new(), ..Data::default() };
        assert_eq!(Set::find(&data, &FILES.iter().copied().collect(), &HashMap::new()).unwrap().members.len(), 2);
    }

    #[test]
    fn a_picture_counts_once_and_may_have_no_labels() {
        let set = find("train: [images/train, images]\nval: images", &FILES[..4], &[]).unwrap();
        assert_eq!(shown(&set), ["train images/train/a.jpg labels/train/a.txt", "train images/val/b.c.PNG -"]);
        assert_eq!(set.notes.of(Cause::Background), 1);
        let set = find("", &["obj/a.jpg", "obj/a.txt", "obj/b.txt", "classes.txt"], &[]).unwrap();
        assert_eq!(shown(&set), [" obj/a.jpg obj/a.txt"]);
        assert_eq!(set.notes.of(Cause::NoPicture), 1);
        let some = find("train: images/train\nval: gone", &FILES, &[]).unwrap();
        assert_eq!(
            (some.notes.texts(), some.notes.of(Cause::NoPicture)),
            (&["val: gone is not there".to_owned()][..], 1)
        );
    }

    #[test]
    fn a_set_of_whose_label_files_none_has_a_picture_is_refused() {
        let e = find("train: gone", &FILES, &[]).unwrap_err();
        assert_eq!((e.code().id(), e.options()), ("label.picture", ["pictures"].as_slice()));
        let said = "the images of all 2 label files are missing, first that of \"labels/train/a.txt\"; train: gone is not there";
        assert!(e.message().starts_with(said), "{e}");
        let e = find("", &["b.txt", "classes.txt"], &[]).unwrap_err();
        assert!(e.message().starts_with("the image of the only label file, \"b.txt\", is missing"), "{e}");
        // Pictures of other names, as of a folder that was given: nothing of what was labeled is in them.
        let e = find("", &["images/c.jpg", "labels/train/a.txt"], &[]).unwrap_err();
        assert_eq!(e.code().id(), "label.picture");
        // Another text beside pictures is not taken for labels.
        assert_eq!(find("", &["images/c.jpg", "README.roboflow.txt"], &[]).unwrap().members.len(), 1);
        assert_eq!(find("", &["classes.txt"], &[]).unwrap().members.len(), 0);
    }

    #[test]
    fn nothing_leaves_the_folder() {
        let e = find("train: ../../../etc", &FILES, &[]).unwrap_err();
        assert!(e.to_string().starts_with("line 2, character 8: train is \"../../../etc\", which leaves"), "{e}");
        assert!(find("train: a/../../b", &FILES, &[]).is_err());
        let files = [FILES.as_slice(), &["l.txt"]].concat();
        let e = find("train: l.txt", &files, &[("l.txt", "images/train/a.jpg\n../x.jpg")]).unwrap_err();
        assert!(e.to_string().starts_with("l.txt: line 2: the image \"../x.jpg\" leaves"), "{e}");
        let e = find("train: l.txt", &files, &[("l.txt", "images/x.jpg")]).unwrap_err();
        assert!(e.to_string().contains("is not there"), "{e}");
    }

    #[test]
    fn the_file_that_says_what_a_set_is_is_found() {
        let entry = |files: &[&str]| entry(&files.iter().copied().collect()).map(str::to_owned);
        assert_eq!(entry(&["classes.txt", "data.yaml", "x.yaml"]).as_deref(), Some("data.yaml"));
        assert_eq!(entry(&["classes.txt", "coco8.yaml", "a/b.yaml"]).as_deref(), Some("coco8.yaml"));
        assert_eq!(entry(&["classes.txt", "a.yaml", "b.yaml"]).as_deref(), Some("classes.txt"));
        assert_eq!(entry(&["labels/a.txt"]), None);
    }
}
