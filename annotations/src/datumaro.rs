//! Datumaro's own JSON: one file for a part of a set. Boxes as a corner and a size, outlines, masks, points.
//!
//! Boxes and points of one group and one label are one object. Outlines that share a group stay apart, as datumaro itself
//! writes those of several parts. It says sizes of pictures only where its importer had looked at them.

use std::collections::HashMap;

use crate::Result;

use super::{
    Annotation, Cause, Class, Classes, Id, Keypoint, Labels, Notes, Picture, ReadOptions, Rect, Rle, Shape, codes,
    json::{Got, Lines, Node, Object, Stop, Value, document, within},
    merge::Pictures,
};

/// Reads a file.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut pictures = Pictures::default();
    let mut lines = Lines::new(text);
    document(text, &options.limits, |node| {
        let object = node.object()?;
        labels.classes = object.take("categories", classes)?.unwrap_or_default();
        object.need(node.at, "items", |items| {
            for (i, item) in items.array()?.iter().enumerate() {
                let picture = picture(item, &labels.classes, &mut labels.notes, options);
                let read = pictures.read(picture, (item.at, &mut lines), options.pick, &mut labels.notes);
                within(read, format_args!("[{i}]"))?;
            }
            Ok(())
        })
    })?;
    labels.pictures = pictures.list();
    labels.count();
    Ok(labels)
}

fn classes(node: &Node<'_>) -> Got<Classes> {
    let mut list: Vec<(usize, Class)> = Vec::new();
    node.object()?.take("label", |node| {
        node.object()?.need(node.at, "labels", |labels| {
            each(labels, |label| {
                let object = label.object()?;
                let mut class = Class::named(object.need(label.at, "name", |name| Ok(name.text()?.to_owned()))?);
                let parent = object.take("parent", |parent| Ok(parent.text()?.to_owned()))?;
                class.group = parent.filter(|parent| !parent.is_empty());
                list.push((label.at, class));
                Ok(())
            })
        })
    })?;
    node.object()?.take("points", |node| {
        node.object()?.need(node.at, "items", |items| {
            each(items, |item| {
                let object = item.object()?;
                let of = object.need(item.at, "label_id", |node| number_of(node, list.len()))?;
                let Some((_, class)) = list.get_mut(of) else { return Ok(()) };
                object.take("labels", |names| {
                    each(names, |name| {
                        class.keypoints.push(name.text()?.to_owned());
                        Ok(())
                    })
                })?;
                object.take("joints", |joints| {
                    each(joints, |joint| {
                        let ends = numbers(joint)?;
                        let [from, to] = ends[..] else {
                            return Err(Stop::wrong(joint.at, &codes::VALUE, "a joint joins two points"));
                        };
                        class.skeleton.push([from as u32, to as u32]);
                        Ok(())
                    })
                })?;
                Ok(())
            })
        })
    })?;
    let mut classes = Classes::default();
    for (at, class) in list {
        classes.add(class).map_err(|_| Stop::wrong(at, &codes::REPEATED, "two labels have this name"))?;
    }
    Ok(classes)
}

fn picture(item: &Node<'_>, classes: &Classes, notes: &mut Notes, options: &ReadOptions) -> Got<Picture> {
    let object = item.object()?;
    let checked = |node: &Node<'_>| node.name(options.names);
    let mut size = None;
    let path = object.take("image", |image| {
        let object = image.object()?;
        size = object.take("size", |node| {
            let [height, width] = node.array()? else {
                return Err(Stop::wrong(node.at, &codes::VALUE, "a size is a height and a width"));
            };
            Ok((width.pixels()?, height.pixels()?))
        })?;
        match object.get("path")? {
            Some(path) if !path.text()?.is_empty() => within(checked(path), "path").map(Some),
            _ => Ok(None),
        }
    })?;
    let name = match path.flatten() {
        Some(name) => name,
        // Without a picture the item's own name is all that there is.
        None => object.need(item.at, "id", checked)?,
    };
    let mut picture = Picture::named(name);
    (picture.width, picture.height) = size.unwrap_or_default();
    let mut points = Vec::new();
    let mut groups = Vec::new();
    object.need(item.at, "annotations", |list| {
        each(list, |one| {
            let object = one.object()?;
            let group = object.get("group")?.map_or(Ok(0.0), Node::number)?;
            let kind = object.need(one.at, "type", |kind| Ok(kind.text()?.to_owned()))?;
            let said = said(object, classes)?;
            match marked(one, object, &kind, said)? {
                Some(annotation) if kind == "points" => points.push((group, annotation)),
                Some(annotation) => {
                    groups.push((group, kind == "bbox"));
                    picture.annotations.push(annotation);
                }
                None => notes.add(Cause::SkippedShapes),
            }
            Ok(())
        })
    })?;
    // The boxes of each group and class that wait for points, the first last.
    let mut waiting: HashMap<(u64, Option<u32>), Vec<usize>> = HashMap::new();
    for (at, (one, (group, is_box))) in picture.annotations.iter().zip(&groups).enumerate().rev() {
        if *is_box && *group != 0.0 {
            waiting.entry((group.to_bits(), one.class)).or_default().push(at);
        }
    }
    for (group, points) in points {
        let boxed = waiting.get_mut(&(group.to_bits(), points.class)).and_then(Vec::pop);
        match boxed.and_then(|at| picture.annotations.get_mut(at)) {
            Some(annotation) => annotation.keypoints = points.keypoints,
            None => picture.annotations.push(points),
        }
    }
    Ok(picture)
}

/// What is said of an annotation, whatever marks it.
fn said(object: &Object<'_>, classes: &Classes) -> Got<Annotation> {
    let mut one = Annotation::default();
    let label = object.take("label_id", |label| number_of(label, classes.len()))?;
    one.class = label.and_then(|label| u32::try_from(label).ok());
    one.id = object.take("id", |id| match &id.value {
        Value::Number(number) => number.id(),
        _ => Ok(Id::Text(id.text()?.into())),
    })?;
    if let Some(attributes) = object.get("attributes")? {
        for (key, value) in &within(attributes.object(), "attributes")?.0 {
            match &**key {
                "occluded" => one.flags.occluded = value.flag(),
                "truncated" => one.flags.truncated = value.flag(),
                "difficult" => one.flags.difficult = value.flag(),
                "is_crowd" => one.flags.crowd = value.flag(),
                "score" if matches!(value.value, Value::Number(_)) => one.score = Some(value.number()?),
                "track_id" if matches!(value.value, Value::Number(_)) => one.track = Some(value.number()? as i64),
                _ => one.attributes.extend(value.plain().map(|text| (key.clone().into_owned(), text))),
            }
        }
    }
    Ok(one)
}

/// An annotation with what marks it; `None` for what marks nothing that is known here.
fn marked(node: &Node<'_>, object: &Object<'_>, kind: &str, mut one: Annotation) -> Got<Option<Annotation>> {
    match kind {
        "bbox" => {
            one.rect = object.need(node.at, "bbox", |node| {
                let [x, y, width, height] = numbers(node)?[..] else {
                    return Err(Stop::wrong(node.at, &codes::RECT, "a box has four numbers: x, y, width, height"));
                };
                if width < 0.0 || height < 0.0 {
                    return Err(Stop::wrong(node.at, &codes::RECT, "the size of a box is negative"));
                }
                Ok(Rect::sized(x, y, width, height))
            })?;
        }
        "polygon" => {
            let outline = object.need(node.at, "points", pairs)?;
            one.rect = Rect::around(outline.iter().copied()).unwrap_or_default();
            one.shape = Shape::Polygon(vec![outline]);
        }
        "mask" => {
            let mask = object.need(node.at, "rle", mask)?;
            one.rect = mask.bounds().unwrap_or_default();
            one.shape = Shape::Mask(Box::new(mask));
        }
        "points" => {
            let places = object.need(node.at, "points", pairs)?;
            let seen = object.take("visibility", numbers)?.unwrap_or_default();
            let visibility = |i: usize| seen.get(i).map_or(2, |seen| *seen as u8);
            let point = |(i, [x, y]): (usize, &[f64; 2])| Keypoint { x: *x, y: *y, visibility: visibility(i) };
            one.keypoints = places.iter().enumerate().map(point).collect();
            let there = one.keypoints.iter().filter(|point| point.visibility > 0);
            one.rect = Rect::around(there.map(|point| [point.x, point.y])).unwrap_or_default();
            one.shape = Shape::Points;
        }
        _ => return Ok(None),
    }
    Ok(Some(one))
}

fn mask(node: &Node<'_>) -> Got<Rle> {
    let object = node.object()?;
    let size = object.need(node.at, "size", |size| match numbers(size)?[..] {
        [height, width] => Ok((width as u32, height as u32)),
        _ => Err(Stop::wrong(size.at, &codes::VALUE, "the size of a mask is a height and a width")),
    })?;
    object.need(node.at, "counts", |counts| {
        let mask = match &counts.value {
            Value::Text(text) => Rle::from_text(size.0, size.1, text),
            _ => Rle::new(size.0, size.1, numbers(counts)?.into_iter().map(|n| n as u32).collect()),
        };
        mask.map_err(|e| Stop::wrong(counts.at, e.code(), e.message()))
    })
}

fn each<'a>(list: &Node<'a>, mut take: impl FnMut(&Node<'a>) -> Got<()>) -> Got<()> {
    list.array()?.iter().enumerate().try_for_each(|(i, one)| within(take(one), format_args!("[{i}]")))
}

fn numbers(node: &Node<'_>) -> Got<Vec<f64>> {
    let items = node.array()?.iter().enumerate();
    items.map(|(i, one)| within(one.number(), format_args!("[{i}]"))).collect()
}

fn pairs(node: &Node<'_>) -> Got<Vec<[f64; 2]>> {
    let values = numbers(node)?;
    if values.is_empty() || values.len() % 2 != 0 {
        return Err(Stop::wrong(node.at, &codes::VALUE, "points are pairs of x and y"));
    }
    Ok(values.chunks_exact(2).map(|p| [p[0], p[1]]).collect())
}

/// The number of one of several labels.
fn number_of(node: &Node<'_>, count: usize) -> Got<usize> {
    let number = match &node.value {
        Value::Number(number) => number.whole().and_then(|n| usize::try_from(n).ok()),
        _ => return Err(node.wrong("a number belongs here")),
    };
    number
        .filter(|n| *n < count)
        .ok_or_else(|| Stop::wrong(node.at, &codes::CLASS, "there is not a label of this number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(annotation: &str) -> String {
        format!(
            r#"{{"categories": {{"label": {{"labels": [{{"name": "dog", "parent": "animal"}}]}}}},
                "items": [{{"id": "a/x", "annotations": [{annotation}], "image": {{"path": "", "size": [48, 64]}}}}]}}"#
        )
    }

    #[test]
    fn boxes_and_points_of_a_group_are_one_object() {
        let text = file(
            r#"{"type": "points", "group": 1, "label_id": 0, "points": [1, 2, 3, 4], "visibility": [2, 0]},
               {"type": "bbox", "group": 1, "label_id": 0, "bbox": [1, 2, 3, 4], "attributes": {"is_crowd": true, "color": "red"}},
               {"type": "points", "group": 2, "label_id": 0, "points": [5, 6]}, {"type": "label", "label_id": 0}"#,
        );
        let labels = read(text.as_bytes(), &ReadOptions::default()).unwrap();
        let picture = &labels.pictures[0];
        assert_eq!((picture.name.as_str(), picture.size()), ("a/x", Some((64, 48))));
        let [boxed, points] = &picture.annotations[..] else { panic!("{picture:?}") };
        assert_eq!((boxed.rect, boxed.keypoints.len(), boxed.flags.crowd), (Rect::new(1.0, 2.0, 4.0, 6.0), 2, true));
        assert_eq!(boxed.attributes, [("color".to_owned(), "red".to_owned())]);
        assert_eq!((&points.shape, points.keypoints.len()), (&Shape::Points, 1));
        assert_eq!(labels.classes.get(0).unwrap().group.as_deref(), Some("animal"));
    }

    #[test]
    fn faults_have_a_way_to_them() {
        for (annotation, code, path) in [
            (r#"{"type": "bbox", "label_id": 1, "bbox": [1, 2, 3, 4]}"#, "label.class", "label_id"),
            (r#"{"type": "bbox", "bbox": [1, 2, -3, 4]}"#, "label.rect", "bbox"),
            (r#"{"type": "bbox", "bbox": [1, 2, NaN, 4]}"#, "label.number", "bbox[2]"),
            (r#"{"type": "polygon", "points": [1, 2, 3]}"#, "label.value", "points"),
            (r#"{"type": "mask", "rle": {"size": [2, 2], "counts": [9]}}"#, "label.value", "rle.counts"),
            (r#"{"bbox": [1, 2, 3, 4]}"#, "label.value", "type"),
        ] {
            let e = read(file(annotation).as_bytes(), &ReadOptions::default()).unwrap_err();
            let said = e.place().path.clone().unwrap_or_default();
            assert_eq!((e.code().id(), said), (code, format!("items[0].annotations[0].{path}")), "{e}");
        }
    }
}
