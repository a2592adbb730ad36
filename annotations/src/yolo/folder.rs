//! A whole set: what it is, which files belong to it, and their labels.

use std::collections::HashMap;

use crate::error::{Error, Result};

use super::super::{Cause, Class, Classes, Labels, Listing, Notes, Picture, ReadOptions, codes};
use super::{Data, Set, entry, read};

/// The size of a picture by its name.
type SizeOf<'a> = dyn FnMut(&str) -> Result<Option<(u32, u32)>> + 'a;

/// Reads the set in a folder. `bytes` gives a file of it by its name, `size` that of a picture, in the raster that its boxes
/// are fractions of; `None` where it is not a picture, which leaves its labels without a meaning.
///
/// The classes are those of the set's own file, or of [`ReadOptions::classes`] where there is none.
pub fn read_folder(
    listing: &Listing,
    options: &ReadOptions,
    bytes: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
    size: &mut SizeOf<'_>,
) -> Result<Labels> {
    let entry = entry(listing);
    let data = match entry {
        Some(entry) => known(entry, listing, options, bytes)?,
        None => {
            let names = options.classes.as_ref().ok_or_else(|| {
                let message = "no data.yaml, obj.data or classes.txt is here, so the classes have no names";
                Error::new(&codes::AMBIGUOUS, message).with_options(&["classes"])
            })?;
            Data { classes: distinct(names)?, ..Data::default() }
        }
    };
    // What is wrong with the set has its place in the file that says what the set is, if one does.
    let in_entry = |e: Error| match entry {
        Some(entry) => e.file(entry),
        None => e,
    };
    let mut lists = HashMap::new();
    for list in Set::lists(&data, listing).map_err(in_entry)? {
        let text = bytes(&list)?;
        lists.insert(list, text);
    }
    let set = Set::find(&data, listing, &lists).map_err(in_entry)?;
    let mut labels = Labels { classes: data.classes.clone(), notes: set.notes, ..Labels::default() };
    for member in set.members {
        let Some(size) = size(&member.picture)? else {
            labels.notes.add(Cause::PictureMissing);
            continue;
        };
        let mut picture = Picture { width: Some(size.0), height: Some(size.1), ..Picture::named(member.picture) };
        if let Some(name) = &member.labels {
            let text = bytes(name)?;
            let mut notes = Notes::default();
            picture.annotations = read(&text, size, &data, options, &mut notes).map_err(|e| e.file(name))?;
            labels.notes.join(notes);
        }
        labels.pictures.push(picture);
    }
    Ok(labels)
}

/// Classes by their places in a list of names, which are different.
fn distinct(names: &[String]) -> Result<Classes> {
    let mut classes = Classes::default();
    for name in names {
        if name.trim().is_empty() {
            return Err(Error::new(&codes::CLASS, "a class has no name").with_options(&["classes"]));
        }
        classes.add(Class::named(name.as_str())).map_err(|_| {
            // Those behind it would get other numbers.
            let message = format!("two classes have the name {name:?}");
            Error::new(&codes::REPEATED, message).with_options(&["classes"])
        })?;
    }
    Ok(classes)
}

/// What the file that says what the set is says.
fn known(
    entry: &str,
    listing: &Listing,
    options: &ReadOptions,
    bytes: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
) -> Result<Data> {
    let named = |e: Error| e.file(entry);
    let text = bytes(entry)?;
    if entry.ends_with(".yaml") || entry.ends_with(".yml") {
        return Data::from_yaml(&text, &options.limits).map_err(named);
    }
    if entry != "obj.data" {
        let mut data = Data::default();
        data.take_names(&text).map_err(named)?;
        return Ok(data);
    }
    let mut data = Data::from_darknet(&text).map_err(named)?;
    let file = data.names_file.as_deref().and_then(|name| listing.find_file(name));
    let Some(file) = file else {
        let message = "the file with the names of the classes is not there";
        return Err(Error::new(&codes::PICTURE, message).file(entry));
    };
    let text = bytes(&file)?;
    data.take_names(&text).map_err(|e| e.file(&file))?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_files(files: &[(&str, &str)], options: &ReadOptions) -> Result<Labels> {
        let listing: Listing = files.iter().map(|(name, _)| *name).collect();
        let mut bytes = |name: &str| {
            let (_, text) = files.iter().find(|(file, _)| *file == name).unwrap();
            Ok(text.as_bytes().to_vec())
        };
        read_folder(&listing, options, &mut bytes, &mut |name| Ok((!name.contains("broken")).then_some((320, 240))))
    }

    #[test]
    fn a_set_is_read_with_what_describes_it() {
        let line = "1 0.5 0.5 0.5 0.5\n";
        let pictures = [("images/a.jpg", ""), ("labels/a.txt", line), ("images/broken.jpg", "")];
        for more in [
            vec![("data.yaml", "train: images\nnames: [a, b]")],
            vec![
                ("obj.data", "classes = 2\nnames = data/obj.names\ntrain = data/t.txt"),
                ("obj.names", "a\nb"),
                ("t.txt", "data/images/a.jpg"),
            ],
            vec![("classes.txt", "a\nb")],
        ] {
            let labels = read_files(&[&pictures[..], &more].concat(), &ReadOptions::default()).unwrap();
            assert_eq!((labels.pictures.len(), labels.classes.name(1)), (1, Some("b")), "{more:?}");
            assert_eq!(labels.pictures[0].annotations[0].class, Some(1));
        }
        let e = read_files(&pictures, &ReadOptions::default()).unwrap_err();
        assert_eq!((e.code().id(), e.options()), ("label.ambiguous", ["classes"].as_slice()));
        let options = ReadOptions { classes: Some(vec!["a".into(), "b".into()]), ..ReadOptions::default() };
        let labels = read_files(&pictures, &options).unwrap();
        assert_eq!((labels.annotations(), labels.notes.of(Cause::PictureMissing)), (1, 1));
    }

    #[test]
    fn faults_name_their_file() {
        let fault = |files: &[(&str, &str)]| read_files(files, &ReadOptions::default()).unwrap_err().to_string();
        assert!(fault(&[("data.yaml", "names: x")]).starts_with("data.yaml: line 1, "));
        assert!(fault(&[("data.yaml", "names: [x]\ntrain: ../../x")]).starts_with("data.yaml: line 2, "));
        assert!(fault(&[("classes.txt", "x"), ("a.jpg", ""), ("a.txt", "7 1 1 1 1")]).starts_with("a.txt: line 1"));
        assert!(fault(&[("obj.data", "names = gone")]).starts_with("obj.data: "));
        assert!(fault(&[("obj.data", "names = obj.names"), ("obj.names", "a\na")]).starts_with("obj.names: line 2"));
    }
}
