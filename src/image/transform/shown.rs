//! Which part of the output shows a picture, where pictures lie over each other.

use std::ops::Range;

use super::{Cut, Rect};

/// Which part of the output shows what was placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shown {
    /// All of it.
    #[default]
    All,
    /// Only a rectangle.
    Inside(Cut),
    /// All but a rectangle.
    Outside(Cut),
}

impl Shown {
    /// Whether a point of the output is shown.
    pub fn has(&self, x: f64, y: f64) -> bool {
        let within = |cut: &Cut| {
            let inside = |at: f64, from: u32, to: u32| at >= f64::from(from) && at < f64::from(to);
            inside(x, cut.left, cut.right) && inside(y, cut.top, cut.bottom)
        };
        match self {
            Shown::All => true,
            Shown::Inside(cut) => within(cut),
            Shown::Outside(cut) => !within(cut),
        }
    }

    /// The smallest rectangle around what is shown of one, and which share of its area that is. A rectangle that is cut on
    /// one side becomes smaller; one with a hole, or without a corner, stays as large as it is.
    pub fn rect(&self, rect: &Rect) -> (Rect, f64) {
        let (cut, inside) = match self {
            Shown::All => return (*rect, 1.0),
            Shown::Inside(cut) => (cut, true),
            Shown::Outside(cut) => (cut, false),
        };
        let (x, y) = ((rect.x, rect.x + rect.width), (rect.y, rect.y + rect.height));
        let common = |(from, to): (f64, f64), left: u32, right: u32| {
            let from = from.max(f64::from(left));
            (from, to.min(f64::from(right)).max(from))
        };
        let both = (common(x, cut.left, cut.right), common(y, cut.top, cut.bottom));
        let long = |(from, to): (f64, f64)| to - from;
        let (area, covered) = (rect.width * rect.height, long(both.0) * long(both.1));
        let share = if area > 0.0 { covered / area } else { 0.0 };
        let of = |x: (f64, f64), y: (f64, f64)| Rect { x: x.0, y: y.0, width: long(x), height: long(y) };
        if inside {
            return (of(both.0, both.1), share);
        }
        if covered <= 0.0 {
            return (*rect, 1.0);
        }
        // What is left of a side that is cut along all of the other one.
        let rest = |whole: (f64, f64), part: (f64, f64)| match (part.0 <= whole.0, part.1 >= whole.1) {
            (true, true) => (whole.0, whole.0),
            (true, false) => (part.1, whole.1),
            (false, true) => (whole.0, part.0),
            (false, false) => whole,
        };
        let rest = match (both.0 == x, both.1 == y) {
            (true, _) => (x, rest(y, both.1)),
            (_, true) => (rest(x, both.0), y),
            _ => (x, y),
        };
        (of(rest.0, rest.1), 1.0 - share)
    }

    /// What is shown of some columns of a row: at most two parts.
    pub fn columns(&self, row: usize, columns: Range<usize>) -> [Range<usize>; 2] {
        let (cut, inside) = match self {
            Shown::All => return [columns, 0..0],
            Shown::Inside(cut) => (cut, true),
            Shown::Outside(cut) => (cut, false),
        };
        let (left, right) = (cut.left as usize, cut.right as usize);
        match ((cut.top as usize..cut.bottom as usize).contains(&row), inside) {
            (true, true) => [columns.start.max(left)..columns.end.min(right), 0..0],
            (false, true) => [0..0, 0..0],
            (true, false) => [columns.start..columns.end.min(left), columns.start.max(right)..columns.end],
            (false, false) => [columns, 0..0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUT: Cut = Cut { width: 20, height: 20, left: 5, top: 4, right: 15, bottom: 12 };

    fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect { x, y, width, height }
    }

    #[test]
    fn rectangles_become_what_is_left_of_them() {
        let outside = Shown::Outside(CUT);
        assert_eq!(outside.rect(&rect(0.0, 0.0, 5.0, 20.0)), (rect(0.0, 0.0, 5.0, 20.0), 1.0), "beside it");
        assert_eq!(outside.rect(&rect(6.0, 5.0, 2.0, 2.0)).1, 0.0, "behind it");
        assert_eq!(outside.rect(&rect(0.0, 5.0, 10.0, 4.0)), (rect(0.0, 5.0, 5.0, 4.0), 0.5), "its right half is gone");
        assert_eq!(
            outside.rect(&rect(10.0, 5.0, 10.0, 4.0)),
            (rect(15.0, 5.0, 5.0, 4.0), 0.5),
            "its left half is gone"
        );
        assert_eq!(outside.rect(&rect(6.0, 8.0, 4.0, 8.0)), (rect(6.0, 12.0, 4.0, 4.0), 0.5), "its upper half is gone");
        assert_eq!(outside.rect(&rect(10.0, 8.0, 10.0, 8.0)), (rect(10.0, 8.0, 10.0, 8.0), 0.75), "a corner is gone");
        assert_eq!(outside.rect(&rect(0.0, 0.0, 20.0, 20.0)), (rect(0.0, 0.0, 20.0, 20.0), 0.8), "it has a hole");
        assert_eq!(outside.rect(&rect(0.0, 5.0, 20.0, 4.0)), (rect(0.0, 5.0, 20.0, 4.0), 0.5), "its middle is gone");
        let inside = Shown::Inside(CUT);
        assert_eq!(inside.rect(&rect(0.0, 0.0, 10.0, 8.0)), (rect(5.0, 4.0, 5.0, 4.0), 0.25));
        assert_eq!(inside.rect(&rect(0.0, 0.0, 4.0, 4.0)).1, 0.0);
        assert_eq!(Shown::All.rect(&rect(1.0, 2.0, 0.0, 4.0)), (rect(1.0, 2.0, 0.0, 4.0), 1.0));
    }

    #[test]
    fn rows_points_and_rectangles_agree() {
        for shown in [Shown::All, Shown::Inside(CUT), Shown::Outside(CUT)] {
            for y in 0..20 {
                for (from, to) in [(0, 20), (7, 9), (0, 5), (15, 20), (3, 16), (4, 4)] {
                    let parts = shown.columns(y, from..to);
                    for x in 0..20 {
                        let wanted = (from..to).contains(&x) && shown.has(x as f64 + 0.5, y as f64 + 0.5);
                        assert_eq!(parts.iter().any(|part| part.contains(&x)), wanted, "{shown:?} {x} {y}");
                    }
                }
            }
            let all = rect(0.0, 0.0, 20.0, 20.0);
            let count = (0..20).flat_map(|y| shown.columns(y, 0..20)).map(|part| part.len()).sum::<usize>();
            assert!((shown.rect(&all).1 - count as f64 / 400.0).abs() < 1e-12);
        }
    }
}
