//! Which field of the records is the sample, which names it, and which says its class.

use super::field::{Field, Value};
use crate::sample::MediaFormat;

/// Fields that have the image where there are several.
const IMAGES: [&str; 8] = ["image/encoded", "image", "jpg", "jpeg", "png", "img", "image_bytes", "image_raw"];
/// Fields that have the name of the image's file.
const NAMES: [&str; 8] =
    ["image/filename", "filename", "file_name", "fname", "__key__", "image/source_id", "name", "path"];
/// Fields that have the number of the class, or its name.
const CLASSES: [&str; 9] =
    ["image/class/label", "label", "class", "cls", "labels", "target", "category", "class_id", "label_id"];
/// Fields that have the name of the class.
const WORDS: [&str; 6] = ["image/class/text", "class_name", "label_name", "class/text", "label_text", "category_name"];
/// A class has a name of at most this many bytes; longer texts are captions.
const LONGEST: usize = 100;

/// The choice among the fields of the first records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The field that is the sample; without one it is the record.
    pub payload: Option<String>,
    /// Whether every record that was looked at has that field, so that one without it is damaged.
    pub always: bool,
    /// Whether that field is an image or a video.
    pub is_media: bool,
    /// The field that names the sample.
    pub name: Option<String>,
    /// The field that has the number of the class.
    pub class: Option<String>,
    /// The field that has the name of the class.
    pub word: Option<String>,
}

impl Choice {
    /// By these records, each with its fields.
    pub fn of(records: &[Vec<Field>]) -> Choice {
        let all = || records.iter().flatten();
        let is_image = |field: &&Field| field.value.media() != MediaFormat::Unknown;
        let named = |name: &str| all().filter(is_image).find(|field| field.name == name);
        let image = IMAGES.iter().find_map(|name| named(name)).or_else(|| all().find(is_image));
        let payload = image.map(|field| field.name.clone()).or_else(|| longest(records));
        let has = |name: &String| {
            let has = |fields: &Vec<Field>| fields.iter().any(|field| field.name == *name);
            !records.is_empty() && records.iter().all(has)
        };
        let first = |names: &[&str], is: fn(&Value) -> bool| {
            let found = names.iter().find(|name| holds(records, name, is));
            found.map(|name| (*name).to_owned())
        };
        let word = first(&WORDS, is_word).or_else(|| first(&CLASSES, is_word));
        Choice {
            always: payload.as_ref().is_some_and(has),
            is_media: image.is_some(),
            name: NAMES.iter().find(|name| names(records, name)).map(|name| (*name).to_owned()),
            class: first(&CLASSES, is_number),
            word,
            payload,
        }
    }

    /// The choice, in words.
    pub fn note(&self) -> String {
        let kind = if self.is_media { "" } else { "; it is no image" };
        match &self.payload {
            Some(name) => format!("the field {name} is taken as the sample{kind}"),
            None => "no field of the records is an image, so each record is a sample as it is".to_owned(),
        }
    }
}

/// The field with the most bytes that are no text, if it is most of the records: a few bytes of a row belong to the others.
fn longest(records: &[Vec<Field>]) -> Option<String> {
    let bytes = |field: &&Field| match &field.value {
        Value::Bytes(bytes) if field.value.text().is_none() => Some(bytes.len()),
        _ => None,
    };
    let fields = records.iter().flatten().filter_map(|field| Some((bytes(&field)?, field)));
    let name = fields.max_by_key(|(bytes, _)| *bytes).map(|(_, field)| field.name.clone())?;
    let size = |field: &Field| match &field.value {
        Value::Bytes(bytes) => bytes.len(),
        Value::Pixels(pixels) => pixels.data.len(),
        Value::Json(value) => value.to_string().len(),
    };
    let (mut own, mut all) = (0, 0);
    for field in records.iter().flatten() {
        let size = size(field);
        all += size;
        own += if field.name == name { size } else { 0 };
    }
    (own * 2 >= all).then_some(name)
}

/// The values of that field, and whether all are what they should be; false without values.
fn holds(records: &[Vec<Field>], name: &str, is: fn(&Value) -> bool) -> bool {
    let mut values = records.iter().flatten().filter(|field| field.name == name).peekable();
    values.peek().is_some() && values.all(|field| is(&field.value))
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Json(value) if value.is_i64() || value.is_u64())
}

fn is_word(value: &Value) -> bool {
    value.text().is_some_and(|text| text.len() <= LONGEST)
}

/// Whether every record has a name of its own there.
fn names(records: &[Vec<Field>], name: &str) -> bool {
    let of = |fields: &Vec<Field>| {
        let field = fields.iter().find(|field| field.name == name)?;
        field.value.text().filter(|text| !text.is_empty() && text.len() <= LONGEST * 10).map(str::to_owned)
    };
    let found: Vec<_> = records.iter().filter_map(of).collect();
    let distinct: std::collections::HashSet<_> = found.iter().collect();
    !found.is_empty() && found.len() == records.len() && distinct.len() == found.len()
}
