//! Writing one file.

use super::super::script::{present, told};
use super::super::xml::{Writer, is_held};
use super::super::{Annotation, Classes, Clip, Flags, Loss, Losses, Picture, Shape, base_name};

/// The labels of a picture, counted from 1 as Pascal VOC's makers do, and saying so. What cannot be said is counted.
///
/// Boxes keep their fractions and may leave their picture. One that has no area, or lies outside, is left out.
pub fn write(picture: &Picture, classes: &Classes, losses: &mut Losses) -> String {
    let mut out = Writer::new();
    out.open("annotation", &[]);
    let name = base_name(&picture.name);
    losses.add_many(Loss::Name, u64::from(!is_held(name)));
    out.text("filename", name);
    out.open("source", &[]);
    out.text("annotation", "written by Forebay; pixels count from 1");
    out.close();
    if let Some((width, height)) = picture.size() {
        out.open("size", &[]);
        out.text("width", &width.to_string());
        out.text("height", &height.to_string());
        // The labels do not know it, and readers want a number.
        out.text("depth", "3");
        out.close();
    }
    out.text("segmented", "0");
    for annotation in present(picture, losses) {
        let Some(name) = annotation.class.and_then(|class| classes.name(class)) else {
            losses.add(Loss::NoClass);
            continue;
        };
        match &annotation.shape {
            Shape::Box => {}
            Shape::Rotated { .. } => losses.add(Loss::Rotation),
            Shape::Polygon(_) => losses.add(Loss::Outline),
            Shape::Mask(_) => losses.add(Loss::Mask),
            Shape::Points => {
                losses.add(Loss::Points);
                continue;
            }
        }
        // Counting from 1 rounds: a box thinner than that would come back turned inside out.
        let thin = annotation.rect.width().min(annotation.rect.height()) <= 1e-6;
        if thin || picture.clip(annotation) == Clip::Nothing {
            losses.add(Loss::Outside);
            continue;
        }
        object(&mut out, annotation, name);
        let flags = Flags { crowd: false, difficult: true, truncated: true, occluded: true, outside: false };
        told(annotation, flags, |key, _| key == "pose", losses);
    }
    out.close();
    out.take()
}

fn object(out: &mut Writer, annotation: &Annotation, name: &str) {
    let flag = |yes: bool| if yes { "1" } else { "0" };
    out.open("object", &[]);
    out.text("name", name);
    let pose = annotation.attributes.iter().find(|(key, _)| key == "pose");
    out.text("pose", pose.map_or("Unspecified", |(_, value)| value));
    out.text("truncated", flag(annotation.flags.truncated));
    out.text("difficult", flag(annotation.flags.difficult));
    out.text("occluded", flag(annotation.flags.occluded));
    out.open("bndbox", &[]);
    let rect = annotation.rect;
    for (name, value) in [("xmin", rect.x0 + 1.0), ("ymin", rect.y0 + 1.0), ("xmax", rect.x1), ("ymax", rect.y1)] {
        out.text(name, &value.to_string());
    }
    out.close();
    out.close();
}

#[cfg(test)]
mod tests {
    use super::super::super::{Notes, ReadOptions, Rect};
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut classes: Classes = ["a & <b>", "naïve café"].into_iter().collect();
        let mut picture = Picture { width: Some(100), height: Some(80), ..Picture::named("sub/a'&.jpg") };
        for (class, rect) in
            [Rect::new(10.25, 20.5, 10.75, 80.125), Rect::new(-3.5, 0.0, 120.0, 1.0)].into_iter().enumerate()
        {
            let mut annotation = Annotation::boxed(rect, Some(class as u32));
            annotation.flags.difficult = class == 1;
            annotation.flags.occluded = class == 0;
            annotation.attributes = vec![("pose".to_owned(), "Left".to_owned())];
            picture.annotations.push(annotation);
        }
        let mut losses = Losses::default();
        let text = write(&picture, &classes, &mut losses);
        assert!(losses.is_empty());
        let options = ReadOptions { voc_base: Some(1), ..ReadOptions::default() };
        let back = super::super::read(text.as_bytes(), &mut classes, &mut Notes::default(), &options).unwrap();
        assert_eq!(back.annotations, picture.annotations);
        assert_eq!((back.name.as_str(), back.size()), ("a'&.jpg", picture.size()));
    }

    #[test]
    fn what_cannot_be_said_is_counted() {
        let mut picture = Picture::named("a.jpg");
        let mut crowd = Annotation::boxed(Rect::new(0.0, 0.0, 1.0, 1.0), Some(0));
        crowd.flags.crowd = true;
        picture.annotations = vec![
            crowd,
            Annotation::boxed(Rect::new(5.0, 5.0, 5.0, 9.0), Some(0)),
            Annotation::boxed(Rect::new(0.0, 0.0, 1.0, 1.0), None),
            Annotation::rotated(Rect::new(0.0, 0.0, 9.0, 1.0), 30.0, Some(0)),
        ];
        let mut losses = Losses::default();
        let text = write(&picture, &["a"].into_iter().collect(), &mut losses);
        assert_eq!(text.matches("<object>").count(), 2);
        for loss in [Loss::Flag, Loss::Outside, Loss::NoClass, Loss::Rotation] {
            assert_eq!(losses.of(loss), 1, "{loss:?}");
        }
    }
}
