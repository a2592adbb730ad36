//! Objects on their way into a batch: boxes, masks and key points where the picture was placed.

use forebay::{annotations::Raster, image::transform::Placement};

use super::{
    Cell, TargetKind,
    marks::{Mark, point_on},
};

/// How objects are laid into cells.
#[derive(Clone, Debug)]
pub(super) struct Lay {
    pub kind: TargetKind,
    /// Places for them; none where all are taken.
    pub places: Option<usize>,
    /// Key points of each.
    pub points: usize,
}

impl Lay {
    /// Empties the cells of a target: values, then mask, then classes, or, if all are taken, values, classes and, if they are
    /// padded, a mask.
    pub fn clear(&self, cells: &mut [Cell]) {
        cells.iter_mut().for_each(Cell::clear);
        if let (Some(_), [_, _, classes]) = (self.places, cells) {
            classes.integers().fill(-1);
        }
    }

    /// How many objects there are.
    fn count(&self, cells: &mut [Cell]) -> usize {
        match (self.places, cells) {
            (Some(_), [_, mask, _]) => mask.bytes().iter().take_while(|there| **there > 0).count(),
            (None, [_, classes, ..]) => classes.integers().len(),
            _ => 0,
        }
    }

    /// Adds the objects of a picture. Those of which the tensor shows nothing are left out, and of kinds other than key
    /// points those that only points mark, so that place `k` is the same object in all of them.
    pub fn add(
        &self,
        marks: &[Mark],
        placement: &Placement,
        size: (u32, u32),
        cells: &mut [Cell],
        raster: &mut Raster,
    ) {
        let (width, height) = (size.0 as usize, size.1 as usize);
        let seen = marks.iter().filter(|mark| mark.is_seen(placement, size));
        if self.kind == TargetKind::Semantic {
            let Some(pixels) = cells.first_mut().map(Cell::bytes) else { return };
            for mark in seen {
                // More classes than fit were refused; one that nobody knows is not drawn.
                let Some(value) = u8::try_from(mark.class + 1).ok().filter(|value| *value > 0) else { continue };
                draw(mark, placement, size, raster, pixels, value);
            }
            return;
        }
        let has_box = |mark: &&Mark| self.kind == TargetKind::Keypoints || mark.seen(placement).is_some();
        let (first, most) = (self.count(cells), self.places.unwrap_or(usize::MAX));
        for (k, mark) in (first..most).zip(seen.filter(has_box)) {
            let (values, rest) = match cells {
                [values, rest @ ..] => (values, rest),
                [] => return,
            };
            match self.kind {
                TargetKind::Boxes => {
                    values.grow((k + 1) * 4);
                    if let (Some(to), Some(seen)) =
                        (values.floats().as_chunks_mut::<4>().0.get_mut(k), mark.seen(placement))
                    {
                        let (w, h) = (f64::from(size.0), f64::from(size.1));
                        let sides = [seen.x / w, seen.y / h, (seen.x + seen.width) / w, (seen.y + seen.height) / h];
                        *to = sides.map(|side| side.clamp(0.0, 1.0) as f32);
                    }
                }
                TargetKind::Masks => {
                    let pixels = width * height;
                    values.grow((k + 1) * pixels);
                    if let Some(to) = values.bytes().get_mut(k * pixels..(k + 1) * pixels) {
                        draw(mark, placement, size, raster, to, 1);
                    }
                }
                _ => {
                    values.grow((k + 1) * self.points * 3);
                    let all = values.floats().as_chunks_mut::<3>().0;
                    let to = all.get_mut(k * self.points..(k + 1) * self.points).unwrap_or_default();
                    for (to, point) in to.iter_mut().zip(&mark.points) {
                        *to = point_on(*point, placement, size).unwrap_or_default();
                    }
                }
            }
            let classes = match (self.places, rest) {
                (Some(_), [mask, classes]) => {
                    if let Some(there) = mask.bytes().get_mut(k) {
                        *there = 1;
                    }
                    classes
                }
                (None, [classes, mask @ ..]) => {
                    if let [mask] = mask {
                        mask.grow(k + 1);
                        if let Some(there) = mask.bytes().get_mut(k) {
                            *there = 1;
                        }
                    }
                    classes
                }
                _ => return,
            };
            classes.grow(k + 1);
            if let Some(class) = classes.integers().get_mut(k) {
                *class = mark.class;
            }
        }
    }
}

fn draw(mark: &Mark, placement: &Placement, size: (u32, u32), raster: &mut Raster, pixels: &mut [u8], value: u8) {
    let width = size.0 as usize;
    mark.draw(placement, size, raster, |row, columns| {
        let row = pixels.get_mut(row * width..(row + 1) * width).unwrap_or_default();
        row.get_mut(columns).unwrap_or_default().fill(value);
    });
}
