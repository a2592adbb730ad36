//! Which formats are one file and which are one a picture, and how each is written: at once, or some pictures at a time.

use crate::{
    Result,
    error::{Code, Error},
    words::Word,
};

#[doc(hidden)]
pub use super::script::Steps;
pub use super::script::{Put, PutFile};
use super::{Format, Labels, Losses, coco, codes, createml, cvat, labelme, labelstudio, script::files, via, voc, yolo};

/// How a format is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Writer {
    /// One file, piece by piece.
    File(fn(&Labels, Put<'_>) -> Result<Losses>),
    /// Several files, each by its name.
    Files(fn(&Labels, PutFile<'_>) -> Result<Losses>),
}

/// How a format is written.
///
/// # Errors
///
/// `label.unsupported` for a format that is only read.
pub fn writer(format: Format) -> Result<Writer> {
    const UNSUPPORTED: &Code = &codes::UNSUPPORTED;
    Ok(match format {
        Format::Coco => Writer::File(coco::write),
        Format::LabelStudio => Writer::File(labelstudio::write),
        Format::Via => Writer::File(via::write),
        Format::CreateMl => Writer::File(createml::write),
        Format::Cvat => Writer::File(cvat::write),
        Format::LabelMe => Writer::Files(labelme_files),
        Format::Voc => Writer::Files(voc::write_all),
        Format::Yolo => Writer::Files(|labels, put| yolo::write(labels, None, put)),
        _ => return Err(Error::new(UNSUPPORTED, format!("labels are not written as {}", format.word()))),
    })
}

/// Formats that are written.
pub fn written() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| writer(*format).is_ok())
}

impl Steps {
    /// For a format.
    ///
    /// # Errors
    ///
    /// `label.unsupported` for a format that is only read.
    pub fn new(format: Format) -> Result<Steps> {
        writer(format)?;
        Ok(Steps::of(match format {
            Format::LabelStudio => Box::new(labelstudio::Script::default()),
            Format::Via => Box::new(via::Script::default()),
            Format::CreateMl => Box::new(createml::Script::default()),
            Format::Cvat => Box::new(cvat::Script::default()),
            Format::LabelMe => Box::new(labelme::Script::default()),
            Format::Voc => Box::new(voc::Script::default()),
            Format::Yolo => Box::new(yolo::Script::default()),
            _ => Box::new(coco::Script::default()),
        }))
    }
}

fn labelme_files(labels: &Labels, put: PutFile<'_>) -> Result<Losses> {
    files(labelme::Script::default(), labels, put)
}

#[cfg(test)]
mod tests {
    use super::super::script::{PIECE, label_names};
    use super::*;
    use crate::{Annotation, Class, Id, Loss, Picture, Rect, Shape, Source};

    #[test]
    fn no_two_pictures_have_the_same_file_of_labels() {
        let pictures = ["a.jpg", "a.png", "a.jpg.png", "b", "c/b.x", ".d"].map(Picture::named).to_vec();
        let labels = Labels { pictures, ..Labels::default() };
        let expected = ["a.jpg.json", "a.png.json", "a.jpg.png.json", "b.json", "c/b.json", ".d.json"];
        assert_eq!(label_names(&labels, "json"), expected);
    }

    #[test]
    fn every_writer_counts_who_made_an_annotation_and_what_is_known_of_classes() {
        let mut labels = Labels::default();
        let class = Class { id: Some(Id::Number(18)), group: Some("animal".into()), ..Class::named("dog") };
        let class = labels.classes.add(class).ok();
        let mut one = Annotation::boxed(Rect::new(1.0, 2.0, 3.0, 4.0), class);
        one.source = Some(Source::Simulator);
        let size = Some(9);
        labels.pictures =
            vec![Picture { width: size, height: size, annotations: vec![one], ..Picture::named("a.jpg") }];
        for format in written() {
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut |_| Ok(())),
                Writer::Files(write) => write(&labels, &mut |_, _| Ok(())),
            };
            let losses = losses.unwrap();
            assert_eq!(losses.of(Loss::Source), 1, "{format:?}");
            // COCO has a place for all of it.
            assert_eq!(losses.of(Loss::ClassDetail), u64::from(format != Format::Coco), "{format:?}");
        }
    }

    #[test]
    fn a_hole_is_a_mask_where_the_format_has_masks_and_counted_where_it_has_none() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("ring"));
        let square = |from: f64, to: f64| vec![[from, from], [to, from], [to, to], [from, to]];
        let ring = Annotation::polygon(vec![square(2.0, 30.0), square(10.0, 20.0)], class).unwrap();
        labels.pictures =
            vec![Picture { width: Some(40), height: Some(40), annotations: vec![ring], ..Picture::named("a.jpg") }];
        for format in written() {
            let mut text = Vec::new();
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut |bytes| {
                    text.extend_from_slice(bytes);
                    Ok(())
                }),
                Writer::Files(write) => write(&labels, &mut |_, _| Ok(())),
            };
            let losses = losses.unwrap();
            let counted = [Loss::Painted, Loss::Hole, Loss::Outline].map(|loss| losses.of(loss));
            let read = match format {
                Format::Coco => crate::coco::read,
                Format::Cvat => crate::cvat::read,
                Format::LabelStudio => crate::labelstudio::read,
                Format::LabelMe | Format::Via => {
                    assert_eq!(counted, [0, 1, 0], "{format:?}");
                    continue;
                }
                _ => {
                    assert_eq!(counted, [0, 0, 1], "{format:?}");
                    continue;
                }
            };
            assert_eq!(counted, [1, 0, 0], "{format:?}");
            let back = read(&text, &crate::ReadOptions::default()).unwrap();
            let Shape::Mask(mask) = &back.pictures[0].annotations[0].shape else { panic!("{format:?}") };
            assert_eq!((mask.area(), back.pictures[0].annotations.len()), (28 * 28 - 10 * 10, 1), "{format:?}");
        }
    }

    #[test]
    fn outlines_of_a_coco_file_stay_as_they_are_in_another() {
        let text =
            br#"{"images":[{"id":1,"file_name":"a.jpg","width":40,"height":40}],"annotations":[{"id":1,"image_id":1,
            "category_id":1,"bbox":[2,2,28,28],"segmentation":[[2,2,30,2,30,30],[10,5,12,5,12,6]]}],
            "categories":[{"id":1,"name":"ring"}]}"#;
        let labels = coco::read(text, &crate::ReadOptions::default()).unwrap();
        let mut out = Vec::new();
        let mut put = |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            Ok(())
        };
        assert_eq!(coco::write(&labels, &mut put).unwrap().of(Loss::Painted), 0);
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("\"segmentation\":[[2,2,30,2,30,30],[10,5,12,5,12,6]]"), "{out}");
    }

    #[test]
    fn key_points_alone_are_written_where_the_format_has_points() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("nose"));
        let point = |x: f64, visibility| crate::Keypoint { x, y: 5.0, visibility };
        let keypoints = vec![point(4.0, 2), point(0.0, 0), point(10.0, 2)];
        let points =
            Annotation { shape: Shape::Points, keypoints, ..Annotation::boxed(Rect::new(4.0, 5.0, 10.0, 5.0), class) };
        labels.pictures =
            vec![Picture { width: Some(40), height: Some(40), annotations: vec![points], ..Picture::named("a.jpg") }];
        let mut text = Vec::new();
        let mut put = |bytes: &[u8]| {
            text.extend_from_slice(bytes);
            Ok(())
        };
        let losses = labelstudio::write(&labels, &mut put).unwrap();
        assert_eq!(losses.of(Loss::Scattered), 1);
        let back = labelstudio::read(&text, &crate::ReadOptions::default()).unwrap();
        let found: Vec<f64> = back.pictures[0].annotations.iter().map(|one| one.keypoints[0].x).collect();
        assert_eq!(found, [4.0, 10.0]);
    }

    #[test]
    fn a_box_beside_an_outline_or_a_mask_is_counted_where_it_is_lost() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("dog"));
        let wide = Rect::new(0.0, 0.0, 30.0, 30.0);
        let outline = |points: &[[f64; 2]]| {
            let one = Annotation::polygon(vec![points.to_vec()], class).unwrap();
            Annotation { rect: wide, ..one }
        };
        let mask = crate::Rle::new(40, 40, vec![95, 3, 37, 3, 1462]).unwrap();
        let mask = Annotation { shape: Shape::Mask(Box::new(mask)), ..Annotation::boxed(wide, class) };
        let annotations =
            vec![outline(&[[1.0, 2.0], [4.0, 2.0], [4.0, 6.0]]), outline(&[[1.0, 2.0], [4.0, 2.0]]), mask];
        let size = Some(40);
        labels.pictures = vec![Picture { width: size, height: size, annotations, ..Picture::named("a.jpg") }];
        // Of a line that only looks like an outline the box is written; so are masks where the format has none.
        for (format, rects) in [(Format::Cvat, 2), (Format::LabelStudio, 2), (Format::LabelMe, 1), (Format::Via, 1)] {
            let mut text = Vec::new();
            let mut put = |bytes: &[u8]| {
                text.extend_from_slice(bytes);
                Ok(())
            };
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut put),
                Writer::Files(write) => write(&labels, &mut |_, bytes| put(bytes)),
            };
            let losses = losses.unwrap();
            assert_eq!((losses.of(Loss::Rect), losses.of(Loss::Outline)), (rects, 1), "{format:?}");
            let options = crate::ReadOptions::default();
            let back = match format {
                Format::Cvat => cvat::read(&text, &options),
                Format::LabelStudio => labelstudio::read(&text, &options),
                Format::LabelMe => labelme::read_all([("a.json", &text[..])], &options),
                _ => via::read(&text, &options),
            };
            assert_eq!(back.unwrap().pictures[0].annotations[1].rect, wide, "{format:?}");
        }
    }

    #[test]
    fn names_that_become_others_are_counted_or_refused() {
        let mut labels = Labels::default();
        for name in ["x", "x ", "y\u{1}"] {
            labels.classes.found(name);
        }
        labels.pictures = vec![Picture::named("a\u{1}b.jpg"), Picture::named("a b.jpg")];
        for format in [Format::Voc, Format::Cvat] {
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut |_| Ok(())),
                Writer::Files(write) => write(&labels, &mut |_, _| Ok(())),
            };
            assert_eq!(losses.unwrap().of(Loss::Name), 3, "{format:?}");
        }
        let Writer::Files(yolo) = writer(Format::Yolo).unwrap() else { return };
        assert_eq!(yolo(&labels, &mut |_, _| Ok(())).unwrap_err().code(), &codes::REPEATED);
    }

    #[test]
    fn a_box_of_any_size_is_read_back_from_percent() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("dog"));
        let annotations = vec![Annotation::boxed(Rect::new(0.0, 0.0, 1e308, 1e308), class)];
        let size = Some(10);
        labels.pictures = vec![Picture { width: size, height: size, annotations, ..Picture::named("a.jpg") }];
        let mut text = Vec::new();
        let mut put = |bytes: &[u8]| {
            text.extend_from_slice(bytes);
            Ok(())
        };
        assert_eq!(labelstudio::write(&labels, &mut put).unwrap().of(Loss::Precision), 1);
        assert!(labelstudio::read(&text, &crate::ReadOptions::default()).is_ok());
    }

    #[test]
    fn some_pictures_at_a_time_are_the_same_bytes() {
        let mut labels = Labels::default();
        let class = labels.classes.add(Class::named("dog")).ok();
        let boxes = |n: u32| (0..n).map(|k| Annotation::boxed(Rect::new(0.5, 1.0, f64::from(k) + 2.25, 9.0), class));
        labels.pictures = (0..900)
            .map(|k| Picture {
                width: Some(640),
                height: Some(480),
                annotations: boxes(k % 7).collect(),
                unlabelled: k % 10 == 0,
                ..Picture::named(format!("{k}.jpg"))
            })
            .collect();
        for format in written() {
            let mut whole: Vec<(String, Vec<u8>)> = Vec::new();
            let mut put = |name: &str, bytes: &[u8]| {
                match whole.last_mut() {
                    Some((last, text)) if last == name => text.extend_from_slice(bytes),
                    _ => whole.push((name.to_owned(), bytes.to_vec())),
                }
                Ok(())
            };
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut |bytes| put("", bytes)),
                Writer::Files(write) => write(&labels, &mut put),
            };
            let losses = losses.unwrap();
            let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
            let (mut work, mut turns) = (Steps::new(format).unwrap(), 0);
            let mut most = 0;
            loop {
                let mut sent = 0;
                let more = work.step(&labels, &mut |name, bytes| {
                    sent += bytes.len();
                    match parts.last_mut() {
                        Some((last, text)) if last == name => text.extend_from_slice(bytes),
                        _ => parts.push((name.to_owned(), bytes.to_vec())),
                    }
                    Ok(())
                });
                (turns, most) = (turns + 1, most.max(sent));
                if !more.unwrap() {
                    break;
                }
            }
            assert!(parts == whole && work.losses() == &losses, "{format:?}");
            assert!(turns > 1 && most < 2 * PIECE, "{format:?}: {turns} turns of up to {most} bytes");
        }
        assert_eq!(Steps::new(Format::Kitti).unwrap_err().code(), &codes::UNSUPPORTED);
    }
}
