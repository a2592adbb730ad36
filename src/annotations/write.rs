//! Which formats are one file and which are one a picture, and how each is written.

use crate::{
    Result,
    error::{Code, Error},
    words::Word,
};

use super::{Format, Labels, Losses, coco, codes, createml, cvat, labelme, labelstudio, via, voc, yolo};

/// Takes the bytes of a file, piece by piece.
pub type Put<'p> = &'p mut dyn FnMut(&[u8]) -> Result<()>;

/// Takes files, each by its name.
pub type PutFile<'p> = &'p mut dyn FnMut(&str, &[u8]) -> Result<()>;

/// How a format is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Writer {
    /// One file, piece by piece.
    File(fn(&Labels, Put<'_>) -> Result<Losses>),
    /// Several files, each by its name.
    Files(fn(&Labels, PutFile<'_>) -> Result<Losses>),
}

/// How a format is written.
///
/// # Errors
///
/// `label.unsupported` for a format that is only read.
pub fn writer(format: Format) -> Result<Writer> {
    const UNSUPPORTED: &Code = &codes::UNSUPPORTED;
    Ok(match format {
        Format::Coco => Writer::File(coco::write),
        Format::LabelStudio => Writer::File(labelstudio::write),
        Format::Via => Writer::File(via::write),
        Format::CreateMl => Writer::File(createml::write),
        Format::Cvat => Writer::File(cvat::write),
        Format::LabelMe => Writer::Files(labelme_files),
        Format::Voc => Writer::Files(voc::write_all),
        Format::Yolo => Writer::Files(|labels, put| yolo::write(labels, None, put)),
        _ => return Err(Error::new(UNSUPPORTED, format!("labels are not written as {}", format.word()))),
    })
}

/// Formats that are written.
pub fn written() -> impl Iterator<Item = Format> {
    Format::ALL.iter().copied().filter(|format| writer(*format).is_ok())
}

fn labelme_files(labels: &Labels, put: PutFile<'_>) -> Result<Losses> {
    let mut losses = Losses::default();
    let names = label_names(labels, "json");
    for (picture, name) in labels.pictures.iter().zip(names) {
        if let Some(text) = labelme::write(picture, &labels.classes, &mut losses) {
            put(&name, text.as_bytes())?;
        }
    }
    Ok(losses)
}

/// Names of files with labels beside pictures: the picture's, with another extension. Two pictures that differ in theirs
/// alone keep them.
pub(crate) fn label_names(labels: &Labels, extension: &str) -> Vec<String> {
    let stem = |name: &str| {
        let start = name.len() - super::base_name(name).len();
        let dot = name[start..].rfind('.').filter(|at| *at > 0).map_or(name.len(), |at| start + at);
        name[..dot].to_owned()
    };
    let mut seen = std::collections::HashMap::<String, u32>::new();
    for picture in &labels.pictures {
        *seen.entry(stem(&picture.name)).or_default() += 1;
    }
    let names = labels.pictures.iter().map(|picture| match stem(&picture.name) {
        stem if seen.get(&stem) == Some(&1) => format!("{stem}.{extension}"),
        _ => format!("{}.{extension}", picture.name),
    });
    names.collect()
}
