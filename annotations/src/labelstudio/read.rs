//! Tasks, in both forms.

use crate::{
    Annotation, Cause, Id, Labels, Notes, Pick, Picture, ReadOptions, Result, codes,
    image::probe_named,
    json::{Got, Lines, Node, Object, Stop, Value, document, within},
    merge::Pictures,
    names::named,
    sample::MediaFormat,
};

use super::{
    names::name_from_url,
    region::{self, Size},
};

/// Reads tasks.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut pictures = Pictures::default();
    let mut lines = Lines::new(text);
    document(text, &options.limits, |node| {
        for (i, task) in node.array()?.iter().enumerate() {
            let picture = task_of(task, options, &mut labels);
            let added = pictures.read(picture, (task.at, &mut lines), options.pick, &mut labels.notes);
            within(added, format_args!("[{i}]"))?;
        }
        Ok(())
    })?;
    labels.pictures = pictures.list();
    labels.count();
    Ok(labels)
}

fn task_of(task: &Node<'_>, options: &ReadOptions, labels: &mut Labels) -> Got<Picture> {
    let object = task.object()?;
    let short = object.get("data")?.is_none();
    let name = match short {
        true => image(object, task.at, options),
        false => object.need(task.at, "data", |data| image(data.object()?, data.at, options)),
    }?;
    let mut picture = Picture::named(name);
    let id = object.take("id", |node| {
        Ok(match &node.value {
            Value::Number(number) => Some(number.id()?),
            Value::Text(text) => Some(Id::Text(text.as_ref().into())),
            _ => None,
        })
    })?;
    picture.id = id.flatten();
    let mut size = None;
    match short {
        true => short_form(object, &mut picture, &mut size, labels)?,
        false => long_form(object, &mut picture, &mut size, options, labels)?,
    }
    (picture.width, picture.height) = size.unzip();
    Ok(picture)
}

/// The name of the task's picture: the value of a key that may have any name.
fn image(data: &Object<'_>, at: usize, options: &ReadOptions) -> Got<String> {
    let looks = |node: &Node<'_>| {
        let Ok(text) = node.text() else { return false };
        let path = text.split(['?', '#']).next().unwrap_or_default();
        let behind = text.rsplit("?d=").next().unwrap_or_default();
        let is_picture = |name: &str| !matches!(probe_named(name, &[]).format, MediaFormat::Unknown);
        is_picture(path) || is_picture(behind) || text.starts_with("data:")
    };
    let key = match &options.image_key {
        Some(key) => key.clone(),
        None if data.get("image")?.is_some() => "image".to_owned(),
        None => {
            let mut found = data.0.iter().filter(|(_, node)| looks(node)).map(|(key, _)| key.to_string());
            match (found.next(), found.next()) {
                (Some(key), None) => key,
                _ => {
                    let message = "no key, or more than one, names an image";
                    return Err(Stop::wrong(at, &codes::AMBIGUOUS, message).options(&["image_key"]));
                }
            }
        }
    };
    data.need(at, &key, |node| {
        let name = name_from_url(node.text()?).and_then(|name| named(&name, options.names).map(str::to_owned));
        name.map_err(|e| Stop::wrong(node.at, e.code(), e.message()).options(e.options()))
    })
}

/// JSON-MIN: regions stand under the name of their control, with type and value in one.
fn short_form(object: &Object<'_>, picture: &mut Picture, size: &mut Size, labels: &mut Labels) -> Got<()> {
    for (key, node) in &object.0 {
        let Value::Array(regions) = &node.value else { continue };
        for (i, region) in regions.iter().enumerate() {
            let Ok(fields) = region.object() else { continue };
            let kind = fields.0.iter().map(|(name, _)| name.as_ref()).find(|name| name.ends_with("labels"));
            let read = add(fields, region.at, (kind.unwrap_or("rectanglelabels"), region), picture, size, labels);
            within(within(read, format_args!("[{i}]")), key)?;
        }
    }
    Ok(())
}

fn long_form(
    object: &Object<'_>,
    picture: &mut Picture,
    size: &mut Size,
    options: &ReadOptions,
    labels: &mut Labels,
) -> Got<()> {
    let predictions = object.get("predictions")?.map_or(Ok(&[][..]), |node| within(node.array(), "predictions"))?;
    labels.notes.add_many(Cause::Prediction, predictions.len() as u64);
    // Before version 1 they were called so.
    let list = if object.get("annotations")?.is_some() { "annotations" } else { "completions" };
    let Some(node) = object.get(list)? else {
        picture.unlabelled = true;
        return Ok(());
    };
    let mut valid = Vec::new();
    for (i, annotation) in within(node.array(), list)?.iter().enumerate() {
        let step = |stop: Stop| stop.inside(format_args!("{list}[{i}]"));
        let fields = annotation.object().map_err(step)?;
        if fields.get("was_cancelled").map_err(step)?.is_some_and(Node::flag) {
            labels.notes.add(Cause::Canceled);
        } else {
            valid.push((i, annotation.at, fields));
        }
    }
    picture.unlabelled = valid.is_empty();
    match (options.pick, valid.len()) {
        (_, 0 | 1) | (Some(Pick::All), _) => {}
        (None, n) => {
            let message = format!("{n} annotations of one image, and nothing says which counts");
            return Err(Stop::wrong(valid[1].1, &codes::AMBIGUOUS, message).options(&["pick"]).inside(list));
        }
        (Some(pick), n) => {
            labels.notes.add_many(Cause::NotPicked, n as u64 - 1);
            let keep = if pick == Pick::First { 0 } else { n - 1 };
            valid = vec![valid.swap_remove(keep)];
        }
    }
    for (i, at, fields) in valid {
        let read = fields.need(at, "result", |node| {
            for (k, region) in node.array()?.iter().enumerate() {
                within(long_region(region, picture, size, labels), format_args!("[{k}]"))?;
            }
            Ok(())
        });
        within(read, format_args!("{list}[{i}]"))?;
    }
    Ok(())
}

fn long_region(region: &Node<'_>, picture: &mut Picture, size: &mut Size, labels: &mut Labels) -> Got<()> {
    let fields = region.object()?;
    let Some(value) = fields.get("value")? else {
        // A relation between regions, and other things that mark nothing.
        return Ok(());
    };
    let kind = fields.need(region.at, "type", |node| Ok(node.text()?.to_owned()))?;
    add(fields, region.at, (&kind, value), picture, size, labels).map_err(|stop| stop.inside("value"))
}

/// Adds a region to a picture; those of other kinds are counted.
fn add(
    fields: &Object<'_>,
    at: usize,
    (kind, value): (&str, &Node<'_>),
    picture: &mut Picture,
    size: &mut Size,
    labels: &mut Labels,
) -> Got<()> {
    let kinds = ["rectanglelabels", "polygonlabels", "brushlabels", "keypointlabels"];
    if !kinds.contains(&kind) {
        let marks = fields.get("original_width")?.is_some();
        let notes: &mut Notes = &mut labels.notes;
        notes.add(if marks { Cause::SkippedShapes } else { Cause::OddValue });
        return Ok(());
    }
    let found = region::annotations((fields, at), (kind, value), size, &mut labels.classes, &mut labels.notes)?;
    picture.annotations.extend::<Vec<Annotation>>(found);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_of_old_versions_are_annotations() {
        let region = r#"{"type":"rectanglelabels","original_width":200,"original_height":100,
            "value":{"x":10,"y":20,"width":30,"height":40,"rotation":0,"rectanglelabels":["cat"]}}"#;
        let task = |list: &str| {
            format!(r#"[{{"id":1,"data":{{"image":"a.jpg"}},"{list}":[{{"id":1,"result":[{region}]}}]}}]"#)
        };
        let of = |list: &str| read(task(list).as_bytes(), &ReadOptions::default()).unwrap();
        for list in ["annotations", "completions"] {
            let labels = of(list);
            assert_eq!((labels.annotations(), labels.pictures[0].unlabelled), (1, false), "{list}");
        }
        assert!(of("predictions").pictures[0].unlabelled);
    }
}
