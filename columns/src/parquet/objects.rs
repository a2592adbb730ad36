//! Boxes in a column `objects`, as `datasets` has them: x and y of the upper left corner, width and height, in pixels; a list of
//! objects, or a list for each field of theirs.

use forebay::{
    annotations::{Annotation, Classes, Losses, Picture, Rect, record},
    doors::Field,
};
use serde_json::Value as Json;

use crate::hugging::classes_of_objects;

/// The column.
pub(super) const COLUMN: &str = "objects";
/// Fields of an object with its box, and with its class.
const BOXES: [&str; 2] = ["bbox", "boxes"];
const CLASSES: [&str; 4] = ["category", "categories", "label", "category_id"];

/// The names of the classes of the objects.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// By the field that has their numbers.
    names: Vec<(&'static str, Vec<String>)>,
}

impl Objects {
    /// As `datasets` says them.
    pub fn new(said: Option<&str>) -> Objects {
        let names = CLASSES.into_iter().filter_map(|field| Some((field, classes_of_objects(COLUMN, field, said)?)));
        Objects { names: names.collect() }
    }

    /// The annotations that the boxes are; nothing if there are none, or one of them is no box.
    pub fn annotations(&self, objects: &Json) -> Vec<Field> {
        let Some(found) = self.boxes(objects) else { return Vec::new() };
        let (mut classes, mut picture) = (Classes::default(), Picture::default());
        for (rect, class) in found {
            let class = class.map(|name| classes.found(&name));
            picture.annotations.push(Annotation::boxed(rect, class));
        }
        let fields = record::fields(&picture, &classes, &mut Losses::default());
        fields.into_iter().map(|(name, value)| Field::new(name, value)).collect()
    }

    fn boxes(&self, objects: &Json) -> Option<Vec<(Rect, Option<String>)>> {
        let field = |names: &[&'static str], of: &Json| {
            names.iter().find_map(|name| Some((*name, of.get(*name)?.clone()))).filter(|(_, value)| !value.is_null())
        };
        let one = |place: &Json, class: Option<(&'static str, &Json)>| {
            Some((rect(place)?, class.and_then(|(field, class)| self.class(field, class))))
        };
        match objects {
            Json::Object(_) => {
                let (_, boxes) = field(&BOXES, objects)?;
                let classes = field(&CLASSES, objects);
                let class = |k: usize| {
                    let (field, all) = classes.as_ref()?;
                    Some((*field, all.get(k)?))
                };
                boxes.as_array()?.iter().enumerate().map(|(k, place)| one(place, class(k))).collect()
            }
            Json::Array(all) => all
                .iter()
                .map(|object| {
                    let class = field(&CLASSES, object);
                    one(&field(&BOXES, object)?.1, class.as_ref().map(|(field, class)| (*field, class)))
                })
                .collect(),
            _ => None,
        }
    }

    /// The name of a class.
    fn class(&self, field: &str, class: &Json) -> Option<String> {
        match class {
            Json::String(name) => Some(name.clone()),
            Json::Number(number) => {
                let names = self.names.iter().find(|(of, _)| *of == field).map(|(_, names)| names);
                let at = number.as_u64().and_then(|n| usize::try_from(n).ok());
                Some(names.zip(at).and_then(|(names, at)| names.get(at)).cloned().unwrap_or_else(|| number.to_string()))
            }
            _ => None,
        }
    }
}

fn rect(place: &Json) -> Option<Rect> {
    let [x, y, width, height] = &place.as_array()?[..] else { return None };
    let number = |value: &Json| value.as_f64().filter(|n| n.is_finite());
    let (width, height) = (number(width)?, number(height)?);
    (width >= 0.0 && height >= 0.0).then_some(Rect::sized(number(x)?, number(y)?, width, height))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_boxes_however_they_are_listed() {
        let said = r#"{"info":{"features":{"objects":{"category":{"feature":{"names":["car","person"],
            "_type":"ClassLabel"}}}}}}"#;
        let objects = Objects::new(Some(said));
        let wanted = json!([{"class":"person","xmin":1,"ymin":2,"xmax":4,"ymax":6}]);
        for found in [
            json!({"bbox": [[1.0, 2.0, 3.0, 4.0]], "category": [1], "area": [12]}),
            json!([{"bbox": [1.0, 2.0, 3.0, 4.0], "category": 1}]),
            json!([{"bbox": [1.0, 2.0, 3.0, 4.0], "label": "person"}]),
        ] {
            let fields = objects.annotations(&found);
            let list = fields.iter().find(|field| field.name == "annotations").unwrap();
            assert_eq!(list.value.to_json(), wanted, "{found}");
        }
        let nothing = objects.annotations(&json!({"bbox": [], "category": []}));
        assert_eq!(nothing.last().unwrap().value.to_json(), json!([]));
        for odd in [json!(null), json!({"bbox": [[1, 2, 3]]}), json!([{"bbox": [1, 2, -3, 4]}]), json!({"name": "x"})] {
            assert!(objects.annotations(&odd).is_empty(), "{odd}");
        }
    }
}
