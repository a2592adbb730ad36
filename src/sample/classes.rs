//! Folders as classes: at which level of a folder or an archive they are.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::record::Sidecar;

/// Words for parts of a set, which are not classes.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "train", "training", "val", "valid", "validation", "test", "testing", "eval", "dev", "trainval", "holdout", "minival",
    "fold", "extra", "default", "traina", "trainb", "testa", "testb",
];
/// Words for folders that hold all images, which are not classes either.
#[rustfmt::skip]
const AROUND: &[&str] = &[
    "image", "images", "img", "imgs", "picture", "pictures", "photo", "photos", "jpg", "jpeg", "png", "data", "dataset", "raw",
    "obj", "rgb",
];
/// Words for folders of sets that are not made for classes: where one lies there are none.
#[rustfmt::skip]
const OTHER: &[&str] = &[
    "mask", "masks", "label", "labels", "annotation", "annotations", "segmentation", "segmentations", "jpegimages",
    "segmentationclass", "segmentationobject", "gt", "groundtruth", "gtfine", "gtcoarse", "leftimg", "depth", "depths",
    "disparity", "bbox", "boxes", "visible", "panoptic",
];

/// Where the classes are, and which there are.
#[derive(Debug, Default)]
pub struct ClassLevel {
    /// Which part of a name is its class, from 1; 0 if there are no classes.
    pub level: u32,
    /// The classes in the order of their numbers.
    pub classes: Vec<String>,
    /// What was found that is not usual.
    pub note: Option<String>,
}

impl ClassLevel {
    /// `wanted` is what the user says. Otherwise it is the first folder level where every sample lies in a folder and the
    /// folders may be classes: not one folder around everything, if more are inside of it, not the parts of a set, not
    /// folders such as `images`. That is a guess, so a note says it.
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
        let none = |why: String| ClassLevel { note: Some(format!("{why}: there are no classes")), ..Self::default() };
        // What was passed over on the way in, in words.
        let mut why = Vec::new();
        // The outermost folder that may be a class, for where there is nothing but one folder in the other.
        let mut alone = None;
        let mut level = 1;
        loop {
            let here = distinct(names.clone(), level);
            let kinds = Kind::of_all(&here);
            let is_inner = all_in(level + 1);
            if kinds.contains(&Kind::Other) && !kinds.contains(&Kind::Class) {
                let are = if here.len() == 1 { "is not a class" } else { "are not classes" };
                return none(format!("{} {are}", listed(&here)));
            }
            if kinds.contains(&Kind::Class) {
                if here.len() > 1 {
                    let inside = if is_inner { distinct(names.clone(), level + 1) } else { Vec::new() };
                    let kinds_inside = Kind::of_all(&inside);
                    if kinds_inside.contains(&Kind::Other) && !kinds_inside.contains(&Kind::Class) {
                        return none(format!("in each folder are {}", listed(&inside)));
                    }
                    // Of some parts only images are there, without classes.
                    let is_class = |(_, kind): &(String, Kind)| why.is_empty() || *kind != Kind::Around;
                    let classes = here.into_iter().zip(kinds).filter(is_class).map(|(name, _)| name).collect();
                    return found(level, classes, &why);
                }
                alone = alone.or(Some((level, here)));
                if !is_inner {
                    break;
                }
                why = vec!["all lies in one folder".to_owned()];
                level += 1;
                continue;
            }
            // Parts, or folders around all: one of them, or several with the same inside.
            let said = match kinds.contains(&Kind::Part) {
                true => {
                    format!("{} {} of a set", listed(&here), if here.len() == 1 { "is a part" } else { "are parts" })
                }
                false => {
                    format!("{} {}", listed(&here), if here.len() == 1 { "is around all" } else { "are not classes" })
                }
            };
            if !is_inner {
                // As in a test set without labels, all pictures of a part may lie in it directly.
                let inside = |name: &str| folder(name, level + 1).is_some();
                let uniform = here.iter().all(|part| {
                    let of_part = || names.clone().filter(|name| folder(name, level) == Some(part));
                    of_part().all(inside) || !of_part().any(inside)
                });
                let classes = distinct(names.clone(), level + 1);
                let may_be = !classes.is_empty() && classes.iter().all(|name| Kind::of(name) == Kind::Class);
                return match uniform && may_be && kinds.contains(&Kind::Part) {
                    true => found(level + 1, classes, &[said]),
                    false => none(format!("{said}, and the images do not all lie in folders of classes")),
                };
            }
            why.push(said);
            // A folder around parts, or around what one part has, is that of the set.
            alone = None;
            level += 1;
        }
        match alone {
            Some((level, classes)) => found(level, classes, &why),
            None => ClassLevel::default(),
        }
    }

    /// What a record says of the class of a file, beside what its sidecars say.
    pub fn fields(&self, name: &str, sidecars: &[Sidecar<'_>]) -> Vec<(&'static str, Value)> {
        let Some((class, number)) = self.of_name(name) else { return Vec::new() };
        let mut fields = vec![("cls", json!(number)), ("class", json!(class))];
        fields.retain(|(key, _)| !sidecars.iter().any(|sidecar| sidecar.extension == *key));
        fields
    }

    /// The class of a file, and its number.
    pub(crate) fn of_name<'a>(&self, name: &'a str) -> Option<(&'a str, usize)> {
        let class = folder(name, self.level)?;
        let number = self.classes.binary_search_by(|known| known.as_str().cmp(class)).ok()?;
        Some((class, number))
    }
}

/// A document that says which class each number is.
pub fn classes_document(classes: &[String]) -> Map<String, Value> {
    let said = (!classes.is_empty()).then(|| ("classes".to_owned(), classes.into()));
    said.into_iter().collect()
}

/// What a folder's name says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Part,
    Around,
    Other,
    Class,
}

impl Kind {
    /// As [`of`](Self::of); folders that differ only by the part of a set, as `cars_train` and `cars_test`, are parts.
    fn of_all(names: &[String]) -> Vec<Kind> {
        let rest = |name: &String| {
            let lower = name.to_ascii_lowercase();
            let words = lower.split(|c: char| !c.is_alphanumeric());
            let (parts, others): (Vec<&str>, Vec<&str>) = words.partition(|word| PARTS.contains(word));
            (!parts.is_empty()).then(|| others.join(" "))
        };
        match names {
            [first, others @ ..] if !others.is_empty() && rest(first).is_some() => {
                let first = rest(first);
                if others.iter().all(|name| rest(name) == first) {
                    return vec![Kind::Part; names.len()];
                }
            }
            _ => {}
        }
        names.iter().map(|name| Kind::of(name)).collect()
    }

    /// By its words: `val2017`, `train_images`, `images-test` are parts, `JPEGImages` is of a set without classes.
    fn of(name: &str) -> Kind {
        let lower = name.to_ascii_lowercase();
        let mut kind = Kind::Around;
        let mut words = lower.split(|c: char| !c.is_alphanumeric()).map(|word| {
            let word = word.strip_suffix("8bit").unwrap_or(word);
            word.trim_end_matches(|c: char| c.is_ascii_digit())
        });
        // A year, or a number behind a word.
        let mut any = false;
        let known = words.all(|word| {
            let is = |list: &[&str]| list.contains(&word);
            match () {
                () if word.is_empty() => return true,
                () if is(OTHER) => kind = Kind::Other,
                () if is(PARTS) && kind != Kind::Other => kind = Kind::Part,
                () if is(PARTS) || is(AROUND) => {}
                () => return false,
            }
            any = true;
            true
        });
        if known && any { kind } else { Kind::Class }
    }
}

/// The classes of a level, and the notes about them.
fn found(level: u32, classes: Vec<String>, why: &[String]) -> ClassLevel {
    let so = if why.is_empty() { String::new() } else { format!("{}, so ", why.join(", ")) };
    let note = format!("{so}the classes are the folders of level {level}: {}", listed(&classes));
    ClassLevel { level, classes, note: Some(note) }
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

/// The folder at a level of a name, from 1; `None` if the file itself stands there, or nothing.
fn folder(name: &str, level: u32) -> Option<&str> {
    let (folders, _) = name.rsplit_once('/')?;
    // Archives have names such as ./a.jpg, too.
    folders.split('/').filter(|part| !matches!(*part, "." | "..")).nth(level.checked_sub(1)? as usize)
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
            |level: u32, names: &[&str]| (level, names.iter().map(|n| n.to_string()).collect::<Vec<_>>(), level > 0);
        assert_eq!(found(&["cat/1.jpg", "dog/1.jpg", "dog/x/2.jpg"]), classes(1, &["cat", "dog"]));
        assert_eq!(found(&["cat/1.jpg", "2.jpg"]), classes(0, &[]));
        assert_eq!(found(&[]), classes(0, &[]));
        // One class alone.
        assert_eq!(found(&["cat/1.jpg", "cat/2.jpg"]), classes(1, &["cat"]));
        assert_eq!(found(&["cat/a/1.jpg", "cat/a/2.jpg"]), classes(1, &["cat"]));
        assert_eq!(found(&["train/cat/1.jpg", "train/cat/2.jpg"]), classes(2, &["cat"]));
        // ImageNet's root, with and without its test set, and above it.
        let imagenet = ["train/n01/1.jpg", "train/n02/2.jpg", "val/n01/3.jpg"];
        assert_eq!(found(&imagenet), classes(2, &["n01", "n02"]));
        assert_eq!(found(&[&imagenet[..], &["test/4.jpg", "test/5.jpg"]].concat()), classes(2, &["n01", "n02"]));
        assert_eq!(found(&["train/n01/images/1.jpg", "train/n02/images/1.jpg"]), classes(2, &["n01", "n02"]));
        let above: Vec<String> = imagenet.iter().map(|name| format!("ILSVRC/CLS-LOC/{name}")).collect();
        let above: Vec<&str> = above.iter().map(String::as_str).collect();
        assert_eq!(found(&above), classes(4, &["n01", "n02"]));
        assert_eq!(found(&["data/cat/1.jpg", "data/dog/1.jpg"]), classes(2, &["cat", "dog"]));
        assert_eq!(found(&["food-101/images/pie/1.jpg", "food-101/images/ice/1.jpg"]), classes(3, &["ice", "pie"]));
        // Words of parts among others are classes: a train is one, too. So are words among others, and numbers.
        assert_eq!(found(&["bus/1.jpg", "train/1.jpg"]), classes(1, &["bus", "train"]));
        assert_eq!(found(&["mask/1.jpg", "no mask/1.jpg"]), classes(1, &["mask", "no mask"]));
        assert_eq!(found(&["0/1.jpg", "1/1.jpg"]), classes(1, &["0", "1"]));
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
