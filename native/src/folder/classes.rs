//! At which level of a folder its classes are.

use std::collections::BTreeSet;

/// The names of parts of a set, which are not classes.
const PARTS: [&str; 11] =
    ["train", "training", "val", "valid", "validation", "test", "testing", "eval", "dev", "trainval", "holdout"];

/// Where the classes are, and which there are.
#[derive(Debug, Default)]
pub(crate) struct ClassLevel {
    /// Which part of a name is its class, from 1; 0 if there are no classes.
    pub level: u32,
    /// The classes in the order of their numbers.
    pub classes: Vec<String>,
    /// What was found that is not usual.
    pub note: Option<String>,
}

impl ClassLevel {
    /// `wanted` is what the user says. Otherwise it is the first folder level where every sample lies in a folder, with
    /// two exceptions: one folder around everything is not a class, and neither are the parts of a set.
    pub fn of<'a>(names: impl Iterator<Item = &'a str> + Clone, wanted: Option<u32>) -> Self {
        if let Some(level) = wanted {
            let classes = distinct(names.clone(), level);
            return ClassLevel { level: if classes.is_empty() { 0 } else { level }, classes, note: None };
        }
        // A lone folder beside pictures is not a label.
        let all_in = |level: u32| names.clone().all(|name| folder(name, level).is_some());
        if names.clone().next().is_none() || !all_in(1) {
            return ClassLevel::default();
        }
        let mut level = 1;
        let mut around = distinct(names.clone(), 1);
        // The outermost folder that may be a class, for where there is nothing but one folder in the other.
        let mut alone = (!is_part(&around[0])).then(|| (1, around.clone()));
        // One folder around everything says nothing, if there is something to say further in.
        while around.len() == 1 && all_in(level + 1) {
            level += 1;
            around = distinct(names.clone(), level);
            if alone.is_none() && !is_part(&around[0]) {
                alone = Some((level, around.clone()));
            }
        }
        if around.len() == 1
            && let Some((level, classes)) = alone
        {
            let note = (level > 1).then(|| said(level, &classes, "all lies in one folder"));
            return ClassLevel { level, classes, note };
        }
        if !around.iter().all(|name| is_part(name)) {
            let note = (level > 1).then(|| said(level, &around, "all lies in one folder"));
            return ClassLevel { level, classes: around, note };
        }
        // In every part either all pictures lie in folders of classes, or, as in a test set without labels, none does.
        let parts = around;
        let inside = |name: &&str| folder(name, level + 1).is_some();
        let uniform = parts.iter().all(|part| {
            let of_part = || names.clone().filter(|name| folder(name, level) == Some(part));
            of_part().all(|name| inside(&name)) || !of_part().any(|name| inside(&name))
        });
        let classes = distinct(names.clone(), level + 1);
        let what = format!("{} are parts of a set", listed(&parts));
        if classes.is_empty() || !uniform {
            let note = format!("{what}, and their pictures do not all lie in folders of classes: there are no classes");
            return ClassLevel { level: 0, classes: Vec::new(), note: Some(note) };
        }
        let note = Some(said(level + 1, &classes, &what));
        ClassLevel { level: level + 1, classes, note }
    }

    /// The class of a file, and its number.
    pub fn of_name<'a>(&self, name: &'a str) -> Option<(&'a str, usize)> {
        let class = folder(name, self.level)?;
        let number = self.classes.binary_search_by(|known| known.as_str().cmp(class)).ok()?;
        Some((class, number))
    }
}

fn said(level: u32, classes: &[String], why: &str) -> String {
    format!("{why}, so the classes are the folders of level {level}: {}", listed(classes))
}

/// A few of them in words.
fn listed(names: &[String]) -> String {
    match names {
        [] => "none".into(),
        [a] => a.clone(),
        [a, b] => format!("{a} and {b}"),
        [a, b, c] => format!("{a}, {b} and {c}"),
        [a, b, .., last] => format!("{a}, {b}, ... {last} ({})", names.len()),
    }
}

fn is_part(name: &str) -> bool {
    PARTS.iter().any(|part| name.eq_ignore_ascii_case(part))
}

/// The folder at a level of a name, from 1; `None` if the file itself stands there, or nothing.
fn folder(name: &str, level: u32) -> Option<&str> {
    let (folders, _) = name.rsplit_once('/')?;
    folders.split('/').nth(level.checked_sub(1)? as usize)
}

/// The folders of a level, sorted.
fn distinct<'a>(names: impl Iterator<Item = &'a str>, level: u32) -> Vec<String> {
    let all: BTreeSet<&str> = names.filter_map(|name| folder(name, level)).collect();
    all.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::ClassLevel;

    fn found(names: &[&str]) -> (u32, Vec<String>, bool) {
        let found = ClassLevel::of(names.iter().copied(), None);
        (found.level, found.classes, found.note.is_some())
    }

    #[test]
    fn classes_are_found_where_people_put_them() {
        let classes =
            |level: u32, names: &[&str], noted: bool| (level, names.iter().map(|n| n.to_string()).collect(), noted);
        assert_eq!(found(&["cat/1.jpg", "dog/1.jpg", "dog/x/2.jpg"]), classes(1, &["cat", "dog"], false));
        assert_eq!(found(&["cat/1.jpg", "2.jpg"]), classes(0, &[], false));
        assert_eq!(found(&[]), classes(0, &[], false));
        // One class alone, whatever is in it.
        assert_eq!(found(&["cat/1.jpg", "cat/2.jpg"]), classes(1, &["cat"], false));
        assert_eq!(found(&["cat/images/1.jpg", "cat/images/2.jpg"]), classes(1, &["cat"], false));
        assert_eq!(found(&["train/cat/1.jpg", "train/cat/2.jpg"]), classes(2, &["cat"], true));
        assert_eq!(found(&["train/1.jpg", "train/2.jpg"]), classes(0, &[], true));
        // ImageNet's root, with and without its test set, and above it.
        let imagenet = ["train/n01/1.jpg", "train/n02/2.jpg", "val/n01/3.jpg"];
        assert_eq!(found(&imagenet), classes(2, &["n01", "n02"], true));
        assert_eq!(found(&[&imagenet[..], &["test/4.jpg", "test/5.jpg"]].concat()), classes(2, &["n01", "n02"], true));
        assert_eq!(found(&["train/n01/images/1.jpg", "train/n02/images/1.jpg"]), classes(2, &["n01", "n02"], true));
        let above: Vec<String> = imagenet.iter().map(|name| format!("ILSVRC/CLS-LOC/{name}")).collect();
        let above: Vec<&str> = above.iter().map(String::as_str).collect();
        assert_eq!(found(&above), classes(4, &["n01", "n02"], true));
        assert_eq!(found(&["data/cat/1.jpg", "data/dog/1.jpg"]), classes(2, &["cat", "dog"], true));
        // Parts without classes, or with some: nothing is made up.
        assert_eq!(found(&["train/1.jpg", "test/2.jpg"]), classes(0, &[], true));
        assert_eq!(found(&["train/cat/1.jpg", "train/2.jpg"]), classes(0, &[], true));
        // Words of parts among others are classes: a train is one, too.
        assert_eq!(found(&["bus/1.jpg", "train/1.jpg"]), classes(1, &["bus", "train"], false));
    }

    #[test]
    fn what_the_user_says_counts() {
        let names = ["train/n01/1.jpg", "train/2.jpg", "3.jpg"];
        let of = |level| ClassLevel::of(names.into_iter(), Some(level));
        assert_eq!((of(0).level, of(0).classes), (0, vec![]));
        assert_eq!((of(1).level, of(1).classes), (1, vec!["train".to_owned()]));
        let second = of(2);
        assert_eq!((second.level, &second.classes[..]), (2, &["n01".to_owned()][..]));
        assert_eq!((second.of_name(names[0]), second.of_name(names[1])), (Some(("n01", 0)), None));
        assert_eq!(of(7).level, 0);
    }
}
