//! Which formats are one file and which are one a picture, and how each is written.

use crate::{
    Result,
    error::{Code, Error},
    words::Word,
};

use super::{
    Annotation, Flags, Format, Labels, Loss, Losses, Shape, coco, codes, createml, cvat, labelme, labelstudio,
    listing::stem, via, voc, yolo,
};

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
    let mut losses = class_details(labels);
    let names = label_names(labels, "json");
    for (picture, name) in labels.pictures.iter().zip(names) {
        if let Some(text) = labelme::write(picture, &labels.classes, &mut losses) {
            put(&name, text.as_bytes())?;
        }
    }
    Ok(losses)
}

/// Names of files with labels beside pictures: the picture's, with another extension. Two pictures that differ in theirs
/// alone keep them, and so does one whose name without it is that of another.
pub(crate) fn label_names(labels: &Labels, extension: &str) -> Vec<String> {
    let mut seen = std::collections::HashMap::<&str, u32>::new();
    for picture in &labels.pictures {
        *seen.entry(stem(&picture.name)).or_default() += 1;
    }
    let whole: std::collections::HashSet<&str> = labels.pictures.iter().map(|picture| picture.name.as_str()).collect();
    let names = labels.pictures.iter().map(|picture| match stem(&picture.name) {
        stem if seen.get(stem) == Some(&1) && (stem == picture.name || !whole.contains(stem)) => {
            format!("{stem}.{extension}")
        }
        _ => format!("{}.{extension}", picture.name),
    });
    names.collect()
}

/// What formats lose of classes that have names there and nothing else.
pub(crate) fn class_details(labels: &Labels) -> Losses {
    let mut losses = Losses::default();
    losses.add_many(Loss::ClassDetail, labels.classes.iter().filter(|class| class.has_details()).count() as u64);
    losses
}

/// Counts what a format cannot say of an annotation beside what marks it and its class, if it has these flags and the
/// attributes that `has` accepts.
pub(crate) fn told(annotation: &Annotation, flags: Flags, has: impl Fn(&str, &str) -> bool, losses: &mut Losses) {
    let said = annotation.flags;
    let pairs = [
        (said.crowd, flags.crowd),
        (said.difficult, flags.difficult),
        (said.truncated, flags.truncated),
        (said.occluded, flags.occluded),
        (said.outside, flags.outside),
    ];
    for (lost, loss) in [
        (pairs.iter().any(|(said, has)| *said && !has), Loss::Flag),
        (!annotation.keypoints.is_empty() && annotation.shape != Shape::Points, Loss::Keypoints),
        (annotation.attributes.iter().any(|(key, value)| !has(key, value)), Loss::Attributes),
        (annotation.score.is_some(), Loss::Score),
        (annotation.track.is_some(), Loss::Track),
        (annotation.source.is_some(), Loss::Source),
    ] {
        if lost {
            losses.add(loss);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::{Class, Id, Picture, Rect, Source};

    #[test]
    fn no_two_pictures_have_the_same_file_of_labels() {
        let pictures = ["a.jpg", "a.png", "a.jpg.png", "b", "c/b.x", ".d"].map(Picture::named).to_vec();
        let labels = Labels { pictures, ..Labels::default() };
        let expected = ["a.jpg.json", "a.png.json", "a.jpg.png.json", "b.json", "c/b.json", ".d.json"];
        assert_eq!(label_names(&labels, "json"), expected);
    }

    #[test]
    fn every_writer_counts_who_made_an_annotation_and_what_is_known_of_classes() {
        let mut labels = Labels::default();
        let class = Class { id: Some(Id::Number(18)), group: Some("animal".into()), ..Class::named("dog") };
        let class = labels.classes.add(class).ok();
        let mut one = Annotation::boxed(Rect::new(1.0, 2.0, 3.0, 4.0), class);
        one.source = Some(Source::Simulator);
        let size = Some(9);
        labels.pictures =
            vec![Picture { width: size, height: size, annotations: vec![one], ..Picture::named("a.jpg") }];
        for format in written() {
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut |_| Ok(())),
                Writer::Files(write) => write(&labels, &mut |_, _| Ok(())),
            };
            let losses = losses.unwrap();
            assert_eq!(losses.of(Loss::Source), 1, "{format:?}");
            // COCO has a place for all of it.
            assert_eq!(losses.of(Loss::ClassDetail), u64::from(format != Format::Coco), "{format:?}");
        }
    }
}
