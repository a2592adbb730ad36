//! Label files without labels, for tools to begin with: names, sizes and places of pictures, from an index alone.
//!
//! ```
//! use forebay_annotations::{Classes, Skeleton, SkeletonWriter, Sketch};
//! let mut out = Vec::new();
//! let mut put = |piece: &[u8]| Ok(out.extend_from_slice(piece));
//! let mut writer = SkeletonWriter::new(Skeleton::LabelStudio, Some("https://example.org/x/"), &mut put);
//! writer.add(&Sketch { name: "a b.jpg", width: 64, height: 48, bytes: Some(4096..9000) })?;
//! writer.finish(&Classes::default())?;
//! let said = r#"{"data":{"image":"https://example.org/x/a%20b.jpg"},"meta":{"width":64,"height":48,"byte_range":[4096,9000]}}"#;
//! assert_eq!(String::from_utf8(out).unwrap(), format!("[\n{said}\n]\n"));
//! # Ok::<(), forebay_base::Error>(())
//! ```

use std::{fmt::Write, ops::Range};

use crate::{Result, words::Word};

use super::{
    Classes, base_name, checked_name,
    json::{Pieces, string},
    record,
};

/// A file that a labeling tool begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skeleton {
    /// COCO without annotations.
    Coco,
    /// CVAT's `manifest.jsonl`.
    CvatManifest,
    /// Tasks for Label Studio.
    LabelStudio,
}

impl Word for Skeleton {
    const ALL: &'static [Skeleton] = &[Skeleton::Coco, Skeleton::CvatManifest, Skeleton::LabelStudio];
    fn word(self) -> &'static str {
        match self {
            Skeleton::Coco => "coco",
            Skeleton::CvatManifest => "cvat-manifest",
            Skeleton::LabelStudio => "labelstudio",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Skeleton::Coco => "COCO's JSON without annotations",
            Skeleton::CvatManifest => "CVAT's manifest.jsonl, for images in cloud storage",
            Skeleton::LabelStudio => "tasks for Label Studio, as JSON",
        }
    }
}

/// What is known of a picture.
#[derive(Clone, Debug)]
pub struct Sketch<'a> {
    /// Its name, relative to the folder of the pictures.
    pub name: &'a str,
    /// Pixels across; 0 if that is not known.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Where its file lies in the file that it was taken from, as it is.
    pub bytes: Option<Range<u64>>,
}

/// Writes one, piece by piece.
pub struct SkeletonWriter<'p> {
    kind: Skeleton,
    prefix: Option<String>,
    out: Pieces<'p>,
    count: u64,
}

impl std::fmt::Debug for SkeletonWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SkeletonWriter").field("kind", &self.kind).field("count", &self.count).finish_non_exhaustive()
    }
}

impl<'p> SkeletonWriter<'p> {
    /// Names go behind `prefix` where the format has a place for addresses, each part escaped as in one.
    pub fn new(kind: Skeleton, prefix: Option<&str>, put: &'p mut dyn FnMut(&[u8]) -> Result<()>) -> Self {
        let mut out = Pieces::new(put);
        out.text.push_str(match kind {
            Skeleton::Coco => "{\"images\":[",
            Skeleton::CvatManifest => "{\"version\":\"1.1\"}\n{\"type\":\"images\"}\n",
            Skeleton::LabelStudio => "[",
        });
        SkeletonWriter { kind, prefix: prefix.map(str::to_owned), out, count: 0 }
    }

    /// Adds a picture.
    pub fn add(&mut self, picture: &Sketch<'_>) -> Result<()> {
        checked_name(picture.name)?;
        self.count += 1;
        let out = &mut self.out.text;
        if self.kind != Skeleton::CvatManifest {
            out.push_str(if self.count > 1 { ",\n" } else { "\n" });
        }
        match self.kind {
            Skeleton::Coco => {
                put(out, format_args!("{{\"id\":{},\"file_name\":", self.count));
                string(out, picture.name);
                size(out, picture);
                range(out, picture);
                if let Some(prefix) = &self.prefix {
                    out.push_str(",\"coco_url\":");
                    string(out, &address(prefix, picture.name));
                }
                out.push('}');
            }
            Skeleton::CvatManifest => {
                let base = base_name(picture.name);
                let dot = base.rfind('.').filter(|at| *at > 0).map_or(0, |at| base.len() - at);
                let (stem, extension) = picture.name.split_at(picture.name.len() - dot);
                out.push_str("{\"name\":");
                string(out, stem);
                out.push_str(",\"extension\":");
                string(out, extension);
                size(out, picture);
                out.push_str(",\"meta\":{\"related_images\":[]");
                range(out, picture);
                out.push_str("}}\n");
            }
            Skeleton::LabelStudio => {
                out.push_str("{\"data\":{\"image\":");
                match &self.prefix {
                    Some(prefix) => string(out, &address(prefix, picture.name)),
                    None => string(out, picture.name),
                }
                out.push_str("},\"meta\":{");
                let begin = out.len();
                size(out, picture);
                range(out, picture);
                if out.len() > begin {
                    // The first of the fields has no comma in front.
                    out.remove(begin);
                }
                out.push_str("}}");
            }
        }
        self.out.flow()
    }

    /// Ends it, with the classes where the format has a place for them. How many pictures there were.
    pub fn finish(mut self, classes: &Classes) -> Result<u64> {
        match self.kind {
            Skeleton::Coco => {
                self.out.text.push_str("\n],\"annotations\":[],\"categories\":[");
                let mut said = record::document(classes);
                let list = said.get_mut("categories").and_then(|list| list.as_array_mut());
                for (i, class) in list.into_iter().flatten().enumerate() {
                    if let Some(class) = class.as_object_mut() {
                        class.entry("id").or_insert_with(|| (i + 1).into());
                        class.entry("supercategory").or_insert_with(|| "".into());
                    }
                    put(&mut self.out.text, format_args!("{}\n{class}", if i > 0 { "," } else { "" }));
                }
                self.out.text.push_str("\n]}\n");
            }
            Skeleton::CvatManifest => {}
            Skeleton::LabelStudio => self.out.text.push_str("\n]\n"),
        }
        self.out.flush()?;
        Ok(self.count)
    }
}

/// Writing to a `String` cannot fail.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

fn size(out: &mut String, picture: &Sketch<'_>) {
    if picture.width > 0 && picture.height > 0 {
        put(out, format_args!(",\"width\":{},\"height\":{}", picture.width, picture.height));
    }
}

fn range(out: &mut String, picture: &Sketch<'_>) {
    if let Some(range) = &picture.bytes {
        put(out, format_args!(",\"byte_range\":[{},{}]", range.start, range.end));
    }
}

/// A name behind the beginning of addresses.
fn address(prefix: &str, name: &str) -> String {
    let mut out = prefix.to_owned();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(byte.into()),
            _ => put(&mut out, format_args!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Id, Labels, ReadOptions, coco, labelstudio};

    fn written(kind: Skeleton, prefix: Option<&str>, classes: &Classes) -> String {
        let mut out = Vec::new();
        let mut put = |piece: &[u8]| {
            out.extend_from_slice(piece);
            Ok(())
        };
        let mut writer = SkeletonWriter::new(kind, prefix, &mut put);
        let first = Sketch { name: "sub/ünï \"c\".v1.jpg", width: 64, height: 48, bytes: Some(512..900) };
        writer.add(&first).unwrap();
        writer.add(&Sketch { name: ".x", width: 0, height: 0, bytes: None }).unwrap();
        assert_eq!(writer.add(&Sketch { name: "../x", ..first }).unwrap_err().code().id(), "label.name");
        assert_eq!(writer.finish(classes).unwrap(), 2);
        String::from_utf8(out).unwrap()
    }

    fn names(labels: &Labels) -> Vec<&str> {
        labels.pictures.iter().map(|picture| picture.name.as_str()).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut classes: Classes = ["cat"].into_iter().collect();
        classes.add(Class { id: Some(Id::Number(18)), ..Class::named("dog") }).unwrap();
        let text = written(Skeleton::Coco, Some("https://h/"), &classes);
        let labels = coco::read(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(names(&labels), ["sub/ünï \"c\".v1.jpg", ".x"]);
        assert_eq!((labels.pictures[0].size(), labels.pictures[1].size()), (Some((64, 48)), None));
        assert_eq!((labels.classes.name(0), labels.classes.name(1)), (Some("cat"), Some("dog")));
        for prefix in [None, Some("https://host/")] {
            let text = written(Skeleton::LabelStudio, prefix, &classes);
            let labels = labelstudio::read(text.as_bytes(), &ReadOptions::default()).unwrap();
            assert_eq!(names(&labels), ["sub/ünï \"c\".v1.jpg", ".x"]);
            assert!(labels.pictures[0].unlabelled);
        }
    }

    #[test]
    fn a_manifest_has_a_line_a_picture() {
        let text = written(Skeleton::CvatManifest, None, &Classes::default());
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), &lines[0]["version"], &lines[1]["type"]), (4, &"1.1".into(), &"images".into()));
        assert_eq!((&lines[2]["name"], &lines[2]["extension"]), (&"sub/ünï \"c\".v1".into(), &".jpg".into()));
        assert_eq!(lines[2]["meta"], serde_json::json!({"related_images": [], "byte_range": [512, 900]}));
        assert_eq!((&lines[3]["name"], &lines[3]["extension"]), (&".x".into(), &"".into()));
    }
}
