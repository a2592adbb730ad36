//! A project: which classes there are, in their order, with what a labeling tool shows of them.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Classes, Labels, codes, record, yolo::Data};
use crate::{
    error::{Error, Result},
    limits::Limits,
};

/// The version of the file that is read and written.
const VERSION: u64 = 1;
/// The field that says that a file is a project, and its version.
const MARK: &str = "forebay_project";

/// The classes of a project. Labels that [follow](Labels::follow) it have its numbers, whatever they were made of.
///
/// ```
/// use forebay_annotations::Project;
/// use forebay_base::Limits;
/// let file = br##"{"forebay_project":1,"classes":[{"name":"boat","id":18,"color":"#1f77b4","key":1},"gull"]}"##;
/// let project = Project::read(file, &Limits::default())?;
/// assert_eq!(project.classes().find("gull"), Some(1));
/// // The classes of a COCO file, or of a `data.yaml`, are a project too.
/// let coco = br#"{"images":[],"categories":[{"id":18,"name":"boat"}]}"#;
/// assert_eq!(Project::read(coco, &Limits::default())?.classes().len(), 1);
/// # Ok::<(), forebay_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    classes: Classes,
    looks: Vec<Look>,
}

/// What a labeling tool shows of a class.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Look {
    color: Option<String>,
    key: Option<u8>,
    /// Names of attributes with the values that they may have; an empty list allows any.
    attributes: Map<String, Value>,
}

impl Project {
    /// Reads a project, the categories of a COCO file, the names of a `data.yaml`, or a list of names, one a line.
    ///
    /// # Errors
    ///
    /// `label.unsupported` for a later version, and the codes of label files for what is wrong in it.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Project> {
        limits.item(bytes.len() as u64)?;
        let text = std::str::from_utf8(bytes).map_err(|_| Error::new(&codes::ENCODING, "a project is UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('{') {
            return Project::from_json(text);
        }
        let is_yaml = text.lines().any(|line| line.starts_with("names:"));
        let mut data = if is_yaml { Data::from_yaml(text.as_bytes(), limits)? } else { Data::default() };
        if !is_yaml {
            data.take_names(text.as_bytes())?;
        }
        Project::of(data.classes)
    }

    /// A project with these classes.
    fn of(classes: Classes) -> Result<Project> {
        if classes.is_empty() {
            return Err(Error::new(&codes::VALUE, "a project has at least one class"));
        }
        Ok(Project { looks: vec![Look::default(); classes.len()], classes })
    }

    fn from_json(text: &str) -> Result<Project> {
        /// Everything else, such as the annotations of a COCO file, is passed over.
        #[derive(Deserialize)]
        struct File {
            forebay_project: Option<Value>,
            classes: Option<Value>,
            categories: Option<Value>,
        }
        let file: File = serde_json::from_str(text).map_err(|e| Error::new(&codes::SYNTAX, e.to_string()))?;
        let listed = |list: Value| record::read_classes(&Map::from_iter([("categories".to_owned(), list)]));
        match (file.forebay_project, file.classes, file.categories) {
            (Some(version), Some(Value::Array(list)), _) if version == VERSION => {
                let objects = list.into_iter().map(|one| if one.is_string() { json!({ "name": one }) } else { one });
                let objects: Vec<Value> = objects.collect();
                let looks = objects.iter().enumerate().map(|(i, one)| look(i, one)).collect::<Result<Vec<_>>>()?;
                let project = Project { looks, ..Project::of(listed(objects.into())?)? };
                project.check()
            }
            (Some(version), ..) if version != VERSION => {
                let message = format!("version {version} of a project is not read; this build reads {VERSION}");
                Err(Error::new(&codes::UNSUPPORTED, message).path(MARK))
            }
            (Some(_), ..) => Err(Error::new(&codes::VALUE, "classes is missing or not a list").path("classes")),
            (None, _, Some(categories)) => Project::of(listed(categories)?),
            (None, ..) => {
                let message = format!("neither {MARK} nor categories is in the file: it is not a project");
                Err(Error::new(&codes::FORMAT, message))
            }
        }
    }

    /// Refuses two classes of one number or one key.
    fn check(self) -> Result<Project> {
        let (mut ids, mut keys) = (HashSet::new(), HashSet::new());
        for (i, (class, look)) in self.classes.iter().zip(&self.looks).enumerate() {
            let twice = |what: &str, field: &str| {
                let message = format!("{:?} has the {what} of another class", class.name);
                Err(Error::new(&codes::REPEATED, message).path(format!("classes[{i}].{field}")))
            };
            if class.id.as_ref().is_some_and(|id| !ids.insert(id)) {
                return twice("id", "id");
            }
            if look.key.is_some_and(|key| !keys.insert(key)) {
                return twice("key", "key");
            }
        }
        Ok(self)
    }

    /// The classes, in their order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The file, as JSON.
    pub fn to_json(&self) -> Value {
        let Some(Value::Array(mut classes)) = record::document(&self.classes).remove("categories") else {
            return Value::Null;
        };
        for (class, look) in classes.iter_mut().zip(&self.looks) {
            if let Some(color) = &look.color {
                class["color"] = color.as_str().into();
            }
            if let Some(key) = look.key {
                class["key"] = key.into();
            }
            if !look.attributes.is_empty() {
                class["attributes"] = look.attributes.clone().into();
            }
        }
        json!({ MARK: VERSION, "classes": classes })
    }
}

/// What a class of the file says besides its name and numbers.
fn look(i: usize, class: &Value) -> Result<Look> {
    let wrong = |field: &str, message: &str| {
        Err(Error::new(&codes::VALUE, message.to_owned()).path(format!("classes[{i}]{field}")))
    };
    let Ok(look) = Look::deserialize(class) else {
        return wrong("", "a class has a color as text, a key from 1 to 9, and attributes as an object of lists");
    };
    let is_color = |text: &String| {
        let digits = text.strip_prefix('#').unwrap_or_default();
        digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if look.color.as_ref().is_some_and(|color| !is_color(color)) {
        return wrong(".color", "a color is # and six hexadecimal digits, such as #1f77b4");
    }
    if look.key.is_some_and(|key| !(1..=9).contains(&key)) {
        return wrong(".key", "a key is a number from 1 to 9");
    }
    let is_texts = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    if !look.attributes.values().all(is_texts) {
        return wrong(".attributes", "an attribute has a list of the texts that it may be; an empty one allows any");
    }
    Ok(look)
}

impl Labels {
    /// Gives the classes the order and the numbers of a project.
    ///
    /// # Errors
    ///
    /// `label.class` for an annotation of a class that the project does not have.
    pub fn follow(&mut self, project: &Project) -> Result<()> {
        let numbers: Vec<Option<u32>> = self.classes.iter().map(|class| project.classes.find(&class.name)).collect();
        for picture in &mut self.pictures {
            for class in picture.annotations.iter_mut().filter_map(|one| one.class.as_mut()) {
                let Some(number) = numbers.get(*class as usize).copied().flatten() else {
                    let name = self.classes.name(*class).unwrap_or_default();
                    return Err(absent(name).member(picture.name.as_str()));
                };
                *class = number;
            }
        }
        self.classes = project.classes.clone();
        Ok(())
    }
}

/// The fault of a class that a project does not have.
pub fn absent(name: &str) -> Error {
    Error::new(&codes::CLASS, format!("the project has no class {name:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Annotation, Class, Id, Picture, Rect};

    fn read(text: &str) -> Result<Project> {
        Project::read(text.as_bytes(), &Limits::default())
    }

    #[test]
    fn a_project_comes_back_as_it_was_and_is_made_of_other_lists() {
        let text = r##"{"forebay_project":1,"classes":[{"id":18,"name":"boat","supercategory":"ship","color":"#1f77b4","key":2,"attributes":{"flag":["de","nl"],"name":[]}},{"name":"gull"}]}"##;
        let project = read(text).unwrap();
        assert_eq!(project.to_json().to_string(), text);
        assert_eq!(read(&project.to_json().to_string()).unwrap(), project);
        let names = |text: &str| {
            let project = read(text).unwrap();
            let one = |class: &Class| (class.name.clone(), class.id.clone());
            project.classes().iter().map(one).collect::<Vec<_>>()
        };
        let coco = r#"{"annotations":[{"id":1}],"categories":[{"id":18,"name":"boat"},{"id":3,"name":"gull"}]}"#;
        let numbered = [("boat".to_owned(), Some(Id::Number(18))), ("gull".to_owned(), Some(Id::Number(3)))];
        assert_eq!(names(coco), numbered);
        let plain = [("boat".to_owned(), None), ("gull".to_owned(), None)];
        for text in ["names: [boat, gull]\n", "train: a\nnames:\n  1: gull\n  0: boat\n", "boat\ngull\n"] {
            assert_eq!(names(text), plain, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_project_is_refused_with_its_place() {
        let of = |classes: &str| format!(r#"{{"forebay_project":1,"classes":{classes}}}"#);
        for (text, code, path) in [
            (r#"{"forebay_project":2,"classes":["a"]}"#.to_owned(), "label.unsupported", "forebay_project"),
            (r#"{"forebay_project":1}"#.to_owned(), "label.value", "classes"),
            (of("[]"), "label.value", ""),
            (of(r#"["a","a"]"#), "label.repeated", "categories[1].name"),
            (of(r#"[{"name":"a","id":1},{"name":"b","id":1}]"#), "label.repeated", "classes[1].id"),
            (of(r#"[{"name":"a","key":1},{"name":"b","key":1}]"#), "label.repeated", "classes[1].key"),
            (of(r#"[{"name":"a","key":10}]"#), "label.value", "classes[0].key"),
            (of(r#"[{"name":"a","color":"red"}]"#), "label.value", "classes[0].color"),
            (of(r#"[{"name":"a","attributes":{"x":1}}]"#), "label.value", "classes[0].attributes"),
            (r#"{"images":[]}"#.to_owned(), "label.format", ""),
            ("{".to_owned(), "label.syntax", ""),
        ] {
            let e = read(&text).expect_err(&text);
            assert_eq!((e.code().id(), e.place().path.as_deref().unwrap_or_default()), (code, path), "{text}: {e}");
        }
    }

    #[test]
    fn labels_that_follow_a_project_have_its_numbers() {
        let project = read(r#"{"forebay_project":1,"classes":["boat","gull",{"name":"car","id":7}]}"#).unwrap();
        let mut labels = Labels { classes: ["gull", "boat"].into_iter().collect(), ..Labels::default() };
        let mut picture = Picture::named("a.jpg");
        picture.annotations = [Some(0), Some(1), None].map(|class| Annotation::boxed(Rect::default(), class)).into();
        labels.pictures.push(picture);
        labels.follow(&project).unwrap();
        let classes: Vec<_> = labels.pictures[0].annotations.iter().map(|one| one.class).collect();
        assert_eq!((classes, &labels.classes), (vec![Some(1), Some(0), None], project.classes()));
        labels.classes = ["dog", "x"].into_iter().collect();
        let e = labels.follow(&project).unwrap_err();
        assert_eq!((e.code().id(), e.message()), ("label.class", "the project has no class \"x\""));
    }
}
