//! What the pictures themselves say is taken in: their sizes, and how EXIF turns them.

use crate::error::{Error, Result};

use super::{Cause, Exif, Format, Labels, Notes, Picture, ReadOptions, Rect, Shape, Turn, codes};

/// What a picture's own bytes say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Pixels across, as stored.
    pub width: u32,
    /// Pixels down, as stored.
    pub height: u32,
    /// How it is turned for the eye.
    pub turn: Turn,
}

impl Labels {
    /// Takes in what the pictures themselves say; `look` finds one by its name.
    ///
    /// A picture's own size counts, unless places are fractions of what the file says: then another size is another
    /// picture, and refused. Of a picture that EXIF turns, [`ReadOptions::exif`] says in which raster its boxes are to be.
    /// Those of a file that gives the size of the other raster are moved; any other file is taken to mean this one.
    pub fn told(
        &mut self,
        format: Format,
        options: &ReadOptions,
        mut look: impl FnMut(&str) -> Result<Option<Seen>>,
    ) -> Result<()> {
        for picture in &mut self.pictures {
            let line = picture.line;
            let named = |e: Error| match line {
                Some(line) => e.line(line, 0),
                None => e,
            };
            let Some(seen) = look(&picture.name)? else {
                let message = format!("there is not an image {:?}", picture.name);
                return Err(named(Error::new(&codes::PICTURE, message)));
            };
            picture.told(seen, format, options, &mut self.notes).map_err(named)?;
        }
        Ok(())
    }
}

impl Picture {
    /// Takes in what the picture itself says, as [`Labels::told`] does for all of them.
    pub fn told(&mut self, seen: Seen, format: Format, options: &ReadOptions, notes: &mut Notes) -> Result<()> {
        let masks = |picture: &Picture| {
            picture.annotations.iter().filter(|one| matches!(one.shape, Shape::Mask(_))).count() as u64
        };
        let before = masks(self);
        if tell(self, seen, format, options)?.wrong {
            notes.add(Cause::SizeWrong);
        }
        notes.add_many(Cause::TurnedMask, before - masks(self));
        if !seen.turn.is_none() {
            notes.add(Cause::Turned);
        }
        Ok(())
    }
}

struct Told {
    wrong: bool,
}

impl Picture {
    /// Whether the labels say that its boxes lie in the picture as it is seen, or in the stored raster.
    fn is_as_seen(&self, seen: Seen, format: Format) -> Option<bool> {
        // Label Studio shows pictures as they are seen, also square ones.
        if format == Format::LabelStudio {
            return Some(true);
        }
        let stored = (seen.width, seen.height);
        let shown = seen.turn.size(seen.width, seen.height);
        let masks = self.annotations.iter().filter_map(|one| match &one.shape {
            Shape::Mask(mask) => Some((mask.width(), mask.height())),
            _ => None,
        });
        let said = self.size().filter(|_| !self.assumed).into_iter().chain(masks);
        said.filter(|_| stored != shown).find_map(|said| match said {
            _ if said == shown => Some(true),
            _ if said == stored => Some(false),
            _ => None,
        })
    }

    /// Refuses boxes of a turned picture if the labels do not say in which raster they are.
    #[doc(hidden)]
    pub fn refuse_unknown_raster(&self, seen: Seen, format: Format) -> Result<()> {
        match seen.turn.is_none() || self.annotations.is_empty() || self.is_as_seen(seen, format).is_some() {
            true => Ok(()),
            false => Err(self.ambiguous()),
        }
    }

    fn ambiguous(&self) -> Error {
        let message = format!("EXIF turns {:?}, and nothing says in which raster its boxes are", self.name);
        Error::new(&codes::AMBIGUOUS, message).with_options(&["exif"])
    }
}

fn tell(picture: &mut Picture, seen: Seen, format: Format, options: &ReadOptions) -> Result<Told, Error> {
    let stored = (seen.width, seen.height);
    let shown = seen.turn.size(seen.width, seen.height);
    let said = picture.size().filter(|_| !picture.assumed);
    let is_known = said.is_none_or(|said| said == stored || said == shown);
    if !is_known && format == Format::LabelStudio {
        let (width, height) = said.unwrap_or_default();
        let message = format!(
            "the labels were made on an image of {width} x {height}, and {:?} has {} x {}",
            picture.name, stored.0, stored.1
        );
        return Err(Error::new(&codes::SIZE, message));
    }
    let mut size = stored;
    if !seen.turn.is_none() {
        let as_seen = picture.is_as_seen(seen, format);
        size = match options.exif {
            Some(Exif::Apply) => {
                if as_seen == Some(false) {
                    turned(picture, seen.turn, stored);
                } else if picture.shares {
                    scaled(picture, stored, shown);
                }
                shown
            }
            Some(Exif::Ignore) => {
                if as_seen == Some(true) {
                    turned(picture, seen.turn.back(), shown);
                }
                stored
            }
            Some(Exif::Refuse) => {
                return Err(Error::new(&codes::SIZE, format!("EXIF turns {:?}", picture.name)));
            }
            None if picture.annotations.is_empty() => stored,
            None => return Err(picture.ambiguous()),
        };
    }
    (picture.width, picture.height) = (Some(size.0), Some(size.1));
    Ok(Told { wrong: !is_known })
}

/// Shares of a picture that were made pixels of another size.
fn scaled(picture: &mut Picture, from: (u32, u32), to: (u32, u32)) {
    let [x, y] = [(to.0, from.0), (to.1, from.1)].map(|(to, from)| f64::from(to) / f64::from(from));
    for annotation in &mut picture.annotations {
        let Rect { x0, y0, x1, y1 } = annotation.rect;
        annotation.rect = Rect::new(x0 * x, y0 * y, x1 * x, y1 * y);
        annotation.keypoints.iter_mut().for_each(|point| (point.x, point.y) = (point.x * x, point.y * y));
        annotation.shape = match std::mem::take(&mut annotation.shape) {
            Shape::Polygon(mut parts) => {
                parts.iter_mut().flatten().for_each(|point| *point = [point[0] * x, point[1] * y]);
                Shape::Polygon(parts)
            }
            Shape::Rotated { .. } => Shape::Box,
            other => other,
        };
    }
}

/// Boxes of a raster of this size, as this turn shows them. A mask becomes the box around it.
fn turned(picture: &mut Picture, turn: Turn, (width, height): (u32, u32)) {
    let (w, h) = (f64::from(width), f64::from(height));
    for annotation in &mut picture.annotations {
        let point = |p: [f64; 2]| Turn::shown(p, turn, w, h);
        annotation.rect = turn.rect(annotation.rect, w, h);
        for keypoint in &mut annotation.keypoints {
            [keypoint.x, keypoint.y] = point([keypoint.x, keypoint.y]);
        }
        annotation.shape = match std::mem::take(&mut annotation.shape) {
            Shape::Polygon(parts) => {
                Shape::Polygon(parts.into_iter().map(|part| part.into_iter().map(point).collect()).collect())
            }
            Shape::Rotated { unturned, degrees } => {
                let mut corners = unturned.corners(degrees).map(point);
                // A mirror turns their order around.
                if matches!(turn.exif(), 2 | 4 | 5 | 7) {
                    corners.swap(1, 3);
                }
                match Rect::from_corners(corners) {
                    Some((unturned, degrees)) => Shape::Rotated { unturned, degrees },
                    None => Shape::Box,
                }
            }
            Shape::Points => Shape::Points,
            Shape::Box | Shape::Mask(_) => Shape::Box,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Annotation;

    fn told(said: Option<(u32, u32)>, format: Format, exif: Option<Exif>) -> Result<(Rect, Option<(u32, u32)>)> {
        let mut picture = Picture::named("a.jpg");
        (picture.width, picture.height) = said.unzip();
        picture.annotations.push(Annotation::boxed(Rect::new(10.0, 20.0, 30.0, 60.0), None));
        let mut labels = Labels { pictures: vec![picture], ..Labels::default() };
        let seen = Seen { width: 320, height: 200, turn: Turn::from_exif(6) };
        labels.told(format, &ReadOptions { exif, ..ReadOptions::default() }, |_| Ok(Some(seen)))?;
        Ok((labels.pictures[0].annotations[0].rect, labels.pictures[0].size()))
    }

    #[test]
    fn masks_that_are_lost_by_a_turn_are_counted() {
        let mut picture = Picture::named("a.jpg");
        let mask = crate::Rle::new(4, 2, vec![1, 2, 5]).unwrap();
        let shape = Shape::Mask(Box::new(mask));
        picture.annotations.push(Annotation { shape, ..Annotation::boxed(Rect::new(0.0, 0.0, 2.0, 2.0), None) });
        for (exif, lost) in [(Exif::Ignore, 0), (Exif::Apply, 1)] {
            let mut labels = Labels { pictures: vec![picture.clone()], ..Labels::default() };
            let seen = Seen { width: 4, height: 2, turn: Turn::from_exif(6) };
            let options = ReadOptions { exif: Some(exif), ..ReadOptions::default() };
            labels.told(Format::Coco, &options, |_| Ok(Some(seen))).unwrap();
            assert_eq!(labels.notes.of(Cause::TurnedMask), lost, "{exif:?}");
        }
    }

    #[test]
    fn the_size_in_the_file_says_which_raster_was_meant() {
        let as_is = Rect::new(10.0, 20.0, 30.0, 60.0);
        let (stored, shown) = (Some((320, 200)), Some((200, 320)));
        assert_eq!(told(shown, Format::Coco, Some(Exif::Apply)).unwrap(), (as_is, shown));
        let (rect, size) = told(stored, Format::Coco, Some(Exif::Apply)).unwrap();
        assert_eq!((rect, size), (Rect::new(140.0, 10.0, 180.0, 30.0), shown));
        assert_eq!(told(stored, Format::Coco, Some(Exif::Ignore)).unwrap(), (as_is, stored));
        assert_eq!(told(shown, Format::LabelStudio, Some(Exif::Apply)).unwrap(), (as_is, shown));
        assert_eq!(told(stored, Format::Coco, None).unwrap_err().code().id(), "label.ambiguous");
        assert_eq!(told(stored, Format::Coco, Some(Exif::Refuse)).unwrap_err().code().id(), "label.size");
        assert_eq!(told(Some((9, 9)), Format::LabelStudio, Some(Exif::Apply)).unwrap_err().code().id(), "label.size");
        assert_eq!(told(Some((9, 9)), Format::Coco, Some(Exif::Ignore)).unwrap(), (as_is, stored));
    }
}
