//! Annotations and classes as fields of metadata.

use serde_json::{Map, Value, json};

use super::CONVENTION;
use crate::{Annotation, Classes, Id, Loss, Losses, Picture, Rect, Shape};

/// The fields that say what is in a picture.
pub fn fields(picture: &Picture, classes: &Classes, losses: &mut Losses) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("annotations_format".into(), CONVENTION.into());
    if let Some((width, height)) = picture.size() {
        fields.insert("annotations_size".into(), json!([width, height]));
    }
    if let Some(id) = &picture.id {
        fields.insert("image_id".into(), id_value(id));
    }
    let annotations = picture.annotations.iter().map(|one| annotation(one, classes, losses));
    fields.insert("annotations".into(), annotations.collect());
    fields
}

/// The fields that a dataset's document gets.
pub fn document(classes: &Classes) -> Map<String, Value> {
    let names: Value = classes.iter().map(|class| Value::from(class.name.as_str())).collect();
    let details = classes.iter().map(|class| {
        let mut one = Map::new();
        if let Some(id) = &class.id {
            one.insert("id".into(), id_value(id));
        }
        one.insert("name".into(), class.name.as_str().into());
        if let Some(group) = &class.group {
            one.insert("supercategory".into(), group.as_str().into());
        }
        if !class.keypoints.is_empty() {
            one.insert("keypoints".into(), json!(class.keypoints));
        }
        if !class.skeleton.is_empty() {
            one.insert("skeleton".into(), json!(class.skeleton));
        }
        Value::Object(one)
    });
    let details: Value = details.collect();
    Map::from_iter([("classes".to_owned(), names), ("categories".to_owned(), details)])
}

fn annotation(one: &Annotation, classes: &Classes, losses: &mut Losses) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| drop(out.insert(key.to_owned(), value));
    if let Some(name) = one.class.and_then(|class| classes.name(class)) {
        put("class", name.into());
    }
    let r = one.rect;
    for (key, value) in [("xmin", r.x0), ("ymin", r.y0), ("xmax", r.x1), ("ymax", r.y1)] {
        put(key, number(value));
    }
    match &one.shape {
        Shape::Box => {}
        Shape::Points => put("shape", "points".into()),
        Shape::Rotated { unturned: Rect { x0, y0, x1, y1 }, degrees } => {
            put("rotation", number(*degrees));
            put("unturned", [x0, y0, x1, y1].into_iter().map(|value| number(*value)).collect());
        }
        Shape::Polygon(parts) => {
            let part = |part: &Vec<[f64; 2]>| part.iter().flatten().map(|value| number(*value)).collect::<Value>();
            put("segmentation", parts.iter().map(part).collect());
        }
        Shape::Mask(mask) => {
            put("segmentation", json!({ "size": [mask.height(), mask.width()], "counts": mask.text() }));
        }
    }
    if !one.keypoints.is_empty() {
        let points = one.keypoints.iter().flat_map(|p| [number(p.x), number(p.y), p.visibility.into()]);
        put("keypoints", points.collect());
    }
    if let Some(score) = one.score {
        put("score", number(score));
    }
    if let Some(source) = one.source {
        put("source", source.word().into());
    }
    let flags = one.flags;
    for (key, yes) in [
        ("crowd", flags.crowd),
        ("difficult", flags.difficult),
        ("truncated", flags.truncated),
        ("occluded", flags.occluded),
        ("outside", flags.outside),
    ] {
        if yes {
            put(key, true.into());
        }
    }
    if let Some(id) = &one.id {
        put("id", id_value(id));
    }
    if let Some(track) = one.track {
        put("track", track.into());
    }
    if !one.attributes.is_empty() {
        let said: Map<String, Value> =
            one.attributes.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
        if said.len() < one.attributes.len() {
            losses.add(Loss::Attributes);
        }
        put("attributes", said.into());
    }
    out.into()
}

fn id_value(id: &Id) -> Value {
    match id {
        Id::Number(n) => (*n).into(),
        Id::Text(text) => (&**text).into(),
    }
}

/// Whole numbers without a point.
fn number(value: f64) -> Value {
    let whole = value.fract() == 0.0 && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative());
    if whole { (value as i64).into() } else { value.into() }
}
