//! Names from a dataset, as paths beneath a folder.

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use forebay::{
    Error, Result,
    record::{codes, safe_name, split},
};

use crate::half_written::is_part;

/// Every path that a run has given: two files of one name must not overwrite each other, whatever may be replaced.
#[derive(Debug, Default)]
pub struct Names(HashSet<PathBuf>);

impl Names {
    /// The path for a name of sample `i`, which no other has: with the sample's number in front of its extension, if need
    /// be. `take` says whether a path is free; it is asked until one is. A name that leads out of the folder, or is none
    /// that a file can have, is refused.
    pub fn give(&mut self, name: &str, i: u64, mut take: impl FnMut(&Path) -> Result<bool>) -> Result<PathBuf> {
        safe_name(name)?;
        let mut name = name.to_owned();
        loop {
            let path = plain(&name)
                .ok_or_else(|| Error::new(&codes::NAME, format!("the name {name:?} is none that a file can have")))?;
            if self.0.insert(path.clone()) && take(&path)? {
                return Ok(path);
            }
            name = beside(&name, i);
        }
    }
}

/// The path of a name, without the parts that say nothing; `None` if no part is left, or one is not a name here. A part
/// that is called as our own half-written files are is called otherwise, or the next run would clear it away.
fn plain(name: &str) -> Option<PathBuf> {
    let parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
    let own = |part: &str| is_part(OsStr::new(part));
    let path: PathBuf = parts.map(|part| if own(part) { format!("_{part}") } else { part.to_owned() }).collect();
    let names = path.components().filter(|c| matches!(c, Component::Normal(_))).count();
    (names > 0 && names == path.components().count() && !name.ends_with('/')).then_some(path)
}

/// A name that is taken gets the sample's number in front of its extension.
fn beside(name: &str, i: u64) -> String {
    match split(name) {
        (stem, Some(extension)) => format!("{stem}~{i}.{extension}"),
        (stem, None) => format!("{stem}~{i}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(all: &[&str]) -> Vec<Option<String>> {
        let mut names = Names::default();
        let give = |(i, name): (usize, &&str)| {
            let path = names.give(name, i as u64, |_| Ok(true)).ok()?;
            Some(path.to_string_lossy().into_owned())
        };
        all.iter().enumerate().map(give).collect()
    }

    #[test]
    fn no_two_names_become_one_path_and_none_leads_out() {
        let all = ["a/b.jpg", "a//b.jpg", "./a/./b.jpg", "a/b~1.jpg", "a/b.jpg"];
        let paths = given(&all).into_iter().map(Option::unwrap).collect::<Vec<_>>();
        assert_eq!(paths, ["a/b.jpg", "a/b~1.jpg", "a/b~2.jpg", "a/b~1~3.jpg", "a/b~4.jpg"]);
        for name in ["", "..", "../a", "a/../b", "/a", "a/", ".", "a/.", "./.", "a\0b"] {
            assert_eq!(given(&[name]), [None], "{name:?}");
        }
    }

    #[test]
    fn nothing_is_called_as_what_the_next_run_clears_away() {
        let all = ["a/.b.forebay-abc123.part", ".forebay-abc123.part", "a/.x.forebay-000000.part/b", ".b.part"];
        let paths = given(&all).into_iter().map(Option::unwrap).collect::<Vec<_>>();
        let expected = ["a/_.b.forebay-abc123.part", "_.forebay-abc123.part", "a/_.x.forebay-000000.part/b", ".b.part"];
        assert_eq!(paths, expected);
    }

    #[test]
    fn a_path_that_is_taken_for_another_gives_way() {
        let (mut names, mut there) = (Names::default(), HashSet::new());
        let mut give = |name: &str| names.give(name, 7, |path| Ok(there.insert(path.to_string_lossy().to_lowercase())));
        let paths = ["a.png", "A.png", "a~7.PNG"].map(|name| give(name).unwrap().to_string_lossy().into_owned());
        assert_eq!(paths, ["a.png", "A~7.png", "a~7~7.PNG"]);
    }
}
