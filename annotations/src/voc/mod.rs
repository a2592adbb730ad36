//! Pascal VOC's labels: an XML file for each picture.
//!
//! By the rules of its makers the first pixel has the number 1 and corners are pixels inside of the box. Most tools count
//! from 0 all the same, and no file says which: [`ReadOptions::voc_base`](super::ReadOptions::voc_base) has to. What is
//! written here is counted from 1.
//!
//! The outermost element is that of LabelMe's old files too; they are read as well, and always count from 0.

mod fields;
mod labelme;
mod read;
mod write;

use crate::error::Result;

use super::script::{Out, class_details_of_xml, files, label_names, lost_ids};
use super::{Labels, Loss, Losses, ReadOptions, base_name};

pub use read::read;
pub use write::write;

/// The name of a picture by the name of its labels, which real exports keep right more often than what stands in them:
/// the labels' own folders and stem with the ending that the file says.
///
/// ```
/// use forebay_annotations::voc::picture_name;
/// assert_eq!(picture_name("sub/a.v1.xml", "elsewhere/b.jpg"), "sub/a.v1.jpg");
/// assert_eq!(picture_name("a.xml", "a"), "a");
/// ```
pub fn picture_name(labels: &str, said: &str) -> String {
    let stem = labels.strip_suffix(".xml").or_else(|| labels.strip_suffix(".XML")).unwrap_or(labels);
    match base_name(said).rsplit_once('.') {
        // Two pictures that differ in their endings alone have these in the names of their labels.
        Some(_) if base_name(stem) == base_name(said) => stem.to_owned(),
        Some((_, ending)) => format!("{stem}.{ending}"),
        None => stem.to_owned(),
    }
}

/// Reads the labels of several pictures, by the names of their files in the folder of the labels.
pub fn read_all<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>, options: &ReadOptions) -> Result<Labels> {
    let mut labels = Labels::default();
    for (name, bytes) in files {
        let mut picture = read(bytes, &mut labels.classes, &mut labels.notes, options).map_err(|e| e.file(name))?;
        picture.name = picture_name(name, &picture.name);
        labels.pictures.push(picture);
    }
    Ok(labels)
}

/// Writes the labels of each picture into `Annotations/`. What the format cannot say is counted.
pub fn write_all(labels: &Labels, put: &mut dyn FnMut(&str, &[u8]) -> Result<()>) -> Result<Losses> {
    files(Script::default(), labels, put)
}

/// A file a picture.
#[derive(Debug, Default)]
pub(super) struct Script {
    names: Vec<String>,
}

impl super::script::Script for Script {
    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()> {
        *out.losses = class_details_of_xml(labels);
        lost_ids(labels, out.losses);
        self.names = label_names(labels, "xml");
        Ok(())
    }

    fn picture(&mut self, labels: &Labels, i: usize, _: u32, out: &mut Out<'_>) -> Result<()> {
        let (picture, name) = (&labels.pictures[i], &self.names[i]);
        if picture.unlabelled {
            out.losses.add(Loss::Unlabelled);
            return Ok(());
        }
        let text = write(picture, &labels.classes, out.losses);
        out.file(&format!("Annotations/{name}"), text.as_bytes())
    }
}
