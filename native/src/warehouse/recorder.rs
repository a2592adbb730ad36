//! The recorder's own labels: a JSON file a frame, in `RUN/labels/`, that names a picture of the run.

use std::path::{Path, PathBuf};

use forebay::{Error, Limits, Result, sample::record::safe_name, warehouse::Cause};
use serde::Deserialize;

use super::frames::{Frame, GivenBox, Place, Refused, Stamp};
use crate::input::{Input, display, io_error};

/// By so much a share of the picture may leave it: rounding of six digits.
const ROUNDING: f64 = 1e-6;

#[derive(Deserialize)]
struct Record {
    frame_id: u64,
    image: String,
    image_present: bool,
    labels: Vec<Label>,
}

#[derive(Deserialize)]
struct Label {
    #[serde(default)]
    bbox_px: Option<[f64; 4]>,
    #[serde(default)]
    bbox_norm: Option<[f64; 4]>,
}

/// A label file, read: its stamp, and the frame or why there is none.
pub(super) type Read = (Stamp, std::result::Result<Frame, Refused>);

/// The label files of a run in the order of their names: those with the extension `json`, exactly.
pub(super) fn label_files(labels: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| io_error(&display(labels), "list the folder", e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(labels).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Whether a file reads as a label of the recorder.
pub(super) fn is_label(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|text| serde_json::from_slice::<Record>(&text).is_ok())
}

/// Reads the label `file` of the run at `folder`, which is number `run`. `root` is what names are relative to.
pub(super) fn read(root: &Path, folder: &Path, run: usize, file: &Path, limits: &Limits) -> Result<Read> {
    let found = std::fs::metadata(file).map_err(|e| io_error(&display(file), "look at the label", e))?;
    let stamp = Stamp::of(file.into(), &found);
    let refuse = |cause: Cause, reason: String| Refused { cause, file: display(file), reason, run };
    let frame = match limits.metadata(stamp.size) {
        Err(e) => Err(refuse(Cause::LabelDamaged, e.to_string())),
        Ok(_) => {
            let input = Input::pieces(file)?;
            parse(&input.slice(0..input.len())?)
                .and_then(|record| picture(folder, &record).map(|picture| (record, picture)))
                .map_err(|(cause, reason)| refuse(cause, reason))
                .map(|(record, picture)| {
                    let source = picture.path.strip_prefix(root).unwrap_or(&picture.path);
                    Frame {
                        source: display(source),
                        place: Place::File(picture),
                        run,
                        frame_id: Some(record.frame_id),
                        boxes: record.labels.into_iter().map(given).collect(),
                    }
                })
        }
    };
    Ok((stamp, frame))
}

fn given(label: Label) -> GivenBox {
    GivenBox { pixels: label.bbox_px, shares: label.bbox_norm, class: None }
}

type Fault = (Cause, String);

/// A label whose boxes make sense.
fn parse(text: &[u8]) -> std::result::Result<Record, Fault> {
    let record: Record = serde_json::from_slice(text).map_err(|e| (Cause::LabelDamaged, e.to_string()))?;
    if record.image.trim().is_empty() {
        return Err((Cause::NoPicture, "the label names no image".into()));
    }
    for (i, label) in record.labels.iter().enumerate() {
        check(label).map_err(|what| (Cause::BadBox, format!("labels[{i}]: {what}")))?;
    }
    Ok(record)
}

fn check(label: &Label) -> std::result::Result<(), String> {
    if label.bbox_px.is_none() && label.bbox_norm.is_none() {
        return Err("there is neither bbox_px nor bbox_norm".into());
    }
    for (name, corners) in [("bbox_px", &label.bbox_px), ("bbox_norm", &label.bbox_norm)] {
        let Some(corners) = corners else { continue };
        let [left, top, right, bottom] = *corners;
        // Numbers that a warehouse cannot hold are none.
        if corners.iter().any(|at| !(*at as f32).is_finite()) {
            return Err(format!("{name} has a number that is not finite: {corners:?}"));
        }
        if left >= right || top >= bottom {
            return Err(format!("{name} is empty or ends before it begins: {corners:?}"));
        }
        if name == "bbox_norm" && corners.iter().any(|at| !(-ROUNDING..=1.0 + ROUNDING).contains(at)) {
            return Err(format!("{name} is not between 0 and 1: {corners:?}"));
        }
    }
    Ok(())
}

/// The picture that a label names, inside of its run.
fn picture(folder: &Path, record: &Record) -> std::result::Result<Stamp, Fault> {
    safe_name(&record.image).map_err(|e| (Cause::Outside, e.message().to_owned()))?;
    if !record.image_present {
        return Err((Cause::PictureAbsent, "the label says that its image is not there".into()));
    }
    let path = folder.join(&record.image);
    match std::fs::metadata(&path) {
        Ok(found) if found.is_file() => Ok(Stamp::of(path, &found)),
        Ok(_) => Err((Cause::PictureMissing, format!("{} is not a file", display(&path)))),
        Err(e) => Err((Cause::PictureMissing, format!("{}: {e}", display(&path)))),
    }
}

/// Of an error that a picture of its own causes, the cause; others concern more than one frame.
pub(super) fn cause_of(e: &Error) -> Option<Cause> {
    use forebay::error::Kind;
    match e.kind() {
        Kind::Damaged => Some(Cause::PictureDamaged),
        Kind::Unsupported => Some(Cause::PictureUnsupported),
        Kind::Limit => Some(Cause::PictureTooLarge),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_label_wrong_is_told_apart() {
        let cause = |text: &str| parse(text.as_bytes()).err().map(|(cause, _)| cause);
        let with =
            |labels: &str| format!(r#"{{"frame_id":1,"image":"a.png","image_present":true,"labels":[{labels}]}}"#);
        assert_eq!(cause(&with("")), None);
        assert_eq!(cause(&with(r#"{"bbox_px":[-4,4,900,20],"class":3}"#)), None);
        assert_eq!(cause(&with(r#"{"bbox_px":[1,1,2,2],"bbox_norm":[0,0,1.0000001,1]}"#)), None);
        for bad in [
            "{}",
            r#"{"bbox_px":null,"bbox_norm":null}"#,
            r#"{"bbox_px":[1,1,1e39,9]}"#,
            r#"{"bbox_px":[9,9,9,30]}"#,
            r#"{"bbox_norm":[0.1,0.1,1.2,0.5]}"#,
            r#"{"bbox_px":[1,1,2,2],"bbox_norm":[0.5,0.5,0.1,0.9]}"#,
        ] {
            assert_eq!(cause(&with(bad)), Some(Cause::BadBox), "{bad}");
        }
        for damaged in
            ["", "{", "[]", r#"{"frame_id":-1,"image":"a","image_present":true,"labels":[]}"#, "{\"frame_id\":1}"]
        {
            assert_eq!(cause(damaged), Some(Cause::LabelDamaged), "{damaged}");
        }
        assert_eq!(cause(&with(r#"{"bbox_px":[1,2,3]}"#)), Some(Cause::LabelDamaged));
        assert_eq!(cause(&with("").replace("a.png", " ")), Some(Cause::NoPicture));
    }

    #[test]
    fn a_picture_outside_of_its_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.png"), "x").unwrap();
        let found = |image: &str| {
            let record = Record { frame_id: 1, image: image.into(), image_present: true, labels: Vec::new() };
            picture(folder.path(), &record).map(|stamp| stamp.size).map_err(|(cause, _)| cause)
        };
        assert_eq!(found("a.png"), Ok(1));
        for outside in ["../a.png", "/etc/hostname", "b/../../a.png", "a\0"] {
            assert_eq!(found(outside), Err(Cause::Outside), "{outside:?}");
        }
        assert_eq!(found("gone.png"), Err(Cause::PictureMissing));
        assert_eq!(found("."), Err(Cause::Outside));
    }
}
