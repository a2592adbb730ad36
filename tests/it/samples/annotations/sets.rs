//! Sets read as one: the same as by the reader of their format.

use std::collections::BTreeMap;

use bytes::Bytes;
use forebay::{
    Result,
    annotations::{Exif, Format, Labels, ReadOptions, Set, SetReader, datumaro},
    step::{Step, Stepper, drive},
};

use super::{
    readers::reader,
    twins::{Case, cases},
};

fn format_of(case: &Case) -> Format {
    match case.format.as_str() {
        "coco" => Format::Coco,
        "label_studio" | "label_studio_min" => Format::LabelStudio,
        "via" => Format::Via,
        "createml" => Format::CreateMl,
        "labelme_json" => Format::LabelMe,
        "cvat" | "cvat_video" => Format::Cvat,
        "yolo" => Format::Yolo,
        "voc" | "labelme_xml" => Format::Voc,
        "kitti" => Format::Kitti,
        "dota" => Format::Dota,
        "openimages" => Format::OpenImages,
        "datumaro_json" => Format::Datumaro,
        other => panic!("{other}"),
    }
}

/// The files of a case with these extensions.
fn files(case: &Case, extensions: &[&str]) -> BTreeMap<String, Bytes> {
    let mut names: Vec<String> = extensions.iter().flat_map(|extension| case.files(extension)).collect();
    if names.is_empty() {
        names.extend(case.entry().map(str::to_owned));
    }
    names.into_iter().map(|name| (name.clone(), case.bytes(&name).into())).collect()
}

/// A reader, and what lies behind it as one file.
fn set(case: &Case, options: &ReadOptions) -> (SetReader, Bytes) {
    let format = format_of(case);
    let pictures: BTreeMap<String, Bytes> =
        case.pictures().into_iter().map(|(name, truth)| (name, case.picture(&truth).into())).collect();
    let all = |files: &BTreeMap<String, Bytes>| files.values().flatten().copied().collect::<Vec<u8>>();
    let listed = |files: &BTreeMap<String, Bytes>| -> Vec<(String, u64)> {
        files.iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64)).collect()
    };
    let (reader, bytes) = match format {
        Format::Coco | Format::LabelStudio | Format::Via | Format::CreateMl | Format::Cvat | Format::Datumaro => {
            let bytes = case.entry_bytes();
            (SetReader::file(case.entry().unwrap(), bytes.len() as u64, options), bytes)
        }
        Format::Yolo => {
            let mut found = files(case, &["txt", "yaml", "data", "names"]);
            found.extend(pictures);
            (SetReader::folder(listed(&found), options), all(&found))
        }
        Format::OpenImages => {
            let found = files(case, &["csv"]);
            let reader = SetReader::folder(listed(&found), options).with_pictures(listed(&pictures));
            (reader, [all(&found), all(&pictures)].concat())
        }
        _ => {
            let extension = match format {
                Format::Voc => "xml",
                Format::LabelMe => "json",
                _ => "txt",
            };
            let found = files(case, &[extension]);
            let reader = match found.iter().next() {
                Some((name, bytes)) if found.len() == 1 => SetReader::file(name, bytes.len() as u64, options),
                _ => SetReader::folder(listed(&found), options),
            };
            (reader, all(&found))
        }
    };
    (reader.with_format(Some(format)), bytes.into())
}

/// What an outcome comes to: how many pictures and annotations there are, or code and line of the error.
fn told(outcome: &Result<Labels>) -> String {
    match outcome {
        Ok(labels) => format!("{} images, {} annotations", labels.pictures.len(), labels.annotations()),
        Err(e) => format!("{} in line {:?}", e.code().id(), e.place().line),
    }
}

#[test]
fn a_set_is_what_the_reader_of_its_format_says() {
    let mut seen = 0;
    for case in cases() {
        let Some(read) = reader(&case.format) else { continue };
        let mut options = case.asked();
        // Classes that stand nowhere are the twin's.
        if case.format == "yolo" {
            // What the twins say of YOLO is of the stored raster.
            options.exif = Some(Exif::Ignore);
            let names = case.twin["classes"].as_array();
            options.classes = names.map(|names| names.iter().map(|n| n.as_str().unwrap().to_owned()).collect());
        }
        if case.format == "openimages" && options.exif.is_none() {
            // Shares of a picture that EXIF turns are of one or of the other raster, and the case does not say of which.
            options.exif = Some(Exif::Ignore);
        }
        let (reader, bytes) = set(&case, &options);
        let whole = drive(reader, &bytes).map(|set| set.labels);
        let alone = match case.format.as_str() {
            // Masks too, which the twin leaves out.
            "datumaro_json" => datumaro::read(&case.entry_bytes(), &options),
            _ => read(&case, &options),
        };
        assert_eq!(told(&whole), told(&alone), "{}", case.name);
        let counted = drive(set(&case, &options).0.only_counts(), &bytes);
        let counts = |set: &Set| set.stats.as_ref().map(|stats| (stats.pictures, stats.annotations));
        match (&whole, &counted) {
            // Counted is what stands there, before any of several versions of a picture is chosen.
            (Ok(_), Ok(_)) if options.pick.is_some() => {}
            (Ok(labels), Ok(set)) => {
                let all = (labels.pictures.len() as u64, labels.annotations() as u64);
                assert_eq!(counts(set), Some(all), "{}", case.name);
            }
            (Err(a), Err(b)) => assert_eq!(a.code(), b.code(), "{}", case.name),
            // Names of pictures that repeat are seen where pictures are gathered.
            (Err(e), Ok(_)) => assert_eq!(e.code().id(), "label.repeated", "{}", case.name),
            (Ok(_), Err(e)) => panic!("{}: {e}", case.name),
        }
        seen += 1;
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn pictures_are_asked_for_by_their_beginnings() {
    let bmp = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/labels/truth/images/plain_int.jpg"));
    let picture = bmp.unwrap();
    let yaml = b"train: images\nnames: [a]\n";
    let line = b"0 0.5 0.5 0.5 0.5\n";
    // A picture of a gigabyte, of which only the beginning is there.
    let files = [("data.yaml", yaml.len() as u64), ("images/a.jpg", 1 << 30), ("labels/a.txt", line.len() as u64)];
    let mut reader = SetReader::folder(files, &ReadOptions::default());
    let (mut asked, mut most) = (0, 0);
    let set = loop {
        match reader.step().unwrap() {
            Step::Done(set) => break set,
            Step::Need(ranges) => {
                for range in ranges {
                    asked += 1;
                    most = most.max(range.end - range.start);
                    let start = yaml.len() as u64;
                    let bytes = match range.start {
                        0 => yaml.to_vec(),
                        at if at == start => {
                            let mut head = picture.clone();
                            head.resize((range.end - range.start) as usize, 0);
                            head
                        }
                        _ => line.to_vec(),
                    };
                    reader.push(range.start, bytes.into());
                }
            }
        }
    };
    assert_eq!((set.format, set.labels.annotations()), (Format::Yolo, 1));
    assert!(asked <= 5 && most <= 64 << 10, "{asked} ranges, {most} bytes");
}

#[test]
fn the_labels_of_two_files_are_never_one_picture() {
    let xml = b"<annotation><filename>a.jpg</filename></annotation>";
    for names in [["train/Annotations/a.xml", "val/Annotations/a.xml"], ["train/a.xml", "val/a.xml"]] {
        let reader = SetReader::folder(names.map(|name| (name, xml.len() as u64)), &ReadOptions::default());
        let read = drive(reader, &xml.repeat(2).into());
        match names[0].contains("Annotations") {
            true => assert_eq!(read.unwrap_err().code().id(), "label.repeated"),
            false => assert_eq!(read.unwrap().labels.pictures.len(), 2),
        }
    }
}

#[test]
fn a_text_with_nothing_in_it_is_of_a_picture_in_which_nothing_is() {
    let kitti = "Car 0.00 0 -1.58 5 5 25 25 1.65 1.67 3.64 -0.65 1.71 46.70 -1.59\n";
    let dota = "250 190 250 250 210 250 210 190 small-vehicle 1\n";
    for (text, format) in [(kitti, Format::Kitti), (dota, Format::Dota)] {
        let texts = ["", text, " \n", "Dear reader,", ""];
        let names = ["label_2/0.txt", "label_2/1.txt", "label_2/2.txt", "label_2/README.txt", "other/0.txt"];
        let files = names.iter().zip(texts).map(|(name, text)| (*name, text.len() as u64));
        let reader = SetReader::folder(files, &ReadOptions::default());
        let set = drive(reader, &texts.concat().into_bytes().into()).unwrap();
        let found: Vec<_> = set.labels.pictures.iter().map(|it| (it.name.as_str(), it.annotations.len())).collect();
        assert_eq!((set.format, &found[..]), (format, &[("0", 0), ("1", 1), ("2", 0)][..]));
    }
}

#[test]
fn a_path_as_long_as_the_file_that_says_it_is_looked_up_at_once() {
    let yaml = format!("train: {}images\nnames: [x]\n", "a/".repeat(1_000_000));
    let files = [("data.yaml", yaml.len() as u64), ("images/a.jpg", 0)];
    let set = drive(SetReader::folder(files, &ReadOptions::default()), &yaml.into_bytes().into()).unwrap();
    assert_eq!(set.labels.notes.of(forebay::annotations::Cause::PathGuessed), 1);
}

#[test]
fn pictures_know_their_lines_behind_a_mark_too() {
    for mark in ["", "\u{feff}"] {
        let text =
            format!("{mark}[\n{{\"image\": \"a\", \"annotations\": []}},\n{{\"image\": \"b\", \"annotations\": []}}]");
        let labels = forebay::annotations::createml::read(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(labels.pictures.iter().map(|picture| picture.line).collect::<Vec<_>>(), [Some(2), Some(3)]);
    }
}
