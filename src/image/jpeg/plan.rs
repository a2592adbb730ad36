//! Which blocks are needed for which pixels, and how large each becomes.

use std::ops::Range;

use super::{header::Header, parts::MOST_PARTS};

/// Where decoded pixels lie in the whole picture at the size to which they are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// What becomes of one component.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lines {
    /// Pixels across and down that a block becomes.
    pub(super) size: usize,
    /// Blocks of a unit.
    pub(super) across: usize,
    pub(super) down: usize,
    /// Bytes from line to line.
    pub(super) stride: usize,
    /// Its pixels in the columns that are decoded, without what only fills blocks.
    pub(super) width: usize,
    /// Its lines in the whole picture.
    pub(super) height: usize,
    /// Pixels of the picture for each of its own, across and down.
    pub(super) times: (usize, usize),
    /// Whether pixels between its own are found from two, across and down.
    pub(super) smooth: (bool, bool),
}

impl Lines {
    /// The lines of one row of units.
    pub(super) fn rows(&self) -> usize {
        self.down * self.size
    }
}

/// The geometry of one decoding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The part that is wanted of the picture at the size to which it is decoded.
    pub(super) x: Range<usize>,
    pub(super) y: Range<usize>,
    /// Units across.
    pub(super) units: usize,
    /// Rows of units in the picture.
    pub(super) rows: usize,
    /// Units that are decoded to pixels.
    pub(super) columns: Range<usize>,
    pub(super) lines: Range<usize>,
    /// Pixels of a unit.
    pub(super) unit: (usize, usize),
    pub(super) parts: [Lines; MOST_PARTS],
    pub(super) count: usize,
}

impl Plan {
    pub(super) fn new(header: &Header, eighths: u32, region: Option<(u32, u32, u32, u32)>) -> Plan {
        let eighths = eighths.clamp(1, 8) as usize;
        let (across, down) = header.unit();
        let full = (header.width as usize, header.height as usize);
        let (units, rows) = header.units();
        let (x, y) = wanted(full, eighths, region);
        let unit = (across * eighths, down * eighths);
        // Pixels between two of a component need the next one on both sides.
        let reach = |at: &Range<usize>, size: usize, most: usize| {
            (at.start.saturating_sub(4) / size)..(at.end + 4).div_ceil(size).min(most)
        };
        let (columns, lines) = (reach(&x, unit.0, units), reach(&y, unit.1, rows));
        let mut plan = Plan {
            x,
            y,
            units,
            rows,
            columns,
            lines,
            unit,
            parts: [Lines::default(); MOST_PARTS],
            count: header.components().len(),
        };
        for (part, component) in plan.parts.iter_mut().zip(header.components()) {
            // What is stored at a lower resolution is reduced less, if that fits; otherwise made larger afterwards.
            let mut size = eighths;
            let more = |most: usize, own: usize, size: usize| (most * eighths).is_multiple_of(own * size * 2);
            while size <= 4 && more(across, component.across, size) && more(down, component.down, size) {
                size *= 2;
            }
            let stride = plan.columns.len() * component.across * size;
            let own = |full: usize, own: usize, most: usize| (full * own * size).div_ceil(most * 8);
            let width = own(full.0, component.across, across);
            let times = (across * eighths / (component.across * size), down * eighths / (component.down * size));
            // As libjpeg does it: not where a pixel is a whole block, nor where there are too few, nor for other ratios.
            let fine = eighths > 1;
            let smooth = match times {
                (2, 1 | 2) => (fine && width > 2, fine && width > 2 && times.1 == 2),
                (1, 2) => (false, fine),
                _ => (false, false),
            };
            *part = Lines {
                size,
                across: component.across,
                down: component.down,
                stride,
                width: (width - plan.columns.start * component.across * size).min(stride),
                height: own(full.1, component.down, down),
                times,
                smooth,
            };
        }
        plan
    }

    pub(crate) fn part(&self) -> Part {
        Part::of(&self.x, &self.y)
    }
}

impl Part {
    fn of(x: &Range<usize>, y: &Range<usize>) -> Part {
        Part { left: x.start as u32, top: y.start as u32, width: x.len() as u32, height: y.len() as u32 }
    }

    /// What is decoded of a picture of this size, none of whose sides is 0, at this many eighths of it.
    pub(crate) fn decoded((width, height): (u32, u32), eighths: u32, region: Option<(u32, u32, u32, u32)>) -> Part {
        let (x, y) = wanted((width as usize, height as usize), eighths.clamp(1, 8) as usize, region);
        Part::of(&x, &y)
    }
}

/// The columns and lines of the reduced picture that are wanted.
fn wanted(full: (usize, usize), eighths: usize, region: Option<(u32, u32, u32, u32)>) -> (Range<usize>, Range<usize>) {
    match region {
        None => (0..(full.0 * eighths).div_ceil(8), 0..(full.1 * eighths).div_ceil(8)),
        Some((left, top, width, height)) => (cut(left, width, eighths, full.0), cut(top, height, eighths, full.1)),
    }
}

/// Pixels of the full size to those of the reduced one, all that they touch.
fn cut(from: u32, length: u32, eighths: usize, full: usize) -> Range<usize> {
    let (from, to) = ((from as usize).min(full - 1), from as usize + length as usize);
    let start = from * eighths / 8;
    let n = (full * eighths).div_ceil(8);
    start..(to * eighths).div_ceil(8).clamp(start + 1, n)
}
