//! One region of a task: a box, an outline, a mask or a key point, in percent of the picture as it is shown.

use crate::{
    Annotation, Cause, Classes, Keypoint, Notes, Rect, Shape, codes, corners_of,
    json::{Got, Node, Object, Stop, within},
};

use super::brush;

/// The pixels of a mask: more are not of a picture that anybody paints on.
const MOST_PIXELS: u64 = 1 << 26;

/// The size that regions say their picture has.
pub(super) type Size = Option<(u32, u32)>;

/// The annotations of a region: one for each of its labels; none of a mask that does not fit its picture. `value` has the numbers, and `region` says of which picture.
pub(super) fn annotations(
    (region, at): (&Object<'_>, usize),
    (kind, value): (&str, &Node<'_>),
    size: &mut Size,
    classes: &mut Classes,
    notes: &mut Notes,
) -> Got<Vec<Annotation>> {
    let width = region.need(at, "original_width", Node::pixels)?;
    let height = region.need(at, "original_height", Node::pixels)?;
    let (Some(width), Some(height)) = (width, height) else {
        return Err(Stop::wrong(at, &codes::SIZE, "a region does not say how large its image is"));
    };
    if size.get_or_insert((width, height)) != &(width, height) {
        return Err(Stop::wrong(at, &codes::SIZE, "two regions of one image give it different sizes"));
    }
    if region.take("image_rotation", Node::number)?.is_some_and(|turn| turn != 0.0) {
        return Err(Stop::wrong(at, &codes::UNSUPPORTED, "the image was turned in the editor").inside("image_rotation"));
    }
    let object = value.object()?;
    let labels = object.take(kind, |node| {
        let names = node.array()?.iter().enumerate().map(|(i, name)| within(name.text(), format_args!("[{i}]")));
        names.map(|name| name.map(str::to_owned)).collect::<Got<Vec<String>>>()
    })?;
    if labels.is_none() && object.get("labels")?.is_some() {
        let message = format!("the region is of type {kind:?} and has \"labels\" in its place");
        return Err(Stop::wrong(value.at, &codes::VALUE, message).inside(kind));
    }
    let (w, h) = (f64::from(width), f64::from(height));
    let mut annotation = match kind {
        "rectanglelabels" => rectangle(object, value.at, w, h, notes)?,
        "keypointlabels" => point(object, value.at, w, h)?,
        "brushlabels" => match mask(object, (width, height))? {
            Some(mask) => mask,
            None => {
                notes.add(Cause::SkippedShapes);
                return Ok(Vec::new());
            }
        },
        _ => outline(object, value.at, w, h)?,
    };
    annotation.score = region.take("score", Node::number)?;
    let labels = labels.unwrap_or_default();
    if labels.is_empty() {
        return Ok(vec![annotation]);
    }
    let classed = labels.iter().map(|name| Annotation { class: Some(classes.found(name)), ..annotation.clone() });
    Ok(classed.collect())
}

fn rectangle(object: &Object<'_>, at: usize, w: f64, h: f64, notes: &mut Notes) -> Got<Annotation> {
    let mut percent = [0.0; 4];
    for (value, key) in percent.iter_mut().zip(["x", "y", "width", "height"]) {
        *value = object.need(at, key, |node| match node.number()? {
            value if value < 0.0 && key.len() > 1 => {
                Err(Stop::wrong(node.at, &codes::RECT, "the size of a box is negative"))
            }
            value => Ok(value),
        })?;
    }
    let [x, y, width, height] = percent;
    if percent.iter().all(|value| *value <= 1.0) && width > 0.0 && height > 0.0 {
        notes.add(Cause::Fractions);
    }
    let upright = Rect::sized(x / 100.0 * w, y / 100.0 * h, width / 100.0 * w, height / 100.0 * h);
    let degrees = object.take("rotation", Node::number)?.unwrap_or(0.0);
    if degrees == 0.0 {
        return Ok(Annotation::boxed(upright, None));
    }
    // Turned about the upper left corner: the same as about the center, which the turn moves.
    let corners = corners_of(upright, degrees, [upright.x0, upright.y0]);
    let center = [(corners[0][0] + corners[2][0]) / 2.0, (corners[0][1] + corners[2][1]) / 2.0];
    let unturned = Rect::centered(center[0], center[1], upright.width(), upright.height());
    Ok(Annotation::rotated(unturned, degrees.rem_euclid(360.0), None))
}

fn point(object: &Object<'_>, at: usize, w: f64, h: f64) -> Got<Annotation> {
    let [x, y] = [("x", w), ("y", h)].map(|(key, all)| object.need(at, key, Node::number).map(|v| v / 100.0 * all));
    let (x, y) = (x?, y?);
    let keypoints = vec![Keypoint { x, y, visibility: 2 }];
    Ok(Annotation { shape: Shape::Points, keypoints, ..Annotation::boxed(Rect::new(x, y, x, y), None) })
}

/// A mask; `None` if its bytes do not fit this image.
fn mask(object: &Object<'_>, size: (u32, u32)) -> Got<Option<Annotation>> {
    let byte = |node: &Node<'_>| Ok(node.number()?.clamp(0.0, 255.0) as u8);
    let bytes = object.take("rle", |node| node.array()?.iter().map(byte).collect::<Got<Vec<u8>>>())?;
    let mask = bytes.and_then(|bytes| brush::read(&bytes, size, MOST_PIXELS));
    Ok(mask.and_then(|mask| {
        let rect = mask.bounds()?;
        Some(Annotation { shape: Shape::Mask(Box::new(mask)), ..Annotation::boxed(rect, None) })
    }))
}

fn outline(object: &Object<'_>, at: usize, w: f64, h: f64) -> Got<Annotation> {
    let points = object.need(at, "points", |node| {
        let points = node.array()?.iter().enumerate().map(|(i, point)| {
            let read = || match point.array()? {
                [x, y] => Ok([x.number()? / 100.0 * w, y.number()? / 100.0 * h]),
                _ => Err(point.wrong("two numbers, x and y, belong here")),
            };
            within(read(), format_args!("[{i}]"))
        });
        points.collect::<Got<Vec<[f64; 2]>>>()
    })?;
    let empty = || Stop::wrong(at, &codes::RECT, "an outline has no points").inside("points");
    Annotation::polygon(vec![points], None).ok_or_else(empty)
}
