//! The readers, by the names that the twins give to formats.

use forebay::{
    Result,
    annotations::{Labels, ReadOptions, coco, createml, labelme, labelstudio, via},
};

use crate::twins::Case;

/// How a case is read.
pub type Read = fn(&Case, &ReadOptions) -> Result<Labels>;

/// The reader of a format; `None` where there is none yet.
pub fn reader(format: &str) -> Option<Read> {
    let read: Read = match format {
        "coco" => |case, options| coco::read(&case.entry_bytes(), options),
        "label_studio" | "label_studio_min" => |case, options| labelstudio::read(&case.entry_bytes(), options),
        "via" => |case, options| via::read(&case.entry_bytes(), options),
        "createml" => |case, options| createml::read(&case.entry_bytes(), options),
        "labelme_json" => |case, options| {
            let files: Vec<(String, Vec<u8>)> =
                case.files("json").into_iter().map(|name| (name.clone(), case.bytes(&name))).collect();
            labelme::read_all(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())), options)
        },
        _ => return None,
    };
    Some(read)
}
