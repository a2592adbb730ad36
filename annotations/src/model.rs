//! An annotation, a picture, and the labels of a set of pictures.

use super::{Cause, Classes, Clip, Id, Notes, Rect, Rle, kept::Kept};

/// What an annotation marks its object with. [`Annotation::rect`] is the upright rectangle around it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// A box: the annotation's own rectangle.
    #[default]
    Box,
    /// A box that was turned clockwise about its center.
    Rotated {
        /// The box before the turn.
        unturned: Rect,
        /// The turn, clockwise as it is seen.
        degrees: f64,
    },
    /// One or more outlines, of which one inside another is a hole.
    Polygon(Vec<Vec<[f64; 2]>>),
    /// The pixels that belong to the object.
    Mask(Box<Rle>),
    /// Only key points.
    Points,
}

/// A key point, in the order that its class names them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keypoint {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
    /// As COCO counts it: 0 is not marked, 1 is marked and hidden, 2 is seen.
    pub visibility: u8,
}

/// The author of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// A person.
    Human,
    /// A model's prediction.
    Model,
    /// A simulator, that knows where things are.
    Simulator,
}

impl Source {
    /// Its word in records and filters.
    pub fn word(self) -> &'static str {
        match self {
            Source::Human => "human",
            Source::Model => "model",
            Source::Simulator => "simulator",
        }
    }
}

/// What is said of an annotation with yes or no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Flags {
    /// It marks a group of objects that could not be told apart. Some tools say so of every mask.
    pub crowd: bool,
    /// It is hard to see, and not counted in some scores.
    pub difficult: bool,
    /// The object goes on beyond the picture.
    pub truncated: bool,
    /// Something stands in front of the object.
    pub occluded: bool,
    /// The object is not in the picture: in a video, where a track leaves it. No truth to learn from.
    pub outside: bool,
}

/// One object in one picture.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Annotation {
    /// What marks it.
    pub shape: Shape,
    /// The upright rectangle around it as the file says it, before any clip: it may leave the picture or be empty.
    pub rect: Rect,
    /// Its class, a number in [`Classes`]; `None` where the file names none.
    pub class: Option<u32>,
    /// How sure its maker is, where the file says so.
    pub score: Option<f64>,
    /// Who made it, where the file says so.
    pub source: Option<Source>,
    /// What is said of it with yes or no.
    pub flags: Flags,
    /// Its key points.
    pub keypoints: Vec<Keypoint>,
    /// Whatever else the file says of it, as text.
    pub attributes: Vec<(String, String)>,
    /// What the file calls it by. Real files repeat these: nothing is found by them.
    pub id: Option<Id>,
    /// The track of a video that it belongs to.
    pub track: Option<i64>,
    /// What only COCO has a place for.
    pub(crate) own: Kept,
}

impl Annotation {
    /// A plain box.
    pub fn boxed(rect: Rect, class: Option<u32>) -> Annotation {
        Annotation { rect, class, ..Annotation::default() }
    }

    /// A box that was turned clockwise about its center.
    pub fn rotated(unturned: Rect, degrees: f64, class: Option<u32>) -> Annotation {
        let shape = match super::geometry::is_upright(degrees) {
            true => Shape::Box,
            false => Shape::Rotated { unturned, degrees },
        };
        Annotation { shape, rect: unturned.envelope(degrees), class, ..Annotation::default() }
    }

    /// One or more outlines; `None` where they have no point.
    pub fn polygon(parts: Vec<Vec<[f64; 2]>>, class: Option<u32>) -> Option<Annotation> {
        let rect = Rect::around(parts.iter().flatten().copied())?;
        Some(Annotation { shape: Shape::Polygon(parts), rect, class, ..Annotation::default() })
    }

    /// Whether something marks it more closely than its rectangle.
    pub fn is_box(&self) -> bool {
        self.shape == Shape::Box
    }
}

/// A picture and what is marked in it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// Its name as the file says it, relative to the folder of the pictures: [`checked_name`](super::checked_name)
    /// let it pass.
    pub name: String,
    /// Pixels across, where the file or the picture itself said so.
    pub width: Option<u32>,
    /// Pixels down.
    pub height: Option<u32>,
    /// What the file calls it by.
    pub id: Option<Id>,
    /// What is marked in it. None is a true negative, unless [`unlabelled`](Self::unlabelled).
    pub annotations: Vec<Annotation>,
    /// Nobody has looked at it yet: what it shows is not known.
    pub unlabelled: bool,
    /// Where the file names it: its line, from 1, if it has lines.
    pub line: Option<u64>,
    /// Labels of another program: its size is what the sample has, and not what they say.
    pub(crate) assumed: bool,
    /// Its places were shares, of which pixels were made by that size.
    pub(crate) shares: bool,
}

impl Picture {
    /// A picture of which only the name is known.
    pub fn named(name: impl Into<String>) -> Picture {
        Picture { name: name.into(), ..Picture::default() }
    }

    /// Its size, if it is known.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.width.zip(self.height).filter(|(width, height)| *width > 0 && *height > 0)
    }
}

/// The labels of a set of pictures.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Labels {
    /// The classes.
    pub classes: Classes,
    /// The pictures, in the order in which the files name them.
    pub pictures: Vec<Picture>,
    /// What was found while reading, counted by cause.
    pub notes: Notes,
}

impl Labels {
    /// How many annotations there are.
    pub fn annotations(&self) -> usize {
        self.pictures.iter().map(|picture| picture.annotations.len()).sum()
    }

    /// Counts what a picture of known size leaves of its boxes, and what marks them, in [`notes`](Self::notes).
    pub fn count(&mut self) {
        for picture in &self.pictures {
            self.notes.count(picture);
        }
    }
}

impl Picture {
    /// What the picture leaves of an annotation's rectangle; all of it where the size is not known.
    pub fn clip(&self, annotation: &Annotation) -> Clip {
        let (width, height) = self.size().map_or((f64::INFINITY, f64::INFINITY), |(w, h)| (w.into(), h.into()));
        match self.size() {
            Some(_) => annotation.rect.clipped(width, height),
            None if annotation.rect.width() > 0.0 && annotation.rect.height() > 0.0 => Clip::Whole(annotation.rect),
            None => Clip::Nothing,
        }
    }
}

impl Notes {
    /// Counts what marks an annotation.
    pub(super) fn count_shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Box => {}
            Shape::Rotated { .. } => self.add(Cause::Rotated),
            Shape::Polygon(_) => self.add(Cause::Polygon),
            Shape::Mask(_) => self.add(Cause::Mask),
            Shape::Points => self.add(Cause::Points),
        }
    }

    /// Counts a picture's annotations: what marks them, and what the picture leaves of them where its size is known.
    pub fn count(&mut self, picture: &Picture) {
        if picture.unlabelled {
            self.add(Cause::Unlabelled);
        }
        if picture.size().is_none() {
            self.add(Cause::SizeMissing);
        }
        for annotation in &picture.annotations {
            self.count_shape(&annotation.shape);
            if annotation.flags.crowd {
                self.add(Cause::Crowd);
            }
            if annotation.flags.outside {
                self.add(Cause::Outside);
            }
            if annotation.class.is_none() {
                self.add(Cause::NoClass);
            }
            match picture.clip(annotation) {
                Clip::Whole(_) => {}
                Clip::Cut(_) => self.add(Cause::Clipped),
                Clip::Nothing => self.add(Cause::DroppedEmpty),
            }
        }
    }
}
