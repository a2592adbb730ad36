//! Labels as a COCO file.

use std::fmt::Write;

use crate::{
    Annotation, Labels, Loss, Losses, Picture, Result, Rle, Shape,
    holes::{Painter, holes},
    json::{number, string, whole},
    kept::Own,
    script::{self, Out, is_distinct, own_number, picture_ids},
};

use super::own;

/// Writes labels as one COCO file, piece by piece. Pictures, annotations and classes keep their numbers where all have
/// different ones, and are numbered from 1 otherwise.
pub fn write(labels: &Labels, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Losses> {
    script::file(Script::default(), labels, put)
}

/// The pictures, then their annotations, then the classes.
#[derive(Debug, Default)]
pub(crate) struct Script {
    categories: Vec<i64>,
    ids: Vec<i64>,
    /// Whether annotations keep their numbers.
    own: bool,
    /// Pictures written, and annotations.
    written: [usize; 2],
    painter: Painter,
}

impl script::Script for Script {
    fn passes(&self) -> u32 {
        2
    }

    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()> {
        self.categories = categories(labels, out.losses);
        self.ids = picture_ids(labels, 1, out.losses);
        self.own = annotation_ids(labels, out.losses);
        out.text.push_str("{\"images\":[");
        Ok(())
    }

    fn picture(&mut self, labels: &Labels, i: usize, pass: u32, out: &mut Out<'_>) -> Result<()> {
        let (picture, id) = (&labels.pictures[i], self.ids[i]);
        let [pictures, annotations] = &mut self.written;
        if pass == 0 {
            if is_kept(picture, out.losses) {
                comma(out.text, pictures);
                // Writing to a `String` cannot fail.
                let _ = write!(out.text, "{{\"id\":{id},\"file_name\":");
                string(out.text, &picture.name);
                if let Some((width, height)) = picture.size() {
                    let _ = write!(out.text, ",\"width\":{width},\"height\":{height}");
                }
                out.text.push('}');
            }
            return Ok(());
        }
        for annotation in script::present(picture, out.losses) {
            let Some(class) = annotation.class.and_then(|class| self.categories.get(class as usize)) else {
                out.losses.add(Loss::NoClass);
                continue;
            };
            comma(out.text, annotations);
            let own = own_number(annotation.id.as_ref()).filter(|_| self.own);
            for (key, value) in [
                ("{\"id\":", own.unwrap_or(*annotations as i64)),
                (",\"image_id\":", id),
                (",\"category_id\":", *class),
            ] {
                out.text.push_str(key);
                whole(out.text, value);
            }
            let painted = painted(annotation, picture, &mut self.painter, out.losses);
            marked(out.text, painted.as_ref().unwrap_or(annotation), out.losses);
            out.text.push('}');
        }
        Ok(())
    }

    fn end(&mut self, labels: &Labels, pass: u32, out: &mut Out<'_>) -> Result<()> {
        if pass == 0 {
            out.text.push_str("\n],\"annotations\":[");
            return Ok(());
        }
        out.text.push_str("\n],\"categories\":[");
        let mut n = 0;
        for (class, id) in labels.classes.iter().zip(&self.categories) {
            comma(out.text, &mut n);
            let _ = write!(out.text, "{{\"id\":{id},\"name\":");
            string(out.text, &class.name);
            out.text.push_str(",\"supercategory\":");
            string(out.text, class.group.as_deref().unwrap_or_default());
            if !class.keypoints.is_empty() {
                out.text.push_str(",\"keypoints\":");
                out.text.push_str(&serde_json::to_string(&class.keypoints).unwrap_or_default());
                let lines = serde_json::to_string(&class.skeleton).unwrap_or_default();
                let _ = write!(out.text, ",\"skeleton\":{lines}");
            }
            out.text.push('}');
        }
        out.text.push_str("\n]}\n");
        Ok(())
    }
}

/// What stands before the next element, of which it is one.
fn comma(out: &mut String, n: &mut usize) {
    out.push_str(if *n > 0 { ",\n" } else { "\n" });
    *n += 1;
}

/// A picture that nobody has labeled would be one without objects.
fn is_kept(picture: &Picture, losses: &mut Losses) -> bool {
    if picture.unlabelled && picture.annotations.is_empty() {
        losses.add(Loss::Unlabelled);
        return false;
    }
    true
}

/// The classes' numbers.
fn categories(labels: &Labels, losses: &mut Losses) -> Vec<i64> {
    let own: Option<Vec<i64>> = labels.classes.iter().map(|class| own_number(class.id.as_ref())).collect();
    own.filter(|ids| is_distinct(ids)).unwrap_or_else(|| {
        let had = labels.classes.iter().filter(|class| class.id.is_some()).count();
        losses.add_many(Loss::Id, had as u64);
        (1..).take(labels.classes.len()).collect()
    })
}

/// Whether annotations have numbers of their own.
fn annotation_ids(labels: &Labels, losses: &mut Losses) -> bool {
    let all = || labels.pictures.iter().flat_map(|picture| &picture.annotations);
    let ids: Option<Vec<i64>> = all().map(|annotation| own_number(annotation.id.as_ref())).collect();
    let keep = ids.is_some_and(|ids| is_distinct(&ids));
    if !keep {
        losses.add_many(Loss::Id, all().filter(|annotation| annotation.id.is_some()).count() as u64);
    }
    keep
}

/// An outline with holes as a mask: what reads COCO fills all outlines of an object. Those of a COCO file stay as they are.
fn painted(one: &Annotation, picture: &Picture, painter: &mut Painter, losses: &mut Losses) -> Option<Annotation> {
    let Shape::Polygon(parts) = &one.shape else { return None };
    if !holes(parts).contains(&true) || one.own.0.as_deref().is_some_and(Own::filled) {
        return None;
    }
    let mask = painter.mask(parts, picture.size());
    losses.add(if mask.is_some() { Loss::Painted } else { Loss::Hole });
    mask.map(|mask| Annotation { shape: Shape::Mask(Box::new(mask)), ..one.clone() })
}

/// What is said of an annotation behind its numbers.
fn marked(out: &mut String, annotation: &Annotation, losses: &mut Losses) {
    let r = annotation.rect;
    out.push_str(",\"bbox\":[");
    for (i, value) in [r.x0, r.y0, size(r.x0, r.x1), size(r.y0, r.y1)].into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        number(out, value);
    }
    out.push_str("],\"area\":");
    let segmentation = match &annotation.shape {
        Shape::Box | Shape::Points => None,
        Shape::Rotated { unturned, degrees } => {
            losses.add(Loss::Rotation);
            Some(outlines(&[unturned.corners(*degrees).to_vec()]))
        }
        Shape::Polygon(parts) => Some(outlines(parts)),
        Shape::Mask(mask) => Some(runs(mask)),
    };
    let (own, area) = (annotation.own.0.as_deref(), own::area(annotation));
    number(out, own.map_or(area, |own| own.area(area)));
    out.push_str(if annotation.flags.crowd { ",\"iscrowd\":1" } else { ",\"iscrowd\":0" });
    if let Some(segmentation) = segmentation {
        out.push_str(",\"segmentation\":");
        out.push_str(&segmentation);
    }
    if !annotation.keypoints.is_empty() {
        let seen = annotation.keypoints.iter().filter(|point| point.visibility > 0).count();
        out.push_str(&format!(",\"num_keypoints\":{seen},\"keypoints\":["));
        for (i, point) in annotation.keypoints.iter().enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            number(out, point.x);
            out.push(',');
            number(out, point.y);
            out.push_str(&format!(",{}", point.visibility));
        }
        out.push(']');
    }
    if let Some(score) = annotation.score {
        out.push_str(",\"score\":");
        number(out, score);
    }
    let flags = annotation.flags;
    if flags.difficult || flags.truncated || flags.occluded {
        losses.add(Loss::Flag);
    }
    if annotation.track.is_some() {
        losses.add(Loss::Track);
    }
    if annotation.source.is_some() {
        losses.add(Loss::Source);
    }
    if let Some(attributes) = own.and_then(|own| own.attributes(&annotation.attributes)) {
        out.push_str(",\"attributes\":");
        out.push_str(attributes);
    } else if !annotation.attributes.is_empty() {
        out.push_str(",\"attributes\":{");
        for (i, (key, value)) in annotation.attributes.iter().enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            string(out, key);
            out.push(':');
            string(out, value);
        }
        out.push('}');
    }
    out.push_str(own.map_or("", Own::more));
}

/// A size that, added to the corner, gives the other corner to the last bit, if there is one.
fn size(from: f64, to: f64) -> f64 {
    let size = to - from;
    let near = [size, size.next_up(), size.next_down()];
    near.into_iter().find(|size| from + size == to).unwrap_or(size).max(0.0)
}

fn outlines(parts: &[Vec<[f64; 2]>]) -> String {
    let mut out = String::from("[");
    for (i, part) in parts.iter().enumerate() {
        out.push_str(if i > 0 { ",[" } else { "[" });
        for (i, value) in part.iter().flatten().enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            number(&mut out, *value);
        }
        out.push(']');
    }
    out.push(']');
    out
}

fn runs(mask: &Rle) -> String {
    let mut out = format!("{{\"size\":[{},{}],\"counts\":", mask.height(), mask.width());
    string(&mut out, &mask.text());
    out.push('}');
    out
}
