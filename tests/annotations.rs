//! Label files that real tools wrote, and damaged ones: every file of `tests/corpus/labels` against its twin.

#[path = "annotations/compare.rs"]
mod compare;
#[path = "annotations/pieces.rs"]
mod pieces;
#[path = "annotations/readers.rs"]
mod readers;
#[path = "annotations/round_trip.rs"]
mod round_trip;
#[path = "annotations/twins.rs"]
mod twins;

use compare::{boxes_are, clipped_boxes_are, counts_are};
use readers::reader;
use twins::{Outcome, cases, damaged, exports};

/// Formats of the corpus that are not read yet; a line goes when a reader comes.
const NOT_READ: &[&str] =
    &["cvat", "cvat_video", "datumaro_json", "dota", "kitti", "labelme_xml", "openimages", "voc", "yolo"];

/// Damaged files that are read in another way than the twin suggests, if it says that this is a choice.
const OTHERWISE: &[(&str, &str)] = &[];

/// Faults that only who has the pictures can see.
const NEEDS_PICTURES: &[&str] = &["coco_image_file_absent", "ls_hash_like_name", "ls_original_size_swapped"];

/// Exports that are refused until an option says how to read them: the option makes them readable.
const ASKS: &[&str] = &["labelstudio_annotators_coco", "labelstudio_coco"];

#[test]
fn formats_are_read_or_listed() {
    let mut unread: Vec<String> =
        cases().iter().map(|case| case.format.clone()).filter(|format| reader(format).is_none()).collect();
    unread.sort();
    unread.dedup();
    assert_eq!(unread, NOT_READ);
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
                continue;
            }
        }
        let labels = read(&case, &case.asked()).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        boxes_are(&case, labels.clone());
        counts_are(&case, labels);
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
            (Outcome::Refuse, Err(e)) => case.is_place_of(&e),
            (_, Err(e)) => panic!("{}: {e}", case.name),
            (_, Ok(labels)) => clipped_boxes_are(&case, labels),
        }
    }
    assert!(seen >= 30, "{seen} damaged files were read");
}

#[test]
fn choices_are_choices() {
    let cases = damaged();
    for (name, _) in OTHERWISE {
        let case = cases.iter().find(|case| case.name == *name).expect(name);
        assert!(case.is_choice(), "{name}");
    }
}
