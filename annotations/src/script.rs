//! How a format is written: some pictures at a time, and what formats lose alike.

use super::{
    Annotation, Flags, Id, Labels, Loss, Losses, Picture, Rect, Shape, holes::holes, listing::stem, xml::is_held,
};
use crate::Result;

/// Takes the bytes of a file, piece by piece.
pub type Put<'p> = &'p mut dyn FnMut(&[u8]) -> Result<()>;

/// Takes files, each by its name.
pub type PutFile<'p> = &'p mut dyn FnMut(&str, &[u8]) -> Result<()>;

/// Bytes that are gathered before they go out.
pub(super) const PIECE: usize = 64 << 10;

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
    /// For what writes a format.
    pub(crate) fn of(script: Box<dyn Script>) -> Steps {
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

    /// Losses so far.
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

/// Losses of formats that identify images and classes by name alone.
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

/// Losses of classes in formats that store only their names.
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

/// The outlines of an annotation, for a format that stores no box next to them: those with an area. Nothing if there is none, or the annotation has
/// no outline: then a box is to be written.
pub(crate) fn outlines<'a>(annotation: &'a Annotation, losses: &mut Losses) -> Vec<&'a [[f64; 2]]> {
    let Shape::Polygon(parts) = &annotation.shape else { return Vec::new() };
    let around = |part: &[[f64; 2]]| Rect::around(part.iter().copied());
    let has_area = |part: &&[[f64; 2]]| part.len() >= 3 && around(part).is_some_and(|rect| rect.area() > 0.0);
    if !parts.iter().map(Vec::as_slice).all(|part| has_area(&part)) {
        losses.add(Loss::Outline);
    }
    let holes = holes(parts);
    if holes.contains(&true) {
        losses.add(Loss::Hole);
    }
    let around_holes = parts.iter().zip(&holes).filter(|(_, is_hole)| !**is_hole);
    let kept: Vec<&[[f64; 2]]> = around_holes.map(|(part, _)| part.as_slice()).filter(has_area).collect();
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
