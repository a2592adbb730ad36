//! Crops that look at a picture's boxes before they cut.

use super::Rect;
use crate::random::Draws;

/// The least overlaps that [`overlapping`] chooses among: SSD's, of which the last leaves the picture whole.
const OVERLAPS: [f64; 7] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0];
/// How often an overlap is chosen, and how often a rectangle is tried for each.
const CHOICES: usize = 10;
const TRIES: usize = 40;

/// A random rectangle of these shares of each side and of this width by height, with the center of at least one box in
/// it, that overlaps one such box by as much as was chosen; all of the picture if none is found. SSD's crop.
pub(super) fn overlapping(
    (width, height): (u32, u32),
    scale: (f64, f64),
    ratio: (f64, f64),
    boxes: &[Rect],
    draw: &mut Draws,
) -> Rect {
    let (w, h) = (f64::from(width), f64::from(height));
    let whole = Rect { x: 0.0, y: 0.0, width: w, height: h };
    for _ in 0..CHOICES {
        let least = OVERLAPS[draw.below(OVERLAPS.len() as u32) as usize];
        if least >= 1.0 {
            break;
        }
        for _ in 0..TRIES {
            let (wide, high) = (draw.between(scale.0, scale.1), draw.between(scale.0, scale.1));
            let (wide, high) = ((w * wide).floor(), (h * high).floor());
            let (x, y) = (((w - wide) * draw.unit()).floor(), ((h - high) * draw.unit()).floor());
            let aspect = wide / high;
            if wide < 1.0 || high < 1.0 || aspect < ratio.0 || aspect > ratio.1 {
                continue;
            }
            let cut = Rect { x, y, width: wide, height: high };
            if boxes.iter().any(|b| holds_center(&cut, b) && overlap(&cut, b) >= least) {
                return cut;
            }
        }
    }
    whole
}

fn holds_center(cut: &Rect, b: &Rect) -> bool {
    let (x, y) = (b.x + b.width / 2.0, b.y + b.height / 2.0);
    x > cut.x && x < cut.x + cut.width && y > cut.y && y < cut.y + cut.height
}

/// The area that both have, of the area that either has.
fn overlap(a: &Rect, b: &Rect) -> f64 {
    let along = |a: f64, a_long: f64, b: f64, b_long: f64| ((a + a_long).min(b + b_long) - a.max(b)).max(0.0);
    let both = along(a.x, a.width, b.x, b.width) * along(a.y, a.height, b.y, b.height);
    both / (a.width * a.height + b.width * b.height - both)
}

/// A random rectangle with every box in it, as far as that is in the picture; without boxes all of the picture.
pub(super) fn around((width, height): (u32, u32), boxes: &[Rect], draw: &mut Draws) -> Rect {
    let side = |n: u32, from: fn(&Rect) -> f64, long: fn(&Rect) -> f64, draw: &mut Draws| {
        let least = boxes.iter().map(from).fold(f64::INFINITY, f64::min);
        let most = boxes.iter().map(|b| from(b) + long(b)).fold(f64::NEG_INFINITY, f64::max);
        let full = f64::from(n);
        // Whole pixels around the boxes; boxes that are nowhere leave all of it.
        let least = least.floor().clamp(0.0, (full - 1.0).max(0.0));
        let most = most.ceil().clamp(least + 1.0, full.max(least + 1.0));
        let from = f64::from(draw.below(least as u32 + 1));
        let to = most + f64::from(draw.below((full - most) as u32 + 1));
        if boxes.is_empty() { (0.0, full) } else { (from, to - from) }
    };
    let (x, width) = side(width, |b| b.x, |b| b.width, draw);
    let (y, height) = side(height, |b| b.y, |b| b.height, draw);
    Rect { x, y, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crop_around_boxes_holds_all_of_them_and_moves() {
        let boxes =
            [Rect { x: 10.5, y: 20.0, width: 5.0, height: 8.0 }, Rect { x: 40.0, y: 3.2, width: 9.9, height: 2.0 }];
        let mut seen = std::collections::BTreeSet::new();
        for key in 0..300 {
            let cut = around((100, 50), &boxes, &mut Draws::new(key));
            for b in &boxes {
                assert!(cut.x <= b.x && cut.y <= b.y, "{cut:?}");
                assert!(cut.x + cut.width >= b.x + b.width && cut.y + cut.height >= b.y + b.height, "{cut:?}");
            }
            assert!(cut.x >= 0.0 && cut.y >= 0.0 && cut.x + cut.width <= 100.0 && cut.y + cut.height <= 50.0);
            seen.insert((cut.x as u32, cut.y as u32));
        }
        assert!(seen.len() > 30, "{}", seen.len());
        let whole = Rect { x: 0.0, y: 0.0, width: 7.0, height: 5.0 };
        assert_eq!(around((7, 5), &[], &mut Draws::new(1)), whole);
        // Boxes that are outside, or nowhere, do not make it fail.
        for far in [900.0, -900.0, f64::NAN, f64::INFINITY] {
            let cut = around((7, 5), &[Rect { x: far, y: far, width: 3.0, height: 3.0 }], &mut Draws::new(2));
            assert!(cut.width >= 1.0 && cut.height >= 1.0 && cut.x + cut.width <= 7.0, "{far}: {cut:?}");
        }
    }

    #[test]
    fn an_overlapping_crop_keeps_a_center_and_its_bounds() {
        let boxes = [Rect { x: 30.0, y: 20.0, width: 40.0, height: 30.0 }];
        let (mut cuts, all) = (0, Rect { x: 0.0, y: 0.0, width: 100.0, height: 80.0 });
        for key in 0..300 {
            let cut = overlapping((100, 80), (0.3, 1.0), (0.5, 2.0), &boxes, &mut Draws::new(key));
            if cut != all {
                cuts += 1;
                assert!(holds_center(&cut, &boxes[0]), "{cut:?}");
                let aspect = cut.width / cut.height;
                assert!((0.5..=2.0).contains(&aspect) && cut.width >= 30.0 && cut.height >= 24.0, "{cut:?}");
                assert!(cut.x + cut.width <= 100.0 && cut.y + cut.height <= 80.0);
            }
        }
        assert!(cuts > 150, "{cuts}");
        assert_eq!(overlapping((100, 80), (0.3, 1.0), (0.5, 2.0), &[], &mut Draws::new(1)), all);
        let one = Rect { x: 0.0, y: 0.0, width: 1.0, height: 1.0 };
        assert_eq!(overlapping((1, 1), (0.3, 0.5), (0.5, 2.0), &boxes, &mut Draws::new(1)), one);
    }
}
