//! Outlines to pixels: which pixels have their center inside, by integers, without a search and without sorting.
//!
//! Every edge flips, in each row whose middle it crosses, the pixels from there on to the right. A pixel is inside if it was
//! flipped an odd number of times, so a hole is an outline inside of an outline. What shares an edge shares no pixel.

use super::Rle;

/// Parts of a pixel. What is between them is rounding.
const PARTS: f64 = 256.0;
/// The middle of a pixel.
const HALF: i64 = 128;
/// Points farther out than this many pixels are moved there, so that all products fit.
const FAR: f64 = (1_u32 << 19) as f64;
/// The most pixels on a side.
const MOST: usize = 1 << 18;

/// Turns edges into pixels, with memory that is used again.
///
/// ```
/// use forebay_annotations::Raster;
/// let mut raster = Raster::default();
/// raster.begin(4, 3);
/// raster.outline([[1.0, 0.0], [3.0, 0.0], [3.0, 2.0], [1.0, 2.0]].into_iter());
/// let mut inside = Vec::new();
/// raster.end(|row, columns| inside.push((row, columns)));
/// assert_eq!(inside, [(0, 1..3), (1, 1..3)]);
/// ```
#[derive(Debug, Default)]
pub struct Raster {
    width: usize,
    height: usize,
    /// For each pixel whether it and those right of it were flipped, all false between uses.
    flips: Vec<bool>,
    /// The rows and columns that were touched.
    rows: (usize, usize),
    columns: (usize, usize),
}

impl Raster {
    /// Begins anew, with pixels of this many columns and rows; none where that is more than a picture has.
    pub fn begin(&mut self, width: usize, height: usize) {
        let pixels = width.checked_mul(height).filter(|_| width <= MOST && height <= MOST);
        (self.width, self.height) = if pixels.is_some() { (width, height) } else { (0, 0) };
        if self.rows.0 < self.rows.1 {
            // An earlier use was left without its end.
            self.flips.fill(false);
        }
        self.flips.resize(pixels.unwrap_or(0), false);
        self.untouch();
    }

    fn untouch(&mut self) {
        (self.rows, self.columns) = ((usize::MAX, 0), (usize::MAX, 0));
    }

    /// Adds an outline, which goes from its last point to its first.
    pub fn outline(&mut self, points: impl Iterator<Item = [f64; 2]>) {
        let (mut first, mut last) = (None, None);
        for point in points {
            match last {
                None => first = Some(point),
                Some(last) => self.edge(last, point),
            }
            last = Some(point);
        }
        if let (Some(first), Some(last)) = (first, last) {
            self.edge(last, first);
        }
    }

    /// Adds an edge. Those that are added must be all around what they enclose, in any order and either direction.
    pub fn edge(&mut self, a: [f64; 2], b: [f64; 2]) {
        let whole = |v: f64| (v.clamp(-FAR, FAR) * PARTS).round() as i64;
        let ([ax, ay], [bx, by]) = (a.map(whole), b.map(whole));
        let ((ax, ay), (bx, by)) = if ay <= by { ((ax, ay), (bx, by)) } else { ((bx, by), (ax, ay)) };
        let (down, across) = (by - ay, bx - ax);
        // Rows whose middle is at or below the upper end, and above the lower one.
        let row = |y: i64| (y + HALF - 1).div_euclid(2 * HALF).clamp(0, self.height as i64);
        for r in row(ay)..row(by) {
            let middle = r * 2 * HALF + HALF;
            // The first column whose middle is not left of the edge.
            let crossing = (ax - HALF) * down + (middle - ay) * across;
            let column = -(-crossing).div_euclid(2 * HALF * down);
            let column = column.max(0) as usize;
            if column < self.width {
                let r = r as usize;
                self.flips[r * self.width + column] ^= true;
                self.rows = (self.rows.0.min(r), self.rows.1.max(r + 1));
                self.columns = (self.columns.0.min(column), self.columns.1.max(self.width));
            }
        }
    }

    /// Gives the pixels that are inside: a row, and some columns of it. What was added is forgotten.
    pub fn end(&mut self, mut take: impl FnMut(usize, std::ops::Range<usize>)) {
        for r in self.rows.0..self.rows.1 {
            let row = &mut self.flips[r * self.width..][..self.width];
            let mut begin = None;
            for (column, flip) in row.iter_mut().enumerate().skip(self.columns.0) {
                if std::mem::take(flip) {
                    match begin.take() {
                        None => begin = Some(column),
                        Some(begin) => take(r, begin..column),
                    }
                }
            }
            if let Some(begin) = begin {
                take(r, begin..self.width);
            }
        }
        self.untouch();
    }
}

impl Rle {
    /// The edges around the pixels that are on, in pixels, for [`Raster::edge`]. There are at most some for every run,
    /// however large the mask says that it is.
    pub fn edges(&self) -> Vec<[[f64; 2]; 2]> {
        let height = u64::from(self.height());
        if height == 0 {
            return Vec::new();
        }
        let mut edges = Vec::new();
        // Where pixels change between off and on, as places along the columns.
        let mut changes = Vec::with_capacity(self.counts().len());
        let mut at = 0_u64;
        for count in self.counts() {
            at += u64::from(*count);
            add_change(&mut changes, at);
        }
        let end = u64::from(self.width()) * height;
        let mut changes = changes.into_iter().filter(|change| *change < end).peekable();
        let (mut before, mut here): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        let (mut on, mut x) = (false, 0_u64);
        loop {
            // The rows at which this column changes, from off: where it begins with on, that is a change at 0.
            here.clear();
            if on {
                here.push(0);
            }
            while let Some(change) = changes.next_if(|change| change / height == x) {
                on = !on;
                let row = change % height;
                add_change(&mut here, row);
            }
            if on {
                here.push(height);
            }
            upright(&before, &here, x, &mut edges);
            for row in &here {
                edges.push([[x as f64, *row as f64], [(x + 1) as f64, *row as f64]]);
            }
            std::mem::swap(&mut before, &mut here);
            x += 1;
            // Columns without a change are all off or all on: pass over them.
            let next = changes.peek().map_or(u64::from(self.width()), |change| change / height);
            if next > x {
                here.clear();
                if on {
                    here.extend([0, height]);
                }
                upright(&before, &here, x, &mut edges);
                for row in &here {
                    edges.push([[x as f64, *row as f64], [next as f64, *row as f64]]);
                }
                std::mem::swap(&mut before, &mut here);
                x = next;
            }
            if changes.peek().is_none() && x >= u64::from(self.width()) {
                upright(&before, &[], x, &mut edges);
                return edges;
            }
        }
    }
}

/// Adds a change; two at one place are none.
fn add_change(changes: &mut Vec<u64>, at: u64) {
    if changes.last() == Some(&at) {
        changes.pop();
    } else {
        changes.push(at);
    }
}

/// The edges between two columns: where one of them is on and the other is not. Both change at these rows, from off.
fn upright(left: &[u64], right: &[u64], x: u64, edges: &mut Vec<[[f64; 2]; 2]>) {
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    let mut from = None;
    loop {
        let row = match (left.peek().copied(), right.peek().copied()) {
            (None, None) => return,
            (Some(a), Some(b)) if a == b => {
                // Both change: they differ afterwards if they did before.
                left.next();
                right.next();
                continue;
            }
            (Some(a), Some(b)) if a < b => left.next().unwrap_or(b),
            (Some(a), None) => left.next().unwrap_or(a),
            (_, Some(b)) => right.next().unwrap_or(b),
        };
        match from.take() {
            None => from = Some(row),
            Some(from) => edges.push([[x as f64, from as f64], [x as f64, row as f64]]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pixels(raster: &mut Raster) -> Vec<bool> {
        let mut all = vec![false; raster.width * raster.height];
        let width = raster.width;
        raster.end(|row, columns| all[row * width..][columns].fill(true));
        all
    }

    /// Whether a point is inside, by a ray to the left, in floating point.
    fn is_inside(points: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
        let edges = points.iter().zip(points.iter().cycle().skip(1));
        let crosses = |(a, b): &(&[f64; 2], &[f64; 2])| {
            (a[1] <= y) != (b[1] <= y) && a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]) <= x
        };
        edges.filter(crosses).count() % 2 == 1
    }

    proptest! {
        #[test]
        fn a_pixel_is_inside_if_its_center_is(
            // Eighths are exact here, so that no rounding decides.
            points in prop::collection::vec([-40..200i32, -40..200i32], 0..9),
            (width, height) in (1..20usize, 1..20usize),
        ) {
            let points: Vec<[f64; 2]> = points.iter().map(|p| p.map(|v| f64::from(v) / 8.0)).collect();
            let mut raster = Raster::default();
            for _ in 0..2 {
                raster.begin(width, height);
                raster.outline(points.iter().copied());
                let found = pixels(&mut raster);
                for (i, found) in found.iter().enumerate() {
                    let center = [(i % width) as f64 + 0.5, (i / width) as f64 + 0.5];
                    prop_assert_eq!(*found, is_inside(&points, center), "{:?}", center);
                }
            }
        }

        #[test]
        fn the_edges_of_a_mask_enclose_its_pixels(
            (width, height) in (1..9u32, 1..7u32),
            cuts in prop::collection::vec(0..80u32, 0..12),
        ) {
            let all = width * height;
            let mut cuts: Vec<u32> = cuts.into_iter().map(|cut| cut.min(all)).collect();
            cuts.push(all);
            cuts.sort_unstable();
            let mut before = 0;
            let counts = cuts.iter().map(|cut| cut - std::mem::replace(&mut before, *cut)).collect();
            let mask = Rle::new(width, height, counts).unwrap();
            let mut wanted = vec![false; all as usize];
            let mut at = 0;
            for (i, n) in mask.counts().iter().enumerate() {
                for place in at..at + n {
                    wanted[((place % height) * width + place / height) as usize] = i % 2 == 1;
                }
                at += n;
            }
            let mut raster = Raster::default();
            raster.begin(width as usize, height as usize);
            let edges = mask.edges();
            edges.iter().for_each(|[a, b]| raster.edge(*a, *b));
            prop_assert_eq!(pixels(&mut raster), wanted.clone());
            // As seen after a quarter turn: the edges across count there.
            raster.begin(height as usize, width as usize);
            edges.iter().for_each(|[[ax, ay], [bx, by]]| raster.edge([*ay, *ax], [*by, *bx]));
            let turned = pixels(&mut raster);
            for (i, on) in wanted.iter().enumerate() {
                let (x, y) = (i % width as usize, i / width as usize);
                prop_assert_eq!(turned[x * height as usize + y], *on);
            }
        }
    }

    #[test]
    fn a_giant_mask_costs_what_its_runs_do() {
        let side = 60_000;
        let mask = Rle::new(side, side, vec![side * 1000 + 7, 5, side * 2000, side * side - side * 3000 - 12]).unwrap();
        assert!(mask.edges().len() < 20);
        assert_eq!(Rle::new(0, 0, Vec::new()).unwrap().edges(), [] as [[[f64; 2]; 2]; 0]);
    }

    #[test]
    fn points_far_out_do_not_overflow() {
        let mut raster = Raster::default();
        raster.begin(5, 4);
        raster.outline([[-1e300, -1e300], [1e300, -1e300], [1e300, 1e300], [-1e300, 1e300]].into_iter());
        assert!(pixels(&mut raster).iter().all(|inside| *inside));
        raster.begin(usize::MAX, 2);
        raster.edge([f64::NAN, 0.0], [1.0, f64::INFINITY]);
        raster.end(|_, _| panic!("there are no pixels"));
    }
}
