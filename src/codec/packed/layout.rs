//! How a picture is parted: into segments, each of channels of some shape, and its bits into levels.

use super::{channel::Shape, picture::Picture, planes::LEVELS};

/// The channels' shapes in a segment of this many rows of units.
pub(super) fn shapes(picture: &Picture, rows: usize) -> [Shape; 2] {
    let units = picture.units().0;
    let shape = |from: usize| {
        let parts = picture.components().get(from..).unwrap_or_default();
        let parts = if from == 0 { parts.get(..1).unwrap_or_default() } else { parts };
        let Some(first) = parts.first() else { return Shape::default() };
        Shape { wide: units * first.across, high: rows * first.down, parts: parts.len() }
    };
    [shape(0), shape(1)]
}

/// The segments of a picture: the rows of units of each.
pub(super) fn segments(picture: &Picture, rows: usize) -> impl Iterator<Item = usize> {
    let high = picture.units().1;
    (0..high.div_ceil(rows)).map(move |i| rows.min(high - i * rows))
}

/// The levels that a picture with or without colors has.
pub(super) fn levels(colors: bool) -> impl Iterator<Item = usize> {
    (0..LEVELS).filter(move |level| colors || level % 2 == 0)
}
