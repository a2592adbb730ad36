//! Labels as tasks.

use crate::{
    Annotation, Flags, Id, Labels, Loss, Losses, Picture, Rect, Result, Shape,
    holes::{Painter, holes},
    json::{number, string},
    script::{self, Out, class_details, told},
};

use super::{brush, names::url_of};

/// Writes labels as tasks, in the long form, piece by piece. Names become URLs of local files. A picture without a size
/// cannot be written, since places are percent of it.
pub fn write(labels: &Labels, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Losses> {
    script::file(Script::default(), labels, put)
}

/// A task a picture.
#[derive(Debug, Default)]
pub(crate) struct Script {
    written: i64,
    painter: Painter,
}

impl script::Script for Script {
    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()> {
        *out.losses = class_details(labels);
        out.text.push('[');
        Ok(())
    }

    fn picture(&mut self, labels: &Labels, i: usize, _: u32, out: &mut Out<'_>) -> Result<()> {
        let picture = &labels.pictures[i];
        if picture.size().is_none() && !picture.annotations.is_empty() {
            out.losses.add(Loss::SizeMissing);
            return Ok(());
        }
        out.text.push_str(if self.written > 0 { ",\n" } else { "\n" });
        self.written += 1;
        let n = self.written;
        let id = match picture.id {
            Some(Id::Number(id)) => id,
            _ => n,
        };
        out.text.push_str(&format!("{{\"id\":{id},\"data\":{{\"image\":"));
        string(out.text, &url_of(&picture.name)?);
        out.text.push_str("},\"annotations\":[");
        if !picture.unlabelled {
            out.text.push_str(&format!("{{\"id\":{n},\"completed_by\":1,\"was_cancelled\":false,\"result\":["));
            regions(out.text, picture, labels, (&mut self.painter, out.losses));
            out.text.push_str("]}");
        }
        out.text.push_str("],\"predictions\":[]}");
        Ok(())
    }

    fn end(&mut self, _: &Labels, _: u32, out: &mut Out<'_>) -> Result<()> {
        out.text.push_str("\n]\n");
        Ok(())
    }
}

fn regions(out: &mut String, picture: &Picture, labels: &Labels, (painter, losses): (&mut Painter, &mut Losses)) {
    let Some((width, height)) = picture.size() else { return };
    let mut n = 0;
    let mut region = |out: &mut String, kind: &str, annotation: &Annotation, value: &dyn Fn(&mut String)| {
        out.push_str(if n > 0 { ",\n " } else { "\n " });
        n += 1;
        out.push_str(&format!(
            "{{\"id\":\"r{n}\",\"from_name\":\"label\",\"to_name\":\"image\",\"type\":\"{kind}\",\
             \"original_width\":{width},\"original_height\":{height},\"image_rotation\":0,\"value\":{{"
        ));
        value(out);
        if let Some(name) = annotation.class.and_then(|class| labels.classes.name(class)) {
            out.push_str(&format!(",\"{kind}\":["));
            string(out, name);
            out.push(']');
        }
        out.push_str("}}");
    };
    let (w, h) = (f64::from(width), f64::from(height));
    for annotation in script::present(picture, losses) {
        told(annotation, Flags::default(), |_, _| false, losses);
        if let Some(bytes) = brushed(annotation, picture, painter, losses) {
            region(out, "brushlabels", annotation, &|out| {
                out.push_str("\"format\":\"rle\",\"rle\":");
                out.push_str(&serde_json::to_string(&bytes).unwrap_or_default());
            });
            continue;
        }
        let parts = script::outlines(annotation, losses);
        if !is_percent(annotation.rect, [w, h]) {
            losses.add(Loss::Precision);
        }
        match &annotation.shape {
            Shape::Points => {
                let marked: Vec<_> = annotation.keypoints.iter().filter(|point| point.visibility > 0).collect();
                let whole = marked.len() == 1 && annotation.keypoints.iter().all(|point| point.visibility == 2);
                losses.add_many(Loss::Scattered, u64::from(!whole));
                for point in marked {
                    region(out, "keypointlabels", annotation, &|out| {
                        for (key, value) in [("\"x\":", point.x / w), (",\"y\":", point.y / h)] {
                            out.push_str(key);
                            number(out, percent(value));
                        }
                        out.push_str(",\"width\":1");
                    });
                }
            }
            Shape::Polygon(_) if !parts.is_empty() => {
                if parts.len() > 1 {
                    losses.add(Loss::Parts);
                }
                for part in parts {
                    region(out, "polygonlabels", annotation, &|out| {
                        out.push_str("\"points\":[");
                        for (i, [x, y]) in part.iter().enumerate() {
                            out.push_str(if i > 0 { ",[" } else { "[" });
                            number(out, percent(x / w));
                            out.push(',');
                            number(out, percent(y / h));
                            out.push(']');
                        }
                        out.push_str("],\"closed\":true");
                    });
                }
            }
            Shape::Rotated { unturned, degrees } => region(out, "rectanglelabels", annotation, &|out| {
                let corner = unturned.corners(*degrees)[0];
                rectangle(out, [corner[0] / w, corner[1] / h, unturned.width() / w, unturned.height() / h], *degrees);
            }),
            Shape::Box | Shape::Mask(_) | Shape::Polygon(_) => region(out, "rectanglelabels", annotation, &|out| {
                let r = annotation.rect;
                rectangle(out, [r.x0 / w, r.y0 / h, r.width().max(0.0) / w, r.height().max(0.0) / h], 0.0);
            }),
        }
    }
}

/// The brush's bytes of a mask, or of an outline with holes, which the format has no other word for.
fn brushed(one: &Annotation, picture: &Picture, painter: &mut Painter, losses: &mut Losses) -> Option<Vec<u8>> {
    match &one.shape {
        Shape::Mask(mask) => {
            let fits = picture.size() == Some((mask.width(), mask.height()));
            let bytes = fits.then(|| brush::written(mask, painter)).flatten();
            match mask.bounds().filter(|_| bytes.is_some()) {
                Some(around) => script::boxed_by(around, one, losses),
                None => losses.add(Loss::Mask),
            }
            bytes
        }
        Shape::Polygon(parts) if holes(parts).contains(&true) => {
            let bytes = painter.mask(parts, picture.size()).and_then(|mask| brush::written(&mask, painter))?;
            losses.add(Loss::Painted);
            Some(bytes)
        }
        _ => None,
    }
}

/// A fraction in percent. One that is larger than every number becomes the largest: nothing else would be read back.
fn percent(fraction: f64) -> f64 {
    (fraction * 100.0).clamp(f64::MIN, f64::MAX)
}

/// Whether all of a box can be said in percent.
fn is_percent(rect: Rect, [w, h]: [f64; 2]) -> bool {
    [rect.x0 / w, rect.x1 / w, rect.y0 / h, rect.y1 / h].iter().all(|fraction| (fraction * 100.0).is_finite())
}

fn rectangle(out: &mut String, fractions: [f64; 4], degrees: f64) {
    for (key, value) in ["\"x\":", ",\"y\":", ",\"width\":", ",\"height\":"].into_iter().zip(fractions) {
        out.push_str(key);
        number(out, percent(value));
    }
    out.push_str(",\"rotation\":");
    number(out, degrees);
}
