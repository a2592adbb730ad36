//! Names from a dataset, as paths beneath a folder.

use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use forebay::{
    Error, Result,
    sample::record::{codes, safe_name, split},
};

use crate::half_written::{LONGEST, is_part};

/// Every path that a run has given: two files of one name must not overwrite each other, whatever may be replaced.
#[derive(Debug, Default)]
pub struct Names(HashSet<PathBuf>);

impl Names {
    /// The path for a name of sample `i`, which no other has: shortened if no file system takes it, and with the sample's
    /// number in front of its extension, as often as need be. `take` says whether a path is free; it is asked until one is. A
    /// name that leads out of the folder, or is none that a file can have, is refused.
    pub fn give(&mut self, name: &str, i: u64, mut take: impl FnMut(&Path) -> Result<bool>) -> Result<PathBuf> {
        safe_name(name)?;
        let mut tail = String::new();
        loop {
            let path = plain(name, &tail)
                .ok_or_else(|| Error::new(&codes::NAME, format!("no file can have the name {name:?}")))?;
            if self.0.insert(path.clone()) && take(&path)? {
                return Ok(path);
            }
            tail = format!("{tail}~{i}");
        }
    }
}

/// The path of a name, without the parts that say nothing, and with `tail` in front of its extension; `None` if no part is left,
/// or one is not a name here. A part that is called as our own half-written files are is called otherwise, or the next run would
/// clear it away.
fn plain(name: &str, tail: &str) -> Option<PathBuf> {
    let mut parts: Vec<_> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let file = fitting(parts.pop()?, tail)?;
    let folders = parts.into_iter().map(|part| fitting(part, "")).collect::<Option<Vec<_>>>()?;
    let own = |part: String| if is_part(OsStr::new(&part)) { format!("_{part}") } else { part };
    let path: PathBuf = folders.into_iter().chain([file]).map(own).collect();
    let names = path.components().filter(|c| matches!(c, Component::Normal(_))).count();
    (names > 0 && names == path.components().count() && !name.ends_with('/')).then_some(path)
}

/// One part of a path with `tail` in front of its extension. What is longer than a name may be loses the end of its stem, so that
/// its extension still says what is in it; `None` if not even the tail has room.
fn fitting(part: &str, tail: &str) -> Option<String> {
    let (stem, extension) = match split(part) {
        (stem, Some(extension)) if extension.len() < LONGEST / 2 => (stem, format!(".{extension}")),
        _ => (part, String::new()),
    };
    let room = LONGEST.checked_sub(tail.len() + extension.len())?;
    let stem = if stem.len() <= room { stem } else { stem.get(..stem.floor_char_boundary(room))? };
    Some(format!("{stem}{tail}{extension}"))
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
    fn a_name_that_no_file_system_takes_is_shortened() {
        let long = "ä".repeat(150);
        let all = [format!("{long}.jpg"), format!("{long}!.jpg"), format!("{long}/b.jpg"), format!("a.{long}")];
        let mut names = Names::default();
        let mut give = |(i, name): (u64, &String)| names.give(name, i, |_| Ok(true)).unwrap();
        let paths: Vec<_> = (0..).zip(&all).map(&mut give).collect();
        let parts = |path: &PathBuf| path.iter().map(|part| part.to_str().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!(parts(&paths[0]), [format!("{}.jpg", "ä".repeat(125))]);
        assert_eq!(parts(&paths[1]), [format!("{}~1.jpg", "ä".repeat(124))]);
        assert_eq!(parts(&paths[2]), [long[..254].to_owned(), "b.jpg".to_owned()]);
        assert_eq!(parts(&paths[3]), [format!("a.{}", "ä".repeat(126))]);
        assert!(paths.iter().all(|path| parts(path).iter().all(|part| part.len() <= LONGEST)));
        // However often it is taken, it ends.
        assert_eq!(Names::default().give(&all[0], 1 << 60, |_| Ok(false)).unwrap_err().code().id(), codes::NAME.id());
    }

    #[test]
    fn a_path_that_is_taken_for_another_gives_way() {
        let (mut names, mut there) = (Names::default(), HashSet::new());
        let mut give = |name: &str| names.give(name, 7, |path| Ok(there.insert(path.to_string_lossy().to_lowercase())));
        let paths = ["a.png", "A.png", "a~7.PNG"].map(|name| give(name).unwrap().to_string_lossy().into_owned());
        assert_eq!(paths, ["a.png", "A~7.png", "a~7~7.PNG"]);
    }
}
