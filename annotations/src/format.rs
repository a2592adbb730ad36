//! The label formats, and which one a file has: by its content, and only if that says nothing by its name.

use crate::words::Word;

/// A label format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// COCO's JSON: one file for all pictures.
    Coco,
    /// YOLO: a text file a picture, and a list of classes.
    Yolo,
    /// Pascal VOC: an XML file a picture.
    Voc,
    /// CVAT's XML, for images or for video.
    Cvat,
    /// Label Studio's tasks as JSON, also in its short form.
    LabelStudio,
    /// The recorder's own: a JSON file a frame.
    Recorder,
    /// LabelMe: a JSON file a picture.
    LabelMe,
    /// The VGG Image Annotator's JSON.
    Via,
    /// CreateML's JSON.
    CreateMl,
    /// KITTI: a text file a picture.
    Kitti,
    /// DOTA: a text file a picture, with turned boxes.
    Dota,
    /// Open Images: a CSV file of boxes.
    OpenImages,
    /// Datumaro's own JSON.
    Datumaro,
    /// The metadata of samples: a TBL or a TAR whose samples carry their annotations.
    Records,
}

impl Word for Format {
    const ALL: &'static [Format] = &[
        Format::Coco,
        Format::Yolo,
        Format::Voc,
        Format::Cvat,
        Format::LabelStudio,
        Format::Recorder,
        Format::LabelMe,
        Format::Via,
        Format::CreateMl,
        Format::Kitti,
        Format::Dota,
        Format::OpenImages,
        Format::Datumaro,
        Format::Records,
    ];
    fn word(self) -> &'static str {
        match self {
            Format::Coco => "coco",
            Format::Yolo => "yolo",
            Format::Voc => "voc",
            Format::Cvat => "cvat",
            Format::LabelStudio => "labelstudio",
            Format::Recorder => "recorder",
            Format::LabelMe => "labelme",
            Format::Via => "via",
            Format::CreateMl => "createml",
            Format::Kitti => "kitti",
            Format::Dota => "dota",
            Format::OpenImages => "openimages",
            Format::Datumaro => "datumaro",
            Format::Records => "records",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Format::Coco => "COCO's JSON, one file for all images",
            Format::Yolo => "YOLO's text files, one an image, with a list of classes",
            Format::Voc => "Pascal VOC's XML files, one an image",
            Format::Cvat => "CVAT's XML, for images or for video",
            Format::LabelStudio => "Label Studio's tasks as JSON",
            Format::Recorder => "the recorder's JSON files, one a frame",
            Format::LabelMe => "LabelMe's JSON files, one an image",
            Format::Via => "the JSON of the VGG Image Annotator",
            Format::CreateMl => "CreateML's JSON",
            Format::Kitti => "KITTI's text files, one an image",
            Format::Dota => "DOTA's text files of turned boxes, one an image",
            Format::OpenImages => "Open Images' CSV of boxes",
            Format::Datumaro => "datumaro's own JSON",
            Format::Records => "a TBL, TAR or folder whose samples carry their annotations",
        }
    }
}

/// First bytes of a file that are enough for [`detect`].
pub const HEAD_BYTES: usize = 64 << 10;

/// Keys that are looked at before giving up.
const MOST_KEYS: usize = 4096;

/// The format of a file by its first bytes, or by its name where these say nothing; `None` where it holds no labels.
///
/// ```
/// use forebay_annotations::{Format, detect};
/// assert_eq!(detect("a.json", br#"{"info": {}, "images": [{"id": 1"#), Some(Format::Coco));
/// assert_eq!(detect("a.xml", b"<?xml version='1.0'?>\n<annotation>"), Some(Format::Voc));
/// assert_eq!(detect("a.txt", b"0 0.5 0.5 0.25 0.25\n"), Some(Format::Yolo));
/// assert_eq!(detect("a.txt", b"Dear reader,"), None);
/// ```
pub fn detect(name: &str, head: &[u8]) -> Option<Format> {
    let head = head.get(..HEAD_BYTES).unwrap_or(head);
    // Readers take it, or say that it is what it is.
    let narrow = utf16(head);
    let head = narrow.as_deref().unwrap_or(head);
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let base = super::base_name(name).to_ascii_lowercase();
    match text.first() {
        Some(b'<') => xml(text),
        // Label Studio lays its classes beside what it exports in other formats.
        Some(b'{') if base == "notes.json" => json(text).filter(|_| has_pictures(text)),
        Some(b'{' | b'[') => json(text),
        _ if base.ends_with(".yaml") || base.ends_with(".yml") => Some(Format::Yolo),
        _ if matches!(base.as_str(), "classes.txt" | "obj.names" | "obj.data") => Some(Format::Yolo),
        _ if base.ends_with(".csv") => {
            (narrow.is_none() && text.starts_with(b"ImageID,")).then_some(Format::OpenImages)
        }
        _ if base.ends_with(".txt") => lines(text),
        _ => None,
    }
}

/// What text of two bytes a character has of ASCII, as some editors and shells write it; `None` for other text.
fn utf16(head: &[u8]) -> Option<Vec<u8>> {
    let big = match head {
        [0xff, 0xfe, ..] | [b'<' | b'{' | b'[', 0, ..] => false,
        [0xfe, 0xff, ..] | [0, b'<' | b'{' | b'[', ..] => true,
        _ => return None,
    };
    let units = head.chunks_exact(2).map(|unit| if big { [unit[1], unit[0]] } else { [unit[0], unit[1]] });
    let ascii = |[low, high]: [u8; 2]| if high == 0 && low.is_ascii() { low } else { b'?' };
    Some(units.filter(|unit| *unit != [0xff, 0xfe]).map(ascii).collect())
}

/// By the outermost element.
fn xml(text: &[u8]) -> Option<Format> {
    let mut rest = text;
    loop {
        let at = memchr(b'<', rest)?;
        rest = &rest[at..];
        let end = match rest {
            [b'<', b'!', b'-', b'-', ..] => b"-->".as_slice(),
            [b'<', b'!' | b'?', ..] => b">",
            _ => break,
        };
        let at = rest.windows(end.len()).position(|bytes| bytes == end)?;
        rest = &rest[at + end.len()..];
    }
    let name = rest[1..].split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').next()?;
    match name {
        b"annotation" => Some(Format::Voc),
        b"annotations" => Some(Format::Cvat),
        _ => None,
    }
}

fn memchr(byte: u8, text: &[u8]) -> Option<usize> {
    text.iter().position(|found| *found == byte)
}

/// By the keys of the outermost objects.
fn json(text: &[u8]) -> Option<Format> {
    let array = text[0] == b'[';
    let keys = keys(text);
    let has = |depth: usize, name: &[u8]| keys.iter().any(|(at, key)| *at == depth && *key == name);
    if array {
        return match () {
            () if has(2, b"coordinates") || has(3, b"coordinates") || has(4, b"coordinates") => Some(Format::CreateMl),
            () if has(2, b"image_id") && has(2, b"category_id") => Some(Format::Coco),
            () if has(2, b"data") || has(2, b"annotator") || has(2, b"annotation_id") => Some(Format::LabelStudio),
            () if has(2, b"image") => Some(Format::LabelStudio),
            // No picture at all is a set too, and only COCO's is not an array.
            () => None,
        };
    }
    let coco =
        [b"annotations".as_slice(), b"categories", b"licenses"].iter().any(|key| has(1, key)) && !has(1, b"data");
    match () {
        () if has(1, b"dm_format_version") || has(1, b"items") && has(1, b"categories") => Some(Format::Datumaro),
        () if has(1, b"shapes") || has(1, b"imagePath") => Some(Format::LabelMe),
        () if has(1, b"frame_id") => Some(Format::Recorder),
        () if keys.iter().any(|(at, key)| *at == 1 && key.starts_with(b"_via_")) => Some(Format::Via),
        () if has(2, b"regions") && has(2, b"filename") => Some(Format::Via),
        () if has(1, b"images") || coco => Some(Format::Coco),
        // One task, not in an array: JSON lines.
        () if has(1, b"data") => Some(Format::LabelStudio),
        () => None,
    }
}

/// Whether the outermost object lists pictures or annotations.
fn has_pictures(text: &[u8]) -> bool {
    let lists = [b"images".as_slice(), b"annotations", b"shapes", b"items"];
    keys(text).iter().any(|(depth, key)| *depth == 1 && lists.contains(key))
}

/// The keys of a JSON text, as far as it goes, each with the count of brackets it stands in. Escapes stay as they are.
fn keys(text: &[u8]) -> Vec<(usize, &[u8])> {
    let mut keys = Vec::new();
    let (mut depth, mut at) = (0usize, 0);
    while at < text.len() && keys.len() < MOST_KEYS {
        match text[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at + 1;
                at = start;
                while at < text.len() && text[at] != b'"' {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                let behind = text.get(at + 1..).unwrap_or_default().trim_ascii_start();
                if behind.first() == Some(&b':') && depth <= 4 {
                    keys.push((depth, &text[start..at]));
                }
            }
            _ => {}
        }
        at += 1;
    }
    keys
}

/// By the columns of the first line that has any.
fn lines(text: &[u8]) -> Option<Format> {
    let line = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty())?;
    let line = std::str::from_utf8(line).ok()?;
    if line.starts_with("imagesource:") || line.starts_with("gsd:") {
        return Some(Format::Dota);
    }
    let columns: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_number = |text: &&str| text.parse::<f64>().is_ok();
    let numbers = |range: std::ops::Range<usize>| columns.get(range).is_some_and(|some| some.iter().all(is_number));
    let count = columns.len();
    match () {
        () if count >= 5 && numbers(0..5) && numbers(0..count) => Some(Format::Yolo),
        () if count >= 9 && numbers(0..8) => Some(Format::Dota),
        () if count >= 15 && !is_number(&columns[0]) && numbers(count - 12..count) => Some(Format::Kitti),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_the_format() {
        for (name, head, format) in [
            ("x", "[{\"data\": {\"image\": \"a.jpg\"}}]", Some(Format::LabelStudio)),
            ("x", "[{\"image\": \"a.jpg\", \"annotations\": [{\"coordinates\": {", Some(Format::CreateMl)),
            ("x", "{\"dm_format_version\": \"1.0\", \"categories\": {", Some(Format::Datumaro)),
            ("x", "{\"frame_id\": 1, \"labels\": [", Some(Format::Recorder)),
            ("x", "{\"version\": \"5\", \"shapes\": [", Some(Format::LabelMe)),
            ("x", "{\"a.jpg12\": {\"filename\": \"a.jpg\", \"regions\": [", Some(Format::Via)),
            ("x", "\u{feff} {\"categories\": [", Some(Format::Coco)),
            ("x", "<!-- a <b> --><!DOCTYPE x><annotations>", Some(Format::Cvat)),
            ("x", "<html>", None),
            ("data.yaml", "names: [a]", Some(Format::Yolo)),
            ("a.txt", "1 2 3 4 5 6 7 8 ship 0", Some(Format::Dota)),
            ("a.txt", "Car 0 0 0 1 2 3 4 0 0 0 0 0 0 0", Some(Format::Kitti)),
            ("a.csv", "ImageID,Source", Some(Format::OpenImages)),
            ("a.json", "{\"name\": 1}", None),
            ("a.json", "{\"open\\", None),
        ] {
            assert_eq!(detect(name, head.as_bytes()), format, "{head}");
            // The same by two bytes a character, of either order, with its mark or without.
            for mark in ["", "\u{feff}"] {
                let units: Vec<u16> =
                    mark.encode_utf16().chain(head.trim_start_matches('\u{feff}').encode_utf16()).collect();
                let tells = !mark.is_empty() || matches!(units[0], 0x3c | 0x5b | 0x7b);
                for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                    let wide: Vec<u8> = units.iter().flat_map(|unit| bytes(*unit)).collect();
                    // Only of some names is the name enough, and a table is one of UTF-8.
                    let known = (tells || name == "data.yaml") && name != "a.csv";
                    assert_eq!(detect(name, &wide), format.filter(|_| known), "{wide:?}");
                }
            }
        }
        assert!(Format::ALL.iter().all(|format| Format::from_word(format.word()) == Some(*format)));
    }
}
