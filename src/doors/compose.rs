//! The fields of a record as the metadata of a sample, in the words that the other containers use.

use std::borrow::Cow;

use bytes::Bytes;
use serde_json::{Map, Value as Json};

use super::{
    field::{Field, Value},
    inner::Inner,
};
use crate::{
    annotations::{Annotation, Classes, Losses, Picture, Rect, record as boxes},
    error::Result,
    image::{Probe, probe},
    sample::{
        MediaFormat,
        record::{Sidecar, compose as composed, split},
    },
};

/// Where TensorFlow's detection puts boxes, as shares of the image.
const CORNERS: [&str; 4] =
    ["image/object/bbox/xmin", "image/object/bbox/ymin", "image/object/bbox/xmax", "image/object/bbox/ymax"];
/// And their classes.
const BOX_WORDS: &str = "image/object/class/text";
const BOX_NUMBERS: &str = "image/object/class/label";

/// The metadata of sample `i`, whose record has these fields and these bytes.
pub(super) fn compose(of: &Inner, i: u64, record: &Bytes, mut fields: Vec<Field>) -> Result<String> {
    let choice = &of.choice;
    let field = |name: &Option<String>| {
        let name = name.as_ref()?;
        fields.iter().find(|field| field.name == *name).map(|field| &field.value)
    };
    let class = field(&choice.class).and_then(number);
    let classes = of.classes();
    let known = || class.and_then(|n| classes.get(usize::try_from(n).ok()?)).cloned();
    let word = field(&choice.word).and_then(Value::text).map(str::to_owned).or_else(known);
    let given = field(&choice.name).and_then(Value::text).map(|name| Cow::<str>::Owned(name.to_owned()));
    let given = given.filter(|name| !name.is_empty()).or_else(|| of.records.name(i));

    let at = choice.payload.as_ref().and_then(|name| fields.iter().position(|field| field.name == *name));
    let payload = at.map(|at| fields.remove(at).value);
    let seen = match &payload {
        Some(Value::Pixels(pixels)) => Probe::of(MediaFormat::Png, pixels.width, pixels.height),
        Some(Value::Bytes(bytes)) => probe(bytes),
        Some(Value::Json(_)) => Probe::default(),
        None => probe(&of.records.whole(i, record, false)?),
    };
    let name = name_of(given.as_deref(), i, seen.format, matches!(payload, Some(Value::Pixels(_))));

    let (mut json, mut files) = (Map::new(), Vec::new());
    for Field { name, value } in fields {
        match value.media() {
            MediaFormat::Unknown => _ = json.insert(name, value.to_json()),
            media => files.push((ending(&name, media), value.payload(&of.limits)?)),
        }
    }
    if let Some(found) = found_boxes(&json, seen, classes) {
        json.extend(found);
    }
    let text = (!json.is_empty()).then(|| Json::Object(json).to_string());
    let class = class.map(|class| class.to_string());
    let own = [("json", text.as_deref()), ("cls", class.as_deref())];
    let own = own.into_iter().filter_map(|(extension, text)| Some((extension, text?.as_bytes())));
    let files = files.iter().map(|(extension, bytes)| (extension.as_str(), &bytes[..]));
    let sidecars: Vec<_> = own.chain(files).map(|(extension, bytes)| Sidecar { extension, bytes }).collect();
    let extra: Vec<_> = word.map(|word| ("class", Json::from(word))).into_iter().collect();
    Ok(composed(i, &name, &sidecars, 0, &extra))
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Json(value) => value.as_i64(),
        _ => None,
    }
}

/// The name of the payload's file: an image's ends as its content says.
fn name_of(given: Option<&str>, i: u64, format: MediaFormat, is_made: bool) -> String {
    let Some(given) = given else { return format!("{i:08}.{}", format.extension()) };
    match (MediaFormat::from_name(given), format) {
        (_, MediaFormat::Unknown) => given.to_owned(),
        (MediaFormat::Unknown, format) => format!("{given}.{}", format.extension()),
        // Pixels were written as PNG here, whatever they were decoded from.
        (_, format) if is_made => {
            let stem = given.rsplit_once('.').map_or(given, |(stem, _)| stem);
            format!("{stem}.{}", format.extension())
        }
        _ => given.to_owned(),
    }
}

/// The name of another image of the record, after the first dot.
fn ending(name: &str, media: MediaFormat) -> String {
    let (stem, extension) = split(name);
    let plain = |text: &str| text.replace(['/', '\\'], "_");
    match extension {
        Some(extension) if MediaFormat::from_name(name) == media => format!("{}.{}", plain(stem), plain(extension)),
        _ => format!("{}.{}", plain(name), media.extension()),
    }
}

/// The boxes in pixels, as metadata has them, if the record has boxes and all of them are some.
fn found_boxes(json: &Map<String, Json>, seen: Probe, classes: &[String]) -> Option<Map<String, Json>> {
    let list = |name: &str| match json.get(name) {
        Some(Json::Array(list)) => Some(list.clone()),
        Some(Json::Null) | None => None,
        Some(one) => Some(vec![one.clone()]),
    };
    let [x0, y0, x1, y1] = CORNERS.map(list);
    let (x0, y0, x1, y1) = (x0?, y0?, x1?, y1?);
    if seen.width == 0 || [&y0, &x1, &y1].iter().any(|other| other.len() != x0.len()) {
        return None;
    }
    let (words, numbers) = (list(BOX_WORDS).unwrap_or_default(), list(BOX_NUMBERS).unwrap_or_default());
    let mut named = Classes::default();
    let mut picture = Picture::default();
    (picture.width, picture.height) = (Some(seen.width), Some(seen.height));
    for k in 0..x0.len() {
        let share = |list: &[Json]| list.get(k)?.as_f64().filter(|share| share.is_finite());
        let (width, height) = (f64::from(seen.width), f64::from(seen.height));
        let rect = Rect::new(share(&x0)? * width, share(&y0)? * height, share(&x1)? * width, share(&y1)? * height);
        if rect.x0 > rect.x1 || rect.y0 > rect.y1 {
            return None;
        }
        let by_number = || {
            let number = numbers.get(k)?.as_i64()?;
            Some(usize::try_from(number).ok().and_then(|n| classes.get(n)).cloned().unwrap_or(number.to_string()))
        };
        let class = words.get(k).and_then(Json::as_str).filter(|word| !word.is_empty()).map(str::to_owned);
        let class = class.or_else(by_number).map(|name| named.found(&name));
        picture.annotations.push(Annotation::boxed(rect, class));
    }
    Some(boxes::fields(&picture, &named, &mut Losses::default()))
}
