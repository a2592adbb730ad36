//! The names of the files of a folder, and what other names mean among them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Cause, Labels, base_name};

/// Endings of pictures, in small letters.
const PICTURES: [&str; 10] = ["jpg", "jpeg", "png", "bmp", "webp", "tif", "tiff", "gif", "ppm", "pgm"];

/// The names of all files of a folder, relative to it, with `/` between their parts.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    files: BTreeSet<String>,
    folders: HashSet<String>,
    /// Pictures by their own name without its ending.
    stems: HashMap<String, Vec<String>>,
    /// Bytes of the longest name.
    longest: usize,
}

impl<S: Into<String>> FromIterator<S> for Listing {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Listing {
        let files: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        let mut folders = HashSet::new();
        for file in &files {
            for (at, _) in file.match_indices('/') {
                if !folders.contains(&file[..at]) {
                    folders.insert(file[..at].to_owned());
                }
            }
        }
        let mut stems: HashMap<String, Vec<String>> = HashMap::new();
        for file in files.iter().filter(|file| is_picture(file)) {
            stems.entry(base_name(stem(file)).to_owned()).or_default().push(file.clone());
        }
        let longest = files.iter().map(String::len).max().unwrap_or(0);
        Listing { files, folders, stems, longest }
    }
}

/// What a path means in a folder.
pub(super) enum Found {
    File(String),
    /// Ends with `/` unless it is the whole folder.
    Folder(String),
}

impl Listing {
    /// Whether there is a file of this name.
    pub fn has(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    pub(super) fn get(&self, file: &str) -> Option<&str> {
        self.files.get(file).map(String::as_str)
    }

    /// Every file.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    pub(super) fn under<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        self.files.range(folder.to_owned()..).map(String::as_str).take_while(move |file| file.starts_with(folder))
    }

    /// What a path means, also one that was made elsewhere: where its beginning leads nowhere, its end is looked for.
    /// The flag says that the beginning was left out.
    pub(super) fn find(&self, path: &str) -> Option<(Found, bool)> {
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        let absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        if parts.is_empty() && !absolute {
            return Some((Found::Folder(String::new()), false));
        }
        let joined = parts.join("/");
        let starts = std::iter::once(0).chain(joined.match_indices('/').map(|(at, _)| at + 1));
        // What is longer than every name is none of them: a path may be as long as the file that says it.
        for start in starts.filter(|start| joined.len() - start <= self.longest) {
            let (rest, guessed) = (&joined[start..], start > 0 || absolute);
            if self.files.contains(rest) {
                return Some((Found::File(rest.to_owned()), guessed));
            }
            if self.folders.contains(rest) {
                return Some((Found::Folder(format!("{rest}/")), guessed));
            }
        }
        None
    }

    /// The file that a path means, if it means one.
    pub fn find_file(&self, path: &str) -> Option<String> {
        match self.find(&path.replace('\\', "/")) {
            Some((Found::File(file), _)) => Some(file),
            _ => None,
        }
    }

    /// The picture that a name means, which may lack its folders or its ending; `None` where there is none, or several.
    ///
    /// ```
    /// use forebay_annotations::Listing;
    /// let listing: Listing = ["img/a/x.v1.jpg", "img/b/x.v1.jpg", "img/y.png"].into_iter().collect();
    /// assert_eq!(listing.picture("a/x.v1.jpg"), Some("img/a/x.v1.jpg"));
    /// assert_eq!(listing.picture("y"), Some("img/y.png"));
    /// assert_eq!(listing.picture("x.v1"), None);
    /// ```
    pub fn picture(&self, name: &str) -> Option<&str> {
        match self.pictures(name)[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Every picture that a name may mean.
    pub(super) fn pictures(&self, name: &str) -> Vec<&str> {
        if let Some(file) = self.files.get(name) {
            return vec![file];
        }
        let ends = |whole: &str, tail: &str| {
            whole.strip_suffix(tail).is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        let named = |of: &str, is: &dyn Fn(&str) -> bool| -> Vec<&str> {
            let found = self.stems.get(base_name(of)).into_iter().flatten();
            found.map(String::as_str).filter(|file| is(file)).collect()
        };
        let whole = named(stem(name), &|file| ends(file, name));
        if whole.is_empty() { named(name, &|file| ends(stem(file), name)) } else { whole }
    }
}

impl Labels {
    /// Gives the pictures the names of files that a folder has, for formats that leave out folders and endings. Those that
    /// it does not have keep theirs, and are counted.
    pub fn find_pictures(&mut self, listing: &Listing) {
        for picture in &mut self.pictures {
            match listing.picture(&picture.name) {
                Some(file) => file.clone_into(&mut picture.name),
                None => self.notes.add(Cause::PictureMissing),
            }
        }
    }
}

/// A name without its ending.
pub(super) fn stem(name: &str) -> &str {
    let own = name.len() - base_name(name).len();
    name[own..].rfind('.').filter(|at| *at > 0).map_or(name, |at| &name[..own + at])
}

/// The ending of a name, in small letters.
pub(super) fn ending(file: &str) -> String {
    base_name(file).rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase())
}

pub(super) fn is_picture(file: &str) -> bool {
    PICTURES.contains(&ending(file).as_str())
}
