//! Annotations as this program writes them, read from the text of a record: of a hundred thousand records nearly all have
//! nothing else, and no values need be made of them.
//!
//! What is anything else, or wrong in any way, is left to [`find`](super::find), which knows what to say of it.

use std::borrow::Cow;

use super::CONVENTION;
use crate::{
    Annotation, Classes, Flags, Id, Keypoint, Picture, Rect, Shape, Source,
    json::{Cursor, Number},
};

/// How deep values may nest here.
const NESTING: u32 = 64;

/// What a record says that has its annotations by the convention.
#[derive(Debug)]
pub(crate) struct Marked {
    /// The picture, without its name.
    pub picture: Picture,
    /// The record's own `name`.
    pub name: Option<String>,
}

/// What [`find`](super::find) would find in this text, and the name of the picture. `None` says nothing: then nothing was done,
/// and the text is to be read in full.
pub(crate) fn marked(text: &str, classes: &mut Classes) -> Option<Marked> {
    let mut cursor = Cursor::new(text.as_bytes(), true, NESTING);
    let (mut own, mut json, mut name) = (Place::default(), None, None);
    object(&mut cursor, |cursor, key| match key {
        b"json" if cursor.peek().ok()? == b'{' => {
            let mut place = Place::default();
            object(cursor, |cursor, key| place.field(cursor, key))?;
            once(&mut json, place)
        }
        b"json" => None,
        b"name" => once(&mut name, cursor.string().ok()?),
        _ => own.field(cursor, key),
    })?;
    cursor.finish().ok()?;
    let place = json.filter(|place| place.list.is_some()).unwrap_or(own);
    place.format?;
    let mut picture = Picture { id: place.id, annotations: place.list?, ..Picture::default() };
    (picture.width, picture.height) = place.size.unzip();
    for (annotation, class) in picture.annotations.iter_mut().zip(place.classes) {
        annotation.class = class.map(|class| classes.found(&class));
    }
    Some(Marked { picture, name: name.map(Cow::into_owned) })
}

/// Where the fields of the convention may stand.
#[derive(Debug, Default)]
struct Place<'a> {
    format: Option<()>,
    size: Option<(u32, u32)>,
    id: Option<Id>,
    list: Option<Vec<Annotation>>,
    /// The names of the classes of the annotations.
    classes: Vec<Option<Cow<'a, str>>>,
}

impl<'a> Place<'a> {
    fn field(&mut self, cursor: &mut Cursor<'a>, key: &[u8]) -> Option<()> {
        match key {
            b"annotations_format" if cursor.string().ok()? == CONVENTION => once(&mut self.format, ()),
            b"annotations_format" => None,
            b"annotations_size" => {
                let [width, height] = numbers(cursor, |number| u32::try_from(whole(number)?).ok())?[..] else {
                    return None;
                };
                once(&mut self.size, (width, height)).filter(|()| width > 0 && height > 0)
            }
            b"image_id" => {
                let id = id(cursor)?;
                once(&mut self.id, id)
            }
            b"annotations" => {
                let mut list = Vec::new();
                cursor.open(b'[').ok()?;
                while cursor.more(b']', list.len()).ok()? {
                    let (annotation, class) = annotation(cursor)?;
                    list.push(annotation);
                    self.classes.push(class);
                }
                // They are kept by the hundred thousand.
                list.shrink_to_fit();
                once(&mut self.list, list)
            }
            _ => pass(cursor),
        }
    }
}

/// Takes what may be there once.
fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// Each field of an object, by its key.
fn object<'a>(cursor: &mut Cursor<'a>, mut take: impl FnMut(&mut Cursor<'a>, &[u8]) -> Option<()>) -> Option<()> {
    cursor.open(b'{').ok()?;
    let mut count = 0;
    while cursor.more(b'}', count).ok()? {
        count += 1;
        match cursor.short_key() {
            Some(key) => take(cursor, key)?,
            None => {
                let key = cursor.key().ok()?;
                take(cursor, &key)?;
            }
        }
    }
    Some(())
}

/// Passes over a value that a reader of values would hold.
fn pass(cursor: &mut Cursor<'_>) -> Option<()> {
    let bytes = cursor.skip().ok()?;
    // What an escape stands for was not looked at.
    let fine = !bytes.contains(&b'\\') || serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
    fine.then_some(())
}

/// A list of numbers.
fn numbers<T>(cursor: &mut Cursor<'_>, take: impl Fn(Number<'_>) -> Option<T>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    cursor.open(b'[').ok()?;
    while cursor.more(b']', all.len()).ok()? {
        all.push(take(cursor.number().ok()?)?);
    }
    Some(all)
}

/// A whole number that is written as one. Minus nothing is a fraction to others.
fn whole(number: Number<'_>) -> Option<i64> {
    if number.fraction || number.text == b"-0" {
        return None;
    }
    std::str::from_utf8(number.text).ok()?.parse().ok()
}

fn id(cursor: &mut Cursor<'_>) -> Option<Id> {
    Some(match cursor.peek().ok()? {
        b'"' => Id::Text(cursor.string().ok()?.into()),
        _ => Id::Number(whole(cursor.number().ok()?)?),
    })
}

/// An annotation without its class, and what that is called. Those that are turned, and masks, are read in full.
fn annotation<'a>(cursor: &mut Cursor<'a>) -> Option<(Annotation, Option<Cow<'a, str>>)> {
    let (mut corners, mut class, mut it) = ([None; 4], None, Annotation::default());
    let (mut flags, mut shape, mut keypoints) = ([None; 5], None, None);
    object(cursor, |cursor, key| {
        let corner = match key {
            b"xmin" => 0,
            b"ymin" => 1,
            b"xmax" => 2,
            b"ymax" => 3,
            _ => 4,
        };
        if let Some(corner) = corners.get_mut(corner) {
            return once(corner, cursor.number().ok()?.value);
        }
        let flag = match key {
            b"class" => {
                let name = cursor.string().ok().filter(|name| !name.trim().is_empty())?;
                return once(&mut class, name);
            }
            b"crowd" => 0,
            b"difficult" => 1,
            b"truncated" => 2,
            b"occluded" => 3,
            b"outside" => 4,
            b"score" => return once(&mut it.score, cursor.number().ok()?.value),
            b"source" => {
                let source = match &*cursor.string().ok()? {
                    "human" => Source::Human,
                    "model" => Source::Model,
                    "simulator" => Source::Simulator,
                    _ => return None,
                };
                return once(&mut it.source, source);
            }
            b"id" => {
                let id = id(cursor)?;
                return once(&mut it.id, id);
            }
            b"track" => {
                let track = whole(cursor.number().ok()?)?;
                return once(&mut it.track, track);
            }
            b"segmentation" => {
                let outlines = outlines(cursor)?;
                return once(&mut shape, Shape::Polygon(outlines));
            }
            b"keypoints" => {
                let values = numbers(cursor, |number| Some(number.value))?;
                return once(&mut keypoints, values);
            }
            b"shape" | b"rotation" | b"unturned" | b"attributes" => return None,
            _ => return pass(cursor),
        };
        let yes = cursor.boolean().ok()??;
        once(&mut flags[flag], yes)
    })?;
    let [x0, y0, x1, y1] = corners;
    it.rect = Rect::new(x0?, y0?, x1?, y1?);
    if it.rect.x0 > it.rect.x1 || it.rect.y0 > it.rect.y1 {
        return None;
    }
    let [crowd, difficult, truncated, occluded, outside] = flags.map(Option::unwrap_or_default);
    it.flags = Flags { crowd, difficult, truncated, occluded, outside };
    it.shape = shape.unwrap_or_default();
    let values = keypoints.unwrap_or_default();
    if values.len() % 3 != 0 {
        return None;
    }
    let point = |p: &[f64]| Keypoint { x: p[0], y: p[1], visibility: p[2] as u8 };
    it.keypoints = values.chunks_exact(3).map(point).collect();
    Some((it, class))
}

/// Outlines as lists of x and y.
fn outlines(cursor: &mut Cursor<'_>) -> Option<Vec<Vec<[f64; 2]>>> {
    let mut parts = Vec::new();
    cursor.open(b'[').ok()?;
    while cursor.more(b']', parts.len()).ok()? {
        let values = numbers(cursor, |number| Some(number.value))?;
        if values.is_empty() || values.len() % 2 != 0 {
            return None;
        }
        parts.push(values.chunks_exact(2).map(|p| [p[0], p[1]]).collect());
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::{ReadOptions, record::find};

    /// What the long way finds.
    fn found(text: &str, classes: &mut Classes) -> Option<(Picture, Option<String>)> {
        let value: Value = serde_json::from_str(text).ok()?;
        let found = find(&value, None, &ReadOptions::default(), classes).ok()??;
        Some((found.picture, value.get("name").and_then(Value::as_str).map(str::to_owned)))
    }

    /// Whether the quick way read it, which it must do as the long way.
    fn same(text: &str) -> bool {
        let (mut quickly, mut slowly): (Classes, Classes) = (["a"].into_iter().collect(), ["a"].into_iter().collect());
        let before = quickly.clone();
        match marked(text, &mut quickly) {
            Some(Marked { picture, name }) => {
                assert_eq!(Some((picture, name)), found(text, &mut slowly), "{text}");
                assert_eq!(quickly, slowly, "{text}");
                true
            }
            None => {
                assert_eq!(quickly, before, "{text}");
                false
            }
        }
    }

    fn record(annotation: &str) -> String {
        format!(r#"{{"id":1,"name":"a.jpg","annotations_format":"forebay.1","annotations":[{annotation}]}}"#)
    }

    #[test]
    fn what_this_program_writes_is_read_the_quick_way() {
        let box_ = r#""class":"dog","xmin":1,"ymin":2.5,"xmax":30,"ymax":4e1"#;
        for more in [
            "",
            r#","score":0.25,"source":"model","crowd":true,"difficult":false,"id":7,"track":-3"#,
            r#","id":"x\u00e9","occluded":true,"truncated":true,"outside":true"#,
            r#","segmentation":[[1,2,3,4,5,6.5],[1,2]],"note":{"a":[1,"\ud83d\ude00"]}"#,
            r#","keypoints":[1,2,2,3,4.5,0]"#,
        ] {
            assert!(same(&record(&format!("{{{box_}{more}}}"))), "{more}");
        }
        let fields = r#""annotations_format":"forebay.1","annotations_size":[4,3],"image_id":12,"annotations":[]"#;
        assert!(same(&format!(r#"{{"id":1,"json":{{"k":[],{fields}}},"name":"a\n.jpg","cls":3}}"#)));
        assert!(same(&format!(" {{ {fields} , \"json\" : {{}} }} ")));
    }

    #[test]
    fn anything_else_is_left_to_the_long_way() {
        let box_ = r#""xmin":1,"ymin":2,"xmax":3,"ymax":4"#;
        for more in [
            r#","xmin":1"#,
            r#","class":3"#,
            r#","class":" ""#,
            r#","class":null"#,
            r#","crowd":1"#,
            r#","rotation":3,"unturned":[1,2,3,4]"#,
            r#","segmentation":{"size":[2,2],"counts":[4]}"#,
            r#","segmentation":[[1]]"#,
            r#","keypoints":[1]"#,
            r#","shape":"points""#,
            r#","attributes":{}"#,
            r#","track":1.5"#,
            r#","track":-0"#,
            r#","id":99999999999999999999"#,
            r#","x":1e999"#,
            r#","x":"\ud800""#,
            r#","x":01"#,
            ",",
        ] {
            assert!(!same(&record(&format!("{{{box_}{more}}}"))), "{more}");
        }
        for text in [
            "null",
            "[]",
            r#"{"annotations":[]}"#,
            r#"{"annotations_format":"x.2","annotations":[]}"#,
            r#"{"annotations_format":"forebay.1","annotations":[]} 1"#,
            r#"{"annotations_format":"forebay.1","annotations":[],"annotations":[]}"#,
            r#"{"annotations_format":"forebay.1","annotations":[],"annotations_size":[0,1]}"#,
            r#"{"annotations_format":"forebay.1","json":{"annotations":[]}}"#,
            r#"{"annotations_format":"forebay.1","annotations":[],"name":3}"#,
        ] {
            assert!(!same(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn both_ways_agree(parts in prop::collection::vec(prop_oneof![
            Just("{"), Just("}"), Just("["), Just("]"), Just(","), Just(":"), Just("\"xmin\":1"), Just("\"ymin\":2"),
            Just("\"xmax\":3.5"), Just("\"ymax\":-4"), Just("\"class\":\"b\""), Just("\"json\":{"), Just("\"name\":\"n\""),
            Just("\"score\":1e5"), Just("{\"xmin\":0,\"ymin\":0,\"xmax\":1,\"ymax\":1}"), Just("\"x\\u0041\":null"),
        ], 0..8), inside in any::<bool>()) {
            let parts = parts.concat();
            same(&match inside {
                true => record(&format!("{{\"xmin\":1,\"ymin\":2,\"xmax\":3,\"ymax\":4,{parts}}}")),
                false => format!("{{\"annotations_format\":\"forebay.1\",\"annotations\":[{{\"xmin\":0,\"ymin\":0,\"xmax\":1,\
                    \"ymax\":1}}],{parts}}}"),
            });
        }
    }
}
