//! The readers, by the names that the twins give to formats.

use forebay::{
    Result,
    annotations::{
        Labels, Listing, ReadOptions, Shape, coco, createml, cvat, datumaro, dota, kitti, labelme, labelstudio,
        open_images, via, voc, yolo,
    },
    image::probe,
};

use super::twins::Case;

/// How a case is read.
pub type Read = fn(&Case, &ReadOptions) -> Result<Labels>;

/// The reader of a format; `None` where there is none yet.
pub fn reader(format: &str) -> Option<Read> {
    let read: Read = match format {
        "coco" => |case, options| coco::read(&case.entry_bytes(), options),
        "label_studio" | "label_studio_min" => |case, options| labelstudio::read(&case.entry_bytes(), options),
        "via" => |case, options| via::read(&case.entry_bytes(), options),
        "datumaro_json" => |case, options| {
            let mut labels = datumaro::read(&case.entry_bytes(), options)?;
            // The twin was made by a reader that passes over masks.
            labels.pictures.iter_mut().for_each(|p| p.annotations.retain(|a| !matches!(a.shape, Shape::Mask(_))));
            Ok(labels)
        },
        "createml" => |case, options| createml::read(&case.entry_bytes(), options),
        "labelme_json" => |case, options| {
            let files: Vec<(String, Vec<u8>)> =
                case.files("json").into_iter().map(|name| (name.clone(), case.bytes(&name))).collect();
            labelme::read_all(files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())), options)
        },
        "cvat" | "cvat_video" => |case, options| cvat::read(&case.entry_bytes(), options),
        "yolo" => yolo_set,
        "voc" | "labelme_xml" => |case, options| beside(case, voc::read_all(each(&files(case, "xml")), options)),
        "kitti" => |case, options| beside(case, kitti::read_all(each(&files(case, "txt")), options)),
        "dota" => |case, options| beside(case, dota::read_all(each(&files(case, "txt")), options)),
        "openimages" => |case, options| {
            let pictures = listing(case);
            let size = |id: &str| Ok(pictures.picture(id).and_then(|name| size(case, name)));
            let names = case.bytes("annotations/class-descriptions.csv");
            beside(case, open_images::read(&case.entry_bytes(), Some(&names), size, options))
        },
        _ => return None,
    };
    Some(read)
}

/// The files of a case with an extension, by their names without the first folder. One that a recipe makes is the only one.
fn files(case: &Case, extension: &str) -> Vec<(String, Vec<u8>)> {
    let mut names = case.files(extension);
    if names.is_empty() {
        names.extend(case.entry().map(str::to_owned));
    }
    let inside = |name: &str| name.split_once('/').map_or(name, |(_, inside)| inside).to_owned();
    names.into_iter().map(|name| (inside(&name), case.bytes(&name))).collect()
}

fn each(files: &[(String, Vec<u8>)]) -> impl Iterator<Item = (&str, &[u8])> {
    files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
}

/// The pictures that belong to a case.
fn listing(case: &Case) -> Listing {
    case.pictures().into_iter().map(|(name, _)| name).collect()
}

fn size(case: &Case, name: &str) -> Option<(u32, u32)> {
    let (_, truth) = case.pictures().into_iter().find(|(one, _)| one == name)?;
    let probed = probe(&case.picture(&truth));
    Some((probed.width, probed.height))
}

/// Labels whose pictures have the names of those that belong to the case. Label files in a folder of their own kind say less
/// than these: what is not found as a whole is looked for from the next folder on.
fn beside(case: &Case, labels: Result<Labels>) -> Result<Labels> {
    let mut labels = labels?;
    let pictures = listing(case);
    for picture in &mut labels.pictures {
        while pictures.picture(&picture.name).is_none() {
            let Some((_, inside)) = picture.name.split_once('/') else { break };
            picture.name = inside.to_owned();
        }
    }
    labels.find_pictures(&pictures);
    Ok(labels)
}

fn yolo_set(case: &Case, options: &ReadOptions) -> Result<Labels> {
    let mut names: Vec<String> = case.pictures().into_iter().map(|(name, _)| name).collect();
    for extension in ["txt", "yaml", "data", "names"] {
        names.extend(case.files(extension));
    }
    let mut options = options.clone();
    if case.entry().is_none() {
        let classes = case.twin["classes"].as_array().unwrap();
        options.classes = Some(classes.iter().map(|name| name.as_str().unwrap().to_owned()).collect());
    }
    let mut bytes = |name: &str| Ok(case.bytes(name));
    yolo::read_folder(&names.into_iter().collect(), &options, &mut bytes, &mut |name| Ok(size(case, name)))
}
