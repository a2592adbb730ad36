//! What is known of a set before its labels are read: `data.yaml`, `obj.data`, and lists of names.

use crate::error::Result;
use crate::limits::Limits;

use super::super::plain::{lines, short};
use super::super::{Class, Classes, Id, Spot, codes};
use super::yaml::{Document, Value, Yaml};

/// Where the pictures of a part of a set are, as the file says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The part: `train`, `val` or `test`.
    pub split: String,
    /// A folder, or a file that lists pictures.
    pub path: String,
    /// Where the file says so.
    pub spot: Spot,
}

/// The content of a `data.yaml`, an `obj.data` or a list of classes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Data {
    /// The classes. Where numbers are left out, each has its own as its id.
    pub classes: Classes,
    /// The folder that places are in.
    pub root: Option<String>,
    /// Where the pictures are.
    pub places: Vec<Place>,
    /// How many key points a line has, and how many numbers each.
    pub keypoints: Option<(usize, usize)>,
    /// The file that lists the names, if it is another one.
    pub names_file: Option<String>,
    /// How many classes there are to be, where only that is said.
    pub class_count: Option<u64>,
}

/// The parts of a set, in their order.
const SPLITS: [&str; 4] = ["train", "val", "test", "minival"];

impl Data {
    /// Reads a `data.yaml`.
    ///
    /// ```
    /// use forebay_annotations::yolo::Data;
    /// use forebay_base::Limits;
    /// let data = Data::from_yaml(b"train: images/train\nnames:\n  0: no\n  1: car\n", &Limits::default()).unwrap();
    /// assert_eq!(data.classes.name(0), Some("no"));
    /// ```
    pub fn from_yaml(bytes: &[u8], limits: &Limits) -> Result<Data> {
        let document = Document::read(utf8(bytes)?, limits)?;
        let mut data = Data { root: path(&document, "path")?.pop().map(|(path, _)| path), ..Data::default() };
        for split in SPLITS {
            let found = path(&document, split)?;
            data.places.extend(found.into_iter().map(|(path, spot)| Place { split: split.to_owned(), path, spot }));
        }
        let Some((_, names)) = document.get("names") else {
            let message = "the key names, which names the classes, is missing";
            return Err(Spot::line(1).fault(&codes::VALUE, message));
        };
        data.classes = classes(names)?;
        if let Some((_, count)) = document.get("nc") {
            let said = whole(count, "nc")?;
            if said != data.classes.len() as u64 {
                let message = format!("nc is {said}, and {} classes are named", data.classes.len());
                return Err(count.spot.fault(&codes::CLASS, message));
            }
        } else if data.classes.is_empty() {
            return Err(names.spot.fault(&codes::VALUE, "names has no name in it, and nc does not say 0"));
        }
        if let Some((_, shape)) = document.get("kpt_shape") {
            data.keypoints = Some(keypoints(shape)?);
        }
        Ok(data)
    }

    /// Reads an `obj.data` of Darknet: a key and a value on each line.
    pub fn from_darknet(bytes: &[u8]) -> Result<Data> {
        let mut data = Data::default();
        for (number, line) in lines(bytes) {
            let line = line?;
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let spot = Spot::line(number);
            let Some((key, value)) = line.split_once('=') else {
                return Err(spot.fault(&codes::SYNTAX, "there is no = between a key and a value"));
            };
            let (key, value) = (key.trim(), value.trim().to_owned());
            match key {
                "classes" => {
                    let count = value.parse().ok().filter(|n: &u64| *n > 0);
                    let wrong = || spot.fault(&codes::NUMBER, format!("classes is {:?}, and no count", short(&value)));
                    data.class_count = Some(count.ok_or_else(wrong)?);
                }
                "names" => data.names_file = Some(value),
                // Some tools name parts as they like: a list of pictures is a part of the set.
                _ if SPLITS.contains(&key) || key == "valid" || value.ends_with(".txt") => {
                    let split = if key == "valid" { "val" } else { key };
                    data.places.push(Place { split: split.to_owned(), path: value, spot });
                }
                _ => {}
            }
        }
        Ok(data)
    }

    /// Takes the classes from a list of names, `classes.txt` or `obj.names`: one a line.
    pub fn take_names(&mut self, bytes: &[u8]) -> Result<()> {
        let mut classes = Classes::default();
        let mut empty = None;
        for (number, line) in lines(bytes) {
            let line = line?;
            match empty {
                _ if line.is_empty() => empty = empty.or(Some(number)),
                // Some count an empty line as a class, others do not.
                Some(number) => {
                    let message = "an empty line between names: the classes after it have no certain number";
                    return Err(Spot::line(number).fault(&codes::CLASS, message));
                }
                None => add(&mut classes, line, None, &Spot::line(number))?,
            }
        }
        if let Some(count) = self.class_count.filter(|n| *n != classes.len() as u64) {
            let message = format!("{count} classes were announced, and {} are named", classes.len());
            return Err(Spot::line(1).fault(&codes::CLASS, message));
        }
        self.classes = classes;
        Ok(())
    }

    /// The class of a number, as lines give it.
    pub fn class(&self, number: u64) -> Option<u32> {
        let id = |class: &Class, position: u64| match class.id {
            Some(Id::Number(id)) => id as u64,
            _ => position,
        };
        let list = self.classes.iter().as_slice();
        let at = usize::try_from(number).ok()?;
        if list.get(at).is_some_and(|class| id(class, number) == number) {
            return u32::try_from(number).ok();
        }
        // Where numbers are left out, all have theirs, in rising order.
        list.binary_search_by(|class| id(class, u64::MAX).cmp(&number)).ok().and_then(|i| u32::try_from(i).ok())
    }
}

fn classes(names: &Yaml) -> Result<Classes> {
    let mut classes = Classes::default();
    match &names.value {
        Value::List(list) => {
            for one in list {
                add(&mut classes, name(one)?, None, &one.spot)?;
            }
        }
        Value::Map(map) => {
            let mut numbered = Vec::new();
            for (key, one) in map {
                numbered.push((whole(key, "a class's number")?, name(one)?, &key.spot));
            }
            numbered.sort_by_key(|(number, _, spot)| (*number, spot.line, spot.character));
            if let Some(pair) = numbered.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                let message = format!("class {} is there twice", pair[1].0);
                return Err(pair[1].2.fault(&codes::REPEATED, message));
            }
            let dense = numbered.iter().enumerate().all(|(i, (number, ..))| i as u64 == *number);
            for (number, name, spot) in numbered {
                let id = i64::try_from(number)
                    .map_err(|_| spot.fault(&codes::NUMBER, format!("{number} is too large for a class")))?;
                add(&mut classes, name, (!dense).then_some(Id::Number(id)), spot)?;
            }
        }
        Value::Text(_) | Value::Alias(_) => {
            return Err(names.spot.fault(&codes::VALUE, "names is not a list and no map of names"));
        }
    }
    Ok(classes)
}

fn add(classes: &mut Classes, name: &str, id: Option<Id>, spot: &Spot) -> Result<()> {
    let mut class = Class::named(name);
    class.id = id;
    match classes.add(class) {
        Ok(_) => Ok(()),
        Err(_) => Err(spot.fault(&codes::REPEATED, format!("two classes are called {:?}", short(name)))),
    }
}

fn name(one: &Yaml) -> Result<&str> {
    match &one.value {
        Value::Text(text) if !text.trim().is_empty() => Ok(text.trim()),
        Value::Text(_) => Err(one.spot.fault(&codes::CLASS, "a class has no name")),
        Value::Alias(_) => Err(one.spot.fault(&codes::UNSUPPORTED, "an alias inside of names is not read")),
        _ => Err(one.spot.fault(&codes::VALUE, "a class's name is not a text")),
    }
}

fn whole(one: &Yaml, what: &str) -> Result<u64> {
    let text = one.text().unwrap_or_default().trim();
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let number = if digits { text.parse().ok() } else { None };
    number.ok_or_else(|| one.spot.fault(&codes::NUMBER, format!("{what} is {:?}, and no whole number", short(text))))
}

fn keypoints(shape: &Yaml) -> Result<(usize, usize)> {
    let wrong =
        || shape.spot.fault(&codes::VALUE, "kpt_shape is not a count of key points and 2 or 3 numbers for each");
    let Value::List(list) = &shape.value else { return Err(wrong()) };
    let [count, each] = list.as_slice() else { return Err(wrong()) };
    match (whole(count, "kpt_shape")?, whole(each, "kpt_shape")?) {
        (count @ 1..=10_000, each @ 2..=3) => Ok((count as usize, each as usize)),
        _ => Err(wrong()),
    }
}

/// The paths of a key: none, one, or a list of them.
fn path(document: &Document, key: &str) -> Result<Vec<(String, Spot)>> {
    let Some((_, found)) = document.get(key) else { return Ok(Vec::new()) };
    let one = |yaml: &Yaml| match yaml.text() {
        Some(text) => Ok((text.trim().to_owned(), yaml.spot.clone())),
        None => Err(yaml.spot.fault(&codes::VALUE, format!("{key} is not a path and no list of paths"))),
    };
    let mut paths = match &found.value {
        Value::List(list) => list.iter().map(one).collect::<Result<Vec<_>>>()?,
        _ => vec![one(found)?],
    };
    // An empty value says that there is no such part; some write it as YAML's null.
    paths.retain(|(path, _)| !matches!(path.as_str(), "" | "~" | "null"));
    Ok(paths)
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes)
        .map_err(|e| Spot::of(bytes, e.valid_up_to()).fault(&codes::ENCODING, "a byte is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> Result<Data> {
        Data::from_yaml(text.as_bytes(), &Limits::default())
    }

    fn names(data: &Data) -> Vec<&str> {
        data.classes.iter().map(|class| class.name.as_str()).collect()
    }

    #[test]
    fn names_are_a_list_or_a_map_in_any_order() {
        let data = yaml("names:\n  \"2\": c\n  '0': a\n  1: b\nnc: 3\npath: .\ntrain: [x, y]\ntest:\n").unwrap();
        assert_eq!((names(&data), data.class(2)), (vec!["a", "b", "c"], Some(2)));
        assert_eq!(data.places.iter().map(|place| place.path.as_str()).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(data.root.as_deref(), Some("."));
        let data = yaml("names: {0: a, 7: b, 90: c}").unwrap();
        assert_eq!([0, 7, 90, 1, 2, 91].map(|n| data.class(n)), [Some(0), Some(1), Some(2), None, None, None]);
        // Labels of nothing but empty pictures have no classes.
        assert!(yaml("nc: 0\nnames: []").unwrap().classes.is_empty());
        assert_eq!(yaml("names: [a]\nkpt_shape: [17, 3]").unwrap().keypoints, Some((17, 3)));
    }

    #[test]
    fn what_has_no_certain_meaning_is_refused() {
        for (text, place) in [
            ("train: x\nnc: 2", "line 1: the key names"),
            ("names: [a, b]\nnc: 80", "line 2, character 5: nc is 80"),
            ("names:\n  0: a\n  0: b", "line 3, character 3: class 0"),
            ("names:\n  0: a\n  1: a", "line 3, character 3: two classes"),
            ("names: &n\n  0: a\n  1: *n", "line 3, character 6: an alias"),
            ("names: [a, [b]]", "line 1, character 12: a class's name"),
            ("names: [a, '']", "line 1, character 12: a class has no name"),
            ("names: {a: b}", "line 1, character 9: a class's number"),
            ("names: {18446744073709551615: b}", "line 1, character 9: 1844"),
            ("names: a", "line 1, character 8: names is not a list"),
            ("names: []", "line 1, character 8: names has no name"),
            ("names: [a]\nkpt_shape: [17]", "line 2, character 12: kpt_shape"),
            ("names: [a]\ntrain: {a: b}", "line 2, character 8: train is not a path"),
        ] {
            let found = yaml(text).unwrap_err().to_string();
            assert!(found.starts_with(place), "{text:?}: {found}");
        }
        assert_eq!(yaml("names: [\u{feff}a]").map(|_| ()).unwrap_or(()), ());
        assert!(
            Data::from_yaml(b"names: [\xff]", &Limits::default())
                .unwrap_err()
                .to_string()
                .starts_with("line 1, character 9")
        );
    }

    #[test]
    fn lists_of_names_count_their_lines() {
        let mut data =
            Data::from_darknet(b"classes = 2\r\ntrain = data/train.txt\nvalid=data/v.txt\nnames = data/obj.names\n")
                .unwrap();
        assert_eq!(data.names_file.as_deref(), Some("data/obj.names"));
        assert_eq!(data.places.iter().map(|place| place.split.as_str()).collect::<Vec<_>>(), ["train", "val"]);
        data.take_names("\u{feff}a\r\ntraffic light\n\n".as_bytes()).unwrap();
        assert_eq!(names(&data), ["a", "traffic light"]);
        assert!(data.take_names(b"a\n").unwrap_err().to_string().contains("2 classes were announced, and 1"));
        assert!(data.take_names(b"a\n\nb").unwrap_err().to_string().starts_with("line 2: an empty line"));
        assert!(data.take_names(b"a\na").unwrap_err().to_string().starts_with("line 2: two classes"));
        assert!(Data::from_darknet(b"classes 2").is_err() && Data::from_darknet(b"classes = x").is_err());
    }
}
