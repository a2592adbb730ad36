//! Pascal VOC's labels: an XML file for each picture.
//!
//! By the rules of its makers the first pixel has the number 1 and corners are pixels inside of the box. Most tools count
//! from 0 all the same, and no file says which: [`ReadOptions::voc_base`](super::ReadOptions::voc_base) has to. What is
//! written here is counted from 1.
//!
//! The outermost element is that of LabelMe's old files too; they are read as well, and always count from 0.

mod labelme;
mod read;
mod write;

pub use read::read;
pub use write::write;

/// The name of a picture by the name of its labels, which real exports keep right more often than what stands in them:
/// the labels' own folders and stem with the ending that the file says.
///
/// ```
/// use forebay::annotations::voc::picture_name;
/// assert_eq!(picture_name("sub/a.v1.xml", "elsewhere/b.jpg"), "sub/a.v1.jpg");
/// assert_eq!(picture_name("a.xml", "a"), "a");
/// ```
pub fn picture_name(labels: &str, said: &str) -> String {
    let stem = labels.strip_suffix(".xml").or_else(|| labels.strip_suffix(".XML")).unwrap_or(labels);
    match super::base_name(said).rsplit_once('.') {
        Some((_, ending)) => format!("{stem}.{ending}"),
        None => stem.to_owned(),
    }
}

/// Where the labels of a picture belong.
///
/// ```
/// assert_eq!(forebay::annotations::voc::label_name("sub/a.v1.jpg"), "Annotations/sub/a.v1.xml");
/// ```
pub fn label_name(picture: &str) -> String {
    let folder = picture.rfind('/').map_or(0, |at| at + 1);
    let stem = picture[folder..].rfind('.').filter(|at| *at > 0).map_or(picture, |at| &picture[..folder + at]);
    format!("Annotations/{stem}.xml")
}
