//! Label files that real tools wrote, and damaged ones: every file of `tests/corpus/labels` against its twin.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read files")]

mod compare;
use crate::common::conformance;
mod pieces;
mod raster;
mod readers;
mod round_trip;
mod sets;
mod twins;

use std::collections::HashMap;

use forebay::annotations::{
    Annotation, Cause, Format, Labels, Losses, Picture, ReadOptions, Rect, Shape, coco, createml, cvat, labelme,
    labelstudio, via, voc,
    write::{Writer, writer, written},
    yolo,
};

use compare::{boxes_are, clipped_boxes_are, counts_are};
use readers::reader;
use twins::{Outcome, cases, damaged, exports};

/// Damaged files that are read in another way than the twin suggests, if it says that this is a choice.
const OTHERWISE: &[(&str, &str)] =
    &[("yolo_value_1_2", "an object outside of its image, as five tools write it; it is counted, not refused")];

/// Faults that only who has the pictures can see.
const NEEDS_PICTURES: &[&str] = &["coco_image_file_absent", "ls_hash_like_name", "ls_original_size_swapped"];

/// Exports that are refused until an option says how to read them: the option makes them readable.
const ASKS: &[&str] = &["labelstudio_annotators_coco", "labelstudio_coco"];

#[test]
fn every_format_of_the_corpus_is_read() {
    let mut unread: Vec<String> =
        cases().iter().map(|case| case.format.clone()).filter(|format| reader(format).is_none()).collect();
    unread.sort();
    unread.dedup();
    assert!(unread.is_empty(), "{unread:?}");
}

#[test]
fn exports_hold_what_their_twins_say() {
    let mut seen = 0;
    for case in exports() {
        let Some(read) = reader(&case.format) else { continue };
        seen += 1;
        let expect = case.text("options", "expect");
        if expect.as_deref() == Some("refuse") || ASKS.contains(&case.name.as_str()) {
            let e = read(&case, &case.options()).expect_err(&case.name);
            assert!(e.place().line.is_some(), "{}: {e}", case.name);
            if expect.as_deref() == Some("refuse") {
                conformance::refused(&case.twin_file());
                continue;
            }
        }
        let labels = read(&case, &case.asked()).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        boxes_are(&case, labels.clone());
        counts_are(&case, labels);
        conformance::read(&case.twin_file());
    }
    assert!(seen >= 10, "{seen} exports were read");
}

#[test]
fn damaged_files_are_refused_with_their_place_or_read_as_their_twins_say() {
    let mut seen = 0;
    for case in damaged() {
        let Some(read) = reader(&case.format) else { continue };
        if NEEDS_PICTURES.contains(&case.name.as_str()) || OTHERWISE.iter().any(|(name, _)| *name == case.name) {
            continue;
        }
        seen += 1;
        let got = read(&case, &case.options());
        match (case.outcome(), got) {
            (Outcome::Refuse, Ok(_)) => panic!("{}: is read, and should be refused: {}", case.name, case.why()),
            (Outcome::Refuse, Err(e)) => {
                case.is_place_of(&e);
                conformance::refused(&case.twin_file());
            }
            (_, Err(e)) => panic!("{}: {e}", case.name),
            (_, Ok(labels)) => {
                clipped_boxes_are(&case, labels);
                conformance::read(&case.twin_file());
            }
        }
    }
    assert!(seen >= 30, "{seen} damaged files were read");
}

#[test]
fn frames_between_key_frames_are_where_the_twin_says() {
    let case = exports().into_iter().find(|case| case.name == "handwritten_cvat_video_keyframes").unwrap();
    let labels = cvat::read(&case.entry_bytes(), &ReadOptions::default()).unwrap();
    let said = case.twin["options"]["interpolated"].as_object().unwrap();
    assert_eq!(labels.notes.of(Cause::Interpolated), said.len() as u64);
    for (name, boxes) in said {
        let picture = labels.pictures.iter().find(|picture| picture.name == *name).unwrap();
        for said in boxes.as_array().unwrap() {
            let class = labels.classes.find(said[0].as_str().unwrap());
            let is_it = |a: &&Annotation| {
                let rect = match a.shape {
                    Shape::Rotated { unturned, .. } => unturned,
                    _ => a.rect,
                };
                let corners = [rect.x0, rect.y0, rect.x1, rect.y1];
                a.class == class && (0..4).all(|i| (corners[i] - said[i + 1].as_f64().unwrap()).abs() < 1e-9)
            };
            assert!(picture.annotations.iter().any(|a| is_it(&a)), "{name}: {said}");
        }
    }
}

#[test]
fn choices_are_choices() {
    let cases = damaged();
    for (name, _) in OTHERWISE {
        let case = cases.iter().find(|case| case.name == *name).expect(name);
        assert!(case.is_choice(), "{name}");
        let read = reader(&case.format).unwrap();
        read(case, &case.options()).unwrap_or_else(|e| panic!("{name}: {e}"));
        conformance::read(&case.twin_file());
    }
}

/// Labels as one format, and back.
fn again(labels: &Labels, format: Format) -> (Labels, Losses) {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let losses = match writer(format).unwrap() {
        Writer::File(write) => {
            let mut out = Vec::new();
            let losses = write(labels, &mut |bytes| {
                out.extend_from_slice(bytes);
                Ok(())
            });
            files.push((String::new(), out));
            losses
        }
        Writer::Files(write) => write(labels, &mut |name, bytes| {
            files.push((name.to_owned(), bytes.to_vec()));
            Ok(())
        }),
        other => panic!("{other:?}"),
    };
    let mut options = ReadOptions::default();
    options.voc_base = Some(1);
    let texts = || files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let sizes: HashMap<String, (u32, u32)> =
        labels.pictures.iter().map(|p| (format!("images/{}", p.name), p.size().unwrap())).collect();
    let read = match format {
        Format::Coco => coco::read(&files[0].1, &options),
        Format::LabelStudio => labelstudio::read(&files[0].1, &options),
        Format::Via => via::read(&files[0].1, &options),
        Format::CreateMl => createml::read(&files[0].1, &options),
        Format::Cvat => cvat::read(&files[0].1, &options),
        Format::LabelMe => labelme::read_all(texts(), &options),
        Format::Voc => voc::read_all(texts().map(|(n, b)| (n.strip_prefix("Annotations/").unwrap(), b)), &options),
        Format::Yolo => {
            let names = files.iter().map(|(name, _)| name.clone()).chain(sizes.keys().cloned());
            let mut bytes = |name: &str| Ok(files.iter().find(|(one, _)| one == name).unwrap().1.clone());
            let mut size = |name: &str| Ok(sizes.get(name).copied());
            yolo::read_folder(&names.collect(), &options, &mut bytes, &mut size)
        }
        other => panic!("{other:?}"),
    };
    (read.unwrap_or_else(|e| panic!("{format:?}: {e}")), losses.unwrap())
}

/// Every box by the name of its picture and class.
fn boxes(labels: &Labels) -> Vec<(String, String, [f64; 4])> {
    let mut found: Vec<_> = labels
        .pictures
        .iter()
        .flat_map(|p| p.annotations.iter().map(move |a| (p.name.trim_start_matches("images/").to_owned(), a)))
        .map(|(name, a)| (name, labels.classes.name(a.class.unwrap()).unwrap().to_owned(), a.rect))
        .map(|(name, class, r)| (name, class, [r.x0, r.y0, r.x1, r.y1]))
        .collect();
    found.sort_by(|a, b| a.partial_cmp(b).unwrap());
    found
}

#[test]
fn every_pair_of_formats_keeps_what_both_can_say() {
    let mut labels = Labels::default();
    let classes = ["car", "naïve \"café\"", "汽车"].map(|name| Some(labels.classes.found(name)));
    for (i, name) in ["a.jpg", "b c & d.png"].into_iter().enumerate() {
        let mut picture = Picture::named(name);
        (picture.width, picture.height) = (Some(320), Some(240));
        for (n, class) in classes.into_iter().enumerate() {
            let at = (10 * n + i) as f64;
            picture.annotations.push(Annotation::boxed(Rect::new(at + 0.25, at, at + 60.5, at + 80.125), class));
        }
        labels.pictures.push(picture);
    }
    let truth = boxes(&labels);
    let formats: Vec<Format> = written().collect();
    assert!(formats.len() >= 8, "{formats:?}");
    for from in &formats {
        let (between, losses) = again(&labels, *from);
        assert!(losses.is_empty(), "{from:?}: {losses:?}");
        for to in &formats {
            let mut between = between.clone();
            for picture in &mut between.pictures {
                picture.name = picture.name.trim_start_matches("images/").to_owned();
                // Not every format says sizes; pictures themselves do.
                (picture.width, picture.height) = (Some(320), Some(240));
            }
            let found = boxes(&again(&between, *to).0);
            assert_eq!(found.len(), truth.len(), "{from:?} to {to:?}");
            for (a, b) in found.iter().zip(&truth) {
                let near = (0..4).all(|i| (a.2[i] - b.2[i]).abs() < 1e-9);
                assert!((&a.0, &a.1) == (&b.0, &b.1) && near, "{from:?} to {to:?}: {a:?} is not {b:?}");
            }
        }
    }
}
