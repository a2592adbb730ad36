//! Labels written in one format, read back, and written in another: what both can say stays.

use std::collections::HashSet;

use forebay::{
    Result,
    annotations::{
        Annotation, Format, Labels, Loss, Losses, Picture, ReadOptions, Shape, coco, createml, labelme, labelstudio,
        record, via,
        write::{Writer, writer, written},
    },
    words::Word,
};

use super::twins::exports;

/// The files that a writer makes, and what was lost.
pub fn files(labels: &Labels, format: Format) -> (Vec<(String, Vec<u8>)>, Losses) {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let losses = match writer(format).unwrap() {
        Writer::File(write) => {
            let mut out = Vec::new();
            let losses = write(labels, &mut |piece| {
                out.extend_from_slice(piece);
                Ok(())
            });
            files.push(("labels".into(), out));
            losses
        }
        Writer::Files(write) => write(labels, &mut |name, text| {
            files.push((name.to_owned(), text.to_vec()));
            Ok(())
        }),
        _ => panic!("{}", format.word()),
    };
    (files, losses.unwrap())
}

/// The same files, read. Formats that are not read from their files alone are not here.
fn read(files: &[(String, Vec<u8>)], format: Format) -> Option<Result<Labels>> {
    let options = ReadOptions::default();
    let first = || files.first().map_or(&[][..], |(_, text)| text);
    Some(match format {
        Format::Coco => coco::read(first(), &options),
        Format::LabelStudio => labelstudio::read(first(), &options),
        Format::Via => via::read(first(), &options),
        Format::CreateMl => createml::read(first(), &options),
        Format::LabelMe => labelme::read_all(files.iter().map(|(name, text)| (name.as_str(), &text[..])), &options),
        _ => return None,
    })
}

/// What every format can say of an annotation: its class and the box around it.
fn said(labels: &Labels, picture: &Picture) -> Vec<(String, [f64; 4])> {
    let of = |a: &Annotation| {
        let r = a.rect;
        (labels.classes.name(a.class.unwrap()).unwrap().to_owned(), [r.x0, r.y0, r.x1, r.y1])
    };
    let mut said: Vec<_> = picture.annotations.iter().map(of).collect();
    said.sort_by(|a, b| a.partial_cmp(b).unwrap());
    said
}

fn are_near(a: &Labels, b: &Labels, what: &str) {
    assert_eq!(a.pictures.len(), b.pictures.len(), "{what}");
    let by_name = |labels: &Labels| {
        let mut all: Vec<usize> = (0..labels.pictures.len()).collect();
        all.sort_by_key(|i| labels.pictures[*i].name.clone());
        all
    };
    for (i, k) in by_name(a).into_iter().zip(by_name(b)) {
        let (one, other) = (&a.pictures[i], &b.pictures[k]);
        assert_eq!(one.name, other.name, "{what}");
        let (one, other) = (said(a, one), said(b, other));
        assert_eq!(one.len(), other.len(), "{what}: {}: {one:?} {other:?}", a.pictures[i].name);
        for (one, other) in one.iter().zip(&other) {
            assert_eq!(one.0, other.0, "{what}");
            let near = (0..4).all(|at| (one.1[at] - other.1[at]).abs() < 1e-6);
            assert!(near, "{what}: {}: {one:?} {other:?}", a.pictures[i].name);
        }
    }
}

/// The labels of the corpus that every format can hold: sizes are known, and every box has a class and an area.
fn whole() -> Labels {
    let case = exports().into_iter().find(|case| case.name == "handwritten_coco").unwrap();
    let mut labels = coco::read(&case.entry_bytes(), &ReadOptions::default()).unwrap();
    for picture in &mut labels.pictures {
        // Several outlines of one object become several objects in formats that know no parts.
        picture.annotations.retain(|a| match &a.shape {
            Shape::Polygon(parts) => parts.len() == 1,
            _ => true,
        });
        for annotation in &mut picture.annotations {
            // The box is then the one around the outline in all of them.
            if let Shape::Polygon(parts) = &annotation.shape {
                annotation.rect = Annotation::polygon(parts.clone(), None).unwrap().rect;
            }
        }
    }
    labels
}

#[test]
fn every_pair_of_formats_keeps_what_both_can_say() {
    let labels = whole();
    let mut pairs = 0;
    for from in written() {
        let (first, _) = files(&labels, from);
        let Some(once) = read(&first, from) else { continue };
        let mut once = once.unwrap_or_else(|e| panic!("{}: {e}", from.word()));
        are_near(&labels, &once, from.word());
        // Sizes come from the pictures, where a format has none.
        for picture in &mut once.pictures {
            let own = labels.pictures.iter().find(|own| own.name == picture.name).unwrap();
            (picture.width, picture.height) = (own.width, own.height);
        }
        for to in written() {
            let (second, _) = files(&once, to);
            let Some(twice) = read(&second, to) else { continue };
            let what = format!("{} to {}", from.word(), to.word());
            are_near(&labels, &twice.unwrap_or_else(|e| panic!("{what}: {e}")), &what);
            pairs += 1;
        }
    }
    assert!(pairs >= 25, "{pairs}");
}

#[test]
fn a_format_gives_its_own_labels_back() {
    for case in exports().iter().filter(|case| case.format == "coco") {
        let Ok(labels) = coco::read(&case.entry_bytes(), &case.asked()) else { continue };
        let (files, losses) = files(&labels, Format::Coco);
        // Some tools number the annotations of each image from 1: numbers that repeat are given anew, and counted.
        let annotations = || labels.pictures.iter().flat_map(|picture| &picture.annotations);
        let ids: HashSet<_> = annotations().map(|annotation| format!("{:?}", annotation.id)).collect();
        assert_eq!(losses.is_empty(), ids.len() == annotations().count(), "{}: {losses:?}", case.name);
        let mut again = coco::read(&files[0].1, &ReadOptions::default()).unwrap();
        again.notes = labels.notes.clone();
        for (one, other) in labels.pictures.iter().zip(&mut again.pictures) {
            other.line = one.line;
            for (one, other) in one.annotations.iter().zip(&mut other.annotations) {
                // Annotations are counted anew.
                other.id = one.id.clone();
            }
        }
        assert_eq!(labels.pictures, again.pictures, "{}", case.name);
        assert_eq!(labels.classes, again.classes, "{}", case.name);
    }
}

#[test]
fn turned_boxes_go_through_label_studio_and_labelme() {
    let case = exports().into_iter().find(|case| case.name == "handwritten_ls_rotated").unwrap();
    let labels = labelstudio::read(&case.entry_bytes(), &ReadOptions::default()).unwrap();
    for format in [Format::LabelStudio, Format::LabelMe] {
        let (files, losses) = files(&labels, format);
        assert_eq!(losses.of(Loss::Rotation), 0);
        let again = read(&files, format).unwrap().unwrap();
        for (one, other) in labels.pictures[0].annotations.iter().zip(&again.pictures[0].annotations) {
            match (&one.shape, &other.shape) {
                (Shape::Rotated { unturned: a, degrees: x }, Shape::Rotated { unturned: b, degrees: y }) => {
                    assert!((x - y).abs() < 1e-6 && (a.x0 - b.x0).abs() < 1e-6 && (a.y1 - b.y1).abs() < 1e-6);
                }
                (a, b) => assert_eq!(a, b),
            }
        }
    }
}

/// Labels as the metadata of samples, and back.
fn through_metadata(labels: &Labels) -> Labels {
    let document = record::document(&labels.classes);
    let mut back = Labels::default();
    back.classes = record::read_classes(&document).unwrap();
    for picture in &labels.pictures {
        let fields = record::fields(picture, &labels.classes, &mut Losses::default());
        let (text, _) = forebay::sample::record::attach(&format!("{{\"name\":{:?}}}", picture.name), &fields).unwrap();
        let value = serde_json::from_str(&text).unwrap();
        let mut again = record::read(&value, &mut back.classes).unwrap().unwrap();
        (again.name, again.line) = (picture.name.clone(), picture.line);
        back.pictures.push(again);
    }
    back
}

#[test]
fn metadata_of_samples_keeps_all_that_any_format_says() {
    let mut seen = 0;
    for case in exports() {
        let Some(read) = super::readers::reader(&case.format) else { continue };
        let Ok(labels) = read(&case, &case.asked()) else { continue };
        seen += 1;
        let back = through_metadata(&labels);
        assert_eq!(back.classes, labels.classes, "{}", case.name);
        for (one, other) in labels.pictures.iter().zip(&back.pictures) {
            let mut one = one.clone();
            // Whether nobody has looked is said by no fields at all.
            one.unlabelled = false;
            assert_eq!(&one, other, "{}", case.name);
        }
        // And so every format is written as if nothing had been in between.
        for to in written() {
            let of = |labels: &Labels| {
                let mut labels = labels.clone();
                labels.pictures.iter_mut().for_each(|picture| picture.unlabelled = false);
                written_files(&labels, to)
            };
            let (direct, through) = (of(&labels), of(&back));
            // From COCO to COCO stays also what only COCO has a place for: areas, and types of attributes.
            if let (Format::Coco, Ok([(_, direct)]), Ok([(_, through)])) = (to, direct.as_deref(), through.as_deref()) {
                let again = |text: &[u8]| coco::read(text, &case.asked()).unwrap().pictures;
                assert_eq!(again(direct), again(through), "{}: coco", case.name);
                continue;
            }
            assert_eq!(direct, through, "{}: {}", case.name, to.word());
        }
    }
    assert!(seen >= 50, "{seen}");
}

/// What a writer makes, or why it does not.
fn written_files(labels: &Labels, format: Format) -> std::result::Result<Vec<(String, Vec<u8>)>, String> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    match writer(format).unwrap() {
        Writer::File(write) => {
            let mut out = Vec::new();
            let mut put = |piece: &[u8]| {
                out.extend_from_slice(piece);
                Ok(())
            };
            write(labels, &mut put).map_err(|e| e.to_string())?;
            files.push(("labels".into(), out));
        }
        Writer::Files(write) => {
            let mut put = |name: &str, text: &[u8]| {
                files.push((name.to_owned(), text.to_vec()));
                Ok(())
            };
            write(labels, &mut put).map_err(|e| e.to_string())?;
        }
        _ => panic!("{}", format.word()),
    }
    Ok(files)
}

#[test]
fn what_is_lost_is_counted() {
    let case = exports().into_iter().find(|case| case.name == "handwritten_coco").unwrap();
    let labels = coco::read(&case.entry_bytes(), &ReadOptions::default()).unwrap();
    let count = |test: &dyn Fn(&Annotation) -> bool| {
        labels.pictures.iter().flat_map(|p| &p.annotations).filter(|a| test(a)).count() as u64
    };
    let (_, losses) = files(&labels, Format::CreateMl);
    for (loss, n) in [
        (Loss::Outline, count(&|a| matches!(a.shape, Shape::Polygon(_)))),
        (Loss::Mask, count(&|a| matches!(a.shape, Shape::Mask(_)))),
        (Loss::Keypoints, count(&|a| !a.keypoints.is_empty())),
        (Loss::Flag, count(&|a| a.flags.crowd)),
        (Loss::Attributes, count(&|a| !a.attributes.is_empty())),
    ] {
        assert!(n > 0, "{loss:?} is in the file");
        assert_eq!(losses.of(loss), n, "{loss:?}");
    }
    let (_, losses) = files(&labels, Format::Via);
    assert_eq!(losses.of(Loss::Outline), 0);
}
