//! Which formats are one file and which are one a picture, and how each is written: at once, or some pictures at a time.

use crate::{
    Result,
    error::{Code, Error},
    words::Word,
};

use super::{
    Annotation, Flags, Format, Id, Labels, Loss, Losses, Picture, Rect, Shape, coco, codes, createml, cvat, labelme,
    labelstudio, listing::stem, via, voc, xml::is_held, yolo,
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

/// Bytes that are gathered before they go out.
const PIECE: usize = 64 << 10;

/// Where a format writes to: the text of its only file, or files by their names.
pub(crate) struct Out<'p> {
    pub text: &'p mut String,
    pub losses: &'p mut Losses,
    put: PutFile<'p>,
    /// Bytes that went out.
    sent: usize,
}

impl Out<'_> {
    /// Hands over a whole file.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.sent += bytes.len();
        (self.put)(name, bytes)
    }

    /// Lets the text go out if there is enough of it; whether enough went out by now.
    fn flow(&mut self, least: usize) -> Result<bool> {
        if self.text.len() >= least {
            self.sent += self.text.len();
            (self.put)("", self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(self.sent >= PIECE)
    }
}

/// How a format is written: what stands before the pictures, of each picture, and behind them.
pub(crate) trait Script: std::fmt::Debug + Send {
    /// How often it goes through the pictures.
    fn passes(&self) -> u32 {
        1
    }
    fn begin(&mut self, labels: &Labels, out: &mut Out<'_>) -> Result<()>;
    fn picture(&mut self, labels: &Labels, i: usize, pass: u32, out: &mut Out<'_>) -> Result<()>;
    /// Behind the pictures of a pass.
    fn end(&mut self, _: &Labels, _: u32, _: &mut Out<'_>) -> Result<()> {
        Ok(())
    }
}

/// Labels written some pictures at a time, for hosts that let go what was written before there is more: the same bytes.
#[doc(hidden)]
#[derive(Debug)]
pub struct Steps {
    script: Box<dyn Script>,
    begun: bool,
    pass: u32,
    next: usize,
    text: String,
    losses: Losses,
}

impl Steps {
    /// For a format.
    ///
    /// # Errors
    ///
    /// `label.unsupported` for a format that is only read.
    pub fn new(format: Format) -> Result<Steps> {
        writer(format)?;
        Ok(Steps::of(match format {
            Format::LabelStudio => Box::new(labelstudio::Script::default()),
            Format::Via => Box::new(via::Script::default()),
            Format::CreateMl => Box::new(createml::Script::default()),
            Format::Cvat => Box::new(cvat::Script::default()),
            Format::LabelMe => Box::new(labelme::Script::default()),
            Format::Voc => Box::new(voc::Script::default()),
            Format::Yolo => Box::new(yolo::Script::default()),
            _ => Box::new(coco::Script::default()),
        }))
    }

    fn of(script: Box<dyn Script>) -> Steps {
        Steps { script, begun: false, pass: 0, next: 0, text: String::new(), losses: Losses::default() }
    }

    /// Writes what is next; `false` when all is written. `put` gets the name of a file, which is empty for the only one. The
    /// labels are the same every time.
    pub fn step(&mut self, labels: &Labels, put: PutFile<'_>) -> Result<bool> {
        let mut out = Out { text: &mut self.text, losses: &mut self.losses, put, sent: 0 };
        if !self.begun {
            self.script.begin(labels, &mut out)?;
            self.begun = true;
        }
        while self.pass < self.script.passes() {
            if self.next < labels.pictures.len() {
                self.script.picture(labels, self.next, self.pass, &mut out)?;
                self.next += 1;
                if out.flow(PIECE)? {
                    return Ok(true);
                }
                continue;
            }
            self.script.end(labels, self.pass, &mut out)?;
            (self.pass, self.next) = (self.pass + 1, 0);
        }
        out.flow(1)?;
        Ok(false)
    }

    /// What the format could not say so far.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }
}

/// Writes all of it, file by file.
pub(crate) fn files(script: impl Script + 'static, labels: &Labels, put: PutFile<'_>) -> Result<Losses> {
    let mut work = Steps::of(Box::new(script));
    while work.step(labels, put)? {}
    Ok(work.losses)
}

/// Writes all of it as one file.
pub(crate) fn file(script: impl Script + 'static, labels: &Labels, put: Put<'_>) -> Result<Losses> {
    files(script, labels, &mut |_, bytes| put(bytes))
}

fn labelme_files(labels: &Labels, put: PutFile<'_>) -> Result<Losses> {
    files(labelme::Script::default(), labels, put)
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

/// What formats lose that call pictures by their names only, and classes by theirs.
pub(crate) fn only_names(labels: &Labels) -> Losses {
    let mut losses = class_details(labels);
    lost_ids(labels, &mut losses);
    losses
}

/// Counts ids of pictures that are called by their names only.
pub(crate) fn lost_ids(labels: &Labels, losses: &mut Losses) {
    losses.add_many(Loss::Id, labels.pictures.iter().filter(|picture| picture.id.is_some()).count() as u64);
}

/// The pictures' numbers: their own where all have different ones, and from `first` on otherwise.
pub(crate) fn picture_ids(labels: &Labels, first: i64, losses: &mut Losses) -> Vec<i64> {
    let own: Option<Vec<i64>> = labels.pictures.iter().map(|picture| own_number(picture.id.as_ref())).collect();
    own.filter(|ids| is_distinct(ids)).unwrap_or_else(|| {
        let had = labels.pictures.iter().filter(|picture| picture.id.is_some()).count();
        losses.add_many(Loss::Id, had as u64);
        (first..).take(labels.pictures.len()).collect()
    })
}

pub(crate) fn own_number(id: Option<&Id>) -> Option<i64> {
    match id {
        Some(Id::Number(n)) => Some(*n),
        _ => None,
    }
}

pub(crate) fn is_distinct(ids: &[i64]) -> bool {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// What formats lose of classes that have names there and nothing else.
pub(crate) fn class_details(labels: &Labels) -> Losses {
    let mut losses = Losses::default();
    losses.add_many(Loss::ClassDetail, labels.classes.iter().filter(|class| class.has_details()).count() as u64);
    losses
}

/// What XML loses of classes: their details, and blanks around their names and characters in them that it cannot hold.
pub(crate) fn class_details_of_xml(labels: &Labels) -> Losses {
    let mut losses = class_details(labels);
    let changed = labels.classes.iter().filter(|class| !is_held(&class.name) || class.name.trim() != class.name);
    losses.add_many(Loss::Name, changed.count() as u64);
    losses
}

/// By how much the sides of a box and of an outline may differ and be rounded: boxes are written with few digits.
const ROUNDED: f64 = 0.05;

/// Counts a box that is not the one around the outline or mask that is written without it.
pub(crate) fn boxed_by(around: Rect, annotation: &Annotation, losses: &mut Losses) {
    let rect = annotation.rect;
    let sides = [(around.x0, rect.x0), (around.y0, rect.y0), (around.x1, rect.x1), (around.y1, rect.y1)];
    if sides.iter().any(|(a, b)| (a - b).abs() > ROUNDED) {
        losses.add(Loss::Rect);
    }
}

/// The outlines of an annotation that a format has no box beside: those with an area. Nothing if there is none, or the annotation has
/// no outline: then a box is to be written.
pub(crate) fn outlines<'a>(annotation: &'a Annotation, losses: &mut Losses) -> Vec<&'a [[f64; 2]]> {
    let Shape::Polygon(parts) = &annotation.shape else { return Vec::new() };
    let around = |part: &[[f64; 2]]| Rect::around(part.iter().copied());
    let has_area = |part: &&[[f64; 2]]| part.len() >= 3 && around(part).is_some_and(|rect| rect.area() > 0.0);
    let kept: Vec<&[[f64; 2]]> = parts.iter().map(Vec::as_slice).filter(has_area).collect();
    if kept.len() < parts.len() {
        losses.add(Loss::Outline);
    }
    if let Some(around) = Rect::around(kept.iter().flat_map(|part| part.iter().copied())) {
        boxed_by(around, annotation, losses);
    }
    kept
}

/// The annotations of objects that are in the picture. Formats that have no word for the others would make truth of them.
pub(crate) fn present<'a>(picture: &'a Picture, losses: &mut Losses) -> impl Iterator<Item = &'a Annotation> + use<'a> {
    let absent = picture.annotations.iter().filter(|one| one.flags.outside).count();
    losses.add_many(Loss::Outside, absent as u64);
    picture.annotations.iter().filter(|one| !one.flags.outside)
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
    use crate::{Class, Id, Picture, Rect, Source};

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

    #[test]
    fn a_box_beside_an_outline_or_a_mask_is_counted_where_it_is_lost() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("dog"));
        let wide = Rect::new(0.0, 0.0, 30.0, 30.0);
        let outline = |points: &[[f64; 2]]| {
            let one = Annotation::polygon(vec![points.to_vec()], class).unwrap();
            Annotation { rect: wide, ..one }
        };
        let mask = crate::Rle::new(40, 40, vec![95, 3, 37, 3, 1462]).unwrap();
        let mask = Annotation { shape: Shape::Mask(Box::new(mask)), ..Annotation::boxed(wide, class) };
        let annotations =
            vec![outline(&[[1.0, 2.0], [4.0, 2.0], [4.0, 6.0]]), outline(&[[1.0, 2.0], [4.0, 2.0]]), mask];
        let size = Some(40);
        labels.pictures = vec![Picture { width: size, height: size, annotations, ..Picture::named("a.jpg") }];
        // Of a line that only looks like an outline the box is written; so are masks, but in CVAT's XML.
        for (format, rects) in [(Format::Cvat, 2), (Format::LabelStudio, 1), (Format::LabelMe, 1), (Format::Via, 1)] {
            let mut text = Vec::new();
            let mut put = |bytes: &[u8]| {
                text.extend_from_slice(bytes);
                Ok(())
            };
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut put),
                Writer::Files(write) => write(&labels, &mut |_, bytes| put(bytes)),
            };
            let losses = losses.unwrap();
            assert_eq!((losses.of(Loss::Rect), losses.of(Loss::Outline)), (rects, 1), "{format:?}");
            let options = crate::ReadOptions::default();
            let back = match format {
                Format::Cvat => cvat::read(&text, &options),
                Format::LabelStudio => labelstudio::read(&text, &options),
                Format::LabelMe => labelme::read_all([("a.json", &text[..])], &options),
                _ => via::read(&text, &options),
            };
            assert_eq!(back.unwrap().pictures[0].annotations[1].rect, wide, "{format:?}");
        }
    }

    #[test]
    fn names_that_become_others_are_counted_or_refused() {
        let mut labels = Labels::default();
        for name in ["x", "x ", "y\u{1}"] {
            labels.classes.found(name);
        }
        labels.pictures = vec![Picture::named("a\u{1}b.jpg"), Picture::named("a b.jpg")];
        for format in [Format::Voc, Format::Cvat] {
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut |_| Ok(())),
                Writer::Files(write) => write(&labels, &mut |_, _| Ok(())),
            };
            assert_eq!(losses.unwrap().of(Loss::Name), 3, "{format:?}");
        }
        let Writer::Files(yolo) = writer(Format::Yolo).unwrap() else { return };
        assert_eq!(yolo(&labels, &mut |_, _| Ok(())).unwrap_err().code(), &codes::REPEATED);
    }

    #[test]
    fn a_box_of_any_size_is_read_back_from_percent() {
        let mut labels = Labels::default();
        let class = Some(labels.classes.found("dog"));
        let annotations = vec![Annotation::boxed(Rect::new(0.0, 0.0, 1e308, 1e308), class)];
        let size = Some(10);
        labels.pictures = vec![Picture { width: size, height: size, annotations, ..Picture::named("a.jpg") }];
        let mut text = Vec::new();
        let mut put = |bytes: &[u8]| {
            text.extend_from_slice(bytes);
            Ok(())
        };
        assert_eq!(labelstudio::write(&labels, &mut put).unwrap().of(Loss::Precision), 1);
        assert!(labelstudio::read(&text, &crate::ReadOptions::default()).is_ok());
    }

    #[test]
    fn some_pictures_at_a_time_are_the_same_bytes() {
        let mut labels = Labels::default();
        let class = labels.classes.add(Class::named("dog")).ok();
        let boxes = |n: u32| (0..n).map(|k| Annotation::boxed(Rect::new(0.5, 1.0, f64::from(k) + 2.25, 9.0), class));
        labels.pictures = (0..900)
            .map(|k| Picture {
                width: Some(640),
                height: Some(480),
                annotations: boxes(k % 7).collect(),
                unlabelled: k % 10 == 0,
                ..Picture::named(format!("{k}.jpg"))
            })
            .collect();
        for format in written() {
            let mut whole: Vec<(String, Vec<u8>)> = Vec::new();
            let mut put = |name: &str, bytes: &[u8]| {
                match whole.last_mut() {
                    Some((last, text)) if last == name => text.extend_from_slice(bytes),
                    _ => whole.push((name.to_owned(), bytes.to_vec())),
                }
                Ok(())
            };
            let losses = match writer(format).unwrap() {
                Writer::File(write) => write(&labels, &mut |bytes| put("", bytes)),
                Writer::Files(write) => write(&labels, &mut put),
            };
            let losses = losses.unwrap();
            let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
            let (mut work, mut turns) = (Steps::new(format).unwrap(), 0);
            let mut most = 0;
            loop {
                let mut sent = 0;
                let more = work.step(&labels, &mut |name, bytes| {
                    sent += bytes.len();
                    match parts.last_mut() {
                        Some((last, text)) if last == name => text.extend_from_slice(bytes),
                        _ => parts.push((name.to_owned(), bytes.to_vec())),
                    }
                    Ok(())
                });
                (turns, most) = (turns + 1, most.max(sent));
                if !more.unwrap() {
                    break;
                }
            }
            assert!(parts == whole && work.losses() == &losses, "{format:?}");
            assert!(turns > 1 && most < 2 * PIECE, "{format:?}: {turns} turns of up to {most} bytes");
        }
        assert_eq!(Steps::new(Format::Kitti).unwrap_err().code(), &codes::UNSUPPORTED);
    }
}
