//! Labels against what a twin says.

use std::collections::BTreeMap;

use forebay::annotations::{Annotation, Cause, Labels, Notes, Picture, Rect, base_name};
use serde_json::Value;

use super::twins::Case;

/// A box as twins write it: the class's name, and the corners.
type Named = (String, [f64; 4]);

fn corners(rect: Rect) -> [f64; 4] {
    [rect.x0, rect.y0, rect.x1, rect.y1]
}

fn sorted(mut boxes: Vec<Named>) -> Vec<Named> {
    boxes.sort_by(|a, b| (&a.0, a.1.map(f64::to_bits)).cmp(&(&b.0, b.1.map(f64::to_bits))));
    boxes
}

/// Each box of one list has its like in the other.
fn are_alike(case: &str, picture: &str, got: Vec<Named>, said: Vec<Named>, tolerance: f64) {
    assert_eq!(got.len(), said.len(), "{case}: {picture}: {got:?}\n{said:?}");
    let (got, mut said) = (sorted(got), sorted(said));
    for one in got {
        let near = |other: &Named| other.0 == one.0 && (0..4).all(|i| (other.1[i] - one.1[i]).abs() <= tolerance);
        let at = said.iter().position(near);
        let at = at.unwrap_or_else(|| panic!("{case}: {picture}: {one:?} is none of {said:?}"));
        said.remove(at);
    }
}

fn class_of(labels: &Labels, annotation: &Annotation) -> String {
    annotation.class.and_then(|class| labels.classes.name(class)).unwrap_or("-").to_owned()
}

/// The picture of a name that a twin gives.
fn find<'l>(labels: &'l Labels, names: [&str; 2]) -> Option<&'l Picture> {
    let by = |test: &dyn Fn(&Picture) -> bool| labels.pictures.iter().find(|picture| test(picture));
    by(&|p| names.contains(&p.name.as_str()))
        .or_else(|| by(&|p| names.iter().any(|name| p.name.ends_with(&format!("/{name}")))))
        .or_else(|| by(&|p| names.iter().any(|name| name.ends_with(&format!("/{}", p.name)))))
        .or_else(|| by(&|p| names.iter().any(|name| base_name(name) == base_name(&p.name))))
}

/// The boxes of an export, before any clip.
pub fn boxes_are(case: &Case, labels: Labels) {
    let images = case.twin["images"].as_array().unwrap();
    assert_eq!(labels.pictures.len(), images.len(), "{}", case.name);
    for image in images {
        let names = ["ref", "picture"].map(|key| image[key].as_str().unwrap_or_default());
        let picture = find(&labels, names).unwrap_or_else(|| panic!("{}: no image {names:?}", case.name));
        let got = picture.annotations.iter().map(|a| (class_of(&labels, a), corners(a.rect))).collect();
        let number = |said: &Value, key: &str| said[key].as_f64().unwrap();
        let said = image["boxes"].as_array().unwrap().iter().map(|said| {
            let label = said["label"].as_str().unwrap_or("-").to_owned();
            (label, ["x0", "y0", "x1", "y1"].map(|key| number(said, key)))
        });
        are_alike(&case.name, names[0], got, said.collect(), case.tolerance());
        if let Some([width, height]) = image["size_in_file"].as_array().map(Vec::as_slice) {
            let said = (width.as_u64().map(|n| n as u32), height.as_u64().map(|n| n as u32));
            assert_eq!((picture.width, picture.height), said, "{}: {}", case.name, picture.name);
        }
    }
    if let Some(classes) = case.twin["classes"].as_array() {
        let got: Vec<&str> = labels.classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(got, classes.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>(), "{}", case.name);
    }
}

/// What is counted, with the sizes that the pictures really have.
pub fn counts_are(case: &Case, labels: Labels) {
    let mut notes = Notes::default();
    for image in case.twin["images"].as_array().unwrap() {
        let names = ["ref", "picture"].map(|key| image[key].as_str().unwrap_or_default());
        let mut picture = find(&labels, names).unwrap().clone();
        picture.width = image["width"].as_u64().map(|n| n as u32);
        picture.height = image["height"].as_u64().map(|n| n as u32);
        notes.count(&picture);
    }
    let counts = [("clipped", Cause::Clipped), ("dropped_empty", Cause::DroppedEmpty), ("crowd", Cause::Crowd)];
    let shapes = [("rotated", Cause::Rotated), ("polygon", Cause::Polygon), ("mask", Cause::Mask)];
    // A COCO box stays a box for the twins, whatever outlines stand beside it.
    let shapes = shapes.iter().filter(|_| case.format != "coco");
    for (key, cause) in counts.iter().chain(shapes) {
        let said = case.twin["counts"][key].as_u64().unwrap_or(0);
        assert_eq!(notes.of(*cause), said, "{}: {key}", case.name);
    }
}

/// The boxes of a damaged file, after the clip, and what is counted.
pub fn clipped_boxes_are(case: &Case, mut labels: Labels) {
    let Some(said) = case.twin["boxes"].as_object() else { return };
    let truth: BTreeMap<String, String> = case.pictures().into_iter().map(|(name, truth)| (truth, name)).collect();
    let mut notes = Notes::default();
    for picture in &mut labels.pictures {
        let named = truth.keys().find(|name| base_name(name) == base_name(&picture.name));
        let probe = named.map(|name| forebay::image::probe(&case.picture(name)));
        if let Some(probe) = probe {
            (picture.width, picture.height) = (Some(probe.width), Some(probe.height));
        }
        notes.count(picture);
    }
    let crowds = !case.twin["counts"]["crowd_dropped"].is_null();
    for (name, boxes) in said {
        let got = find(&labels, [name, name]).unwrap_or_else(|| panic!("{}: no image {name}", case.name));
        let kept = got.annotations.iter().filter(|a| !(a.flags.outside || crowds && a.flags.crowd));
        let kept = kept.filter_map(|a| Some((class_of(&labels, a), corners(got.clip(a).rect()?))));
        let said = boxes.as_array().unwrap().iter().map(|said| {
            let label = said[0].as_str().unwrap_or("-").to_owned();
            (label, [1, 2, 3, 4].map(|i| said[i].as_f64().unwrap()))
        });
        are_alike(&case.name, name, kept.collect(), said.collect(), case.tolerance().max(1e-6));
    }
    let all = [("clipped", Cause::Clipped), ("dropped_empty", Cause::DroppedEmpty), ("unlabelled", Cause::Unlabelled)];
    for (key, cause) in all {
        if let Some(said) = case.twin["counts"][key].as_u64() {
            assert_eq!(notes.of(cause), said, "{}: {key}", case.name);
        }
    }
    let found =
        [("skipped_shapes", Cause::SkippedShapes), ("rotated", Cause::Rotated), ("duplicates", Cause::Duplicate)];
    for (key, cause) in found {
        if let Some(said) = case.twin["counts"][key].as_u64() {
            let n = labels.notes.of(cause).max(notes.of(cause));
            assert_eq!(n, said, "{}: {key}", case.name);
        }
    }
}
